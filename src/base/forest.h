// Groups of things that belong together (disjoint sets): trees in an array of parents, the root of each its smallest number.
#ifndef BASE_FOREST_H
#define BASE_FOREST_H

#include <stdint.h>

// Everything on its own.
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

// Makes one group of those of a and b; 0 when they are one already.
static inline int forest_join(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = forest_root(parent, a);
	b = forest_root(parent, b);
	parent[a > b ? a : b] = a < b ? a : b;
	return a != b;
}

#endif
