// Stable sorting of integer keys. Nothing here touches the heap: the caller brings the scratch memory.
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

// Counting sort of `count` keys below `range`. Afterwards order[starts[k]] ... order[starts[k + 1] - 1] are the indices
// of the keys equal to k, rising; `starts` has range + 1 entries, the last of them `count`. Sequential, for ranges that
// fit the cache.
void sort_counting(const uint32_t *keys, uint32_t count, uint32_t range, uint32_t *starts, uint32_t *order);

// Bytes of scratch that sort_radix() needs for `count` keys; 0 for very few.
size_t sort_radix_scratch(uint32_t count);

// Sorts keys, and `payload` along with them; equal keys keep their order. Threads as in parallel_for, and the result
// does not depend on them. Time is proportional to the number of bits in which the keys differ. `scratch` is 64-byte
// aligned.
void sort_radix(int threads, uint32_t count, uint64_t *keys, uint32_t *payload, void *scratch);

#endif
