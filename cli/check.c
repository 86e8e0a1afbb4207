// spate check: everything that is wrong with a scene at once, or what a run of it will take.
#include "base/array.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/scene_report.h"

#include <argp.h>
#include <string.h>

enum
{
	OPTION_JSON = 256,
	OPTION_SET
};

typedef struct arguments
{
	const char *path;
	ARRAY(const char *) overrides;
	scene_report_options options;
} arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
	arguments *a = state->input;
	switch (key)
	{
	case OPTION_JSON:
		a->options.json = 1;
		return 0;
	case OPTION_SET:
		if (!strchr(value, '='))
			argp_error(state, "--set takes KEY=VALUE, such as fluids.water.spacing=0.02, not '%s'", value);
		if (!array_push(&a->overrides, value))
			argp_failure(state, EXIT_FAILED, 0, "out of memory");
		return 0;
	case 'q':
		a->options.quiet = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one SCENE at a time, not also '%s'", value);
		a->path = value;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which SCENE?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
    {"set", OPTION_SET, "KEY=VALUE", 0, "Change a value of the scene; may be repeated", 0},
    {"json", OPTION_JSON, NULL, 0, "One JSON object on stdout, problems included", 0},
    {"quiet", 'q', NULL, 0, "Problems only", 0},
    {0}};

static const struct argp description = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENE",
    .doc =
	"Reads a scene file and its meshes and prints all problems, or what the scene holds and what a run will take.\v"
	"Problems go to stderr as FILE:LINE:COLUMN: error: PATH: SENTENCE; with errors the exit code is 2.\n\n"
	"Examples:\n"
	"  spate check scenes/dam_break.yaml\n"
	"  spate check scenes/dam_break.yaml --set fluids.water.spacing=0.005\n"
	"  spate check scenes/faucet.yaml --json | python3 -m json.tool"};

int command_check(int argc, char **argv)
{
	arguments a = {.options = {.program = argv[0], .read_meshes = 1}};
	if (argp_parse(&description, argc, argv, 0, NULL, &a))
		return EXIT_MISUSE;
	a.options.overrides = a.overrides.data;
	a.options.override_count = (uint32_t)a.overrides.count;
	int status = scene_report(a.path, &a.options);
	array_free(&a.overrides);
	return status;
}
