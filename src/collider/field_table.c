// Table of a field's leaves by position.
#include "base/error.h"
#include "base/memory.h"
#include "collider/field_data.h"

// Maximum number of entries: 64 MB.
#define MOST_ENTRIES (16u << 20)

// Maximum distance from the origin in cells: up to there, positions in cells are rounded by at most an eighth.
#define MOST_CELLS 2097152.0

void leaf_table_free(leaf_table *t)
{
	mem_free(t->leaf);
	mem_free(t->distances);
	mem_free(t->nearest);
	mem_free(t->octants);
	*t = (leaf_table){0};
}

static int32_t leaf_of(double cells)
{
	return (int32_t)floor(cells / 8.0);
}

// Sets the box in leaves. Returns 0 if it is too large for a table or too far away.
static int set_box(leaf_table *t, const distance_field *f)
{
	const double low[3] = {(double)f->info.low.x, (double)f->info.low.y, (double)f->info.low.z};
	const double high[3] = {(double)f->info.high.x, (double)f->info.high.y, (double)f->info.high.z};
	double entries = 1.0, furthest = 0.0;
	for (int k = 0; k < 3; k++)
	{
		t->low[k] = leaf_of(low[k] * f->scale - 0.5);
		t->first[k] = 8.0f * (float)t->low[k];
		// the far corners of the last cell are one voxel further, plus a margin for rounding
		t->size[k] = (uint32_t)(leaf_of(high[k] * f->scale + 1.5) - t->low[k] + 1);
		entries *= (double)t->size[k];
		furthest = fmax(furthest, fmax(-low[k], high[k]) * f->scale);
	}
	if (entries <= (double)MOST_ENTRIES && furthest <= MOST_CELLS)
		return 1;
	t->size[0] = t->size[1] = t->size[2] = 0;
	return 0;
}

spate_result field_index(distance_field *f, int threads, spate_error *error)
{
	leaf_table *t = &f->table;
	if (!set_box(t, f))
		return SPATE_OK;
	size_t entries = (size_t)t->size[0] * t->size[1] * t->size[2];
	// at most one leaf per entry, and at most as many as fit into the grid
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
	spate_result result = field_find_octants(t, &f->info.settings, threads, error);
	f->info.bytes += t->octants ? 8 * entries * sizeof *t->octants : 0;
	return result;
}
