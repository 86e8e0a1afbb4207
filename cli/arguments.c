#include "cli/arguments.h"

#include "cli/report.h"
#include "spate/formats.h"
#include "spate/threads.h"

#include <stdlib.h>
#include <string.h>

static const option_name common_names[] = {COMMON_NAMES, {0}};

// "2/8".
static int read_shard(spate_job_frames *frames, const char *text)
{
	char start[16];
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : sizeof start;
	long part = 0, parts = 0;
	if (length >= sizeof start)
		return 0;
	memcpy(start, text, length);
	start[length] = '\0';
	if (!read_whole(start, 0, SPATE_JOB_MAX_SHARDS, &part) ||
	    !read_whole(slash + 1, 0, SPATE_JOB_MAX_SHARDS, &parts))
		return 0;
	frames->shard = (uint32_t)part;
	frames->shards = (uint32_t)parts;
	return parts > 0;
}

static void check_frames(const common_arguments *a, const struct argp_state *state)
{
	spate_error error = {0};
	if (spate_job_frames_check(&a->frames, &error) != SPATE_OK)
		argp_error(state, "%s", job_translate(common_names, error.text).text);
}

error_t common_arguments_parse(common_arguments *a, int key, char *value, struct argp_state *state)
{
	long whole = 0;
	switch (key)
	{
	case 'o':
		a->output = value;
		return 0;
	case COMMON_OPTION_FRAMES:
		a->frames.list = value;
		check_frames(a, state);
		return 0;
	case COMMON_OPTION_SHARD:
		if (!read_shard(&a->frames, value))
			argp_error(state, "--shard takes I/N with whole numbers up to %d, such as 1/4, not '%s'",
				   (int)SPATE_JOB_MAX_SHARDS, value);
		check_frames(a, state);
		return 0;
	case COMMON_OPTION_PROGRESS:
		if (strcmp(value, "auto") != 0 && strcmp(value, "plain") != 0)
			argp_error(state, "--progress takes auto or plain, not '%s'", value);
		a->plain = *value == 'p';
		return 0;
	case 't':
		if (!read_whole(value, 1, SPATE_MAX_THREADS, &whole))
			argp_error(state, "--threads takes a whole number from 1 to %d, not '%s'",
				   (int)SPATE_MAX_THREADS, value);
		a->threads = (int)whole;
		// for calls that take no number of threads
		setenv("SPATE_THREADS", value, 1);
		return 0;
	case COMMON_OPTION_JSON:
		a->json = 1;
		return 0;
	case 'q':
		a->quiet = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "only one %s is allowed; '%s' is extra", a->what, value);
		a->path = value;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "%s is missing", a->what);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
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

void format_words(char out[FORMAT_WORDS_CHARS], uint32_t contents)
{
	const spate_format *format;
	size_t used = 0;
	for (uint32_t n = 0; (format = spate_format_at(n)) && used < FORMAT_WORDS_CHARS; n++)
		if ((format->writes & contents) == contents)
			used += (size_t)snprintf(out + used, FORMAT_WORDS_CHARS - used, "%s%s", used ? "|" : "",
						 format->name);
}
