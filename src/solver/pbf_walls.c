// Colliders in the position-based solver. Walls are looked up once per substep, as planes, for the particles that can reach one;
// every iteration then pushes those particles out again and takes their wall term anew.
#include "base/parallel.h"
#include "solver/pbf_work.h"

#include <string.h>

// How close to a collider a particle must be to feel it within one substep, in kernel radii.
#define NEAR 1.25f

// Displacement towards a wall per unit of sigma/rho dt^2 / d^2.
#define ADHESION 4.0

static float radius_of(const pbf_work *w, size_t row)
{
	return w->step->radii[w->step->store->fluid[row]];
}

// Where a row was when the substep began.
static vec3 start_of(const pbf_work *w, size_t row)
{
	vec4 p = w->places[row], moved = w->moved[row];
	return vec3_make(p.x - moved.x, p.y - moved.y, p.z - moved.z);
}

// How close a collider must be for a row to feel it. No mesh may be within the way that a row has come without being noticed.
static float reach_of(const pbf_work *w, size_t row)
{
	vec4 m = w->moved[row];
	float radius = radius_of(w, row), way = sqrtf(m.x * m.x + m.y * m.y + m.z * m.z);
	return w->step->colliders->meshes > 0 ? fmaxf(NEAR * radius, way + 0.5f * radius) : NEAR * radius;
}

// Lists the rows of a block that a collider can reach, and counts what they may feel.
static void find_near(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const collider_set *colliders = w->step->colliders;
	uint32_t *rows = w->near_rows + begin;
	near_counts counts = {0};
	for (size_t row = begin; row < end; row++)
	{
		vec3 p = {w->places[row].x, w->places[row].y, w->places[row].z};
		int most = collider_set_most_walls(colliders, p, reach_of(w, row));
		if (most == 0)
			continue;
		counts.groups += counts.rows == 0 || rows[counts.rows - 1] / 8 != row / 8;
		counts.felt += (uint32_t)most;
		rows[counts.rows++] = (uint32_t)row;
	}
	w->near_counts[begin / PBF_ROWS] = counts;
}

// Lists the walls that the rows of a block feel, and gives their slices groups of their own.
static void feel_walls(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	for (size_t block = begin; block < end; block++)
	{
		near_counts at = w->near_counts[block], next = w->near_counts[block + 1];
		size_t slices = w->slices - block * PBF_ROWS / 8;
		slices = slices < PBF_ROWS / 8 ? slices : PBF_ROWS / 8;
		memset(w->wall_group + block * PBF_ROWS / 8, 0, slices * sizeof *w->wall_group);
		memset(w->walls + 8 * (at.groups + (size_t)1), 0, 8 * (next.groups - at.groups) * sizeof *w->walls);
		for (uint32_t k = at.rows; k < next.rows; k++)
		{
			uint32_t row = w->near_rows[block * PBF_ROWS + (k - w->near_counts[block].rows)];
			vec3 p = {w->places[row].x, w->places[row].y, w->places[row].z};
			felt_wall felt[COLLIDER_MOST_WALLS];
			int walls = collider_set_feel(w->step->colliders, start_of(w, row), p, reach_of(w, row), felt);
			memcpy(w->felt + at.felt, felt, (size_t)walls * sizeof *felt);
			w->near[k] = (near_row){row, at.felt, (uint32_t)walls};
			at.felt += (uint32_t)walls;
			if (w->wall_group[row / 8] == 0)
				w->wall_group[row / 8] = ++at.groups;
		}
	}
}

int pbf_approach_walls(pbf_work *w)
{
	const solver_step *s = w->step;
	size_t blocks = (w->pass.count + (size_t)PBF_ROWS - 1) / PBF_ROWS;
	parallel_for(s->threads, w->pass.count, PBF_ROWS, find_near, w);
	near_counts sum = {0};
	for (size_t block = 0; block <= blocks; block++)
	{
		near_counts own = block < blocks ? w->near_counts[block] : (near_counts){0};
		w->near_counts[block] = sum;
		sum = (near_counts){sum.rows + own.rows, sum.felt + own.felt, sum.groups + own.groups};
	}
	w->near_count = sum.rows;
	w->near = arena_alloc(s->scratch, sum.rows * sizeof *w->near);
	w->felt = arena_alloc(s->scratch, sum.felt * sizeof *w->felt);
	w->walls = arena_alloc(s->scratch, 8 * (sum.groups + (size_t)1) * sizeof *w->walls);
	if (!w->near || !w->felt || !w->walls)
		return 0;
	memset(w->walls, 0, 8 * sizeof *w->walls);
	parallel_for(s->threads, blocks, 1, feel_walls, w);
	w->pass.walls = w->walls;
	w->pass.wall_group = w->wall_group;
	return 1;
}

static void touch_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[k];
		vec4 *place = &w->places[near->row], *moved = &w->moved[near->row];
		vec3 p = {place->x, place->y, place->z}, m = {moved->x, moved->y, moved->z};
		float spacing = (float)s->fluids[s->store->fluid[near->row]].spacing;
		*pbf_wall(w, near->row) = felt_walls_touch(w->felt + near->felt, (int)near->walls, &p, &m,
							   0.5f * spacing, radius_of(w, near->row));
		*place = (vec4){p.x, p.y, p.z, place->w};
		*moved = (vec4){m.x, m.y, m.z, moved->w};
	}
}

void pbf_touch_walls(pbf_work *w)
{
	parallel_for(w->step->threads, w->near_count, PBF_ROWS, touch_rows, w);
}

static void hold_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	for (size_t k = begin; k < end; k++)
	{
		uint32_t row = w->near[k].row;
		vec4 *place = &w->places[row], *moved = &w->moved[row];
		vec3 from = start_of(w, row), p = {place->x, place->y, place->z};
		if (!collider_set_hold(s->colliders, from, &p, 0.5f * (float)s->fluids[s->store->fluid[row]].spacing))
			continue;
		*place = (vec4){p.x, p.y, p.z, place->w};
		*moved = (vec4){p.x - from.x, p.y - from.y, p.z - from.z, moved->w};
	}
}

void pbf_hold(pbf_work *w)
{
	if (w->step->colliders->meshes > 0)
		parallel_for(w->step->threads, w->near_count, PBF_ROWS, hold_rows, w);
}

static double count_outside(void *context, size_t begin, size_t end)
{
	const pbf_work *w = context;
	double outside = 0.0;
	for (size_t k = begin; k < end; k++)
	{
		uint32_t row = w->near[k].row;
		vec3 p = {w->places[row].x, w->places[row].y, w->places[row].z};
		float spacing = (float)w->step->fluids[w->step->store->fluid[row]].spacing;
		outside += collider_set_distance(w->step->colliders, p) < -spacing;
	}
	return outside;
}

uint32_t pbf_outside(pbf_work *w)
{
	return (uint32_t)parallel_sum(w->step->threads, w->near_count, count_outside, w);
}

static void adhere_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[k];
		const spate_fluid_def *fluid = &s->fluids[s->store->fluid[near->row]];
		double d = fluid->spacing,
		       pull = ADHESION * fluid->adhesion * SOLVER_TENSION_SCALE * (double)s->dt * (double)s->dt;
		float reach = (float)fmin(pull / (d * d), 0.1 * d), contact = 0.5f * (float)d,
		      h = radius_of(w, near->row);
		vec4 *place = &w->places[near->row], *moved = &w->moved[near->row];
		for (uint32_t n = near->felt; n < near->felt + near->walls && reach > 0.0f; n++)
		{
			// none at the wall, none a radius away, most in between
			const felt_wall *felt = &w->felt[n];
			vec3 p = {place->x, place->y, place->z}, normal = felt->normal;
			float share = (vec3_dot(normal, p) - felt->offset - contact) / (h - contact);
			float by = share > 0.0f && share < 1.0f ? -4.0f * share * (1.0f - share) * reach : 0.0f;
			*place = (vec4){place->x + by * normal.x, place->y + by * normal.y, place->z + by * normal.z,
					place->w};
			*moved = (vec4){moved->x + by * normal.x, moved->y + by * normal.y, moved->z + by * normal.z,
					moved->w};
		}
	}
}

void pbf_adhere(pbf_work *w)
{
	int any = 0;
	for (uint32_t f = 0; f < w->step->fluid_count; f++)
		any |= w->step->fluids[f].adhesion > 0.0;
	if (any && !w->step->settle)
		parallel_for(w->step->threads, w->near_count, PBF_ROWS, adhere_rows, w);
}
