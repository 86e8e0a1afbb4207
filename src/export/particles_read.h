// Particles out of files: our own frames, Houdini's classic .bgeo (gzipped or not), VTK's legacy files and PLY.
#ifndef EXPORT_PARTICLES_READ_H
#define EXPORT_PARTICLES_READ_H

#include "spate/mesh.h"

#include <stddef.h>
#include <stdint.h>

typedef struct particle_set
{
	spate_mesh *points; // without triangles: positions, and all attributes of up to four numbers as channels
	double origin[3];   // m, what positions are relative to
	int64_t frame;      // of our own frames, else 0
	double time;        // s, likewise
} particle_set;

// Reads the file, told apart by its first bytes. `wanted` names the channels to read of our own frames (where they are in it); NULL for
// all of the liquid's. Attributes known by other names become "velocity" (v, vel), "color" (Cd) and "radius" (pscale).
spate_result particles_read(particle_set *set, const char *path, const char *const *wanted, uint32_t wanted_count,
			    spate_error *error);
void particles_free(particle_set *set);

// A number that stands for the content of a file of particles.
spate_result particles_hash(const char *path, uint64_t *hash, spate_error *error);

// Spacing (m) of a liquid that is as dense as this one, from the size of a ball that holds 22 neighbours, by a sample of particles. 0 when there
// are fewer than 23 of them.
double particles_guess_spacing(const float *positions, size_t count);

// The formats: from the bytes of a file, behind which there is a zero byte, to points.
spate_result particles_parse_bgeo(spate_mesh **points, const char *path, const char *data, size_t bytes,
				  spate_error *error);
// Of the beginning of a .bgeo: how many bytes it takes up to its last point, by what it says itself; 0 when that is not to be seen yet.
size_t particles_bgeo_bytes(const char *data, size_t bytes);
spate_result particles_parse_vtk(spate_mesh **points, const char *path, const char *data, size_t bytes,
				 spate_error *error);

// A channel for an attribute of that name, or NULL in *values when it cannot be one (five numbers or more, a name that is too long or
// there already).
spate_result particles_add_channel(spate_mesh *points, const char *name, uint32_t components, float **values,
				   spate_error *error);

#endif
