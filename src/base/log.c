#include "base/log.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

static struct
{
	spate_log_handler *handler;
	void *context;
} log_state;

void spate_log_set_handler(spate_log_handler *handler, void *context)
{
	log_state.handler = handler;
	log_state.context = context;
}

__attribute__((format(printf, 2, 0))) static void send(spate_log_level level, const char *format, va_list arguments)
{
	if (!log_state.handler)
		return;
	char text[1024];
	vsnprintf(text, sizeof text, format, arguments);
	log_state.handler(log_state.context, level, text);
}

#define LOG_FUNCTION(name, level)                \
	void name(const char *format, ...)       \
	{                                        \
		va_list arguments;               \
		va_start(arguments, format);     \
		send(level, format, arguments);  \
		va_end(arguments);               \
	}

LOG_FUNCTION(log_info, SPATE_LOG_INFO)
LOG_FUNCTION(log_warning, SPATE_LOG_WARNING)
LOG_FUNCTION(log_debug, SPATE_LOG_DEBUG)
