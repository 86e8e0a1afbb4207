// Rows of the key table for the solver: those of all solvers, and those that each solver brings.
#include "base/suggest.h"
#include "scene/key_rows.h"
#include "scene/read.h"
#include "solver/solver.h"

#include <stdio.h>
#include <string.h>

// clang-format off

static const scene_word solver_words[] = {
#define SOLVER(name, doc) {#name, SOLVER_##name, doc},
#include "solver/solvers.def"
#undef SOLVER
    END};
static const scene_word quality_words[] = {{"draft", SPATE_QUALITY_DRAFT, "fast, for previews"},
					   {"normal", SPATE_QUALITY_NORMAL, "for most shots"},
					   {"high", SPATE_QUALITY_HIGH, "small density error, short substeps"},
					   END};

static const scene_word viscosity_words[] = {
    {"xsph", SPATE_VISCOSITY_XSPH, "exchanges the whole velocity difference; robust, but damps rotation"},
    {"pairwise", SPATE_VISCOSITY_PAIRWISE, "acts only along the line between two particles; conserves angular momentum"},
    END};

// Keys of all solvers; those of each solver's own follow when the library is loaded.
enum { COMMON_KEYS = 8, CAMERAS = 7 };
static scene_key solver_keys[COMMON_KEYS + SOLVER_COUNT * SPATE_SOLVER_SETTINGS + 1] = {
    {.name = "type", .kind = KEY_CHOICE, FIELD(spate_solver_def, type), .words = solver_words,
     .doc = "Method that enforces incompressibility. Scenes of version 1 have `pbf` unless they say otherwise."},
    {.name = "quality", .kind = KEY_CHOICE, .flags = KEY_LIVE, FIELD(spate_solver_def, quality), .words = quality_words,
     .doc = "Sets every key below that is `auto`."},
    {.name = "substeps", .kind = KEY_COUNT, .flags = KEY_LIVE, FIELD(spate_solver_def, substeps), RANGE(1, 10000), .word = "auto",
     .example = "4", .doc = "Substeps per frame; `auto` adapts them to the flow, mainly its speed."},
    {.name = "max_substeps", .kind = KEY_COUNT, .flags = KEY_LIVE, FIELD(spate_solver_def, max_substeps), RANGE(1, 10000), .example = "64",
     .doc = "Upper limit of `auto` substeps per frame."},
    {.name = "cfl", .kind = KEY_NUMBER, .flags = KEY_ABOVE_MIN | KEY_LIVE, FIELD(spate_solver_def, cfl), RANGE(0, 10),
     .word = "auto", .example = "0.4", .doc = "Maximum travel of a particle per substep, in kernel radii."},
    {.name = "list_margin", .kind = KEY_NUMBER, FIELD(spate_solver_def, list_margin), RANGE(0, 0.5), .word = "auto",
     .word_value = -1, .example = "0.04",
     .doc = "Extra reach of the neighbour lists, in kernel radii, so that they stay valid for several substeps; 0 rebuilds them in "
	    "every substep, `auto` picks the fastest value."},
    {.name = "viscosity_model", .kind = KEY_CHOICE, .flags = KEY_LIVE, FIELD(spate_solver_def, viscosity_model), .words = viscosity_words,
     .doc = "How particles exchange momentum."},
    {.name = "cameras", .kind = KEY_CAMERAS, .flags = KEY_OMIT, ITEMS(spate_solver_def, cameras, camera_count), .example = "[main]",
     .doc = "Names of the cameras that count; all if none is named."}};

// clang-format on

static scene_key key_of_setting(int solver, uint32_t row, const spate_setting *s)
{
	static const key_kind kinds[] = {
	    [SPATE_SETTING_NUMBER] = KEY_NUMBER, [SPATE_SETTING_COUNT] = KEY_COUNT, [SPATE_SETTING_WORD] = KEY_CHOICE};
	return (scene_key){.name = s->name,
			   .kind = kinds[s->kind],
			   .flags = KEY_SETTING | (s->live ? KEY_LIVE : 0u) | (s->above_min ? KEY_ABOVE_MIN : 0u),
			   .offset = offsetof(spate_solver_def, own) + row * sizeof(double),
			   .min = s->min,
			   .max = s->max,
			   .unit = s->unit,
			   .example = s->example,
			   .doc = s->doc,
			   .word = s->word,
			   .word_value = s->word_value,
			   .initial = s->initial,
			   .words = s->words,
			   .only = 1u << solver};
}

__attribute__((constructor)) static void add_settings(void)
{
	scene_key *key = &solver_keys[COMMON_KEYS];
	const spate_setting *s;
	for (int solver = 0; solver < SOLVER_COUNT; solver++)
		solver_keys[CAMERAS].only |= (solver_table(solver)->needs_camera ? 1u : 0u) << solver;
	for (int solver = 0; solver < SOLVER_COUNT; solver++)
		for (uint32_t row = 0; (s = spate_solver_setting(solver, row)); row++)
			*key++ = key_of_setting(solver, row, s);
}

static void check_solver(scene_reader *reader, const node *at, const void *object)
{
	const spate_solver_def *solver = object;
	const solver_type *type = solver_table(solver->type);
	uint32_t row;
	spate_error error = {0};
	if (solver_check_settings(type, solver, &row, &error) != SPATE_OK)
		read_error(reader, node_place(at, type->settings.rows[row].name), "%s", error.text);
}

// The cameras that the solver names, and whether it has what it needs.
void check_cameras(scene_reader *reader)
{
	const spate_world_def *world = &reader->scene->world;
	const node *at = node_get(reader->root, "solver"), *names = at ? node_get(at, "cameras") : NULL;
	snprintf(reader->path, PATH_CHARS, "solver");
	for (uint32_t n = 0; names && n < world->solver.camera_count; n++)
	{
		suggestion s;
		char hint[KEY_TEXT_CHARS];
		int found = 0;
		suggest_begin(&s, world->solver.cameras[n]);
		for (uint32_t c = 0; c < world->camera_count; c++)
		{
			found |= strcmp(world->cameras[c].name, world->solver.cameras[n]) == 0;
			suggest_offer(&s, world->cameras[c].name);
		}
		read_suggestion(&s, hint);
		if (!found)
			read_error(reader, node_item(names, n)->at, "there is no camera '%.60s'%s",
				   world->solver.cameras[n], hint);
	}
	const solver_type *type = solver_table(world->solver.type);
	uint32_t row;
	spate_error error = {0};
	if (solver_check_cameras(type, &world->solver, world->camera_count, &row, &error) != SPATE_OK)
		read_error(reader, at ? node_place(at, type->settings.rows[row].name) : reader->root->at,
			   "%s; add one to 'cameras'", error.text);
	reader->path[0] = '\0';
}

// Liquids other than metals have less than this (N/m).
#define MOST_TENSION 0.08

// Values that look as if they were meant for the other kind of surface tension, or for another solver.
void check_fluid(scene_reader *reader, const node *at, const void *object)
{
	const spate_fluid_def *fluid = object;
	const solver_type *solver = solver_table(reader->scene->world.solver.type);
	char number[NUMBER_CHARS];
	int given = node_get(at, "surface_tension") != NULL;
	if (given && reader->version == 1 && fluid->cohesion > 0.07 && fluid->cohesion < 0.075)
		read_warning(
		    reader, node_place(at, "surface_tension"),
		    "surface_tension looks like N/m, but in scenes of version 1 it is a strength from 0 to 1, 0.1 for "
		    "water; write 'spate: 2' to give it in N/m");
	check_viscosity_unit(reader, at, fluid);
	if (reader->version == 1)
		return;
	if (node_get(at, "cohesion") && fluid->cohesion > 0.07 && fluid->cohesion < 0.075)
		read_warning(
		    reader, node_place(at, "cohesion"),
		    "cohesion looks like N/m, but it is a strength from 0 to 1, 0.1 for water; a tension in N/m "
		    "is 'surface_tension'");
	if (!given)
		return;
	if (!check_tension_unit(reader, node_place(at, "surface_tension"), fluid->surface_tension) &&
	    fluid->surface_tension > MOST_TENSION && fluid->density < 2000.0)
		read_warning(
		    reader, node_place(at, "surface_tension"),
		    "surface_tension is in N/m, and %s is more than that of water, 0.0728; a strength from 0 to 1 is "
		    "'cohesion'",
		    number_text(number, fluid->surface_tension));
	if (!solver->tension && fluid->cohesion < 0.0 && fluid->surface_tension > 0.0)
		read_warning(reader, node_place(at, "surface_tension"),
			     "the solver %s has no surface tension in N/m; it uses a cohesion of about the same effect",
			     solver_name(reader->scene->world.solver.type));
}

// Two fluids that differ, and a tension that lets them touch.
void check_interface(scene_reader *reader, const node *at, const void *object)
{
	const spate_interface_def *interface = object;
	const spate_world_def *world = &reader->scene->world;
	char number[NUMBER_CHARS], most[NUMBER_CHARS];
	const spate_fluid_def *a = &world->fluids[interface->fluids[0]], *b = &world->fluids[interface->fluids[1]];
	if (interface->fluids[0] == interface->fluids[1])
	{
		read_error(reader, node_place(at, "and"),
			   "an interface is between two fluids, but 'between' and 'and' are both '%.60s'", a->name);
		return;
	}
	place where = node_place(at, "surface_tension");
	if (!solver_table(world->solver.type)->tension)
		read_warning(reader, where,
			     "surface_tension has no effect: the solver %s has no surface tension in N/m",
			     solver_name(world->solver.type));
	else if (check_tension_unit(reader, where, interface->surface_tension))
		return;
	else if (interface->surface_tension > MOST_TENSION && a->density < 2000.0 && b->density < 2000.0)
		read_warning(reader, where,
			     "surface_tension is in N/m, and %s is more than that of water against air, 0.0728",
			     number_text(number, interface->surface_tension));
	else if (interface->surface_tension > a->surface_tension + b->surface_tension)
		read_warning(
		    reader, where,
		    "%s N/m is more than the surface tensions of '%.60s' and '%.60s' together, %s N/m: the liquids "
		    "will part rather than touch",
		    number_text(number, interface->surface_tension), a->name, b->name,
		    number_text(most, a->surface_tension + b->surface_tension));
}

void check_contact_angle(scene_reader *reader, const node *at)
{
	int type = reader->scene->world.solver.type;
	if (node_get(at, "contact_angle") && !solver_table(type)->tension)
		read_warning(reader, node_place(at, "contact_angle"),
			     "contact_angle has no effect: the solver %s has no surface tension in N/m",
			     solver_name(type));
}

void check_spacing(scene_reader *reader, const node *at, const spate_fluid_def *fluid)
{
	const spate_world_def *world = &reader->scene->world;
	if (solver_table(world->solver.type)->one_spacing && fluid->spacing != world->fluids[0].spacing)
		read_error(reader, node_place(at, "spacing"),
			   "the solver %s needs the same spacing in all fluids, but '%.60s' has %g m and '%.60s' %g m",
			   solver_name(world->solver.type), fluid->name, fluid->spacing, world->fluids[0].name,
			   world->fluids[0].spacing);
}

void check_slip(scene_reader *reader, const node *at)
{
	int type = reader->scene->world.solver.type;
	if (node_get(at, "slip") && !solver_table(type)->shear)
		read_warning(reader, node_place(at, "slip"),
			     "slip has no effect: the solver %s has no viscosity at walls; use stickiness",
			     solver_name(type));
}

const scene_object solver_object = {.title = "Solver",
				    .doc = "The solver and its accuracy. `quality` is usually enough.",
				    .example = "solver: { quality: high, max_substeps: 32 }\n",
				    .size = sizeof(spate_solver_def),
				    .keys = solver_keys,
				    .tagged = 1,
				    .tag_offset = offsetof(spate_solver_def, type),
				    .check = check_solver};
