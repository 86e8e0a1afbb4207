// The set of forces: gravity alone, and with a force that differs from place to place.
#include "check.h"
#include "spring.h"

static void gravity_is_the_same_for_all(void **state)
{
	(void)state;
	spate_world_def def = spate_default_world_def();
	const double g[3] = {3, -4, 12};
	memcpy(def.gravity, g, sizeof g);
	force_set set;
	force_set_make(&set, &def, NULL, NULL, 0, 0.0);
	assert_int_equal(set.count, 1);
	assert_ptr_equal(set.forces[0].type, &force_gravity);
	check_near(set.most, 13, 0);
	check_near(force_most(&def), 13, 0);
	for (int k = 0; k < 3; k++)
		check_near(set.up[k], -g[k] / 13, 1e-15);
	vec3 same, each[1] = {{7, 7, 7}};
	vec4 row = {0, 0, 0, 0};
	const double origin[3] = {0, 0, 0};
	assert_true(force_set_accelerate(&set, &(force_rows){1, &row, &row, origin, 0, 0, NULL}, &same, each));
	check_near((double)same.x, 3, 0);
	check_near((double)same.y, -4, 0);
	check_near((double)same.z, 12, 0);
	check_near((double)each[0].x, 7, 0); // untouched

	memset(def.gravity, 0, sizeof def.gravity);
	force_set_make(&set, &def, NULL, NULL, 0, 0.0);
	check_near(set.most, 0, 0);
	for (int k = 0; k < 3; k++)
		check_near(set.up[k], 0, 0);
}

static void forces_add_up(void **state)
{
	(void)state;
	spate_world_def def = spate_default_world_def();
	const force_entry extra[2] = {{.type = &spring, .values = {1, 2, 3, 10, 5}},
				      {.type = &spring, .values = {1, 2, 3, 1, 100}}};
	force_set set;
	force_set_make(&set, &def, NULL, extra, 2, 0.0);
	assert_int_equal(set.count, 3);
	check_near(set.most, 9.81 + 105, 1e-12);
	check_near(set.up[1], 1, 0);
	// one metre below the point: the first is at its limit of 5, the second pulls with 1
	const vec4 rows[2] = {{0, 0, 0, 0}, {0, 1, 0, 0}};
	const double origin[3] = {1, 1, 3};
	vec3 same, each[2];
	assert_false(force_set_accelerate(&set, &(force_rows){2, rows, rows, origin, 0, 0, NULL}, &same, each));
	check_near((double)each[0].y, -9.81 + 6, 1e-5);
	check_near((double)each[0].x, 0, 1e-6);
	check_near((double)each[1].y, -9.81, 1e-5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(gravity_is_the_same_for_all),
	    cmocka_unit_test(forces_add_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
