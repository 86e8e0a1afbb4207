// What water at rest does to its walls.
#include "measure.h"

enum
{
	LAYERS = 20,
	ACROSS = 8,
	LONG = 20,
	FRAMES = 12 // over which loads are averaged
};

static const double spacing = 0.025;

// Mean over particles within a spacing of the floor, or of a side half way up, of pressure over rho g times the depth that they have.
static double pressure_beside(spate_world *w, int side)
{
	const spate_store *store = spate_world_store(w);
	double sum = 0, count = 0, depth = LAYERS * spacing;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		int clear = side ? p[0] < spacing && p[1] > 0.25 * depth && p[1] < 0.75 * depth
				 : p[1] < spacing && p[0] > 3 * spacing && p[0] < (LONG - 3) * spacing;
		if (!clear)
			continue;
		sum += (double)store->pressure[row] / (1000 * 9.81 * (depth - p[1]));
		count++;
	}
	return sum / count;
}

static void walls_bear_the_weight(void **state)
{
	(void)state;
	scene s;
	const double depth = LAYERS * spacing, length = LONG * spacing, width = ACROSS * spacing;
	scene_init(&s, spacing);
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {1, 0, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	add_collider(&s, box_shape(-depth, -depth, 0, length, 2 * depth, width), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, length, depth, width));
	add_probe(&s, "floor", SPATE_PROBE_FORCE)->collider = 0;
	add_probe(&s, "side", SPATE_PROBE_FORCE)->collider = 1;
	spate_world *w = scene_create(&s);
	run_until(w, 1);
	double force[2] = {0, 0}, moment = 0, beside[2] = {0, 0};
	for (int frame = 0; frame < FRAMES; frame++)
	{
		run_frame(w);
		force[0] -= probe_value(w, "floor.force_y") / FRAMES;
		force[1] -= probe_value(w, "side.force_x") / FRAMES;
		moment += probe_value(w, "side.torque_z") / FRAMES;
		for (int side = 0; side < 2; side++)
			beside[side] += pressure_beside(w, side) / FRAMES;
	}
	spate_world_destroy(w);
	const double weight = 1000 * 9.81 * depth * length * width, thrust = 0.5 * 1000 * 9.81 * depth * depth * width;
	const char *note = "0.5 m deep, 20 layers";
	int good = evidence("force on the floor", force[0], weight, 0.03 * weight, "N", note);
	good &= evidence("force on a side", force[1], thrust, 0.03 * thrust, "N", note);
	good &= evidence("height at which a side is pushed", moment / force[1], depth / 3, 0.03 * depth / 3, "m", note);
	good &= evidence("pressure at the floor over rho g depth", beside[0], 1, 0.03, "", note);
	good &= evidence("pressure at a side over rho g depth", beside[1], 1, 0.03, "", note);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(walls_bear_the_weight),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
