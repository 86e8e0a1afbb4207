#include "cli/run_input.h"

#include "cli/command.h"
#include "cli/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int run_path_is_folder(const common_arguments *a)
{
	struct stat found;
	if (stat(a->path, &found) == 0)
		return S_ISDIR(found.st_mode);
	complain(a->program, "cannot open %s: %s", a->path, strerror(errno));
	return -1;
}

int run_is_same_file(const char *a, const char *b)
{
	struct stat first, second;
	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

int run_missing_tell(const common_arguments *a, const run_numbers *missing)
{
	if (missing->count > 0)
		complain(a->program, "%s %s missing and skipped: %s", missing->count == 1 ? "a frame" : "frames",
			 missing->count == 1 ? "is" : "are", report_numbers(missing->data, missing->count).text);
	return missing->count > 0;
}

int frame_range_apply(const frame_range *range, run_numbers *frames, run_numbers *missing, const char *program,
		      const char *path)
{
	if (frames->count == 0)
	{
		complain(program, "%s has no frames", path);
		return EXIT_FAILED;
	}
	int64_t first = frames->data[0], last = frames->data[frames->count - 1];
	if (range->given)
	{
		first = range->first >= 0 ? range->first : first;
		last = range->last >= 0 ? range->last : last;
	}
	if (!missing_numbers(frames, first, last, missing))
	{
		complain(program, "out of memory");
		return EXIT_FAILED;
	}
	size_t kept = 0;
	for (size_t i = 0; i < frames->count; i++)
		if (frames->data[i] >= first && frames->data[i] <= last)
			frames->data[kept++] = frames->data[i];
	if (kept == 0)
	{
		complain(program, "%s has frames %s, but none from %" PRId64 " to %" PRId64, path,
			 report_numbers(frames->data, frames->count).text, first, last);
		return EXIT_FAILED;
	}
	frames->count = kept;
	return EXIT_DONE;
}

int run_scene_load(spate_scene *scene, int *found, const char *path, int single, const char *program)
{
	run_path file = run_file_path(path, RUN_SCENE);
	*found = 0;
	if (single)
	{
		const char *slash = strrchr(path, '/');
		int folder = slash ? (int)(slash - path) : 1;
		int length = snprintf(file.text, sizeof file.text, "%.*s/../%s", folder, slash ? path : ".", RUN_SCENE);
		if (length < 0 || (size_t)length >= sizeof file.text)
			return EXIT_DONE;
	}
	if (access(file.text, F_OK) != 0)
		return EXIT_DONE;
	spate_problems problems = {0};
	spate_error error = {0};
	spate_result result = spate_scene_load(scene, file.text, NULL, 0, &problems, &error);
	spate_problems_free(&problems);
	if (result != SPATE_OK)
	{
		complain(program, "%s", error.text);
		return EXIT_FAILED;
	}
	*found = 1;
	return EXIT_DONE;
}

const char *run_field_folder(char *out, size_t size)
{
	const char *own = getenv("SPATE_FIELDS"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (own && *own)
		return own;
	int length = -1;
	// the XDG specification says to ignore relative paths
	if (cache && *cache == '/')
		length = snprintf(out, size, "%s/spate/fields", cache);
	else if (home && *home)
		length = snprintf(out, size, "%s/.cache/spate/fields", home);
	return length > 0 && (size_t)length < size ? out : NULL;
}
