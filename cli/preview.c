// spate preview: pictures of the frames of a run, and a movie of them.
#include "spate/preview.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/job_host.h"
#include "cli/report.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

enum
{
	OPTION_CAMERA = 256,
	OPTION_SIZE,
	OPTION_COLOR_BY,
	OPTION_RANGE,
	OPTION_COLORMAP,
	OPTION_LABEL,
	OPTION_NO_MOVIE,
	OPTION_NO_PNG,
	OPTION_SUPERSAMPLE,
	OPTION_RADIUS_SCALE,
	OPTION_FPS,
	OPTION_MESH,
	OPTION_FLUID,
	OPTION_LOOK,
	OPTION_KEEP,
	OPTION_CAMERA_FILE,
	OPTION_FORCES
};

typedef struct preview_options
{
	common_arguments args;
	spate_preview_def def;
	int has_range;
} preview_options;

static int read_range(const char *text, double *low, double *high)
{
	char start[64];
	const char *colon = strchr(text, ':');
	if (!colon || (size_t)(colon - text) >= sizeof start)
		return 0;
	memcpy(start, text, (size_t)(colon - text));
	start[colon - text] = '\0';
	return read_number(start, low) && read_number(colon + 1, high) && *low < *high;
}

// -1 if there is none of that name.
static int find_colormap(const char *name)
{
#define X(upper, lower) #lower,
	static const char *const names[] = {SPATE_COLORMAP_MAP(X)};
#undef X
	for (int k = 0; k < SPATE_COLORMAP_COUNT; k++)
		if (strcmp(names[k], name) == 0)
			return k;
	return -1;
}

static void read_numbers(preview_options *o, int key, const char *value, const struct argp_state *state)
{
	long whole = 0;
	switch (key)
	{
	case OPTION_SUPERSAMPLE:
		if (!read_whole(value, 1, 2, &whole))
			argp_error(state, "--supersample takes 1 or 2, not '%s'", value);
		o->def.supersample = (int)whole;
		break;
	case OPTION_RADIUS_SCALE:
		if (!read_number(value, &o->def.radius_scale) || o->def.radius_scale <= 0.0 ||
		    o->def.radius_scale > 100.0)
			argp_error(state, "--radius-scale takes a number above 0 and up to 100, not '%s'", value);
		break;
	default:
		if (!read_number(value, &o->def.fps) || o->def.fps <= 0.0 || o->def.fps > 1000.0)
			argp_error(state, "--fps takes a number above 0 and up to 1000, not '%s'", value);
	}
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	preview_options *o = state->input;
	int map;
	switch (key)
	{
	case OPTION_CAMERA:
		o->def.camera_name = value;
		return 0;
	case OPTION_SIZE:
		if (!read_size(value, SPATE_PREVIEW_MIN_SIZE, SPATE_PREVIEW_MAX_SIZE, &o->def.width, &o->def.height))
			argp_error(state, "--size takes WIDTHxHEIGHT in pixels, each from %d to %d, not '%s'",
				   SPATE_PREVIEW_MIN_SIZE, SPATE_PREVIEW_MAX_SIZE, value);
		return 0;
	case OPTION_COLOR_BY:
		o->def.color_by = value;
		return 0;
	case OPTION_RANGE:
		o->has_range = 1;
		if (!read_range(value, &o->def.range_low, &o->def.range_high))
			argp_error(state, "--range takes LOW:HIGH with LOW below HIGH, not '%s'", value);
		return 0;
	case OPTION_COLORMAP:
		map = find_colormap(value);
		if (map < 0)
			argp_error(state, "unknown colour map '%s'; --help lists them", value);
		o->def.colormap = (spate_colormap)map;
		return 0;
	case OPTION_LABEL:
		o->def.label = 1;
		return 0;
	case OPTION_NO_MOVIE:
		o->def.movie = 0;
		return 0;
	case OPTION_NO_PNG:
		o->def.pictures = 0;
		return 0;
	case OPTION_SUPERSAMPLE:
	case OPTION_RADIUS_SCALE:
	case OPTION_FPS:
		read_numbers(o, key, value, state);
		return 0;
	case OPTION_FLUID:
		o->def.fluid = value;
		return 0;
	case OPTION_CAMERA_FILE:
		o->def.camera_file = value;
		return 0;
	case OPTION_KEEP:
		o->def.keep_pictures = 1;
		return 0;
	case OPTION_FORCES:
		o->def.forces = 1;
		return 0;
	case OPTION_MESH:
		o->def.surfaces = 1;
		o->def.mesh_folder = value;
		return 0;
	case OPTION_LOOK:
		if (strcmp(value, "water") != 0 && strcmp(value, "matt") != 0)
			argp_error(state, "--look takes water or matt, not '%s'", value);
		o->def.look = *value == 'w' ? SPATE_PREVIEW_WATER : SPATE_PREVIEW_MATT;
		return 0;
	case ARGP_KEY_ARG:
		// the value of an option with an optional value arrives here if it was given without '='
		if (state->arg_num != 1 || !o->def.surfaces || o->def.mesh_folder)
			return common_arguments_parse(&o->args, key, value, state);
		o->def.mesh_folder = value;
		return 0;
	case ARGP_KEY_END:
		if (!o->def.movie && !o->def.pictures)
			argp_error(state, "--no-movie and --no-png together leave nothing to write");
		if (o->args.frames.shards > 0 && !o->def.pictures)
			argp_error(state,
				   "--no-png and --shard together leave nothing to write: a shard makes no movie");
		if (o->has_range && !o->def.color_by)
			argp_error(state, "--range requires --color-by");
		if (o->def.forces && (o->def.surfaces || o->def.color_by))
			argp_error(state, "--forces excludes --mesh and --color-by");
		if (o->def.fluid && !o->def.surfaces)
			argp_error(state, "--fluid requires --mesh");
		return 0;
	default:
		return common_arguments_parse(&o->args, key, value, state);
	}
}

#define X(upper, lower) "|" #lower
static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0,
     "Folder for pictures and movie (default DIR/preview, with --mesh DIR/preview_mesh), a movie file (.mp4, .mov, .mkv), or for one frame a picture "
     "(.png)",
     0},
    COMMON_FRAMES_ROWS("draw", 0),
    {"camera", OPTION_CAMERA, "NAME", 0, "A camera of the scene, or auto (default: the first one, otherwise auto)", 0},
    {"camera-file", OPTION_CAMERA_FILE, "FILE", 0,
     "Take the cameras from this scene, or from this file with nothing but 'cameras', instead of from the run", 0},
    {"size", OPTION_SIZE, "WxH", 0, "Picture size in pixels (default 1280x720)", 0},
    {"color-by", OPTION_COLOR_BY, "CHANNEL", 0, "Colour by speed, density, velocity.y or any other channel", 0},
    {"range", OPTION_RANGE, "LO:HI", 0,
     "Values at the ends of the colour map (default: from the frames, ignoring outliers)", 0},
    {"colormap", OPTION_COLORMAP, &(SPATE_COLORMAP_MAP(X))[1], 0,
     "Colour map (default turbo; levels for the channel level)", 0},
    {"mesh", OPTION_MESH, "FOLDER", OPTION_ARG_OPTIONAL,
     "Draw surfaces instead of particles: mesh_000001.ply and so on in FOLDER (default DIR/mesh), for several fluids mesh_NAME_000001.ply",
     0},
    {"fluid", OPTION_FLUID, "NAME", 0,
     "With --mesh: draw only this fluid, or 'interfaces' for the combined mesh (default all fluids)", 0},
    {"forces", OPTION_FORCES, NULL, 0,
     "Draw the forces besides gravity as arrows, instead of particles; of a scene file before it is run, or of a run",
     0},
    {"look", OPTION_LOOK, "water|matt", 0, "Look of surfaces (default water)", 0},
    {"label", OPTION_LABEL, NULL, 0, "Draw scene name, frame, time and particle count into the picture", 0},
    {"no-movie", OPTION_NO_MOVIE, NULL, 0, "Pictures only", 0},
    {"no-png", OPTION_NO_PNG, NULL, 0, "Movie only", 0},
    {"keep-pictures", OPTION_KEEP, NULL, 0,
     "Keep pictures of this size that are not older than their frame, and make the movie of them and the rest", 0},
    {"supersample", OPTION_SUPERSAMPLE, "1|2", 0, "Antialiasing: 2 for smooth edges (default), 1 for speed", 0},
    {"radius-scale", OPTION_RADIUS_SCALE, "S", 0, "Factor on the drawn particle radius (default 1)", 0},
    {"threads", 't', "N", 0, "Number of threads (default all cores)", 0},
    {"fps", OPTION_FPS, "F", 0, "Frames per second of the movie (default: the scene's, otherwise 24)", 0},
    COMMON_PROGRESS_ROW(0),
    {"quiet", 'q', NULL, 0, "Print neither progress nor the files written", 0},
    {0}};
#undef X

const struct argp command_preview_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FILE",
    .doc =
	"Renders the frames of a run to pictures and a movie, or a single file to a picture: a .spate frame, a mesh "
	"(.ply, .obj, .stl, .off), or particles of another program (.bgeo, .vtk, .ply). With --forces also a scene file.\v"
	"Missing or damaged frames and collider meshes are reported and skipped; the exit code is then 1.\n\n"
	"Examples:\n"
	"  spate preview out/dam_break\n"
	"  spate preview out/dam_break --color-by speed --label -o speed.mp4\n"
	"  spate preview out/dam_break --frames 40-60 --camera auto --no-movie\n"
	"  spate preview out/dam_break --frames 1-120x4 --shard 2/8\n"
	"  spate preview out/dam_break --keep-pictures\n"
	"  spate preview out/dam_break --camera-file views.yaml --camera close\n"
	"  spate preview out/dam_break/frames/frame_000012.spate -o splash.png\n"
	"  spate preview out/dam_break --mesh\n"
	"  spate preview out/seven_liquids --mesh --fluid oil -o oil.mp4\n"
	"  spate preview shot.yaml --forces -o forces.png\n"
	"  spate preview rock.obj --look matt\n"
	"  spate preview drops.bgeo --color-by speed"};

// ------------------------------------------------------------------------------------------------------------- running

static void tell_interrupted(const preview_options *o, const spate_preview_summary *done)
{
	int one = done->frames == 1, pictures = done->folder[0] || done->picture[0];
	complain(o->args.program, "interrupted after %u frame%s; %s", done->frames, one ? "" : "s",
		 !pictures ? "no movie was written"
		 : one     ? "its picture was written, the movie was not"
			   : "their pictures were written, the movie was not");
}

static void tell_written(const spate_preview_summary *done)
{
	if (done->picture[0])
		printf("wrote %s\n", done->picture);
	if (done->folder[0])
		printf("wrote %s/frame_*.png (%u frames)\n", done->folder, done->frames);
	if (done->movie[0])
		printf("wrote %s (%u frames)\n", done->movie, done->frames);
}

int command_preview(int argc, char **argv)
{
	preview_options o = {.args = {.program = argv[0], .what = "DIR or FILE"}, .def = spate_default_preview_def()};
	if (argp_parse(&command_preview_argp, argc, argv, 0, NULL, &o))
		return EXIT_MISUSE;
	// the command that makes the surfaces
	char mesh[8192], quoted[sizeof mesh + 2];
	snprintf(mesh, sizeof mesh, "spate mesh %s%s%s", o.args.path, o.def.mesh_folder ? " -o " : "",
		 o.def.mesh_folder ? o.def.mesh_folder : "");
	snprintf(quoted, sizeof quoted, "'%s'", mesh);
	const option_name names[] = {COMMON_NAMES,
				     {"keep_pictures", "--keep-pictures"},
				     {"color_by", "--color-by"},
				     {"spate_mesh_job_run", mesh},
				     {"spate_mesh_job_run()", quoted},
				     {0}};
	job_host host = {.args = &o.args, .names = names};
	o.def.job = job_host_connect(&host);
	o.def.input = o.args.path;
	o.def.output = o.args.output;
	o.def.frames = o.args.frames;

	spate_preview_summary done;
	spate_error error = {0};
	spate_result result = spate_preview_run(&o.def, &done, &error);
	progress_clear(&host.shown);
	if (result == SPATE_CANCELLED)
	{
		tell_interrupted(&o, &done);
		return interrupt_code();
	}
	if (result != SPATE_OK)
		job_complain(argv[0], names, error.text);
	if (!o.args.quiet)
		tell_written(&done);
	int status = finish_output(argv[0]);
	if (result != SPATE_OK || done.incomplete)
		status = result == SPATE_INVALID || result == SPATE_SCENE ? EXIT_MISUSE : EXIT_FAILED;
	return status;
}
