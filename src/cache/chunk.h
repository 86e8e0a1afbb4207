// Packing and unpacking the rows of a channel, one chunk at a time. See format.h for the layout of a chunk.
#ifndef CACHE_CHUNK_H
#define CACHE_CHUNK_H

#include "spate/store.h"

#include <stddef.h>
#include <stdint.h>

// Most bytes that `rows` rows take when packed.
size_t chunk_bound(spate_type type, size_t rows);

// Packs rows (at most FORMAT_CHUNK_ROWS) that lie `stride` bytes apart. `scratch` has room for the rows without gaps.
// Returns the bytes written to `chunk`, which holds chunk_bound(); 0 on failure.
size_t chunk_pack(spate_type type, const void *data, size_t stride, size_t rows, void *chunk, void *scratch);

// Bytes of the chunk that starts here, at most `left`; 0 when it is not a chunk of that many rows.
size_t chunk_length(spate_type type, size_t rows, const void *chunk, size_t left);

// Unpacks a chunk whose length chunk_length() gave; 0 when its content is damaged.
int chunk_unpack(spate_type type, const void *chunk, size_t rows, void *data, size_t stride, void *scratch);

#endif
