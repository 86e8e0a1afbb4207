// What exports and meshes ask of particle files, besides reading them (mesh/points.h).
#ifndef EXPORT_PARTICLES_READ_H
#define EXPORT_PARTICLES_READ_H

#include "mesh/points.h"

// Whether a file is a frame of ours.
int particles_are_frame(const char *path);

// A hash of the content of a particle file.
spate_result particles_hash(const char *path, uint64_t *hash, spate_error *error);

#endif
