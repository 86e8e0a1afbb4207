// Hashing of bytes, for checksums and state hashes.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// XXH64 of `bytes` bytes (data may be NULL when bytes is 0). The same value on every machine.
uint64_t hash_bytes(const void *data, size_t bytes, uint64_t seed);

#endif
