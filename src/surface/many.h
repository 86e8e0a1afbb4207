// Surfaces of several fluids: the stages of many.c.
#ifndef SURFACE_MANY_H
#define SURFACE_MANY_H

#include "surface/blocks.h"
#include "surface/build.h"
#include "surface/labels.h"

// All fluids together, and each separately. `joined` holds the rows of fluid 1, then of fluid 2 and so on.
typedef struct many_build
{
	uint32_t fluids;
	spate_surface_input joined;
	float *positions, *radii; // of joined
	uint32_t *first;          // first row of each fluid in joined; one more at the end
	spate_surface_def def;    // for all fluids together
	spate_surface_def
	    own; // for each fluid: normalised kernel sums, by which a drop in another fluid is as strong as bulk liquid
	surface_build all;
	surface_build *each;
	spate_surface_stats *stats; // per fluid
} many_build;

// The sparse grid with the functions of all fluids, stored only where several are near. In src/surface/many_grid.c.
typedef struct many_grid
{
	uint32_t fluids;
	surface_blocks blocks; // of all fluids together
	uint16_t *near;        // per block: fluids with particles near, one bit each
	uint32_t *first;       // per block with several fluids: index of its values, in units of 64; else BLOCK_NONE
	float *values;         // share of each fluid that is near, 0 to 1; lowest fluid first
	uint8_t *labels;       // 64 per block
} many_grid;

spate_result many_grid_init(many_grid *grid, const many_build *build, spate_error *error);
void many_grid_free(many_grid *grid);
// Contours the interfaces.
spate_result many_grid_contour(const many_grid *grid, chromatic_mesh *mesh, int threads, spate_error *error);

// The closed surfaces formed by the sides of triangles, connected by common vertices: the outside of a drop, the hole
// it leaves in another fluid. Side s is sides[s / 2][s % 2]. In src/surface/many_parts.c.
typedef struct many_parts
{
	uint32_t sides;
	uint32_t *parent; // parent in the union-find forest; the root represents the part
	double *volumes;  // m^3, stored at the root: positive for bodies, negative for holes
} many_parts;

spate_result many_parts_init(many_parts *parts, const chromatic_mesh *mesh, uint32_t fluids, spate_error *error);
void many_parts_free(many_parts *parts);
uint32_t many_parts_find(const many_parts *parts, uint32_t side);
void many_parts_measure(many_parts *parts, const spate_mesh *mesh);

// Assigns components of fluids that enclose less than `blob`, and of air that enclose less than `cavity` (m^3), to the neighbour with the
// largest contact area. In src/surface/many_clean.c.
spate_result many_remove_parts(chromatic_mesh *mesh, uint32_t fluids, double blob, double cavity, uint32_t *blobs,
			       uint32_t *cavities, spate_error *error);

// Smooths a mesh of interfaces: sheets as surface_smooth() does, seams only along themselves, points where seams meet
// not at all. Shared vertices stay shared. Vertices that would cause crossings or inversions move less or not at all.
// In src/surface/many_smooth.c.
spate_result many_smooth(chromatic_mesh *mesh, uint32_t fluids, int rounds, int threads, spate_error *error);

// Outcome of repairing degenerate triangles.
typedef struct many_mended
{
	uint32_t needles; // found
	uint32_t left;    // could not be repaired
	uint32_t flips, collapses;
} many_mended;

// Removes triangles without area (mesh_has_area()) by flipping or collapsing one edge of each, wherever that keeps all
// fluids closed, keeps seams unchanged and causes no crossings. `out` may be NULL. In src/surface/many_mend.c.
spate_result many_mend(chromatic_mesh *mesh, int threads, many_mended *out, spate_error *error);

#endif
