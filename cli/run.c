// spate run: simulates a scene into a directory, with a live progress line.
#define _GNU_SOURCE
#include "spate/run.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/run_input.h"
#include "spate/log.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
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

// Set by the first Ctrl-C (or a polite kill); the second one ends the process at once.
static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	static const char again[] =
	    "\nspate run: finishing this frame, then saving a checkpoint; press Ctrl-C again to stop at once\n";
	if (interrupted)
		_exit(EXIT_INTERRUPTED);
	interrupted = signal;
	if (write(STDERR_FILENO, again, sizeof again - 1) < 0)
		return;
}

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
    {"resume", OPTION_RESUME, NULL, 0,
     "Continue from the newest checkpoint; gives the same bits as an uninterrupted run", 0},
    {"overwrite", OPTION_OVERWRITE, NULL, 0, "Replace the results of another scene in DIR", 0},
    {"checkpoint-every", OPTION_CHECKPOINT, "N", 0, "Frames between checkpoints (default: the scene's)", 0},
    {"no-field-cache", OPTION_NO_FIELDS, NULL, 0, "Neither read nor write the cache of mesh distance fields", 0},
    {"json", COMMON_OPTION_JSON, NULL, 0, "Print a summary as one JSON object", 0},
    {"quiet", 'q', NULL, 0, "No progress", 0},
    {0},
};

static const struct argp definition = {
    options,
    parse,
    "SCENE",
    "Simulates a scene file.\v"
    "Examples:\n"
    "  spate run scenes/dam_break.yaml\n"
    "  spate run scenes/dam_break.yaml -o out/coarse --set fluids.water.spacing=0.025 --frames 48\n"
    "  spate run scenes/dam_break.yaml --resume\n\n"
    "Ctrl-C finishes the frame, writes a checkpoint and exits with code 130; --resume continues from there.\n\n"
    "Distance fields of meshes are cached in $SPATE_FIELDS, or else $XDG_CACHE_HOME/spate/fields, or else "
    "$HOME/.cache/spate/fields. The cache can be deleted at any time.",
    NULL,
    NULL,
    NULL};

// ------------------------------------------------------------------------------------------------------- progress

typedef struct display
{
	const arguments *arguments;
	FILE *log;      // log.txt of the run
	uint32_t frame; // under way; 0 before the first step
	progress line;
} display;

static void draw(progress *line, const spate_run_progress *p)
{
	progress_field fields[6] = {{.rank = 0}, {.rank = 2}, {.rank = 5}, {.rank = 4}, {.rank = 3}, {.rank = 1}};
	enum
	{
		SIZE = sizeof fields[0].text
	};
	char elapsed[32], left[32];
	progress_time(elapsed, sizeof elapsed, p->seconds);
	progress_time(left, sizeof left, p->seconds_left);
	snprintf(fields[0].text, SIZE, "frame %u/%u", p->frame, p->last);
	snprintf(fields[1].text, SIZE, "%u particles", p->stats->particles);
	snprintf(fields[2].text, SIZE, "%.1f steps/s", p->steps_per_second);
	snprintf(fields[3].text, SIZE, "density error %.2f %%", 100.0 * p->stats->density_error_avg);
	snprintf(fields[4].text, SIZE, "%s elapsed", elapsed);
	snprintf(fields[5].text, SIZE, "%s left", left);
	progress_draw(line, fields, 6);
}

static int show(void *context, const spate_run_progress *p)
{
	display *d = context;
	d->frame = p->frame + 1;
	int last = p->frame_done && p->frame == p->last;
	if (progress_due(&d->line) || (last && !d->line.quiet))
		draw(&d->line, p);
	return interrupted;
}

// A line of log.txt, with the frame under way. A log that cannot be written is no reason to lose the run.
static void keep_line(const display *d, const char *kind, const char *text)
{
	if (!d->log)
		return;
	if (d->frame > 0)
		fprintf(d->log, "frame %u: ", d->frame);
	fprintf(d->log, "%s%s\n", kind, text);
	fflush(d->log);
}

static void log_line(void *context, spate_log_level level, const char *text)
{
	display *d = context;
	// a run tells nothing before the directory is its own
	if (!d->log)
	{
		char path[4200];
		snprintf(path, sizeof path, "%s/log.txt", d->arguments->run.directory);
		d->log = fopen(path, d->arguments->run.resume ? "ae" : "we");
	}
	keep_line(d, level == SPATE_LOG_WARNING ? "warning: " : "", text);
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
	if (result == SPATE_OK && (result = spate_scene_find_files(scene, &problems, &error)) != SPATE_OK)
		spate_scene_free(scene);
	command_print_problems(a->args.path, &problems);
	if (result != SPATE_OK && problems.errors == 0)
		fprintf(stderr, "spate run: %s\n", error.text);
	spate_problems_free(&problems);
	return result == SPATE_OK ? EXIT_DONE : result == SPATE_SCENE ? EXIT_MISUSE : EXIT_FAILED;
}

// A name in JSON's quotes.
static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned)*text);
		else
			putchar(*text);
	putchar('"');
}

static int report(const arguments *a, const spate_run_def *def, spate_result result, uint64_t hash, double seconds,
		  const spate_error *error)
{
	if (result == SPATE_OK && a->args.json)
	{
		printf("{\"directory\":");
		print_quoted(def->directory);
		printf(",\"frames\":%u,\"seconds\":%.3f,\"hash\":\"%016" PRIx64 "\"}\n",
		       def->last ? def->last : def->scene->frames, seconds, hash);
	}
	else if (result == SPATE_OK && !a->args.quiet)
		printf("%s: %u frames in %.1f s, state hash %016" PRIx64
		       "\nto render pictures and a movie: spate preview %s\n",
		       def->directory, def->last ? def->last : def->scene->frames, seconds, hash, def->directory);
	// what has begun need not begin again
	int begun = result == SPATE_IO && access(run_file_path(def->directory, RUN_SCENE).text, F_OK) == 0;
	if (result != SPATE_OK)
		fprintf(stderr, "spate run: %s%s\n", error->text,
			begun ? "; --resume continues from the newest checkpoint" : "");
	return result == SPATE_OK                                  ? EXIT_DONE
	       : result == SPATE_CANCELLED                         ? EXIT_INTERRUPTED
	       : result == SPATE_EXISTS || result == SPATE_INVALID ? EXIT_MISUSE
								   : EXIT_FAILED;
}

int command_run(int argc, char **argv)
{
	arguments a = {.args = {.program = argv[0], .what = "SCENE"}, .run = spate_default_run_def()};
	if (argp_parse(&definition, argc, argv, 0, NULL, &a) != 0)
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

	display d = {.arguments = &a, .line = progress_begin(argv[0], "frames", 0, a.args.quiet)};
	d.line.wait = 0.0;
	d.line.pause = d.line.terminal ? 0.1 : 5.0;
	a.run.handler = show;
	a.run.context = &d;
	spate_log_set_handler(log_line, &d);
	struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);

	struct timespec begin, end;
	spate_error error = {0};
	uint64_t hash = 0;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	spate_result result = spate_run(&a.run, &hash, &error);
	clock_gettime(CLOCK_MONOTONIC, &end);
	progress_keep(&d.line);
	double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
	code = report(&a, &a.run, result, hash, seconds, &error);
	spate_log_set_handler(NULL, NULL);
	if (result == SPATE_OK || result == SPATE_CANCELLED)
		d.frame = 0;
	keep_line(&d, result == SPATE_OK || result == SPATE_CANCELLED ? "" : "error: ",
		  result == SPATE_OK ? "done" : error.text);
	if (d.log)
		fclose(d.log);
	spate_scene_free(&scene);
	return code;
}
