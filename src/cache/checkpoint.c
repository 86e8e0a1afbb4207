#include "cache/checkpoint.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "cache/run_dir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

spate_result checkpoint_write(const char *directory, const spate_frame_def *def, spate_error *error)
{
	if (def->kind != SPATE_FRAME_CHECKPOINT)
		return error_set(error, SPATE_INVALID, "a checkpoint of kind %d", (int)def->kind);
	spate_result result = spate_frame_write(run_checkpoint_path(directory, def->frame).text, def, error);
	if (result != SPATE_OK)
		return result;

	// remove the oldest
	run_numbers numbers = {0};
	spate_error trouble;
	if (run_list_checkpoints(directory, &numbers, &trouble) != SPATE_OK)
		log_warning("%s", trouble.text);
	size_t upto = 0;
	while (upto < numbers.count && numbers.data[upto] <= def->frame)
		upto++;
	for (size_t i = 0; i + CHECKPOINTS_KEPT < upto; i++)
	{
		run_path path = run_checkpoint_path(directory, numbers.data[i]);
		if (unlink(path.text) != 0 && errno != ENOENT)
		{
			file_error(&trouble, SPATE_IO, "remove", path.text, errno);
			log_warning("%s", trouble.text);
		}
	}
	array_free(&numbers);
	return SPATE_OK;
}

// Opens one candidate and verifies all of it.
static spate_result open_whole(const char *path, int64_t number, int threads, spate_frame **frame, spate_error *error)
{
	spate_result result = spate_frame_open(path, frame, error);
	if (result != SPATE_OK)
		return result;
	spate_frame_set_threads(*frame, threads);
	if (spate_frame_get_kind(*frame) != SPATE_FRAME_CHECKPOINT || spate_frame_number(*frame) != number)
		result = error_set(error, SPATE_FORMAT, "%s does not contain the checkpoint that its name says", path);
	else
		result = spate_frame_verify(*frame, error);
	if (result != SPATE_OK)
	{
		spate_frame_close(*frame);
		*frame = NULL;
	}
	return result;
}

spate_result checkpoint_newest_valid(const char *directory, int threads, spate_frame **frame, spate_error *error)
{
	*frame = NULL;
	run_numbers numbers = {0};
	spate_result result = run_list_checkpoints(directory, &numbers, error);
	char reasons[600] = "";
	for (size_t i = numbers.count; i-- > 0 && result == SPATE_OK && !*frame;)
	{
		spate_error trouble;
		run_path path = run_checkpoint_path(directory, numbers.data[i]);
		spate_result opened = open_whole(path.text, numbers.data[i], threads, frame, &trouble);
		// out of memory does not mean that the file is damaged, so do not fall back to an older one
		if (opened == SPATE_MEMORY)
			result = error_set(error, opened, "%s", trouble.text);
		else if (opened != SPATE_OK)
		{
			size_t used = strlen(reasons);
			snprintf(reasons + used, sizeof reasons - used, "%s%.290s", used ? "; " : "", trouble.text);
			if (i > 0)
				log_warning("%s; trying an older checkpoint", trouble.text);
		}
	}
	if (result == SPATE_OK && !*frame)
		result = numbers.count ? error_set(error, SPATE_DAMAGED, "%s", reasons)
				       : error_set(error, SPATE_MISSING, "%s has no checkpoint", directory);
	array_free(&numbers);
	return result;
}
