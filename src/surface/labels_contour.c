// Contouring by label: grid cells are cut into six tetrahedra around the diagonal from their lowest to their highest corner, so that
// neighbouring cells agree about the faces between them, and those are cut by colour as chromatic_cut.h does.
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "surface/chromatic_cut.h"
#include "surface/labels.h"

#include <math.h>

enum
{
	SAMPLE_BLOCK = 1024
};

// Corner c of a cell is offset by bit 0 of c along x, bit 1 along y, bit 2 along z. Paths 0, a, b, 7; all positive.
static const uint8_t cell_tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
					      {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

// The grid points in use and what is known about them.
typedef struct point_table
{
	const labels_grid *grid;
	key_map map; // coordinates to number
	ARRAY(int32_t) coordinates;
	double *positions;
	float *phi;
	uint8_t *labels;
} point_table;

static void table_free(point_table *table)
{
	key_map_free(&table->map);
	array_free(&table->coordinates);
	mem_free(table->positions);
	mem_free(table->phi);
	mem_free(table->labels);
}

// Number of a grid point, new or not; KEY_MAP_FREE when out of memory.
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
		table->labels[i] = labels_classify(grid->rule, grid->fluids, phi);
		for (size_t k = 0; k < 3; k++)
			table->positions[3 * i + k] = grid->origin[k] + grid->cell * at[k];
	}
}

// The zero of a line that is u at one end and v at the other.
static double zero_between(double u, double v)
{
	double t = u / (u - v);
	return isfinite(t) ? fmin(fmax(t, 1e-3), 1.0 - 1e-3) : 0.5;
}

// How far inside of any fluid a point is: the largest function, which at a point of a fluid is its own.
static double depth_of(const point_table *table, uint32_t point)
{
	const float *phi = table->phi + (size_t)point * table->grid->fluids;
	float most = phi[0];
	for (uint32_t k = 1; k < table->grid->fluids; k++)
		most = fmaxf(most, phi[k]);
	return most;
}

static double lead_of(const point_table *table, uint32_t point, uint32_t i, uint32_t j)
{
	const float *phi = table->phi + (size_t)point * table->grid->fluids;
	return (double)phi[i - 1] - (double)phi[j - 1];
}

// Strongest: where the functions of both labels are equal, and against air where the largest is zero. Composite: where P_K, counted as
// negative at one end, is zero; it vanishes in all air, so that towards air the fluid's own function counts.
static double crossing(const void *context, uint32_t a, uint32_t b)
{
	const point_table *table = context;
	uint32_t fluids = table->grid->fluids;
	const float *at_a = table->phi + (size_t)a * fluids, *at_b = table->phi + (size_t)b * fluids;
	uint32_t i = table->labels[a], j = table->labels[b];
	if (i && j && table->grid->rule == LABELS_COMPOSITE)
		return zero_between(labels_composite(fluids, at_a), -labels_composite(fluids, at_b));
	if (i && j)
		return zero_between(lead_of(table, a, i, j), lead_of(table, b, i, j));
	if (table->grid->rule == LABELS_STRONGEST)
		return zero_between(depth_of(table, a), depth_of(table, b));
	return zero_between(at_a[i + j - 1], at_b[i + j - 1]);
}

// Where the functions of three labels are equal, all of them taken to be linear. Kept away from the sides of the face.
static void meeting(const void *context, const uint32_t points[3], double weights[3])
{
	const point_table *table = context;
	uint32_t fluid[3], count = 0;
	for (int k = 0; k < 3; k++)
		if (table->labels[points[k]])
			fluid[count++] = table->labels[points[k]];
	double f[3], g[3], sum = 0.0, kept = 0.0;
	for (int k = 0; k < 3; k++)
	{
		f[k] = count == 3 ? lead_of(table, points[k], fluid[1], fluid[2]) : depth_of(table, points[k]);
		g[k] = lead_of(table, points[k], fluid[0], fluid[1]);
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
	table->labels = mem_alloc(count);
	if (!table->positions || !table->phi || !table->labels)
		return 0;
	parallel_for(grid->threads > 0 ? grid->threads : parallel_default_threads(), count, SAMPLE_BLOCK, sample_points,
		     table);
	return 1;
}

static int cut_cell(chromatic_cutter *cutter, const uint8_t *labels, const uint32_t corners[8])
{
	uint32_t different = 0;
	for (int c = 1; c < 8; c++)
		different |= labels[corners[c]] != labels[corners[0]];
	for (int t = 0; t < 6 && different; t++)
	{
		uint32_t ids[4];
		uint8_t colours[4];
		for (int k = 0; k < 4; k++)
		{
			ids[k] = corners[cell_tetrahedra[t][k]];
			colours[k] = labels[ids[k]];
		}
		if (!chromatic_cut_tetrahedron(cutter, ids, colours))
			return 0;
	}
	return 1;
}

static spate_result check(const labels_grid *grid, spate_error *error)
{
	if (grid->fluids < 1 || grid->fluids > CHROMATIC_MAX_FLUIDS)
		return error_set(error, SPATE_INVALID, "interfaces on a grid know 1 to %d fluids, not %u",
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
	chromatic_cutter cutter = {
	    .fraction = crossing, .centre = grid->rule == LABELS_STRONGEST ? meeting : NULL, .context = &table};
	uint32_t *corners = cell_count ? mem_alloc(mem_product(cell_count, 8 * sizeof *corners)) : NULL;
	if (cell_count && !corners)
		goto memory;
	for (size_t i = 0; i < 8 * (size_t)cell_count; i++)
		if ((corners[i] = point_number(&table, cells[i / 8], i % 8)) == KEY_MAP_FREE)
			goto memory;
	if (cell_count && !sample_all(&table))
		goto memory;
	cutter.points = table.positions;
	for (size_t i = 0; i < cell_count; i++)
		if (!cut_cell(&cutter, table.labels, corners + 8 * i))
			goto memory;
	result = chromatic_cutter_finish(&cutter, mesh, error);
	goto done;

memory:
	result = error_memory(error, (size_t)cell_count * 8 * sizeof *corners);
	chromatic_cutter_free(&cutter);
done:
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
	for (uint32_t k = 0; k < block->fluids; k++)
		phi[k] = outside ? -fabsf(from[k]) : from[k];
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
