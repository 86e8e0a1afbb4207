#include "scene/buffer.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buffer_add(buffer *b, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int wanted = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	size_t length = wanted < 0 ? 0 : (size_t)wanted;
	if (b->failed || wanted < 0 || !array_reserve_bytes(&b->text, &b->capacity, b->length + length + 1, 1))
	{
		b->failed = 1;
		return;
	}
	va_start(arguments, format);
	vsnprintf(b->text + b->length, length + 1, format, arguments);
	va_end(arguments);
	b->length += length;
}

void buffer_add_quoted(buffer *b, const char *text)
{
	buffer_add(b, "\"");
	for (const char *c = text; *c; c++)
	{
		if (*c == '"' || *c == '\\')
			buffer_add(b, "\\%c", *c);
		else if (*c == '\n')
			buffer_add(b, "\\n");
		else if ((unsigned char)*c < 0x20)
			buffer_add(b, "\\u%04x", (unsigned)*c);
		else
			buffer_add(b, "%c", *c);
	}
	buffer_add(b, "\"");
}

char *number_text(char out[NUMBER_CHARS], double value)
{
	for (int digits = 15; digits <= 17; digits++)
	{
		snprintf(out, NUMBER_CHARS, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	return out;
}

void buffer_add_number(buffer *b, double value)
{
	char text[NUMBER_CHARS];
	buffer_add(b, "%s", number_text(text, value));
}

char *buffer_take(buffer *b)
{
	if (b->failed)
		buffer_free(b);
	char *text = b->text;
	*b = (buffer){0};
	return text;
}

void buffer_free(buffer *b)
{
	mem_free(b->text);
	*b = (buffer){0};
}
