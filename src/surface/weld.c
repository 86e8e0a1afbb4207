#include "base/error.h"
#include "surface/key_map.h"
#include "surface/refine.h"

#include <string.h>

// Clusters of welded points, hashed into cells as wide as the largest welding distance; each cell has a linked list.
typedef struct weld_grid
{
	refine_points *points; // clusters, stored in place of the points
	float distance;        // spacings
	double cell;           // m
	key_map cells;         // cell to its first cluster + 1
	uint32_t *next;        // next cluster in the list, + 1; 0 at the end
	uint32_t *size;        // points in the cluster; 0 if it was merged
} weld_grid;

static void find_cell(const weld_grid *grid, vec3 p, int32_t cell[3])
{
	cell[0] = (int32_t)floor(p.x / grid->cell);
	cell[1] = (int32_t)floor(p.y / grid->cell);
	cell[2] = (int32_t)floor(p.z / grid->cell);
}

static uint32_t *list_of(weld_grid *grid, const int32_t cell[3])
{
	return key_map_put(&grid->cells, (uint32_t)cell[0], (uint32_t)cell[1], (uint32_t)cell[2], 0);
}

static const float *values_of(const weld_grid *grid, uint32_t i)
{
	return grid->points->values.data + (size_t)i * grid->points->width;
}

// The nearest cluster within the welding distance of `at`; of equals, the lowest. Returns its index + 1, or 0;
// UINT32_MAX when out of memory.
static uint32_t find_near(weld_grid *grid, uint32_t at)
{
	vec3 p = grid->points->places.data[at];
	int32_t middle[3];
	find_cell(grid, p, middle);
	uint32_t best = 0;
	float least = INFINITY;
	for (int n = 0; n < 27; n++)
	{
		int32_t cell[3] = {middle[0] + n % 3 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n / 9 - 1};
		uint32_t *list = list_of(grid, cell);
		if (!list)
			return UINT32_MAX;
		for (uint32_t c = *list; c; c = grid->next[c - 1])
		{
			float r = vec3_length(vec3_sub(p, grid->points->places.data[c - 1]));
			float reach = 0.5f * grid->distance * (values_of(grid, at)[0] + values_of(grid, c - 1)[0]);
			if (r < reach && (r < least || (r == least && c < best)))
			{
				least = r;
				best = c;
			}
		}
	}
	return best;
}

static void unlink_cluster(weld_grid *grid, uint32_t cluster)
{
	int32_t cell[3];
	find_cell(grid, grid->points->places.data[cluster], cell);
	uint32_t *at = list_of(grid, cell);
	while (at && *at != cluster + 1)
		at = &grid->next[*at - 1];
	if (at)
		*at = grid->next[cluster];
}

// Merges one cluster into another.
static void join(weld_grid *grid, uint32_t from, uint32_t to)
{
	float a = (float)grid->size[to], b = (float)grid->size[from], share = b / (a + b);
	vec3 *p = grid->points->places.data;
	p[to] = vec3_add_scaled(p[to], vec3_sub(p[from], p[to]), share);
	float *values = grid->points->values.data;
	uint32_t width = grid->points->width;
	for (uint32_t k = 0; k < width; k++)
	{
		float *into = &values[(size_t)to * width + k];
		*into += share * (values[(size_t)from * width + k] - *into);
	}
	grid->size[to] += grid->size[from];
	grid->size[from] = 0;
}

static int weld_all(weld_grid *grid)
{
	size_t count = grid->points->places.count;
	for (uint32_t i = 0; i < count; i++)
	{
		// the older of the two stays; it moves, and may come close to a third
		uint32_t at = i, other;
		grid->size[i] = 1;
		while ((other = find_near(grid, at)) != 0)
		{
			if (other == UINT32_MAX)
				return 0;
			uint32_t old = other - 1;
			unlink_cluster(grid, old);
			join(grid, at > old ? at : old, at > old ? old : at);
			at = at > old ? old : at;
		}
		int32_t cell[3];
		find_cell(grid, grid->points->places.data[at], cell);
		uint32_t *list = list_of(grid, cell);
		if (!list)
			return 0;
		grid->next[at] = *list;
		*list = at + 1;
	}
	return 1;
}

spate_result refine_weld(refine_points *points, float distance, spate_error *error)
{
	size_t count = points->places.count;
	if (count == 0)
		return SPATE_OK;
	if (count >= UINT32_MAX - 1)
		return error_set(error, SPATE_RANGE, "refining a surface makes more than 2^32 points");
	float widest = 0.0f;
	for (size_t i = 0; i < count; i++)
		widest = fmaxf(widest, points->values.data[i * points->width]);
	weld_grid grid = {.points = points, .distance = distance, .cell = (double)(distance * widest) * 1.001};
	grid.next = mem_calloc(count, sizeof *grid.next);
	grid.size = mem_calloc(count, sizeof *grid.size);
	spate_result result = SPATE_OK;
	if (!grid.next || !grid.size || !weld_all(&grid))
		result = error_memory(error, count * 2 * sizeof *grid.next);
	size_t kept = 0;
	for (size_t i = 0; result == SPATE_OK && i < count; i++)
	{
		if (!grid.size[i])
			continue;
		points->places.data[kept] = points->places.data[i];
		memmove(points->values.data + kept * points->width, points->values.data + i * points->width,
			points->width * sizeof(float));
		kept++;
	}
	if (result == SPATE_OK)
	{
		points->places.count = kept;
		points->values.count = kept * points->width;
	}
	mem_free(grid.next);
	mem_free(grid.size);
	key_map_free(&grid.cells);
	return result;
}
