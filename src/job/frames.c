#include "job/frames.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum
{
	HIGHEST = 999999999,     // the longest number of a frame's file
	MOST_NUMBERS = 10000000, // more is a slip of the pen, and would need much memory
	PART_CHARS = 48          // of a part of the list, in messages
};

// --------------------------------------------------------------------------------------------------------------- parsing

// The part of the list that is read, and how far.
typedef struct part
{
	char text[PART_CHARS];
	const char *at;
} part;

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

// Reads digits, if there are any; else -1, and -2 for a number that is too large.
static int64_t read_number(part *p)
{
	int64_t value = is_digit(*p->at) ? 0 : -1;
	for (; is_digit(*p->at); p->at++)
		value = value >= 0 && value <= HIGHEST / 10 ? value * 10 + (*p->at - '0') : -2;
	return value > HIGHEST ? -2 : value;
}

static spate_result parse_part(part *p, frame_range *range, spate_error *error)
{
	static const char pattern[] = "a number, or a range such as 10-20, 10-, -20 or 10-20x2";
	int64_t first = read_number(p), last = first, step = 1;
	int is_range = *p->at == '-';
	if (is_range)
	{
		p->at++;
		last = read_number(p);
	}
	int has_step = *p->at == 'x' || *p->at == ':';
	if (has_step)
	{
		p->at++;
		step = read_number(p);
	}
	if (*p->at || (first == -1 && last == -1) || (has_step && step == -1))
		return error_set(error, SPATE_INVALID, "`frames`: '%s' is not %s", p->text, pattern);
	if (first == -2 || last == -2 || step == -2)
		return error_set(error, SPATE_INVALID, "`frames`: '%s' has a number above %d", p->text, (int)HIGHEST);
	if (has_step && !is_range)
		return error_set(error, SPATE_INVALID,
				 "`frames`: '%s' has a step, but no range such as %" PRId64 "-%" PRId64, p->text, first,
				 first + 10);
	if (step == 0)
		return error_set(error, SPATE_INVALID, "`frames`: '%s' has a step of 0", p->text);
	if (first >= 0 && last >= 0 && last < first)
		return error_set(error, SPATE_INVALID, "`frames`: '%s' ends before it begins", p->text);
	*range = (frame_range){first, last, step};
	return SPATE_OK;
}

spate_result frame_list_parse(frame_list *list, const char *text, spate_error *error)
{
	list->count = 0;
	for (const char *at = text; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
	{
		part p = {.at = p.text};
		frame_range range;
		size_t length = strcspn(at, ","), blanks = strspn(at, " ");
		const char *begin = at + (blanks < length ? blanks : length);
		length -= (size_t)(begin - at);
		while (length > 0 && begin[length - 1] == ' ')
			length--;
		if (length == 0)
			return error_set(error, SPATE_INVALID, "`frames`: '%.200s' has an empty part", text);
		memcpy(p.text, begin, length < PART_CHARS - 1 ? length : PART_CHARS - 1);
		spate_result result = parse_part(&p, &range, error);
		if (result != SPATE_OK)
			return result;
		if (!array_push(list, range))
			return error_memory(error, sizeof range);
	}
	return SPATE_OK;
}

spate_result spate_job_frames_check(const spate_job_frames *frames, spate_error *error)
{
	frame_list list = {0};
	spate_result result = frames->list ? frame_list_parse(&list, frames->list, error) : SPATE_OK;
	array_free(&list);
	if (result != SPATE_OK || (frames->shards == 0 && frames->shard == 0))
		return result;
	if (frames->shards == 0 || frames->shards > SPATE_JOB_MAX_SHARDS)
		return error_set(error, SPATE_INVALID, "`shard`: there can be 1 to %d shards, not %u",
				 (int)SPATE_JOB_MAX_SHARDS, frames->shards);
	if (frames->shard == 0 || frames->shard > frames->shards)
		return error_set(error, SPATE_INVALID, "`shard`: %u of %u does not exist; shards count from 1 to %u",
				 frames->shard, frames->shards, frames->shards);
	return SPATE_OK;
}

// --------------------------------------------------------------------------------------------------------------- numbers

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void sort_once(run_numbers *numbers)
{
	size_t kept = 0;
	if (numbers->count > 0)
		qsort(numbers->data, numbers->count, sizeof *numbers->data, compare_numbers);
	for (size_t i = 0; i < numbers->count; i++)
		if (kept == 0 || numbers->data[i] != numbers->data[kept - 1])
			numbers->data[kept++] = numbers->data[i];
	numbers->count = kept;
}

spate_result frame_list_numbers(const frame_list *list, int64_t begin, int64_t end, run_numbers *numbers,
				int64_t *asked, spate_error *error)
{
	numbers->count = 0;
	*asked = -1;
	for (size_t r = 0; r < list->count; r++)
	{
		frame_range range = list->data[r];
		int64_t first = range.first >= 0 ? range.first : begin, last = range.last >= 0 ? range.last : end;
		if (last < first)
		{
			// the open range begins after the run, or ends before it
			int64_t named = range.first >= 0 ? range.first : range.last;
			*asked = named > *asked ? named : *asked;
			continue;
		}
		int64_t highest = first + (last - first) / range.step * range.step;
		*asked = highest > *asked ? highest : *asked;
		last = last < end ? last : end;
		if (last >= first && (last - first) / range.step >= (int64_t)(MOST_NUMBERS - numbers->count))
			return error_set(error, SPATE_INVALID, "`frames`: the list has more than %d frames",
					 (int)MOST_NUMBERS);
		for (int64_t number = first; number <= last; number += range.step)
			if (!array_push(numbers, number))
				return error_memory(error, (numbers->count + 1) * sizeof number);
	}
	sort_once(numbers);
	return SPATE_OK;
}

void frame_list_shard(run_numbers *numbers, const spate_job_frames *frames)
{
	size_t kept = 0;
	if (frames->shards == 0)
		return;
	for (size_t i = frames->shard - 1; i < numbers->count; i += frames->shards)
		numbers->data[kept++] = numbers->data[i];
	numbers->count = kept;
}
