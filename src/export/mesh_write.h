// Writes files in the format of their path's suffix. An existing file is replaced only when the new one is complete.
#ifndef EXPORT_MESH_WRITE_H
#define EXPORT_MESH_WRITE_H

#include "export/particle_table.h"
#include "mesh/format.h"

// Positions are relative to the origin in `extras`; for formats that do not store one, those of the mesh are moved to the world.
spate_result mesh_write(spate_mesh *mesh, const file_extras *extras, const char *path, spate_error *error);
// SPATE_INVALID if the format cannot carry a channel; nothing is written then. The positions of the table are moved to the world likewise.
spate_result particles_write(particle_table *table, const file_extras *extras, const char *path, spate_error *error);
// The same for points that are a mesh without triangles, with the ids in `extras`.
spate_result points_write(spate_mesh *points, const file_extras *extras, const char *path, spate_error *error);
// On a grid: the signed distance to a closed surface relative to the origin in `extras`, or if that is NULL, how much liquid there is. Also
// the velocity of the particles, unless they are NULL; they need the channel radius.
spate_result field_write(const spate_mesh *surface, const particle_table *particles, const file_extras *extras,
			 const char *path, spate_error *error);

#endif
