#include "source/birth.h"

#include "base/error.h"
#include "base/memory.h"
#include "collider/shape.h"
#include "particles/material.h"
#include "source/formula.h"

#include <stdio.h>
#include <string.h>

enum
{
	CARRIED = SPATE_FIELD_SAVED | SPATE_FIELD_PUBLISHED | SPATE_FIELD_HALO
};

static const spate_field_def fields[BIRTH_COUNT] = {
    [BIRTH_TIME] = {"birth", SPATE_FLOAT, "s", "Time of the substep in which the particle came.", CARRIED, NULL},
    [BIRTH_SOURCE] = {"source", SPATE_INT32, "", "Number of the source that it came from, from 0.", CARRIED, NULL},
    [BIRTH_REST_POSITION] = {"rest_position", SPATE_VEC3, "m", "Where it came, in the coordinates of the scene.",
			     CARRIED, NULL},
    [BIRTH_UV] = {"uv", SPATE_VEC2, "",
		  "Where it came, from 0 to 1 across its source: along x and y of the box around a fill, or across the "
		  "opening of an emitter.",
		  CARRIED, NULL},
    [BIRTH_COLOR] = {"color", SPATE_VEC3, "", "Colour (sRGB, 0 to 1) of its source, or else of its fluid.", CARRIED,
		     NULL},
};
const field_table birth_fields = FIELD_TABLE(fields);

// ----------------------------------------------------------------------------------------------------------- declared

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
static const spate_channel_value *value_of(const spate_channel_def *channel, const spate_source_def *source)
{
	for (uint32_t v = 0; v < channel->value_count && source->name; v++)
		if (strcmp(channel->values[v].source, source->name) == 0)
			return &channel->values[v];
	return NULL;
}

// The place of a new row's value in a field; NULL if the store has no such field, which a host may have dropped. New rows are settled:
// their home is the row itself.
static char *values_of(const spate_store *store, const char *name, spate_type type, uint32_t row)
{
	const store_field *field = store_find(store, name);
	if (!field || field->type != type || store_is_hot(field))
		return NULL;
	return field->data + (size_t)row * field->size;
}

// Writes a value to the rows from `first` on.
static void fill_rows(const spate_store *store, const char *name, spate_type type, uint32_t first, const void *value)
{
	size_t size = spate_type_size(type);
	char *to = values_of(store, name, type, first);
	for (uint32_t row = first; to && row < store->rows; row++, to += size)
		memcpy(to, value, size);
}

const char *const *birth_formulas(const spate_channel_def *channel, const spate_source_def *source)
{
	const spate_channel_value *value = value_of(channel, source);
	const char *const *texts = value ? value->formulas : channel->formulas;
	return texts[0] ? texts : NULL;
}

spate_result birth_check_formulas(const spate_channel_def *channel, spate_error *error)
{
	spate_result result = SPATE_OK;
	char what[128];
	snprintf(what, sizeof what, "the channel '%.40s'", channel->name);
	for (uint32_t v = 0; v <= channel->value_count && result == SPATE_OK; v++)
	{
		source_formulas f;
		const char *const *texts = v < channel->value_count ? channel->values[v].formulas : channel->formulas;
		result = formulas_make(&f, texts, spate_type_components(types[channel->type]), what, error);
		formulas_free(&f);
	}
	return result;
}

// Values of formulas at the places of the rows.
static spate_result assign_formulas(const birth *b, const spate_channel_def *channel, const char *const texts[3],
				    const spate_store *store, uint32_t first, spate_error *error)
{
	spate_type type = types[channel->type];
	char what[128], *to = values_of(store, channel->name, type, first);
	size_t count = store->rows - first, size = spate_type_size(type);
	source_formulas f;
	if (!to || count == 0)
		return SPATE_OK;
	snprintf(what, sizeof what, "the channel '%.40s' of source %u", channel->name, b->number);
	double *values = mem_alloc(3 * count * sizeof *values);
	spate_result result = values ? formulas_make(&f, texts, spate_type_components(type), what, error)
				     : error_memory(error, 3 * count * sizeof *values);
	if (!values)
		return result;
	if (result == SPATE_OK)
		result = formulas_evaluate(&f, (const float *)(store->position + first), 4, count, b->origin, b->time,
					   what, values, error);
	for (size_t i = 0; i < count && result == SPATE_OK; i++, to += size)
	{
		// the nearest whole number, as far as there are such
		if (type == SPATE_INT32)
			values[3 * i] = fmin(fmax(nearbyint(values[3 * i]), INT32_MIN), INT32_MAX);
		encode(channel, values + 3 * i, to);
	}
	formulas_free(&f);
	mem_free(values);
	return result;
}

static spate_result assign_channel(const birth *b, const spate_channel_def *channel, const spate_store *store,
				   uint32_t first, spate_error *error)
{
	char bytes[STORE_SLAB];
	const spate_channel_value *value = value_of(channel, b->source);
	const char *const *texts = birth_formulas(channel, b->source);
	if (texts)
		return assign_formulas(b, channel, texts, store, first, error);
	if (!value)
		return SPATE_OK;
	encode(channel, value->value, bytes);
	fill_rows(store, channel->name, types[channel->type], first, bytes);
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------- automatic

// A frame in which a source reaches from 0 to 1 along two directions: u = axis[0] . (x - corner), likewise v.
typedef struct source_frame
{
	double corner[3], axis[2][3]; // m, 1/m
} source_frame;

static source_frame frame_of(const spate_source_def *source, double spacing)
{
	source_frame f = {0};
	double low[3] = {0}, high[3] = {0}, across[2][3];
	if (source->type == SPATE_SOURCE_FILL && source->from)
		return f; // without a shape they have no place in it
	if (source->type == SPATE_SOURCE_FILL)
	{
		shape_bounds(&source->shape, low, high);
		memcpy(f.corner, low, sizeof low);
		for (int k = 0; k < 2; k++)
			f.axis[k][k] = high[k] > low[k] ? 1.0 / (high[k] - low[k]) : 0.0;
		return f;
	}
	const double width[2] = {source->radius > 0.0 ? 2.0 * source->radius : source->width,
				 source->radius > 0.0   ? 2.0 * source->radius
				 : source->height > 0.0 ? source->height
							: spacing};
	vec3_across(source->direction, across[0], across[1]);
	for (int i = 0; i < 3; i++)
	{
		f.corner[i] = source->position[i] - 0.5 * (width[0] * across[0][i] + width[1] * across[1][i]);
		for (int k = 0; k < 2; k++)
			f.axis[k][i] = across[k][i] / width[k];
	}
	return f;
}

static void assign_places(const birth *b, const spate_store *store, uint32_t first)
{
	char *rest = values_of(store, "rest_position", SPATE_VEC3, first),
	     *uv = values_of(store, "uv", SPATE_VEC2, first);
	if (!rest && !uv)
		return;
	source_frame f = frame_of(b->source, b->fluid->spacing);
	for (uint32_t row = first; row < store->rows; row++)
	{
		vec4 x = store->position[row];
		const double place[3] = {(double)x.x + b->origin[0], (double)x.y + b->origin[1],
					 (double)x.z + b->origin[2]};
		const float world[3] = {(float)place[0], (float)place[1], (float)place[2]};
		float across[2];
		for (int k = 0; k < 2; k++)
			across[k] =
			    (float)(f.axis[k][0] * (place[0] - f.corner[0]) + f.axis[k][1] * (place[1] - f.corner[1]) +
				    f.axis[k][2] * (place[2] - f.corner[2]));
		if (rest)
			memcpy(rest + (size_t)(row - first) * sizeof world, world, sizeof world);
		if (uv)
			memcpy(uv + (size_t)(row - first) * sizeof across, across, sizeof across);
	}
}

// ------------------------------------------------------------------------------------------------------------ from files

// Takes a field from the channel of that name, if the file has it.
static void take_values(const birth *b, const spate_store *store, const char *name, spate_type type, uint32_t first)
{
	char *to = values_of(store, name, type, first);
	const spate_mesh_channel *from = to ? spate_mesh_find_channel(b->file->points, name) : NULL;
	if (!from || from->components != spate_type_components(type))
		return;
	size_t size = spate_type_size(type);
	for (uint32_t row = first; row < store->rows; row++, to += size)
	{
		const float *values = from->values + (size_t)b->picked[row - first] * from->components;
		int32_t whole =
		    type == SPATE_INT32 ? (int32_t)fminf(fmaxf(values[0], -2147483648.0f), 2147483520.0f) : 0;
		if (type == SPATE_INT32)
			memcpy(to, &whole, sizeof whole);
		else
			memcpy(to, values, size);
	}
}

// A particle is as old as it was in the file, so it came before the run began.
static void take_ages(const birth *b, const spate_store *store, uint32_t first)
{
	char *to = values_of(store, "birth", SPATE_FLOAT, first);
	const spate_mesh_channel *age = to ? spate_mesh_find_channel(b->file->points, "age") : NULL,
				 *born = to && !age ? spate_mesh_find_channel(b->file->points, "birth") : NULL,
				 *from = age ? age : born;
	if (!from || from->components != 1)
		return;
	for (uint32_t row = first; row < store->rows; row++, to += sizeof(float))
	{
		double value = (double)from->values[b->picked[row - first]];
		float time = (float)(b->time - (age ? value : b->file->time - value));
		memcpy(to, &time, sizeof time);
	}
}

static void take_from_file(const birth *b, const spate_store *store, uint32_t first)
{
	for (uint32_t c = 0; c < b->channel_count; c++)
		if (!value_of(&b->channels[c], b->source))
			take_values(b, store, b->channels[c].name, types[b->channels[c].type], first);
	for (material_id id = 0; id < MATERIAL_COUNT; id++)
		if (!(material_of_source(b->source, id) >= 0.0))
			take_values(b, store, material_fields.fields[id].name, SPATE_FLOAT, first);
	take_ages(b, store, first);
	for (birth_id id = BIRTH_SOURCE; id < BIRTH_COUNT; id++)
		if (id != BIRTH_COLOR || !(b->source->color[0] >= 0.0))
			take_values(b, store, fields[id].name, fields[id].type, first);
}

spate_result birth_assign(const birth *b, spate_store *store, uint32_t first, spate_error *error)
{
	const double *color = b->source->color[0] >= 0.0 ? b->source->color : b->fluid->color;
	float time = (float)b->time, shade[3] = {(float)color[0], (float)color[1], (float)color[2]};
	int32_t number = (int32_t)b->number;
	fill_rows(store, "birth", SPATE_FLOAT, first, &time);
	fill_rows(store, "source", SPATE_INT32, first, &number);
	fill_rows(store, "color", SPATE_VEC3, first, shade);
	assign_places(b, store, first);
	spate_result result = SPATE_OK;
	for (uint32_t c = 0; c < b->channel_count && result == SPATE_OK; c++)
		result = assign_channel(b, &b->channels[c], store, first, error);
	if (b->file && result == SPATE_OK)
		take_from_file(b, store, first);
	return result;
}
