// spate mesh: makes surfaces of the frames of a run, or of a particle file.
#include "cli/mesh.h"

#include "base/error.h"
#include "cli/command.h"
#include "cli/interrupt.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum
{
	OPTION_FORMAT = 256,
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
	OPTION_KERNEL,
	OPTION_REFINE,
	OPTION_INTERFACES,
	OPTION_MARKS,
	OPTION_VDB,
	OPTION_OVERWRITE
};

// -------------------------------------------------------------------------------------------------------------- options

// Index of the word in a NULL-terminated list, -1 if it is not in the list.
static int find_word(const char *word, const char *const *list)
{
	for (int i = 0; list[i]; i++)
		if (strcmp(word, list[i]) == 0)
			return i;
	return -1;
}

// Options whose values are words, in the order of their enums.
typedef struct word_option
{
	int key;
	const char *option;
	const char *words[7];
} word_option;

static const word_option word_options[] = {
    {OPTION_METHOD,
     "--method takes density, zhu-bridson, color or anisotropic",
     {"density", "zhu-bridson", "color", "anisotropic"}},
    {OPTION_NORMALS, "--normals takes none, field or mesh", {"none", "field", "mesh"}},
    {OPTION_FORMAT, "--format takes ply, obj, stl, vtk, vtp or spate", {"ply", "obj", "stl", "vtk", "vtp", "spate"}},
    {OPTION_INTERFACES, "--interfaces takes grid or chromatic", {"grid", "chromatic"}},
    {OPTION_MARKS, "--marks takes iterated or one-step", {"iterated", "one-step"}},
};

static void read_named(mesh_options *o, int key, const char *value, const struct argp_state *state)
{
	static const char *const extensions[] = {".ply", ".obj", ".stl", ".vtk", ".vtp", ".spate"};
	const word_option *option = word_options;
	while (option->key != key)
		option++;
	int found = find_word(value, option->words);
	if (found < 0)
		argp_error(state, "%s, not '%s'", option->option, value);
	else if (key == OPTION_METHOD)
		o->def.method = (spate_surface_method)found;
	else if (key == OPTION_NORMALS)
		o->def.normals = (spate_surface_normals)found;
	else if (key == OPTION_INTERFACES)
		o->interfaces = (mesh_interfaces)(found + 1);
	else if (key == OPTION_FORMAT)
		o->extension = extensions[found];
	else
	{
		o->marks = 1;
		o->criterion = (spate_surface_criterion)found;
	}
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
	case OPTION_KERNEL:
		o->def.kernel = ranged(state, "--kernel", value, 1.0, 4.0);
		break;
	case OPTION_REFINE:
		if (!read_whole(value, 0, 3, &whole))
			argp_error(state, "--refine takes a whole number from 0 to 3, not '%s'", value);
		o->def.refine = (int)whole;
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
	default:
		o->spacing = ranged(state, "--spacing", value, 1e-9, 1e6);
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
		argp_error(state, "--box takes x0,y0,z0,x1,y1,z1 in metres with x0 < x1, y0 < y1 and z0 < z1, not '%s'",
			   value);
	o->def.clip = 1;
}

// Splits the list in place.
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
		for (uint32_t i = 0; i < o->channel_count; i++)
			if (strcmp(o->channels[i], word) == 0)
				argp_error(state, "--channels names %s twice", word);
		o->channels[o->channel_count++] = word;
	}
}

// Rejects options that have no effect because of another one.
static void check_together(const mesh_options *o, const struct argp_state *state)
{
	const spate_surface_def usual = spate_default_surface_def(), *d = &o->def;
	const int many = o->interfaces != INTERFACES_NONE, chromatic = o->interfaces == INTERFACES_CHROMATIC;
	const char *mode = o->marks ? "--marks" : chromatic ? "--interfaces chromatic" : "--interfaces";
	const struct
	{
		const char *option;
		int given, refused;
	} pairs[] = {
	    {"--interfaces", many, o->marks},
	    {"--fluid", o->fluid != NULL, many},
	    {"--refine", d->refine != usual.refine, many || o->marks},
	    {"--min-blob", d->min_blob != usual.min_blob, o->marks},
	    {"--min-cavity", d->min_cavity != usual.min_cavity, o->marks},
	    {"--decimate", d->decimate != usual.decimate, many || o->marks},
	    {"--method", d->method != usual.method, chromatic || o->marks},
	    {"--cell", d->cell != usual.cell, chromatic || o->marks},
	    {"--kernel", d->kernel != usual.kernel, chromatic || o->marks},
	    {"--offset", d->offset != usual.offset, chromatic || o->marks},
	    {"--smoothing", d->smoothing != usual.smoothing, o->marks},
	    {"--normals", d->normals != usual.normals, o->marks},
	    {"--box", d->clip, o->marks},
	    {"--clip-colliders", o->walls, o->marks},
	    {"--vdb", o->vdb, o->marks},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (pairs[i].given && pairs[i].refused)
			argp_error(state, "%s cannot be combined with %s", pairs[i].option, mode);
	int stl = o->extension && strcmp(o->extension, ".stl") == 0,
	    obj = o->extension && strcmp(o->extension, ".obj") == 0;
	if (many && stl)
		argp_error(state,
			   "--format stl cannot store the two fluids of a triangle; use ply, obj, vtk, vtp or spate");
	if (o->marks && (stl || obj))
		argp_error(state, "--format %s cannot store marked particles; use ply, vtk, vtp or spate",
			   o->extension + 1);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	mesh_options *o = state->input;
	switch (key)
	{
	case OPTION_FORMAT:
	case OPTION_METHOD:
	case OPTION_NORMALS:
	case OPTION_INTERFACES:
	case OPTION_MARKS:
		read_named(o, key, value, state);
		return 0;
	case OPTION_CELL:
	case OPTION_SMOOTHING:
	case OPTION_MIN_BLOB:
	case OPTION_MIN_CAVITY:
	case OPTION_DECIMATE:
	case OPTION_OFFSET:
	case OPTION_SPACING:
	case OPTION_KERNEL:
	case OPTION_REFINE:
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
	case OPTION_OVERWRITE:
		o->overwrite = 1;
		return 0;
	case ARGP_KEY_END:
		check_together(o, state);
		return 0;
	default:
		return common_arguments_parse(&o->args, key, value, state);
	}
}

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "Output folder (default DIR/mesh); for a single input also a file name such as x.ply", 0},
    {"frames", COMMON_OPTION_FRAMES, "A-B", 0, "Frames to mesh: 12, 10-20, 10- or -20 (default all)", 0},
    {"format", OPTION_FORMAT, "ply|obj|stl|vtk|vtp|spate", 0, "File format (default ply)", 0},
    {"vdb", OPTION_VDB, NULL, 0, "Also write the signed distance to each mesh as an OpenVDB level set", 0},
    {"method", OPTION_METHOD, "density|zhu-bridson|color|anisotropic", 0, "Implicit function (default density)", 1},
    {"cell", OPTION_CELL, "C", 0, "Grid cell size in spacings, 0.1 to 2 (default 0.75)", 1},
    {"kernel", OPTION_KERNEL, "K", 0, "Kernel radius in spacings, 1 to 4 (default depends on the method)", 1},
    {"refine", OPTION_REFINE, "N", 0,
     "Passes that insert particles at the surface, 0 to 3 (default 0); smooths small kernels", 1},
    {"smoothing", OPTION_SMOOTHING, "N", 0, "Iterations of non-shrinking smoothing (default 5)", 1},
    {"offset", OPTION_OFFSET, "S", 0, "Move the surface outwards by S spacings, -1 to 1 (default 0)", 1},
    {"min-blob", OPTION_MIN_BLOB, "N", 0, "Remove drops smaller than N particles (default 0)", 1},
    {"min-cavity", OPTION_MIN_CAVITY, "N", 0, "Fill bubbles smaller than N particles (default 0)", 1},
    {"decimate", OPTION_DECIMATE, "M", 0, "Merge triangles where this moves the surface by less than M metres", 1},
    {"normals", OPTION_NORMALS, "none|field|mesh", 0, "Source of vertex normals (default field)", 2},
    {"channels", OPTION_CHANNELS, "LIST", 0,
     "Vertex channels: velocity,density,color and so on, or none (default velocity, if frames have it)", 2},
    {"box", OPTION_BOX, "X0,Y0,Z0,X1,Y1,Z1", 0, "Mesh only the inside of this box (m); the cut is closed", 3},
    {"fluid", OPTION_FLUID, "NAME", 0, "Mesh only this fluid of the scene (default: one mesh per fluid)", 3},
    {"interfaces", OPTION_INTERFACES, "grid|chromatic", 0,
     "Shared interfaces between fluids, smooth (grid) or following the particles (chromatic): a closed mesh per fluid, and mesh_interfaces_000001.ply, "
     "whose triangles name the fluids on both sides",
     3},
    {"marks", OPTION_MARKS, "iterated|one-step", 0,
     "Write particles instead of meshes, DIR/marks/marks_000001.ply and so on, with the channel near_surface (0 or 1); the criterion is iterated or "
     "one-step",
     3},
    {"clip-colliders", OPTION_CLIP_COLLIDERS, NULL, 0, "Move vertices that are inside colliders to their surface", 3},
    {"spacing", OPTION_SPACING, "M", 0, "Particle spacing in metres (default: from the scene, otherwise estimated)", 3},
    {"threads", 't', "N", 0, "Number of threads (default all cores)", 4},
    {"overwrite", OPTION_OVERWRITE, NULL, 0, "Replace meshes that were made with other settings", 4},
    {"json", COMMON_OPTION_JSON, NULL, 0, "Print one JSON object on stdout", 4},
    {"quiet", 'q', NULL, 0, "Print neither progress nor the files written", 4},
    {0}};

const struct argp command_mesh_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FILE",
    .doc =
	"Creates surface meshes of the liquid for the frames of a run: closed triangle meshes DIR/mesh/mesh_000001.ply and so on, for "
	"several fluids mesh_NAME_000001.ply. Also meshes a single particle file: .spate, Houdini's .bgeo, legacy .vtk, "
	".ply.\v"
	"Existing meshes made with the same settings from the same frames are kept, so an interrupted command continues where it "
	"stopped, and several commands can work on different --frames of one run. Marks depend on earlier frames, which are therefore "
	"read as well; the result is the same for any --frames.\n\n"
	"Examples:\n"
	"  spate mesh out/dam_break\n"
	"  spate mesh out/dam_break --cell 0.5 --smoothing 10 --clip-colliders -o fine\n"
	"  spate mesh out/dam_break --frames 1-60 --threads 1\n"
	"  spate mesh out/dam_break --format obj --channels velocity,density -o obj\n"
	"  spate mesh out/dam_break --kernel 1.8 --refine 1 -o refined\n"
	"  spate mesh out/seven_liquids --interfaces grid\n"
	"  spate mesh out/dam_break --marks iterated --format spate\n"
	"  spate mesh splash.bgeo --spacing 0.02 -o splash.ply\n"
	"  spate preview out/dam_break --mesh"};

// ------------------------------------------------------------------------------------------------------------------ loop

// What the meshes of a frame are made from, as a number.
static spate_result hash_source(mesh_job *j, size_t n, uint64_t *source, spate_error *error)
{
	return j->options->marks ? mesh_marks_hash(j, n, source, error)
				 : particles_hash(mesh_job_source(j, n).text, source, error);
}

// Runs before anything is written. Fails if a target was made with other settings, or is the particle file itself.
static int check_targets(mesh_job *j)
{
	const mesh_options *o = j->options;
	for (size_t n = 0; n < j->frames.count; n++)
	{
		uint64_t source = 0;
		// a frame that cannot be read is named when its turn comes
		if (!j->single && !o->overwrite)
			hash_source(j, n, &source, NULL);
		for (size_t p = 0; p < j->parts.count; p++)
		{
			run_path target = mesh_job_target(j, n, &j->parts.data[p], o->extension);
			if (run_is_same_file(target.text, mesh_job_source(j, n).text))
			{
				complain(o->args.program, "%s is the input file; choose another name with -o",
					 target.text);
				return EXIT_MISUSE;
			}
			if (o->overwrite)
				continue;
			mesh_note note = mesh_note_make(j, &j->parts.data[p], source);
			if (mesh_look(j, n, &j->parts.data[p], &note) != MESH_OTHER)
				continue;
			complain(o->args.program,
				 "%s was made with other settings; --overwrite replaces it, -o OUT writes elsewhere",
				 target.text);
			return EXIT_FAILED;
		}
	}
	mesh_marks_rewind(&j->history);
	return EXIT_DONE;
}

// Makes the parts of a frame one by one. The particles are read once for all parts, and only if a part is missing.
static spate_result make_parts(mesh_job *j, size_t n, uint64_t source, spate_error *error)
{
	particle_set set = {0};
	spate_result result = SPATE_OK;
	for (size_t p = 0; p < j->parts.count && result == SPATE_OK && !interrupt_seen(); p++)
	{
		mesh_part *part = &j->parts.data[p];
		mesh_note note = mesh_note_make(j, part, source);
		mesh_row row = {.frame = j->frames.data[n]};
		double begin = report_clock();
		if (mesh_is_done(j, n, part, &note))
			continue;
		if (!set.points && !j->options->marks)
			result = mesh_read_particles(j, n, &set, error);
		if (result == SPATE_OK)
			result = j->options->marks ? mesh_marks_make(j, n, &note, &row, error)
						   : mesh_make(j, n, part, &set, &note, &row, error);
		row.seconds = report_clock() - begin;
		if (result == SPATE_OK && !array_push(&j->rows, row))
			result = error_memory(error, sizeof row);
	}
	particles_free(&set);
	return result;
}

// Makes the meshes of one frame. Returns 0 if continuing makes no sense.
static int mesh_frame(mesh_job *j, size_t n, progress *shown)
{
	const mesh_options *o = j->options;
	spate_error error = {0};
	uint64_t source = 0;
	spate_result result = hash_source(j, n, &source, &error);
	if (result == SPATE_OK)
		result = o->interfaces != INTERFACES_NONE ? mesh_make_many(j, n, source, &error)
							  : make_parts(j, n, source, &error);
	if (result == SPATE_OK)
		return 1;
	// after these errors the next frame may still succeed
	int going = result == SPATE_FORMAT || result == SPATE_MISSING || result == SPATE_RANGE;
	progress_clear(shown);
	complain(o->args.program, "%s%s", j->single || !going ? "" : "frame skipped: ", error.text);
	j->failed++;
	return going;
}

static int print_json(const mesh_job *j, int interrupted, double seconds)
{
	buffer json = {0};
	buffer_add(&json, "{\"kind\":\"%s\",\"source\":", j->options->marks ? "marks" : "meshes");
	buffer_add_quoted(&json, j->options->args.path);
	buffer_add(
	    &json,
	    ",\"made\":%zu,\"skipped\":%u,\"failed\":%u,\"missing\":%zu,\"outdated\":%u,\"interrupted\":%s,\"seconds\":",
	    j->rows.count, j->skipped, j->failed, j->missing.count, j->outdated, interrupted ? "true" : "false");
	json_number(&json, seconds);
	buffer_add(&json, ",\"meshes\":[");
	for (size_t i = 0; i < j->rows.count; i++)
	{
		const mesh_row *r = &j->rows.data[i];
		buffer_add(&json, "%s{\"frame\":%" PRId64 ",\"file\":", i ? "," : "", r->frame);
		buffer_add_quoted(&json, r->path.text);
		buffer_add(
		    &json,
		    ",\"particles\":%u,\"refined\":%u,\"marked\":%u,\"vertices\":%u,\"triangles\":%u,\"moved\":%u,"
		    "\"volume\":",
		    r->particles, r->refined, r->marked, r->vertices, r->triangles, r->moved);
		json_number(&json, r->volume);
		buffer_add(&json, ",\"area\":");
		json_number(&json, r->area);
		buffer_add(&json, ",\"seconds\":");
		json_number(&json, r->seconds);
		buffer_add(&json, "}");
	}
	buffer_add(&json, "]}");
	return json_print(&json, j->options->args.program);
}

// Formats that `spate preview` draws.
static int is_visible(const mesh_options *o)
{
	static const char *const seen[] = {".ply", ".obj", ".stl", ".spate", NULL};
	return o->marks ? strcmp(o->extension, ".spate") == 0 : find_word(o->extension, seen) >= 0;
}

static void print_marks(const mesh_job *j, double seconds)
{
	const mesh_options *o = j->options;
	double marked = 0.0, all = 0.0;
	for (size_t i = 0; i < j->rows.count; i++)
	{
		marked += j->rows.data[i].marked;
		all += j->rows.data[i].particles;
	}
	if (j->rows.count == 0)
		return;
	printf("wrote %s/" RUN_MARKS "_*%s (%zu frames, %.0f %% of the particles near the surface, %s)\n",
	       j->folder.text, o->extension, j->rows.count, all > 0.0 ? 100.0 * marked / all : 0.0,
	       report_seconds(seconds).text);
	if (is_visible(o))
		printf("to view one: spate preview %s --color-by near_surface\n",
		       j->rows.data[j->rows.count - 1].path.text);
}

// Prints what was written, and suggests what to do with it.
static void print_meshes(const mesh_job *j, double seconds)
{
	const mesh_options *o = j->options;
	double triangles = 0.0;
	for (size_t i = 0; i < j->rows.count; i++)
		triangles += j->rows.data[i].triangles;
	for (size_t i = 0; i < j->rows.count && j->single; i++)
		printf("wrote %s (%s triangles, %s)\n", j->rows.data[i].path.text,
		       report_count(j->rows.data[i].triangles).text, report_seconds(j->rows.data[i].seconds).text);
	if (j->rows.count > 0 && !j->single)
		printf("wrote %s/mesh_*%s (%zu meshes, %s triangles, %s)\n", j->folder.text, o->extension,
		       j->rows.count, report_count(triangles).text, report_seconds(seconds).text);
	if (j->rows.count > 0 && is_visible(o) && j->single)
		printf("to view it: spate preview %s\n", j->rows.data[j->rows.count - 1].path.text);
	else if (j->rows.count > 0 && is_visible(o))
		printf("to view them: spate preview %s --mesh%s%s\n", o->args.path, o->args.output ? "=" : "",
		       o->args.output ? o->args.output : "");
}

static int print_text(const mesh_job *j, double seconds)
{
	const char *one = j->options->marks ? "file" : "mesh", *many = j->options->marks ? "files" : "meshes";
	if (j->options->marks)
		print_marks(j, seconds);
	else
		print_meshes(j, seconds);
	if (j->skipped > 0)
		printf("%u %s %s up to date\n", j->skipped, j->skipped == 1 ? one : many,
		       j->skipped == 1 ? "was" : "were");
	if (j->outdated > 0)
		printf("%u %s %s older than the frames and remade\n", j->outdated, j->outdated == 1 ? one : many,
		       j->outdated == 1 ? "was" : "were");
	return finish_output(j->options->args.program);
}

static int mesh_frames(mesh_job *j)
{
	const mesh_options *o = j->options;
	double begin = report_clock();
	j->failed += (uint32_t)run_missing_tell(&o->args, &j->missing);
	interrupt_watch(NULL);
	progress shown = progress_begin(o->args.program, "frames", j->frames.count, o->args.quiet);
	int going = 1;
	for (size_t n = 0; n < j->frames.count && going && !interrupt_seen(); n++)
	{
		going = mesh_frame(j, n, &shown);
		progress_update(&shown, n + 1);
	}
	progress_clear(&shown);
	int interrupted = interrupt_seen() != 0, status = EXIT_DONE;
	if (interrupted)
		complain(o->args.program, "interrupted after %zu complete %s; the same command continues from there",
			 j->rows.count,
			 o->marks             ? j->rows.count == 1 ? "file" : "files"
			 : j->rows.count == 1 ? "mesh"
					      : "meshes");
	if (o->args.json)
		status = print_json(j, interrupted, report_clock() - begin);
	else if (!o->args.quiet && !interrupted)
		status = print_text(j, report_clock() - begin);
	return interrupted ? interrupt_code() : j->failed > 0 ? EXIT_FAILED : status;
}

int command_mesh(int argc, char **argv)
{
	mesh_options o = {.args = {.program = argv[0], .what = "DIR or FILE"}, .def = spate_default_surface_def()};
	if (argp_parse(&command_mesh_argp, argc, argv, 0, NULL, &o))
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
