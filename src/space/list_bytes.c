// Neighbour lists as bytes: the number of pairs, then for every slice its length and its entries. Gaps between slices, which depend on the
// threads that built the lists, are left out.
#include "base/error.h"
#include "space/neighbour_list.h"

void neighbour_list_save(const neighbour_list *list, byte_writer *to)
{
	bytes_put_u64(to, list->pairs);
	for (uint32_t s = 0; s < list->slice_count; s++)
	{
		uint32_t length = list->slice_length.data[s];
		bytes_put_u32(to, length);
		bytes_put(to, list->entries.data + list->slice_begin.data[s], 8 * sizeof(uint32_t) * length);
	}
}

// Fails if an entry is no row; `end` is the number of entries so far.
static spate_result load_slice(neighbour_list *list, uint32_t slice, uint64_t *end, byte_reader *from,
			       spate_error *error)
{
	uint32_t length = bytes_get_u32(from), *entries = list->entries.data + *end;
	if (length > (list->entries.capacity - *end) / 8)
		from->ran_out = 1;
	if (!from->ran_out)
		bytes_get(from, entries, 8 * sizeof *entries * length);
	if (from->ran_out)
		return SPATE_OK;
	for (uint32_t i = 0; i < 8 * length; i++)
		if (entries[i] > list->count)
			return error_set(error, SPATE_FORMAT, "a neighbour list names row %u of %u", entries[i],
					 list->count);
	list->slice_begin.data[slice] = *end;
	list->slice_length.data[slice] = length;
	*end += 8 * (uint64_t)length;
	return SPATE_OK;
}

spate_result neighbour_list_load(neighbour_list *list, uint32_t rows, byte_reader *from, spate_error *error)
{
	uint32_t slices = (uint32_t)((rows + (size_t)7) / 8);
	// as many as there are bytes for
	size_t most = from->left / sizeof(uint32_t) + 1;
	list->count = list->slice_count = 0;
	if (!array_reserve(&list->slice_begin, slices + (size_t)1) ||
	    !array_reserve(&list->slice_length, slices + (size_t)1) || !array_reserve(&list->entries, most))
		return error_memory(error, slices * (size_t)12 + most * sizeof(uint32_t));
	list->count = rows;
	list->pairs = bytes_get_u64(from);
	uint64_t end = 0;
	spate_result result = SPATE_OK;
	for (uint32_t s = 0; s < slices && result == SPATE_OK && !from->ran_out; s++)
		result = load_slice(list, s, &end, from, error);
	if (result == SPATE_OK && !from->ran_out)
		list->slice_count = slices;
	else
		list->count = 0;
	return result;
}
