// Fills hold their volume: shapes of all kinds, up to a level, beside walls and beside each other.
#include "check.h"
#include "collider/meshes.h"
#include "mesh/measure.h"
#include "source/source.h"

static const double no_origin[3] = {0, 0, 0};

enum
{
	MOST = 3
};

typedef struct rig
{
	source_set set;
	collider_set colliders;
	spate_store *store;
	spate_fluid_def fluids[1];
} rig;

static rig make(const spate_source_def *defs, uint32_t count, double spacing, const spate_collider_def *colliders,
		uint32_t collider_count)
{
	rig r = {.fluids[0] = spate_default_fluid_def()};
	r.fluids[0].spacing = spacing;
	check_ok(source_set_create(&r.set, defs, count, no_origin, 7, NULL));
	check_ok(collider_set_create(&r.colliders, colliders, collider_count, &(collider_world){0}, NULL));
	check_ok(spate_store_create(&r.store, 0, NULL));
	return r;
}

static void run(rig *r, double begin, double end)
{
	check_ok(source_set_run(&r->set, r->store, r->fluids, &r->colliders, begin, end, NULL));
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

static vec3 place_of(const rig *r, uint32_t row)
{
	vec4 p = r->store->position[row];
	return vec3_make(p.x, p.y, p.z);
}

// Smallest distance between two particles (m).
static double closest_pair(const rig *r)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < r->store->rows; i++)
		for (uint32_t j = 0; j < i; j++)
			least = fmin(least, (double)vec3_length(vec3_sub(place_of(r, i), place_of(r, j))));
	return least;
}

static double volume_of(const rig *r)
{
	return spate_store_count(r->store) * pow(r->fluids[0].spacing, 3);
}

// What a fill alone makes of a shape, without its walls; its volume must be right to a half percent or to the particle.
static void check_volume(const spate_source_def *def, double spacing, double volume)
{
	rig r = make(def, 1, spacing, NULL, 0);
	run(&r, 0, 0);
	check_near(volume_of(&r), volume, fmax(0.005 * volume, 0.5001 * pow(spacing, 3)));
	// no site was taken twice
	assert_true(closest_pair(&r) > 0.99 * spacing);
	destroy(&r);
}

static const double ball_volume = 4.0 / 3.0 * M_PI;

// At 10 particles across, and at spacings that divide nothing.
static void shapes_hold_their_volume(void **state)
{
	(void)state;
	const struct
	{
		spate_shape shape;
		double volume;
	} cases[] = {
	    {{SPATE_SHAPE_BOX, {0, 0, 0}, {0.55, 0.55, 0.55}, 0}, 0.55 * 0.55 * 0.55},
	    {{SPATE_SHAPE_BOX, {0.1, 0.2, 0.3}, {0.65, 0.83, 0.99}, 0, {20, 30, 40}}, 0.55 * 0.63 * 0.69},
	    {{SPATE_SHAPE_SPHERE, {0.1, 0.2, 0.3}, {0, 0, 0}, 0.5}, ball_volume * 0.125},
	    {{SPATE_SHAPE_ELLIPSOID, {0, 0, 0}, {0.5, 0.4, 0.7}, 0}, ball_volume * 0.14},
	    {{SPATE_SHAPE_ELLIPSOID, {0, 0, 0}, {0.3, 0.6, 0.6}, 0, {0, 50, 10}}, ball_volume * 0.108},
	    {{SPATE_SHAPE_CAPSULE, {0, 0, 0}, {0.3, 0.5, 0}, 0.3}, ball_volume * 0.027 + M_PI * 0.09 * hypot(0.3, 0.5)},
	    {{SPATE_SHAPE_CYLINDER, {0, 0, 0}, {0, 0.77, 0}, 0.44}, M_PI * 0.44 * 0.44 * 0.77},
	    {{SPATE_SHAPE_CYLINDER, {0, 0, 0}, {0.6, 0.3, 0.4}, 0.5}, M_PI * 0.25 * sqrt(0.61)}};
	const double spacings[] = {0.1, 0.0222 * 4, 0.047};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
		for (size_t k = 0; k < sizeof spacings / sizeof *spacings; k++)
		{
			spate_source_def def = fill_of(cases[c].shape);
			check_volume(&def, spacings[k], cases[c].volume);
		}
}

static void parts_add_up_and_take_away(void **state)
{
	(void)state;
	const spate_shape ball = {SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.5},
			  half = {SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0},
			  block = {SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0},
			  other = {SPATE_SHAPE_BOX, {0.5, 0, 0}, {1.5, 0.5, 1}, 0};
	const spate_shape both[2] = {block, other}, bowl[2] = {ball, half}, hollow[2] = {block, ball};
	spate_source_def def = fill_of((spate_shape){.type = SPATE_SHAPE_UNION, .parts = both, .part_count = 2});
	check_volume(&def, 0.1, 1.25);
	check_volume(&def, 0.087, 1.25);
	def.shape = (spate_shape){.type = SPATE_SHAPE_DIFFERENCE, .parts = both, .part_count = 2};
	check_volume(&def, 0.1, 0.75);
	check_volume(&def, 0.087, 0.75);
	def.shape.parts = bowl;
	check_volume(&def, 0.1, 0.0625 * ball_volume);
	def.shape.parts = hollow;
	check_volume(&def, 0.07, 1 - ball_volume / 64);
	// parts of parts
	const spate_shape nested[2] = {{.type = SPATE_SHAPE_UNION, .parts = both, .part_count = 2}, ball};
	def.shape.parts = nested;
	check_volume(&def, 0.07, 1.25 - ball_volume / 64);
}

static void a_turned_box_keeps_its_lattice(void **state)
{
	(void)state;
	const double d = 0.1;
	spate_source_def def =
	    fill_of((spate_shape){SPATE_SHAPE_BOX, {-0.5, -0.2, -0.3}, {0.5, 0.2, 0.3}, 0, {0, 0, 30}});
	rig r = make(&def, 1, d, NULL, 0);
	run(&r, 0, 0);
	assert_int_equal(spate_store_count(r.store), 10 * 4 * 6);
	// the first site is in the corner of the turned box
	double c = cos(M_PI / 6), s = sin(M_PI / 6);
	check_near((double)place_of(&r, 0).x, -0.45 * c + 0.15 * s, 1e-6);
	check_near((double)place_of(&r, 0).y, -0.45 * s - 0.15 * c, 1e-6);
	check_near((double)place_of(&r, 0).z, -0.25, 1e-6);
	check_near(closest_pair(&r), d, 1e-6);
	destroy(&r);
}

static void a_level_ends_the_fill(void **state)
{
	(void)state;
	spate_source_def def = fill_of((spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0});
	def.level = 0.3;
	check_volume(&def, 0.1, 1); // without a direction there is none
	def.level_up[1] = 2;
	check_volume(&def, 0.1, 0.3);
	check_volume(&def, 0.083, 0.3);
	// half a ball up to its middle, and a cap of height 0.2
	def.shape = (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.5};
	def.level = 0;
	check_volume(&def, 0.07, 0.0625 * ball_volume);
	def.level = -0.3;
	check_volume(&def, 0.04, M_PI * 0.04 * (1.5 - 0.2) / 3);
	// along another direction
	def.shape = (spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0};
	def.level = sqrt(0.5);
	memcpy(def.level_up, (double[3]){1, 1, 0}, sizeof def.level_up);
	check_volume(&def, 0.083, 0.5);
	rig r = make(&def, 1, 0.083, NULL, 0);
	run(&r, 0, 0);
	for (uint32_t row = 0; row < r.store->rows; row++)
		assert_true((double)(place_of(&r, row).x + place_of(&r, row).y) < 1 + 0.083 * sqrt(2));
	destroy(&r);
}

static void meshes_hold_their_volume(void **state)
{
	(void)state;
	skip_without_fields();
	soup ball = {0}, ring = {0}, block = {0};
	add_sphere(&ball, vec3_make(0.1f, 0.2f, 0.3f), 0.5f, 60);
	add_torus(&ring, 0.5f, 0.25f, 120, 60);
	add_box(&block, vec3_make(0, 0, 0), vec3_make(0.5f, 0.4f, 0.3f), 0.4, 0.3);
	const spate_mesh meshes[3] = {mesh_of(&ball), mesh_of(&ring), mesh_of(&block)};
	double volumes[3];
	for (int m = 0; m < 3; m++)
	{
		spate_mesh_measure measure;
		check_ok(mesh_measure_all(&measure, &meshes[m], NULL));
		volumes[m] = fabs(measure.volume);
	}
	const double across[3] = {1, 0.5, 0.6};
	for (int m = 0; m < 3; m++)
	{
		spate_source_def def =
		    fill_of((spate_shape){.type = SPATE_SHAPE_MESH, .mesh = {.mesh = &meshes[m], .scale = 2}});
		def.shape.mesh.position[0] = 3;
		def.shape.mesh.rotation[2] = 25;
		check_volume(&def, 2 * across[m] / 10, 8 * volumes[m]);
		check_volume(&def, 2 * across[m] / 13.7, 8 * volumes[m]);
	}
	// up to half of its height
	spate_source_def def =
	    fill_of((spate_shape){.type = SPATE_SHAPE_MESH, .mesh = {.mesh = &meshes[0], .scale = 1}});
	def.level_up[1] = 1;
	def.level = 0.2;
	check_volume(&def, 0.08, 0.5 * volumes[0]);
	soup_free(&ball);
	soup_free(&ring);
	soup_free(&block);
}

static void a_mesh_without_inside_is_refused(void **state)
{
	(void)state;
	skip_without_fields();
	soup s = {0};
	uint32_t a = add_vertex(&s, vec3_make(0, 0, 0)), b = add_vertex(&s, vec3_make(1, 0, 0)),
		 c = add_vertex(&s, vec3_make(1, 0, 1)), e = add_vertex(&s, vec3_make(0, 0, 1));
	add_quad(&s, a, b, c, e);
	spate_mesh sheet = mesh_of(&s);
	spate_source_def def = fill_of((spate_shape){.type = SPATE_SHAPE_MESH, .mesh = {.mesh = &sheet, .scale = 1}});
	rig r = make(&def, 1, 0.1, NULL, 0);
	spate_error error = {0};
	check_result(source_set_run(&r.set, r.store, r.fluids, &r.colliders, 0, 0, &error), SPATE_FORMAT);
	assert_string_equal(error.text, "the mesh encloses no volume, so it has no inside; close its holes");
	assert_int_equal(spate_store_count(r.store), 0);
	destroy(&r);
	soup_free(&s);
}

static spate_collider_def wall_of(spate_shape shape, spate_collider_mode mode)
{
	spate_collider_def def = spate_default_collider_def();
	def.shape = shape;
	def.mode = mode;
	return def;
}

// All particles keep their distance from walls, whether they were pushed there or not.
static void check_clear(const rig *r)
{
	float least = 0.48f * (float)r->fluids[0].spacing;
	for (uint32_t row = 0; row < r->store->rows; row++)
		if (!(collider_set_distance(&r->colliders, place_of(r, row)) >= least))
			fail_msg("particle %u is %g m from a wall", row,
				 (double)collider_set_distance(&r->colliders, place_of(r, row)));
}

static void walls_take_no_volume(void **state)
{
	(void)state;
	const spate_shape glass = {SPATE_SHAPE_CYLINDER, {0, 0, 0}, {0, 1, 0}, 0.5},
			  tank = {SPATE_SHAPE_BOX, {0, 0, 0}, {0.97, 1.1, 0.86}, 0},
			  rock = {SPATE_SHAPE_SPHERE, {0.5, 0.4, 0.4}, {0, 0, 0}, 0.25};
	const spate_collider_def walls[MOST] = {wall_of(glass, SPATE_COLLIDER_INSIDE),
						wall_of(tank, SPATE_COLLIDER_INSIDE),
						wall_of(rock, SPATE_COLLIDER_OUTSIDE)};
	const double spacings[] = {0.1, 0.0625, 0.043};
	for (size_t k = 0; k < sizeof spacings / sizeof *spacings; k++)
	{
		// as large as the glass
		spate_source_def def = fill_of((spate_shape){SPATE_SHAPE_CYLINDER, {0, 0, 0}, {0, 0.6, 0}, 0.5});
		rig r = make(&def, 1, spacings[k], walls, 1);
		run(&r, 0, 0);
		check_near(volume_of(&r), M_PI * 0.25 * 0.6, 0.005 * M_PI * 0.25 * 0.6);
		check_clear(&r);
		destroy(&r);
		// larger than the tank, and around the rock
		def.shape = (spate_shape){SPATE_SHAPE_BOX, {-0.3, -0.2, -0.1}, {1.2, 0.8, 1.3}, 0};
		r = make(&def, 1, spacings[k], walls + 1, 2);
		run(&r, 0, 0);
		double volume = 0.97 * 0.8 * 0.86 - ball_volume * 0.015625;
		check_near(volume_of(&r), volume, 0.005 * volume);
		check_clear(&r);
		destroy(&r);
	}
}

// A box whose lattice does not fit is given its volume at its open sides, not behind the walls beside it.
static void no_particle_is_put_behind_a_wall(void **state)
{
	(void)state;
	const double d = 0.1;
	const spate_collider_def plate =
	    wall_of((spate_shape){SPATE_SHAPE_BOX, {1.03, -1, -1}, {1.06, 3, 3}, 0}, SPATE_COLLIDER_OUTSIDE);
	spate_source_def def = fill_of((spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1.03, 1.04, 1.04}, 0});
	rig r = make(&def, 1, d, &plate, 1);
	run(&r, 0, 0);
	double volume = 1.03 * 1.04 * 1.04;
	check_near(volume_of(&r), volume, 0.005 * volume);
	for (uint32_t row = 0; row < r.store->rows; row++)
		assert_true(place_of(&r, row).x < 1.03f - 0.48f * (float)d);
	destroy(&r);
}

static void a_later_fill_leaves_out_what_is_taken(void **state)
{
	(void)state;
	const spate_shape first = {SPATE_SHAPE_BOX, {0, 0, 0}, {1, 0.5, 0.5}, 0};
	spate_source_def defs[2] = {fill_of(first),
				    fill_of((spate_shape){SPATE_SHAPE_BOX, {0.33, 0.12, 0}, {1.21, 0.8, 0.5}, 0})};
	const double d = 0.05;
	rig r = make(defs, 2, d, NULL, 0);
	run(&r, 0, 0);
	double volume = 0.25 + 0.5 * (0.88 * 0.68 - 0.67 * 0.38);
	assert_int_equal(r.set.states[0].emitted, 20 * 10 * 10);
	check_near(volume_of(&r), volume, 0.005 * volume);
	for (uint32_t row = (uint32_t)r.set.states[0].emitted; row < r.store->rows; row++)
	{
		vec3 p = place_of(&r, row);
		assert_false(p.x < 0.999f && p.y < 0.499f);
	}
	destroy(&r);
	// the same once more, and then to the same place once the first is there
	defs[1].shape = first;
	for (int later = 0; later < 2; later++)
	{
		defs[1].start = later * 0.5;
		r = make(defs, 2, d, NULL, 0);
		run(&r, 0, 0);
		run(&r, 0.5, 0.6);
		assert_int_equal(spate_store_count(r.store), 20 * 10 * 10);
		assert_int_equal(r.set.states[1].turns, 1);
		destroy(&r);
	}
	// what has moved on makes room
	defs[1].start = 0.5;
	r = make(defs, 2, d, NULL, 0);
	run(&r, 0, 0);
	for (uint32_t row = 0; row < r.store->rows; row++)
		r.store->position[row].x += 0.5f;
	run(&r, 0.5, 0.6);
	assert_int_equal(spate_store_count(r.store), 20 * 10 * 10 + 10 * 10 * 10);
	check_near(closest_pair(&r), d, 1e-5);
	destroy(&r);
}

static void a_limit_takes_the_lowest(void **state)
{
	(void)state;
	spate_source_def def = fill_of((spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0});
	def.limit = 250;
	def.level_up[1] = 1;
	rig r = make(&def, 1, 0.1, NULL, 0);
	run(&r, 0, 0);
	assert_int_equal(spate_store_count(r.store), 250);
	uint32_t layers[3] = {0};
	for (uint32_t row = 0; row < r.store->rows; row++)
		layers[(int)(place_of(&r, row).y / 0.1f)]++;
	assert_int_equal(layers[0], 100);
	assert_int_equal(layers[1], 100);
	assert_int_equal(layers[2], 50);
	// the upper layer is spread: every quarter has its share
	uint32_t quarters[4] = {0};
	for (uint32_t row = 0; row < r.store->rows; row++)
		if (place_of(&r, row).y > 0.2f)
			quarters[2 * (place_of(&r, row).x > 0.5f) + (place_of(&r, row).z > 0.5f)]++;
	for (int q = 0; q < 4; q++)
		check_near(quarters[q], 12.5, 2.5);
	destroy(&r);
}

// Blue noise: as many as on the lattice, no two close, none outside, and not in rows; the same bits again.
static void a_relaxed_fill_is_even_and_in_no_rows(void **state)
{
	(void)state;
	const double d = 0.1;
	const spate_shape tank = {SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0};
	const spate_collider_def around = wall_of(tank, SPATE_COLLIDER_INSIDE);
	spate_source_def def = fill_of(tank);
	def.layout = SPATE_LAYOUT_RELAXED;
	def.velocity[2] = 2;
	rig r = make(&def, 1, d, &around, 1), again = make(&def, 1, d, &around, 1);
	run(&r, 0, 0);
	run(&again, 0, 0);
	assert_int_equal(spate_store_count(r.store), 1000);
	assert_memory_equal(r.store->position, again.store->position, 1000 * sizeof *r.store->position);
	assert_true(closest_pair(&r) > 0.6 * d);
	check_clear(&r);
	// places within a cell of the lattice, as an angle: rows would point the same way
	double x = 0, y = 0;
	uint32_t inner = 0;
	for (uint32_t row = 0; row < r.store->rows; row++)
	{
		vec3 p = place_of(&r, row);
		check_near((double)r.store->velocity[row].z, 2, 0);
		if (p.y < 0.25f || p.y > 0.75f)
			continue;
		x += cos(2 * M_PI * (double)p.y / d);
		y += sin(2 * M_PI * (double)p.y / d);
		inner++;
	}
	check_near(hypot(x, y) / inner, 0, 0.5);
	destroy(&r);
	destroy(&again);
}

// The estimate's volume without a lattice.
static void volumes_are_summed(void **state)
{
	(void)state;
	const double up[3] = {0, 1, 0}, none[3] = {0, 0, 0};
	const spate_shape ball = {SPATE_SHAPE_SPHERE, {5, 6, 7}, {0, 0, 0}, 2},
			  lid = {SPATE_SHAPE_PLANE, {0, 6, 0}, {0, -1, 0}, 0};
	const spate_shape parts[2] = {ball, lid},
			  bowl = {.type = SPATE_SHAPE_DIFFERENCE, .parts = parts, .part_count = 2};
	check_near(region_volume(&ball, none, 6), 8 * ball_volume, 1e-9);
	check_near(region_volume(&ball, up, INFINITY), 8 * ball_volume, 1e-9);
	check_near(region_volume(&ball, up, 6), 4 * ball_volume, 0.02);
	check_near(region_volume(&bowl, up, INFINITY), 4 * ball_volume, 0.02);
	check_near(region_volume(&bowl, up, 3), 0, 1e-9);
}

// Against the nearest of many points of its surface.
static void distance_to_an_ellipsoid(void **state)
{
	(void)state;
	const double e[3] = {0.7, 0.3, 0.5};
	spate_shape shape = {SPATE_SHAPE_ELLIPSOID, {0, 0, 0}, {e[0], e[1], e[2]}, 0};
	region *r;
	check_ok(region_create(&r, &shape, &(collider_world){.fps = 1}, 0.1, NULL));
	dice d = {3};
	for (int n = 0; n < 200; n++)
	{
		vec3 p = {dice_range(&d, -1, 1), dice_range(&d, -1, 1), dice_range(&d, -1, 1)};
		if (n % 5 == 0) // on the planes between the axes, where nearest points are several
			p.y = 0;
		double least = INFINITY;
		for (int i = 0; i <= 200; i++)
			for (int j = 0; j < 400; j++)
			{
				double a = M_PI * i / 200, b = M_PI * j / 200;
				vec3 q = {(float)(e[0] * sin(a) * cos(b)), (float)(e[1] * cos(a)),
					  (float)(e[2] * sin(a) * sin(b))};
				least = fmin(least, (double)vec3_length(vec3_sub(p, q)));
			}
		int inside = pow((double)p.x / e[0], 2) + pow((double)p.y / e[1], 2) + pow((double)p.z / e[2], 2) < 1;
		check_near((double)region_distance(r, p), inside ? -least : least, 2e-3);
	}
	region_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(shapes_hold_their_volume),
	    cmocka_unit_test(parts_add_up_and_take_away),
	    cmocka_unit_test(a_turned_box_keeps_its_lattice),
	    cmocka_unit_test(a_level_ends_the_fill),
	    cmocka_unit_test(meshes_hold_their_volume),
	    cmocka_unit_test(a_mesh_without_inside_is_refused),
	    cmocka_unit_test(walls_take_no_volume),
	    cmocka_unit_test(no_particle_is_put_behind_a_wall),
	    cmocka_unit_test(a_later_fill_leaves_out_what_is_taken),
	    cmocka_unit_test(a_limit_takes_the_lowest),
	    cmocka_unit_test(a_relaxed_fill_is_even_and_in_no_rows),
	    cmocka_unit_test(volumes_are_summed),
	    cmocka_unit_test(distance_to_an_ellipsoid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
