// Makes the meshes of all frames, one frame after the other.
#include "job/mesh_job.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

// What the meshes of a frame are made from, as a number.
static spate_result hash_source(mesh_job *j, size_t n, uint64_t *source, spate_error *error)
{
	return j->def->marks ? mesh_marks_hash(j, n, source, error)
			     : particles_hash(mesh_job_source(j, n).text, source, error);
}

// Fails if a target was made with other settings, or is the particle file itself.
static spate_result check_target(const mesh_job *j, size_t n, const mesh_part *part, uint64_t source,
				 spate_error *error)
{
	run_path target = mesh_job_target(j, n, part, j->suffix);
	if (job_is_same_file(target.text, mesh_job_source(j, n).text))
		return error_set(error, SPATE_INVALID, "%s is the input file; choose another name with `output`",
				 target.text);
	mesh_note note = mesh_note_make(j, part, source);
	if (j->def->overwrite || mesh_look(j, n, part, &note) != MESH_OTHER)
		return SPATE_OK;
	return error_set(error, SPATE_EXISTS,
			 "%s was made with other settings; `overwrite` replaces it, `output` writes elsewhere",
			 target.text);
}

// Runs before anything is written.
static spate_result check_targets(mesh_job *j, spate_error *error)
{
	spate_result result =
	    job_progress_prepare(&j->progress, &j->def->job, "frames", (uint32_t)j->frames.count, error);
	for (size_t n = 0; n < j->frames.count && result == SPATE_OK; n++)
	{
		uint64_t source = 0;
		// a frame that cannot be read is named when its turn comes
		if (!j->single && !j->def->overwrite)
			hash_source(j, n, &source, NULL);
		for (size_t p = 0; p < j->parts.count && result == SPATE_OK; p++)
			result = check_target(j, n, &j->parts.data[p], source, error);
		if (result == SPATE_OK)
			result = job_progress_poll(&j->progress, NULL, error);
	}
	mesh_marks_rewind(&j->history);
	return result;
}

spate_result mesh_keep(mesh_job *j, const mesh_row *row, spate_error *error)
{
	spate_mesh_made made = row->made;
	made.path = mem_strdup(row->path.text);
	if (made.path && array_push(&j->made, made))
		return SPATE_OK;
	mem_free(made.path);
	return error_memory(error, sizeof made + strlen(row->path.text) + 1);
}

// The file finished last.
static const char *last_path(const mesh_job *j)
{
	return j->made.count > 0 ? j->made.data[j->made.count - 1].path : NULL;
}

// Makes the parts of a frame one by one. The particles are read once for all parts, and only if a part is missing.
static spate_result make_parts(mesh_job *j, size_t n, uint64_t source, spate_error *error)
{
	particle_set set = {0};
	spate_result result = SPATE_OK;
	for (size_t p = 0; p < j->parts.count && result == SPATE_OK; p++)
	{
		mesh_part *part = &j->parts.data[p];
		mesh_note note = mesh_note_make(j, part, source);
		mesh_row row = {.made = {.frame = j->frames.data[n]}};
		double begin = job_clock();
		if (p > 0 && (result = job_progress_poll(&j->progress, last_path(j), error)) != SPATE_OK)
			break;
		if (mesh_is_done(j, n, part, &note))
			continue;
		if (!set.points && !j->def->marks)
			result = mesh_read_particles(j, n, &set, error);
		if (result == SPATE_OK)
			result = j->def->marks ? mesh_marks_make(j, n, &note, &row, error)
					       : mesh_make(j, n, part, &set, &note, &row, error);
		row.made.seconds = job_clock() - begin;
		if (result == SPATE_OK)
			result = mesh_keep(j, &row, error);
	}
	particles_free(&set);
	return result;
}

// Makes the meshes of one frame. A frame that is damaged is skipped, because the next one may be good.
static spate_result mesh_frame(mesh_job *j, size_t n, spate_error *error)
{
	uint64_t source = 0;
	spate_error why = {0};
	spate_result result = hash_source(j, n, &source, &why);
	if (result == SPATE_OK)
		result = j->def->interfaces != SPATE_MESH_INTERFACES_NONE ? mesh_make_many(j, n, source, &why)
									  : make_parts(j, n, source, &why);
	if (result == SPATE_OK || result == SPATE_CANCELLED)
		return result == SPATE_OK ? result : error_set(error, result, "%s", why.text);
	j->failed++;
	int damaged = result == SPATE_FORMAT || result == SPATE_MISSING || result == SPATE_RANGE;
	if (j->single || !damaged)
		return error_set(error, result, "%s", why.text);
	job_warn(&j->def->job, "frame skipped: %s", why.text);
	return SPATE_OK;
}

static spate_result mesh_frames(mesh_job *j, spate_error *error)
{
	job_warn_missing(&j->def->job, &j->missing);
	// again, because the time left is that of meshes
	spate_result result =
	    job_progress_begin(&j->progress, &j->def->job, "frames", (uint32_t)j->frames.count, error);
	for (size_t n = 0; n < j->frames.count && result == SPATE_OK; n++)
	{
		result = mesh_frame(j, n, error);
		if (result == SPATE_OK)
			result = job_progress_step(&j->progress, last_path(j), error);
	}
	return result;
}

// Moves the results to the caller.
static spate_result sum_up(mesh_job *j, spate_mesh_job_summary *summary, spate_error *error)
{
	summary->made = j->made.data;
	summary->made_count = (uint32_t)j->made.count;
	j->made.data = NULL;
	j->made.count = j->made.capacity = 0;
	summary->frames = (uint32_t)j->frames.count;
	summary->skipped = j->skipped;
	summary->outdated = j->outdated;
	summary->failed = j->failed;
	summary->missing = (uint32_t)j->missing.count;
	summary->suffix = j->suffix;
	if (!j->single && !(summary->folder = mem_strdup(j->folder.text)))
		return error_memory(error, strlen(j->folder.text) + 1);
	return SPATE_OK;
}

spate_result spate_mesh_job_run(const spate_mesh_job_def *def, spate_mesh_job_summary *summary, spate_error *error)
{
	mesh_job j;
	spate_mesh_job_summary ignored;
	spate_mesh_job_summary *out = summary ? summary : &ignored;
	*out = (spate_mesh_job_summary){0};
	spate_result result = mesh_job_open(&j, def, error);
	int idle = result == SPATE_OK && job_is_idle(&def->job, &j.frames, &def->frames);
	if (result == SPATE_OK && !idle)
		result = check_targets(&j, error);
	double begin = job_clock();
	if (result == SPATE_OK && !idle)
		result = mesh_frames(&j, error);
	out->seconds = job_clock() - begin;
	spate_result summed = sum_up(&j, out, result == SPATE_OK ? error : NULL);
	mesh_job_free(&j);
	if (!summary)
		spate_mesh_job_summary_free(&ignored);
	return result == SPATE_OK ? summed : result;
}

void spate_mesh_job_summary_free(spate_mesh_job_summary *summary)
{
	for (uint32_t i = 0; i < summary->made_count; i++)
		mem_free(summary->made[i].path);
	mem_free(summary->made);
	mem_free(summary->folder);
	*summary = (spate_mesh_job_summary){0};
}
