// The stages of a step one by one, for `spate bench pbf`.
#ifndef BENCH_PBF_STAGES_H
#define BENCH_PBF_STAGES_H

#include "bench/bench.h"
#include "world/world.h"

// ns per particle, each stage once
#define PBF_STAGE_MAP(X)                                                                 \
	X(sort)        /* keys, order and cell map */                                    \
	X(map)         /* of that, the map */                                            \
	X(permute)     /* all fields into that order */                                  \
	X(list)        /* neighbour lists */                                             \
	X(part)        /* pairs with a mesh between them */                              \
	X(approach)    /* which particles are near walls, and near which, once a step */ \
	X(mirror)      /* their images behind the walls, once a step */                  \
	X(multipliers) /* the first pass of a step, which finds the stiffness too */     \
	X(densities)   /* the same pass of the other iterations */                       \
	X(corrections)                                                                   \
	X(contacts) /* out of the walls */                                               \
	X(hold)     /* on the own side of every mesh */                                  \
	X(xsph)     /* one round */

typedef struct pbf_stages
{
#define X(name) double name;
	PBF_STAGE_MAP(X)
#undef X
} pbf_stages;

// For a world with one fluid without surface tension that has made a step. Each run moves the particles forward or back by one
// step's travel and sorts them again; the world cannot make further steps afterwards.
spate_result pbf_stages_measure(spate_world *world, const bench_options *options, pbf_stages *out, spate_error *error);

#endif
