#include "mesh/sequence.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Length of a number field at a percent sign, and its width. Returns 0 if there is none.
static size_t field_at(const char *at, int *width, int *zeros)
{
	const char *c = at + 1;
	*zeros = *c == '0';
	*width = 0;
	for (int digits = 0; *c >= '0' && *c <= '9'; c++)
		if (++digits > 3)
			return 0;
		else
			*width = *width * 10 + (*c - '0');
	return *c == 'd' && *width <= 18 ? (size_t)(c + 1 - at) : 0;
}

static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

// Number of frame number fields in a file name.
static int count_fields(const char *path)
{
	int fields = 0, width, zeros;
	size_t part;
	for (const char *at = name_in(path); (at = strchr(at, '%')); at += part)
	{
		part = field_at(at, &width, &zeros);
		fields += part > 0;
		if (part == 0)
			part = at[1] == '%' ? 2 : 1;
	}
	return fields;
}

int sequence_is_pattern(const char *path)
{
	return count_fields(path) == 1;
}

// Appends while there is room; the length is counted in any case.
static void append(char *out, size_t size, size_t *length, const char *text, size_t bytes)
{
	if (*length + bytes < size)
		memcpy(out + *length, text, bytes);
	*length += bytes;
}

spate_result sequence_path(char *out, size_t size, const char *pattern, int64_t frame, spate_error *error)
{
	const char *name = name_in(pattern);
	int fields = count_fields(pattern);
	size_t length = 0, part;
	if (fields != 1)
		return error_set(error, SPATE_INVALID,
				 "the pattern '%s' has %d placeholders for the frame number; exactly one "
				 "is needed, such as %%04d",
				 pattern, fields);
	append(out, size, &length, pattern, (size_t)(name - pattern));
	for (const char *at = name; *at; at += part)
	{
		int width, zeros;
		char number[32];
		part = strcspn(at, "%");
		if (part > 0)
			append(out, size, &length, at, part);
		else if ((part = field_at(at, &width, &zeros)))
		{
			snprintf(number, sizeof number, zeros ? "%0*" PRId64 : "%*" PRId64, width, frame);
			append(out, size, &length, number, strlen(number));
		}
		else
		{
			append(out, size, &length, "%", 1);
			part = at[1] == '%' ? 2 : 1;
		}
	}
	if (!out && size == 0)
		return SPATE_OK;
	if (length >= size)
		return error_set(error, SPATE_INVALID, "the path of frame %" PRId64 " of '%s' is too long", frame,
				 pattern);
	out[length] = 0;
	return SPATE_OK;
}
