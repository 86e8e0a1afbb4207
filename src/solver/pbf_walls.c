// Colliders in the position-based solver. Walls are looked up once per substep, as planes, for the particles that can reach one;
// every iteration then pushes those particles out again and takes their wall term anew.
#include "base/parallel.h"
#include "solver/pbf_work.h"

// How close to a collider a particle must be to feel it within one substep, in kernel radii.
#define NEAR 1.25f

// Displacement towards a wall per unit of sigma/rho dt^2 / d^2.
#define ADHESION 4.0

static float radius_of(const pbf_work *w, size_t row)
{
	return w->step->radii[w->step->store->fluid[row]];
}

// Lists the rows of a block that a collider can reach.
static void find_near(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	uint32_t *rows = w->near_rows + begin, count = 0;
	for (size_t row = begin; row < end; row++)
	{
		vec4 p = w->places[row];
		w->wall[row] = (vec4){0, 0, 0, 0};
		rows[count] = (uint32_t)row;
		count += collider_set_distance(w->step->colliders, vec3_make(p.x, p.y, p.z)) < NEAR * radius_of(w, row);
	}
	w->near_starts[begin / PBF_ROWS] = count;
}

static void feel_walls(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	for (size_t block = begin; block < end; block++)
		for (uint32_t k = w->near_starts[block]; k < w->near_starts[block + 1]; k++)
		{
			near_row *near = &w->near[k];
			near->row = w->near_rows[block * PBF_ROWS + (k - w->near_starts[block])];
			vec4 p = w->places[near->row];
			near->walls = collider_set_feel(w->step->colliders, vec3_make(p.x, p.y, p.z),
							NEAR * radius_of(w, near->row), near->felt);
		}
}

int pbf_approach_walls(pbf_work *w)
{
	const solver_step *s = w->step;
	size_t blocks = (w->pass.count + (size_t)PBF_ROWS - 1) / PBF_ROWS;
	parallel_for(s->threads, w->pass.count, PBF_ROWS, find_near, w);
	w->near_starts[blocks] = 0;
	w->near_count = (uint32_t)prefix_sum_u32(w->near_starts, blocks + 1);
	if (w->near_count == 0)
		return 1;
	w->near = arena_alloc(s->scratch, w->near_count * sizeof *w->near);
	if (w->near)
		parallel_for(s->threads, blocks, 1, feel_walls, w);
	return w->near != NULL;
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
		w->wall[near->row] =
		    felt_walls_touch(near->felt, near->walls, &p, &m, 0.5f * spacing, radius_of(w, near->row));
		*place = (vec4){p.x, p.y, p.z, place->w};
		*moved = (vec4){m.x, m.y, m.z, moved->w};
	}
}

void pbf_touch_walls(pbf_work *w)
{
	parallel_for(w->step->threads, w->near_count, PBF_ROWS, touch_rows, w);
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
		for (int n = 0; n < near->walls && reach > 0.0f; n++)
		{
			// none at the wall, none a radius away, most in between
			const felt_wall *felt = &near->felt[n];
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
