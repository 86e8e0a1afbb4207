// A hash map from three 32-bit numbers (an edge, a face, a grid point) to a number.
#ifndef SURFACE_KEY_MAP_H
#define SURFACE_KEY_MAP_H

#include <stddef.h>
#include <stdint.h>

#define KEY_MAP_FREE UINT32_MAX // no key has this value

typedef struct key_slot
{
	uint32_t key[3];
	uint32_t value;
} key_slot;

// All zero is the empty map.
typedef struct key_map
{
	key_slot *slots; // open addressing, a power of two of them
	size_t capacity, count;
} key_map;

void key_map_free(key_map *map);

// Reserves room for this many keys; 0 when out of memory.
int key_map_reserve(key_map *map, size_t keys);

// The value of a key, set to `value` if the key is new; NULL when out of memory. Valid until the next call.
uint32_t *key_map_put(key_map *map, uint32_t a, uint32_t b, uint32_t c, uint32_t value);

#endif
