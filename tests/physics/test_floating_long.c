// Bodies in still water: boxes find their draft, spheres sink and rise with the water that they have to move.
#include "floating.h"

// A box settles for 4 s.
static int check_box(double density)
{
	const double spacing = 0.02;
	char name[128], note[128];
	floating f = float_box(spacing, density, 10, 10);
	double level = 0, y = 0, fastest = 0, tilt = 1;
	run_until(f.world, 3.5);
	const int frames = 12;
	for (int k = 0; k < frames; k++)
	{
		run_frame(f.world);
		spate_body_state s = body_state(f.world, 0);
		level += level_beside(&f, spacing) / frames;
		y += s.position[1] / frames;
		fastest =
		    sqrt(s.velocity[0] * s.velocity[0] + s.velocity[1] * s.velocity[1] + s.velocity[2] * s.velocity[2]);
		tilt = fmin(tilt, body_axis(&s, 1));
	}
	double draft = level - (y - 0.5 * f.height), wanted = 10 * spacing;
	snprintf(note, sizeof note, "%.0f spacings wide, spacing %g m, mean of 0.5 s after 3.5 s", f.width / spacing,
		 spacing);
	snprintf(name, sizeof name, "draft of a box of density %g, by displaced mass", density);
	int good = evidence(name, draft, wanted, 0.02 * wanted, "m", note);
	snprintf(name, sizeof name, "speed after 4 s of a box of density %g", density);
	good &= evidence_at_most(name, fastest, 0.01, "m/s", note);
	snprintf(name, sizeof name, "tilt of a box of density %g", density);
	good &= evidence_at_most(name, acos(fmin(tilt, 1)) * 180 / pi, 1, "degrees", note);
	spate_world_destroy(f.world);
	return good;
}

static void boxes_find_their_draft(void **state)
{
	(void)state;
	int good = check_box(0.8);
	good &= check_box(0.5);
	assert_true(good);
}

static void light_box_finds_its_draft(void **state)
{
	(void)state;
	assert_true(check_box(0.2));
}

// A sphere that is released under water, at least 5 radii from walls: acceleration over the first radius of its way.
static int check_sphere(double density)
{
	const double radius = 0.1, spacing = radius / 6;
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
			    "with the mass of the water that moves; 12 spacings across, over one radius");
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

static void spheres_sink_and_rise(void **state)
{
	(void)state;
	int good = check_sphere(2);
	good &= check_sphere(0.5);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(boxes_find_their_draft),
	    cmocka_unit_test(light_box_finds_its_draft),
	    cmocka_unit_test(spheres_sink_and_rise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
