// The particle store: a structure of arrays. Every store has the core fields (id, position, velocity, fluid, density, pressure); a world
// adds those of its solver and of the features in use, and users add theirs. Rows move when particles are sorted or compacted; ids
// never change and are never reused.
//
// A store may be used by one thread at a time. A call that fails leaves it as it was, unless it says otherwise.
#ifndef SPATE_STORE_H
#define SPATE_STORE_H

#include "spate/result.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spate_store spate_store;

// name, C type of one component, components
#define SPATE_TYPE_MAP(X)    \
	X(FLOAT, float, 1)   \
	X(INT32, int32_t, 1) \
	X(INT64, int64_t, 1) \
	X(VEC2, float, 2)    \
	X(VEC3, float, 3)    \
	X(VEC4, float, 4)

typedef enum spate_type
{
#define X(name, type, components) SPATE_##name,
	SPATE_TYPE_MAP(X)
#undef X
	SPATE_TYPE_COUNT
} spate_type;

// Size of one value in bytes; 0 for an unknown type.
SPATE_API size_t spate_type_size(spate_type type);
SPATE_API uint32_t spate_type_components(spate_type type);
// "float", "int32", "int64", "vec2", "vec3", "vec4"; NULL for an unknown type.
SPATE_API const char *spate_type_name(spate_type type);

// What is done with a field. Whatever is not saved is filled anew in every step.
typedef enum spate_field_flags
{
	SPATE_FIELD_HOT = 1,   // moved at every sort, for values read in every step; others are moved once in a while
	SPATE_FIELD_SAVED = 2, // part of checkpoints and snapshots
	SPATE_FIELD_PUBLISHED = 4, // may be written into frames
	SPATE_FIELD_HALO = 8,      // carried by copies of particles of other machines
	SPATE_FIELD_DEVICE = 16,   // mirrored on a device
	SPATE_FIELD_PADDED = 32,   // a vec4 whose w is scratch: files carry it as a vec3
	SPATE_FIELD_FRESH = 64     // hot, but written by every step before anything reads it: sorts do not move it
} spate_field_flags;

typedef struct spate_field_def
{
	const char
	    *name; // an identifier of at most 63 characters: letters, digits, underscore, not starting with a digit
	spate_type type;
	const char *unit;    // "m/s", at most 31 bytes; "" or NULL for none
	const char *meaning; // one sentence of at most 255 bytes, or NULL
	uint32_t flags;      // of spate_field_flags
	const void *initial; // value of new particles, one of the type; NULL for zero
} spate_field_def;

// A float without a name, saved and published.
SPATE_API spate_field_def spate_default_field_def(void);

// Capacity is a multiple of `capacity_step` rows (0 for the default of 65,536). It grows by at least an eighth and
// shrinks when a compaction leaves less than half of it in use. A store holds at most 4,294,967,263 rows.
SPATE_API spate_result spate_store_create(spate_store **store, uint32_t capacity_step, spate_error *error);
SPATE_API void spate_store_destroy(spate_store *store);

// Adds `count` particles of fluid `fluid` (0 or more). `positions` holds 3 * count finite floats (m, relative to the
// world's origin), `velocities` likewise (m/s), or is NULL for particles at rest. Other fields get their initial value.
// The new ids are *first_id, *first_id + 1, ... (first_id may be NULL). The arrays must not be the store's own. On error
// the store is unchanged.
SPATE_API spate_result spate_store_add(spate_store *store, uint32_t count, const float *positions,
				       const float *velocities, int32_t fluid, int64_t *first_id, spate_error *error);

// Marks rows as removed, after checking all of them; a row may be listed only once. They leave the count at once and the
// arrays at the next compaction.
SPATE_API spate_result spate_store_remove(spate_store *store, const uint32_t *rows, uint32_t count, spate_error *error);

// Drops removed rows, keeping the order of the others, and shrinks the arrays if less than half full. Cannot fail for
// lack of memory.
SPATE_API spate_result spate_store_compact(spate_store *store, spate_error *error);

// Living particles; rows in the arrays (living and removed); rows allocated.
SPATE_API uint32_t spate_store_count(const spate_store *store);
SPATE_API uint32_t spate_store_rows(const spate_store *store);
SPATE_API uint32_t spate_store_capacity(const spate_store *store);
// Memory of all arrays in bytes.
SPATE_API size_t spate_store_bytes(const spate_store *store);
// 1 if the row holds a living particle.
SPATE_API int spate_store_is_alive(const spate_store *store, uint32_t row);

// Adds a field; all particles get its initial value. Its definition is copied. The name must not be in use. A field that is not hot is
// cheap to add at any time; a hot one moves all others.
SPATE_API spate_result spate_store_add_field(spate_store *store, const spate_field_def *def, spate_error *error);
// The same for a field that is saved and published, without unit and sentence.
SPATE_API spate_result spate_store_add_channel(spate_store *store, const char *name, spate_type type,
					       const void *initial, spate_error *error);
// Drops a field that was added by the calls above. Needs no memory.
SPATE_API spate_result spate_store_drop_field(spate_store *store, const char *name, spate_error *error);

// Lists all fields, those of the core first; MISSING beyond the last. Texts and initial value are the store's, valid until fields are
// added or dropped.
SPATE_API uint32_t spate_store_field_count(const spate_store *store);
SPATE_API spate_result spate_store_field_at(const spate_store *store, uint32_t n, spate_field_def *def);

// Values of a field by name, one per row, in the same row order as all other fields. Valid until particles are added, sorted or
// compacted, or fields are added or dropped. NULL for an unknown name; `type` may be NULL.
SPATE_API void *spate_store_field(spate_store *store, const char *name, spate_type *type);

#ifdef __cplusplus
}
#endif
#endif
