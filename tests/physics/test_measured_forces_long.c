// More forces that probes measure: buoyancy of round bodies, of meshes and of few spacings, by all solvers; drag on what is towed.
#include "../collider/meshes.h"
#include "each_solver.h"
#include "measured_forces.h"

static const double ball_volume = 4.0 / 3.0 * 3.14159265358979323846 * 1e-3;

static void water_lifts_a_box(void **state)
{
	(void)state;
	const immersed box = {.shape = box_shape(-0.1, -0.1, -0.1, 0.1, 0.1, 0.1),
			      .width = 0.2,
			      .volume = 0.008,
			      .layers = 20,
			      .clear = 8};
	assert_true(check_buoyancy("box of 20 spacings", &box, 0.03));
}

static void water_lifts_balls(void **state)
{
	(void)state;
	immersed ball = {.shape = {SPATE_SHAPE_SPHERE, {0}, {0}, 0.1},
			 .width = 0.2,
			 .volume = ball_volume,
			 .layers = 16,
			 .clear = 8};
	int good = check_buoyancy("ball", &ball, 0.03);
	if (distance_field_available())
	{
		soup triangles = {0};
		add_sphere(&triangles, vec3_make(0, 0, 0), 0.1f, 24);
		spate_mesh mesh = mesh_of(&triangles);
		ball.shape = (spate_shape){0};
		ball.mesh = &mesh;
		good &= check_buoyancy("ball of triangles", &ball, 0.03);
		soup_free(&triangles);
	}
	assert_true(good);
}

// What edges are off by counts for more where there are few spacings.
static int lift(int type, const char *solver)
{
	(void)type;
	char what[ROW_CHARS];
	const immersed box = {.shape = box_shape(-0.1, -0.1, -0.1, 0.1, 0.1, 0.1),
			      .width = 0.2,
			      .volume = 0.008,
			      .layers = 10,
			      .clear = 6};
	double mean[4], lift = 1000 * 9.81 * box.volume;
	measure_immersed(&box, 12, mean);
	return evidence_compare(row_of(what, solver, "force on a fixed immersed box of few spacings"), mean[1], lift,
				"N", "rho g V; 10 spacings wide, 6 below the surface, mean over 12 frames");
}

static void small_boxes_are_lifted_by_every_solver(void **state)
{
	(void)state;
	with_each_solver(lift);
}

// A ball that is towed at a constant speed through a tank, deep under water. The published coefficient is that of a Reynolds number of 1e5 in
// an infinite liquid; that of the particles is far lower.
static void towed_ball_is_held_back(void **state)
{
	(void)state;
	static const spate_keyframe keys[2] = {{.scale = 1}, {.time = 2, .position = {1, 0, 0}, .scale = 1}};
	const double radius = 0.1, speed = 0.5, spacing = 0.02;
	scene s;
	scene_init(&s, spacing);
	add_collider(&s, box_shape(-0.3, -0.3, -0.3, 0.9, 0.6, 0.3), SPATE_COLLIDER_INSIDE);
	add_collider(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0}, {0}, radius}, SPATE_COLLIDER_OUTSIDE)->motion =
	    (spate_motion){.keyframes = keys, .keyframe_count = 2};
	add_fill(&s, box_shape(-0.3, -0.3, -0.3, 0.9, 0.3, 0.3));
	add_probe(&s, "ball", SPATE_PROBE_FORCE)->collider = 1;
	spate_world *w = scene_create(&s);
	static const char *const columns[] = {"ball.force_x", "ball.pressure_force_x", "ball.friction_force_x"};
	double mean[3], unit = 0.5 * 1000 * speed * speed * pi * radius * radius;
	run_until(w, 0.6);
	mean_of(w, 12, columns, 3, mean);
	spate_world_destroy(w);
	const char *note =
	    "radius 0.1 m, 0.5 m/s, 5 spacings per radius, from 0.6 to 1.1 s, in a tank 0.6 m x 0.6 m across";
	int good = evidence_compare("drag coefficient of a towed ball", -mean[0] / unit, 0.47, "", note);
	good &= evidence_report("part of it by pressure", -mean[1] / unit, "", note);
	good &= evidence_report("part of it by friction", -mean[2] / unit, "", note);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(water_lifts_a_box),
	    cmocka_unit_test(water_lifts_balls),
	    cmocka_unit_test(small_boxes_are_lifted_by_every_solver),
	    cmocka_unit_test(towed_ball_is_held_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
