// The keys of channels, which particles carry.
#include "base/suggest.h"
#include "scene/key_rows.h"
#include "scene/read.h"
#include "world/fields.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

FITS(spate_channel_def);
FITS(spate_channel_value);

// clang-format off

#define FLOAT (1u << SPATE_CHANNEL_FLOAT)
#define INT (1u << SPATE_CHANNEL_INT)
#define VECTOR (1u << SPATE_CHANNEL_VECTOR)
// The limit of all numbers of a world.
#define MOST_FLOAT 1e15
#define ANY_FLOAT RANGE(-MOST_FLOAT, MOST_FLOAT)
#define ANY_INT RANGE(-2147483648.0, 2147483647.0)

static const scene_word type_words[] = {{"float", SPATE_CHANNEL_FLOAT, "a number in single precision"},
					{"int", SPATE_CHANNEL_INT, "a whole number of 32 bits"},
					{"vector", SPATE_CHANNEL_VECTOR, "three numbers in single precision"},
					END};

static const scene_key number_keys[] = {
    {.name = "value", .kind = KEY_NUMBER, FIELD(spate_channel_value, value), OR_FORMULAS(spate_channel_value, formulas), ANY_FLOAT, .example = "80", .doc = "Value of the source's particles."},
    END};
static const scene_key whole_keys[] = {
    {.name = "value", .kind = KEY_NUMBER, .flags = KEY_WHOLE, FIELD(spate_channel_value, value), OR_FORMULAS(spate_channel_value, formulas), ANY_INT, .example = "2",
     .doc = "Value of the source's particles."},
    END};
static const scene_key vector_keys[] = {
    {.name = "value", .kind = KEY_VECTOR, FIELD(spate_channel_value, value), OR_FORMULAS(spate_channel_value, formulas), ANY_FLOAT, .example = "[1, 0, 0]",
     .doc = "Value of the source's particles."},
    END};

static void value_defaults(void *object, spate_up up)
{
	(void)up;
	*(spate_channel_value *)object = (spate_channel_value){0};
}

#define VALUES(rows)                                                                                            \
	{.size = sizeof(spate_channel_value), .keys = (rows), .bare = 1, .name_offset = offsetof(spate_channel_value, source), \
	 .defaults = value_defaults}
static const scene_object numbers = VALUES(number_keys), wholes = VALUES(whole_keys), vectors = VALUES(vector_keys);

static const scene_key channel_keys[] = {
    {.name = "type", .kind = KEY_CHOICE, FIELD(spate_channel_def, type), .words = type_words, .doc = "Type of the values."},
    {.name = "default", .kind = KEY_NUMBER, FIELD(spate_channel_def, initial), OR_FORMULAS(spate_channel_def, formulas), ANY_FLOAT, .only = FLOAT, .example = "20",
     .doc = "Value of all particles whose source is not in `sources`."},
    {.name = "default", .kind = KEY_NUMBER, .flags = KEY_WHOLE, FIELD(spate_channel_def, initial), OR_FORMULAS(spate_channel_def, formulas), ANY_INT, .only = INT,
     .example = "1", .doc = "Value of all particles whose source is not in `sources`."},
    {.name = "default", .kind = KEY_VECTOR, FIELD(spate_channel_def, initial), OR_FORMULAS(spate_channel_def, formulas), ANY_FLOAT, .only = VECTOR,
     .example = "[0, 0, 1]", .doc = "Value of all particles whose source is not in `sources`."},
    {.name = "sources", .kind = KEY_MAP, .flags = KEY_OMIT, ITEMS(spate_channel_def, values, value_count), .only = FLOAT,
     .object = &numbers, .example = "{ hot: 80 }", .doc = "Values of the particles of single sources: name of the source and number or formula."},
    {.name = "sources", .kind = KEY_MAP, .flags = KEY_OMIT, ITEMS(spate_channel_def, values, value_count), .only = INT,
     .object = &wholes, .example = "{ left: 2 }", .doc = "Values of the particles of single sources: name of the source and whole number or formula, which is rounded."},
    {.name = "sources", .kind = KEY_MAP, .flags = KEY_OMIT, ITEMS(spate_channel_def, values, value_count), .only = VECTOR,
     .object = &vectors, .example = "{ left: [1, 0, 0] }", .doc = "Values of the particles of single sources: name of the source and vector or formulas."},
    END};
DEFAULTS(channel)
const scene_object channel_object = {
    .title = "Channels",
    .doc = "Values that particles carry from their source, by name; see [channels.md](channels.md). A channel is written into frames if\n"
	   "`output.channels` names it. Its name has at most 31 letters, digits and `_`.",
    .example = "sources:\n"
	       "  - { type: fill, name: cold, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\n"
	       "  - { type: fill, name: hot, fluid: water, shape: { box: { min: [1, 0, 0], max: [2, 1, 1] } } }\n"
	       "channels:\n"
	       "  heat: { default: 20, sources: { hot: 80 } }\n"
	       "  batch: { type: int, sources: { cold: 1, hot: 2 } }\n"
	       "  tint: { type: vector, default: [1, 1, 1] }\n"
	       "output: { channels: [velocity, heat, batch] }\n",
    .size = sizeof(spate_channel_def),
    .keys = channel_keys,
    .tagged = 1,
    .tag_offset = offsetof(spate_channel_def, type),
    .name_offset = offsetof(spate_channel_def, name),
    .defaults = channel_defaults,
    .check = check_channel};

// clang-format on

static void check_name(scene_reader *reader, const node *at, const char *name)
{
	world_field field;
	// vertex channels of meshes have no longer names
	if (isdigit((unsigned char)name[0]) || strchr(name, '-') || strlen(name) > 31)
		read_error(
		    reader, at->named_at,
		    "the name of a channel has at most 31 letters, digits and '_', and does not start with a digit; "
		    "here it is '%.60s'",
		    name);
	else if (world_field_find(name, &field))
		read_error(reader, at->named_at,
			   "'%.60s' is a built-in field of particles; give the channel another name, like %.60s_2",
			   name, name);
}

static void check_value(scene_reader *reader, const node *at, const char *source)
{
	const spate_world_def *world = &reader->scene->world;
	suggestion s;
	suggest_begin(&s, source);
	char known[200] = "", hint[KEY_TEXT_CHARS];
	size_t used = 0;
	for (uint32_t i = 0; i < world->source_count; i++)
	{
		const char *name = world->sources[i].name;
		if (!name)
			continue;
		if (strcmp(name, source) == 0)
			return;
		suggest_offer(&s, name);
		if (used < sizeof known)
			used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", name);
	}
	read_suggestion(&s, hint);
	if (known[0])
		read_error(reader, at->named_at, "there is no source '%.60s' (known: %s)%s", source, known, hint);
	else
		read_error(reader, at->named_at,
			   "there is no source '%.60s': no source has a name; give it one, like name: %.60s", source,
			   source);
}

void check_channel(scene_reader *reader, const node *at, const void *object)
{
	const spate_channel_def *channel = object;
	const node *sources = node_get(at, "sources");
	check_name(reader, at, channel->name);
	for (uint32_t i = 0; sources && i < channel->value_count; i++)
		check_value(reader, node_item(sources, i), channel->values[i].source);
}
