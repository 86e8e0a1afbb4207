// The inner loop of field_voxels.c, compiled once per instruction set: distances from the 512 voxels of a block to
// triangles.
#ifndef COLLIDER_FIELD_KERNEL_H
#define COLLIDER_FIELD_KERNEL_H

#include "base/simd_level.h"

#include <stdint.h>

// A triangle prepared for distance queries, in cells relative to the first voxel of a block. Sides are relative to
// their point nearest to the block and planes are stored by offset, so that triangles far larger than the block lose no
// precision.
typedef struct near_triangle
{
	float plane[4]; // unit normal, offset
	struct
	{
		float wall[4]; // unit normal in the triangle's plane, inwards, and offset
		float point[3], along[3];
		float low, high; // ends of the side, along the unit vector from the point
	} sides[3];
} near_triangle;

enum
{
	KERNEL_SCRATCH = 18 // words per triangle
};

typedef struct field_kernel
{
	// For each voxel, the distance (cells, at most `reach`) and the nearest triangle; of equally near triangles,
	// the first; -1 if none is within reach. `scratch` has KERNEL_SCRATCH words per triangle.
	void (*measure)(const near_triangle *triangles, uint32_t count, float reach, float *scratch,
			float distance[512], int32_t nearest[512]);
} field_kernel;

SIMD_TABLE(field_kernel, field_kernel_table)

#endif
