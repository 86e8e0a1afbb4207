// Writes a scene as YAML, with every default written out.
#include "scene/bodies.h"
#include "scene/buffer.h"
#include "scene/files.h"
#include "scene/key_rows.h"
#include "scene/read.h"
#include "scene/scene.h"
#include "scene/tracks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct writer
{
	buffer out;
	const spate_scene *scene;
	int indent;
	int in_item; // the line already holds "- "
	char path[PATH_CHARS];
} writer;

static void write_object(writer *w, const scene_object *object, const void *value, const void *defaults);
static void write_value(writer *w, const scene_key *key, const void *object);

static void begin_line(writer *w)
{
	buffer_add(&w->out, "%*s", w->in_item ? 0 : w->indent, "");
	w->in_item = 0;
}

// Appends a name to the path; returns the old length, to go back to.
static size_t enter(writer *w, const char *name)
{
	size_t length = strlen(w->path);
	snprintf(w->path + length, sizeof w->path - length, "%s%.63s", length ? "." : "", name);
	return length;
}

static int same_doubles(const void *a, const void *b, int count)
{
	const double *x = a, *y = b;
	for (int i = 0; i < count; i++)
		if (x[i] != y[i])
			return 0;
	return 1;
}

// Whether a key has its default value.
static int is_default(const scene_key *key, const void *object, const void *defaults)
{
	const char *field = (const char *)object + key->offset, *initial = (const char *)defaults + key->offset;
	if (key_formulas(key, object))
		return 0;
	switch (key->kind)
	{
	case KEY_NUMBER:
	case KEY_COUNT:
	case KEY_CHOICE:
		return key_number(key, object) == key_number(key, defaults);
	case KEY_VECTOR:
	case KEY_COLOR:
		return same_doubles(field, initial, 3);
	case KEY_COUNT64:
		return memcmp(field, initial, sizeof(uint64_t)) == 0;
	case KEY_TEXT:
	case KEY_PATH:
		return *(const char *const *)(const void *)field == NULL;
	case KEY_FORMULAS:
		return *(const char *const *)(const void *)field == NULL;
	case KEY_LIST:
	case KEY_MAP:
	case KEY_CAMERAS:
	case KEY_FLUIDS:
		return *(const uint32_t *)(const void *)((const char *)object + key->count_offset) == 0;
	case KEY_OBJECT:
		for (const scene_key *inner = key->object->keys; inner->name; inner++)
			if (!is_default(inner, field, initial))
				return 0;
		return 1;
	default:
		return memcmp(field, initial, sizeof(uint32_t)) == 0;
	}
}

static void write_elements(writer *w, const scene_key *key, const void *object)
{
	const scene_object *kind = key->object;
	uint32_t count = *(const uint32_t *)(const void *)((const char *)object + key->count_offset);
	const char *elements = *(const char *const *)(const void *)((const char *)object + key->offset);
	if (count == 0)
	{
		buffer_add(&w->out, " %s\n", key->kind == KEY_LIST ? "[]" : "{}");
		return;
	}
	buffer_add(&w->out, "\n");
	_Alignas(16) char initial[KEY_ELEMENT_BYTES];
	kind->defaults(initial, w->scene->up);
	for (uint32_t i = 0; i < count; i++)
	{
		const char *element = elements + i * kind->size;
		w->indent += 2;
		if (key->kind == KEY_LIST)
		{
			begin_line(w);
			buffer_add(&w->out, "- ");
			w->in_item = 1;
		}
		else
		{
			begin_line(w);
			buffer_add(&w->out, "%s:%s", *(const char *const *)(const void *)(element + kind->name_offset),
				   kind->bare ? " " : "\n");
		}
		w->indent += 2;
		char number[16];
		snprintf(number, sizeof number, "%u", i);
		size_t length =
		    enter(w, key->kind == KEY_LIST ? number
						   : *(const char *const *)(const void *)(element + kind->name_offset));
		if (kind->bare)
		{
			write_value(w, kind->keys, element);
			buffer_add(&w->out, "\n");
		}
		else
			write_object(w, kind, element, initial);
		w->path[length] = '\0';
		w->indent -= 4;
	}
}

static void write_numbers(writer *w, const double *values, int count)
{
	for (int i = 0; i < count; i++)
	{
		buffer_add(&w->out, "%s", i ? ", " : "");
		buffer_add_number(&w->out, values[i]);
	}
}

static void write_color(writer *w, const double *color)
{
	buffer_add(&w->out, "\"#%02x%02x%02x\"", (unsigned)lround(color[0] * 255.0), (unsigned)lround(color[1] * 255.0),
		   (unsigned)lround(color[2] * 255.0));
}

static void write_choices(writer *w, const scene_key *key, const void *object)
{
	uint32_t count = *(const uint32_t *)(const void *)((const char *)object + key->count_offset);
	const char *const *names = *(const char *const *const *)(const void *)((const char *)object + key->offset);
	buffer_add(&w->out, "[");
	for (uint32_t i = 0; i < count; i++)
		buffer_add(&w->out, "%s%s", i ? ", " : "", names[i]);
	buffer_add(&w->out, "]");
}

static void write_formulas(writer *w, const void *field)
{
	const char *const *texts = field;
	buffer_add(&w->out, "[");
	for (int k = 0; k < 3; k++)
	{
		buffer_add(&w->out, "%s", k ? ", " : "");
		buffer_add_quoted(&w->out, texts[k] ? texts[k] : "0");
	}
	buffer_add(&w->out, "]");
}

static void write_fluids(writer *w, const scene_key *key, const void *object)
{
	uint32_t count = *(const uint32_t *)(const void *)((const char *)object + key->count_offset);
	const uint32_t *fluids = *(const uint32_t *const *)(const void *)((const char *)object + key->offset);
	buffer_add(&w->out, "[");
	for (uint32_t i = 0; i < count && w->scene; i++)
		buffer_add(&w->out, "%s%s", i ? ", " : "", w->scene->world.fluids[fluids[i]].name);
	buffer_add(&w->out, "]");
}

static void write_bodies(writer *w, const uint32_t bodies[2])
{
	buffer_add(&w->out, "[");
	for (int k = 0; k < 2 && w->scene; k++)
	{
		int fixed = bodies[k] == SPATE_BODY_WORLD;
		const char *name = fixed ? BODIES_WORLD : w->scene->world.bodies[bodies[k]].name;
		buffer_add(&w->out, "%s", k ? ", " : "");
		buffer_add_quoted(&w->out, name ? name : "");
	}
	buffer_add(&w->out, "]");
}

// Writes the value of a key that fits on its line.
static void write_value(writer *w, const scene_key *key, const void *object)
{
	const void *field = (const char *)object + key->offset;
	double number = key_number(key, object);
	const char *const *formulas = key_formulas(key, object);
	if (formulas && key->kind == KEY_VECTOR)
		write_formulas(w, formulas);
	else if (formulas)
		buffer_add_quoted(&w->out, formulas[0]);
	if (formulas)
		return;
	if (key->word && number == key->word_value)
	{
		buffer_add(&w->out, "%s", key->word);
		return;
	}
	switch (key->kind)
	{
	case KEY_VERSION:
		write_numbers(w, &key->max, 1);
		break;
	case KEY_NUMBER:
		write_numbers(w, &number, 1);
		break;
	case KEY_COUNT:
		buffer_add(&w->out, "%" PRIu32, (uint32_t)number);
		break;
	case KEY_COUNT64:
		buffer_add(&w->out, "%" PRIu64, *(const uint64_t *)field);
		break;
	case KEY_TEXT:
	case KEY_PATH:
		buffer_add_quoted(&w->out, *(const char *const *)field);
		break;
	case KEY_VECTOR:
		buffer_add(&w->out, "[");
		write_numbers(w, field, 3);
		buffer_add(&w->out, "]");
		break;
	case KEY_FORMULAS:
		write_formulas(w, field);
		break;
	case KEY_COLOR:
		write_color(w, field);
		break;
	case KEY_CHOICE:
		buffer_add(&w->out, "%s", key_word(key, (int)number));
		break;
	case KEY_CHOICES:
	case KEY_CAMERAS:
		write_choices(w, key, object);
		break;
	case KEY_FLUID:
		// NULL when the reference page writes defaults
		if (w->scene)
			buffer_add(&w->out, "%s", w->scene->world.fluids[*(const uint32_t *)field].name);
		break;
	case KEY_FLUIDS:
		write_fluids(w, key, object);
		break;
	case KEY_COLLIDER:
		if (w->scene)
		{
			const char *name = w->scene->world.colliders[*(const uint32_t *)field].name;
			buffer_add_quoted(&w->out, name ? name : "");
		}
		break;
	case KEY_BODIES:
		write_bodies(w, field);
		break;
	case KEY_VALUES:
	case KEY_OBJECT:
	case KEY_LIST:
	case KEY_MAP:
		break;
	}
}

// The track of the key at the path; NULL for none.
static const spate_track *find_track(const writer *w)
{
	for (uint32_t k = 0; w->scene && k < w->scene->world.track_count; k++)
		if (strcmp(w->scene->world.tracks[k].path, w->path) == 0)
			return &w->scene->world.tracks[k];
	// those of cameras are the scene's alone
	for (const scene_track *t = w->scene && w->scene->memory ? w->scene->memory->tracks : NULL; t; t = t->next)
		if (track_is_of_camera(t) && strcmp(t->def.path, w->path) == 0)
			return &t->def;
	return NULL;
}

// Writes a value over time: { keys: [[0, 1], [2, 3]], between: linear } or { expression: "sin(t)" }.
static void write_track(writer *w, const spate_track *track, int components)
{
	const char *separator = "";
	buffer_add(&w->out, track->expressions[0] ? " { expression: " : " { keys: [");
	if (track->expressions[0])
	{
		buffer_add(&w->out, components > 1 ? "[" : "");
		for (int i = 0; i < components; i++, separator = ", ")
		{
			buffer_add(&w->out, "%s", separator);
			buffer_add_quoted(&w->out, track->expressions[i]);
		}
		buffer_add(&w->out, "%s }\n", components > 1 ? "]" : "");
		return;
	}
	for (uint32_t k = 0; k < track->key_count; k++, separator = ", ")
	{
		buffer_add(&w->out, "%s[", separator);
		write_numbers(w, &track->keys[k].time, 1);
		buffer_add(&w->out, components > 1 ? ", [" : ", ");
		write_numbers(w, track->keys[k].value, components);
		buffer_add(&w->out, components > 1 ? "]]" : "]");
	}
	buffer_add(&w->out, "], between: %s }\n", between_words[track->between].name);
}

static void write_key(writer *w, const scene_key *key, const void *value, const void *defaults)
{
	const spate_track *track = find_track(w);
	begin_line(w);
	buffer_add(&w->out, "%s:", key->name);
	if (track)
		write_track(w, track, key->kind == KEY_VECTOR ? 3 : 1);
	else if (key->kind == KEY_LIST || key->kind == KEY_MAP)
		write_elements(w, key, value);
	else if (key->kind == KEY_OBJECT)
	{
		buffer_add(&w->out, "\n");
		w->indent += 2;
		write_object(w, key->object, (const char *)value + key->offset, (const char *)defaults + key->offset);
		w->indent -= 2;
	}
	else
	{
		buffer_add(&w->out, " ");
		write_value(w, key, value);
		buffer_add(&w->out, "\n");
	}
}

static void write_object(writer *w, const scene_object *object, const void *value, const void *defaults)
{
	for (const scene_key *key = object->keys; key->name; key++)
	{
		int skipped = (key->flags & KEY_NOT_STORED) && key->kind != KEY_VERSION;
		if (skipped || !key_belongs(object, key, value) ||
		    ((key->flags & KEY_OMIT) && is_default(key, value, defaults)))
			continue;
		size_t length = enter(w, key->name);
		write_key(w, key, value, defaults);
		w->path[length] = '\0';
	}
}

char *spate_scene_text(const spate_scene *scene)
{
	locale_t old = scene_locale_enter();
	writer w = {.scene = scene};
	spate_scene defaults = spate_default_scene(), written = *scene;
	// walls of fills and colliders of bodies are made anew when it is read
	written.world.collider_count -= written.wall_count;
	write_object(&w, &scene_root, &written, &defaults);
	scene_locale_leave(old);
	return buffer_take(&w.out);
}

void write_default(buffer *out, const scene_key *key, const void *defaults)
{
	writer w = {.out = *out};
	write_value(&w, key, defaults);
	*out = w.out;
}
