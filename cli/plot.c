// spate plot: probes and statistics of a run as line plots, one picture per quantity.
#include "spate/plot.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/job_message.h"
#include "cli/report.h"
#include "cli/text.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	OPTION_COLUMNS = 256,
	OPTION_STATS,
	OPTION_X,
	OPTION_SIZE,
	OPTION_LIST
};

typedef struct arguments
{
	common_arguments args;
	spate_plot_def def;
	char *columns, *stats; // names separated by commas
	int list;
} arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
	arguments *a = state->input;
	switch (key)
	{
	case OPTION_COLUMNS:
		a->columns = value;
		return 0;
	case OPTION_STATS:
		a->stats = value;
		return 0;
	case OPTION_X:
		if (strcmp(value, "time") != 0 && strcmp(value, "frame") != 0)
			argp_error(state, "--x takes time or frame, not '%s'", value);
		a->def.x = *value == 't' ? SPATE_PLOT_TIME : SPATE_PLOT_FRAME;
		return 0;
	case OPTION_SIZE:
		if (!read_size(value, SPATE_PLOT_MIN_SIZE, SPATE_PLOT_MAX_SIZE, &a->def.width, &a->def.height))
			argp_error(state, "--size takes WIDTHxHEIGHT in pixels, each from %d to %d, not '%s'",
				   SPATE_PLOT_MIN_SIZE, SPATE_PLOT_MAX_SIZE, value);
		return 0;
	case OPTION_LIST:
		a->list = 1;
		return 0;
	case ARGP_KEY_END:
		if (a->columns && a->stats)
			argp_error(state, "--columns and --stats cannot be combined");
		if (a->args.frames.list && a->list)
			argp_error(state, "--frames and --list cannot be combined");
		if (a->args.json && !a->list)
			argp_error(state, "--json requires --list");
		return 0;
	default:
		return common_arguments_parse(&a->args, key, value, state);
	}
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "Write one picture, of columns of the same quantity (default: DIR/plot_QUANTITY.png for each quantity)", 0},
    {"columns", OPTION_COLUMNS, "A,B", 0, "Columns of probes.csv (default all)", 0},
    {"stats", OPTION_STATS, "A,B", 0, "Plot columns of stats.jsonl instead, such as kinetic_energy", 0},
    COMMON_FRAMES_ROW("plot", 0),
    {"x", OPTION_X, "time|frame", 0, "Horizontal axis (default time)", 0},
    {"size", OPTION_SIZE, "WxH", 0, "Picture size in pixels (default 960x600)", 0},
    {"list", OPTION_LIST, NULL, 0, "List the available columns", 0},
    {"json", COMMON_OPTION_JSON, NULL, 0, "Print the list as one JSON object", 0},
    {"quiet", 'q', NULL, 0, "Do not list the files written", 0},
    {0}};

const struct argp command_plot_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR",
    .doc = "Plots the probe values or the statistics of a run as PNG pictures.\v"
	   "Examples:\n"
	   "  spate plot out/dam_break\n"
	   "  spate plot out/dam_break --columns front.front -o front.png\n"
	   "  spate plot out/dam_break --stats kinetic_energy,potential_energy -o energy.png\n"
	   "  spate plot out/dam_break --frames 10-40\n"
	   "  spate plot out/dam_break --list"};

// What the command line calls members of the definition.
static const option_name option_names[] = {{"output", "-o"},
					   {"columns", "--columns"},
					   {"frames", "--frames"},
					   {"SPATE_PLOT_STATS", "--stats"},
					   {"spate_plot_columns()", "--list"},
					   {0}};

static int fail(const arguments *a, spate_result result, const spate_error *error)
{
	job_complain(a->args.program, option_names, error->text);
	return result == SPATE_INVALID ? EXIT_MISUSE : EXIT_FAILED;
}

// ------------------------------------------------------------------------------------------------------------- listing

static int print_json(const arguments *a, const spate_plot_column *columns, uint32_t count)
{
	output_text out;
	text_open(&out, a->args.program);
	fputs("{\"columns\":[", out.stream);
	for (uint32_t c = 0; c < count; c++)
	{
		fputs(c ? ",{\"name\":" : "{\"name\":", out.stream);
		json_put_string(out.stream, columns[c].name);
		fprintf(out.stream, ",\"unit\":\"%s\",\"file\":\"%s\",\"rows\":%" PRIu64 "}", columns[c].unit,
			columns[c].file, columns[c].rows);
	}
	fputs("]}", out.stream);
	return text_print(&out, a->args.program);
}

static int list_columns(const arguments *a)
{
	spate_plot_column *columns;
	uint32_t count;
	spate_error error = {0};
	spate_result result = spate_plot_columns(a->args.path, &columns, &count, &error);
	if (result != SPATE_OK)
		return fail(a, result, &error);
	int status = EXIT_FAILED;
	if (a->args.json)
		status = print_json(a, columns, count);
	else if (count == 0)
		complain(a->args.program, "%s has neither probes.csv nor stats.jsonl with columns", a->args.path);
	else
	{
		for (uint32_t c = 0; c < count; c++)
			printf("%-12s %-28s %s\n", columns[c].file, columns[c].name, columns[c].unit);
		status = finish_output(a->args.program);
	}
	spate_plot_columns_free(columns);
	return status;
}

// ------------------------------------------------------------------------------------------------------------ plotting

static int tell_written(void *context, const spate_job_progress *progress)
{
	const arguments *a = context;
	if (progress->item && !a->args.quiet)
		printf("wrote %s\n", progress->item);
	return 0;
}

static void tell_message(void *context, spate_log_level level, const char *text)
{
	const arguments *a = context;
	if (level == SPATE_LOG_WARNING || !a->args.quiet)
		job_complain(a->args.program, option_names, text);
}

// Cuts the text at its commas; the names are to be freed. NULL when out of memory.
static const char **split(char *text, uint32_t *count)
{
	uint32_t names = 1;
	for (const char *c = text; *c; c++)
		names += *c == ',';
	const char **out = calloc(names, sizeof *out);
	for (*count = 0; out && text; (*count)++)
		out[*count] = strsep(&text, ",");
	return out;
}

static int plot(arguments *a)
{
	spate_plot_def *d = &a->def;
	char *names = a->stats ? a->stats : a->columns;
	const char **columns = names ? split(names, &d->column_count) : NULL;
	spate_error error = {0};
	if (names && !columns)
	{
		complain(a->args.program, "out of memory");
		return EXIT_FAILED;
	}
	d->job = (spate_job){.handler = tell_written, .log = tell_message, .context = a};
	d->input = a->args.path;
	d->output = a->args.output;
	d->source = a->stats ? SPATE_PLOT_STATS : SPATE_PLOT_PROBES;
	d->columns = columns;
	d->frames = a->args.frames.list;
	spate_result result = spate_plot_run(d, NULL, &error);
	free(columns);
	return result == SPATE_OK ? finish_output(a->args.program) : fail(a, result, &error);
}

int command_plot(int argc, char **argv)
{
	arguments a = {.args = {.program = argv[0], .what = "DIR"}, .def = spate_default_plot_def()};
	if (argp_parse(&command_plot_argp, argc, argv, 0, NULL, &a))
		return EXIT_MISUSE;
	return a.list ? list_columns(&a) : plot(&a);
}
