// Forces in a world: what a particle does, threads, snapshots, live changes, and definitions that make no sense.
#include "scene.h"
#include "spate/live.h"
#include "spate/snapshot.h"
#include "world/world.h"

static spate_force_def of_type(spate_force_type type)
{
	spate_force_def f = spate_default_force_def();
	f.type = type;
	return f;
}

// One particle at the origin, without gravity.
static void lonely(scene *s, uint32_t substeps, const spate_force_def *forces, uint32_t count)
{
	scene_init(s, 0.02);
	memset(s->def.gravity, 0, sizeof s->def.gravity);
	s->def.solver.substeps = substeps;
	s->def.forces = forces;
	s->def.force_count = count;
	add_fill(s, box_shape(-0.01, -0.01, -0.01, 0.01, 0.01, 0.01));
}

// v = u (1 - exp(-k t)) with every solver, however long the substeps are.
static void a_particle_follows_the_wind(void **state)
{
	(void)state;
	spate_force_def wind = of_type(SPATE_FORCE_WIND);
	wind.velocity[0] = 4, wind.velocity[1] = -1;
	wind.drag = 3;
	const char *name;
	for (uint32_t solver = 0; (name = spate_solver_name((int)solver)); solver++)
		for (uint32_t substeps = 1; substeps <= 16; substeps *= 4)
		{
			scene s;
			lonely(&s, substeps, &wind, 1);
			s.def.solver.type = (int)solver;
			spate_world *w = scene_create(&s);
			assert_int_equal(spate_world_store(w)->rows, 1);
			for (uint32_t frame = 1; frame <= 12; frame++)
			{
				run_frame(w);
				double share = -expm1(-3.0 * frame / 24.0);
				vec4 v = spate_world_store(w)->velocity[0];
				if (!(fabs((double)v.x - 4 * share) < 1e-3 * 4 * share) ||
				    !(fabs((double)v.y + share) < 1e-3 * share))
					fail_msg("%s, %u substeps, frame %u: %g %g, expected %g %g", name, substeps,
						 frame, (double)v.x, (double)v.y, 4 * share, -share);
			}
			spate_world_destroy(w);
		}
}

// Even where 1 / rate is far shorter than a substep.
static void strong_drag_does_not_overshoot(void **state)
{
	(void)state;
	spate_force_def wind = of_type(SPATE_FORCE_WIND);
	wind.velocity[0] = 2;
	wind.drag = 1e5;
	const char *name;
	for (uint32_t solver = 0; (name = spate_solver_name((int)solver)); solver++)
	{
		scene s;
		lonely(&s, 2, &wind, 1);
		s.def.solver.type = (int)solver;
		spate_world *w = scene_create(&s);
		for (int frame = 0; frame < 5; frame++)
		{
			run_frame(w);
			check_near((double)spate_world_store(w)->velocity[0].x, 2, 1e-3);
		}
		spate_world_destroy(w);
	}
}

// A substep is no shorter for drag than for what moves: nothing gets faster than the wind.
static void drag_leaves_substeps_long(void **state)
{
	(void)state;
	spate_force_def wind = of_type(SPATE_FORCE_WIND);
	wind.velocity[0] = 0.1;
	double dt[2];
	for (int strong = 0; strong < 2; strong++)
	{
		wind.drag = strong ? 1e6 : 1e-6;
		scene s;
		lonely(&s, 0, &wind, 1);
		scene_solver(&s, "pbf");
		spate_world *w = scene_create(&s);
		int last;
		dt[strong] = world_choose_dt(w, &last);
		spate_world_destroy(w);
	}
	check_near(dt[1], dt[0], 1e-12);
}

// A tank with two liquids and everything that acts.
enum
{
	ALL = 7
};

static void stirred(scene *s, spate_force_def forces[ALL])
{
	static const uint32_t second[1] = {1};
	scene_init(s, 0.04);
	s->def.fluid_count = 2;
	s->fluids[0].name = "water", s->fluids[1].name = "oil";
	s->fluids[1].density = 800;
	add_collider(s, box_shape(0, 0, 0, 0.8, 0.6, 0.8), SPATE_COLLIDER_INSIDE);
	add_fill(s, box_shape(0, 0, 0, 0.4, 0.4, 0.8));
	add_fill(s, box_shape(0.4, 0, 0, 0.8, 0.4, 0.8))->fluid = 1;
	for (int k = 0; k < 6; k++)
		forces[k] = of_type((spate_force_type)(SPATE_FORCE_WIND + k));
	forces[6] = of_type(SPATE_FORCE_EXPRESSION);
	forces[6].acceleration[0] = "3*sin(20*t)*y - 0.2*vx";
	forces[0].velocity[0] = 5, forces[0].drag = 2, forces[0].quadratic = 0.3;
	forces[0].shape = box_shape(0, 0.3, 0, 0.8, 0.6, 0.8), forces[0].falloff = 0.1;
	forces[1].drag = 0.4;
	forces[2].position[0] = 0.4, forces[2].radius = 0.1, forces[2].strength = 6;
	forces[3].position[0] = 0.4, forces[3].position[2] = 0.4, forces[3].radius = 0.2;
	forces[3].strength = 4, forces[3].fluids = second, forces[3].fluid_count = 1;
	forces[4].position[0] = 0.2, forces[4].radius = 0.1, forces[4].inward = 3, forces[4].along = 2;
	forces[5].amplitude = 4, forces[5].size = 0.2, forces[5].speed = 0.3;
	s->def.forces = forces;
	s->def.force_count = ALL;
}

static void threads_and_snapshots_make_no_difference(void **state)
{
	(void)state;
	uint64_t hashes[3];
	spate_error error = {0};
	for (int run = 0; run < 3; run++)
	{
		scene s;
		spate_force_def forces[ALL];
		stirred(&s, forces);
		s.def.threads = run == 1 ? 4 : 1;
		spate_world *w = scene_create(&s);
		for (int k = 0; k < 7; k++)
			step(w);
		if (run == 2)
		{
			// continued in another world
			spate_snapshot *snapshot = NULL;
			check_ok(spate_snapshot_take(&snapshot, w, &error));
			spate_world *twin = NULL;
			check_ok(spate_world_create_empty(&twin, &s.def, &error));
			check_ok(spate_snapshot_restore(twin, snapshot, &error));
			spate_snapshot_destroy(snapshot);
			spate_world_destroy(w);
			w = twin;
		}
		for (int k = 0; k < 7; k++)
			step(w);
		hashes[run] = spate_world_hash(w);
		assert_int_equal(spate_world_stats(w)->removed, 0);
		spate_world_destroy(w);
	}
	assert_int_equal(hashes[0], hashes[1]);
	assert_int_equal(hashes[0], hashes[2]);
}

// Two lone particles of different liquids.
static void a_fluid_can_be_left_out(void **state)
{
	(void)state;
	const uint32_t second[1] = {1};
	spate_force_def wind = of_type(SPATE_FORCE_WIND);
	wind.velocity[2] = 4, wind.drag = 3;
	wind.fluids = second, wind.fluid_count = 1;
	scene s;
	lonely(&s, 1, &wind, 1);
	s.def.fluid_count = 2;
	add_fill(&s, box_shape(0.99, -0.01, -0.01, 1.01, 0.01, 0.01))->fluid = 1;
	spate_world *w = scene_create(&s);
	run_frame(w);
	const spate_store *store = spate_world_store(w);
	assert_int_equal(store->rows, 2);
	for (uint32_t row = 0; row < 2; row++)
		check_near((double)store->velocity[row].z, store->fluid[row] == 1 ? -4 * expm1(-3 / 24.0) : 0, 1e-5);
	spate_world_destroy(w);
}

static void forces_can_be_changed_while_a_world_runs(void **state)
{
	(void)state;
	spate_force_def forces[2] = {of_type(SPATE_FORCE_ATTRACTOR), of_type(SPATE_FORCE_WIND)};
	forces[0].name = "pull", forces[0].position[0] = 1000, forces[0].power = 0, forces[0].strength = 2;
	forces[1].drag = 1e-12;
	scene s;
	lonely(&s, 1, forces, 2);
	spate_world *w = scene_create(&s);
	memset(forces, 0, sizeof forces); // the world has its own
	spate_error error = {0};
	run_frame(w);
	check_near((double)spate_world_store(w)->velocity[0].x, 2 / 24.0, 1e-6);
	check_ok(spate_world_set(w, "forces.pull.strength", "-12", &error));
	double value;
	check_ok(spate_world_get_number(w, "forces.0.strength", &value, &error));
	check_near(value, -12, 0);
	run_frame(w);
	check_near((double)spate_world_store(w)->velocity[0].x, -10 / 24.0, 1e-6);
	check_near(w->model.forces.most, 12, 1e-9);
	check_ok(spate_world_set(w, "forces.0.strength", "0", &error));
	check_ok(spate_world_set(w, "forces.1.drag", "1e6", &error));
	check_ok(spate_world_set(w, "forces.1.velocity", "[0, 3, 0]", &error));
	run_frame(w);
	check_near((double)spate_world_store(w)->velocity[0].x, 0, 1e-6);
	check_near((double)spate_world_store(w)->velocity[0].y, 3, 1e-5);
	check_result(spate_world_set(w, "forces.0.radius", "0", &error), SPATE_INVALID);
	check_result(spate_world_set(w, "forces.1.drag", "-1", &error), SPATE_INVALID);
	check_result(spate_world_set(w, "forces.2.drag", "1", &error), SPATE_MISSING);
	spate_world_destroy(w);
}

static void check_refused(const spate_force_def *forces, uint32_t count, const char *sentence)
{
	scene s;
	lonely(&s, 1, forces, count);
	spate_world *w = NULL;
	spate_error error = {0};
	check_result(spate_world_create(&w, &s.def, &error), SPATE_INVALID);
	assert_string_equal(error.text, sentence);
	assert_null(w);
}

static void impossible_definitions_are_refused(void **state)
{
	(void)state;
	spate_force_def forces[SPATE_MOST_FORCES + 1];
	for (int k = 0; k <= SPATE_MOST_FORCES; k++)
		forces[k] = of_type(SPATE_FORCE_ATTRACTOR);
	check_refused(forces, SPATE_MOST_FORCES + 1, "the world is invalid: it has more than 48 forces");
	check_refused(
	    NULL, 1,
	    "the world is invalid: a list of interfaces, colliders, sources, sinks, forces, probes, cameras, channels, bodies, joints or "
	    "wanted fields is NULL but has a count");
	forces[1].shape = (spate_shape){SPATE_SHAPE_SPHERE, {1, 0, 0}, {0, 0, 0}, 0};
	check_refused(forces, 2, "force 1 is invalid: its radius is not positive");
	forces[1] = of_type(SPATE_FORCE_WIND);
	forces[1].drag = -1;
	check_refused(forces, 2, "force 1 is invalid: its falloff or drag is negative");
	const uint32_t missing[1] = {1};
	forces[0].fluids = missing, forces[0].fluid_count = 1;
	check_refused(forces, 1, "force 0 is invalid: one of its fluids does not exist");
	// as many as there may be
	for (int k = 0; k < SPATE_MOST_FORCES; k++)
		forces[k] = of_type(SPATE_FORCE_ATTRACTOR);
	scene s;
	lonely(&s, 1, forces, SPATE_MOST_FORCES);
	spate_world_destroy(scene_create(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_particle_follows_the_wind),
	    cmocka_unit_test(strong_drag_does_not_overshoot),
	    cmocka_unit_test(drag_leaves_substeps_long),
	    cmocka_unit_test(threads_and_snapshots_make_no_difference),
	    cmocka_unit_test(a_fluid_can_be_left_out),
	    cmocka_unit_test(forces_can_be_changed_while_a_world_runs),
	    cmocka_unit_test(impossible_definitions_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
