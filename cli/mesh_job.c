// What stays the same for all meshes of a command: found out before the first one is made.
#include "base/file.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "cli/mesh.h"
#include "spate/frame.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// What is made differently by another version of this program gets another number.
#define MESH_GENERATION 1

static int fail(const mesh_job *j, const char *text)
{
	complain(j->options->program, "%s", text);
	return EXIT_FAILED;
}

// ------------------------------------------------------------------------------------------------------------------ names

run_path mesh_job_source(const mesh_job *j, size_t n)
{
	if (!j->single)
		return run_frame_path(j->options->path, j->frames.data[n]);
	run_path path;
	snprintf(path.text, sizeof path.text, "%s", j->options->path);
	return path;
}

// The name without its ending, .gz and another one behind which it may be.
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
	if (!j->single)
		return run_fluid_mesh_path(j->folder.text, part->name, j->frames.data[n], extension);
	run_path path;
	int length = snprintf(path.text, sizeof path.text, "%.*s%s%s%s", (int)stem_length(j->file.text), j->file.text,
			      *part->name ? "_" : "", part->name, extension);
	if (length < 0 || (size_t)length >= sizeof path.text)
		path.text[0] = '\0';
	return path;
}

// A mesh format that is written, by its ending; NULL for none.
static const char *known_extension(const char *path)
{
	static const char *const known[] = {".ply", ".obj", ".stl", ".vtk", ".vtp", ".spate"};
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
		if (strcasecmp(dot, known[i]) == 0)
			return known[i];
	return NULL;
}

// Where the mesh of a single file goes: as told, or beside it under a name of its own.
static int plan_single(mesh_job *j, mesh_options *o)
{
	const char *slash = strrchr(o->path, '/'), *name = slash ? slash + 1 : o->path;
	const char *ending = o->output ? known_extension(o->output) : NULL;
	int length;
	if (ending && o->extension && strcmp(ending, o->extension) != 0)
	{
		complain(o->program, "-o %s and --format %s do not go together", o->output, o->extension + 1);
		return EXIT_MISUSE;
	}
	if (!o->extension)
		o->extension = ending ? ending : ".ply";
	if (ending)
		length = snprintf(j->file.text, sizeof j->file.text, "%s", o->output);
	else if (o->output)
		length = snprintf(j->file.text, sizeof j->file.text, "%s/%.*s_mesh%s", o->output,
				  (int)stem_length(name), name, o->extension);
	else
		length = snprintf(j->file.text, sizeof j->file.text, "%.*s_mesh%s", (int)stem_length(o->path), o->path,
				  o->extension);
	if (length < 0 || (size_t)length >= sizeof j->file.text)
		return fail(j, "the name of the output is too long");
	if (strcmp(j->file.text, o->path) == 0)
	{
		complain(o->program, "%s is what is read; choose another name with -o", o->path);
		return EXIT_MISUSE;
	}
	if (o->output && !ending)
		snprintf(j->folder.text, sizeof j->folder.text, "%s", o->output);
	return array_push(&j->frames, 0) ? EXIT_DONE : fail(j, "out of memory");
}

static int plan_run(mesh_job *j, mesh_options *o)
{
	spate_error error = {0};
	if (!o->extension)
		o->extension = ".ply";
	if (o->output && known_extension(o->output))
	{
		complain(o->program, "-o %s is one file for a sequence; give a folder, and the format with --format",
			 o->output);
		return EXIT_MISUSE;
	}
	if (o->output)
		snprintf(j->folder.text, sizeof j->folder.text, "%s", o->output);
	else
		j->folder = run_file_path(o->path, RUN_MESHES);
	if (run_list_frames(o->path, &j->frames, &error) != SPATE_OK)
		return fail(j, error.text);
	if (j->frames.count == 0)
	{
		complain(o->program, "%s has no frames; spate run SCENE -o %s makes some", o->path, o->path);
		return EXIT_FAILED;
	}
	return frame_range_apply(&o->frames, &j->frames, &j->missing, o->program, o->path);
}

// ----------------------------------------------------------------------------------------------------------------- fluids

// A fluid's name may hold what names of files should not.
static int is_plain(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-+.", *c))
			return 0;
	return *name && *name != '.';
}

static int add_part(mesh_job *j, const char *name, int fluid, double spacing)
{
	mesh_part part = {name, fluid, j->options->spacing > 0.0 ? j->options->spacing : spacing};
	return array_push(&j->parts, part) ? EXIT_DONE : fail(j, "out of memory");
}

static int choose_fluids(mesh_job *j)
{
	const mesh_options *o = j->options;
	const spate_world_def *world = &j->scene.world;
	uint32_t fluids = j->has_scene ? world->fluid_count : 0;
	if (o->fluid && fluids == 0)
	{
		complain(o->program, "--fluid %s: %s has no scene that tells its fluids", o->fluid, o->path);
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
			complain(o->program, "the fluid '%s' has a name that cannot be part of a file's", fluid->name);
			return EXIT_FAILED;
		}
		status =
		    fluids > 1 ? add_part(j, fluid->name, (int)f, fluid->spacing) : add_part(j, "", -1, fluid->spacing);
	}
	if (status != EXIT_DONE || j->parts.count > 0)
		return status;
	if (!o->fluid)
		return add_part(j, "", -1, 0.0);
	fprintf(stderr, "%s: there is no fluid '%s'; there are", o->program, o->fluid);
	for (uint32_t f = 0; f < fluids; f++)
		fprintf(stderr, "%s %s", f ? "," : "", world->fluids[f].name);
	fputc('\n', stderr);
	return EXIT_MISUSE;
}

// Without a scene: from the particles of the first frame, and the user is told.
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
		complain(o->program, "%s does not tell the spacing of its particles; give it with --spacing M",
			 o->path);
		return EXIT_FAILED;
	}
	// so that the files of a sequence are meshed alike
	double unit = pow(10.0, floor(log10(spacing)) - 2.0);
	spacing = round(spacing / unit) * unit;
	j->parts.data[0].spacing = spacing;
	if (!o->quiet)
		complain(o->program, "spacing taken to be %g m, by how close the particles are; --spacing M sets it",
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
	buffer_add(&text, " %a %d %d %s", part->spacing, o->walls, o->channels_given, part->name);
	for (uint32_t i = 0; i < o->channel_count; i++)
		buffer_add(&text, " %s", o->channels[i]);
	mesh_note note;
	uint64_t settings = text.text ? hash_bytes(text.text, text.length, 0) : 0;
	snprintf(note.text, sizeof note.text, "made=%016" PRIx64 "%016" PRIx64, settings, source);
	buffer_free(&text);
	return note;
}

enum
{
	NOTE_START = 5,                // made=
	NOTE_SETTINGS = 16,            // letters
	NOTE_ALL = NOTE_START + 2 * 16 // letters
};

// The note in one of our files; 0 when it has none.
static int read_note(const char *path, char note[NOTE_ALL + 1])
{
	char start[2048];
	FILE *file = fopen(path, "rb");
	size_t bytes = file ? fread(start, 1, sizeof start, file) : 0;
	if (file)
		fclose(file);
	for (size_t i = 0; i + NOTE_ALL <= bytes; i++)
		if (memcmp(start + i, "made=", NOTE_START) == 0)
		{
			memcpy(note, start + i, NOTE_ALL);
			note[NOTE_ALL] = '\0';
			return 1;
		}
	return 0;
}

// Our own container keeps it as a blob, OpenVDB as metadata of a length that it writes between name and value.
static int read_kept_note(const char *path, char note[NOTE_ALL + 1])
{
	spate_frame *frame = NULL;
	const void *data = NULL;
	size_t bytes = 0;
	if (spate_frame_open(path, &frame, NULL) != SPATE_OK)
		return read_note(path, note);
	int found = spate_frame_blob(frame, "made", &data, &bytes, NULL) == SPATE_OK && bytes == NOTE_ALL;
	if (found)
		memcpy(note, data, NOTE_ALL);
	note[found ? NOTE_ALL : 0] = '\0';
	spate_frame_close(frame);
	return found;
}

static mesh_state look_at(const char *path, const mesh_note *note)
{
	char found[NOTE_ALL + 1];
	struct stat status;
	if (stat(path, &status) != 0)
		return MESH_ABSENT;
	if (!read_kept_note(path, found) || memcmp(found, note->text, NOTE_START + NOTE_SETTINGS) != 0)
		return MESH_OTHER;
	return strcmp(found, note->text) == 0 ? MESH_DONE : MESH_OUTDATED;
}

mesh_state mesh_look(const mesh_job *j, size_t n, const mesh_part *part, const mesh_note *note)
{
	mesh_state mesh = look_at(mesh_job_target(j, n, part, j->options->extension).text, note);
	if (!j->options->vdb || mesh == MESH_OTHER)
		return mesh;
	mesh_state field = look_at(mesh_job_target(j, n, part, ".vdb").text, note);
	return field == MESH_OTHER ? MESH_OTHER : mesh == MESH_DONE ? field : mesh;
}

// -------------------------------------------------------------------------------------------------------------- the whole

static int make_folder(mesh_job *j)
{
	spate_error error = {0};
	if (j->folder.text[0] && file_make_directory(j->folder.text, &error) != SPATE_OK)
		return fail(j, error.text);
	return EXIT_DONE;
}

int mesh_job_open(mesh_job *j, mesh_options *o)
{
	*j = (mesh_job){.options = o};
	j->threads = o->def.threads > 0 ? o->def.threads : parallel_default_threads();
	struct stat found;
	if (stat(o->path, &found) != 0)
	{
		complain(o->program, "cannot open %s: %s", o->path, strerror(errno));
		return EXIT_FAILED;
	}
	j->single = !S_ISDIR(found.st_mode);
	if (!o->channels_given)
	{
		o->channels[0] = "velocity";
		o->channel_count = 1;
	}
	int status = j->single ? plan_single(j, o) : plan_run(j, o);
	// files of other programs have no scene, whatever lies near them
	const char *dot = strrchr(o->path, '.');
	if (status == EXIT_DONE && (!j->single || (dot && strcmp(dot, ".spate") == 0)))
		status = run_scene_load(&j->scene, &j->has_scene, o->path, j->single, o->program);
	if (status == EXIT_DONE && o->walls && !j->has_scene)
	{
		complain(o->program, "--clip-colliders needs the scene of the run, and %s has none", o->path);
		status = EXIT_FAILED;
	}
	if (status == EXIT_DONE)
		status = choose_fluids(j);
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
	array_free(&j->parts);
	array_free(&j->rows);
}
