// Selects the particles near an interface and decides where air begins.
//
// A particle is at a free surface when its neighbours are mostly on one side of it, or when it has few. Air points are
// placed around it at a distance of one spacing: first along the outward normal, then in many directions, which covers
// edges, sheets and single drops. A candidate is air when no particle is much closer than the one it was made for and
// no earlier air point is near. A hole with room for only one air point counts as liquid.
#include "surface/chromatic.h"

#include "base/error.h"
#include "spate/neighbours.h"

#include <math.h>

// In spacings unless stated otherwise.
#define REACH 2.0f          // range of neighbours
#define OFFSET 1.0f         // from a particle to its air points
#define CLEAR 0.95f         // minimum from an air point to any particle
#define AIR_APART 0.7f      // minimum between air points
#define AIR_TOGETHER 1.5f   // an air point without another one this near is a hole of one particle, not air
#define ONE_SIDED 0.15f     // mean offset over mean distance of the neighbours; 0.33 at flat surfaces, 0.05 in noise
#define FEW_NEIGHBOURS 0.6f // fraction of a full neighbourhood: 32 in space, 12 in the plane

enum
{
	DIRECTIONS = 26
};

typedef struct candidate
{
	float place[3];
	float spacing;
	uint32_t particle;
} candidate;

// Working data of a selection.
typedef struct selection
{
	const chromatic_input *input;
	spate_neighbours *search;
	ARRAY(uint32_t) near; // neighbours of one particle
	ARRAY(candidate) air;
	ARRAY(float) scratch;
	uint8_t *wanted; // per particle: it is selected
	float *values;   // smooth interface function, if requested
} selection;

static float spacing_of(const chromatic_input *input, uint32_t i)
{
	return 2.0f * (input->radii ? input->radii[i] : input->radius);
}

static float value_of(const chromatic_input *input, uint32_t i)
{
	return input->values ? input->values[i] : 0.5f * spacing_of(input, i);
}

static spate_result check(const chromatic_input *input, spate_error *error)
{
	if (input->dimension != 2 && input->dimension != 3)
		return error_set(error, SPATE_INVALID, "interfaces have dimension 2 or 3, not %u", input->dimension);
	for (uint32_t i = 0; i < input->count; i++)
	{
		if (input->fluids[i] < 1 || input->fluids[i] > CHROMATIC_MAX_FLUIDS)
			return error_set(error, SPATE_INVALID,
					 "particle %u is of fluid %u; interfaces support fluids 1 to %d", i,
					 input->fluids[i], CHROMATIC_MAX_FLUIDS);
		float spacing = spacing_of(input, i), value = value_of(input, i);
		if (!(spacing > 0.0f) || !isfinite(spacing) || !(value > 0.0f) || !isfinite(value))
			return error_set(error, SPATE_INVALID,
					 "radius and interface value of particle %u must be positive", i);
	}
	return SPATE_OK;
}

// Sets z = 0 in the plane, and passes points and their reach to the neighbour search.
static spate_result find_neighbours(selection *s, spate_error *error)
{
	const chromatic_input *input = s->input;
	size_t count = input->count;
	if (!array_reserve(&s->scratch, 4 * count))
		return error_memory(error, 4 * count * sizeof(float));
	float *points = s->scratch.data, *reach = points + 3 * count;
	for (size_t i = 0; i < count; i++)
	{
		for (int k = 0; k < 3; k++)
			points[3 * i + (size_t)k] =
			    k < (int)input->dimension ? input->positions[3 * i + (size_t)k] : 0.0f;
		// second neighbours on a lattice must count in spite of rounding
		reach[i] = REACH * 1.001f * spacing_of(input, (uint32_t)i);
	}
	return spate_neighbours_find(s->search, input->count, points, reach[0], input->radii ? reach : NULL,
				     input->threads, error);
}

static int load_near(selection *s, uint32_t i)
{
	uint32_t count = spate_neighbours_of(s->search, i, NULL, 0);
	if (!array_reserve(&s->near, count))
		return 0;
	s->near.count = count;
	spate_neighbours_of(s->search, i, s->near.data, count);
	return 1;
}

static float distance_squared(const chromatic_input *input, uint32_t i, const float *place)
{
	float sum = 0.0f;
	for (uint32_t k = 0; k < input->dimension; k++)
	{
		float d = input->positions[3 * (size_t)i + k] - place[k];
		sum += d * d;
	}
	return sum;
}

// How far particle i is on its own fluid's side, by the weights of its neighbours: its radius deep in the fluid, and a
// tenth of that where other fluids weigh as much.
static float smooth_value(const selection *s, uint32_t i)
{
	const chromatic_input *input = s->input;
	float own = 1.0f, other = 0.0f;
	for (size_t n = 0; n < s->near.count; n++)
	{
		uint32_t j = s->near.data[n];
		float reach = REACH * 0.5f * (spacing_of(input, i) + spacing_of(input, j));
		float q = distance_squared(input, j, input->positions + 3 * (size_t)i) / (reach * reach);
		float weight = q < 1.0f ? (1.0f - q) * (1.0f - q) * (1.0f - q) : 0.0f;
		*(input->fluids[j] == input->fluids[i] ? &own : &other) += weight;
	}
	return 0.5f * spacing_of(input, i) * fmaxf(0.1f, (own - other) / (own + other));
}

// Whether particle i is at a free surface, and the outward unit normal (zero if there is none).
static int at_surface(const selection *s, uint32_t i, float normal[3])
{
	const chromatic_input *input = s->input;
	float sum[3] = {0}, far = 0.0f;
	for (size_t n = 0; n < s->near.count; n++)
	{
		const float *q = input->positions + 3 * (size_t)s->near.data[n], *p = input->positions + 3 * (size_t)i;
		for (uint32_t k = 0; k < input->dimension; k++)
			sum[k] += p[k] - q[k];
		far += sqrtf(distance_squared(input, s->near.data[n], p));
	}
	float length = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
	for (int k = 0; k < 3; k++)
		normal[k] = length > 0.0f ? sum[k] / length : 0.0f;
	float full = input->dimension == 3 ? 32.0f : 12.0f;
	return length > ONE_SIDED * far || (float)s->near.count < FEW_NEIGHBOURS * full;
}

// Adds the place one spacing away from particle i as a candidate for air, unless another particle is near it.
static int try_air(selection *s, uint32_t i, const float direction[3])
{
	const chromatic_input *input = s->input;
	float spacing = spacing_of(input, i);
	candidate c = {.spacing = spacing, .particle = i};
	for (uint32_t k = 0; k < input->dimension; k++)
		c.place[k] = input->positions[3 * (size_t)i + k] + OFFSET * spacing * direction[k];
	for (size_t n = 0; n < s->near.count; n++)
	{
		uint32_t j = s->near.data[n];
		float clear = CLEAR * 0.5f * (spacing + spacing_of(input, j));
		if (distance_squared(input, j, c.place) < clear * clear)
			return 1;
	}
	return array_push(&s->air, c);
}

// The directions to the cells around a cell, or as many directions around a circle.
static void make_directions(uint32_t dimension, float directions[DIRECTIONS][3])
{
	int n = 0;
	for (int cell = 0; cell < 27; cell++)
	{
		if (cell == 13)
			continue;
		int x = cell % 3 - 1, y = cell / 3 % 3 - 1, z = cell / 9 - 1;
		float d[3] = {(float)x, (float)y, (float)z};
		float length = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
		double angle = 6.283185307179586 * n / DIRECTIONS;
		directions[n][0] = dimension == 3 ? d[0] / length : (float)cos(angle);
		directions[n][1] = dimension == 3 ? d[1] / length : (float)sin(angle);
		directions[n][2] = dimension == 3 ? d[2] / length : 0.0f;
		n++;
	}
}

// Collects all candidates for air, those along normals first, and selects particles next to another fluid.
static int gather(selection *s)
{
	const chromatic_input *input = s->input;
	float directions[DIRECTIONS][3];
	make_directions(input->dimension, directions);
	for (int round = 0; round < 2; round++)
	{
		for (uint32_t i = 0; i < input->count; i++)
		{
			float normal[3];
			if (!load_near(s, i))
				return 0;
			for (size_t n = 0; round == 0 && n < s->near.count; n++)
				s->wanted[i] |= input->fluids[s->near.data[n]] != input->fluids[i];
			if (round == 0 && s->values)
				s->values[i] = smooth_value(s, i);
			if (!at_surface(s, i, normal))
				continue;
			int along = normal[0] != 0.0f || normal[1] != 0.0f || normal[2] != 0.0f;
			if (round == 0 && along && !try_air(s, i, normal))
				return 0;
			for (int d = 0; round == 1 && d < DIRECTIONS; d++)
				if (!try_air(s, i, directions[d]))
					return 0;
		}
	}
	return 1;
}

// Selects the particles around all candidates for air.
static int want_near_air(selection *s)
{
	for (size_t a = 0; a < s->air.count; a++)
	{
		const candidate *c = &s->air.data[a];
		if (!load_near(s, c->particle))
			return 0;
		s->wanted[c->particle] = 1;
		float reach = REACH * c->spacing;
		for (size_t n = 0; n < s->near.count; n++)
			s->wanted[s->near.data[n]] |=
			    distance_squared(s->input, s->near.data[n], c->place) <= reach * reach;
	}
	return 1;
}

// Whether a candidate has a kept one within `apart` spacings. s->near must hold the neighbours of `a`.
static int has_company(const selection *s, uint32_t a, const uint8_t *kept, float apart)
{
	const candidate *c = &s->air.data[a];
	for (size_t n = 0; n < s->near.count; n++)
	{
		const candidate *other = &s->air.data[s->near.data[n]];
		float reach = apart * 0.5f * (c->spacing + other->spacing), sum = 0.0f;
		for (int k = 0; k < 3; k++)
			sum += (c->place[k] - other->place[k]) * (c->place[k] - other->place[k]);
		if (kept[s->near.data[n]] && sum < reach * reach)
			return 1;
	}
	return 0;
}

// Thins out the air points: drops those too close to a kept one, then those without any other air point near.
static spate_result thin(selection *s, uint8_t **kept, spate_error *error)
{
	size_t count = s->air.count;
	*kept = mem_calloc(2 * count, 1);
	if (!*kept || !array_reserve(&s->scratch, 4 * count))
		return error_memory(error, 4 * count * sizeof(float));
	float *points = s->scratch.data, *apart = points + 3 * count;
	for (size_t a = 0; a < count; a++)
	{
		for (size_t k = 0; k < 3; k++)
			points[3 * a + k] = s->air.data[a].place[k];
		apart[a] = AIR_TOGETHER * s->air.data[a].spacing;
	}
	spate_result result = spate_neighbours_find(s->search, (uint32_t)count, points, apart[0],
						    s->input->radii ? apart : NULL, s->input->threads, error);
	if (result != SPATE_OK)
		return result;

	// the second half of the array holds the points kept by the first pass
	uint8_t *stays = *kept, *before = stays + count;
	for (int lonely = 0; lonely < 2; lonely++)
		for (uint32_t a = 0; a < count; a++)
		{
			if (!load_near(s, a))
				return error_memory(error, s->near.count * sizeof(uint32_t));
			if (lonely)
				stays[a] = before[a] && has_company(s, a, before, AIR_TOGETHER);
			else
				before[a] = !has_company(s, a, before, AIR_APART);
		}
	return SPATE_OK;
}

static int add_particle(const selection *s, uint32_t i, chromatic_points *points)
{
	const chromatic_input *input = s->input;
	const float *p = input->positions + 3 * (size_t)i;
	double place[3] = {p[0], p[1], p[2]};
	float value = s->values ? s->values[i] : value_of(input, i);
	return chromatic_points_add(points, place, input->fluids[i], 0.5f * spacing_of(input, i), value, i);
}

static spate_result collect(selection *s, const uint8_t *kept, chromatic_points *points, spate_error *error)
{
	const chromatic_input *input = s->input;
	int room = 1;
	double spacing = 0.0;
	for (uint32_t i = 0; i < input->count && room; i++)
	{
		spacing += spacing_of(input, i) / (double)input->count;
		if (s->wanted[i])
			room = add_particle(s, i, points);
	}
	for (size_t a = 0; a < s->air.count && room; a++)
	{
		const candidate *c = &s->air.data[a];
		double place[3] = {c->place[0], c->place[1], c->place[2]};
		if (kept[a])
			room = chromatic_points_add(points, place, 0, (OFFSET - 0.5f) * c->spacing, 0.0f, c->particle);
	}
	points->spacing = spacing;
	return room ? SPATE_OK : error_memory(error, points->positions.count * sizeof(double));
}

spate_result chromatic_select(const chromatic_input *input, chromatic_points *points, spate_error *error)
{
	*points = (chromatic_points){.dimension = input->dimension, .spacing = 2.0 * input->radius};
	spate_result result = check(input, error);
	if (result != SPATE_OK || input->count == 0)
		return result;

	selection s = {.input = input, .wanted = mem_calloc(input->count, 1)};
	uint8_t *kept = NULL;
	if (input->smooth && !input->values)
		s.values = mem_calloc(input->count, sizeof *s.values);
	if (!s.wanted || (input->smooth && !input->values && !s.values))
		result = error_memory(error, input->count);
	if (result == SPATE_OK)
		result = spate_neighbours_create(&s.search, error);
	if (result == SPATE_OK)
		result = find_neighbours(&s, error);
	if (result == SPATE_OK && !gather(&s))
		result = error_memory(error, s.air.count * sizeof(candidate));
	if (result == SPATE_OK && s.air.count > UINT32_MAX)
		result = error_set(error, SPATE_RANGE, "the free surface needs more than 2^32 air points");
	if (result == SPATE_OK && !want_near_air(&s))
		result = error_memory(error, s.near.count * sizeof(uint32_t));
	if (result == SPATE_OK && s.air.count > 0)
		result = thin(&s, &kept, error);
	if (result == SPATE_OK)
		result = collect(&s, kept, points, error);

	spate_neighbours_destroy(s.search);
	array_free(&s.near);
	array_free(&s.air);
	array_free(&s.scratch);
	mem_free(s.wanted);
	mem_free(s.values);
	mem_free(kept);
	if (result != SPATE_OK)
		chromatic_points_free(points);
	return result;
}
