// Cell sorting: particles are sorted by the number of their cell, row by row and layer by layer. Each of the 27 cells around a cell
// is a fixed number of cells away, so 27 pointers that only ever move forward follow the walk through the sorted particles:
//
//	cells:   ... a-W  a-W+1 ...  a-1  [a]  a+1 ... a+W-1  a+W ...
//	pointers:     ^     ^         ^    ^    ^       ^      ^         all advance when the walk goes to the next cell
#include "base/memory.h"
#include "base/sort.h"
#include "bench/pair_search.h"

enum
{
	AROUND = 27
};

struct cell_sorting
{
	uint64_t *cells;  // sorted, followed by a sentinel that ends every walk
	uint32_t *rows;   // of the caller, in that order
	vec4 *positions;  // in that order
	void *scratch;    // of the sort
	int64_t row_step; // cells from one row to the next, and from one layer to the next
	int64_t layer_step;
};

static void sort(cell_sorting *s, const pair_input *input)
{
	// one free cell around the block, so that the end of a row is not next to the start of another
	float inverse = 1.0f / pair_cell(input->radius);
	s->row_step = (int64_t)(input->limit.x * inverse) + 3;
	s->layer_step = s->row_step * ((int64_t)(input->limit.y * inverse) + 3);
	for (uint32_t i = 0; i < input->count; i++)
	{
		vec4 p = input->positions[i];
		int64_t x = (int32_t)(p.x * inverse) + 1, y = (int32_t)(p.y * inverse) + 1,
			z = (int32_t)(p.z * inverse) + 1;
		s->cells[i] = (uint64_t)(x + s->row_step * y + s->layer_step * z);
		s->rows[i] = i;
	}
	sort_radix(1, input->count, s->cells, s->rows, s->scratch);
	s->cells[input->count] = UINT64_MAX;
	for (uint32_t k = 0; k < input->count; k++)
		s->positions[k] = input->positions[s->rows[k]];
}

// Counts the pairs of the particles [begin, end) of one cell with those from `first` on that are in `cell`.
static void search_cell(const cell_sorting *s, const pair_input *input, uint32_t begin, uint32_t end, uint32_t first,
			uint64_t cell, pair_count *found)
{
	uint32_t last = first;
	while (s->cells[last] == cell)
		last++;
	float radius2 = input->radius * input->radius;
	uint64_t pairs = 0;
	for (uint32_t i = begin; i < end; i++)
	{
		uint64_t sum = 0;
		for (uint32_t j = first; j < last; j++)
			if (j != i && pair_near(s->positions[i], s->positions[j], radius2))
			{
				pairs++;
				sum += s->rows[j];
			}
		found->checksum += (s->rows[i] + (uint64_t)1) * sum;
	}
	found->pairs += pairs;
}

static pair_count search(const cell_sorting *s, const pair_input *input)
{
	int64_t steps[AROUND];
	for (int n = 0; n < AROUND; n++)
		steps[n] = n % 3 - 1 + (n / 3 % 3 - 1) * s->row_step + (n / 9 - 1) * s->layer_step;
	pair_count found = {0};
	uint32_t pointers[AROUND] = {0};
	for (uint32_t begin = 0, end; begin < input->count; begin = end)
	{
		uint64_t cell = s->cells[begin];
		for (end = begin; s->cells[end] == cell; end++)
			;
		for (int n = 0; n < AROUND; n++)
		{
			uint64_t wanted = cell + (uint64_t)steps[n];
			while (s->cells[pointers[n]] < wanted)
				pointers[n]++;
			search_cell(s, input, begin, end, pointers[n], wanted, &found);
		}
	}
	return found;
}

cell_sorting *cell_sorting_create(uint32_t count)
{
	cell_sorting *s = mem_calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->cells = mem_alloc(((size_t)count + 1) * sizeof *s->cells);
	s->rows = mem_alloc(((size_t)count + 1) * sizeof *s->rows);
	s->positions = mem_alloc(((size_t)count + 1) * sizeof *s->positions);
	s->scratch = mem_alloc(sort_radix_scratch(count) + 1);
	if (s->cells && s->rows && s->positions && s->scratch)
		return s;
	cell_sorting_destroy(s);
	return NULL;
}

void cell_sorting_destroy(cell_sorting *s)
{
	if (!s)
		return;
	mem_free(s->cells);
	mem_free(s->rows);
	mem_free(s->positions);
	mem_free(s->scratch);
	mem_free(s);
}

pair_count cell_sorting_search(cell_sorting *s, const pair_input *input)
{
	sort(s, input);
	return search(s, input);
}
