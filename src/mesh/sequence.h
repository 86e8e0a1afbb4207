// Meshes that change from frame to frame: one file each, named by a pattern such as "fish.%04d.obj".
#ifndef MESH_SEQUENCE_H
#define MESH_SEQUENCE_H

#include "spate/result.h"

#include <stddef.h>
#include <stdint.h>

// Only the name of the file is a pattern: percent signs in the names of folders stand for themselves.

// Whether the name holds a field (or tries to): anything but %% behind a percent sign.
int sequence_is_pattern(const char *path);

// The path of one frame. The pattern has exactly one field: %d, %4d or %04d with a width up to 18; %% stands for a percent sign. `out`
// may be NULL with size 0 to check the pattern only.
spate_result sequence_path(char *out, size_t size, const char *pattern, int64_t frame, spate_error *error);

#endif
