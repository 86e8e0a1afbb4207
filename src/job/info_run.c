// The directory of a run: what it has written so far, and whether it is intact.
#include "job/info.h"

#include "base/array.h"
#include "base/error.h"
#include "cache/run_dir.h"
#include "job/mesh_file.h"
#include "job/progress.h"
#include "spate/formats.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void info_free_run(spate_run_info *run)
{
	spate_scene_free(&run->scene);
	mem_free(run->frames.items);
	mem_free(run->checkpoints.items);
	mem_free(run->missing.items);
	mem_free(run->damaged.items);
	mem_free(run->damaged_checkpoints.items);
}

// Takes over the memory of a list.
static spate_numbers take(run_numbers *list)
{
	spate_numbers taken = {list->data, list->count};
	*list = (run_numbers){0};
	return taken;
}

static spate_result add_problem(spate_info *info, const char *text, spate_error *error)
{
	size_t bytes = (info->problem_count + (size_t)1) * sizeof *info->problems;
	char **grown = mem_alloc(bytes), *own = mem_alloc(strlen(text) + 1);
	if (!grown || !own)
	{
		mem_free(grown);
		mem_free(own);
		return error_memory(error, bytes);
	}
	if (info->problem_count > 0)
		memcpy(grown, info->problems, info->problem_count * sizeof *grown);
	memcpy(own, text, strlen(text) + 1);
	grown[info->problem_count++] = own;
	mem_free(info->problems);
	info->problems = grown;
	return SPATE_OK;
}

static spate_result read_scene(spate_info *info, const char *directory, spate_error *error)
{
	run_path path = run_file_path(directory, RUN_SCENE);
	spate_run_info *run = &info->run;
	spate_problems problems = {0};
	spate_error trouble = {0};
	if (access(path.text, F_OK) != 0)
		return SPATE_OK;
	run->has_scene = spate_scene_load(&run->scene, path.text, NULL, 0, &problems, &trouble) == SPATE_OK;
	run->bad_scene = !run->has_scene;
	spate_problems_free(&problems);
	return run->bad_scene ? add_problem(info, trouble.text, error) : SPATE_OK;
}

// What a look at all files needs.
typedef struct inspection
{
	const spate_info_def *def;
	spate_info *info;
	job_progress progress;
} inspection;

static void add_frame(spate_run_info *run, const spate_frame *frame)
{
	uint64_t count = spate_frame_count(frame);
	double time = spate_frame_time(frame);
	if (run->frame_bytes == 0.0)
	{
		run->first_time = time;
		run->first_count = run->least_count = run->most_count = count;
	}
	run->last_time = time;
	run->last_count = count;
	run->least_count = count < run->least_count ? count : run->least_count;
	run->most_count = count > run->most_count ? count : run->most_count;
	run->frame_bytes += (double)spate_frame_bytes(frame);
}

// Opens and verifies one file and adds it to the totals, or its number to `damaged`.
static spate_result look_at(inspection *all, const char *path, int64_t number, int is_frame, run_numbers *damaged,
			    spate_error *error)
{
	spate_frame *frame = NULL;
	spate_error trouble = {0};
	spate_result opened = spate_frame_open(path, &frame, &trouble), result = SPATE_OK;
	if (opened == SPATE_OK && !all->def->quick)
	{
		spate_frame_set_threads(frame, all->def->job.threads);
		opened = spate_frame_verify(frame, &trouble);
	}
	if (opened != SPATE_OK)
	{
		result = add_problem(all->info, trouble.text, error);
		if (result == SPATE_OK && !array_push(damaged, number))
			result = error_memory(error, sizeof number);
	}
	else if (is_frame)
		add_frame(&all->info->run, frame);
	else
		all->info->run.checkpoint_bytes += (double)spate_frame_bytes(frame);
	spate_frame_close(frame);
	return result == SPATE_OK ? job_progress_step(&all->progress, path, error) : result;
}

static spate_result look_at_frames(inspection *all, run_numbers *damaged, run_numbers *damaged_checkpoints,
				   spate_error *error)
{
	const spate_run_info *run = &all->info->run;
	const char *directory = all->def->path;
	spate_result result = job_progress_begin(&all->progress, &all->def->job, "files",
						 (uint32_t)(run->frames.count + run->checkpoints.count), error);
	for (size_t i = 0; i < run->frames.count && result == SPATE_OK; i++)
	{
		int64_t number = run->frames.items[i];
		result = look_at(all, run_frame_path(directory, number).text, number, 1, damaged, error);
	}
	for (size_t i = 0; i < run->checkpoints.count && result == SPATE_OK; i++)
	{
		int64_t number = run->checkpoints.items[i];
		result =
		    look_at(all, run_checkpoint_path(directory, number).text, number, 0, damaged_checkpoints, error);
	}
	return result;
}

// The meshes of one liquid, or of all, in one format.
static void look_at_meshes(spate_run_info *run, const char *directory, const char *name, const char *extension)
{
	run_numbers numbers = {0};
	run_path folder = run_file_path(directory, RUN_MESHES);
	if (run_list_meshes(folder.text, name, extension, &numbers, NULL) == SPATE_OK)
		run->meshes += numbers.count;
	for (size_t i = 0; i < numbers.count; i++)
	{
		int64_t number = numbers.data[i];
		run_path mesh = run_fluid_mesh_path(folder.text, name, number, extension);
		if (!mesh_file_is_outdated(mesh.text, run_frame_path(directory, number).text))
			continue;
		if (run->outdated_meshes++ == 0 || number < run->first_outdated)
			run->first_outdated = number;
	}
	array_free(&numbers);
}

static void look_at_all_meshes(spate_run_info *run, const char *directory)
{
	const spate_world_def *world = &run->scene.world;
	const spate_format *format;
	for (uint32_t n = 0; (format = spate_format_at(n)); n++)
	{
		if (!(format->writes & SPATE_FORMAT_TRIANGLES))
			continue;
		look_at_meshes(run, directory, "", format->suffix);
		look_at_meshes(run, directory, RUN_INTERFACES, format->suffix);
		for (uint32_t i = 0; i < world->fluid_count; i++)
			look_at_meshes(run, directory, world->fluids[i].name, format->suffix);
	}
}

// Lists the files, and the numbers missing between the first and the last frame.
static spate_result list_files(spate_run_info *run, const char *directory, spate_error *error)
{
	run_numbers frames = {0}, checkpoints = {0}, missing = {0};
	spate_result result = run_list_frames(directory, &frames, error);
	if (result == SPATE_OK)
		result = run_list_checkpoints(directory, &checkpoints, error);
	if (result == SPATE_OK && frames.count > 0 &&
	    !run_numbers_missing(&frames, frames.data[0], frames.data[frames.count - 1], &missing))
		result = error_memory(error, sizeof *missing.data);
	run->frames = take(&frames);
	run->checkpoints = take(&checkpoints);
	run->missing = take(&missing);
	return result;
}

spate_result info_read_run(const spate_info_def *def, spate_info *info, spate_error *error)
{
	spate_run_info *run = &info->run;
	run_numbers damaged = {0}, damaged_checkpoints = {0};
	inspection all = {.def = def, .info = info};
	spate_result result = read_scene(info, def->path, error);
	if (result == SPATE_OK)
		result = list_files(run, def->path, error);
	if (result == SPATE_OK && !run->has_scene && !run->bad_scene && run->frames.count + run->checkpoints.count == 0)
		result =
		    error_set(error, SPATE_MISSING, "%s is not the directory of a run: it has neither %s nor frames",
			      def->path, RUN_SCENE);
	if (result == SPATE_OK)
		result = look_at_frames(&all, &damaged, &damaged_checkpoints, error);
	run->damaged = take(&damaged);
	run->damaged_checkpoints = take(&damaged_checkpoints);
	if (result == SPATE_OK)
		look_at_all_meshes(run, def->path);
	return result;
}
