// Water that leaves a tank through a hole in its floor.
#include "orifice.h"

static void hole_in_the_floor(void **state)
{
	(void)state;
	skip_without_fields();
	orifice_result r = orifice_run(&(orifice){.across = 10, .thickness = 0.02, .height = 0.3});
	int good = evidence("round hole in a floor, 10 across, speed of the jet over Torricelli's", r.speed, 1, 0.05,
			    "", "1 to 1.5 diameters below; wall of a fifth of the diameter");
	good &= evidence("round hole in a floor, 10 across, speed in its middle", r.core, 1, 0.03, "",
			 "0.4 diameters wide");
	good &= evidence("round hole in a floor, 10 across, discharge coefficient", r.discharge, 0.615, 0.065, "",
			 "counted by a sink; 3 to 2.6 diameters of water above");
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hole_in_the_floor),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
