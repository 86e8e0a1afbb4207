// Meshes that change from frame to frame: one file per frame, named by a pattern such as "fish.%04d.obj".
#ifndef MESH_SEQUENCE_H
#define MESH_SEQUENCE_H

#include "spate/result.h"

#include <stddef.h>
#include <stdint.h>

// Only the file name is a pattern: percent signs in folder names stand for themselves.

// Whether the name contains exactly one field for the frame number: %d, %4d or %04d, with a width up to 18. Any other
// name is used as is, whatever percent signs it contains.
int sequence_is_pattern(const char *path);

// The path of one frame. In a pattern, %% stands for a percent sign, as does a % that starts no field.
spate_result sequence_path(char *out, size_t size, const char *pattern, int64_t frame, spate_error *error);

#endif
