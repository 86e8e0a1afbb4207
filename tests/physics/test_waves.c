// The first two periods of a standing wave: the quick judge of how well the liquid flows.
#include "wave_tank.h"

static void standing_wave_goes_on(void **state)
{
	(void)state;
	const wave_tank t = {.length = 1, .depth = 0.5, .height = 0.02, .layers = 20, .across = 4};
	double kept = NAN, period = wave_period(&t);
	swing record = wave_tank_run(&t, 2);
	double measured = swing_fit(&record, period, &kept);
	int good = evidence("standing wave, first two periods, period", measured, period, 0.015 * period, "s",
			    "1 m long, 0.5 m deep, 2 cm high, 20 layers");
	good &= evidence_at_least("standing wave, first two periods, amplitude after a period", kept, 0.9, "",
				  "of that before; viscosity alone would leave 0.9999");
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(standing_wave_goes_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
