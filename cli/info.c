// spate info: finds out the kind of its argument and describes it.
#include "cli/info.h"

#include "cache/format.h"
#include "cache/mesh_frame.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/scene_report.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum
{
	OPTION_QUICK = 256
};

static error_t parse(int key, char *value, struct argp_state *state)
{
	info_options *o = state->input;
	if (key != OPTION_QUICK)
		return common_arguments_parse(&o->args, key, value, state);
	o->quick = 1;
	return 0;
}

static const struct argp_option options[] = {
    {"quick", OPTION_QUICK, NULL, 0, "Read headers only, without checksums and value ranges", 0},
    {"json", COMMON_OPTION_JSON, NULL, 0, "Print one JSON object on stdout", 0},
    {"quiet", 'q', NULL, 0, "Print errors only; the exit code tells whether the files are intact", 0},
    {0}};

const struct argp command_info_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FILE",
    .doc = "Describes the directory of a run, a frame or checkpoint (.spate), a mesh (.obj, .ply, .stl, .off), "
	   "particles (.bgeo, .vtk), a level set (.vdb) or a scene file, and verifies that it is intact.\v"
	   "Examples:\n"
	   "  spate info out/dam_break\n"
	   "  spate info out/dam_break/frames/frame_000012.spate\n"
	   "  spate info bunny.obj\n"
	   "  spate info out/dam_break --quick --json | python3 -m json.tool"};

// Decided by the name or by the first bytes of the file.
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

// Bytes that no text has, in a file whose name does not say that it is a scene.
static int is_unknown(const char *path)
{
	static const char *const scenes[] = {".yaml", ".yml", ".json"};
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof scenes / sizeof *scenes; i++)
		if (strcasecmp(dot, scenes[i]) == 0)
			return 0;
	unsigned char start[1024];
	FILE *file = fopen(path, "rb");
	size_t bytes = file ? fread(start, 1, sizeof start, file) : 0;
	int found = 0;
	if (file)
		fclose(file);
	for (size_t i = 0; i < bytes; i++)
		found |= start[i] < ' ' && !(start[i] >= '\t' && start[i] <= '\r');
	return found;
}

int command_info(int argc, char **argv)
{
	info_options o = {.args = {.program = argv[0], .what = "DIR or FILE"}};
	if (argp_parse(&command_info_argp, argc, argv, 0, NULL, &o))
		return EXIT_MISUSE;
	const char *path = o.args.path;
	int folder = run_path_is_folder(&o.args);
	if (folder < 0)
		return EXIT_FAILED;
	if (folder)
		return info_run(path, &o);
	if (mesh_frame_is(path))
		return info_mesh(path, &o);
	if (is_frame(path))
		return info_frame(path, &o);
	const char *dot = strrchr(path, '.');
	if (dot && strcmp(dot, ".vdb") == 0)
		return info_vdb(path, &o);
	if (info_is_particles(path))
		return info_particles(path, &o);
	if (info_is_mesh(path))
		return info_mesh(path, &o);
	if (is_unknown(path))
	{
		complain(o.args.program,
			 "%s is not a kind of file that info knows: the directory of a run, .spate, .obj, .ply, .stl, "
			 ".off, .bgeo, .vtk, .vdb, or a scene (.yaml, .yml, .json)",
			 path);
		return EXIT_FAILED;
	}
	scene_report_options scene = {.program = argv[0], .json = o.args.json, .quiet = o.args.quiet};
	return scene_report(path, &scene);
}
