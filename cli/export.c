// spate export: the particles of a run as files that other programs open.
#include "spate/export.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/job_host.h"
#include "cli/report.h"
#include "cli/text.h"
#include "spate/formats.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	OPTION_FORMAT = 256,
	OPTION_CHANNELS,
	OPTION_UP,
	OPTION_AS,
	OPTION_CELL,
	MOST_CHANNELS = 64
};

typedef struct arguments
{
	common_arguments args;
	spate_export_def def;
	const char *channels[MOST_CHANNELS];
} arguments;

// Cuts the text at its commas.
static void read_channels(arguments *a, char *text, struct argp_state *state)
{
	a->def.channels = a->channels;
	if (strcmp(text, "none") == 0)
		return;
	while (text)
	{
		if (a->def.channel_count == MOST_CHANNELS)
			argp_error(state, "--channels takes %d names at most", MOST_CHANNELS);
		a->channels[a->def.channel_count++] = strsep(&text, ",");
	}
}

static void read_kind(arguments *a, const char *text, struct argp_state *state)
{
	static const char *const names[] = {
	    [SPATE_EXPORT_POINTS] = "points", [SPATE_EXPORT_FOG] = "fog", [SPATE_EXPORT_LEVEL_SET] = "levelset"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(text, names[i]) == 0)
		{
			a->def.as = (spate_export_as)i;
			return;
		}
	argp_error(state, "--as takes points, fog or levelset, not '%s'", text);
}

static void read_cell(arguments *a, const char *text, struct argp_state *state)
{
	char *end;
	a->def.cell = strtod(text, &end);
	if (end == text || *end || !(a->def.cell > 0.0))
		argp_error(state, "--cell takes a number of spacings, not '%s'", text);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	arguments *a = state->input;
	switch (key)
	{
	case OPTION_FORMAT:
		a->def.format = value;
		return 0;
	case OPTION_CHANNELS:
		read_channels(a, value, state);
		return 0;
	case OPTION_AS:
		read_kind(a, value, state);
		return 0;
	case OPTION_CELL:
		read_cell(a, value, state);
		return 0;
	case OPTION_UP:
		if (strcmp(value, "y") != 0 && strcmp(value, "z") != 0)
			argp_error(state, "--up takes y or z, not '%s'", value);
		a->def.up = *value == 'z' ? SPATE_EXPORT_UP_Z : SPATE_EXPORT_UP_Y;
		return 0;
	default:
		return common_arguments_parse(&a->args, key, value, state);
	}
}

static char formats[FORMAT_WORDS_CHARS];

__attribute__((constructor)) static void list_formats(void)
{
	format_words(formats, SPATE_FORMAT_PARTICLES);
}

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "Folder for the files of a run (default DIR/export), or the file for a single input", 0},
    {"format", OPTION_FORMAT, formats, 0, "Format of the files (default ply, vdb for fields, or by the suffix of OUT)",
     0},
    COMMON_FRAMES_ROWS("export", 0),
    {"channels", OPTION_CHANNELS, "A,B", 0, "Only these channels (default all), or none", 0},
    {"as", OPTION_AS, "points|fog|levelset", 0,
     "points with channels (default), the share of liquid in voxels, or the distance to the surface; the last two with velocity, as vdb",
     0},
    {"cell", OPTION_CELL, "X", 0, "Edge of voxels, in spacings (default 0.75)", 0},
    {"up", OPTION_UP, "y|z", 0,
     "Axis that points up in the files: y as in scenes (default), or z, which turns places and vectors", 0},
    {"threads", 't', "N", 0, "Number of threads (default all cores)", 0},
    {"json", COMMON_OPTION_JSON, NULL, 0, "Print a summary as one JSON object", 0},
    COMMON_PROGRESS_ROW(0),
    {"quiet", 'q', NULL, 0, "Print errors only", 0},
    {0}};

const struct argp command_export_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FILE",
    .doc =
	"Writes the particles of a run, one file per frame, or of one particle file, in a format that other programs "
	"open. Positions are in metres, in world coordinates.\v"
	"Examples:\n"
	"  spate export out/dam_break\n"
	"  spate export out/dam_break --format vtp --frames 1-24 --channels velocity\n"
	"  spate export out/dam_break --format bgeo\n"
	"  spate export out/dam_break --format npz --up z\n"
	"  spate export out/dam_break --as fog --up z\n"
	"  spate export out/dam_break --frames 1-3,5,7-20:2\n"
	"  spate export out/dam_break/frames/frame_000012.spate -o splash.vtk"};

static const option_name option_names[] = {COMMON_NAMES,
					   {"channels", "--channels"},
					   {"format", "--format"},
					   {"up", "--up"},
					   {"as", "--as"},
					   {"cell", "--cell"},
					   {0}};

static int print_summary(const arguments *a, const spate_export_summary *s)
{
	if (a->args.json)
	{
		output_text out;
		text_open(&out, a->args.program);
		fputs("{\"kind\":\"particles\",\"source\":", out.stream);
		json_put_string(out.stream, a->args.path);
		fprintf(out.stream, ",\"written\":%u,\"failed\":%u,\"missing\":%u,\"particles\":%" PRIu64 "}",
			s->written, s->failed, s->missing, s->particles);
		return text_print(&out, a->args.program);
	}
	if (!a->args.quiet)
		printf("wrote %s %s, %s particles\n", report_count(s->written).text, s->written == 1 ? "file" : "files",
		       report_count((double)s->particles).text);
	return finish_output(a->args.program);
}

int command_export(int argc, char **argv)
{
	arguments a = {.args = {.program = argv[0], .what = "DIR or FILE"}, .def = spate_default_export_def()};
	if (argp_parse(&command_export_argp, argc, argv, 0, NULL, &a))
		return EXIT_MISUSE;
	job_host host = {.args = &a.args, .names = option_names};
	spate_export_summary summary;
	spate_error error = {0};
	a.def.job = job_host_connect(&host);
	a.def.input = a.args.path;
	a.def.output = a.args.output;
	a.def.frames = a.args.frames;
	spate_result result = spate_export_run(&a.def, &summary, &error);
	progress_clear(&host.shown);
	if (result == SPATE_OK)
	{
		int status = print_summary(&a, &summary);
		return summary.failed + summary.missing > 0 ? EXIT_FAILED : status;
	}
	job_complain(argv[0], option_names, error.text);
	return result == SPATE_CANCELLED ? interrupt_code() : result == SPATE_INVALID ? EXIT_MISUSE : EXIT_FAILED;
}
