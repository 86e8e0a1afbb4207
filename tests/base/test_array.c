// Growing arrays.
#include "check.h"

#include "base/array.h"
#include "base/vec.h"

static void pushing_keeps_everything(void **state)
{
	(void)state;
	mem_stats before = mem_get_stats();
	ARRAY(int) numbers = {0};
	for (int k = 0; k < 10000; k++)
		assert_true(array_push(&numbers, 3 * k));
	assert_int_equal(numbers.count, 10000);
	assert_true(numbers.capacity >= numbers.count);
	for (int k = 0; k < 10000; k++)
		assert_int_equal(numbers.data[k], 3 * k);
	assert_true(mem_get_stats().calls - before.calls < 30); // grows by half, not one by one
	array_free(&numbers);
	assert_null(numbers.data);
	assert_int_equal(numbers.count, 0);
	assert_int_equal(numbers.capacity, 0);
	assert_int_equal(mem_get_stats().blocks, before.blocks);
}

static void structs_can_be_pushed_in_place(void **state)
{
	(void)state;
	ARRAY(vec3) points = {0};
	assert_true(array_push(&points, (vec3){1, 2, 3}));
	assert_true(array_push(&points, (vec3){4, 5, 6}));
	check_near(points.data[1].y, 5, 0);
	check_near(points.data[0].z, 3, 0);
	array_free(&points);
}

static void reserving_saves_later_calls(void **state)
{
	(void)state;
	ARRAY(double) values = {0};
	assert_true(array_reserve(&values, 1000));
	assert_int_equal(values.count, 0);
	uint64_t calls = mem_get_stats().calls;
	for (int k = 0; k < 1000; k++)
		assert_true(array_push(&values, k));
	assert_true(array_reserve(&values, 10));
	assert_int_equal(mem_get_stats().calls, calls);
	array_free(&values);
}

static void without_memory_nothing_changes(void **state)
{
	(void)state;
	ARRAY(short) values = {0};
	mem_fail_at(1);
	assert_false(array_push(&values, 1));
	assert_null(values.data);
	assert_int_equal(values.count, 0);
	while (values.count < 100 || values.count < values.capacity)
		assert_true(array_push(&values, (short)values.capacity));
	size_t count = values.count, capacity = values.capacity;
	short *data = values.data;
	mem_fail_at(1);
	assert_false(array_push(&values, 2));
	assert_false(array_reserve(&values, SIZE_MAX / 2 + 2)); // the number of bytes wraps to 2
	assert_int_equal(values.count, count);
	assert_int_equal(values.capacity, capacity);
	assert_ptr_equal(values.data, data);
	array_free(&values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pushing_keeps_everything),
	    cmocka_unit_test(structs_can_be_pushed_in_place),
	    cmocka_unit_test(reserving_saves_later_calls),
	    cmocka_unit_test(without_memory_nothing_changes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
