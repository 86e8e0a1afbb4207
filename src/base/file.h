// Files that are never half-written. A file is written under a temporary name beside its final place, synced, renamed over the old
// one, and the directory synced: after a crash or power cut, and for any reader, there is either the old file or the new one. The
// writer holds a lock on its temporary, which tells files in progress from leftovers of killed processes.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "spate/result.h"

#include <stddef.h>
#include <stdint.h>

typedef struct file_writer
{
	char *path, *temporary;
	int fd;
	uint64_t bytes; // appended so far
} file_writer;

// After a failure the temporary is gone, the old file is as it was, and the writer needs no further call.
spate_result file_begin(file_writer *writer, const char *path, spate_error *error);
spate_result file_append(file_writer *writer, const void *data, size_t bytes, spate_error *error);
// Overwrites bytes that were appended before.
spate_result file_patch(file_writer *writer, uint64_t offset, const void *data, size_t bytes, spate_error *error);
// Makes the file appear under its name, or fails like the others.
spate_result file_commit(file_writer *writer, spate_error *error);
// Gives up: removes the temporary. Harmless after a commit or a failure.
void file_abandon(file_writer *writer);

// Writes a whole file in one call.
spate_result file_write(const char *path, const void *data, size_t bytes, spate_error *error);

// Reads a whole regular file into memory and appends a zero byte; free it with mem_free(). SPATE_MISSING if it does not exist.
spate_result file_read(const char *path, char **data, size_t *bytes, spate_error *error);

// Creates the directory and its missing parents.
spate_result file_make_directory(const char *path, spate_error *error);

// Removes the temporaries that killed writers left in a directory. A missing directory is no error.
spate_result file_remove_stale(const char *directory, spate_error *error);

// The same for the directory of a file that is going to be written; failures are ignored.
void file_clear_beside(const char *path);

// Opens or creates a file that grows or stays open for long; `flags` are additional flags of open(). Only regular files, never
// through a symbolic link. -1 on failure.
int file_open_log(const char *path, int flags, spate_error *error);

// Writes everything, repeating partial writes. Returns 0 or the system's error number.
int file_write_all(int fd, const void *data, size_t bytes);

// "cannot DO PATH: REASON" for an error number of the system, with what to do about a full disk.
spate_result file_error(spate_error *error, spate_result code, const char *what, const char *path, int number);

#endif
