// Log messages. The library never prints; it calls this handler.
#ifndef SPATE_LOG_H
#define SPATE_LOG_H

#include "spate/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum spate_log_level
{
	SPATE_LOG_DEBUG,
	SPATE_LOG_INFO,
	SPATE_LOG_WARNING
} spate_log_level;

// `text` is one line without a newline, valid during the call.
typedef void spate_log_handler(void *context, spate_log_level level, const char *text);

// One handler per process; NULL (the default) discards everything. Do not change it while other threads may log.
SPATE_API void spate_log_set_handler(spate_log_handler *handler, void *context);

#ifdef __cplusplus
}
#endif
#endif
