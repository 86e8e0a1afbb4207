// Wet maps in a run's directory:
//
//   DIR/wet/NAME_000001.png              wetness of the collider's mesh at the end of a frame
//       NAME_CHANNEL_000001.png          average of the map's channel
//
// The first row of a picture is at v = 1, the last at v = 0.
#ifndef CACHE_WET_FILES_H
#define CACHE_WET_FILES_H

#include "cache/run_dir.h"
#include "spate/world.h"

#define RUN_WET "wet"

// `channel` is NULL for wetness.
run_path wet_file_path(const char *directory, const char *name, const char *channel, int64_t frame,
		       spate_image_format format);

// If the world has wet maps, checks that they can be written, creates DIR/wet, and removes temporaries that interrupted writers left there.
spate_result wet_files_begin(spate_world *world, const char *directory, spate_error *error);

// Removes all pictures, of any world.
spate_result wet_files_clear(const char *directory, spate_error *error);

// Writes the pictures of the world's last finished frame.
spate_result wet_files_write(const spate_world *world, const char *directory, spate_error *error);

#endif
