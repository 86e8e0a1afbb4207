// Small vectors.
#include "check.h"

#include "base/vec.h"

#define check_vec(actual, ex, ey, ez, tolerance)          \
	do                                                \
	{                                                 \
		vec3 check_v = (actual);                  \
		check_near(check_v.x, (ex), (tolerance)); \
		check_near(check_v.y, (ey), (tolerance)); \
		check_near(check_v.z, (ez), (tolerance)); \
	} while (0)

static void arithmetic(void **state)
{
	(void)state;
	vec3 a = vec3_make(1, 2, 3), b = vec3_make(4, -5, 6);
	check_vec(vec3_add(a, b), 5, -3, 9, 0);
	check_vec(vec3_sub(a, b), -3, 7, -3, 0);
	check_vec(vec3_scale(a, 2), 2, 4, 6, 0);
	check_vec(vec3_add_scaled(a, b, 0.5f), 3, -0.5, 6, 0);
	check_near(vec3_dot(a, b), 12, 0);
	check_vec(vec3_cross(a, b), 27, 6, -13, 0);
	check_vec(vec3_cross(vec3_make(1, 0, 0), vec3_make(0, 1, 0)), 0, 0, 1, 0); // right-handed
	check_near(vec3_length(vec3_make(2, 3, 6)), 7, 0);
}

static void normalizing(void **state)
{
	(void)state;
	check_vec(vec3_normalize(vec3_make(3, 0, -4)), 0.6, 0, -0.8, 1e-7);
	check_vec(vec3_normalize(vec3_make(0, 0, 0)), 0, 0, 0, 0);

	// any length that a float has
	static const float lengths[] = {1e-45f, 1e-38f, 1e-25f, 1e-10f, 1e10f, 1e25f, 1e38f};
	for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
	{
		check_vec(vec3_normalize(vec3_make(0, -lengths[k], 0)), 0, -1, 0, 0);
		double diagonal = 1 / sqrt(3.0);
		vec3 even = vec3_make(lengths[k], lengths[k], -lengths[k]);
		check_vec(vec3_normalize(even), diagonal, diagonal, -diagonal, 1e-7);
	}
}

static void finiteness(void **state)
{
	(void)state;
	assert_true(vec3_is_finite(vec3_make(1, -3e38f, 0)));
	for (int axis = 0; axis < 3; axis++)
	{
		float c[3] = {1, 2, 3};
		c[axis] = NAN;
		assert_false(vec3_is_finite(vec3_make(c[0], c[1], c[2])));
		c[axis] = -INFINITY;
		assert_false(vec3_is_finite(vec3_make(c[0], c[1], c[2])));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(arithmetic),
	    cmocka_unit_test(normalizing),
	    cmocka_unit_test(finiteness),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
