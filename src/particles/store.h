// Inside of the particle store, for the modules that run over all particles.
//
//   hot   built-in fields (fields.def), permuted at every sort, plus `home`
//   cold  user channels, left where they are: row r's cold values are at home[r] until store_settle() moves them
//
// So a sort costs the same however many channels an artist hangs on the particles.
#ifndef PARTICLES_STORE_H
#define PARTICLES_STORE_H

#include "base/array.h"
#include "base/vec.h"
#include "spate/store.h"

enum
{
	STORE_SETTLE_EVERY = 20 // sorts between two moves of the cold channels
};

typedef struct store_channel
{
	char name[64];
	spate_type type;
	char *data;
	char initial[16]; // one value, what new particles get
} store_channel;

struct spate_store
{
	uint32_t rows;          // in use, removed ones included
	uint32_t removed;       // of those, marked as removed
	uint32_t capacity;      // rows allocated
	uint32_t capacity_step; // capacity is a multiple of it
	int64_t next_id;

#define FIELD(type, c_type, name, saved) c_type *name;
#include "particles/fields.def"
#undef FIELD
	uint8_t *dead;      // 1 for a removed row
	uint32_t *home;     // row's place in the cold channels
	uint32_t unsettled; // permutations since the last store_settle()

	ARRAY(store_channel) channels;
	char *spare; // one array of capacity * widest field, swapped with the field being permuted
};

// New row r gets what was in row order[r]; `order` is a permutation of [0, rows). Threads as in parallel_for.
// Fails only for lack of memory, and then nothing has changed.
spate_result store_permute(spate_store *store, const uint32_t *order, int threads, spate_error *error);

// Moves the cold channels to their particles' rows. Called by whoever reads a channel; cheap when nothing is pending.
spate_result store_settle(spate_store *store, int threads, spate_error *error);

// 1 when enough rows are removed for a compaction to pay (one in eight).
int store_wants_compaction(const spate_store *store);

#endif
