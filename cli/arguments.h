// What several commands are given alike on the command line, so that it reads the same everywhere.
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <argp.h>
#include <stdint.h>

// Frames asked for with --frames: all zero for every one, else -1 for an open end.
typedef struct frame_range
{
	int given;
	int64_t first, last;
} frame_range;

typedef struct common_arguments
{
	const char *program;
	const char *what;          // the one argument is, for sentences: "DIR or FILE"
	const char *path, *output; // NULL when it was not given
	frame_range frames;
	int threads; // 0 for all cores
	int json, quiet;
} common_arguments;

// Keys of their options, beside 'o', 't' and 'q'. A command takes those that are in its own table.
enum
{
	COMMON_OPTION_FRAMES = 1024,
	COMMON_OPTION_JSON
};

// Takes one of them, or the one argument, which must be there; ARGP_ERR_UNKNOWN for everything else.
error_t common_arguments_parse(common_arguments *a, int key, char *value, struct argp_state *state);

#endif
