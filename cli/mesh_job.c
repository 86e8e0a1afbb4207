// Settings shared by all meshes of a command, determined before the first one is made.
#include "base/file.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "cli/mesh.h"
#include "spate/frame.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// Part of the hash of the settings. Increase it when a new version makes different meshes.
#define MESH_GENERATION 2

static int fail(const mesh_job *j, const char *text)
{
	complain(j->options->args.program, "%s", text);
	return EXIT_FAILED;
}

// ------------------------------------------------------------------------------------------------------------------ names

run_path mesh_job_source(const mesh_job *j, size_t n)
{
	if (!j->single)
		return run_frame_path(j->options->args.path, j->frames.data[n]);
	run_path path;
	snprintf(path.text, sizeof path.text, "%s", j->options->args.path);
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

run_path mesh_job_target(const mesh_job *j, size_t n, const mesh_part *part, const char *extension)
{
	run_path path;
	if (j->options->marks)
	{
		char name[64];
		snprintf(name, sizeof name, RUN_MARKS "_%06" PRId64 "%s", j->frames.data[n], extension);
		return run_file_path(j->folder.text, name);
	}
	if (!j->single)
		return run_fluid_mesh_path(j->folder.text, part->name, j->frames.data[n], extension);
	int length = snprintf(path.text, sizeof path.text, "%.*s%s%s%s", (int)stem_length(j->file.text), j->file.text,
			      *part->name ? "_" : "", part->name, extension);
	if (length < 0 || (size_t)length >= sizeof path.text)
		path.text[0] = '\0';
	return path;
}

// The extension of a path, if it is that of a writable mesh format; else NULL.
static const char *known_extension(const char *path)
{
	static const char *const known[] = {".ply", ".obj", ".stl", ".vtk", ".vtp", ".spate"};
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
		if (strcasecmp(dot, known[i]) == 0)
			return known[i];
	return NULL;
}

// Chooses the output of a single file: as given, or beside the input under another name.
static int plan_single(mesh_job *j, mesh_options *o)
{
	const char *slash = strrchr(o->args.path, '/'), *name = slash ? slash + 1 : o->args.path;
	const char *ending = o->args.output ? known_extension(o->args.output) : NULL;
	int length;
	if (ending && o->extension && strcmp(ending, o->extension) != 0)
	{
		complain(o->args.program, "-o %s and --format %s contradict each other", o->args.output,
			 o->extension + 1);
		return EXIT_MISUSE;
	}
	if (!o->extension)
		o->extension = ending ? ending : ".ply";
	if (ending)
		length = snprintf(j->file.text, sizeof j->file.text, "%s", o->args.output);
	else if (o->args.output)
		length = snprintf(j->file.text, sizeof j->file.text, "%s/%.*s_mesh%s", o->args.output,
				  (int)stem_length(name), name, o->extension);
	else
		length = snprintf(j->file.text, sizeof j->file.text, "%.*s_mesh%s", (int)stem_length(o->args.path),
				  o->args.path, o->extension);
	if (length < 0 || (size_t)length >= sizeof j->file.text)
		return fail(j, "the output path is too long");
	if (o->args.output && !ending)
		snprintf(j->folder.text, sizeof j->folder.text, "%s", o->args.output);
	return array_push(&j->frames, 0) ? EXIT_DONE : fail(j, "out of memory");
}

static int plan_run(mesh_job *j, mesh_options *o)
{
	spate_error error = {0};
	if (!o->extension)
		o->extension = ".ply";
	if (o->args.output && known_extension(o->args.output))
	{
		complain(
		    o->args.program,
		    "-o %s names one file, but there are several frames; give a folder, and the format with --format",
		    o->args.output);
		return EXIT_MISUSE;
	}
	if (o->args.output)
		snprintf(j->folder.text, sizeof j->folder.text, "%s", o->args.output);
	else
		j->folder = run_file_path(o->args.path, o->marks ? RUN_MARKS : RUN_MESHES);
	if (run_list_frames(o->args.path, &j->frames, &error) != SPATE_OK)
		return fail(j, error.text);
	if (j->frames.count == 0)
	{
		complain(o->args.program, "%s has no frames; create them with 'spate run SCENE -o %s'", o->args.path,
			 o->args.path);
		return EXIT_FAILED;
	}
	return frame_range_apply(&o->args.frames, &j->frames, &j->missing, o->args.program, o->args.path);
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

// Number of fluids according to the attribute of a particle file; 0 if it has none, -1 after a message on stderr.
static int count_fluids(mesh_job *j)
{
	static const char *const wanted[] = {"fluid"};
	particle_set set;
	spate_error error = {0};
	if (particles_read(&set, j->options->args.path, wanted, 1, &error) != SPATE_OK)
	{
		fail(j, error.text);
		return -1;
	}
	const spate_mesh_channel *fluid = spate_mesh_find_channel(set.points, "fluid");
	float last = -1.0f;
	for (size_t i = 0; fluid && i < set.points->vertex_count; i++)
		last = fmaxf(last, fluid->values[i * fluid->components]);
	particles_free(&set);
	return last >= 0.0f && last < (float)MESH_MOST_FLUIDS ? (int)last + 1 : 0;
}

static int add_part(mesh_job *j, const char *name, int fluid, double spacing)
{
	mesh_part part = {name, fluid, j->options->spacing > 0.0 ? j->options->spacing : spacing};
	return array_push(&j->parts, part) ? EXIT_DONE : fail(j, "out of memory");
}

// Parts for interfaces: every fluid, and the combined mesh.
static int choose_interfaces(mesh_job *j)
{
	static const char *const unnamed[SPATE_SURFACE_MAX_FLUIDS] = {
	    "fluid1", "fluid2",  "fluid3",  "fluid4",  "fluid5",  "fluid6",  "fluid7", "fluid8",
	    "fluid9", "fluid10", "fluid11", "fluid12", "fluid13", "fluid14", "fluid15"};
	const mesh_options *o = j->options;
	const spate_fluid_def *fluids = j->has_scene ? j->scene.world.fluids : NULL;
	int count = j->has_scene ? (int)j->scene.world.fluid_count : j->single ? count_fluids(j) : 0;
	double finest = INFINITY;
	if (count < 0)
		return EXIT_FAILED;
	if (count == 0 || count > SPATE_SURFACE_MAX_FLUIDS)
	{
		complain(o->args.program,
			 count ? "%s has more than the 15 fluids that --interfaces supports"
			       : "%s has neither a scene nor an attribute 'fluid' to tell its fluids apart",
			 o->args.path);
		return EXIT_FAILED;
	}
	int status = EXIT_DONE;
	for (int f = 0; f < count && status == EXIT_DONE; f++)
	{
		const char *name = fluids ? fluids[f].name : unnamed[f];
		if (!is_plain(name) || strcmp(name, RUN_INTERFACES) == 0)
		{
			complain(o->args.program, "the name of the fluid '%s' cannot be part of a file name", name);
			return EXIT_FAILED;
		}
		status = add_part(j, name, f, fluids ? fluids[f].spacing : 0.0);
		finest = fmin(finest, fluids ? fluids[f].spacing : 0.0);
	}
	return status == EXIT_DONE ? add_part(j, RUN_INTERFACES, -1, finest) : status;
}

// Marks need a single spacing: that of the chosen fluid, or of all fluids.
static int choose_marked(mesh_job *j)
{
	const mesh_options *o = j->options;
	mesh_part all = j->parts.data[0];
	for (size_t p = 1; p < j->parts.count; p++)
		if (j->parts.data[p].spacing != all.spacing)
		{
			complain(o->args.program,
				 "the fluids have different spacings; choose one to mark with --fluid");
			return EXIT_MISUSE;
		}
	if (j->parts.count > 1)
		all = (mesh_part){"", -1, all.spacing};
	j->parts.data[0] = all;
	j->parts.count = 1;
	return EXIT_DONE;
}

static int choose_fluids(mesh_job *j)
{
	const mesh_options *o = j->options;
	const spate_world_def *world = &j->scene.world;
	uint32_t fluids = j->has_scene ? world->fluid_count : 0;
	if (o->fluid && fluids == 0)
	{
		complain(o->args.program, "--fluid %s: %s has no scene that names its fluids", o->fluid, o->args.path);
		return EXIT_FAILED;
	}
	int status = EXIT_DONE;
	for (uint32_t f = 0; f < fluids && status == EXIT_DONE; f++)
	{
		const spate_fluid_def *fluid = &world->fluids[f];
		if (o->fluid && strcmp(o->fluid, fluid->name) != 0)
			continue;
		if (fluids > 1 && !is_plain(fluid->name))
		{
			complain(o->args.program, "the name of the fluid '%s' cannot be part of a file name",
				 fluid->name);
			return EXIT_FAILED;
		}
		status =
		    fluids > 1 ? add_part(j, fluid->name, (int)f, fluid->spacing) : add_part(j, "", -1, fluid->spacing);
	}
	if (status != EXIT_DONE || j->parts.count > 0)
		return status;
	if (!o->fluid)
		return add_part(j, "", -1, 0.0);
	fprintf(stderr, "%s: unknown fluid '%s'; choose one of:", o->args.program, o->fluid);
	for (uint32_t f = 0; f < fluids; f++)
		fprintf(stderr, "%s %s", f ? "," : "", world->fluids[f].name);
	fputc('\n', stderr);
	return EXIT_MISUSE;
}

// Without a scene, guesses the spacing from the particles of the first frame and tells the user.
static int guess_spacing(mesh_job *j)
{
	const mesh_options *o = j->options;
	static const char *const none[1];
	particle_set set;
	spate_error error = {0};
	if (j->parts.data[0].spacing > 0.0)
		return EXIT_DONE;
	if (particles_read(&set, mesh_job_source(j, 0).text, none, 0, &error) != SPATE_OK)
		return fail(j, error.text);
	double spacing = particles_guess_spacing(set.points->positions, set.points->vertex_count);
	particles_free(&set);
	if (!(spacing > 0.0))
	{
		complain(o->args.program, "%s does not store the particle spacing; set it with --spacing M",
			 o->args.path);
		return EXIT_FAILED;
	}
	// rounded, so that all files of a sequence get the same settings
	double unit = pow(10.0, floor(log10(spacing)) - 2.0);
	spacing = round(spacing / unit) * unit;
	for (size_t p = 0; p < j->parts.count; p++)
		j->parts.data[p].spacing = spacing;
	if (!o->args.quiet)
		complain(o->args.program, "estimated the spacing as %g m from the particles; --spacing M sets it",
			 spacing);
	return EXIT_DONE;
}

// ------------------------------------------------------------------------------------------------------------------ notes

mesh_note mesh_note_make(const mesh_job *j, const mesh_part *part, uint64_t source)
{
	const mesh_options *o = j->options;
	const spate_surface_def *d = &o->def;
	buffer text = {0};
	buffer_add(&text, "%d %d %a %a %a %d %a %a %a %d %d", MESH_GENERATION, (int)d->method, d->cell, d->kernel,
		   d->offset, d->smoothing, d->min_blob, d->min_cavity, d->decimate, (int)d->normals, d->clip);
	for (int k = 0; k < 3; k++)
		buffer_add(&text, " %a %a", d->clip_min[k], d->clip_max[k]);
	buffer_add(&text, " %a %d %d %s %d %d %d %d", part->spacing, o->walls, o->channels_given, part->name, d->refine,
		   (int)o->interfaces, o->marks, (int)o->criterion);
	for (uint32_t i = 0; i < o->channel_count; i++)
		buffer_add(&text, " %s", o->channels[i]);
	uint64_t settings = text.text ? hash_bytes(text.text, text.length, 0) : 0;
	buffer_free(&text);
	return mesh_note_of(settings, source);
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
	mesh_state mesh = look_at(j, mesh_job_target(j, n, part, j->options->extension).text, note);
	int combined = j->options->interfaces != INTERFACES_NONE && part->fluid < 0;
	if (!j->options->vdb || combined || mesh == MESH_OTHER)
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

static int make_folder(mesh_job *j)
{
	spate_error error = {0};
	if (j->folder.text[0] && file_make_directory(j->folder.text, &error) != SPATE_OK)
		return fail(j, error.text);
	file_clear_beside(j->folder.text[0] ? run_file_path(j->folder.text, "x").text : j->file.text);
	return EXIT_DONE;
}

int mesh_job_open(mesh_job *j, mesh_options *o)
{
	*j = (mesh_job){.options = o};
	j->threads = o->args.threads > 0 ? o->args.threads : parallel_default_threads();
	int folder = run_path_is_folder(&o->args);
	if (folder < 0)
		return EXIT_FAILED;
	j->single = !folder;
	if (j->single && o->marks)
	{
		complain(o->args.program, "--marks needs the frames of a run, but %s is a single file", o->args.path);
		return EXIT_MISUSE;
	}
	if (!o->channels_given)
	{
		o->channels[0] = "velocity";
		o->channel_count = 1;
	}
	int status = j->single ? plan_single(j, o) : plan_run(j, o);
	// files of other programs have no scene, even if there is one nearby
	const char *dot = strrchr(o->args.path, '.');
	if (status == EXIT_DONE && (!j->single || (dot && strcmp(dot, ".spate") == 0)))
		status = run_scene_load(&j->scene, &j->has_scene, o->args.path, j->single, o->args.program);
	if (status == EXIT_DONE && o->walls && !j->has_scene)
	{
		complain(o->args.program, "--clip-colliders needs the scene of the run, but %s has none", o->args.path);
		status = EXIT_FAILED;
	}
	if (status == EXIT_DONE)
		status = o->interfaces != INTERFACES_NONE ? choose_interfaces(j) : choose_fluids(j);
	if (status == EXIT_DONE && o->marks)
		status = choose_marked(j);
	if (status == EXIT_DONE)
		status = guess_spacing(j);
	return status == EXIT_DONE ? make_folder(j) : status;
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
	array_free(&j->rows);
}
