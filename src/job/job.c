#include "job/job.h"

#include "base/error.h"
#include "base/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --------------------------------------------------------------------------------------------------------------- messages

__attribute__((format(printf, 3, 0))) static void send_line(const spate_job *job, spate_log_level level,
							    const char *format, va_list arguments)
{
	char line[1200];
	vsnprintf(line, sizeof line, format, arguments);
	if (job->log)
		job->log(job->context, level, line);
	else if (level == SPATE_LOG_WARNING)
		log_warning("%s", line);
	else
		log_info("%s", line);
}

void job_warn(const spate_job *job, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	send_line(job, SPATE_LOG_WARNING, format, arguments);
	va_end(arguments);
}

void job_tell(const spate_job *job, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	send_line(job, SPATE_LOG_INFO, format, arguments);
	va_end(arguments);
}

// ------------------------------------------------------------------------------------------------------------------ frames

int job_is_folder(const char *path, spate_error *error)
{
	struct stat found;
	if (stat(path, &found) == 0)
		return S_ISDIR(found.st_mode);
	return error_set(error, SPATE_IO, "cannot open %s: %s", path, strerror(errno));
}

int job_is_same_file(const char *a, const char *b)
{
	struct stat first, second;
	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

job_text job_numbers_text(const run_numbers *numbers)
{
	job_text out = {""};
	size_t used = 0;
	for (size_t i = 0, next; i < numbers->count; i = next)
	{
		char range[sizeof out.text];
		for (next = i + 1; next < numbers->count && numbers->data[next] == numbers->data[next - 1] + 1;)
			next++;
		int length = snprintf(range, sizeof range, "%s%" PRId64, i > 0 ? ", " : "", numbers->data[i]);
		if (next - i > 1)
			length += snprintf(range + length, sizeof range - (size_t)length, "-%" PRId64,
					   numbers->data[next - 1]);
		// leave room for the dots that replace the rest
		if (used + (size_t)length + 6 > sizeof out.text)
		{
			memcpy(out.text + used, ", ...", 6);
			break;
		}
		memcpy(out.text + used, range, (size_t)length + 1);
		used += (size_t)length;
	}
	return out;
}

spate_result job_select_frames(run_numbers *frames, run_numbers *missing, const spate_job_frames *range,
			       const char *path, spate_error *error)
{
	if (frames->count == 0)
		return error_set(error, SPATE_MISSING, "%s has no frames", path);
	int64_t first = range->first >= 0 ? range->first : frames->data[0];
	int64_t last = range->last >= 0 ? range->last : frames->data[frames->count - 1];
	if (!run_numbers_missing(frames, first, last, missing))
		return error_memory(error, (missing->count + 1) * sizeof *missing->data);
	size_t kept = 0;
	for (size_t i = 0; i < frames->count; i++)
		if (frames->data[i] >= first && frames->data[i] <= last)
			frames->data[kept++] = frames->data[i];
	if (kept == 0)
		return error_set(error, SPATE_MISSING, "%s has frames %s, but none from %" PRId64 " to %" PRId64, path,
				 job_numbers_text(frames).text, first, last);
	frames->count = kept;
	return SPATE_OK;
}

void job_warn_missing(const spate_job *job, const run_numbers *missing)
{
	if (missing->count > 0)
		job_warn(job, "%s missing and skipped: %s", missing->count == 1 ? "a frame is" : "frames are",
			 job_numbers_text(missing).text);
}

// ------------------------------------------------------------------------------------------------------------------- scene

spate_result job_load_scene(spate_scene *scene, int *found, const char *path, int single, spate_error *error)
{
	run_path file = run_file_path(path, RUN_SCENE);
	*found = 0;
	if (single)
	{
		const char *slash = strrchr(path, '/');
		int folder = slash ? (int)(slash - path) : 1;
		int length = snprintf(file.text, sizeof file.text, "%.*s/../%s", folder, slash ? path : ".", RUN_SCENE);
		if (length < 0 || (size_t)length >= sizeof file.text)
			return SPATE_OK;
	}
	if (access(file.text, F_OK) != 0)
		return SPATE_OK;
	spate_problems problems = {0};
	spate_result result = spate_scene_load(scene, file.text, NULL, 0, &problems, error);
	spate_problems_free(&problems);
	*found = result == SPATE_OK;
	return result;
}
