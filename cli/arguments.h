// Options and arguments that several commands share.
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

// Frames selected by --frames: all zero selects every frame; -1 is an open end.
typedef struct frame_range
{
	int given;
	int64_t first, last;
} frame_range;

typedef struct common_arguments
{
	const char *program;
	const char *what;          // the argument, for messages: "DIR or FILE"
	const char *path, *output; // NULL if not given
	frame_range frames;
	int threads; // 0 for all cores
	int json, quiet;
} common_arguments;

// Keys of these options, besides 'o', 't' and 'q'. A command accepts those in its own table.
enum
{
	COMMON_OPTION_FRAMES = 1024,
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
