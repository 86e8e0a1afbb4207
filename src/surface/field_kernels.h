// The inner loops of surface reconstruction, compiled once per instruction set.
#ifndef SURFACE_FIELD_KERNELS_H
#define SURFACE_FIELD_KERNELS_H

#include "base/simd_level.h"
#include "base/vec.h"
#include "space/space_kernels.h"

#include <stddef.h>
#include <stdint.h>

enum
{
	GRID_SIDE = 4, // grid points along a block's edge
	GRID_POINTS = GRID_SIDE * GRID_SIDE * GRID_SIDE
};

// Particles near a block or a place. The first `near` are within a kernel radius of it; padded with distant ones to
// whole vectors. W(r) = (1 - r^2 / H^2)^3.
typedef struct field_points
{
	const float *x, *y, *z; // m, from the block's first point
	const float *weight;    // factor of W
	const float *falloff;   // 1 / H^2 per particle; NULL: falloff_all
	const float *radius;    // m, surface distance per particle; NULL: radius_all
	const float *shape[6];  // xx 2xy 2xz yy 2yz zz of the squared metric; for shaped_block only
	float falloff_all, radius_all;
	const uint32_t *rows;
	float *scratch[5]; // as long as the others; for distance_block and place
	size_t near, count;
} field_points;

// Further parameters of the distance functions.
typedef struct distance_rule
{
	int decay;         // whether the radius shrinks where the mean of the particles lies outside the liquid
	float thin, dense; // wmin and wmax of the transfer function
	float cell;        // m, between grid points
	float empty;       // m, value where there is nothing
} distance_rule;

// Sums at one place: weighted kernels, their gradient, and the mean position of the particles with its derivatives.
typedef struct place_sums
{
	uint32_t active; // number of vectors with a particle in range
	float sum;
	vec3 gradient; // of sum, 1/m
	vec3 offset;   // m, from the mean of the particles to the place
	vec3 slope;    // gradient of the length of offset
} place_sums;

// Particles as columns.
typedef struct field_columns
{
	float *x, *y, *z; // m, from the box's origin
	float *weight;
	uint32_t *row;
	size_t count;
} field_columns;

typedef struct field_box
{
	vec3 origin, low, high; // m
	float near, reach;      // m, distance from the box, at least
} field_box;

typedef struct field_kernels
{
	// puts the rows of some ranges within `near` of the box into one set of columns and those within `reach` into
	// another, in order
	void (*load)(field_columns *near, field_columns *others, const vec4 *positions, const float *weights,
		     const row_range *ranges, size_t count, const field_box *box);
	// sums of W, and of W times the offset from p, over particles at absolute positions
	void (*weigh)(const field_points *points, vec3 p, float out[4]);
	// |p - C(p)| - R f(p) at the 64 points of a block
	void (*distance_block)(const field_points *points, const distance_rule *rule, float *out);
	// sum of weight W at these points
	void (*color_block)(const field_points *points, float cell, float *out);
	// the same with a metric per particle
	void (*shaped_block)(const field_points *points, float cell, float *out);
	// sums at one place; writes each particle's weight W to `share` and the offsets of active vectors to scratch[1]
	void (*place)(const field_points *points, vec3 p, float *share, place_sums *out);
	// sums of share times value per column over the active vectors; particles with a zero share may have any value
	void (*mix)(const float *share, const uint32_t *active, size_t count, const float *values, size_t stride,
		    uint32_t columns, float *out);
	// sums of v, v x, v y, v z, v xx, v xy, v xz, v yy, v yz, v zz about p with v = 1 - (r / radius)^3, and the number of
	// particles within the radius
	float (*moments)(const field_points *points, vec3 p, float radius, float out[10]);
} field_kernels;

SIMD_TABLE(field_kernels, field_kernels_table)

#endif
