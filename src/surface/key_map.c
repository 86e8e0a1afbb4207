#include "surface/key_map.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

enum
{
	FEWEST_SLOTS = 64
};

void key_map_free(key_map *map)
{
	mem_free(map->slots);
	*map = (key_map){0};
}

// The slot of the key, or the free slot where it belongs.
static key_slot *seek(const key_map *map, uint32_t a, uint32_t b, uint32_t c)
{
	size_t mask = map->capacity - 1;
	size_t i = hash_mix(hash_mix((uint64_t)a << 32 | b) + c) & mask;
	for (;; i = (i + 1) & mask)
	{
		key_slot *slot = &map->slots[i];
		if (slot->value == KEY_MAP_FREE || (slot->key[0] == a && slot->key[1] == b && slot->key[2] == c))
			return slot;
	}
}

static int grow(key_map *map, size_t capacity)
{
	size_t bytes = mem_product(capacity, sizeof(key_slot));
	key_map larger = {.slots = mem_alloc(bytes), .capacity = capacity, .count = map->count};
	if (!larger.slots)
		return 0;
	memset(larger.slots, 0xff, bytes);

	for (size_t i = 0; i < map->capacity; i++)
	{
		key_slot slot = map->slots[i];
		if (slot.value != KEY_MAP_FREE)
			*seek(&larger, slot.key[0], slot.key[1], slot.key[2]) = slot;
	}
	mem_free(map->slots);
	*map = larger;
	return 1;
}

int key_map_reserve(key_map *map, size_t keys)
{
	size_t capacity = FEWEST_SLOTS;
	while (capacity / 3 * 2 < keys)
		capacity *= 2;
	return capacity <= map->capacity || grow(map, capacity);
}

uint32_t *key_map_put(key_map *map, uint32_t a, uint32_t b, uint32_t c, uint32_t value)
{
	if (!key_map_reserve(map, map->count + 1))
		return NULL;
	key_slot *slot = seek(map, a, b, c);
	if (slot->value == KEY_MAP_FREE)
	{
		*slot = (key_slot){.key = {a, b, c}, .value = value};
		map->count++;
	}
	return &slot->value;
}
