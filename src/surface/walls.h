// Keeps a surface out of walls: vertices inside a solid are moved to its surface.
#ifndef SURFACE_WALLS_H
#define SURFACE_WALLS_H

#include "collider/collider.h"
#include "spate/mesh.h"

// Moves the vertices that are inside of a solid, at the poses of the end of the set's step, to the nearest place outside. Positions are
// relative to the set's origin; `reach` (m) is the most that a vertex may move, deeper ones stay. Where a channel "normal" is there, those of moved
// vertices are made anew. *moved (may be NULL) is how many did.
spate_result surface_keep_out(spate_mesh *mesh, const collider_set *walls, float reach, int threads, uint32_t *moved,
			      spate_error *error);

#endif
