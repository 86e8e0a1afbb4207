// How much denser than at rest particles stand, measured in the same way whatever moved them: solvers have kernels of their own, and each
// judges itself kindly.
//
//   C_i = sum_j W(|x_i - x_j|) / W_lattice - 1        over all neighbours, images and the particle itself
//
// with the kernel C4 of Wendland over three spacings, W_lattice being the sum on the cubic lattice. Flat walls along the axes are mirrors,
// in edges and corners too.
#ifndef SPACE_CROWDING_H
#define SPACE_CROWDING_H

#include "base/vec.h"
#include "spate/result.h"

#include <stdint.h>

// Walls at both ends of each axis (m, in the frame of the places); infinite for none.
typedef struct crowding_box
{
	double low[3], high[3];
} crowding_box;

typedef struct crowding
{
	double mean;    // of max(C, 0) over all particles
	double largest; // C
} crowding;

// Particles of one spacing (m). The same bits for any number of threads.
spate_result crowding_measure(const vec4 *places, uint32_t count, double spacing, const crowding_box *box, int threads,
			      crowding *out, spate_error *error);

#endif
