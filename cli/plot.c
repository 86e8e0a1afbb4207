// spate plot: probes and statistics of a run as line plots, one picture per quantity.
#include "render/plot.h"
#include "cache/run_dir.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/report.h"
#include "job/table.h"
#include "spate/scene.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
	OPTION_COLUMNS = 256,
	OPTION_STATS,
	OPTION_X,
	OPTION_SIZE,
	OPTION_LIST,
	MAX_SERIES = 64 // per picture
};

typedef struct arguments
{
	common_arguments args;
	const char *columns, *stats, *x;
	int width, height, list;
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
		a->x = value;
		return 0;
	case OPTION_SIZE:
		if (!read_size(value, 160, IMAGE_MAX_SIZE, &a->width, &a->height))
			argp_error(state, "--size takes WIDTHxHEIGHT in pixels, each from 160 to %d, not '%s'",
				   (int)IMAGE_MAX_SIZE, value);
		return 0;
	case OPTION_LIST:
		a->list = 1;
		return 0;
	case ARGP_KEY_END:
		if (a->columns && a->stats)
			argp_error(state, "--columns and --stats cannot be combined");
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
	   "  spate plot out/dam_break --list"};

// --------------------------------------------------------------------------------------------------- names and units

// The quantity of a column, and its unit.
typedef struct quantity
{
	char name[96];
	const char *unit;
} quantity;

static const struct
{
	const char *name, *quantity, *unit; // the name may end in '*'
} quantities[] = {
    {"density", "density", "kg/m^3"},
    {"pressure", "pressure", "Pa"},
    {"velocity_*", "velocity", "m/s"},
    {"height", "height", "m"},
    {"front", "front", "m"},
    {"flux", "flux", "m^3/s"},
    {"time", "time", "s"},
    {"dt", "dt", "s"},
    {"kinetic_energy", "energy", "J"},
    {"potential_energy", "energy", "J"},
    {"density_error_*", "density error", ""},
    {"momentum.*", "momentum", "kg m/s"},
    {"angular_momentum.*", "angular momentum", "kg m^2/s"},
    {"speed_max", "speed", "m/s"},
    {"ms.*", "time per step", "ms"},
    {"ms_*", "time per step", "ms"},
    {"list_bytes", "memory", "bytes"},
    {"rss_bytes", "memory", "bytes"},
};

static int matches(const char *name, const char *pattern)
{
	size_t length = strlen(pattern);
	return pattern[length - 1] == '*' ? strncmp(name, pattern, length - 1) == 0 : strcmp(name, pattern) == 0;
}

// "gauge.height" is a height; a column that is not in the table is its own quantity.
static quantity quantity_of(const char *column, int probes)
{
	const char *dot = strrchr(column, '.'), *name = probes && dot ? dot + 1 : column;
	quantity q = {.unit = ""};
	for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
		if (matches(name, quantities[i].name))
		{
			snprintf(q.name, sizeof q.name, "%s", quantities[i].quantity);
			q.unit = quantities[i].unit;
			return q;
		}
	snprintf(q.name, sizeof q.name, "%.90s", name);
	return q;
}

static int is_axis(const char *name)
{
	return strcmp(name, "frame") == 0 || strcmp(name, "time") == 0 || strcmp(name, "step") == 0;
}

// ------------------------------------------------------------------------------------------------------------- listing

static void list_columns(const number_table *t, const char *file, int probes, buffer *json, int *any)
{
	for (size_t c = 0; c < t->columns.count; c++)
	{
		const char *name = t->columns.data[c].name;
		if (is_axis(name))
			continue;
		const char *unit = quantity_of(name, probes).unit;
		if (json)
		{
			buffer_add(json, "%s{\"name\":", *any ? "," : "");
			buffer_add_quoted(json, name);
			buffer_add(json, ",\"unit\":\"%s\",\"file\":\"%s\",\"rows\":%zu}", unit, file, t->rows);
		}
		else
			printf("%-12s %-28s %s\n", file, name, unit);
		*any = 1;
	}
}

static int list_all(const arguments *a, const char *program)
{
	static const char *const files[] = {RUN_PROBES, RUN_STATS};
	buffer json = {0};
	int any = 0;
	if (a->args.json)
		buffer_add(&json, "{\"columns\":[");
	for (int f = 0; f < 2; f++)
	{
		run_path path = run_file_path(a->args.path, files[f]);
		number_table t;
		spate_error error = {0};
		if (access(path.text, F_OK) != 0)
			continue;
		spate_result result =
		    f == 0 ? table_read_csv(&t, path.text, &error) : table_read_jsonl(&t, path.text, &error);
		if (result != SPATE_OK)
		{
			buffer_free(&json);
			complain(program, "%s", error.text);
			return EXIT_FAILED;
		}
		list_columns(&t, files[f], f == 0, a->args.json ? &json : NULL, &any);
		table_free(&t);
	}
	if (a->args.json)
	{
		buffer_add(&json, "]}");
		return json_print(&json, program);
	}
	if (any)
		return finish_output(program);
	complain(program, "%s has neither %s nor %s with columns", a->args.path, RUN_PROBES, RUN_STATS);
	return EXIT_FAILED;
}

// ------------------------------------------------------------------------------------------------------------ plotting

typedef struct job
{
	const arguments *a;
	const char *program, *file;
	int probes;
	number_table table;
	ARRAY(const table_column *) chosen;
	char title[128];
} job;

// Selects the named columns, or all. Returns the exit code.
static int choose(job *j, const char *names)
{
	const number_table *t = &j->table;
	for (size_t c = 0; c < t->columns.count && !names; c++)
		if (!is_axis(t->columns.data[c].name) && !array_push(&j->chosen, &t->columns.data[c]))
			return complain(j->program, "out of memory"), EXIT_FAILED;
	for (const char *next = names; next;)
	{
		char name[96];
		size_t length = strcspn(next, ",");
		snprintf(name, sizeof name, "%.*s", (int)(length < 95 ? length : 95), next);
		next = next[length] ? next + length + 1 : NULL;
		const table_column *column = table_find(t, name);
		if (!column)
		{
			complain(j->program, "%s has no column '%s'; --list prints the columns", j->file, name);
			return EXIT_MISUSE;
		}
		if (!array_push(&j->chosen, column))
			return complain(j->program, "out of memory"), EXIT_FAILED;
	}
	if (j->chosen.count > 0)
		return EXIT_DONE;
	complain(j->program, "%s has no columns to plot", j->file);
	return EXIT_FAILED;
}

// Draws one picture of the columns from `first` on that have the same quantity.
static int draw_group(const job *j, size_t first)
{
	const table_column *x = table_find(&j->table, j->a->x);
	quantity q = quantity_of(j->chosen.data[first]->name, j->probes);
	plot_series series[MAX_SERIES];
	int count = 0;
	for (size_t c = first; c < j->chosen.count && count < MAX_SERIES; c++)
	{
		const table_column *column = j->chosen.data[c];
		if (strcmp(quantity_of(column->name, j->probes).name, q.name) == 0)
			series[count++] = (plot_series){.name = column->name,
							.x = x->values.data,
							.y = column->values.data,
							.count = j->table.rows,
							.markers = j->table.rows < 40};
	}
	char y_label[160], name[128];
	snprintf(y_label, sizeof y_label, *q.unit ? "%s (%s)" : "%s%s", q.name, q.unit);
	plot_settings settings = plot_default_settings();
	settings.width = j->a->width;
	settings.height = j->a->height;
	settings.title = j->title;
	settings.x_label = strcmp(j->a->x, "time") == 0 ? "time (s)" : "frame";
	settings.y_label = y_label;

	// "density error" becomes plot_density_error.png
	snprintf(name, sizeof name, "plot_%s.png", q.name);
	for (char *c = name; *c; c++)
		if (*c == ' ' || *c == '/')
			*c = '_';
	run_path own = run_file_path(j->a->args.path, name);
	const char *path = j->a->args.output ? j->a->args.output : own.text;
	spate_error error = {0};
	if (plot_write_png(&settings, series, count, path, &error) != SPATE_OK)
	{
		complain(j->program, "%s", error.text);
		return EXIT_FAILED;
	}
	if (!j->a->args.quiet)
		printf("wrote %s\n", path);
	return EXIT_DONE;
}

static int draw_all(const job *j)
{
	int status = EXIT_DONE;
	quantity start = quantity_of(j->chosen.data[0]->name, j->probes);
	for (size_t c = 0; c < j->chosen.count; c++)
	{
		quantity q = quantity_of(j->chosen.data[c]->name, j->probes);
		if (j->a->args.output && strcmp(q.name, start.name) != 0)
		{
			complain(j->program,
				 "%s and %s are different quantities; with -o, choose --columns of one quantity",
				 j->chosen.data[0]->name, j->chosen.data[c]->name);
			return EXIT_MISUSE;
		}
	}
	for (size_t c = 0; c < j->chosen.count && status == EXIT_DONE; c++)
	{
		int seen = 0;
		for (size_t before = 0; before < c && !seen; before++)
			seen = strcmp(quantity_of(j->chosen.data[before]->name, j->probes).name,
				      quantity_of(j->chosen.data[c]->name, j->probes).name) == 0;
		if (!seen)
			status = draw_group(j, c);
	}
	return status == EXIT_DONE ? finish_output(j->program) : status;
}

// The scene's name, or the directory's when there is no scene to read.
static void find_title(job *j)
{
	spate_scene scene;
	spate_problems problems = {0};
	run_path path = run_file_path(j->a->args.path, RUN_SCENE);
	int loaded = spate_scene_load(&scene, path.text, NULL, 0, &problems, NULL) == SPATE_OK;
	snprintf(j->title, sizeof j->title, "%.127s", loaded ? scene.name : j->a->args.path);
	spate_problems_free(&problems);
	spate_scene_free(&scene);
}

static int plot_run(job *j)
{
	run_path path = run_file_path(j->a->args.path, j->file);
	spate_error error = {0};
	spate_result result =
	    j->probes ? table_read_csv(&j->table, path.text, &error) : table_read_jsonl(&j->table, path.text, &error);
	if (result == SPATE_MISSING && j->probes)
		complain(j->program, "%s has no %s; does its scene have probes? (--stats plots statistics)",
			 j->a->args.path, j->file);
	else if (result != SPATE_OK)
		complain(j->program, "%s", error.text);
	else if (j->table.rows == 0)
		complain(j->program, "%s has no rows yet", path.text);
	else if (!table_find(&j->table, j->a->x))
		complain(j->program, "%s has no column '%s'", path.text, j->a->x);
	else
	{
		find_title(j);
		int status = choose(j, j->probes ? j->a->columns : j->a->stats);
		return status == EXIT_DONE ? draw_all(j) : status;
	}
	return EXIT_FAILED;
}

int command_plot(int argc, char **argv)
{
	arguments a = {.args = {.program = argv[0], .what = "DIR"}, .x = "time", .width = 960, .height = 600};
	if (argp_parse(&command_plot_argp, argc, argv, 0, NULL, &a))
		return EXIT_MISUSE;
	struct stat found;
	if (stat(a.args.path, &found) != 0 || !S_ISDIR(found.st_mode))
	{
		complain(argv[0], "%s does not exist", a.args.path);
		return EXIT_FAILED;
	}
	if (a.list)
		return list_all(&a, argv[0]);
	job j = {.a = &a, .program = argv[0], .probes = !a.stats, .file = a.stats ? RUN_STATS : RUN_PROBES};
	int status = plot_run(&j);
	array_free(&j.chosen);
	table_free(&j.table);
	return status;
}
