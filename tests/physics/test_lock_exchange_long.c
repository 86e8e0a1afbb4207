// Two liquids side by side: the denser one runs along the floor under the other, which runs back over it.
#include "measure.h"

// T. B. Benjamin: Gravity currents and related phenomena, 1968, and R. J. Lowe, J. W. Rottman, P. F. Linden: The non-Boussinesq
// lock-exchange problem, 2005: fronts have a speed of 0.45 to 0.5 sqrt(g (1 - light / heavy) H) at nearly the same density. At 2:1 the
// light front has the same, the heavy one is faster.
#define DEPTH 0.5

typedef struct lock
{
	double ratio;     // of the densities
	double froude[2]; // of the heavy and the light front
} lock;

enum
{
	SLABS = 512,
	SAMPLES = 256
};

// How far a liquid has come along x (m) in a layer two spacings high: beyond this place it has less than half of the particles in every slab
// two spacings long. Between the middles of slabs its share is interpolated.
static double front_of(spate_world *w, int fluid, double low, double d)
{
	double count[2][SLABS] = {{0}};
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		int slab = (int)(p[0] / (2 * d));
		if (p[1] >= low && p[1] < low + 2 * d && slab >= 0 && slab < SLABS)
			count[spate_world_store(w)->fluid[row] == fluid][slab]++;
	}
	// the first fluid runs to the right, the other to the left
	double before = 0;
	for (int n = 0; n < SLABS; n++)
	{
		int slab = fluid == 0 ? SLABS - 1 - n : n, back = fluid == 0 ? 1 : -1;
		double all = count[0][slab] + count[1][slab], share = all > 0 ? count[1][slab] / all : 0;
		if (share > 0.5)
			return 2 * d * (slab + 0.5 + back * (share - 0.5) / (share - before));
		before = share;
	}
	return NAN;
}

// Slope of the line through places at times, by least squares.
static double slope(const double *times, const double *places, int count)
{
	double t = 0, x = 0, tt = 0, tx = 0;
	for (int n = 0; n < count; n++)
		t += times[n] / count, x += places[n] / count;
	for (int n = 0; n < count; n++)
		tt += (times[n] - t) * (times[n] - t), tx += (times[n] - t) * (places[n] - x);
	return tx / tt;
}

// Froude numbers of both fronts between one and 2.5 depths over sqrt(g' H): they have a steady speed then and are far from the ends.
static void run_lock(double ratio, int layers, double froude[2])
{
	scene s;
	const double d = DEPTH / layers, length = 4 * DEPTH, width = 8 * d,
		     speed = sqrt(9.81 * (1 - 1 / ratio) * DEPTH);
	scene_init(&s, d);
	s.def.threads = 2;
	s.def.fluid_count = 2;
	s.fluids[0].density = 1000 * ratio;
	add_collider(&s, box_shape(0, 0, 0, length, DEPTH, width), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, length / 2, DEPTH, width));
	add_fill(&s, box_shape(length / 2, 0, 0, length, DEPTH, width))->fluid = 1;
	spate_world *w = scene_create(&s);
	double times[SAMPLES], places[2][SAMPLES];
	int count = 0;
	for (run_until(w, DEPTH / speed); spate_world_time(w) < 2.5 * DEPTH / speed && count < SAMPLES; count++)
	{
		run_frame(w);
		times[count] = spate_world_time(w);
		places[0][count] = front_of(w, 0, 0, d);
		places[1][count] = front_of(w, 1, DEPTH - 2 * d, d);
	}
	spate_world_destroy(w);
	froude[0] = slope(times, places[0], count) / speed;
	froude[1] = -slope(times, places[1], count) / speed;
}

static void fronts_run_past_each_other(void **state)
{
	(void)state;
	static const lock locks[] = {{1.1, {0.475, 0.475}}, {2, {0.58, 0.475}}};
	int good = 1;
	for (int n = 0; n < 2; n++)
	{
		double froude[2];
		run_lock(locks[n].ratio, 20, froude);
		for (int f = 0; f < 2; f++)
		{
			char name[96];
			snprintf(name, sizeof name, "lock exchange %g:1, 20 layers, Froude number of the %s front",
				 locks[n].ratio, f ? "light" : "heavy");
			good &= evidence(name, froude[f], locks[n].froude[f], 0.15 * locks[n].froude[f], "",
					 "0.5 m deep, 2 m long; Benjamin 1968, Lowe and others 2005");
		}
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fronts_run_past_each_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
