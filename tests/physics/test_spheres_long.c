// Spheres that are released under water sink or rise with the water that they have to move.
#include "floating.h"

// A sphere that is released under water, at least 5 radii from walls: acceleration over the first radius of its way.
static int check_sphere(double density)
{
	const double radius = 0.1, spacing = radius / 3;
	double half = 6 * radius, height = 13 * radius, g = 9.81;
	double wanted = g * (density - 1) / (density + 0.5);
	char name[128];
	body_scene s;
	body_scene_init(&s, spacing);
	s.scene.def.fps = 200;
	add_collider(&s.scene, box_shape(-half, 0, -half, half, 2 * height, half), SPATE_COLLIDER_INSIDE);
	add_fill(&s.scene, box_shape(-half, 0, -half, half, height, half));
	spate_body_def *ball =
	    add_body(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0.5 * height, 0}, {0}, radius}, NULL, 1000 * density);
	ball->release = 0.1;
	spate_world *w = scene_create(&s.scene);
	run_until(w, 0.1);
	double start = body_state(w, 0).position[1], time = spate_world_time(w), way = 0;
	while (way < radius && spate_world_time(w) < 2)
	{
		step(w);
		way = fabs(body_state(w, 0).position[1] - start);
	}
	time = spate_world_time(w) - time;
	snprintf(name, sizeof name, "acceleration of a sphere of density %g", density);
	int good = evidence(name, copysign(2 * way / (time * time), start - body_state(w, 0).position[1]), wanted,
			    0.1 * fabs(wanted), "m/s^2",
			    "with the mass of the water that moves; 6 spacings across, over one radius");
	if (density < 1)
	{
		run_until(w, spate_world_time(w) + 1.5);
		double top = body_state(w, 0).position[1] + radius;
		good &= evidence("height of the rising sphere's top above the water", top - height, radius,
				 0.6 * radius, "m", "half as dense as water: half of it is above");
	}
	spate_world_destroy(w);
	return good;
}

static void heavy_sphere_sinks(void **state)
{
	(void)state;
	assert_true(check_sphere(2));
}

static void light_sphere_rises(void **state)
{
	(void)state;
	assert_true(check_sphere(0.5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(heavy_sphere_sinks),
	    cmocka_unit_test(light_sphere_rises),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
