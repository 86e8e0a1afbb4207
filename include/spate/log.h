// Log messages. The library never prints; it calls a handler: the one of the world that is at work (spate_world_set_log in
// spate/live.h), else the process's.
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

// `text` is one line without a newline, valid during the call. Called on the thread that called the library, never on a worker thread.
// A handler may read the world and change live keys; it must not step, restore or destroy the world that speaks.
typedef void spate_log_handler(void *context, spate_log_level level, const char *text);

// The process's handler; NULL (the default) discards everything. It may be called by several threads at once if worlds run on several
// threads. Do not change it while another thread is inside the library.
SPATE_API void spate_log_set_handler(spate_log_handler *handler, void *context);

#ifdef __cplusplus
}
#endif
#endif
