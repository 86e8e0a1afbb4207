// Two liquids side by side, one a tenth denser: it runs along the floor under the other, which runs back over it.
#include "measure.h"

// T. B. Benjamin: Gravity currents and related phenomena, 1968: without losses a front that fills half of the depth runs at half of
// sqrt(g' H), g' being gravity times the difference of the densities over the larger one. The tolerance leaves room for mixing.
#define DEPTH 0.5
#define FROUDE 0.5
#define TOLERANCE 0.075

// How far a liquid has come along x (m): beyond this place it has less than half of the particles in every slab two spacings long of a layer
// two spacings high, at the floor or at the surface.
static double front_of(spate_world *w, int fluid, int direction, double low, double high, double d)
{
	enum
	{
		SLABS = 512
	};
	uint32_t count[2][SLABS] = {{0}};
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		int slab = (int)(p[0] / (2 * d));
		if (p[1] >= low && p[1] < high && slab >= 0 && slab < SLABS)
			count[spate_world_store(w)->fluid[row] == fluid][slab]++;
	}
	int front = -1;
	for (int n = 0; n < SLABS; n++)
	{
		int slab = direction > 0 ? SLABS - 1 - n : n;
		if (count[1][slab] > count[0][slab] && front < 0)
			front = slab;
	}
	return 2 * d * (front + 0.5);
}

static int judge_lock(int layers)
{
	scene s;
	const double d = DEPTH / layers, length = 4 * DEPTH, width = 8 * d, speed = sqrt(9.81 * 0.1 / 1.1 * DEPTH);
	scene_init(&s, d);
	s.def.threads = 2;
	s.def.fluid_count = 2;
	s.fluids[0].density = 1100;
	add_collider(&s, box_shape(0, 0, 0, length, 2 * DEPTH, width), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, length / 2, DEPTH, width));
	add_fill(&s, box_shape(length / 2, 0, 0, length, DEPTH, width))->fluid = 1;
	spate_world *w = scene_create(&s);
	// between one and three depths over sqrt(g' H) the fronts have a steady speed and are far from the ends
	double places[2][2], times[2];
	for (int n = 0; n < 2; n++)
	{
		run_until(w, (n ? 3 : 1) * DEPTH / speed);
		times[n] = spate_world_time(w);
		places[0][n] = front_of(w, 0, 1, 0, 2 * d, d);
		places[1][n] = front_of(w, 1, -1, DEPTH - 3 * d, DEPTH - d, d);
	}
	spate_world_destroy(w);
	int good = 1;
	for (int f = 0; f < 2; f++)
	{
		char name[96];
		snprintf(name, sizeof name, "lock exchange 1.1:1, %d layers, Froude number of the %s front", layers,
			 f ? "light" : "heavy");
		good &= evidence(name, fabs(places[f][1] - places[f][0]) / (times[1] - times[0]) / speed, FROUDE,
				 TOLERANCE, "", "0.5 m deep, 2 m long; Benjamin 1968");
	}
	return good;
}

static void fronts_run_past_each_other(void **state)
{
	(void)state;
	int good = 1;
	for (int layers = 10; layers <= 40; layers *= 2)
		good &= judge_lock(layers);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fronts_run_past_each_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
