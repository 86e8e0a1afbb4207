#include "space/space_index.h"

#include "base/error.h"
#include "base/parallel.h"
#include "space/space_kernels.h"

#include <stdatomic.h>

void space_index_free(space_index *index)
{
	for (uint32_t c = 0; c < SPACE_MAX_CLASSES; c++)
		cell_map_free(&index->classes[c].map);
	array_free(&index->keys);
	array_free(&index->sorted);
	cell_sorter_free(&index->sorter);
	*index = (space_index){0};
}

size_t space_index_bytes(const space_index *index)
{
	size_t bytes =
	    (index->keys.capacity + index->sorted.capacity + index->sorter.entries.capacity) * sizeof(uint64_t) +
	    index->sorter.leaves.capacity * sizeof(uint32_t) + index->sorter.own.high_water;
	for (uint32_t c = 0; c < SPACE_MAX_CLASSES; c++)
		bytes += cell_map_bytes(&index->classes[c].map);
	return bytes;
}

spate_result space_index_set_classes(space_index *index, uint32_t count, const float *radii, float room,
				     spate_error *error)
{
	if (count < 1 || count > SPACE_MAX_CLASSES)
		return error_set(error, SPATE_INVALID, "there must be 1 to %d different radii, not %u",
				 SPACE_MAX_CLASSES, count);
	for (uint32_t c = 0; c < count; c++)
		if (!(radii[c] >= SPACE_MIN_RADIUS && radii[c] <= SPACE_MAX_RADIUS))
			return error_set(error, SPATE_INVALID, "a radius is %g m; it must be from %g to %g m",
					 (double)radii[c], (double)SPACE_MIN_RADIUS, (double)SPACE_MAX_RADIUS);
	index->simd = simd_level_detect();
	index->class_count = count;
	index->count = 0;
	for (uint32_t c = 0; c < count; c++)
	{
		index->classes[c].radius = radii[c];
		index->classes[c].reach = radii[c] + room;
		index->classes[c].grid = cell_grid_make((double)index->classes[c].reach);
		index->classes[c].first_row = index->classes[c].rows = 0;
	}
	return SPATE_OK;
}

typedef struct key_task
{
	const space_kernels *kernels;
	const cell_grid *grid;
	const vec4 *positions;
	uint64_t *keys;
	_Atomic size_t bad;
} key_task;

static void compute_keys(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	key_task *t = context;
	size_t bad = begin + t->kernels->keys(t->grid, t->positions + begin, end - begin, t->keys + begin);
	size_t lowest = t->bad;
	while (bad < end && bad < lowest && !atomic_compare_exchange_weak(&t->bad, &lowest, bad))
		;
}

static void swap_keys(space_index *index)
{
	uint64_t *data = index->keys.data;
	size_t capacity = index->keys.capacity;
	index->keys.data = index->sorted.data;
	index->keys.capacity = index->sorted.capacity;
	index->sorted.data = data;
	index->sorted.capacity = capacity;
}

// Sorts the rows of one class, which are contiguous, and builds its map. The first `kept` rows are in the order of the last sort.
static spate_result sort_class(space_index *index, space_class *class, const vec4 *positions, const int64_t *ids,
			       uint32_t kept, uint64_t *fresh, int threads, uint32_t *order, uint32_t *bad,
			       spate_error *error)
{
	uint64_t *sorted = index->keys.data + class->first_row;
	key_task task = {space_kernels_table(index->simd), &class->grid, positions, fresh, class->rows};
	parallel_for(threads, class->rows, PARALLEL_BLOCK, compute_keys, &task);
	if (task.bad < class->rows)
	{
		*bad = (uint32_t)task.bad;
		vec4 p = positions[task.bad];
		return error_set(
		    error, SPATE_RANGE, "particle %lld at (%g, %g, %g) m is outside the representable range of +-%g m",
		    (long long)ids[task.bad], (double)p.x, (double)p.y, (double)p.z, (double)class->grid.limit);
	}
	spate_result result;
	if (kept > 0)
	{
		// the sort still needs the old keys
		if (!array_reserve(&index->sorted, class->rows))
			return error_memory(error, (size_t) class->rows * 8);
		result = cell_sort_coherent(&index->sorter, class->rows, fresh, ids, kept, sorted, threads, order,
					    index->sorted.data, error);
		if (result == SPATE_OK)
			swap_keys(index);
		sorted = index->keys.data;
	}
	else
		result = cell_sort_full(&index->sorter, class->rows, fresh, ids, threads, order, sorted, error);
	if (result == SPATE_OK)
		result = cell_map_build(&class->map, class->first_row, class->rows, sorted, threads, error);
	return result;
}

// Arrays of a sort of several classes.
typedef struct class_parts
{
	uint32_t *rows;  // by class, in row order
	uint32_t *order; // of the rows of one class
	vec4 *positions;
	int64_t *ids;
} class_parts;

// Counts the rows of each class and lists them class by class.
static spate_result split_classes(space_index *index, const space_input *input, class_parts *parts, spate_error *error)
{
	arena *scratch = index->sorter.lent;
	*parts = (class_parts){arena_alloc(scratch, input->count * sizeof *parts->rows),
			       arena_alloc(scratch, input->count * sizeof *parts->order),
			       arena_alloc(scratch, input->count * sizeof *parts->positions),
			       arena_alloc(scratch, input->count * sizeof *parts->ids)};
	if (!parts->rows || !parts->order || !parts->positions || !parts->ids)
		return error_memory(error, (size_t)input->count * 32);
	for (uint32_t i = 0; i < input->count; i++)
		index->classes[input->class_of_group[input->group[i]]].rows++;
	uint32_t next[SPACE_MAX_CLASSES], first = 0;
	for (uint32_t c = 0; c < index->class_count; c++)
	{
		index->classes[c].first_row = next[c] = first;
		first += index->classes[c].rows;
	}
	for (uint32_t i = 0; i < input->count; i++)
		parts->rows[next[input->class_of_group[input->group[i]]]++] = i;
	return SPATE_OK;
}

static spate_result sort_classes(space_index *index, const space_input *input, uint64_t *fresh, int threads,
				 uint32_t *order, uint32_t *bad, spate_error *error)
{
	class_parts parts;
	spate_result result = split_classes(index, input, &parts, error);
	for (uint32_t c = 0; c < index->class_count && result == SPATE_OK; c++)
	{
		space_class *class = &index->classes[c];
		const uint32_t *rows = parts.rows + class->first_row;
		for (uint32_t k = 0; k < class->rows; k++)
		{
			parts.positions[k] = input->positions[rows[k]];
			parts.ids[k] = input->ids[rows[k]];
		}
		result =
		    sort_class(index, class, parts.positions, parts.ids, 0, fresh, threads, parts.order, bad, error);
		if (result == SPATE_RANGE)
			*bad = rows[*bad];
		else
			for (uint32_t k = 0; k < class->rows && result == SPATE_OK; k++)
				order[class->first_row + k] = rows[parts.order[k]];
	}
	return result;
}

spate_result space_index_sort(space_index *index, const space_input *input, int threads, uint32_t *order,
			      uint32_t *bad_row, spate_error *error)
{
	index->count = 0;
	if (!input->scratch)
		arena_reset(&index->sorter.own);
	index->sorter.lent = input->scratch ? input->scratch : &index->sorter.own;
	uint64_t *fresh = arena_alloc(index->sorter.lent, (input->count + (size_t)1) * sizeof *fresh);
	for (uint32_t c = 0; c < index->class_count; c++)
		index->classes[c].first_row = index->classes[c].rows = 0;

	uint32_t bad = 0;
	spate_result result;
	if (!fresh || !array_reserve(&index->keys, input->count + (size_t)1))
		result = error_memory(error, (size_t)input->count * 16);
	else if (index->class_count == 1)
	{
		index->classes[0].rows = input->count;
		result = sort_class(index, &index->classes[0], input->positions, input->ids, input->kept, fresh,
				    threads, order, &bad, error);
	}
	else
		result = sort_classes(index, input, fresh, threads, order, &bad, error);
	index->sorter.lent = NULL;
	if (result == SPATE_RANGE && bad_row)
		*bad_row = bad;
	if (result == SPATE_OK)
		index->count = input->count;
	return result;
}
