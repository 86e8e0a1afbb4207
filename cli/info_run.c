// spate info DIR: lists what a run has written so far and whether it is intact.
#include "base/array.h"
#include "cache/run_dir.h"
#include "cli/command.h"
#include "cli/info.h"
#include "job/mesh_file.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/scene_report.h"
#include "spate/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct run_facts
{
	spate_scene scene; // zero if there is no scene.yaml
	int has_scene, bad_scene;
	run_numbers frames, checkpoints, missing, damaged, damaged_checkpoints;
	double first_time, last_time; // s
	uint64_t first_count, last_count, least, most;
	double frame_bytes, checkpoint_bytes;
	size_t meshes, outdated; // in the run's own folder; outdated: older than their frames
	int64_t first_outdated;
} run_facts;

static void free_facts(run_facts *f)
{
	spate_scene_free(&f->scene);
	array_free(&f->frames);
	array_free(&f->checkpoints);
	array_free(&f->missing);
	array_free(&f->damaged);
	array_free(&f->damaged_checkpoints);
}

static void read_scene(run_facts *f, const char *directory, const info_options *options)
{
	run_path path = run_file_path(directory, RUN_SCENE);
	spate_problems problems = {0};
	spate_error error = {0};
	if (access(path.text, F_OK) != 0)
		return;
	f->has_scene = spate_scene_load(&f->scene, path.text, NULL, 0, &problems, &error) == SPATE_OK;
	f->bad_scene = !f->has_scene;
	if (f->bad_scene)
		complain(options->args.program, "%s", error.text);
	spate_problems_free(&problems);
}

// Opens one file and adds it to the totals; 0 when it is damaged.
static int look_at(run_facts *f, const char *path, int is_frame, const info_options *options, progress *shown)
{
	spate_frame *frame = NULL;
	spate_error error = {0};
	spate_result result = spate_frame_open(path, &frame, &error);
	if (result == SPATE_OK && !options->quick)
		result = spate_frame_verify(frame, &error);
	if (result != SPATE_OK)
	{
		progress_clear(shown);
		complain(options->args.program, "%s", error.text);
		spate_frame_close(frame);
		return 0;
	}
	uint64_t count = spate_frame_count(frame);
	double bytes = (double)spate_frame_bytes(frame);
	if (!is_frame)
		f->checkpoint_bytes += bytes;
	else
	{
		if (f->frame_bytes == 0.0)
		{
			f->first_time = spate_frame_time(frame);
			f->first_count = f->least = f->most = count;
		}
		f->last_time = spate_frame_time(frame);
		f->last_count = count;
		f->least = count < f->least ? count : f->least;
		f->most = count > f->most ? count : f->most;
		f->frame_bytes += bytes;
	}
	spate_frame_close(frame);
	return 1;
}

static int look_at_all(run_facts *f, const char *directory, const info_options *options)
{
	size_t files = f->frames.count + f->checkpoints.count;
	progress shown = progress_begin(options->args.program, "files", files, options->args.quiet);
	int fits = f->frames.count == 0 ||
		   missing_numbers(&f->frames, f->frames.data[0], f->frames.data[f->frames.count - 1], &f->missing);
	for (size_t i = 0; i < f->frames.count && fits; i++)
	{
		int64_t number = f->frames.data[i];
		if (!look_at(f, run_frame_path(directory, number).text, 1, options, &shown))
			fits = array_push(&f->damaged, number);
		progress_update(&shown, i + 1);
	}
	for (size_t i = 0; i < f->checkpoints.count && fits; i++)
	{
		int64_t number = f->checkpoints.data[i];
		if (!look_at(f, run_checkpoint_path(directory, number).text, 0, options, &shown))
			fits = array_push(&f->damaged_checkpoints, number);
		progress_update(&shown, f->frames.count + i + 1);
	}
	progress_clear(&shown);
	return fits;
}

// The meshes of one liquid, or of all, in one format.
static void look_at_meshes(run_facts *f, const char *directory, const char *name, const char *extension)
{
	run_numbers numbers = {0};
	run_path folder = run_file_path(directory, RUN_MESHES);
	if (run_list_meshes(folder.text, name, extension, &numbers, NULL) == SPATE_OK)
		f->meshes += numbers.count;
	for (size_t i = 0; i < numbers.count; i++)
	{
		int64_t number = numbers.data[i];
		run_path mesh = run_fluid_mesh_path(folder.text, name, number, extension);
		if (!mesh_file_is_outdated(mesh.text, run_frame_path(directory, number).text))
			continue;
		if (f->outdated++ == 0 || number < f->first_outdated)
			f->first_outdated = number;
	}
	array_free(&numbers);
}

static void look_at_all_meshes(run_facts *f, const char *directory)
{
	static const char *const extensions[] = {".ply", ".obj", ".stl", ".vtk", ".vtp", ".spate"};
	const spate_world_def *world = &f->scene.world;
	for (size_t k = 0; k < sizeof extensions / sizeof *extensions; k++)
	{
		look_at_meshes(f, directory, "", extensions[k]);
		look_at_meshes(f, directory, RUN_INTERFACES, extensions[k]);
		for (uint32_t i = 0; i < world->fluid_count; i++)
			look_at_meshes(f, directory, world->fluids[i].name, extensions[k]);
	}
}

static void print_counts(const run_facts *f)
{
	if (f->least == f->most)
		printf("  particles    %s in every frame\n", report_count((double)f->least).text);
	else
		printf("  particles    %s in the first frame, %s in the last, from %s to %s\n",
		       report_count((double)f->first_count).text, report_count((double)f->last_count).text,
		       report_count((double)f->least).text, report_count((double)f->most).text);
}

static void print_facts(const run_facts *f, const char *directory, int quick)
{
	printf("%s: ", directory);
	if (f->has_scene)
		printf("scene %s, %zu of %u frames\n", f->scene.name, f->frames.count, f->scene.frames);
	else
		printf("%zu frames, no readable %s\n", f->frames.count, RUN_SCENE);
	if (f->frames.count > 0)
		printf("  frames       %" PRId64 " to %" PRId64 ", %g s to %g s\n", f->frames.data[0],
		       f->frames.data[f->frames.count - 1], f->first_time, f->last_time);
	if (f->missing.count > 0)
		printf("  missing      %s\n", report_numbers(f->missing.data, f->missing.count).text);
	if (f->frames.count > f->damaged.count)
		print_counts(f);
	printf("  size         %s", report_bytes(f->frame_bytes + f->checkpoint_bytes).text);
	if (f->frames.count > f->damaged.count)
		printf(", %s per frame",
		       report_bytes(f->frame_bytes / (double)(f->frames.count - f->damaged.count)).text);
	printf("\n  checkpoints  %s\n",
	       f->checkpoints.count ? report_numbers(f->checkpoints.data, f->checkpoints.count).text : "none");
	if (f->outdated > 0)
		printf("  meshes       %zu of %zu older than their frames, from frame %" PRId64
		       " on; spate mesh %s remakes them\n",
		       f->outdated, f->meshes, f->first_outdated, directory);
	if (f->damaged.count > 0)
		printf("  damaged      frames %s\n", report_numbers(f->damaged.data, f->damaged.count).text);
	if (f->damaged_checkpoints.count > 0)
		printf("  damaged      checkpoints %s\n",
		       report_numbers(f->damaged_checkpoints.data, f->damaged_checkpoints.count).text);
	if (f->damaged.count + f->damaged_checkpoints.count == 0 && f->frames.count + f->checkpoints.count > 0)
		printf("  checked      %s\n", quick ? "headers only" : "all files are intact");
}

static void add_numbers(buffer *json, const char *key, const run_numbers *numbers)
{
	buffer_add(json, ",\"%s\":[", key);
	for (size_t i = 0; i < numbers->count; i++)
		buffer_add(json, "%s%" PRId64, i ? "," : "", numbers->data[i]);
	buffer_add(json, "]");
}

static int print_json(const run_facts *f, const char *directory, const info_options *options)
{
	buffer json = {0};
	buffer_add(&json, "{\"kind\":\"run\",\"directory\":");
	buffer_add_quoted(&json, directory);
	buffer_add(&json, ",\"scene\":");
	if (f->has_scene)
	{
		buffer_add_quoted(&json, f->scene.name);
		buffer_add(&json, ",\"frames_wanted\":%u", f->scene.frames);
	}
	else
		buffer_add(&json, "null");
	add_numbers(&json, "frames", &f->frames);
	add_numbers(&json, "missing", &f->missing);
	add_numbers(&json, "damaged", &f->damaged);
	add_numbers(&json, "checkpoints", &f->checkpoints);
	add_numbers(&json, "damaged_checkpoints", &f->damaged_checkpoints);
	buffer_add(&json, ",\"particles_first\":%" PRIu64 ",\"particles_last\":%" PRIu64, f->first_count,
		   f->last_count);
	buffer_add(&json, ",\"particles_least\":%" PRIu64 ",\"particles_most\":%" PRIu64, f->least, f->most);
	buffer_add(&json, ",\"frame_bytes\":%.0f,\"checkpoint_bytes\":%.0f", f->frame_bytes, f->checkpoint_bytes);
	buffer_add(&json, ",\"outdated_meshes\":%zu", f->outdated);
	buffer_add(&json, ",\"verified\":%s}", options->quick ? "false" : "true");
	return json_print(&json, options->args.program);
}

int info_run(const char *directory, const info_options *options)
{
	run_facts f = {0};
	spate_error error = {0};
	int status = EXIT_FAILED;
	read_scene(&f, directory, options);
	spate_result result = run_list_frames(directory, &f.frames, &error);
	if (result == SPATE_OK)
		result = run_list_checkpoints(directory, &f.checkpoints, &error);
	if (result != SPATE_OK)
		complain(options->args.program, "%s", error.text);
	else if (!f.has_scene && !f.bad_scene && f.frames.count + f.checkpoints.count == 0)
		complain(options->args.program, "%s is not the directory of a run: it has neither %s nor frames",
			 directory, RUN_SCENE);
	else if (!look_at_all(&f, directory, options))
		complain(options->args.program, "out of memory");
	else
	{
		status = EXIT_DONE;
		look_at_all_meshes(&f, directory);
		if (options->args.json)
			status = print_json(&f, directory, options);
		else if (!options->args.quiet)
		{
			print_facts(&f, directory, options->quick);
			status = finish_output(options->args.program);
		}
		if (f.damaged.count + f.damaged_checkpoints.count > 0 || f.bad_scene)
			status = EXIT_FAILED;
	}
	free_facts(&f);
	return status;
}
