// Meshes out of files of any kind that is read, surfaces of no liquid too.
#ifndef CLI_MESH_FILE_H
#define CLI_MESH_FILE_H

#include "spate/mesh.h"

// `format` becomes "PLY", "spate" and so on; NULL when it does not matter.
spate_result mesh_file_read(spate_mesh **mesh, const char *path, const char **format, spate_error *error);

#endif
