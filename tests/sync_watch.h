// Watches fsync(): what a program asks the disk to keep shows nowhere else. To be included by one file of a program.
#ifndef TESTS_SYNC_WATCH_H
#define TESTS_SYNC_WATCH_H

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct
{
	const char *named;       // a file; NULL for none
	int files, directories;  // synced since the last reset
	int files_with_the_name; // of the files, how many when `named` was there already
} sync_watch;

// Takes the place of the system's.
int fsync(int fd)
{
	struct stat status;
	if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
		sync_watch.directories++;
	else
	{
		sync_watch.files++;
		sync_watch.files_with_the_name += sync_watch.named && access(sync_watch.named, F_OK) == 0;
	}
	return (int)syscall(SYS_fsync, fd);
}

static inline void sync_watch_reset(const char *named)
{
	memset(&sync_watch, 0, sizeof sync_watch);
	sync_watch.named = named;
}

#endif
