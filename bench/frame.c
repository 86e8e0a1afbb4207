// spate bench frame: writing and reading a frame of an evolved dam break with id, position, velocity and density.
//
// Times are measured on a file system in memory, where syncing is free, and again in the usual folder of temporary files, including
// syncing, which mostly measures the disk.
#define _GNU_SOURCE
#include "base/error.h"
#include "bench/dam_break.h"
#include "cache/run_dir.h"
#include "cache/world_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const dam_break_size full_size = {{50, 50, 50}, 1}, quick_size = {{10, 10, 10}, 1};

static const char *const channels[] = {"id", "position", "velocity", "density"};

enum
{
	CHANNELS = sizeof channels / sizeof *channels,
	ALWAYS_THERE = 2 // channels that world_write_frame() always writes
};

typedef struct frame_case
{
	int threads;
	double ms_write, ms_read; // in memory
	double ms_write_synced;   // on disk
} frame_case;

typedef struct report
{
	uint32_t particles;
	double bytes; // per particle
	frame_case cases[2];
	int count;
} report;

// A new run directory below a folder.
static spate_result make_directory(char *path, size_t room, const char *folder, spate_error *error)
{
	snprintf(path, room, "%s/spate-bench-XXXXXX", folder);
	if (!mkdtemp(path))
	{
		spate_result result =
		    error_set(error, SPATE_IO, "cannot make a directory in %s: %s", folder, strerror(errno));
		*path = '\0';
		return result;
	}
	return run_dir_create(path, error);
}

// Removes the files of run_dir_create() and of one frame.
static void remove_directory(const char *path, const char *frame)
{
	if (!*path)
		return;
	const char *const folders[] = {"frames", "checkpoint"};
	unlink(frame);
	for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
		rmdir(run_file_path(path, folders[k]).text);
	rmdir(path);
}

static spate_result write_frames(spate_world *world, const char *directory, int runs, double *ms, spate_error *error)
{
	stopwatch watch = {0};
	spate_result result = SPATE_OK;
	for (int run = 0; run < runs && result == SPATE_OK; run++)
	{
		stopwatch_start(&watch);
		result = world_write_frame(world, directory, channels + ALWAYS_THERE, CHANNELS - ALWAYS_THERE, error);
		stopwatch_stop(&watch);
	}
	*ms = 1e3 * watch.best;
	return result;
}

static spate_result read_frame(const char *path, uint64_t *bytes, spate_error *error)
{
	spate_frame *frame = NULL;
	spate_result result = spate_frame_open(path, &frame, error);
	for (int c = 0; c < CHANNELS && result == SPATE_OK; c++)
	{
		const void *data;
		result = spate_frame_channel(frame, channels[c], NULL, &data, error);
	}
	if (result == SPATE_OK)
		*bytes = spate_frame_bytes(frame);
	spate_frame_close(frame);
	return result;
}

// Reading uses all cores unless the environment says otherwise.
static spate_result read_frames(const char *path, int threads, int runs, double *ms, uint64_t *bytes,
				spate_error *error)
{
	const char *name = "SPATE_THREADS", *old = getenv(name);
	char *before = old ? strdup(old) : NULL, text[16];
	snprintf(text, sizeof text, "%d", threads);
	setenv(name, text, 1);
	stopwatch watch = {0};
	spate_result result = SPATE_OK;
	for (int run = 0; run < runs && result == SPATE_OK; run++)
	{
		stopwatch_start(&watch);
		result = read_frame(path, bytes, error);
		stopwatch_stop(&watch);
	}
	*ms = 1e3 * watch.best;
	if (before)
		setenv(name, before, 1);
	else
		unsetenv(name);
	free(before);
	return result;
}

static spate_result measure_in(spate_world *world, const bench_options *options, const char *memory, const char *disk,
			       report *r, spate_error *error)
{
	int threads[2];
	r->count = bench_thread_counts(options, threads);
	r->particles = spate_store_count(spate_world_store(world));
	run_path path = run_frame_path(memory, spate_world_frame(world));
	spate_result result = SPATE_OK;
	for (int c = 0; c < r->count && result == SPATE_OK; c++)
	{
		frame_case *own = &r->cases[c];
		uint64_t bytes = 0;
		own->threads = threads[c];
		spate_world_set_threads(world, threads[c]);
		bench_progress(options, "frames of %u particles, threads %d", r->particles, threads[c]);
		result = write_frames(world, memory, options->runs, &own->ms_write, error);
		if (result == SPATE_OK)
			result = read_frames(path.text, threads[c], options->runs, &own->ms_read, &bytes, error);
		if (result == SPATE_OK)
			result = write_frames(world, disk, options->runs, &own->ms_write_synced, error);
		r->bytes = (double)bytes / r->particles;
	}
	return result;
}

static spate_result measure(spate_world *world, void *context, const bench_options *options, spate_error *error)
{
	report *r = context;
	const char *temporary = getenv("TMPDIR");
	temporary = temporary && *temporary ? temporary : "/tmp";
	const char *memory_folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : temporary;
	char memory[1024] = "", disk[1024] = "";
	spate_result result = make_directory(memory, sizeof memory, memory_folder, error);
	if (result == SPATE_OK)
		result = make_directory(disk, sizeof disk, temporary, error);
	if (result == SPATE_OK)
		result = measure_in(world, options, memory, disk, r, error);
	int64_t number = spate_world_frame(world);
	remove_directory(memory, run_frame_path(memory, number).text);
	remove_directory(disk, run_frame_path(disk, number).text);
	return result;
}

static void print_table(const report *r)
{
	printf("%u particles: id, position, velocity, density; %.2f bytes per particle (36 unpacked); ms\n"
	       "  threads    write     read  write and sync to disk\n",
	       r->particles, r->bytes);
	for (int c = 0; c < r->count; c++)
		printf("%9d %8.1f %8.1f %23.1f\n", r->cases[c].threads, r->cases[c].ms_write, r->cases[c].ms_read,
		       r->cases[c].ms_write_synced);
}

static void print_json(const report *r)
{
	printf(",\"rows\":[");
	for (int c = 0; c < r->count; c++)
		printf("%s{\"particles\":%u,\"threads\":%d,\"ms_write\":%.4g,\"ms_read\":%.4g,\"ms_write_synced\":%.4g,"
		       "\"bytes_per_particle\":%.4g}",
		       c ? "," : "", r->particles, r->cases[c].threads, r->cases[c].ms_write, r->cases[c].ms_read,
		       r->cases[c].ms_write_synced, r->bytes);
	puts("]}");
}

spate_result bench_frame(const bench_options *options, spate_error *error)
{
	report r = {0};
	spate_result result = dam_break_measure(options->quick ? &quick_size : &full_size, measure, &r, options, error);
	if (result != SPATE_OK)
		return result;
	bench_print_head(options, "frame", "evolved dam break, file system in memory");
	(options->json ? print_json : print_table)(&r);
	return SPATE_OK;
}
