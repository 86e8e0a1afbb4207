// Steps that fail: the world is as it was, or says that it has to be restored; after a retry every bit is that of an undisturbed run.
#define _GNU_SOURCE
#include "scene.h"
#include "scratch.h"

#include "base/hash.h"
#include "collider/field.h"
#include "solver/viscosity.h"
#include "spate/snapshot.h"
#include "tools/meshes/make.h"
#include "world/state.h"

enum
{
	STEPS = 4,
	MOST_FAILURES = 600,
	SEQUENCE = 4 // frames
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

// Colliders of triangles, one of which moves and is wet; probes of flow and force; vortices.
static spate_mesh *ball;

static void diving(scene *s)
{
	static const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0, -0.5, 0}, {0, 90, 0}, 1}};
	tank(s);
	s->fluids[0].vorticity = 0.5;
	spate_collider_def *diver = add_collider(s, (spate_shape){0}, SPATE_COLLIDER_OUTSIDE);
	diver->mesh.mesh = ball;
	diver->mesh.position[0] = diver->mesh.position[2] = 0.25;
	diver->mesh.position[1] = 0.28;
	diver->wet = (spate_wet_def){.size = 16, .drying = 0.5, .channel = "density"};
	diver->friction = 0.3;
	diver->motion = (spate_motion){.keyframes = keys, .keyframe_count = 2, .pivot = {0.25, 0.25, 0.25}};
	add_probe(s, "force", SPATE_PROBE_FORCE)->collider = 1;
	spate_probe_def *up = add_probe(s, "up", SPATE_PROBE_FLUX);
	up->a[0] = up->a[2] = 0.25;
	up->a[1] = 0.2;
	up->direction[1] = 1;
	up->width = up->height = 0.5;
}

// A ball that grows from frame to frame of a sequence of files.
static char ball_frames[1200];

static void growing(scene *s)
{
	tank(s);
	spate_collider_def *c = add_collider(s, (spate_shape){0}, SPATE_COLLIDER_OUTSIDE);
	c->mesh.path = ball_frames;
	c->mesh.first = 1;
	c->mesh.last = SEQUENCE;
	c->mesh.position[0] = c->mesh.position[1] = c->mesh.position[2] = 0.25;
}

static int set_up(void **state)
{
	static scratch dir;
	dir = scratch_make();
	*state = &dir;
	snprintf(ball_frames, sizeof ball_frames, "%s/ball.%%d.obj", dir.path);
	for (int frame = 1; frame <= SEQUENCE; frame++)
	{
		char name[32];
		snprintf(name, sizeof name, "ball.%d.obj", frame);
		spate_mesh_destroy(ball);
		check_ok(make_sphere(&ball, 0.06 + 0.01 * frame, 8, 4, NULL));
		check_ok(spate_mesh_write(ball, scratch_file(&dir, name), NULL));
	}
	return 0;
}

static int tear_down(void **state)
{
	spate_mesh_destroy(ball);
	scratch_remove(*state);
	return 0;
}

// All that a step changes and a host can see.
static uint64_t look(const spate_world *w)
{
	uint32_t size = 0, columns = spate_world_probe_columns(w);
	uint64_t hash = spate_world_hash(w);
	hash = hash_bytes(spate_world_probe_values(w), columns * sizeof(double), hash);
	for (uint32_t c = 0; c < w->state.colliders.count; c++)
	{
		const float *wet = spate_world_wet_map(w, c, &size), *mean = spate_world_wet_channel(w, c, NULL);
		size_t bytes = (size_t)size * size * sizeof *wet;
		hash = wet ? hash_bytes(wet, bytes, hash) : hash;
		hash = mean ? hash_bytes(mean, bytes, hash) : hash;
		hash = hash_bytes(w->state.loads[c].linear, sizeof w->state.loads[c].linear, hash);
	}
	return hash;
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

// Makes the n-th allocation of a step fail, and takes the step. Returns 0 when it had fewer.
static int fail_once(spate_world *w, const spate_snapshot *start, uint64_t n, int *restored)
{
	check_ok(spate_snapshot_restore(w, start, NULL));
	make_cold(w);
	uint64_t before = look(w);
	spate_error error = {0};
	mem_fail_at(n);
	spate_result result = spate_world_step(w, NULL, &error);
	if (mem_fail_at(0) > 0)
	{
		check_ok(result);
		return 0;
	}
	if (result == SPATE_OK) // it could do without
		return 1;
	check_result(result, SPATE_MEMORY);
	if (world_check_usable(w, NULL) == SPATE_OK)
	{
		assert_true(look(w) == before);
		step(w);
		return 1;
	}
	check_result(spate_world_step(w, NULL, &error), SPATE_UNUSABLE);
	assert_non_null(strstr(error.text, "unusable until a snapshot is restored: "));
	check_ok(spate_snapshot_restore(w, start, NULL));
	step(w);
	++*restored;
	return 1;
}

// The failures are in the step behind the first `before` ones; the check goes on to the end of `after` steps.
static void fail_everywhere(const char *name, void (*make)(scene *), int before, int after)
{
	scene s;
	make(&s);
	spate_world *plain = scene_create(&s), *w = NULL;
	uint64_t hashes[STEPS];
	spate_snapshot *start = NULL;
	while (before-- > 0)
		step(plain);
	check_ok(spate_snapshot_take(&start, plain, NULL));
	for (int k = 0; k < after; k++)
	{
		step(plain);
		hashes[k] = look(plain);
	}
	check_ok(spate_world_create_empty(&w, &s.def, NULL));
	uint64_t n = 1;
	int restored = 0, agree = 0;
	for (; n <= MOST_FAILURES && fail_once(w, start, n, &restored); n++)
	{
		int same = look(w) == hashes[0];
		for (int k = 1; k < after; k++)
		{
			step(w);
			same &= look(w) == hashes[k];
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
	fail_everywhere("tank", tank, 1, STEPS);
	fail_everywhere("pouring", pouring, 1, STEPS);
	fail_everywhere("syrup", syrup, 1, STEPS);
	fail_everywhere("margins", margins, 1, STEPS);
}

// Also those of a step that needs the next frame of a sequence.
static void every_allocation_beside_meshes_can_fail(void **state)
{
	(void)state;
	if (!distance_field_available())
		skip_without("OPENVDB");
	fail_everywhere("diving", diving, 1, STEPS);
	fail_everywhere("growing", growing, 3, 1);
}

static int is_implicit(void (*make)(scene *))
{
	scene s;
	make(&s);
	spate_world *w = scene_create(&s);
	step(w);
	step_view view = world_view(w, spate_world_stats(w)->dt);
	int implicit = -1;
	viscosity_rounds(&view, &implicit);
	spate_world_destroy(w);
	return implicit;
}

// The scenes take the paths that they are here for.
static void syrup_is_solved_implicitly(void **state)
{
	(void)state;
	assert_int_equal(is_implicit(syrup), 1);
	assert_int_equal(is_implicit(tank), 0);
}

static void the_diver_gets_wet(void **state)
{
	(void)state;
	if (!distance_field_available())
		skip_without("OPENVDB");
	scene s;
	diving(&s);
	spate_world *w = scene_create(&s);
	run_frame(w);
	uint32_t size = 0, wet = 0;
	const float *map = spate_world_wet_map(w, 1, &size);
	for (uint32_t k = 0; k < size * size; k++)
		wet += map[k] > 0;
	assert_in_range(wet, 8, size * size - 8);
	assert_true(probe_value(w, "force.force_y") != 0);
	spate_world_destroy(w);
}

// --------------------------------------------------------------------------------------------------------------- files

static int swim(void *context, double time, spate_pose *pose)
{
	(void)context, (void)time;
	pose->position[1] += 0.001;
	return 1;
}

// A ball from a sequence beside one that may be driven by the host.
static spate_world *create_beside(const scene *s, int driven)
{
	spate_world *w = scene_create(s);
	if (driven)
		check_ok(spate_world_set_pose_callback(w, 2, swim, NULL, NULL));
	return w;
}

static void fails_for_lack_of_a_file(spate_result result, const spate_error *error)
{
	if (result == SPATE_OK || !strstr(error->text, "ball.3.obj"))
		fail_msg("gave %s and '%s', expected a failure that names ball.3.obj", spate_result_name(result),
			 error->text);
}

// Steps and restores without the file.
static void go_without(spate_world *w, const spate_snapshot *start, const spate_snapshot *later, int driven)
{
	spate_error error = {0};
	uint64_t before = look(w);
	fails_for_lack_of_a_file(spate_world_step(w, NULL, &error), &error);
	assert_int_equal(world_check_usable(w, NULL), driven ? SPATE_UNUSABLE : SPATE_OK);
	assert_true(look(w) == before);
	fails_for_lack_of_a_file(spate_snapshot_restore(w, later, &error), &error);
	check_result(spate_world_step(w, NULL, NULL), SPATE_UNUSABLE);
	check_ok(spate_snapshot_restore(w, start, NULL));
	fails_for_lack_of_a_file(spate_world_step(w, NULL, &error), &error);
}

static void lose_a_frame(const scratch *dir, int driven)
{
	scene s;
	growing(&s);
	add_collider(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.1, 0.1, 0.1}, {0}, 0.06}, SPATE_COLLIDER_OUTSIDE);
	spate_world *plain = create_beside(&s, driven), *w = create_beside(&s, driven);
	spate_snapshot *start = NULL, *later = NULL;
	uint64_t hashes[2];
	run_frame(plain);
	check_ok(spate_snapshot_take(&start, plain, NULL));
	step(plain);
	hashes[0] = look(plain);
	check_ok(spate_snapshot_take(&later, plain, NULL));
	step(plain);
	hashes[1] = look(plain);

	const char *there = scratch_file(dir, "ball.3.obj"), *away = scratch_file(dir, "away.obj");
	check_ok(spate_snapshot_restore(w, start, NULL));
	assert_int_equal(rename(there, away), 0);
	go_without(w, start, later, driven);
	assert_int_equal(rename(away, there), 0);
	if (driven)
		check_ok(spate_snapshot_restore(w, start, NULL));
	for (int k = 0; k < 2; k++)
	{
		step(w);
		assert_true(look(w) == hashes[k]);
	}
	check_ok(spate_snapshot_restore(w, later, NULL));
	step(w);
	assert_true(look(w) == hashes[1]);
	spate_snapshot_destroy(start);
	spate_snapshot_destroy(later);
	spate_world_destroy(plain);
	spate_world_destroy(w);
}

// The next frame of a sequence is gone for a while. A host's pose cannot be asked for twice, so with one the world has to be restored.
static void missing_frames_can_come_back(void **state)
{
	if (!distance_field_available())
		skip_without("OPENVDB");
	lose_a_frame(*state, 0);
	lose_a_frame(*state, 1);
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
	    cmocka_unit_test(every_allocation_can_fail),    cmocka_unit_test(every_allocation_beside_meshes_can_fail),
	    cmocka_unit_test(syrup_is_solved_implicitly),   cmocka_unit_test(the_diver_gets_wet),
	    cmocka_unit_test(missing_frames_can_come_back), cmocka_unit_test(diverged_worlds_have_to_be_restored),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
