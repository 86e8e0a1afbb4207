// Bodies and the liquid: what is kept, what does not depend on threads, and what a snapshot holds.
#include "body_scene.h"

// A lump of water flies into a crate, without gravity.
static void splash_scene(body_scene *s)
{
	body_scene_init(s, 0.025);
	memset(s->scene.def.gravity, 0, sizeof s->scene.def.gravity);
	spate_body_def *crate = add_body(s, box_shape(-0.1, 0.02, -0.1, 0.1, 0.14, 0.12), NULL, 500);
	crate->velocity[0] = 0.3, crate->velocity[1] = -1;
	crate->spin[0] = 1, crate->spin[1] = 2;
	add_fill(&s->scene, box_shape(-0.2, -0.2, -0.2, 0.2, 0.0, 0.2))->velocity[1] = 1;
}

static void momentum_is_kept(void **state)
{
	(void)state;
	body_scene s;
	splash_scene(&s);
	spate_world *w = scene_create(&s.scene);
	double p0[3], l0[3], p[3], l[3];
	total_momentum(w, p0, l0);
	double own = spate_world_stats(w)->momentum[1], body = body_state(w, 0).momentum[1];
	double scale = fabs(own) + fabs(body), off = 0, turned = 0;
	while (spate_world_time(w) < 0.3)
	{
		step(w);
		total_momentum(w, p, l);
		for (int k = 0; k < 3; k++)
		{
			off = fmax(off, fabs(p[k] - p0[k]) / scale);
			turned = fmax(turned, fabs(l[k] - l0[k]) / (0.2 * scale));
		}
	}
	spate_body_state after = body_state(w, 0);
	print_message("momentum off by %.2g, angular momentum by %.2g; the crate got %.3g of %.3g kg m/s\n", off,
		      turned, after.momentum[1] - body, own);
	// the blow is as large as it must be: the crate is thrown back
	assert_true(after.momentum[1] - body > 0.05 * own);
	assert_true(off < 1e-6);
	assert_true(turned < 1e-3);
	spate_world_destroy(w);
}

// The same blow, of a body on a hinge at the world: the hinge takes momentum, but none of what turns about it.
static void hinge_keeps_moment(void **state)
{
	(void)state;
	body_scene s;
	body_scene_init(&s, 0.025);
	memset(s.scene.def.gravity, 0, sizeof s.scene.def.gravity);
	add_body(&s, box_shape(-0.2, 0.02, -0.1, 0.2, 0.07, 0.1), NULL, 800);
	spate_joint_def *hinge = add_joint(&s, SPATE_JOINT_HINGE, 0, SPATE_BODY_WORLD);
	hinge->anchor[1] = 0.045;
	add_fill(&s.scene, box_shape(0.0, -0.2, -0.1, 0.2, 0.0, 0.1))->velocity[1] = 1;
	spate_world *w = scene_create(&s.scene);
	double p[3], l0[3], l[3];
	total_momentum(w, p, l0);
	while (spate_world_time(w) < 0.15)
		step(w);
	total_momentum(w, p, l);
	spate_body_state gate = body_state(w, 0);
	// about the hinge rather than the origin
	double about0 = l0[2], about = l[2] + hinge->anchor[1] * p[0];
	print_message("moment about the hinge %.5g, was %.5g; the gate turns at %.3g rad/s; it moved by %.2g\n", about,
		      about0, gate.spin[2], hypot(gate.position[0], gate.position[1] - 0.045));
	assert_true(gate.spin[2] > 1);
	assert_true(fabs(about - about0) < 5e-3 * fabs(about0));
	assert_true(hypot(gate.position[0], gate.position[1] - 0.045) < 1e-3);
	spate_world_destroy(w);
}

// A basin with a floating crate, a ball that falls in, and a plank on a hinge.
static void basin_scene(body_scene *s)
{
	body_scene_init(s, 0.025);
	add_collider(&s->scene, box_shape(0, 0, 0, 0.6, 0.6, 0.4), SPATE_COLLIDER_INSIDE);
	add_fill(&s->scene, box_shape(0, 0, 0, 0.6, 0.2, 0.4));
	add_body(s, box_shape(0.05, 0.15, 0.1, 0.25, 0.25, 0.3), NULL, 500);
	add_body(s, (spate_shape){SPATE_SHAPE_SPHERE, {0.42, 0.33, 0.2}, {0}, 0.08}, NULL, 1500)->velocity[1] = -1;
	add_body(s, box_shape(0.3, 0.42, 0.15, 0.5, 0.46, 0.25), NULL, 700);
	add_joint(s, SPATE_JOINT_HINGE, 2, SPATE_BODY_WORLD)->anchor[0] = 0.3;
	s->joints[0].anchor[1] = 0.44;
}

static uint64_t run_basin(int threads, double until)
{
	body_scene s;
	basin_scene(&s);
	s.scene.def.threads = threads;
	spate_world *w = scene_create(&s.scene);
	while (spate_world_time(w) < until)
		run_frame(w);
	uint64_t hash = spate_world_hash(w);
	for (uint32_t b = 0; b < 3; b++)
	{
		spate_body_state at = body_state(w, b);
		uint64_t bits[3];
		memcpy(bits, at.position, sizeof bits);
		hash = hash * 31 + bits[0] + 7 * bits[1] + 13 * bits[2];
	}
	spate_world_destroy(w);
	return hash;
}

static void threads_do_not_matter(void **state)
{
	(void)state;
	uint64_t one = run_basin(1, 0.2);
	for (int threads = 2; threads <= 4; threads++)
	{
		uint64_t many = run_basin(threads, 0.2);
		print_message("%d threads: %016llx, one: %016llx\n", threads, (unsigned long long)many,
			      (unsigned long long)one);
		assert_true(many == one);
	}
}

static void snapshot_holds_bodies(void **state)
{
	(void)state;
	body_scene s;
	basin_scene(&s);
	spate_error error = {0};
	spate_world *a = scene_create(&s.scene), *b = scene_create(&s.scene);
	spate_snapshot *snapshot = NULL;
	for (int n = 0; n < 25; n++)
		step(a); // in the middle of a frame, and of the splash
	check_ok(spate_snapshot_take(&snapshot, a, &error));
	check_ok(spate_snapshot_restore(b, snapshot, &error));
	for (int n = 0; n < 25; n++)
		step(a), step(b);
	assert_true(spate_world_hash(a) == spate_world_hash(b));
	for (uint32_t k = 0; k < 3; k++)
	{
		spate_body_state x = body_state(a, k), y = body_state(b, k);
		assert_memory_equal(x.position, y.position, sizeof x.position);
		assert_memory_equal(x.rotation, y.rotation, sizeof x.rotation);
		assert_memory_equal(x.velocity, y.velocity, sizeof x.velocity);
		assert_memory_equal(x.spin, y.spin, sizeof x.spin);
	}
	// a world with other bodies refuses it
	s.scene.def.body_count = 2;
	s.scene.def.joint_count = 0;
	spate_world *other = scene_create(&s.scene);
	assert_int_equal(spate_snapshot_restore(other, snapshot, &error), SPATE_FORMAT);
	spate_snapshot_destroy(snapshot);
	spate_world_destroy(a), spate_world_destroy(b), spate_world_destroy(other);
}

// A body far lighter than the water that it lies in neither leaps nor blows up, and one far heavier sinks.
static void density_ratios_are_stable(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++)
	{
		const double density = k ? 20000 : 20;
		body_scene s;
		body_scene_init(&s, 0.025);
		add_collider(&s.scene, box_shape(0, 0, 0, 0.5, 0.8, 0.5), SPATE_COLLIDER_INSIDE);
		add_fill(&s.scene, box_shape(0, 0, 0, 0.5, 0.25, 0.5));
		// at the place where it floats, or at the surface
		double bottom = k ? 0.25 : 0.25 - 0.02 * 0.1;
		add_body(&s, box_shape(0.15, bottom, 0.15, 0.35, bottom + 0.1, 0.35), NULL, density);
		spate_world *w = scene_create(&s.scene);
		double highest = -1, fastest = 0, start = body_state(w, 0).position[1];
		while (spate_world_time(w) < 0.5)
		{
			step(w);
			highest = fmax(highest, body_state(w, 0).position[1] - start);
			fastest = fmax(fastest, spate_world_stats(w)->speed_max);
		}
		print_message("density %g: rose by %.2f spacings, fastest particle %.2f m/s, body at %.3f m/s\n",
			      density, highest / 0.025, fastest, body_state(w, 0).velocity[1]);
		assert_true(highest < 0.5 * 0.025);
		// the largest physical speed is that of a fall through the tank
		assert_true(fastest < 3 * sqrt(2 * 9.81 * 0.3));
		spate_world_destroy(w);
	}
}

int main(void)
{
	if (!has_ode())
		return skip_program_without("ODE");
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(momentum_is_kept),          cmocka_unit_test(hinge_keeps_moment),
	    cmocka_unit_test(threads_do_not_matter),     cmocka_unit_test(snapshot_holds_bodies),
	    cmocka_unit_test(density_ratios_are_stable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
