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

// What is summed over all particles.
enum
{
	MASS,
	HEIGHT, // against what all particles are accelerated by, times mass
	KINETIC,
	MOMENTUM,
	ANGULAR = MOMENTUM + 3,
	SUMS = ANGULAR + 3
};

typedef struct extremes
{
	double lowest; // m, height
	float speed2, bulk_speed2;
	uint32_t bad; // first row out of its limits, UINT32_MAX for none
} extremes;

typedef struct measure_task
{
	const spate_world *world;
	extremes *parts; // of PARALLEL_TERMS rows each
	double up[3];
	step_limits limits;
} measure_task;

static void measure_row(const measure_task *t, size_t row, double density, extremes *e, double sums[SUMS])
{
	const spate_world *w = t->world;
	const spate_store *store = w->state.store;
	vec4 x = store->position[row], v = store->velocity[row];
	float speed2 = v.x * v.x + v.y * v.y + v.z * v.z;
	double d = w->model.fluids[store->fluid[row]].spacing, m = density * d * d * d;
	double p[3] = {(double)x.x + w->model.origin[0], (double)x.y + w->model.origin[1],
		       (double)x.z + w->model.origin[2]};
	double u[3] = {(double)v.x, (double)v.y, (double)v.z};
	double height = p[0] * t->up[0] + p[1] * t->up[1] + p[2] * t->up[2];
	e->lowest = height < e->lowest ? height : e->lowest;
	e->speed2 = speed2 > e->speed2 ? speed2 : e->speed2;
	// a stray drop has less than half the rest density
	if (speed2 > e->bulk_speed2 && !(store->density[row] < 0.5f * (float)density))
		e->bulk_speed2 = speed2;
	sums[MASS] = m;
	sums[HEIGHT] = m * height;
	sums[KINETIC] = 0.5 * m * (double)speed2;
	for (int k = 0; k < 3; k++)
	{
		sums[MOMENTUM + k] = m * u[k];
		sums[ANGULAR + k] = m * (p[(k + 1) % 3] * u[(k + 2) % 3] - p[(k + 2) % 3] * u[(k + 1) % 3]);
	}
}

static void measure_rows(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const measure_task *t = context;
	const spate_store *store = t->world->state.store;
	extremes e = {.bad = UINT32_MAX, .lowest = INFINITY};
	for (size_t row = begin; row < end; row++)
	{
		double sums[SUMS] = {0};
		if (store->dead[row])
			;
		else if (step_is_runaway(&t->limits, store->position[row], store->velocity[row]))
			e.bad = (uint32_t)row < e.bad ? (uint32_t)row : e.bad;
		else
			measure_row(t, row, world_rest_density(t->world, row), &e, sums);
		for (int k = 0; k < SUMS; k++)
			terms[k][row - begin] = sums[k];
	}
	t->parts[begin / PARALLEL_TERMS] = e;
}

step_limits world_get_limits(const spate_world *w)
{
	return (step_limits){.speed = (float)w->model.speed_limit, .place = w->model.reach};
}

spate_result world_handle_runaway(spate_world *w, uint32_t row, spate_error *error)
{
	spate_store *store = w->state.store;
	vec4 x = store->position[row], *v = &store->velocity[row];
	double u[3] = {(double)v->x, (double)v->y, (double)v->z}, limit = w->model.speed_limit;
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
	step_limits limits = world_get_limits(w);
	spate_result result = SPATE_OK;
	for (uint32_t row = first; row < w->state.store->rows && result == SPATE_OK; row++)
		if (!w->state.store->dead[row] &&
		    step_is_runaway(&limits, w->state.store->position[row], w->state.store->velocity[row]))
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
	size_t parts = (store->rows + (size_t)PARALLEL_TERMS - 1) / PARALLEL_TERMS;
	measure_task t = {.world = w,
			  .limits = world_get_limits(w),
			  .parts = arena_alloc(&w->work.scratch, (parts + 1) * sizeof(extremes))};
	if (!t.parts)
		return error_memory(error, parts * sizeof(extremes));
	double sums[SUMS];
	memcpy(t.up, w->model.forces.up, sizeof t.up);
	parallel_sums(w->model.threads, store->rows, SUMS, measure_rows, &t, sums);

	extremes all = {.bad = UINT32_MAX, .lowest = INFINITY};
	for (size_t k = 0; k < parts; k++)
	{
		const extremes *e = &t.parts[k];
		all.lowest = fmin(all.lowest, e->lowest);
		all.speed2 = e->speed2 > all.speed2 ? e->speed2 : all.speed2;
		all.bulk_speed2 = e->bulk_speed2 > all.bulk_speed2 ? e->bulk_speed2 : all.bulk_speed2;
		all.bad = e->bad < all.bad ? e->bad : all.bad;
	}
	spate_step_stats *stats = &w->work.stats;
	stats->kinetic_energy = sums[KINETIC];
	stats->potential_energy = w->model.forces.pull * sums[HEIGHT];
	memcpy(stats->momentum, sums + MOMENTUM, sizeof stats->momentum);
	memcpy(stats->angular_momentum, sums + ANGULAR, sizeof stats->angular_momentum);
	stats->speed_max = w->state.counters.speed_max = sqrt((double)all.speed2);
	w->state.counters.bulk_speed =
	    w->state.counters.step > 0 ? sqrt((double)all.bulk_speed2) : w->state.counters.speed_max;
	// a column of height H has its centre at H / 2; stray drops hardly move it
	w->state.counters.depth = sums[MASS] > 0.0 ? 2.0 * (sums[HEIGHT] / sums[MASS] - all.lowest) : 0.0;
	stats->neighbours_avg = w->work.list.count ? (double)w->work.list.pairs / w->work.list.count : 0.0;
	stats->list_bytes = neighbour_list_bytes(&w->work.list);
	spate_result result = all.bad != UINT32_MAX ? world_handle_runaways(w, all.bad, error) : SPATE_OK;
	world_count(w);
	return result;
}
