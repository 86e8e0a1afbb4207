// Sending a line to the process's log handler.
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "spate/log.h"

void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
