// The liquid that the benchmarks of solver, files and pictures run on: a block of water that collapses in a closed tank twice as
// long and half as high again.
#ifndef BENCH_DAM_BREAK_H
#define BENCH_DAM_BREAK_H

#include "bench/bench.h"
#include "spate/world.h"

// A definition whose parts may be changed before a world is made of it. Not to be copied: `world` points at the others.
typedef struct dam_break
{
	spate_world_def world;
	spate_fluid_def water;
	spate_collider_def tank;
	spate_source_def block;
} dam_break;

// `cells` are the particles of the block along x, y and z; it is 1 m high.
void dam_break_init(dam_break *d, const uint32_t cells[3]);

// How an evolved state is made: a block of `cells` flows until it has collapsed and mixed; then, as often as `refinements` says,
// every particle is cut into eight and the new ones settle in some steps. So millions of them do not have to flow for an hour.
typedef struct dam_break_size
{
	uint32_t cells[3];
	int refinements;
} dam_break_size;

uint32_t dam_break_particles(const dam_break_size *size);

// A world without surface tension at normal quality, 62.5 frames of 16 ms per second.
spate_result dam_break_evolve(spate_world **world, const dam_break_size *size, const bench_options *options,
			      spate_error *error);

// Makes such a world, lets `measure` look at it and destroys it.
spate_result dam_break_measure(const dam_break_size *size,
			       spate_result (*measure)(spate_world *world, void *context, const bench_options *options,
						       spate_error *error),
			       void *context, const bench_options *options, spate_error *error);

// The same with meshes: the tank around zero, and something in the way of the flow.
spate_result dam_break_evolve_meshes(spate_world **world, const dam_break_size *size, const spate_mesh *tank,
				     const spate_mesh *obstacle, const bench_options *options, spate_error *error);

#endif
