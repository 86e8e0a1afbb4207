// Example meshes that float: a rubber duck, and the hull of a ship.
#include "tools/meshes/make.h"
#include "tools/meshes/make_part.h"

#include <math.h>
#include <stddef.h>

enum
{
	BALL_SEGMENTS = 16,
	BALL_RINGS = 12,
	BALL_VERTICES = BALL_SEGMENTS * (BALL_RINGS - 1) + 2,
	BALL_TRIANGLES = 2 * BALL_SEGMENTS * (BALL_RINGS - 1),
	STATIONS = 25, // of the hull, from stern to bow
	FRAME = 13     // points of each, from one side of the deck under the keel to the other
};

// Body, breast, tail, head, upper and lower beak, wings.
static const make_ball duck[] = {
    {{-0.05, 0.22, 0.00}, {0.40, 0.22, 0.28}, 0},   {{0.16, 0.26, 0.00}, {0.22, 0.21, 0.23}, 0},
    {{-0.40, 0.36, 0.00}, {0.16, 0.07, 0.11}, -35}, {{0.20, 0.60, 0.00}, {0.20, 0.19, 0.18}, 0},
    {{0.42, 0.59, 0.00}, {0.12, 0.035, 0.09}, 10},  {{0.39, 0.54, 0.00}, {0.10, 0.03, 0.07}, -5},
    {{-0.10, 0.30, 0.24}, {0.22, 0.12, 0.07}, -12}, {{-0.10, 0.30, -0.24}, {0.22, 0.12, 0.07}, -12},
};

spate_result make_duck(spate_mesh **mesh, double size, spate_error *error)
{
	const uint32_t count = sizeof duck / sizeof *duck;
	spate_result result = make_check(size > 0.0, "duck", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, count * (uint64_t)BALL_VERTICES, count * (uint64_t)BALL_TRIANGLES, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	for (uint32_t i = 0; i < count; i++)
		make_part_ball(&p, &duck[i], size, BALL_SEGMENTS, BALL_RINGS);
	return SPATE_OK;
}

spate_result make_hull(spate_mesh **mesh, double length, spate_error *error)
{
	spate_result result = make_check(length > 0.0, "hull", error);
	if (result == SPATE_OK)
		result = make_begin(mesh, STATIONS * FRAME + 2, 2 * (STATIONS - 1) * FRAME + 2 * FRAME, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	for (int s = 0; s < STATIONS; s++)
	{
		// fullest before the middle, sharp at the bow, flat at the stern; deck and keel rise towards the bow
		double t = (double)s / (STATIONS - 1),
		       beam = 0.14 * (1.0 - pow(t, 3.5)) * (0.75 + 0.25 * sin(M_PI * t)) + 0.004;
		double deck = 0.10 + 0.07 * t * t * t, keel = -0.10 + 0.13 * pow(t, 6.0) + 0.04 * pow(1.0 - t, 4.0);
		for (int k = 0; k < FRAME; k++)
		{
			double a = M_PI * k / (FRAME - 1), c = cos(a), side = copysign(pow(fabs(c), 0.6), c);
			make_vertex(&p, length * (t - 0.5 - 0.06 * t * sin(a)),
				    length * (deck + (keel - deck) * pow(sin(a), 0.7)), length * beam * side);
		}
	}
	for (uint32_t s = 0; s + 1 < STATIONS; s++)
		for (uint32_t k = 0; k < FRAME; k++)
		{
			uint32_t next = (k + 1) % FRAME, a = s * FRAME + k, b = s * FRAME + next;
			make_quad(&p, a, b, b + FRAME, a + FRAME);
		}
	uint32_t stern = make_vertex(&p, -0.5 * length, 0.02 * length, 0);
	uint32_t bow = make_vertex(&p, 0.5 * length, 0.14 * length, 0);
	for (uint32_t k = 0; k < FRAME; k++)
	{
		uint32_t next = (k + 1) % FRAME, last = (STATIONS - 1) * FRAME;
		make_triangle(&p, stern, next, k);
		make_triangle(&p, bow, last + k, last + next);
	}
	return SPATE_OK;
}
