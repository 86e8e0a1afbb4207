// Separates the liquid on the two sides of a thin wall: particles with a mesh or a thin shape between them are not neighbours.
//
// A wall can separate a pair only if both are close to the same collider, on sides that face different ways, and one is behind the
// other's wall; or if one of them is near several walls, since a thin wall may stand on a floor that is nearest to both. Only
// these pairs are tested against the triangles or the shape. A predicted position may lie behind a wall, because collisions are resolved
// later, so the test uses the positions at the start of the substep.
#include "base/error.h"
#include "base/parallel.h"
#include "world/world.h"

// Rows whose directions away from the mesh have a cosine above this are on the same side of it.
#define SAME_SIDE 0.5f

// Particles stay half a spacing away from walls, so a particle behind a wall is at least this far behind, in spacings.
#define BEHIND 0.4f

enum
{
	SLICES = 128 // per task
};

typedef struct wall_task
{
	spate_world *world;
	float dt;
	vec4 *
	    beside; // of each row: direction away from the nearest one and its number; 0 for none, negative for several walls
} wall_task;

static vec3 start_of(const wall_task *t, size_t row)
{
	vec4 x = t->world->state.store->position[row], v = t->world->state.store->velocity[row];
	return vec3_make(x.x - t->dt * v.x, x.y - t->dt * v.y, x.z - t->dt * v.z);
}

static void find_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	wall_task *t = context;
	const spate_world *w = t->world;
	for (size_t row = begin; row < end; row++)
	{
		float reach = w->model.radii[w->state.store->fluid[row]] + w->work.margin;
		thin_side side = collider_set_beside(&w->state.colliders, start_of(t, row), reach);
		float number = (float)side.number;
		t->beside[row] = (vec4){side.normal.x, side.normal.y, side.normal.z, side.corner ? -number : number};
	}
}

static int separated(const wall_task *t, uint32_t a, uint32_t b)
{
	vec4 n = t->beside[a], m = t->beside[b];
	int corner = n.w < 0.0f || m.w < 0.0f;
	if (n.w == 0.0f || m.w == 0.0f || (!corner && (m.w != n.w || n.x * m.x + n.y * m.y + n.z * m.z > SAME_SIDE)))
		return 0;
	// tested in one direction only, so that both rows get the same answer
	vec3 first = start_of(t, a < b ? a : b), second = start_of(t, a < b ? b : a);
	if (corner)
		return collider_set_separates(&t->world->state.colliders, 0, first, second);
	vec3 way = a < b ? vec3_sub(second, first) : vec3_sub(first, second); // from a to b
	float below = -BEHIND * t->world->model.spacing;
	if (vec3_dot(vec3_make(n.x, n.y, n.z), way) > below && vec3_dot(vec3_make(m.x, m.y, m.z), way) < -below)
		return 0;
	return collider_set_separates(&t->world->state.colliders, (uint32_t)n.w, first, second);
}

static void separate_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	wall_task *t = context;
	neighbour_list *list = &t->world->work.list;
	for (size_t slice = begin; slice < end; slice++)
		for (uint32_t lane = 0; lane < 8; lane++)
		{
			uint32_t row = (uint32_t)(8 * slice) + lane;
			if (row >= list->count || t->beside[row].w == 0.0f)
				continue;
			uint32_t *entry = list->entries.data + list->slice_begin.data[slice] + lane;
			for (uint32_t k = 0; k < list->slice_length.data[slice]; k++, entry += 8)
				if (*entry < list->count && separated(t, row, *entry))
					*entry = list->count;
		}
}

spate_result world_separate(spate_world *w, double dt, spate_error *error)
{
	if (!w->state.colliders.thin)
		return SPATE_OK;
	size_t rows = w->state.store->rows;
	wall_task t = {.world = w, .dt = w->model.solver_type->predicts ? (float)dt : 0.0f};
	arena_reset(&w->work.scratch);
	t.beside = arena_alloc(&w->work.scratch, (rows + 1) * sizeof *t.beside);
	if (!t.beside)
		return error_memory(error, rows * sizeof *t.beside);
	parallel_for(w->model.threads, rows, PARALLEL_BLOCK, find_rows, &t);
	parallel_for(w->model.threads, w->work.list.slice_count, SLICES, separate_slices, &t);
	return SPATE_OK;
}
