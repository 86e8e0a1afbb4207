// Small files, read and written the way the library does it.
#ifndef SPATE_FILE_H
#define SPATE_FILE_H

#include "spate/result.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Writes a file completely or not at all: under a temporary name, synced, then renamed. On failure an existing file of that name is
// unchanged.
SPATE_API spate_result spate_file_write(const char *path, const void *data, size_t bytes, spate_error *error);
// Reads a regular file and appends a zero byte that is not counted. SPATE_MISSING if it does not exist.
SPATE_API spate_result spate_file_read(const char *path, char **data, size_t *bytes, spate_error *error);
SPATE_API void spate_file_free(char *data);
// Makes a folder and those above it; an existing one is fine.
SPATE_API spate_result spate_folder_make(const char *path, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
