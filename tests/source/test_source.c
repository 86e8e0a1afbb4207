// Fills, emitters and sinks.
#include "check.h"
#include "source/source.h"

static const double no_origin[3] = {0, 0, 0};

typedef struct rig
{
	source_set set;
	collider_set colliders;
	spate_store *store;
	spate_fluid_def fluid;
} rig;

static rig make(spate_source_def def, double spacing, const spate_collider_def *colliders, uint32_t count)
{
	rig r = {.fluid = spate_default_fluid_def()};
	r.fluid.spacing = spacing;
	check_ok(source_set_create(&r.set, &def, 1, no_origin, 7, NULL));
	check_ok(collider_set_create(&r.colliders, colliders, count, &(collider_world){0}, NULL));
	check_ok(spate_store_create(&r.store, 0, NULL));
	return r;
}

static void run(rig *r, double begin, double end)
{
	check_ok(source_set_run(&r->set, r->store, &r->fluid, &r->colliders, begin, end, NULL));
}

static void destroy(rig *r)
{
	source_set_destroy(&r->set);
	collider_set_destroy(&r->colliders);
	spate_store_destroy(r->store);
}

static spate_source_def fill_of(spate_shape shape)
{
	spate_source_def def = spate_default_source_def();
	def.shape = shape;
	return def;
}

// ---------------------------------------------------------------------------------------------------------------- fills

static void box_holds_exactly_its_spacings(void **state)
{
	(void)state;
	const struct
	{
		int n, m, k;
		double d;
	} cases[] = {{1, 1, 1, 0.1},    {10, 3, 7, 0.01},  {30, 30, 3, 1.0 / 3},
		     {17, 5, 9, 0.003}, {4, 4, 4, 2.5e-5}, {7, 11, 13, 0.7}};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
	{
		double d = cases[c].d;
		spate_source_def def = fill_of((spate_shape){
		    SPATE_SHAPE_BOX, {d, 2 * d, 0}, {d + cases[c].n * d, 2 * d + cases[c].m * d, cases[c].k * d}, 0});
		def.velocity[1] = -3;
		rig r = make(def, d, NULL, 0);
		run(&r, 0, 0);
		assert_int_equal(spate_store_count(r.store), cases[c].n * cases[c].m * cases[c].k);
		// half a spacing from the sides, at the velocity asked for, and only once
		check_near((double)r.store->position[0].x / d, 1.5, 1e-5);
		check_near((double)r.store->position[0].y / d, 2.5, 1e-5);
		check_near((double)r.store->velocity[0].y, -3, 0);
		run(&r, 0, 0.1);
		assert_int_equal(spate_store_count(r.store), cases[c].n * cases[c].m * cases[c].k);
		destroy(&r);
	}
}

static void round_shapes_hold_their_volume(void **state)
{
	(void)state;
	const spate_shape shapes[] = {{SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.5},
				      {SPATE_SHAPE_CAPSULE, {0, 0, 0}, {0, 1, 0}, 0.4},
				      {SPATE_SHAPE_CYLINDER, {0, 0, 0}, {0, 1, 0}, 0.4},
				      {SPATE_SHAPE_CYLINDER, {0, 0, 0}, {0.7, 0.5, 0.5}, 0.5}};
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
	{
		double d = 0.03;
		rig r = make(fill_of(shapes[s]), d, NULL, 0);
		run(&r, 0, 0);
		double volume = shape_volume(&shapes[s]);
		check_near(spate_store_count(r.store) * d * d * d, volume, 0.005 * volume);
		destroy(&r);
	}
}

static void fill_keeps_clear_of_colliders(void **state)
{
	(void)state;
	spate_collider_def defs[2] = {spate_default_collider_def(), spate_default_collider_def()};
	defs[0].shape = (spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0};
	defs[0].mode = SPATE_COLLIDER_INSIDE;
	defs[1].shape = (spate_shape){SPATE_SHAPE_SPHERE, {0.5, 0.5, 0.5}, {0, 0, 0}, 0.3};
	double d = 0.05;
	for (int jitter = 0; jitter < 2; jitter++)
	{
		// larger than the tank: what is outside of it is left out
		spate_source_def def = fill_of((spate_shape){SPATE_SHAPE_BOX, {-0.5, 0, 0}, {1.5, 1, 1}, 0});
		def.jitter = 0.4 * jitter;
		rig r = make(def, d, defs, 2);
		run(&r, 0, 0);
		for (uint32_t row = 0; row < r.store->rows; row++)
		{
			vec4 p = r.store->position[row];
			float distance = collider_set_distance(&r.colliders, vec3_make(p.x, p.y, p.z));
			if (!(distance >= 0.48f * (float)d))
				fail_msg("particle %u is %g m from a wall", row, (double)distance);
		}
		double volume = 1 - 4.0 / 3 * 3.14159265 * pow(0.3, 3);
		check_near(r.store->rows * d * d * d, volume, 0.005 * volume);
		destroy(&r);
	}
}

static void jitter_is_bounded_and_repeats(void **state)
{
	(void)state;
	double d = 0.1, mean[3] = {0, 0, 0};
	spate_source_def def = fill_of((spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0});
	rig plain = make(def, d, NULL, 0);
	def.jitter = 0.25;
	rig one = make(def, d, NULL, 0), two = make(def, d, NULL, 0), other = make(def, d, NULL, 0);
	other.set.seed = 8;
	run(&plain, 0, 0), run(&one, 0, 0), run(&two, 0, 0), run(&other, 0, 0);
	assert_int_equal(one.store->rows, 1000);
	int same = 0;
	for (uint32_t row = 0; row < 1000; row++)
	{
		vec4 p = plain.store->position[row], q = one.store->position[row];
		assert_memory_equal(&q, &two.store->position[row], 12);
		same += memcmp(&q, &other.store->position[row], 12) == 0;
		double shift[3] = {(double)(q.x - p.x), (double)(q.y - p.y), (double)(q.z - p.z)};
		check_near(sqrt(shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2]), 0.25 * d, 1e-5 * d);
		for (int k = 0; k < 3; k++)
			mean[k] += shift[k] / 1000;
	}
	assert_int_equal(same, 0);
	for (int k = 0; k < 3; k++)
		check_near(mean[k], 0, 0.02 * d);
	destroy(&plain), destroy(&one), destroy(&two), destroy(&other);
}

// A fill that turns around the middle of its box: v + spin x (x - middle).
static void spin_is_about_the_middle(void **state)
{
	(void)state;
	spate_source_def def = fill_of((spate_shape){SPATE_SHAPE_BOX, {1, 2, 3}, {1.4, 2.2, 3.6}, 0});
	const double spin[3] = {3, -5, 7}, velocity[3] = {0.5, 0.25, -1}, middle[3] = {1.2, 2.1, 3.3};
	memcpy(def.spin, spin, sizeof spin);
	memcpy(def.velocity, velocity, sizeof velocity);
	rig r = make(def, 0.1, NULL, 0);
	run(&r, 0, 0);
	assert_int_equal(r.store->rows, 4 * 2 * 6);
	for (uint32_t row = 0; row < r.store->rows; row++)
	{
		vec4 p = r.store->position[row], v = r.store->velocity[row];
		const double x[3] = {(double)p.x - middle[0], (double)p.y - middle[1], (double)p.z - middle[2]};
		check_near((double)v.x, velocity[0] + spin[1] * x[2] - spin[2] * x[1], 1e-5);
		check_near((double)v.y, velocity[1] + spin[2] * x[0] - spin[0] * x[2], 1e-5);
		check_near((double)v.z, velocity[2] + spin[0] * x[1] - spin[1] * x[0], 1e-5);
	}
	destroy(&r);
}

static void fill_waits_for_its_start(void **state)
{
	(void)state;
	spate_source_def def = fill_of((spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0});
	def.start = 0.5;
	rig r = make(def, 0.25, NULL, 0);
	run(&r, 0, 0.4);
	run(&r, 0.4, 0.5);
	assert_int_equal(r.store->rows, 0);
	check_near(source_set_speed(&r.set, &r.fluid, &r.colliders, 0.4, 0.6), 0, 0);
	run(&r, 0.5, 0.6);
	assert_int_equal(r.store->rows, 64);
	destroy(&r);
}

// ------------------------------------------------------------------------------------------------------------- emitters

static spate_source_def emitter(double width, double height, double radius, double speed)
{
	spate_source_def def = spate_default_source_def();
	def.type = SPATE_SOURCE_EMITTER;
	def.position[1] = 2;
	def.direction[0] = 3; // any length
	def.width = width, def.height = height, def.radius = radius, def.speed = speed;
	return def;
}

// What a step does to particles that nothing disturbs.
static void coast(rig *r, double dt)
{
	for (uint32_t row = 0; row < r->store->rows; row++)
	{
		r->store->position[row].x += (float)dt * r->store->velocity[row].x;
		r->store->position[row].y += (float)dt * r->store->velocity[row].y;
	}
}

static void volume_is_speed_times_area_times_time(void **state)
{
	(void)state;
	const double d = 0.02, speed = 1.3, time = 2.1;
	const struct
	{
		double width, height, radius, area;
	} cases[] = {{0.2, 0.1, 0, 0.02}, {0, 0, 0.15, 3.14159265 * 0.15 * 0.15}};
	for (int c = 0; c < 2; c++)
	{
		rig r = make(emitter(cases[c].width, cases[c].height, cases[c].radius, speed), d, NULL, 0);
		double particle = d * d * d;
		for (int k = 0; k < 100; k++)
		{
			run(&r, time * k / 100, time * (k + 1) / 100);
			// at every moment, up to one particle; a disc's lattice is not quite its area
			double expected = speed * cases[c].area * time * (k + 1) / 100;
			check_near(r.store->rows * particle, expected, particle * 1.001 + (c ? 0.05 * expected : 0));
		}
		destroy(&r);
	}
}

static void columns_are_evenly_spaced(void **state)
{
	(void)state;
	// slow and fast steps in any order, several particles of a column in one step as well
	const double steps[] = {0.01, 0.003, 0.017, 0.0004, 0.1, 0.02, 0.0071, 0.001, 0.05, 0.033};
	const double d = 0.02;
	spate_source_def def = emitter(0.02, 0.02, 0, 1.7);
	def.start = 0.013;
	rig r = make(def, d, NULL, 0);
	double time = 0;
	for (int k = 0; k < 60; k++)
	{
		double dt = steps[k * 7 % 10];
		run(&r, time, time + dt);
		coast(&r, dt);
		time += dt;
	}
	assert_true(r.store->rows > 100);
	double travelled = 1.7 * (time - 0.013);
	for (uint32_t row = 0; row < r.store->rows; row++)
		check_near((double)r.store->position[row].x, travelled - (row + 1) * d, 1e-5);
	// none is behind the plane at the end of a step, and the last is less than a spacing in front of it
	float last = r.store->position[r.store->rows - 1].x;
	assert_true(last > -1e-5f && last < (float)d + 1e-5f);
	check_near((double)r.store->velocity[0].x, 1.7, 1e-6);
	for (uint32_t row = 0; row < r.store->rows; row++)
		check_near((double)r.store->position[row].y, 2, 1e-6);
	destroy(&r);
}

// Six columns: one comes after the other, a sixth of a spacing apart, in the same order for any pattern of steps.
static void columns_take_turns(void **state)
{
	(void)state;
	enum
	{
		COLUMNS = 6,
		ROWS = 5 * COLUMNS
	};
	const double d = 0.02, speed = 1.5, time = (ROWS + 0.5) * d / COLUMNS / speed;
	// their turns, of 0.7549 i + 0.5698 j modulo 1: 0, 0.755, 0.510; 0.570, 0.325, 0.080
	static const int order[COLUMNS][2] = {{0, 0}, {2, 1}, {1, 1}, {2, 0}, {0, 1}, {1, 0}};
	const int patterns[] = {1, 2, 7, 400};
	for (int p = 0; p < 4; p++)
	{
		rig r = make(emitter(3 * d, 2 * d, 0, speed), d, NULL, 0);
		for (int k = 0; k < patterns[p]; k++)
		{
			double begin = time * k / patterns[p], end = time * (k + 1) / patterns[p];
			run(&r, begin, end);
			coast(&r, end - begin);
		}
		assert_int_equal(r.store->rows, ROWS);
		for (int row = 0; row < ROWS; row++)
		{
			vec4 x = r.store->position[row];
			const int *column = order[row % COLUMNS];
			assert_int_equal(r.store->id[row], r.store->id[0] + row);
			check_near((double)x.x, speed * time - (row + 1) * d / COLUMNS, 1e-5);
			check_near((double)x.y, 2 + (column[1] - 0.5) * d, 1e-6);
			check_near((double)x.z, (1 - column[0]) * d, 1e-6);
			for (int other = 0; other < row; other++)
			{
				vec4 y = r.store->position[other];
				double away = sqrt(pow((double)(x.x - y.x), 2) + pow((double)(x.y - y.y), 2) +
						   pow((double)(x.z - y.z), 2));
				if (away < d * (1 - 1e-3))
					fail_msg("particles %d and %d are %g m apart, expected at least %g", row, other,
						 away, d);
			}
		}
		destroy(&r);
	}
}

static void emitter_starts_stops_and_has_a_limit(void **state)
{
	(void)state;
	spate_source_def def = emitter(0.1, 0.1, 0, 1);
	def.start = 1, def.stop = 2;
	rig r = make(def, 0.1, NULL, 0);
	check_near(source_set_speed(&r.set, &r.fluid, &r.colliders, 0, 0.9), 0, 0);
	check_near(source_set_speed(&r.set, &r.fluid, &r.colliders, 0.9, 1.1), 1, 0);
	check_near(source_set_speed(&r.set, &r.fluid, &r.colliders, 2.1, 3), 0, 0);
	for (int k = 0; k < 40; k++)
	{
		run(&r, k * 0.1, (k + 1) * 0.1);
		if (k < 9)
			assert_int_equal(r.store->rows, 0);
	}
	check_near(r.store->rows, 10, 1);
	destroy(&r);

	def = emitter(0.4, 0.3, 0, 1);
	def.limit = 50;
	r = make(def, 0.1, NULL, 0);
	for (int k = 0; k < 20; k++)
		run(&r, k * 0.1, (k + 1) * 0.1);
	assert_int_equal(r.store->rows, 50);
	assert_int_equal(r.set.states[0].emitted, 50);
	destroy(&r);
}

static void rectangles_and_discs_have_their_size(void **state)
{
	(void)state;
	const double d = 0.01;
	rig r = make(emitter(0.3, 0.1, 0, 1), d, NULL, 0), disc = make(emitter(0, 0, 0.1, 1), d, NULL, 0);
	run(&r, 0, d * 1.001), run(&disc, 0, d * 1.001);
	assert_int_equal(r.store->rows, 300);
	double wide = 0, high = 0, far2 = 0;
	for (uint32_t row = 0; row < r.store->rows; row++)
	{
		wide = fmax(wide, fabs((double)r.store->position[row].z));
		high = fmax(high, fabs((double)r.store->position[row].y - 2));
	}
	check_near(wide, 0.145, 1e-6);
	check_near(high, 0.045, 1e-6);
	for (uint32_t row = 0; row < disc.store->rows; row++)
		far2 = fmax(far2, pow((double)disc.store->position[row].z, 2) +
				      pow((double)disc.store->position[row].y - 2, 2));
	assert_true(sqrt(far2) <= 0.1 + 1e-6 && sqrt(far2) > 0.09);
	check_near(disc.store->rows * d * d, 3.14159265 * 0.01, 0.03 * 0.0314);
	destroy(&r), destroy(&disc);
}

// ---------------------------------------------------------------------------------------------------------------- sinks

// A second of a sink.
static uint32_t drain(rig *r, const spate_sink_def *def)
{
	sink_state state = {0};
	spate_result result;
	uint32_t taken = sinks_run(def, &state, 1, &r->fluid, no_origin, r->store, NULL, 1, 1, &result);
	check_ok(result);
	assert_int_equal(state.removed, taken);
	array_free(&state.candidates);
	return taken;
}

static void sinks_take_one_side(void **state)
{
	(void)state;
	for (int outside = 0; outside < 2; outside++)
	{
		rig r = make(fill_of((spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0}), 0.1, NULL, 0);
		run(&r, 0, 0);
		spate_sink_def sink = {.shape = {SPATE_SHAPE_BOX, {0, 0, 0}, {0.5, 1, 0.2}, 0}, .outside = outside};
		uint32_t inside = 5 * 10 * 2;
		assert_int_equal(drain(&r, &sink), outside ? 1000 - inside : inside);
		assert_int_equal(spate_store_count(r.store), outside ? inside : 1000 - inside);
		for (uint32_t row = 0; row < r.store->rows; row++)
		{
			vec4 p = r.store->position[row];
			assert_int_equal(!r.store->dead[row], (p.x < 0.5f && p.z < 0.2f) == outside);
		}
		// what is gone is not taken again
		assert_int_equal(drain(&r, &sink), 0);
		destroy(&r);
	}
}

// A place that is not a number is the runaway policy's, not a sink's.
static void sinks_leave_what_is_not_a_number(void **state)
{
	(void)state;
	for (int outside = 0; outside < 2; outside++)
	{
		rig r = make(fill_of((spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {0.1, 0.1, 0.1}, 0}), 0.1, NULL, 0);
		run(&r, 0, 0);
		r.store->position[0].x = NAN;
		spate_sink_def sink = {.shape = {SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 1}, .outside = outside};
		assert_int_equal(drain(&r, &sink), 0);
		destroy(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(box_holds_exactly_its_spacings),
	    cmocka_unit_test(round_shapes_hold_their_volume),
	    cmocka_unit_test(fill_keeps_clear_of_colliders),
	    cmocka_unit_test(jitter_is_bounded_and_repeats),
	    cmocka_unit_test(spin_is_about_the_middle),
	    cmocka_unit_test(fill_waits_for_its_start),
	    cmocka_unit_test(volume_is_speed_times_area_times_time),
	    cmocka_unit_test(columns_are_evenly_spaced),
	    cmocka_unit_test(columns_take_turns),
	    cmocka_unit_test(emitter_starts_stops_and_has_a_limit),
	    cmocka_unit_test(rectangles_and_discs_have_their_size),
	    cmocka_unit_test(sinks_take_one_side),
	    cmocka_unit_test(sinks_leave_what_is_not_a_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
