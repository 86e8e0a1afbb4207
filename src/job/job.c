#include "job/job.h"

#include "base/error.h"
#include "base/log.h"
#include "job/frames.h"

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

// Splits the wanted numbers into those that are there, which remain in `frames`, and those that are missing. Both lists ascend.
static spate_result split(run_numbers *frames, run_numbers *missing, const run_numbers *wanted, spate_error *error)
{
	size_t kept = 0, at = 0;
	for (size_t i = 0; i < wanted->count; i++)
	{
		int64_t number = wanted->data[i];
		while (at < frames->count && frames->data[at] < number)
			at++;
		if (at < frames->count && frames->data[at] == number)
			frames->data[kept++] = number;
		else if (!array_push(missing, number))
			return error_memory(error, (missing->count + 1) * sizeof number);
	}
	frames->count = kept;
	return SPATE_OK;
}

static spate_result select_listed(const spate_job *job, run_numbers *frames, run_numbers *missing,
				  const spate_job_frames *chosen, const char *path, spate_error *error)
{
	const char *text = chosen->list ? chosen->list : "-";
	int64_t asked = -1, end = frames->data[frames->count - 1];
	job_text have = job_numbers_text(frames);
	frame_list list = {0};
	run_numbers wanted = {0};
	spate_result result = chosen->list ? frame_list_parse(&list, text, error) : SPATE_OK;
	if (result == SPATE_OK && !chosen->list && !array_push(&list, (frame_range){-1, -1, 1}))
		result = error_memory(error, sizeof(frame_range));
	if (result == SPATE_OK)
		result = frame_list_numbers(&list, frames->data[0], end, &wanted, &asked, error);
	int some = wanted.count > 0;
	frame_list_shard(&wanted, chosen);
	int idle = some && wanted.count == 0;
	if (result == SPATE_OK)
		result = split(frames, missing, &wanted, error);
	if (result == SPATE_OK && frames->count == 0 && !idle)
		result = error_set(error, SPATE_MISSING, "%s has frames %s, but none of %.200s", path, have.text, text);
	else if (result == SPATE_OK && asked > end)
		job_warn(job, "`frames` goes up to %" PRId64 ", but the last frame is %" PRId64, asked, end);
	array_free(&wanted);
	array_free(&list);
	return result;
}

spate_result job_select_frames(const spate_job *job, run_numbers *frames, run_numbers *missing,
			       const spate_job_frames *wanted, const char *path, spate_error *error)
{
	missing->count = 0;
	spate_result result = spate_job_frames_check(wanted, error);
	if (result != SPATE_OK)
		return result;
	if (frames->count == 0)
		return error_set(error, SPATE_MISSING, "%s has no frames", path);
	if (wanted->list || wanted->shards)
		return select_listed(job, frames, missing, wanted, path, error);
	if (!run_numbers_missing(frames, frames->data[0], frames->data[frames->count - 1], missing))
		return error_memory(error, (missing->count + 1) * sizeof *missing->data);
	return SPATE_OK;
}

int job_is_idle(const spate_job *job, const run_numbers *frames, const spate_job_frames *wanted)
{
	if (frames->count > 0 || wanted->shards == 0)
		return 0;
	job_tell(job, "nothing to do: shard %u/%u has no frames", wanted->shard, wanted->shards);
	return 1;
}

spate_result job_refuse_frames(const spate_job_frames *wanted, const char *path, spate_error *error)
{
	const char *what = wanted->list ? "frames" : wanted->shards ? "shard" : NULL;
	return what ? error_set(error, SPATE_INVALID, "`%s` needs the frames of a run, but %s is a single file", what,
				path)
		    : SPATE_OK;
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
