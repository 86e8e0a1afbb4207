// Files that appear whole or not at all: written under a temporary name beside the target, then renamed.
#ifndef RENDER_OUTPUT_FILE_H
#define RENDER_OUTPUT_FILE_H

#include "spate/result.h"

#include <stddef.h>

// A heap string for the temporary name, NULL when out of memory. Two processes never share one.
char *output_file_temporary(const char *path);

// Writes `size` bytes to `path`; on failure nothing is left behind and an older file stays as it was.
spate_result output_file_write(const char *path, const void *bytes, size_t size, spate_error *error);

#endif
