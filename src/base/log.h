// Sending a line to the log handler: that of the thread's current target, else the process's.
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "spate/log.h"

void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Who hears the lines; without a handler, the process's handler does.
typedef struct log_target
{
	spate_log_handler *handler;
	void *context;
} log_target;

// Sends the lines of the calling thread to a target until log_leave(), which takes the result. Pairs may be nested: a handler or a
// callback of one world may use another. Bodies of parallel loops run on other threads and must not log.
log_target log_enter(log_target target);
void log_leave(log_target before);
// Passes a line on to a target that was there before.
void log_forward(log_target target, spate_log_level level, const char *text);

#endif
