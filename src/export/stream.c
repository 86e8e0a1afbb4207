#include "export/stream.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	STREAM_BUFFER = 1 << 18
};

void stream_open(stream *s, const char *path, spate_error *error)
{
	*s = (stream){.file.fd = -1, .error = error, .note = "", .buffer = mem_alloc(STREAM_BUFFER)};
	s->result = s->buffer ? file_begin(&s->file, path, error) : error_memory(error, STREAM_BUFFER);
}

static void flush(stream *s)
{
	if (s->result == SPATE_OK)
		s->result = file_append(&s->file, s->buffer, s->used, s->error);
	s->used = 0;
}

void stream_fail(stream *s, spate_result result)
{
	if (s->result != SPATE_OK)
		return;
	file_abandon(&s->file);
	s->result = result;
}

void stream_bytes(stream *s, const void *data, size_t bytes)
{
	const char *from = data;
	// what is larger than the buffer need not be copied
	if (bytes >= STREAM_BUFFER && s->result == SPATE_OK)
	{
		flush(s);
		if (s->result == SPATE_OK)
			s->result = file_append(&s->file, data, bytes, s->error);
		return;
	}
	while (bytes > 0 && s->result == SPATE_OK)
	{
		size_t room = STREAM_BUFFER - s->used, part = bytes < room ? bytes : room;
		memcpy(s->buffer + s->used, from, part);
		s->used += part;
		from += part;
		bytes -= part;
		if (s->used == STREAM_BUFFER)
			flush(s);
	}
}

void stream_text(stream *s, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	stream_bytes(s, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

// Copies a number with a point in the place of the locale's decimal separator.
static size_t make_plain(char *out, const char *text)
{
	size_t length = 0;
	for (const char *at = text; *at; at++)
		if (strchr("+-0123456789eEinfa", *at))
			out[length++] = *at;
		else if (length > 0 && out[length - 1] != '.')
			out[length++] = '.';
	out[length] = '\0';
	return length;
}

size_t stream_print(char out[STREAM_NUMBER], float value)
{
	char text[STREAM_NUMBER];
	// nine digits distinguish all floats; integers and short fractions need fewer
	snprintf(text, sizeof text, "%.9g", (double)value);
	if (strlen(text) > 9)
	{
		char less[STREAM_NUMBER];
		snprintf(less, sizeof less, "%.7g", (double)value);
		if (strtof(less, NULL) == value)
			memcpy(text, less, sizeof text);
	}
	return make_plain(out, text);
}

void stream_double(stream *s, double value)
{
	char text[STREAM_NUMBER], plain[STREAM_NUMBER];
	snprintf(text, sizeof text, "%.15g", value);
	stream_bytes(s, plain, make_plain(plain, text));
}

void stream_number(stream *s, float value)
{
	char text[STREAM_NUMBER];
	size_t length = stream_print(text, value);
	stream_bytes(s, " ", 1);
	stream_bytes(s, text, length);
}

void stream_u8(stream *s, uint32_t value)
{
	unsigned char byte = (unsigned char)value;
	stream_bytes(s, &byte, 1);
}

void stream_u32(stream *s, uint32_t value)
{
	const unsigned char b[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
				    (unsigned char)(value >> 24)};
	stream_bytes(s, b, sizeof b);
}

void stream_u64(stream *s, uint64_t value)
{
	stream_u32(s, (uint32_t)value);
	stream_u32(s, (uint32_t)(value >> 32));
}

void stream_float(stream *s, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	stream_u32(s, bits);
}

void stream_u32_big(stream *s, uint32_t value)
{
	stream_u32(s, __builtin_bswap32(value));
}

void stream_float_big(stream *s, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	stream_u32_big(s, bits);
}

spate_result stream_close(stream *s)
{
	if (s->result == SPATE_OK && s->used > 0)
		flush(s);
	if (s->result == SPATE_OK)
		s->result = file_commit(&s->file, s->error);
	mem_free(s->buffer);
	s->buffer = NULL;
	return s->result;
}
