// Colliders driven by the host, and the poses that the world reports.
#include "collider/collider.h"
#include "scene.h"

// A paddle in a shallow tank; substeps are fixed, so that worlds can be compared.
static void paddle_scene(scene *s)
{
	scene_init(s, 0.02);
	s->def.solver.substeps = 4;
	s->def.fps = 50;
	add_collider(s, box_shape(0, 0, 0, 0.4, 0.3, 0.1), SPATE_COLLIDER_INSIDE);
	add_collider(s, box_shape(0.3, 0, -0.1, 0.34, 0.3, 0.2), SPATE_COLLIDER_OUTSIDE)->name = "paddle";
	add_fill(s, box_shape(0, 0, 0, 0.28, 0.1, 0.1));
}

static const spate_keyframe push_keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {-0.5, 0.125, 0}, {0, 0, 0}, 1}};

// The path of push_keys, as the keyframes compute it.
static int push(void *context, double time, spate_pose *pose)
{
	*(int *)context += 1;
	*pose = spate_default_pose();
	pose->position[0] = 0.0 + time * -0.5;
	pose->position[1] = 0.0 + time * 0.125;
	return 1;
}

static void callback_moves_as_keyframes_do(void **state)
{
	(void)state;
	scene keyed, driven;
	paddle_scene(&keyed), paddle_scene(&driven);
	keyed.colliders[1].motion.keyframes = push_keys, keyed.colliders[1].motion.keyframe_count = 2;
	spate_world *a = scene_create(&keyed), *b = scene_create(&driven);
	int calls = 0;
	spate_error error = {0};
	check_ok(spate_world_set_pose_callback(b, 1, push, &calls, &error));
	assert_int_equal(calls, 1);
	for (int frame = 0; frame < 8; frame++)
	{
		run_frame(a), run_frame(b);
		assert_true(spate_world_hash(a) == spate_world_hash(b));
	}
	spate_pose pose;
	check_ok(spate_world_pose(b, 1, &pose, &error));
	check_near(pose.position[0], -0.5 * 0.16, 1e-12);
	check_near(pose.position[1], 0.125 * 0.16, 1e-12);
	// back to the definition, which does not move
	check_ok(spate_world_set_pose_callback(b, 1, NULL, NULL, &error));
	int before = calls;
	run_frame(b);
	check_ok(spate_world_pose(b, 1, &pose, &error));
	check_near(pose.position[0], 0, 0);
	assert_int_equal(calls, before);
	spate_world_destroy(a), spate_world_destroy(b);
}

// A pose about any axis, with a scale.
static int turn(void *context, double time, spate_pose *pose)
{
	(void)context;
	pose->position[0] = 0.1 + time, pose->position[1] = 0.5, pose->position[2] = -0.2;
	// 120 degrees about (1, 1, 1), as a quaternion of length 2
	pose->rotation[0] = pose->rotation[1] = pose->rotation[2] = pose->rotation[3] = 1;
	pose->scale = 0.5;
	return 1;
}

static void world_reports_poses(void **state)
{
	(void)state;
	const spate_keyframe key = {0, {0.25, 0, 0}, {0, 90, 0}, 2};
	scene s;
	paddle_scene(&s);
	s.colliders[1].motion = (spate_motion){.keyframes = &key, .keyframe_count = 1, .pivot = {1, 2, 3}};
	spate_world *w = scene_create(&s);
	spate_error error = {0};
	spate_pose pose;
	check_ok(spate_world_pose(w, 0, &pose, &error));
	const spate_pose unmoved = spate_default_pose();
	for (int k = 0; k < 3; k++)
		check_near(pose.position[k], 0, 0);
	assert_memory_equal(pose.rotation, unmoved.rotation, sizeof pose.rotation);
	check_near(pose.scale, 1, 0);
	// x = pivot + offset + 2 R (p - pivot), where R takes z to x and x to -z
	check_ok(spate_world_pose(w, 1, &pose, &error));
	const double expected[8] = {1.25 - 6, 2 - 4, 3 + 2, sqrt(0.5), 0, sqrt(0.5), 0, 2};
	for (int k = 0; k < 8; k++)
		check_near((k < 3   ? pose.position
			    : k < 7 ? pose.rotation - 3
				    : &pose.scale - 7)[k],
			   expected[k], 1e-12);

	check_ok(spate_world_set_pose_callback(w, 1, turn, NULL, &error));
	run_frame(w);
	check_ok(spate_world_pose(w, 1, &pose, &error));
	check_near(pose.position[0], 0.12, 1e-12);
	check_near(pose.position[1], 0.5, 1e-12);
	check_near(pose.position[2], -0.2, 1e-12);
	for (int k = 0; k < 4; k++)
		check_near(pose.rotation[k], 0.5, 1e-12);
	check_near(pose.scale, 0.5, 0);
	spate_world_destroy(w);
}

// A host that knows only the present: every answer is 8 mm further, whatever the time.
static int jump(void *context, double time, spate_pose *pose)
{
	(void)time;
	*pose = spate_default_pose();
	pose->position[0] = -0.008 * ++*(int *)context;
	return 1;
}

// The liquid is pushed ahead of a collider that jumps; nothing ends up behind or inside it.
static void path_has_no_gaps(void **state)
{
	(void)state;
	scene s;
	paddle_scene(&s);
	spate_world *w = scene_create(&s);
	spate_error error = {0};
	int calls = 0;
	check_ok(spate_world_set_pose_callback(w, 1, jump, &calls, &error));
	for (int k = 0; k < 8; k++)
	{
		step(w);
		assert_int_equal(spate_world_stats(w)->outside, 0);
	}
	spate_pose pose;
	check_ok(spate_world_pose(w, 1, &pose, &error));
	assert_int_equal(calls, 9);
	check_near(pose.position[0], -0.008 * 9, 1e-12);
	const spate_store *store = spate_world_store(w);
	for (uint32_t row = 0; row < store->rows; row++)
		assert_true((double)store->position[row].x + spate_world_origin(w)[0] < 0.3 - 0.008 * 9);
	spate_world_destroy(w);
}

// What a snapshot keeps of a driven collider: the pose at which its path continues.
static void state_of_providers_is_kept(void **state)
{
	(void)state;
	spate_collider_def defs[2] = {spate_default_collider_def(), spate_default_collider_def()};
	for (int k = 0; k < 2; k++)
		defs[k].shape = (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 1};
	collider_set a, b;
	int calls = 0, other = 100;
	check_ok(collider_set_create(&a, defs, 2, &(collider_world){0}, NULL));
	check_ok(collider_set_create(&b, defs, 2, &(collider_world){0}, NULL));
	assert_int_equal(a.colliders[1].pose.type->state_count, 0);
	check_ok(collider_set_drive(&a, 1, jump, &calls, 0, NULL));
	check_ok(collider_set_move(&a, 0, 0.1, NULL));
	check_ok(collider_set_drive(&b, 1, jump, &other, 0, NULL));
	double kept[POSE_MOST_STATE];
	const pose_source *from = &a.colliders[1].pose, *to = &b.colliders[1].pose;
	assert_int_equal(from->type->state_count, 10);
	from->type->save(from->self, kept);
	assert_true(to->type->load(to->self, kept));
	check_ok(collider_set_move(&b, 0.1, 0.2, NULL));
	check_near((double)b.colliders[1].before.translation.x, -0.008 * 2, 1e-7);
	check_near((double)b.colliders[1].now.translation.x, -0.008 * 102, 1e-6);
	// states that are none
	kept[9] = 0; // the scale
	assert_false(to->type->load(to->self, kept));
	kept[0] = NAN;
	assert_false(to->type->load(to->self, kept));
	collider_set_destroy(&a), collider_set_destroy(&b);
}

static int give_bad(void *context, double time, spate_pose *pose)
{
	(void)time;
	switch (*(int *)context)
	{
	case 0:
		return 0;
	case 1:
		pose->scale = 0;
		break;
	case 2:
		pose->position[1] = NAN;
		break;
	case 3:
		memset(pose->rotation, 0, sizeof pose->rotation);
		break;
	case 4:
		pose->scale = INFINITY;
		break;
	default:
		break;
	}
	return 1;
}

static void bad_poses_are_refused(void **state)
{
	(void)state;
	scene s;
	paddle_scene(&s);
	spate_world *w = scene_create(&s);
	uint64_t hash = spate_world_hash(w);
	spate_error error = {0};
	spate_pose pose;
	for (int kind = 0; kind < 5; kind++)
	{
		check_result(spate_world_set_pose_callback(w, 1, give_bad, &kind, &error), SPATE_INVALID);
		assert_non_null(strstr(error.text, "collider 'paddle' gave no pose for time 0 s"));
	}
	check_result(spate_world_set_pose_callback(w, 2, give_bad, NULL, &error), SPATE_INVALID);
	check_result(spate_world_set_pose_callback(NULL, 0, give_bad, NULL, &error), SPATE_INVALID);
	check_result(spate_world_pose(w, 2, &pose, &error), SPATE_INVALID);
	assert_true(hash == spate_world_hash(w));
	int kind = 9;
	check_ok(spate_world_set_pose_callback(w, 1, give_bad, &kind, &error));
	step(w);
	kind = 2;
	check_result(spate_world_step(w, NULL, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "paddle"));
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(callback_moves_as_keyframes_do),
					   cmocka_unit_test(world_reports_poses), cmocka_unit_test(path_has_no_gaps),
					   cmocka_unit_test(state_of_providers_is_kept),
					   cmocka_unit_test(bad_poses_are_refused)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
