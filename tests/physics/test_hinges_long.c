// Bodies on hinges that the liquid moves: a flap finds the angle at which moments balance, a wheel takes power from a jet.
#include "floating.h"

// Moment (N m per m of width, about the origin) of water on a face from one place to another, with the solid to the left of the way.
static double moment_on(const double from[2], const double to[2], double level)
{
	const int n = 400;
	double sum = 0, way[2] = {(to[0] - from[0]) / n, (to[1] - from[1]) / n};
	for (int k = 0; k < n; k++)
	{
		double x = from[0] + (k + 0.5) * way[0], y = from[1] + (k + 0.5) * way[1];
		double pressure = 1000 * 9.81 * fmax(level - y, 0), force[2] = {-pressure * way[1], pressure * way[0]};
		sum += x * force[1] - y * force[0];
	}
	return sum;
}

// Of a flap that turns about its lower corner at the origin, with water of two levels: before its end and below it, and behind and above it.
static double moment_of(double length, double thickness, double density, double angle, double behind, double before)
{
	double c = cos(angle), s = sin(angle);
	const double corners[4][2] = {{0, 0},
				      {length * c, length * s},
				      {length * c - thickness * s, length * s + thickness * c},
				      {-thickness * s, thickness * c}};
	double sum = 0;
	for (int k = 0; k < 4; k++)
		sum += moment_on(corners[k], corners[(k + 1) % 4], k < 2 ? before : behind);
	return sum - density * 9.81 * length * thickness * 0.5 * (length * c - thickness * s);
}

// A flap of half the density of water is hinged at the floor of a channel that it fills. It rises until it dams the water behind it, and
// rests where moments balance.
static void flap_balances(void **state)
{
	(void)state;
	const double d = 0.5 / 20, length = 20 * d, thickness = 4 * d, width = 6 * d, density = 500, fill = 9 * d;
	body_scene s;
	body_scene_init(&s, d);
	add_collider(&s.scene, box_shape(-0.2, 0, 0, 0.7, 1, width), SPATE_COLLIDER_INSIDE);
	add_fill(&s.scene, box_shape(-0.2, 0, 0, 0.7, fill, width));
	// open by a little, with water below: flat on the floor it would be pressed down
	const double start = 15 * pi / 180;
	double x = 0.5 * (length * cos(start) - thickness * sin(start)),
	       y = 0.5 * (length * sin(start) + thickness * cos(start));
	add_body(&s, box_shape(x - 0.5 * length, y - 0.5 * thickness, 0, x + 0.5 * length, y + 0.5 * thickness, width),
		 NULL, density)
	    ->tilt[2] = 15;
	spate_joint_def *hinge = add_joint(&s, SPATE_JOINT_HINGE, 0, SPATE_BODY_WORLD);
	hinge->damping = 0.5;
	for (int k = 0; k < 2; k++)
	{
		spate_probe_def *level = add_probe(&s.scene, k ? "before" : "behind", SPATE_PROBE_HEIGHT);
		level->a[0] = level->b[0] = k ? 0.62 : -0.1;
		level->a[2] = level->b[2] = 0.5 * width;
		level->b[1] = 1;
	}
	spate_world *w = scene_create(&s.scene);
	double mean = 0, levels[2] = {0, 0}, wanted = 1;
	run_until(w, 2);
	const int frames = 24;
	for (int k = 0; k < frames; k++)
	{
		run_frame(w);
		spate_body_state flap = body_state(w, 0);
		mean += 2 * atan2(flap.rotation[3], flap.rotation[0]) * 180 / pi / frames;
		levels[0] += probe_value(w, "behind.height") / frames;
		levels[1] += probe_value(w, "before.height") / frames;
	}
	while (wanted < 89 && moment_of(length, thickness, density, wanted * pi / 180, levels[0], levels[1]) > 0)
		wanted += 0.02;
	print_message("levels %.4f m behind and %.4f m before it\n", levels[0], levels[1]);
	int good =
	    evidence("angle of a flap on a hinge that dams water", mean, wanted, 3, "degrees",
		     "20 spacings long, half as dense as water; balance of moments by the two levels; mean of 1 s");
	good &= evidence("level that the flap holds back", levels[0] - levels[1], 0.04, 0.02, "m", "it does hold back");
	spate_world_destroy(w);
	assert_true(good);
}

// A jet hits the paddles of a wheel with a brake.
static void wheel_takes_power(void **state)
{
	(void)state;
	const double d = 0.015, speed = 2.5, radius = 0.03, brake = 0.02;
	spate_mesh *mesh = NULL;
	spate_error error = {0};
	char path[2048];
	snprintf(path, sizeof path, "%s/scenes/meshes/wheel.obj", getenv("SPATE_SOURCE"));
	check_ok(spate_mesh_read(&mesh, path, &error));
	body_scene s;
	body_scene_init(&s, d);
	spate_body_def *wheel = add_body(&s, (spate_shape){0}, mesh, 300);
	s.scene.colliders[wheel->collider].mesh.scale = 0.8;
	add_joint(&s, SPATE_JOINT_HINGE, 0, SPATE_BODY_WORLD)->damping = brake;
	spate_source_def *jet = &s.scene.sources[s.scene.def.source_count++];
	*jet = spate_default_source_def();
	jet->type = SPATE_SOURCE_EMITTER;
	jet->position[0] = -0.5, jet->position[1] = 0.26;
	jet->direction[0] = 1;
	jet->speed = speed, jet->radius = radius;
	spate_sink_def *out = &s.scene.sinks[s.scene.def.sink_count++];
	*out = spate_default_sink_def();
	out->shape = box_shape(-2, -0.8, -2, 2, 1.5, 2);
	out->outside = 1;
	spate_world *w = scene_create(&s.scene);
	spate_mesh_destroy(mesh);
	double power = 0;
	run_until(w, 1.5);
	const int frames = 24;
	for (int k = 0; k < frames; k++)
	{
		run_frame(w);
		double spin = body_state(w, 0).spin[2];
		power += brake * spin * spin / frames;
	}
	double given = 0.5 * 1000 * pi * radius * radius * speed * speed * speed, spin = body_state(w, 0).spin[2];
	print_message("the wheel turns at %.3g rad/s\n", spin);
	int good =
	    evidence("part of a jet's power that a wheel takes", power / given, 0.3, 0.27, "", "5 to 60 % is expected");
	// hit from above, it turns with the jet
	good &= evidence_at_most("spin of the wheel", spin, 0, "rad/s", "");
	spate_world_destroy(w);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(flap_balances),
	    cmocka_unit_test(wheel_takes_power),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
