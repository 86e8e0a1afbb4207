// Particles that are not numbers or too fast are treated by policy, told with id, place, frame and step, and harm nobody else.
#define _GNU_SOURCE
#include "run_support.h"

#include "spate/log.h"

#include <math.h>

typedef struct told
{
	char last[1024];
	int warnings;
} told;

static void keep_warning(void *context, spate_log_level level, const char *text)
{
	told *t = context;
	if (level != SPATE_LOG_WARNING)
		return;
	t->warnings++;
	snprintf(t->last, sizeof t->last, "%s", text);
}

// Nothing comes but the first fill, and nothing leaves by a drain unless one is placed.
static spate_world *make_world(const char *policy, const char *drain)
{
	spate_scene scene = basin(policy, drain);
	scene.world.threads = 2;
	if (!drain)
		scene.world.sink_count = 0;
	scene.world.source_count = 1;
	spate_world *world = NULL;
	spate_error error = {0};
	check_ok(spate_world_create(&world, &scene.world, &error));
	spate_scene_free(&scene);
	return world;
}

static void step(spate_world *world, int count)
{
	spate_error error = {0};
	for (int n = 0; n < count; n++)
		if (spate_world_step(world, NULL, &error) != SPATE_OK)
			fail_msg("%s", error.text);
}

static float *field(spate_world *world, const char *name)
{
	spate_type type;
	float *data = spate_store_field(spate_world_store(world), name, &type);
	assert_non_null(data);
	return data;
}

static int64_t id_of(spate_world *world, uint32_t row)
{
	spate_type type;
	const int64_t *ids = spate_store_field(spate_world_store(world), "id", &type);
	return ids[row];
}

// Row of a particle that lives, -1 when there is none.
static int64_t row_of(spate_world *world, int64_t id)
{
	spate_store *store = spate_world_store(world);
	for (uint32_t row = 0; row < spate_store_rows(store); row++)
		if (spate_store_is_alive(store, row) && id_of(world, row) == id)
			return row;
	return -1;
}

static void check_liquid(spate_world *world, double speed)
{
	spate_store *store = spate_world_store(world);
	const float *x = field(world, "position"), *v = field(world, "velocity");
	for (uint32_t row = 0; row < spate_store_rows(store); row++)
	{
		if (!spate_store_is_alive(store, row))
			continue;
		double length =
		    sqrt((double)v[4 * row] * (double)v[4 * row] + (double)v[4 * row + 1] * (double)v[4 * row + 1] +
			 (double)v[4 * row + 2] * (double)v[4 * row + 2]);
		int whole = isfinite(x[4 * row]) && isfinite(x[4 * row + 1]) && isfinite(x[4 * row + 2]) &&
			    isfinite(x[4 * row + 3]);
		if (!whole || !(length <= speed))
			fail_msg("row %u is at (%g, %g, %g) with %g m/s", row, (double)x[4 * row],
				 (double)x[4 * row + 1], (double)x[4 * row + 2], length);
	}
	assert_true(isfinite(spate_world_stats(world)->kinetic_energy));
	assert_true(isfinite(spate_world_stats(world)->density_error_avg));
}

// Says which particle, and in which frame and step.
static void check_told(const char *text, const char *what, int64_t id, const spate_step_stats *stats)
{
	char who[64], when[64];
	snprintf(who, sizeof who, "particle %lld %s at (", (long long)id, what);
	snprintf(when, sizeof when, " in frame %u, step %llu", stats->frame, (unsigned long long)stats->step);
	if (!strstr(text, who) || !strstr(text, when))
		fail_msg("expected '%s' and '%s' in: %s", who, when, text);
}

// Ways to go wrong: what is written where.
static const struct
{
	const char *field, *what;
	float value;
} faults[] = {
    {"velocity", "is not a number", NAN},           {"velocity", "is not a number", INFINITY},
    {"position", "is not a number", NAN},           {"velocity", "exceeds the speed limit", 1e4f},
    {"velocity", "exceeds the speed limit", 1e30f}, {"position", "left the representable range", 1e9f},
};

enum
{
	FAULTS = sizeof faults / sizeof *faults,
	ROW = 777
};

static void removed(void **state)
{
	(void)state;
	for (int n = 0; n < FAULTS; n++)
	{
		told t = {0};
		spate_log_set_handler(keep_warning, &t);
		spate_world *world = make_world("runaway=remove", NULL);
		step(world, 9);
		uint32_t before = spate_store_count(spate_world_store(world));
		int64_t id = id_of(world, ROW);
		field(world, faults[n].field)[4 * ROW + 1] = faults[n].value;
		step(world, 1);
		assert_int_equal(t.warnings, 1);
		check_told(t.last, faults[n].what, id, spate_world_stats(world));
		assert_non_null(strstr(t.last, ": removed"));
		step(world, 5);
		assert_int_equal(t.warnings, 1);
		assert_int_equal(row_of(world, id), -1);
		assert_int_equal(spate_world_stats(world)->particles, before - 1);
		assert_int_equal(spate_world_stats(world)->removed, 1);
		assert_int_equal(spate_world_stats(world)->clamped, 0);
		const spate_removed_by *by = &spate_world_stats(world)->removed_by;
		assert_int_equal(by->sinks + by->too_fast + by->not_a_number + by->out_of_range, 1);
		assert_int_equal(by->not_a_number, strstr(t.last, "is not a number") != NULL);
		assert_int_equal(by->too_fast, strstr(t.last, "exceeds the speed limit") != NULL);
		check_liquid(world, 20.0);
		spate_world_destroy(world);
	}
	spate_log_set_handler(NULL, NULL);
}

static void clamped(void **state)
{
	(void)state;
	for (int n = 0; n < FAULTS; n++)
	{
		told t = {0};
		spate_log_set_handler(keep_warning, &t);
		spate_world *world = make_world("runaway=clamp", NULL);
		step(world, 9);
		int64_t id = id_of(world, ROW);
		field(world, faults[n].field)[4 * ROW + 1] = faults[n].value;
		step(world, 1);
		check_told(t.last, faults[n].what, id, spate_world_stats(world));
		int fast = strstr(faults[n].what, "speed") != NULL;
		assert_non_null(strstr(t.last, fast ? ": slowed down" : ": removed"));
		assert_int_equal(spate_world_stats(world)->clamped, fast);
		assert_int_equal(spate_world_stats(world)->removed, !fast);
		assert_int_equal(row_of(world, id) >= 0, fast);
		check_liquid(world, 100.0);
		step(world, 5);
		check_liquid(world, 100.0);
		spate_world_destroy(world);
	}
	spate_log_set_handler(NULL, NULL);
}

static void stopped(void **state)
{
	(void)state;
	for (int n = 0; n < FAULTS; n++)
	{
		spate_world *world = make_world("runaway=stop", NULL);
		step(world, 9);
		int64_t id = id_of(world, ROW);
		field(world, faults[n].field)[4 * ROW + 1] = faults[n].value;
		spate_error error = {0};
		check_result(spate_world_step(world, NULL, &error), SPATE_DIVERGED);
		check_told(error.text, faults[n].what, id, spate_world_stats(world));
		spate_world_destroy(world);
	}
}

// A whole lot of them at once.
static void many(void **state)
{
	(void)state;
	told t = {0};
	spate_log_set_handler(keep_warning, &t);
	spate_world *world = make_world("runaway=remove", NULL);
	step(world, 5);
	uint32_t rows = spate_store_rows(spate_world_store(world));
	float *v = field(world, "velocity");
	for (uint32_t row = 0; row < rows; row += 2)
		v[4 * row] = NAN;
	step(world, 5);
	assert_int_equal(spate_world_stats(world)->removed, (rows + 1) / 2);
	assert_int_equal(spate_world_stats(world)->particles, rows / 2);
	assert_int_equal(t.warnings, 9);
	check_liquid(world, 20.0);
	spate_log_set_handler(NULL, NULL);
	spate_world_destroy(world);
}

// However many particles a drain has taken, a runaway is told.
static void drains_are_no_runaways(void **state)
{
	(void)state;
	told t = {0};
	spate_log_set_handler(keep_warning, &t);
	spate_world *world = make_world("runaway=remove", "sinks.0.shape.box.min=[0.4, -0.1, -0.1]");
	step(world, 5);
	uint64_t drained = spate_world_stats(world)->removed;
	assert_true(drained > 100);
	assert_int_equal(t.warnings, 0);
	int64_t id = id_of(world, ROW);
	field(world, "velocity")[4 * ROW] = NAN;
	step(world, 1);
	assert_int_equal(t.warnings, 1);
	check_told(t.last, "is not a number", id, spate_world_stats(world));
	spate_log_set_handler(NULL, NULL);
	spate_world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(removed),
	    cmocka_unit_test(clamped),
	    cmocka_unit_test(stopped),
	    cmocka_unit_test(many),
	    cmocka_unit_test(drains_are_no_runaways),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
