// Values over time: curves that set live keys before every substep.
//
// A curve is a pure function of the time, so it is neither in the journal nor in a snapshot. A key has the value of the present moment
// between substeps, and keeps it during the next one.
#ifndef WORLD_TRACK_H
#define WORLD_TRACK_H

#include "bridge/expression.h"
#include "spate/world.h"
#include "world/change.h"

// The curve of a number or a vector. Borrows the definition's keys.
typedef struct track_curve
{
	const spate_track_key *keys;
	uint32_t key_count;
	spate_between between;
	expression *expressions[3];
	uint32_t components;
} track_curve;

// SPATE_INVALID for a mistake in an expression or among the keys. In any case, curve_free() follows.
spate_result curve_make(track_curve *c, const spate_track *def, uint32_t components, spate_error *error);
void curve_free(track_curve *c);
// The value at a time (s), NaN where an expression has none.
void curve_value(const track_curve *c, double time, double out[3]);

// The key that a track is about: all of `change` but the value, and the range.
typedef struct track_key
{
	world_change change;
	uint32_t components; // 1 or 3
	int limited;         // `min` and `max` hold
	int above_min;       // the minimum itself is not allowed
	double min, max;
} track_key;

typedef struct world_track
{
	track_key key;
	track_curve curve;
} world_track;

// Finds a live number or vector; src/scene/live.c implements this.
spate_result world_track_find(const spate_world *world, const char *path, track_key *key, spate_error *error);

// What is wrong with a value, which is brought into the range if that is closed: a sentence about `name`, or NULL. `text` has room for it.
enum
{
	TRACK_TEXT_CHARS = 256
};
const char *track_limit(const track_key *key, const char *name, double time, double value[3],
			char text[TRACK_TEXT_CHARS]);

// Makes the tracks of the definition and sets the keys to the beginning.
spate_result world_make_tracks(spate_world *world, spate_error *error);
void world_free_tracks(spate_world *world);
// Sets the keys to the world's time, all or none.
spate_result world_follow_tracks(spate_world *world, spate_error *error);
// Brings the definition to a time (s) whose state is being loaded.
void world_restore_tracks(spate_world *world, double time);
// Whether a change is of a key that follows a curve.
int world_has_track(const spate_world *world, const world_change *change);

#endif
