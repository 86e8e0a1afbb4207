// Internals of the particle store, for the modules that run over all particles.
//
//   hot   moved at every sort: the core fields (fields.def) and whatever solvers and users add as such
//   fresh hot, but written anew in every step: a sort leaves the values to the wrong rows
//   cold  left where they are: row r's cold values are at home[r] until store_settle() moves them
//
// So the cost of a sort does not depend on the number of cold fields.
//
// Rows come in two ranges. The first `rows` hold the particles of this store; `ghosts` more behind them are copies of particles of
// other stores, which are neighbours but not counted, saved or hashed. Whatever moves the border between the ranges drops the
// ghosts, for they are to be exchanged anew then.
//
// Hot fields are packed into slabs of at most 16 bytes per row, each field one section of its slab:
//
//   slab 0   | id id id id ... | fluid fluid ... | pressure pressure ...|
//   slab 1   | position position position position ...                 |
//   slab 2   | velocity velocity velocity velocity ...                 |
//   slab 3   | density density ... |                                   fresh
//   spare    | ................................................        |
//
// A sort gathers a slab into the spare one and swaps the two, so nothing is copied back and no memory is allocated. A slab that is
// narrower than the spare one is copied back, and so are cold fields, since they are moved rarely.
#ifndef PARTICLES_STORE_H
#define PARTICLES_STORE_H

#include "base/array.h"
#include "base/vec.h"
#include "particles/field.h"

#define STORE_MAX_ROWS (UINT32_MAX - 32u)

enum
{
	STORE_SETTLE_EVERY = 20, // sorts between two moves of the cold fields
	STORE_SLACK = 16,        // rows that may be read and written beyond the capacity, in every array
	STORE_SLAB = 16,         // bytes per row of a full slab, and of the widest type
	STORE_NAME_CHARS = 64,   // of texts, with the final zero
	STORE_UNIT_CHARS = 32,
	STORE_MEANING_CHARS = 256
};

// Index of a core field; others are found by name.
enum
{
#define CORE_FIELD(type, c_type, name, unit, flags, meaning) STORE_FIELD_##name,
#include "particles/fields.def"
#undef CORE_FIELD
	STORE_CORE_FIELDS
};

typedef struct store_field
{
	char name[STORE_NAME_CHARS], unit[STORE_UNIT_CHARS], meaning[STORE_MEANING_CHARS];
	spate_type type;
	uint32_t size;            // bytes of one value
	uint32_t flags;           // of spate_field_flags
	char initial[STORE_SLAB]; // value of new particles
	int built_in;             // users cannot drop it
	char *data;               // by row if hot, otherwise by home
	uint32_t slab, offset;    // of a hot field; the offset is in bytes per row
	struct
	{
		char *data;
		uint32_t slab, offset;
	} next; // the same while the arrays are being replaced
} store_field;

typedef struct store_slab
{
	char *data;
	uint32_t width; // bytes per row
	int fresh;      // sorts pass over it
} store_slab;

struct spate_store
{
	uint32_t rows;          // in use, removed ones included, ghosts not
	uint32_t removed;       // rows in use that are marked as removed
	uint32_t ghosts;        // rows behind those in use
	uint32_t capacity;      // rows allocated, slack not counted
	uint32_t capacity_step; // capacity is a multiple of it (or STORE_MAX_ROWS)
	int64_t next_id;
	int threads;        // for calls without a number of threads of their own
	uint64_t reordered; // how often rows have changed places; adding at the end does not count

	// Pointers into the slabs; they change at every resize, sort and compaction. What lies beyond the ghosts is
	// undefined.
#define CORE_FIELD(type, c_type, name, unit, flags, meaning) c_type *name;
#include "particles/fields.def"
#undef CORE_FIELD
	uint8_t *dead;      // 1 for a removed row
	uint32_t *home;     // row's place in the cold fields; the row itself when settled
	uint32_t unsettled; // permutations since the last store_settle(), 0 when there are no cold fields

	ARRAY(store_field) fields; // those of the core first
	uint32_t cold_fields;
	ARRAY(store_slab) slabs;
	char *spare; // as large as a full slab
};

// Rows of both ranges.
static inline uint32_t store_all_rows(const spate_store *store)
{
	return store->rows + store->ghosts;
}

static inline int store_is_hot(const store_field *field)
{
	return (field->flags & SPATE_FIELD_HOT) != 0;
}

// Marks a living row as removed.
static inline void store_kill(spate_store *store, uint32_t row)
{
	store->dead[row] = 1;
	store->removed++;
}

// Adds the fields of a module. They belong to the store from then on: users cannot drop them. On an error none is added.
spate_result store_add_fields(spate_store *store, field_table table, spate_error *error);

// Field of that name, NULL when there is none. The pointer is valid until fields are added or dropped, its data as spate_store_field()
// says; the values of a cold field are at home[row].
store_field *store_find(const spate_store *store, const char *name);

// The n-th field that has all of the flags, NULL beyond the last.
store_field *store_nth(const spate_store *store, uint32_t n, uint32_t flags);

// Values by row as files carry them: a padded vector is a vec3. Moves cold fields to their rows first.
typedef struct store_column
{
	const char *name;
	spate_type type;
	void *data;
	size_t stride; // bytes from row to row
} store_column;

store_column store_column_of(spate_store *store, const store_field *field);

// New row r gets what was in row order[r], except in fresh fields; `order` is a permutation of all rows that leaves ghosts behind the others. Threads as in
// parallel_for. It works in the spare slab and cannot fail.
void store_permute(spate_store *store, const uint32_t *order, int threads);

// Moves the cold fields to their particles' rows. Call it before reading one by row; cheap when nothing is pending.
void store_settle(spate_store *store, int threads);

// spate_store_compact() with a number of threads. Cannot fail: when there is no memory for smaller arrays, the large
// ones are kept.
void store_compact(spate_store *store, int threads);

// 1 when enough rows are removed for a compaction to pay (one in eight).
int store_wants_compaction(const spate_store *store);

// Replaces all particles by `rows` living ones with every field at its default, for a loader to fill in, ids included; the next
// particle added gets `next_id`. On an error the store is as it was.
spate_result store_restore_begin(spate_store *store, uint32_t rows, int64_t next_id, spate_error *error);

// Adds `count` ghosts behind the rows and the ghosts that there are, with every field at its default; the caller fills those that are
// flagged as halo. On an error the store is as it was.
spate_result store_add_ghosts(spate_store *store, uint32_t count, spate_error *error);
void store_drop_ghosts(spate_store *store);

// Takes back the last particles added, down to `rows`, none of which has been moved since; the next one gets `next_id`.
void store_take_back(spate_store *store, uint32_t rows, int64_t next_id);

// Between the store's own files.

// Points fields and typed pointers at the slabs.
void store_place_fields(spate_store *store);
// Bytes that all arrays take for `capacity` rows.
size_t store_bytes_for(const spate_store *store, uint32_t capacity);
// Replaces the arrays by ones for `capacity` rows, with the hot fields packed anew; a field without data gets its default. Returns 0 when
// out of memory, and then nothing has changed.
int store_resize(spate_store *store, uint32_t capacity, int threads);
void store_free_arrays(spate_store *store);
// Rows allocated per array, slack included.
size_t store_stride(uint32_t capacity);
void store_copy(char *to, const char *from, size_t bytes, int threads);
// Gives `count` rows from `first` on the field's default.
void store_fill_field(const store_field *field, uint32_t first, uint32_t count, int threads);

#endif
