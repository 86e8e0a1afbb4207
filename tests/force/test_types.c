// Every type of force by itself: its formula, its bound, and where it acts.
#define _GNU_SOURCE
#include "base/random.h"
#include "bridge/vdb.h"
#include "bridge/vdb_vectors.h"
#include "check.h"
#include "force/force.h"
#include "force/region.h"
#include "force/relax.h"
#include "scratch.h"

// A force alone, without gravity.
typedef struct alone
{
	spate_world_def def;
	spate_force_def force;
	void **assets;
	force_set set;
} alone;

static void make(alone *a, spate_force_def force, double speed)
{
	*a = (alone){.def = spate_default_world_def(), .force = force};
	memset(a->def.gravity, 0, sizeof a->def.gravity);
	a->def.forces = &a->force;
	a->def.force_count = 1;
	if (force_problem(&force, 3))
		fail_msg("%s", force_problem(&force, 3));
	spate_error error = {0};
	if (force_assets_make(&a->assets, &a->def, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	force_set_make(&a->set, &a->def, a->assets, NULL, 0, speed);
}

static void unmake(alone *a)
{
	force_assets_free(a->assets, &a->force, 1);
}

static spate_force_def of_type(spate_force_type type)
{
	spate_force_def f = spate_default_force_def();
	f.type = type;
	return f;
}

static const double origin[3] = {1, -2, 3};

// Mean acceleration over dt of a particle at a place in the world.
static void feel(const alone *a, const double place[3], vec3 v, double dt, int32_t fluid, double out[3])
{
	vec4 x = {(float)(place[0] - origin[0]), (float)(place[1] - origin[1]), (float)(place[2] - origin[2]), 0};
	vec4 velocity = {v.x, v.y, v.z, 0};
	force_rows rows = {1, &x, &velocity, origin, 0.7, (float)dt, &fluid};
	vec3 same, each;
	vec3 got = force_set_accelerate(&a->set, &rows, &same, &each) ? same : each;
	out[0] = (double)got.x, out[1] = (double)got.y, out[2] = (double)got.z;
}

static void the_table_names_the_types_of_the_interface(void **state)
{
	(void)state;
	static const char *const names[] = {[SPATE_FORCE_GRAVITY] = "gravity",
					    [SPATE_FORCE_WIND] = "wind",
					    [SPATE_FORCE_DRAG] = "drag",
					    [SPATE_FORCE_ATTRACTOR] = "attractor",
					    [SPATE_FORCE_VORTEX] = "vortex",
					    [SPATE_FORCE_SPIRAL] = "spiral",
					    [SPATE_FORCE_NOISE] = "noise",
					    [SPATE_FORCE_TARGET] = "target",
					    [SPATE_FORCE_EXPRESSION] = "expression"};
	for (int t = 0; t < SPATE_FORCE_COUNT; t++)
	{
		const char *doc = NULL;
		assert_string_equal(spate_force_name((spate_force_type)t, &doc), names[t]);
		assert_true(strlen(doc) > 10);
	}
	assert_null(spate_force_name(SPATE_FORCE_COUNT, NULL));
}

static void an_attractor_pulls_like_a_ball(void **state)
{
	(void)state;
	spate_force_def f = of_type(SPATE_FORCE_ATTRACTOR);
	f.position[0] = 2, f.position[1] = 1, f.position[2] = -1;
	f.radius = 0.25, f.strength = 8;
	// distance, power, share of the strength
	const double cases[][3] = {{0.25, 2, 1},    {0.5, 2, 0.25},  {1, 1, 0.25},           {1, 0, 1},
				   {0.125, 2, 0.5}, {0.5, 3, 0.125}, {0.5, 0.5, 0.70710678}, {0, 2, 0}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		alone a;
		f.power = cases[k][1];
		make(&a, f, 0);
		check_near(a.set.most, 8, 1e-12);
		const double place[3] = {2 + 0.6 * cases[k][0], 1, -1 - 0.8 * cases[k][0]};
		double got[3];
		feel(&a, place, vec3_make(5, 5, 5), 0.1, 0, got);
		check_near(got[0], -0.6 * 8 * cases[k][2], 1e-5);
		check_near(got[1], 0, 1e-5);
		check_near(got[2], 0.8 * 8 * cases[k][2], 1e-5);
		unmake(&a);
	}
}

static void vortex_and_spiral_turn_about_their_axis(void **state)
{
	(void)state;
	spate_force_def f = of_type(SPATE_FORCE_SPIRAL);
	f.axis[0] = 0, f.axis[1] = 0, f.axis[2] = 5;
	f.position[2] = 100;
	f.radius = 0.5, f.strength = 3, f.inward = 2, f.along = -1;
	alone a;
	double got[3];
	make(&a, f, 0);
	check_near(a.set.most, sqrt(14), 1e-12);
	feel(&a, (double[3]){1, 0, 7}, vec3_make(0, 0, 0), 0.1, 0, got); // twice the radius: half of all
	check_near(got[0], -1, 1e-6);
	check_near(got[1], 1.5, 1e-6);
	check_near(got[2], -0.5, 1e-6);
	feel(&a, (double[3]){0, 0.25, 7}, vec3_make(0, 0, 0), 0.1, 0, got); // inside: half as well
	check_near(got[0], -1.5, 1e-6);
	check_near(got[1], -1, 1e-6);
	unmake(&a);

	// a vortex has no pull, even if the definition has one
	f.type = SPATE_FORCE_VORTEX;
	make(&a, f, 0);
	feel(&a, (double[3]){1, 0, 7}, vec3_make(0, 0, 0), 0.1, 0, got);
	check_near(got[0], 0, 1e-6);
	check_near(got[1], 1.5, 1e-6);
	check_near(got[2], 0, 1e-6);
	unmake(&a);

	// as a flow that drags: v goes towards 2 m/s at 1 m by 1 - exp(-k dt)
	f.strength = 0, f.speed = 4, f.drag = 3;
	make(&a, f, 0);
	check_near(a.set.rate, 3, 0);
	check_near(a.set.flow, 4, 0);
	feel(&a, (double[3]){1, 0, 7}, vec3_make(1, 0, 0), 0.2, 0, got);
	check_near(0.2 * got[0], -(1 - exp(-0.6)), 1e-6);
	check_near(0.2 * got[1], 2 * (1 - exp(-0.6)), 1e-6);
	unmake(&a);
}

// v goes to the wind as the equation of motion says, for any length of the step, and never beyond; pushes act meanwhile.
static void wind_drags_exactly(void **state)
{
	(void)state;
	spate_force_def f = of_type(SPATE_FORCE_WIND);
	f.velocity[0] = 4;
	f.drag = 0.5;
	const double steps[] = {1e-4, 0.01, 1, 100, 1e6};
	for (size_t k = 0; k < 5; k++)
	{
		alone a;
		double got[3], dt = steps[k];
		make(&a, f, 10);
		check_near(a.set.steady, 0, 0);
		check_near(a.set.most, 0.5 * 14, 1e-12);
		feel(&a, (double[3]){0, 0, 0}, vec3_make(0, -10, 0), dt, 0, got);
		check_near(dt * got[0], -4 * expm1(-0.5 * dt), 4e-6);
		check_near(-10 + dt * got[1], -10 * exp(-0.5 * dt), 1e-5);
		unmake(&a);
		// with gravity: terminal velocity g / k
		make(&a, f, 10);
		a.def.gravity[1] = -9.81;
		force_set_make(&a.set, &a.def, a.assets, NULL, 0, 10);
		check_near(a.set.steady, 9.81, 1e-12);
		feel(&a, (double[3]){0, 0, 0}, vec3_make(0, 0, 0), dt, 0, got);
		check_near(dt * got[1], 2 * 9.81 * expm1(-0.5 * dt), 2e-5);
		unmake(&a);
	}
	// two winds together neither overshoot
	alone a;
	f.drag = 1000;
	make(&a, f, 0);
	spate_force_def two[2] = {f, f};
	a.def.forces = two, a.def.force_count = 2;
	void *none[2] = {NULL, NULL};
	force_set_make(&a.set, &a.def, none, NULL, 0, 0);
	double got[3];
	feel(&a, (double[3]){0, 0, 0}, vec3_make(0, 0, 0), 0.1, 0, got);
	check_near(0.1 * got[0], 4, 1e-5);
	a.def.force_count = 1;
	unmake(&a);
}

// dw/dt = -(k + c w) w has the solution w0 e / (1 + c w0 (1 - e) / k) with e = exp(-k t).
static void quadratic_drag_is_exact(void **state)
{
	(void)state;
	spate_force_def f = of_type(SPATE_FORCE_DRAG);
	f.velocity[0] = 77; // not of drag
	for (int both = 0; both <= 1; both++)
		for (double dt = 1e-3; dt < 1e3; dt *= 10)
		{
			alone a;
			double got[3], k = both ? 2 : 0, c = 0.3, e = exp(-k * dt);
			f.drag = k, f.quadratic = c;
			make(&a, f, 5);
			check_near(a.set.rate, k + c * 5, 1e-12);
			feel(&a, (double[3]){0, 0, 0}, vec3_make(0, 3, 4), dt, 0, got);
			double left = 5 * e / (1 + c * 5 * (both ? (1 - e) / k : dt));
			check_near(3 + dt * got[1], 0.6 * left, 2e-6 * 5);
			check_near(4 + dt * got[2], 0.8 * left, 2e-6 * 5);
			check_near(got[0], 0, 0);
			unmake(&a);
		}
}

static void the_start_of_a_substep_is_found_again(void **state)
{
	(void)state;
	spate_force_def f = of_type(SPATE_FORCE_WIND);
	f.velocity[0] = 4, f.drag = 20;
	alone a;
	make(&a, f, 0);
	a.def.gravity[1] = -9.81;
	force_set_make(&a.set, &a.def, a.assets, NULL, 0, 10);
	vec4 x = {0}, v = {1, 2, 3, 0}, before;
	force_rows rows = {1, &x, &v, origin, 0, 0.01f, NULL};
	vec3 same, each;
	assert_false(force_set_accelerate(&a.set, &rows, &same, &each));
	vec4 after = {v.x + 0.01f * each.x, v.y + 0.01f * each.y, v.z + 0.01f * each.z, 0};
	assert_true(fabsf(after.x - v.x) > 0.5f);
	rows.velocities = &after;
	force_set_recall(&a.set, &rows, &before);
	// (1 - exp(-0.2))^3 of the change are left
	check_near((double)before.x, 1, 4e-3);
	check_near((double)before.y, 2, 4e-3);
	check_near((double)before.z, 3, 4e-3);
	unmake(&a);
}

static void forces_fall_off_outside_of_their_shape(void **state)
{
	(void)state;
	spate_force_def f = of_type(SPATE_FORCE_ATTRACTOR);
	f.position[0] = 1000, f.radius = 1, f.power = 0, f.strength = 1; // practically uniform
	f.shape = (spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0};
	f.falloff = 0.2;
	alone a;
	make(&a, f, 0);
	double got[3], last = 1;
	for (double y = 0.5; y < 1.0; y += 0.1)
	{
		feel(&a, (double[3]){0.5, y, 0.5}, vec3_make(0, 0, 0), 0.1, 0, got);
		check_near(got[0], 1, 1e-6);
	}
	for (int k = 1; k < 40; k++)
	{
		feel(&a, (double[3]){0.5, 1 + k * 0.005, 0.5}, vec3_make(0, 0, 0), 0.1, 0, got);
		double t = 1 - k / 40.0;
		check_near(got[0], t * t * (3 - 2 * t), 1e-5);
		assert_true(got[0] < last && got[0] > 0);
		last = got[0];
	}
	feel(&a, (double[3]){0.5, 1.2001, 0.5}, vec3_make(0, 0, 0), 0.1, 0, got);
	check_near(got[0], 0, 0);
	unmake(&a);

	// a hard edge
	f.falloff = 0;
	make(&a, f, 0);
	feel(&a, (double[3]){0.5, 0.9999, 0.5}, vec3_make(0, 0, 0), 0.1, 0, got);
	check_near(got[0], 1, 1e-6);
	feel(&a, (double[3]){0.5, 1.0001, 0.5}, vec3_make(0, 0, 0), 0.1, 0, got);
	check_near(got[0], 0, 0);
	unmake(&a);
	assert_false(region_is_limited(&(spate_force_def){.falloff = 1}));
	check_near((double)region_weight(0.05f, 0.1f), 0.5, 1e-6);
}

static void only_the_fluids_that_are_named_feel_it(void **state)
{
	(void)state;
	spate_force_def f = of_type(SPATE_FORCE_WIND);
	const uint32_t fluids[2] = {2, 0};
	f.velocity[0] = 4, f.drag = 5;
	f.fluids = fluids, f.fluid_count = 2;
	alone a;
	make(&a, f, 0);
	double got[3];
	for (int32_t fluid = 0; fluid < 3; fluid++)
	{
		feel(&a, (double[3]){0, 0, 0}, vec3_make(0, 0, 0), 0, fluid, got);
		check_near(got[0], fluid == 1 ? 0 : 20, 1e-5);
	}
	const uint32_t missing[1] = {3};
	f.fluids = missing, f.fluid_count = 1;
	assert_non_null(force_problem(&f, 3));
	unmake(&a);
}

// ----------------------------------------------------------------------------------------------------------------- noise

static void noise_of(alone *a, double size, double speed, uint64_t seed)
{
	spate_force_def f = of_type(SPATE_FORCE_NOISE);
	f.amplitude = 3, f.size = size, f.speed = speed, f.seed = seed;
	make(a, f, 0);
}

static double draw(uint32_t n)
{
	return 4 * (double)random_float((random_key){.seed = 9, .id = n}) - 2;
}

// By differences of the sixth order, whose error for waves of 36 steps or more is below 2e-7 of a derivative; rounding of accelerations of up to
// 15 m/s^2 to 24 bits makes 1e-6 / h.
static void noise_has_no_divergence(void **state)
{
	(void)state;
	alone a;
	noise_of(&a, 0.5, 0.2, 7);
	const double h = 0.01, weights[4] = {0, 45.0 / 60, -9.0 / 60, 1.0 / 60};
	double worst = 0, steepest = 0;
	for (uint32_t n = 0; n < 300; n++)
	{
		const double place[3] = {draw(3 * n), draw(3 * n + 1), draw(3 * n + 2)};
		double divergence = 0;
		for (int k = 0; k < 3; k++)
		{
			double slope = 0;
			for (int j = -3; j <= 3; j++)
			{
				// steps that single precision can hold
				double at[3] = {place[0], place[1], place[2]}, got[3];
				at[k] = (double)(float)(place[k] - origin[k] + j * h) + origin[k];
				feel(&a, at, vec3_make(0, 0, 0), 0.1, 0, got);
				slope += (j < 0 ? -1 : 1) * weights[abs(j)] * got[k] / h;
			}
			divergence += slope;
			steepest = fmax(steepest, fabs(slope));
		}
		worst = fmax(worst, fabs(divergence));
	}
	assert_true(steepest > 20);
	if (!(worst < 2e-3))
		fail_msg("divergence %g 1/s^2, slopes up to %g", worst, steepest);
	unmake(&a);
}

static void noise_has_its_amplitude_and_changes(void **state)
{
	(void)state;
	alone a, still, other;
	noise_of(&a, 0.1, 1, 7);
	noise_of(&other, 0.1, 1, 8);
	noise_of(&still, 0.1, 0, 7);
	double square[3] = {0}, largest = 0, apart = 0, got[3], twin[3];
	const uint32_t count = 4000;
	for (uint32_t n = 0; n < count; n++)
	{
		const double place[3] = {draw(3 * n), draw(3 * n + 1), draw(3 * n + 2)};
		feel(&a, place, vec3_make(0, 0, 0), 0.1, 0, got);
		feel(&other, place, vec3_make(0, 0, 0), 0.1, 0, twin);
		double sum = 0;
		for (int k = 0; k < 3; k++)
		{
			square[k] += got[k] * got[k] / count;
			apart += (got[k] - twin[k]) * (got[k] - twin[k]) / count;
			sum += got[k] * got[k];
		}
		largest = fmax(largest, sqrt(sum));
	}
	check_near(sqrt(square[0] + square[1] + square[2]), 3, 0.1);
	for (int k = 0; k < 3; k++)
		check_near(sqrt(square[k]), sqrt(3), 0.5);
	assert_true(apart > 9); // as different as if they had nothing in common: 2 * 3^2
	assert_true(largest < a.set.most && largest > 0.35 * a.set.most);

	vec4 x = {0}, v = {0};
	vec3 same, each[2][2];
	for (int later = 0; later < 2; later++)
	{
		force_rows rows = {1, &x, &v, origin, 5.0 * later, 0.1f, NULL};
		assert_false(force_set_accelerate(&a.set, &rows, &same, &each[0][later]));
		assert_false(force_set_accelerate(&still.set, &rows, &same, &each[1][later]));
	}
	assert_true(vec3_length(vec3_sub(each[0][0], each[0][1])) > 0.1f);
	check_near((double)vec3_length(vec3_sub(each[1][0], each[1][1])), 0, 0);
	unmake(&a);
	unmake(&still);
	unmake(&other);
}

// --------------------------------------------------------------------------------------------------- expressions and files

static spate_force_def formulas(const char *x, const char *y, const char *z)
{
	spate_force_def f = of_type(SPATE_FORCE_EXPRESSION);
	f.acceleration[0] = x, f.acceleration[1] = y, f.acceleration[2] = z;
	return f;
}

static void formulas_are_what_they_say(void **state)
{
	(void)state;
	alone a, ball;
	double got[3], wanted[3];
	make(&a, formulas("2*sin(3*t) + y", NULL, "-x*vx + 10*vz"), 0);
	assert_true(a.set.unknown && a.set.by_velocity);
	feel(&a, (double[3]){0.5, -0.25, 9}, vec3_make(2, 3, 4), 0.1, 0, got);
	check_near(got[0], 2 * sin(3 * 0.7) - 0.25, 1e-6);
	check_near(got[1], 0, 0);
	check_near(got[2], -0.5 * 2 + 40, 1e-5);
	unmake(&a);

	// the same as an attractor
	spate_force_def f = of_type(SPATE_FORCE_ATTRACTOR);
	f.position[0] = 1, f.position[1] = 2, f.position[2] = 3;
	f.radius = 0.5, f.strength = 7, f.power = 2;
	make(&ball, f, 0);
#define SQUARE "((x-1)^2 + (y-2)^2 + (z-3)^2)"
#define PULL(d) "7*" d "*(" SQUARE " < 0.25 ? 2 : 0.25/" SQUARE "^1.5)"
	make(&a, formulas(PULL("(1-x)"), PULL("(2-y)"), PULL("(3-z)")), 0);
	assert_false(a.set.by_velocity);
	for (uint32_t n = 0; n < 200; n++)
	{
		const double place[3] = {1 + draw(3 * n), 2 + draw(3 * n + 1), 3 + draw(3 * n + 2)};
		feel(&a, place, vec3_make(0, 0, 0), 0.1, 0, got);
		feel(&ball, place, vec3_make(0, 0, 0), 0.1, 0, wanted);
		for (int k = 0; k < 3; k++)
			check_near(got[k], wanted[k], 1e-5);
	}
	unmake(&a);
	unmake(&ball);
}

static void bounds_of_formulas_are_measured(void **state)
{
	(void)state;
	alone a;
	make(&a, formulas("0", "1/x", "0"), 0);
	a.def.gravity[1] = -10;
	force_set_make(&a.set, &a.def, a.assets, NULL, 0, 0);
	check_near(a.set.most, 10, 0);
	enum
	{
		ROWS = 10000
	};
	static vec4 x[ROWS], v[ROWS];
	for (int row = 0; row < ROWS; row++)
		x[row].x = (float)row - 5000.25f - (float)origin[0];
	x[7777].x = -(float)origin[0]; // 1/0 is no bound
	force_set_measure(&a.set, &(force_rows){ROWS, x, v, origin, 0, 0, NULL}, 2);
	check_near(a.set.most, 14, 1e-3);
	check_near(a.set.steady, 14, 1e-3);
	unmake(&a);
}

static void wrong_formulas_are_refused(void **state)
{
	(void)state;
	spate_world_def def = spate_default_world_def();
	spate_force_def f = formulas("1", "2 + hieght", "3");
	def.forces = &f, def.force_count = 1;
	void **assets;
	spate_error error = {0};
	check_result(force_assets_make(&assets, &def, &error), SPATE_INVALID);
	assert_null(assets);
	assert_non_null(strstr(error.text, "along y of a force, column 5: "));
}

// A field that is linear in the place is interpolated exactly; outside of its voxels nothing drags.
static void a_grid_of_velocities_is_a_target(void **state)
{
	(void)state;
	if (!vdb_available())
		skip_without("OpenVDB");
	enum
	{
		N = 9
	};
	static float vectors[N * N * N][3];
	const int32_t low[3] = {-3, 2, -40};
	const uint32_t size[3] = {N, N, N};
	const double cell = 0.25, corner[3] = {1, 2, 3};
	for (int i = 0; i < N * N * N; i++)
	{
		const int at[3] = {i / (N * N), i / N % N, i % N};
		double place[3];
		for (int k = 0; k < 3; k++)
			place[k] = corner[k] + cell * (low[k] + at[k]);
		vectors[i][0] = (float)(1 + place[1]), vectors[i][1] = (float)(2 - place[2]);
		vectors[i][2] = (float)place[0];
	}
	scratch dir = scratch_make();
	spate_error error = {0};
	const char *path = scratch_file(&dir, "flow.vdb");
	if (vdb_write_vectors(path, "vel", low, size, &vectors[0][0], cell, corner, &error) != SPATE_OK)
		fail_msg("%s", error.text);

	spate_force_def f = of_type(SPATE_FORCE_TARGET);
	f.field = path, f.drag = 3;
	alone a;
	double got[3];
	make(&a, f, 0);
	check_near(a.set.rate, 3, 0);
	for (uint32_t n = 0; n < 200; n++)
	{
		double place[3];
		for (int k = 0; k < 3; k++)
			place[k] = corner[k] + cell * (low[k] + 4 + 0.99 * 2 * draw(3 * n + (uint32_t)k));
		feel(&a, place, vec3_make(0.5f, 0, 0), 0, 0, got);
		check_near(got[0], 3 * (1 + place[1] - 0.5), 2e-4);
		check_near(got[1], 3 * (2 - place[2]), 2e-4);
		check_near(got[2], 3 * place[0], 2e-4);
		assert_true(hypot(1 + place[1], hypot(2 - place[2], place[0])) <= a.set.flow);
	}
	// half a voxel outside: half the rate, and the velocity of the outermost voxel
	double place[3] = {corner[0] + cell * (low[0] - 0.5), corner[1] + cell * (low[1] + 4),
			   corner[2] + cell * (low[2] + 4)};
	feel(&a, place, vec3_make(0, 0, 0), 0, 0, got);
	check_near(got[0], 1.5 * (1 + place[1]), 1e-4);
	check_near(got[2], 1.5 * (place[0] + 0.5 * cell), 1e-4);
	place[0] -= cell;
	feel(&a, place, vec3_make(0, 0, 0), 0, 0, got);
	check_near(got[0], 0, 0);
	unmake(&a);

	check_ok(vdb_find_vectors(path, "vel", &error));
	check_result(vdb_find_vectors(path, "velocity", &error), SPATE_MISSING);
	assert_non_null(strstr(error.text, "has no grid 'velocity'; its grids: vel (vectors)"));
	void *asset;
	f.field = scratch_file(&dir, "none.vdb");
	assert_int_not_equal(force_table(SPATE_FORCE_TARGET)->make(&f, &asset, &error), SPATE_OK);
	force_table(SPATE_FORCE_TARGET)->unmake(asset);
	scratch_remove(&dir);
}

static void impossible_forces_are_refused(void **state)
{
	(void)state;
	spate_force_def f = of_type(SPATE_FORCE_GRAVITY);
	assert_non_null(force_problem(&f, 1));
	f = of_type(SPATE_FORCE_WIND);
	assert_null(force_problem(&f, 1)); // drag may be raised later
	f.velocity[2] = NAN;
	assert_non_null(force_problem(&f, 1));
	f = of_type(SPATE_FORCE_ATTRACTOR);
	assert_null(force_problem(&f, 1));
	f.radius = 0;
	assert_non_null(force_problem(&f, 1));
	f = of_type(SPATE_FORCE_VORTEX);
	assert_null(force_problem(&f, 1));
	f.axis[1] = 0;
	assert_non_null(force_problem(&f, 1));
	f = of_type(SPATE_FORCE_NOISE);
	f.size = 0;
	assert_non_null(force_problem(&f, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_table_names_the_types_of_the_interface),
	    cmocka_unit_test(an_attractor_pulls_like_a_ball),
	    cmocka_unit_test(vortex_and_spiral_turn_about_their_axis),
	    cmocka_unit_test(wind_drags_exactly),
	    cmocka_unit_test(quadratic_drag_is_exact),
	    cmocka_unit_test(the_start_of_a_substep_is_found_again),
	    cmocka_unit_test(forces_fall_off_outside_of_their_shape),
	    cmocka_unit_test(only_the_fluids_that_are_named_feel_it),
	    cmocka_unit_test(noise_has_no_divergence),
	    cmocka_unit_test(noise_has_its_amplitude_and_changes),
	    cmocka_unit_test(formulas_are_what_they_say),
	    cmocka_unit_test(bounds_of_formulas_are_measured),
	    cmocka_unit_test(wrong_formulas_are_refused),
	    cmocka_unit_test(a_grid_of_velocities_is_a_target),
	    cmocka_unit_test(impossible_forces_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
