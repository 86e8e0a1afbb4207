// Surface tension as an energy: the force is its gradient, nothing outside the liquid is needed to explain its momentum, and liquid that
// fills a box has none.
#include "world/scene.h"

#include "solver/projection_work.h"
#include "world/world.h"

static const double spacing = 0.001, dt = 1e-5;

// A world whose surface tension is about to act, and what it did to velocities that were zero.
typedef struct setup
{
	spate_world *world;
	step_view view;
	projection_work work;
} setup;

static void start(setup *t, const scene *s)
{
	spate_error error;
	t->world = scene_create(s);
	check_ok(world_list_anew(t->world, &error));
	arena_reset(&t->world->work.scratch);
	t->view = world_view(t->world, dt);
	check_ok(step_view_take_arrays(&t->view, &error));
	check_ok(projection_work_start(&t->work, t->world->state.solver, &t->view, &error));
	projection_constrain(&t->work);
	check_ok(projection_accelerate(&t->work, &error));
}

static void init(scene *s)
{
	scene_init(s, spacing);
	s->def.solver.type = spate_solver_find("projection");
	memset(s->def.gravity, 0, sizeof s->def.gravity);
	s->fluids[0].viscosity = 0;
}

static const double between = 0.05; // N/m, of two fluids

// E of docs/theory/surface_tension.md, in double precision, with one particle displaced.
static double energy_of(const setup *t, uint32_t moved, const double by[3])
{
	const surface_lattice *lattice = &t->work.solver->surface;
	double h = PROJECTION_RADIUS * spacing, volume = t->work.solver->volume * pow(spacing, 3), energy = 0;
	uint32_t count = t->view.list->count;
	for (uint32_t i = 0; i < count; i++)
	{
		double c = 0, other = 0;
		for (uint32_t j = 0; j < count; j++)
		{
			vec4 a = t->view.places[i], b = t->view.places[j];
			double x[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
			for (int k = 0; k < 3; k++)
				x[k] += (i == moved ? by[k] : 0) - (j == moved ? by[k] : 0);
			double share = fmax(1 - (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / (h * h), 0);
			double by_this = volume * SURFACE_NORM / (h * h * h) * share * share;
			c += by_this;
			if (t->view.store->fluid[i] != t->view.store->fluid[j])
				other += by_this;
		}
		double missing = fmax(lattice->inside - c, 0);
		energy += 0.5 * lattice->stiffness * 0.0728 / spacing * volume * missing * missing;
		energy += 0.25 * lattice->stiffness * between / spacing * volume * other *
			  (other + 2 * (lattice->inside - c));
	}
	return energy;
}

// Another fluid, with a tension between the two.
static void add_other(scene *s)
{
	s->def.fluid_count = 2;
	s->fluids[1].viscosity = 0;
	s->interfaces[s->def.interface_count++] = (spate_interface_def){{1, 0}, between};
}

// Moves particles to and fro and compares forces with what that does to the energy.
static void check_gradient(const scene *s)
{
	setup t;
	start(&t, s);
	double mass = 1000 * t.work.solver->volume * pow(spacing, 3), reach = 1e-4 * spacing, size = 0;
	for (uint32_t row = 0; row < t.view.list->count; row += 37)
		for (int axis = 0; axis < 3; axis++)
		{
			double up[3] = {0}, down[3] = {0};
			up[axis] = reach, down[axis] = -reach;
			double force = (energy_of(&t, row, down) - energy_of(&t, row, up)) / (2 * reach);
			vec4 v = t.work.velocities[row];
			double measured = (double)(axis == 0 ? v.x : axis == 1 ? v.y : v.z) * mass / dt;
			check_near(measured, force, 1e-3 * 0.0728 * spacing);
			size = fmax(size, fabs(force));
		}
	assert_true(size > 0.1 * 0.0728 * spacing); // there was something to compare
	spate_world_destroy(t.world);
}

static void force_is_the_gradient_of_the_energy(void **state)
{
	(void)state;
	scene s;
	init(&s);
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 4 * spacing})->jitter = 0.3;
	check_gradient(&s);
}

// A ball that touches another, of the other fluid.
static void so_it_is_between_two_fluids(void **state)
{
	(void)state;
	scene s;
	init(&s);
	add_other(&s);
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 4 * spacing})->jitter = 0.3;
	spate_source_def *top =
	    add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 5 * spacing, 0}, {0, 0, 0}, 3 * spacing});
	top->jitter = 0.3;
	top->fluid = 1;
	check_gradient(&s);
}

static void drops_keep_momentum_and_spin(void **state)
{
	(void)state;
	scene s;
	init(&s);
	add_other(&s);
	s.fluids[1].density = 800;
	add_fill(&s, box_shape(0, 0, 0, 9 * spacing, 5 * spacing, 6 * spacing))->jitter = 0.3;
	spate_source_def *top = add_fill(&s, box_shape(0, 5 * spacing, 0, 9 * spacing, 8 * spacing, 6 * spacing));
	top->jitter = 0.3;
	top->fluid = 1;
	setup t;
	start(&t, &s);
	double sum[3] = {0}, spin[3] = {0}, size = 0;
	for (uint32_t row = 0; row < t.view.list->count; row++)
	{
		vec4 v = t.work.velocities[row], x = t.view.places[row];
		double m = t.view.store->fluid[row] == 1 ? 0.8 : 1; // in units of those of the first fluid
		double a[3] = {(double)x.x, (double)x.y, (double)x.z},
		       b[3] = {m * (double)v.x, m * (double)v.y, m * (double)v.z};
		for (int k = 0; k < 3; k++)
		{
			sum[k] += b[k];
			spin[k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
			size += fabs(b[k]);
		}
	}
	assert_true(size > 0);
	for (int k = 0; k < 3; k++)
	{
		check_near(sum[k], 0, 1e-6 * size);
		check_near(spin[k], 0, 1e-6 * size * 10 * spacing);
	}
	spate_world_destroy(t.world);
}

// Images make a full box look endless; without them its walls would be surfaces.
static void full_boxes_have_no_surface(void **state)
{
	(void)state;
	scene s;
	init(&s);
	add_collider(&s, box_shape(0, 0, 0, 8 * spacing, 8 * spacing, 8 * spacing), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 8 * spacing, 8 * spacing, 8 * spacing));
	setup t;
	start(&t, &s);
	double unit = 0.0728 / (1000 * spacing * spacing) * dt;
	for (uint32_t row = 0; row < t.view.list->count; row++)
	{
		vec4 v = t.work.velocities[row];
		check_near(sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z)) / unit, 0, 1e-3);
	}
	spate_world_destroy(t.world);
}

// Half a box of liquid on a wetted floor is pulled down, on a floor of the opposite angle up, by the same.
static void walls_pull_by_the_cosine_of_their_angle(void **state)
{
	(void)state;
	double pull[3];
	for (int n = 0; n < 3; n++)
	{
		scene s;
		init(&s);
		add_collider(&s, box_shape(0, 0, 0, 8 * spacing, 8 * spacing, 8 * spacing), SPATE_COLLIDER_INSIDE)
		    ->contact_angle = 60 + 30 * n;
		add_fill(&s, box_shape(0, 0, 0, 8 * spacing, 4 * spacing, 8 * spacing));
		setup t;
		start(&t, &s);
		pull[n] = 0;
		for (uint32_t row = 0; row < t.view.list->count; row++)
			pull[n] += (double)t.work.velocities[row].y;
		spate_world_destroy(t.world);
	}
	assert_true(pull[0] < pull[1] && pull[1] < pull[2]);
	check_near(pull[1] - pull[0], pull[2] - pull[1], 1e-4 * (pull[2] - pull[0]));
}

// What images and walls pull the liquid with is charged to them: a drop weighs on its plate what it weighs. A few percent are carried by
// calming against images, which is not charged.
static void drops_press_with_their_weight(void **state)
{
	(void)state;
	scene s;
	init(&s);
	s.def.gravity[1] = -9.81;
	s.def.fps = 1000;
	s.fluids[0].viscosity = 1e-4;
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE)
	    ->contact_angle = 60;
	add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 5 * spacing});
	add_probe(&s, "floor", SPATE_PROBE_FORCE);
	spate_world *w = scene_create(&s);
	double weight = 9.81 * 1000 * pow(spacing, 3) * spate_store_count(spate_world_store(w)), force = 0;
	run_until(w, 0.25);
	for (int frame = 0; frame < 100; frame++)
	{
		run_frame(w);
		force -= probe_value(w, "floor.force_y") / 100;
	}
	spate_world_destroy(w);
	check_near(force, weight, 0.05 * weight);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(force_is_the_gradient_of_the_energy),
	    cmocka_unit_test(so_it_is_between_two_fluids),
	    cmocka_unit_test(drops_keep_momentum_and_spin),
	    cmocka_unit_test(full_boxes_have_no_surface),
	    cmocka_unit_test(walls_pull_by_the_cosine_of_their_angle),
	    cmocka_unit_test(drops_press_with_their_weight),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
