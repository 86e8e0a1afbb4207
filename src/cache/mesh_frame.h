// Meshes in .spate files: the third kind of frame. Its rows are vertices, with "position" and one channel for each of the mesh's;
// "triangle/a", "triangle/b" and "triangle/c" are the vertices of each triangle, "triangle/uv_a" and so on the uvs of its corners,
// "triangle/side_a" and "triangle/side_b" the fluids on its two sides.
#ifndef CACHE_MESH_FRAME_H
#define CACHE_MESH_FRAME_H

#include "spate/mesh.h"

typedef struct mesh_frame_def
{
	int64_t frame;
	double time;      // s
	double origin[3]; // m, what positions are relative to
	const char *note; // kept as the blob "made"; NULL for none
	int threads;      // 0 for all cores
} mesh_frame_def;

spate_result mesh_frame_write(const char *path, const spate_mesh *mesh, const mesh_frame_def *def, spate_error *error);

// Reads a mesh, with positions in world coordinates. FORMAT when the file holds particles.
spate_result mesh_frame_read(spate_mesh **mesh, const char *path, spate_error *error);
// Whether the file holds a mesh, by its header alone.
int mesh_frame_is(const char *path);

#endif
