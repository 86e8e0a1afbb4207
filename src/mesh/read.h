// Parses meshes of any supported format from memory.
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

// Detects the format by content where possible, otherwise by the file extension. `data` may be only the beginning of
// the file_bytes; it is followed by a zero byte.
mesh_format mesh_detect(const char *path, const char *data, size_t bytes, size_t file_bytes);
// "OBJ", "PLY", ...
const char *mesh_format_name(mesh_format format);

// Parses the bytes of a file, which are followed by a zero byte. The path is used for its extension and for messages.
spate_result mesh_parse(spate_mesh **mesh, const char *path, const char *data, size_t bytes, spate_error *error);
// The same for surfaces of liquids: a file with neither vertices nor faces gives an empty mesh.
spate_result mesh_parse_surface(spate_mesh **mesh, const char *path, const char *data, size_t bytes,
				spate_error *error);

#endif
