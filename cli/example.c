// spate example: lists, prints and copies the scenes that come with the program.
#include "cli/arguments.h"
#include "cli/built_in_scenes.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/text.h"
#include "spate/file.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum
{
	OPTION_FORCE = 256
};

typedef struct arguments
{
	common_arguments args;
	int force;
} arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
	arguments *a = state->input;
	switch (key)
	{
	case OPTION_FORCE:
		a->force = 1;
		return 0;
	case ARGP_KEY_NO_ARGS:
		return 0;
	case ARGP_KEY_END:
		if (!a->args.path && a->args.output)
			argp_error(state, "-o needs the NAME of a scene");
		return 0;
	default:
		return common_arguments_parse(&a->args, key, value, state);
	}
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Output file (default NAME.yaml); - for stdout", 0},
    {"force", OPTION_FORCE, NULL, 0, "Overwrite existing files", 0},
    {"json", COMMON_OPTION_JSON, NULL, 0, "Print the list as one JSON object", 0},
    {"quiet", 'q', NULL, 0, "Do not list the files written", 0},
    {0}};

const struct argp command_example_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[NAME]",
    .doc = "Lists the built-in scenes or, with a NAME, writes one of them to a file, and the meshes it needs to "
	   "meshes/ next to it.\v"
	   "Examples:\n"
	   "  spate example\n"
	   "  spate example dam_break\n"
	   "  spate example faucet -o tests/my_faucet.yaml\n"
	   "  spate example wave_tank -o - | less"};

// The text of the first line after its '#'.
static void summary_of(const built_in_file *scene, char *out, size_t size)
{
	const char *start = scene->text + strspn(scene->text, "# ");
	snprintf(out, size, "%.*s", (int)strcspn(start, "\r\n"), start);
}

static int list_scenes(const arguments *a, const char *program)
{
	char summary[256];
	int column = 0;
	for (const built_in_file *s = built_in_scenes; s->name; s++)
		column = (int)strlen(s->name) + 2 > column ? (int)strlen(s->name) + 2 : column;
	if (!a->args.json)
	{
		for (const built_in_file *s = built_in_scenes; s->name; s++)
		{
			summary_of(s, summary, sizeof summary);
			report_wrapped(s->name, column, summary);
		}
		return finish_output(program);
	}
	output_text out;
	text_open(&out, program);
	FILE *json = out.stream;
	fprintf(json, "{\"scenes\":[");
	for (const built_in_file *s = built_in_scenes; s->name; s++)
	{
		summary_of(s, summary, sizeof summary);
		fprintf(json, "%s{\"name\":\"%s\",\"summary\":", s == built_in_scenes ? "" : ",", s->name);
		json_put_string(json, summary);
		fprintf(json, "}");
	}
	fprintf(json, "]}");
	return text_print(&out, program);
}

// Whether the file exists with different content.
static int differs(const char *path, const built_in_file *file)
{
	char *old = NULL;
	size_t bytes = 0;
	if (access(path, F_OK) != 0)
		return 0;
	int same = spate_file_read(path, &old, &bytes, NULL) == SPATE_OK && bytes == file->bytes &&
		   memcmp(old, file->text, bytes) == 0;
	spate_file_free(old);
	return !same;
}

static int write_file(const char *path, const built_in_file *file, const arguments *a, const char *program)
{
	spate_error error = {0};
	if (spate_file_write(path, file->text, file->bytes, &error) != SPATE_OK)
	{
		complain(program, "%s", error.text);
		return EXIT_FAILED;
	}
	if (!a->args.quiet)
		printf("wrote %s\n", path);
	return EXIT_DONE;
}

static void path_beside(char *out, size_t size, const char *scene_path, const char *name)
{
	const char *slash = strrchr(scene_path, '/');
	snprintf(out, size, "%.*s%s", slash ? (int)(slash + 1 - scene_path) : 0, scene_path, name);
}

// Whether a scene refers to a mesh, by its name or by a pattern for a four-digit number.
static int refers_to(const built_in_file *scene, const built_in_file *mesh)
{
	char pattern[256];
	const char *digits = strpbrk(mesh->name, "0123456789");
	if (strstr(scene->text, mesh->name))
		return 1;
	if (!digits || strspn(digits, "0123456789") != 4)
		return 0;
	snprintf(pattern, sizeof pattern, "%.*s%%04d%s", (int)(digits - mesh->name), mesh->name, digits + 4);
	return strstr(scene->text, pattern) != NULL;
}

// Writes the scenes that a scene includes beside it; with `writing` 0, looks whether there is something else.
static int write_included(const built_in_file *scene, const char *scene_path, const arguments *a, const char *program,
			  int writing)
{
	char path[4096], name[256];
	for (const built_in_file *other = built_in_scenes; other->name; other++)
	{
		snprintf(name, sizeof name, " %s.yaml", other->name);
		if (other == scene || !strstr(scene->text, "\ninclude:") ||
		    !strstr(strstr(scene->text, "\ninclude:"), name))
			continue;
		path_beside(path, sizeof path, scene_path, name + 1);
		if (!writing && !a->force && differs(path, other))
		{
			complain(program, "%s already exists and differs; --force overwrites it", path);
			return EXIT_FAILED;
		}
		if (writing && write_file(path, other, a, program) != EXIT_DONE)
			return EXIT_FAILED;
	}
	return EXIT_DONE;
}

// Writes the meshes of a scene to a folder beside it. Checks all files before writing any.
static int write_meshes(const built_in_file *scene, const char *scene_path, const arguments *a, const char *program)
{
	char path[4096];
	spate_error error = {0};
	for (int writing = 0; writing < 2; writing++)
		for (const built_in_file *mesh = built_in_meshes; mesh->name; mesh++)
		{
			if (!refers_to(scene, mesh))
				continue;
			path_beside(path, sizeof path, scene_path, mesh->name);
			if (!writing && !a->force && differs(path, mesh))
			{
				complain(program, "%s already exists and differs; --force overwrites it", path);
				return EXIT_FAILED;
			}
			if (!writing)
				continue;
			char folder[4096];
			snprintf(folder, sizeof folder, "%s", path);
			*strrchr(folder, '/') = '\0';
			if (spate_folder_make(folder, &error) != SPATE_OK)
			{
				complain(program, "%s", error.text);
				return EXIT_FAILED;
			}
			if (write_file(path, mesh, a, program) != EXIT_DONE)
				return EXIT_FAILED;
		}
	return EXIT_DONE;
}

static int write_scene(const built_in_file *scene, const arguments *a, const char *program)
{
	char own[128];
	snprintf(own, sizeof own, "%s.yaml", scene->name);
	const char *path = a->args.output ? a->args.output : own;
	if (strcmp(path, "-") == 0)
	{
		fwrite(scene->text, 1, scene->bytes, stdout);
		return finish_output(program);
	}
	if (!a->force && differs(path, scene))
	{
		complain(program, "%s already exists; --force overwrites it", path);
		return EXIT_FAILED;
	}
	int status = write_included(scene, path, a, program, 0);
	if (status == EXIT_DONE)
		status = write_meshes(scene, path, a, program);
	if (status == EXIT_DONE)
		status = write_included(scene, path, a, program, 1);
	if (status == EXIT_DONE)
		status = write_file(path, scene, a, program);
	int printed = finish_output(program);
	return status == EXIT_DONE ? printed : status;
}

int command_example(int argc, char **argv)
{
	arguments a = {.args = {.program = argv[0], .what = "NAME"}};
	if (argp_parse(&command_example_argp, argc, argv, 0, NULL, &a))
		return EXIT_MISUSE;
	if (!a.args.path)
		return list_scenes(&a, argv[0]);
	for (const built_in_file *s = built_in_scenes; s->name; s++)
		if (strcmp(s->name, a.args.path) == 0)
			return write_scene(s, &a, argv[0]);
	complain(argv[0], "unknown scene '%s'; 'spate example' lists the built-in scenes", a.args.path);
	return EXIT_MISUSE;
}
