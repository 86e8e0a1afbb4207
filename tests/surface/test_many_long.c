// A million points in each of several hard sets: fifteen fluids, fluids mixed at random, and a splash of all sizes. All cases of which
// test_many.c takes some.
#include "many_cases.h"

static uint8_t mixed(const void *context, const float p[3])
{
	(void)context;
	if (layers(NULL, p) == 0)
		return 0;
	dice d = {(uint64_t)(p[0] * 1e6f) * 73856093u ^ (uint64_t)(p[1] * 1e6f) * 19349663u ^ (uint64_t)(p[2] * 1e6f)};
	return (uint8_t)(1 + dice_below(&d, 5));
}

// Clumps and threads of changing fluids.
static uint8_t clumps(const void *context, const float p[3])
{
	(void)context;
	float a = sinf(9.0f * p[0]) + sinf(11.0f * p[1] + 1.0f) + sinf(13.0f * p[2] + 2.0f);
	if (a < 0.2f)
		return 0;
	float b = sinf(23.0f * p[0] + 3.0f) + sinf(21.0f * p[1]) + sinf(25.0f * p[2]);
	return (uint8_t)(b < -0.8f ? 1 : b < 0.0f ? 2 : b < 0.8f ? 3 : 4);
}

static void test_a_million_points(void **state)
{
	(void)state;
	static const struct
	{
		const char *name;
		fluid_at *at;
		uint32_t fluids;
	} kinds[] = {{"fifteen", fifteen, 15}, {"mixed", mixed, 5}, {"clumps", clumps, 4}};
	for (int n = 0; n < 6; n++)
	{
		particle_set from = particle_set_make(3, 30, 0.25f, kinds[n / 2].at, NULL);
		many_set set = many_set_make(&from, kinds[n / 2].fluids);
		spate_surface_def def = spate_default_surface_def();
		def.smoothing = n & 1 ? 5 : 0;
		spate_surface_stats stats;
		spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, &stats);
		print_message("%s: %u particles, %u triangles in %.2f s, smoothing %d\n", kinds[n / 2].name,
			      from.input.count, stats.triangles, stats.total, def.smoothing);
		check_many(many, 1000000, NULL, NULL);
		spate_surface_many_destroy(many);
		many_set_free(&set);
		particle_set_free(&from);
	}
}

static void test_space_is_parted(void **state)
{
	(void)state;
	for (int n = 0; n < 4 * MANY_KINDS; n++)
		check_many_parted(&many_kinds[n / 4], n & 1, n & 2 ? 5 : 0, 200000);
}

static void test_compared_with_chromatic(void **state)
{
	(void)state;
#ifdef SPATE_QHULL
	for (int n = 0; n < MANY_KINDS; n++)
		check_against_chromatic(&many_kinds[n]);
#endif
}

static void test_seam_is_smooth(void **state)
{
	(void)state;
	for (int n = 0; n < 32; n++)
		check_seam_line(many_angles[n / 8], many_tilts[n / 4 % 2], n & 1, n & 2 ? 5 : 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_million_points),
	    cmocka_unit_test(test_space_is_parted),
	    cmocka_unit_test(test_compared_with_chromatic),
	    cmocka_unit_test(test_seam_is_smooth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
