// The inner loop of field_voxels.c, built once per instruction set: distances from the 512 voxels of a block to triangles.
#ifndef COLLIDER_FIELD_KERNEL_H
#define COLLIDER_FIELD_KERNEL_H

#include "base/simd_level.h"

#include <stdint.h>

// A triangle as its distance is computed, in cells from the first voxel of a block. A side is seen from its point nearest to the block and
// a plane is kept by its offset, so that triangles far larger than the block lose no digits.
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
	// For each voxel the distance (cells; `reach` where it is not smaller) and which triangle is nearest, of equally near ones the first; -1
	// where none is within reach. `scratch` has KERNEL_SCRATCH words per triangle.
	void (*measure)(const near_triangle *triangles, uint32_t count, float reach, float *scratch,
			float distance[512], int32_t nearest[512]);
} field_kernel;

SIMD_TABLE(field_kernel, field_kernel_table)

#endif
