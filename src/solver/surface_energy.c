#include "solver/surface_energy.h"

#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

enum
{
	REACH = 3 // lattice steps in each direction
};

// Energy of a surface whose particles have come to rest, relative to that of a cut lattice: 0.80 and 0.83 in drops of ten spacings that
// started disordered and as a lattice.
#define RELAXED 0.82

// Longest substep in units of sqrt(rho d^3 / sigma), in which the shortest capillary wave turns by about one radian per 0.2.
#define LONGEST 0.15

// Two walls whose normals are closer than this are one bent wall, of which only the nearer part counts, as for images.
#define ALIKE 0.5f

// -------------------------------------------------------------------------------------------------------------- lattice

surface_lattice surface_lattice_make(double radius, double volume)
{
	double cover[REACH + 1] = {0}, norm = volume * SURFACE_NORM / (radius * radius * radius);
	for (int layer = 0; layer <= REACH; layer++) // 0 is the outermost
		for (int x = -REACH; x <= REACH; x++)
			for (int y = -REACH; y <= REACH; y++)
				for (int z = -REACH; z <= layer; z++)
				{
					double t = fmax(1.0 - (x * x + y * y + z * z) / (radius * radius), 0.0);
					cover[layer] += norm * t * t;
				}
	surface_lattice lattice = {.inside = cover[REACH]};
	double energy = 0.0;
	for (int layer = 0; layer < REACH; layer++)
	{
		double missing = lattice.inside - cover[layer], share = fmax(1.0 - (layer + 0.5) / radius, 0.0);
		energy += 0.5 * volume * missing * missing;
		lattice.wall += volume * share * share;
	}
	lattice.stiffness = 1.0 / (RELAXED * energy);
	return lattice;
}

double surface_energy_tension(const step_view *s, uint32_t f)
{
	return s->fluids[f].surface_tension;
}

double surface_energy_largest(const step_view *s, uint32_t f)
{
	double most = surface_energy_tension(s, f);
	for (uint32_t n = 0; n < s->interface_count; n++)
		if (s->interfaces[n].fluids[0] == f || s->interfaces[n].fluids[1] == f)
			most = fmax(most, s->interfaces[n].surface_tension);
	return most;
}

int surface_energy_acts(const step_view *s)
{
	int any = 0;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		any |= surface_energy_largest(s, f) > 0.0;
	return any;
}

double surface_energy_longest_step(const step_view *s)
{
	double longest = INFINITY;
	for (uint32_t f = 0; f < s->fluid_count; f++)
	{
		double tension = surface_energy_largest(s, f), d = s->fluids[f].spacing;
		double density = fmin(s->fluids[f].density, s->material->low[MATERIAL_DENSITY]);
		if (tension > 0.0)
			longest = fmin(longest, LONGEST * sqrt(density * d * d * d / tension));
	}
	return longest;
}

// ---------------------------------------------------------------------------------------------------------------- pairs

static void cover_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const surface_energy *t = context;
	surface_kernels_table(t->view->simd)->cover(&t->pass, t->places, t->cover, (uint32_t)begin, (uint32_t)end);
}

static void force_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const surface_energy *t = context;
	surface_kernels_table(t->view->simd)->forces(&t->pass, t->places, t->forces, (uint32_t)begin, (uint32_t)end);
}

// s = dE/dc per volume (N/m^2): a pull towards others wherever neighbours are missing.
static void pull_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const surface_energy *t = context;
	const step_view *s = t->view;
	for (size_t row = begin; row < end; row++)
	{
		uint32_t f = (uint32_t)s->store->fluid[row];
		double stiffness = t->lattice->stiffness * surface_energy_tension(s, f) / s->fluids[f].spacing;
		t->places[row].w = -(float)stiffness * fmaxf((float)t->lattice->inside - t->cover[row], 0.0f);
		if (t->between.pull)
			t->places[row].w -= t->between.pull[row];
	}
}

// Change of velocity in this substep by a force per volume (m/s per N/m^3).
static float speed_by_force(const surface_energy *t, size_t row)
{
	const step_view *s = t->view;
	double ratio = s->fluids[s->store->fluid[row]].spacing / s->fluids[0].spacing;
	return s->dt * t->inverse_mass[row] * (float)(ratio * ratio * ratio / s->fluids[0].density);
}

typedef struct speed_task
{
	const surface_energy *energy;
	vec4 *velocities;
} speed_task;

static void speed_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const speed_task *t = context;
	for (size_t row = begin; row < end; row++)
	{
		float by = speed_by_force(t->energy, row);
		vec4 *v = &t->velocities[row], f = t->energy->forces[row];
		*v = (vec4){v->x + by * f.x, v->y + by * f.y, v->z + by * f.z, v->w};
	}
}

// ---------------------------------------------------------------------------------------------------------------- walls

static float distance_to(const felt_wall *w, vec4 p)
{
	// the wall is given as it is at the end of the step
	return vec3_dot(w->normal, vec3_add(vec3_make(p.x, p.y, p.z), w->travel)) - w->offset;
}

// Whether another wall of the row faces the same way and is nearer.
static int is_hidden(const contacts *c, const near_row *near, uint32_t number, vec4 p)
{
	float distance = distance_to(&c->felt[number], p);
	for (uint32_t n = near->felt; n < near->felt + near->walls; n++)
	{
		float other = distance_to(&c->felt[n], p);
		if (n != number && vec3_dot(c->felt[n].normal, c->felt[number].normal) > ALIKE &&
		    (other < distance || (other == distance && n < number)))
			return 1;
	}
	return 0;
}

// A wall's energy is -sigma cos(angle) per wetted area: phi = -sigma cos(angle) (1 - distance / h)^2 / (wall d), and -phi' pulls.
static void cling_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const speed_task *t = context;
	const surface_energy *energy = t->energy;
	const contacts *c = energy->near;
	const step_view *s = energy->view;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &c->near[k];
		uint32_t f = (uint32_t)s->store->fluid[near->row];
		float h = s->radii[f], tension = (float)surface_energy_tension(s, f);
		float pull = 2.0f * tension / (h * (float)(energy->lattice->wall * s->fluids[f].spacing)) *
			     speed_by_force(energy, near->row);
		for (uint32_t n = near->felt; n < near->felt + near->walls; n++)
		{
			const felt_wall *w = &c->felt[n];
			float share = 1.0f - fmaxf(distance_to(w, s->places[near->row]), 0.0f) / h;
			float cling = contacts_owner(c, n)->cling;
			if (cling == 0.0f || !(share > 0.0f) || is_hidden(c, near, n, s->places[near->row]))
				continue;
			float by = -pull * cling * share;
			vec4 *v = &t->velocities[near->row];
			*v = (vec4){v->x + by * w->normal.x, v->y + by * w->normal.y, v->z + by * w->normal.z, v->w};
			if (c->pushes)
				c->pushes[n].given = vec3_add_scaled(c->pushes[n].given, w->normal, by * s->dt);
		}
	}
}

// Pull of the images that a row sees, as a change of velocity times dt, charged to its walls that face them.
static void charge_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const surface_energy *t = context;
	const contacts *c = t->near;
	const step_view *s = t->view;
	const pair_pass *p = &t->pass.pairs;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &c->near[k];
		uint32_t row = near->row, slice = row / 8;
		const uint32_t *entry = t->images->seen.entries + t->images->seen.begin[slice] + row % 8;
		float scale = s->dt * speed_by_force(t, row);
		for (uint32_t n = 0; n < t->images->seen.length[slice] && near->walls > 0; n++, entry += 8)
		{
			if (*entry < t->images->first)
				continue;
			vec4 x = t->places[row], y = t->places[*entry];
			const pair_traits *a = p->mixed ? &p->traits[row] : &p->same,
					  *b = p->mixed ? &p->traits[*entry] : &p->same;
			vec3 between = {x.x - y.x, x.y - y.y, x.z - y.z};
			float h = a->half_h + b->half_h, ratio = p->reference_h / h, inverse2 = 1.0f / (h * h);
			float volume = b->volume * ratio * ratio * ratio;
			if (t->pass.sides)
				volume *= fmaxf(-t->pass.sides[row] * t->pass.sides[*entry], 0.0f);
			float by = (float)(4.0 * SURFACE_NORM) * volume * inverse2 * (x.w + y.w) *
				   fmaxf(1.0f - vec3_dot(between, between) * inverse2, 0.0f);
			vec3 normal = c->felt[t->images->images[*entry - t->images->first].wall].normal;
			uint32_t facing = near->felt;
			for (uint32_t f = near->felt; f < near->felt + near->walls; f++)
				if (vec3_dot(c->felt[f].normal, normal) > vec3_dot(c->felt[facing].normal, normal))
					facing = f;
			c->pushes[facing].given = vec3_add_scaled(c->pushes[facing].given, between, by * scale);
		}
	}
}

// Lets the pairs of a pass act, by the s in the w of places.
static void act(surface_energy *t, vec4 *velocities)
{
	const step_view *s = t->view;
	speed_task speed = {t, velocities};
	images_copy_w(t->images, s, t->places);
	parallel_for(s->threads, s->list->slice_count, STEP_SLICES, force_slices, t);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, speed_rows, &speed);
	if (t->near->pushes)
		parallel_for(s->threads, t->near->near_count, CONTACT_ROWS, charge_rows, t);
}

// ----------------------------------------------------------------------------------------------------------- interfaces

// u is how much of a particle's surroundings is the other fluid, e = c_0 - c what is no liquid at all. Each side has half of the tension:
//
//   E   = k/2 sigma/2 sum_i V_i (u^2 + 2 u e)
//
// With e = 0, u is what the particle misses of its own fluid, as at a surface. The second term makes the fluids stick together: dilution
// would lower u. All pairs get s = -k sigma/2 u by it, those of two fluids k sigma/2 (u + e) besides.
static void part_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const surface_energy *t = context;
	const step_view *s = t->view;
	double half = 0.5 * t->between.interface->surface_tension * t->lattice->stiffness;
	for (size_t row = begin; row < end; row++)
	{
		float k = (float)(half / s->fluids[s->store->fluid[row]].spacing), u = t->between.other[row];
		float empty = (float)t->lattice->inside - t->cover[row];
		t->between.pull[row] += k * u;
		t->places[row].w = u > 0.0f ? k * (u + empty) : 0.0f;
	}
}

static void part_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const surface_energy *t = context;
	surface_kernels_table(t->view->simd)
	    ->cover(&t->pass, t->places, t->between.other, (uint32_t)begin, (uint32_t)end);
}

static void side_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const surface_energy *t = context;
	const uint32_t *fluids = t->between.interface->fluids;
	for (size_t row = begin; row < end; row++)
	{
		uint32_t f = (uint32_t)t->view->store->fluid[row];
		t->between.sides[row] = f == fluids[0] ? 1.0f : f == fluids[1] ? -1.0f : 0.0f;
	}
}

// Lets the pairs of two fluids act, and keeps what all pairs have to do besides.
static void act_between(const surface_energy *t, const spate_interface_def *interface, vec4 *velocities)
{
	const step_view *s = t->view;
	surface_energy own = *t;
	own.between.interface = interface;
	own.pass.sides = t->between.sides;
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, side_rows, &own);
	for (uint32_t k = 0; k < t->images->count; k++)
		t->between.sides[t->images->first + k] = t->between.sides[t->images->images[k].root];
	parallel_for(s->threads, s->list->slice_count, STEP_SLICES, part_slices, &own);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, part_rows, &own);
	act(&own, velocities);
}

static int any_between(const step_view *s)
{
	int any = 0;
	for (uint32_t n = 0; n < s->interface_count; n++)
		any |= s->interfaces[n].surface_tension > 0.0;
	return any;
}

static spate_result take_between(surface_energy *t, spate_error *error)
{
	const step_view *s = t->view;
	size_t rows = (size_t)s->list->count + STEP_SLACK, bytes = rows * sizeof(float);
	t->between.sides = arena_alloc(s->scratch, t->images->rows * sizeof(float));
	t->between.other = arena_alloc(s->scratch, bytes);
	t->between.pull = arena_alloc(s->scratch, bytes);
	if (!t->between.sides || !t->between.other || !t->between.pull)
		return error_memory(error, 3 * bytes);
	memset(t->between.sides, 0, t->images->rows * sizeof(float));
	memset(t->between.pull, 0, bytes);
	return SPATE_OK;
}

spate_result surface_energy_accelerate(const surface_energy *energy, vec4 *velocities, spate_error *error)
{
	const step_view *s = energy->view;
	surface_energy t = *energy;
	if (any_between(s) && take_between(&t, error) != SPATE_OK)
		return SPATE_MEMORY;
	parallel_for(s->threads, s->list->slice_count, STEP_SLICES, cover_slices, &t);
	for (uint32_t n = 0; n < s->interface_count; n++)
		if (s->interfaces[n].surface_tension > 0.0)
			act_between(&t, &s->interfaces[n], velocities);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, pull_rows, &t);
	act(&t, velocities);
	speed_task speed = {&t, velocities};
	parallel_for(s->threads, t.near->near_count, CONTACT_ROWS, cling_rows, &speed);
	return SPATE_OK;
}
