// Example meshes that look like animals. Those assembled from balls and tubes intersect themselves, as modelled ones
// often do.
#include "tools/meshes/make.h"
#include "tools/meshes/make_part.h"

#include <math.h>
#include <stddef.h>

enum
{
	BALL_SEGMENTS = 16,
	BALL_RINGS = 12,
	BALL_VERTICES = BALL_SEGMENTS * (BALL_RINGS - 1) + 2,
	BALL_TRIANGLES = 2 * BALL_SEGMENTS * (BALL_RINGS - 1)
};

// -------------------------------------------------------------------------------------------------------------- critter

// Body, chest, head, nose, tail, ears, front paws, hind legs and paws.
static const make_ball critter[] = {
    {{0.10, 0.36, 0.00}, {0.36, 0.33, 0.29}, -15},    {{-0.16, 0.42, 0.00}, {0.22, 0.28, 0.22}, 0},
    {{-0.32, 0.70, 0.00}, {0.22, 0.18, 0.18}, 20},    {{-0.50, 0.65, 0.00}, {0.09, 0.08, 0.09}, 0},
    {{0.46, 0.22, 0.00}, {0.11, 0.11, 0.11}, 0},      {{-0.19, 0.93, 0.11}, {0.07, 0.23, 0.045}, -35},
    {{-0.19, 0.93, -0.11}, {0.07, 0.23, 0.045}, -35}, {{-0.34, 0.09, 0.14}, {0.18, 0.09, 0.09}, 0},
    {{-0.34, 0.09, -0.14}, {0.18, 0.09, 0.09}, 0},    {{0.16, 0.25, 0.22}, {0.22, 0.22, 0.12}, 0},
    {{0.16, 0.25, -0.22}, {0.22, 0.22, 0.12}, 0},     {{0.06, 0.08, 0.26}, {0.26, 0.08, 0.10}, 0},
    {{0.06, 0.08, -0.26}, {0.26, 0.08, 0.10}, 0},
};

spate_result make_critter(spate_mesh **mesh, double size, spate_error *error)
{
	const uint32_t count = sizeof critter / sizeof *critter;
	spate_result result = make_check(size > 0.0, "critter", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, count * (uint64_t)BALL_VERTICES, count * (uint64_t)BALL_TRIANGLES, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	for (uint32_t i = 0; i < count; i++)
		make_part_ball(&p, &critter[i], size, BALL_SEGMENTS, BALL_RINGS);
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------------- idol

enum
{
	IDOL_SEGMENTS = 14,
	IDOL_RINGS = 9,
	IDOL_LIPS = 10
};

// Legs, hips, belly, chest, shoulders, arms, hands, head, jaw, brow, nose, eyes, ears, and a knot of hair.
static const make_ball idol[] = {
    {{0.12, 0.17, 0.20}, {0.22, 0.09, 0.12}, 0},    {{0.12, 0.17, -0.20}, {0.22, 0.09, 0.12}, 0},
    {{0.00, 0.22, 0.00}, {0.24, 0.14, 0.26}, 0},    {{0.04, 0.34, 0.00}, {0.20, 0.17, 0.21}, 0},
    {{0.00, 0.47, 0.00}, {0.17, 0.14, 0.20}, 0},    {{0.00, 0.52, 0.18}, {0.09, 0.09, 0.08}, 0},
    {{0.00, 0.52, -0.18}, {0.09, 0.09, 0.08}, 0},   {{0.03, 0.42, 0.25}, {0.07, 0.15, 0.07}, 10},
    {{0.03, 0.42, -0.25}, {0.07, 0.15, 0.07}, 10},  {{0.19, 0.30, 0.11}, {0.07, 0.05, 0.10}, 0},
    {{0.19, 0.30, -0.11}, {0.07, 0.05, 0.10}, 0},   {{0.02, 0.75, 0.00}, {0.19, 0.20, 0.18}, 0},
    {{0.09, 0.66, 0.00}, {0.15, 0.12, 0.15}, 0},    {{0.16, 0.85, 0.00}, {0.06, 0.03, 0.15}, -10},
    {{0.21, 0.78, 0.00}, {0.04, 0.06, 0.035}, 15},  {{0.17, 0.81, 0.075}, {0.04, 0.025, 0.04}, 0},
    {{0.17, 0.81, -0.075}, {0.04, 0.025, 0.04}, 0}, {{0.00, 0.73, 0.19}, {0.06, 0.13, 0.035}, 0},
    {{0.00, 0.73, -0.19}, {0.06, 0.13, 0.035}, 0},  {{-0.02, 0.96, 0.00}, {0.09, 0.08, 0.09}, 0},
};

static void place_plinth(const void *context, double point[3])
{
	const double *scale = context;
	for (int k = 0; k < 3; k++)
		point[k] = *scale * (point[k] + (k == 1 ? 0.05 : 0.0));
}

spate_result make_idol(spate_mesh **mesh, double size, spate_error *error)
{
	const uint64_t balls = sizeof idol / sizeof *idol + IDOL_LIPS;
	spate_result result = make_check(size > 0.0, "idol", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, 8 + balls * (IDOL_SEGMENTS * (IDOL_RINGS - 1) + 2),
				    12 + balls * 2 * IDOL_SEGMENTS * (IDOL_RINGS - 1), 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	const double plinth[3] = {0.66, 0.1, 0.66};
	make_part_box(&p, plinth, place_plinth, &size, 0);
	for (size_t i = 0; i < sizeof idol / sizeof *idol; i++)
		make_part_ball(&p, &idol[i], size, IDOL_SEGMENTS, IDOL_RINGS);
	for (int i = 0; i < IDOL_LIPS; i++)
	{
		double a = 2.0 * M_PI * i / IDOL_LIPS;
		const make_ball lip = {{0.235, 0.64 + 0.085 * sin(a), 0.1 * cos(a)}, {0.035, 0.032, 0.04}, 0};
		make_part_ball(&p, &lip, size, IDOL_SEGMENTS, IDOL_RINGS);
	}
	return SPATE_OK;
}

// --------------------------------------------------------------------------------------------------------------- tubes

// Joins rings of vertices, already created in order from the first tip to the second, into a closed tube. Bands between
// rings whose index is a multiple of `flip` face inwards; 0 for none.
static void close_tube(make_part *p, uint32_t first, uint32_t rings, uint32_t sides, uint32_t flip)
{
	uint32_t ring = first + 1, last = ring + (rings - 1) * sides, end = last + sides;
	for (uint32_t s = 0; s < sides; s++)
	{
		uint32_t t = (s + 1) % sides;
		make_triangle(p, first, ring + t, ring + s);
		make_triangle(p, end, last + s, last + t);
	}
	for (uint32_t r = 0; r + 1 < rings; r++)
		for (uint32_t s = 0; s < sides; s++)
		{
			uint32_t here = ring + r * sides, next = here + sides, t = (s + 1) % sides;
			if (flip && r % flip == 0)
				make_quad(p, here + s, next + s, next + t, here + t);
			else
				make_quad(p, here + s, here + t, next + t, next + s);
		}
}

// -------------------------------------------------------------------------------------------------------------- dragon

enum
{
	DRAGON_RINGS = 44,
	DRAGON_SIDES = 12,
	DRAGON_FLIP = 5,
	WING_CELLS = 8
};

// Head, jaw and legs.
static const make_ball dragon[] = {
    {{0.49, 0.69, 0.00}, {0.13, 0.08, 0.07}, -15}, {{0.51, 0.63, 0.00}, {0.10, 0.03, 0.05}, -30},
    {{0.20, 0.13, 0.14}, {0.06, 0.14, 0.05}, -10}, {{0.20, 0.13, -0.14}, {0.06, 0.14, 0.05}, -10},
    {{-0.12, 0.13, 0.15}, {0.08, 0.14, 0.05}, 15}, {{-0.12, 0.13, -0.15}, {0.08, 0.14, 0.05}, 15},
};

static double rise(double t)
{
	double u = fmin(1.0, fmax(0.0, t));
	return u * u * (3.0 - 2.0 * u);
}

// From the tip of the tail to the end of the neck.
static void spine(double t, double out[3])
{
	out[0] = -0.62 + 1.06 * t;
	out[1] = 0.06 + 0.2 * rise(2.0 * t) + 0.42 * rise(3.0 * (t - 0.7));
	out[2] = 0.3 * (1.0 - t) * (1.0 - t) * sin(9.0 * (1.0 - t));
}

static double girth(double t)
{
	return 0.015 + 0.13 * pow(sin(M_PI * fmin(1.0, 0.08 + 0.87 * t)), 2.0) + 0.03 * t;
}

static void unit(double v[3])
{
	double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	for (int k = 0; k < 3; k++)
		v[k] /= length;
}

// Vertex 0 of a ring is on the back, perpendicular to the spine.
static void make_dragon_ring(make_part *p, double t, double scale)
{
	double at[3], a[3], b[3];
	spine(t, at);
	spine(t - 0.01, a);
	spine(t + 0.01, b);
	double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, side[3] = {-along[2], 0.0, along[0]};
	unit(along);
	unit(side);
	const double up[3] = {side[1] * along[2] - side[2] * along[1], side[2] * along[0] - side[0] * along[2],
			      side[0] * along[1] - side[1] * along[0]};
	for (uint32_t s = 0; s < DRAGON_SIDES; s++)
	{
		double angle = 2.0 * M_PI * s / DRAGON_SIDES, r = girth(t), c = r * cos(angle), d = r * sin(angle);
		make_vertex(p, scale * (at[0] + c * up[0] + d * side[0]), scale * (at[1] + c * up[1] + d * side[1]),
			    scale * (at[2] + c * up[2] + d * side[2]));
	}
}

static void make_dragon_body(make_part *p, double scale)
{
	double at[3];
	uint32_t first = p->vertices;
	spine(-0.02, at);
	make_vertex(p, scale * at[0], scale * at[1], scale * at[2]);
	for (uint32_t r = 0; r < DRAGON_RINGS; r++)
		make_dragon_ring(p, (double)r / (DRAGON_RINGS - 1), scale);
	spine(1.02, at);
	make_vertex(p, scale * at[0], scale * at[1], scale * at[2]);
	close_tube(p, first, DRAGON_RINGS, DRAGON_SIDES, DRAGON_FLIP);
	// a fin of single triangles along the back: the edges where it is attached have three triangles
	for (uint32_t r = 0; r + 1 < DRAGON_RINGS; r++)
	{
		spine((r + 0.5) / (DRAGON_RINGS - 1), at);
		double high = at[1] + 1.25 * girth((r + 0.5) / (DRAGON_RINGS - 1)) + 0.03;
		uint32_t tip = make_vertex(p, scale * (at[0] - 0.02), scale * high, scale * at[2]);
		make_triangle(p, first + 1 + r * DRAGON_SIDES, first + 1 + (r + 1) * DRAGON_SIDES, tip);
	}
}

// A sheet without thickness that starts inside the body.
static void make_dragon_wing(make_part *p, double side, double scale)
{
	uint32_t first = p->vertices, n = WING_CELLS;
	for (uint32_t j = 0; j <= n; j++)
		for (uint32_t i = 0; i <= n; i++)
		{
			double u = (double)i / n, v = (double)j / n, bow = 0.05 * sin(M_PI * v);
			make_vertex(p, scale * (0.14 - 0.1 * u - (0.3 + 0.12 * u) * v),
				    scale * (0.26 + 0.62 * pow(u, 0.8) - 0.25 * u * v + bow),
				    scale * side * (0.04 + 0.24 * u));
		}
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t a = first + j * (n + 1) + i, b = a + n + 1;
			make_quad(p, a, b, b + 1, a + 1);
		}
}

spate_result make_dragon(spate_mesh **mesh, double size, spate_error *error)
{
	const uint64_t balls = sizeof dragon / sizeof *dragon, wing = (WING_CELLS + 1) * (WING_CELLS + 1);
	uint64_t vertices = 2 + DRAGON_RINGS * DRAGON_SIDES + (DRAGON_RINGS - 1) + 2 * wing + balls * BALL_VERTICES,
		 triangles = 2 * DRAGON_RINGS * DRAGON_SIDES + (DRAGON_RINGS - 1) + 4 * WING_CELLS * WING_CELLS +
			     balls * BALL_TRIANGLES;
	spate_result result = make_check(size > 0.0, "dragon", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, vertices, triangles, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	make_dragon_body(&p, size);
	make_dragon_wing(&p, 1.0, size);
	make_dragon_wing(&p, -1.0, size);
	for (uint64_t i = 0; i < balls; i++)
		make_part_ball(&p, &dragon[i], size, BALL_SEGMENTS, BALL_RINGS);
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------------- fish

enum
{
	FISH_RINGS = 14,
	FISH_SIDES = 8
};

// Half height and half width of the rings, relative to the fish's length: the body, then a narrow place, then the tail.
static const double fish_shape[FISH_RINGS][2] = {
    {0.045, 0.025}, {0.085, 0.050}, {0.115, 0.070}, {0.135, 0.080}, {0.140, 0.080}, {0.135, 0.072}, {0.120, 0.062},
    {0.095, 0.050}, {0.065, 0.038}, {0.040, 0.026}, {0.035, 0.022}, {0.065, 0.022}, {0.110, 0.020}, {0.130, 0.018}};

spate_result make_fish(spate_mesh **mesh, double length, double phase, spate_error *error)
{
	spate_result result = make_check(length > 0.0, "fish", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, 2 + FISH_RINGS * FISH_SIDES, 2 * FISH_RINGS * FISH_SIDES, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	// the wave along its back travels to the tail and grows on the way
	for (uint32_t r = 0; r < FISH_RINGS + 2; r++)
	{
		double along = (double)r / (FISH_RINGS + 1),
		       sway = (0.02 + 0.16 * along * along) * sin(2.0 * M_PI * (0.9 * along - phase)), x = along - 0.5;
		if (r == 0 || r == FISH_RINGS + 1)
		{
			make_vertex(&p, length * x, 0.0, length * sway);
			continue;
		}
		const double *half = fish_shape[r - 1];
		for (uint32_t s = 0; s < FISH_SIDES; s++)
		{
			double angle = 2.0 * M_PI * s / FISH_SIDES;
			make_vertex(&p, length * x, length * half[0] * cos(angle),
				    length * (sway + half[1] * sin(angle)));
		}
	}
	close_tube(&p, 0, FISH_RINGS, FISH_SIDES, 0);
	return SPATE_OK;
}
