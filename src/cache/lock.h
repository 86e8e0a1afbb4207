// One run per directory: DIR/.lock is held by flock(), which the system releases when the process ends for any reason.
// The process id in the file is only for the message.
#ifndef CACHE_LOCK_H
#define CACHE_LOCK_H

#include "spate/result.h"

typedef struct run_lock
{
	int fd; // -1 when not held
} run_lock;

// Locks the directory, which must exist. BUSY, naming the other process, when it is locked already.
spate_result run_lock_take(run_lock *lock, const char *directory, spate_error *error);
// Harmless when not held. The file stays: if it were removed, two runs could each lock a file of that name.
void run_lock_release(run_lock *lock);

#endif
