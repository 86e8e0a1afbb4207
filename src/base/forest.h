// Disjoint sets: trees in an array of parents. The root of each set is its smallest member.
#ifndef BASE_FOREST_H
#define BASE_FOREST_H

#include <stdint.h>

// Makes every item a set of its own.
static inline void forest_init(uint32_t *parent, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		parent[i] = i;
}

static inline uint32_t forest_root(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

// Joins the sets of a and b; returns 0 if they are the same already.
static inline int forest_join(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = forest_root(parent, a);
	b = forest_root(parent, b);
	parent[a > b ? a : b] = a < b ? a : b;
	return a != b;
}

#endif
