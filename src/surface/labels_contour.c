// Contouring by label: grid cells are split into six tetrahedra around the diagonal from their lowest to their highest
// corner, so that neighbouring cells agree about their common faces. By the strongest rule every point has an owner and
// a depth, and labels_cut.h cuts tetrahedra by both; by the composite rule points have colours, cut by chromatic_cut.h.
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "surface/labels.h"
#include "surface/labels_cut.h"

#include <math.h>

enum
{
	SAMPLE_BLOCK = 1024
};

// Corner c of a cell is offset by bit 0 of c along x, bit 1 along y, bit 2 along z. Paths 0, a, b, 7; all positive.
static const uint8_t cell_tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
					      {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

// The grid points in use and their data.
typedef struct point_table
{
	const labels_grid *grid;
	key_map map; // coordinates to number
	ARRAY(int32_t) coordinates;
	double *positions;
	float *phi;
	double *depths;  // the largest function
	uint8_t *labels; // by the strongest rule the fluid with the largest function, in air too
} point_table;

static void table_free(point_table *table)
{
	key_map_free(&table->map);
	array_free(&table->coordinates);
	mem_free(table->positions);
	mem_free(table->phi);
	mem_free(table->depths);
	mem_free(table->labels);
}

// Index of a grid point, added if new; KEY_MAP_FREE when out of memory.
static uint32_t point_number(point_table *table, const int32_t cell[3], uint32_t corner)
{
	uint32_t at[3];
	for (int k = 0; k < 3; k++)
		at[k] = (uint32_t)cell[k] + (corner >> k & 1);
	size_t count = table->coordinates.count;
	if (!array_reserve(&table->coordinates, count + 3))
		return KEY_MAP_FREE;
	uint32_t *number = key_map_put(&table->map, at[0], at[1], at[2], (uint32_t)(count / 3));
	if (!number)
		return KEY_MAP_FREE;
	if (*number == count / 3)
		for (int k = 0; k < 3; k++)
			table->coordinates.data[table->coordinates.count++] = (int32_t)at[k];
	return *number;
}

static void sample_points(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	point_table *table = context;
	const labels_grid *grid = table->grid;
	for (size_t i = begin; i < end; i++)
	{
		const int32_t *at = table->coordinates.data + 3 * i;
		float *phi = table->phi + i * grid->fluids;
		grid->sample(grid->context, at, phi);
		uint32_t strongest = 0;
		for (uint32_t k = 1; k < grid->fluids; k++)
			strongest = phi[k] > phi[strongest] ? k : strongest;
		table->depths[i] = phi[strongest];
		table->labels[i] = grid->rule == LABELS_STRONGEST ? (uint8_t)(strongest + 1)
								  : labels_classify(grid->rule, grid->fluids, phi);
		for (size_t k = 0; k < 3; k++)
			table->positions[3 * i + k] = grid->origin[k] + grid->cell * at[k];
	}
}

// Zero of the linear function that is u at one end and v at the other.
static double zero_between(double u, double v)
{
	double t = u / (u - v);
	return isfinite(t) ? fmin(fmax(t, 1e-3), 1.0 - 1e-3) : 0.5;
}

static double lead_of(const point_table *table, uint32_t point, uint32_t i, uint32_t j)
{
	const float *phi = table->phi + (size_t)point * table->grid->fluids;
	return (double)phi[i - 1] - (double)phi[j - 1];
}

// Where the functions of both labels are equal.
static double crossing(const void *context, uint32_t a, uint32_t b)
{
	const point_table *table = context;
	uint32_t i = table->labels[a], j = table->labels[b];
	return zero_between(lead_of(table, a, i, j), lead_of(table, b, i, j));
}

// Zero of P_K, taken as negative at one end. P_K is zero everywhere in air, so towards air the fluid's own function is
// used.
static double composite_crossing(const void *context, uint32_t a, uint32_t b)
{
	const point_table *table = context;
	uint32_t fluids = table->grid->fluids, i = table->labels[a], j = table->labels[b];
	const float *at_a = table->phi + (size_t)a * fluids, *at_b = table->phi + (size_t)b * fluids;
	if (i && j)
		return zero_between(labels_composite(fluids, at_a), -labels_composite(fluids, at_b));
	return zero_between(at_a[i + j - 1], at_b[i + j - 1]);
}

// Where the functions of three labels are equal, assuming they are linear. Kept away from the sides of the face.
static void meeting(const void *context, const uint32_t points[3], double weights[3])
{
	const point_table *table = context;
	const uint8_t *labels = table->labels;
	double f[3], g[3], sum = 0.0, kept = 0.0;
	for (int k = 0; k < 3; k++)
	{
		f[k] = lead_of(table, points[k], labels[points[1]], labels[points[2]]);
		g[k] = lead_of(table, points[k], labels[points[0]], labels[points[1]]);
	}
	for (int k = 0; k < 3; k++)
		sum += weights[k] = f[(k + 1) % 3] * g[(k + 2) % 3] - f[(k + 2) % 3] * g[(k + 1) % 3];
	for (int k = 0; k < 3; k++)
	{
		weights[k] = isfinite(weights[k] / sum) ? fmax(weights[k] / sum, 0.02) : 1.0;
		kept += weights[k];
	}
	for (int k = 0; k < 3; k++)
		weights[k] /= kept;
}

static int sample_all(point_table *table)
{
	const labels_grid *grid = table->grid;
	size_t count = table->coordinates.count / 3;
	table->positions = mem_alloc(mem_product(count, 3 * sizeof *table->positions));
	table->phi = mem_alloc(mem_product(count, grid->fluids * sizeof *table->phi));
	table->depths = mem_alloc(mem_product(count, sizeof *table->depths));
	table->labels = mem_alloc(count);
	if (!table->positions || !table->phi || !table->depths || !table->labels)
		return 0;
	parallel_for(grid->threads > 0 ? grid->threads : parallel_default_threads(), count, SAMPLE_BLOCK, sample_points,
		     table);
	return 1;
}

// Cuts all cells; `corners` has eight points per cell.
static spate_result cut_by_owner(const point_table *table, size_t cell_count, const uint32_t *corners,
				 chromatic_mesh *mesh, spate_error *error)
{
	labels_cutter cutter = {.point_count = (uint32_t)(table->coordinates.count / 3),
				.points = table->positions,
				.owners = table->labels,
				.depths = table->depths,
				.fraction = crossing,
				.centre = meeting,
				.context = table};
	for (size_t i = 0; i < 6 * cell_count; i++)
	{
		uint32_t ids[4];
		for (int k = 0; k < 4; k++)
			ids[k] = corners[i / 6 * 8 + cell_tetrahedra[i % 6][k]];
		if (labels_cut_tetrahedron(&cutter, ids))
			continue;
		labels_cutter_free(&cutter);
		return error_memory(error, cell_count * 8 * sizeof *corners);
	}
	return labels_cutter_finish(&cutter, mesh, error);
}

static spate_result cut_by_colour(const point_table *table, size_t cell_count, const uint32_t *corners,
				  chromatic_mesh *mesh, spate_error *error)
{
	chromatic_cutter cutter = {.points = table->positions, .fraction = composite_crossing, .context = table};
	for (size_t i = 0; i < 6 * cell_count; i++)
	{
		uint32_t ids[4];
		uint8_t colours[4];
		for (int k = 0; k < 4; k++)
		{
			ids[k] = corners[i / 6 * 8 + cell_tetrahedra[i % 6][k]];
			colours[k] = table->labels[ids[k]];
		}
		if (chromatic_cut_tetrahedron(&cutter, ids, colours))
			continue;
		chromatic_cutter_free(&cutter);
		return error_memory(error, cell_count * 8 * sizeof *corners);
	}
	return chromatic_cutter_finish(&cutter, mesh, error);
}

static spate_result check(const labels_grid *grid, spate_error *error)
{
	if (grid->fluids < 1 || grid->fluids > CHROMATIC_MAX_FLUIDS)
		return error_set(error, SPATE_INVALID, "interfaces on a grid support 1 to %d fluids, not %u",
				 CHROMATIC_MAX_FLUIDS, grid->fluids);
	if (!(grid->cell > 0.0) || !isfinite(grid->cell))
		return error_set(error, SPATE_INVALID, "the cells of a grid must have a positive size");
	return SPATE_OK;
}

spate_result labels_contour(const labels_grid *grid, uint32_t cell_count, const int32_t (*cells)[3],
			    chromatic_mesh *mesh, spate_error *error)
{
	*mesh = (chromatic_mesh){0};
	spate_result result = check(grid, error);
	if (result != SPATE_OK)
		return result;

	point_table table = {.grid = grid};
	uint32_t *corners = mem_alloc(mem_product((size_t)cell_count + 1, 8 * sizeof *corners));
	int whole = corners != NULL;
	for (size_t i = 0; whole && i < 8 * (size_t)cell_count; i++)
		whole = (corners[i] = point_number(&table, cells[i / 8], i % 8)) != KEY_MAP_FREE;
	if (!whole || (cell_count && !sample_all(&table)))
		result = error_memory(error, (size_t)cell_count * 8 * sizeof *corners);
	else
		result = (grid->rule == LABELS_STRONGEST ? cut_by_owner : cut_by_colour)(&table, cell_count, corners,
											 mesh, error);
	mem_free(corners);
	table_free(&table);
	return result;
}

void labels_block_sample(void *context, const int32_t point[3], float *phi)
{
	const labels_block *block = context;
	size_t at[3];
	int outside = 0;
	for (int k = 0; k < 3; k++)
	{
		int32_t last = (int32_t)block->size[k] - 1;
		outside |= point[k] < 0 || point[k] > last;
		at[k] = (size_t)(point[k] < 0 ? 0 : point[k] > last ? last : point[k]);
	}
	const float *from = block->phi + ((at[2] * block->size[1] + at[1]) * block->size[0] + at[0]) * block->fluids;
	// outside: negate the largest function and keep the differences to the others
	float most = from[0];
	for (uint32_t k = 1; k < block->fluids; k++)
		most = fmaxf(most, from[k]);
	for (uint32_t k = 0; k < block->fluids; k++)
		phi[k] = outside && most > 0.0f ? from[k] - 2.0f * most : from[k];
}

spate_result labels_contour_block(const labels_grid *grid, const labels_block *block, chromatic_mesh *mesh,
				  spate_error *error)
{
	*mesh = (chromatic_mesh){0};
	uint64_t count = 1;
	for (int k = 0; k < 3; k++)
		if (block->size[k] == 0 || (count *= (uint64_t)block->size[k] + 1) > UINT32_MAX / 8)
			return error_set(error, SPATE_INVALID, "a block of %u x %u x %u points cannot be contoured",
					 block->size[0], block->size[1], block->size[2]);

	int32_t(*cells)[3] = mem_alloc(mem_product(count, sizeof *cells));
	if (!cells)
		return error_memory(error, count * sizeof *cells);
	for (uint64_t i = 0, rest; i < count; i++)
	{
		rest = i;
		for (int k = 0; k < 3; k++)
		{
			cells[i][k] = (int32_t)(rest % ((uint64_t)block->size[k] + 1)) - 1;
			rest /= (uint64_t)block->size[k] + 1;
		}
	}
	labels_grid over = *grid;
	labels_block copy = *block;
	over.fluids = block->fluids;
	over.sample = labels_block_sample;
	over.context = &copy;
	spate_result result = labels_contour(&over, (uint32_t)count, (const int32_t(*)[3])cells, mesh, error);
	mem_free(cells);
	return result;
}
