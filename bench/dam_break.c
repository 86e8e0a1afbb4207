#include "bench/dam_break.h"

#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

#include <string.h>

enum
{
	CHILDREN = 8,
	BATCH = 4096,  // particles cut at a time
	SETTLING = 30, // steps with strong damping, in which the new particles rearrange
	FLOWING = 10   // ordinary steps after that
};

static const double flow_seconds = 1.0, quick_flow_seconds = 0.1;

void dam_break_init(dam_break *d, const uint32_t cells[3])
{
	double spacing = 1.0 / cells[1];
	double size[3] = {cells[0] * spacing, 1.0, cells[2] * spacing};
	d->water = spate_default_fluid_def();
	d->water.name = "water";
	d->water.spacing = spacing;
	d->tank = spate_default_collider_def();
	d->tank.mode = SPATE_COLLIDER_INSIDE;
	d->tank.shape = (spate_shape){.type = SPATE_SHAPE_BOX, .b = {2.0 * size[0], 1.5, size[2]}};
	d->block = spate_default_source_def();
	d->block.shape = (spate_shape){.type = SPATE_SHAPE_BOX, .b = {size[0], size[1], size[2]}};
	d->world = spate_default_world_def();
	d->world.fluids = &d->water;
	d->world.colliders = &d->tank;
	d->world.sources = &d->block;
	d->world.fluid_count = d->world.collider_count = d->world.source_count = 1;
}

uint32_t dam_break_particles(const dam_break_size *size)
{
	return size->cells[0] * size->cells[1] * size->cells[2] << 3 * size->refinements;
}

// Meshes of tank and obstacle. NULL: the tank is a shape, or there is no obstacle.
typedef struct tank_meshes
{
	const spate_mesh *tank, *obstacle;
} tank_meshes;

// A world for the block of these cells, filled or empty.
static spate_result make_world(spate_world **world, const tank_meshes *meshes, const uint32_t cells[3], int filled,
			       int threads, spate_error *error)
{
	dam_break d;
	dam_break_init(&d, cells);
	d.water.surface_tension = d.water.cohesion = 0.0;
	d.world.fps = 62.5;
	// the solver whose stages are measured, and the same particles for files and pictures as ever
	d.world.solver.type = spate_solver_find("pbf");
	d.world.threads = threads;
	d.world.source_count = filled ? 1 : 0;
	spate_collider_def both[2] = {d.tank, spate_default_collider_def()};
	const double *room = d.tank.shape.b;
	if (meshes->tank)
	{
		both[0].shape = (spate_shape){0};
		both[0].mesh.mesh = meshes->tank;
		for (int k = 0; k < 3; k++)
			both[0].mesh.position[k] = 0.5 * room[k];
	}
	if (meshes->obstacle)
	{
		both[1].mesh.mesh = meshes->obstacle;
		both[1].mesh.position[0] = 0.7 * room[0];
		both[1].mesh.position[1] = 0.2 * room[1];
		both[1].mesh.position[2] = 0.5 * room[2];
		d.world.collider_count = 2;
	}
	d.world.colliders = both;
	return spate_world_create(world, &d.world, error);
}

static spate_result run_steps(spate_world *world, int steps, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (int k = 0; k < steps && result == SPATE_OK; k++)
		result = spate_world_step(world, NULL, error);
	return result;
}

// -------------------------------------------------------------------------------------------------------- refinement

// Ids number the block's lattice along x, then y, then z. A child gets the id that it would have in the finer block, so ids are
// scattered over the rows as in a liquid that has flowed from the start at the fine resolution.
static int64_t child_id(const uint32_t cells[3], int64_t parent, int child)
{
	int64_t nx = cells[0], ny = cells[1], x = parent % nx, y = parent / nx % ny, z = parent / (nx * ny);
	return 2 * x + (child & 1) + 2 * nx * (2 * y + (child >> 1 & 1) + 2 * ny * (2 * z + (child >> 2)));
}

// The children of rows [first, first + count), half a new spacing from the parent along each axis.
static void cut_rows(spate_world *from, spate_world *to, uint32_t first, uint32_t count, float *places,
		     float *velocities)
{
	const spate_store *store = from->state.store;
	for (uint32_t i = 0; i < CHILDREN * count; i++)
	{
		vec4 p = store->position[first + i / CHILDREN], v = store->velocity[first + i / CHILDREN];
		const float parent[3] = {p.x, p.y, p.z}, velocity[3] = {v.x, v.y, v.z};
		for (int k = 0; k < 3; k++)
		{
			float side = (i % CHILDREN >> k & 1) ? 0.5f : -0.5f;
			places[3 * i + (uint32_t)k] =
			    parent[k] + (float)(from->model.origin[k] - to->model.origin[k]) + side * to->model.spacing;
			velocities[3 * i + (uint32_t)k] = velocity[k];
		}
	}
}

static spate_result cut_particles(spate_world *from, spate_world *to, const uint32_t cells[3], spate_error *error)
{
	size_t bytes = (size_t)BATCH * CHILDREN * 6 * sizeof(float);
	float *places = mem_alloc(bytes), *velocities = places ? places + (size_t)BATCH * CHILDREN * 3 : NULL;
	if (!places)
		return error_memory(error, bytes);
	spate_result result = SPATE_OK;
	for (uint32_t first = 0; first < from->state.store->rows && result == SPATE_OK; first += BATCH)
	{
		uint32_t left = from->state.store->rows - first, count = left < BATCH ? left : BATCH;
		cut_rows(from, to, first, count, places, velocities);
		result = spate_store_add(to->state.store, CHILDREN * count, places, velocities, 0, NULL, error);
	}
	mem_free(places);
	if (result != SPATE_OK)
		return result;
	for (uint32_t row = 0; row < to->state.store->rows; row++)
		to->state.store->id[row] = child_id(cells, from->state.store->id[row / CHILDREN], row % CHILDREN);
	// speed and depth, which determine the length of the first step
	return world_measure(to, error);
}

static void limit_speed(spate_world *world, float limit)
{
	for (uint32_t row = 0; row < world->state.store->rows; row++)
	{
		vec4 *v = &world->state.store->velocity[row];
		float speed = sqrtf(v->x * v->x + v->y * v->y + v->z * v->z),
		      scale = speed > limit ? limit / speed : 1.0f;
		*v = (vec4){scale * v->x, scale * v->y, scale * v->z, v->w};
	}
}

// Damping removes the motion of particles that rearrange, and leaves the flow. Without a speed limit, children that start too close
// to others would shoot out of the liquid and shorten the steps.
static spate_result settle(spate_world *world, float limit, spate_error *error)
{
	spate_result result = SPATE_OK;
	world->model.fluids[0].damping = 0.5;
	for (int k = 0; k < SETTLING && result == SPATE_OK; k++)
	{
		result = run_steps(world, 1, error);
		limit_speed(world, limit);
	}
	world->model.fluids[0].damping = -1.0;
	return result == SPATE_OK ? run_steps(world, FLOWING, error) : result;
}

// Replaces *world by one with eight times as many particles, and doubles the cells.
static spate_result refine(spate_world **world, const tank_meshes *meshes, uint32_t cells[3], int threads,
			   spate_error *error)
{
	spate_world *finer = NULL;
	uint32_t finer_cells[3] = {2 * cells[0], 2 * cells[1], 2 * cells[2]};
	spate_result result = make_world(&finer, meshes, finer_cells, 0, threads, error);
	if (result == SPATE_OK)
	{
		store_compact((*world)->state.store, threads);
		result = cut_particles(*world, finer, cells, error);
	}
	if (result != SPATE_OK)
	{
		spate_world_destroy(finer);
		return result;
	}
	float fastest = (float)spate_world_stats(*world)->speed_max;
	spate_world_destroy(*world);
	*world = finer;
	memcpy(cells, finer_cells, sizeof finer_cells);
	return settle(finer, fastest, error);
}

spate_result dam_break_evolve(spate_world **world, const dam_break_size *size, const bench_options *options,
			      spate_error *error)
{
	return dam_break_evolve_meshes(world, size, NULL, NULL, options, error);
}

spate_result dam_break_measure(const dam_break_size *size,
			       spate_result (*measure)(spate_world *world, void *context, const bench_options *options,
						       spate_error *error),
			       void *context, const bench_options *options, spate_error *error)
{
	spate_world *world = NULL;
	spate_result result = dam_break_evolve(&world, size, options, error);
	if (result == SPATE_OK)
		result = measure(world, context, options, error);
	spate_world_destroy(world);
	bench_progress_end(options);
	return result;
}

spate_result dam_break_evolve_meshes(spate_world **out, const dam_break_size *size, const spate_mesh *tank,
				     const spate_mesh *obstacle, const bench_options *options, spate_error *error)
{
	tank_meshes meshes = {tank, obstacle};
	uint32_t cells[3] = {size->cells[0], size->cells[1], size->cells[2]};
	double seconds = options->quick ? quick_flow_seconds : flow_seconds;
	spate_world *world = NULL;
	bench_progress(options, "letting %u particles collapse", cells[0] * cells[1] * cells[2]);
	spate_result result = make_world(&world, &meshes, cells, 1, options->threads, error);
	while (result == SPATE_OK && spate_world_time(world) < seconds)
		result = spate_world_step(world, NULL, error);
	for (int k = 0; k < size->refinements && result == SPATE_OK; k++)
	{
		bench_progress(options, "cutting %u particles into eight", spate_store_count(world->state.store));
		result = refine(&world, &meshes, cells, options->threads, error);
	}
	if (result != SPATE_OK)
	{
		spate_world_destroy(world);
		world = NULL;
	}
	*out = world;
	return result;
}
