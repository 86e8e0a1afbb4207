// Bodies on hinges that the liquid moves: a flap finds the angle at which moments balance, a wheel takes power from a jet.
#include "floating.h"

// Moment (N m per m of width and per density) of what of a flap is below the level: sums over a grid. The flap is a rectangle that is
// turned about its lower corner by `angle`.
static double moment_of(double length, double thickness, double angle, double level)
{
	const int n = 400, m = 60;
	double sum = 0, c = cos(angle), s = sin(angle);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < m; k++)
		{
			double a = (i + 0.5) / n * length, b = (k + 0.5) / m * thickness;
			double x = a * c - b * s, y = a * s + b * c;
			sum += y < level ? x * length / n * thickness / m : 0;
		}
	return sum;
}

// A flap of half the density of water is hinged at the floor of a tank that is too shallow for it to stand upright.
static void flap_balances(void **state)
{
	(void)state;
	const double d = 0.5 / 30, length = 30 * d, thickness = 5 * d, width = 8 * d, density = 0.5, fill = 13 * d;
	body_scene s;
	body_scene_init(&s, d);
	add_collider(&s.scene, box_shape(-0.2, 0, 0, 0.7, 1, width), SPATE_COLLIDER_INSIDE);
	add_fill(&s.scene, box_shape(-0.2, 0, 0, 0.7, fill, width));
	// open by a little, with water below: flat on the floor it would be pressed down. It turns about its lower corner at the origin.
	const double start = 15 * pi / 180;
	double x = 0.5 * (length * cos(start) - thickness * sin(start)),
	       y = 0.5 * (length * sin(start) + thickness * cos(start));
	add_body(&s, box_shape(x - 0.5 * length, y - 0.5 * thickness, 0, x + 0.5 * length, y + 0.5 * thickness, width),
		 NULL, 1000 * density)
	    ->tilt[2] = 15;
	spate_joint_def *hinge = add_joint(&s, SPATE_JOINT_HINGE, 0, SPATE_BODY_WORLD);
	hinge->damping = 0.3;
	hinge->low = -15, hinge->high = 75;
	spate_world *w = scene_create(&s.scene);
	double volume = count_of(w) * pow(d, 3), mean = 0, least = 1e9, most = -1e9;
	run_until(w, 2.5);
	const int frames = 12;
	for (int k = 0; k < frames; k++)
	{
		run_frame(w);
		spate_body_state flap = body_state(w, 0);
		double angle = 2 * atan2(flap.rotation[3], flap.rotation[0]) * 180 / pi;
		mean += angle / frames;
		least = fmin(least, angle), most = fmax(most, angle);
	}
	// the level depends on how much of the flap is in the water
	double wanted = 0;
	for (double angle = 1; angle < 90 && wanted == 0; angle += 0.05)
	{
		double turn = angle * pi / 180, level = fill;
		for (int k = 0; k < 40; k++)
		{
			double inside = 0;
			for (int i = 0; i < 200; i++)
				for (int j = 0; j < 30; j++)
					inside += (i + 0.5) / 200 * length * sin(turn) +
						      (j + 0.5) / 30 * thickness * cos(turn) <
						  level;
			level = (volume / width + inside / 6000 * length * thickness) / 0.9;
		}
		if (moment_of(length, thickness, turn, level) < density * moment_of(length, thickness, turn, 10))
			wanted = angle;
	}
	int good = evidence("angle of a flap that floats on a hinge", mean, wanted, 3, "degrees",
			    "30 spacings long, half as dense as water, mean of 0.5 s after 2.5 s");
	good &= evidence_at_most("swing of the flap at rest", most - least, 2, "degrees", "");
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
