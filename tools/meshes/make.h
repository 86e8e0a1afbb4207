// Example meshes, generated in memory for tests, tools and scenes. Lengths in m, y is up, normals point outwards,
// centred on the origin unless stated otherwise. Sizes must be positive; too few segments are an error.
#ifndef TOOLS_MESHES_MAKE_H
#define TOOLS_MESHES_MAKE_H

#include "spate/mesh.h"

// Closed, with uvs: u around the y axis, v from bottom to top.
spate_result make_sphere(spate_mesh **mesh, double radius, uint32_t segments, uint32_t rings, spate_error *error);
// Closed, 12 triangles; each side shows the whole texture.
spate_result make_box(spate_mesh **mesh, const double size[3], spate_error *error);
// Closed, lying flat: the centre line of the tube is at distance `ring` from the y axis.
spate_result make_torus(spate_mesh **mesh, double ring, double tube, uint32_t segments, uint32_t sides,
			spate_error *error);
// Closed: a cup standing on y = 0, open at the top, with walls and bottom of the given thickness.
spate_result make_cup(spate_mesh **mesh, double radius, double height, double wall, uint32_t segments,
		      spate_error *error);
// An open sheet with uvs, size_x by size_z, with hills between 0 and `height` that depend only on the seed.
spate_result make_terrain(spate_mesh **mesh, double size_x, double size_z, double height, uint32_t cells, uint64_t seed,
			  spate_error *error);
// A profile of `rings` pairs of radius and height, turned about the y axis, from below: closed below by a disc, and above
// too with `lid`.
spate_result make_turned(spate_mesh **mesh, const double (*profile)[2], uint32_t rings, int lid, uint32_t segments,
			 spate_error *error);
// A Moebius strip around the y axis: open, with a single side.
spate_result make_moebius(spate_mesh **mesh, double radius, double width, uint32_t segments, spate_error *error);
// A wheel that turns about the z axis: a closed hub, and closed blades that start inside it.
spate_result make_wheel(spate_mesh **mesh, double radius, double hub, double width, double thickness, uint32_t blades,
			spate_error *error);
// A grate, lying flat: `bars` bars along z in a frame, all closed square bars that overlap.
spate_result make_grate(spate_mesh **mesh, double size, double bar, uint32_t bars, spate_error *error);
// Two closed spheres with centres `distance` apart along x.
spate_result make_two_spheres(spate_mesh **mesh, double radius, double distance, uint32_t segments, uint32_t rings,
			      spate_error *error);
// A cube whose sides given by the bits of `flipped` (-x +x -y +y -z +z) face inwards.
spate_result make_flipped_cube(spate_mesh **mesh, double size, uint32_t flipped, spate_error *error);
// Two sheets in the shape of a V along z, with every triangle duplicated for the other side: area, but no volume.
spate_result make_wings(spate_mesh **mesh, double span, double chord, uint32_t cells, spate_error *error);
// A small animal sitting on y = 0 and facing -x: overlapping closed balls. About `size` long and high.
spate_result make_critter(spate_mesh **mesh, double size, spate_error *error);
// An idol that squats on a plinth on y = 0 and faces x, with an open mouth 0.27 `size` in front of the axis and 0.64 `size`
// high: overlapping closed balls and a box. About `size` high.
spate_result make_idol(spate_mesh **mesh, double size, spate_error *error);
// A dragon standing on y = 0 and facing x, with the defects of real meshes: its parts overlap, wings and fins are
// single sheets, the fins' edges have three triangles, and some bands of its skin face inwards. About 1.25 `size` long
// and 0.9 `size` high.
spate_result make_dragon(spate_mesh **mesh, double size, spate_error *error);
// A fish at the origin facing -x, closed. The wave along its back repeats with every whole phase; triangles and volume
// are the same for all phases.
spate_result make_fish(spate_mesh **mesh, double length, double phase, spate_error *error);

// A bath duck that floats with y up and faces x: overlapping closed balls. About 0.95 `size` long.
spate_result make_duck(spate_mesh **mesh, double size, spate_error *error);
// The hull of a ship, closed by its deck, with its bow at x = length / 2; 0.28 `length` wide, 0.2 `length` high amidships.
spate_result make_hull(spate_mesh **mesh, double length, spate_error *error);

// A block of land, closed, from y = -0.5: a river falls down three steps into a lake with a low place in its shore, behind
// which the land falls away. 2.8 m along x, 1.2 m along z.
spate_result make_cascade(spate_mesh **mesh, spate_error *error);
// The room of a sewer, a container of three closed pieces that overlap: above a street, in the shaft below it, and in the pipe
// that leaves the shaft along x.
spate_result make_sewer(spate_mesh **mesh, spate_error *error);
// Cobblestones on the street of the sewer, with gaps between them.
spate_result make_cobbles(spate_mesh **mesh, spate_error *error);

// Half a ball of one sheet, open at the height 0: rings from its lowest point, -radius, to the rim. Normals point inwards or outwards.
spate_result make_bag(spate_mesh **mesh, double radius, uint32_t rings, uint32_t segments, spate_error *error);
// A rectangle from the origin along x and y, of one sheet, which ripples a little, more so towards its far end.
spate_result make_flag(spate_mesh **mesh, double width, double height, uint32_t across, uint32_t up,
		       spate_error *error);

#endif
