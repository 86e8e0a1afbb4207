// Example meshes, made in memory: for tests, tools and scenes. Lengths in m, y is up, normals point out, centred on the origin unless
// told otherwise. Sizes must be positive; too few segments give an error.
#ifndef MESH_MAKE_H
#define MESH_MAKE_H

#include "spate/mesh.h"

// Closed, with uvs: u around the y axis, v from bottom to top.
spate_result make_sphere(spate_mesh **mesh, double radius, uint32_t segments, uint32_t rings, spate_error *error);
// Closed, 12 triangles, every side with all of the texture.
spate_result make_box(spate_mesh **mesh, const double size[3], spate_error *error);
// Closed, lying flat: the middle of the tube runs at `ring` from the y axis.
spate_result make_torus(spate_mesh **mesh, double ring, double tube, uint32_t segments, uint32_t sides,
			spate_error *error);
// Closed: a cup that stands on y = 0, with walls and a bottom of this thickness, open at the top.
spate_result make_cup(spate_mesh **mesh, double radius, double height, double wall, uint32_t segments,
		      spate_error *error);
// An open sheet with uvs over size_x by size_z, with hills between 0 and `height` that depend on the seed alone.
spate_result make_terrain(spate_mesh **mesh, double size_x, double size_z, double height, uint32_t cells, uint64_t seed,
			  spate_error *error);
// A strip with one side, open, around the y axis.
spate_result make_moebius(spate_mesh **mesh, double radius, double width, uint32_t segments, spate_error *error);
// A wheel that turns about the z axis: a closed hub, and closed blades that begin inside it.
spate_result make_wheel(spate_mesh **mesh, double radius, double hub, double width, double thickness, uint32_t blades,
			spate_error *error);
// A sewer's grid, lying flat: `bars` bars along z in a frame, all of them closed square sticks that run into each other.
spate_result make_grate(spate_mesh **mesh, double size, double bar, uint32_t bars, spate_error *error);
// Two closed spheres with their centres this far apart along x.
spate_result make_two_spheres(spate_mesh **mesh, double radius, double distance, uint32_t segments, uint32_t rings,
			      spate_error *error);
// A cube whose sides named by the bits of `flipped` (-x +x -y +y -z +z) look inwards.
spate_result make_flipped_cube(spate_mesh **mesh, double size, uint32_t flipped, spate_error *error);
// Two sheets in the shape of a V along z, every triangle there once for each side: an area, but no volume.
spate_result make_wings(spate_mesh **mesh, double span, double chord, uint32_t cells, spate_error *error);
// A small animal that sits on y = 0 and looks along -x: closed balls that run into each other. About `size` long and high.
spate_result make_critter(spate_mesh **mesh, double size, spate_error *error);
// A dragon that stands on y = 0 and looks along x, as dirty as meshes come: its parts run into each other, wings and fins are single
// sheets, the fins' edges are at three triangles, and some bands of its skin look inwards. About 1.25 `size` long and 0.9 `size` high.
spate_result make_dragon(spate_mesh **mesh, double size, spate_error *error);
// A fish about the origin that looks along -x, closed. The wave that runs down its back begins again with every whole phase; triangles and
// volume are the same at all of them.
spate_result make_fish(spate_mesh **mesh, double length, double phase, spate_error *error);

#endif
