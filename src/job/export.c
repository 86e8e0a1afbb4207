// The export job: reads the particles of frames and writes them in another format.
#include "spate/export.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "export/mesh_write.h"
#include "export/particle_table.h"
#include "export/particles_read.h"
#include "job/job.h"
#include "job/progress.h"
#include "spate/surface.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXPORT_FOLDER "export"

static const char radius_name[] = "radius", velocity_name[] = "velocity";

spate_export_def spate_default_export_def(void)
{
	return (spate_export_def){0};
}

typedef struct export_job
{
	const spate_export_def *def;
	const file_format *format;
	int single;         // the input is a file
	run_numbers frames; // of a run
	run_path output;    // folder of a run's files, or the file
	spate_scene scene;
	int has_scene;
	spate_export_summary done;
} export_job;

// By what particles become: the name of files, what a format must write, and what to say if it does not.
static const struct
{
	const char *stem, *what, *format;
	uint32_t content;
} kinds[] = {[SPATE_EXPORT_POINTS] = {"particles", "particles", "ply", SPATE_FORMAT_PARTICLES},
	     [SPATE_EXPORT_FOG] = {"fog", "fog volumes", "vdb", SPATE_FORMAT_FIELD},
	     [SPATE_EXPORT_LEVEL_SET] = {"levelset", "level sets", "vdb", SPATE_FORMAT_FIELD}};

static spate_result find_format(export_job *j, spate_error *error)
{
	const spate_export_def *d = j->def;
	uint32_t content = kinds[d->as].content;
	j->format = d->format                ? file_format_find(d->format)
		    : j->single && d->output ? file_format_of_path(d->output)
					     : file_format_find(kinds[d->as].format);
	if (!j->format || (j->format->about.writes & content) != content)
		return error_set(error, SPATE_INVALID, "%s can be written as %s, not as '%s'", kinds[d->as].what,
				 file_formats_writing(content, 0).text, d->format ? d->format : d->output);
	for (uint32_t c = 0; c < d->channel_count && d->as != SPATE_EXPORT_POINTS; c++)
		if (strcmp(d->channels[c], velocity_name) != 0)
			return particle_refuse(j->format->about.name, d->channels[c], "fields have velocity only",
					       error);
	return SPATE_OK;
}

// A single file goes beside its input unless the definition says otherwise.
static void default_file(export_job *j)
{
	const char *input = j->def->input, *slash = strrchr(input, '/'), *dot = strrchr(input, '.');
	size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - input) : strlen(input);
	int length =
	    snprintf(j->output.text, sizeof j->output.text, "%.*s%s", (int)stem, input, j->format->about.suffix);
	if (length < 0 || (size_t)length >= sizeof j->output.text)
		j->output.text[0] = '\0';
}

static spate_result plan_output(export_job *j, spate_error *error)
{
	const spate_export_def *d = j->def;
	if (d->output)
		snprintf(j->output.text, sizeof j->output.text, "%s", d->output);
	else if (j->single)
		default_file(j);
	else
		j->output = run_file_path(d->input, EXPORT_FOLDER);
	if (!j->output.text[0] || (d->output && strlen(d->output) >= sizeof j->output.text))
		return error_set(error, SPATE_INVALID, "`output` is too long");
	if (!j->single)
		return file_make_directory(j->output.text, error);
	const file_format *named = file_format_of_path(j->output.text);
	if (named != j->format)
		return error_set(error, SPATE_INVALID, "`output` %s does not end in %s", j->output.text,
				 j->format->about.suffix);
	if (job_is_same_file(d->input, j->output.text))
		return error_set(error, SPATE_INVALID, "`output` %s is the input itself", j->output.text);
	return SPATE_OK;
}

static spate_result list_frames(export_job *j, spate_error *error)
{
	run_numbers missing = {0};
	spate_result result = run_list_frames(j->def->input, &j->frames, error);
	if (result == SPATE_OK)
		result = job_select_frames(&j->def->job, &j->frames, &missing, &j->def->frames, j->def->input, error);
	if (result == SPATE_OK)
		job_warn_missing(&j->def->job, &missing);
	j->done.missing = (uint32_t)missing.count;
	array_free(&missing);
	return result;
}

static spate_result plan(export_job *j, spate_error *error)
{
	const spate_export_def *d = j->def;
	if (!d->input || (d->channel_count > 0 && !d->channels))
		return error_set(error, SPATE_INVALID, "`input` or `channels` is missing");
	int folder = job_is_folder(d->input, error);
	if (folder < 0)
		return SPATE_IO;
	j->single = !folder;
	if ((d->up != SPATE_EXPORT_UP_Y && d->up != SPATE_EXPORT_UP_Z) ||
	    (uint32_t)d->as >= sizeof kinds / sizeof *kinds)
		return error_set(error, SPATE_INVALID, "`up` is %d and `as` is %d; one of them is unknown", (int)d->up,
				 (int)d->as);
	if (d->cell != 0.0 && !(d->cell >= 0.1 && d->cell <= 2.0))
		return error_set(error, SPATE_INVALID, "`cell` is %g, but it must be between 0.1 and 2", d->cell);
	spate_result result = folder ? SPATE_OK : job_refuse_frames(&d->frames, d->input, error);
	if (result == SPATE_OK)
		result = find_format(j, error);
	// without a scene the files lack radius and fps, no more
	if (result == SPATE_OK)
		job_load_scene(&j->scene, &j->has_scene, d->input, j->single, NULL);
	if (result == SPATE_OK && folder)
		result = list_frames(j, error);
	return result == SPATE_OK ? plan_output(j, error) : result;
}

static int is_wanted(const spate_export_def *d, const char *name)
{
	for (uint32_t c = 0; c < d->channel_count; c++)
		if (strcmp(d->channels[c], name) == 0)
			return 1;
	return !d->channels;
}

// Half the spacing of each particle's fluid, for programs that draw balls, and for fields.
static spate_result add_radius(const export_job *j, particle_table *table, spate_error *error)
{
	const spate_world_def *world = &j->scene.world;
	const particle_column *fluid = particle_table_find(table, "fluid");
	int known = j->has_scene && world->fluid_count > 0, alike = 1;
	void *data;
	// fluids of one spacing need not be told apart
	for (uint32_t f = 1; known && f < world->fluid_count; f++)
		alike &= world->fluids[f].spacing == world->fluids[0].spacing;
	double one = known ? world->fluids[0].spacing : 0.0;
	if (known && !alike && (!fluid || fluid->type != SPATE_INT32))
		known = 0;
	// other files do not tell the spacing; a field needs one
	if (!known && j->def->as != SPATE_EXPORT_POINTS)
		one = particles_guess_spacing(table->positions, table->count);
	if (!known && !(one > 0.0))
		return SPATE_OK;
	spate_result result = particle_table_add(table, radius_name, SPATE_FLOAT, &data, error);
	float *radius = data;
	for (size_t i = 0; i < table->count && result == SPATE_OK; i++)
	{
		uint32_t of = alike || !known ? 0 : (uint32_t)((const int32_t *)fluid->data)[i];
		radius[i] = (float)(0.5 * (alike || !known           ? one
					   : of < world->fluid_count ? world->fluids[of].spacing
								     : 0.0));
	}
	return result;
}

// Reads what is wanted and what that is made from: fields need radii, and radii are found by the fluid.
static spate_result read_table(const export_job *j, particle_table *table, const char *from, spate_error *error)
{
	enum
	{
		MORE = 3
	};
	const spate_export_def *d = j->def;
	uint32_t count = 0;
	int fields = d->as != SPATE_EXPORT_POINTS, all = !d->channels && !fields;
	const char **wanted = mem_alloc((d->channel_count + MORE) * sizeof *wanted);
	if (!wanted)
		return error_memory(error, (d->channel_count + MORE) * sizeof *wanted);
	for (uint32_t c = 0; c < d->channel_count; c++)
		wanted[count++] = d->channels[c];
	if (fields && !d->channels)
		wanted[count++] = velocity_name;
	int with_radius = fields || is_wanted(d, radius_name);
	if (with_radius)
	{
		wanted[count++] = radius_name;
		wanted[count++] = "fluid";
	}
	spate_result result = particle_table_read(table, from, all ? NULL : wanted, count, error);
	mem_free(wanted);
	if (result == SPATE_OK && with_radius && !particle_table_find(table, radius_name))
		result = add_radius(j, table, error);
	if (result == SPATE_OK && !all && !is_wanted(d, "fluid"))
		particle_table_drop(table, "fluid");
	for (uint32_t c = 0; c < d->channel_count && result == SPATE_OK; c++)
		if (!particle_table_find(table, d->channels[c]))
			result = error_set(error, SPATE_MISSING, "%s has no channel '%s'", from, d->channels[c]);
	return result;
}

// The spacing of the finest particles; 0 if it is not known.
static double finest_spacing(const export_job *j, const particle_table *table)
{
	const particle_column *radius = particle_table_find(table, radius_name);
	const float *radii = radius && radius->type == SPATE_FLOAT ? radius->data : NULL;
	double finest = INFINITY;
	for (uint32_t f = 0; j->has_scene && f < j->scene.world.fluid_count; f++)
		finest = fmin(finest, j->scene.world.fluids[f].spacing);
	for (size_t i = 0; i < table->count && radii && !isfinite(finest); i++)
		finest = radii[i] > 0.0f ? 2.0 * (double)radii[i] : finest;
	return isfinite(finest) ? finest : 0.0;
}

static spate_result write_field(const export_job *j, particle_table *table, file_extras *extras, const char *from,
				const char *to, spate_error *error)
{
	const particle_column *radius = particle_table_find(table, radius_name);
	double spacing = finest_spacing(j, table);
	spate_surface_def def = spate_default_surface_def();
	spate_mesh *surface = NULL;
	if (!(spacing > 0.0) || !radius)
		return error_set(error, SPATE_INVALID,
				 "%s: the spacing of the particles is not known, which fields need; there is no scene "
				 "beside it, and there are too few particles to guess it",
				 from);
	if (j->def->cell > 0.0)
		def.cell = j->def->cell;
	def.threads = extras->threads;
	extras->cell = def.cell * spacing;
	memcpy(extras->origin, table->origin, sizeof extras->origin);
	const spate_surface_input input = {
	    .count = table->count, .positions = table->positions, .spacing = spacing, .radii = radius->data};
	spate_result result = SPATE_OK;
	if (j->def->as == SPATE_EXPORT_LEVEL_SET)
		result = spate_surface_create_mesh(&surface, &input, &def, NULL, error);
	if (result == SPATE_OK)
		result = field_write(surface, table, extras, to, error);
	spate_mesh_destroy(surface);
	return result;
}

static spate_result write_one(export_job *j, const char *from, const char *to, spate_error *error)
{
	const spate_export_def *d = j->def;
	particle_table table = {.frame = -1};
	int threads = job_threads(&d->job);
	spate_result result = read_table(j, &table, from, error);
	if (result == SPATE_OK && d->up == SPATE_EXPORT_UP_Z)
		particle_table_turn(&table, threads);
	file_extras extras = {.frame = table.frame,
			      .time = table.time,
			      .fps = j->has_scene ? j->scene.world.fps : 0.0,
			      .z_up = d->up == SPATE_EXPORT_UP_Z,
			      .note = "",
			      .threads = threads};
	if (result == SPATE_OK)
		result = d->as == SPATE_EXPORT_POINTS ? particles_write(&table, &extras, to, error)
						      : write_field(j, &table, &extras, from, to, error);
	if (result == SPATE_OK)
		j->done.particles += table.count;
	particle_table_free(&table);
	return result;
}

// OUT/fog_000012.vdb.
static run_path target_path(const export_job *j, int64_t frame)
{
	char name[64];
	snprintf(name, sizeof name, "%s_%06" PRId64 "%s", kinds[j->def->as].stem, frame, j->format->about.suffix);
	return run_file_path(j->output.text, name);
}

static spate_result write_frames(export_job *j, spate_error *error)
{
	job_progress progress;
	spate_result result = job_progress_begin(&progress, &j->def->job, "frames", (uint32_t)j->frames.count, error);
	for (size_t n = 0; n < j->frames.count && result == SPATE_OK; n++)
	{
		int64_t number = j->frames.data[n];
		run_path from = run_frame_path(j->def->input, number), to = target_path(j, number);
		spate_error trouble = {0};
		spate_result own = write_one(j, from.text, to.text, &trouble);
		// a damaged frame is skipped; a full disk, a missing channel or a lack of memory would come again
		if (own == SPATE_FORMAT)
		{
			job_warn(&j->def->job, "%s", trouble.text);
			j->done.failed++;
		}
		else if (own != SPATE_OK)
			return error_set(error, own, "%s", trouble.text);
		j->done.written += own == SPATE_OK;
		result = job_progress_step(&progress, own == SPATE_OK ? to.text : NULL, error);
	}
	return result;
}

static spate_result write_file(export_job *j, spate_error *error)
{
	job_progress progress;
	spate_result result = job_progress_begin(&progress, &j->def->job, "files", 1, error);
	if (result == SPATE_OK)
		result = write_one(j, j->def->input, j->output.text, error);
	if (result != SPATE_OK)
		return result;
	j->done.written = 1;
	return job_progress_step(&progress, j->output.text, error);
}

spate_result spate_export_run(const spate_export_def *def, spate_export_summary *summary, spate_error *error)
{
	if (!def)
		return error_set(error, SPATE_INVALID, "spate_export_run needs a definition, not NULL");
	export_job j = {.def = def};
	spate_result result = plan(&j, error);
	if (result == SPATE_OK && (j.single || !job_is_idle(&def->job, &j.frames, &def->frames)))
		result = j.single ? write_file(&j, error) : write_frames(&j, error);
	if (summary)
		*summary = j.done;
	if (j.has_scene)
		spate_scene_free(&j.scene);
	array_free(&j.frames);
	return result;
}
