// Liquid that should do nothing: tanks at several spacings for some seconds, and when the substep changes.
#include "measure.h"

enum
{
	FPS = 24
};

// A cube of liquid, `across` particles wide.
typedef struct tank
{
	int across, seconds;
	double side; // m
} tank;

typedef struct occupancy
{
	double face, vertical_edge, floor_edge; // particles beside one wall, two sides, a side and the floor
} occupancy;

// Counts particles within a spacing of walls, away from other walls and from the surface.
static occupancy count_occupancy(spate_world *w, const tank *t)
{
	const double spacing = t->side / t->across;
	occupancy o = {0, 0, 0};
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		double x = fmin(p[0], t->side - p[0]) / spacing, z = fmin(p[2], t->side - p[2]) / spacing,
		       y = p[1] / spacing;
		if (y > t->across - 8)
			continue;
		int beside = (x < 1) + (z < 1), clear_x = x > 2, clear_z = z > 2;
		o.face += (beside == 1 && (clear_x || clear_z) && y > 2) || (y < 1 && clear_x && clear_z);
		o.vertical_edge += beside == 2 && y > 2;
		o.floor_edge += beside == 1 && (clear_x || clear_z) && y < 1;
	}
	return o;
}

// What a lattice at rest density has there.
static occupancy ideal_occupancy(double across)
{
	return (occupancy){4 * (across - 4) * (across - 10) + (across - 4) * (across - 4), 4 * (across - 10),
			   4 * (across - 4)};
}

// Where pressure is read: beside a wall half way up, over the middle of the floor, and in the middle of the liquid.
enum
{
	PLACES = 3
};
static const char *const places[PLACES] = {"wall", "floor", "middle"};
static const double place_at[PLACES][2] = {{0, 0.5}, {0.5, 0}, {0.5, 0.5}}; // x and y, in sides

// Height (m) of a gauge: not so low that it would average over particles above it only.
static double gauge_height(const tank *t, int place)
{
	return fmax(place_at[place][1] * t->side, 2.5 * t->side / t->across);
}

typedef struct second
{
	double rms, error, error_max, height, energy, pressure[PLACES]; // means over its frames
	occupancy o;
} second;

static second watch_second(spate_world *w, const tank *t, energy_watch *watch, uint32_t *outside)
{
	second s = {0};
	double mass = 1000 * pow(t->side, 3);
	for (int frame = 0; frame < FPS; frame++)
	{
		watched_frame(w, watch);
		const spate_step_stats *stats = spate_world_stats(w);
		occupancy o = count_occupancy(w, t);
		s.rms += sqrt(2 * stats->kinetic_energy / mass) / FPS;
		s.error += stats->density_error_avg / FPS;
		s.error_max = fmax(s.error_max, stats->density_error_avg);
		s.height += 2 * mean_place(w, 1, -1) / FPS;
		s.energy += stats->potential_energy / FPS;
		s.o.face += o.face / FPS;
		s.o.vertical_edge += o.vertical_edge / FPS;
		s.o.floor_edge += o.floor_edge / FPS;
		for (int k = 0; k < PLACES; k++)
		{
			char column[32];
			snprintf(column, sizeof column, "%s.pressure", places[k]);
			s.pressure[k] += probe_value(w, column) / FPS;
		}
		*outside = stats->outside > *outside ? stats->outside : *outside;
	}
	printf("%.0f s: rms %.3f mm/s, error %.3f %%, height %.3f mm\n", spate_world_time(w), 1e3 * s.rms,
	       100 * s.error, 1e3 * s.height);
	fflush(stdout);
	return s;
}

static spate_world *make_tank(const tank *t, scene *s)
{
	const double side = t->side;
	scene_init(s, side / t->across);
	s->def.threads = 2;
	add_collider(s, box_shape(0, 0, 0, side, 1.5 * side, side), SPATE_COLLIDER_INSIDE);
	add_fill(s, box_shape(0, 0, 0, side, side, side));
	for (int k = 0; k < PLACES; k++)
	{
		spate_probe_def *p = add_probe(s, places[k], SPATE_PROBE_POINT);
		p->a[0] = place_at[k][0] * side, p->a[1] = gauge_height(t, k), p->a[2] = 0.5 * side;
	}
	return scene_create(s);
}

static int judge_tank(const tank *t)
{
	scene s;
	spate_world *w = make_tank(t, &s);
	const uint32_t particles = (uint32_t)(t->across * t->across * t->across);
	assert_int_equal(count_of(w), particles);
	energy_watch watch = energy_watch_make(w);
	uint32_t outside = 0;
	second seconds[16];
	double error_max = 0;
	for (int k = 0; k < t->seconds; k++)
	{
		seconds[k] = watch_second(w, t, &watch, &outside);
		error_max = fmax(error_max, seconds[k].error_max);
	}
	const second *last = &seconds[t->seconds - 1], *half = &seconds[t->seconds / 2 - 1];
	occupancy ideal = ideal_occupancy(t->across);
	int good = 1;
	char name[160], title[64], past[64];
	snprintf(title, sizeof title, "still tank, spacing %g mm", 1000 * t->side / t->across);
	snprintf(past, sizeof past, "over %d s; %d layers", t->seconds - t->seconds / 2, t->across);
#define NAMED(text) (snprintf(name, sizeof name, "%s, %s", title, text), name)
	good &= evidence_at_most(NAMED("mean density error in the last second"), 100 * last->error, 1, "%", past);
	evidence_report(NAMED("largest mean density error"), 100 * error_max, "%", "over all frames");
	good &= evidence(NAMED("height"), last->height, t->side, 0.01 * t->side, "m", "twice the centre of mass");
	good &= evidence(NAMED("change of height"), 100 * (last->height / half->height - 1), 0, 0.1, "%", past);
	good &=
	    evidence(NAMED("change of potential energy"), 100 * (last->energy / half->energy - 1), 0, 0.1, "%", past);
	good &= evidence_at_most(NAMED("rms speed in the last second"), 1e3 * last->rms, 5, "mm/s", "");
	good &= evidence(NAMED("layer beside walls"), last->o.face / ideal.face, 1, 0.05, "",
			 "particles over those of a lattice");
	good &= evidence(NAMED("upright edges"), last->o.vertical_edge / ideal.vertical_edge, 1, 0.1, "", "");
	good &= evidence(NAMED("edges of the floor"), last->o.floor_edge / ideal.floor_edge, 1, 0.1, "", "");
	good &= evidence(NAMED("particles outside or lost"), outside + (particles - count_of(w)), 0, 0, "", "");
	good &= evidence_at_most(NAMED("rise of energy"), 100 * watch.rise / watch.start, 1, "%",
				 "of the energy above the floor");
	for (int k = 0; k < PLACES; k++)
	{
		char what[64];
		snprintf(what, sizeof what, "pressure at the %s over rho g depth", places[k]);
		good &= evidence(NAMED(what), last->pressure[k] / (9810 * (t->side - gauge_height(t, k))), 1, 0.03, "",
				 "point probe, mean of the last second");
	}
#undef NAMED
	spate_world_destroy(w);
	return good;
}

static void still_tank_stays_still(void **state)
{
	(void)state;
	const tank tanks[] = {{20, 4, 0.1}, {24, 6, 0.24}, {20, 6, 0.8}};
	int good = 1;
	for (size_t n = 0; n < sizeof tanks / sizeof *tanks; n++)
		good &= judge_tank(&tanks[n]);
	assert_true(good);
}

// Far above the water something begins to move fast after a second, and so makes the substeps short.
static void shorter_steps_stir_nothing(void **state)
{
	(void)state;
	const tank t = {20, 2, 0.5};
	const spate_keyframe keys[2] = {{.time = 1, .scale = 1}, {.time = 2, .position = {100, 0, 0}, .scale = 1}};
	scene s;
	spate_world *w = make_tank(&t, &s);
	spate_world_destroy(w);
	add_collider(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 20, 0}, {0, 0, 0}, 1}, SPATE_COLLIDER_OUTSIDE)->motion =
	    (spate_motion){.keyframes = keys, .keyframe_count = 2, .frequency = 1};
	w = scene_create(&s);
	double calm = 0, stirred = 0, dt = 0, shortest = INFINITY, height[2] = {0, 0}, mass = 1000 * pow(t.side, 3);
	for (int frame = 0; frame < 2 * FPS; frame++)
	{
		run_frame(w);
		double rms = sqrt(2 * spate_world_stats(w)->kinetic_energy / mass);
		if (frame < FPS)
			calm = rms, dt = spate_world_stats(w)->dt, height[0] = height[1] = mean_place(w, 1, -1);
		stirred = fmax(stirred, frame < FPS ? 0 : rms);
		shortest = fmin(shortest, spate_world_stats(w)->dt);
		height[1] = fabs(mean_place(w, 1, -1) - height[0]) > fabs(height[1] - height[0]) ? mean_place(w, 1, -1)
												 : height[1];
	}
	char note[96];
	snprintf(note, sizeof note, "spacing 25 mm; substeps %.0f times shorter than in the first second",
		 dt / shortest);
	assert_true(shortest < dt / 4);
	evidence_report("still tank, rms speed before substeps become short", 1e3 * calm, "mm/s", "after 1 s");
	int good = evidence_at_most("still tank, largest rms speed once substeps are short", 1e3 * stirred,
				    1e3 * calm + 5, "mm/s", note);
	good &= evidence("still tank, largest change of height once substeps are short",
			 100 * (height[1] / height[0] - 1), 0, 0.1, "%", note);
	spate_world_destroy(w);
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(still_tank_stays_still),
	    cmocka_unit_test(shorter_steps_stir_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
