// One substep of position-based fluids for a few particles, against the formulas of docs/theory in double precision.
#include "base/kernels.h"
#include "base/vec.h"
#include "solver/prototype.h"
#include "world/scene.h"

static const double d = 0.01, h = 0.02, dt = 1.0 / (24 * 16);

// A substep without gravity of one plain iteration, for liquid without viscosity and surface tension: each test adds what it is about.
static void few(scene *s)
{
	scene_init(s, d);
	scene_solver(s, "pbf");
	memset(s->def.gravity, 0, sizeof s->def.gravity);
	s->fluids[0].viscosity = 0;
	s->fluids[0].surface_tension = s->fluids[0].cohesion = 0;
	s->def.solver.substeps = 16;
	scene_set(s, "iterations", 1);
	scene_set(s, "acceleration", 0);
}

// As many particles at rest as there are places (m, relative to the world's origin), which become those of the ids from 0 on.
static spate_world *world_of(scene *s, const vec4 *places, uint32_t count)
{
	add_fill(s, box_shape(0, 0, 0, count * d, d, d));
	spate_world *w = scene_create(s);
	spate_store *store = spate_world_store(w);
	assert_int_equal(store->rows, count);
	for (uint32_t row = 0; row < count; row++)
		store->position[row] = places[store->id[row]];
	return w;
}

static uint32_t row_of(spate_world *w, int64_t id)
{
	const spate_store *store = spate_world_store(w);
	uint32_t row = 0;
	while (store->id[row] != id)
		row++;
	return row;
}

static vec4 place(spate_world *w, int64_t id)
{
	return spate_world_store(w)->position[row_of(w, id)];
}

static vec4 velocity(spate_world *w, int64_t id)
{
	return spate_world_store(w)->velocity[row_of(w, id)];
}

static double pressure(spate_world *w, int64_t id)
{
	return (double)spate_world_store(w)->pressure[row_of(w, id)];
}

static double volume(void)
{
	static double once;
	if (once == 0)
		once = prototype_make(d, h).volume;
	return once;
}

// Derivative of the kernel that pushes (1/m^4), for any radius.
static double spiky(double r, double radius)
{
	return -3 * KERNEL_SPIKY_NORM * pow(1 - r / radius, 2) / pow(radius, 4);
}

// V W of the density, and the magnitude of V grad W that pushes (1/m).
static double share(double r)
{
	return volume() * (double)poly6_value((float)r, (float)h);
}

static double slope(double r)
{
	return -volume() * spiky(r, h);
}

// ------------------------------------------------------------------------------------------------------------- pressure

// What the sum over spiky gradients makes of a linear field on the lattice, relative to its slope.
static double gradient(void)
{
	double sum = 0;
	for (int x = -2; x <= 2; x++)
		for (int y = -2; y <= 2; y++)
			for (int z = -2; z <= 2; z++)
			{
				double r = d * sqrt(x * x + y * y + z * z);
				if (r > 0 && r < 2 * d)
					sum -= volume() * spiky(r, 2 * d) / r * (d * x) * (d * x);
			}
	return sum;
}

// The pressure that is published is the one that has moved the particles: g m_i dx_i = -dt^2 sum_j V_i V_j (p_i + p_j) grad W_ij, with
// g = gradient(). Every other particle is of a second fluid.
static void check_pressure(double rho, double other_spacing, double other_rho)
{
	enum
	{
		SIDE = 3,
		COUNT = SIDE * SIDE * SIDE
	};
	scene s;
	few(&s);
	s.def.fluid_count = 2;
	s.fluids[0].density = rho;
	s.fluids[1].density = other_rho;
	s.fluids[1].spacing = other_spacing;
	s.fluids[1].viscosity = s.fluids[1].surface_tension = s.fluids[1].cohesion = 0;
	add_fill(&s, box_shape(0, 0, 0, (COUNT + 1) / 2 * d, d, d));
	add_fill(&s, box_shape(0, 1, 0, COUNT / 2 * other_spacing, 1 + other_spacing, other_spacing))->fluid = 1;
	spate_world *w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	assert_int_equal(store->rows, COUNT);
	vec4 from[COUNT];
	double spacings[COUNT], masses[COUNT], volumes[COUNT], largest = 0;
	for (uint32_t row = 0; row < COUNT; row++)
	{
		// a lattice pressed together, askew; the first fluid has the ids from 0 on
		int64_t id = store->id[row];
		int n = (int)(2 * (id % ((COUNT + 1) / 2)) + (id >= (COUNT + 1) / 2));
		from[id] =
		    (vec4){0.0063f * (float)(n % SIDE) + 0.0004f * (float)(n / 9), 0.0071f * (float)(n / SIDE % SIDE),
			   0.0066f * (float)(n / 9) + 0.0003f * (float)(n % 2), 0};
		store->position[row] = from[id];
		spacings[id] = store->fluid[row] ? other_spacing : d;
		volumes[id] = volume() * pow(spacings[id] / d, 3);
		masses[id] = (store->fluid[row] ? other_rho : rho) * volumes[id];
	}
	step(w);
	for (int i = 0; i < COUNT; i++)
	{
		double p = pressure(w, i), dx[3] = {0, 0, 0};
		largest = fmax(largest, p);
		for (int j = 0; j < COUNT; j++)
		{
			double x[3] = {(double)from[i].x - (double)from[j].x, (double)from[i].y - (double)from[j].y,
				       (double)from[i].z - (double)from[j].z},
			       r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), pair = spacings[i] + spacings[j];
			double push = volumes[i] * volumes[j] * (p + pressure(w, j));
			for (int k = 0; k < 3 && i != j && r < pair; k++)
				dx[k] -= dt * dt / (gradient() * masses[i]) * push * spiky(r, pair) * x[k] / r;
		}
		const double moved[3] = {(double)place(w, i).x - (double)from[i].x,
					 (double)place(w, i).y - (double)from[i].y,
					 (double)place(w, i).z - (double)from[i].z},
			     size = sqrt(dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2]);
		for (int k = 0; k < 3; k++)
			check_near(moved[k], dx[k], 1e-3 * size + 1e-8);
	}
	// it takes rho d^2 / dt^2 to move by a spacing in a substep
	assert_true(largest > 0.05 * rho * d * d / (dt * dt));
	spate_world_destroy(w);
}

static void pressure_is_what_pushed(void **state)
{
	(void)state;
	check_pressure(1000, d, 1000);
	check_pressure(500, d, 500);
	check_pressure(1000, d, 2500);
	check_pressure(1000, 1.4 * d, 1000);
	check_pressure(2000, 0.8 * d, 1200);
}

// Two particles that are far from dense feel nothing but the share of the last substep's pressure that they start from.
static void warm_start_is_a_share_of_the_last_pressure(void **state)
{
	(void)state;
	const double r = 0.011, rho = 1000, p = 400;
	for (double warm = 0; warm <= 0.5; warm += 0.25)
	{
		scene s;
		few(&s);
		scene_set(&s, "warm_start", warm);
		const vec4 from[2] = {{0, 0, 0, 0}, {(float)r, 0, 0, 0}};
		spate_world *w = world_of(&s, from, 2);
		for (int row = 0; row < 2; row++)
			spate_world_store(w)->pressure[row] = (float)p;
		step(w);
		double dx = 2 * warm * p * dt * dt / (gradient() * rho) * slope(r);
		check_near((double)place(w, 0).x, -dx, 1e-4 * dx + 1e-9);
		check_near((double)place(w, 1).x, r + dx, 1e-4 * dx + 1e-9);
		check_near(pressure(w, 0), warm * p, 1e-5 * p);
		spate_world_destroy(w);
	}
}

// -------------------------------------------------------------------------------------------------------------- calming

// Two particles pass each other. Without gravity a difference loses 2 c V W, c = 0.02; under gravity c = 1.5 dt sqrt(g / d), and three
// times that where both rest.
static void thin_liquid_is_calmed(void **state)
{
	(void)state;
	const double r = 0.008;
	for (int kind = 0; kind < 3; kind++)
	{
		scene s;
		few(&s);
		const double g = 9.81, speed = kind == 2 ? 1e-6 : 0.5;
		// along the other axes nothing happens
		s.def.gravity[1] = kind > 0 ? -g : 0;
		const vec4 from[2] = {{0, 0, 0, 0}, {(float)r, 0, 0, 0}};
		spate_world *w = world_of(&s, from, 2);
		vec4 *v = spate_world_store(w)->velocity;
		for (int k = 0; k < 2; k++) // both stand still at the end of the step, but for their difference
			v[row_of(w, k)] =
			    (vec4){0, kind == 0 ? 0 : (float)(g * dt), k ? (float)speed : (float)-speed, 0};
		step(w);
		double c = kind == 0 ? 0.02 : 1.5 * dt * sqrt(g / d) * (kind == 2 ? 3 : 1);
		// they have moved on before velocities are exchanged
		double apart = sqrt(r * r + pow(2 * speed * dt, 2));
		check_near((double)velocity(w, 1).z - (double)velocity(w, 0).z, 2 * speed * (1 - 2 * c * share(apart)),
			   2e-5 * speed);
		spate_world_destroy(w);
	}
}

// ---------------------------------------------------------------------------------------------------------------- walls

// A lone particle has its own share and that of its image.
static void walls_are_felt_within_the_radius(void **state)
{
	(void)state;
	for (double q = 0.15; q < 0.7; q += 0.05)
	{
		scene s;
		few(&s);
		add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
		const vec4 none = {0, 0, 0, 0};
		spate_world *w = world_of(&s, &none, 1);
		spate_store *store = spate_world_store(w);
		store->position[0].y = (float)(q * h - spate_world_origin(w)[1]);
		step(w);
		check_near((double)store->density[0], 1000 * (share(0) + (q < 0.5 ? share(2 * q * h) : 0)), 2e-3);
		check_near((double)store->velocity[0].y, 0, 1e-9);
		spate_world_destroy(w);
	}
}

// A wall draws by 4 a sigma / (rho d^2) at most, half-way between contact and one radius.
static void adhesion_draws_towards_the_wall(void **state)
{
	(void)state;
	const double contact = 0.5 * d;
	for (double adhesion = 0; adhesion <= 1; adhesion += 0.25)
		for (double part = -0.2; part <= 1.2; part += 0.2)
		{
			scene s;
			few(&s);
			s.fluids[0].adhesion = adhesion;
			// from above, so that a pull is upwards
			add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0.1, 0}, {0, -1, 0}, 0},
				     SPATE_COLLIDER_OUTSIDE);
			const vec4 none = {0, 0, 0, 0};
			spate_world *w = world_of(&s, &none, 1);
			spate_store *store = spate_world_store(w);
			double gap = contact + fmax(part, 0) * (h - contact);
			store->position[0] = (vec4){0, (float)(0.1 - gap - spate_world_origin(w)[1]), 0, 0};
			step(w);
			double by = part > 0 && part < 1 ? 4 * part * (1 - part) : 0;
			check_near((double)store->velocity[0].y, 4 * adhesion * 7.3e-4 / (d * d) * by * dt, 1e-6);
			check_near((double)store->velocity[0].x, 0, 1e-9);
			spate_world_destroy(w);
		}
}

// Under a plate a drop of 2 mm particles hangs by its adhesion, and falls without.
static void drops_hang_by_adhesion(void **state)
{
	(void)state;
	for (int sticks = 0; sticks < 2; sticks++)
	{
		scene s;
		scene_init(&s, 0.002);
		s.fluids[0].cohesion = 1;
		s.fluids[0].adhesion = sticks;
		add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, -1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
		add_fill(&s, box_shape(0, -0.006, 0, 0.008, 0, 0.008));
		spate_world *w = scene_create(&s);
		const spate_store *store = spate_world_store(w);
		assert_int_equal(store->rows, 48);
		run_until(w, 0.25);
		double lowest = 0, highest = -1;
		for (uint32_t row = 0; row < store->rows; row++)
		{
			double y = (double)store->position[row].y + spate_world_origin(w)[1];
			lowest = fmin(lowest, y);
			highest = fmax(highest, y);
		}
		// a fall of 0.31 m
		if (sticks ? lowest < -0.01 : highest > -0.2)
			fail_msg("with adhesion %d the drop reaches from %g m to %g m", sticks, lowest, highest);
		spate_world_destroy(w);
	}
}

// -------------------------------------------------------------------------------------------------------------- tension

// A pair attracts by A dt^2 V / h^3 f(q), A = 8 / (pi I) sigma / (rho h^2), I = 7.45e-4. A substep that is longer than capillary waves
// allow, dt^2 > 0.02 d^3 rho / sigma, takes only the pull of one that is not.
static void tension_draws_pairs_together(void **state)
{
	(void)state;
	const double kappa = 0.4, sigma = kappa * 7.3e-4, longest2 = 0.02 * d * d * d / sigma;
	for (int too_long = 0; too_long < 2; too_long++)
		for (double q = 0.45; q < 1.2; q += 0.1)
		{
			scene s;
			few(&s);
			s.def.solver.substeps = too_long ? 1 : 16;
			s.fluids[0].cohesion = kappa;
			const vec4 from[2] = {{0, 0, 0, 0}, {0, (float)(q * h), 0, 0}};
			spate_world *w = world_of(&s, from, 2);
			step(w);
			double cube = q < 1 ? pow(q * (1 - q), 3) : 0, f = q > 0.5 ? cube : 2 * cube - 1.0 / 64;
			double factor = 8 / (KERNEL_PI * 7.45e-4) * sigma / (h * h);
			double by = factor * (too_long ? longest2 : dt * dt) * volume() / (h * h * h) * f;
			check_near((double)place(w, 0).y, by, 2e-3 * fabs(by) + 1e-9);
			check_near((double)place(w, 1).y, q * h - by, 2e-3 * fabs(by) + 2e-9);
			spate_world_destroy(w);
		}
}

// ------------------------------------------------------------------------------------------------------------- settling

// A light liquid below one of ten times its density, in a box that is full to the brim and no whole number of spacings wide: it can do no
// more than begin to fall. What settling leaves of overlaps would become speed.
static void full_boxes_start_at_rest(void **state)
{
	(void)state;
	const double gravity = 9.81;
	scene s;
	scene_init(&s, d);
	scene_solver(&s, "pbf");
	s.fluids[0].surface_tension = s.fluids[0].cohesion = 0;
	s.fluids[1] = s.fluids[0];
	s.fluids[1].density = 0.1 * s.fluids[0].density;
	s.def.fluid_count = 2;
	add_fill(&s, box_shape(0, 11.45 * d, 0, 14.31 * d, 22.9 * d, 4.58 * d))->jitter = 0.02;
	spate_source_def *light = add_fill(&s, box_shape(0, 0, 0, 14.31 * d, 11.45 * d, 4.58 * d));
	light->jitter = 0.02;
	light->fluid = 1;
	add_collider(&s, box_shape(0, 0, 0, 14.31 * d, 22.9 * d, 4.58 * d), SPATE_COLLIDER_INSIDE);
	spate_world *w = scene_create(&s);
	step(w);
	const spate_store *store = spate_world_store(w);
	double mass = 0;
	for (uint32_t row = 0; row < store->rows; row++)
		mass += s.fluids[store->fluid[row]].density * d * d * d;
	double fallen = gravity * spate_world_stats(w)->dt;
	double speed = sqrt(2 * spate_world_stats(w)->kinetic_energy / mass);
	if (!(speed < 5 * fallen))
		fail_msg("rms speed %g m/s after the first substep, in which free fall gives %g m/s", speed, fallen);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pressure_is_what_pushed),
	    cmocka_unit_test(warm_start_is_a_share_of_the_last_pressure),
	    cmocka_unit_test(thin_liquid_is_calmed),
	    cmocka_unit_test(walls_are_felt_within_the_radius),
	    cmocka_unit_test(adhesion_draws_towards_the_wall),
	    cmocka_unit_test(drops_hang_by_adhesion),
	    cmocka_unit_test(tension_draws_pairs_together),
	    cmocka_unit_test(full_boxes_start_at_rest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
