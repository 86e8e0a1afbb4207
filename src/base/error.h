// Filling in a caller's spate_error.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "spate/result.h"

#include <stddef.h>

// Writes code and sentence into `error` (which may be NULL) and returns the code, so that failing reads
// `return error_set(error, SPATE_IO, "cannot open %s", path);`.
spate_result error_set(spate_error *error, spate_result code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The sentence for a failed allocation of `bytes`.
spate_result error_memory(spate_error *error, size_t bytes);

// Static analysers read one file at a time: this tells them that the returned code is not SPATE_OK.
#ifdef __clang_analyzer__
#define error_set(error, code, ...) ((void)(error_set)((error), (code), __VA_ARGS__), (code))
#define error_memory(error, bytes) ((void)(error_memory)((error), (bytes)), SPATE_MEMORY)
#endif

#endif
