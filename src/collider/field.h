// Distance fields of triangle meshes: sparse grids of the distance to the surface and of the nearest triangle, assembled by OpenVDB
// (src/bridge), stored and sampled as NanoVDB grids. See docs/theory/collision_fields.md.
#ifndef COLLIDER_FIELD_H
#define COLLIDER_FIELD_H

#include "base/vec.h"
#include "spate/mesh.h"

#include <stddef.h>

typedef struct distance_field distance_field;

typedef struct field_settings
{
	float cell;     // m
	float band;     // m, half-width of the narrow band around the surface
	int signed_too; // 1: negative in enclosed space; 0: never negative
} field_settings;

// Whether this build supports distance fields.
int distance_field_available(void);

// Checks a mesh and settings.
spate_result field_check(const spate_mesh *mesh, const field_settings *settings, spate_error *error);

spate_result distance_field_create(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
				   int threads, spate_error *error);
void distance_field_destroy(distance_field *field);

// Distance at p (m), clamped to the band, and its gradient, a unit vector except near edges and ridges; zero beyond the band.
// `gradient` may be NULL.
float distance_field_sample(const distance_field *field, vec3 p, vec3 *gradient);

// Lower bound on the distance from p to any triangle (m), negative where the mesh encloses p; faster than the distance, too small by a
// few cells, and valid far beyond the band.
float distance_field_room(const distance_field *field, vec3 p);

// The same, slower but tighter (too small by a cell or two); valid in the band only.
float distance_field_bound(const distance_field *field, vec3 p);

enum
{
	FIELD_STRAIGHT = 3, // cells
	FIELD_NO_TRIANGLE = -1
};

// Whether walls may meet near p. If not, the distance grows linearly along its gradient for at least FIELD_STRAIGHT cells.
int distance_field_folds(const distance_field *field, vec3 p);

// Index of the triangle nearest to p among those nearest to the corners of its cell; FIELD_NO_TRIANGLE beyond the band.
int32_t distance_field_triangle(const distance_field *field, vec3 p);

// Facts about a field.
typedef struct field_info
{
	field_settings settings;
	int encloses;    // 1 if there is enclosed space
	uint64_t voxels; // active
	size_t bytes;    // of both grids and the table of leaves
	vec3 low, high;  // box around the band (m)
} field_info;

const field_info *distance_field_info(const distance_field *field);

// The field of a mesh, from the cache in `folder` (NULL for none) if it was built before. *found (may be NULL) is set to whether it was
// in the cache. The key is a hash of positions, triangles, settings and format.
spate_result distance_field_fetch(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
				  const char *folder, int threads, int *found, spate_error *error);

#endif
