// Every leaf of a field at its place.
#include "base/error.h"
#include "base/memory.h"
#include "collider/field_data.h"

// Entries at most: 64 MB.
#define MOST_ENTRIES (16u << 20)

// Octants at most for which the room around them is known: 16 MB; and how many of them away from the band it still grows.
#define MOST_OCTANTS (16u << 20)
#define MOST_STEPS 12

void leaf_table_free(leaf_table *t)
{
	mem_free(t->leaf);
	mem_free(t->distances);
	mem_free(t->nearest);
	mem_free(t->room);
	*t = (leaf_table){0};
}

static int32_t leaf_of(double cells)
{
	return (int32_t)floor(cells / 8.0);
}

// The box in leaves; 0 when it has too many for a table.
static int set_box(leaf_table *t, const distance_field *f)
{
	const double low[3] = {(double)f->info.low.x, (double)f->info.low.y, (double)f->info.low.z};
	const double high[3] = {(double)f->info.high.x, (double)f->info.high.y, (double)f->info.high.z};
	double entries = 1.0;
	for (int k = 0; k < 3; k++)
	{
		t->low[k] = leaf_of(low[k] * f->scale);
		// the far corners of the last cell are one voxel further
		t->size[k] = (uint32_t)(leaf_of(high[k] * f->scale + 1.0) - t->low[k] + 1);
		entries *= (double)t->size[k];
	}
	if (entries <= (double)MOST_ENTRIES)
		return 1;
	t->size[0] = t->size[1] = t->size[2] = 0;
	return 0;
}

static size_t octant_of(const leaf_table *t, size_t x, size_t y, size_t z)
{
	return (x * 2 * t->size[1] + y) * 2 * t->size[2] + z;
}

// Distance of least size among the voxels of an octant of a leaf, with its sign.
static float least_of(const float values[512], size_t x, size_t y, size_t z)
{
	const float *first = values + (x & 1) * 256 + (y & 1) * 32 + (z & 1) * 4;
	float least = *first;
	for (int k = 1; k < 64; k++)
	{
		float value = first[64 * (k >> 4) + 8 * (k >> 2 & 3) + (k & 3)];
		least = fabsf(value) < fabsf(least) ? value : least;
	}
	return least;
}

// How many octants a place without voxels of the band is away from one with, at most a few: one sweep forth and one back, where
// every octant asks the neighbours that were there before it.
static void count_steps(const leaf_table *t, uint8_t *steps)
{
	const int64_t nx = 2 * (int64_t)t->size[0], ny = 2 * (int64_t)t->size[1], nz = 2 * (int64_t)t->size[2];
	for (int64_t way = 1; way >= -1; way -= 2)
		for (int64_t i = 0; i < nx; i++)
			for (int64_t j = 0; j < ny; j++)
				for (int64_t k = 0; k < nz; k++)
				{
					int64_t x = way > 0 ? i : nx - 1 - i, y = way > 0 ? j : ny - 1 - j,
						z = way > 0 ? k : nz - 1 - k;
					uint8_t *own = &steps[(x * ny + y) * nz + z], least = *own;
					if (least == 0)
						continue;
					for (int n = 0; n < 13; n++)
					{
						int64_t u = way * (n / 9 - 1), v = way * (n / 3 % 3 - 1),
							w = way * (n % 3 - 1);
						if (x + u < 0 || y + v < 0 || z + w < 0 || x + u >= nx || y + v >= ny ||
						    z + w >= nz)
							continue;
						uint8_t there = own[(u * ny + v) * nz + w];
						least = there + 1 < least ? (uint8_t)(there + 1) : least;
					}
					*own = least;
				}
}

// Values say nothing beyond the band, but a place some octants away from all voxels of the band is further from the surface by those.
static spate_result find_room(leaf_table *t, const field_settings *settings, spate_error *error)
{
	size_t octants = 8 * (size_t)t->size[0] * t->size[1] * t->size[2];
	if (octants > MOST_OCTANTS)
		return SPATE_OK;
	t->room = mem_alloc(octants);
	uint8_t *steps = mem_alloc(octants);
	if (!t->room || !steps)
	{
		mem_free(steps);
		return error_memory(error, 2 * octants);
	}
	for (int k = 0; k < 3; k++)
		t->shift[k] = 0.5f - 8.0f * (float)t->low[k];
	for (int measured = 0; measured < 2; measured++)
	{
		for (size_t x = 0; x < 2 * t->size[0]; x++)
			for (size_t y = 0; y < 2 * t->size[1]; y++)
				for (size_t z = 0; z < 2 * t->size[2]; z++)
				{
					size_t at = octant_of(t, x, y, z);
					int32_t leaf = t->leaf[(x / 2 * t->size[1] + y / 2) * t->size[2] + z / 2];
					float least =
					    leaf < 0 ? t->values[-1 - leaf] : least_of(t->distances[leaf], x, y, z);
					if (!measured)
					{
						steps[at] = fabsf(least) < settings->band ? 0 : MOST_STEPS;
						continue;
					}
					// a place is up to half a diagonal away from its voxel
					float room = fabsf(least) / settings->cell - 0.9f +
						     (steps[at] > 1 ? 4.0f * (float)(steps[at] - 1) : 0.0f);
					int8_t halves = (int8_t)fmaxf(fminf(2.0f * room, 127.0f), 0.0f);
					t->room[at] = least < 0.0f ? (int8_t)-halves : halves;
				}
		if (!measured)
			count_steps(t, steps);
	}
	mem_free(steps);
	return SPATE_OK;
}

spate_result field_index(distance_field *f, spate_error *error)
{
	leaf_table *t = &f->table;
	if (!set_box(t, f))
		return SPATE_OK;
	size_t entries = (size_t)t->size[0] * t->size[1] * t->size[2];
	// no more leaves than entries, nor than the grid has bytes for
	size_t most = f->distance_bytes / (512 * sizeof(float)) + 1;
	most = most < entries ? most : entries;
	t->leaf = mem_alloc(entries * sizeof *t->leaf);
	t->distances = mem_alloc(most * sizeof *t->distances);
	t->nearest = mem_alloc(most * sizeof *t->nearest);
	const size_t per_leaf = sizeof *t->distances + sizeof *t->nearest;
	if (!t->leaf || !t->distances || !t->nearest)
		return error_memory(error, entries * sizeof *t->leaf + most * per_leaf);
	t->values[0] = f->info.settings.band;
	t->values[1] = -f->info.settings.band;
	size_t entry = 0;
	for (uint32_t x = 0; x < t->size[0]; x++)
		for (uint32_t y = 0; y < t->size[1]; y++)
			for (uint32_t z = 0; z < t->size[2]; z++, entry++)
			{
				const int32_t at[3] = {8 * (t->low[0] + (int32_t)x), 8 * (t->low[1] + (int32_t)y),
						       8 * (t->low[2] + (int32_t)z)};
				union
				{
					uint32_t bits;
					float value;
				} region = {0}, unused = {0};
				const float *values = field_find_leaf(f->distance, at, 1, &region.bits);
				t->leaf[entry] = region.value < 0.0f ? -2 : -1;
				if (!values)
					continue;
				t->leaf[entry] = (int32_t)t->count;
				t->distances[t->count] = values;
				t->nearest[t->count++] = field_find_leaf(f->nearest, at, 0, &unused.bits);
			}
	f->info.bytes += entries * sizeof *t->leaf + t->count * per_leaf;
	spate_result result = find_room(t, &f->info.settings, error);
	f->info.bytes += t->room ? 8 * entries : 0;
	return result;
}
