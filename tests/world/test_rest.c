// Liquid that should do nothing, or only fall.
#include "scene.h"

#include "base/vec.h"

// ----------------------------------------------------------------------------------------------------------- still tank

// 16 x 16 x 16 particles at rest in a box for two seconds.
static void still_tank_stays_still(void **state)
{
	(void)state;
	const double d = 0.0125, depth = 0.2;
	scene s;
	scene_init(&s, d);
	add_collider(&s, box_shape(0, 0, 0, 0.2, 0.4, 0.2), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.2, depth, 0.2));
	const double depths[2] = {0.15, 0.1};
	for (int k = 0; k < 2; k++)
	{
		spate_probe_def *p = add_probe(&s, k ? "middle" : "low", SPATE_PROBE_POINT);
		p->a[0] = p->a[2] = 0.1, p->a[1] = depth - depths[k];
	}
	spate_probe_def *gauge = add_probe(&s, "gauge", SPATE_PROBE_HEIGHT);
	gauge->a[0] = gauge->a[2] = gauge->b[0] = gauge->b[2] = 0.1, gauge->b[1] = 0.4;
	spate_world *w = scene_create(&s);
	assert_int_equal(spate_store_count(spate_world_store(w)), 4096);
	// what a lattice has too much beside the walls has found its way to the surface
	check_near(probe_value(w, "gauge.height"), depth, 0.01 * depth);

	double mass = 4096 * 1000 * d * d * d, early = 0, late = 0, pressure[2] = {0, 0}, error = 0, density = 0,
	       height = 0;
	for (int frame = 1; frame <= 48; frame++)
	{
		run_frame(w);
		const spate_step_stats *stats = spate_world_stats(w);
		double rms = sqrt(2 * stats->kinetic_energy / mass);
		early += frame <= 12 ? rms / 12 : 0;
		late += frame > 36 ? rms / 12 : 0;
		if (frame > 24)
		{
			pressure[0] += probe_value(w, "low.pressure") / 24;
			pressure[1] += probe_value(w, "middle.pressure") / 24;
			density += probe_value(w, "middle.density") / 24;
			height += probe_value(w, "gauge.height") / 24;
		}
		error = fmax(error, stats->density_error_avg);
		assert_int_equal(stats->outside, 0);
		assert_int_equal(stats->removed, 0);
		assert_int_equal(stats->particles, 4096);
	}
	assert_true(error < 0.03);
	check_near(density, 1000, 30);
	check_near(height, depth, 0.05 * depth);
	for (int k = 0; k < 2; k++)
		check_near(pressure[k], 1000 * 9.81 * depths[k], 0.1 * 1000 * 9.81 * depths[k]);
	if (!(early < 0.01 && late < 0.01))
		fail_msg("rms speed was %g m/s at first and is %g m/s at last", early, late);

	// nothing is nearer to walls than the guard of the contacts
	const spate_store *store = spate_world_store(w);
	const double *origin = spate_world_origin(w);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		vec4 p = store->position[row];
		double x = (double)p.x + origin[0], y = (double)p.y + origin[1], z = (double)p.z + origin[2];
		double nearest = fmin(fmin(fmin(x, 0.2 - x), fmin(z, 0.2 - z)), y);
		if (!(nearest > 0.249 * d))
			fail_msg("a particle is %g m from a wall", nearest);
	}
	spate_world_destroy(w);
}

// ------------------------------------------------------------------------------------------------------------ free fall

static void blob_falls_freely(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.05);
	s.def.solver.substeps = 10;
	s.fluids[0].surface_tension = 0; // it would round the lattice
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 10, 0}, {0, 0, 0}, 0.3})->velocity[0] = 2;
	spate_world *w = scene_create(&s);
	const spate_store *store = spate_world_store(w);
	double mass = store->rows * 1000 * 0.05 * 0.05 * 0.05, x0[3] = {0, 0, 0}, x1[3] = {0, 0, 0};
	for (uint32_t row = 0; row < store->rows; row++)
	{
		vec4 p = store->position[row];
		x0[0] += (double)p.x / store->rows, x0[1] += (double)p.y / store->rows,
		    x0[2] += (double)p.z / store->rows;
	}
	run_until(w, 0.5);
	const spate_step_stats *stats = spate_world_stats(w);
	double t = 0.5, dt = 1.0 / 240;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		vec4 p = store->position[row], v = store->velocity[row];
		x1[0] += (double)p.x / store->rows, x1[1] += (double)p.y / store->rows,
		    x1[2] += (double)p.z / store->rows;
		check_near((double)v.x, 2, 1e-4);
		check_near((double)v.y, -9.81 * t, 1e-4);
	}
	// symplectic Euler: the mean of the velocities at the ends of the steps, half a step ahead of the parabola
	check_near(x1[0] - x0[0], 2 * t, 1e-5);
	check_near(x1[1] - x0[1], -9.81 * t * (t + dt) / 2, 1e-5);
	check_near(x1[1] - x0[1], -9.81 * t * t / 2, 1.01 * 9.81 * t * dt / 2);
	check_near(x1[2] - x0[2], 0, 1e-5);
	check_near(stats->momentum[0], 2 * mass, 1e-5 * mass);
	check_near(stats->momentum[1], -9.81 * t * mass, 2e-5 * mass);
	check_near(stats->kinetic_energy, 0.5 * mass * (4 + pow(9.81 * t, 2)), 1e-4 * mass);
	spate_world_destroy(w);
}

static void blob_without_gravity_stays(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.01);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].surface_tension = s.fluids[0].cohesion = 0; // it would round the cube
	add_fill(&s, box_shape(0, 0, 0, 0.1, 0.1, 0.1));
	spate_world *w = scene_create(&s);
	run_until(w, 1);
	assert_true(spate_world_stats(w)->speed_max < 1e-4);
	check_near(spate_world_stats(w)->potential_energy, 0, 0);
	spate_world_destroy(w);
}

// Turned by a quarter, gravity makes the same fall: no axis is special.
static void gravity_may_point_anywhere(void **state)
{
	(void)state;
	double height[3];
	for (int axis = 0; axis < 3; axis++)
	{
		scene s;
		scene_init(&s, 0.025);
		memset(s.def.gravity, 0, sizeof s.def.gravity);
		s.def.gravity[axis] = -9.81;
		add_collider(&s, box_shape(0, 0, 0, 0.3, 0.3, 0.3), SPATE_COLLIDER_INSIDE);
		spate_source_def *fill = add_fill(&s, box_shape(0, 0, 0, 0.3, 0.3, 0.3));
		fill->shape.b[axis] = 0.1;
		fill->shape.b[(axis + 1) % 3] = 0.15;
		spate_world *w = scene_create(&s);
		run_until(w, 0.25);
		height[axis] = spate_world_stats(w)->potential_energy;
		spate_world_destroy(w);
	}
	check_near(height[1], height[0], 0.02 * height[0]);
	check_near(height[2], height[0], 0.02 * height[0]);
}

// A box filled to its last corner has a little more than fits, and no surface to take it: no spring must be wound up by that.
static void full_box_is_not_squeezed(void **state)
{
	(void)state;
	const double d = 0.0125;
	scene s;
	scene_init(&s, d);
	add_collider(&s, box_shape(0, 0, 0, 0.2, 0.3, 0.2), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.2, 0.3, 0.2));
	spate_world *w = scene_create(&s);
	assert_int_equal(spate_store_count(spate_world_store(w)), 6144);
	check_ok(spate_world_step(w, NULL, NULL));
	double error = spate_world_stats(w)->density_error_avg;
	if (!(error < 0.002))
		fail_msg("a full box starts squeezed by %g, expected less than 0.002", error);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(still_tank_stays_still),     cmocka_unit_test(full_box_is_not_squeezed),
	    cmocka_unit_test(blob_falls_freely),          cmocka_unit_test(blob_without_gravity_stays),
	    cmocka_unit_test(gravity_may_point_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
