// Statistics of the state after a step, and the policy for particles that left their limits.
#include "base/error.h"
#include "base/exact_sum.h"
#include "base/log.h"
#include "base/parallel.h"
#include "world/measure_kernels.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum
{
	TOLD = 8 // runaways reported one by one before they are only counted
};

typedef struct measure_part
{
	double lowest; // m, height
	float speed2, bulk_speed2;
	uint32_t bad; // first row out of its limits, UINT32_MAX for none
} measure_part;

typedef struct measure_task
{
	const spate_world *world;
	const measure_kernels *kernels;
	measure_part *parts; // of MEASURE_ROWS rows each
	step_limits limits;
	measure_frame frame;
	exact_total totals[MEASURE_SUMS];
} measure_task;

static void describe(const spate_world *w, size_t row, measure_group *group, int lane)
{
	double density = world_rest_density(w, row), d = w->model.fluids[w->state.store->fluid[row]].spacing;
	group->mass[lane] = density * d * d * d;
	group->sparse[lane] = 0.5f * (float)density;
}

// Rows some of which are dead, runaways or behind the last row. Those are replaced by a row that counts, with no mass.
static void measure_broken_group(measure_task *t, size_t begin, size_t end, measure_block *block, uint32_t *bad)
{
	const spate_store *store = t->world->state.store;
	vec4 x[MEASURE_GROUP], v[MEASURE_GROUP];
	float density[MEASURE_GROUP];
	measure_group group;
	int count = 0;
	for (size_t row = begin; row < end; row++)
		if (store->dead[row])
			continue;
		else if (!step_is_runaway(&t->limits, store->position[row], store->velocity[row]))
		{
			x[count] = store->position[row];
			v[count] = store->velocity[row];
			density[count] = store->density[row];
			describe(t->world, row, &group, count++);
		}
		else if (*bad == UINT32_MAX)
			*bad = (uint32_t)row;
	for (int k = count; k < MEASURE_GROUP && count > 0; k++)
	{
		x[k] = x[0];
		v[k] = v[0];
		density[k] = density[0];
		group.sparse[k] = group.sparse[0];
		group.mass[k] = 0.0;
	}
	measure_frame wide = t->frame;
	wide.speed2 = wide.place = INFINITY;
	if (count > 0)
		t->kernels->add(&wide, x, v, density, &group, block);
}

static void measure_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	measure_task *t = context;
	const spate_world *w = t->world;
	const spate_store *store = w->state.store;
	measure_block block = {0};
	for (int k = 0; k < MEASURE_GROUP; k++)
		block.lowest[k] = INFINITY;
	measure_part part = {.bad = UINT32_MAX, .lowest = INFINITY};
	int alike = w->model.def.fluid_count == 1 && !w->state.material.values[MATERIAL_DENSITY];
	measure_group group;
	for (int k = 0; k < MEASURE_GROUP && alike; k++)
		describe(w, begin, &group, k);
	for (size_t row = begin; row < end; row += MEASURE_GROUP)
	{
		size_t stop = row + MEASURE_GROUP < end ? row + MEASURE_GROUP : end;
		uint64_t dead = 1;
		if (stop - row == MEASURE_GROUP)
			memcpy(&dead, store->dead + row, sizeof dead);
		for (int k = 0; k < MEASURE_GROUP && !alike && !dead; k++)
			describe(w, row + (size_t)k, &group, k);
		if (dead || !t->kernels->add(&t->frame, store->position + row, store->velocity + row,
					     store->density + row, &group, &block))
			measure_broken_group(t, row, stop, &block, &part.bad);
	}
	for (int k = 0; k < MEASURE_GROUP; k++)
	{
		part.lowest = fmin(part.lowest, block.lowest[k]);
		part.speed2 = fmaxf(part.speed2, block.speed2[k]);
		part.bulk_speed2 = fmaxf(part.bulk_speed2, block.bulk_speed2[k]);
	}
	t->parts[begin / MEASURE_ROWS] = part;
	for (int which = 0; which < MEASURE_SUMS; which++)
	{
		exact_sum sum = {0};
		for (int k = 0; k < MEASURE_GROUP; k++)
		{
			exact_sum_add(&sum, block.sums[which][0][k]);
			exact_sum_add(&sum, block.sums[which][1][k]);
		}
		exact_total_merge(&t->totals[which], &sum);
	}
}

// No term of a particle within its limits is larger than the bounds by which terms are cut.
static void set_cuts(measure_task *t)
{
	const spate_world *w = t->world;
	double mass = 0.0, place = 0.0, speed = (double)t->limits.speed;
	for (uint32_t f = 0; f < w->model.def.fluid_count; f++)
	{
		const spate_fluid_def *fluid = &w->model.fluids[f];
		double density = fmax(fluid->density, w->state.material.high[MATERIAL_DENSITY]);
		mass = fmax(mass, density * fluid->spacing * fluid->spacing * fluid->spacing);
	}
	for (int k = 0; k < 3; k++)
		place += fabs(w->model.origin[k]) + (double)t->limits.place;
	double bounds[MEASURE_SUMS] = {
	    [MEASURE_MASS] = mass, [MEASURE_HEIGHT] = mass * place, [MEASURE_KINETIC] = mass * speed * speed};
	for (int k = 0; k < 3; k++)
	{
		bounds[MEASURE_MOMENTUM + k] = mass * speed;
		bounds[MEASURE_ANGULAR + k] = mass * place * speed;
	}
	for (int which = 0; which < MEASURE_SUMS; which++)
	{
		int exponent;
		frexp(1.01 * bounds[which], &exponent);
		t->frame.cuts[which][0] = ldexp(1.5, exponent + 12);
		t->frame.cuts[which][1] = ldexp(1.5, exponent - 28);
	}
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
	size_t parts = (store->rows + (size_t)MEASURE_ROWS - 1) / MEASURE_ROWS;
	measure_task t = {.world = w,
			  .kernels = measure_kernels_table(w->model.simd),
			  .limits = world_get_limits(w),
			  .parts = arena_alloc(&w->work.scratch, (parts + 1) * sizeof(measure_part))};
	if (!t.parts)
		return error_memory(error, parts * sizeof(measure_part));
	memcpy(t.frame.origin, w->model.origin, sizeof t.frame.origin);
	memcpy(t.frame.up, w->model.forces.up, sizeof t.frame.up);
	t.frame.speed2 = t.limits.speed * t.limits.speed;
	t.frame.place = nextafterf(t.limits.place, 0.0f);
	set_cuts(&t);
	parallel_for(w->model.threads, store->rows, MEASURE_ROWS, measure_rows, &t);
	double sums[MEASURE_SUMS];
	for (int k = 0; k < MEASURE_SUMS; k++)
		sums[k] = exact_total_read(&t.totals[k]);

	measure_part all = {.bad = UINT32_MAX, .lowest = INFINITY};
	for (size_t k = 0; k < parts; k++)
	{
		const measure_part *e = &t.parts[k];
		all.lowest = fmin(all.lowest, e->lowest);
		all.speed2 = e->speed2 > all.speed2 ? e->speed2 : all.speed2;
		all.bulk_speed2 = e->bulk_speed2 > all.bulk_speed2 ? e->bulk_speed2 : all.bulk_speed2;
		all.bad = e->bad < all.bad ? e->bad : all.bad;
	}
	spate_step_stats *stats = &w->work.stats;
	stats->kinetic_energy = sums[MEASURE_KINETIC];
	stats->potential_energy = w->model.forces.pull * sums[MEASURE_HEIGHT];
	memcpy(stats->momentum, sums + MEASURE_MOMENTUM, sizeof stats->momentum);
	memcpy(stats->angular_momentum, sums + MEASURE_ANGULAR, sizeof stats->angular_momentum);
	stats->speed_max = w->state.counters.speed_max = sqrt((double)all.speed2);
	w->state.counters.bulk_speed =
	    w->state.counters.step > 0 ? sqrt((double)all.bulk_speed2) : w->state.counters.speed_max;
	// a column of height H has its centre at H / 2; stray drops hardly move it
	w->state.counters.depth =
	    sums[MEASURE_MASS] > 0.0 ? 2.0 * (sums[MEASURE_HEIGHT] / sums[MEASURE_MASS] - all.lowest) : 0.0;
	stats->neighbours_avg = w->work.list.count ? (double)w->work.list.pairs / w->work.list.count : 0.0;
	stats->list_bytes = neighbour_list_bytes(&w->work.list);
	spate_result result = all.bad != UINT32_MAX ? world_handle_runaways(w, all.bad, error) : SPATE_OK;
	world_count(w);
	return result;
}
