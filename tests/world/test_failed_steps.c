// Steps that fail: the world is as it was, or says that it has to be restored; after a retry every bit is that of an undisturbed run.
#include "scene.h"

#include "spate/snapshot.h"
#include "world/state.h"

enum
{
	STEPS = 4,
	MOST_FAILURES = 400
};

static void tank(scene *s)
{
	scene_init(s, 0.05);
	s->def.fps = 25;
	s->def.solver.substeps = 3;
	add_collider(s, box_shape(0, 0, 0, 0.5, 1, 0.5), SPATE_COLLIDER_INSIDE);
	add_fill(s, box_shape(0, 0, 0, 0.5, 0.25, 0.5));
}

static void pouring(scene *s)
{
	tank(s);
	spate_source_def *jet = add_fill(s, (spate_shape){0});
	jet->type = SPATE_SOURCE_EMITTER;
	jet->position[0] = jet->position[2] = 0.25;
	jet->position[1] = 0.6;
	jet->direction[1] = -1;
	jet->radius = 0.1;
	jet->speed = 4;
	jet->material.viscosity = 0.2;
	s->sinks[s->def.sink_count++] = (spate_sink_def){.shape = box_shape(0.4, 0, 0.4, 0.5, 0.1, 0.5)};
	add_probe(s, "in", SPATE_PROBE_FLUX);
	s->probes[0].a[0] = s->probes[0].a[2] = 0.25;
	s->probes[0].a[1] = 0.4;
	s->probes[0].direction[1] = -1;
	s->probes[0].width = s->probes[0].height = 0.4;
}

// Syrup: implicit viscosity.
static void syrup(scene *s)
{
	tank(s);
	s->fluids[0].viscosity = 50;
}

// Lists that last for several substeps, two resolutions.
static void margins(scene *s)
{
	tank(s);
	s->def.fluid_count = 2;
	s->fluids[1].spacing = 0.07;
	s->def.solver.list_margin = 0.3;
	add_fill(s, box_shape(0, 0.3, 0, 0.5, 0.5, 0.5))->fluid = 1;
}

// Gives back what steps keep between them, so that the next one has to allocate as the first one did.
static void make_cold(spate_world *w)
{
	arena_free(&w->work.scratch);
	neighbour_list_free(&w->work.list);
	w->work.list = (neighbour_list){0};
	array_free(&w->work.listed);
	world_forget_lists(w);
	// no room for what sources add
	w->state.store->capacity_step = 8;
	assert_true(store_resize(w->state.store, (w->state.store->rows + 7u) / 8 * 8, 1));
}

// Makes the n-th allocation of a step fail. Returns 0 when the step had fewer and succeeded.
static int fail_once(spate_world *w, const spate_snapshot *start, uint64_t n, int *restored)
{
	check_ok(spate_snapshot_restore(w, start, NULL));
	make_cold(w);
	uint64_t before = spate_world_hash(w);
	spate_error error = {0};
	mem_fail_at(n);
	spate_result result = spate_world_step(w, NULL, &error);
	mem_fail_at(0);
	if (result == SPATE_OK)
		return 0;
	check_result(result, SPATE_MEMORY);
	if (world_check_usable(w, NULL) == SPATE_OK)
	{
		assert_true(spate_world_hash(w) == before);
		return 1;
	}
	check_result(spate_world_step(w, NULL, &error), SPATE_UNUSABLE);
	assert_non_null(strstr(error.text, "unusable until a snapshot is restored: "));
	check_ok(spate_snapshot_restore(w, start, NULL));
	++*restored;
	return 1;
}

static void fail_everywhere(const char *name, void (*make)(scene *))
{
	scene s;
	make(&s);
	spate_world *plain = scene_create(&s), *w = NULL;
	uint64_t hashes[STEPS];
	spate_snapshot *start = NULL;
	step(plain);
	check_ok(spate_snapshot_take(&start, plain, NULL));
	for (int k = 0; k < STEPS; k++)
	{
		step(plain);
		hashes[k] = spate_world_hash(plain);
	}
	check_ok(spate_world_create_empty(&w, &s.def, NULL));
	uint64_t n = 1;
	int restored = 0, agree = 0;
	for (; n <= MOST_FAILURES && fail_once(w, start, n, &restored); n++)
	{
		int same = 1;
		for (int k = 0; k < STEPS; k++)
		{
			step(w);
			same &= spate_world_hash(w) == hashes[k];
		}
		agree += same;
	}
	print_message("%s: %d failures, %d restored, %d agree\n", name, (int)n - 1, restored, agree);
	assert_true(n > 5 && n <= MOST_FAILURES);
	assert_int_equal(agree, n - 1);
	spate_snapshot_destroy(start);
	spate_world_destroy(plain);
	spate_world_destroy(w);
}

static void every_allocation_can_fail(void **state)
{
	(void)state;
	fail_everywhere("tank", tank);
	fail_everywhere("pouring", pouring);
	fail_everywhere("syrup", syrup);
	fail_everywhere("margins", margins);
}

static void diverged_worlds_have_to_be_restored(void **state)
{
	(void)state;
	scene s;
	tank(&s);
	s.def.runaway = SPATE_RUNAWAY_STOP;
	spate_world *w = scene_create(&s);
	spate_snapshot *start = NULL;
	int done = 1;
	check_ok(spate_snapshot_take(&start, w, NULL));
	step(w);
	uint64_t hash = spate_world_hash(w);
	check_ok(spate_snapshot_restore(w, start, NULL));
	spate_world_store(w)->velocity[3].x = NAN;
	check_result(spate_world_step(w, &done, NULL), SPATE_DIVERGED);
	assert_int_equal(done, 0);
	check_result(spate_world_step(w, NULL, NULL), SPATE_UNUSABLE);
	check_ok(spate_snapshot_restore(w, start, NULL));
	step(w);
	assert_true(spate_world_hash(w) == hash);
	spate_snapshot_destroy(start);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_allocation_can_fail),
	    cmocka_unit_test(diverged_worlds_have_to_be_restored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
