// Fronts of collapsing columns, against experiments and against each other at other sizes and places.
#include "measure.h"

typedef struct point
{
	double time, front; // t sqrt(2 g / a), x / a
} point;

// J. C. Martin, W. J. Moyce: An experimental study of the collapse of liquid columns on a rigid horizontal plane, 1952; columns
// twice as high as wide, a = 1.125 and 2.25 inches.
static const point martin_moyce_small[] = {{0.849, 1.245}, {1.212, 1.443}, {1.602, 1.884}, {2.283, 2.689},
					   {2.95, 3.728},  {3.598, 4.528}, {3.905, 4.999}, {4.592, 5.841},
					   {4.961, 6.271}, {5.316, 6.717}};
static const point martin_moyce_large[] = {{0.832, 1.217}, {1.219, 1.474}, {1.997, 2.292}, {2.547, 2.995},
					   {3.345, 4.134}, {4.034, 4.944}, {4.418, 5.881}, {5.091, 6.98}};
// S. Koshizuka, Y. Oka: Moving-particle semi-implicit method for fragmentation of incompressible fluid, 1996.
static const point koshizuka_oka[] = {{0.381, 1.111}, {0.769, 1.252}, {1.153, 1.505}, {1.537, 1.892},
				      {1.935, 2.241}, {2.323, 2.615}, {2.719, 3.003}, {3.096, 3.624}};

// Potential flow: the same column without friction, released at once; made by tools/potential_dam.py with 150 nodes. With 90 the
// fronts differ by 0.2 %.
static const point potential_flow[] = {{0.25, 1.055}, {0.5, 1.178}, {0.75, 1.348}, {1, 1.557},
				       {1.25, 1.798}, {1.5, 2.067}, {1.75, 2.361}};

enum
{
	SAMPLES = 54, // ten per unit of dimensionless time
	EXPERIMENTS = 3
};

static const struct
{
	const char *name;
	const point *points;
	size_t count;
} experiments[EXPERIMENTS] = {
    {"Martin and Moyce, 1.125 in", martin_moyce_small, sizeof martin_moyce_small / sizeof(point)},
    {"Martin and Moyce, 2.25 in", martin_moyce_large, sizeof martin_moyce_large / sizeof(point)},
    {"Koshizuka and Oka", koshizuka_oka, sizeof koshizuka_oka / sizeof(point)},
};

// The bed and the walls of the experiments hold thin liquid back, in a boundary layer that no particle resolves. This friction stands for
// it: one number for all three of them and for both resolutions, chosen to agree. What it gives is reported, not judged.
#define FITTED_FRICTION 0.2

// A slice of a column of width a and height 2 a, `across` particles wide and eight thick.
static void dam_init(scene *s, double a, const double corner[3], int across)
{
	double d = a / across, depth = 8 * d, x = corner[0], y = corner[1], z = corner[2];
	scene_init(s, d);
	s->def.fps = 10 * sqrt(2 * 9.81 / a);
	add_collider(s, box_shape(x, y, z, x + 9 * a, y + 4 * a, z + depth), SPATE_COLLIDER_INSIDE);
	add_fill(s, box_shape(x, y, z, x + a, y + 2 * a, z + depth));
	add_probe(s, "toe", SPATE_PROBE_FRONT)->direction[0] = 1;
}

typedef struct run
{
	double front[SAMPLES + 1]; // in widths, at a tenth of dimensionless time each
	double rise;               // of energy, in parts of what the column can give
	uint32_t outside;
} run;

static run run_dam(int across, double friction)
{
	run r = {.front = {1}};
	scene s;
	double corner[3] = {0, 0, 0}, a = 0.05715;
	dam_init(&s, a, corner, across);
	s.colliders[0].friction = friction;
	spate_world *w = scene_create(&s);
	double mass = 1000 * 2 * a * a * 8 * a / across;
	energy_watch watch = energy_watch_make(w);
	for (int k = 1; k <= SAMPLES; k++)
	{
		watched_frame(w, &watch);
		r.front[k] = probe_value(w, "toe.front") / a;
		r.outside = spate_world_stats(w)->outside > r.outside ? spate_world_stats(w)->outside : r.outside;
	}
	// from a column of height 2 a to a sheet over nine widths
	r.rise = watch.rise / (mass * 9.81 * (a - a / 9));
	spate_world_destroy(w);
	return r;
}

static double front_at(const run *r, double time)
{
	int k = (int)(10 * time);
	return r->front[k] + (10 * time - k) * (r->front[k + 1] - r->front[k]);
}

// Largest and mean deviation from a table from a time on, in percent.
static double compare(const run *r, const point *points, size_t count, double from, double *mean)
{
	double largest = 0, sum = 0;
	int used = 0;
	for (size_t k = 0; k < count; k++)
	{
		if (points[k].time < from)
			continue;
		double front = front_at(r, points[k].time), error = 100 * (front / points[k].front - 1);
		printf("T %.3f: front %.3f, in the table %.3f, %+.1f %%\n", points[k].time, front, points[k].front,
		       error);
		largest = fmax(largest, fabs(error));
		sum += fabs(error);
		used++;
	}
	*mean = sum / used;
	return largest;
}

// Default water between default walls. Without friction and gate the limit is potential flow, which runs ahead of all experiments.
static void fronts_run_as_measured(void **state)
{
	(void)state;
	const int across[2] = {20, 40};
	double means[2];
	int good = 1;
	char name[128];
	for (int n = 0; n < 2; n++)
	{
		run r = run_dam(across[n], 0);
		for (int e = 0; e < EXPERIMENTS; e++)
		{
			double unused, largest = compare(&r, experiments[e].points, experiments[e].count, 1.5, &unused);
			snprintf(name, sizeof name, "dam break %d across, %s, largest deviation", across[n],
				 experiments[e].name);
			good &= evidence_at_most(name, largest, 10, "%", "front from T = 1.5 on");
		}
		compare(&r, potential_flow, sizeof potential_flow / sizeof(point), 0.5, &means[n]);
		snprintf(name, sizeof name, "dam break %d across, mean deviation from potential flow", across[n]);
		good &= evidence_at_most(name, means[n], 4, "%", "front from T = 0.5 to 1.75");
		snprintf(name, sizeof name, "dam break %d across, rise of energy", across[n]);
		good &= evidence_at_most(name, 100 * r.rise, 1, "%", "of what the column can give");
		snprintf(name, sizeof name, "dam break %d across, particles outside", across[n]);
		good &= evidence_at_most(name, r.outside, 0, "", "");
	}
	good &= evidence_at_most("dam break 40 across, deviation from potential flow over that of 20 across",
				 means[1] / means[0], 1, "", "closer than the coarser one");
	evidence_report("potential flow, deviation from Martin and Moyce, 1.125 in",
			100 * ((2.067 + (1.602 - 1.5) / 0.25 * 0.294) / 1.884 - 1), "%",
			"at T = 1.602: without friction and gate");
	assert_true(good);
}

static void fronts_with_fitted_friction(void **state)
{
	(void)state;
	const int across[2] = {20, 40};
	for (int n = 0; n < 2; n++)
	{
		run r = run_dam(across[n], FITTED_FRICTION);
		for (int e = 0; e < EXPERIMENTS; e++)
		{
			char name[128];
			double unused, largest = compare(&r, experiments[e].points, experiments[e].count, 1.5, &unused);
			snprintf(name, sizeof name, "dam break %d across, fitted friction, %s, largest deviation",
				 across[n], experiments[e].name);
			evidence_report(name, largest, "%", "front from T = 1.5 on, friction of the walls 0.2");
		}
	}
}

// Froude: in a world s times as large everything takes sqrt(s) times as long. And it does not matter where the world is.
static void size_and_place_do_not_matter(void **state)
{
	(void)state;
	enum
	{
		WORLDS = 4
	};
	const double widths[WORLDS] = {1, 0.01, 100, 1}, shifts[WORLDS] = {0, 0, 0, 500};
	const char *const names[WORLDS] = {"", "0.01 m wide", "100 m wide", "1 m wide, 500 m away"};
	spate_world *w[WORLDS];
	double front_error[WORLDS] = {0}, centre_error[WORLDS] = {0};
	for (int k = 0; k < WORLDS; k++)
	{
		scene s;
		double corner[3] = {shifts[k], shifts[k], shifts[k]};
		dam_init(&s, widths[k], corner, 16);
		s.fluids[0].viscosity = s.fluids[0].surface_tension = s.fluids[0].cohesion =
		    0; // each brings a length of its own
		w[k] = scene_create(&s);
	}
	for (int frame = 0; frame < 40; frame++)
	{
		double front[WORLDS], centre[WORLDS][2];
		for (int k = 0; k < WORLDS; k++)
		{
			run_frame(w[k]);
			front[k] = (probe_value(w[k], "toe.front") - shifts[k]) / widths[k];
			front_error[k] = fmax(front_error[k], fabs(front[k] / front[0] - 1));
			for (int axis = 0; axis < 2; axis++)
			{
				centre[k][axis] = (mean_place(w[k], axis, -1) - shifts[k]) / widths[k];
				centre_error[k] = fmax(centre_error[k], fabs(centre[k][axis] / centre[0][axis] - 1));
			}
		}
	}
	int good = 1;
	for (int k = 1; k < WORLDS; k++)
	{
		char name[128];
		snprintf(name, sizeof name, "dam %s, front against that 1 m wide", names[k]);
		good &= evidence_at_most(name, 100 * front_error[k], 1, "%",
					 "until T = 4, without viscosity and surface tension");
		snprintf(name, sizeof name, "dam %s, centre of mass against that 1 m wide", names[k]);
		good &= evidence_at_most(name, 100 * centre_error[k], 1, "%",
					 "until T = 4, without viscosity and surface tension");
	}
	for (int k = 0; k < WORLDS; k++)
		spate_world_destroy(w[k]);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fronts_run_as_measured),
	    cmocka_unit_test(fronts_with_fitted_friction),
	    cmocka_unit_test(size_and_place_do_not_matter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
