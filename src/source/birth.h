// What particles carry from their source: channels that the definition declares.
#ifndef SOURCE_BIRTH_H
#define SOURCE_BIRTH_H

#include "particles/store.h"
#include "spate/world.h"

// A declared channel as a field. `initial` has room for its initial value, to which the result points.
spate_field_def birth_channel_field(const spate_channel_def *channel, char initial[STORE_SLAB]);

// Particles that have just come.
typedef struct birth
{
	const spate_source_def *source;
	const spate_channel_def *channels; // declared ones
	uint32_t channel_count;
} birth;

// Gives the rows from `first` on, which have just been added, what they carry.
void birth_assign(const birth *b, spate_store *store, uint32_t first);

#endif
