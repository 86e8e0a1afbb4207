// Internals of the particle store, for the modules that run over all particles.
//
//   hot   built-in fields (fields.def), moved at every sort
//   cold  user channels, left where they are: row r's cold values are at home[r] until store_settle() moves them
//
// So the cost of a sort does not depend on the number of user channels.
//
// Hot fields are packed into slabs of 16 bytes per row, each field one section of its slab:
//
//   slab 0   | id id id id ... | fluid fluid ... | density density ... |
//   slab 1   | position position position position ...                 |
//   slab 2   | velocity velocity velocity velocity ...                 |
//   slab 3   | pressure ... |
//   spare    | ................................................        |
//
// A sort gathers a slab into the spare one and swaps the two, so nothing is copied back and no memory is allocated. Only the
// last slab, which may be narrower than the spare one, is copied back.
// Cold channels are gathered into the spare slab, too, but copied back, since they are moved rarely.
#ifndef PARTICLES_STORE_H
#define PARTICLES_STORE_H

#include "base/array.h"
#include "base/vec.h"
#include "spate/store.h"

#define STORE_MAX_ROWS (UINT32_MAX - 32u)

enum
{
	STORE_SETTLE_EVERY = 20, // sorts between two moves of the cold channels
	STORE_SLACK = 16,        // rows that may be read and written beyond the capacity, in every array
	STORE_SLAB = 16          // bytes per row of a slab, and of the widest type
};

enum
{
#define FIELD(type, c_type, name, saved) STORE_FIELD_##name,
#include "particles/fields.def"
#undef FIELD
	STORE_FIELDS
};

// One line of fields.def.
typedef struct store_field
{
	const char *name;
	spate_type type;
	uint32_t size; // bytes of one value
	int saved;
} store_field;

extern const store_field store_fields[STORE_FIELDS];

typedef struct store_channel
{
	char name[64];
	spate_type type;
	char *data;
	char *resized;            // the next `data` while the store is being resized
	char initial[STORE_SLAB]; // value of new particles
} store_channel;

struct spate_store
{
	uint32_t rows;          // in use, removed ones included
	uint32_t removed;       // rows in use that are marked as removed
	uint32_t capacity;      // rows allocated, slack not counted
	uint32_t capacity_step; // capacity is a multiple of it (or STORE_MAX_ROWS)
	int64_t next_id;
	int threads;        // for calls without a number of threads of their own
	uint64_t reordered; // how often rows have changed places; adding at the end does not count

	// Pointers into the slabs; they change at every resize, sort and compaction. What lies beyond `rows` is
	// undefined.
#define FIELD(type, c_type, name, saved) c_type *name;
#include "particles/fields.def"
#undef FIELD
	uint8_t *dead;      // 1 for a removed row
	uint32_t *home;     // row's place in the cold channels; the row itself when settled
	uint32_t unsettled; // permutations since the last store_settle(), 0 when there are no channels

	ARRAY(store_channel) channels;

	uint32_t slab_count;
	char *slabs[STORE_FIELDS];
	uint8_t widths[STORE_FIELDS]; // bytes per row
	char *spare;                  // as large as a full slab
	struct
	{
		uint8_t slab, offset; // offset in bytes per row
	} places[STORE_FIELDS];
};

// Marks a living row as removed.
static inline void store_kill(spate_store *store, uint32_t row)
{
	store->dead[row] = 1;
	store->removed++;
}

// New row r gets what was in row order[r]; `order` is a permutation of [0, rows). Threads as in parallel_for. It works
// in the spare slab and cannot fail.
void store_permute(spate_store *store, const uint32_t *order, int threads);

// Moves the cold channels to their particles' rows. Call it before reading a channel; cheap when nothing is pending.
void store_settle(spate_store *store, int threads);

// spate_store_compact() with a number of threads. Cannot fail: when there is no memory for smaller arrays, the large
// ones are kept.
void store_compact(spate_store *store, int threads);

// 1 when enough rows are removed for a compaction to pay (one in eight).
int store_wants_compaction(const spate_store *store);

// The n-th array of a checkpoint: saved built-in fields in the order of the table, then user channels (their default
// is channels.data[].initial). 0 beyond the last. Compact first: the marks of removed rows are not saved.
int store_saved_field(spate_store *store, uint32_t n, const char **name, spate_type *type, void **data);

// Replaces all particles by `rows` living ones with every field zero and every channel at its default, for a loader to
// fill in, ids included; the next particle added gets `next_id`. On an error the store is as it was.
spate_result store_restore_begin(spate_store *store, uint32_t rows, int64_t next_id, spate_error *error);

// Between the store's own files.

// Decides which slab each field lives in.
void store_pack_fields(spate_store *store);
// First value of a field in the slabs, and the bytes that all arrays take for `capacity` rows.
char *store_field_data(const spate_store *store, uint32_t field);
size_t store_bytes_for(const spate_store *store, uint32_t capacity);
// Points the typed pointers at the slabs.
void store_place_fields(spate_store *store);
// Replaces the arrays by ones for `capacity` rows, at least `rows`. Returns 0 when out of memory, and then nothing has
// changed.
int store_resize(spate_store *store, uint32_t capacity, int threads);
void store_free_arrays(spate_store *store);
// Rows allocated per array, slack included.
size_t store_stride(uint32_t capacity);
void store_copy(char *to, const char *from, size_t bytes, int threads);
// Gives `count` rows from `first` on the channel's default.
void store_fill_channel(store_channel *channel, uint32_t first, uint32_t count, int threads);

#endif
