// Keeps a surface out of walls: vertices inside a solid are moved to its surface.
#ifndef SURFACE_WALLS_H
#define SURFACE_WALLS_H

#include "collider/collider.h"
#include "spate/mesh.h"

// Moves vertices that are inside a solid, at the poses at the end of the set's step, to the nearest place outside.
// Positions are relative to the set's origin. `reach` (m) is the maximum displacement; deeper vertices stay. If the
// mesh has a channel "normal", it is recomputed for moved vertices. *moved (may be NULL) is set to their number.
spate_result surface_keep_out(spate_mesh *mesh, const collider_set *walls, float reach, int threads, uint32_t *moved,
			      spate_error *error);

#endif
