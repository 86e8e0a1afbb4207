// spate info: finds out what it was given and has it described.
#include "cli/info.h"

#include "cache/format.h"
#include "cache/mesh_frame.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/scene_report.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum
{
	OPTION_JSON = 256,
	OPTION_QUICK
};

typedef struct arguments
{
	const char *path;
	info_options options;
} arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
	arguments *a = state->input;
	switch (key)
	{
	case OPTION_JSON:
		a->options.json = 1;
		return 0;
	case OPTION_QUICK:
		a->options.quick = 1;
		return 0;
	case 'q':
		a->options.quiet = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one DIR or FILE at a time, not also '%s'", value);
		a->path = value;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which DIR or FILE?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
    {"quick", OPTION_QUICK, NULL, 0, "Read headers only: no checksums, no ranges of values", 0},
    {"json", OPTION_JSON, NULL, 0, "One JSON object on stdout", 0},
    {"quiet", 'q', NULL, 0, "Only complain; the exit code tells whether all is whole", 0},
    {0}};

static const struct argp description = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FILE",
    .doc = "Tells what the directory of a run, a frame or checkpoint (.spate), a mesh (.obj, .ply, .stl, .off), "
	   "particles (.bgeo, .vtk), a level set (.vdb) or a scene file contains, and whether it is whole.\v"
	   "Examples:\n"
	   "  spate info out/dam_break\n"
	   "  spate info out/dam_break/frames/frame_000012.spate\n"
	   "  spate info bunny.obj\n"
	   "  spate info out/dam_break --quick --json | python3 -m json.tool"};

// By its name or, whatever it is called, by its first bytes.
static int is_frame(const char *path)
{
	const char *dot = strrchr(path, '.');
	if (dot && strcmp(dot, ".spate") == 0)
		return 1;
	char start[sizeof FORMAT_MAGIC - 1];
	FILE *file = fopen(path, "rb");
	int found = file && fread(start, 1, sizeof start, file) == sizeof start &&
		    memcmp(start, FORMAT_MAGIC, sizeof start) == 0;
	if (file)
		fclose(file);
	return found;
}

int command_info(int argc, char **argv)
{
	arguments a = {.options = {.program = argv[0]}};
	if (argp_parse(&description, argc, argv, 0, NULL, &a))
		return EXIT_MISUSE;
	struct stat status;
	if (stat(a.path, &status) != 0)
	{
		complain(argv[0], "cannot open %s: %s", a.path, strerror(errno));
		return EXIT_FAILED;
	}
	if (S_ISDIR(status.st_mode))
		return info_run(a.path, &a.options);
	if (mesh_frame_is(a.path))
		return info_mesh(a.path, &a.options);
	if (is_frame(a.path))
		return info_frame(a.path, &a.options);
	const char *dot = strrchr(a.path, '.');
	if (dot && strcmp(dot, ".vdb") == 0)
		return info_vdb(a.path, &a.options);
	if (info_is_particles(a.path))
		return info_particles(a.path, &a.options);
	if (info_is_mesh(a.path))
		return info_mesh(a.path, &a.options);
	scene_report_options scene = {.program = argv[0], .json = a.options.json, .quiet = a.options.quiet};
	return scene_report(a.path, &scene);
}
