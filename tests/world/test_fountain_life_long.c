// A fountain whose particles are born and die for 1000 frames.
#include "scene_world.h"

#include "base/memory.h"
#include "spate/snapshot.h"
#include "spate/store.h"

static const char fountain[] =
    "spate: 2\nfps: 25\nfluids: { water: { preset: water, spacing: 0.02 } }\n"
    "sources: [{ type: emitter, fluid: water, position: [0, 0.02, 0], direction: [0.2, 1, 0], radius: 0.04,\n"
    "            flow: 8.0e-3, jitter: 0.2 }]\n"
    "sinks: [{ shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } } }]\n";

static void check_ids(spate_world *world)
{
	spate_store *store = spate_world_store(world);
	const int64_t *id = spate_store_field(store, "id", NULL);
	uint64_t added = spate_world_stats(world)->added;
	char *seen = calloc(added, 1);
	assert_non_null(seen);
	for (uint32_t row = 0; row < spate_store_count(store); row++)
	{
		assert_true(id[row] >= 0 && (uint64_t)id[row] < added);
		assert_int_equal(seen[id[row]]++, 0);
	}
	free(seen);
}

// In steady state there are as many particles as ever, in the same memory, and a run that is resumed in the middle has the same bits.
static void a_fountain_lives_in_the_same_memory(void **state)
{
	(void)state;
	spate_world *world = world_of(fountain);
	run_until(world, 300);
	uint32_t count = spate_store_count(spate_world_store(world));
	assert_true(count > 200);
	size_t bytes = spate_world_bytes(world);
	mem_stats early = mem_get_stats();
	run_until(world, 500);
	spate_snapshot *snapshot = NULL;
	check_ok(spate_snapshot_take(&snapshot, world, NULL));
	uint64_t calls = mem_get_stats().calls;
	run_until(world, 1000);
	assert_int_equal(mem_get_stats().calls, calls);
	uint64_t hash = spate_world_hash(world), added = spate_world_stats(world)->added;
	check_near((double)added * 8e-6, 8e-3 * 40, 1e-5);
	check_near(spate_store_count(spate_world_store(world)), count, 0.1 * count);
	check_near((double)spate_world_bytes(world), (double)bytes, 0.02 * (double)bytes);
	check_near((double)mem_get_stats().bytes, (double)early.bytes + (double)spate_snapshot_bytes(snapshot),
		   0.05 * (double)early.bytes);
	check_ids(world);
	spate_world_destroy(world);
	world = empty_world_of(fountain);
	check_ok(spate_snapshot_restore(world, snapshot, NULL));
	run_until(world, 1000);
	assert_true(spate_world_hash(world) == hash);
	assert_int_equal(spate_world_stats(world)->added, added);
	spate_snapshot_destroy(snapshot);
	spate_world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_fountain_lives_in_the_same_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
