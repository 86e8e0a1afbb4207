// Sampling. The value is the trilinear interpolant of the eight voxels around a place, the slope its exact derivative.
//
// Where a sheet without an inside passes through a cell, all eight values are positive and the interpolant misses the
// fold between them. Such a cell is detected by its mean slope, which is 1 without a fold and less with one; there the
// distance is computed from the triangles themselves.
#include "collider/field.h"

#include "base/error.h"
#include "base/memory.h"
#include "collider/closest.h"
#include "collider/field_data.h"

#include <string.h>
#include <sys/mman.h>

static const float half_diagonal = 0.87f; // of a cell, in cells
static const float fold_slope = 0.95f;    // square of the mean slope; smaller ones indicate a fold

void distance_field_destroy(distance_field *field)
{
	if (!field)
		return;
	mem_free(field->blocks[0]);
	mem_free(field->blocks[1]);
	if (field->mapping)
		munmap(field->mapping, field->mapping_bytes);
	leaf_table_free(&field->table);
	mem_free(field->positions);
	mem_free(field->triangles);
	mem_free(field);
}

const field_info *distance_field_info(const distance_field *field)
{
	return &field->info;
}

// A leaf with its voxels, or a single value if all voxels are equal.
typedef struct field_leaf
{
	const float *distances;
	const int32_t *nearest;
	float value;
} field_leaf;

static __attribute__((noinline)) field_leaf walk_to_leaf(const distance_field *f, uint32_t x, uint32_t y, uint32_t z)
{
	const int32_t *low = f->table.low;
	const int32_t at[3] = {8 * (low[0] + (int32_t)x), 8 * (low[1] + (int32_t)y), 8 * (low[2] + (int32_t)z)};
	uint32_t value = 0, unused;
	field_leaf leaf = {.distances = field_find_leaf(f->distance, at, 1, &value),
			   .nearest = field_find_leaf(f->nearest, at, 0, &unused)};
	memcpy(&leaf.value, &value, sizeof value);
	return leaf;
}

static inline size_t entry_of(const leaf_table *t, uint32_t x, uint32_t y, uint32_t z)
{
	return ((size_t)x * t->size[1] + y) * t->size[2] + z;
}

static inline field_leaf leaf_of(const leaf_table *t, size_t entry)
{
	int32_t index = t->leaf[entry];
	if (index < 0)
		return (field_leaf){.value = t->values[-1 - index]};
	return (field_leaf){t->distances[index], t->nearest[index], 0.0f};
}

// A leaf by its coordinates in the table.
static inline field_leaf leaf_at(const distance_field *f, uint32_t x, uint32_t y, uint32_t z)
{
	if (__builtin_expect(f->table.size[0] == 0, 0))
		return walk_to_leaf(f, x, y, z);
	return leaf_of(&f->table, entry_of(&f->table, x, y, z));
}

static inline size_t voxel_of(uint32_t x, uint32_t y, uint32_t z)
{
	return (size_t)((x & 7) << 6 | (y & 7) << 3 | (z & 7));
}

static int32_t voxel_nearest(const distance_field *f, uint32_t x, uint32_t y, uint32_t z)
{
	field_leaf leaf = leaf_at(f, x >> 3, y >> 3, z >> 3);
	return leaf.nearest ? leaf.nearest[voxel_of(x, y, z)] : FIELD_NO_TRIANGLE;
}

// The eight corner values of a cell: `below` and `above` along z, lane 2 i + j along x and y.
typedef struct cell_values
{
	lanes4 below, above;
} cell_values;

static inline cell_values part_pairs(lanes4 a, lanes4 b)
{
	return (cell_values){__builtin_shufflevector(a, b, 0, 2, 4, 6), __builtin_shufflevector(a, b, 1, 3, 5, 7)};
}

// Two consecutive voxels along z, moved as one double (never used in arithmetic).
static inline double load_pair(const float *first)
{
	double pair;
	memcpy(&pair, first, sizeof pair);
	return pair;
}

// Two voxels of a cell along z, from one leaf or from two adjacent ones.
static inline double read_pair(field_leaf low, field_leaf high, uint32_t x, uint32_t y, uint32_t z)
{
	if (((z + 1) & 7) && low.distances)
		return load_pair(low.distances + voxel_of(x, y, z));
	const float both[2] = {low.distances ? low.distances[voxel_of(x, y, z)] : low.value,
			       high.distances ? high.distances[voxel_of(x, y, z + 1)] : high.value};
	return load_pair(both);
}

static inline lanes4 join_pairs(double first, double second)
{
	typedef double lanes2 __attribute__((vector_size(16)));
	return (lanes4)(lanes2){first, second};
}

// A cell by its first corner, counted from the first voxel of the table, and the position of a point inside it.
typedef struct cell_place
{
	uint32_t x, y, z;
	float tx, ty, tz;
} cell_place;

// Reads a cell whose corners lie in several leaves.
static void read_parted_cell(const distance_field *f, cell_place at, cell_values *out)
{
	const leaf_table *t = &f->table;
	uint32_t x = at.x, y = at.y, z = at.z;
	double pairs[4];
	if (__builtin_expect(t->size[0] == 0, 0))
		for (uint32_t k = 0; k < 4; k++)
		{
			uint32_t u = x + (k >> 1), v = y + (k & 1);
			pairs[k] = read_pair(walk_to_leaf(f, u >> 3, v >> 3, z >> 3),
					     walk_to_leaf(f, u >> 3, v >> 3, (z + 1) >> 3), u, v, z);
		}
	else
	{
		// offsets to the next leaf along x, y and z, if the cell extends into it
		size_t first = entry_of(t, x >> 3, y >> 3, z >> 3), up = ((z + 1) & 7) == 0,
		       along_x = ((x + 1) & 7) == 0 ? (size_t)t->size[1] * t->size[2] : 0,
		       along_y = ((y + 1) & 7) == 0 ? t->size[2] : 0;
		for (uint32_t k = 0; k < 4; k++)
		{
			size_t entry = first + (k >> 1) * along_x + (k & 1) * along_y;
			field_leaf low = leaf_of(t, entry);
			pairs[k] = read_pair(low, up ? leaf_of(t, entry + 1) : low, x + (k >> 1), y + (k & 1), z);
		}
	}
	*out = part_pairs(join_pairs(pairs[0], pairs[1]), join_pairs(pairs[2], pairs[3]));
}

// Returns 0 if the whole cell has a single value, stored in *one.
static inline int read_cell(const distance_field *f, cell_place at, cell_values *out, float *one)
{
	uint32_t x = at.x, y = at.y, z = at.z;
	if (((x + 1) & 7) && ((y + 1) & 7) && ((z + 1) & 7))
	{
		field_leaf own = leaf_at(f, x >> 3, y >> 3, z >> 3);
		if (!own.distances)
		{
			*one = own.value;
			return 0;
		}
		const float *leaf = own.distances + voxel_of(x, y, z);
		*out = part_pairs(join_pairs(load_pair(leaf), load_pair(leaf + 8)),
				  join_pairs(load_pair(leaf + 64), load_pair(leaf + 72)));
		return 1;
	}
	read_parted_cell(f, at, out);
	return 1;
}

static dvec3 corner_of(const distance_field *f, int32_t triangle, int corner)
{
	const float *p = f->positions + 3 * (size_t)f->triangles[3 * (size_t)triangle + (size_t)corner];
	return (dvec3){(double)p[0], (double)p[1], (double)p[2]};
}

// Of the triangles nearest to the corners of a cell, the one nearest to p, and its nearest point.
static int32_t nearest_of_cell(const distance_field *f, cell_place at, dvec3 p, dvec3 *point)
{
	int32_t seen[8], best = FIELD_NO_TRIANGLE;
	double least = INFINITY;
	for (int k = 0; k < 8; k++)
	{
		seen[k] = voxel_nearest(f, at.x + (uint32_t)(k >> 2), at.y + (uint32_t)(k >> 1 & 1),
					at.z + (uint32_t)(k & 1));
		int again = seen[k] == FIELD_NO_TRIANGLE;
		for (int i = 0; i < k; i++)
			again |= seen[i] == seen[k];
		if (again)
			continue;
		dvec3 c = closest_on_triangle(corner_of(f, seen[k], 0), corner_of(f, seen[k], 1),
					      corner_of(f, seen[k], 2), p);
		dvec3 way = dvec3_sub(p, c);
		double square = dvec3_dot(way, way);
		if (square < least || (square == least && seen[k] < best))
		{
			least = square;
			best = seen[k];
			*point = c;
		}
	}
	return best;
}

// Whether a sheet causes a fold of the distance within a cell.
static inline int has_fold(const cell_values *v, float cell)
{
	// corner values differ by at most the diagonal
	if (v->below[0] < 0.0f || v->below[0] > (half_diagonal + 1.74f) * cell)
		return 0;
	float low = v->below[0];
	for (int k = 0; k < 4; k++)
	{
		low = v->below[k] < low ? v->below[k] : low;
		low = v->above[k] < low ? v->above[k] : low;
	}
	if (!(low >= 0.0f && low < half_diagonal * cell))
		return 0;
	lanes4 sum = v->below + v->above, rise = v->above - v->below;
	float x = (sum[2] + sum[3]) - (sum[0] + sum[1]), y = (sum[1] + sum[3]) - (sum[0] + sum[2]),
	      z = (rise[0] + rise[1]) + (rise[2] + rise[3]);
	return x * x + y * y + z * z < fold_slope * 16.0f * cell * cell;
}

// Computes the distance from the triangles themselves.
static __attribute__((noinline)) int sample_fold(const distance_field *f, cell_place at, vec3 p, float *distance,
						 vec3 *gradient)
{
	const dvec3 place = {(double)p.x, (double)p.y, (double)p.z};
	dvec3 point;
	if (nearest_of_cell(f, at, place, &point) == FIELD_NO_TRIANGLE)
		return 0;
	dvec3 way = dvec3_sub(place, point);
	double length = dvec3_length(way);
	*distance = (float)length;
	if (gradient)
	{
		double scale = length > 0.0 ? 1.0 / length : 0.0;
		*gradient = (vec3){(float)(way.x * scale), (float)(way.y * scale), (float)(way.z * scale)};
	}
	return 1;
}

static inline float mix(float a, float b, float t)
{
	return a + t * (b - a);
}

// Whether p is in the box around the band; the field is not read outside it. False for NaN.
static inline int in_box(const field_info *info, vec3 p)
{
	return p.x >= info->low.x && p.x <= info->high.x && p.y >= info->low.y && p.y <= info->high.y &&
	       p.z >= info->low.z && p.z <= info->high.z;
}

// Cells from the first voxel of the table to p, which must be in the box: coordinates are then positive, so a cast
// rounds down.
static inline vec3 cells_to(const distance_field *f, vec3 p)
{
	float scale = (float)f->scale;
	const float *first = f->table.first;
	return (vec3){p.x * scale - first[0], p.y * scale - first[1], p.z * scale - first[2]};
}

// The same without a table, when the box is too large or too far away for single precision.
static __attribute__((noinline)) cell_place find_far_cell(const distance_field *f, vec3 p)
{
	const int32_t *low = f->table.low;
	double x = fmax((double)p.x * f->scale - 8.0 * low[0], 0.0),
	       y = fmax((double)p.y * f->scale - 8.0 * low[1], 0.0),
	       z = fmax((double)p.z * f->scale - 8.0 * low[2], 0.0);
	cell_place at = {.x = (uint32_t)x, .y = (uint32_t)y, .z = (uint32_t)z};
	at.tx = (float)(x - at.x);
	at.ty = (float)(y - at.y);
	at.tz = (float)(z - at.z);
	return at;
}

static inline cell_place find_cell(const distance_field *f, vec3 p)
{
	if (__builtin_expect(f->table.size[0] == 0, 0))
		return find_far_cell(f, p);
	vec3 c = cells_to(f, p);
	int32_t x = (int32_t)c.x, y = (int32_t)c.y, z = (int32_t)c.z;
	return (cell_place){(uint32_t)x, (uint32_t)y, (uint32_t)z, c.x - (float)x, c.y - (float)y, c.z - (float)z};
}

float distance_field_sample(const distance_field *f, vec3 p, vec3 *gradient)
{
	float distance;
	cell_values v;
	if (gradient)
		*gradient = (vec3){0.0f, 0.0f, 0.0f};
	if (!in_box(&f->info, p))
		return f->info.settings.band;
	cell_place at = find_cell(f, p);
	if (!read_cell(f, at, &v, &distance))
		return distance;
	if (__builtin_expect(has_fold(&v, f->info.settings.cell), 0) && sample_fold(f, at, p, &distance, gradient))
		return distance;

	// along z, then y, then x
	lanes4 rise = v.above - v.below, level = v.below + at.tz * rise;
	float v0 = mix(level[0], level[1], at.ty), v1 = mix(level[2], level[3], at.ty);
	if (gradient)
	{
		float s = (float)f->scale, z0 = mix(rise[0], rise[1], at.ty), z1 = mix(rise[2], rise[3], at.ty);
		*gradient = (vec3){s * (v1 - v0), s * mix(level[1] - level[0], level[3] - level[2], at.tx),
				   s * mix(z0, z1, at.tx)};
	}
	return mix(v0, v1, at.tx);
}

int32_t distance_field_triangle(const distance_field *field, vec3 p)
{
	dvec3 point;
	if (!in_box(&field->info, p))
		return FIELD_NO_TRIANGLE;
	return nearest_of_cell(field, find_cell(field, p), (dvec3){(double)p.x, (double)p.y, (double)p.z}, &point);
}

static inline float larger(float a, float b)
{
	return a > b ? a : b;
}

// Distance from p to the box around the band, as the maximum over the axes; negative inside.
static inline float box_distance(const field_info *info, vec3 p)
{
	float x = larger(info->low.x - p.x, p.x - info->high.x), y = larger(info->low.y - p.y, p.y - info->high.y),
	      z = larger(info->low.z - p.z, p.z - info->high.z);
	return larger(larger(x, y), z);
}

// A voxel, counted from the first of the table.
typedef struct voxel_place
{
	uint32_t x, y, z;
} voxel_place;

// The voxel nearest to p, which must be in the box.
static inline voxel_place nearest_voxel(const distance_field *f, vec3 p)
{
	vec3 c = cells_to(f, p);
	return (voxel_place){(uint32_t)(int32_t)(c.x + 0.5f), (uint32_t)(int32_t)(c.y + 0.5f),
			     (uint32_t)(int32_t)(c.z + 0.5f)};
}

// Octant of the voxel nearest to p.
static inline field_octant octant_at(const distance_field *f, vec3 p)
{
	const leaf_table *t = &f->table;
	voxel_place at = nearest_voxel(f, p);
	return t->octants[((size_t)(at.x >> 2) * 2 * t->size[1] + (at.y >> 2)) * 2 * t->size[2] + (at.z >> 2)];
}

float distance_field_room(const distance_field *f, vec3 p)
{
	float beyond = box_distance(&f->info, p);
	if (!(beyond <= 0.0f))
		return f->info.settings.band + beyond;
	return f->table.octants ? 0.5f * f->info.settings.cell * (float)octant_at(f, p).room : 0.0f;
}

float distance_field_bound(const distance_field *f, vec3 p)
{
	const leaf_table *t = &f->table;
	float beyond = box_distance(&f->info, p);
	if (!(beyond <= 0.0f))
		return f->info.settings.band + beyond;
	if (t->size[0] == 0)
		return 0.0f;
	voxel_place at = nearest_voxel(f, p);
	int32_t index = t->leaf[entry_of(t, at.x >> 3, at.y >> 3, at.z >> 3)];
	float value = index < 0 ? t->values[-1 - index] : t->distances[index][voxel_of(at.x, at.y, at.z)],
	      size = larger(fabsf(value) - half_diagonal * f->info.settings.cell, 0.0f);
	return value < 0.0f ? -size : size;
}

int distance_field_folds(const distance_field *f, vec3 p)
{
	return !f->table.octants || !in_box(&f->info, p) || octant_at(f, p).folds;
}
