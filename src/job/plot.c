// The plot job: reads columns of a run's tables, groups them by quantity and draws one picture of each.
#include "spate/plot.h"
#include "base/error.h"
#include "job/job.h"
#include "job/progress.h"
#include "job/table.h"
#include "render/plot.h"
#include "world/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
	MAX_SERIES = 64 // per picture
};

spate_plot_def spate_default_plot_def(void)
{
	return (spate_plot_def){.width = 960, .height = 600};
}

// --------------------------------------------------------------------------------------------------- names and units

// The quantity of a column, and its unit.
typedef struct quantity
{
	char name[96];
	const char *unit;
} quantity;

static const struct
{
	const char *name, *quantity, *unit; // the name may end in '*'; without a unit, the quantity is a field
} quantities[] = {
    {"density", "density", NULL},
    {"pressure", "pressure", NULL},
    {"velocity_*", "velocity", NULL},
    {"height", "height", "m"},
    {"front", "front", "m"},
    {"flux", "flux", "m^3/s"},
    {"force_*", "force", "N"},
    {"pressure_force_*", "force", "N"},
    {"friction_force_*", "force", "N"},
    {"torque_*", "torque", "N m"},
    {"pressure_torque_*", "torque", "N m"},
    {"friction_torque_*", "torque", "N m"},
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
static quantity quantity_of(const char *column, spate_plot_source source)
{
	const char *dot = strrchr(column, '.'), *name = source == SPATE_PLOT_PROBES && dot ? dot + 1 : column;
	quantity q = {.unit = ""};
	for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
		if (matches(name, quantities[i].name))
		{
			snprintf(q.name, sizeof q.name, "%s", quantities[i].quantity);
			q.unit = quantities[i].unit ? quantities[i].unit : world_field_unit(quantities[i].quantity);
			return q;
		}
	snprintf(q.name, sizeof q.name, "%.90s", name);
	return q;
}

static int is_axis(const char *name)
{
	return strcmp(name, "frame") == 0 || strcmp(name, "time") == 0 || strcmp(name, "step") == 0;
}

// --------------------------------------------------------------------------------------------------------------- files

typedef spate_result table_reader(number_table *t, const char *path, spate_error *error);

static const struct
{
	const char *file;
	table_reader *read;
} sources[] = {
    [SPATE_PLOT_PROBES] = {RUN_PROBES, table_read_csv},
    [SPATE_PLOT_STATS] = {RUN_STATS, table_read_jsonl},
};

enum
{
	SOURCES = sizeof sources / sizeof *sources
};

static spate_result check_directory(const char *input, spate_error *error)
{
	return input && job_is_folder(input, NULL) > 0
		   ? SPATE_OK
		   : error_set(error, SPATE_MISSING, "%s does not exist", input ? input : "`input`");
}

typedef ARRAY(spate_plot_column) column_list;

static spate_result list_columns(column_list *list, const char *input, spate_plot_source source, spate_error *error)
{
	number_table t;
	run_path path = run_file_path(input, sources[source].file);
	if (access(path.text, F_OK) != 0)
		return SPATE_OK;
	spate_result result = sources[source].read(&t, path.text, error);
	if (result != SPATE_OK)
		return result;
	for (size_t c = 0; c < t.columns.count && result == SPATE_OK; c++)
	{
		const char *name = t.columns.data[c].name;
		spate_plot_column column = {.source = source,
					    .file = sources[source].file,
					    .unit = quantity_of(name, source).unit,
					    .rows = t.rows};
		snprintf(column.name, sizeof column.name, "%s", name);
		if (!is_axis(name) && !array_push(list, column))
			result = error_memory(error, sizeof column);
	}
	table_free(&t);
	return result;
}

spate_result spate_plot_columns(const char *input, spate_plot_column **columns, uint32_t *count, spate_error *error)
{
	column_list list = {0};
	*columns = NULL;
	*count = 0;
	spate_result result = check_directory(input, error);
	for (int source = 0; source < SOURCES && result == SPATE_OK; source++)
		result = list_columns(&list, input, (spate_plot_source)source, error);
	if (result != SPATE_OK)
	{
		array_free(&list);
		return result;
	}
	*columns = list.data;
	*count = (uint32_t)list.count;
	return SPATE_OK;
}

void spate_plot_columns_free(spate_plot_column *columns)
{
	mem_free(columns);
}

// ------------------------------------------------------------------------------------------------------------ plotting

typedef struct plot_job
{
	const spate_plot_def *def;
	const char *file;
	number_table table;
	const table_column *x;
	ARRAY(const table_column *) chosen;
	ARRAY(size_t) groups; // first column of each quantity, among the chosen
	char title[128];
} plot_job;

static const char *axis_name(const plot_job *j)
{
	return j->def->x == SPATE_PLOT_TIME ? "time" : "frame";
}

static quantity chosen_quantity(const plot_job *j, size_t c)
{
	return quantity_of(j->chosen.data[c]->name, j->def->source);
}

static spate_result check_def(const spate_plot_def *d, spate_error *error)
{
	if ((unsigned)d->source >= SOURCES || (unsigned)d->x > SPATE_PLOT_FRAME)
		return error_set(error, SPATE_INVALID, "`source` or `x` is not in its list");
	if (d->width < SPATE_PLOT_MIN_SIZE || d->width > SPATE_PLOT_MAX_SIZE || d->height < SPATE_PLOT_MIN_SIZE ||
	    d->height > SPATE_PLOT_MAX_SIZE)
		return error_set(error, SPATE_INVALID, "`width` and `height` must be from %d to %d pixels",
				 SPATE_PLOT_MIN_SIZE, SPATE_PLOT_MAX_SIZE);
	spate_result result = spate_job_frames_check(&(spate_job_frames){.list = d->frames}, error);
	if (result != SPATE_OK)
		return result;
	return check_directory(d->input, error);
}

// The scene's name, or the directory's when there is no scene to read.
static void find_title(plot_job *j)
{
	spate_scene scene = {0};
	int found;
	job_load_scene(&scene, &found, j->def->input, 0, NULL);
	snprintf(j->title, sizeof j->title, "%.127s", found ? scene.name : j->def->input);
	spate_scene_free(&scene);
}

static spate_result read_table(plot_job *j, spate_error *error)
{
	const spate_plot_def *d = j->def;
	run_path path = run_file_path(d->input, j->file);
	spate_result result = sources[d->source].read(&j->table, path.text, error);
	if (result == SPATE_MISSING && d->source == SPATE_PLOT_PROBES)
		return error_set(error, result,
				 "%s has no %s; does its scene have probes? (`SPATE_PLOT_STATS` plots statistics)",
				 d->input, j->file);
	if (result != SPATE_OK)
		return result;
	if (j->table.rows == 0)
		return error_set(error, SPATE_MISSING, "%s has no rows yet", path.text);
	j->x = table_find(&j->table, axis_name(j));
	if (!j->x)
		return error_set(error, SPATE_FORMAT, "%s has no column '%s'", path.text, axis_name(j));
	return SPATE_OK;
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

// The frames that the rows are of, each once; rows come in their order.
static spate_result list_frames(const table_column *frame, run_numbers *frames, spate_error *error)
{
	for (size_t row = 0; row < frame->values.count; row++)
	{
		double number = frame->values.data[row];
		if (number >= 0.0 && (frames->count == 0 || (double)frames->data[frames->count - 1] < number) &&
		    !array_push(frames, (int64_t)number))
			return error_memory(error, (frames->count + 1) * sizeof *frames->data);
	}
	return SPATE_OK;
}

static void keep_rows(number_table *t, const table_column *frame, const run_numbers *frames)
{
	size_t kept = 0;
	for (size_t row = 0; row < t->rows; row++)
	{
		int64_t number = frame->values.data[row] >= 0.0 ? (int64_t)frame->values.data[row] : -1;
		if (!bsearch(&number, frames->data, frames->count, sizeof number, compare_numbers))
			continue;
		for (size_t c = 0; c < t->columns.count; c++)
			t->columns.data[c].values.data[kept] = t->columns.data[c].values.data[row];
		kept++;
	}
	t->rows = kept;
}

// Leaves the rows of the frames that are asked for.
static spate_result choose_frames(plot_job *j, spate_error *error)
{
	const spate_plot_def *d = j->def;
	const table_column *frame = table_find(&j->table, "frame");
	if (!d->frames)
		return SPATE_OK;
	if (!frame)
		return error_set(error, SPATE_FORMAT, "%s has no column 'frame'", j->file);
	run_numbers frames = {0}, missing = {0};
	spate_result result = list_frames(frame, &frames, error);
	if (result == SPATE_OK)
		result = job_select_frames(&d->job, &frames, &missing, &(spate_job_frames){.list = d->frames}, j->file,
					   error);
	if (result == SPATE_OK)
	{
		job_warn_missing(&d->job, &missing);
		keep_rows(&j->table, frame, &frames);
	}
	array_free(&frames);
	array_free(&missing);
	return result;
}

static spate_result choose(plot_job *j, const table_column *column, spate_error *error)
{
	return array_push(&j->chosen, column) ? SPATE_OK : error_memory(error, sizeof column);
}

// Selects the named columns, or all.
static spate_result choose_columns(plot_job *j, spate_error *error)
{
	const spate_plot_def *d = j->def;
	const number_table *t = &j->table;
	spate_result result = SPATE_OK;
	for (size_t c = 0; c < t->columns.count && !d->column_count && result == SPATE_OK; c++)
		if (!is_axis(t->columns.data[c].name))
			result = choose(j, &t->columns.data[c], error);
	for (uint32_t n = 0; n < d->column_count && result == SPATE_OK; n++)
	{
		const table_column *column = table_find(t, d->columns[n]);
		if (!column)
			return error_set(error, SPATE_INVALID,
					 "%s has no column '%s'; `spate_plot_columns()` shows the columns", j->file,
					 d->columns[n]);
		result = choose(j, column, error);
	}
	if (result == SPATE_OK && j->chosen.count == 0)
		return error_set(error, SPATE_MISSING, "%s has no columns to plot", j->file);
	return result;
}

// Finds the quantities of the chosen columns. A single picture takes one.
static spate_result group_columns(plot_job *j, spate_error *error)
{
	for (size_t c = 0; c < j->chosen.count; c++)
	{
		quantity own = chosen_quantity(j, c);
		int seen = 0;
		for (size_t g = 0; g < j->groups.count && !seen; g++)
			seen = strcmp(chosen_quantity(j, j->groups.data[g]).name, own.name) == 0;
		if (!seen && j->groups.count > 0 && j->def->output)
			return error_set(
			    error, SPATE_INVALID,
			    "%s and %s are different quantities; with `output`, choose `columns` of one quantity",
			    j->chosen.data[0]->name, j->chosen.data[c]->name);
		if (!seen && !array_push(&j->groups, c))
			return error_memory(error, sizeof c);
	}
	return SPATE_OK;
}

// "density error" becomes plot_density_error.png.
static run_path picture_path(const plot_job *j, const quantity *q)
{
	run_path path = {{0}};
	char name[128];
	if (j->def->output)
	{
		snprintf(path.text, sizeof path.text, "%s", j->def->output);
		return path;
	}
	snprintf(name, sizeof name, "plot_%s.png", q->name);
	for (char *c = name; *c; c++)
		if (*c == ' ' || *c == '/')
			*c = '_';
	return run_file_path(j->def->input, name);
}

// Draws one picture of the columns from `first` on that have the same quantity.
static spate_result draw_group(const plot_job *j, size_t first, run_path *path, spate_error *error)
{
	quantity q = chosen_quantity(j, first);
	plot_series series[MAX_SERIES];
	int count = 0;
	for (size_t c = first; c < j->chosen.count && count < MAX_SERIES; c++)
	{
		const table_column *column = j->chosen.data[c];
		if (strcmp(chosen_quantity(j, c).name, q.name) == 0)
			series[count++] = (plot_series){.name = column->name,
							.x = j->x->values.data,
							.y = column->values.data,
							.count = j->table.rows,
							.markers = j->table.rows < 40};
	}
	char y_label[160];
	snprintf(y_label, sizeof y_label, *q.unit ? "%s (%s)" : "%s%s", q.name, q.unit);
	plot_settings settings = plot_default_settings();
	settings.width = j->def->width;
	settings.height = j->def->height;
	settings.title = j->title;
	settings.x_label = j->def->x == SPATE_PLOT_TIME ? "time (s)" : "frame";
	settings.y_label = y_label;
	*path = picture_path(j, &q);
	return plot_write_png(&settings, series, count, path->text, error);
}

static spate_result draw_all(const plot_job *j, uint32_t *pictures, spate_error *error)
{
	job_progress progress;
	spate_result result = job_progress_begin(&progress, &j->def->job, "pictures", (uint32_t)j->groups.count, error);
	for (size_t g = 0; g < j->groups.count && result == SPATE_OK; g++)
	{
		run_path path;
		result = draw_group(j, j->groups.data[g], &path, error);
		if (result != SPATE_OK)
			break;
		++*pictures;
		result = job_progress_step(&progress, path.text, error);
	}
	return result;
}

spate_result spate_plot_run(const spate_plot_def *def, uint32_t *pictures, spate_error *error)
{
	uint32_t ignored;
	pictures = pictures ? pictures : &ignored;
	*pictures = 0;
	spate_result result = check_def(def, error);
	if (result != SPATE_OK)
		return result;
	plot_job j = {.def = def, .file = sources[def->source].file};
	result = read_table(&j, error);
	if (result == SPATE_OK)
		result = choose_frames(&j, error);
	if (result == SPATE_OK)
		result = choose_columns(&j, error);
	if (result == SPATE_OK)
		result = group_columns(&j, error);
	if (result == SPATE_OK)
	{
		find_title(&j);
		result = draw_all(&j, pictures, error);
	}
	array_free(&j.chosen);
	array_free(&j.groups);
	table_free(&j.table);
	return result;
}
