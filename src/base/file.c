#define _GNU_SOURCE
#include "base/file.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Temporary files are called .spate-HASH-PROCESS-TRY.tmp. The name is short enough for every file system, however long the name of the
// file, and unlikely to clash with files of other programs.
enum
{
	TEMPORARY_NAME = 64, // bytes, more than enough
	TEMPORARY_TRIES = 64
};
static const char prefix[] = ".spate-", suffix[] = ".tmp";

spate_result file_error(spate_error *error, spate_result code, const char *what, const char *path, int number)
{
	// the system's message, in lower case at the start since it follows a colon
	char buffer[128], reason[128];
	snprintf(reason, sizeof reason, "%s", strerror_r(number, buffer, sizeof buffer));
	if (reason[0] && !isupper((unsigned char)reason[1]))
		reason[0] = (char)tolower((unsigned char)reason[0]);
	const char *hint = "";
	if (number == ENOSPC || number == EDQUOT)
		hint = "; free some and run again";
	return error_set(error, code, "cannot %s %s: %s%s", what, path, reason, hint);
}

int file_write_all(int fd, const void *data, size_t bytes)
{
	const char *from = data;
	while (bytes > 0)
	{
		ssize_t done = write(fd, from, bytes);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : ENOSPC;
		from += done;
		bytes -= (size_t)done;
	}
	return 0;
}

// 1 for a name that temporary_name() makes.
static int is_temporary(const char *name)
{
	size_t length = strlen(name), head = sizeof prefix - 1, tail = sizeof suffix - 1;
	if (length <= head + tail || strncmp(name, prefix, head) != 0)
		return 0;
	const char *at = name + head;
	size_t digits = strspn(at, "0123456789abcdef");
	at += digits;
	for (int field = 0; field < 2; field++)
	{
		if (*at != '-' || !isdigit((unsigned char)at[1]))
			return 0;
		at += 1 + strspn(at + 1, "0123456789");
	}
	return digits == 16 && strcmp(at, suffix) == 0;
}

static void temporary_name(const char *path, int attempt, char *out, size_t room)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	snprintf(out, room, "%.*s%s%016" PRIx64 "-%ld-%d%s", (int)(name - path), path, prefix,
		 hash_bytes(name, strlen(name), 0), (long)getpid(), attempt, suffix);
}

// Creates a temporary file and locks it; the lock tells it from leftovers of dead processes. Returns the descriptor, or minus an error
// number.
static int open_temporary(const char *path, char *name, size_t room)
{
	for (int attempt = 0; attempt < TEMPORARY_TRIES; attempt++)
	{
		temporary_name(path, attempt, name, room);
		int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd < 0)
			return -errno;
		// another process may have removed the file as stale before it was locked
		struct stat status;
		int locked = flock(fd, LOCK_EX) == 0;
		if (!locked || fstat(fd, &status) != 0 || status.st_nlink > 0)
			return fd;
		close(fd);
	}
	return -EEXIST;
}

void file_abandon(file_writer *writer)
{
	if (writer->fd >= 0)
	{
		unlink(writer->temporary);
		close(writer->fd);
	}
	mem_free(writer->path);
	mem_free(writer->temporary);
	*writer = (file_writer){.fd = -1};
}

// Removes the temporary and reports the error.
static spate_result give_up(file_writer *writer, int number, spate_error *error)
{
	spate_result result = file_error(error, SPATE_IO, "write", writer->path, number);
	file_abandon(writer);
	return result;
}

spate_result file_begin(file_writer *writer, const char *path, spate_error *error)
{
	size_t room = strlen(path) + TEMPORARY_NAME;
	*writer = (file_writer){.fd = -1, .path = mem_strdup(path), .temporary = mem_alloc(room)};
	if (!writer->path || !writer->temporary)
	{
		file_abandon(writer);
		return error_memory(error, room);
	}
	// if the path is a directory, fail now rather than at the rename, after all the work
	struct stat status;
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return give_up(writer, EISDIR, error);
	int fd = open_temporary(path, writer->temporary, room);
	if (fd < 0)
		return give_up(writer, -fd, error);
	writer->fd = fd;
	return SPATE_OK;
}

spate_result file_append(file_writer *writer, const void *data, size_t bytes, spate_error *error)
{
	int number = file_write_all(writer->fd, data, bytes);
	if (number)
		return give_up(writer, number, error);
	writer->bytes += bytes;
	return SPATE_OK;
}

spate_result file_patch(file_writer *writer, uint64_t offset, const void *data, size_t bytes, spate_error *error)
{
	if (lseek(writer->fd, (off_t)offset, SEEK_SET) < 0)
		return give_up(writer, errno, error);
	int number = file_write_all(writer->fd, data, bytes);
	if (!number && lseek(writer->fd, 0, SEEK_END) < 0)
		number = errno;
	return number ? give_up(writer, number, error) : SPATE_OK;
}

// The directory that contains a file; 0 when its name does not fit.
static int directory_of(const char *path, char *out, size_t room)
{
	const char *slash = strrchr(path, '/');
	int length = !slash ? 1 : slash == path ? 1 : (int)(slash - path);
	return snprintf(out, room, "%.*s", length, slash ? path : ".") < (int)room;
}

// The directory entry has to reach the disk, too. File systems that cannot sync a directory return EINVAL.
static int sync_directory_of(const char *path)
{
	char directory[4096];
	if (!directory_of(path, directory, sizeof directory))
		return ENAMETOOLONG;
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int number = fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
	close(fd);
	return number;
}

spate_result file_commit(file_writer *writer, spate_error *error)
{
	if (fsync(writer->fd) != 0)
		return give_up(writer, errno, error);
	// some file systems report a full disk only on close; the duplicate descriptor keeps the lock until the rename
	int fd = writer->fd, copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	writer->fd = -1;
	int failed = close(fd) != 0 || rename(writer->temporary, writer->path) != 0 ? errno : 0;
	if (failed)
		unlink(writer->temporary);
	if (copy >= 0)
		close(copy);
	if (failed)
		return give_up(writer, failed, error);
	int number = sync_directory_of(writer->path);
	if (number)
		return give_up(writer, number, error);
	file_abandon(writer);
	return SPATE_OK;
}

spate_result file_write(const char *path, const void *data, size_t bytes, spate_error *error)
{
	file_writer writer;
	spate_result result = file_begin(&writer, path, error);
	if (result == SPATE_OK)
		result = file_append(&writer, data, bytes, error);
	return result == SPATE_OK ? file_commit(&writer, error) : result;
}

// Reads up to `bytes`, fewer if the file has shrunk in the meantime.
static int read_up_to(int fd, char *data, size_t bytes, size_t *got)
{
	for (*got = 0; *got < bytes;)
	{
		ssize_t done = read(fd, data + *got, bytes - *got);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return errno;
		if (done == 0)
			break;
		*got += (size_t)done;
	}
	return 0;
}

spate_result file_read(const char *path, char **data, size_t *bytes, spate_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return file_error(error, errno == ENOENT ? SPATE_MISSING : SPATE_IO, "read", path, errno);
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
	{
		close(fd);
		return error_set(error, SPATE_IO, "cannot read %s: it is not a regular file", path);
	}
	size_t size = (size_t)status.st_size;
	char *memory = mem_alloc(size + 1);
	if (!memory)
	{
		close(fd);
		return error_memory(error, size + 1);
	}
	int number = read_up_to(fd, memory, size, bytes);
	close(fd);
	if (number)
	{
		mem_free(memory);
		return file_error(error, SPATE_IO, "read", path, number);
	}
	memory[*bytes] = 0;
	*data = memory;
	return SPATE_OK;
}

// Creates one level; an existing directory is fine.
static int make_one(const char *path)
{
	if (mkdir(path, 0777) == 0)
		return 0;
	int number = errno;
	struct stat status;
	if (stat(path, &status) != 0)
		return number;
	return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

spate_result file_make_directory(const char *path, spate_error *error)
{
	char part[4096];
	size_t length = strlen(path);
	if (length == 0 || length >= sizeof part)
		return file_error(error, SPATE_IO, "create directory", path, length ? ENAMETOOLONG : EINVAL);
	for (size_t i = 1; i <= length; i++)
		if (path[i] == '/' || path[i] == 0)
		{
			memcpy(part, path, i);
			part[i] = 0;
			int number = make_one(part);
			if (number == ENOTDIR)
				return error_set(error, SPATE_IO, "cannot create directory %s: %s is not a directory",
						 path, part);
			if (number)
				return file_error(error, SPATE_IO, "create directory", path, number);
		}
	return SPATE_OK;
}

int file_open_log(const char *path, int flags, spate_error *error)
{
	// must neither follow a link to another file nor block on a pipe without a reader
	int fd = open(path, O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666), number = fd < 0 ? errno : 0;
	struct stat status;
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	if (number == ELOOP)
		error_set(error, SPATE_IO, "cannot write %s: it is a symbolic link, which is not followed; remove it",
			  path);
	else if (number && number != ENXIO)
		file_error(error, SPATE_IO, "write", path, number);
	else
		error_set(error, SPATE_IO, "cannot write %s: it is not a regular file; remove it", path);
	return -1;
}

// Whether a temporary has no writer any more. Only regular files are ours.
static int is_stale(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	struct stat status;
	int stale = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return stale;
}

spate_result file_remove_stale(const char *directory, spate_error *error)
{
	DIR *stream = opendir(directory);
	if (!stream)
		return errno == ENOENT ? SPATE_OK : file_error(error, SPATE_IO, "read directory", directory, errno);
	spate_result result = SPATE_OK;
	for (struct dirent *entry; (entry = readdir(stream));)
	{
		if (!is_temporary(entry->d_name) || !is_stale(dirfd(stream), entry->d_name))
			continue;
		if (unlinkat(dirfd(stream), entry->d_name, 0) != 0 && errno != ENOENT)
		{
			char path[4096];
			int number = errno;
			snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
			result = file_error(error, SPATE_IO, "remove", path, number);
		}
	}
	closedir(stream);
	return result;
}

void file_clear_beside(const char *path)
{
	char directory[4096];
	if (directory_of(path, directory, sizeof directory))
		file_remove_stale(directory, NULL);
}
