// The interfaces between several fluids as one mesh: every triangle stores the fluids on its two sides.
//
// Fluids have ids 1 to 15, 0 is air. The mesh is connected wherever interfaces meet: three sheets share an edge where three fluids
// (or two and air) meet. The triangles around one fluid are a closed surface in which every edge has two triangles.
#ifndef SURFACE_CHROMATIC_MESH_H
#define SURFACE_CHROMATIC_MESH_H

#include "spate/mesh.h"

enum
{
	CHROMATIC_MAX_FLUIDS = 15
};

// Kinds of tetrahedra by the number of corners per colour. In the plane, 3, 2-1 and 1-1-1 are the first, second and
// last.
typedef enum chromatic_case
{
	CHROMATIC_4,
	CHROMATIC_3_1,
	CHROMATIC_2_2,
	CHROMATIC_2_1_1,
	CHROMATIC_1_1_1_1,
	CHROMATIC_CASES
} chromatic_case;

// All zero is empty.
typedef struct chromatic_mesh
{
	spate_mesh *mesh;
	uint8_t (
	    *sides)[2]; // per triangle; the normal points from the first fluid to the second, which is less: air last
	uint64_t cases[CHROMATIC_CASES]; // tetrahedra of each kind that were cut
} chromatic_mesh;

void chromatic_mesh_free(chromatic_mesh *mesh);

// The closed surface of one fluid, normals outwards, with the vertices it uses in their original order. Empty if the
// fluid does not occur.
spate_result chromatic_mesh_extract(const chromatic_mesh *mesh, uint8_t fluid, spate_mesh **out, spate_error *error);

#endif
