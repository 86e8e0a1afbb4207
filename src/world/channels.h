// Automatic channels that the world computes at the end of every frame, if they are asked for (docs/channels.md). Nothing reads them in a
// step, so they change no other bit; but `isolated` is kept by sinks (source/sink.c). Those that particles carry from their source are in source/birth.h.
#ifndef WORLD_CHANNELS_H
#define WORLD_CHANNELS_H

#include "particles/field.h"
#include "spate/world.h"

typedef enum channel_id
{
	CHANNEL_AGE,
	CHANNEL_SPEED,
	CHANNEL_ACCELERATION,
	CHANNEL_VORTICITY,
	CHANNEL_NEIGHBOURS,
	CHANNEL_SURFACE,
	CHANNEL_ISOLATED,
	CHANNEL_COUNT
} channel_id;

// By channel_id.
extern const field_table channel_fields;

// Adds the fields of declared channels and of automatic ones that are asked for.
spate_result channels_create(spate_world *world, spate_error *error);

// Around the solver in the last substep of a frame: keeps the velocities before, and makes accelerations of them.
void channels_before(spate_world *world);
void channels_after(spate_world *world, double dt);

// The neighbours of each row within the kernel radius after the solver, if some sink is for isolated particles; `counts` has room for all
// rows, or is NULL to ask. 0 if none is.
int channels_count_neighbours(const spate_world *world, uint32_t *counts);

// At the end of a frame, after its particles have been weighed: the neighbour lists are those of their last places.
void channels_fill(spate_world *world);

#endif
