// The JSON Schema of scene files, for completion and validation in editors.
#include "scene/buffer.h"
#include "scene/key_rows.h"
#include "scene/scene.h"

#include <string.h>

static void write_object_schema(buffer *b, const scene_object *object, int depth);

static void new_line(buffer *b, int depth)
{
	buffer_add(b, "\n%*s", 2 * depth, "");
}

static void write_range(buffer *b, const scene_key *key)
{
	if (!key_has_range(key))
	{
		if (key->kind == KEY_COUNT64)
			buffer_add(b, ", \"minimum\": 0");
		return;
	}
	buffer_add(b, ", \"%s\": ", key->flags & KEY_ABOVE_MIN ? "exclusiveMinimum" : "minimum");
	buffer_add_number(b, key->min);
	buffer_add(b, ", \"maximum\": ");
	buffer_add_number(b, key->max);
}

static void write_words(buffer *b, const scene_key *key)
{
	// a name of the scene's own can be any
	buffer_add(b, "%s\"enum\": [", key->scene_word_at ? "\"anyOf\": [{ " : "");
	scene_word word;
	for (uint32_t n = 0; key_word_at(key, n, &word); n++)
	{
		// which are no texts in YAML
		int truth = strcmp(word.name, "true") == 0 || strcmp(word.name, "false") == 0;
		buffer_add(b, truth ? "%s%s" : "%s\"%s\"", n == 0 ? "" : ", ", word.name);
	}
	buffer_add(b, "]%s", key->scene_word_at ? " }, { \"type\": \"string\" }]" : "");
}

// Values over time, which live numbers and vectors take: "track" and "vector_track".
static void write_definitions(buffer *b)
{
	static const char *const names[] = {"track", "vector_track"};
	static const char *const values[] = {
	    "\"type\": \"number\"",
	    "\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": { \"type\": \"number\" }"};
	static const char *const formulas[] = {
	    "\"type\": [\"string\", \"number\"]",
	    "\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": { \"type\": [\"string\", \"number\"] }"};
	buffer_add(b, "\n  \"definitions\": {");
	for (int k = 0; k < 2; k++)
		buffer_add(b,
			   "%s\n    \"%s_keys\": { \"type\": \"array\", \"minItems\": 1, \"items\": { \"type\": "
			   "\"array\", \"minItems\": 2, \"maxItems\": 2,\n      \"items\": [{ \"type\": \"number\", "
			   "\"minimum\": 0 }, { %s }] } },\n    \"%s\": { \"anyOf\": [\n      { \"$ref\": "
			   "\"#/definitions/%s_keys\" },\n      { \"type\": \"object\", \"additionalProperties\": "
			   "false, \"required\": [\"keys\"], \"properties\": {\n        \"keys\": { \"$ref\": "
			   "\"#/definitions/%s_keys\" },\n        \"between\": { \"enum\": [\"linear\", \"smooth\", "
			   "\"step\"] } } },\n      { \"type\": \"object\", \"additionalProperties\": false, "
			   "\"required\": [\"expression\"], \"properties\": {\n        \"expression\": { %s } } }] }",
			   k > 0 ? "," : "", names[k], values[k], names[k], names[k], names[k], formulas[k]);
	buffer_add(b, "\n  },");
}

static void write_number_schema(buffer *b, const scene_key *key)
{
	const char *type = key->kind == KEY_NUMBER && !(key->flags & KEY_WHOLE) ? "number" : "integer";
	int several = key->word || key->formulas || key_takes_track(key);
	if (several)
		buffer_add(b, "\"anyOf\": [");
	if (key->word)
		buffer_add(b, "{ \"const\": \"%s\" }, ", key->word);
	buffer_add(b, "%s\"type\": \"%s\"", several ? "{ " : "", type);
	write_range(b, key);
	if (key->formulas)
		buffer_add(b, " }, { \"type\": \"string\"");
	if (key_takes_track(key))
		buffer_add(b, " }, { \"$ref\": \"#/definitions/track\"");
	if (several)
		buffer_add(b, " }]");
}

// Writes what follows the description of a key; objects are nested.
static void write_kind(buffer *b, const scene_key *key, int depth)
{
	const char *least =
	    key->flags & KEY_NOT_EMPTY ? key->kind == KEY_LIST ? "\"minItems\": 1, " : "\"minProperties\": 1, " : "";
	switch (key->kind)
	{
	case KEY_VERSION:
	case KEY_NUMBER:
	case KEY_COUNT:
	case KEY_COUNT64:
		write_number_schema(b, key);
		break;
	case KEY_TEXT:
		buffer_add(b, "\"type\": [\"string\", \"number\", \"boolean\"], \"minLength\": 1, \"maxLength\": 200");
		break;
	case KEY_PATH:
		buffer_add(b, "\"type\": [\"string\", \"number\"], \"minLength\": 1");
		break;
	case KEY_VECTOR:
		if (key->formulas)
		{
			buffer_add(b, "\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": { \"type\": "
				      "[\"string\", \"number\"] }");
			break;
		}
		buffer_add(b,
			   "%s\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": { \"type\": \"number\"",
			   key_takes_track(key) ? "\"anyOf\": [{ " : "");
		write_range(b, key);
		buffer_add(b, " }%s", key_takes_track(key) ? " }, { \"$ref\": \"#/definitions/vector_track\" }]" : "");
		break;
	case KEY_FORMULAS:
		buffer_add(b,
			   "\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": { \"type\": [\"string\", "
			   "\"number\"] }");
		break;
	case KEY_COLOR:
		buffer_add(b, "\"type\": \"string\", \"pattern\": \"^#[0-9a-fA-F]{6}$\"");
		break;
	case KEY_CHOICE:
		write_words(b, key);
		break;
	case KEY_CHOICES:
		buffer_add(b, "\"type\": \"array\", \"uniqueItems\": true, \"items\": { ");
		write_words(b, key);
		buffer_add(b, " }");
		break;
	case KEY_VALUES:
		buffer_add(b, "\"type\": \"object\"");
		break;
	case KEY_CAMERAS:
	case KEY_FLUIDS:
		buffer_add(b, "\"type\": \"array\", \"uniqueItems\": true, \"items\": { \"type\": \"string\" }");
		break;
	case KEY_BODIES:
		buffer_add(
		    b, "\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": { \"type\": \"string\" }");
		break;
	case KEY_FLUID:
	case KEY_COLLIDER:
		buffer_add(b, "\"type\": \"string\"");
		break;
	case KEY_OBJECT:
		write_object_schema(b, key->object, depth);
		break;
	case KEY_LIST:
		buffer_add(b, "\"type\": \"array\", %s\"items\": {", least);
		// a shape has shapes for its parts
		if (key->object->one_of)
			buffer_add(b, " \"$ref\": \"#/definitions/%s\"", key->object->title);
		else
			write_object_schema(b, key->object, depth + 1);
		new_line(b, depth);
		buffer_add(b, "}");
		break;
	case KEY_MAP:
		buffer_add(b, "\"type\": \"object\", %s\"propertyNames\": { \"pattern\": \"^[A-Za-z0-9_-]{1,63}$\" },",
			   least);
		new_line(b, depth);
		buffer_add(b, "\"additionalProperties\": {");
		write_object_schema(b, key->object, depth + 1);
		new_line(b, depth);
		buffer_add(b, "}");
		break;
	}
}

static void write_key(buffer *b, const scene_key *key, int depth)
{
	buffer_add_quoted(b, key->name);
	buffer_add(b, ": {");
	new_line(b, depth + 1);
	buffer_add(b, "\"description\": \"%s%s%s%s\",", key->doc, key->unit ? " In " : "", key->unit ? key->unit : "",
		   key->unit ? "." : "");
	new_line(b, depth + 1);
	write_kind(b, key, depth + 1);
	new_line(b, depth);
	buffer_add(b, "}");
}

static int is_required(const scene_key *key, const scene_word *variant)
{
	return (key->flags & KEY_REQUIRED) && (!variant || key_is_of(key, variant->value));
}

// Writes the keys that belong to a variant (NULL: to all), then the list of required ones.
static void write_properties(buffer *b, const scene_object *object, const scene_word *variant, int depth)
{
	const scene_key *tag = variant && object->tagged ? object->keys : NULL;
	new_line(b, depth);
	buffer_add(b, "\"type\": \"object\", \"additionalProperties\": false,");
	new_line(b, depth);
	buffer_add(b, "\"properties\": {");
	const char *comma = "";
	for (const scene_key *key = object->keys; key->name; key++)
	{
		if (variant && !key_is_of(key, variant->value))
			continue;
		buffer_add(b, "%s", comma);
		new_line(b, depth + 1);
		if (key == tag)
			buffer_add(b, "\"%s\": { \"description\": \"%s\", \"const\": \"%s\" }", key->name, variant->doc,
				   variant->name);
		else
			write_key(b, key, depth + 1);
		comma = ",";
	}
	new_line(b, depth);
	buffer_add(b, "},");
	new_line(b, depth);
	buffer_add(b, "\"required\": [");
	comma = "";
	for (const scene_key *key = object->keys; key->name; key++)
	{
		// without a word the variant is the first
		int chooses = key == tag && variant->value != 0;
		if (chooses || (is_required(key, variant) && !key->unless))
		{
			buffer_add(b, "%s\"%s\"", comma, key->name);
			comma = ", ";
		}
	}
	buffer_add(b, "]");
	// what one key makes unnecessary
	const char *unless = NULL;
	for (const scene_key *key = object->keys; key->name; key++)
		if (is_required(key, variant) && key->unless)
		{
			buffer_add(b, unless ? ", \"%s\"" : ", \"anyOf\": [{ \"required\": [\"%s\"", key->name);
			unless = key->unless;
		}
	if (unless)
		buffer_add(b, "] }, { \"required\": [\"%s\"] }]", unless);
}

static void write_object_schema(buffer *b, const scene_object *object, int depth)
{
	if (object->or_path)
	{
		new_line(b, depth);
		buffer_add(b, "\"anyOf\": [{ \"type\": \"string\" }, {");
		write_properties(b, object, NULL, depth + 1);
		new_line(b, depth);
		buffer_add(b, "}]");
		return;
	}
	if (object->bare)
	{
		new_line(b, depth);
		write_kind(b, object->keys, depth);
		return;
	}
	if (!key_variants(object))
	{
		write_properties(b, object, NULL, depth);
		if (object->one_of)
			buffer_add(b, ", \"minProperties\": 1, \"maxProperties\": 1");
		return;
	}
	new_line(b, depth);
	buffer_add(b, "\"oneOf\": [");
	for (const scene_word *word = key_variants(object); word->name; word++)
	{
		new_line(b, depth + 1);
		buffer_add(b, "{");
		write_properties(b, object, word, depth + 2);
		new_line(b, depth + 1);
		buffer_add(b, "}%s", word[1].name ? "," : "");
	}
	new_line(b, depth);
	buffer_add(b, "]");
}

char *spate_scene_schema(void)
{
	locale_t old = scene_locale_enter();
	buffer b = {0};
	buffer_add(&b, "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"Spate scene\",");
	write_definitions(&b);
	write_object_schema(&b, &scene_root, 1);
	buffer_add(&b, ",\n  \"definitions\": {\n    \"%s\": {", volume_object.title);
	write_object_schema(&b, &volume_object, 3);
	buffer_add(&b, "\n    }\n  }");
	buffer_add(&b, "\n}\n");
	scene_locale_leave(old);
	return buffer_take(&b);
}
