// Half a metre of liquid that should do nothing for ten seconds: 64,000 particles in a tank.
#include "measure.h"

enum
{
	ACROSS = 40,
	FPS = 24,
	SECONDS = 10
};

static const double side = 0.5, spacing = 0.5 / ACROSS;

typedef struct occupancy
{
	double face, vertical_edge, floor_edge; // particles beside one wall, two sides, a side and the floor
} occupancy;

// Counts particles within a spacing of walls, away from other walls and from the surface.
static occupancy count_occupancy(spate_world *w)
{
	occupancy o = {0, 0, 0};
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		double x = fmin(p[0], side - p[0]) / spacing, z = fmin(p[2], side - p[2]) / spacing, y = p[1] / spacing;
		if (y > ACROSS - 8)
			continue;
		int beside = (x < 1) + (z < 1), clear_x = x > 2, clear_z = z > 2;
		o.face += (beside == 1 && (clear_x || clear_z) && y > 2) || (y < 1 && clear_x && clear_z);
		o.vertical_edge += beside == 2 && y > 2;
		o.floor_edge += beside == 1 && (clear_x || clear_z) && y < 1;
	}
	return o;
}

// What a lattice at rest density has there.
static const double ideal_face = 4.0 * (ACROSS - 4) * (ACROSS - 10) + 1.0 * (ACROSS - 4) * (ACROSS - 4);
static const double ideal_vertical_edge = 4.0 * (ACROSS - 10), ideal_floor_edge = 4.0 * (ACROSS - 4);

typedef struct second
{
	double rms, error, error_max, height, energy; // means over its frames
	occupancy o;
} second;

static second watch_second(spate_world *w, energy_watch *watch, uint32_t *outside)
{
	second s = {0};
	double mass = ACROSS * ACROSS * ACROSS * 1000 * pow(spacing, 3);
	for (int frame = 0; frame < FPS; frame++)
	{
		watched_frame(w, watch);
		const spate_step_stats *stats = spate_world_stats(w);
		occupancy o = count_occupancy(w);
		s.rms += sqrt(2 * stats->kinetic_energy / mass) / FPS;
		s.error += stats->density_error_avg / FPS;
		s.error_max = fmax(s.error_max, stats->density_error_avg);
		s.height += 2 * mean_place(w, 1, -1) / FPS;
		s.energy += stats->potential_energy / FPS;
		s.o.face += o.face / FPS;
		s.o.vertical_edge += o.vertical_edge / FPS;
		s.o.floor_edge += o.floor_edge / FPS;
		*outside = stats->outside > *outside ? stats->outside : *outside;
	}
	printf("%.0f s: rms %.3f mm/s, error %.3f %%, height %.3f mm\n", spate_world_time(w), 1e3 * s.rms,
	       100 * s.error, 1e3 * s.height);
	fflush(stdout);
	return s;
}

static void still_tank_stays_still(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, spacing);
	s.def.threads = 2;
	add_collider(&s, box_shape(0, 0, 0, side, 1.5 * side, side), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, side, side, side));
	spate_world *w = scene_create(&s);
	assert_int_equal(count_of(w), ACROSS * ACROSS * ACROSS);
	energy_watch watch = energy_watch_make(w);
	uint32_t outside = 0;
	second seconds[SECONDS];
	double error_max = 0;
	for (int k = 0; k < SECONDS; k++)
	{
		seconds[k] = watch_second(w, &watch, &outside);
		error_max = fmax(error_max, seconds[k].error_max);
	}
	const second *last = &seconds[SECONDS - 1], *half = &seconds[SECONDS / 2 - 1];
	int good = evidence_at_most("still tank, mean density error in the last second", 100 * last->error, 1, "%", "");
	evidence_report("still tank, largest mean density error", 100 * error_max, "%", "over all frames");
	good &= evidence("still tank, height", last->height, side, 0.015 * side, "m", "twice the centre of mass");
	good &=
	    evidence("still tank, change of height over 5 s", 100 * (last->height / half->height - 1), 0, 0.1, "%", "");
	good &= evidence("still tank, change of potential energy over 5 s", 100 * (last->energy / half->energy - 1), 0,
			 0.1, "%", "");
	good &= evidence_at_most("still tank, rms speed in the last second", 1e3 * last->rms, 5, "mm/s", "");
	good &= evidence("still tank, layer beside walls", last->o.face / ideal_face, 1, 0.05, "",
			 "particles over those of a lattice");
	good &= evidence("still tank, upright edges", last->o.vertical_edge / ideal_vertical_edge, 1, 0.1, "", "");
	good &= evidence("still tank, edges of the floor", last->o.floor_edge / ideal_floor_edge, 1, 0.1, "", "");
	good &= evidence("still tank, particles outside or lost", outside + (ACROSS * ACROSS * ACROSS - count_of(w)), 0,
			 0, "", "");
	good &= evidence_at_most("still tank, rise of energy", 100 * watch.rise / watch.start, 1, "%",
				 "of the energy above the floor");
	spate_world_destroy(w);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(still_tank_stays_still),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
