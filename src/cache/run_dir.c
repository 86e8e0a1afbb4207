#include "cache/run_dir.h"

#include "base/error.h"
#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// All kinds of numbered files: FOLDER/PREFIX000012.spate; the folder is empty for the directory itself.
typedef struct series
{
	const char *folder, *prefix, *extension;
} series;

static const series frames = {"frames", "frame_", ".spate"}, checkpoints = {"checkpoint", "checkpoint_", ".spate"};
static const series pictures = {"", "frame_", ".png"};

enum
{
	LONGEST_NAME = 64, // of a path below DIR, including temporaries
	LONGEST_PREFIX = 128
};

// Checks the length that snprintf() returned: a truncated path would name another file.
static run_path path_if_whole(run_path path, int length)
{
	if (length < 0 || (size_t)length >= sizeof path.text)
		path.text[0] = 0;
	return path;
}

run_path run_file_path(const char *directory, const char *name)
{
	run_path path;
	int length = snprintf(path.text, sizeof path.text, "%s/%s", directory, name);
	return path_if_whole(path, length);
}

static run_path numbered_path(const char *directory, const series *s, int64_t number)
{
	run_path path;
	const char *slash = *s->folder ? "/" : "";
	int length = snprintf(path.text, sizeof path.text, "%s%s%s/%s%06" PRId64 "%s", directory, slash, s->folder,
			      s->prefix, number, s->extension);
	return path_if_whole(path, length);
}

run_path run_frame_path(const char *directory, int64_t frame)
{
	return numbered_path(directory, &frames, frame);
}

run_path run_checkpoint_path(const char *directory, int64_t frame)
{
	return numbered_path(directory, &checkpoints, frame);
}

// The series keeps a pointer to `prefix`, which is filled in.
static series meshes(const char *fluid, const char *extension, char prefix[LONGEST_PREFIX])
{
	snprintf(prefix, LONGEST_PREFIX, "mesh_%.100s%s", fluid, *fluid ? "_" : "");
	return (series){"", prefix, extension};
}

run_path run_mesh_path(const char *folder, int64_t frame, const char *extension)
{
	return run_fluid_mesh_path(folder, "", frame, extension);
}

run_path run_fluid_mesh_path(const char *folder, const char *fluid, int64_t frame, const char *extension)
{
	char prefix[LONGEST_PREFIX];
	series s = meshes(fluid, extension, prefix);
	return numbered_path(folder, &s, frame);
}

run_path run_picture_path(const char *folder, int64_t frame)
{
	return numbered_path(folder, &pictures, frame);
}

spate_result run_dir_create(const char *directory, spate_error *error)
{
	if (strlen(directory) + LONGEST_NAME >= sizeof(run_path))
		return error_set(error, SPATE_INVALID, "the name of the output directory is too long (%zu characters)",
				 strlen(directory));
	const char *folders[] = {frames.folder, checkpoints.folder, "."};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
	{
		run_path path = run_file_path(directory, folders[i]);
		spate_result result = file_make_directory(path.text, error);
		if (result == SPATE_OK)
			result = file_remove_stale(path.text, error);
		if (result != SPATE_OK)
			return result;
	}
	return SPATE_OK;
}

// The number in a file name of the series; -1 for any name that we would not write ourselves.
static int64_t number_of(const series *s, const char *name)
{
	size_t prefix = strlen(s->prefix);
	if (strncmp(name, s->prefix, prefix) != 0 || !isdigit((unsigned char)name[prefix]))
		return -1;
	errno = 0;
	long long number = strtoll(name + prefix, NULL, 10);
	if (errno != 0 || number < 0)
		return -1;
	char expected[LONGEST_PREFIX + LONGEST_NAME];
	snprintf(expected, sizeof expected, "%s%06lld%s", s->prefix, number, s->extension);
	return strcmp(name, expected) == 0 ? number : -1;
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static spate_result list(const char *directory, const series *s, run_numbers *numbers, spate_error *error)
{
	numbers->count = 0;
	run_path path = run_file_path(directory, *s->folder ? s->folder : ".");
	DIR *stream = opendir(path.text);
	if (!stream)
		return errno == ENOENT || errno == ENOTDIR
			   ? SPATE_OK
			   : file_error(error, SPATE_IO, "read directory", path.text, errno);
	spate_result result = SPATE_OK;
	for (struct dirent *found; result == SPATE_OK && (found = readdir(stream));)
	{
		int64_t number = number_of(s, found->d_name);
		if (number >= 0 && !array_push(numbers, number))
			result = error_memory(error, numbers->count * sizeof number);
	}
	closedir(stream);
	if (numbers->count > 0)
		qsort(numbers->data, numbers->count, sizeof *numbers->data, compare_numbers);
	return result;
}

spate_result run_list_frames(const char *directory, run_numbers *numbers, spate_error *error)
{
	return list(directory, &frames, numbers, error);
}

spate_result run_list_checkpoints(const char *directory, run_numbers *numbers, spate_error *error)
{
	return list(directory, &checkpoints, numbers, error);
}

spate_result run_list_meshes(const char *folder, const char *fluid, const char *extension, run_numbers *numbers,
			     spate_error *error)
{
	char prefix[LONGEST_PREFIX];
	series s = meshes(fluid, extension, prefix);
	return list(folder, &s, numbers, error);
}

spate_result run_list_pictures(const char *folder, run_numbers *numbers, spate_error *error)
{
	return list(folder, &pictures, numbers, error);
}

static spate_result remove_all(const char *directory, const series *s, spate_error *error)
{
	run_numbers numbers = {0};
	spate_result result = list(directory, s, &numbers, error);
	for (size_t i = 0; i < numbers.count && result == SPATE_OK; i++)
	{
		run_path path = numbered_path(directory, s, numbers.data[i]);
		if (unlink(path.text) != 0 && errno != ENOENT)
			result = file_error(error, SPATE_IO, "remove", path.text, errno);
	}
	array_free(&numbers);
	return result;
}

spate_result run_dir_clear(const char *directory, spate_error *error)
{
	spate_result result = remove_all(directory, &checkpoints, error);
	return result == SPATE_OK ? remove_all(directory, &frames, error) : result;
}

int run_numbers_missing(const run_numbers *present, int64_t first, int64_t last, run_numbers *missing)
{
	enum
	{
		MOST = 1000000
	};
	size_t next = 0;
	missing->count = 0;
	for (int64_t number = first; number <= last && missing->count < MOST; number++)
	{
		while (next < present->count && present->data[next] < number)
			next++;
		if (next < present->count && present->data[next] == number)
			continue;
		if (!array_push(missing, number))
			return 0;
	}
	return 1;
}

int run_numbers_keep(run_numbers *numbers, const run_numbers *present, run_numbers *gone)
{
	size_t kept = 0, at = 0;
	for (size_t i = 0; i < numbers->count; i++)
	{
		int64_t number = numbers->data[i];
		while (at < present->count && present->data[at] < number)
			at++;
		if (at < present->count && present->data[at] == number)
			numbers->data[kept++] = number;
		else if (!array_push(gone, number))
			return 0;
	}
	numbers->count = kept;
	return 1;
}
