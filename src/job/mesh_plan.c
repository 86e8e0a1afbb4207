// Settings shared by all meshes of a job, determined before the first one is made.
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "job/mesh_job.h"
#include "scene/buffer.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// Part of the hash of the settings. Increase it when a new version makes different meshes.
#define MESH_GENERATION 2

// ------------------------------------------------------------------------------------------------------------------ names

run_path mesh_job_source(const mesh_job *j, size_t n)
{
	if (!j->single)
		return run_frame_path(j->def->input, j->frames.data[n]);
	run_path path;
	snprintf(path.text, sizeof path.text, "%s", j->def->input);
	return path;
}

// Length of the name without its extension, and without .gz after it.
static size_t stem_length(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strlen(path), tail = 3;
	if (length > tail && strcasecmp(path + length - tail, ".gz") == 0)
		length -= tail;
	for (size_t i = length; i > (size_t)(name - path) + 1; i--)
		if (path[i - 1] == '.')
			return i - 1;
	return length;
}

run_path mesh_job_target(const mesh_job *j, size_t n, const mesh_part *part, const char *suffix)
{
	run_path path;
	if (j->def->marks)
	{
		char name[64];
		snprintf(name, sizeof name, RUN_MARKS "_%06" PRId64 "%s", j->frames.data[n], suffix);
		return run_file_path(j->folder.text, name);
	}
	if (!j->single)
		return run_fluid_mesh_path(j->folder.text, part->name, j->frames.data[n], suffix);
	int length = snprintf(path.text, sizeof path.text, "%.*s%s%s%s", (int)stem_length(j->file.text), j->file.text,
			      *part->name ? "_" : "", part->name, suffix);
	if (length < 0 || (size_t)length >= sizeof path.text)
		path.text[0] = '\0';
	return path;
}

// The suffix of a path, if it is that of a writable mesh format; else NULL.
static const char *mesh_suffix(const char *path)
{
	const spate_format *format = spate_format_of_path(path);
	return format && format->writes & SPATE_FORMAT_TRIANGLES ? format->suffix : NULL;
}

// Copies the texts into a path, one after the other.
static spate_result set_path(run_path *path, const char *folder, const char *name, int name_length, const char *tail,
			     spate_error *error)
{
	int length =
	    snprintf(path->text, sizeof path->text, "%s%s%.*s%s", folder, *folder ? "/" : "", name_length, name, tail);
	return length >= 0 && (size_t)length < sizeof path->text
		   ? SPATE_OK
		   : error_set(error, SPATE_INVALID, "the output path is too long");
}

// Chooses the output of a single file: as given, or beside the input under another name.
static spate_result plan_single(mesh_job *j, spate_error *error)
{
	const spate_mesh_job_def *d = j->def;
	const char *slash = strrchr(d->input, '/'), *name = slash ? slash + 1 : d->input;
	const char *ending = d->output ? mesh_suffix(d->output) : NULL;
	char tail[32];
	if (ending && d->format && strcmp(ending, j->suffix) != 0)
		return error_set(error, SPATE_INVALID, "`output` %s and `format` %s contradict each other", d->output,
				 d->format);
	if (ending)
		j->suffix = ending;
	snprintf(tail, sizeof tail, "_mesh%s", j->suffix);
	spate_result result = ending      ? set_path(&j->file, "", d->output, INT_MAX, "", error)
			      : d->output ? set_path(&j->file, d->output, name, (int)stem_length(name), tail, error)
					  : set_path(&j->file, "", d->input, (int)stem_length(d->input), tail, error);
	if (result == SPATE_OK && d->output && !ending)
		result = set_path(&j->folder, "", d->output, INT_MAX, "", error);
	if (result == SPATE_OK && !array_push(&j->frames, 0))
		result = error_memory(error, sizeof *j->frames.data);
	return result;
}

static spate_result plan_run(mesh_job *j, spate_error *error)
{
	const spate_mesh_job_def *d = j->def;
	if (d->output && mesh_suffix(d->output))
		return error_set(
		    error, SPATE_INVALID,
		    "`output` %s names one file, but there are several frames; give a folder, and the format "
		    "with `format`",
		    d->output);
	spate_result result = SPATE_OK;
	if (d->output)
		result = set_path(&j->folder, "", d->output, INT_MAX, "", error);
	else
		j->folder = run_file_path(d->input, d->marks ? RUN_MARKS : RUN_MESHES);
	if (result == SPATE_OK)
		result = run_list_frames(d->input, &j->frames, error);
	j->first_frame = j->frames.count > 0 ? j->frames.data[0] : 0;
	if (result == SPATE_OK)
		result = job_select_frames(&d->job, &j->frames, &j->missing, &d->frames, d->input, error);
	return result;
}

// ----------------------------------------------------------------------------------------------------------------- fluids

// Whether a fluid's name can be part of a file name.
static int is_plain(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-+.", *c))
			return 0;
	return *name && *name != '.';
}

// Number of fluids according to the attribute of a particle file; 0 if it has none.
static spate_result count_fluids(mesh_job *j, int *count, spate_error *error)
{
	static const char *const wanted[] = {"fluid"};
	particle_set set;
	spate_result result = particles_read(&set, j->def->input, wanted, 1, error);
	if (result != SPATE_OK)
		return result;
	const spate_mesh_channel *fluid = spate_mesh_find_channel(set.points, "fluid");
	float last = -1.0f;
	for (size_t i = 0; fluid && i < set.points->vertex_count; i++)
		last = fmaxf(last, fluid->values[i * fluid->components]);
	particles_free(&set);
	*count = last >= 0.0f && last < (float)MESH_MOST_FLUIDS ? (int)last + 1 : 0;
	return SPATE_OK;
}

static spate_result add_part(mesh_job *j, const char *name, int fluid, double spacing, spate_error *error)
{
	mesh_part part = {name, fluid, j->def->spacing > 0.0 ? j->def->spacing : spacing};
	return array_push(&j->parts, part) ? SPATE_OK : error_memory(error, sizeof part);
}

static spate_result bad_name(const char *name, spate_error *error)
{
	return error_set(error, SPATE_SCENE, "the name of the fluid '%s' cannot be part of a file name", name);
}

// Parts for interfaces: every fluid, and the combined mesh.
static spate_result choose_interfaces(mesh_job *j, spate_error *error)
{
	static const char *const unnamed[SPATE_SURFACE_MAX_FLUIDS] = {
	    "fluid1", "fluid2",  "fluid3",  "fluid4",  "fluid5",  "fluid6",  "fluid7", "fluid8",
	    "fluid9", "fluid10", "fluid11", "fluid12", "fluid13", "fluid14", "fluid15"};
	const spate_fluid_def *fluids = j->has_scene ? j->scene.world.fluids : NULL;
	int count = j->has_scene ? (int)j->scene.world.fluid_count : 0;
	double finest = INFINITY;
	spate_result result = !j->has_scene && j->single ? count_fluids(j, &count, error) : SPATE_OK;
	if (result == SPATE_OK && count == 0)
		result = error_set(error, SPATE_MISSING,
				   "%s has neither a scene nor an attribute 'fluid' to tell its fluids apart",
				   j->def->input);
	if (result == SPATE_OK && count > SPATE_SURFACE_MAX_FLUIDS)
		result = error_set(error, SPATE_SCENE, "%s has more than the %d fluids that `interfaces` supports",
				   j->def->input, (int)SPATE_SURFACE_MAX_FLUIDS);
	for (int f = 0; f < count && result == SPATE_OK; f++)
	{
		const char *name = fluids ? fluids[f].name : unnamed[f];
		if (!is_plain(name) || strcmp(name, RUN_INTERFACES) == 0)
			return bad_name(name, error);
		result = add_part(j, name, f, fluids ? fluids[f].spacing : 0.0, error);
		finest = fmin(finest, fluids ? fluids[f].spacing : 0.0);
	}
	return result == SPATE_OK ? add_part(j, RUN_INTERFACES, -1, finest, error) : result;
}

// Marks need a single spacing: that of the chosen fluid, or of all fluids.
static spate_result choose_marked(mesh_job *j, spate_error *error)
{
	mesh_part all = j->parts.data[0];
	for (size_t p = 1; p < j->parts.count; p++)
		if (j->parts.data[p].spacing != all.spacing)
			return error_set(error, SPATE_INVALID,
					 "the fluids have different spacings; choose one to mark with `fluid`");
	if (j->parts.count > 1)
		all = (mesh_part){"", -1, all.spacing};
	j->parts.data[0] = all;
	j->parts.count = 1;
	return SPATE_OK;
}

static spate_result unknown_fluid(const mesh_job *j, spate_error *error)
{
	const spate_world_def *world = &j->scene.world;
	buffer names = {0};
	for (uint32_t f = 0; f < world->fluid_count; f++)
		buffer_add(&names, "%s %s", f ? "," : "", world->fluids[f].name);
	spate_result result = error_set(error, SPATE_INVALID, "unknown fluid '%s'; choose one of:%s", j->def->fluid,
					names.text ? names.text : "");
	buffer_free(&names);
	return result;
}

static spate_result choose_fluids(mesh_job *j, spate_error *error)
{
	const char *only = j->def->fluid;
	const spate_world_def *world = &j->scene.world;
	uint32_t fluids = j->has_scene ? world->fluid_count : 0;
	spate_result result = SPATE_OK;
	if (only && fluids == 0)
		return error_set(error, SPATE_MISSING, "`fluid` %s: %s has no scene that names its fluids", only,
				 j->def->input);
	for (uint32_t f = 0; f < fluids && result == SPATE_OK; f++)
	{
		const spate_fluid_def *fluid = &world->fluids[f];
		if (only && strcmp(only, fluid->name) != 0)
			continue;
		if (fluids > 1 && !is_plain(fluid->name))
			return bad_name(fluid->name, error);
		result = fluids > 1 ? add_part(j, fluid->name, (int)f, fluid->spacing, error)
				    : add_part(j, "", -1, fluid->spacing, error);
	}
	if (result != SPATE_OK || j->parts.count > 0)
		return result;
	return only ? unknown_fluid(j, error) : add_part(j, "", -1, 0.0, error);
}

// Without a scene, estimates the spacing from the particles of the first frame and says so. It is the same whichever frames are chosen.
static spate_result guess_spacing(mesh_job *j, spate_error *error)
{
	static const char *const none[1];
	run_path first = j->single ? mesh_job_source(j, 0) : run_frame_path(j->def->input, j->first_frame);
	particle_set set;
	if (j->parts.data[0].spacing > 0.0)
		return SPATE_OK;
	spate_result result = particles_read(&set, first.text, none, 0, error);
	if (result != SPATE_OK)
		return result;
	double spacing = particles_guess_spacing(set.points->positions, set.points->vertex_count);
	particles_free(&set);
	if (!(spacing > 0.0))
		return error_set(error, SPATE_MISSING, "%s does not store the particle spacing; set it with `spacing`",
				 j->def->input);
	// rounded, so that all files of a sequence get the same settings
	double unit = pow(10.0, floor(log10(spacing)) - 2.0);
	spacing = round(spacing / unit) * unit;
	for (size_t p = 0; p < j->parts.count; p++)
		j->parts.data[p].spacing = spacing;
	job_tell(&j->def->job, "estimated the spacing as %g m from the particles; `spacing` sets it", spacing);
	return SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------------------ notes

typedef struct settings_text
{
	char text[4096]; // far more than names of fluids and channels need
	size_t length;
} settings_text;

__attribute__((format(printf, 2, 3))) static void add(settings_text *s, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	size_t room = sizeof s->text - s->length;
	int length = vsnprintf(s->text + s->length, room, format, arguments);
	s->length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
	va_end(arguments);
}

mesh_note mesh_note_make(const mesh_job *j, const mesh_part *part, uint64_t source)
{
	const spate_mesh_job_def *o = j->def;
	const spate_surface_def *d = &o->surface;
	settings_text text = {.length = 0};
	add(&text, "%d %d %a %a %a %d %a %a %a %d %d", MESH_GENERATION, (int)d->method, d->cell, d->kernel, d->offset,
	    d->smoothing, d->min_blob, d->min_cavity, d->decimate, (int)d->normals, d->clip);
	for (int k = 0; k < 3; k++)
		add(&text, " %a %a", d->clip_min[k], d->clip_max[k]);
	add(&text, " %a %d %d %s %d %d %d %d", part->spacing, o->clip_colliders, j->channels_given, part->name,
	    d->refine, (int)o->interfaces, o->marks, (int)o->criterion);
	for (uint32_t i = 0; i < j->channel_count; i++)
		add(&text, " %s", j->channels[i]);
	// meshes of earlier versions keep their notes
	if (o->up == SPATE_EXPORT_UP_Z)
		add(&text, " up z");
	return mesh_note_of(hash_bytes(text.text, text.length, 0), source);
}

// What was made of a frame that has changed since is of no use with any settings: a run that was made again has other spacings too. A
// single file may as well have been meshed from another one under the same name.
static mesh_state look_at(const mesh_job *j, const char *path, const mesh_note *note)
{
	mesh_note found;
	struct stat status;
	if (stat(path, &status) != 0)
		return MESH_ABSENT;
	if (!mesh_file_note(path, &found))
		return MESH_OTHER;
	int alike = memcmp(found.text, note->text, MESH_NOTE_SOURCE) == 0;
	if (strcmp(found.text + MESH_NOTE_SOURCE, note->text + MESH_NOTE_SOURCE) == 0)
		return alike ? MESH_DONE : MESH_OTHER;
	return alike || !j->single ? MESH_OUTDATED : MESH_OTHER;
}

mesh_state mesh_look(const mesh_job *j, size_t n, const mesh_part *part, const mesh_note *note)
{
	mesh_state mesh = look_at(j, mesh_job_target(j, n, part, j->suffix).text, note);
	int combined = j->def->interfaces != SPATE_MESH_INTERFACES_NONE && part->fluid < 0;
	if (!j->def->vdb || combined || mesh == MESH_OTHER)
		return mesh;
	mesh_state field = look_at(j, mesh_job_target(j, n, part, ".vdb").text, note);
	return field == MESH_OTHER ? MESH_OTHER : mesh == MESH_DONE ? field : mesh;
}

int mesh_is_done(mesh_job *j, size_t n, const mesh_part *part, const mesh_note *note)
{
	mesh_state state = mesh_look(j, n, part, note);
	j->skipped += state == MESH_DONE;
	j->outdated += state == MESH_OUTDATED;
	return state == MESH_DONE;
}

// -------------------------------------------------------------------------------------------------------------- the whole

static spate_result make_folder(mesh_job *j, spate_error *error)
{
	spate_result result = j->folder.text[0] ? file_make_directory(j->folder.text, error) : SPATE_OK;
	if (result == SPATE_OK)
		file_clear_beside(j->folder.text[0] ? run_file_path(j->folder.text, "x").text : j->file.text);
	return result;
}

// Fills in what the definition leaves open.
static void choose_defaults(mesh_job *j)
{
	const spate_mesh_job_def *d = j->def;
	j->threads = job_threads(&d->job);
	j->suffix = spate_format_find(d->format ? d->format : "ply")->suffix;
	j->channels_given = d->channels != NULL;
	j->channel_count = d->channels ? d->channel_count : 1;
	for (uint32_t i = 0; i < j->channel_count; i++)
		j->channels[i] = d->channels ? d->channels[i] : "velocity";
}

static spate_result load_scene(mesh_job *j, spate_error *error)
{
	// files of other programs have no scene, even if there is one nearby
	const char *dot = strrchr(j->def->input, '.');
	spate_result result = SPATE_OK;
	if (!j->single || (dot && strcmp(dot, ".spate") == 0))
		result = job_load_scene(&j->scene, &j->has_scene, j->def->input, j->single, error);
	if (result == SPATE_OK && j->def->clip_colliders && !j->has_scene)
		result = error_set(error, SPATE_MISSING, "`clip_colliders` needs the scene of the run, but %s has none",
				   j->def->input);
	return result;
}

spate_result mesh_job_open(mesh_job *j, const spate_mesh_job_def *def, spate_error *error)
{
	*j = (mesh_job){.def = def};
	spate_result result = spate_mesh_job_check(def, error);
	if (result != SPATE_OK)
		return result;
	choose_defaults(j);
	int folder = job_is_folder(def->input, error);
	if (folder < 0)
		return (spate_result)folder;
	j->single = !folder;
	if (j->single && def->marks)
		return error_set(error, SPATE_INVALID, "`marks` needs the frames of a run, but %s is a single file",
				 def->input);
	result = j->single ? job_refuse_frames(&def->frames, def->input, error) : plan_run(j, error);
	if (result == SPATE_OK && j->single)
		result = plan_single(j, error);
	if (result == SPATE_OK)
		result = load_scene(j, error);
	if (result == SPATE_OK)
		result = def->interfaces != SPATE_MESH_INTERFACES_NONE ? choose_interfaces(j, error)
								       : choose_fluids(j, error);
	if (result == SPATE_OK && def->marks)
		result = choose_marked(j, error);
	if (result == SPATE_OK)
		result = guess_spacing(j, error);
	return result == SPATE_OK ? make_folder(j, error) : result;
}

void mesh_job_free(mesh_job *j)
{
	if (j->has_walls)
		collider_set_destroy(&j->walls);
	spate_scene_free(&j->scene);
	array_free(&j->frames);
	array_free(&j->missing);
	mesh_marks_free(&j->history);
	array_free(&j->parts);
	for (size_t i = 0; i < j->made.count; i++)
		mem_free(j->made.data[i].path);
	array_free(&j->made);
}
