// Changes of live keys between substeps, and the journal of them.
//
//	spate_world_set --> world_change --> [ took effect ... | to come ... ]  one list, in the order of their substeps
//	                                             journal      queued by a callback inside a step, or replayed
//
// A change replaces a few bytes of the world's definition. What depends on the definition follows at once, so that a substep never sees
// half a change. The list is state: it is saved, and loading it brings the definition to what it was then.
#ifndef WORLD_CHANGE_H
#define WORLD_CHANGE_H

#include "base/array.h"
#include "spate/live.h"

enum
{
	CHANGE_BYTES = 24,      // of the largest live value, a vector
	CHANGE_VALUE_CHARS = 96 // of its text
};

// The part of the definition that a change belongs to.
typedef enum world_part
{
	WORLD_PART_WORLD, // spate_world_def
	WORLD_PART_FLUID, // and so on
	WORLD_PART_INTERFACE,
	WORLD_PART_SOURCE,
	WORLD_PART_COLLIDER,
	WORLD_PART_SINK,
	WORLD_PART_FORCE,
	WORLD_PART_CAMERA
} world_part;

typedef struct world_change
{
	uint64_t step; // takes effect after this substep
	world_part part;
	uint32_t index;      // of the fluid, interface, source, collider, sink or force
	size_t offset, size; // of the value in its definition
	unsigned char before[CHANGE_BYTES], after[CHANGE_BYTES]; // the value; `before` once it took effect
	char path[SPATE_PATH_CHARS], value[CHANGE_VALUE_CHARS];  // as text
} world_change;

typedef struct world_changes
{
	ARRAY(world_change) list;
	size_t done; // the first ones took effect
} world_changes;

// Finds the key of a path and reads a value for it: everything but `step`. The table of keys belongs to scenes, which are above this
// layer: src/scene/live.c implements this.
spate_result world_change_read(const spate_world *world, const char *path, const char *value, world_change *change,
			       spate_error *error);

// The definition (with its own arrays) that a change of this part and index applies to.
void *world_part_of(spate_world *world, world_part part, uint32_t index);

// Checks changes one after the other, each on top of those before, without leaving a trace.
spate_result world_changes_check(spate_world *world, world_change *changes, size_t count, spate_error *error);
// Lets a checked change take effect at once, outside the journal.
void world_change_take(spate_world *world, world_change *change);
// Writes the value of a change into the definition, for a state that has followed it.
void world_change_define(spate_world *world, const world_change *change);

// Adds changes, all or none. Those that are due take effect at once, unless a step is under way.
spate_result world_changes_add(spate_world *world, world_change *changes, size_t count, spate_error *error);
// Lets all changes that are due take effect; cannot fail.
void world_changes_settle(spate_world *world);

// The list as state: text with a line for every change, those to come included. Loading replaces the list and brings the definition to
// what the loaded one says; on failure nothing changes.
char *world_changes_save(const spate_world *world, int all);
spate_result world_changes_load(spate_world *world, const char *text, spate_error *error);

#endif
