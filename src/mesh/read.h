// Reads meshes of any readable format, from memory and from files.
#ifndef MESH_READ_H
#define MESH_READ_H

#include "mesh/format.h"

#include <stddef.h>

// Detects the format of a mesh by content where possible, otherwise by the suffix of its path; NULL if it has none that can be parsed.
// `data` may be only the beginning of the file_bytes; it is followed by a zero byte.
const file_format *mesh_detect(const char *path, const char *data, size_t bytes, size_t file_bytes);

// Parses the bytes of a file, which are followed by a zero byte. The path is used for its suffix and for messages.
spate_result mesh_parse(spate_mesh **mesh, const char *path, const char *data, size_t bytes, spate_error *error);

// Like spate_mesh_read(), for surfaces of liquids: a file with neither vertices nor faces gives an empty mesh. *format becomes the title of
// the format; `format` may be NULL.
spate_result mesh_read_surface(spate_mesh **mesh, const char *path, const char **format, spate_error *error);

#endif
