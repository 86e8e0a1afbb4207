// Water that leaves a tank through a hole: through a side, and twice as fine.
#include "orifice.h"

static void hole_in_a_side(void **state)
{
	(void)state;
	const orifice o = {.across = 10, .thickness = 0.02, .height = 0.4, .centre = 0.15};
	orifice_holds(&o, "square hole in a side", "1 to 1.5 diameters beyond; four boxes of a fifth of the side",
		      0.615, 0.065, "counted by a sink; 2.5 to 2 sides of water above its middle");
}

static void hole_in_the_floor(void **state)
{
	(void)state;
	skip_without_fields();
	const orifice o = {.across = 20, .thickness = 0.02, .height = 0.3};
	orifice_holds(&o, "round hole in a floor", "1 to 1.5 diameters below; wall of a fifth of the diameter", 0.61,
		      0.03, "counted by a sink; 3 to 2.6 diameters of water above");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hole_in_a_side),
	    cmocka_unit_test(hole_in_the_floor),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
