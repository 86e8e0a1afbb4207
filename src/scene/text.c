// Writes a scene as YAML, with every default written out.
#include "scene/buffer.h"
#include "scene/keys.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct writer
{
	buffer out;
	const spate_scene *scene;
	int indent;
	int in_item; // the line already holds "- "
} writer;

static void write_object(writer *w, const scene_object *object, const void *value, const void *defaults);
static void write_value(writer *w, const scene_key *key, const void *object);

static void begin_line(writer *w)
{
	buffer_add(&w->out, "%*s", w->in_item ? 0 : w->indent, "");
	w->in_item = 0;
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
		if (kind->bare)
		{
			write_value(w, kind->keys, element);
			buffer_add(&w->out, "\n");
		}
		else
			write_object(w, kind, element, initial);
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

// Writes the value of a key that fits on its line.
static void write_value(writer *w, const scene_key *key, const void *object)
{
	const void *field = (const char *)object + key->offset;
	double number = key_number(key, object);
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
	case KEY_OBJECT:
	case KEY_LIST:
	case KEY_MAP:
		break;
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
		begin_line(w);
		buffer_add(&w->out, "%s:", key->name);
		if (key->kind == KEY_LIST || key->kind == KEY_MAP)
			write_elements(w, key, value);
		else if (key->kind == KEY_OBJECT)
		{
			buffer_add(&w->out, "\n");
			w->indent += 2;
			write_object(w, key->object, (const char *)value + key->offset,
				     (const char *)defaults + key->offset);
			w->indent -= 2;
		}
		else
		{
			buffer_add(&w->out, " ");
			write_value(w, key, value);
			buffer_add(&w->out, "\n");
		}
	}
}

char *spate_scene_text(const spate_scene *scene)
{
	locale_t old = scene_locale_enter();
	writer w = {.scene = scene};
	spate_scene defaults = spate_default_scene();
	write_object(&w, &scene_root, scene, &defaults);
	scene_locale_leave(old);
	return buffer_take(&w.out);
}

void write_default(buffer *out, const scene_key *key, const void *defaults)
{
	writer w = {.out = *out};
	write_value(&w, key, defaults);
	*out = w.out;
}
