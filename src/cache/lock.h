// One run per directory: DIR/.lock is held by flock(), which the system drops when the process ends, however it ends.
// The process id inside is only for the message.
#ifndef CACHE_LOCK_H
#define CACHE_LOCK_H

#include "spate/result.h"

typedef struct run_lock
{
	int fd; // -1 when not held
} run_lock;

// BUSY, naming the other process, when the directory (which must exist) is taken.
spate_result run_lock_take(run_lock *lock, const char *directory, spate_error *error);
// Harmless when not held. The file stays: removing it would let two runs hold two files of one name.
void run_lock_release(run_lock *lock);

#endif
