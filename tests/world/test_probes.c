// What the instruments read where the answer is known.
#include "scene.h"

static void columns_have_names_and_units(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.1);
	add_fill(&s, box_shape(0, 0, 0, 1, 1, 1));
	add_probe(&s, "p", SPATE_PROBE_POINT);
	add_probe(&s, "g", SPATE_PROBE_HEIGHT)->b[1] = 1;
	add_probe(&s, NULL, SPATE_PROBE_FRONT)->direction[0] = 1;
	spate_probe_def *flux = add_probe(&s, "f", SPATE_PROBE_FLUX);
	flux->direction[0] = flux->width = flux->height = 1;
	spate_world *w = scene_create(&s);
	static const char *const expected[][2] = {
	    {"p.density", "kg/m^3"}, {"p.pressure", "Pa"}, {"p.velocity_x", "m/s"}, {"p.velocity_y", "m/s"},
	    {"p.velocity_z", "m/s"}, {"g.height", "m"},    {"probe.front", "m"},    {"f.flux", "m^3/s"}};
	assert_int_equal(spate_world_probe_columns(w), 8);
	for (uint32_t c = 0; c < 8; c++)
	{
		const char *unit = NULL;
		assert_string_equal(spate_world_probe_column(w, c, &unit), expected[c][0]);
		assert_string_equal(unit, expected[c][1]);
	}
	assert_null(spate_world_probe_column(w, 8, NULL));
	spate_world_destroy(w);
}

// The mean of the frame's substeps, of the collider asked for.
static void force_is_that_of_a_frame(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.05);
	add_collider(&s, box_shape(-5, -5, -5, 5, 5, 5), SPATE_COLLIDER_INSIDE);
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE)->friction =
	    0.3;
	spate_source_def *fill = add_fill(&s, box_shape(0, 0.025, 0, 0.3, 0.3, 0.3));
	fill->velocity[0] = 0.5, fill->velocity[1] = -1;
	add_probe(&s, "plate", SPATE_PROBE_FORCE)->collider = 1;
	add_probe(&s, "room", SPATE_PROBE_FORCE)->collider = 0;
	spate_world *w = scene_create(&s);
	static const char *const names[6] = {"force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"};
	static const char *const parts[3] = {"", "pressure_", "friction_"};
	assert_int_equal(spate_world_probe_columns(w), 36);
	for (uint32_t c = 0; c < 18; c++)
	{
		const char *unit = NULL;
		char name[64];
		snprintf(name, sizeof name, "plate.%s%s", parts[c / 6], names[c % 6]);
		assert_string_equal(spate_world_probe_column(w, c, &unit), name);
		assert_string_equal(unit, c % 6 < 3 ? "N" : "N m");
		check_near(spate_world_probe_values(w)[c], 0, 0);
	}
	for (int frame = 0; frame < 3; frame++)
	{
		double sum[18] = {0};
		for (int done = 0; !done;)
		{
			double force[18];
			check_ok(spate_world_step(w, &done, NULL));
			check_ok(spate_world_collider_force(w, 1, force, force + 3, NULL));
			check_ok(spate_world_collider_friction(w, 1, force + 12, force + 15, NULL));
			for (int k = 0; k < 6; k++)
				force[6 + k] = force[k] - force[12 + k];
			for (int k = 0; k < 18; k++)
				sum[k] += force[k] * spate_world_stats(w)->dt * s.def.fps;
		}
		assert_true(sum[1] < -1 && sum[7] < -1 && fabs(sum[12]) > 1e-3);
		for (int k = 0; k < 18; k++)
		{
			check_near(spate_world_probe_values(w)[k], sum[k], 1e-5 * fabs(sum[1]));
			check_near(spate_world_probe_values(w)[18 + k], 0, 0);
		}
	}
	spate_world_destroy(w);
}

// Before the first step the gauges show what the fills have made.
static void gauges_read_a_known_fill(void **state)
{
	(void)state;
	const double d = 0.02;
	scene s;
	scene_init(&s, d);
	add_fill(&s, box_shape(1, 0, 0, 1.4, 0.3, 0.4));
	add_fill(&s,
		 box_shape(1, 0.4, 0, 1.4, 0.5, 0.4)); // a slab above a gap, which is not the surface of what is below
	const double from[4][3] = {{1.2, 0, 0.2}, {1.2, 0.1, 0.2}, {3, 0, 0.2}, {1.21, 0.5, 0.21}};
	const double to[4][3] = {{1.2, 2, 0.2}, {1.2, 0.25, 0.2}, {3, 1, 0.2}, {1.21, 0, 0.21}};
	// to the surface, to the end of the line, nothing there, from above through the gap
	const double expected[4] = {0.3, 0.15, 0, 0.1};
	for (int k = 0; k < 4; k++)
	{
		const char *const names[4] = {"a", "b", "c", "d"};
		spate_probe_def *p = add_probe(&s, names[k], SPATE_PROBE_HEIGHT);
		memcpy(p->a, from[k], sizeof p->a);
		memcpy(p->b, to[k], sizeof p->b);
	}
	add_probe(&s, "right", SPATE_PROBE_FRONT)->direction[0] = 2;
	add_probe(&s, "down", SPATE_PROBE_FRONT)->direction[1] = -1;
	spate_world *w = scene_create(&s);
	for (uint32_t k = 0; k < 4; k++)
		check_near(spate_world_probe_values(w)[k], expected[k], 1e-5);
	check_near(probe_value(w, "right.front"), 1.4, 1e-5);
	check_near(probe_value(w, "down.front"), 0, 1e-5);
	spate_world_destroy(w);
}

// Drops that fly ahead alone, in the air or along an edge, are not the front.
static void front_leaves_out_stray_drops(void **state)
{
	(void)state;
	const double d = 0.02;
	scene s;
	scene_init(&s, d);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_collider(&s, box_shape(0, 0, 0, 2, 1, 1), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.2, 0.2, 0.2));
	add_fill(&s, box_shape(1, 0.5, 0.5, 1 + d, 0.5 + d, 0.5 + d));
	add_fill(&s, box_shape(1.5, 0, 0, 1.5 + d, d, d));
	add_probe(&s, "toe", SPATE_PROBE_FRONT)->direction[0] = 1;
	spate_world *w = scene_create(&s);
	assert_int_equal(spate_world_store(w)->rows, 1002);
	run_frame(w);
	check_near(probe_value(w, "toe.front"), 0.2, 0.4 * d);
	spate_world_destroy(w);
}

// What an emitter pours goes through a window in front of it, and none of it through one beside it.
static void flux_is_what_the_emitter_pours(void **state)
{
	(void)state;
	for (int sign = -1; sign <= 1; sign += 2)
	{
		const double d = 0.02, speed = 1.5;
		scene s;
		scene_init(&s, d);
		memset(s.def.gravity, 0, sizeof s.def.gravity);
		s.def.solver.substeps = 7;
		s.fluids[0].surface_tension = s.fluids[0].cohesion =
		    0; // the layers of the jet stay as they were poured
		spate_source_def *e = &s.sources[s.def.source_count++];
		*e = spate_default_source_def();
		e->type = SPATE_SOURCE_EMITTER;
		e->direction[2] = 1;
		e->width = 0.2, e->height = 0.1, e->speed = speed;
		const double x[2] = {0, 0.5};
		for (int k = 0; k < 2; k++)
		{
			spate_probe_def *p = add_probe(&s, k ? "beside" : "window", SPATE_PROBE_FLUX);
			p->a[0] = x[k], p->a[2] = 0.111;
			p->direction[2] = sign * 3;
			p->width = p->height = 0.4;
		}
		spate_world *w = scene_create(&s);
		run_until(w, 0.5);
		double sum = 0;
		for (int frame = 0; frame < 24; frame++)
		{
			run_frame(w);
			sum += probe_value(w, "window.flux") / 24;
			check_near(probe_value(w, "beside.flux"), 0, 0);
		}
		// 24 frames are one second; a layer more or less at the ends
		check_near(sum, sign * speed * 0.02, 1.001 * 0.02 * d);
		// nothing disturbs the jet: after 1.5 s its layers are where they belong
		check_near(spate_world_store(w)->rows, 50 * floor(1.5 * speed / d), 50);
		check_near(spate_world_stats(w)->speed_max, speed, 0.02 * speed);
		spate_world_destroy(w);
	}
}

static void point_reads_velocity_and_density(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].surface_tension = s.fluids[0].cohesion = 0; // the block moves as a whole, without pressure
	spate_source_def *fill = add_fill(&s, box_shape(-0.2, -0.2, -0.2, 0.2, 0.2, 0.2));
	fill->velocity[0] = 0.25, fill->velocity[1] = -0.5, fill->velocity[2] = 1;
	add_probe(&s, "p", SPATE_PROBE_POINT);
	spate_probe_def *far = add_probe(&s, "far", SPATE_PROBE_POINT);
	far->a[0] = 5;
	spate_world *w = scene_create(&s);
	run_frame(w);
	check_near(probe_value(w, "p.density"), 1000, 1);
	check_near(probe_value(w, "p.pressure"), 0, 1);
	check_near(probe_value(w, "p.velocity_x"), 0.25, 1e-4);
	check_near(probe_value(w, "p.velocity_y"), -0.5, 1e-4);
	check_near(probe_value(w, "p.velocity_z"), 1, 1e-4);
	check_near(probe_value(w, "far.density"), 0, 0);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(columns_have_names_and_units),   cmocka_unit_test(force_is_that_of_a_frame),
	    cmocka_unit_test(gauges_read_a_known_fill),       cmocka_unit_test(front_leaves_out_stray_drops),
	    cmocka_unit_test(flux_is_what_the_emitter_pours), cmocka_unit_test(point_reads_velocity_and_density),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
