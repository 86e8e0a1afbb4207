// A quarter of a second of every horror: no path of any particle goes through a triangle.
#include "check.h"

#ifdef SPATE_EMBREE
#include "collider/field.h"
#include "collider/leak_cases.h"

static void nothing_goes_through(void **state)
{
	(void)state;
	leak_cases all;
	leak_cases_make(&all);
	uint64_t crossings = 0;
	for (uint32_t k = 0; k < all.count; k++)
	{
		leak_case *c = &all.list[k];
		c->seconds = 0.25;
		// the fan does in a twelfth of a second what others do in a quarter
		if (c->motion.rate > 1000)
			c->seconds = 1.0 / 24;
		leak_report r = leak_run(c);
		assert_true(r.particles > 300);
		if (r.crossings > 0 || r.removed > 0)
			print_error("%s: %lu of %lu paths through a wall, %u particles removed\n", c->name,
				    (unsigned long)r.crossings, (unsigned long)r.paths, r.removed);
		crossings += r.crossings + r.removed;
	}
	leak_cases_free(&all);
	assert_int_equal(crossings, 0);
}

int main(void)
{
	if (!distance_field_available())
		return skip_program_without("OPENVDB");
	const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_goes_through)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
	return skip_program_without("EMBREE");
}
#endif
