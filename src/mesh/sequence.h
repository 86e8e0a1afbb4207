// Meshes that change from frame to frame: one file each, named by a pattern such as "fish.%04d.obj".
#ifndef MESH_SEQUENCE_H
#define MESH_SEQUENCE_H

#include "spate/result.h"

#include <stddef.h>
#include <stdint.h>

// Only the name of the file is a pattern: percent signs in the names of folders stand for themselves.

// Whether the name holds exactly one field for the frame's number: %d, %4d or %04d with a width up to 18. Every other name is a plain one, as
// it stands, whatever percent signs it has.
int sequence_is_pattern(const char *path);

// The path of one frame. In a pattern %% stands for a percent sign, as does one that begins no field.
spate_result sequence_path(char *out, size_t size, const char *pattern, int64_t frame, spate_error *error);

#endif
