// Surfaces of several fluids: the stages of many.c.
#ifndef SURFACE_MANY_H
#define SURFACE_MANY_H

#include "surface/blocks.h"
#include "surface/build.h"
#include "surface/labels.h"

// All fluids together, and each on its own. Rows of `joined` are those of fluid 1, then of fluid 2 and so on.
typedef struct many_build
{
	uint32_t fluids;
	spate_surface_input joined;
	float *positions, *radii; // of joined
	uint32_t *first;          // row of joined where a fluid begins; one more at the end
	spate_surface_def def;    // of all
	spate_surface_def
	    own; // of each: normalised sums of kernels, among which a drop in another fluid is as strong as the sea
	surface_build all;
	surface_build *each;
	spate_surface_stats *stats; // per fluid
} many_build;

// The sparse grid with the functions of all fluids wherever more than one is near. In src/surface/many_grid.c.
typedef struct many_grid
{
	uint32_t fluids;
	surface_blocks blocks; // of all fluids together
	uint16_t *near;        // fluids with particles near, one bit each, per block
	uint32_t *first;       // where the values of a block with several begin, in blocks of 64; else BLOCK_NONE
	float *values;         // shares in what is near, 0 to 1; of the lowest fluid that is near first
	uint8_t *labels;       // 64 per block
} many_grid;

spate_result many_grid_init(many_grid *grid, const many_build *build, spate_error *error);
void many_grid_free(many_grid *grid);
// The interfaces.
spate_result many_grid_contour(const many_grid *grid, chromatic_mesh *mesh, int threads, spate_error *error);

// The closed surfaces that the sides of triangles belong to, by vertices in common: the outside of a drop, the hole that it leaves in
// another fluid. Side s is that of sides[s / 2][s % 2]. In src/surface/many_parts.c.
typedef struct many_parts
{
	uint32_t sides;
	uint32_t *parent; // towards the side that stands for the part
	double *volumes;  // m^3, at that side: positive outside, negative for holes
} many_parts;

spate_result many_parts_init(many_parts *parts, const chromatic_mesh *mesh, uint32_t fluids, spate_error *error);
void many_parts_free(many_parts *parts);
uint32_t many_parts_find(const many_parts *parts, uint32_t side);
void many_parts_measure(many_parts *parts, const spate_mesh *mesh);

// Assigns components of fluids that enclose less than `blob`, and of air that enclose less than `cavity` (m^3), to the neighbour with the
// largest contact area. In src/surface/many_clean.c.
spate_result many_remove_parts(chromatic_mesh *mesh, uint32_t fluids, double blob, double cavity, uint32_t *blobs,
			       uint32_t *cavities, spate_error *error);

// Smooths a mesh of interfaces: sheets as surface_smooth() does, seams along themselves, places where seams meet not at all. Shared
// vertices stay shared. What would cross or turn inside out stays where it was, or nearer to that. In src/surface/many_smooth.c.
spate_result many_smooth(chromatic_mesh *mesh, uint32_t fluids, int rounds, int threads, spate_error *error);

// Outcome of repairing degenerate triangles.
typedef struct many_mended
{
	uint32_t needles; // found
	uint32_t left;    // that could not be repaired
	uint32_t flips, collapses;
} many_mended;

// Rids a mesh of interfaces of triangles that mesh_has_area() says have none, by flipping or collapsing an edge of each wherever that keeps
// all fluids closed, seams as they are, and nothing crosses. `out` may be NULL. In src/surface/many_mend.c.
spate_result many_mend(chromatic_mesh *mesh, int threads, many_mended *out, spate_error *error);

#endif
