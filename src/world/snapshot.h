// A state (state.h) in memory.
#ifndef WORLD_SNAPSHOT_H
#define WORLD_SNAPSHOT_H

#include "spate/snapshot.h"
#include "world/state.h"

// A saved field, one value per particle.
typedef struct snapshot_field
{
	char name[64];
	spate_type type;
	void *data;
	size_t stride; // bytes from value to value
} snapshot_field;

// All zero is an empty snapshot.
struct spate_snapshot
{
	state_header header;
	int threads;             // for writing it; 0 for all cores
	ARRAY(state_part) parts; // with data of their own
	ARRAY(snapshot_field) fields;
	int borrowed; // the fields' data belongs to the world
};

// Fills an empty snapshot with the sections of a world and with pointers to its fields, which are valid until the world changes. Free it
// on failure, too.
spate_result snapshot_view(spate_snapshot *snapshot, spate_world *world, spate_error *error);
void snapshot_free(spate_snapshot *snapshot);

// Adds a section with a copy of its bytes, or a field whose data the caller fills in. Returns 0 or NULL when out of memory.
int snapshot_add_part(spate_snapshot *snapshot, const char *name, const void *data, size_t size);
void *snapshot_add_field(spate_snapshot *snapshot, const char *name, spate_type type);

#endif
