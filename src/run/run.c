#include "spate/run.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cache/append_log.h"
#include "cache/checkpoint.h"
#include "cache/lock.h"
#include "cache/run_dir.h"
#include "cache/snapshot_file.h"
#include "cache/wet_files.h"
#include "cache/world_files.h"
#include "run/body_lines.h"
#include "run/run_log.h"
#include "solver/solver.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct run
{
	const spate_run_def *def;
	spate_world *world;
	uint32_t start, first, last; // frame resumed from, frames to write
	int begun;                   // the directory held a run before
	int going_on;                // the directory holds a run of this scene, which is continued
	int finished;                // nothing is left to do
	uint32_t checkpoint_every;
	uint32_t old_interval; // frames between the checkpoints of the run in the directory, 0 for none
	run_lock lock;
	append_log stats, probes, bodies;
	run_log log;
	double clock; // s, time at which it began
	uint64_t steps;
	double error_sum;        // mean density errors of these steps
	uint32_t frame_steps;    // substeps of the unfinished frame
	spate_frame *checkpoint; // to continue from
	checkpoint_summary done; // of a finished run, which needs no world
} run;

spate_run_def spate_default_run_def(void)
{
	return (spate_run_def){.checkpoint_every = -1};
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ------------------------------------------------------------------------------------------------ the directory

// Whether the solver looks through the cameras; otherwise they are only for pictures.
static int uses_cameras(const spate_scene *scene)
{
	uint32_t row;
	const spate_solver_def *solver = &scene->world.solver;
	return solver_check_cameras(solver_table(solver->type), solver, 0, &row, NULL) != SPATE_OK;
}

// 1 when two scenes differ at most in their number of frames, and in cameras that are only for pictures.
static int same_scene(const spate_scene *a, const spate_scene *b)
{
	spate_scene left = *a, right = *b;
	left.frames = right.frames = 1;
	left.output.checkpoint_every = right.output.checkpoint_every = 1;
	if (!uses_cameras(a) && !uses_cameras(b))
		left.camera_count = right.camera_count = 0;
	char *x = spate_scene_text(&left), *y = spate_scene_text(&right);
	int same = x && y && strcmp(x, y) == 0;
	spate_scene_text_free(x);
	spate_scene_text_free(y);
	return same;
}

static int has_file(const run *r, const char *name)
{
	return access(run_file_path(r->def->directory, name).text, F_OK) == 0;
}

// Number of frames or checkpoints in the directory.
static spate_result count_files(const run *r, spate_result list(const char *, run_numbers *, spate_error *),
				size_t *count, spate_error *error)
{
	run_numbers numbers = {0};
	spate_result result = list(r->def->directory, &numbers, error);
	*count = numbers.count;
	array_free(&numbers);
	return result;
}

// A directory without a scene may still hold files worth keeping: frames whose scene file was lost, or a user's own files.
static spate_result check_unknown(const run *r, size_t files, spate_error *error)
{
	const char *directory = r->def->directory;
	if (r->def->resume && !r->begun)
		return error_set(error, SPATE_MISSING, "%s has no run to resume", directory);
	if (r->def->overwrite)
		return SPATE_OK;
	const char *const names[] = {RUN_STATS, RUN_PROBES, RUN_BODIES, RUN_LOG};
	// a run that ended before it had written its scene may have left a log
	size_t count = r->begun ? 3 : 4;
	for (size_t i = 0; i < count; i++)
		if (has_file(r, names[i]))
			return error_set(error, SPATE_EXISTS,
					 "%s holds a %s, which a run would replace, but no " RUN_SCENE, directory,
					 names[i]);
	if (files > 0)
		return error_set(error, SPATE_EXISTS, "%s holds frames or checkpoints, but no " RUN_SCENE, directory);
	return SPATE_OK;
}

static spate_result check_known(run *r, size_t files, spate_error *error)
{
	const char *directory = r->def->directory;
	run_path path = run_file_path(directory, RUN_SCENE);
	if (!r->begun && files == 0 && !has_file(r, RUN_STATS))
		return error_set(error, SPATE_INVALID,
				 "%s is not of a run, and a run would replace it; choose another directory", path.text);
	spate_scene old = {0};
	spate_problems problems = {0};
	spate_result loaded = spate_scene_load(&old, path.text, NULL, 0, &problems, NULL);
	int same = loaded == SPATE_OK && same_scene(&old, r->def->scene);
	r->old_interval = loaded == SPATE_OK ? old.output.checkpoint_every : 0;
	spate_scene_free(&old);
	spate_problems_free(&problems);
	// with both options, continue a run of this scene and discard one of another scene
	r->going_on = same && (r->def->resume || !r->def->overwrite);
	if (same || r->def->overwrite)
		return SPATE_OK;
	return error_set(error, SPATE_EXISTS,
			 "%s contains results of another scene, or of this one before it was changed", directory);
}

// Refuses a directory with results of another scene, and finds out whether there is a run to continue.
static spate_result check_directory(run *r, spate_error *error)
{
	size_t frames = 0, checkpoints = 0;
	spate_result result = count_files(r, run_list_frames, &frames, error);
	if (result == SPATE_OK)
		result = count_files(r, run_list_checkpoints, &checkpoints, error);
	if (result != SPATE_OK)
		return result;
	return has_file(r, RUN_SCENE) ? check_known(r, frames + checkpoints, error)
				      : check_unknown(r, frames + checkpoints, error);
}

static spate_result write_scene(const run *r, spate_error *error)
{
	spate_scene used = *r->def->scene;
	used.output.checkpoint_every = r->checkpoint_every;
	char *text = spate_scene_text(&used);
	if (!text)
		return error_memory(error, 1 << 16);
	spate_result result = file_write(run_file_path(r->def->directory, RUN_SCENE).text, text, strlen(text), error);
	spate_scene_text_free(text);
	return result;
}

// Whether a log that is there can be written, before anything is thrown away for it.
static spate_result check_log(const run *r, const char *name, spate_error *error)
{
	run_path path = run_file_path(r->def->directory, name);
	struct stat status;
	if (lstat(path.text, &status) != 0)
		return SPATE_OK;
	int fd = file_open_log(path.text, O_WRONLY, error);
	if (fd < 0)
		return SPATE_IO;
	close(fd);
	return SPATE_OK;
}

static spate_result open_logs(run *r, spate_error *error)
{
	run_path stats = run_file_path(r->def->directory, RUN_STATS),
		 probes = run_file_path(r->def->directory, RUN_PROBES),
		 bodies = run_file_path(r->def->directory, RUN_BODIES);
	int keep = r->start > 0;
	spate_result result = keep ? append_log_resume(&r->stats, stats.text, APPEND_JSONL, r->start, error)
				   : append_log_create(&r->stats, stats.text, error);
	if (result == SPATE_OK && spate_world_probe_columns(r->world) > 0)
		result = keep ? append_log_resume(&r->probes, probes.text, APPEND_CSV, r->start, error)
			      : append_log_create(&r->probes, probes.text, error);
	if (result == SPATE_OK && spate_world_body_count(r->world) > 0)
		result = keep ? append_log_resume(&r->bodies, bodies.text, APPEND_CSV, r->start, error)
			      : append_log_create(&r->bodies, bodies.text, error);
	return result;
}

// Warns about missing frames among those up to the last one wanted.
static spate_result tell_missing(const run *r, spate_error *error)
{
	run_numbers numbers = {0};
	spate_result result = run_list_frames(r->def->directory, &numbers, error);
	int64_t first = r->first;
	size_t there = 0;
	for (size_t i = 0; i < numbers.count; i++)
	{
		there += numbers.data[i] >= r->first && numbers.data[i] <= r->last;
		first += numbers.data[i] == first;
	}
	array_free(&numbers);
	size_t wanted = (size_t)(r->last - r->first) + 1;
	if (result == SPATE_OK && there < wanted)
		log_warning("%zu of %zu frames are missing, the first is frame %" PRId64
			    "; only starting over recreates them",
			    wanted - there, wanted, first);
	return result;
}

// A run that was killed early has frames and no checkpoint yet. One that got further has lost its checkpoints.
static spate_result start_without_checkpoint(const run *r, size_t frames, spate_error *error)
{
	if (r->old_interval > 0 && frames > r->old_interval)
		return error_set(error, SPATE_DAMAGED,
				 "%s has %zu frames but no checkpoint, so it cannot be resumed; its frames are "
				 "untouched, and starting over would recreate them",
				 r->def->directory, frames);
	log_info("no checkpoint yet: starting from the beginning");
	return SPATE_OK;
}

// A checkpoint that cannot be used, with what to do about it.
static spate_result refuse_checkpoint(const run *r, spate_result result, const spate_error *trouble, spate_error *error)
{
	const char *directory = r->def->directory;
	if (result != SPATE_DAMAGED)
		return error_set(error, result, "%s", trouble->text);
	size_t frames = 0;
	spate_result counted = count_files(r, run_list_frames, &frames, error);
	if (counted != SPATE_OK)
		return counted;
	const spate_frame *c = r->checkpoint;
	return error_set(error, SPATE_DAMAGED,
			 "%s cannot be resumed: %s; the %zu frames of the run are untouched, and starting over "
			 "would recreate them",
			 c ? run_checkpoint_path(directory, spate_frame_number(c)).text : directory, trouble->text,
			 frames);
}

// Opens the newest checkpoint of a run that is continued; one without a checkpoint starts from the beginning. Frames stay until they are
// rewritten.
static spate_result find_checkpoint(run *r, spate_error *error)
{
	spate_error trouble = {0};
	size_t frames = 0;
	spate_result result = checkpoint_newest_valid(r->def->directory, r->def->threads, &r->checkpoint, &trouble);
	if (result == SPATE_MISSING)
	{
		result = count_files(r, run_list_frames, &frames, error);
		return result == SPATE_OK ? start_without_checkpoint(r, frames, error) : result;
	}
	if (result == SPATE_OK)
	{
		r->start = (uint32_t)spate_frame_number(r->checkpoint);
		r->finished = r->start >= r->last;
	}
	if (r->finished)
		result = checkpoint_summarize(r->checkpoint, r->def->threads, &r->done, &trouble);
	return result == SPATE_OK ? SPATE_OK : refuse_checkpoint(r, result, &trouble, error);
}

// A world at the checkpoint, or at the beginning.
static spate_result make_world(run *r, spate_error *error)
{
	spate_error trouble = {0};
	spate_world_def world = r->def->scene->world;
	world.threads = r->def->threads;
	world.field_folder = r->def->field_folder;
	world.wanted = r->def->scene->output.channels;
	world.wanted_count = r->def->scene->output.channel_count;
	spate_result result = r->checkpoint ? spate_world_create_empty(&r->world, &world, error)
					    : spate_world_create(&r->world, &world, error);
	if (result == SPATE_OK)
		run_log_hear(&r->log, r->world);
	if (result != SPATE_OK || !r->checkpoint)
		return result;
	result = world_restore(r->world, r->checkpoint, &trouble);
	return result == SPATE_OK ? SPATE_OK : refuse_checkpoint(r, result, &trouble, error);
}

// Nothing in the directory is touched before the lock is held, because another process may be using it.
static spate_result take_directory(run *r, spate_error *error)
{
	const char *directory = r->def->directory;
	r->begun = has_file(r, RUN_LOCK);
	spate_result result = check_directory(r, error);
	if (result == SPATE_OK)
		result = file_make_directory(directory, error);
	if (result == SPATE_OK)
		result = run_lock_take(&r->lock, directory, error);
	// check again under the lock: another process may have been faster
	r->begun = 1;
	if (result == SPATE_OK)
		result = check_directory(r, error);
	if (result == SPATE_OK)
		result = run_dir_create(directory, error);
	return result;
}

// Removes the results of an earlier run, unless it is continued.
static spate_result clear_directory(const run *r, spate_error *error)
{
	const char *const tables[] = {RUN_PROBES, RUN_BODIES};
	spate_result result = run_dir_clear(r->def->directory, error);
	if (result == SPATE_OK)
		result = wet_files_clear(r->def->directory, error);
	for (size_t k = 0; k < sizeof tables / sizeof *tables && result == SPATE_OK; k++)
	{
		run_path table = run_file_path(r->def->directory, tables[k]);
		if (unlink(table.text) != 0 && errno != ENOENT)
			result = file_error(error, SPATE_IO, "remove", table.text, errno);
	}
	return result;
}

static spate_result open_run(run *r, spate_error *error)
{
	const spate_run_def *def = r->def;
	spate_result result = take_directory(r, error);
	if (result == SPATE_OK && r->going_on)
		result = find_checkpoint(r, error);
	// its cameras may have changed
	if (result == SPATE_OK && r->finished && r->start == r->last)
		result = write_scene(r, error);
	if (result == SPATE_OK && r->finished)
		return tell_missing(r, error);
	if (result == SPATE_OK)
		result = make_world(r, error);
	for (uint32_t c = 0; c < def->scene->output.channel_count && result == SPATE_OK; c++)
		if (!world_has_channel(r->world, def->scene->output.channels[c]))
			result = error_set(error, SPATE_MISSING, "output.channels: unknown channel '%s'",
					   def->scene->output.channels[c]);
	if (result == SPATE_OK)
		result = wet_files_begin(r->world, def->directory, error);
	if (result != SPATE_OK)
		return result;
	if (r->start > 0)
		log_info("continuing from frame %u", r->start);
	result = check_log(r, RUN_STATS, error);
	if (result == SPATE_OK && spate_world_probe_columns(r->world) > 0)
		result = check_log(r, RUN_PROBES, error);
	if (result == SPATE_OK && spate_world_body_count(r->world) > 0)
		result = check_log(r, RUN_BODIES, error);
	if (result == SPATE_OK && !r->going_on)
		result = clear_directory(r, error);
	if (result == SPATE_OK)
		result = write_scene(r, error);
	if (result == SPATE_OK)
		result = open_logs(r, error);
	if (result == SPATE_OK)
		log_debug("frames %u to %u of %s into %s", r->start + 1, r->last, def->scene->name, def->directory);
	return result;
}

// ---------------------------------------------------------------------------------------------------- the lines

static uint64_t resident_bytes(void)
{
	unsigned long long total = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &total, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

// ,"sinks":[3,0]: particles removed by each sink of the scene.
static void say_sinks(const run *r, char *out, size_t room)
{
	size_t used = 0;
	out[0] = '\0';
	for (uint32_t s = 0; s < r->def->scene->world.sink_count; s++)
		used += (size_t)snprintf(out + used, room - used, s ? ",%" PRIu64 : ",\"sinks\":[%" PRIu64,
					 spate_world_sink_removed(r->world, s));
	if (used > 0)
		snprintf(out + used, room - used, "]");
}

static spate_result write_stats(run *r, int frame_done, spate_error *error)
{
	const spate_step_stats *s = spate_world_stats(r->world);
	size_t sinks_room = 24 * (size_t)r->def->scene->world.sink_count + 16, room = sinks_room + 2048;
	char hash[40] = "", *sinks = mem_alloc(sinks_room), *line = mem_alloc(room);
	if (!sinks || !line)
	{
		mem_free(sinks);
		mem_free(line);
		return error_memory(error, room);
	}
	say_sinks(r, sinks, sinks_room);
	if (frame_done)
		snprintf(hash, sizeof hash, ",\"hash\":\"%016" PRIx64 "\"", spate_world_hash(r->world));
	snprintf(
	    line, room,
	    "{\"frame\":%u,\"step\":%" PRIu64 ",\"time\":%.17g,\"dt\":%.9g,\"particles\":%u,\"iterations\":%u,"
	    "\"density_error_avg\":%.6g,\"density_error_max\":%.6g,\"kinetic_energy\":%.9g,\"potential_energy\":%.9g,"
	    "\"momentum\":[%.9g,%.9g,%.9g],\"angular_momentum\":[%.9g,%.9g,%.9g],\"speed_max\":%.6g,\"outside\":%u,"
	    "\"removed\":%" PRIu64 ",\"removed_by\":{\"sinks\":%" PRIu64 ",\"too_fast\":%" PRIu64
	    ",\"not_a_number\":%" PRIu64 ",\"out_of_range\":%" PRIu64 "}%s,\"clamped\":%" PRIu64
	    ",\"listed\":%d,\"neighbours_avg\":%.4g,\"list_bytes\":%zu,\"rss_bytes\":%" PRIu64
	    "%s,\"ms\":{\"sources\":%.3f,\"sort\":%.3f,\"neighbours\":%.3f,\"solve\":%.3f,\"measure\":%.3f}}",
	    s->frame, s->step, s->time, s->dt, s->particles, s->iterations, s->density_error_avg, s->density_error_max,
	    s->kinetic_energy, s->potential_energy, s->momentum[0], s->momentum[1], s->momentum[2],
	    s->angular_momentum[0], s->angular_momentum[1], s->angular_momentum[2], s->speed_max, s->outside,
	    s->removed, s->removed_by.sinks, s->removed_by.too_fast, s->removed_by.not_a_number,
	    s->removed_by.out_of_range, sinks, s->clamped, s->listed, s->neighbours_avg, s->list_bytes,
	    resident_bytes(), hash, s->ms_sources, s->ms_sort, s->ms_neighbours, s->ms_solve, s->ms_measure);
	spate_result result = append_log_line(&r->stats, line, error);
	mem_free(sinks);
	mem_free(line);
	return result;
}

static spate_result write_probes(run *r, spate_error *error)
{
	uint32_t columns = spate_world_probe_columns(r->world);
	if (columns == 0)
		return SPATE_OK;
	size_t room = 64 + columns * 100u, at;
	char *line = mem_alloc(room);
	if (!line)
		return error_memory(error, room);
	spate_result result = SPATE_OK;
	if (r->probes.bytes == 0)
	{
		at = (size_t)snprintf(line, room, "frame,time");
		for (uint32_t c = 0; c < columns; c++)
			at +=
			    (size_t)snprintf(line + at, room - at, ",%s", spate_world_probe_column(r->world, c, NULL));
		result = append_log_line(&r->probes, line, error);
	}
	at = (size_t)snprintf(line, room, "%u,%.9g", spate_world_frame(r->world), spate_world_time(r->world));
	for (uint32_t c = 0; c < columns; c++)
		at += (size_t)snprintf(line + at, room - at, ",%.9g", spate_world_probe_values(r->world)[c]);
	if (result == SPATE_OK)
		result = append_log_line(&r->probes, line, error);
	mem_free(line);
	return result;
}

static spate_result write_checkpoint(run *r, spate_error *error)
{
	spate_result result = append_log_sync(&r->stats, error);
	if (result == SPATE_OK && r->probes.path)
		result = append_log_sync(&r->probes, error);
	if (result == SPATE_OK && r->bodies.path)
		result = append_log_sync(&r->bodies, error);
	if (result == SPATE_OK)
		result = world_write_checkpoint(r->world, r->def->directory, error);
	return result;
}

// ------------------------------------------------------------------------------------------------------ the run

static int tell(run *r, int frame_done)
{
	if (!r->def->handler)
		return 0;
	const spate_step_stats *s = spate_world_stats(r->world);
	spate_run_progress p = {.world = r->world,
				.stats = s,
				.frame = spate_world_frame(r->world),
				.first = r->start,
				.last = r->last,
				.frame_step = r->frame_steps,
				.frame_done = frame_done,
				.seconds = seconds() - r->clock,
				.seconds_left = -1.0};
	// assume that the remaining frames take as long as those of this call so far
	double fps = r->def->scene->world.fps, done = spate_world_time(r->world) * fps - r->start;
	if (done > 0.0 && p.seconds > 0.5)
		p.seconds_left = p.seconds * (r->last - r->start - done) / done;
	p.steps_per_second = p.seconds > 0.0 ? (double)r->steps / p.seconds : 0.0;
	return r->def->handler(r->def->context, &p);
}

static spate_result finish_frame(run *r, int stop, spate_error *error)
{
	uint32_t frame = spate_world_frame(r->world);
	spate_result result = SPATE_OK;
	const spate_output_def *output = &r->def->scene->output;
	if (frame >= r->first)
		result = world_write_frame(r->world, r->def->directory, output->channels, output->channel_count, error);
	if (result == SPATE_OK && frame >= r->first)
		result = wet_files_write(r->world, r->def->directory, error);
	if (result == SPATE_OK)
		result = write_probes(r, error);
	if (result == SPATE_OK && spate_world_body_count(r->world) > 0)
		result = body_lines_write(&r->bodies, r->world, r->def->scene->world.bodies, error);
	int due = r->checkpoint_every > 0 && frame % r->checkpoint_every == 0;
	if (result == SPATE_OK && (due || stop || frame == r->last))
		result = write_checkpoint(r, error);
	return result;
}

static spate_result simulate(run *r, spate_error *error)
{
	int stop = 0;
	// reports the frame before the first substep can warn; a request to stop is ignored here, since the handler is called again
	tell(r, 0);
	while (spate_world_frame(r->world) < r->last && !stop)
	{
		r->log.frame = spate_world_frame(r->world) + 1;
		spate_result result;
		for (int frame_done = 0; !frame_done;)
		{
			result = spate_world_step(r->world, &frame_done, error);
			if (result == SPATE_OK)
				result = write_stats(r, frame_done, error);
			if (result == SPATE_OK && frame_done)
				result = finish_frame(r, stop, error);
			if (result != SPATE_OK)
				return result;
			r->steps++;
			r->error_sum += spate_world_stats(r->world)->density_error_avg;
			r->frame_steps = frame_done ? 0 : r->frame_steps + 1;
			int asked = tell(r, frame_done);
			// the request came after this frame's checkpoint decision, so write a checkpoint now
			if (asked && frame_done && !stop)
				result = write_checkpoint(r, error);
			if (result != SPATE_OK)
				return result;
			stop |= asked;
		}
	}
	if (stop && spate_world_frame(r->world) < r->last)
		return error_set(error, SPATE_CANCELLED, "stopped after frame %u", spate_world_frame(r->world));
	return SPATE_OK;
}

static spate_run_summary summarize(const run *r)
{
	if (r->finished)
		return (spate_run_summary){.start = r->start,
					   .frame = r->start,
					   .nothing_to_do = 1,
					   .hash = r->done.hash,
					   .particles = r->done.particles,
					   .added = r->done.added,
					   .removed = r->done.removed,
					   .removed_by = r->done.removed_by,
					   .clamped = r->done.clamped};
	const spate_step_stats *s = spate_world_stats(r->world);
	return (spate_run_summary){.start = r->start,
				   .frame = spate_world_frame(r->world),
				   .hash = spate_world_hash(r->world),
				   .particles = s->particles,
				   .added = s->added,
				   .removed = s->removed,
				   .removed_by = s->removed_by,
				   .clamped = s->clamped};
}

// Warns if all liquid is gone, or if the runaway policy removed much of it.
static void warn_of_losses(const spate_run_summary *s)
{
	const spate_removed_by *by = &s->removed_by;
	const struct
	{
		uint64_t count;
		const char *reason, *advice;
	} reasons[] = {
	    {by->not_a_number, "not a number", "try a higher solver.quality or more substeps"},
	    {by->too_fast, "too fast", "compare the sources' speeds with speed_limit, or try a higher solver.quality"},
	    {by->out_of_range, "out of range", "bring the parts of the scene closer together, or add a sink"},
	};
	char text[512];
	if (s->added == 0)
		log_warning("no source has made any particles; a check of the scene says why");
	else if (s->particles == 0)
		log_warning("none of the %" PRIu64 " particles are left in frame %u", s->added, s->frame);
	uint64_t lost = by->too_fast + by->not_a_number + by->out_of_range;
	if ((double)lost <= 0.01 * (double)s->added)
		return;
	int used = snprintf(text, sizeof text,
			    "%.1f %% of the particles were lost: ", 100.0 * (double)lost / (double)s->added);
	const char *advice = NULL;
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].count > 0)
		{
			used +=
			    snprintf(text + used, sizeof text - (size_t)used, "%s%" PRIu64 " of %" PRIu64 " were %s",
				     advice ? ", " : "", reasons[i].count, s->added, reasons[i].reason);
			advice = advice ? advice : reasons[i].advice;
		}
	snprintf(text + used, sizeof text - (size_t)used, "; do not trust this result: %s", advice);
	log_warning("%s", text);
}

// Warns if the density error was above what the quality promises.
static void warn_of_errors(const run *r)
{
	static const char *const names[SPATE_QUALITY_COUNT] = {"draft", "normal", "high"};
	const spate_solver_def *solver = &r->def->scene->world.solver;
	double promise = spate_solver_promise(solver->type, solver->quality),
	       mean = r->steps > 0 ? r->error_sum / (double)r->steps : 0.0;
	if (promise > 0.0 && mean > promise)
		log_warning(
		    "the mean density error was %.2g %%, more than the %.2g %% that quality %s promises; try %s",
		    100.0 * mean, 100.0 * promise, names[solver->quality],
		    solver->quality < SPATE_QUALITY_HIGH ? "a higher solver.quality or a smaller spacing"
							 : "a smaller spacing or solver.cfl");
}

// The last lines of the log, which belong to no frame unless the run failed in one.
static void end_log(run *r, spate_result result, const spate_run_summary *done, const spate_error *trouble)
{
	char last[sizeof trouble->text + 16];
	int failed = result != SPATE_OK && result != SPATE_CANCELLED;
	if (!failed)
	{
		r->log.frame = 0;
		warn_of_losses(done);
		warn_of_errors(r);
	}
	snprintf(last, sizeof last, "%s%s", failed ? "error: " : "", result == SPATE_OK ? "done" : trouble->text);
	run_log_end(&r->log, last);
}

spate_result spate_run(const spate_run_def *def, spate_run_summary *summary, spate_error *error)
{
	if (summary)
		*summary = (spate_run_summary){0};
	if (!def || !def->scene || !def->directory || !*def->directory)
		return error_set(error, SPATE_INVALID, "spate_run needs a scene and a directory");
	run r = {.def = def,
		 .lock = {-1},
		 .stats = {.fd = -1},
		 .probes = {.fd = -1},
		 .bodies = {.fd = -1},
		 .clock = seconds()};
	r.first = def->first ? def->first : 1;
	r.last = def->last ? def->last : def->scene->frames;
	r.checkpoint_every =
	    def->checkpoint_every >= 0 ? (uint32_t)def->checkpoint_every : def->scene->output.checkpoint_every;
	run_log_begin(&r.log, def->directory, def->overwrite && !def->resume);
	spate_error trouble = {0};
	spate_result result = open_run(&r, &trouble);
	if (result == SPATE_OK && !r.finished)
		result = simulate(&r, &trouble);
	spate_run_summary done = r.world || r.finished ? summarize(&r) : (spate_run_summary){0};
	if (summary)
		*summary = done;
	end_log(&r, result, &done, &trouble);
	if (result != SPATE_OK)
		error_set(error, result, "%s", trouble.text);
	append_log_close(&r.stats);
	append_log_close(&r.probes);
	append_log_close(&r.bodies);
	spate_world_destroy(r.world);
	spate_frame_close(r.checkpoint);
	run_lock_release(&r.lock);
	return result;
}
