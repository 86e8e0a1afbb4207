// All heap memory comes from here. Every block is 64-byte aligned and counted; large ones ask for huge pages.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// NULL when out of memory or when bytes is 0. Not zeroed.
void *mem_alloc(size_t bytes);
// Zeroed, count * size checked for overflow.
void *mem_calloc(size_t count, size_t size);
// Keeps min(old, new) bytes; on failure returns NULL and the old block stays valid.
void *mem_realloc(void *block, size_t bytes);
// NULL is allowed.
void mem_free(void *block);
// count * size for an allocation, SIZE_MAX on overflow (which no allocation can satisfy).
size_t mem_product(size_t count, size_t size);
// A heap copy of a string.
char *mem_strdup(const char *text);

typedef struct mem_stats
{
	uint64_t calls;  // allocations so far, successful or not
	uint64_t blocks; // alive now
	uint64_t bytes;  // alive now
	uint64_t peak;   // most bytes alive at once
} mem_stats;

mem_stats mem_get_stats(void);
// Resets `peak` to the bytes alive now, and returns them.
uint64_t mem_reset_peak(void);

// Test hook: the n-th allocation from now fails (1 is the next), once, be it from the heap or from an arena. 0 switches it off.
// Returns how many were left until the failure that was asked for before: 0 if it has happened.
uint64_t mem_fail_at(uint64_t n);

// Scratch memory for one step: allocated by bumping a pointer, freed all at once. The first steps may chain blocks. A
// reset then joins them into one, a quarter larger than the high-water mark, so that a steady step makes no heap call.
typedef struct arena_block arena_block;
typedef struct arena
{
	arena_block *block; // newest first
	size_t used;        // bytes handed out since the last reset, padding included
	size_t high_water;  // most ever used between two resets
} arena;

void arena_init(arena *a);
void arena_free(arena *a);
// 64-byte aligned, not zeroed; NULL when out of memory.
void *arena_alloc(arena *a, size_t bytes);
void arena_reset(arena *a);

#endif
