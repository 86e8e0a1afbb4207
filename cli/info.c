// spate info: describes a file or the directory of a run.
#include "cli/info.h"

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/scene_report.h"

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

static int show_progress(void *context, const spate_job_progress *p)
{
	progress *line = context;
	if (line->total == 0)
		line->total = p->total;
	progress_update(line, p->done);
	return 0;
}

static int print_unknown(const info_options *o)
{
	complain(o->args.program,
		 "%s is not a kind of file that info knows: the directory of a run, .spate, .obj, .ply, .stl, "
		 ".off, .bgeo, .vtk, .vdb, or a scene (.yaml, .yml, .json)",
		 o->args.path);
	return EXIT_FAILED;
}

static int print(const spate_info *info, const info_options *o)
{
	scene_report_options scene = {.program = o->args.program, .json = o->args.json, .quiet = o->args.quiet};
	switch (info->kind)
	{
	case SPATE_INFO_RUN:
		return info_print_run(info, o);
	case SPATE_INFO_FRAME:
		return info_print_frame(&info->frame, o);
	case SPATE_INFO_MESH:
		return info_print_mesh(&info->mesh, o);
	case SPATE_INFO_FIELD:
		return info_print_field(&info->field, o);
	case SPATE_INFO_PARTICLES:
		return info_print_particles(&info->particles, o);
	case SPATE_INFO_SCENE:
		return scene_report(o->args.path, &scene);
	default:
		return print_unknown(o);
	}
}

int command_info(int argc, char **argv)
{
	info_options o = {.args = {.program = argv[0], .what = "DIR or FILE"}};
	if (argp_parse(&command_info_argp, argc, argv, 0, NULL, &o))
		return EXIT_MISUSE;
	progress line = progress_begin(argv[0], "files", 0, o.args.quiet, 0);
	spate_info_def def = spate_default_info_def();
	spate_info info;
	spate_error error = {0};
	def.path = o.args.path;
	def.quick = o.quick;
	def.job.handler = show_progress;
	def.job.context = &line;
	spate_result result = spate_info_read(&def, &info, &error);
	progress_clear(&line);
	if (result != SPATE_OK)
	{
		complain(argv[0], "%s", error.text);
		return EXIT_FAILED;
	}
	int status = print(&info, &o);
	spate_info_free(&info);
	return status;
}
