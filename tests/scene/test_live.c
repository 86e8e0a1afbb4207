// Keys of a running world: what is there, what can be changed, what the sentences say, and that a journal repeats a run bit by bit.
#include "check.h"

#include "base/memory.h"
#include "spate/live.h"
#include "spate/scene.h"
#include "spate/snapshot.h"

#include <math.h>
#include <stdlib.h>

static const char scene_text[] =
    "spate: 1\n"
    "fluids:\n"
    "  water: { preset: water, spacing: 0.05 }\n"
    "  oil: { preset: oil, spacing: 0.05 }\n"
    "sources:\n"
    "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.4, 0.4, 0.4] } } }\n"
    "  - { type: fill, fluid: water, name: thick, viscosity: 0.5,\n"
    "      shape: { box: { min: [0.6, 0, 0], max: [0.8, 0.3, 0.4] } } }\n"
    "  - { type: emitter, name: tap, fluid: oil, position: [0.5, 0.9, 0.2], direction: [0, -1, 0],\n"
    "      radius: 0.1, speed: 2 }\n"
    "colliders:\n"
    "  - { name: tank, shape: { box: { min: [0, 0, 0], max: [1, 1, 0.4] } }, mode: inside, friction: 0.1 }\n"
    "  - { shape: { sphere: { center: [0.5, 0, 0.2], radius: 0.1 } } }\n"
    "probes: { gauge: { type: height, from: [0.5, 0, 0.2], to: [0.5, 1, 0.2] } }\n";

// The world owns all it needs: the scene is gone when it is used.
static spate_world *make_from(const char *text)
{
	spate_scene scene;
	spate_problems problems = {0};
	spate_error error = {0};
	spate_world *world = NULL;
	if (spate_scene_parse(&scene, "live", text, strlen(text), NULL, 0, &problems, &error) != SPATE_OK ||
	    (scene.world.threads = 1, spate_world_create(&world, &scene.world, &error)) != SPATE_OK)
		fail_msg("%s", error.text);
	spate_problems_free(&problems);
	spate_scene_free(&scene);
	return world;
}

static spate_world *make(void)
{
	return make_from(scene_text);
}

static void set(spate_world *world, const char *path, const char *value)
{
	spate_error error = {0};
	if (spate_world_set(world, path, value, &error) != SPATE_OK)
		fail_msg("%s = %s: %s", path, value, error.text);
}

static void expect(const spate_world *world, const char *path, const char *value)
{
	char text[SPATE_VALUE_CHARS];
	spate_error error = {0};
	if (spate_world_get(world, path, text, &error) != SPATE_OK)
		fail_msg("%s: %s", path, error.text);
	assert_string_equal(text, value);
}

static void step(spate_world *world, int count)
{
	spate_error error = {0};
	for (int k = 0; k < count; k++)
		if (spate_world_step(world, NULL, &error) != SPATE_OK)
			fail_msg("%s", error.text);
}

static void values_are_those_of_the_scene(void **state)
{
	(void)state;
	spate_world *world = make();
	expect(world, "gravity", "[0, -9.81, 0]");
	expect(world, "solver.iterations", "auto");
	expect(world, "solver.quality", "normal");
	expect(world, "fluids.water.spacing", "0.05");
	expect(world, "fluids.1.density", "911");
	expect(world, "sources.tap.speed", "2");
	expect(world, "sources.2.speed", "2");
	expect(world, "sources.2.fluid", "oil");
	expect(world, "sources.thick.viscosity", "0.5");
	expect(world, "colliders.tank.name", "tank");
	expect(world, "colliders.1.shape.sphere.radius", "0.1");
	expect(world, "colliders.1.friction", "0");
	expect(world, "speed_limit", "auto");
	expect(world, "probes.gauge.to", "[0.5, 1, 0.2]");
	double number = 0.0, vector[3] = {0};
	assert_int_equal(spate_world_get_number(world, "colliders.tank.friction", &number, NULL), SPATE_OK);
	assert_true(number == 0.1);
	assert_int_equal(spate_world_get_number(world, "solver.acceleration", &number, NULL), SPATE_OK);
	assert_true(number == -1.0);
	assert_int_equal(spate_world_get_vector(world, "gravity", vector, NULL), SPATE_OK);
	assert_true(vector[1] == -9.81);
	spate_world_destroy(world);
}

static void a_change_can_be_read_back(void **state)
{
	(void)state;
	spate_world *world = make();
	set(world, "fluids.water.viscosity", "0.01");
	expect(world, "fluids.water.viscosity", "0.01");
	set(world, "solver.quality", "high");
	expect(world, "solver.quality", "high");
	set(world, "fluids.oil.damping", "0.05");
	set(world, "fluids.oil.damping", "none");
	expect(world, "fluids.oil.damping", "none");
	// to the last bit
	double third = 1.0 / 3.0, back = 0.0, tilted[3] = {third, -9.0, 1e-7}, vector[3];
	assert_int_equal(spate_world_set_number(world, "colliders.1.friction", third, NULL), SPATE_OK);
	assert_int_equal(spate_world_get_number(world, "colliders.1.friction", &back, NULL), SPATE_OK);
	assert_true(back == third);
	assert_int_equal(spate_world_set_vector(world, "gravity", tilted, NULL), SPATE_OK);
	assert_int_equal(spate_world_get_vector(world, "gravity", vector, NULL), SPATE_OK);
	assert_memory_equal(vector, tilted, sizeof tilted);
	spate_world_destroy(world);
}

static void every_key_can_be_listed_found_and_read(void **state)
{
	(void)state;
	spate_world *world = make();
	spate_key key, same;
	uint32_t count = 0, live = 0;
	for (; spate_world_key(world, count, &key); count++)
	{
		char text[SPATE_VALUE_CHARS];
		spate_error error = {0};
		if (spate_world_find_key(world, key.path, &same, &error) != SPATE_OK ||
		    spate_world_get(world, key.path, text, &error) != SPATE_OK)
			fail_msg("%s: %s", key.path, error.text);
		assert_string_equal(same.path, key.path);
		assert_int_equal(same.kind, key.kind);
		assert_non_null(key.doc);
		// what was read can be set if the key is live, and changes nothing
		spate_result result = spate_world_set(world, key.path, text, &error);
		if (result != (key.live ? SPATE_OK : SPATE_INVALID))
			fail_msg("%s = %s (live: %d): %s", key.path, text, key.live, error.text);
		live += key.live != 0;
	}
	// 3 of the world, 10 of the solver, 8 of each fluid, 6 of the emitter, 5 of each collider
	assert_int_equal(live, 3 + 10 + 2 * 8 + 6 + 2 * 5);
	assert_true(count > 70);
	assert_int_equal(spate_world_change_count(world), 0);
	assert_int_equal(spate_world_find_key(world, "fluids.0.viscosity", &key, NULL), SPATE_OK);
	assert_string_equal(key.path, "fluids.water.viscosity");
	assert_int_equal(key.kind, SPATE_KEY_NUMBER);
	assert_true(key.live && key.limited && !key.above_min && key.min == 0.0 && key.max == 1e3);
	assert_string_equal(key.unit, "m^2/s");
	assert_int_equal(spate_world_find_key(world, "runaway", &key, NULL), SPATE_OK);
	assert_int_equal(key.word_count, 3);
	assert_string_equal(key.words[1], "clamp");
	spate_world_destroy(world);
}

static void mistakes_change_nothing_and_are_explained(void **state)
{
	(void)state;
	static const struct
	{
		const char *path, *value;
		spate_result result;
		const char *text;
	} cases[] = {
	    {"fluids.water.viscosty", "1", SPATE_MISSING,
	     "the world has no key 'fluids.water.viscosty'; did you mean 'viscosity'?"},
	    {"fluids.watr.viscosity", "1", SPATE_MISSING,
	     "the world has no 'fluids.watr.viscosity': fluids has no 'watr'; did you mean 'water'?"},
	    {"colliders.2.friction", "1", SPATE_MISSING,
	     "the world has no 'colliders.2.friction': colliders has no '2'"},
	    {"output.channels", "10", SPATE_MISSING, "the world has no key 'output.channels'"},
	    {"fluids.water", "1", SPATE_MISSING, "'fluids.water' is not a key with a value but contains keys"},
	    {"gravity.x", "1", SPATE_MISSING, "the world has no key 'gravity.x': gravity is a value"},
	    {"", "1", SPATE_MISSING, "'' is not a key with a value but contains keys"},
	    {"sources.0.speed", "1", SPATE_MISSING, "the world has no key 'sources.0.speed'"},
	    {"fluids.water.spacing", "0.1", SPATE_INVALID,
	     "fluids.water.spacing is fixed when the world is made; live keys beside it are viscosity, damping, "
	     "surface_tension, cohesion, pull, push, adhesion, vorticity"},
	    {"probes.gauge.radius", "1", SPATE_INVALID,
	     "probes.gauge.radius is fixed when the world is made; no key beside it is live"},
	    {"fluids.water.viscosity", "-1", SPATE_INVALID,
	     "fluids.water.viscosity must be from 0 to 1000 m^2/s; here it is -1"},
	    {"fluids.water.viscosity", "thick", SPATE_INVALID,
	     "fluids.water.viscosity must be a number in m^2/s, like 1.0e-6; here it is 'thick'"},
	    {"gravity", "9.81", SPATE_INVALID,
	     "gravity must be a list of three numbers in m/s^2, like [0, -9.81, 0]; here it is '9.81'"},
	    {"solver.quality", "hihg", SPATE_INVALID, "solver.quality cannot be 'hihg'; did you mean 'high'?"},
	    {"sources.tap.speed", "-1", SPATE_INVALID, "sources.tap.speed must be from 0 to 10000 m/s; here it is -1"},
	};
	spate_world *world = make();
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		spate_error error = {0};
		if (spate_world_set(world, cases[k].path, cases[k].value, &error) != cases[k].result)
			fail_msg("%s: %s", cases[k].path, error.text);
		assert_string_equal(error.text, cases[k].text);
	}
	assert_int_equal(spate_world_set_number(world, "fluids.water.viscosity", NAN, NULL), SPATE_INVALID);
	assert_int_equal(spate_world_set(NULL, "gravity", "1", NULL), SPATE_INVALID);
	assert_int_equal(spate_world_set(world, "gravity", NULL, NULL), SPATE_INVALID);
	assert_int_equal(spate_world_change_count(world), 0);
	expect(world, "gravity", "[0, -9.81, 0]");
	spate_world_destroy(world);
}

// A run with changes of every kind of key.
static uint64_t run_with_changes(spate_world *world)
{
	set(world, "fluids.water.surface_tension", "0.3");
	step(world, 5);
	set(world, "fluids.water.viscosity", "0.02");
	set(world, "gravity", "[1, -9, 0]");
	step(world, 3);
	set(world, "sources.tap.speed", "1.3");
	set(world, "sources.tap.speed", "2.7");
	set(world, "colliders.tank.friction", "0.8");
	set(world, "colliders.tank.stickiness", "0.4");
	set(world, "solver.iterations", "3");
	step(world, 4);
	set(world, "sources.tap.stop", "0");
	set(world, "fluids.water.viscosity", "0.3");
	set(world, "runaway", "clamp");
	set(world, "speed_limit", "1.5");
	step(world, 6);
	set(world, "sources.tap.stop", "never");
	step(world, 6);
	return spate_world_hash(world);
}

static void a_journal_repeats_a_run_bit_by_bit(void **state)
{
	(void)state;
	spate_world *world = make(), *plain = make(), *twin = make();
	uint64_t expected = run_with_changes(world);
	step(plain, 24);
	assert_true(spate_world_hash(plain) != expected);
	char *journal = spate_world_journal(world);
	assert_non_null(journal);
	assert_string_equal(journal, "0 fluids.water.surface_tension=0.3\n"
				     "5 fluids.water.viscosity=0.02\n"
				     "5 gravity=[1, -9, 0]\n"
				     "8 sources.tap.speed=1.3\n"
				     "8 sources.tap.speed=2.7\n"
				     "8 colliders.tank.friction=0.8\n"
				     "8 colliders.tank.stickiness=0.4\n"
				     "8 solver.iterations=3\n"
				     "12 sources.tap.stop=0\n"
				     "12 fluids.water.viscosity=0.3\n"
				     "12 runaway=clamp\n"
				     "12 speed_limit=1.5\n"
				     "18 sources.tap.stop=never\n");
	spate_error error = {0};
	if (spate_world_replay(twin, journal, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	assert_int_equal(spate_world_change_count(twin), 1);
	step(twin, 24);
	assert_true(spate_world_hash(twin) == expected);
	char *again = spate_world_journal(twin);
	assert_string_equal(again, journal);
	assert_int_equal(spate_world_change_count(twin), 13);
	assert_int_equal(spate_world_change(twin, 1).step, 5);
	assert_string_equal(spate_world_change(twin, 1).path, "fluids.water.viscosity");
	assert_string_equal(spate_world_change(twin, 1).value, "0.02");
	assert_null(spate_world_change(twin, 13).path);
	spate_scene_text_free(journal);
	spate_scene_text_free(again);
	spate_world_destroy(world);
	spate_world_destroy(plain);
	spate_world_destroy(twin);
}

// Settings that only fit together in the right order: each change is checked on top of those before it.
static void changes_are_checked_in_their_order(void **state)
{
	(void)state;
	spate_world *world = make(), *twin = make();
	spate_error error = {0};
	set(world, "solver.iterations", "3");
	assert_int_equal(spate_world_set(world, "solver.min_iterations", "5", &error), SPATE_INVALID);
	assert_string_equal(error.text, "solver.min_iterations cannot be 5: min_iterations is 5, more than iterations, "
					"which is 3");
	expect(world, "solver.min_iterations", "1");
	step(world, 1);
	set(world, "solver.iterations", "6");
	set(world, "solver.min_iterations", "5");
	step(world, 1);
	char *journal = spate_world_journal(world);
	assert_string_equal(journal, "0 solver.iterations=3\n1 solver.iterations=6\n1 solver.min_iterations=5\n");
	set(twin, "solver.iterations", "2");
	if (spate_world_replay(twin, journal, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	// the change to 6 is still to come
	expect(twin, "solver.iterations", "3");
	expect(twin, "solver.min_iterations", "1");
	assert_int_equal(spate_world_replay(twin, "1 solver.iterations=4\n", &error), SPATE_INVALID);
	step(twin, 2);
	expect(twin, "solver.iterations", "6");
	expect(twin, "solver.min_iterations", "5");
	assert_true(spate_world_hash(twin) == spate_world_hash(world));
	spate_snapshot *kept = NULL;
	check_ok(spate_snapshot_take(&kept, world, NULL));
	spate_world *fresh = make();
	set(fresh, "solver.iterations", "2");
	check_ok(spate_snapshot_restore(fresh, kept, NULL));
	expect(fresh, "solver.min_iterations", "5");
	assert_true(spate_world_hash(fresh) == spate_world_hash(world));
	spate_snapshot_destroy(kept);
	spate_scene_text_free(journal);
	spate_world_destroy(world);
	spate_world_destroy(twin);
	spate_world_destroy(fresh);
}

static void a_wrong_journal_is_refused_as_a_whole(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
	    {"0 fluids.water.viscosity=0.1\n1 fluids.water.viscosity=x\n",
	     "line 2 of the journal: fluids.water.viscosity must be a number in m^2/s, like 1.0e-6; here it is 'x'"},
	    {"0 gravity=[0, 0, 0]\n\nnonsense\n",
	     "line 3 of the journal: a line of a journal looks like 120 fluids.water.viscosity=0.01"},
	    {"0 gravity=[0, 0, 0]\n-1 gravity=[0, 0, 1]\n",
	     "line 2 of the journal: a line of a journal looks like 120 fluids.water.viscosity=0.01"},
	    {"1 gravity=[0, 0, 0]\n0 gravity=[0, 0, 1]\n",
	     "the journal changes gravity after substep 0, but the world is at substep 1 already"},
	};
	spate_world *world = make();
	step(world, 1);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		spate_error error = {0};
		assert_int_not_equal(spate_world_replay(world, cases[k][0], &error), SPATE_OK);
		assert_string_equal(error.text, cases[k][1]);
	}
	expect(world, "gravity", "[0, -9.81, 0]");
	step(world, 2);
	assert_int_equal(spate_world_change_count(world), 0);
	spate_world_destroy(world);
}

// Particles that have their own viscosity channel because another source set it follow their fluid; those of that source do not.
static void particles_follow_their_fluid(void **state)
{
	(void)state;
	spate_world *world = make();
	set(world, "fluids.water.viscosity", "0.25");
	spate_store *store = spate_world_store(world);
	const float *values = spate_store_field(store, "viscosity", NULL);
	assert_non_null(values);
	uint32_t followed = 0, kept = 0;
	for (uint32_t row = 0; row < spate_store_rows(store); row++)
	{
		followed += values[row] == 0.25f;
		kept += values[row] == 0.5f;
	}
	assert_int_equal(followed, 8 * 8 * 8);
	assert_int_equal(kept, 4 * 6 * 8);
	spate_world_destroy(world);
}

// Runs a weightless jet for a quarter of a second; returns the number of particles that it gave. None comes in a burst.
static int pour(spate_world *world, double speed)
{
	uint64_t begin = spate_world_stats(world)->added, last = begin;
	double until = spate_world_time(world) + 0.25;
	while (spate_world_time(world) < until - 1e-9)
	{
		step(world, 1);
		uint64_t added = spate_world_stats(world)->added;
		// four columns of particles 0.05 m apart
		double most = 80.0 * speed * spate_world_stats(world)->dt + 1.0;
		if ((double)(added - last) > most)
			fail_msg("%d particles in one substep, at most %g are due", (int)(added - last), most);
		last = added;
	}
	return (int)(last - begin);
}

static void a_changed_emitter_goes_on_where_its_jet_is(void **state)
{
	(void)state;
	static const char text[] =
	    "spate: 1\n"
	    "gravity: [0, 0, 0]\n"
	    "fluids: { water: { spacing: 0.05 } }\n"
	    "sources: [{ type: emitter, name: tap, fluid: water, position: [0, 0, 0], direction: [1, 0, 0],\n"
	    "            width: 0.1, height: 0.1, speed: 1 }]\n";
	spate_world *world = make_from(text);
	static const struct
	{
		const char *key, *value;
		double speed;
		int expected;
	} cases[] = {{"speed", "1", 1.0, 20},    {"speed", "2", 2.0, 40}, {"speed", "0.5", 0.5, 10},
		     {"stop", "0", 0.0, 0},      {"speed", "2", 0.0, 0},  {"stop", "never", 2.0, 40},
		     {"limit", "120", 2.0, 10},  {"speed", "1", 1.0, 0},  {"limit", "none", 1.0, 20},
		     {"limit", "1000", 1.0, 20}, {"stop", "100", 1.0, 20}};
	int total = 0, expected = 0;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		char path[64];
		snprintf(path, sizeof path, "sources.tap.%s", cases[k].key);
		set(world, path, cases[k].value);
		total += pour(world, cases[k].speed);
		expected += cases[k].expected;
		// times of substeps are rounded sums, which may move one particle across the end of an interval
		if (abs(total - expected) > 1)
			fail_msg("after %s = %s: %d particles, expected %d", path, cases[k].value, total, expected);
	}
	spate_world_destroy(world);
}

static void running_out_of_memory_changes_nothing(void **state)
{
	(void)state;
	spate_world *world = make();
	step(world, 1);
	spate_error error = {0};
	int failures = 0;
	for (uint64_t n = 1;; n++, failures++)
	{
		mem_fail_at(n);
		spate_result result = spate_world_set(world, "gravity", "[0, 0, -5]", &error);
		mem_fail_at(0);
		if (result == SPATE_OK)
			break;
		assert_int_equal(result, SPATE_MEMORY);
		expect(world, "gravity", "[0, -9.81, 0]");
		assert_int_equal(spate_world_change_count(world), 0);
	}
	assert_true(failures > 2);
	expect(world, "gravity", "[0, 0, -5]");
	spate_world_destroy(world);
}

// A tension between two fluids is live too: the journal has it, and a snapshot of before brings the old one back.
static void interfaces_can_be_changed(void **state)
{
	(void)state;
	static const char text[] =
	    "spate: 2\n"
	    "fluids:\n"
	    "  water: { preset: water, spacing: 0.002 }\n"
	    "  oil: { preset: oil, spacing: 0.002 }\n"
	    "interfaces:\n"
	    "  - { between: oil, and: water, surface_tension: 0.05 }\n"
	    "sources:\n"
	    "  - { type: fill, fluid: water, jitter: 0.2, shape: { box: { min: [0, 0, 0], max: [0.02, 0.01, 0.02] } } }\n"
	    "  - { type: fill, fluid: oil, jitter: 0.2, shape: { box: { min: [0, 0.01, 0], max: [0.02, 0.02, 0.02] } } }\n";
	spate_world *world = make_from(text), *twin = make_from(text);
	spate_error error = {0};
	spate_snapshot *before = NULL;
	expect(world, "interfaces.0.between", "oil");
	expect(world, "interfaces.0.and", "water");
	step(world, 2);
	check_ok(spate_snapshot_take(&before, world, &error));
	step(world, 4);
	uint64_t plain = spate_world_hash(world);
	check_ok(spate_snapshot_restore(world, before, &error));
	set(world, "interfaces.0.surface_tension", "0.01");
	step(world, 4);
	assert_true(spate_world_hash(world) != plain);
	char *journal = spate_world_journal(world);
	assert_string_equal(journal, "2 interfaces.0.surface_tension=0.01\n");
	check_ok(spate_world_replay(twin, journal, &error));
	step(twin, 6);
	assert_true(spate_world_hash(twin) == spate_world_hash(world));
	check_ok(spate_snapshot_restore(world, before, &error));
	expect(world, "interfaces.0.surface_tension", "0.05");
	step(world, 4);
	assert_true(spate_world_hash(world) == plain);
	spate_scene_text_free(journal);
	spate_snapshot_destroy(before);
	spate_world_destroy(world);
	spate_world_destroy(twin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_are_those_of_the_scene),
	    cmocka_unit_test(a_change_can_be_read_back),
	    cmocka_unit_test(every_key_can_be_listed_found_and_read),
	    cmocka_unit_test(mistakes_change_nothing_and_are_explained),
	    cmocka_unit_test(a_journal_repeats_a_run_bit_by_bit),
	    cmocka_unit_test(changes_are_checked_in_their_order),
	    cmocka_unit_test(a_wrong_journal_is_refused_as_a_whole),
	    cmocka_unit_test(particles_follow_their_fluid),
	    cmocka_unit_test(a_changed_emitter_goes_on_where_its_jet_is),
	    cmocka_unit_test(running_out_of_memory_changes_nothing),
	    cmocka_unit_test(interfaces_can_be_changed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
