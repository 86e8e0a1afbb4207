// spate run: simulates a scene into a directory, with a live progress line.
#define _GNU_SOURCE
#include "spate/run.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/text.h"
#include "spate/log.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum
{
	MAX_OVERRIDES = 256,
	OPTION_FRAMES = 256,
	OPTION_SET,
	OPTION_RESUME,
	OPTION_OVERWRITE,
	OPTION_CHECKPOINT,
	OPTION_NO_FIELDS
};

typedef struct arguments
{
	common_arguments args;
	const char *overrides[MAX_OVERRIDES];
	uint32_t override_count;
	spate_run_def run;
	int no_fields;
} arguments;

static const char interrupt_notice[] =
    "\nspate run: finishing this frame, then saving a checkpoint; a second signal or Ctrl-C stops at once\n";

static unsigned long read_count(const char *text, char **end, const char *option, struct argp_state *state)
{
	errno = 0;
	unsigned long value = strtoul(text, end, 10);
	if (errno || *end == text || *text == '-' || value > 100000000)
		argp_error(state, "%s takes whole numbers, not '%s'", option, text);
	return value;
}

static void read_frames(arguments *a, const char *text, struct argp_state *state)
{
	char *end;
	a->run.first = 1;
	a->run.last = (uint32_t)read_count(text, &end, "--frames", state);
	if (*end == '-')
	{
		a->run.first = a->run.last;
		a->run.last = (uint32_t)read_count(end + 1, &end, "--frames", state);
	}
	if (*end || a->run.first < 1 || a->run.last < a->run.first)
		argp_error(state, "--frames takes N or A-B with 1 <= A <= B, not '%s'", text);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	arguments *a = state->input;
	char *end;
	switch (key)
	{
	case OPTION_FRAMES:
		read_frames(a, value, state);
		return 0;
	case OPTION_SET:
		if (a->override_count == MAX_OVERRIDES)
			argp_error(state, "--set can be given %d times at most", MAX_OVERRIDES);
		a->overrides[a->override_count++] = value;
		return 0;
	case OPTION_RESUME:
		a->run.resume = 1;
		return 0;
	case OPTION_OVERWRITE:
		a->run.overwrite = 1;
		return 0;
	case OPTION_CHECKPOINT:
		a->run.checkpoint_every = (int32_t)read_count(value, &end, "--checkpoint-every", state);
		if (*end)
			argp_error(state, "--checkpoint-every takes a whole number, not '%s'", value);
		return 0;
	case OPTION_NO_FIELDS:
		a->no_fields = 1;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "SCENE is missing; 'spate example' lists the built-in scenes");
		return 0;
	default:
		return common_arguments_parse(&a->args, key, value, state);
	}
}

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0, "Output directory (default out/NAME)", 0},
    {"frames", OPTION_FRAMES, "N or A-B", 0, "Simulate up to frame N, or up to B and write only frames A to B", 0},
    {"threads", 't', "N", 0, "Number of threads (default all cores); does not change results", 0},
    {"set", OPTION_SET, "KEY=VALUE", 0,
     "Override a value of the scene, as in fluids.water.spacing=0.02; may be repeated", 0},
    {"resume", OPTION_RESUME, NULL, 0, "Fail if DIR has no run to continue; continuing is the default", 0},
    {"overwrite", OPTION_OVERWRITE, NULL, 0, "Start over and throw away the results in DIR", 0},
    {"checkpoint-every", OPTION_CHECKPOINT, "N", 0, "Frames between checkpoints (default: the scene's)", 0},
    {"no-field-cache", OPTION_NO_FIELDS, NULL, 0, "Neither read nor write the cache of mesh distance fields", 0},
    {"json", COMMON_OPTION_JSON, NULL, 0, "Print a summary as one JSON object", 0},
    COMMON_PROGRESS_ROW(0),
    {"quiet", 'q', NULL, 0, "No progress", 0},
    {0},
};

const struct argp command_run_argp = {
    options,
    parse,
    "SCENE",
    "Simulates a scene file.\v"
    "Examples:\n"
    "  spate run scenes/dam_break.yaml\n"
    "  spate run scenes/dam_break.yaml -o out/coarse --set fluids.water.spacing=0.025 --frames 48\n"
    "  spate run scenes/dam_break.yaml --overwrite\n\n"
    "The same command again continues from the newest checkpoint, with the same bits as an uninterrupted run; a finished run is left as "
    "it is. Ctrl-C finishes the frame, writes a checkpoint and exits with code 130; SIGTERM and SIGHUP do the same with 143 and 129.\n\n"
    "Distance fields of meshes are cached in $SPATE_FIELDS, or else $XDG_CACHE_HOME/spate/fields, or else "
    "$HOME/.cache/spate/fields. The cache can be deleted at any time.",
    NULL,
    NULL,
    NULL};

// ------------------------------------------------------------------------------------------------------- progress

typedef struct display
{
	const arguments *arguments;
	progress line;
} display;

static void draw(progress *line, const spate_run_progress *p)
{
	char elapsed[32], left[32];
	progress_time(elapsed, sizeof elapsed, p->seconds);
	progress_time(left, sizeof left, p->seconds_left);
	progress_field fields[6] = {{.rank = 0}, {.rank = 2}, {.rank = 5}, {.rank = 4}, {.rank = 3}, {.rank = 1}};
	enum
	{
		SIZE = sizeof fields[0].text
	};
	snprintf(fields[0].text, SIZE, "frame %u/%u", p->frame, p->last);
	snprintf(fields[1].text, SIZE, "%u particles", p->stats->particles);
	snprintf(fields[2].text, SIZE, "%.1f steps/s", p->steps_per_second);
	snprintf(fields[3].text, SIZE, "density error %.2f %%", 100.0 * p->stats->density_error_avg);
	snprintf(fields[4].text, SIZE, "%s elapsed", elapsed);
	snprintf(fields[5].text, SIZE, "%s left", left);
	progress_draw(line, fields, 6);
}

// The same for programs, with the percentage and the time left in the form that all commands share.
static void tell(progress *line, const spate_run_progress *p, double fps, int last)
{
	char rest[160], elapsed[32];
	double frames = spate_world_time(p->world) * fps;
	progress_time(elapsed, sizeof elapsed, p->seconds);
	snprintf(rest, sizeof rest, "  %u particles  %.1f steps/s  density error %.2f %%  %s elapsed",
		 p->stats->particles, p->steps_per_second, 100.0 * p->stats->density_error_avg, elapsed);
	line->total = p->last;
	progress_tell(line, last,
		      last               ? 1.0
		      : frames < p->last ? frames / p->last
					 : 1.0,
		      p->frame, last ? 0.0 : p->seconds_left, rest);
}

static int show(void *context, const spate_run_progress *p)
{
	display *d = context;
	int last = p->frame_done && p->frame == p->last;
	if (!d->line.terminal)
		tell(&d->line, p, d->arguments->run.scene->world.fps, last);
	else if (progress_due(&d->line) || (last && !d->line.quiet))
		draw(&d->line, p);
	return interrupt_seen();
}

static void log_line(void *context, spate_log_level level, const char *text)
{
	display *d = context;
	if (level == SPATE_LOG_WARNING || (level == SPATE_LOG_INFO && !d->arguments->args.quiet))
	{
		progress_clear(&d->line);
		fprintf(stderr, "spate run: %s\n", text);
	}
}

// --------------------------------------------------------------------------------------------------------- command

static int load_scene(const arguments *a, spate_scene *scene)
{
	spate_problems problems = {0};
	spate_error error = {0};
	spate_result result = spate_scene_load(scene, a->args.path, a->overrides, a->override_count, &problems, &error);
	if (result == SPATE_OK)
	{
		result = spate_scene_find_files(scene, &problems, &error);
		if (result == SPATE_OK)
			result = spate_scene_read_fills(scene, &problems, &error);
		if (result != SPATE_OK)
			spate_scene_free(scene);
	}
	command_print_problems(a->args.path, &problems);
	if (result != SPATE_OK && problems.errors == 0)
		fprintf(stderr, "spate run: %s\n", error.text);
	spate_problems_free(&problems);
	return result == SPATE_OK ? EXIT_DONE : result == SPATE_SCENE ? EXIT_MISUSE : EXIT_FAILED;
}

// Number of particles removed by the runaway policy.
static uint64_t lost(const spate_run_summary *s)
{
	return s->removed_by.too_fast + s->removed_by.not_a_number + s->removed_by.out_of_range;
}

static void print_json(const spate_run_def *def, const spate_run_summary *s, double seconds)
{
	const spate_removed_by *by = &s->removed_by;
	printf("{\"directory\":");
	json_put_string(stdout, def->directory);
	printf(",\"frames\":%u,\"frame\":%u,\"start\":%u,\"nothing_to_do\":%s,\"seconds\":%.3f,\"hash\":\"%016" PRIx64
	       "\"",
	       def->last ? def->last : def->scene->frames, s->frame, s->start, s->nothing_to_do ? "true" : "false",
	       seconds, s->hash);
	printf(",\"particles\":%" PRIu64 ",\"added\":%" PRIu64 ",\"removed\":%" PRIu64
	       ",\"removed_by\":{\"sinks\":%" PRIu64 ",\"too_fast\":%" PRIu64 ",\"not_a_number\":%" PRIu64
	       ",\"out_of_range\":%" PRIu64 "},\"clamped\":%" PRIu64 ",\"lost_percent\":%.6g,\"empty\":%s}\n",
	       s->particles, s->added, s->removed, by->sinks, by->too_fast, by->not_a_number, by->out_of_range,
	       s->clamped, s->added ? 100.0 * (double)lost(s) / (double)s->added : 0.0,
	       s->particles == 0 ? "true" : "false");
}

static void print_text(const spate_run_def *def, const spate_run_summary *s, double seconds)
{
	uint32_t last = def->last ? def->last : def->scene->frames;
	const spate_removed_by *by = &s->removed_by;
	if (s->nothing_to_do && s->frame > last)
		printf(
		    "%s: frame %u was finished before (the run is at frame %u), nothing to do (--overwrite starts over)\n",
		    def->directory, last, s->frame);
	else if (s->nothing_to_do)
		printf("%s: finished, nothing to do (--overwrite starts over)\n", def->directory);
	else
		printf("%s: %u frames in %.1f s, state hash %016" PRIx64
		       "\nto render pictures and a movie: spate preview %s\n",
		       def->directory, last - s->start, seconds, s->hash, def->directory);
	printf("%" PRIu64 " particles; removed: %" PRIu64 " by sinks, %" PRIu64 " too fast, %" PRIu64
	       " not a number, %" PRIu64 " out of range; clamped: %" PRIu64 "\n",
	       s->particles, by->sinks, by->too_fast, by->not_a_number, by->out_of_range, s->clamped);
}

// Continues an error message of the library with what to type.
static const char *advice(const spate_run_def *def, spate_result result)
{
	char scene[4096];
	snprintf(scene, sizeof scene, "%s/scene.yaml", def->directory);
	int has_scene = access(scene, F_OK) == 0;
	if (result == SPATE_EXISTS)
		return "; choose another directory with -o, or throw them away with --overwrite";
	if (result == SPATE_DAMAGED)
		return "; --overwrite starts over";
	if (result == SPATE_CANCELLED)
		return "; the same command continues from there";
	if (result == SPATE_MISSING && def->resume && !has_scene)
		return "; start it without --resume";
	// a run that has started can be resumed
	int resumable = result == SPATE_IO && has_scene && !def->overwrite;
	return resumable ? "; the same command then continues from the newest checkpoint" : "";
}

static int report(display *d, spate_result result, const spate_run_summary *summary, double seconds,
		  const spate_error *error)
{
	const arguments *a = d->arguments;
	if (result == SPATE_OK && a->args.json)
		print_json(&a->run, summary, seconds);
	else if (result == SPATE_OK && !a->args.quiet)
		print_text(&a->run, summary, seconds);
	if (result != SPATE_OK)
		fprintf(stderr, "spate run: %s%s\n", error->text, advice(&a->run, result));
	return result == SPATE_OK                                  ? EXIT_DONE
	       : result == SPATE_CANCELLED                         ? interrupt_code()
	       : result == SPATE_EXISTS || result == SPATE_INVALID ? EXIT_MISUSE
								   : EXIT_FAILED;
}

int command_run(int argc, char **argv)
{
	arguments a = {.args = {.program = argv[0], .what = "SCENE"}, .run = spate_default_run_def()};
	if (argp_parse(&command_run_argp, argc, argv, 0, NULL, &a) != 0)
		return EXIT_MISUSE;
	spate_scene scene = {0};
	int code = load_scene(&a, &scene);
	if (code != EXIT_DONE)
		return code;
	char directory[4096];
	snprintf(directory, sizeof directory, "out/%s", scene.name);
	a.run.directory = a.args.output ? a.args.output : directory;
	a.run.scene = &scene;
	a.run.threads = a.args.threads;
	char fields[4096];
	a.run.field_folder = a.no_fields ? NULL : run_field_folder(fields, sizeof fields);

	display d = {.arguments = &a, .line = progress_begin(argv[0], "frames", 0, a.args.quiet, a.args.plain)};
	d.line.wait = 0.0;
	d.line.pause = 0.1;
	a.run.handler = show;
	a.run.context = &d;
	spate_log_set_handler(log_line, &d);
	interrupt_watch(interrupt_notice);

	struct timespec begin, end;
	spate_error error = {0};
	spate_run_summary summary;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	spate_result result = spate_run(&a.run, &summary, &error);
	clock_gettime(CLOCK_MONOTONIC, &end);
	progress_keep(&d.line);
	double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
	spate_log_set_handler(NULL, NULL);
	code = report(&d, result, &summary, seconds, &error);
	spate_scene_free(&scene);
	return code;
}
