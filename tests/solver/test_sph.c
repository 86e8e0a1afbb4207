// The SPH solvers, wcsph and pcisph: sums over pairs that are exact on a lattice and at walls, momentum, weight, energy, flow between plates,
// and results that depend neither on threads nor on instruction sets.
#include "dice.h"
#include "physics/measure.h"
#include "world/scene.h"

#include "solver/sph.h"
#include "spate/snapshot.h"
#include "world/world.h"

static const char *const solvers[] = {"wcsph", "pcisph"};

enum
{
	SOLVERS = 2
};

static void init(scene *s, const char *solver, double spacing)
{
	scene_init(s, spacing);
	scene_solver(s, solver);
	s->def.solver.max_substeps = 5000;
	for (int f = 0; f < SCENE_FLUIDS; f++)
		s->fluids[f].surface_tension = s->fluids[f].cohesion = 0;
}

static double height_of(const spate_world *w, uint32_t row)
{
	return (double)spate_world_store((spate_world *)(uintptr_t)w)->position[row].y + w->model.origin[1];
}

// ---------------------------------------------------------------------------------------------------------------- passes

// The passes at the places of a world. It stays valid until the next step.
static sph_work start_work(spate_world *w, const sph_lattice *lattice, step_view *view)
{
	spate_error error;
	sph_work p;
	check_ok(world_list_anew(w, &error));
	arena_reset(&w->work.scratch);
	*view = world_view(w, 1e-3);
	check_ok(step_view_take_arrays(view, &error));
	check_ok(sph_start(&p, lattice, view, view->dt, &error));
	return p;
}

// Liquid at rest has its rest density, right up to walls, edges and corners, and a linear pressure has its slope.
static void lattice_has_rest_density_and_gradients(void **state)
{
	(void)state;
	scene s;
	init(&s, "wcsph", 0.05);
	add_collider(&s, box_shape(0, 0, 0, 0.4, 1, 0.4), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.4, 0.4, 0.4));
	spate_world *w = scene_create(&s);
	sph_lattice lattice = sph_lattice_make();
	step_view view;
	sph_work p = start_work(w, &lattice, &view);
	sph_measure(&p);
	int inside = 0;
	for (uint32_t row = 0; row < view.list->count; row++)
	{
		p.pressure[row] = 1000.0f * (float)height_of(w, row);
		if (height_of(w, row) < 0.29)
			check_near(p.errors[row], 0, 1e-5);
		check_near(p.rates[row], 0, 1e-5);
	}
	sph_set_pressure(&p, p.pressure);
	sph_push(&p, 0);
	for (uint32_t row = 0; row < view.list->count; row++)
		if (height_of(w, row) > 0.1 && height_of(w, row) < 0.3)
		{
			check_near(p.pushes[row].x, 0, 1e-4);
			check_near(p.pushes[row].y, -1, 1e-4); // m/s^2: 1000 Pa/m over 1000 kg/m^3
			inside++;
		}
	assert_true(inside > 100);
	spate_world_destroy(w);
}

// Whatever the pressures and the velocities, what particles of two densities and two sizes do to each other adds up to nothing.
static void pushes_of_pairs_are_opposite(void **state)
{
	(void)state;
	scene s;
	dice d = {7};
	init(&s, "wcsph", 0.05);
	s.def.fluid_count = 2;
	s.fluids[1].density = 300;
	s.fluids[1].spacing = 0.04;
	add_fill(&s, box_shape(0, 0, 0, 0.4, 0.4, 0.2))->jitter = 0.2;
	add_fill(&s, box_shape(0, 0, 0.2, 0.4, 0.4, 0.4))->fluid = 1;
	spate_world *w = scene_create(&s);
	sph_lattice lattice = sph_lattice_make();
	step_view view;
	spate_store *store = spate_world_store(w);
	for (uint32_t row = 0; row < store->rows; row++)
		store->velocity[row].x = dice_range(&d, -1, 1);
	sph_work p = start_work(w, &lattice, &view);
	assert_true(p.pass.pairs.mixed);
	sph_measure(&p);
	for (uint32_t row = 0; row < view.list->count; row++)
		p.pressure[row] = dice_range(&d, 0, 1000);
	p.calming = 100;
	sph_set_pressure(&p, p.pressure);
	sph_push(&p, 1);
	double sum[3] = {0, 0, 0}, size = 0;
	for (uint32_t row = 0; row < view.list->count; row++)
	{
		const spate_fluid_def *fluid = &s.fluids[store->fluid[row]];
		double mass = fluid->density * pow(fluid->spacing, 3);
		vec4 a = p.pushes[row];
		sum[0] += mass * (double)a.x, sum[1] += mass * (double)a.y, sum[2] += mass * (double)a.z;
		size += mass * (double)vec3_length(vec3_make(a.x, a.y, a.z));
	}
	for (int k = 0; k < 3; k++)
		check_near(sum[k] / size, 0, 1e-6);
	spate_world_destroy(w);
}

// -------------------------------------------------------------------------------------------------------------- momentum

static void drops_that_collide_keep_their_momentum(void **state)
{
	(void)state;
	for (int n = 0; n < SOLVERS; n++)
	{
		scene s;
		init(&s, solvers[n], 0.02);
		memset(s.def.gravity, 0, sizeof s.def.gravity);
		s.def.fluid_count = 2;
		s.fluids[1].density = 3000;
		s.fluids[0].viscosity = 0.001, s.fluids[1].viscosity = 0.01;
		s.fluids[0].cohesion = 0.5;
		spate_source_def *one = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {-0.09, 0, 0}, {0, 0, 0}, 0.08});
		spate_source_def *two =
		    add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.09, 0.03, 0}, {0, 0, 0}, 0.08});
		one->velocity[0] = 2, two->velocity[0] = -1, two->velocity[2] = 0.3;
		two->fluid = 1;
		spate_world *w = scene_create(&s);
		momentum_watch watch = momentum_watch_make(w, s.fluids, 0.02);
		double energy = spate_world_stats(w)->kinetic_energy;
		while (spate_world_time(w) < 0.15)
		{
			step(w);
			momentum_watch_look(&watch, w);
		}
		print_message("%s: momentum changed by %.1e, squeezed by %.1f %%\n", solvers[n], watch.change,
			      100 * watch.squeezed);
		assert_true(spate_world_stats(w)->kinetic_energy < 0.9 * energy); // they did meet
		assert_true(watch.change < 1e-6);
		spate_world_destroy(w);
	}
}

// ----------------------------------------------------------------------------------------------------------------- rest

typedef struct rest
{
	double floor, inside, error, rise, speed;
} rest;

// A tank of 16 layers at rest: pressure relative to density g depth at the floor and inside, averaged over half a second.
static rest run_rest(const char *solver, const char *setting, double value)
{
	const double d = 0.025, top = 16 * d;
	scene s;
	init(&s, solver, d);
	if (setting)
		scene_set(&s, setting, value);
	add_collider(&s, box_shape(0, 0, 0, 6 * d, 1, 6 * d), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 6 * d, top, 6 * d));
	spate_world *w = scene_create(&s);
	step(w);
	energy_watch watch = energy_watch_make(w);
	watched_until(w, &watch, 0.5);
	rest r = {0};
	double floors = 0, insides = 0, steps = 0;
	while (spate_world_time(w) < 1)
	{
		watched_step(w, &watch);
		const spate_store *store = spate_world_store(w);
		double depth = 2 * mean_place(w, 1, -1);
		for (uint32_t row = 0; row < store->rows; row++)
		{
			double y = height_of(w, row), ratio = (double)store->pressure[row] / (9810 * (depth - y));
			if (y < d)
				r.floor += ratio, floors++;
			else if (y > 0.2 * depth && y < 0.8 * depth)
				r.inside += ratio, insides++;
		}
		r.error += spate_world_stats(w)->density_error_avg, steps++;
	}
	r.floor /= floors, r.inside /= insides, r.error /= steps;
	// what the scene can set free: a fall by half of its height
	double mass = spate_world_stats(w)->particles * 1000 * d * d * d, released = mass * 9.81 * top / 2;
	r.rise = watch.above_start / released;
	r.speed = sqrt(2 * spate_world_stats(w)->kinetic_energy / mass);
	print_message("%s %s: floor %.3f inside %.3f error %.2f %% energy +%.3f %% speed %.1f mm/s\n", solver,
		      setting ? setting : "", r.floor, r.inside, 100 * r.error, 100 * r.rise, 1000 * r.speed);
	spate_world_destroy(w);
	return r;
}

static void liquid_at_rest_bears_its_weight(void **state)
{
	(void)state;
	static const struct
	{
		const char *solver, *setting;
		double value, error;
	} cases[] = {{"wcsph", NULL, 0, 0.004},
		     {"wcsph", "equation", 1, 0.004},
		     {"wcsph", "integrator", 1, 0.004},
		     {"pcisph", NULL, 0, 0.007}};
	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
	{
		rest r = run_rest(cases[n].solver, cases[n].setting, cases[n].value);
		check_near(r.inside, 1, 0.03);
		check_near(r.floor, 1, 0.06);
		assert_true(r.error < cases[n].error);
		assert_true(r.rise < 0.01);
		assert_true(r.speed < 0.05);
	}
}

// A given speed of sound makes the compression that follows from it: g depth / c^2 at the bottom, half of it on average.
static void compression_follows_from_the_speed_of_sound(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++)
	{
		double sound = k ? 20 : 40, expected = 9.81 * 0.4 / 2 / (sound * sound);
		check_near(run_rest("wcsph", "sound_speed", sound).error, expected, 0.15 * expected);
	}
}

// --------------------------------------------------------------------------------------------------------------- energy

// A column collapses and runs up a wall: the liquid is never more energetic than at first, and stays where it may be.
static void collapse_makes_no_energy(void **state)
{
	(void)state;
	for (int n = 0; n < SOLVERS; n++)
	{
		const double d = 0.04;
		scene s;
		init(&s, solvers[n], d);
		add_collider(&s, box_shape(0, 0, 0, 1.2, 3, 0.24), SPATE_COLLIDER_INSIDE);
		add_fill(&s, box_shape(0, 0, 0, 0.4, 0.48, 0.24));
		spate_world *w = scene_create(&s);
		step(w);
		energy_watch watch = energy_watch_make(w);
		double worst = 0, start = energy_of(w);
		while (spate_world_time(w) < 0.8)
		{
			watched_step(w, &watch);
			worst = fmax(worst, spate_world_stats(w)->density_error_avg);
		}
		double mass = spate_world_stats(w)->particles * 1000 * d * d * d, released = mass * 9.81 * 0.24;
		print_message("%s: energy +%.3f %%, now %.1f %%, mean error at most %.2f %%\n", solvers[n],
			      100 * watch.above_start / released, 100 * (energy_of(w) - start) / released, 100 * worst);
		assert_true(watch.above_start < 0.01 * released);
		assert_true(worst < 0.01);
		assert_int_equal(spate_world_stats(w)->removed, 0);
		assert_int_equal(spate_world_stats(w)->outside, 0);
		spate_world_destroy(w);
	}
}

// Substeps that are too few for the liquid make it softer, not wild.
static void too_few_substeps_are_survived(void **state)
{
	(void)state;
	for (int n = 0; n < SOLVERS; n++)
	{
		scene s;
		init(&s, solvers[n], 0.05);
		s.def.solver.substeps = 8;
		add_collider(&s, box_shape(0, 0, 0, 0.8, 2, 0.2), SPATE_COLLIDER_INSIDE);
		add_fill(&s, box_shape(0, 0, 0, 0.4, 0.4, 0.2));
		spate_world *w = scene_create(&s);
		run_until(w, 0.5);
		assert_int_equal(spate_world_stats(w)->removed, 0);
		assert_true(spate_world_stats(w)->speed_max < 8);
		spate_world_destroy(w);
	}
}

// ------------------------------------------------------------------------------------------------------------------ flow

// Liquid that is pushed through between plates has a parabolic profile.
static void plates_hold_the_liquid_back(void **state)
{
	(void)state;
	for (int n = 0; n < SOLVERS; n++)
	{
		const double d = 0.01, height = 0.08, width = 0.04, length = 0.3, viscosity = 0.005, push = 0.2;
		scene s;
		init(&s, solvers[n], d);
		memset(s.def.gravity, 0, sizeof s.def.gravity);
		s.def.gravity[0] = push;
		s.fluids[0].viscosity = viscosity;
		add_collider(&s, box_shape(-3, -1, 0, 3, 1, width), SPATE_COLLIDER_INSIDE);
		for (int k = 0; k < 2; k++)
		{
			double y = k ? height : -0.1;
			add_collider(&s, box_shape(-2, y, -0.2, 2, y + 0.1, width + 0.2), SPATE_COLLIDER_OUTSIDE)
			    ->slip = 0;
		}
		add_fill(&s, box_shape(-length / 2, 0, 0, length / 2, height, width));
		spate_world *w = scene_create(&s);
		run_until(w, 0.6); // the slowest mode dies with exp(-7.7 t / s)
		const spate_store *store = spate_world_store(w);
		double middle = mean_place(w, 0, -1), fit = 0, norm = 0, off = 0, count = 0;
		for (int round = 0; round < 2; round++)
			for (uint32_t row = 0; row < store->rows; row++)
			{
				double p[3];
				place_of(w, row, p);
				if (fabs(p[0] - middle) > 0.2 * length)
					continue;
				double shape = 4 * p[1] * (height - p[1]) / (height * height),
				       v = (double)store->velocity[row].x;
				if (round == 0)
					fit += v * shape, norm += shape * shape;
				else
					off += pow(v - shape * fit / norm, 2), count++;
			}
		double expected = push * height * height / (8 * viscosity), measured = fit / norm;
		print_message("%s: plane Poiseuille flow %.4f m/s, should be %.4f; off the parabola by %.1f %%\n",
			      solvers[n], measured, expected, 100 * sqrt(off / count) / expected);
		check_near(measured, expected, 0.05 * expected);
		assert_true(sqrt(off / count) < 0.05 * expected);
		spate_world_destroy(w);
	}
}

// Viscosity (m^2/s) by which a shear wave of 0.1 m/s, 20 spacings long, decays in liquid that should have none.
static double numerical_viscosity(const char *solver, double spacing, double *dt)
{
	const double wave = 20 * spacing, length = 40 * spacing, speed = 0.1, k = 6.28318530718 / wave;
	scene s;
	init(&s, solver, spacing);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].viscosity = 0;
	add_collider(&s, box_shape(-length, 0, 0, 2 * length, wave, 4 * spacing), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, length, wave, 4 * spacing));
	spate_world *w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	double crests[2];
	for (int end = 0; end < 2; end++)
	{
		double sum = 0, norm = 0;
		for (uint32_t row = 0; row < store->rows; row++)
		{
			double p[3];
			place_of(w, row, p);
			if (!end)
				store->velocity[row].x = (float)(speed * cos(k * p[1]));
			if (fabs(p[0] - length / 2) > length / 4)
				continue;
			sum += cos(k * p[1]) * (double)store->velocity[row].x;
			norm += cos(k * p[1]) * cos(k * p[1]);
		}
		crests[end] = sum / norm;
		if (!end)
			run_until(w, 5 * spacing / speed);
	}
	double rate = log(crests[0] / crests[1]) / spate_world_time(w);
	*dt = spate_world_stats(w)->dt;
	spate_world_destroy(w);
	return rate / (k * k);
}

static void check_tells_the_numerical_viscosity(void **state)
{
	(void)state;
	for (int n = 0; n < SOLVERS; n++)
	{
		spate_fluid_def water = spate_default_fluid_def();
		water.spacing = 0.01;
		double dt, measured = numerical_viscosity(solvers[n], 0.01, &dt);
		double told = solver_table(spate_solver_find(solvers[n]))->numerical_viscosity(&water, 0, dt);
		print_message("%s: numerical viscosity %.2e m^2/s, told %.2e for a substep of %.1e s\n", solvers[n],
			      measured, told, dt);
		assert_true(measured > 0.5 * told && measured < 2 * told);
	}
}

// --------------------------------------------------------------------------------------------------------------- refusals

static void one_spacing_is_asked_for(void **state)
{
	(void)state;
	for (int n = 0; n < SOLVERS; n++)
	{
		scene s;
		init(&s, solvers[n], 0.05);
		s.def.fluid_count = 2;
		s.fluids[1].spacing = 0.04;
		spate_world *w = NULL;
		spate_error error = {0};
		spate_result result = spate_world_create(&w, &s.def, &error);
		assert_int_equal(result, n == 0 ? SPATE_OK : SPATE_INVALID);
		if (n == 1)
			assert_non_null(strstr(error.text, "same spacing"));
		spate_world_destroy(w);
	}
}

// ------------------------------------------------------------------------------------------------------------------ bits

static uint64_t splash(const char *solver, int threads, simd_level level, int restored)
{
	scene s;
	init(&s, solver, 0.04);
	s.def.threads = threads;
	s.def.fluid_count = 2;
	s.fluids[1].density = 500;
	s.fluids[0].cohesion = 0.2;
	add_collider(&s, box_shape(0, 0, 0, 0.8, 1, 0.3), SPATE_COLLIDER_INSIDE)->friction = 0.2;
	add_collider(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.5, 0.1, 0.15}, {0, 0, 0}, 0.1}, SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.3, 0.5, 0.3));
	add_fill(&s, box_shape(0.6, 0, 0, 0.8, 0.2, 0.3))->fluid = 1;
	spate_world *w = scene_create(&s);
	w->model.simd = level;
	for (int n = 0; n < 60; n++)
	{
		step(w);
		if (restored && n == 30)
		{
			spate_error error;
			spate_snapshot *snapshot = NULL;
			check_ok(spate_snapshot_take(&snapshot, w, &error));
			for (int k = 0; k < 5; k++)
				step(w);
			check_ok(spate_snapshot_restore(w, snapshot, &error));
			spate_snapshot_destroy(snapshot);
		}
	}
	uint64_t hash = spate_world_hash(w);
	spate_world_destroy(w);
	return hash;
}

static void bits_depend_neither_on_threads_nor_on_vectors(void **state)
{
	(void)state;
	simd_level best = simd_level_detect();
	for (int n = 0; n < SOLVERS; n++)
	{
		uint64_t hash = splash(solvers[n], 1, best, 0);
		assert_true(splash(solvers[n], 2, best, 0) == hash);
		assert_true(splash(solvers[n], 4, best, 1) == hash);
		if (best == SIMD_AVX512)
			assert_true(splash(solvers[n], 3, SIMD_AVX2, 0) == hash);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lattice_has_rest_density_and_gradients),
	    cmocka_unit_test(pushes_of_pairs_are_opposite),
	    cmocka_unit_test(drops_that_collide_keep_their_momentum),
	    cmocka_unit_test(liquid_at_rest_bears_its_weight),
	    cmocka_unit_test(compression_follows_from_the_speed_of_sound),
	    cmocka_unit_test(collapse_makes_no_energy),
	    cmocka_unit_test(too_few_substeps_are_survived),
	    cmocka_unit_test(plates_hold_the_liquid_back),
	    cmocka_unit_test(check_tells_the_numerical_viscosity),
	    cmocka_unit_test(one_spacing_is_asked_for),
	    cmocka_unit_test(bits_depend_neither_on_threads_nor_on_vectors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
