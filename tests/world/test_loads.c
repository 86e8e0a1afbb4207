// What the liquid gives to colliders: the weight of a still liquid, and the balance of momentum with all that colliders do.
#include "../collider/meshes.h"
#include "scene.h"

static const double gravity = 9.81;

// A world that sums loads.
static spate_world *create(const scene *s)
{
	spate_world *w = scene_create(s);
	spate_world_set_loads(w, 1);
	return w;
}

static double mass_of(const spate_world *w, double spacing, double density)
{
	return spate_world_stats(w)->particles * density * spacing * spacing * spacing;
}

// The difference between the change of momentum in a step and what gravity and the colliders gave, and the largest impulse of the step.
static double unbalanced(spate_world *w, double mass, uint32_t colliders, double *largest)
{
	double before[3], off[3], worst = 0;
	memcpy(before, spate_world_stats(w)->momentum, sizeof before);
	step(w);
	const spate_step_stats *stats = spate_world_stats(w);
	assert_true(stats->removed == 0 && stats->clamped == 0);
	for (int k = 0; k < 3; k++)
		off[k] = stats->momentum[k] - before[k];
	off[1] += mass * gravity * stats->dt;
	*largest = mass * gravity * stats->dt;
	for (uint32_t c = 0; c < colliders; c++)
	{
		double force[3];
		check_ok(spate_world_collider_force(w, c, force, NULL, NULL));
		for (int k = 0; k < 3; k++)
		{
			off[k] += force[k] * stats->dt;
			*largest = fmax(*largest, fabs(force[k] * stats->dt));
		}
	}
	for (int k = 0; k < 3; k++)
		worst = fmax(worst, fabs(off[k]));
	return worst;
}

static void check_balance_of(scene *s, const char *solver, double time, double tolerance)
{
	s->def.solver.type = spate_solver_find(solver);
	spate_world *w = create(s);
	double mass = mass_of(w, s->fluids[0].spacing, s->fluids[0].density);
	while (spate_world_time(w) < time)
	{
		double largest, off = unbalanced(w, mass, s->def.collider_count, &largest);
		if (!(off <= tolerance * largest))
			fail_msg("%s, step %llu: %g N s of %g N s are missing", solver,
				 (unsigned long long)spate_world_stats(w)->step, off, largest);
	}
	spate_world_destroy(w);
}

static void check_balance(scene *s, double time, double tolerance)
{
	check_balance_of(s, "pbf", time, tolerance);
	check_balance_of(s, "projection", time, tolerance);
}

// A blob falls on a plate.
static void plate_takes_the_momentum_of_a_blob(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, box_shape(-0.1, 0.03, -0.1, 0.1, 0.2, 0.1))->velocity[1] = -2;
	check_balance(&s, 0.2, 1e-5);
}

static const spate_keyframe paddle_keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {-0.4, 0, 0}, {0, 0, 90}, 0.8}};

// Everything at once that colliders do to particles, with liquids that cohere, adhere and are thick.
static void everything(scene *s)
{
	scene_init(s, 0.02);
	add_collider(s, box_shape(0, 0, 0, 0.4, 0.5, 0.2), SPATE_COLLIDER_INSIDE)->friction = 0.3;
	s->colliders[0].bounce = 0.4;
	spate_collider_def *paddle = add_collider(s, box_shape(0.3, 0, -0.1, 0.36, 0.3, 0.3), SPATE_COLLIDER_OUTSIDE);
	paddle->stickiness = 0.3;
	paddle->friction = 0.5;
	paddle->motion = (spate_motion){.keyframes = paddle_keys, .keyframe_count = 2, .pivot = {0.33, 0.1, 0}};
	s->fluids[0].adhesion = 0.5;
	s->fluids[0].cohesion = 0.3;
	s->fluids[0].viscosity = 1e-3;
	add_fill(s, box_shape(0, 0, 0, 0.28, 0.14, 0.2))->velocity[0] = 1;
}

// The modules that charge walls are the same for all solvers, but each has to call them. Where particles have fewer iterations than their
// neighbours, what they push back with is lost, so all get the same number.
static void every_solver_charges_walls(void **state)
{
	(void)state;
	for (int type = 0; spate_solver_name(type); type++)
	{
		scene s;
		everything(&s);
		s.def.solver.type = type;
		spate_solver_set(&s.def.solver, "iterations_min", 1000, NULL);
		check_balance_of(&s, spate_solver_name(type), 0.1, 2e-5);
	}
}

static void shapes_take_what_they_give(void **state)
{
	(void)state;
	scene s;
	everything(&s);
	check_balance(&s, 0.25, 1e-5);
	s.def.solver.viscosity_model = SPATE_VISCOSITY_PAIRWISE;
	s.fluids[0].vorticity = 0.5;
	check_balance_of(&s, "projection", 0.1, 1e-5);
	s.def.solver.type = spate_solver_find("pbf");
	scene_set(&s, "warm_start", 0.3);
	check_balance_of(&s, "pbf", 0.1, 1e-5);
	s.fluids[0].viscosity = 1; // solved implicitly
	check_balance_of(&s, "pbf", 0.05, 2e-5);
	s.def.solver = spate_default_solver_def();
	// walls take part in the implicit solve, which stops at a residual of 1e-4
	check_balance_of(&s, "projection", 0.05, 1e-4);
}

// What images do counts with corrected gradients, and with strong calming.
static void images_are_charged_to_their_walls(void **state)
{
	(void)state;
	scene s;
	everything(&s);
	s.def.solver.type = spate_solver_find("projection");
	scene_set(&s, "correction", 1);
	check_balance_of(&s, "projection", 0.1, 1e-5);
	scene_set(&s, "correction", 0);
	scene_set(&s, "calming", 3);
	check_balance_of(&s, "projection", 0.1, 1e-5);
}

// A sheet that rises through the liquid and holds paths back, and a ball of triangles in its way.
static void meshes_take_what_they_give(void **state)
{
	(void)state;
	static const spate_keyframe rise[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {0.5, {0.02, 0.25, 0}, {0, 0, 20}, 1}};
	soup sheet = {0}, ball = {0};
	for (int k = 0; k < 4; k++)
		add_vertex(&sheet, vec3_make(k == 1 || k == 2 ? 0.35f : 0.05f, 0.03f, k < 2 ? -0.05f : 0.25f));
	add_quad(&sheet, 0, 1, 2, 3);
	add_sphere(&ball, vec3_make(0.2f, 0.12f, 0.1f), 0.05f, 8);
	spate_mesh sheet_mesh = mesh_of(&sheet), ball_mesh = mesh_of(&ball);
	scene s;
	everything(&s);
	s.colliders[1] = spate_default_collider_def();
	s.colliders[1].mesh.mesh = &sheet_mesh;
	s.colliders[1].mode = SPATE_COLLIDER_SHELL;
	s.colliders[1].motion = (spate_motion){.keyframes = rise, .keyframe_count = 2};
	spate_collider_def *obstacle = add_collider(&s, (spate_shape){0}, SPATE_COLLIDER_OUTSIDE);
	obstacle->mesh.mesh = &ball_mesh;
	obstacle->stickiness = 0.5;
	obstacle->friction = 0.2;
	check_balance(&s, 0.3, 1e-5);
	soup_free(&sheet), soup_free(&ball);
}

// Mean force and torque of a collider over some frames.
static void mean_load(spate_world *w, uint32_t collider, int frames, double force[3], double torque[3])
{
	double start = spate_world_time(w), linear[3], angular[3];
	memset(force, 0, 3 * sizeof *force), memset(torque, 0, 3 * sizeof *torque);
	for (int frame = 0; frame < frames; frame++)
	{
		run_frame(w);
		check_ok(spate_world_collider_impulse(w, collider, linear, angular, NULL));
		for (int k = 0; k < 3; k++)
			force[k] += linear[k], torque[k] += angular[k];
	}
	for (int k = 0; k < 3; k++)
	{
		force[k] /= spate_world_time(w) - start;
		torque[k] /= spate_world_time(w) - start;
	}
}

// The floor and the sides of a tank are two colliders: the floor carries the weight, the sides none of it.
static void still_tank_weighs_what_it_holds(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	add_collider(&s, box_shape(0, -1, 0, 0.2, 1, 0.16), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.2, 0.2, 0.16));
	spate_world *w = create(&s);
	run_until(w, 0.5);
	double weight = mass_of(w, 0.02, 1000) * gravity, force[3], torque[3], sides[3], none[3];
	mean_load(w, 0, 12, force, torque);
	check_near(force[1], -weight, 0.01 * weight);
	check_near(force[0], 0, 1e-3 * weight);
	check_near(force[2], 0, 1e-3 * weight);
	// about (0, 0, 0): the weight acts in the middle
	check_near(torque[0], 0.08 * weight, 0.01 * 0.08 * weight);
	check_near(torque[2], -0.1 * weight, 0.01 * 0.1 * weight);
	mean_load(w, 1, 12, sides, none);
	check_near(sides[0], 0, 5e-3 * weight);
	check_near(sides[1], 0, 5e-3 * weight);
	check_near(sides[2], 0, 5e-3 * weight);
	spate_world_destroy(w);
}

// One wall of a tank bears rho g w h^2 / 2 at a third of the height.
static void side_bears_the_pressure(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	add_collider(&s, box_shape(-1, 0, 0, 0.2, 1, 0.16), SPATE_COLLIDER_INSIDE);
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {1, 0, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.2, 0.2, 0.16));
	spate_world *w = create(&s);
	run_until(w, 0.5);
	double height = 0.2, expected = 0.5 * 1000 * gravity * height * height * 0.16, force[3], torque[3];
	mean_load(w, 1, 12, force, torque);
	check_near(force[0], -expected, 0.1 * expected);
	// the force points to -x, so its moment about z is -y F_x
	check_near(torque[2] / -force[0], height / 3, 0.1 * height);
	spate_world_destroy(w);
}

// Liquid that slides over a floor: pressure is along its normal, friction along the floor, and no more than Coulomb allows. The moments
// follow from both. Without friction there is none.
static void friction_is_told_from_pressure(void **state)
{
	(void)state;
	enum
	{
		SMOOTH,
		ROUGH,
		BOUNCING
	};
	for (int type = 0; spate_solver_name(type); type++)
		for (int kind = SMOOTH; kind <= BOUNCING; kind++)
		{
			scene s;
			scene_init(&s, 0.02);
			s.def.solver.type = type;
			s.fluids[0].surface_tension = s.fluids[0].cohesion = 0; // no wetting
			spate_collider_def *floor = add_collider(
			    &s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
			floor->friction = kind == ROUGH ? 0.2 : 0;
			floor->bounce = kind == BOUNCING ? 0.5 : 0;
			floor->slip = -1;
			spate_source_def *slab = add_fill(&s, box_shape(0, 0, 0, 0.3, 0.12, 0.3));
			slab->velocity[0] = 2;
			slab->velocity[1] = kind == BOUNCING ? -1 : 0;
			spate_world *w = create(&s);
			double all[6], rubbed[6], sum[12] = {0};
			double momentum = mass_of(w, 0.02, 1000) * 2;
			if (kind != BOUNCING)
				run_frame(w);
			for (int frame = 0; frame < 6; frame++)
			{
				run_frame(w);
				check_ok(spate_world_collider_impulse(w, 0, all, all + 3, NULL));
				check_ok(spate_world_collider_friction_impulse(w, 0, rubbed, rubbed + 3, NULL));
				for (int k = 0; k < 6; k++)
					sum[k] += all[k] - rubbed[k], sum[6 + k] += rubbed[k];
			}
			printf("%s: pressure (%g, %g, %g), friction (%g, %g, %g) N s\n", spate_solver_name(type),
			       sum[0], sum[1], sum[2], sum[6], sum[7], sum[8]);
			assert_true(sum[1] < -0.1 * momentum);
			check_near(sum[0], 0, 0.02 * -sum[1]);
			check_near(sum[2], 0, 0.02 * -sum[1]);
			check_near(sum[7], 0, 1e-3 * -sum[1]); // viscosity acts along the normal, too
			check_near(sum[8], 0, 0.02 * -sum[1]);
			// up to a torque about the middle, which spreading liquid has
			check_near(sum[4], 0, 0.02 * -sum[1]);
			if (kind == ROUGH)
				assert_in_range((int)(100 * sum[6] / (0.2 * -sum[1])), 60, 101);
			else
				check_near(sum[6], 0, 1e-6 * -sum[1]);
			spate_world_destroy(w);
		}
}

static void loads_do_not_depend_on_threads(void **state)
{
	(void)state;
	scene s;
	everything(&s);
	spate_world *one = create(&s), *two = create(&s);
	spate_world_set_threads(two, 2);
	for (int k = 0; k < 30; k++)
	{
		step(one), step(two);
		double a[12], b[12];
		for (uint32_t c = 0; c < s.def.collider_count; c++)
		{
			check_ok(spate_world_collider_force(one, c, a, a + 3, NULL));
			check_ok(spate_world_collider_force(two, c, b, b + 3, NULL));
			check_ok(spate_world_collider_friction(one, c, a + 6, a + 9, NULL));
			check_ok(spate_world_collider_friction(two, c, b + 6, b + 9, NULL));
			assert_memory_equal(a, b, sizeof a);
		}
	}
	assert_true(spate_world_hash(one) == spate_world_hash(two));
	spate_world_destroy(one), spate_world_destroy(two);
}

static void loads_do_not_change_the_liquid(void **state)
{
	(void)state;
	scene s;
	everything(&s);
	spate_world *with = create(&s), *without = scene_create(&s);
	for (int k = 0; k < 30; k++)
		step(with), step(without);
	assert_true(spate_world_hash(with) == spate_world_hash(without));
	spate_world_destroy(with), spate_world_destroy(without);
}

static void unknown_colliders_are_refused(void **state)
{
	(void)state;
	scene s;
	everything(&s);
	spate_world *w = create(&s);
	double force[3];
	spate_error error = {0};
	check_result(spate_world_collider_force(w, 2, force, NULL, &error), SPATE_INVALID);
	assert_string_equal(error.text, "spate_world_collider_force: there is no collider 2, the world has 2");
	check_result(spate_world_collider_impulse(NULL, 0, force, NULL, &error), SPATE_INVALID);
	check_ok(spate_world_collider_force(w, 1, force, NULL, &error));
	check_near(force[0], 0, 0); // no step has been made
	spate_world_set_loads(w, 0);
	check_result(spate_world_collider_force(w, 1, force, NULL, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "does not sum loads"));
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_solver_charges_walls),         cmocka_unit_test(friction_is_told_from_pressure),
	    cmocka_unit_test(plate_takes_the_momentum_of_a_blob), cmocka_unit_test(shapes_take_what_they_give),
	    cmocka_unit_test(images_are_charged_to_their_walls),  cmocka_unit_test(meshes_take_what_they_give),
	    cmocka_unit_test(still_tank_weighs_what_it_holds),    cmocka_unit_test(side_bears_the_pressure),
	    cmocka_unit_test(loads_do_not_depend_on_threads),     cmocka_unit_test(loads_do_not_change_the_liquid),
	    cmocka_unit_test(unknown_colliders_are_refused)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
