#include "base/log.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

static log_target of_process;
static _Thread_local log_target of_thread;

void spate_log_set_handler(spate_log_handler *handler, void *context)
{
	of_process = (log_target){handler, context};
}

log_target log_enter(log_target target)
{
	log_target before = of_thread;
	of_thread = target;
	return before;
}

void log_leave(log_target before)
{
	of_thread = before;
}

void log_forward(log_target target, spate_log_level level, const char *text)
{
	target = target.handler ? target : of_process;
	if (target.handler)
		target.handler(target.context, level, text);
}

__attribute__((format(printf, 2, 0))) static void send(spate_log_level level, const char *format, va_list arguments)
{
	char text[1024];
	vsnprintf(text, sizeof text, format, arguments);
	log_forward(of_thread, level, text);
}

#define LOG_FUNCTION(name, level)               \
	void name(const char *format, ...)      \
	{                                       \
		va_list arguments;              \
		va_start(arguments, format);    \
		send(level, format, arguments); \
		va_end(arguments);              \
	}

LOG_FUNCTION(log_info, SPATE_LOG_INFO)
LOG_FUNCTION(log_warning, SPATE_LOG_WARNING)
LOG_FUNCTION(log_debug, SPATE_LOG_DEBUG)
