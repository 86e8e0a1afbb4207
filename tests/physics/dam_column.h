// The collapse of a column of water: experiments, and the front of a simulated one.
#ifndef TESTS_PHYSICS_DAM_COLUMN_H
#define TESTS_PHYSICS_DAM_COLUMN_H

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

// A slice of a column of width a and height 2 a, `across` particles wide and eight thick.
static inline void dam_init(scene *s, double a, const double corner[3], int across)
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

static inline run run_dam(int across, double friction)
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

static inline double front_at(const run *r, double time)
{
	int k = (int)(10 * time);
	return r->front[k] + (10 * time - k) * (r->front[k + 1] - r->front[k]);
}

// Largest and mean deviation from a table from a time on, in percent.
static inline double compare(const run *r, const point *points, size_t count, double from, double *mean)
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

#endif
