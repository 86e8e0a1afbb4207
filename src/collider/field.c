// Sampling. The value is the trilinear interpolant of the eight voxels around a place, the slope its exact derivative.
//
// Where a sheet without an inside passes through a cell, all eight are positive and the interpolant knows nothing of the fold
// between them. Such a cell shows by its mean slope, which is one length per length in a cell without a fold and less in one with; there
// the distance is taken from the triangles themselves.
#include "collider/field.h"

#include "base/error.h"
#include "base/memory.h"
#include "collider/closest.h"
#include "collider/field_data.h"

#include <string.h>
#include <sys/mman.h>

static const float fold_reach = 0.87f; // cells: half the diagonal of one, about
static const float fold_slope = 0.95f; // square of the slope below which a cell is taken to have a fold
static const uint64_t no_key = UINT64_MAX;

void distance_field_destroy(distance_field *field)
{
	if (!field)
		return;
	mem_free(field->blocks[0]);
	mem_free(field->blocks[1]);
	if (field->mapping)
		munmap(field->mapping, field->mapping_bytes);
	mem_free(field->positions);
	mem_free(field->triangles);
	mem_free(field);
}

const field_info *distance_field_info(const distance_field *field)
{
	return &field->info;
}

field_reader distance_field_reader(const distance_field *field)
{
	field_reader reader = {.field = field};
	for (int k = 0; k < FIELD_READER_SLOTS; k++)
		reader.slots[k].key = no_key;
	return reader;
}

// The slot of the leaf with these coordinates (in leaves). Neighbouring leaves never share one, so a cell's are all kept.
static inline int slot_of(field_reader *reader, int32_t x, int32_t y, int32_t z)
{
	const uint64_t bits = (1u << 21) - 1;
	uint64_t key = ((uint64_t)(uint32_t)x & bits) << 42 | ((uint64_t)(uint32_t)y & bits) << 21 |
		       ((uint64_t)(uint32_t)z & bits);
	int slot = (x & 1) << 2 | (y & 1) << 1 | (z & 1);
	if (__builtin_expect(reader->slots[slot].key != key, 0))
	{
		const int32_t at[3] = {x * 8, y * 8, z * 8};
		uint32_t value = 0;
		reader->slots[slot].key = key;
		reader->slots[slot].distances = field_find_leaf(reader->field->distance, at, 1, &value);
		reader->slots[slot].nearest = NULL;
		memcpy(&reader->slots[slot].value, &value, sizeof value);
	}
	return slot;
}

static inline float voxel_distance(field_reader *reader, int32_t x, int32_t y, int32_t z)
{
	int slot = slot_of(reader, x >> 3, y >> 3, z >> 3);
	const float *values = reader->slots[slot].distances;
	return values ? values[(x & 7) << 6 | (y & 7) << 3 | (z & 7)] : reader->slots[slot].value;
}

static int32_t voxel_nearest(field_reader *reader, int32_t x, int32_t y, int32_t z)
{
	int slot = slot_of(reader, x >> 3, y >> 3, z >> 3);
	if (!reader->slots[slot].distances)
		return FIELD_NO_TRIANGLE;
	if (!reader->slots[slot].nearest)
	{
		const int32_t at[3] = {x & ~7, y & ~7, z & ~7};
		uint32_t value;
		reader->slots[slot].nearest = field_find_leaf(reader->field->nearest, at, 0, &value);
		if (!reader->slots[slot].nearest)
			return FIELD_NO_TRIANGLE;
	}
	return reader->slots[slot].nearest[(x & 7) << 6 | (y & 7) << 3 | (z & 7)];
}

// The eight values around a cell, lane 4 i + 2 j + k; 0 when the whole cell has one, left in values[0].
static inline int read_cell(field_reader *reader, const int32_t at[3], float values[8])
{
	int32_t x = at[0], y = at[1], z = at[2];
	if (((x + 1) & 7) && ((y + 1) & 7) && ((z + 1) & 7))
	{
		int slot = slot_of(reader, x >> 3, y >> 3, z >> 3);
		const float *leaf = reader->slots[slot].distances;
		if (!leaf)
		{
			values[0] = reader->slots[slot].value;
			return 0;
		}
		leaf += (x & 7) << 6 | (y & 7) << 3 | (z & 7);
		memcpy(values, leaf, 2 * sizeof *values);
		memcpy(values + 2, leaf + 8, 2 * sizeof *values);
		memcpy(values + 4, leaf + 64, 2 * sizeof *values);
		memcpy(values + 6, leaf + 72, 2 * sizeof *values);
		return 1;
	}
	for (int k = 0; k < 8; k++)
		values[k] = voxel_distance(reader, x + (k >> 2), y + (k >> 1 & 1), z + (k & 1));
	return 1;
}

static inline int32_t floor_of(double x)
{
	int32_t i = (int32_t)x;
	return i - (x < i);
}

static dvec3 corner_of(const distance_field *f, int32_t triangle, int corner)
{
	const float *p = f->positions + 3 * (size_t)f->triangles[3 * (size_t)triangle + (size_t)corner];
	return (dvec3){(double)p[0], (double)p[1], (double)p[2]};
}

// Of the triangles nearest to the corners of a cell the one nearest to p, and its point there.
static int32_t nearest_of_cell(field_reader *reader, const int32_t at[3], dvec3 p, dvec3 *point)
{
	int32_t seen[8], best = FIELD_NO_TRIANGLE;
	double least = INFINITY;
	for (int k = 0; k < 8; k++)
	{
		seen[k] = voxel_nearest(reader, at[0] + (k >> 2), at[1] + (k >> 1 & 1), at[2] + (k & 1));
		int again = seen[k] == FIELD_NO_TRIANGLE;
		for (int i = 0; i < k; i++)
			again |= seen[i] == seen[k];
		if (again)
			continue;
		const distance_field *f = reader->field;
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

// Whether a sheet folds the distance within a cell.
static inline int has_fold(const float v[8], float cell)
{
	float low = v[0];
	for (int k = 1; k < 8; k++)
		low = v[k] < low ? v[k] : low;
	if (!(low >= 0.0f && low < fold_reach * cell))
		return 0;
	float x = (v[4] + v[5]) + (v[6] + v[7]) - ((v[0] + v[1]) + (v[2] + v[3]));
	float y = (v[2] + v[3]) + (v[6] + v[7]) - ((v[0] + v[1]) + (v[4] + v[5]));
	float z = (v[1] + v[3]) + (v[5] + v[7]) - ((v[0] + v[2]) + (v[4] + v[6]));
	return x * x + y * y + z * z < fold_slope * 16.0f * cell * cell;
}

// The distance to the triangles themselves.
static __attribute__((noinline)) int sample_fold(field_reader *reader, const int32_t at[3], vec3 p, float *distance,
						 vec3 *gradient)
{
	const dvec3 place = {(double)p.x, (double)p.y, (double)p.z};
	dvec3 point;
	if (nearest_of_cell(reader, at, place, &point) == FIELD_NO_TRIANGLE)
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

// 0 beyond the box around the band, where the field is not looked at; also for a place that is not a number.
static inline int find_cell(const distance_field *f, vec3 p, int32_t at[3], float t[3])
{
	const field_info *info = &f->info;
	if (!(p.x >= info->low.x && p.x <= info->high.x && p.y >= info->low.y && p.y <= info->high.y &&
	      p.z >= info->low.z && p.z <= info->high.z))
		return 0;
	const double g[3] = {(double)p.x * f->scale, (double)p.y * f->scale, (double)p.z * f->scale};
	for (int k = 0; k < 3; k++)
	{
		at[k] = floor_of(g[k]);
		t[k] = (float)(g[k] - at[k]);
	}
	return 1;
}

float field_reader_sample(field_reader *reader, vec3 p, vec3 *gradient)
{
	const distance_field *f = reader->field;
	int32_t at[3];
	float t[3], v[8];
	if (gradient)
		*gradient = (vec3){0.0f, 0.0f, 0.0f};
	if (!find_cell(f, p, at, t))
		return f->info.settings.band;
	if (!read_cell(reader, at, v))
		return v[0];
	float distance;
	if (__builtin_expect(has_fold(v, f->info.settings.cell), 0) && sample_fold(reader, at, p, &distance, gradient))
		return distance;

	// along z, then y, then x
	float v00 = mix(v[0], v[1], t[2]), v01 = mix(v[2], v[3], t[2]), v10 = mix(v[4], v[5], t[2]),
	      v11 = mix(v[6], v[7], t[2]);
	float v0 = mix(v00, v01, t[1]), v1 = mix(v10, v11, t[1]);
	if (gradient)
	{
		float s = (float)f->scale;
		float z0 = mix(v[1] - v[0], v[3] - v[2], t[1]), z1 = mix(v[5] - v[4], v[7] - v[6], t[1]);
		*gradient = (vec3){s * (v1 - v0), s * mix(v01 - v00, v11 - v10, t[0]), s * mix(z0, z1, t[0])};
	}
	return mix(v0, v1, t[0]);
}

float distance_field_sample(const distance_field *field, vec3 p, vec3 *gradient)
{
	field_reader reader = distance_field_reader(field);
	return field_reader_sample(&reader, p, gradient);
}

int32_t distance_field_triangle(const distance_field *field, vec3 p)
{
	field_reader reader = distance_field_reader(field);
	int32_t at[3];
	float t[3];
	dvec3 point;
	if (!find_cell(field, p, at, t))
		return FIELD_NO_TRIANGLE;
	return nearest_of_cell(&reader, at, (dvec3){(double)p.x, (double)p.y, (double)p.z}, &point);
}
