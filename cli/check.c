// spate check: lists all problems of a scene, or estimates the cost of a run.
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/scene_report.h"

#include <argp.h>
#include <string.h>

enum
{
	OPTION_SET = 256,
	MOST_OVERRIDES = 256
};

typedef struct arguments
{
	common_arguments args;
	const char *overrides[MOST_OVERRIDES];
	uint32_t override_count;
} arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
	arguments *a = state->input;
	switch (key)
	{
	case OPTION_SET:
		if (!strchr(value, '='))
			argp_error(state, "--set takes KEY=VALUE, such as fluids.water.spacing=0.02, not '%s'", value);
		if (a->override_count == MOST_OVERRIDES)
			argp_error(state, "--set can be given %d times at most", MOST_OVERRIDES);
		a->overrides[a->override_count++] = value;
		return 0;
	default:
		return common_arguments_parse(&a->args, key, value, state);
	}
}

static const struct argp_option options[] = {
    {"set", OPTION_SET, "KEY=VALUE", 0, "Override a value of the scene; may be repeated", 0},
    {"json", COMMON_OPTION_JSON, NULL, 0, "Print one JSON object on stdout, problems included", 0},
    {"quiet", 'q', NULL, 0, "Print problems only", 0},
    {0}};

const struct argp command_check_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENE",
    .doc =
	"Reads a scene file and its meshes and prints all problems, or a summary of the scene and what a run will cost.\v"
	"Problems are printed on stderr as FILE:LINE:COLUMN: error: PATH: MESSAGE; errors give exit code 2.\n\n"
	"Examples:\n"
	"  spate check scenes/dam_break.yaml\n"
	"  spate check scenes/dam_break.yaml --set fluids.water.spacing=0.005\n"
	"  spate check scenes/faucet.yaml --json | python3 -m json.tool"};

int command_check(int argc, char **argv)
{
	arguments a = {.args = {.program = argv[0], .what = "SCENE"}};
	if (argp_parse(&command_check_argp, argc, argv, 0, NULL, &a))
		return EXIT_MISUSE;
	scene_report_options scene = {.program = argv[0],
				      .overrides = a.overrides,
				      .override_count = a.override_count,
				      .json = a.args.json,
				      .quiet = a.args.quiet,
				      .read_meshes = 1};
	return scene_report(a.args.path, &scene);
}
