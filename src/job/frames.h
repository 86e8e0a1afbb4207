// Lists of frames as render farms write them: "1-3,5,7-20:2".
#ifndef JOB_FRAMES_H
#define JOB_FRAMES_H

#include "base/array.h"
#include "cache/run_dir.h"
#include "spate/job.h"

// A range; -1 for an open end.
typedef struct frame_range
{
	int64_t first, last, step;
} frame_range;

typedef ARRAY(frame_range) frame_list;

// `list` is emptied first; free it with array_free(), also after a failure. SPATE_INVALID names the part that is wrong.
spate_result frame_list_parse(frame_list *list, const char *text, spate_error *error);

// The numbers of the list up to `end`, ascending and each once. Open ends begin at `begin` and end at `end`. *asked is the highest number
// of the list, which may be above `end`; -1 if the list is empty.
spate_result frame_list_numbers(const frame_list *list, int64_t begin, int64_t end, run_numbers *numbers,
				int64_t *asked, spate_error *error);

// Keeps the numbers of a shard.
void frame_list_shard(run_numbers *numbers, const spate_job_frames *frames);

#endif
