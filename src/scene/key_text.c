// Texts about rows of the key table, and queries of it.
#include "scene/buffer.h"
#include "scene/keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int key_is_of(const scene_key *key, int variant)
{
	return key->only == 0 || (key->only >> variant & 1) != 0;
}

const scene_word *key_variants(const scene_object *object)
{
	return object->tagged ? object->keys[0].words : object->variants;
}

int key_belongs(const scene_object *object, const scene_key *key, const void *value)
{
	if (!object->tagged && !object->one_of && !object->variants)
		return 1;
	int variant;
	if (object->variants)
		variant = object->variant_of(value);
	else
		memcpy(&variant, (const char *)value + object->tag_offset, sizeof variant);
	return object->one_of ? key->variant == variant : key_is_of(key, variant);
}

const scene_key *key_find(const scene_object *object, const char *name)
{
	for (const scene_key *key = object->keys; key->name; key++)
		if (strcmp(key->name, name) == 0)
			return key;
	return NULL;
}

int key_word_at(const scene_key *key, uint32_t n, scene_word *out)
{
	if (key->word_at)
		return key->word_at(n, out);
	for (uint32_t i = 0; key->words && key->words[i].name; i++)
		if (i == n)
		{
			*out = key->words[i];
			return 1;
		}
	return 0;
}

double key_number(const scene_key *key, const void *object)
{
	const void *field = (const char *)object + key->offset;
	if (key->flags & KEY_SETTING)
		return isnan(*(const double *)field) ? key->initial : *(const double *)field;
	return key->kind == KEY_NUMBER    ? *(const double *)field
	       : key->kind == KEY_COUNT   ? *(const uint32_t *)field
	       : key->kind == KEY_COUNT64 ? (double)*(const uint64_t *)field
	       : key->kind == KEY_CHOICE  ? (double)*(const int *)field
					  : NAN;
}

void key_set_number(const scene_key *key, void *object, double value)
{
	void *field = (char *)object + key->offset;
	if ((key->flags & KEY_SETTING) || key->kind == KEY_NUMBER)
		*(double *)field = value;
	else if (key->kind == KEY_COUNT)
		*(uint32_t *)field = (uint32_t)value;
	else
		*(int *)field = (int)value;
}

const char *const *key_formulas(const scene_key *key, const void *object)
{
	const char *const *texts =
	    key->formulas ? (const char *const *)(const void *)((const char *)object + key->formulas) : NULL;
	return texts && texts[0] ? texts : NULL;
}

const char *key_word(const scene_key *key, int value)
{
	scene_word word;
	for (uint32_t n = 0; key_word_at(key, n, &word); n++)
		if (word.value == value)
			return word.name;
	return "";
}

int key_has_range(const scene_key *key)
{
	return key->min != 0.0 || key->max != 0.0;
}

int key_takes_track(const scene_key *key)
{
	return (key->flags & (KEY_LIVE | KEY_TIMED)) && (key->kind == KEY_NUMBER || key->kind == KEY_VECTOR);
}

void key_range_text(const scene_key *key, char *out)
{
	char low[NUMBER_CHARS], high[NUMBER_CHARS];
	number_text(low, key->min);
	number_text(high, key->max);
	if (!key_has_range(key))
		out[0] = '\0';
	else if (key->min == key->max)
		snprintf(out, KEY_TEXT_CHARS, "%s", low);
	else if (key->flags & KEY_ABOVE_MIN)
		snprintf(out, KEY_TEXT_CHARS, "greater than %s and at most %s", low, high);
	else
		snprintf(out, KEY_TEXT_CHARS, "from %s to %s", low, high);
}

// Appends a name to an enumeration like "a, b or c"; returns the new length.
static size_t add_name(char *out, size_t used, const char *name, int last)
{
	if (used >= KEY_TEXT_CHARS)
		return used;
	const char *separator = used == 0 ? "" : last ? " or " : ", ";
	return used + (size_t)snprintf(out + used, KEY_TEXT_CHARS - used, "%s%s", separator, name);
}

void key_words_text(const scene_key *key, char *out)
{
	size_t used = 0;
	scene_word word, next;
	out[0] = '\0';
	for (uint32_t n = 0; key_word_at(key, n, &word); n++)
		used = add_name(out, used, word.name, !key_word_at(key, n + 1, &next));
}

// Whether a row is the first of its name that the variant has; -1 for any variant.
static int is_named(const scene_object *object, const scene_key *key, int variant)
{
	if (variant >= 0 && !key_is_of(key, variant))
		return 0;
	for (const scene_key *row = object->keys; row < key; row++)
		if ((variant < 0 || key_is_of(row, variant)) && strcmp(row->name, key->name) == 0)
			return 0;
	return 1;
}

void key_names_text(const scene_object *object, int variant, char *out)
{
	size_t used = 0;
	const scene_key *last = NULL;
	out[0] = '\0';
	for (const scene_key *key = object->keys; key->name; key++)
		last = is_named(object, key, variant) ? key : last;
	for (const scene_key *key = object->keys; key->name; key++)
		if (is_named(object, key, variant))
			used = add_name(out, used, key->name, key == last);
}
