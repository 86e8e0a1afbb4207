// spate preview: pictures of the frames of a run, and a movie of them.
#include "cli/preview.h"

#include "base/file.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "render/movie.h"

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
	OPTION_LOOK
};

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

static void read_numbers(preview_options *o, int key, const char *value, const struct argp_state *state)
{
	long whole = 0;
	switch (key)
	{
	case OPTION_SUPERSAMPLE:
		if (!read_whole(value, 1, 2, &whole))
			argp_error(state, "--supersample takes 1 or 2, not '%s'", value);
		o->supersample = (int)whole;
		break;
	case OPTION_RADIUS_SCALE:
		if (!read_number(value, &o->radius_scale) || o->radius_scale <= 0.0 || o->radius_scale > 100.0)
			argp_error(state, "--radius-scale takes a number above 0 and up to 100, not '%s'", value);
		break;
	default:
		if (!read_number(value, &o->fps) || o->fps <= 0.0 || o->fps > 1000.0)
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
		o->camera = value;
		return 0;
	case OPTION_SIZE:
		if (!read_size(value, 16, IMAGE_MAX_SIZE / 2, &o->width, &o->height))
			argp_error(state, "--size takes WIDTHxHEIGHT in pixels, each from 16 to %d, not '%s'",
				   IMAGE_MAX_SIZE / 2, value);
		return 0;
	case OPTION_COLOR_BY:
		o->color_by = value;
		return 0;
	case OPTION_RANGE:
		o->has_range = 1;
		if (!read_range(value, &o->low, &o->high))
			argp_error(state, "--range takes LOW:HIGH with LOW below HIGH, not '%s'", value);
		return 0;
	case OPTION_COLORMAP:
		map = colormap_find(value);
		if (map < 0)
			argp_error(state, "unknown colour map '%s'; --help lists them", value);
		o->map = (colormap)map;
		return 0;
	case OPTION_LABEL:
		o->label = 1;
		return 0;
	case OPTION_NO_MOVIE:
		o->no_movie = 1;
		return 0;
	case OPTION_NO_PNG:
		o->no_png = 1;
		return 0;
	case OPTION_SUPERSAMPLE:
	case OPTION_RADIUS_SCALE:
	case OPTION_FPS:
		read_numbers(o, key, value, state);
		return 0;
	case OPTION_FLUID:
		o->fluid = value;
		return 0;
	case OPTION_MESH:
		o->mesh = 1;
		o->mesh_folder = value;
		return 0;
	case OPTION_LOOK:
		if (strcmp(value, "water") != 0 && strcmp(value, "matt") != 0)
			argp_error(state, "--look takes water or matt, not '%s'", value);
		o->look = *value == 'w' ? DRAW_MESH_WATER : DRAW_MESH_MATT;
		return 0;
	case ARGP_KEY_ARG:
		// the value of an option with an optional value arrives here if it was given without '='
		if (state->arg_num != 1 || !o->mesh || o->mesh_folder)
			return common_arguments_parse(&o->args, key, value, state);
		o->mesh_folder = value;
		return 0;
	case ARGP_KEY_END:
		if (o->no_movie && o->no_png)
			argp_error(state, "--no-movie and --no-png together leave nothing to write");
		if (o->has_range && !o->color_by)
			argp_error(state, "--range requires --color-by");
		if (o->fluid && !o->mesh)
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
    {"frames", COMMON_OPTION_FRAMES, "A-B", 0, "Frames to draw: 12, 10-20, 10- or -20 (default all)", 0},
    {"camera", OPTION_CAMERA, "NAME", 0, "A camera of the scene, or auto (default: the first one, otherwise auto)", 0},
    {"size", OPTION_SIZE, "WxH", 0, "Picture size in pixels (default 1280x720)", 0},
    {"color-by", OPTION_COLOR_BY, "CHANNEL", 0, "Colour by speed, density, velocity.y or any other channel", 0},
    {"range", OPTION_RANGE, "LO:HI", 0,
     "Values at the ends of the colour map (default: from the frames, ignoring outliers)", 0},
    {"colormap", OPTION_COLORMAP, &(COLORMAP_LIST(X))[1], 0, "Colour map (default turbo)", 0},
    {"mesh", OPTION_MESH, "FOLDER", OPTION_ARG_OPTIONAL,
     "Draw surfaces instead of particles: mesh_000001.ply and so on in FOLDER (default DIR/mesh), for several fluids mesh_NAME_000001.ply",
     0},
    {"fluid", OPTION_FLUID, "NAME", 0,
     "With --mesh: draw only this fluid, or 'interfaces' for the combined mesh (default all fluids)", 0},
    {"look", OPTION_LOOK, "water|matt", 0, "Look of surfaces (default water)", 0},
    {"label", OPTION_LABEL, NULL, 0, "Draw scene name, frame, time and particle count into the picture", 0},
    {"no-movie", OPTION_NO_MOVIE, NULL, 0, "Pictures only", 0},
    {"no-png", OPTION_NO_PNG, NULL, 0, "Movie only", 0},
    {"supersample", OPTION_SUPERSAMPLE, "1|2", 0, "Antialiasing: 2 for smooth edges (default), 1 for speed", 0},
    {"radius-scale", OPTION_RADIUS_SCALE, "S", 0, "Factor on the drawn particle radius (default 1)", 0},
    {"threads", 't', "N", 0, "Number of threads (default all cores)", 0},
    {"fps", OPTION_FPS, "F", 0, "Frames per second of the movie (default: the scene's, otherwise 24)", 0},
    {"quiet", 'q', NULL, 0, "Print neither progress nor the files written", 0},
    {0}};
#undef X

const struct argp command_preview_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FILE",
    .doc =
	"Renders the frames of a run to pictures and a movie, or a single file to a picture: a .spate frame, or a mesh "
	"(.ply, .obj, .stl, .off).\v"
	"Missing or damaged frames and collider meshes are reported and skipped; the exit code is then 1.\n\n"
	"Examples:\n"
	"  spate preview out/dam_break\n"
	"  spate preview out/dam_break --color-by speed --label -o speed.mp4\n"
	"  spate preview out/dam_break --frames 40-60 --camera auto --no-movie\n"
	"  spate preview out/dam_break/frames/frame_000012.spate -o splash.png\n"
	"  spate preview out/dam_break --mesh\n"
	"  spate preview out/seven_liquids --mesh --fluid oil -o oil.mp4\n"
	"  spate preview rock.obj --look matt"};

// ------------------------------------------------------------------------------------------------------------- outputs

static int ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);
	return length > tail && strcmp(text + length - tail, end) == 0;
}

// Output paths; an empty path means that nothing is written.
typedef struct outputs
{
	run_path folder, movie, picture; // picture: for a single frame
	int png;
	movie *film;
	int frames, failures;
} outputs;

static run_path path_of(const char *text)
{
	run_path path;
	int length = snprintf(path.text, sizeof path.text, "%s", text);
	if (length < 0 || (size_t)length >= sizeof path.text)
		path.text[0] = '\0';
	return path;
}

static int is_movie(const char *path)
{
	return ends_with(path, ".mp4") || ends_with(path, ".mov") || ends_with(path, ".mkv");
}

static void default_picture(const char *path, run_path *out)
{
	size_t stem = strlen(path);
	if (ends_with(path, ".spate") || preview_is_mesh(path))
		stem = (size_t)(strrchr(path, '.') - path);
	int length = snprintf(out->text, sizeof out->text, "%.*s.png", (int)stem, path);
	if (length < 0 || (size_t)length >= sizeof out->text)
		out->text[0] = '\0';
}

static int plan_outputs(const preview_sequence *s, outputs *out)
{
	const preview_options *o = s->options;
	const char *given = o->args.output;
	out->png = !o->no_png;
	if (given && is_movie(given))
	{
		out->movie = path_of(given);
		out->png = 0;
	}
	else if (s->single || (given && ends_with(given, ".png")))
	{
		if (s->frames.count > 1)
		{
			complain(
			    o->args.program,
			    "-o %s names one picture, but there are %zu frames; give a folder, or choose one frame with --frames",
			    given, s->frames.count);
			return EXIT_MISUSE;
		}
		if (given)
			out->picture = path_of(given);
		else
			default_picture(o->args.path, &out->picture);
		out->png = 1;
	}
	else
	{
		char name[160];
		out->folder =
		    given ? path_of(given) : run_file_path(o->args.path, s->surfaces ? "preview_mesh" : "preview");
		snprintf(name, sizeof name, "%s.mp4", s->name);
		for (char *c = name; *c; c++)
			if (*c == '/')
				*c = '_';
		if (!o->no_movie && s->frames.count > 1)
			out->movie = run_file_path(out->folder.text, name);
		spate_error error = {0};
		if (file_make_directory(out->folder.text, &error) != SPATE_OK)
		{
			complain(o->args.program, "%s", error.text);
			return EXIT_FAILED;
		}
	}
	return EXIT_DONE;
}

static run_path picture_path(const preview_sequence *s, const outputs *out, size_t n)
{
	if (out->picture.text[0])
		return out->picture;
	return run_picture_path(out->folder.text, s->frames.data[n]);
}

// Pictures of frames that are gone look as if they were of this run. They are somebody's work, so they are named and left.
static void tell_leftovers(const preview_sequence *s, const outputs *out)
{
	const preview_options *o = s->options;
	run_numbers pictures = {0}, frames = {0}, gone = {0};
	if (!out->folder.text[0] || o->args.output || o->mesh_folder)
		return;
	if (run_list_pictures(out->folder.text, &pictures, NULL) == SPATE_OK &&
	    run_list_frames(o->args.path, &frames, NULL) == SPATE_OK && frames.count > 0 &&
	    numbers_keep(&pictures, &frames, &gone) && gone.count > 0)
		complain(o->args.program,
			 "%s has pictures of frames that the run no longer has, left from an earlier run: %s",
			 out->folder.text, report_numbers(gone.data, gone.count).text);
	array_free(&pictures);
	array_free(&frames);
	array_free(&gone);
}

// Starts the movie. If that fails, the pictures are written all the same.
static void start_movie(const preview_sequence *s, outputs *out)
{
	const preview_options *o = s->options;
	spate_error error = {0};
	double fps = o->fps > 0.0 ? o->fps : s->has_scene ? s->scene.world.fps : 24.0;
	if (!out->movie.text[0])
		return;
	if (movie_create(&out->film, out->movie.text, o->width, o->height, fps, &error) == SPATE_OK)
		return;
	complain(o->args.program, "no movie: %s", error.text);
	out->film = NULL;
	out->failures++;
}

static void finish_movie(const preview_sequence *s, outputs *out)
{
	spate_error error = {0};
	if (!out->film)
		return;
	if (out->frames == 0)
		out->failures++;
	else if (movie_finish(out->film, &error) != SPATE_OK)
	{
		complain(s->options->args.program, "%s", error.text);
		out->failures++;
	}
	else if (!s->options->args.quiet)
		printf("wrote %s (%d frames)\n", out->movie.text, out->frames);
}

// ---------------------------------------------------------------------------------------------------------------- loop

// Draws a frame into the pictures and the movie; one that cannot be drawn is in neither. Returns 0 if continuing makes no sense.
static int draw_frame(preview_sequence *s, outputs *out, size_t n, image *picture, progress *shown)
{
	const char *program = s->options->args.program;
	spate_error error = {0};
	if (preview_sequence_draw(s, n, picture, &error) != SPATE_OK)
	{
		progress_clear(shown);
		complain(program, "%s%s", s->single ? "" : "frame skipped: ", error.text);
		out->failures++;
		return error.code != SPATE_MEMORY;
	}
	if (out->png && image_write_png(picture, picture_path(s, out, n).text, &error) != SPATE_OK)
	{
		progress_clear(shown);
		complain(program, "%s", error.text);
		out->failures++;
		return 0;
	}
	out->frames++;
	if (out->film && movie_add(out->film, picture, &error) != SPATE_OK && !interrupt_seen())
	{
		progress_clear(shown);
		complain(program, "no movie: %s", error.text);
		out->failures++;
		movie_destroy(out->film);
		out->film = NULL;
		return out->png;
	}
	return 1;
}

static int draw_sequence(preview_sequence *s, outputs *out)
{
	const preview_options *o = s->options;
	image picture = {0};
	out->failures += run_missing_tell(&o->args, &s->missing);
	preview_tell_outdated(s);
	tell_leftovers(s, out);
	if (out->folder.text[0] || out->picture.text[0] || out->movie.text[0])
		file_clear_beside(out->folder.text[0]    ? picture_path(s, out, 0).text
				  : out->picture.text[0] ? out->picture.text
							 : out->movie.text);
	interrupt_watch(NULL);
	start_movie(s, out);
	progress shown = progress_begin(o->args.program, "frames", s->frames.count, o->args.quiet);
	int going = out->png || out->film;
	for (size_t n = 0; n < s->frames.count && going && !interrupt_seen(); n++)
	{
		going = draw_frame(s, out, n, &picture, &shown);
		progress_update(&shown, n + 1);
	}
	progress_clear(&shown);
	image_free(&picture);
	if (interrupt_seen())
	{
		int one = out->frames == 1;
		complain(o->args.program, "interrupted after %d frame%s; %s", out->frames, one ? "" : "s",
			 !out->png ? "no movie was written"
			 : one     ? "its picture was written, the movie was not"
				   : "their pictures were written, the movie was not");
		return interrupt_code();
	}
	if (out->png && out->frames > 0 && !o->args.quiet)
	{
		if (out->picture.text[0])
			printf("wrote %s\n", out->picture.text);
		else
			printf("wrote %s/frame_*.png (%d frames)\n", out->folder.text, out->frames);
	}
	finish_movie(s, out);
	int status = finish_output(o->args.program);
	return out->failures > 0 || s->left_out > 0 ? EXIT_FAILED : status;
}

int command_preview(int argc, char **argv)
{
	preview_settings usual = preview_default_settings();
	preview_options o = {.args = {.program = argv[0], .what = "DIR or FILE"},
			     .width = usual.width,
			     .height = usual.height,
			     .supersample = usual.supersample,
			     .radius_scale = 1.0,
			     .map = COLORMAP_TURBO,
			     .look = DRAW_MESH_WATER};
	if (argp_parse(&command_preview_argp, argc, argv, 0, NULL, &o))
		return EXIT_MISUSE;
	preview_sequence s;
	outputs out = {.film = NULL};
	int status = preview_sequence_open(&s, &o);
	if (status == EXIT_DONE)
		status = plan_outputs(&s, &out);
	if (status == EXIT_DONE)
		status = draw_sequence(&s, &out);
	movie_destroy(out.film);
	preview_sequence_free(&s);
	return status;
}
