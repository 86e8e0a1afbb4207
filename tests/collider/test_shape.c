// Distances, normals, walls, boxes and volumes of the analytic shapes, against brute force over their surfaces.
#include "check.h"
#include "collider/shape.h"
#include "dice.h"

static const double no_origin[3] = {0, 0, 0};

static const spate_shape shapes[] = {
    {SPATE_SHAPE_PLANE, {0.1, 0.2, -0.1}, {1, 2, -2}, 0},
    {SPATE_SHAPE_BOX, {-0.4, -0.3, -0.5}, {0.5, 0.6, 0.2}, 0},
    {SPATE_SHAPE_SPHERE, {0.1, -0.1, 0.05}, {0, 0, 0}, 0.45},
    {SPATE_SHAPE_CAPSULE, {-0.3, -0.2, 0.1}, {0.3, 0.25, -0.1}, 0.25},
    {SPATE_SHAPE_CYLINDER, {-0.3, -0.2, 0.1}, {0.3, 0.25, -0.1}, 0.3},
};

enum
{
	SHAPES = sizeof shapes / sizeof *shapes
};

static vec3 random_place(dice *d)
{
	return vec3_make(dice_range(d, -1, 1), dice_range(d, -1, 1), dice_range(d, -1, 1));
}

// Whether a place is inside, and how far in double precision, each by its own textbook formula.
static double reference_distance(const spate_shape *s, const double p[3])
{
	double axis[3], d[3], length2 = 0, along = 0, n2 = 0;
	for (int k = 0; k < 3; k++)
	{
		axis[k] = s->b[k] - s->a[k];
		d[k] = p[k] - s->a[k];
		length2 += axis[k] * axis[k];
		along += axis[k] * d[k];
		n2 += s->b[k] * s->b[k];
	}
	if (s->type == SPATE_SHAPE_PLANE)
		return (d[0] * s->b[0] + d[1] * s->b[1] + d[2] * s->b[2]) / sqrt(n2);
	if (s->type == SPATE_SHAPE_SPHERE)
		return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - s->radius;
	if (s->type == SPATE_SHAPE_BOX)
	{
		double inside = -INFINITY, out2 = 0;
		for (int k = 0; k < 3; k++)
		{
			double over = fmax(s->a[k] - p[k], p[k] - s->b[k]);
			inside = fmax(inside, over);
			out2 += over > 0 ? over * over : 0;
		}
		return inside <= 0 ? inside : sqrt(out2);
	}
	double length = sqrt(length2), away2 = -along * along / length2;
	for (int k = 0; k < 3; k++)
		away2 += d[k] * d[k];
	double away = sqrt(fmax(away2, 0)), t = along / length;
	if (s->type == SPATE_SHAPE_CAPSULE)
	{
		double over = t < 0 ? t : t > length ? t - length : 0;
		return sqrt(away2 + over * over) - s->radius;
	}
	double side = away - s->radius, cap = fmax(-t, t - length);
	return side <= 0 && cap <= 0 ? fmax(side, cap) : hypot(fmax(side, 0), fmax(cap, 0));
}

static void distance_is_exact(void **state)
{
	(void)state;
	dice d = {1};
	for (int s = 0; s < SHAPES; s++)
	{
		solid_shape form = shape_make(&shapes[s], no_origin);
		for (int n = 0; n < 5000; n++)
		{
			vec3 p = random_place(&d);
			double place[3] = {(double)p.x, (double)p.y, (double)p.z};
			check_near((double)shape_distance(&form, p), reference_distance(&shapes[s], place), 5e-7);
		}
	}
}

// Walking back along the normal by the distance must lead to the surface, and the distance must fall by as much.
static void normals_lead_to_the_surface(void **state)
{
	(void)state;
	dice d = {2};
	for (int s = 0; s < SHAPES; s++)
		for (int n = 0; n < 2000; n++)
		{
			solid_shape form = shape_make(&shapes[s], no_origin);
			vec3 p = random_place(&d);
			wall w[SHAPE_MAX_WALLS];
			assert_int_equal(shape_walls(&form, SPATE_COLLIDER_OUTSIDE, p, 10.0f, w), 1);
			check_near((double)vec3_length(w[0].normal), 1.0, 1e-5);
			vec3 foot = vec3_add_scaled(p, w[0].normal, -w[0].distance);
			check_near((double)shape_distance(&form, foot), 0.0, 1e-6);
		}
}

static void normals_are_gradients(void **state)
{
	(void)state;
	dice d = {3};
	const float e = 1e-3f;
	for (int s = 0; s < SHAPES; s++)
	{
		solid_shape form = shape_make(&shapes[s], no_origin);
		int different = 0;
		for (int n = 0; n < 2000; n++)
		{
			vec3 p = random_place(&d);
			wall w[SHAPE_MAX_WALLS];
			shape_walls(&form, SPATE_COLLIDER_OUTSIDE, p, 10.0f, w);
			vec3 g = {shape_distance(&form, vec3_make(p.x + e, p.y, p.z)) -
				      shape_distance(&form, vec3_make(p.x - e, p.y, p.z)),
				  shape_distance(&form, vec3_make(p.x, p.y + e, p.z)) -
				      shape_distance(&form, vec3_make(p.x, p.y - e, p.z)),
				  shape_distance(&form, vec3_make(p.x, p.y, p.z + e)) -
				      shape_distance(&form, vec3_make(p.x, p.y, p.z - e))};
			different += vec3_length(vec3_sub(vec3_scale(g, 0.5f / e), w[0].normal)) > 0.01f;
		}
		// only across the ridges inside, where the nearest face changes
		assert_true(different < 30);
	}
}

// Centres, edges and corners have no gradient, yet a unit normal that leads out.
static void special_places_have_normals(void **state)
{
	(void)state;
	const vec3 places[] = {{0.05f, 0.15f, -0.15f}, {0.1f, -0.1f, 0.05f}, {0, 0.025f, 0},
			       {-0.3f, -0.2f, 0.1f},   {0.5f, 0.6f, 0.2f},   {0.5f, 0.6f, 0},
			       {-0.4f, -0.3f, 0.1f},   {0.3f, 0.25f, -0.1f}};
	for (int s = 0; s < SHAPES; s++)
		for (size_t n = 0; n < sizeof places / sizeof *places; n++)
			for (int mode = 0; mode < 2; mode++)
			{
				solid_shape form = shape_make(&shapes[s], no_origin);
				wall w[SHAPE_MAX_WALLS];
				int count = shape_walls(&form, (spate_collider_mode)mode, places[n], 10.0f, w);
				assert_true(count >= 1);
				for (int k = 0; k < count; k++)
				{
					check_near((double)vec3_length(w[k].normal), 1.0, 1e-5);
					assert_true(isfinite(w[k].distance));
				}
			}
	// straight capsules and cylinders of any direction, on their axes: out is across
	for (int axis = 0; axis < 3; axis++)
		for (int type = SPATE_SHAPE_CAPSULE; type <= SPATE_SHAPE_CYLINDER; type++)
		{
			spate_shape s = {(spate_shape_type)type, {0, 0, 0}, {0, 0, 0}, 0.1};
			s.b[axis] = 2;
			solid_shape form = shape_make(&s, no_origin);
			vec3 p = {axis == 0, axis == 1, axis == 2};
			wall w[SHAPE_MAX_WALLS];
			shape_walls(&form, SPATE_COLLIDER_OUTSIDE, p, 1.0f, w);
			check_near((double)w[0].distance, -0.1, 1e-6);
			check_near((double)vec3_dot(w[0].normal, p), 0.0, 1e-6);
		}
}

static void containers_count_their_faces(void **state)
{
	(void)state;
	spate_shape box = {SPATE_SHAPE_BOX, {0, 0, 0}, {1, 2, 3}, 0};
	solid_shape form = shape_make(&box, no_origin);
	wall w[SHAPE_MAX_WALLS];
	assert_int_equal(shape_walls(&form, SPATE_COLLIDER_INSIDE, vec3_make(0.5f, 1, 1.5f), 0.4f, w), 0);
	assert_int_equal(shape_walls(&form, SPATE_COLLIDER_INSIDE, vec3_make(0.1f, 0.2f, 1.5f), 0.4f, w), 2);
	check_near((double)w[0].distance, 0.1, 1e-6);
	check_near((double)w[0].normal.x, 1, 0);
	check_near((double)w[1].distance, 0.2, 1e-6);
	check_near((double)w[1].normal.y, 1, 0);
	assert_int_equal(shape_walls(&form, SPATE_COLLIDER_INSIDE, vec3_make(1.1f, 2.2f, 3.3f), 0.4f, w), 3);
	check_near((double)w[0].distance, -0.1, 1e-6);
	check_near((double)w[0].normal.x, -1, 0);
	check_near((double)w[2].distance, -0.3, 1e-6);
	check_near((double)w[2].normal.z, -1, 0);

	spate_shape tube = {SPATE_SHAPE_CYLINDER, {0, 0, 0}, {0, 1, 0}, 0.5};
	form = shape_make(&tube, no_origin);
	assert_int_equal(shape_walls(&form, SPATE_COLLIDER_INSIDE, vec3_make(0.3f, 0.1f, 0.3f), 0.4f, w), 2);
	check_near((double)w[0].distance, 0.5 - hypot(0.3, 0.3), 1e-6);
	check_near((double)w[0].normal.x, -sqrt(0.5), 1e-6);
	check_near((double)w[1].distance, 0.1, 1e-6);
	check_near((double)w[1].normal.y, 1, 1e-6);

	// seen from inside a ball is one wall, and a plane is the same in both modes
	for (int s = 0; s < SHAPES; s++)
	{
		wall in[SHAPE_MAX_WALLS], out[SHAPE_MAX_WALLS];
		if (shapes[s].type == SPATE_SHAPE_BOX || shapes[s].type == SPATE_SHAPE_CYLINDER)
			continue;
		form = shape_make(&shapes[s], no_origin);
		float sign = shapes[s].type == SPATE_SHAPE_PLANE ? 1.0f : -1.0f;
		assert_int_equal(shape_walls(&form, SPATE_COLLIDER_INSIDE, vec3_make(0.2f, 0.1f, 0), 10, in), 1);
		shape_walls(&form, SPATE_COLLIDER_OUTSIDE, vec3_make(0.2f, 0.1f, 0), 10, out);
		check_near((double)in[0].distance, (double)(sign * out[0].distance), 0);
		check_near((double)vec3_dot(in[0].normal, out[0].normal), (double)sign, 1e-6);
	}
}

static void walls_beyond_reach_are_left_out(void **state)
{
	(void)state;
	dice d = {4};
	for (int s = 0; s < SHAPES; s++)
		for (int mode = 0; mode < 2; mode++)
			for (int n = 0; n < 500; n++)
			{
				solid_shape form = shape_make(&shapes[s], no_origin);
				vec3 p = random_place(&d);
				wall all[SHAPE_MAX_WALLS], near[SHAPE_MAX_WALLS];
				int count = shape_walls(&form, (spate_collider_mode)mode, p, 100.0f, all), expected = 0;
				int found = shape_walls(&form, (spate_collider_mode)mode, p, 0.3f, near);
				for (int k = 0; k < count; k++)
					if (all[k].distance < 0.3f)
						assert_memory_equal(&all[k], &near[expected++], sizeof(wall));
				assert_int_equal(found, expected);
			}
}

// Throwing darts into the box around a shape gives its volume, and none of the shape is outside of the box.
static void bounds_and_volumes(void **state)
{
	(void)state;
	dice d = {5};
	for (int s = 1; s < SHAPES; s++)
	{
		double low[3], high[3], box = 1;
		assert_int_equal(shape_bounds(&shapes[s], low, high), 1);
		for (int k = 0; k < 3; k++)
			box *= high[k] - low[k];
		solid_shape form = shape_make(&shapes[s], no_origin);
		int hits = 0, strays = 0, darts = 200000;
		double touched[6] = {1, 1, 1, 1, 1, 1};
		for (int n = 0; n < darts; n++)
		{
			float p[3];
			for (int k = 0; k < 3; k++)
				p[k] = dice_range(&d, (float)low[k], (float)high[k]);
			hits += shape_distance(&form, vec3_make(p[0], p[1], p[2])) <= 0.0f;
			vec3 q = random_place(&d);
			double place[3] = {(double)q.x, (double)q.y, (double)q.z};
			for (int k = 0; k < 3 && shape_distance(&form, q) < -1e-6f; k++)
			{
				strays += place[k] < low[k] || place[k] > high[k];
				touched[k] = fmin(touched[k], place[k] - low[k]);
				touched[3 + k] = fmin(touched[3 + k], high[k] - place[k]);
			}
		}
		assert_int_equal(strays, 0);
		check_near(box * hits / darts, shape_volume(&shapes[s]), 0.01 * shape_volume(&shapes[s]));
		// and the box is tight
		for (int k = 0; k < 6; k++)
			check_near(touched[k], 0.0, 0.05);
	}
	double low[3], high[3];
	assert_int_equal(shape_bounds(&shapes[0], low, high), 0);
	assert_true(isinf(shape_volume(&shapes[0])));
}

static void shapes_move_with_the_origin(void **state)
{
	(void)state;
	dice d = {6};
	const double origin[3] = {512, -256, 64};
	for (int s = 0; s < SHAPES; s++)
	{
		spate_shape far = shapes[s];
		for (int k = 0; k < 3; k++)
		{
			far.a[k] += origin[k];
			far.b[k] += far.type == SPATE_SHAPE_PLANE ? 0 : origin[k];
		}
		solid_shape here = shape_make(&shapes[s], no_origin), there = shape_make(&far, origin);
		for (int n = 0; n < 100; n++)
		{
			vec3 p = random_place(&d);
			check_near((double)shape_distance(&there, p), (double)shape_distance(&here, p), 1e-6);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(distance_is_exact),
	    cmocka_unit_test(normals_lead_to_the_surface),
	    cmocka_unit_test(normals_are_gradients),
	    cmocka_unit_test(special_places_have_normals),
	    cmocka_unit_test(containers_count_their_faces),
	    cmocka_unit_test(walls_beyond_reach_are_left_out),
	    cmocka_unit_test(bounds_and_volumes),
	    cmocka_unit_test(shapes_move_with_the_origin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
