// Meshes whose surface pours: how much of it does, how evenly, where to, and what rides on colliders.
#include "check.h"
#include "collider/meshes.h"
#include "source/source.h"

static const double no_origin[3] = {0, 0, 0}, pi = 3.14159265358979323846;

typedef struct rig
{
	source_set set;
	collider_set colliders;
	spate_store *store;
	spate_fluid_def fluid;
	double time;
} rig;

static rig make(spate_source_def def, double spacing, const spate_collider_def *colliders, uint32_t count)
{
	rig r = {.fluid = spate_default_fluid_def()};
	collider_world world = {.fps = 24, .threads = 1, .spacing = (float)spacing, .radius = 2 * (float)spacing};
	r.fluid.spacing = spacing;
	check_ok(source_set_create(&r.set, &def, 1, no_origin, 7, NULL));
	check_ok(collider_set_create(&r.colliders, colliders, count, &world, NULL));
	check_ok(source_set_prepare(&r.set, &r.fluid, 1, &world, &r.colliders, 0.0, NULL));
	check_ok(spate_store_create(&r.store, 0, NULL));
	return r;
}

static void destroy(rig *r)
{
	source_set_destroy(&r->set);
	collider_set_destroy(&r->colliders);
	spate_store_destroy(r->store);
}

// A step, in which nothing disturbs the particles.
static void run(rig *r, double dt)
{
	check_ok(collider_set_move(&r->colliders, r->time, r->time + dt, NULL));
	check_ok(source_set_run(&r->set, r->store, &r->fluid, &r->colliders, r->time, r->time + dt, NULL));
	for (uint32_t row = 0; row < r->store->rows; row++)
	{
		vec4 *p = &r->store->position[row], v = r->store->velocity[row];
		p->x += (float)dt * v.x, p->y += (float)dt * v.y, p->z += (float)dt * v.z;
	}
	r->time += dt;
}

// Steps of different lengths.
static const double steps[] = {0.01, 0.003, 0.007, 0.0004, 0.002, 0.0071, 0.001, 0.009};

static void run_for(rig *r, double time)
{
	double end = r->time + time;
	for (int k = 0; r->time < end - 1e-12; k++)
		run(r, fmin(steps[k * 3 % 8], end - r->time));
}

static spate_source_def pouring(const spate_mesh *mesh)
{
	spate_source_def def = spate_default_source_def();
	def.type = SPATE_SOURCE_SURFACE;
	def.shape.type = SPATE_SHAPE_MESH;
	def.shape.mesh.mesh = mesh;
	return def;
}

static vec3 place_of(const rig *r, uint32_t row)
{
	vec4 p = r->store->position[row];
	return vec3_make(p.x, p.y, p.z);
}

static vec3 velocity_of(const rig *r, uint32_t row)
{
	vec4 v = r->store->velocity[row];
	return vec3_make(v.x, v.y, v.z);
}

static double nearest_pair(const rig *r)
{
	double nearest = INFINITY;
	for (uint32_t a = 0; a < r->store->rows; a++)
		for (uint32_t b = 0; b < a; b++)
			nearest = fmin(nearest, (double)vec3_length(vec3_sub(place_of(r, a), place_of(r, b))));
	return nearest;
}

// A square in the plane z = 0 that looks along z, of triangles of very different sizes.
static soup square(float side)
{
	soup s = {0};
	uint32_t corner = add_vertex(&s, vec3_make(0, 0, 0)), across = add_vertex(&s, vec3_make(side, 0, 0)),
		 far = add_vertex(&s, vec3_make(side, side, 0)), up = add_vertex(&s, vec3_make(0, side, 0)),
		 inner = add_vertex(&s, vec3_make(0.1f * side, 0.05f * side, 0));
	add_triangle(&s, corner, across, inner);
	add_triangle(&s, across, far, inner);
	add_triangle(&s, far, up, inner);
	add_triangle(&s, up, corner, inner);
	return s;
}

static soup ball(float radius)
{
	soup s = {0};
	add_sphere(&s, vec3_make(0, 0, 0), radius, 24);
	return s;
}

// An open mesh pours to the side that its corners go round, is as dense as liquid, and gives flow times time to within a particle.
static void flow_and_density_are_right(void **state)
{
	(void)state;
	skip_without_fields();
	const double d = 0.01, side = 0.13, speed = 0.5, particle = d * d * d;
	soup s = square((float)side);
	spate_mesh mesh = mesh_of(&s);
	spate_source_def def = pouring(&mesh);
	def.flow = speed * side * side;
	rig r = make(def, d, NULL, 0);
	check_near(r.set.defs[0].area, side * side, 1e-6 * side * side);
	for (int k = 0; k < 10; k++)
	{
		run_for(&r, 0.03);
		check_near(r.store->rows * particle, def.flow * r.time, 1.001 * particle);
	}
	double in[4] = {0}, from = 2 * d, to = 12 * d;
	for (uint32_t row = 0; row < r.store->rows; row++)
	{
		vec3 p = place_of(&r, row), v = velocity_of(&r, row);
		check_near((double)v.z, speed, 1e-5);
		assert_true((double)p.x > -1e-6 && (double)p.x < side + 1e-6 && (double)p.z > -1e-6);
		if ((double)p.z > from && (double)p.z <= to)
			in[((double)p.x > 0.5 * side) + 2 * ((double)p.y > 0.5 * side)]++;
	}
	double whole = side * side * (to - from) / particle;
	check_near(in[0] + in[1] + in[2] + in[3], whole, 0.02 * whole);
	for (int k = 0; k < 4; k++)
		check_near(in[k], 0.25 * whole, 0.1 * 0.25 * whole);
	double nearest = nearest_pair(&r) / d;
	if (nearest < 0.7)
		fail_msg("particles are %g spacings apart, at least 0.7 expected", nearest);
	destroy(&r);
	soup_free(&s);
}

// A ball, with its triangles either way round, pours outwards, and the same from everywhere.
static void a_ball_pours_outwards(void **state)
{
	(void)state;
	skip_without_fields();
	const double d = 0.02, radius = 0.2, area = 4 * pi * radius * radius;
	for (int turned = 0; turned < 2; turned++)
	{
		soup s = ball((float)radius);
		for (size_t t = 0; t < s.triangles.count && turned; t += 3)
		{
			uint32_t first = s.triangles.data[t];
			s.triangles.data[t] = s.triangles.data[t + 1];
			s.triangles.data[t + 1] = first;
		}
		spate_mesh mesh = mesh_of(&s);
		spate_source_def def = pouring(&mesh);
		def.speed = 0.5;
		rig r = make(def, d, NULL, 0);
		check_near(r.set.defs[0].area, area, 0.01 * area);
		double octants[8] = {0}, nearest = INFINITY;
		for (int k = 0; k < 12; k++)
		{
			run_for(&r, 0.02);
			nearest = fmin(nearest, nearest_pair(&r) / d);
		}
		if (nearest < 0.5)
			fail_msg("particles are %g spacings apart, at least 0.5 expected", nearest);
		check_near(r.store->rows * d * d * d, 0.5 * area * r.time, 0.011 * 0.5 * area * r.time);
		for (uint32_t row = 0; row < r.store->rows; row++)
		{
			vec3 p = place_of(&r, row), v = velocity_of(&r, row);
			check_near((double)(vec3_dot(p, v) / vec3_length(p)), 0.5, 0.005);
			octants[(p.x > 0) + 2 * (p.y > 0) + 4 * (p.z > 0)]++;
		}
		for (int k = 0; k < 8; k++)
			check_near(octants[k], r.store->rows / 8.0, 0.06 * r.store->rows / 8.0);
		destroy(&r);
		soup_free(&s);
	}
}

// Two balls with a common part: faces in it do not pour. Their area is that of the spheres without two caps of height h.
static void inner_faces_do_not_pour(void **state)
{
	(void)state;
	skip_without_fields();
	const double d = 0.01, radius = 0.2, apart = 0.24, cap = 2 * pi * radius * (radius - 0.5 * apart);
	soup s = {0};
	add_sphere(&s, vec3_make(0, 0, 0), (float)radius, 40);
	add_sphere(&s, vec3_make((float)apart, 0, 0), (float)radius, 40);
	spate_mesh mesh = mesh_of(&s);
	spate_source_def def = pouring(&mesh);
	def.speed = 0.5;
	rig r = make(def, d, NULL, 0);
	double area = 2 * (4 * pi * radius * radius - cap);
	check_near(r.set.defs[0].area, area, 0.02 * area);
	for (size_t c = 0; c < r.set.columns[0].count; c++)
	{
		const emitter_column *own = &r.set.columns[0].data[c];
		double from = hypot(hypot(own->across, own->along), own->depth),
		       other = hypot(hypot(own->across - apart, own->along), own->depth);
		assert_true(fmin(from, other) > radius);
	}
	destroy(&r);
	soup_free(&s);
}

// A given direction: half of a ball pours, as much as its disc, and all of it that way.
static void a_direction_makes_a_disc_of_a_ball(void **state)
{
	(void)state;
	skip_without_fields();
	const double d = 0.02, radius = 0.2, disc = pi * radius * radius;
	soup s = ball((float)radius);
	spate_mesh mesh = mesh_of(&s);
	spate_source_def def = pouring(&mesh);
	def.direction[1] = -3;
	def.flow = 0.5 * disc;
	rig r = make(def, d, NULL, 0);
	check_near(r.set.defs[0].area, disc, 0.015 * disc);
	run_for(&r, 0.8);
	check_near(r.store->rows * d * d * d, def.flow * r.time, 1.001 * d * d * d);
	double below = 0, from = radius + 2 * d, to = radius + 6 * d, whole = disc * (to - from) / (d * d * d);
	for (uint32_t row = 0; row < r.store->rows; row++)
	{
		vec3 v = velocity_of(&r, row);
		double y = -(double)place_of(&r, row).y;
		check_near((double)v.y, -0.5, 0.01);
		assert_true(v.x == 0.0f && v.z == 0.0f);
		below += y > from && y <= to;
	}
	check_near(below, whole, 0.03 * whole);
	double nearest = nearest_pair(&r) / d;
	if (nearest < 0.5)
		fail_msg("particles are %g spacings apart, at least 0.5 expected", nearest);
	destroy(&r);
	soup_free(&s);
}

static spate_collider_def floor_at(double height)
{
	spate_collider_def def = spate_default_collider_def();
	def.shape = (spate_shape){.type = SPATE_SHAPE_PLANE, .a = {0, height, 0}, .b = {0, 1, 0}};
	return def;
}

// What is in a solid does not pour, and the flow gets out of what is left; nothing pours out of a surface that is covered.
static void solids_cover_the_surface(void **state)
{
	(void)state;
	skip_without_fields();
	const double d = 0.02, radius = 0.2;
	soup s = ball((float)radius);
	spate_mesh mesh = mesh_of(&s);
	spate_source_def def = pouring(&mesh);
	def.flow = 0.03;
	spate_collider_def ground = floor_at(0.05);
	rig r = make(def, d, &ground, 1);
	double area = 2 * pi * radius * (radius - 0.05);
	check_near(r.set.defs[0].area, area, 0.03 * area);
	run_for(&r, 0.2);
	check_near(r.store->rows * d * d * d, def.flow * r.time, 1.001 * d * d * d);
	for (uint32_t row = 0; row < r.store->rows; row++)
		assert_true((double)place_of(&r, row).y > 0.05);
	destroy(&r);
	ground = floor_at(1);
	r = make(def, d, &ground, 1);
	check_near(r.set.defs[0].area, 0, 0);
	run_for(&r, 0.2);
	assert_int_equal(r.store->rows, 0);
	check_near(source_set_speed(&r.set, &r.fluid, &r.colliders, 0, 1), 0, 0);
	destroy(&r);
	soup_free(&s);
}

// A square on a turntable: it pours along its normal as turned, with the velocity of the turntable added, from where it is.
static void a_surface_rides_on_a_collider(void **state)
{
	(void)state;
	skip_without_fields();
	const double d = 0.02, side = 0.2, turns = 1.0;
	soup s = square((float)side);
	spate_mesh mesh = mesh_of(&s);
	spate_source_def def = pouring(&mesh);
	def.shape.mesh.position[0] = 0.5;
	def.speed = 0.4;
	def.follow = 0;
	const spate_keyframe keys[] = {{.time = 0, .scale = 1},
				       {.time = 1, .rotation = {0, 360 * turns, 0}, .scale = 1}};
	spate_collider_def table = floor_at(-5);
	table.motion.keyframes = keys;
	table.motion.keyframe_count = 2;
	rig r = make(def, d, &table, 1);
	const double dt = 0.002, turning = 2 * pi * turns;
	for (int k = 0; k < 100; k++)
	{
		uint32_t before = r.store->rows;
		double bound = source_set_speed(&r.set, &r.fluid, &r.colliders, r.time, r.time + dt);
		run(&r, dt);
		double angle = turning * (r.time - 0.5 * dt);
		for (uint32_t row = before; row < r.store->rows; row++)
		{
			vec3 p = place_of(&r, row), v = velocity_of(&r, row);
			// omega x r, and the normal z turned about y
			double u[3] = {turning * (double)p.z + 0.4 * sin(angle), 0,
				       -turning * (double)p.x + 0.4 * cos(angle)};
			check_near((double)v.x, u[0], 0.03);
			check_near((double)v.y, u[1], 1e-4);
			check_near((double)v.z, u[2], 0.03);
			assert_true((double)vec3_length(v) <= bound);
		}
	}
	check_near(r.store->rows * d * d * d, 0.4 * side * side * r.time, 1.001 * d * d * d);
	destroy(&r);
	soup_free(&s);
}

// With flow and speed, drops come off here and there: fewer, but as fast.
static void a_small_flow_sheds_drops(void **state)
{
	(void)state;
	skip_without_fields();
	const double d = 0.02, radius = 0.2;
	soup s = ball((float)radius);
	spate_mesh mesh = mesh_of(&s);
	spate_source_def def = pouring(&mesh);
	def.flow = 0.002;
	def.speed = 1;
	rig r = make(def, d, NULL, 0);
	run_for(&r, 0.5);
	check_near(r.store->rows * d * d * d, def.flow * r.time, 1.001 * d * d * d);
	for (uint32_t row = 0; row < r.store->rows; row++)
		check_near((double)vec3_length(velocity_of(&r, row)), 1, 1e-5);
	// more than the surface lets pass
	destroy(&r);
	def.flow = 1;
	r = make(def, d, NULL, 0);
	run_for(&r, 0.05);
	check_near(r.store->rows * d * d * d, r.set.defs[0].area * r.time, 1.001 * d * d * d);
	destroy(&r);
	soup_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(flow_and_density_are_right), cmocka_unit_test(a_ball_pours_outwards),
	    cmocka_unit_test(inner_faces_do_not_pour),    cmocka_unit_test(a_direction_makes_a_disc_of_a_ball),
	    cmocka_unit_test(solids_cover_the_surface),   cmocka_unit_test(a_surface_rides_on_a_collider),
	    cmocka_unit_test(a_small_flow_sheds_drops),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
