// Sinks that go by shape, age, speed, flow and isolation.
#include "check.h"
#include "collider/meshes.h"
#include "source/birth.h"
#include "source/source.h"

static const double no_origin[3] = {0, 0, 0};

enum
{
	ROWS = 100
};

// A row of particles a spacing apart along x, from half a spacing on; the n-th moves at n / 10 m/s and came at n / 100 s.
static spate_store *make_row(double spacing)
{
	spate_store *store = NULL;
	float positions[3 * ROWS] = {0}, velocities[3 * ROWS] = {0};
	for (int n = 0; n < ROWS; n++)
	{
		positions[3 * n] = (float)((n + 0.5) * spacing);
		velocities[3 * n + 1] = (float)n / 10;
	}
	check_ok(spate_store_create(&store, 0, NULL));
	check_ok(store_add_fields(store, (field_table){&birth_fields.fields[BIRTH_TIME], 1}, NULL));
	check_ok(spate_store_add(store, ROWS, positions, velocities, 0, NULL, NULL));
	float *born = spate_store_field(store, "birth", NULL);
	for (int n = 0; n < ROWS; n++)
		born[n] = (float)n / 100;
	return store;
}

static uint32_t run(const spate_sink_def *def, sink_state *state, spate_store *store, double now, double dt)
{
	spate_result result;
	spate_fluid_def fluid = spate_default_fluid_def();
	fluid.spacing = 0.1;
	uint32_t taken = sinks_run(def, state, 1, &fluid, no_origin, store, NULL, now, dt, &result);
	check_ok(result);
	return taken;
}

static void old_and_fast_particles_go(void **state)
{
	(void)state;
	spate_store *store = make_row(0.1);
	sink_state s = {0};
	spate_sink_def def = {.outside = SPATE_SINK_EVERYWHERE, .age = 0.5};
	assert_int_equal(run(&def, &s, store, 0.4, 0.1), 0);
	assert_int_equal(run(&def, &s, store, 0.755, 0.1), 26); // born at 0 to 0.25 s
	for (uint32_t row = 0; row < ROWS; row++)
		assert_int_equal(store->dead[row], row < 26);
	def = (spate_sink_def){.outside = SPATE_SINK_EVERYWHERE, .speed = 8.95};
	assert_int_equal(run(&def, &s, store, 0.755, 0.1), 10);
	// both conditions, and a place
	def = (spate_sink_def){.shape = {SPATE_SHAPE_BOX, {0, -1, -1}, {4, 1, 1}, 0}, .age = 0.5, .speed = 3.05};
	assert_int_equal(run(&def, &s, store, 1, 0.1), 9); // 31 to 39
	assert_int_equal(s.removed, 26 + 10 + 9);
	spate_store_destroy(store);
}

// 0.1 m^3/s of particles of 0.001 m^3: 100 a second, deepest first, and nothing is made up for when there was nothing to take.
static void a_drain_takes_its_flow(void **state)
{
	(void)state;
	spate_store *store = make_row(0.1);
	sink_state s = {0};
	spate_sink_def def = {.shape = {SPATE_SHAPE_BOX, {-9, -9, -9}, {5, 9, 9}, 0}, .flow = 0.1};
	for (int k = 1; k <= 16; k++)
	{
		run(&def, &s, store, 0.025 * k, 0.025);
		check_near((double)s.removed, 2.5 * k, 1);
	}
	// those that lie in the box furthest from its side at x = 5
	for (uint32_t row = 0; row < ROWS; row++)
		assert_int_equal(store->dead[row], row < s.removed);
	run(&def, &s, store, 10, 9.6);
	assert_int_equal(s.removed, 50);
	check_near(s.owed, 0.001, 1e-12);
	def.shape.b[0] = 20;
	assert_true(run(&def, &s, store, 10.01, 0.01) <= 2);
	array_free(&s.candidates);
	spate_store_destroy(store);
}

enum
{
	SIDE = 24 // particles along each side of a cube from 0 to 1
};

static spate_store *make_cube(void)
{
	spate_store *store = NULL;
	float *positions = calloc((size_t)3 * SIDE * SIDE * SIDE, sizeof *positions),
	      *velocities = calloc((size_t)3 * SIDE * SIDE * SIDE, sizeof *velocities);
	assert_true(positions && velocities);
	for (int n = 0; n < SIDE * SIDE * SIDE; n++)
	{
		positions[3 * n] = ((float)(n % SIDE) + 0.5f) / SIDE;
		positions[3 * n + 1] = ((float)(n / SIDE % SIDE) + 0.5f) / SIDE;
		positions[3 * n + 2] = ((float)(n / SIDE / SIDE) + 0.5f) / SIDE;
	}
	check_ok(spate_store_create(&store, 0, NULL));
	check_ok(spate_store_add(store, SIDE * SIDE * SIDE, positions, velocities, 0, NULL, NULL));
	free(positions);
	free(velocities);
	return store;
}

// A sink of any shape takes the particles of its volume, or with `outside` all others.
static void shapes_take_their_volume(void **state)
{
	(void)state;
	soup ball = {0};
	add_sphere(&ball, vec3_make(0, 0, 0), 0.25f, 40);
	spate_mesh mesh = mesh_of(&ball);
	const double pi = 3.14159265358979323846;
	const spate_shape box = {SPATE_SHAPE_BOX, {0.2, 0.3, 0.2}, {0.8, 0.7, 0.8}, 0},
			  middle = {SPATE_SHAPE_SPHERE, {0.5, 0.5, 0.5}, .radius = 0.2},
			  half = {SPATE_SHAPE_PLANE, {0.5, 0.25, 0.5}, {0, 2, 0}};
	const spate_shape without[2] = {box, middle}, both[2] = {half, middle};
	const struct
	{
		spate_shape shape;
		double volume;
	} cases[] = {
	    {half, 0.25},
	    {box, 0.6 * 0.4 * 0.6},
	    {{SPATE_SHAPE_BOX, {0.2, 0.3, 0.2}, {0.8, 0.7, 0.8}, .rotation = {0, 30, 20}}, 0.6 * 0.4 * 0.6},
	    {{SPATE_SHAPE_ELLIPSOID, {0.5, 0.5, 0.5}, {0.4, 0.2, 0.3}}, 4.0 / 3 * pi * 0.4 * 0.2 * 0.3},
	    {{SPATE_SHAPE_CAPSULE, {0.4, 0.5, 0.5}, {0.6, 0.5, 0.5}, 0.2}, pi * 0.04 * 0.2 + 4.0 / 3 * pi * 0.008},
	    {{SPATE_SHAPE_CYLINDER, {0.25, 0.5, 0.5}, {0.75, 0.5, 0.5}, 0.3}, pi * 0.09 * 0.5},
	    {{.type = SPATE_SHAPE_DIFFERENCE, .parts = without, .part_count = 2},
	     0.6 * 0.4 * 0.6 - 4.0 / 3 * pi * 0.008},
	    {{.type = SPATE_SHAPE_UNION, .parts = both, .part_count = 2}, 0.25 + 4.0 / 3 * pi * 0.008},
	    {{.type = SPATE_SHAPE_MESH, .mesh = {.mesh = &mesh, .scale = 1.2, .position = {0.5, 0.5, 0.5}}},
	     4.0 / 3 * pi * 0.027},
	};
	size_t count = sizeof cases / sizeof *cases - !distance_field_available();
	const collider_world world = {.fps = 24, .threads = 1, .spacing = 1.0f / SIDE, .radius = 2.0f / SIDE};
	for (size_t c = 0; c < count; c++)
		for (int outside = 0; outside < 2; outside++)
		{
			spate_store *store = make_cube();
			sink_state s = {0};
			spate_sink_def def = {.shape = cases[c].shape, .outside = outside};
			check_ok(sinks_create(&s, &def, 1, &world, NULL));
			double all = SIDE * SIDE * SIDE, inside = cases[c].volume * all;
			check_near(run(&def, &s, store, 1, 0.1), outside ? all - inside : inside, 0.035 * inside);
			sinks_free(&s, 1);
			spate_store_destroy(store);
		}
	soup_free(&ball);
}

static uint32_t run_with(const spate_sink_def *defs, sink_state *states, uint32_t count, spate_store *store,
			 const uint32_t *neighbours, double dt)
{
	spate_result result;
	spate_fluid_def fluid = spate_default_fluid_def();
	fluid.spacing = 0.1;
	uint32_t taken = sinks_run(defs, states, count, &fluid, no_origin, store, neighbours, 1, dt, &result);
	check_ok(result);
	return taken;
}

// The n-th particle has n % 10 neighbours.
static void isolated_particles_go(void **state)
{
	(void)state;
	spate_store *store = make_row(0.1);
	uint32_t neighbours[ROWS];
	for (uint32_t n = 0; n < ROWS; n++)
		neighbours[n] = n % 10;
	sink_state s = {0};
	spate_sink_def def = {.outside = SPATE_SINK_EVERYWHERE, .isolation = 3};
	assert_int_equal(run_with(&def, &s, 1, store, neighbours, 0.1), 30);
	for (uint32_t row = 0; row < ROWS; row++)
		assert_int_equal(store->dead[row], row % 10 < 3);
	// without lists, nobody is isolated
	assert_int_equal(run_with(&def, &s, 1, store, NULL, 0.1), 0);
	// together with a shape
	def = (spate_sink_def){.shape = {SPATE_SHAPE_BOX, {0, -1, -1}, {4, 1, 1}, 0}, .isolation = 4};
	assert_int_equal(run_with(&def, &s, 1, store, neighbours, 0.1), 4);
	spate_store_destroy(store);
}

// Only after a time without a break.
static void they_have_to_be_isolated_for_a_time(void **state)
{
	(void)state;
	static const spate_field_def isolated = {SINK_ISOLATED, SPATE_FLOAT, "s", "", SPATE_FIELD_SAVED, NULL};
	spate_store *store = make_row(0.1);
	check_ok(store_add_fields(store, (field_table){&isolated, 1}, NULL));
	uint32_t neighbours[ROWS];
	sink_state s = {0};
	spate_sink_def def = {.outside = SPATE_SINK_EVERYWHERE, .isolation = 3, .isolated_for = 0.5};
	for (int step = 1; step <= 7; step++)
	{
		for (uint32_t n = 0; n < ROWS; n++)
			neighbours[n] = n < 50 ? 2 : n == 50 ? (step == 2 ? 3 : 0) : 3;
		assert_int_equal(run_with(&def, &s, 1, store, neighbours, 0.1), step == 5 ? 50 : step == 7 ? 1 : 0);
	}
	assert_int_equal(s.removed, 51);
	spate_store_destroy(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(old_and_fast_particles_go),
	    cmocka_unit_test(a_drain_takes_its_flow),
	    cmocka_unit_test(shapes_take_their_volume),
	    cmocka_unit_test(isolated_particles_go),
	    cmocka_unit_test(they_have_to_be_isolated_for_a_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
