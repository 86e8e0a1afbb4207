// Surface marks with hysteresis: S4's eq. 9, with one record of memory per particle id.
#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "surface/near.h"

typedef struct mark_memory
{
	int64_t id;
	double since; // s, of the last change
	uint8_t mark;
} mark_memory;

struct spate_surface_marker
{
	spate_surface_marker_def def;
	double time;         // s, of the last update
	uint32_t count;      // of memory
	mark_memory *memory; // by rising id
};

spate_surface_marker_def spate_default_surface_marker_def(void)
{
	return (spate_surface_marker_def){
	    .alpha = 0.95, .beta = 2.0, .gamma = 1.0, .low = 0.0, .high = 0.5, .decay = 100.0};
}

static spate_result check_def(const spate_surface_marker_def *def, spate_error *error)
{
	if (!(def->spacing > 0.0) || !isfinite(def->spacing) || !((float)def->spacing > 0.0f))
		return error_set(error, SPATE_INVALID, "the spacing of marked particles is %g m; it must be above 0",
				 def->spacing);
	if ((unsigned)def->criterion > SPATE_SURFACE_ONE_STEP)
		return error_set(error, SPATE_INVALID, "surface criterion %d does not exist", (int)def->criterion);
	if (!isfinite(def->alpha) || !isfinite(def->beta) || !isfinite(def->gamma))
		return error_set(error, SPATE_INVALID, "alpha, beta and gamma of a surface marker must be numbers");
	if (!(def->low <= def->high) || !isfinite(def->low) || !isfinite(def->high) || !(def->decay >= 0.0))
		return error_set(
		    error, SPATE_INVALID,
		    "a surface marker's thresholds are %g to %g and decay by %g per second; they must rise", def->low,
		    def->high, def->decay);
	return SPATE_OK;
}

spate_result spate_surface_marker_create(spate_surface_marker **marker, const spate_surface_marker_def *def,
					 spate_error *error)
{
	*marker = NULL;
	spate_result result = check_def(def, error);
	if (result != SPATE_OK)
		return result;
	spate_surface_marker *m = mem_calloc(1, sizeof *m);
	if (!m)
		return error_memory(error, sizeof *m);
	m->def = *def;
	int threads = def->threads > 0 ? def->threads : parallel_default_threads();
	m->def.threads = threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
	*marker = m;
	return SPATE_OK;
}

void spate_surface_marker_destroy(spate_surface_marker *marker)
{
	if (!marker)
		return;
	mem_free(marker->memory);
	mem_free(marker);
}

// Everything is processed in the order of ids, so that results do not depend on the order of the input, not even by
// rounding.
typedef struct update
{
	uint32_t count;
	uint32_t *rows; // of the input, by rising id
	float *scores;  // by row of the input
	mark_memory *memory;
} update;

static void update_free(update *u)
{
	mem_free(u->rows);
	mem_free(u->scores);
	mem_free(u->memory);
}

static spate_result order_by_id(update *u, const int64_t *ids, int threads, spate_error *error)
{
	size_t bytes = sort_radix_scratch(u->count);
	uint64_t *keys = mem_alloc(((size_t)u->count + 1) * sizeof *keys);
	void *scratch = bytes ? mem_alloc(bytes) : NULL;
	spate_result result = SPATE_OK;
	if (!keys || (bytes && !scratch))
		result = error_memory(error, u->count * sizeof *keys + bytes);
	for (uint32_t i = 0; result == SPATE_OK && i < u->count; i++)
	{
		keys[i] = (uint64_t)ids[i] ^ 1ull << 63;
		u->rows[i] = i;
	}
	if (result == SPATE_OK)
		sort_radix(threads, u->count, keys, u->rows, scratch);
	for (uint32_t i = 1; result == SPATE_OK && i < u->count; i++)
		if (keys[i] == keys[i - 1])
			result = error_set(error, SPATE_INVALID, "two particles to be marked have the id %lld",
					   (long long)ids[u->rows[i]]);
	mem_free(keys);
	mem_free(scratch);
	return result;
}

static spate_result score_all(update *u, const spate_surface_marker_def *def, const float *positions,
			      const float *density, spate_error *error)
{
	for (uint32_t i = 0; i < u->count; i++)
		if (!vec3_is_finite(
			(vec3){positions[3 * (size_t)i], positions[3 * (size_t)i + 1], positions[3 * (size_t)i + 2]}))
			return error_set(error, SPATE_RANGE, "the position of particle %u is not a number", i);
	points_source source = {.count = u->count,
				.rows = u->rows,
				.positions = positions,
				.stride = 3,
				.spacing = (float)def->spacing,
				.kernel = NEAR_KERNEL};
	surface_points points = {0};
	near_values values = {0};
	spate_result result = surface_points_init(&points, &source, def->threads, error);
	if (result == SPATE_OK)
		result = near_measure(&values, &points, def->criterion, def->threads, error);
	for (uint32_t i = 0; result == SPATE_OK && i < u->count; i++)
	{
		uint32_t row = points.source[i];
		u->scores[row] = near_score(def, values.displacement[i], density ? density[row] : values.density[i]);
	}
	near_values_free(&values);
	surface_points_free(&points);
	return result;
}

// S4's eq. 9. A new particle is compared with the mean of the thresholds.
static mark_memory decide(const spate_surface_marker_def *def, const mark_memory *before, int64_t id, double time,
			  double score)
{
	double middle = 0.5 * (def->low + def->high), half = 0.5 * (def->high - def->low);
	if (!before)
		return (mark_memory){id, time, score > middle};
	mark_memory now = *before;
	double moved = def->decay * half * (time - before->since);
	if (before->mark ? score < fmin(def->low + moved, middle) : score > fmax(def->high - moved, middle))
		now = (mark_memory){id, time, !before->mark};
	return now;
}

static void remember(update *u, const spate_surface_marker *marker, double time, const int64_t *ids)
{
	uint32_t at = 0, count = time < marker->time ? 0 : marker->count;
	for (uint32_t i = 0; i < u->count; i++)
	{
		int64_t id = ids[u->rows[i]];
		while (at < count && marker->memory[at].id < id)
			at++;
		const mark_memory *before = at < count && marker->memory[at].id == id ? &marker->memory[at] : NULL;
		u->memory[i] = decide(&marker->def, before, id, time, (double)u->scores[u->rows[i]]);
	}
}

spate_result spate_surface_marker_update(spate_surface_marker *marker, double time, uint32_t count, const int64_t *ids,
					 const float *positions, const float *density, uint8_t *marks,
					 spate_error *error)
{
	if (!isfinite(time) || (count && (!ids || !positions || !marks)))
		return error_set(error, SPATE_INVALID,
				 "marking %u particles needs a time, ids, positions and room for the marks", count);
	update u = {.count = count};
	u.rows = mem_alloc(((size_t)count + 1) * sizeof *u.rows);
	u.scores = mem_alloc(((size_t)count + 1) * sizeof *u.scores);
	u.memory = mem_alloc(((size_t)count + 1) * sizeof *u.memory);
	spate_result result = SPATE_OK;
	if (!u.rows || !u.scores || !u.memory)
		result = error_memory(error, count * sizeof *u.memory);
	if (result == SPATE_OK)
		result = order_by_id(&u, ids, marker->def.threads, error);
	if (result == SPATE_OK)
		result = score_all(&u, &marker->def, positions, density, error);
	if (result == SPATE_OK)
	{
		remember(&u, marker, time, ids);
		for (uint32_t i = 0; i < count; i++)
			marks[u.rows[i]] = u.memory[i].mark;
		mem_free(marker->memory);
		marker->memory = u.memory;
		marker->count = count;
		marker->time = time;
		u.memory = NULL;
	}
	update_free(&u);
	return result;
}
