// Sinks in a world: a drain takes its flow, old particles go, and a snapshot keeps the counts.
#include "scene_world.h"

#include "spate/live.h"
#include "spate/snapshot.h"
#include "spate/store.h"

static const char tank[] =
    "spate: 2\nfluids: { water: { preset: water, spacing: 0.02 } }\n"
    "sources:\n"
    "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.3, 0.2, 0.3] } } }\n"
    "  - { type: emitter, fluid: water, position: [0.15, 0.4, 0.15], direction: [0, 1, 0], radius: 0.03, flow: 1.0e-3 }\n"
    "colliders: [{ shape: { box: { min: [0, 0, 0], max: [0.3, 1, 0.3] } }, mode: inside }]\n"
    "sinks:\n"
    "  - { name: drain, shape: { box: { min: [0, 0, 0], max: [0.3, 0.05, 0.3] } }, flow: 4.0e-3 }\n"
    "  - { name: old, remove: everywhere, age: 0.3 }\n";

static void a_drain_and_age_empty_a_tank(void **state)
{
	(void)state;
	const double particle = 8e-6;
	spate_world *world = world_of(tank);
	run_until(world, 6);
	check_near((double)spate_world_sink_removed(world, 0) * particle, 4e-3 * 0.25, 1.01 * particle);
	assert_int_equal(spate_world_sink_removed(world, 1), 0);
	spate_snapshot *snapshot = NULL;
	check_ok(spate_snapshot_take(&snapshot, world, NULL));
	run_until(world, 9);
	// the whole fill is older than 0.3 s now; only what was poured later is left
	uint64_t drained = spate_world_sink_removed(world, 0), old = spate_world_sink_removed(world, 1);
	check_near(spate_store_count(spate_world_store(world)) * particle, 1e-3 * 0.3, 3 * particle);
	assert_int_equal(spate_world_stats(world)->removed_by.sinks, drained + old);
	assert_int_equal(spate_world_sink_removed(world, 2), 0);
	uint64_t hash = spate_world_hash(world);
	spate_world_destroy(world);
	world = empty_world_of(tank);
	check_ok(spate_snapshot_restore(world, snapshot, NULL));
	run_until(world, 9);
	assert_true(spate_world_hash(world) == hash);
	assert_int_equal(spate_world_sink_removed(world, 0), drained);
	assert_int_equal(spate_world_sink_removed(world, 1), old);
	spate_snapshot_destroy(snapshot);
	spate_world_destroy(world);
}

// A drain that is opened: what it has taken is the integral of its flow. A host can set it as well.
static void a_drain_follows_a_curve(void **state)
{
	(void)state;
	const double particle = 8e-6;
	spate_world *world = world_of(
	    "spate: 2\nfluids: { water: { preset: water, spacing: 0.02 } }\n"
	    "sources: [{ type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.3, 0.3, 0.3] } } }]\n"
	    "colliders: [{ shape: { box: { min: [0, 0, 0], max: [0.3, 1, 0.3] } }, mode: inside }]\n"
	    "sinks:\n"
	    "  - { name: drain, shape: { box: { min: [0, 0, 0], max: [0.3, 0.05, 0.3] } }, flow: [[0, 1.0e-3], [0.25, 9.0e-3]] }\n"
	    "  - { name: valve, shape: { box: { min: [0, 0.1, 0], max: [0.3, 0.2, 0.3] } }, flow: 1.0e-9 }\n");
	run_until(world, 6);
	// each substep has the flow of its beginning
	double late = 0.5 * 8e-3 * spate_world_stats(world)->dt;
	check_near((double)spate_world_sink_removed(world, 0) * particle, 5e-3 * 0.25 - late, 1.5 * particle);
	assert_int_equal(spate_world_sink_removed(world, 1), 0);
	check_ok(spate_world_set_number(world, "sinks.valve.flow", 4e-3, NULL));
	assert_int_equal(spate_world_set_number(world, "sinks.drain.flow", 4e-3, NULL), SPATE_INVALID);
	run_until(world, 12);
	check_near((double)spate_world_sink_removed(world, 1) * particle, 4e-3 * 0.25, 2 * particle);
	spate_world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_drain_and_age_empty_a_tank),
	    cmocka_unit_test(a_drain_follows_a_curve),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
