// Jets in free flight, and what they fill.
#include "evidence.h"
#include "world/scene_world.h"

#include "spate/store.h"

static const double gravity = 9.81;

static spate_world *run_scene(const char *text, uint32_t frame)
{
	spate_world *world = world_of(text);
	run_until(world, frame);
	return world;
}

// Mean of one coordinate (m) of the particles whose other one, `by`, is within `half` of `at`.
static double mean_where(spate_world *world, unsigned of, unsigned by, double at, double half)
{
	spate_store *store = spate_world_store(world);
	const double *origin = spate_world_origin(world);
	const float *position = spate_store_field(store, "position", NULL);
	double sum = 0, count = 0;
	for (uint32_t row = 0; row < spate_store_count(store); row++)
		if (fabs((double)position[4 * row + by] + origin[by] - at) <= half)
		{
			sum += (double)position[4 * row + of] + origin[of];
			count++;
		}
	assert_true(count > 20);
	return sum / count;
}

// A jet falls like a stone: x = v sqrt(2 h / g).
static void range_of_a_jet(void **state)
{
	(void)state;
	spate_world *world =
	    run_scene("spate: 2\nfluids: { water: { preset: water, spacing: 0.006 } }\n"
		      "sources: [{ type: emitter, fluid: water, position: [0, 0, 0], direction: [1, 0, 0],\n"
		      "            radius: 0.018, flow: 2.0e-3 }]\n"
		      "sinks: [{ shape: { plane: { point: [0, -0.3, 0], normal: [0, 1, 0] } } }]\n",
		      10);
	const double speed = 2e-3 / (3.14159265358979323846 * 0.018 * 0.018), fall = 0.25;
	double range = mean_where(world, 0, 1, -fall, 0.01);
	double expected = speed * sqrt(2 * fall / gravity);
	assert_true(evidence("range of a level jet", range, expected, 0.03 * expected, "m",
			     "6 particles across, 0.25 m below the nozzle"));
	spate_world_destroy(world);
}

// A fountain at 20 degrees from the vertical: mean height of the liquid at most `half` (m) of way before and behind its top.
static double height_of(double radius, double spacing, double speed, double half)
{
	char text[1024];
	snprintf(text, sizeof text,
		 "spate: 2\nfluids: { water: { preset: water, spacing: %g } }\n"
		 "sources: [{ type: emitter, fluid: water, position: [0, 0, 0],\n"
		 "            direction: [0.34202014, 0.93969262, 0], radius: %g, flow: %.9g }]\n"
		 "sinks: [{ shape: { plane: { point: [0, -0.05, 0], normal: [0, 1, 0] } } }]\n",
		 spacing, radius, 3.14159265358979323846 * radius * radius * speed);
	spate_world *world = run_scene(text, 12);
	double height = mean_where(world, 1, 0, speed * speed * 0.34202014 * 0.93969262 / gravity, half);
	spate_world_destroy(world);
	return height;
}

// It rises by (v cos 20)^2 / 2 g.
static double ballistic_height(double speed)
{
	double up = speed * 0.93969262;
	return up * up / (2 * gravity);
}

static void height_of_a_fountain(void **state)
{
	(void)state;
	const double speed = 1.36e-3 / (3.14159265358979323846 * 0.012 * 0.012), expected = ballistic_height(speed);
	double height = height_of(0.012, 0.006, speed, 0.012);
	assert_true(evidence("height of a fountain", height, expected, 0.03 * expected, "m",
			     "4 particles across, 20 degrees from the vertical"));
}

// Liquid that gets slower has to get wider, and pressure in the jet makes it so, at the cost of its height; the stone of the formula has no
// width. A coarse jet loses some more to its particles, which rearrange while it widens. Both go with the square of radius over height: at
// the same number of particles across, a jet of half the radius loses a quarter.
static void height_of_a_thick_fountain(void **state)
{
	(void)state;
	const double speed = 2, expected = ballistic_height(speed), radii[2] = {0.018, 0.009};
	double loss[2], height = 0;
	for (int n = 0; n < 2; n++)
	{
		height = height_of(radii[n], radii[n] / 3, speed, 0.5 * radii[n]);
		loss[n] = 1 - height / expected;
	}
	int good = evidence("height of a fountain at 2 m/s", height, expected, 0.03 * expected, "m",
			    "6 particles across, as wide as a tenth of its height");
	good &= evidence("loss of height of a fountain twice as thick", loss[0] / loss[1], 4, 1, "",
			 "as wide as a fifth of its height, and 6 particles across like the other");
	good &= evidence_report("height lost by that thick fountain, 6 particles across", 100 * loss[0], "%", "");
	loss[1] = 1 - height_of(radii[0], radii[0] / 4.5, speed, 0.5 * radii[0]) / expected;
	good &= evidence_report("height lost by it, 9 particles across", 100 * loss[1], "%",
				"what is left of it as the spacing goes to 0 is the part of the thickness alone");
	assert_true(good);
}

// A cup is full to the height of volume / area.
static void filling_of_a_cup(void **state)
{
	(void)state;
	spate_world *world =
	    run_scene("spate: 2\nfluids: { water: { preset: water, spacing: 0.01 } }\n"
		      "sources: [{ type: emitter, fluid: water, position: [0.06, 0.12, 0.06], direction: [0, -1, 0],\n"
		      "            radius: 0.02, flow: 8.0e-4, stop: 1 }]\n"
		      "colliders: [{ shape: { box: { min: [0, 0, 0], max: [0.12, 0.3, 0.12] } }, mode: inside }]\n",
		      48);
	double level = 2 * mean_where(world, 1, 1, 0, 1);
	double expected = 8e-4 / (0.12 * 0.12);
	assert_true(evidence("level in a cup, poured", level, expected, 0.03 * expected, "m",
			     "12 particles across, 1 s of 0.8 l/s, 1 s later"));
	spate_world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(range_of_a_jet),
	    cmocka_unit_test(height_of_a_fountain),
	    cmocka_unit_test(height_of_a_thick_fountain),
	    cmocka_unit_test(filling_of_a_cup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
