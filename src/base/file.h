// Files that are never half-written. A file is written under a temporary name beside its final place, synced, renamed over the old
// one, and the directory synced: a reader, a crash or a power cut sees the old file or the new one, nothing between. The writer holds
// a lock on its temporary, so that what a killed process left can be told from what another one is writing.
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

// All of it in one call.
spate_result file_write(const char *path, const void *data, size_t bytes, spate_error *error);

// A whole regular file in memory with a zero byte behind it; to be given to mem_free(). MISSING when there is none.
spate_result file_read(const char *path, char **data, size_t *bytes, spate_error *error);

// The directory and its parents, as far as they do not exist.
spate_result file_make_directory(const char *path, spate_error *error);

// Removes what killed writers left in a directory: temporaries of ours that nobody writes to. A directory that is not there has none.
spate_result file_remove_stale(const char *directory, spate_error *error);

// The same where a file is going to be; that something cannot be removed does not matter.
void file_clear_beside(const char *path);

// Opens a file that grows or is kept for long, creating it with `flags` of open() added: a regular file, never through a symbolic
// link. -1 on failure.
int file_open_log(const char *path, int flags, spate_error *error);

// Writes everything, however often the system stops short. 0, or the system's error number.
int file_write_all(int fd, const void *data, size_t bytes);

// "cannot DO PATH: REASON" for an error number of the system, with what to do about a full disk.
spate_result file_error(spate_error *error, spate_result code, const char *what, const char *path, int number);

#endif
