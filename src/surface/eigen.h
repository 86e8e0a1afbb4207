// Eigenvalues and eigenvectors of a symmetric 3 x 3 matrix.
#ifndef SURFACE_EIGEN_H
#define SURFACE_EIGEN_H

// m = xx xy xz yy yz zz. Values are in descending order; vectors[k] is the unit vector of values[k], and the three are
// right-handed. Uses Jacobi rotations: exact to rounding, also for equal, zero and negative values.
void eigen_symmetric(const double m[6], double values[3], double vectors[3][3]);

#endif
