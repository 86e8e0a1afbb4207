// A tank of 3 x 3 diameters that empties through a sharp-edged hole in a thin wall: how fast the jet is, and how much flows.
//
// Liquid that flows towards the hole from all sides cannot turn at once at its edge, so the jet contracts to about 0.61 of the hole: the
// discharge coefficient, flow / (area sqrt(2 g h)), is 0.60 to 0.62 for water (Torricelli and, for the contraction, Weisbach). A wall of a
// fifth of the diameter is thin: the jet leaves it at its first edge.
#ifndef TESTS_PHYSICS_ORIFICE_H
#define TESTS_PHYSICS_ORIFICE_H

#include "evidence.h"
#include "world/scene_world.h"

#include "collider/meshes.h"
#include "spate/store.h"

static const double orifice_gravity = 9.81, orifice_diameter = 0.1, orifice_half = 0.15; // m: half of the tank's width

typedef struct orifice
{
	double across;    // particles
	double thickness; // m, 0 for a sheet of triangles
	double height;    // m, of the water at the start
	double centre;    // m above the floor, of a square hole in the side x = half; 0 for a round one in the floor
} orifice;

typedef struct orifice_result
{
	double discharge; // coefficient
	double speed;     // of the jet, over that of the formula
	double core;      // the same of its middle, 0.4 diameters wide
} orifice_result;

// A ring of 64 corners around the hole or along the sides of the plate, at a height; the number of the first corner.
static inline uint32_t orifice_ring(soup *s, double radius, int square, double y)
{
	uint32_t first = (uint32_t)(s->positions.count / 3);
	for (int k = 0; k < 64; k++)
	{
		double a = 2 * M_PI * k / 64, c = cos(a), z = sin(a), r = radius;
		r /= square ? fmax(fabs(c), fabs(z)) : 1;
		add_vertex(s, vec3_make((float)(r * c), (float)y, (float)(r * z)));
	}
	return first;
}

static inline void orifice_band(soup *s, uint32_t from, uint32_t to)
{
	for (uint32_t k = 0; k < 64; k++)
		add_quad(s, from + k, to + k, to + (k + 1) % 64, from + (k + 1) % 64);
}

// A plate with a round hole, whose upper side is at y = 0.
static inline soup orifice_plate(double thickness, double half)
{
	soup s = {0};
	uint32_t hole = orifice_ring(&s, 0.5 * orifice_diameter, 0, 0), edge = orifice_ring(&s, half, 1, 0);
	orifice_band(&s, hole, edge);
	if (thickness > 0)
	{
		uint32_t under = orifice_ring(&s, half, 1, -thickness),
			 outlet = orifice_ring(&s, 0.5 * orifice_diameter, 0, -thickness);
		orifice_band(&s, edge, under);
		orifice_band(&s, under, outlet);
		orifice_band(&s, outlet, hole);
	}
	return s;
}

// The walls of a tank with a hole in its floor, and below that a sink.
static inline int orifice_floor(const orifice *o, char *text, size_t bytes)
{
	double w = orifice_half;
	return snprintf(text, bytes,
			"  - { shape: { box: { min: [%g, -0.5, %g], max: [%g, 1, %g] } }, mode: inside }\n"
			"  - { name: plate, mesh: plate.obj, mode: %s }\n"
			"sinks: [{ name: out, shape: { plane: { point: [0, -0.3, 0], normal: [0, 1, 0] } } }]\n",
			-w, -w, w, w, o->thickness > 0 ? "outside" : "shell");
}

static inline int orifice_box(char *text, size_t bytes, const double low[3], const double high[3])
{
	return snprintf(text, bytes, "  - { shape: { box: { min: [%g, %g, %g], max: [%g, %g, %g] } } }\n", low[0],
			low[1], low[2], high[0], high[1], high[2]);
}

// Those with a hole in a side, which is made of four boxes.
static inline int orifice_side(const orifice *o, char *text, size_t bytes)
{
	double w = orifice_half, x = w + o->thickness, r = 0.5 * orifice_diameter, out = 0.1;
	int n = snprintf(text, bytes, "  - { shape: { box: { min: [%g, 0, %g], max: [%g, 1, %g] } }, mode: inside }\n",
			 -w, -w, w + 1, w);
	n += orifice_box(text + n, bytes - (size_t)n, (double[]){w, -out, -w - out},
			 (double[]){x, o->centre - r, w + out});
	n += orifice_box(text + n, bytes - (size_t)n, (double[]){w, o->centre + r, -w - out},
			 (double[]){x, 1 + out, w + out});
	n += orifice_box(text + n, bytes - (size_t)n, (double[]){w, o->centre - r, -w - out},
			 (double[]){x, o->centre + r, -r});
	n += orifice_box(text + n, bytes - (size_t)n, (double[]){w, o->centre - r, r},
			 (double[]){x, o->centre + r, w + out});
	return n + snprintf(text + n, bytes - (size_t)n,
			    "sinks: [{ name: out, shape: { plane: { point: [%g, 0, 0], normal: [-1, 0, 0] } } }]\n",
			    w + 0.2);
}

static inline spate_world *orifice_world(const orifice *o, const spate_mesh *plate)
{
	char text[2048];
	double d = orifice_diameter / o->across, w = orifice_half;
	int n = snprintf(
	    text, sizeof text,
	    "spate: 2\nfps: 50\nfluids: { water: { preset: water, spacing: %g } }\n"
	    "sources: [{ type: fill, fluid: water, shape: { box: { min: [%g, 0, %g], max: [%g, %g, %g] } } }]\n"
	    "colliders:\n",
	    d, -w, -w, w, o->height, w);
	n += (o->centre > 0 ? orifice_side : orifice_floor)(o, text + n, sizeof text - (size_t)n);
	spate_scene scene = parse_good(text);
	// the mesh of the test instead of that of a file
	if (o->centre <= 0)
	{
		spate_mesh_def *mesh = &((spate_collider_def *)(uintptr_t)scene.world.colliders)[1].mesh;
		mesh->path = NULL;
		mesh->mesh = plate;
	}
	return world_of_scene(&scene, spate_world_create);
}

// A place and a velocity as the hole sees them: beyond it, away from its axis (up or across, and across), and through it.
typedef struct orifice_row
{
	double beyond, aside, across, through;
} orifice_row;

static inline orifice_row orifice_look(const orifice *o, spate_world *world, uint32_t row)
{
	spate_store *store = spate_world_store(world);
	const double *origin = spate_world_origin(world);
	const float *p = (const float *)spate_store_field(store, "position", NULL) + 4 * (size_t)row,
		    *v = (const float *)spate_store_field(store, "velocity", NULL) + 4 * (size_t)row;
	double x = (double)p[0] + origin[0], y = (double)p[1] + origin[1], z = (double)p[2] + origin[2];
	if (o->centre > 0)
		return (orifice_row){x - orifice_half, y, z, (double)v[0]};
	return (orifice_row){-y, x, z, -(double)v[1]};
}

// What stands above the hole (m), as volume over area, and the jet's speed over that of the formula where it is 1 to 1.5 diameters beyond
// the hole: there it has contracted, and its pressure is that of the air. Liquid that has fallen by then has fallen from higher up.
static inline double orifice_head(const orifice *o, spate_world *world, double *speed, double *core)
{
	uint32_t rows = spate_store_count(spate_world_store(world));
	double d = orifice_diameter / o->across, in = 0, jet = 0, middle = 0, aside = 0;
	const double from = orifice_diameter, to = 1.5 * orifice_diameter;
	for (uint32_t row = 0; row < rows; row++)
	{
		orifice_row r = orifice_look(o, world, row);
		in += r.beyond < 0;
		jet += r.beyond >= from && r.beyond < to;
		aside += r.beyond >= from && r.beyond < to ? r.aside : 0;
	}
	double head = in * d * d * d / (4 * orifice_half * orifice_half) - o->centre;
	*speed = *core = 0;
	for (uint32_t row = 0; row < rows; row++)
	{
		orifice_row r = orifice_look(o, world, row);
		if (r.beyond < from || r.beyond >= to)
			continue;
		double share = r.through / sqrt(2 * orifice_gravity * (head + (o->centre > 0 ? 0 : r.beyond)));
		int inner = hypot(r.aside - aside / jet, r.across) < 0.2 * orifice_diameter;
		*speed += share / jet;
		*core += inner ? share : 0;
		middle += inner;
	}
	assert_true(middle > 20);
	*core /= middle;
	return head;
}

// From 0.2 to 0.4 s; the flow is that which the sink counts.
static inline orifice_result orifice_run(const orifice *o)
{
	soup plate = orifice_plate(o->thickness, orifice_half + 0.02);
	spate_mesh mesh = mesh_of(&plate);
	spate_world *world = orifice_world(o, &mesh);
	double d = orifice_diameter / o->across, area = orifice_diameter * orifice_diameter, frames = 0, ideal = 0;
	area *= o->centre > 0 ? 1 : 0.25 * M_PI;
	orifice_result r = {0, 0, 0};
	uint64_t before = 0;
	for (uint32_t frame = 1; frame <= 20; frame++)
	{
		run_until(world, frame);
		if (frame < 10)
			continue;
		before = frame == 10 ? spate_world_sink_removed(world, 0) : before;
		double speed, core, head = orifice_head(o, world, &speed, &core),
				    share = frame == 10 || frame == 20 ? 0.5 : 1;
		frames += share;
		r.speed += share * speed;
		r.core += share * core;
		ideal += share * sqrt(2 * orifice_gravity * head);
	}
	double flow = (double)(spate_world_sink_removed(world, 0) - before) * d * d * d / 0.2;
	r.speed /= frames;
	r.core /= frames;
	r.discharge = flow / (area * ideal / frames);
	spate_world_destroy(world);
	soup_free(&plate);
	return r;
}

// Runs it and judges what comes out: `hole` names it, `where` tells where the jet was measured, `head` what stood above.
static inline void orifice_holds(const orifice *o, const char *hole, const char *where, double discharge,
				 double tolerance, const char *head)
{
	orifice_result r = orifice_run(o);
	char names[3][160];
	const char *const what[3] = {"speed of the jet over Torricelli's", "speed in its middle",
				     "discharge coefficient"};
	for (int n = 0; n < 3; n++)
		snprintf(names[n], sizeof names[n], "%s, %g across, %s", hole, o->across, what[n]);
	int good = evidence(names[0], r.speed, 1, 0.05, "", where);
	good &= evidence(names[1], r.core, 1, 0.03, "", "0.4 diameters wide");
	good &= evidence(names[2], r.discharge, discharge, tolerance, "", head);
	assert_true(good);
}

#endif
