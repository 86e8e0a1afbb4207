// Statistics of the state after a step, and the policy for particles that left their limits.
#include "base/error.h"
#include "base/log.h"
#include "base/parallel.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum
{
	TOLD = 8 // runaways reported one by one before they are only counted
};

typedef struct block_stats
{
	double kinetic, potential, momentum[3], angular[3], height; // height: along -gravity, times mass
	double mass, lowest;
	float speed2, bulk_speed2;
	uint32_t bad; // first row out of its limits, UINT32_MAX for none
} block_stats;

typedef struct measure_task
{
	const spate_world *world;
	block_stats *blocks;
	double up[3];
	world_limits limits;
} measure_task;

static void measure_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const measure_task *t = context;
	const spate_world *w = t->world;
	const spate_store *store = w->state.store;
	block_stats b = {.bad = UINT32_MAX, .lowest = INFINITY};
	for (size_t row = begin; row < end; row++)
	{
		if (store->dead[row])
			continue;
		vec4 x = store->position[row], v = store->velocity[row];
		float speed2 = v.x * v.x + v.y * v.y + v.z * v.z;
		if (world_is_runaway(&t->limits, x, v))
		{
			b.bad = (uint32_t)row < b.bad ? (uint32_t)row : b.bad;
			continue;
		}
		double d = w->model.fluids[store->fluid[row]].spacing, density = world_rest_density(w, row),
		       m = density * d * d * d;
		double p[3] = {(double)x.x + w->model.origin[0], (double)x.y + w->model.origin[1],
			       (double)x.z + w->model.origin[2]};
		double u[3] = {(double)v.x, (double)v.y, (double)v.z};
		double height = p[0] * t->up[0] + p[1] * t->up[1] + p[2] * t->up[2];
		b.mass += m;
		b.height += m * height;
		b.lowest = height < b.lowest ? height : b.lowest;
		b.kinetic += 0.5 * m * (double)speed2;
		b.speed2 = speed2 > b.speed2 ? speed2 : b.speed2;
		// a stray drop has less than half the rest density
		if (speed2 > b.bulk_speed2 && !(store->density[row] < 0.5f * (float)density))
			b.bulk_speed2 = speed2;
		for (int k = 0; k < 3; k++)
		{
			b.potential -= m * w->model.def.gravity[k] * p[k];
			b.momentum[k] += m * u[k];
			b.angular[k] += m * (p[(k + 1) % 3] * u[(k + 2) % 3] - p[(k + 2) % 3] * u[(k + 1) % 3]);
		}
	}
	t->blocks[begin / PARALLEL_BLOCK] = b;
}

world_limits world_get_limits(const spate_world *w)
{
	return (world_limits){.speed = (float)w->model.def.speed_limit, .place = w->model.reach};
}

spate_result world_handle_runaway(spate_world *w, uint32_t row, spate_error *error)
{
	spate_store *store = w->state.store;
	vec4 x = store->position[row], *v = &store->velocity[row];
	double u[3] = {(double)v->x, (double)v->y, (double)v->z}, limit = w->model.def.speed_limit;
	double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
	int number = isfinite(speed) && isfinite(x.x + x.y + x.z), fast = number && speed > limit;
	spate_removed_by *by = &w->state.counters.removed_by;
	char text[256];
	snprintf(text, sizeof text,
		 "particle %lld %s at (%g, %g, %g) m with velocity (%g, %g, %g) m/s in frame %u, step %llu",
		 (long long)store->id[row],
		 fast     ? "exceeds the speed limit"
		 : number ? "left the representable range"
			  : "is not a number",
		 (double)x.x + w->model.origin[0], (double)x.y + w->model.origin[1], (double)x.z + w->model.origin[2],
		 u[0], u[1], u[2], w->work.stats.frame, (unsigned long long)w->work.stats.step);
	if (w->model.def.runaway == SPATE_RUNAWAY_STOP)
		return error_set(error, SPATE_DIVERGED, "%s; set runaway to remove or clamp to continue", text);
	int clamp = w->model.def.runaway == SPATE_RUNAWAY_CLAMP && fast;
	if (w->state.counters.runaways < TOLD)
		log_warning("%s: %s", text, clamp ? "slowed down" : "removed");
	else if (w->state.counters.runaways == TOLD)
		log_warning("more runaway particles in frame %u; further ones are only counted", w->work.stats.frame);
	w->state.counters.runaways++;
	if (clamp)
	{
		double scale = limit / speed * 0.999;
		*v = (vec4){(float)(u[0] * scale), (float)(u[1] * scale), (float)(u[2] * scale), v->w};
		w->state.counters.clamped++;
	}
	else
	{
		store_kill(store, row);
		w->state.counters.removed++;
		*(fast ? &by->too_fast : number ? &by->out_of_range : &by->not_a_number) += 1;
	}
	return SPATE_OK;
}

spate_result world_handle_runaways(spate_world *w, uint32_t first, spate_error *error)
{
	world_limits limits = world_get_limits(w);
	spate_result result = SPATE_OK;
	for (uint32_t row = first; row < w->state.store->rows && result == SPATE_OK; row++)
		if (!w->state.store->dead[row] &&
		    world_is_runaway(&limits, w->state.store->position[row], w->state.store->velocity[row]))
			result = world_handle_runaway(w, row, error);
	return result;
}

void world_count(spate_world *w)
{
	spate_step_stats *stats = &w->work.stats;
	stats->particles = w->state.store->rows - w->state.store->removed;
	stats->added = (uint64_t)w->state.store->next_id;
	stats->removed = w->state.counters.removed;
	stats->removed_by = w->state.counters.removed_by;
	stats->clamped = w->state.counters.clamped;
}

spate_result world_measure(spate_world *w, spate_error *error)
{
	spate_store *store = w->state.store;
	size_t blocks = (store->rows + (size_t)PARALLEL_BLOCK - 1) / PARALLEL_BLOCK;
	measure_task t = {.world = w,
			  .limits = world_get_limits(w),
			  .blocks = arena_alloc(&w->work.scratch, (blocks + 1) * sizeof(block_stats))};
	if (!t.blocks)
		return error_memory(error, blocks * sizeof(block_stats));
	const double *g = w->model.def.gravity;
	double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
	for (int k = 0; k < 3; k++)
		t.up[k] = gravity > 0.0 ? -g[k] / gravity : 0.0;
	parallel_for(w->model.threads, store->rows, PARALLEL_BLOCK, measure_block, &t);

	block_stats all = {.bad = UINT32_MAX, .lowest = INFINITY};
	for (size_t b = 0; b < blocks; b++)
	{
		const block_stats *own = &t.blocks[b];
		all.kinetic += own->kinetic;
		all.potential += own->potential;
		all.mass += own->mass;
		all.height += own->height;
		all.lowest = fmin(all.lowest, own->lowest);
		all.speed2 = own->speed2 > all.speed2 ? own->speed2 : all.speed2;
		all.bulk_speed2 = own->bulk_speed2 > all.bulk_speed2 ? own->bulk_speed2 : all.bulk_speed2;
		all.bad = own->bad < all.bad ? own->bad : all.bad;
		for (int k = 0; k < 3; k++)
		{
			all.momentum[k] += own->momentum[k];
			all.angular[k] += own->angular[k];
		}
	}
	spate_step_stats *stats = &w->work.stats;
	stats->kinetic_energy = all.kinetic;
	stats->potential_energy = all.potential;
	memcpy(stats->momentum, all.momentum, sizeof all.momentum);
	memcpy(stats->angular_momentum, all.angular, sizeof all.angular);
	stats->speed_max = w->state.counters.speed_max = sqrt((double)all.speed2);
	w->state.counters.bulk_speed =
	    w->state.counters.step > 0 ? sqrt((double)all.bulk_speed2) : w->state.counters.speed_max;
	// a column of height H has its centre at H / 2; stray drops hardly move it
	w->state.counters.depth = all.mass > 0.0 ? 2.0 * (all.height / all.mass - all.lowest) : 0.0;
	stats->neighbours_avg = w->work.list.count ? (double)w->work.list.pairs / w->work.list.count : 0.0;
	stats->list_bytes = neighbour_list_bytes(&w->work.list);
	spate_result result = all.bad != UINT32_MAX ? world_handle_runaways(w, all.bad, error) : SPATE_OK;
	world_count(w);
	return result;
}
