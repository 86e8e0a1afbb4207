#include "base/error.h"

#undef error_set
#undef error_memory

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *spate_result_name(spate_result code)
{
	switch (code)
	{
#define X(name, value, text) \
	case SPATE_##name:   \
		return #name;
		SPATE_RESULT_MAP(X)
#undef X
	}
	return "UNKNOWN";
}

const char *spate_result_text(spate_result code)
{
	switch (code)
	{
#define X(name, value, text) \
	case SPATE_##name:   \
		return text;
		SPATE_RESULT_MAP(X)
#undef X
	}
	return "unknown result";
}

spate_result error_set(spate_error *error, spate_result code, const char *format, ...)
{
	if (error)
	{
		// formatted into a buffer first, because an argument may be the old text of this very error
		char text[sizeof error->text];
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(text, sizeof text, format, arguments);
		va_end(arguments);
		memcpy(error->text, text, strlen(text) + 1);
		error->code = code;
	}
	return code;
}

spate_result error_memory(spate_error *error, size_t bytes)
{
	return error_set(error, SPATE_MEMORY, "out of memory: %.1f MB more were needed", (double)bytes / 1e6);
}
