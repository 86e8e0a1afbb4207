// A dam that breaks over a box, against the levels that were measured in a tank, with the box as a mesh and as a shape.
//
// K. M. T. Kleefsman and others: A volume-of-fluid based simulation method for wave impact problems, 2005; SPHERIC's second test case.
// The tank is 3.22 m long, 1 m wide and 1 m high; 1.228 m of it are filled 0.55 m high. Lengths begin at the end where the box stands:
//
//	 0    0.496  box  0.992     1.488     1.992         2.638            3.22
//	 |      H1  0.66-0.82  H2        H3      |  water     H4   0.55 high  |
#include "collider/field.h"
#include "measure.h"
#include "tools/meshes/make.h"

enum
{
	GAUGES = 4,
	DRY = 3,      // of them, at first
	TIMES = 23,   // at which levels are known
	RATE = 100,   // frames per second
	FRAMES = 140, // per run
	KEYS = 31     // of the door's way
};

// Levels (m) every 0.05 s from 0.1 s on, and when one is reached that is thick enough for a few particles (s). The columns H1 and H3 of
// the published file are exchanged: the first to get wet is the gauge next to the water.
#define FIRST 0.1
#define EVERY 0.05
#define ARRIVAL 0.05
static const double gauge_places[GAUGES] = {1.488, 0.992, 0.496, 2.638};
static const double measured_arrivals[DRY] = {0.2500, 0.4060, 0.9330};
static const double measured_levels[GAUGES][TIMES] = {
    {0.000, 0.000, 0.014, 0.050, 0.070, 0.087, 0.099, 0.101, 0.095, 0.102, 0.115, 0.119,
     0.124, 0.129, 0.137, 0.144, 0.148, 0.152, 0.155, 0.159, 0.158, 0.157, 0.157},
    {0.001, 0.000, 0.001, 0.001, 0.001, 0.003, 0.046, 0.077, 0.099, 0.117, 0.120, 0.125,
     0.131, 0.140, 0.147, 0.157, 0.166, 0.175, 0.179, 0.184, 0.186, 0.192, 0.196},
    {0.000, 0.000, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001,
     0.001, 0.001, 0.002, 0.002, 0.002, 0.047, 0.148, 0.170, 0.196, 0.199, 0.193},
    {0.534, 0.523, 0.511, 0.500, 0.487, 0.473, 0.459, 0.443, 0.427, 0.411, 0.395, 0.379,
     0.363, 0.347, 0.332, 0.317, 0.303, 0.290, 0.279, 0.266, 0.254, 0.243, 0.233}};
static const char *const gauge_names[GAUGES] = {"1.488 m", "0.992 m", "0.496 m", "2.638 m"};

// Judged is what the source describes: water at rest that is set free at once, by the published clock. In the experiment a door was pulled
// up by a falling weight, so it rose with no more than the acceleration of gravity: under it the water comes out as a jet, which stands
// deeper before the box than what a dam that vanishes lets go. That matters most for the gauge behind the box, which stays dry until the
// sheet of water that the box throws up comes down on it. The clock of the published file starts while the door is on its way: the
// reservoir's gauge falls from the first moment on. With a door the start is therefore fitted to the levels in front of the box up to LAST,
// and what that gives is reported.
enum
{
	BEHIND = 2
};
#define LAST 0.85

static const double box_low[3] = {0.6635, 0.0, 0.2985}, box_high[3] = {0.8245, 0.161, 0.7015};

// The door's way up, as fast as a weight can pull it.
static void raise_door(spate_keyframe keys[KEYS])
{
	for (int k = 0; k < KEYS; k++)
	{
		double t = 0.02 * k;
		keys[k] = (spate_keyframe){.time = t, .position = {0, 0.5 * 9.81 * t * t, 0}};
	}
}

static spate_world *make_tank(double spacing, const spate_mesh *mesh, int door)
{
	scene s;
	spate_keyframe keys[KEYS];
	scene_init(&s, spacing);
	s.def.fps = RATE;
	s.def.threads = 2;
	add_collider(&s, box_shape(0, 0, 0, 3.22, 1, 1), SPATE_COLLIDER_INSIDE);
	spate_collider_def *box =
	    add_collider(&s, box_shape(box_low[0], box_low[1], box_low[2], box_high[0], box_high[1], box_high[2]),
			 SPATE_COLLIDER_OUTSIDE);
	if (mesh)
	{
		box->shape = (spate_shape){0};
		box->mesh.mesh = mesh;
		for (int k = 0; k < 3; k++)
			box->mesh.position[k] = 0.5 * (box_low[k] + box_high[k]);
	}
	if (door)
	{
		raise_door(keys);
		add_collider(&s, box_shape(1.93, 0, -0.1, 1.992, 0.7, 1.1), SPATE_COLLIDER_OUTSIDE)->motion =
		    (spate_motion){.keyframes = keys, .keyframe_count = KEYS};
	}
	add_fill(&s, box_shape(1.992, 0, 0, 3.22, 0.55, 1));
	for (int g = 0; g < GAUGES; g++)
	{
		spate_probe_def *gauge = add_probe(&s, gauge_names[g], SPATE_PROBE_HEIGHT);
		gauge->a[0] = gauge->b[0] = gauge_places[g];
		gauge->a[2] = gauge->b[2] = 0.5;
		gauge->b[1] = 1;
	}
	return scene_create(&s);
}

typedef struct record
{
	double levels[GAUGES][FRAMES + 1];
	uint32_t particles, outside;
} record;

static void run(record *r, double spacing, const spate_mesh *mesh, int door)
{
	spate_world *w = make_tank(spacing, mesh, door);
	r->particles = count_of(w);
	r->outside = 0;
	for (int f = 0; f <= FRAMES; f++)
	{
		if (f > 0)
			run_frame(w);
		for (int g = 0; g < GAUGES; g++)
		{
			char column[32];
			snprintf(column, sizeof column, "%s.height", gauge_names[g]);
			r->levels[g][f] = probe_value(w, column);
		}
		uint32_t outside = spate_world_stats(w)->outside;
		r->outside = outside > r->outside ? outside : r->outside;
	}
	spate_world_destroy(w);
}

static double level_at(const record *r, int gauge, double time)
{
	double frame = fmin(fmax(time * RATE, 0), FRAMES - 1e-9);
	int f = (int)frame;
	return r->levels[gauge][f] + (frame - f) * (r->levels[gauge][f + 1] - r->levels[gauge][f]);
}

static double arrival(const record *r, int gauge)
{
	for (int f = 1; f <= FRAMES; f++)
	{
		double before = r->levels[gauge][f - 1], after = r->levels[gauge][f];
		if (before < ARRIVAL && after >= ARRIVAL)
			return (f - 1 + (ARRIVAL - before) / (after - before)) / RATE;
	}
	return NAN;
}

// Mean squared difference from the measured levels of a gauge up to a time (m^2), when their clock started `late`.
static double square_difference(const record *r, int gauge, double last, double late)
{
	double sum = 0;
	int count = 0;
	for (; count < TIMES && FIRST + EVERY * count <= last + 1e-9; count++)
		sum += pow(level_at(r, gauge, FIRST + EVERY * count + late) - measured_levels[gauge][count], 2);
	return sum / count;
}

// The same over the gauges that are not behind the box, as a root (m).
static double difference(const record *r, double late)
{
	double sum = 0;
	for (int g = 0; g < GAUGES; g++)
		sum += g == BEHIND ? 0 : square_difference(r, g, LAST, late) / (GAUGES - 1);
	return sqrt(sum);
}

// When the clock of the measured levels started.
static double find_clock(const record *r)
{
	double best = 0;
	for (double late = 0; late < 0.2; late += 0.001)
		if (difference(r, late) < difference(r, best))
			best = late;
	return best;
}

// A dam that vanishes, by the published clock.
static int judge(const record *r, double spacing)
{
	int good = 1;
	char name[160], note[160];
	snprintf(note, sizeof note, "%u particles", r->particles);
	for (int g = 0; g < DRY; g++)
	{
		snprintf(name, sizeof name, "dam over a box, spacing %.3g mm, arrival at %s", 1000 * spacing,
			 gauge_names[g]);
		good &= evidence(name, arrival(r, g), measured_arrivals[g], 0.08 * measured_arrivals[g], "s", note);
	}
	for (int g = 0; g < GAUGES; g++)
	{
		snprintf(name, sizeof name, "dam over a box, spacing %.3g mm, level at %s", 1000 * spacing,
			 gauge_names[g]);
		good &= evidence_at_most(name, sqrt(square_difference(r, g, INFINITY, 0)), 0.05 * 0.55, "m",
					 "rms difference from 0.1 to 1.2 s, a twentieth of the depth");
	}
	snprintf(name, sizeof name, "dam over a box, spacing %.3g mm, particles outside", 1000 * spacing);
	good &= evidence_at_most(name, r->outside, 0, "", "");
	return good;
}

// The column's height and width are whole numbers of these spacings (m): of 0.02 m, which they are not, a fortieth of the water is missing.
enum
{
	SPACINGS = 3
};
static const double spacings[SPACINGS] = {0.05, 0.025, 1.0 / 60};
static const double middle = 0.025;

static void water_arrives_as_measured(void **state)
{
	(void)state;
	static record r;
	int good = 1;
	for (int n = 0; n < SPACINGS; n++)
	{
		run(&r, spacings[n], NULL, 0);
		good &= judge(&r, spacings[n]);
	}
	assert_true(good);
}

static void mesh_is_like_a_shape(void **state)
{
	(void)state;
	if (!distance_field_available())
		skip_without("OPENVDB");
	double size[3];
	for (int k = 0; k < 3; k++)
		size[k] = box_high[k] - box_low[k];
	spate_mesh *mesh = NULL;
	check_ok(make_box(&mesh, size, NULL));
	static record by_mesh, by_shape;
	run(&by_mesh, middle, mesh, 0);
	run(&by_shape, middle, NULL, 0);
	spate_mesh_destroy(mesh);
	int good = 1;
	for (int g = 0; g < DRY; g++)
	{
		char name[160];
		snprintf(name, sizeof name, "dam over a box, arrival at %s, mesh against shape", gauge_names[g]);
		good &= evidence_at_most(name, 100 * fabs(arrival(&by_mesh, g) / arrival(&by_shape, g) - 1), 2, "%",
					 "spacing 25 mm");
	}
	assert_true(good);
}

static void water_from_behind_a_door(void **state)
{
	(void)state;
	static record r;
	char name[160], note[160];
	run(&r, middle, NULL, 1);
	double late = find_clock(&r);
	snprintf(note, sizeof note, "clock fitted: %.0f ms late", 1000 * late);
	for (int g = 0; g < DRY; g++)
	{
		snprintf(name, sizeof name, "dam behind a door, arrival at %s", gauge_names[g]);
		evidence_compare(name, arrival(&r, g) - late, measured_arrivals[g], "s", note);
	}
	for (int g = 0; g < GAUGES; g++)
	{
		snprintf(name, sizeof name, "dam behind a door, level at %s", gauge_names[g]);
		evidence_report(name, sqrt(square_difference(&r, g, INFINITY, late)), "m",
				"rms difference from 0.1 to 1.2 s, clock fitted");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(water_arrives_as_measured),
	    cmocka_unit_test(mesh_is_like_a_shape),
	    cmocka_unit_test(water_from_behind_a_door),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
