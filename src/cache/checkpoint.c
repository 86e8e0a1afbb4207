#include "cache/checkpoint.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "cache/run_dir.h"

#include <errno.h>
#include <unistd.h>

spate_result checkpoint_write(const char *directory, const spate_frame_def *def, spate_error *error)
{
	if (def->kind != SPATE_FRAME_CHECKPOINT)
		return error_set(error, SPATE_INVALID, "a checkpoint of kind %d", (int)def->kind);
	spate_result result = spate_frame_write(run_checkpoint_path(directory, def->frame).text, def, error);
	if (result != SPATE_OK)
		return result;

	// the oldest go; the one just written stays even if files of a later run lie about
	run_numbers numbers = {0};
	spate_error trouble;
	if (run_list_checkpoints(directory, &numbers, &trouble) != SPATE_OK)
		log_warning("%s", trouble.text);
	for (size_t i = 0; i + CHECKPOINTS_KEPT < numbers.count; i++)
	{
		run_path path = run_checkpoint_path(directory, numbers.data[i]);
		if (numbers.data[i] != def->frame && unlink(path.text) != 0 && errno != ENOENT)
		{
			file_error(&trouble, SPATE_IO, "remove", path.text, errno);
			log_warning("%s", trouble.text);
		}
	}
	array_free(&numbers);
	return SPATE_OK;
}

// Opens one candidate and looks at all of it.
static spate_result open_whole(const char *path, int64_t number, int threads, spate_frame **frame, spate_error *error)
{
	spate_result result = spate_frame_open(path, frame, error);
	if (result != SPATE_OK)
		return result;
	spate_frame_set_threads(*frame, threads);
	if (spate_frame_get_kind(*frame) != SPATE_FRAME_CHECKPOINT || spate_frame_number(*frame) != number)
		result = error_set(error, SPATE_FORMAT, "%s is not the checkpoint that its name says", path);
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
	for (size_t i = numbers.count; i-- > 0 && result == SPATE_OK && !*frame;)
	{
		spate_error trouble;
		run_path path = run_checkpoint_path(directory, numbers.data[i]);
		spate_result opened = open_whole(path.text, numbers.data[i], threads, frame, &trouble);
		// lack of memory says nothing about the file: an older one must not be taken for the newest
		if (opened == SPATE_MEMORY)
			result = error_set(error, opened, "%s", trouble.text);
		else if (opened != SPATE_OK)
			log_warning("%s; trying an older checkpoint", trouble.text);
	}
	if (result == SPATE_OK && !*frame)
		result = error_set(error, SPATE_MISSING, "%s has no %scheckpoint to resume from", directory,
				   numbers.count ? "undamaged " : "");
	array_free(&numbers);
	return result;
}

static spate_result remove_above(const char *directory, int64_t frame, const run_numbers *numbers,
				 run_path path_of(const char *, int64_t), spate_error *error)
{
	for (size_t i = 0; i < numbers->count; i++)
	{
		run_path path = path_of(directory, numbers->data[i]);
		if (numbers->data[i] > frame && unlink(path.text) != 0 && errno != ENOENT)
			return file_error(error, SPATE_IO, "remove", path.text, errno);
	}
	return SPATE_OK;
}

spate_result checkpoint_remove_later(const char *directory, int64_t frame, spate_error *error)
{
	run_numbers numbers = {0};
	spate_result result = run_list_frames(directory, &numbers, error);
	if (result == SPATE_OK)
		result = remove_above(directory, frame, &numbers, run_frame_path, error);
	if (result == SPATE_OK)
		result = run_list_checkpoints(directory, &numbers, error);
	if (result == SPATE_OK)
		result = remove_above(directory, frame, &numbers, run_checkpoint_path, error);
	array_free(&numbers);
	return result;
}
