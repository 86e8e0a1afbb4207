// Volumes in which particles appear where there is room.
#include "base/memory.h"
#include "check.h"
#include "collider/meshes.h"
#include "source/source.h"

static const double no_origin[3] = {0, 0, 0};

typedef struct rig
{
	source_set set;
	collider_set colliders;
	spate_store *store;
	spate_fluid_def fluids[2];
	double time;
} rig;

static spate_result prepare(rig *r, spate_source_def def, double spacing, const spate_collider_def *colliders,
			    uint32_t count, spate_error *error)
{
	collider_world world = {.fps = 24, .threads = 1, .spacing = (float)spacing, .radius = 2 * (float)spacing};
	*r = (rig){.fluids = {spate_default_fluid_def(), spate_default_fluid_def()}};
	r->fluids[0].spacing = spacing;
	r->fluids[1].spacing = 2 * spacing;
	check_ok(source_set_create(&r->set, &def, 1, no_origin, 7, NULL));
	check_ok(collider_set_create(&r->colliders, colliders, count, &world, NULL));
	check_ok(spate_store_create(&r->store, 0, NULL));
	return source_set_prepare(&r->set, r->fluids, 2, &world, &r->colliders, 0.0, error);
}

static rig make(spate_source_def def, double spacing, const spate_collider_def *colliders, uint32_t count)
{
	rig r;
	check_ok(prepare(&r, def, spacing, colliders, count, NULL));
	return r;
}

static void destroy(rig *r)
{
	source_set_destroy(&r->set);
	collider_set_destroy(&r->colliders);
	spate_store_destroy(r->store);
}

static void run(rig *r, double dt)
{
	check_ok(collider_set_move(&r->colliders, r->time, r->time + dt, NULL));
	check_ok(source_set_run(&r->set, r->store, r->fluids, &r->colliders, r->time, r->time + dt, NULL));
	for (uint32_t row = 0; row < r->store->rows; row++)
	{
		vec4 *p = &r->store->position[row], v = r->store->velocity[row];
		p->x += (float)dt * v.x, p->y += (float)dt * v.y, p->z += (float)dt * v.z;
	}
	r->time += dt;
}

static spate_source_def appearing(double side)
{
	spate_source_def def = spate_default_source_def();
	def.type = SPATE_SOURCE_VOLUME;
	def.shape = (spate_shape){.type = SPATE_SHAPE_BOX, .b = {side, side, side}, .mesh.scale = 1};
	return def;
}

static double nearest_pair(const rig *r)
{
	double nearest = INFINITY;
	for (uint32_t a = 0; a < r->store->rows; a++)
		for (uint32_t b = 0; b < a; b++)
		{
			vec4 p = r->store->position[a], q = r->store->position[b];
			nearest = fmin(nearest, (double)vec3_length(vec3_make(p.x - q.x, p.y - q.y, p.z - q.z)));
		}
	return nearest;
}

// Rain from a cloud: flow times time to within a particle, evenly over the volume, never too close.
static void rain_is_even(void **state)
{
	(void)state;
	const double d = 0.02, side = 0.4;
	spate_source_def def = appearing(side);
	def.flow = 0.02;
	def.velocity[1] = -2;
	rig r = make(def, d, NULL, 0);
	double columns[4] = {0};
	for (int k = 0; k < 300; k++)
	{
		uint32_t before = r.store->rows;
		run(&r, 0.001 + 0.0001 * (k % 7));
		check_near(r.store->rows * d * d * d, def.flow * r.time, 1.001 * d * d * d);
		for (uint32_t row = before; row < r.store->rows; row++)
		{
			vec4 p = r.store->position[row];
			assert_true(p.x >= 0 && (double)p.x <= side && p.z >= 0 && (double)p.z <= side);
			columns[((double)p.x > 0.5 * side) + 2 * ((double)p.z > 0.5 * side)]++;
		}
		if (k % 50 == 49 && nearest_pair(&r) < 0.8999 * d)
			fail_msg("particles are %g spacings apart, at least 0.9 expected", nearest_pair(&r) / d);
	}
	for (int k = 0; k < 4; k++)
		check_near(columns[k], r.store->rows / 4.0, 0.06 * r.store->rows / 4.0);
	destroy(&r);
}

// A full volume waits: it is no denser than liquid, and what found no room is not made up for.
static void a_full_volume_waits(void **state)
{
	(void)state;
	const double d = 0.02, side = 0.2, room = 1000;
	spate_source_def def = appearing(side);
	def.flow = 0.08; // ten times the volume per second
	rig r = make(def, d, NULL, 0);
	for (int k = 0; k < 400; k++)
		run(&r, 0.002);
	if (!(r.store->rows > 0.7 * room && r.store->rows < 1.05 * room))
		fail_msg("%u particles found room, %g to %g expected", r.store->rows, 0.7 * room, 1.05 * room);
	if (nearest_pair(&r) < 0.8999 * d)
		fail_msg("particles are %g spacings apart, at least 0.9 expected", nearest_pair(&r) / d);
	uint32_t full = r.store->rows;
	uint64_t calls = mem_get_stats().calls;
	run(&r, 0.002);
	assert_int_equal(mem_get_stats().calls, calls);
	check_near(r.store->rows, full, 3); // of 20 that are due
	full = r.store->rows;
	for (uint32_t row = 0; row < full; row++)
		store_kill(r.store, row);
	run(&r, 0.002);
	check_near(r.store->rows - full, 0.002 * def.flow / (d * d * d), 1);
	destroy(&r);
}

// Coarser particles of another fluid keep newcomers further away.
static void other_fluids_are_respected(void **state)
{
	(void)state;
	const double d = 0.02;
	spate_source_def def = appearing(0.2);
	def.flow = 0.08;
	rig r = make(def, d, NULL, 0);
	const float middle[3] = {0.1f, 0.1f, 0.1f}, still[3] = {0};
	check_ok(spate_store_add(r.store, 1, middle, still, 1, NULL, NULL));
	for (int k = 0; k < 100; k++)
		run(&r, 0.002);
	double nearest = INFINITY;
	for (uint32_t row = 1; row < r.store->rows; row++)
	{
		vec4 p = r.store->position[row];
		nearest = fmin(nearest, (double)vec3_length(vec3_make(p.x - 0.1f, p.y - 0.1f, p.z - 0.1f)));
	}
	assert_true(r.store->rows > 500);
	if (nearest < 0.8999 * 1.5 * d || nearest > 2.2 * d)
		fail_msg("the nearest newcomer is %g spacings away, 1.35 to 2.2 expected", nearest / d);
	destroy(&r);
}

static void solids_are_left_out(void **state)
{
	(void)state;
	const double d = 0.02;
	spate_source_def def = appearing(0.2);
	def.count = 200;
	def.stop = 0.5;
	spate_collider_def ground = spate_default_collider_def();
	ground.shape = (spate_shape){.type = SPATE_SHAPE_PLANE, .a = {0, 0.1, 0}, .b = {0, 1, 0}};
	rig r = make(def, d, &ground, 1);
	for (int k = 0; k < 300; k++)
		run(&r, 0.002);
	assert_int_equal(r.store->rows, 200);
	for (uint32_t row = 0; row < r.store->rows; row++)
		assert_true((double)r.store->position[row].y > 0.1 + 0.48 * d);
	destroy(&r);
	def.limit = 17;
	r = make(def, d, &ground, 1);
	for (int k = 0; k < 300; k++)
		run(&r, 0.002);
	assert_int_equal(r.store->rows, 17);
	destroy(&r);
}

// It moves and turns with a collider, and so do its particles.
static void a_volume_rides_on_a_collider(void **state)
{
	(void)state;
	const double d = 0.02;
	spate_source_def def = appearing(0.1);
	def.flow = 0.004;
	def.follow = 0;
	def.velocity[0] = 1;
	const spate_keyframe keys[] = {{.time = 0, .position = {0, 0, 0}, .rotation = {0, 0, 90}, .scale = 1},
				       {.time = 1, .position = {0, 0, 3}, .rotation = {0, 0, 90}, .scale = 1}};
	spate_collider_def cart = spate_default_collider_def();
	cart.shape = (spate_shape){.type = SPATE_SHAPE_SPHERE, .a = {0, -9, 0}, .radius = 1};
	cart.motion.keyframes = keys;
	cart.motion.keyframe_count = 2;
	rig r = make(def, d, &cart, 1);
	for (int k = 0; k < 100; k++)
	{
		uint32_t before = r.store->rows;
		double begin = r.time;
		run(&r, 0.004);
		for (uint32_t row = before; row < r.store->rows; row++)
		{
			vec4 p = r.store->position[row], v = r.store->velocity[row];
			// 90 degrees about z: x becomes y, y becomes -x
			check_near((double)v.x, 0, 1e-5);
			check_near((double)v.y, 1, 1e-5);
			check_near((double)v.z, 3, 1e-4);
			double y = (double)p.y - 0.004, z = (double)p.z - 0.012 - 3 * begin;
			assert_true(p.x <= 1e-6f && (double)p.x >= -0.1001 && y > -1e-6 && y < 0.1001);
			assert_true(z > -1e-4 && z < 0.1001);
		}
	}
	check_near(r.store->rows * d * d * d, def.flow * r.time, 1.001 * d * d * d);
	assert_true(source_set_speed(&r.set, r.fluids, &r.colliders, 0, 0.1) >= sqrt(10));
	destroy(&r);
}

// A mesh is a volume if it has an inside.
static void meshes_are_volumes(void **state)
{
	(void)state;
	skip_without_fields();
	const double d = 0.02, radius = 0.15;
	soup s = {0};
	add_sphere(&s, vec3_make(0, 0, 0), (float)radius, 20);
	spate_mesh mesh = mesh_of(&s);
	spate_source_def def = appearing(1);
	def.shape = (spate_shape){.type = SPATE_SHAPE_MESH, .mesh = {.mesh = &mesh, .scale = 1}};
	def.flow = 0.01;
	rig r = make(def, d, NULL, 0);
	for (int k = 0; k < 100; k++)
		run(&r, 0.004);
	check_near(r.store->rows * d * d * d, def.flow * r.time, 1.001 * d * d * d);
	for (uint32_t row = 0; row < r.store->rows; row++)
	{
		vec4 p = r.store->position[row];
		assert_true((double)vec3_length(vec3_make(p.x, p.y, p.z)) < radius + 0.02 * d);
	}
	destroy(&r);
	soup_free(&s);
	s = (soup){0};
	uint32_t a = add_vertex(&s, vec3_make(0, 0, 0)), b = add_vertex(&s, vec3_make(1, 0, 0)),
		 c = add_vertex(&s, vec3_make(1, 0, 1)), e = add_vertex(&s, vec3_make(0, 0, 1));
	add_quad(&s, a, b, c, e);
	mesh = mesh_of(&s);
	spate_error error = {0};
	check_result(prepare(&r, def, 0.1, NULL, 0, &error), SPATE_FORMAT);
	assert_string_equal(error.text, "the mesh encloses no volume, so it has no inside; close its holes");
	destroy(&r);
	soup_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rain_is_even),
	    cmocka_unit_test(a_full_volume_waits),
	    cmocka_unit_test(other_fluids_are_respected),
	    cmocka_unit_test(solids_are_left_out),
	    cmocka_unit_test(a_volume_rides_on_a_collider),
	    cmocka_unit_test(meshes_are_volumes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
