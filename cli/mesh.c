// spate mesh: surfaces of the frames of a run, or of a file of particles.
#include "cli/mesh.h"

#include "base/error.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "cli/interrupt.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum
{
	OPTION_FRAMES = 256,
	OPTION_FORMAT,
	OPTION_METHOD,
	OPTION_CELL,
	OPTION_SMOOTHING,
	OPTION_MIN_BLOB,
	OPTION_MIN_CAVITY,
	OPTION_DECIMATE,
	OPTION_OFFSET,
	OPTION_NORMALS,
	OPTION_CHANNELS,
	OPTION_BOX,
	OPTION_FLUID,
	OPTION_SPACING,
	OPTION_CLIP_COLLIDERS,
	OPTION_VDB,
	OPTION_JSON,
	OPTION_OVERWRITE
};

// -------------------------------------------------------------------------------------------------------------- options

// Number of the word in a list that ends with NULL, -1 when it is not there.
static int find_word(const char *word, const char *const *list)
{
	for (int i = 0; list[i]; i++)
		if (strcmp(word, list[i]) == 0)
			return i;
	return -1;
}

static void read_named(mesh_options *o, int key, const char *value, const struct argp_state *state)
{
	// in the order of the enums
	static const char *const methods[] = {"density", "zhu-bridson", "color", "anisotropic", NULL};
	static const char *const normals[] = {"none", "field", "mesh", NULL};
	static const char *const formats[] = {"ply", "obj", "stl", "vtk", "vtp", "spate", NULL};
	static const char *const extensions[] = {".ply", ".obj", ".stl", ".vtk", ".vtp", ".spate"};
	int found = find_word(value, key == OPTION_METHOD ? methods : key == OPTION_NORMALS ? normals : formats);
	if (found < 0 && key == OPTION_METHOD)
		argp_error(state, "--method takes density, zhu-bridson, color or anisotropic, not '%s'", value);
	else if (found < 0 && key == OPTION_NORMALS)
		argp_error(state, "--normals takes none, field or mesh, not '%s'", value);
	else if (found < 0)
		argp_error(state, "--format takes ply, obj, stl, vtk, vtp or spate, not '%s'", value);
	else if (key == OPTION_METHOD)
		o->def.method = (spate_surface_method)found;
	else if (key == OPTION_NORMALS)
		o->def.normals = (spate_surface_normals)found;
	else
		o->extension = extensions[found];
}

static double ranged(const struct argp_state *state, const char *option, const char *value, double low, double high)
{
	double number = 0.0;
	if (!read_number(value, &number) || number < low || number > high)
		argp_error(state, "%s takes a number from %g to %g, not '%s'", option, low, high, value);
	return number;
}

static void read_numbers(mesh_options *o, int key, const char *value, const struct argp_state *state)
{
	long whole = 0;
	switch (key)
	{
	case OPTION_CELL:
		o->def.cell = ranged(state, "--cell", value, 0.1, 2.0);
		break;
	case OPTION_SMOOTHING:
		if (!read_whole(value, 0, 1000, &whole))
			argp_error(state, "--smoothing takes a whole number from 0 to 1000, not '%s'", value);
		o->def.smoothing = (int)whole;
		break;
	case OPTION_MIN_BLOB:
		o->def.min_blob = ranged(state, "--min-blob", value, 0.0, 1e9);
		break;
	case OPTION_MIN_CAVITY:
		o->def.min_cavity = ranged(state, "--min-cavity", value, 0.0, 1e9);
		break;
	case OPTION_DECIMATE:
		o->def.decimate = ranged(state, "--decimate", value, 0.0, 1e6);
		break;
	case OPTION_OFFSET:
		o->def.offset = ranged(state, "--offset", value, -1.0, 1.0);
		break;
	case OPTION_SPACING:
		o->spacing = ranged(state, "--spacing", value, 1e-9, 1e6);
		break;
	default:
		if (!read_whole(value, 1, PARALLEL_MAX_THREADS, &whole))
			argp_error(state, "--threads takes a whole number from 1 to %d, not '%s'",
				   (int)PARALLEL_MAX_THREADS, value);
		o->def.threads = (int)whole;
	}
}

static void read_box(mesh_options *o, const char *value, const struct argp_state *state)
{
	double v[6];
	char part[64];
	const char *at = value;
	int good = 1;
	for (int k = 0; k < 6 && good; k++)
	{
		size_t length = strcspn(at, ",");
		good = length < sizeof part && (k == 5) == (at[length] == '\0');
		if (!good)
			break;
		memcpy(part, at, length);
		part[length] = '\0';
		good = read_number(part, &v[k]);
		at += length + (k < 5);
	}
	for (int k = 0; k < 3 && good; k++)
	{
		good = v[k] < v[k + 3];
		o->def.clip_min[k] = v[k];
		o->def.clip_max[k] = v[k + 3];
	}
	if (!good)
		argp_error(state, "--box takes x0,y0,z0,x1,y1,z1 in metres with each first below its second, not '%s'",
			   value);
	o->def.clip = 1;
}

// Cuts the list in place.
static void read_channels(mesh_options *o, char *value, const struct argp_state *state)
{
	o->channels_given = 1;
	o->channel_count = 0;
	for (char *word = strtok(value, ", "); word; word = strtok(NULL, ", "))
	{
		if (strcmp(word, "none") == 0)
			continue;
		if (o->channel_count == MESH_MAX_CHANNELS || strlen(word) > 31)
			argp_error(state, "--channels takes at most %d names of up to 31 letters", MESH_MAX_CHANNELS);
		o->channels[o->channel_count++] = word;
	}
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	mesh_options *o = state->input;
	switch (key)
	{
	case 'o':
		o->output = value;
		return 0;
	case OPTION_FRAMES:
		if (!frame_range_read(&o->frames, value))
			argp_error(state, "--frames takes a number or a range such as 10-20, not '%s'", value);
		return 0;
	case OPTION_FORMAT:
	case OPTION_METHOD:
	case OPTION_NORMALS:
		read_named(o, key, value, state);
		return 0;
	case OPTION_CELL:
	case OPTION_SMOOTHING:
	case OPTION_MIN_BLOB:
	case OPTION_MIN_CAVITY:
	case OPTION_DECIMATE:
	case OPTION_OFFSET:
	case OPTION_SPACING:
	case 't':
		read_numbers(o, key, value, state);
		return 0;
	case OPTION_CHANNELS:
		read_channels(o, value, state);
		return 0;
	case OPTION_BOX:
		read_box(o, value, state);
		return 0;
	case OPTION_FLUID:
		o->fluid = value;
		return 0;
	case OPTION_CLIP_COLLIDERS:
		o->walls = 1;
		return 0;
	case OPTION_VDB:
		o->vdb = 1;
		return 0;
	case OPTION_JSON:
		o->json = 1;
		return 0;
	case OPTION_OVERWRITE:
		o->overwrite = 1;
		return 0;
	case 'q':
		o->quiet = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one DIR or FILE at a time, not also '%s'", value);
		o->path = value;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which DIR or FILE?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "Folder for the meshes (default DIR/mesh); of one file also a file, .ply and so on", 0},
    {"frames", OPTION_FRAMES, "A-B", 0, "Frames to mesh: 12, 10-20, 10- or -20 (default all)", 0},
    {"format", OPTION_FORMAT, "NAME", 0, "ply, obj, stl, vtk, vtp or spate (default ply)", 0},
    {"vdb", OPTION_VDB, NULL, 0, "Beside each mesh its signed distance as a level set, .vdb", 0},
    {"method", OPTION_METHOD, "NAME", 0, "density, zhu-bridson, color or anisotropic (default density)", 1},
    {"cell", OPTION_CELL, "C", 0, "Edge of a cell of the grid in spacings, 0.1 to 2 (default 0.75)", 1},
    {"smoothing", OPTION_SMOOTHING, "N", 0, "Rounds of smoothing, which does not shrink (default 5)", 1},
    {"offset", OPTION_OFFSET, "S", 0, "Moves the surface outwards by S spacings, -1 to 1 (default 0)", 1},
    {"min-blob", OPTION_MIN_BLOB, "N", 0, "Leaves out drops smaller than N particles (default 0: none)", 1},
    {"min-cavity", OPTION_MIN_CAVITY, "N", 0, "Fills bubbles smaller than N particles (default 0: none)", 1},
    {"decimate", OPTION_DECIMATE, "M", 0, "Merges triangles where that moves the surface by less than M metres", 1},
    {"normals", OPTION_NORMALS, "KIND", 0, "none, field or mesh (default field)", 2},
    {"channels", OPTION_CHANNELS, "LIST", 0,
     "What vertices carry: velocity,density,color and so on, or none (default velocity, where frames have it)", 2},
    {"box", OPTION_BOX, "X0,Y0,Z0,X1,Y1,Z1", 0, "Only what is inside this box (m); the cut is closed", 3},
    {"fluid", OPTION_FLUID, "NAME", 0, "Only this fluid of the scene (default each fluid a mesh of its own)", 3},
    {"clip-colliders", OPTION_CLIP_COLLIDERS, NULL, 0, "Moves what pokes into the scene's colliders to their surface",
     3},
    {"spacing", OPTION_SPACING, "M", 0, "Distance of particles at rest in metres (default the scene's, else guessed)",
     3},
    {"threads", 't', "N", 0, "Threads (default all cores)", 4},
    {"overwrite", OPTION_OVERWRITE, NULL, 0, "Replaces meshes that were made with other settings", 4},
    {"json", OPTION_JSON, NULL, 0, "One JSON object on stdout", 4},
    {"quiet", 'q', NULL, 0, "No progress, no list of what was written", 4},
    {0}};

static const struct argp description = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FILE",
    .doc =
	"Makes the surface of the liquid in every frame of a run: closed triangle meshes DIR/mesh/mesh_000001.ply and so on, of "
	"several fluids mesh_NAME_000001.ply. Also of a single file of particles: .spate, Houdini's .bgeo, legacy .vtk, "
	".ply.\v"
	"Meshes that are there already, made with the same settings from the same frames, are left as they are, so an "
	"interrupted command goes on where it was, and several of them may work on different --frames of one run.\n\n"
	"Examples:\n"
	"  spate mesh out/dam_break\n"
	"  spate mesh out/dam_break --cell 0.5 --smoothing 10 --clip-colliders -o fine\n"
	"  spate mesh out/dam_break --frames 1-60 --threads 1\n"
	"  spate mesh out/dam_break --format obj --channels velocity,density -o obj\n"
	"  spate mesh splash.bgeo --spacing 0.02 -o splash.ply\n"
	"  spate preview out/dam_break --mesh"};

// ------------------------------------------------------------------------------------------------------------------ loop

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Before anything is made: what other settings have made is in the way.
static int check_targets(mesh_job *j)
{
	const mesh_options *o = j->options;
	for (size_t n = 0; n < j->frames.count && !o->overwrite; n++)
		for (size_t p = 0; p < j->parts.count; p++)
		{
			mesh_note note = mesh_note_make(j, &j->parts.data[p], 0);
			if (mesh_look(j, n, &j->parts.data[p], &note) != MESH_OTHER)
				continue;
			complain(
			    o->program,
			    "%s was made with other settings; --overwrite replaces it, -o OUT writes somewhere else",
			    mesh_job_target(j, n, &j->parts.data[p], o->extension).text);
			return EXIT_FAILED;
		}
	return EXIT_DONE;
}

// One frame; the particles are read once for all of its parts, and only when one of them is not there. 0 when going on makes no sense.
static int mesh_frame(mesh_job *j, size_t n, progress *shown)
{
	const char *program = j->options->program;
	spate_error error = {0};
	uint64_t source;
	particle_set set = {0};
	spate_result result = particles_hash(mesh_job_source(j, n).text, &source, &error);
	for (size_t p = 0; p < j->parts.count && result == SPATE_OK && !interrupt_seen(); p++)
	{
		mesh_part *part = &j->parts.data[p];
		mesh_note note = mesh_note_make(j, part, source);
		mesh_row row = {.frame = j->frames.data[n]};
		double begin = now();
		if (mesh_look(j, n, part, &note) == MESH_DONE)
		{
			j->skipped++;
			continue;
		}
		if (!set.points)
			result = mesh_read_particles(j, n, &set, &error);
		if (result == SPATE_OK)
			result = mesh_make(j, n, part, &set, &note, &row, &error);
		row.seconds = now() - begin;
		if (result == SPATE_OK && !array_push(&j->rows, row))
			result = error_memory(&error, sizeof row);
	}
	particles_free(&set);
	if (result == SPATE_OK)
		return 1;
	progress_clear(shown);
	complain(program, "%s%s", j->single ? "" : "frame left out: ", error.text);
	j->failed++;
	return result == SPATE_FORMAT || result == SPATE_MISSING;
}

static int print_json(const mesh_job *j, int interrupted, double seconds)
{
	buffer json = {0};
	buffer_add(&json, "{\"kind\":\"meshes\",\"source\":");
	buffer_add_quoted(&json, j->options->path);
	buffer_add(&json, ",\"made\":%zu,\"skipped\":%u,\"failed\":%u,\"missing\":%zu,\"interrupted\":%s,\"seconds\":",
		   j->rows.count, j->skipped, j->failed, j->missing.count, interrupted ? "true" : "false");
	json_number(&json, seconds);
	buffer_add(&json, ",\"meshes\":[");
	for (size_t i = 0; i < j->rows.count; i++)
	{
		const mesh_row *r = &j->rows.data[i];
		buffer_add(&json, "%s{\"frame\":%" PRId64 ",\"file\":", i ? "," : "", r->frame);
		buffer_add_quoted(&json, r->path.text);
		buffer_add(&json,
			   ",\"particles\":%u,\"vertices\":%u,\"triangles\":%u,\"moved\":%u,\"volume\":", r->particles,
			   r->vertices, r->triangles, r->moved);
		json_number(&json, r->volume);
		buffer_add(&json, ",\"area\":");
		json_number(&json, r->area);
		buffer_add(&json, ",\"seconds\":");
		json_number(&json, r->seconds);
		buffer_add(&json, "}");
	}
	buffer_add(&json, "]}");
	return json_print(&json, j->options->program);
}

// What was written, and what one may want to do with it.
static int print_text(const mesh_job *j, double seconds)
{
	const mesh_options *o = j->options;
	double triangles = 0.0;
	for (size_t i = 0; i < j->rows.count; i++)
		triangles += j->rows.data[i].triangles;
	if (j->single && j->rows.count > 0)
		printf("wrote %s (%s triangles, %s)\n", j->rows.data[0].path.text, report_count(triangles).text,
		       report_seconds(seconds).text);
	else if (j->rows.count > 0)
		printf("wrote %s/mesh_*%s (%zu meshes, %s triangles, %s)\n", j->folder.text, o->extension,
		       j->rows.count, report_count(triangles).text, report_seconds(seconds).text);
	if (j->skipped > 0)
		printf("%u %s there already\n", j->skipped, j->skipped == 1 ? "mesh was" : "meshes were");
	const char *seen[] = {".ply", ".obj", ".stl", ".spate"};
	int visible = 0;
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
		visible |= strcmp(o->extension, seen[i]) == 0;
	if (j->rows.count > 0 && visible && j->single)
		printf("look at it: spate preview %s\n", j->rows.data[0].path.text);
	else if (j->rows.count > 0 && visible && !*j->parts.data[0].name)
		printf("look at them: spate preview %s --mesh%s%s\n", o->path, o->output ? "=" : "",
		       o->output ? o->output : "");
	return finish_output(o->program);
}

static int mesh_frames(mesh_job *j)
{
	const mesh_options *o = j->options;
	double begin = now();
	if (j->missing.count > 0)
	{
		complain(o->program, "%s %s missing and left out: %s", j->missing.count == 1 ? "a frame" : "frames",
			 j->missing.count == 1 ? "is" : "are", report_numbers(j->missing.data, j->missing.count).text);
		j->failed++;
	}
	interrupt_watch();
	progress shown = progress_begin(o->program, "frames", j->frames.count, o->quiet);
	int going = 1;
	for (size_t n = 0; n < j->frames.count && going && !interrupt_seen(); n++)
	{
		going = mesh_frame(j, n, &shown);
		progress_update(&shown, n + 1);
	}
	progress_clear(&shown);
	int interrupted = interrupt_seen(), status = EXIT_DONE;
	if (interrupted)
		complain(o->program,
			 "interrupted after %zu meshes, which are whole; the same command goes on from there",
			 j->rows.count);
	if (o->json)
		status = print_json(j, interrupted, now() - begin);
	else if (!o->quiet && !interrupted)
		status = print_text(j, now() - begin);
	return interrupted ? EXIT_INTERRUPTED : j->failed > 0 ? EXIT_FAILED : status;
}

int command_mesh(int argc, char **argv)
{
	mesh_options o = {.program = argv[0], .def = spate_default_surface_def()};
	if (argp_parse(&description, argc, argv, 0, NULL, &o))
		return EXIT_MISUSE;
	mesh_job j;
	int status = mesh_job_open(&j, &o);
	if (status == EXIT_DONE)
		status = check_targets(&j);
	if (status == EXIT_DONE)
		status = mesh_frames(&j);
	mesh_job_free(&j);
	return status;
}
