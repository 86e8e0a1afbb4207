// The step of solver/pbf.c written plainly, as a baseline: one thread, an array of structures sorted by cell, no neighbour lists.
// Every pass over pairs walks the 27 cells around each particle.
#ifndef BENCH_SCALAR_PBF_H
#define BENCH_SCALAR_PBF_H

#include "world/world.h"

typedef struct scalar_pbf scalar_pbf;

// For a world with one fluid without surface tension in one container, which must outlive it.
scalar_pbf *scalar_pbf_create(const spate_world *world);
void scalar_pbf_destroy(scalar_pbf *solver);

// Loads the particles from the world.
void scalar_pbf_load(scalar_pbf *solver);

// One substep: gravity, sort by cell, the iterations, one round of XSPH. Returns the average density error before the last
// correction, as in the world's statistics.
double scalar_pbf_step(scalar_pbf *solver, float dt, int iterations, double acceleration);

#endif
