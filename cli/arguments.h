// Options and arguments that several commands share.
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "cli/job_message.h"
#include "spate/job.h"

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

// What messages of jobs call these options.
#define COMMON_NAMES                              \
	{"output", "-o"}, {"frames", "--frames"}, \
	{                                         \
		"shard", "--shard"                \
	}

// The rows of these options in a command's table, of group `group`.
#define COMMON_FRAMES_ROW(what, group)                                                                                      \
	{                                                                                                                   \
		"frames", COMMON_OPTION_FRAMES, "LIST", 0,                                                                  \
		    "Frames to " what                                                                                       \
		    ": 12, 10-20, 10- or -20, every second one as 1-20x2 or 1-20:2, several as 1-3,5,7-20:2 (default all)", \
		    group                                                                                                   \
	}
#define COMMON_FRAMES_ROWS(what, group)                                                                                    \
	COMMON_FRAMES_ROW(what, group),                                                                                    \
	{                                                                                                                  \
		"shard", COMMON_OPTION_SHARD, "I/N", 0,                                                                    \
		    "Only every N-th of these frames, beginning with the I-th: part I (1 to N) of the work of N machines", \
		    group                                                                                                  \
	}

#define COMMON_PROGRESS_ROW(group)                                                                                            \
	{                                                                                                                     \
		"progress", COMMON_OPTION_PROGRESS, "auto|plain", 0,                                                          \
		    "Progress as one line on a terminal, elsewhere as lines for programs (auto), or always as those (plain)", \
		    group                                                                                                     \
	}

typedef struct common_arguments
{
	const char *program;
	const char *what;          // the argument, for messages: "DIR or FILE"
	const char *path, *output; // NULL if not given
	spate_job_frames frames;
	int threads; // 0 for all cores
	int json, quiet;
	int plain; // progress as lines for programs
} common_arguments;

// Keys of these options, besides 'o', 't' and 'q'. A command accepts those in its own table.
enum
{
	COMMON_OPTION_FRAMES = 1024,
	COMMON_OPTION_SHARD,
	COMMON_OPTION_PROGRESS,
	COMMON_OPTION_JSON
};

// Parses one of these options, or the one required argument; ARGP_ERR_UNKNOWN for everything else.
error_t common_arguments_parse(common_arguments *a, int key, char *value, struct argp_state *state);

// Folder of cached distance fields: $SPATE_FIELDS, or a folder in the user's cache, written into `out`; NULL if there is none.
const char *run_field_folder(char *out, size_t size);

// "ply|obj|...": the formats that write all of the contents (spate/formats.h), for the words of --format. Options are read before main()
// begins, by manual pages and completion, so a command fills its words in a constructor.
enum
{
	FORMAT_WORDS_CHARS = 128
};
void format_words(char out[FORMAT_WORDS_CHARS], uint32_t contents);

#endif
