// Labels: assigns a fluid to every point from one implicit function per fluid, and extracts the interfaces on a grid.
//
// phi_k is positive inside fluid k and negative outside; fluids are 1 to K <= 15, air is 0. phi[k - 1] belongs to fluid
// k. Where several are positive, one of two rules decides:
//
//   strongest  the fluid with the largest function; of equals, the lowest
//   composite  P_0 = 0, P_k = |P_{k-1} - max(0, phi_k)|: fluid k takes the region phi_k > P_{k-1}, and
//              later fluids take from it. The interfaces are the zero set of P_K. With three or more fluids the
//              result depends on their order.
#ifndef SURFACE_LABELS_H
#define SURFACE_LABELS_H

#include "surface/chromatic_mesh.h"

#include <stddef.h>

typedef enum labels_rule
{
	LABELS_STRONGEST,
	LABELS_COMPOSITE
} labels_rule;

// P_K of the first `fluids` functions.
float labels_composite(uint32_t fluids, const float *phi);

// Gradient of P_K from the gradients of the functions (3 floats each).
void labels_composite_gradient(uint32_t fluids, const float *phi, const float (*gradients)[3], float out[3]);

// The fluid that a point belongs to, 0 for air.
uint8_t labels_classify(labels_rule rule, uint32_t fluids, const float *phi);

// Writes the functions at a grid point to phi (one per fluid). Called once per point, from several threads.
typedef void labels_sample(void *context, const int32_t point[3], float *phi);

typedef struct labels_grid
{
	uint32_t fluids; // 1 to 15
	labels_rule rule;
	double origin[3]; // m, of grid point 0, 0, 0
	double cell;      // m, edge of a cell
	labels_sample *sample;
	void *context;
	int threads; // 0 uses all cores
} labels_grid;

// The interfaces inside the given cells, each identified by its lowest grid point, without duplicates. Cells with a
// single label may be omitted; if all others are given and surrounded by air, every fluid's surface is closed.
spate_result labels_contour(const labels_grid *grid, uint32_t cell_count, const int32_t (*cells)[3],
			    chromatic_mesh *mesh, spate_error *error);

// Functions in a dense block of grid points, x fastest.
typedef struct labels_block
{
	uint32_t fluids;
	uint32_t size[3]; // points along each axis
	const float *phi; // `fluids` per point
} labels_block;

// A labels_sample whose context is a labels_block. Outside the block everything is air, with the interface half a cell
// outside; at most that far by the composite rule.
void labels_block_sample(void *context, const int32_t point[3], float *phi);

// The interfaces inside a block, closed at its border. The grid's sample and context are not used.
spate_result labels_contour_block(const labels_grid *grid, const labels_block *block, chromatic_mesh *mesh,
				  spate_error *error);

#endif
