// Sets of colliders: the wall term, contacts with friction and bounce, motion.
#include "check.h"
#include "collider/collider.h"
#include "dice.h"
#include "spate/world.h"

// Pushes p out of everything it feels; 1 when it moved.
static int push(const collider_set *set, vec3 *p, vec3 *moved, float contact)
{
	felt_wall walls[COLLIDER_MOST_WALLS];
	vec3 before = *p;
	int count = collider_set_feel(set, COLLIDER_ALL, *p, *p, contact, walls, NULL, NULL);
	felt_walls_push(walls, NULL, count, p, moved, contact);
	return memcmp(&before, p, sizeof before) != 0;
}

// A way that leads to p from clear space: against the normals of the walls around it, further than any of them is deep.
static vec3 way_in(const collider_set *set, vec3 p, float contact)
{
	felt_wall walls[COLLIDER_MOST_WALLS];
	vec3 way = {0, 0, 0};
	int count = collider_set_feel(set, COLLIDER_ALL, p, p, contact, walls, NULL, NULL);
	for (int k = 0; k < count; k++)
		way = vec3_add_scaled(way, walls[k].normal, -3.0f);
	return way;
}

static const double pi = 3.14159265358979323846;
static const double no_origin[3] = {0, 0, 0};

static collider_set make(const spate_collider_def *defs, uint32_t count)
{
	collider_set set;
	check_ok(collider_set_create(&set, defs, count, &(collider_world){0}, NULL));
	return set;
}

static spate_collider_def floor_at_zero(void)
{
	spate_collider_def def = spate_default_collider_def();
	def.shape = (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0};
	return def;
}

static spate_collider_def unit_tank(void)
{
	spate_collider_def def = spate_default_collider_def();
	def.shape = (spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0};
	def.mode = SPATE_COLLIDER_INSIDE;
	return def;
}

// ------------------------------------------------------------------------------------------------------------ wall term

// Poly6 of radius 1 over the half space further than q, by slices: each slice is a disc, summed over rings.
static double quadrature(double q)
{
	const int slices = 800, rings = 400;
	double sum = 0;
	for (int i = 0; i < slices; i++)
	{
		double s = q + (i + 0.5) * (1 - q) / slices, edge = sqrt(fmax(1 - s * s, 0));
		for (int k = 0; k < rings; k++)
		{
			double r = (k + 0.5) * edge / rings, t = 1 - s * s - r * r;
			sum += t * t * t * 2 * pi * r * edge / rings * (1 - q) / slices;
		}
	}
	return 315 / (64 * pi) * sum;
}

static void wall_term_is_the_integral_of_poly6(void **state)
{
	(void)state;
	spate_collider_def def = floor_at_zero();
	collider_set set = make(&def, 1);
	const float h = 0.02f;
	check_near((double)collider_set_wall(&set, vec3_make(0, 0, 0), h).w, 0.5, 1e-7);
	check_near((double)collider_set_wall(&set, vec3_make(0, h, 0), h).w, 0.0, 0);
	check_near((double)collider_set_wall(&set, vec3_make(0, -h, 0), h).w, 1.0, 1e-6);
	check_near((double)collider_set_wall(&set, vec3_make(0, -3 * h, 0), h).w, 1.0, 1e-6);
	for (int k = -9; k <= 9; k++)
	{
		double q = k / 10.0;
		vec4 b = collider_set_wall(&set, vec3_make(0.3f, (float)(q * (double)h), -0.2f), h);
		check_near((double)b.w, quadrature(q), 1e-5);
	}
	collider_set_destroy(&set);
}

static void gradient_is_the_difference_of_values(void **state)
{
	(void)state;
	dice d = {1};
	spate_collider_def defs[3] = {unit_tank(), spate_default_collider_def(), floor_at_zero()};
	defs[1].shape = (spate_shape){SPATE_SHAPE_SPHERE, {0.2, 0.2, 0.3}, {0, 0, 0}, 0.1};
	defs[2].shape.b[0] = 0.5; // a slope that cuts the tank's edge
	collider_set set = make(defs, 3);
	const float h = 0.25f, e = 1e-3f;
	int several = 0;
	for (int n = 0; n < 3000; n++)
	{
		vec3 p = {dice_range(&d, 0, 0.5f), dice_range(&d, 0, 0.5f), dice_range(&d, 0, 0.5f)};
		vec4 b = collider_set_wall(&set, p, h);
		double gx = (double)(collider_set_wall(&set, vec3_make(p.x + e, p.y, p.z), h).w -
				     collider_set_wall(&set, vec3_make(p.x - e, p.y, p.z), h).w);
		double gy = (double)(collider_set_wall(&set, vec3_make(p.x, p.y + e, p.z), h).w -
				     collider_set_wall(&set, vec3_make(p.x, p.y - e, p.z), h).w);
		double gz = (double)(collider_set_wall(&set, vec3_make(p.x, p.y, p.z + e), h).w -
				     collider_set_wall(&set, vec3_make(p.x, p.y, p.z - e), h).w);
		check_near((double)b.x, gx / (2 * (double)e), 0.01);
		check_near((double)b.y, gy / (2 * (double)e), 0.01);
		check_near((double)b.z, gz / (2 * (double)e), 0.01);
		several += b.w > 0.7f;
	}
	assert_true(several > 10);
	collider_set_destroy(&set);
}

static void walls_combine_as_a_product(void **state)
{
	(void)state;
	spate_collider_def floor = floor_at_zero(), side = floor_at_zero(), both[2];
	side.shape.b[0] = 1, side.shape.b[1] = 0;
	both[0] = floor, both[1] = side;
	spate_collider_def tank = unit_tank();
	collider_set one = make(&floor, 1), two = make(&side, 1), pair = make(both, 2), corner = make(&tank, 1);
	const float h = 0.2f;
	for (int i = -5; i < 12; i++)
		for (int j = -5; j < 12; j++)
		{
			vec3 p = {(float)i * 0.02f, (float)j * 0.02f, 0.5f};
			double b1 = (double)collider_set_wall(&one, p, h).w,
			       b2 = (double)collider_set_wall(&two, p, h).w;
			check_near((double)collider_set_wall(&pair, p, h).w, 1 - (1 - b1) * (1 - b2), 1e-6);
			check_near((double)collider_set_wall(&corner, p, h).w, 1 - (1 - b1) * (1 - b2), 1e-6);
		}
	collider_set_destroy(&one);
	collider_set_destroy(&two);
	collider_set_destroy(&pair);
	collider_set_destroy(&corner);
}

// ------------------------------------------------------------------------------------------------------------- contacts

static void push_leads_out_to_the_contact_distance(void **state)
{
	(void)state;
	const spate_shape shapes[] = {{SPATE_SHAPE_PLANE, {0, 0, 0}, {1, 2, 3}, 0},
				      {SPATE_SHAPE_BOX, {-0.5, -0.4, -0.3}, {0.5, 0.4, 0.3}, 0},
				      {SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.5},
				      {SPATE_SHAPE_CAPSULE, {-0.3, 0, 0}, {0.3, 0.1, 0}, 0.3},
				      {SPATE_SHAPE_CYLINDER, {-0.3, 0, 0}, {0.3, 0.1, 0}, 0.3}};
	dice d = {2};
	const float contact = 0.05f;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
		for (int mode = 0; mode < 2; mode++)
		{
			spate_collider_def def = spate_default_collider_def();
			def.shape = shapes[s];
			def.mode = (spate_collider_mode)mode;
			collider_set set = make(&def, 1);
			int touched = 0;
			for (int n = 0; n < 2000; n++)
			{
				vec3 p = {dice_range(&d, -1, 1), dice_range(&d, -1, 1), dice_range(&d, -1, 1)},
				     before = p;
				vec3 moved = way_in(&set, p, contact), way = moved;
				float distance = collider_set_distance(&set, p);
				int hit = push(&set, &p, &moved, contact);
				assert_int_equal(hit, distance < contact);
				// what was clear stays, bit for bit; what was not is exactly at the contact distance
				if (!hit)
					assert_memory_equal(&p, &before, sizeof p);
				else
					check_near((double)collider_set_distance(&set, p), (double)contact, 2e-6);
				vec3 step = vec3_sub(p, before);
				check_near((double)(moved.x - way.x), (double)step.x, 1e-6);
				check_near((double)(moved.z - way.z), (double)step.z, 1e-6);
				touched += hit;
			}
			assert_true(touched > 40);
			collider_set_destroy(&set);
		}
}

// What is already too close to a wall when the step begins leaves it slowly: a quarter of the contact distance.
static void walls_do_not_shoot(void **state)
{
	(void)state;
	const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0, 2, 0}, {0, 0, 0}, 1}}; // 2 m/s
	const float contact = 0.04f, dt = 0.01f;
	for (int moves = 0; moves < 2; moves++)
	{
		spate_collider_def def = spate_default_collider_def();
		def.shape = (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0};
		if (moves)
			def.motion = (spate_motion){.keyframes = keys, .keyframe_count = 2};
		collider_set set = make(&def, 1);
		check_ok(collider_set_move(&set, 0, (double)dt, NULL));
		const float surface = moves ? 2 * dt : 0; // where it is now
		const float starts[4] = {-0.01f, 0.005f, 0.02f, 0.035f}, ends[4] = {0.01f, 0.015f, 0.03f, 0.04f};
		for (int k = 0; k < 4; k++)
		{
			// it began so far from the wall where that was, and has not moved
			vec3 p = {0.3f, starts[k], 0}, moved = {0, 0, 0};
			assert_int_equal(push(&set, &p, &moved, contact), 1);
			check_near((double)p.y, (double)(surface + ends[k]), 1e-6);
			// and what flew deep into it from there is put back to the same place
			p = vec3_make(0.3f, starts[k] - 0.015f, 0);
			moved = vec3_make(0, -0.015f, 0);
			assert_int_equal(push(&set, &p, &moved, contact), 1);
			check_near((double)p.y, (double)(surface + ends[k]), 1e-6);
		}
		collider_set_destroy(&set);
	}
}

static void friction_is_coulombs(void **state)
{
	(void)state;
	spate_collider_def def = floor_at_zero();
	def.friction = 0.3;
	collider_set set = make(&def, 1);
	// pushed up by 0.01: sliding 0.02 shrinks by 0.003, in its own direction
	vec3 p = {1, 0.04f, 2}, moved = {0.012f, -0.02f, 0.016f};
	assert_int_equal(push(&set, &p, &moved, 0.05f), 1);
	check_near((double)p.y, 0.05, 1e-7);
	check_near((double)moved.x, 0.012 * (1 - 0.003 / 0.02), 1e-7);
	check_near((double)moved.z, 0.016 * (1 - 0.003 / 0.02), 1e-7);
	check_near((double)moved.y, -0.01, 1e-7);
	check_near((double)p.x, 1 - 0.012 * 0.003 / 0.02, 1e-6);
	// below the cone it sticks
	p = vec3_make(1, 0.04f, 2), moved = vec3_make(0.002f, -0.02f, -0.0015f);
	push(&set, &p, &moved, 0.05f);
	check_near((double)moved.x, 0.0, 1e-8);
	check_near((double)moved.z, 0.0, 1e-8);
	check_near((double)p.x, 0.998, 1e-6);
	collider_set_destroy(&set);
	// and without friction it slides on
	def.friction = 0;
	set = make(&def, 1);
	p = vec3_make(1, 0.04f, 2), moved = vec3_make(0.002f, -0.02f, 0);
	push(&set, &p, &moved, 0.05f);
	check_near((double)moved.x, 0.002, 0.0000000001);
	collider_set_destroy(&set);
}

static void bounce_gives_back_its_share(void **state)
{
	(void)state;
	spate_collider_def def = floor_at_zero();
	def.bounce = 0.6;
	collider_set set = make(&def, 1);
	vec3 v = collider_set_respond(&set, vec3_make(0, 0.05f, 0), vec3_make(3, -2, 0), vec3_make(3, -0.5f, 0), 0.05f,
				      0.01f, NULL);
	check_near((double)v.x, 3, 0);
	check_near((double)v.y, 1.2, 1e-6);
	// what leaves faster already, goes away from the wall or is far from it is left alone
	v = collider_set_respond(&set, vec3_make(0, 0.05f, 0), vec3_make(0, -2, 0), vec3_make(0, 1.5f, 0), 0.05f, 0.01f,
				 NULL);
	check_near((double)v.y, 1.5, 0);
	v = collider_set_respond(&set, vec3_make(0, 0.05f, 0), vec3_make(0, 2, 0), vec3_make(0, -1, 0), 0.05f, 0.01f,
				 NULL);
	check_near((double)v.y, -1, 0);
	v = collider_set_respond(&set, vec3_make(0, 0.06f, 0), vec3_make(0, -2, 0), vec3_make(0, -1, 0), 0.05f, 0.01f,
				 NULL);
	check_near((double)v.y, -1, 0);
	collider_set_destroy(&set);
}

// --------------------------------------------------------------------------------------------------------------- motion

static void pose_follows_keyframes(void **state)
{
	(void)state;
	const spate_keyframe keys[3] = {
	    {1, {1, 0, 0}, {0, 0, 0}, 1}, {2, {3, 1, 0}, {0, 0, 90}, 1}, {4, {3, 1, -2}, {0, 0, 90}, 1}};
	spate_motion m = {.keyframes = keys, .keyframe_count = 3};
	const struct
	{
		double time, x, y, z, degrees;
	} expected[] = {{0, 1, 0, 0, 0},   {1, 1, 0, 0, 0},   {1.25, 1.5, 0.25, 0, 22.5}, {2, 3, 1, 0, 90},
			{3, 3, 1, -1, 90}, {4, 3, 1, -2, 90}, {9, 3, 1, -2, 90}};
	for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
	{
		rigid pose = motion_pose(&m, no_origin, expected[k].time);
		double angle = expected[k].degrees * pi / 180;
		check_near((double)pose.translation.x, expected[k].x, 1e-6);
		check_near((double)pose.translation.y, expected[k].y, 1e-6);
		check_near((double)pose.translation.z, expected[k].z, 1e-6);
		check_near((double)pose.rotation[0], cos(angle), 1e-6);
		check_near((double)pose.rotation[3], sin(angle), 1e-6);
		check_near((double)pose.rotation[8], 1, 1e-6);
	}
}

// (1, 2, 3) turned by 90 degrees about x, then y, then z: (1, -3, 2), (2, -3, -1), (3, 2, -1).
static void rotations_come_in_the_order_x_y_z(void **state)
{
	(void)state;
	const spate_keyframe key = {0, {0, 0, 0}, {90, 90, 90}, 1};
	spate_motion m = {.keyframes = &key, .keyframe_count = 1};
	rigid pose = motion_pose(&m, no_origin, 0);
	const float p[3] = {1, 2, 3};
	const double expected[3] = {3, 2, -1};
	for (int k = 0; k < 3; k++)
		check_near((double)(pose.rotation[3 * k] * p[0] + pose.rotation[3 * k + 1] * p[1] +
				    pose.rotation[3 * k + 2] * p[2]),
			   expected[k], 1e-6);
}

static void rotation_keeps_the_pivot(void **state)
{
	(void)state;
	const double origin[3] = {4, 5, 6};
	const spate_keyframe key = {0, {0, 0, 0}, {30, -50, 70}, 1};
	spate_motion m = {.keyframes = &key, .keyframe_count = 1, .pivot = {4.5, 4, 6.25}};
	rigid pose = motion_pose(&m, origin, 0);
	const float p[3] = {0.5f, -1, 0.25f}, t[3] = {pose.translation.x, pose.translation.y, pose.translation.z};
	for (int k = 0; k < 3; k++)
		check_near((double)(pose.rotation[3 * k] * p[0] + pose.rotation[3 * k + 1] * p[1] +
				    pose.rotation[3 * k + 2] * p[2] + t[k]),
			   (double)p[k], 1e-6);
}

static void swing_starts_from_its_place(void **state)
{
	(void)state;
	spate_motion m = {.direction = {0, 3, 4}, .amplitude = 0.5, .frequency = 2, .phase = -90, .start = 1};
	check_near((double)motion_pose(&m, no_origin, 0.9).translation.y, 0, 0);
	check_near((double)motion_pose(&m, no_origin, 1).translation.z, 0, 1e-7);
	check_near((double)motion_pose(&m, no_origin, 1.125).translation.y, 0.5 * 0.6, 1e-6); // a quarter of a period
	check_near((double)motion_pose(&m, no_origin, 1.25).translation.y, 1.0 * 0.6, 1e-6);
	check_near((double)motion_pose(&m, no_origin, 1.25).translation.z, 1.0 * 0.8, 1e-6);
	check_near((double)motion_pose(&m, no_origin, 1.5).translation.z, 0, 1e-6);
	m.phase = 0;
	check_near((double)motion_pose(&m, no_origin, 1.125).translation.y, 0.5 * 0.6, 1e-6);
	check_near((double)motion_pose(&m, no_origin, 1.375).translation.y, -0.5 * 0.6, 1e-6);
}

// A particle that sticks to a turning paddle takes its speed: omega x r, also far from the origin and in a short step.
static void turning_bodies_carry_particles(void **state)
{
	(void)state;
	const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1},
					{10, {0, 0, 0}, {0, 0, 57.29577951308232}, 1}}; // 0.1 rad/s
	const double origin[3] = {8, 0, 0};
	spate_collider_def def = spate_default_collider_def();
	def.shape = (spate_shape){SPATE_SHAPE_BOX, {10, -0.1, -1}, {12, 0.1, 1}, 0};
	def.friction = 1000;
	def.motion = (spate_motion){.keyframes = keys, .keyframe_count = 2, .pivot = {10, 0, 0}};
	collider_set set;
	check_ok(
	    collider_set_create(&set, &def, 1, &(collider_world){.origin = {origin[0], origin[1], origin[2]}}, NULL));
	const float dt = 1e-4f;
	for (int k = 0; k < 5; k++)
	{
		double begin = k * 1.7, angle = 0.1 * (begin + (double)dt), x = 1 + 0.2 * k, y = 0.1;
		check_ok(collider_set_move(&set, begin, begin + (double)dt, NULL));
		// on the upper face, an arm of x from the pivot
		vec3 p = {(float)(2 + x * cos(angle) - y * sin(angle)), (float)(x * sin(angle) + y * cos(angle)), 0};
		vec3 n = {(float)-sin(angle), (float)cos(angle), 0}, t = {(float)cos(angle), (float)sin(angle), 0};
		vec3 moved = vec3_scale(n, -0.02f);
		assert_int_equal(push(&set, &p, &moved, 0.01f), 1);
		vec3 arm = {p.x - 2, p.y, 0};
		// the tangential part of the displacement, without the push along the normal
		vec3 foot = vec3_add_scaled(arm, n, -0.01f); // where it touches
		double along = (double)(-foot.y * t.x + foot.x * t.y) * 0.1;
		check_near((double)vec3_dot(moved, t) / (double)dt, along, 0.01 * fabs(along));
		// and what is thrown at it comes back relative to it
		set.colliders[0].bounce.value = 1;
		vec3 v = collider_set_respond(&set, p, vec3_scale(n, -2), vec3_make(0, 0, 0), 0.011f, dt, NULL);
		double face = (double)vec3_dot(vec3_make(-arm.y, arm.x, 0), n) * 0.1;
		check_near((double)vec3_dot(v, n), 2 + 2 * face, 0.01 * face);
	}
	collider_set_destroy(&set);
}

static void speed_bounds_every_point(void **state)
{
	(void)state;
	const spate_keyframe keys[3] = {
	    {0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0.5, 0, 0.2}, {40, 10, 90}, 1}, {2, {0.5, 0, 0.2}, {40, 10, 90}, 1}};
	spate_collider_def def = spate_default_collider_def();
	def.shape = (spate_shape){SPATE_SHAPE_CAPSULE, {0.3, 0, 0}, {0.6, 0.5, 0.1}, 0.1};
	def.motion = (spate_motion){.keyframes = keys,
				    .keyframe_count = 3,
				    .direction = {0, 1, 0},
				    .amplitude = 0.2,
				    .frequency = 0.7,
				    .start = 0.4,
				    .pivot = {0.1, 0, 0}};
	collider_set set = make(&def, 1);
	for (int k = 0; k < 60; k++)
	{
		double begin = k * 0.05, end = begin + 0.05, fastest = 0;
		for (int n = 0; n < 200; n++)
		{
			double t = begin + (end - begin) * n / 200, e = (end - begin) / 200;
			rigid a = motion_pose(&def.motion, no_origin, t),
			      b = motion_pose(&def.motion, no_origin, t + e);
			const float ends[2][3] = {{0.3f, 0, 0}, {0.66f, 0.57f, 0.1f}};
			for (int q = 0; q < 2; q++)
			{
				double travel2 = 0;
				float ta[3] = {a.translation.x, a.translation.y, a.translation.z};
				float tb[3] = {b.translation.x, b.translation.y, b.translation.z};
				for (int i = 0; i < 3; i++)
				{
					double step = (double)(tb[i] - ta[i]);
					for (int j = 0; j < 3; j++)
						step += (double)((b.rotation[3 * i + j] - a.rotation[3 * i + j]) *
								 ends[q][j]);
					travel2 += step * step;
				}
				fastest = fmax(fastest, sqrt(travel2) / e);
			}
		}
		double bound = collider_set_speed(&set, begin, end);
		if (!(bound >= fastest * 0.995 - 1e-3))
			fail_msg("a point moves at %g m/s at %g s, the bound is %g", fastest, begin, bound);
		// the line, the three turns at the longest arm and the swing, all added up
		assert_true(bound <= 0.54 + 140 * pi / 180 * hypot(hypot(0.6, 0.6), 0.2) + 0.2 * 1.4 * pi + 1e-6);
	}
	collider_set_destroy(&set);
}

static void speed_of_simple_motions_is_exact(void **state)
{
	(void)state;
	// a piston: the peak when an interval holds it, less beside it, nothing before the start
	spate_collider_def def = floor_at_zero();
	def.motion = (spate_motion){.direction = {2, 0, 0}, .amplitude = 0.1, .frequency = 0.5, .start = 1};
	collider_set set = make(&def, 1);
	check_near(collider_set_speed(&set, 0, 1), 0, 0);
	check_near(collider_set_speed(&set, 1, 1.01), 0.1 * pi, 1e-6);
	check_near(collider_set_speed(&set, 1.4, 1.45), 0.1 * pi * cos(0.4 * pi), 1e-6);
	check_near(collider_set_speed(&set, 1.9, 2.1), 0.1 * pi, 1e-6);
	collider_set_destroy(&set);
	// a wheel: the rim; many turns within the interval count as well
	const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0, 0, 0}, {0, 3600, 0}, 1}};
	def = spate_default_collider_def();
	def.shape = (spate_shape){SPATE_SHAPE_BOX, {-3, 0, -4}, {3, 0.001, 4}, 0};
	def.motion = (spate_motion){.keyframes = keys, .keyframe_count = 2};
	set = make(&def, 1);
	check_near(collider_set_speed(&set, 0, 0.5), 20 * pi * 5, 0.001);
	check_near(collider_set_speed(&set, 1, 2), 0, 0);
	collider_set_destroy(&set);
	// what does not move has no speed
	def = floor_at_zero();
	def.motion.keyframes = keys, def.motion.keyframe_count = 1;
	set = make(&def, 1);
	check_near(collider_set_speed(&set, 0, 1), 0, 0);
	assert_int_equal(set.colliders[0].pose.moves, 0);
	collider_set_destroy(&set);
}

static void empty_set_touches_nothing(void **state)
{
	(void)state;
	collider_set set = make(NULL, 0);
	vec3 p = {1, 2, 3}, moved = {0, 0, 0};
	assert_true(collider_set_distance(&set, p) > 1e30f);
	assert_int_equal(push(&set, &p, &moved, 0.1f), 0);
	check_near((double)collider_set_wall(&set, p, 1).w, 0, 0);
	collider_set_destroy(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(wall_term_is_the_integral_of_poly6),
	    cmocka_unit_test(gradient_is_the_difference_of_values),
	    cmocka_unit_test(walls_combine_as_a_product),
	    cmocka_unit_test(push_leads_out_to_the_contact_distance),
	    cmocka_unit_test(walls_do_not_shoot),
	    cmocka_unit_test(friction_is_coulombs),
	    cmocka_unit_test(bounce_gives_back_its_share),
	    cmocka_unit_test(pose_follows_keyframes),
	    cmocka_unit_test(rotations_come_in_the_order_x_y_z),
	    cmocka_unit_test(rotation_keeps_the_pivot),
	    cmocka_unit_test(swing_starts_from_its_place),
	    cmocka_unit_test(turning_bodies_carry_particles),
	    cmocka_unit_test(speed_bounds_every_point),
	    cmocka_unit_test(speed_of_simple_motions_is_exact),
	    cmocka_unit_test(empty_set_touches_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
