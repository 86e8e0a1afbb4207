// Reading single values: numbers, vectors, colours, words.
#include "base/suggest.h"
#include "bridge/expression.h"
#include "force/expression.h"
#include "scene/bodies.h"
#include "scene/buffer.h"
#include "scene/files.h"
#include "scene/presets.h"
#include "scene/read.h"
#include "scene/walls.h"
#include "source/formula.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ----------------------------------------------------------------------------------------------------------- sentences

static const char *unit_words(const char *unit)
{
	static const char *const words[][2] = {
	    {"m", "metres"}, {"s", "seconds"}, {"m/s", "metres per second"}, {"Hz", "hertz"}};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i][0], unit) == 0)
			return words[i][1];
	return unit;
}

// "a number in metres, like 0.01, or auto"
static void describe_wanted(const scene_key *key, char *out)
{
	static const char *const nouns[] = {[KEY_VERSION] = "a whole number",
					    [KEY_NUMBER] = "a number",
					    [KEY_COUNT] = "a whole number",
					    [KEY_COUNT64] = "a whole number",
					    [KEY_TEXT] = "a text",
					    [KEY_PATH] = "the path of a file",
					    [KEY_VECTOR] = "a list of three numbers",
					    [KEY_FORMULAS] = "a list of three formulas",
					    [KEY_COLOR] = "a colour",
					    [KEY_CHOICE] = "one of the words ",
					    [KEY_CHOICES] = "a list of the words ",
					    [KEY_FLUID] = "the name of a fluid",
					    [KEY_FLUIDS] = "a list of names of fluids",
					    [KEY_COLLIDER] = "the name of a collider",
					    [KEY_BODIES] = "a list of two names of bodies",
					    [KEY_VALUES] = "a map of paths and values",
					    [KEY_CAMERAS] = "a list of names of cameras",
					    [KEY_OBJECT] = "a map of keys",
					    [KEY_LIST] = "a list",
					    [KEY_MAP] = "a map of names"};
	char words[KEY_TEXT_CHARS];
	key_words_text(key, words);
	int choice = words[0] != '\0';
	snprintf(out, KEY_TEXT_CHARS, "%s%s%.300s%s%s%s%s%s%s", nouns[key->kind],
		 !key->formulas            ? ""
		 : key->kind == KEY_VECTOR ? " or formulas"
					   : " or a formula",
		 words, key->unit ? " in " : "", key->unit ? unit_words(key->unit) : "",
		 key->example && !choice ? ", like " : "", key->example && !choice ? key->example : "",
		 key->word ? ", or the word " : "", key->word ? key->word : "");
}

static void describe_found(const node *n, char *out)
{
	if (n->type != NODE_SCALAR)
		snprintf(out, KEY_TEXT_CHARS, "a %s", n->type == NODE_LIST ? "list" : "map");
	else if (node_is_empty(n))
		snprintf(out, KEY_TEXT_CHARS, "empty");
	else
		snprintf(out, KEY_TEXT_CHARS, "%s'%.60s'", n->plain ? "" : "the quoted text ", n->text);
}

void read_wrong_type(scene_reader *reader, const scene_key *key, const node *n)
{
	char wanted[KEY_TEXT_CHARS], found[KEY_TEXT_CHARS];
	describe_wanted(key, wanted);
	describe_found(n, found);
	// in YAML, an unquoted colour is a comment
	const char *hint = key->kind == KEY_COLOR && node_is_empty(n) ? " (put it in quotes: # starts a comment)" : "";
	read_error(reader, n->at, "%s must be %s; here it is %s%s", key->name, wanted, found, hint);
}

// ------------------------------------------------------------------------------------------------------------- numbers

typedef enum number_result
{
	NUMBER_OK,
	NUMBER_NONE,    // not a number
	NUMBER_ENDLESS, // .inf, .nan or beyond the range of double
} number_result;

// Accepts decimal notation only: strtod alone would accept hexadecimal, "nan" and "infinity(...)".
static number_result parse_number(const node *n, double *value)
{
	if (n->type != NODE_SCALAR || !n->plain)
		return NUMBER_NONE;
	static const char *const endless[] = {".inf", "-.inf", "+.inf", ".nan", "inf", "-inf", "nan", "infinity"};
	for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++)
	{
		const char *a = n->text, *b = endless[i];
		while (*a && tolower((unsigned char)*a) == *b)
			a++, b++;
		if (!*a && !*b)
			return NUMBER_ENDLESS;
	}
	if (!isdigit((unsigned char)n->text[strspn(n->text, "+-.")]) ||
	    strspn(n->text, "0123456789+-.eE") != strlen(n->text))
		return NUMBER_NONE;
	char *end;
	*value = strtod(n->text, &end);
	if (*end)
		return NUMBER_NONE;
	return isfinite(*value) ? NUMBER_OK : NUMBER_ENDLESS;
}

static int in_range(const scene_key *key, double value)
{
	if (!key_has_range(key))
		return 1;
	return value <= key->max && (key->flags & KEY_ABOVE_MIN ? value > key->min : value >= key->min);
}

// Reads one finite number within the key's range; messages call it `name`.
static int read_number(scene_reader *reader, const scene_key *key, const char *name, const node *n, double *value)
{
	scene_key named = *key;
	named.name = name;
	number_result result = parse_number(n, value);
	if (result == NUMBER_NONE)
		read_wrong_type(reader, &named, n);
	else if (result == NUMBER_ENDLESS)
		read_error(reader, n->at, "%s must be a finite number; here it is '%.60s'", name, n->text);
	else if (!in_range(key, *value))
	{
		char range[KEY_TEXT_CHARS], other[128] = "";
		key_range_text(key, range);
		if (key->other && in_range(key, *value * key->other_size))
			snprintf(other, sizeof other, ", and in %s that is %.6g", key->other, *value * key->other_size);
		read_error(reader, n->at, "%s must be %s%s%s; here it is %.60s%s", name, range, key->unit ? " " : "",
			   key->unit ? key->unit : "", n->text, other);
	}
	else if ((key->flags & KEY_WHOLE) && *value != floor(*value))
		read_error(reader, n->at, "%s must be a whole number; here it is %.60s", name, n->text);
	else
		return 1;
	return 0;
}

// Digits are read exactly; 1e6 and 120.0 count as integers, too.
static int read_count(scene_reader *reader, const scene_key *key, const node *n, uint64_t *count)
{
	double value;
	if (!read_number(reader, key, key->name, n, &value))
		return 0;
	int digits = strspn(n->text, "0123456789") == strlen(n->text);
	errno = 0;
	uint64_t exact = digits ? strtoull(n->text, NULL, 10) : 0;
	if (errno == ERANGE || value < 0.0 || (!digits && value > 9007199254740992.0))
		read_error(reader, n->at, "%s must be a whole number from 0 to 18446744073709551615; here it is %.60s",
			   key->name, n->text);
	else if (value != floor(value))
		read_error(reader, n->at, "%s must be a whole number%s%s; here it is %.60s", key->name,
			   key->example ? ", like " : "", key->example ? key->example : "", n->text);
	else
	{
		*count = digits ? exact : (uint64_t)value;
		return 1;
	}
	return 0;
}

static void read_vector(scene_reader *reader, const scene_key *key, const node *n, double *field)
{
	if (n->type != NODE_LIST)
	{
		read_wrong_type(reader, key, n);
		return;
	}
	if (n->count != 3)
	{
		read_error(reader, n->at, "%s must be a list of three numbers%s%s; here it has %u", key->name,
			   key->example ? ", like " : "", key->example ? key->example : "", n->count);
		return;
	}
	double value[3];
	int good = 0;
	scene_key part = {.kind = KEY_NUMBER, .min = key->min, .max = key->max, .unit = key->unit};
	for (uint32_t i = 0; i < 3; i++)
	{
		char name[64];
		snprintf(name, sizeof name, "%c of %s", 'x' + (int)i, key->name);
		good += read_number(reader, &part, name, node_item(n, i), &value[i]);
	}
	if (good < 3)
		return;
	// lengths are squared later, so the square of a direction must not underflow
	if ((key->flags & KEY_NONZERO) && value[0] * value[0] + value[1] * value[1] + value[2] * value[2] < 1e-24)
		read_error(reader, n->at, "%s must not be zero: it gives a direction", key->name);
	else
		memcpy(field, value, sizeof value);
}

// --------------------------------------------------------------------------------------------------------------- words

static void read_color(scene_reader *reader, const scene_key *key, const node *n, double *field)
{
	if (n->type != NODE_SCALAR || n->text[0] != '#' || strlen(n->text) != 7 ||
	    strspn(n->text + 1, "0123456789abcdefABCDEF") != 6)
		read_wrong_type(reader, key, n);
	else
		color_from_hex(field, (uint32_t)strtoul(n->text + 1, NULL, 16));
}

// The n-th word that the scene allows: the key's own words, then those that the scene adds.
static int word_at(const scene_reader *reader, const scene_key *key, uint32_t n, scene_word *out)
{
	if (key_word_at(key, n, out))
		return 1;
	uint32_t own = 0;
	for (scene_word word; key->scene_word_at && key_word_at(key, own, &word);)
		own++;
	return key->scene_word_at && key->scene_word_at(reader->scene, n - own, out);
}

// Finds the word in the key's list; 0 after a problem.
static int find_word(scene_reader *reader, const scene_key *key, const node *n, scene_word *word)
{
	if (n->type != NODE_SCALAR || node_is_empty(n))
	{
		read_wrong_type(reader, key, n);
		return 0;
	}
	suggestion s;
	suggest_begin(&s, n->text);
	for (uint32_t i = 0; word_at(reader, key, i, word); i++)
	{
		if (strcmp(word->name, n->text) == 0)
			return 1;
		suggest_offer(&s, word->name);
	}
	char words[KEY_TEXT_CHARS], hint[KEY_TEXT_CHARS];
	key_words_text(key, words);
	read_suggestion(&s, hint);
	read_error(reader, n->at, "%s cannot be '%.60s'%s%s", key->name, n->text, s.best ? hint : "; use ",
		   s.best ? "" : words);
	return 0;
}

static void read_choice(scene_reader *reader, const scene_key *key, const node *n, void *object)
{
	scene_word word;
	if (!find_word(reader, key, n, &word))
		return;
	if (!(key->flags & KEY_NOT_STORED))
		key_set_number(key, object, word.value);
	if (key->apply)
		key->apply(reader, object, word.value);
}

static void read_choices(scene_reader *reader, const scene_key *key, const node *n, void *object)
{
	if (n->type != NODE_LIST)
	{
		read_wrong_type(reader, key, n);
		return;
	}
	const char **names = node_pool_alloc(reader->memory, mem_product(n->count + 1, sizeof *names));
	uint32_t count = 0;
	for (const node *child = n->first; child && names; child = child->next)
	{
		scene_word word;
		if (!find_word(reader, key, child, &word))
			continue;
		uint32_t twin = 0;
		while (twin < count && names[twin] != word.name)
			twin++;
		if (twin < count)
			read_error(reader, child->at, "%s contains '%s' twice", key->name, word.name);
		else
			names[count++] = word.name;
	}
	memcpy((char *)object + key->offset, &names, sizeof names);
	memcpy((char *)object + key->count_offset, &count, sizeof count);
}

// Names are used in file names and must fit on one line.
static void read_text(scene_reader *reader, const scene_key *key, const node *n, const char **field)
{
	if (n->type != NODE_SCALAR || node_is_empty(n) || !n->text[0])
	{
		read_wrong_type(reader, key, n);
		return;
	}
	if (!text_is_name(n->text))
		read_error(reader, n->at, "%s must be one line of at most 200 bytes, printable and without slashes",
			   key->name);
	else
		*field = node_pool_strdup(reader->memory, n->text, strlen(n->text));
}

// Formulas are compiled by whoever uses them, here only to find mistakes. Messages call it `name`.
static void read_formula(scene_reader *reader, const char *name, const node *n, const char *const *variables,
			 uint32_t count, const char **field)
{
	expression *e = NULL;
	uint32_t column = 0;
	spate_error error = {0};
	spate_result result = expression_make(&e, n->text, variables, count, &column, &error);
	if (result == SPATE_MEMORY)
		reader->problems->failed = 1;
	else if (result != SPATE_OK)
	{
		// within the text, behind its quote
		place at = n->at;
		at.column += (n->plain ? 0 : 1) + (column > 0 ? column - 1 : 0);
		read_error(reader, at, "%s: %s", name, error.text);
	}
	else
		*field = node_pool_strdup(reader->memory, n->text, strlen(n->text));
	expression_free(e);
}

static void read_formulas(scene_reader *reader, const scene_key *key, const node *n, const char *const *variables,
			  uint32_t count, const char **field)
{
	int k = 0, good = n->type == NODE_LIST && n->count == 3;
	for (const node *child = n->first; child && good; child = child->next)
		good = child->type == NODE_SCALAR && !node_is_empty(child);
	if (!good)
	{
		read_wrong_type(reader, key, n);
		return;
	}
	for (const node *child = n->first; child; child = child->next, k++)
	{
		char name[64];
		snprintf(name, sizeof name, "%c of %.50s", 'x' + k, key->name);
		read_formula(reader, name, child, variables, count, &field[k]);
	}
}

// Whether a value that may be formulas is some: text where numbers would be. Words that stand for endless numbers are none.
static int is_formula(const node *n)
{
	double value;
	return n->type == NODE_SCALAR && !node_is_empty(n) && parse_number(n, &value) == NUMBER_NONE;
}

static int are_formulas(const scene_key *key, const node *n)
{
	int found = 0;
	if (!key->formulas)
		return 0;
	if (key->kind != KEY_VECTOR)
		return is_formula(n);
	for (const node *child = n->first; child && n->type == NODE_LIST && n->count == 3; child = child->next)
		found |= is_formula(child);
	return found;
}

// Formulas in place of a number or a vector.
static void read_source_formulas(scene_reader *reader, const scene_key *key, const node *n, void *object)
{
	const char **field = (const char **)(void *)((char *)object + key->formulas);
	if (key->kind == KEY_VECTOR)
		read_formulas(reader, key, n, source_variables, SOURCE_VARIABLES, field);
	else
		read_formula(reader, key->name, n, source_variables, SOURCE_VARIABLES, field);
}

// Stored as an absolute path, so that a copy of the scene elsewhere still finds the file.
static void read_path(scene_reader *reader, const scene_key *key, const node *n, const char **field)
{
	if (n->type != NODE_SCALAR || node_is_empty(n) || !n->text[0])
	{
		read_wrong_type(reader, key, n);
		return;
	}
	const char *problem = NULL, *path = files_absolute(reader, n, &problem);
	if (problem)
		read_error(reader, n->at, "%s must be the path of a file: %s", key->name, problem);
	if (path)
		files_mention(reader, n, *field = path);
}

// Name of the element that a reference may mean, "" for one without; NULL beyond the last. Sources name colliders, which are read later.
static const char *name_at(const scene_reader *reader, key_kind kind, uint32_t i)
{
	const spate_world_def *world = &reader->scene->world;
	if (kind == KEY_FLUID)
		return i < world->fluid_count ? world->fluids[i].name : NULL;
	const node *list = node_get(reader->root, "colliders"), *item = list ? list->first : NULL;
	for (; item && i > 0; i--)
		item = item->next;
	if (!item && walls_name(reader, i))
		return walls_name(reader, i);
	for (uint32_t wall = 0; !item && i > 0 && walls_name(reader, wall); wall++)
		i--;
	if (!item)
		return bodies_name(reader, i);
	const node *name = item && item->type == NODE_MAP ? node_get(item, "name") : NULL;
	return name && name->type == NODE_SCALAR ? name->text : "";
}

static void read_reference(scene_reader *reader, const scene_key *key, const node *n, uint32_t *field)
{
	if (n->type != NODE_SCALAR || node_is_empty(n))
	{
		read_wrong_type(reader, key, n);
		return;
	}
	const char *what = key->kind == KEY_FLUID ? "fluid" : "collider", *name;
	suggestion s;
	suggest_begin(&s, n->text);
	char known[200] = "";
	size_t used = 0;
	for (uint32_t i = 0; (name = name_at(reader, key->kind, i)); i++)
	{
		if (strcmp(name, n->text) == 0)
		{
			*field = i;
			return;
		}
		suggest_offer(&s, name);
		if (name[0] && used < sizeof known)
			used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", name);
	}
	char hint[KEY_TEXT_CHARS];
	read_suggestion(&s, hint);
	read_error(reader, n->at, "there is no %s '%.60s' (known: %s)%s", what, n->text, known[0] ? known : "none",
		   hint);
}

// Names of elements that are read later; check_cameras() looks for them.
static void read_names(scene_reader *reader, const scene_key *key, const node *n, void *object)
{
	if (n->type != NODE_LIST)
	{
		read_wrong_type(reader, key, n);
		return;
	}
	const char **names = node_pool_alloc(reader->memory, mem_product(n->count + 1, sizeof *names));
	uint32_t count = 0;
	for (const node *child = n->first; child && names; child = child->next)
		if (child->type != NODE_SCALAR || node_is_empty(child))
			read_wrong_type(reader, key, child);
		else
			names[count++] = node_pool_strdup(reader->memory, child->text, strlen(child->text));
	memcpy((char *)object + key->offset, &names, sizeof names);
	memcpy((char *)object + key->count_offset, &count, sizeof count);
}

static void read_fluids(scene_reader *reader, const scene_key *key, const node *n, void *object)
{
	if (n->type != NODE_LIST)
	{
		read_wrong_type(reader, key, n);
		return;
	}
	uint32_t *fluids = node_pool_alloc(reader->memory, mem_product(n->count, sizeof *fluids)), count = 0;
	const scene_key one = {.name = key->name, .kind = KEY_FLUID, .example = "water"};
	if (n->count == 0)
		read_error(reader, n->at, "%s must name at least one fluid", key->name);
	for (const node *child = n->first; child && fluids; child = child->next)
		read_reference(reader, &one, child, &fluids[count++]);
	memcpy((char *)object + key->offset, &fluids, sizeof fluids);
	memcpy((char *)object + key->count_offset, &count, sizeof count);
}

// The body of a name; 0 after a problem.
static int find_body(scene_reader *reader, const scene_key *key, const node *n, uint32_t *out)
{
	const spate_world_def *world = &reader->scene->world;
	suggestion s;
	if (n->type != NODE_SCALAR || node_is_empty(n))
	{
		read_wrong_type(reader, key, n);
		return 0;
	}
	suggest_begin(&s, n->text);
	suggest_offer(&s, BODIES_WORLD);
	*out = SPATE_BODY_WORLD;
	int found = strcmp(n->text, BODIES_WORLD) == 0;
	for (uint32_t b = 0; b < world->body_count && !found; b++)
	{
		const char *name = world->bodies[b].name;
		found = name && strcmp(name, n->text) == 0;
		*out = found ? b : *out;
		suggest_offer(&s, name ? name : "");
	}
	char hint[KEY_TEXT_CHARS];
	read_suggestion(&s, hint);
	if (!found)
		read_error(reader, n->at, "there is no body '%.60s'%s", n->text, hint);
	return found;
}

static void read_bodies(scene_reader *reader, const scene_key *key, const node *n, uint32_t bodies[2])
{
	if (n->type != NODE_LIST || n->count != 2)
	{
		read_wrong_type(reader, key, n);
		return;
	}
	if (find_body(reader, key, n->first, &bodies[0]) && find_body(reader, key, n->first->next, &bodies[1]) &&
	    bodies[0] == bodies[1])
		read_error(reader, n->first->next->at,
			   "a joint needs two different bodies, or a body and " BODIES_WORLD);
}

static void read_version(scene_reader *reader, const scene_key *key, const node *n)
{
	double version;
	number_result result = parse_number(n, &version);
	if (result == NUMBER_OK && version > key->max && version == floor(version))
		read_error(
		    reader, n->at,
		    "the file has format version %.60s, but this program reads versions up to %g; use a newer version of Spate",
		    n->text, key->max);
	else
		read_number(reader, key, key->name, n, &version);
}

void read_value(scene_reader *reader, const scene_key *key, const node *n, void *object)
{
	void *field = (char *)object + key->offset;
	int is_word = key->word && n->type == NODE_SCALAR && strcmp(n->text, key->word) == 0;
	double number;
	uint64_t count;
	if (!is_word && are_formulas(key, n))
	{
		read_source_formulas(reader, key, n, object);
		return;
	}
	switch (key->kind)
	{
	case KEY_NUMBER:
		if (is_word)
			key_set_number(key, object, key->word_value);
		else if (read_number(reader, key, key->name, n, &number))
			key_set_number(key, object, number);
		break;
	case KEY_COUNT:
		if (is_word)
			key_set_number(key, object, key->word_value);
		else if (read_count(reader, key, n, &count))
			key_set_number(key, object, (double)count);
		break;
	case KEY_COUNT64:
		if (is_word)
			*(uint64_t *)field = (uint64_t)key->word_value;
		else if (read_count(reader, key, n, &count))
			*(uint64_t *)field = count;
		break;
	case KEY_VERSION:
		read_version(reader, key, n);
		break;
	case KEY_TEXT:
		read_text(reader, key, n, field);
		break;
	case KEY_PATH:
		read_path(reader, key, n, field);
		break;
	case KEY_VECTOR:
		read_vector(reader, key, n, field);
		break;
	case KEY_FORMULAS:
		read_formulas(reader, key, n, force_variables, FORCE_VARIABLES, field);
		break;
	case KEY_COLOR:
		read_color(reader, key, n, field);
		break;
	case KEY_CHOICE:
		read_choice(reader, key, n, object);
		break;
	case KEY_CHOICES:
		read_choices(reader, key, n, object);
		break;
	case KEY_CAMERAS:
		read_names(reader, key, n, object);
		break;
	case KEY_VALUES:
		if (n->type != NODE_MAP)
			read_wrong_type(reader, key, n);
		break;
	case KEY_FLUIDS:
		read_fluids(reader, key, n, object);
		break;
	case KEY_BODIES:
		read_bodies(reader, key, n, field);
		break;
	case KEY_FLUID:
	case KEY_COLLIDER:
		read_reference(reader, key, n, field);
		break;
	case KEY_OBJECT:
	case KEY_LIST:
	case KEY_MAP:
		read_wrong_type(reader, key, n);
		break;
	}
}
