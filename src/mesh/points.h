// Reads particles from files of any readable format, gzipped or not.
#ifndef MESH_POINTS_H
#define MESH_POINTS_H

#include "spate/mesh.h"

#include <stddef.h>
#include <stdint.h>

// A fluid of the scene that a frame of ours is from.
typedef struct particle_fluid
{
	char name[64];
	double spacing; // m
} particle_fluid;

typedef struct particle_set
{
	spate_mesh *points; // without triangles: positions, and all attributes with up to four components as channels
	double origin[3];   // m; positions are relative to it
	int64_t frame;      // of our own frames, otherwise 0
	double time;        // s, likewise
	// by the numbers of the channel "fluid"; NULL for files that do not tell
	particle_fluid *fluids;
	uint32_t fluid_count;
} particle_set;

// Reads a file; its format is detected from the first bytes. `wanted` names the channels to read from our own frames
// (if present); NULL for all of the liquid's. Attributes with other names become "velocity" (v, vel), "color" (Cd) and
// "radius" (pscale).
spate_result particles_read(particle_set *set, const char *path, const char *const *wanted, uint32_t wanted_count,
			    spate_error *error);
void particles_free(particle_set *set);
// Estimates the spacing (m) of the liquid from the size of a ball with 22 neighbours, for a sample of particles.
// Returns 0 for fewer than 23 particles.
double particles_guess_spacing(const float *positions, size_t count);

// Adds a channel for an attribute. *values is NULL if that is not possible: five or more components, or a name that is
// too long or already in use.
spate_result particles_add_channel(spate_mesh *points, const char *name, uint32_t components, float **values,
				   spate_error *error);

#endif
