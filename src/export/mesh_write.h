// Mesh files: one function per format.
#ifndef EXPORT_MESH_WRITE_H
#define EXPORT_MESH_WRITE_H

#include "export/stream.h"
#include "spate/mesh.h"

// Each writes everything to the open stream. Not supported: uvs in stl, vtk and vtp; channels and sides in stl. OBJ
// stores sides as groups: "g 2_1" before triangles between fluids 2 and 1.
spate_result mesh_write_obj(const spate_mesh *mesh, stream *s);
spate_result mesh_write_ply(const spate_mesh *mesh, stream *s);
spate_result mesh_write_stl(const spate_mesh *mesh, stream *s);
spate_result mesh_write_vtk(const spate_mesh *mesh, stream *s);
spate_result mesh_write_vtp(const spate_mesh *mesh, stream *s);

// Like spate_mesh_write(), with a note of at most 60 characters in the file's comment; "" for none.
spate_result mesh_write_noted(const spate_mesh *mesh, const char *note, const char *path, spate_error *error);

#endif
