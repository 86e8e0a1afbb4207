// Writes files in the format of their path's suffix. An existing file is replaced only when the new one is complete.
#ifndef EXPORT_MESH_WRITE_H
#define EXPORT_MESH_WRITE_H

#include "mesh/format.h"

// Positions are relative to the origin in `extras`; for formats that do not store one, those of the mesh are moved to the world.
spate_result mesh_write(spate_mesh *mesh, const file_extras *extras, const char *path, spate_error *error);
// Points are a mesh without triangles.
spate_result points_write(spate_mesh *points, const file_extras *extras, const char *path, spate_error *error);
// The signed distance to a closed mesh, on a grid.
spate_result field_write(const spate_mesh *mesh, const file_extras *extras, const char *path, spate_error *error);

#endif
