// spate mesh: makes surfaces of the frames of a run, or of a particle file.
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/job_host.h"
#include "cli/report.h"
#include "cli/text.h"
#include "spate/formats.h"
#include "spate/mesh_job.h"

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
	OPTION_OVERWRITE,
	OPTION_UP
};

typedef struct mesh_options
{
	common_arguments args;
	spate_mesh_job_def def;
	const char *channels[SPATE_MESH_JOB_MAX_CHANNELS];
} mesh_options;

// -------------------------------------------------------------------------------------------------------------- options

// What messages of the job call a setting, and the option that sets it.
static const option_name names[] = {COMMON_NAMES,
				    {"format", "--format"},
				    {"vdb", "--vdb"},
				    {"method", "--method"},
				    {"cell", "--cell"},
				    {"kernel", "--kernel"},
				    {"refine", "--refine"},
				    {"smoothing", "--smoothing"},
				    {"offset", "--offset"},
				    {"min_blob", "--min-blob"},
				    {"min_cavity", "--min-cavity"},
				    {"decimate", "--decimate"},
				    {"normals", "--normals"},
				    {"channels", "--channels"},
				    {"clip", "--box"},
				    {"fluid", "--fluid"},
				    {"interfaces", "--interfaces"},
				    {"marks", "--marks"},
				    {"clip_colliders", "--clip-colliders"},
				    {"spacing", "--spacing M"},
				    {"overwrite", "--overwrite"},
				    {"up", "--up"},
				    {0}};

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
    {OPTION_INTERFACES, "--interfaces takes grid or chromatic", {"grid", "chromatic"}},
    {OPTION_MARKS, "--marks takes iterated or one-step", {"iterated", "one-step"}},
};

static void read_named(mesh_options *o, int key, const char *value, const struct argp_state *state)
{
	const word_option *option = word_options;
	while (option->key != key)
		option++;
	int found = find_word(value, option->words);
	if (found < 0)
		argp_error(state, "%s, not '%s'", option->option, value);
	else if (key == OPTION_METHOD)
		o->def.surface.method = (spate_surface_method)found;
	else if (key == OPTION_NORMALS)
		o->def.surface.normals = (spate_surface_normals)found;
	else if (key == OPTION_INTERFACES)
		o->def.interfaces = (spate_mesh_interfaces)(found + 1);
	else
	{
		o->def.marks = 1;
		o->def.criterion = (spate_surface_criterion)found;
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
		o->def.surface.cell = ranged(state, "--cell", value, 0.1, 2.0);
		break;
	case OPTION_SMOOTHING:
		if (!read_whole(value, 0, 1000, &whole))
			argp_error(state, "--smoothing takes a whole number from 0 to 1000, not '%s'", value);
		o->def.surface.smoothing = (int)whole;
		break;
	case OPTION_KERNEL:
		o->def.surface.kernel = ranged(state, "--kernel", value, 1.0, 4.0);
		break;
	case OPTION_REFINE:
		if (!read_whole(value, 0, 3, &whole))
			argp_error(state, "--refine takes a whole number from 0 to 3, not '%s'", value);
		o->def.surface.refine = (int)whole;
		break;
	case OPTION_MIN_BLOB:
		o->def.surface.min_blob = ranged(state, "--min-blob", value, 0.0, 1e9);
		break;
	case OPTION_MIN_CAVITY:
		o->def.surface.min_cavity = ranged(state, "--min-cavity", value, 0.0, 1e9);
		break;
	case OPTION_DECIMATE:
		o->def.surface.decimate = ranged(state, "--decimate", value, 0.0, 1e6);
		break;
	case OPTION_OFFSET:
		o->def.surface.offset = ranged(state, "--offset", value, -1.0, 1.0);
		break;
	default:
		o->def.spacing = ranged(state, "--spacing", value, 1e-9, 1e6);
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
		o->def.surface.clip_min[k] = v[k];
		o->def.surface.clip_max[k] = v[k + 3];
	}
	if (!good)
		argp_error(state, "--box takes x0,y0,z0,x1,y1,z1 in metres with x0 < x1, y0 < y1 and z0 < z1, not '%s'",
			   value);
	o->def.surface.clip = 1;
}

// Splits the list in place.
static void read_channels(mesh_options *o, char *value, const struct argp_state *state)
{
	o->def.channels = o->channels;
	o->def.channel_count = 0;
	for (char *word = strtok(value, ", "); word; word = strtok(NULL, ", "))
	{
		if (strcmp(word, "none") == 0)
			continue;
		if (o->def.channel_count == SPATE_MESH_JOB_MAX_CHANNELS)
			argp_error(state, "--channels takes at most %d names of up to 31 letters",
				   (int)SPATE_MESH_JOB_MAX_CHANNELS);
		o->channels[o->def.channel_count++] = word;
	}
}

// Rejects options that have no effect because of another one.
static void check(mesh_options *o, const struct argp_state *state)
{
	spate_error error = {0};
	o->def.input = o->args.path;
	if (o->args.path && spate_mesh_job_check(&o->def, &error) != SPATE_OK)
		argp_error(state, "%s", job_translate(names, error.text).text);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	mesh_options *o = state->input;
	switch (key)
	{
	case OPTION_FORMAT:
		o->def.format = value;
		return 0;
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
		o->def.fluid = value;
		return 0;
	case OPTION_CLIP_COLLIDERS:
		o->def.clip_colliders = 1;
		return 0;
	case OPTION_VDB:
		o->def.vdb = 1;
		return 0;
	case OPTION_UP:
		if (strcmp(value, "y") != 0 && strcmp(value, "z") != 0)
			argp_error(state, "--up takes y or z, not '%s'", value);
		o->def.up = *value == 'z' ? SPATE_EXPORT_UP_Z : SPATE_EXPORT_UP_Y;
		return 0;
	case OPTION_OVERWRITE:
		o->def.overwrite = 1;
		return 0;
	case ARGP_KEY_END:
		check(o, state);
		return 0;
	default:
		return common_arguments_parse(&o->args, key, value, state);
	}
}

static char formats[FORMAT_WORDS_CHARS];

__attribute__((constructor)) static void list_formats(void)
{
	format_words(formats, SPATE_FORMAT_TRIANGLES);
}

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "Output folder (default DIR/mesh); for a single input also a file name such as x.ply", 0},
    COMMON_FRAMES_ROWS("mesh", 0),
    {"format", OPTION_FORMAT, formats, 0, "File format (default ply)", 0},
    {"vdb", OPTION_VDB, NULL, 0, "Also write the signed distance to each mesh as an OpenVDB level set", 0},
    {"up", OPTION_UP, "y|z", 0,
     "Axis that points up in the files: y as in scenes (default), or z, which turns places and vectors", 0},
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
    COMMON_PROGRESS_ROW(4),
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
	"stopped, and several commands can work on different --frames or with different --shard of one run. Marks depend on earlier frames, which are therefore "
	"read as well; the result is the same for any --frames.\n\n"
	"Examples:\n"
	"  spate mesh out/dam_break\n"
	"  spate mesh out/dam_break --cell 0.5 --smoothing 10 --clip-colliders -o fine\n"
	"  spate mesh out/dam_break --frames 1-60,90 --threads 1\n"
	"  spate mesh out/dam_break --shard 2/8\n"
	"  spate mesh out/dam_break --format obj --channels velocity,density -o obj\n"
	"  spate mesh out/dam_break --up z --vdb -o blender\n"
	"  spate mesh out/dam_break --kernel 1.8 --refine 1 -o refined\n"
	"  spate mesh out/seven_liquids --interfaces grid\n"
	"  spate mesh out/dam_break --marks iterated --format spate\n"
	"  spate mesh splash.bgeo --spacing 0.02 -o splash.ply\n"
	"  spate preview out/dam_break --mesh"};

// ---------------------------------------------------------------------------------------------------------------- reports

static int print_json(const mesh_options *o, const spate_mesh_job_summary *s, int interrupted)
{
	output_text out;
	text_open(&out, o->args.program);
	FILE *json = out.stream;
	fprintf(json, "{\"kind\":\"%s\",\"source\":", o->def.marks ? "marks" : "meshes");
	json_put_string(json, o->args.path);
	fprintf(
	    json,
	    ",\"made\":%u,\"skipped\":%u,\"failed\":%u,\"missing\":%u,\"outdated\":%u,\"interrupted\":%s,\"seconds\":",
	    s->made_count, s->skipped, s->failed + (s->missing > 0), s->missing, s->outdated,
	    interrupted ? "true" : "false");
	json_put_number(json, s->seconds);
	fprintf(json, ",\"meshes\":[");
	for (uint32_t i = 0; i < s->made_count; i++)
	{
		const spate_mesh_made *m = &s->made[i];
		fprintf(json, "%s{\"frame\":%" PRId64 ",\"file\":", i ? "," : "", m->frame);
		json_put_string(json, m->path);
		fprintf(json,
			",\"particles\":%u,\"refined\":%u,\"marked\":%u,\"vertices\":%u,\"triangles\":%u,\"moved\":%u,"
			"\"volume\":",
			m->particles, m->refined, m->marked, m->vertices, m->triangles, m->moved);
		json_put_number(json, m->volume);
		fprintf(json, ",\"area\":");
		json_put_number(json, m->area);
		fprintf(json, ",\"seconds\":");
		json_put_number(json, m->seconds);
		fprintf(json, "}");
	}
	fprintf(json, "]}");
	return text_print(&out, o->args.program);
}

// Formats that `spate preview` draws.
static int is_visible(const mesh_options *o, const char *suffix)
{
	// pictures are drawn with the axes of the scene
	if (o->def.up != SPATE_EXPORT_UP_Y)
		return 0;
	return o->def.marks ? strcmp(suffix, ".spate") == 0
			    : (spate_format_of_path(suffix)->reads & SPATE_FORMAT_TRIANGLES) != 0;
}

static void print_marks(const mesh_options *o, const spate_mesh_job_summary *s)
{
	double marked = 0.0, all = 0.0;
	for (uint32_t i = 0; i < s->made_count; i++)
	{
		marked += s->made[i].marked;
		all += s->made[i].particles;
	}
	printf("wrote %s/marks_*%s (%u frames, %.0f %% of the particles near the surface, %s)\n", s->folder, s->suffix,
	       s->made_count, all > 0.0 ? 100.0 * marked / all : 0.0, report_seconds(s->seconds).text);
	if (is_visible(o, s->suffix))
		printf("to view one: spate preview %s --color-by near_surface\n", s->made[s->made_count - 1].path);
}

// Prints what was written, and suggests what to do with it.
static void print_meshes(const mesh_options *o, const spate_mesh_job_summary *s)
{
	double triangles = 0.0;
	for (uint32_t i = 0; i < s->made_count; i++)
		triangles += s->made[i].triangles;
	for (uint32_t i = 0; i < s->made_count && !s->folder; i++)
		printf("wrote %s (%s triangles, %s)\n", s->made[i].path, report_count(s->made[i].triangles).text,
		       report_seconds(s->made[i].seconds).text);
	if (s->folder)
		printf("wrote %s/mesh_*%s (%u meshes, %s triangles, %s)\n", s->folder, s->suffix, s->made_count,
		       report_count(triangles).text, report_seconds(s->seconds).text);
	if (!is_visible(o, s->suffix))
		return;
	if (s->folder)
		printf("to view them: spate preview %s --mesh%s%s\n", o->args.path, o->args.output ? "=" : "",
		       o->args.output ? o->args.output : "");
	else
		printf("to view it: spate preview %s\n", s->made[s->made_count - 1].path);
}

static int print_text(const mesh_options *o, const spate_mesh_job_summary *s)
{
	const char *one = o->def.marks ? "file" : "mesh", *many = o->def.marks ? "files" : "meshes";
	if (s->made_count > 0 && o->def.marks)
		print_marks(o, s);
	else if (s->made_count > 0)
		print_meshes(o, s);
	if (s->skipped > 0)
		printf("%u %s %s up to date\n", s->skipped, s->skipped == 1 ? one : many,
		       s->skipped == 1 ? "was" : "were");
	if (s->outdated > 0)
		printf("%u %s %s older than the frames and remade\n", s->outdated, s->outdated == 1 ? one : many,
		       s->outdated == 1 ? "was" : "were");
	return finish_output(o->args.program);
}

// -------------------------------------------------------------------------------------------------------------- the whole

// Names the failure; returns the exit code.
static int explain(const mesh_options *o, const spate_mesh_job_summary *s, spate_result result,
		   const spate_error *error)
{
	const char *program = o->args.program;
	if (result == SPATE_CANCELLED)
		complain(program, "interrupted after %u complete %s; the same command continues from there",
			 s->made_count,
			 o->def.marks         ? s->made_count == 1 ? "file" : "files"
			 : s->made_count == 1 ? "mesh"
					      : "meshes");
	else if (result == SPATE_MISSING && s->frames == 0)
		complain(program, "%s; create them with 'spate run SCENE -o %s'", error->text, o->args.path);
	else if (result != SPATE_OK)
		job_complain(program, names, error->text);
	if (result == SPATE_CANCELLED)
		return interrupt_code();
	if (result == SPATE_INVALID && s->failed == 0)
		return EXIT_MISUSE;
	return result != SPATE_OK || s->failed > 0 || s->missing > 0 ? EXIT_FAILED : EXIT_DONE;
}

int command_mesh(int argc, char **argv)
{
	mesh_options o = {.args = {.program = argv[0], .what = "DIR or FILE"}, .def = spate_default_mesh_job_def()};
	if (argp_parse(&command_mesh_argp, argc, argv, 0, NULL, &o))
		return EXIT_MISUSE;
	job_host host = {.args = &o.args, .names = names};
	char field_folder[4096];
	o.def.job = job_host_connect(&host);
	o.def.output = o.args.output;
	o.def.frames = o.args.frames;
	o.def.field_folder = run_field_folder(field_folder, sizeof field_folder);
	interrupt_watch(NULL);
	spate_mesh_job_summary summary;
	spate_error error = {0};
	spate_result result = spate_mesh_job_run(&o.def, &summary, &error);
	progress_clear(&host.shown);
	int status = explain(&o, &summary, result, &error), printed = EXIT_DONE;
	// what was refused before the first frame has nothing to report
	int begun = result == SPATE_OK || result == SPATE_CANCELLED || summary.failed > 0;
	if (begun && o.args.json)
		printed = print_json(&o, &summary, result == SPATE_CANCELLED);
	else if (begun && !o.args.quiet && result != SPATE_CANCELLED)
		printed = print_text(&o, &summary);
	spate_mesh_job_summary_free(&summary);
	return status == EXIT_DONE ? printed : status;
}
