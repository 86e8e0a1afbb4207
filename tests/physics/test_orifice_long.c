// Water that leaves a tank through a hole: through a side, and twice as fine.
#include "orifice.h"

static void hole_in_a_side(void **state)
{
	(void)state;
	orifice_result r = orifice_run(&(orifice){.across = 10, .thickness = 0.02, .height = 0.4, .centre = 0.15});
	int good = evidence("square hole in a side, 10 across, speed of the jet over Torricelli's", r.speed, 1, 0.05,
			    "", "1 to 1.5 diameters beyond; four boxes of a fifth of the side");
	good &= evidence("square hole in a side, 10 across, speed in its middle", r.core, 1, 0.03, "",
			 "0.4 diameters wide");
	good &= evidence("square hole in a side, 10 across, discharge coefficient", r.discharge, 0.615, 0.065, "",
			 "counted by a sink; 2.5 to 2 sides of water above its middle");
	assert_true(good);
}

static void hole_in_the_floor(void **state)
{
	(void)state;
	skip_without_fields();
	orifice_result r = orifice_run(&(orifice){.across = 20, .thickness = 0.02, .height = 0.3});
	int good = evidence("round hole in a floor, 20 across, speed of the jet over Torricelli's", r.speed, 1, 0.05,
			    "", "1 to 1.5 diameters below; wall of a fifth of the diameter");
	good &= evidence("round hole in a floor, 20 across, speed in its middle", r.core, 1, 0.03, "",
			 "0.4 diameters wide");
	good &= evidence("round hole in a floor, 20 across, discharge coefficient", r.discharge, 0.61, 0.03, "",
			 "counted by a sink; 3 to 2.6 diameters of water above");
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hole_in_a_side),
	    cmocka_unit_test(hole_in_the_floor),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
