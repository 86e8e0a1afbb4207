#include "cli/arguments.h"

#include "cli/report.h"
#include "spate/formats.h"
#include "spate/threads.h"

#include <stdlib.h>
#include <string.h>

// "12", "3-9", "3-" or "-9"; 0 when the text is none of these.
static int read_frames(frame_range *range, const char *text)
{
	enum
	{
		MOST = 999999999
	};
	char start[24];
	const char *dash = strchr(text, '-');
	long value;
	*range = (frame_range){1, -1, -1};
	if (!dash)
	{
		if (!read_whole(text, 0, MOST, &value))
			return 0;
		range->first = range->last = value;
		return 1;
	}
	size_t length = (size_t)(dash - text);
	if (length >= sizeof start || (length == 0 && !dash[1]))
		return 0;
	memcpy(start, text, length);
	start[length] = '\0';
	if (length > 0)
	{
		if (!read_whole(start, 0, MOST, &value))
			return 0;
		range->first = value;
	}
	if (dash[1])
	{
		if (!read_whole(dash + 1, 0, MOST, &value))
			return 0;
		range->last = value;
	}
	return range->first < 0 || range->last < 0 || range->first <= range->last;
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
		if (!read_frames(&a->frames, value))
			argp_error(state, "--frames takes a number or a range such as 10-20, not '%s'", value);
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
