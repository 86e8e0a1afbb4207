// The liquid for the benchmarks of solver, files and pictures: a block of water that collapses in a closed tank, which is twice as
// long and 1.5 times as high.
#ifndef BENCH_DAM_BREAK_H
#define BENCH_DAM_BREAK_H

#include "bench/bench.h"
#include "spate/world.h"

// A definition that may be changed before a world is created from it. Do not copy it: `world` points to the other members.
typedef struct dam_break
{
	spate_world_def world;
	spate_fluid_def water;
	spate_collider_def tank;
	spate_source_def block;
} dam_break;

// `cells` are the particles of the block along x, y and z; it is 1 m high.
void dam_break_init(dam_break *d, const uint32_t cells[3]);

// Size of an evolved state. A block of `cells` flows until it has collapsed and mixed; then, `refinements` times, every particle is
// split into eight and the new ones settle in some steps. This saves an hour of simulating millions of particles.
typedef struct dam_break_size
{
	uint32_t cells[3];
	int refinements;
} dam_break_size;

uint32_t dam_break_particles(const dam_break_size *size);

// A world without surface tension at normal quality, 62.5 frames of 16 ms per second.
spate_result dam_break_evolve(spate_world **world, const dam_break_size *size, const bench_options *options,
			      spate_error *error);

// Creates such a world, calls `measure` with it and destroys it.
spate_result dam_break_measure(const dam_break_size *size,
			       spate_result (*measure)(spate_world *world, void *context, const bench_options *options,
						       spate_error *error),
			       void *context, const bench_options *options, spate_error *error);

// The same with meshes: a tank centred on the origin, and an obstacle in the flow.
spate_result dam_break_evolve_meshes(spate_world **world, const dam_break_size *size, const spate_mesh *tank,
				     const spate_mesh *obstacle, const bench_options *options, spate_error *error);

#endif
