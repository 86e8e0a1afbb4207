// The reference page of scene files, in Markdown.
#include "scene/keys.h"
#include "scene/presets.h"
#include "scene/scene.h"
#include "world/fields.h"

#include <string.h>

static const char introduction[] =
    "# Scene files\n"
    "\n"
    "A scene file defines everything a run needs: the liquids, where they come from, what they flow around,\n"
    "what is measured and what is written. It is YAML; JSON works too, because every JSON text is also YAML.\n"
    "This is a complete scene:\n"
    "\n"
    "```yaml\n"
    "spate: 2\n"
    "frames: 120\n"
    "fluids:\n"
    "  water: { preset: water, spacing: 0.02 }\n"
    "sources:\n"
    "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.5, 0.5, 0.5] } } }\n"
    "colliders:\n"
    "  - { shape: { box: { min: [0, 0, 0], max: [2, 1, 0.5] } }, mode: inside }\n"
    "```\n"
    "\n"
    "- All values are in SI units: metres, seconds, kilograms. Angles are in degrees. The y axis points up\n"
    "  unless the scene sets `up: z`.\n"
    "- Coordinates and lengths are limited to 1,000 km, times to a million seconds.\n"
    "- A vector is a list of three numbers, `[x, y, z]`. A colour is `\"#rrggbb\"`, in quotes because `#`\n"
    "  starts a comment.\n"
    "- File paths are relative to the scene file's folder. Paths given with `--set`, or in a scene read from\n"
    "  a pipe, are relative to the current directory.\n"
    "- An unknown key is an error, never ignored. `spate check` lists all errors at once, each with line and\n"
    "  column.\n"
    "- A scene can [include](#include) others.\n"
    "- Names of fluids, probes and cameras consist of letters, digits, `_` and `-`.\n"
    "- YAML anchors, aliases, tags and multiple documents are not supported.\n"
    "- Any value can be changed from the command line: `--set fluids.water.spacing=0.01`, or `--set\n"
    "  colliders.0.friction=0.1` for the first element of a list. Names work as well: `sources.nozzle.speed=2`.\n"
    "- A key marked *live* can be changed while a world runs, through the C interface in `spate/live.h`; see\n"
    "  [howto/interactive.md](howto/interactive.md). All others are fixed when the world is made.\n"
    "- A number or vector marked *live* also takes a [value over time](#values-over-time) in the scene, and so do those of cameras, marked\n"
    "  *over time*.\n"
    "- Editors with JSON Schema support complete and check keys with `docs/scene.schema.json`. In many of\n"
    "  them this first line is enough: `# yaml-language-server: $schema=scene.schema.json`.\n"
    "\n"
    "This page is generated from the program's key table.\n"
    "\n"
    "## Values over time\n"
    "\n"
    "In place of a number or vector that is marked *live* or *over time*, a scene of version 2 may give one of these. Pictures and\n"
    "examples are in [time.md](time.md).\n"
    "\n"
    "| value | meaning |\n"
    "|---|---|\n"
    "| `[[0, 0.5], [2, 4]]` | keyframes of a time (s) and a value, with straight lines between them; the first value holds before, the last one after |\n"
    "| `{ keys: [[0, 0.5], [2, 4]], between: smooth }` | `between` is `linear`, `smooth` (slowly at both ends) or `step` (jumps at the next keyframe) |\n"
    "| `{ expression: \"2 + sin(3*t)\" }` | a formula in the time `t` (s); for a vector, a list of three |\n"
    "\n"
    "```yaml\n"
    "gravity: { expression: [\"2*sin(3*t)\", \"-9.81\", \"0\"] }\n"
    "fluids:\n"
    "  resin: { spacing: 0.01, viscosity: { keys: [[0, 1.0e-4], [3, 0.5]], between: smooth } }\n"
    "```\n"
    "\n"
    "A substep takes the values of the time at which it begins. Expressions have `+ - * / ^`, comparisons, `&& ||`, `a ? b : c`, the constants\n"
    "`pi` and `e`, and the functions `sin cos tan asin acos atan atan2 sqrt exp ln log10 abs min max pow floor ceil sign`. Angles are in\n"
    "radians there. A value beyond the range of its key becomes the nearest one in it; `spate check` warns of that.\n"
    "\n"
    "## Formulas of the place\n"
    "\n"
    "Where a table says *or formula*, the value may be a formula of `x`, `y`, `z` (m), the place at which a particle comes, and `t` (s), the\n"
    "time at which it comes. For a vector that is a list of three formulas or numbers. The grammar is that of expressions over time.\n"
    "\n"
    "```yaml\n"
    "sources:\n"
    "  - { type: fill, fluid: water, shape: { sphere: { center: [0, 0, 0], radius: 1 } }, velocity: [\"-2*y\", \"2*x\", 0] }\n"
    "channels:\n"
    "  heat: { default: \"20 + 60*y\" }\n"
    "```\n";

enum
{
	SECTIONS = 32
};

// The objects whose sections have been written.
typedef struct page
{
	buffer out;
	const scene_object *done[SECTIONS];
	int count;
} page;

static void write_type(buffer *b, const scene_key *key)
{
	static const char *const names[] = {
	    [KEY_VERSION] = "whole number",    [KEY_NUMBER] = "number",    [KEY_COUNT] = "whole number",
	    [KEY_COUNT64] = "whole number",    [KEY_TEXT] = "text",        [KEY_VECTOR] = "vector",
	    [KEY_FORMULAS] = "three formulas", [KEY_COLOR] = "colour",     [KEY_CHOICE] = "word",
	    [KEY_CHOICES] = "list of words",   [KEY_FLUID] = "name",       [KEY_FLUIDS] = "list of names",
	    [KEY_COLLIDER] = "name",           [KEY_BODIES] = "two names", [KEY_VALUES] = "map of paths",
	    [KEY_CAMERAS] = "list of names",   [KEY_OBJECT] = "map",       [KEY_LIST] = "list",
	    [KEY_MAP] = "map of names",        [KEY_PATH] = "path"};
	buffer_add(b, "%s%s%s%s%s%s", names[key->kind],
		   !key->formulas            ? ""
		   : key->kind == KEY_VECTOR ? " or formulas"
					     : " or formula",
		   key->unit ? ", " : "", key->unit ? key->unit : "", key->word ? ", or " : "",
		   key->word ? key->word : "");
}

static void write_range(buffer *b, const scene_key *key)
{
	char text[KEY_TEXT_CHARS];
	key_range_text(key, text);
	// the introduction states the limits of positions and lengths once for all
	int wide = key->max >= 1e6 && key->unit;
	if (key->kind == KEY_VECTOR && (key->flags & KEY_NONZERO))
		buffer_add(b, "not zero");
	else if (wide && key->kind == KEY_NUMBER && key->min == 0.0)
		buffer_add(b, "%s", key->flags & KEY_ABOVE_MIN ? "greater than 0" : "at least 0");
	else if (wide)
		return;
	else if (key->kind == KEY_COUNT64 && !text[0])
		buffer_add(b, "from 0 to 2^64 - 1");
	else
		buffer_add(b, "%s", text);
}

static void write_default_cell(buffer *b, const scene_object *object, const scene_key *key, const void *defaults)
{
	int has_value = key->kind != KEY_OBJECT && key->kind != KEY_LIST && key->kind != KEY_MAP &&
			!(key->flags & (KEY_NOT_STORED | KEY_OMIT)) && strcmp(key->name, "name") != 0;
	if ((key->flags & KEY_REQUIRED) && key->unless)
		buffer_add(b, "**required** without `%s`", key->unless);
	else if (key->flags & KEY_REQUIRED)
		buffer_add(b, key->only && object->variants ? "**one of them**" : "**required**");
	else if (has_value)
	{
		buffer_add(b, "`");
		write_default(b, key, defaults);
		buffer_add(b, "`");
	}
	else if (key->kind == KEY_OBJECT && !(key->flags & KEY_OMIT))
		buffer_add(b, "its defaults");
	else
		buffer_add(b, "none");
}

static void write_meaning(buffer *b, const scene_object *object, const scene_key *key)
{
	buffer_add(b, "%s", key->doc);
	// a key that selects the variant needs no note that it belongs to it
	int itself = 0;
	for (const scene_word *word = object->variants; word && word->name; word++)
		itself |= strcmp(word->name, key->name) == 0;
	if (key->only && !itself && !(key->flags & KEY_SETTING))
	{
		buffer_add(b, object->tagged ? " Only for" : " Only with");
		const char *separator = " ";
		for (const scene_word *word = key_variants(object); word->name; word++)
			if (key->only >> word->value & 1)
			{
				buffer_add(b, "%s`%s`", separator, word->name);
				separator = " and ";
			}
		buffer_add(b, ".");
	}
	// presets are listed in a separate table
	for (const scene_word *word = key->flags & KEY_NOT_STORED ? NULL : key->words; word && word->name; word++)
		buffer_add(b, "%s`%s`: %s%s", word == key->words ? " " : "; ", word->name, word->doc,
			   word[1].name ? "" : ".");
	if (key->flags & KEY_LIVE)
		buffer_add(b, " *Live.*");
	else if (key_takes_track(key))
		buffer_add(b, " *Over time.*");
}

static void write_row(buffer *b, const scene_object *object, const scene_key *key, const char *prefix,
		      const void *defaults)
{
	buffer_add(b, "| `%s%s` | ", prefix, key->name);
	write_type(b, key);
	buffer_add(b, " | ");
	write_range(b, key);
	buffer_add(b, " | ");
	write_default_cell(b, object, key, defaults);
	buffer_add(b, " | ");
	write_meaning(b, object, key);
	buffer_add(b, " |\n");
}

static void write_presets(buffer *b)
{
	buffer_add(b, "\n## Presets\n\nMeasured density, viscosity and surface tension at the given "
		      "temperature.\n\n"
		      "| preset | density, kg/m^3 | viscosity, m^2/s | surface_tension, N/m | color | "
		      "description |\n|---|---|---|---|---|---|\n");
	for (const scene_word *word = key_find(key_find(&scene_root, "fluids")->object, "preset")->words; word->name;
	     word++)
	{
		spate_fluid_def fluid = spate_default_fluid_def();
		preset_apply((preset_id)word->value, &fluid);
		buffer_add(b, "| `%s` | %.6g | %.3g | %.4g | `", word->name, fluid.density, fluid.viscosity,
			   fluid.surface_tension);
		write_default(b, key_find(key_find(&scene_root, "fluids")->object, "color"), &fluid);
		buffer_add(b, "` | %s |\n", word->doc);
	}
}

static void write_head(buffer *b)
{
	buffer_add(b, "\n| key | type | range | default | meaning |\n|---|---|---|---|---|\n");
}

// The settings of each solver's own.
static void write_settings(buffer *b, const scene_object *object, const void *defaults)
{
	for (const scene_word *solver = object->tagged ? key_variants(object) : NULL; solver && solver->name; solver++)
	{
		int count = 0;
		for (const scene_key *key = object->keys; key->name; key++)
			if ((key->flags & KEY_SETTING) && key_is_of(key, solver->value))
			{
				if (count++ == 0)
				{
					buffer_add(b, "\nOnly for `%s`:\n", solver->name);
					write_head(b);
				}
				write_row(b, object, key, "", defaults);
			}
	}
}

static void write_table(buffer *b, const scene_object *object, const void *defaults)
{
	write_head(b);
	for (const scene_key *key = object->keys; key->name; key++)
	{
		if (key->flags & KEY_SETTING)
			continue;
		if (!object->one_of)
		{
			write_row(b, object, key, "", defaults);
			continue;
		}
		// the keys of a shape follow it at once
		buffer_add(b, "| `%s` | %s | | | %s |\n", key->name, key->kind == KEY_LIST ? "list" : "map", key->doc);
		if (key->kind == KEY_LIST)
			continue;
		for (const scene_key *inner = key->object->keys; inner->name; inner++)
		{
			buffer prefix = {0};
			buffer_add(&prefix, "%s.", key->name);
			write_row(b, key->object, inner, prefix.failed ? "" : prefix.text, defaults);
			b->failed |= prefix.failed;
			buffer_free(&prefix);
		}
	}
}

static void write_section(page *p, const scene_object *object, const void *defaults)
{
	for (int i = 0; i < p->count; i++)
		if (p->done[i] == object)
			return;
	if (!object->title || p->count == SECTIONS)
		return;
	p->done[p->count++] = object;
	buffer_add(&p->out, "\n## %s\n\n%s\n", object->title, object->doc);
	write_table(&p->out, object, defaults);
	write_settings(&p->out, object, defaults);
	if (object->example)
		buffer_add(&p->out, "\n```yaml\n%s```\n", object->example);
	if (key_find(object, "preset"))
		write_presets(&p->out);
	for (const scene_key *key = object->keys; key->name; key++)
	{
		_Alignas(16) char element[KEY_ELEMENT_BYTES];
		if (key->kind == KEY_OBJECT)
			write_section(p, key->object, (const char *)defaults + key->offset);
		else if (key->kind == KEY_LIST || key->kind == KEY_MAP)
		{
			key->object->defaults(element, SPATE_UP_Y);
			write_section(p, key->object, element);
		}
	}
}

static void write_flags(buffer *b, uint32_t flags)
{
	static const char *const names[] = {"hot", "saved", "published", "halo", "device"};
	const char *separator = "";
	for (uint32_t n = 0; n < sizeof names / sizeof *names; n++)
		if (flags >> n & 1)
		{
			buffer_add(b, "%s%s", separator, names[n]);
			separator = ", ";
		}
}

static void write_fields(buffer *b)
{
	buffer_add(
	    b,
	    "\n## Fields\n\n"
	    "What particles carry. `output.channels` selects among the published ones; ids and positions are in every frame.\n"
	    "Checkpoints carry the saved ones. Hot fields are moved at every sort, the others once in a while. Halo and device\n"
	    "say which ones other machines and devices need.\n\n"
	    "| field | type | unit | of | flags | meaning |\n|---|---|---|---|---|---|\n");
	world_field field;
	for (uint32_t n = 0; world_field_at(n, &field); n++)
	{
		const spate_field_def *def = field.def;
		spate_type type = def->flags & SPATE_FIELD_PADDED ? SPATE_VEC3 : def->type;
		buffer_add(b, "| `%s` | %s | %s | ", def->name, spate_type_name(type), def->unit);
		if (field.origin == FIELD_OF_CORE)
			buffer_add(b, "all particles | ");
		else if (field.origin == FIELD_AUTOMATIC)
			buffer_add(b, "scenes whose `output.channels` asks for it | ");
		else if (field.origin == FIELD_OF_MATERIAL)
			buffer_add(b, "scenes in which a source sets `%s` | ", field.by);
		else
			buffer_add(b, "solver `%s` | ", field.by);
		write_flags(b, def->flags);
		buffer_add(b, " | %s |\n", def->meaning);
	}
}

char *spate_scene_reference(void)
{
	locale_t old = scene_locale_enter();
	page p = {0};
	buffer_add(&p.out, "%s", introduction);
	spate_scene defaults = spate_default_scene();
	write_section(&p, &scene_root, &defaults);
	write_fields(&p.out);
	scene_locale_leave(old);
	return buffer_take(&p.out);
}
