#include "mesh/weld.h"

#include "base/hash.h"

#include <string.h>

static size_t hash_of(const float point[3])
{
	uint32_t bits[3];
	memcpy(bits, point, sizeof bits);
	return (size_t)hash_mix(hash_mix(bits[0] | (uint64_t)bits[1] << 32) + bits[2]);
}

static int same_point(const float a[3], const float b[3])
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// The slot that holds the point, or the empty one where it belongs.
static uint32_t *slot_of(const weld *w, const float point[3])
{
	size_t mask = w->slot_count - 1;
	for (size_t i = hash_of(point) & mask;; i = (i + 1) & mask)
		if (w->slots[i] == 0 || same_point(&w->points.data[3 * (size_t)(w->slots[i] - 1)], point))
			return &w->slots[i];
}

static int grow(weld *w)
{
	weld larger = {.points = w->points, .slot_count = w->slot_count ? 2 * w->slot_count : 64};
	if (!(larger.slots = mem_calloc(larger.slot_count, sizeof *larger.slots)))
		return 0;
	for (size_t i = 0; i < w->points.count / 3; i++)
		*slot_of(&larger, &w->points.data[3 * i]) = (uint32_t)(i + 1);
	mem_free(w->slots);
	w->slots = larger.slots;
	w->slot_count = larger.slot_count;
	return 1;
}

int weld_add(weld *w, const float point[3], uint32_t *index)
{
	size_t count = w->points.count / 3;
	if (2 * (count + 1) > w->slot_count && !grow(w))
		return 0;
	// adding zero turns -0 into 0 and changes nothing else
	float plain[3] = {point[0] + 0.0f, point[1] + 0.0f, point[2] + 0.0f};
	uint32_t *slot = slot_of(w, plain);
	if (*slot == 0)
	{
		if (count + 1 >= UINT32_MAX || !array_reserve(&w->points, w->points.count + 3))
			return 0;
		memcpy(w->points.data + w->points.count, plain, sizeof plain);
		w->points.count += 3;
		*slot = (uint32_t)(count + 1);
	}
	*index = *slot - 1;
	return 1;
}

void weld_free(weld *w)
{
	array_free(&w->points);
	mem_free(w->slots);
	*w = (weld){0};
}
