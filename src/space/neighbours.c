// The public neighbour search: sorts copies of the points, remembers the order, and returns the caller's indices.
#include "spate/neighbours.h"

#include "base/error.h"
#include "base/parallel.h"
#include "space/neighbour_list.h"
#include "space/space_kernels.h"

#include <string.h>

typedef struct search_result
{
	uint32_t count;
	ARRAY(uint32_t) order; // caller's index of each row
	ARRAY(uint32_t) row;   // row of each caller's index
	neighbour_list list;
} search_result;

struct spate_neighbours
{
	search_result now, next; // a failed search does not change `now`
	space_index index;
	ARRAY(vec4) points, sorted;
	ARRAY(int64_t) ids;
	ARRAY(int32_t) group;
};

spate_result spate_neighbours_create(spate_neighbours **search, spate_error *error)
{
	if (!search)
		return error_set(error, SPATE_INVALID,
				 "spate_neighbours_create needs a pointer to the search, not NULL");
	*search = mem_calloc(1, sizeof **search);
	return *search ? SPATE_OK : error_memory(error, sizeof **search);
}

static void free_result(search_result *r)
{
	array_free(&r->order);
	array_free(&r->row);
	neighbour_list_free(&r->list);
}

void spate_neighbours_destroy(spate_neighbours *search)
{
	if (!search)
		return;
	free_result(&search->now);
	free_result(&search->next);
	space_index_free(&search->index);
	array_free(&search->points);
	array_free(&search->sorted);
	array_free(&search->ids);
	array_free(&search->group);
	mem_free(search);
}

// Makes a class for every distinct radius; `radii` may be NULL.
static spate_result find_classes(spate_neighbours *s, uint32_t count, float radius, const float *radii,
				 spate_error *error)
{
	float classes[SPACE_MAX_CLASSES] = {radius};
	uint32_t class_count = radii ? 0 : 1;
	for (uint32_t i = 0; i < count && radii; i++)
	{
		if (!(radii[i] > 0.0f) || !isfinite(radii[i]))
			return error_set(error, SPATE_INVALID,
					 "the radius of point %u is %g m; it must be positive and finite", i,
					 (double)radii[i]);
		uint32_t c = 0;
		while (c < class_count && classes[c] != radii[i])
			c++;
		if (c == SPACE_MAX_CLASSES)
			return error_set(error, SPATE_INVALID, "there are more than %d different radii",
					 SPACE_MAX_CLASSES);
		if (c == class_count)
			classes[class_count++] = radii[i];
		s->group.data[i] = (int32_t)c;
	}
	return space_index_set_classes(&s->index, class_count, classes, 0.0f, error);
}

static spate_result find(spate_neighbours *s, uint32_t count, const float *points, int grouped, int threads,
			 spate_error *error)
{
	static const uint8_t identity[SPACE_MAX_CLASSES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
							    11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
							    22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
	search_result *next = &s->next;
	for (uint32_t i = 0; i < count; i++)
	{
		s->points.data[i] =
		    (vec4){points[3 * (size_t)i], points[3 * (size_t)i + 1], points[3 * (size_t)i + 2], 0};
		s->ids.data[i] = i;
	}
	space_input input = {.count = count,
			     .positions = s->points.data,
			     .ids = s->ids.data,
			     .group = grouped ? s->group.data : NULL,
			     .class_of_group = identity};
	uint32_t bad = 0;
	spate_result result = space_index_sort(&s->index, &input, threads, next->order.data, &bad, error);
	if (result == SPATE_RANGE)
		return error_set(error, SPATE_RANGE,
				 "point %u at (%g, %g, %g) m is not finite or further than 2^20 radii from the origin",
				 bad, (double)points[3 * (size_t)bad], (double)points[3 * (size_t)bad + 1],
				 (double)points[3 * (size_t)bad + 2]);
	if (result != SPATE_OK)
		return result;
	for (uint32_t row = 0; row < count; row++)
	{
		s->sorted.data[row] = s->points.data[next->order.data[row]];
		next->row.data[next->order.data[row]] = row;
	}
	memset(s->sorted.data + count, 0, 8 * sizeof(vec4));
	next->count = count;
	return neighbour_list_build(&next->list, &s->index, s->sorted.data, 0.0f, threads, error);
}

spate_result spate_neighbours_find(spate_neighbours *s, uint32_t count, const float *points, float radius,
				   const float *radii, int threads, spate_error *error)
{
	if (!s || (!points && count > 0))
		return error_set(error, SPATE_INVALID, "spate_neighbours_find needs a search and points, not NULL");
	if (!radii && (!(radius > 0.0f) || !isfinite(radius)))
		return error_set(error, SPATE_INVALID, "the radius is %g m; it must be positive and finite",
				 (double)radius);
	if (count > UINT32_MAX - 32)
		return error_set(error, SPATE_INVALID, "%u points are more than one search can hold", count);
	if (threads <= 0)
		threads = parallel_default_threads();
	size_t room = (size_t)count + CANDIDATE_TAIL;
	if (!array_reserve(&s->points, room) || !array_reserve(&s->sorted, room) || !array_reserve(&s->ids, room) ||
	    !array_reserve(&s->group, room) || !array_reserve(&s->next.order, room) ||
	    !array_reserve(&s->next.row, room))
		return error_memory(error, room * 52);
	spate_result result = SPATE_OK;
	if (count > 0 && (result = find_classes(s, count, radius, radii, error)) == SPATE_OK)
		result = find(s, count, points, s->index.class_count > 1, threads, error);
	if (result != SPATE_OK)
		return result;
	if (count == 0)
	{
		s->next.count = 0;
		s->next.list.pairs = 0;
	}
	search_result swap = s->now;
	s->now = s->next;
	s->next = swap;
	return SPATE_OK;
}

uint32_t spate_neighbours_of(const spate_neighbours *s, uint32_t i, uint32_t *out, uint32_t capacity)
{
	if (!s || i >= s->now.count)
		return 0;
	const neighbour_list *list = &s->now.list;
	uint32_t row = s->now.row.data[i], found = 0;
	const uint32_t *entry = list->entries.data + list->slice_begin.data[row >> 3] + (row & 7);
	for (uint32_t k = 0; k < list->slice_length.data[row >> 3] && entry[8 * (size_t)k] != list->count; k++, found++)
		if (found < capacity && out)
			out[found] = s->now.order.data[entry[8 * (size_t)k]];
	return found;
}

uint64_t spate_neighbours_pairs(const spate_neighbours *s)
{
	return s ? s->now.list.pairs / 2 : 0;
}
