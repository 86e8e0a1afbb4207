#include "space/cells.h"

// bit k of n goes to bit 3k
#define S(n)                                                                                           \
	(((n)&1u) | ((n)&2u) << 2 | ((n)&4u) << 4 | ((n)&8u) << 6 | ((n)&16u) << 8 | ((n)&32u) << 10 | \
	 ((n)&64u) << 12 | ((n)&128u) << 14 | ((n)&256u) << 16)
#define S8(n) S(n), S((n) + 1), S((n) + 2), S((n) + 3), S((n) + 4), S((n) + 5), S((n) + 6), S((n) + 7)
#define S64(n) S8(n), S8((n) + 8), S8((n) + 16), S8((n) + 24), S8((n) + 32), S8((n) + 40), S8((n) + 48), S8((n) + 56)

const uint32_t leaf_spread_table[512] = {S64(0), S64(64), S64(128), S64(192), S64(256), S64(320), S64(384), S64(448)};
