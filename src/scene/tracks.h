// Values over time in scene files: keyframes or expressions in place of a live number or vector.
#ifndef SCENE_TRACKS_H
#define SCENE_TRACKS_H

#include "scene/read.h"
#include "world/track.h"

// A value over time, and where it comes from.
typedef struct scene_track
{
	spate_track def;
	scene_key key;
	double *field; // of the definition; has the value at t = 0
	place at;
	struct scene_track *next;
} scene_track;

// Components and range of a key.
track_key track_key_of(const scene_key *key);

// Whether a value has the form of one over time: a list that begins with a list, or a map with keys or an expression.
int looks_like_track(const scene_key *key, const node *n);
// Reads it for a key of an object, by the name in `key`.
void read_track(scene_reader *reader, const scene_object *object, const scene_key *key, const node *n, void *out);
// Whether it is of a camera, and so for pictures first of all.
int track_is_of_camera(const scene_track *track);
// Gives the scene its tracks, and looks at their values during the run.
void keep_tracks(scene_reader *reader);

#endif
