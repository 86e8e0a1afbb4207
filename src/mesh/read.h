// Meshes out of bytes in memory, whatever their format.
#ifndef MESH_READ_H
#define MESH_READ_H

#include "spate/mesh.h"

#include <stddef.h>

typedef enum mesh_format
{
	MESH_UNKNOWN,
	MESH_OBJ,
	MESH_PLY,
	MESH_STL,
	MESH_OFF
} mesh_format;

// By content where that tells, else by the ending of the path. `data` may be only the first part of the file_bytes; a zero byte is
// behind it.
mesh_format mesh_detect(const char *path, const char *data, size_t bytes, size_t file_bytes);
// "OBJ", "PLY", ...
const char *mesh_format_name(mesh_format format);

// The mesh in the bytes of a file, with a zero byte behind them; the path is for its ending and for sentences.
spate_result mesh_parse(spate_mesh **mesh, const char *path, const char *data, size_t bytes, spate_error *error);
// The same for surfaces of liquids: a file with neither vertices nor faces is a mesh of nothing.
spate_result mesh_parse_surface(spate_mesh **mesh, const char *path, const char *data, size_t bytes,
				spate_error *error);

#endif
