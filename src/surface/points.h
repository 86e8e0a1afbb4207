// The particles of a surface: copied, sorted by cell, and queried by box.
#ifndef SURFACE_POINTS_H
#define SURFACE_POINTS_H

#include "base/array.h"
#include "base/vec.h"
#include "space/space_index.h"
#include "space/space_kernels.h"
#include "spate/result.h"

// Rows are sorted by (cell, row of the input). Arrays have room for a tail, since whole vectors are read.
typedef struct surface_points
{
	uint32_t count;
	int uniform;      // all particles have the same radius
	float spacing;    // m, of the grid and of uniform particles
	float largest;    // m, the largest spacing of a particle
	float kernel;     // kernel radius in spacings
	vec4 *positions;  // m; w is 1 / H^2 with H the particle's kernel radius
	float *spacings;  // m, per particle; NULL when uniform
	float *weights;   // 1 / w, set by field_weigh()
	uint8_t *border;  // 1 near the surface, set by field_weigh()
	float *shares;    // fraction of a particle that each row stands for; NULL for 1
	uint32_t *source; // row of the input
	vec4 *centres;    // m, smoothed positions of anisotropic particles, with the weight in w; else NULL
	float *shapes;    // 6 per particle, xx xy xz yy yz zz of the squared metric, 1/m^2; else NULL
	float shift;      // m, maximum distance between a centre and its particle
	space_index index;
} surface_points;

// Input of the sort: the rows that take part, in ascending order.
typedef struct points_source
{
	uint32_t count;
	const uint32_t *rows;
	const float *positions;
	uint32_t stride;
	const float *radii; // NULL when uniform
	float spacing, kernel;
} points_source;

// All zero is the empty set.
spate_result surface_points_init(surface_points *points, const points_source *source, int threads, spate_error *error);
void surface_points_free(surface_points *points);

// Particles near a box, gathered by one thread. All zero is the empty set.
typedef struct point_set
{
	ARRAY(row_range) ranges;
	ARRAY(float) x, y, z;
	ARRAY(uint32_t) rows;
	size_t count;
} point_set;

void point_set_free(point_set *set);

// Lists the ranges of rows whose cells are within `reach` of the box, and counts their rows. Returns 0 when out of
// memory.
int point_set_list(point_set *set, const surface_points *points, vec3 low, vec3 high, float reach, size_t *found);

// Loads all particles within `reach` of the box, ordered by leaf and row; may include others. Returns 0 when out of
// memory.
int point_set_gather(point_set *set, const surface_points *points, vec3 low, vec3 high, float reach);

// One set per thread.
point_set *point_sets_create(int threads, spate_error *error);
void point_sets_destroy(point_set *sets, int threads);

#endif
