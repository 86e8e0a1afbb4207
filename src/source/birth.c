#include "source/birth.h"

#include <string.h>

static const spate_type types[] = {
    [SPATE_CHANNEL_FLOAT] = SPATE_FLOAT, [SPATE_CHANNEL_INT] = SPATE_INT32, [SPATE_CHANNEL_VECTOR] = SPATE_VEC3};

// Writes a value as the channel's type has it.
static void encode(const spate_channel_def *channel, const double value[3], char out[STORE_SLAB])
{
	int32_t whole = channel->type == SPATE_CHANNEL_INT ? (int32_t)value[0] : 0;
	float numbers[3] = {(float)value[0], (float)value[1], (float)value[2]};
	if (channel->type == SPATE_CHANNEL_INT)
		memcpy(out, &whole, sizeof whole);
	else
		memcpy(out, numbers, spate_type_size(types[channel->type]));
}

spate_field_def birth_channel_field(const spate_channel_def *channel, char initial[STORE_SLAB])
{
	spate_field_def def = spate_default_field_def();
	encode(channel, channel->initial, initial);
	def.name = channel->name;
	def.type = types[channel->type];
	def.meaning = "Declared by the scene.";
	def.flags |= SPATE_FIELD_HALO;
	def.initial = initial;
	return def;
}

// What a source gives in place of the initial value; NULL for nothing.
static const double *value_of(const spate_channel_def *channel, const spate_source_def *source)
{
	for (uint32_t v = 0; v < channel->value_count && source->name; v++)
		if (strcmp(channel->values[v].source, source->name) == 0)
			return channel->values[v].value;
	return NULL;
}

static void assign_channel(const birth *b, const spate_channel_def *channel, spate_store *store, uint32_t first)
{
	const double *value = value_of(channel, b->source);
	const store_field *field = value ? store_find(store, channel->name) : NULL;
	// a host may have dropped the field
	if (!field || field->type != types[channel->type] || store_is_hot(field))
		return;
	char bytes[STORE_SLAB];
	encode(channel, value, bytes);
	// new rows are settled: their home is the row itself
	for (uint32_t row = first; row < store->rows; row++)
		memcpy(field->data + (size_t)row * field->size, bytes, field->size);
}

void birth_assign(const birth *b, spate_store *store, uint32_t first)
{
	for (uint32_t c = 0; c < b->channel_count; c++)
		assign_channel(b, &b->channels[c], store, first);
}
