// Distance fields of triangle meshes: sparse grids of the distance to the surface and of the nearest triangle, put together by OpenVDB
// behind src/bridge, kept and sampled as NanoVDB grids. docs/theory/collision_fields.md tells how they are built.
#ifndef COLLIDER_FIELD_H
#define COLLIDER_FIELD_H

#include "base/vec.h"
#include "spate/mesh.h"

#include <stddef.h>

typedef struct distance_field distance_field;

typedef struct field_settings
{
	float cell;     // m
	float band;     // m: distances are known so far from the surface, on both sides
	int signed_too; // 1: negative in space that the mesh encloses; 0: never negative
} field_settings;

// Whether this build has what fields need.
int distance_field_available(void);

// Checks what a field can be made of.
spate_result field_check(const spate_mesh *mesh, const field_settings *settings, spate_error *error);

spate_result distance_field_create(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
				   int threads, spate_error *error);
void distance_field_destroy(distance_field *field);

// Distance at p (m), at most the band's width in size, and its slope, a unit vector except near edges and ridges; zero beyond the band.
// `gradient` may be NULL.
float distance_field_sample(const distance_field *field, vec3 p, vec3 *gradient);

// No triangle is closer to p than the size of this (m), which is negative where the mesh encloses p; quicker than the distance, too small by
// a few cells, and known far beyond the band.
float distance_field_room(const distance_field *field, vec3 p);

// The same, less quick, and too small by a cell or two; known in the band only.
float distance_field_bound(const distance_field *field, vec3 p);

enum
{
	FIELD_STRAIGHT = 3, // cells
	FIELD_NO_TRIANGLE = -1
};

// Whether walls may meet near p. Where they do not, the distance grows along its slope as far as one goes, for FIELD_STRAIGHT cells at least.
int distance_field_folds(const distance_field *field, vec3 p);

// Index of the triangle nearest to p among those nearest to the corners of its cell; FIELD_NO_TRIANGLE beyond the band.
int32_t distance_field_triangle(const distance_field *field, vec3 p);

// What is in a field.
typedef struct field_info
{
	field_settings settings;
	int encloses;    // 1 when there is negative space
	uint64_t voxels; // active
	size_t bytes;    // of both grids and the table of leaves
	vec3 low, high;  // box around the band (m)
} field_info;

const field_info *distance_field_info(const distance_field *field);

// The field of a mesh, from the disk when it was built before. `folder` is where fields are kept; NULL for none. *found (may be NULL) tells
// whether it was there. The key is a hash of positions, triangles, settings and format.
spate_result distance_field_fetch(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
				  const char *folder, int threads, int *found, spate_error *error);

#endif
