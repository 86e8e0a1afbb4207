// The prototype neighbourhood: a particle inside a fluid at rest, on a cubic lattice. Volume, stiffness and relaxation of the
// position-based solver are calibrated on it, so that users need not tune them.
#ifndef SOLVER_PROTOTYPE_H
#define SOLVER_PROTOTYPE_H

typedef struct prototype
{
	double volume;    // m^3; makes sum_j V W_ij one on the lattice
	double stiffness; // 1 / sum_j |V grad W_ij|^2 (m^2)
	double beta;      // relaxation at which no plane wave overshoots
	double response;  // of long waves: stiffness (g_poly6 . g_spiky) / (k d)^2, "a" of the residual formula
	double gradient;  // what the sum of spiky gradients makes of a linear field, relative to its slope
} prototype;

// Spacing and kernel radius in m.
prototype prototype_make(double spacing, double radius);

#endif
