// Exact test of which side of a plane a point lies on.
#ifndef MESH_VOLUME_H
#define MESH_VOLUME_H

// Sign of det(q - p, r - p, s - p), six times the volume of the tetrahedron p q r s: -1, 0 or 1, exact for all finite
// floats. Slow: for the few cases where double precision is inconclusive.
int volume_sign(const float p[3], const float q[3], const float r[3], const float s[3]);

#endif
