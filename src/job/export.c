// The export job: reads the particles of frames and writes them in another format.
#include "spate/export.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "export/mesh_write.h"
#include "export/particle_table.h"
#include "job/job.h"
#include "job/progress.h"

#include <stdio.h>
#include <string.h>

#define EXPORT_FOLDER "export"

static const char radius_name[] = "radius";

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

static spate_result find_format(export_job *j, spate_error *error)
{
	const spate_export_def *d = j->def;
	j->format = d->format                ? file_format_find(d->format)
		    : j->single && d->output ? file_format_of_path(d->output)
					     : file_format_find("ply");
	if (j->format && j->format->about.writes & SPATE_FORMAT_PARTICLES)
		return SPATE_OK;
	return error_set(error, SPATE_INVALID, "particles can be written as %s, not as '%s'",
			 file_formats_writing(SPATE_FORMAT_PARTICLES, 0).text, d->format ? d->format : d->output);
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
	if (d->up != SPATE_EXPORT_UP_Y && d->up != SPATE_EXPORT_UP_Z)
		return error_set(error, SPATE_INVALID, "`up` is %d, which is no axis", (int)d->up);
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

// Half the spacing of each particle's fluid, for programs that draw balls.
static spate_result add_radius(const export_job *j, particle_table *table, spate_error *error)
{
	const spate_world_def *world = &j->scene.world;
	const particle_column *fluid = particle_table_find(table, "fluid");
	void *data;
	if (!j->has_scene || !is_wanted(j->def, radius_name) || particle_table_find(table, radius_name))
		return SPATE_OK;
	// fluids of one spacing need not be told apart
	int alike = 1;
	for (uint32_t f = 1; f < world->fluid_count; f++)
		alike &= world->fluids[f].spacing == world->fluids[0].spacing;
	if (world->fluid_count == 0 || (!alike && (!fluid || fluid->type != SPATE_INT32)))
		return SPATE_OK;
	spate_result result = particle_table_add(table, radius_name, SPATE_FLOAT, &data, error);
	float *radius = data;
	for (size_t i = 0; i < table->count && result == SPATE_OK; i++)
	{
		uint32_t of = alike ? 0 : (uint32_t)((const int32_t *)fluid->data)[i];
		radius[i] = of < world->fluid_count ? (float)(0.5 * world->fluids[of].spacing) : 0.0f;
	}
	return result;
}

// The fluid is read to find the radius by, even if nobody wants to see it.
static spate_result read_table(const export_job *j, particle_table *table, const char *from, spate_error *error)
{
	const spate_export_def *d = j->def;
	uint32_t count = d->channel_count;
	const char **wanted = d->channels ? mem_alloc((count + 1u) * sizeof *wanted) : NULL;
	if (d->channels && !wanted)
		return error_memory(error, (count + 1u) * sizeof *wanted);
	for (uint32_t c = 0; c < count; c++)
		wanted[c] = d->channels[c];
	if (wanted && is_wanted(d, radius_name))
		wanted[count++] = "fluid";
	spate_result result = particle_table_read(table, from, wanted, count, error);
	mem_free(wanted);
	if (result == SPATE_OK)
		result = add_radius(j, table, error);
	if (result == SPATE_OK && !is_wanted(d, "fluid"))
		particle_table_drop(table, "fluid");
	for (uint32_t c = 0; c < d->channel_count && result == SPATE_OK; c++)
		if (!particle_table_find(table, d->channels[c]))
			result = error_set(error, SPATE_MISSING, "%s has no channel '%s'", from, d->channels[c]);
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
		result = particles_write(&table, &extras, to, error);
	if (result == SPATE_OK)
		j->done.particles += table.count;
	particle_table_free(&table);
	return result;
}

static spate_result write_frames(export_job *j, spate_error *error)
{
	job_progress progress;
	spate_result result = job_progress_begin(&progress, &j->def->job, "frames", (uint32_t)j->frames.count, error);
	for (size_t n = 0; n < j->frames.count && result == SPATE_OK; n++)
	{
		int64_t number = j->frames.data[n];
		run_path from = run_frame_path(j->def->input, number),
			 to = run_particles_path(j->output.text, number, j->format->about.suffix);
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
