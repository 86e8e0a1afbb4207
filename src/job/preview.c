// The preview job: pictures of the frames of a sequence, and a movie of them.
#include "job/preview.h"

#include "base/error.h"
#include "base/file.h"
#include "render/movie.h"
#include "spate/formats.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

spate_preview_def spate_default_preview_def(void)
{
	preview_settings usual = preview_default_settings();
	return (spate_preview_def){.look = SPATE_PREVIEW_WATER,
				   .colormap = SPATE_COLORMAP_AUTO,
				   .radius_scale = 1.0,
				   .width = usual.width,
				   .height = usual.height,
				   .supersample = usual.supersample,
				   .pictures = 1,
				   .movie = 1};
}

// ----------------------------------------------------------------------------------------------------------- in memory

spate_result spate_preview_open(const spate_preview_def *def, spate_preview **preview, spate_error *error)
{
	spate_preview *s = mem_alloc(sizeof *s);
	*preview = NULL;
	if (!s)
		return error_memory(error, sizeof *s);
	spate_result result = preview_sequence_init(s, def, error);
	if (result == SPATE_OK)
		*preview = s;
	else
		spate_preview_close(s);
	return result;
}

void spate_preview_close(spate_preview *preview)
{
	if (preview)
		preview_sequence_free(preview);
	mem_free(preview);
}

uint32_t spate_preview_count(const spate_preview *preview)
{
	return (uint32_t)preview->frames.count;
}

int64_t spate_preview_frame(const spate_preview *preview, uint32_t index)
{
	return index < preview->frames.count ? preview->frames.data[index] : 0;
}

spate_result spate_preview_draw(spate_preview *preview, uint32_t index, uint8_t *rgba, spate_error *error)
{
	if (index >= preview->frames.count)
		return error_set(error, SPATE_INVALID, "`index` %u is not below the %zu frames", index,
				 preview->frames.count);
	image picture = {0};
	spate_result result = preview_sequence_draw(preview, index, &picture, error);
	if (result == SPATE_OK)
		memcpy(rgba, picture.pixels, (size_t)4 * (size_t)picture.width * (size_t)picture.height);
	image_free(&picture);
	return result;
}

// ------------------------------------------------------------------------------------------------------------- outputs

// Output paths; an empty path means that nothing is written.
typedef struct outputs
{
	run_path folder, movie, picture; // picture: for a single frame
	int png;
	movie *film;
	image image; // reused by every frame
	uint32_t frames, kept, skipped;
	int no_movie; // it was wanted and could not be written
} outputs;

static int ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);
	return length > tail && strcmp(text + length - tail, end) == 0;
}

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

// shot.png of shot.ply, shot_forces.png of shot.yaml
static void default_picture(const char *path, int forces, run_path *out)
{
	size_t stem = strlen(path);
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
	if (spate_format_of_path(path) || (forces && dot && dot > (slash ? slash + 1 : path)))
		stem = (size_t)(dot - path);
	int length = snprintf(out->text, sizeof out->text, "%.*s%s.png", (int)stem, path, forces ? "_forces" : "");
	if (length < 0 || (size_t)length >= sizeof out->text)
		out->text[0] = '\0';
}

// A folder of pictures, with the movie among them.
static spate_result plan_folder(const spate_preview *s, outputs *out, spate_error *error)
{
	const spate_preview_def *d = &s->def;
	char name[160];
	out->folder = d->output ? path_of(d->output)
				: run_file_path(d->input, d->forces     ? "preview_forces"
							  : s->surfaces ? "preview_mesh"
									: "preview");
	snprintf(name, sizeof name, "%s.mp4", s->name);
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '_';
	// a movie of a shard would lack the frames in between
	if (d->movie && s->frames.count > 1 && d->frames.shards == 0)
		out->movie = run_file_path(out->folder.text, name);
	return file_make_directory(out->folder.text, error);
}

static spate_result plan_outputs(const spate_preview *s, outputs *out, spate_error *error)
{
	const spate_preview_def *d = &s->def;
	const char *given = d->output;
	out->png = d->pictures;
	if (given && is_movie(given))
	{
		if (d->frames.shards > 0)
			return error_set(
			    error, SPATE_INVALID,
			    "`output` %s is a movie, but `shard` draws only some of its frames; give a folder, and "
			    "make the movie with `keep_pictures` when all shards are done",
			    given);
		out->movie = path_of(given);
		out->png = 0;
		return SPATE_OK;
	}
	if (!s->single && !(given && ends_with(given, ".png")))
		return plan_folder(s, out, error);
	if (s->frames.count > 1)
		return error_set(
		    error, SPATE_INVALID,
		    "`output` %s names one picture, but there are %zu frames; give a folder, or choose one frame with `frames`",
		    given, s->frames.count);
	if (given)
		out->picture = path_of(given);
	else
		default_picture(d->input, d->forces, &out->picture);
	out->png = 1;
	return SPATE_OK;
}

static run_path picture_path(const spate_preview *s, const outputs *out, size_t n)
{
	if (out->picture.text[0])
		return out->picture;
	return run_picture_path(out->folder.text, s->frames.data[n]);
}

// Pictures of frames that are gone look as if they were of this run. They are somebody's work, so they are named and left.
static void warn_of_leftovers(const spate_preview *s, const outputs *out)
{
	const spate_preview_def *d = &s->def;
	run_numbers pictures = {0}, frames = {0}, gone = {0};
	if (!out->folder.text[0] || d->output || d->mesh_folder)
		return;
	if (run_list_pictures(out->folder.text, &pictures, NULL) == SPATE_OK &&
	    run_list_frames(d->input, &frames, NULL) == SPATE_OK && frames.count > 0 &&
	    run_numbers_keep(&pictures, &frames, &gone) && gone.count > 0)
		job_warn(&d->job, "%s has pictures of frames that the run no longer has, left from an earlier run: %s",
			 out->folder.text, job_numbers_text(&gone).text);
	array_free(&pictures);
	array_free(&frames);
	array_free(&gone);
}

// --------------------------------------------------------------------------------------------------------------- movie

static void give_up_movie(const spate_preview *s, outputs *out, const spate_error *why)
{
	job_warn(&s->def.job, "no movie: %s", why->text);
	movie_destroy(out->film);
	out->film = NULL;
	out->no_movie = 1;
}

// If the movie cannot be started, the pictures are written all the same.
static void start_movie(const spate_preview *s, outputs *out)
{
	const spate_preview_def *d = &s->def;
	spate_error error = {0};
	double fps = d->fps > 0.0 ? d->fps : s->has_scene ? s->scene.world.fps : 24.0;
	if (out->movie.text[0] &&
	    movie_create(&out->film, out->movie.text, d->width, d->height, fps, &error) != SPATE_OK)
	{
		out->film = NULL;
		give_up_movie(s, out, &error);
	}
}

static void finish_movie(const spate_preview *s, outputs *out)
{
	spate_error error = {0};
	if (!out->film)
		return;
	out->no_movie = out->frames == 0;
	if (out->frames > 0 && movie_finish(out->film, &error) != SPATE_OK)
	{
		job_warn(&s->def.job, "%s", error.text);
		out->no_movie = 1;
	}
}

// ---------------------------------------------------------------------------------------------------------------- loop

// Reads the picture of a frame instead of drawing it again, if it has the right size and is not older than the frame.
static int keep_picture(const spate_preview *s, outputs *out, size_t n)
{
	run_path path = picture_path(s, out, n);
	if (!s->def.keep_pictures || !out->png || !preview_is_newer(s, n, path.text))
		return 0;
	image_free(&out->image);
	if (image_read_png(&out->image, path.text, NULL) != SPATE_OK)
	{
		out->image = (image){0};
		return 0;
	}
	return out->image.width == s->def.width && out->image.height == s->def.height;
}

// Draws a frame into its picture and into the movie. A frame that cannot be drawn is in neither: it is skipped, unless there is no memory
// or no other frame.
static spate_result draw_frame(spate_preview *s, outputs *out, size_t n, const job_progress *progress,
			       spate_error *error)
{
	spate_error why = {0};
	int kept = keep_picture(s, out, n);
	if (!kept && preview_sequence_draw(s, n, &out->image, &why) != SPATE_OK)
	{
		out->skipped++;
		if (s->single || why.code == SPATE_MEMORY)
			return error_set(error, why.code, "%s", why.text);
		job_warn(&s->def.job, "frame skipped: %s", why.text);
		return SPATE_OK;
	}
	if (!kept && out->png)
	{
		spate_result result = image_write_png(&out->image, picture_path(s, out, n).text, error);
		if (result != SPATE_OK)
			return result;
	}
	out->frames++;
	out->kept += (uint32_t)kept;
	if (!out->film || movie_add(out->film, &out->image, &why) == SPATE_OK)
		return SPATE_OK;
	// Ctrl-C in a terminal ends ffmpeg as well, before the host is asked
	if (job_progress_poll(progress, NULL, error) != SPATE_OK)
		return SPATE_CANCELLED;
	give_up_movie(s, out, &why);
	return SPATE_OK;
}

static spate_result draw_all(spate_preview *s, outputs *out, spate_error *error)
{
	job_progress progress;
	job_warn_missing(&s->def.job, &s->missing);
	preview_warn_outdated(s);
	warn_of_leftovers(s, out);
	file_clear_beside(out->folder.text[0]    ? picture_path(s, out, 0).text
			  : out->picture.text[0] ? out->picture.text
						 : out->movie.text);
	start_movie(s, out);
	spate_result result = job_progress_begin(&progress, &s->def.job, "frames", (uint32_t)s->frames.count, error);
	for (size_t n = 0; n < s->frames.count && result == SPATE_OK && (out->png || out->film); n++)
	{
		result = draw_frame(s, out, n, &progress, error);
		if (result == SPATE_OK)
			result = job_progress_step(&progress, preview_sequence_path(s, n).text, error);
	}
	if (result != SPATE_CANCELLED)
		finish_movie(s, out);
	return result;
}

static void sum_up(const spate_preview *s, const outputs *out, spate_result result, spate_preview_summary *summary)
{
	*summary = (spate_preview_summary){.frames = out->frames,
					   .kept = out->kept,
					   .missing = (uint32_t)s->missing.count,
					   .skipped = out->skipped,
					   .colliders_skipped = s->left_out};
	summary->incomplete = summary->missing || summary->skipped || summary->colliders_skipped || out->no_movie;
	if (out->frames == 0)
		return;
	if (out->png)
	{
		memcpy(summary->folder, out->folder.text, sizeof summary->folder);
		memcpy(summary->picture, out->picture.text, sizeof summary->picture);
	}
	if (out->film && !out->no_movie && result != SPATE_CANCELLED)
		memcpy(summary->movie, out->movie.text, sizeof summary->movie);
}

spate_result spate_preview_run(const spate_preview_def *def, spate_preview_summary *summary, spate_error *error)
{
	spate_preview_summary ignored;
	spate_preview *s;
	outputs out = {.film = NULL};
	summary = summary ? summary : &ignored;
	*summary = (spate_preview_summary){0};
	if (!def->pictures && !def->movie)
		return error_set(error, SPATE_INVALID, "without `pictures` and `movie` there is nothing to write");
	if (!def->pictures && def->frames.shards > 0)
		return error_set(error, SPATE_INVALID, "without `pictures`, `shard` has nothing to write");
	spate_result result = spate_preview_open(def, &s, error);
	if (result != SPATE_OK)
		return result;
	int idle = job_is_idle(&s->def.job, &s->frames, &s->def.frames);
	if (!idle)
		result = plan_outputs(s, &out, error);
	if (result == SPATE_OK && !idle)
		result = draw_all(s, &out, error);
	sum_up(s, &out, result, summary);
	movie_destroy(out.film);
	image_free(&out.image);
	spate_preview_close(s);
	return result;
}
