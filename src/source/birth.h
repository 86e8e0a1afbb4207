// What particles carry from their source, unchanged: channels that the definition declares, and automatic ones, which the world has if they
// are asked for (docs/channels.md).
#ifndef SOURCE_BIRTH_H
#define SOURCE_BIRTH_H

#include "mesh/points.h"
#include "particles/store.h"
#include "spate/world.h"

typedef enum birth_id
{
	BIRTH_TIME,
	BIRTH_SOURCE,
	BIRTH_REST_POSITION,
	BIRTH_UV,
	BIRTH_COLOR,
	BIRTH_COUNT
} birth_id;

// Automatic channels by birth_id.
extern const field_table birth_fields;

// A declared channel as a field. `initial` has room for its initial value, to which the result points.
spate_field_def birth_channel_field(const spate_channel_def *channel, char initial[STORE_SLAB]);

// The formulas that give a source's particles their values of a channel; NULL if numbers do.
const char *const *birth_formulas(const spate_channel_def *channel, const spate_source_def *source);

// Refuses formulas of a channel that cannot be compiled.
spate_result birth_check_formulas(const spate_channel_def *channel, spate_error *error);

// Particles that have just come.
typedef struct birth
{
	const spate_source_def *source;
	uint32_t number; // of the source
	const spate_fluid_def *fluid;
	const spate_channel_def *channels; // declared ones
	uint32_t channel_count;
	double time;          // s
	const double *origin; // m
	// where they come from a file: what it has of them, and their numbers there; else NULL
	const particle_set *file;
	const uint32_t *picked;
} birth;

// Gives the rows from `first` on, which have just been added, what they carry, as far as the store has fields for it. Fails where a
// formula has no value.
spate_result birth_assign(const birth *b, spate_store *store, uint32_t first, spate_error *error);

#endif
