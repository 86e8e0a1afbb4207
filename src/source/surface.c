// The surface of a mesh as an opening: columns that are spread over it as blue noise, each with a direction of its own.
//
// Yuksel: Sample elimination for generating Poisson disk sample sets, 2015: of many random points, those that are most crowded by others
// are taken away one by one until as many are left as are wanted. Unlike there, a point's crowd is measured by what it was at first, or
// the edges of an open mesh, where there are points on one side only, would keep too many.
#include "base/error.h"
#include "mesh/sequence.h"
#include "source/source_work.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// Columns begin this far in front of the surface, where a particle that touches it is, in spacings.
#define IN_FRONT 0.5f
// And at least this far from solids, the mesh itself among them.
#define FREE 0.25f
// Cells and reach of the distance field that tells which faces are outside, per spacing.
#define FIELD_CELLS 2.0
#define FIELD_REACH 2.5

enum
{
	MORE = 6,              // random points per column
	FEWEST = 4096,         // random points at least: they measure the part of the surface that is free
	MOST_COLUMNS = 1 << 26 // of a surface
};

// A random point in front of the surface.
typedef struct candidate
{
	vec3 place;  // m, relative to the origin
	vec3 ahead;  // unit
	vec3 spread; // m: where it is for the distances between columns
} candidate;

typedef struct surface
{
	spate_source_def *def;
	const mesh_solid *solid;
	const collider_set *colliders;
	const source_set *set; // of this source alone
	vec3 ahead;            // zero for the normals
	float spacing;
	ARRAY(candidate) points;
} surface;

// ------------------------------------------------------------------------------------------------------- random points

// Twice the area of a triangle as a vector along its normal (m^2).
static vec3 area_vector(const spate_mesh *mesh, uint32_t triangle)
{
	vec3 corner[3];
	for (int k = 0; k < 3; k++)
	{
		const float *p = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + (size_t)k];
		corner[k] = vec3_make(p[0], p[1], p[2]);
	}
	return vec3_cross(vec3_sub(corner[1], corner[0]), vec3_sub(corner[2], corner[0]));
}

// What a triangle pours of: its area (m^2), as seen along a given direction.
static double weight_of(const surface *s, uint32_t triangle)
{
	vec3 twice = area_vector(mesh_solid_mesh(s->solid), triangle);
	int given = vec3_dot(s->ahead, s->ahead) > 0.0f;
	return 0.5 * (double)(given ? fabsf(vec3_dot(twice, s->ahead)) : vec3_length(twice));
}

static int is_free_of_solids(const surface *s, vec3 p)
{
	const double *origin = s->set->origin;
	double place[3] = {(double)p.x + origin[0], (double)p.y + origin[1], (double)p.z + origin[2]}, still[3] = {0};
	if (!s->colliders)
		return 1;
	emitter_ride(s->set, 0, s->colliders, 0.0, place, still);
	return collider_set_distance(s->colliders, source_relative(origin, place)) >= FREE * s->spacing;
}

// Whether there is room in front of a point of the surface. A mesh with an inside says itself which of the sides is in front.
static int look_ahead(const surface *s, vec3 foot, vec3 normal, candidate *out)
{
	float way = IN_FRONT * s->spacing, least = FREE * s->spacing;
	vec3 place = vec3_add_scaled(foot, normal, way);
	if (mesh_solid_encloses(s->solid) && mesh_solid_distance(s->solid, place) < least)
	{
		normal = vec3_scale(normal, -1.0f);
		place = vec3_add_scaled(foot, normal, way);
		if (mesh_solid_distance(s->solid, place) < least)
			return 0;
	}
	*out = (candidate){.place = place, .ahead = normal, .spread = place};
	if (vec3_dot(s->ahead, s->ahead) > 0.0f)
	{
		if (!(vec3_dot(normal, s->ahead) > 0.0f))
			return 0;
		out->ahead = s->ahead;
		// columns that are side by side stay as far apart as they are across the jet
		out->spread = vec3_add_scaled(place, s->ahead, -vec3_dot(place, s->ahead));
	}
	return is_free_of_solids(s, place);
}

// The n-th of `count` random points, each in its own part of the sum of the weights.
static int throw_point(const surface *s, const double *sums, size_t count, size_t n, uint32_t *triangle, candidate *out)
{
	const spate_mesh *mesh = mesh_solid_mesh(s->solid);
	random_key key = {s->set->seed, (int64_t)n, 0, 4};
	uint32_t word[4];
	random_block(key, word);
	const double unit = 1.0 / 4294967296.0;
	double at = ((double)n + unit * word[0]) / (double)count * sums[mesh->triangle_count - 1];
	while (*triangle + 1 < mesh->triangle_count && sums[*triangle] <= at)
		++*triangle;
	float root = sqrtf((float)(unit * word[1])), share = (float)(unit * word[2]);
	const float weights[3] = {1.0f - root, root * (1.0f - share), root * share};
	vec3 foot = {0, 0, 0}, normal = area_vector(mesh, *triangle);
	for (int k = 0; k < 3; k++)
	{
		const float *p = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)*triangle + (size_t)k];
		foot = vec3_add_scaled(foot, vec3_make(p[0], p[1], p[2]), weights[k]);
	}
	float length = vec3_length(normal);
	return length > 0.0f && look_ahead(s, foot, vec3_scale(normal, 1.0f / length), out);
}

// Throws the points, and measures how much of the surface pours (m^2).
static spate_result throw_points(surface *s, spate_error *error)
{
	const spate_mesh *mesh = mesh_solid_mesh(s->solid);
	double *sums = mem_alloc(mem_product(mesh->triangle_count, sizeof *sums)), sum = 0.0;
	if (!sums)
		return error_memory(error, mesh->triangle_count * sizeof *sums);
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
		sums[t] = sum += weight_of(s, t);
	double columns = sum / ((double)s->spacing * (double)s->spacing);
	size_t count = (size_t)fmax(FEWEST, fmin(MORE * columns, (double)MORE * MOST_COLUMNS)), thrown = 0;
	uint32_t triangle = 0;
	int room = array_reserve(&s->points, count);
	for (size_t n = 0; n < count && room && sum > 0.0; n++)
	{
		candidate c;
		if (throw_point(s, sums, count, n, &triangle, &c))
			s->points.data[thrown++] = c;
	}
	s->points.count = thrown;
	mem_free(sums);
	if (!room)
		return error_memory(error, count * sizeof *s->points.data);
	if (columns > MOST_COLUMNS)
		return error_set(error, SPATE_INVALID,
				 "its surface has room for %.3g columns; a larger spacing makes fewer", columns);
	s->def->area = sum * (double)thrown / (double)count;
	return SPATE_OK;
}

// --------------------------------------------------------------------------------------------------------- elimination

// Points by how crowded they are: a heap with the most crowded one first.
typedef struct elimination
{
	const candidate *points;
	crowd cells;
	float *places;              // 3 per point
	double *crowded, *at_first; // sums of weights; at_first is what they are measured by
	int32_t *heap, *slot;       // points; where they are in the heap, -1 once taken away
	size_t count;
	double reach, least; // m: 2 r_max and 2 r_min
} elimination;

static int is_more_crowded(const elimination *e, int32_t a, int32_t b)
{
	double x = e->crowded[a] * e->at_first[b], y = e->crowded[b] * e->at_first[a];
	return x != y ? x > y : a < b;
}

static void put(elimination *e, size_t slot, int32_t point)
{
	e->heap[slot] = point;
	e->slot[point] = (int32_t)slot;
}

static void sink_down(elimination *e, size_t slot)
{
	int32_t point = e->heap[slot];
	for (size_t below; (below = 2 * slot + 1) < e->count; slot = below)
	{
		if (below + 1 < e->count && is_more_crowded(e, e->heap[below + 1], e->heap[below]))
			below++;
		if (!is_more_crowded(e, e->heap[below], point))
			break;
		put(e, slot, e->heap[below]);
	}
	put(e, slot, point);
}

// The weight of a pair: equation (4) there.
static double weight_of_pair(const elimination *e, vec3 a, vec3 b)
{
	double apart = fmax((double)vec3_length(vec3_sub(a, b)), e->least);
	if (!(apart < e->reach))
		return 0.0;
	double w = 1.0 - apart / e->reach;
	w *= w, w *= w;
	return w * w;
}

// Adds up the weights of a point's pairs, or with `gone` takes them from the other points.
static void visit_pairs(elimination *e, int32_t point, int gone)
{
	vec3 p = e->points[point].spread;
	double sum = 0.0;
	for (int n = 0; n < 27; n++)
	{
		float c = e->cells.cell;
		int64_t cell =
		    crowd_cell(&e->cells, vec3_make(p.x + c * (float)(n % 3 - 1), p.y + c * (float)(n / 3 % 3 - 1),
						    p.z + c * (float)(n / 9 - 1)));
		for (int32_t q = cell < 0 ? -1 : e->cells.first.data[cell]; q >= 0; q = e->cells.next.data[q])
		{
			double w = q == point || e->slot[q] < 0 ? 0.0 : weight_of_pair(e, p, e->points[q].spread);
			sum += w;
			if (gone && w > 0.0)
			{
				e->crowded[q] -= w;
				sink_down(e, (size_t)e->slot[q]);
			}
		}
	}
	if (!gone)
	{
		e->crowded[point] = sum;
		e->at_first[point] = fmax(sum, DBL_MIN);
	}
}

static int elimination_create(elimination *e, const candidate *points, size_t count, size_t wanted, double area)
{
	vec3 low = points[0].spread, high = low;
	*e = (elimination){.points = points, .count = count};
	e->places = mem_alloc(mem_product(count, 3 * sizeof *e->places));
	e->crowded = mem_alloc(mem_product(count, sizeof *e->crowded));
	e->at_first = mem_alloc(mem_product(count, sizeof *e->at_first));
	e->heap = mem_alloc(mem_product(count, sizeof *e->heap));
	e->slot = mem_alloc(mem_product(count, sizeof *e->slot));
	// its equations (1), for two dimensions, and (3), with beta = 0.65 and gamma = 1.5
	double r_max = sqrt(area / (2.0 * sqrt(3.0) * (double)wanted));
	e->reach = 2.0 * r_max;
	e->least = e->reach * 0.65 * (1.0 - pow((double)wanted / (double)count, 1.5));
	for (size_t i = 0; i < count; i++)
	{
		vec3 p = points[i].spread;
		low = vec3_make(fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z));
		high = vec3_make(fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z));
		if (e->places)
			memcpy(e->places + 3 * i, &p, sizeof p);
	}
	// no more cells than points: most of the box around a surface is empty
	double box = ((double)(high.x - low.x) + e->reach) * ((double)(high.y - low.y) + e->reach) *
		     ((double)(high.z - low.z) + e->reach);
	float cell = (float)fmax(e->reach * 1.0001, cbrt(box / (double)count));
	return crowd_start(&e->cells, low, high, cell, count) && e->places && e->crowded && e->at_first && e->heap &&
	       e->slot;
}

static void elimination_free(elimination *e)
{
	crowd_free(&e->cells);
	mem_free(e->places);
	mem_free(e->crowded);
	mem_free(e->at_first);
	mem_free(e->heap);
	mem_free(e->slot);
}

// Leaves as many points as are wanted. 0 when out of memory.
static int thin_out(surface *s, size_t wanted)
{
	size_t count = s->points.count, kept = 0;
	elimination e;
	if (count <= wanted)
		return 1;
	int made = elimination_create(&e, s->points.data, count, wanted, s->def->area);
	if (made)
	{
		crowd_fill(&e.cells, e.places, 3, count, NULL);
		for (size_t i = 0; i < count; i++)
			put(&e, i, (int32_t)i);
		for (size_t i = 0; i < count; i++)
			visit_pairs(&e, (int32_t)i, 0);
		for (size_t i = count / 2; i-- > 0;)
			sink_down(&e, i);
		while (e.count > wanted)
		{
			int32_t worst = e.heap[0];
			put(&e, 0, e.heap[--e.count]);
			e.slot[worst] = -1;
			sink_down(&e, 0);
			visit_pairs(&e, worst, 1);
		}
		for (size_t i = 0; i < count; i++)
			if (e.slot[i] >= 0)
				s->points.data[kept++] = s->points.data[i];
		s->points.count = kept;
	}
	elimination_free(&e);
	return made;
}

// ------------------------------------------------------------------------------------------------------------- columns

// Their turns spread over the surface: Roberts, The unreasonable effectiveness of quasirandom sequences, 2018.
static int make_columns(const surface *s, emitter_columns *columns)
{
	double d = (double)s->spacing;
	columns->count = 0;
	for (size_t i = 0; i < s->points.count; i++)
	{
		const candidate *c = &s->points.data[i];
		double x = (double)c->place.x, y = (double)c->place.y, z = (double)c->place.z;
		double turn = 0.8191725133961645 * x / d + 0.6710436067037893 * y / d + 0.5497004779019703 * z / d;
		emitter_column own = {.across = x + s->set->origin[0],
				      .along = y + s->set->origin[1],
				      .depth = z + s->set->origin[2],
				      .ahead = {(double)c->ahead.x, (double)c->ahead.y, (double)c->ahead.z},
				      .turn = turn - floor(turn),
				      .share = 1.0};
		if (!array_push(columns, own))
			return 0;
	}
	if (columns->count > 0)
		qsort(columns->data, columns->count, sizeof *columns->data, emitter_compare_turns);
	return 1;
}

static spate_result read_mesh(mesh_solid **solid, const spate_source_def *def, double d, const collider_world *world,
			      spate_error *error)
{
	collider_world around = *world;
	spate_mesh_def own = def->shape.mesh;
	if (own.mesh)
		own.path = NULL;
	else if (own.path && sequence_is_pattern(own.path))
		return error_set(error, SPATE_INVALID, "%s is a sequence; a surface needs a single mesh", own.path);
	own.cell = d / FIELD_CELLS;
	own.band = FIELD_REACH * d;
	around.spacing = around.radius = (float)d;
	around.quiet = 1;
	return mesh_solid_create(solid, &own, SPATE_COLLIDER_OUTSIDE, &around, error);
}

spate_result surface_columns(emitter_columns *columns, spate_source_def *def, double d, const collider_world *world,
			     const collider_set *colliders, uint64_t seed, spate_error *error)
{
	mesh_solid *solid = NULL;
	source_set set = {.defs = def, .count = 1, .seed = seed};
	memcpy(set.origin, world->origin, sizeof set.origin);
	spate_result result = read_mesh(&solid, def, d, world, error);
	if (result != SPATE_OK)
		return result;
	double ahead[3] = {def->direction[0], def->direction[1], def->direction[2]};
	source_normalize(ahead);
	surface s = {.def = def,
		     .solid = solid,
		     .colliders = colliders,
		     .set = &set,
		     .ahead = {(float)ahead[0], (float)ahead[1], (float)ahead[2]},
		     .spacing = (float)d};
	result = throw_points(&s, error);
	size_t wanted = (size_t)fmax(1.0, round(def->area / (d * d)));
	if (result == SPATE_OK && s.points.count == 0)
		columns->count = 0;
	else if (result == SPATE_OK && !(thin_out(&s, wanted) && make_columns(&s, columns)))
		result = error_memory(error, s.points.count * sizeof *columns->data);
	array_free(&s.points);
	mesh_solid_destroy(solid);
	return result;
}
