// Forces that probes measure where they are known: the weight of liquid on its tank, and the buoyancy of what is fixed under water.
#ifndef TESTS_PHYSICS_MEASURED_FORCES_H
#define TESTS_PHYSICS_MEASURED_FORCES_H

#include "measure.h"

// Mean of some columns over the next frames.
static inline void mean_of(spate_world *w, int frames, const char *const *columns, int count, double *out)
{
	memset(out, 0, (size_t)count * sizeof *out);
	for (int frame = 0; frame < frames; frame++)
	{
		run_frame(w);
		for (int c = 0; c < count; c++)
			out[c] += probe_value(w, columns[c]) / frames;
	}
}

// Something that is fixed in the middle of a tank of water.
typedef struct immersed
{
	spate_shape shape; // m, about (0, 0, 0)
	const spate_mesh *mesh;
	double width, volume; // m, m^3
	int layers, clear;    // spacings across it, and between it and the tank's walls, its floor and the surface
} immersed;

// Mean force (N) over some frames: x, y, z, and the part of y that is friction.
static inline void measure_immersed(const immersed *body, int frames, double mean[4])
{
	scene s;
	double spacing = body->width / body->layers, half = 0.5 * body->width + body->clear * spacing;
	scene_init(&s, spacing);
	add_collider(&s, box_shape(-half, -half, -half, half, 2 * half, half), SPATE_COLLIDER_INSIDE);
	add_collider(&s, body->shape, SPATE_COLLIDER_OUTSIDE)->mesh.mesh = body->mesh;
	add_fill(&s, box_shape(-half, -half, -half, half, half, half));
	add_probe(&s, "body", SPATE_PROBE_FORCE)->collider = 1;
	spate_world *w = scene_create(&s);
	static const char *const columns[] = {"body.force_x", "body.force_y", "body.force_z", "body.friction_force_y"};
	run_until(w, 0.3);
	mean_of(w, frames, columns, 4, mean);
	spate_world_destroy(w);
}

// rho g V within a share of it, or only reported where that is 0.
static inline int check_buoyancy(const char *what, const immersed *body, double tolerance)
{
	char name[128], note[128];
	double mean[4], lift = 1000 * 9.81 * body->volume;
	measure_immersed(body, 12, mean);
	snprintf(note, sizeof note, "rho g V; %d spacings wide, %d below the surface, mean over 12 frames",
		 body->layers, body->clear);
	snprintf(name, sizeof name, "force on a fixed immersed %s", what);
	int good = tolerance > 0 ? evidence(name, mean[1], lift, tolerance * lift, "N", note)
				 : evidence_compare(name, mean[1], lift, "N", note);
	snprintf(name, sizeof name, "sideways force on a fixed immersed %s", what);
	good &= evidence(name, hypot(mean[0], mean[2]), 0, 0.01 * lift, "N", "");
	snprintf(name, sizeof name, "friction on a fixed immersed %s", what);
	good &= evidence(name, mean[3], 0, 0.003 * lift, "N", "");
	return good;
}

#endif
