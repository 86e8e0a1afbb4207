#include "cache/lock.h"

#include "base/error.h"
#include "base/file.h"
#include "cache/run_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// Reports that another process holds the lock, and which one if its id is already in the file.
static spate_result refuse(int fd, const char *directory, spate_error *error)
{
	char text[32] = "";
	ssize_t bytes = pread(fd, text, sizeof text - 1, 0);
	long process = bytes > 0 ? strtol(text, NULL, 10) : 0;
	if (process > 0)
		return error_set(error, SPATE_BUSY,
				 "process %ld is writing to %s; wait for it or choose another directory", process,
				 directory);
	return error_set(error, SPATE_BUSY, "another process is writing to %s; wait for it or choose another directory",
			 directory);
}

spate_result run_lock_take(run_lock *lock, const char *directory, spate_error *error)
{
	lock->fd = -1;
	run_path path = run_file_path(directory, RUN_LOCK);
	int fd = file_open_log(path.text, O_RDWR, error);
	if (fd < 0)
		return SPATE_IO;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
	{
		spate_result result = errno == EWOULDBLOCK ? refuse(fd, directory, error)
							   : file_error(error, SPATE_IO, "lock", path.text, errno);
		close(fd);
		return result;
	}
	char text[32];
	snprintf(text, sizeof text, "%ld\n", (long)getpid());
	int number = ftruncate(fd, 0) == 0 ? file_write_all(fd, text, strlen(text)) : errno;
	if (number)
	{
		close(fd);
		return file_error(error, SPATE_IO, "write", path.text, number);
	}
	lock->fd = fd;
	return SPATE_OK;
}

void run_lock_release(run_lock *lock)
{
	if (lock->fd >= 0)
		close(lock->fd);
	lock->fd = -1;
}
