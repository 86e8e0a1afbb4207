// Forces on a body of liquid: what they give to it is what the liquid has.
#include "measure.h"

// A ball in empty space that a vortex spins up, with the axis through its centre. Inside the radius the torque is that of
// a = strength r / radius; it is added up over the substeps.
static void a_vortex_gives_its_torque(void **state)
{
	(void)state;
	static const double radii[] = {0.3, 0.05}; // m: all of the ball inside, and most of it outside
	int good = 1;
	for (int far = 0; far < 2; far++)
	{
		scene s;
		scene_init(&s, 0.02);
		memset(s.def.gravity, 0, sizeof s.def.gravity);
		spate_force_def vortex = spate_default_force_def();
		vortex.type = SPATE_FORCE_VORTEX;
		vortex.axis[0] = 0, vortex.axis[1] = 1, vortex.axis[2] = 0;
		vortex.strength = 3, vortex.radius = radii[far];
		s.def.forces = &vortex;
		s.def.force_count = 1;
		add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.12});
		spate_world *w = scene_create(&s);
		double given = 0;
		while (spate_world_time(w) < 0.25 - 1e-9)
		{
			double torque = 0;
			for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
			{
				double p[3], mass = 1000 * 0.02 * 0.02 * 0.02;
				place_of(w, row, p);
				double r = hypot(p[0], p[2]);
				torque += mass * r * 3 * (r < radii[far] ? r / radii[far] : radii[far] / r);
			}
			step(w);
			given += torque * spate_world_stats(w)->dt;
		}
		double has = spate_world_stats(w)->angular_momentum[1];
		char name[96];
		snprintf(name, sizeof name, "ball in a vortex, angular momentum over torque, %s the radius",
			 far ? "beyond" : "within");
		good &= evidence(name, has / given, 1, 0.03, "", "ball of 0.12 m, 3 m/s^2 for 0.25 s");
		assert_true(given > 0.01);
		spate_world_destroy(w);
	}
	assert_true(good);
}

// Uniform drag takes the momentum of a ball in empty space by exp(-k t).
static void drag_stops_a_ball(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	spate_force_def drag = spate_default_force_def();
	drag.type = SPATE_FORCE_DRAG;
	drag.drag = 4;
	s.def.forces = &drag;
	s.def.force_count = 1;
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.12})->velocity[0] = 1;
	spate_world *w = scene_create(&s);
	double start = spate_world_stats(w)->momentum[0];
	run_until(w, 0.25);
	assert_true(evidence("ball with drag, momentum left", spate_world_stats(w)->momentum[0] / start, exp(-1), 1e-3,
			     "", "4 1/s for 0.25 s"));
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_vortex_gives_its_torque),
	    cmocka_unit_test(drag_stops_a_ball),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
