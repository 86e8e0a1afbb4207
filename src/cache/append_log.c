#define _GNU_SOURCE
#include "cache/append_log.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static spate_result open_log(append_log *log, const char *path, int flags, spate_error *error)
{
	*log = (append_log){.fd = -1, .path = mem_strdup(path)};
	if (!log->path)
		return error_memory(error, strlen(path) + 1);
	log->fd = file_open_log(path, O_WRONLY | O_APPEND | flags, error);
	struct stat status;
	if (log->fd >= 0 && fstat(log->fd, &status) != 0)
	{
		file_error(error, SPATE_IO, "write", path, errno);
		append_log_close(log);
	}
	if (log->fd < 0)
	{
		append_log_close(log);
		return SPATE_IO;
	}
	log->bytes = (uint64_t)status.st_size;
	return SPATE_OK;
}

spate_result append_log_create(append_log *log, const char *path, spate_error *error)
{
	return open_log(log, path, O_TRUNC, error);
}

// Reads an integer at the start of the text, followed by one of the end characters. Returns 0 when there is none.
static int read_frame(const char *text, const char *end_characters, int64_t *frame)
{
	while (*text == ' ')
		text++;
	if (!isdigit((unsigned char)*text))
		return 0;
	char *end;
	errno = 0;
	*frame = strtoll(text, &end, 10);
	return errno == 0 && strchr(end_characters, *end) != NULL;
}

// Whether a line stays. It ends with a zero byte in place of its newline.
static int keeps_line(const char *line, int is_first, append_format format, int64_t last_frame)
{
	static const char key[] = "\"frame\":";
	int64_t frame;
	if (format == APPEND_CSV)
	{
		if (is_first)
			return strncmp(line, "frame", 5) == 0;
		return read_frame(line, ",", &frame) && frame <= last_frame;
	}
	const char *found = strstr(line, key);
	size_t length = strlen(line);
	return found && length > 0 && line[length - 1] == '}' && read_frame(found + sizeof key - 1, ", }", &frame) &&
	       frame <= last_frame;
}

// Moves the lines that stay to the front of the text; returns their total length.
static size_t keep_lines(char *text, size_t bytes, append_format format, int64_t last_frame)
{
	size_t kept = 0;
	for (size_t begin = 0; begin < bytes;)
	{
		char *newline = memchr(text + begin, '\n', bytes - begin);
		if (!newline)
			break;
		size_t length = (size_t)(newline - text) - begin;
		*newline = 0;
		int keep = strlen(text + begin) == length && keeps_line(text + begin, begin == 0, format, last_frame);
		*newline = '\n';
		if (keep)
		{
			memmove(text + kept, text + begin, length + 1);
			kept += length + 1;
		}
		begin += length + 1;
	}
	return kept;
}

spate_result append_log_resume(append_log *log, const char *path, append_format format, int64_t last_frame,
			       spate_error *error)
{
	// opened first: what is not a regular file is neither read nor replaced
	spate_result result = open_log(log, path, 0, error);
	char *text = NULL;
	size_t bytes = 0, kept = 0;
	if (result == SPATE_OK)
		result = file_read(path, &text, &bytes, error);
	if (result == SPATE_OK)
		kept = keep_lines(text, bytes, format, last_frame);
	if (result == SPATE_OK && kept < bytes)
	{
		append_log_close(log);
		result = file_write(path, text, kept, error);
		if (result == SPATE_OK)
			result = open_log(log, path, 0, error);
	}
	else if (result != SPATE_OK)
		append_log_close(log);
	mem_free(text);
	return result;
}

spate_result append_log_line(append_log *log, const char *line, spate_error *error)
{
	// line and newline in one call, so that a kill rarely separates them
	size_t length = strlen(line);
	struct iovec parts[] = {{.iov_base = (void *)(uintptr_t)line, .iov_len = length},
				{.iov_base = (char[]){'\n'}, .iov_len = 1}};
	ssize_t done;
	do
		done = writev(log->fd, parts, 2);
	while (done < 0 && errno == EINTR);
	int number = done < 0 ? errno : 0;

	// after a short write, write the rest; if that fails, its error number gives the reason
	if (!number && (size_t)done < length)
		number = file_write_all(log->fd, line + done, length - (size_t)done);
	if (!number && (size_t)done <= length)
		number = file_write_all(log->fd, "\n", 1);
	if (number)
	{
		if (ftruncate(log->fd, (off_t)log->bytes) != 0)
			return error_set(error, SPATE_IO, "cannot write %s, and its last line is incomplete",
					 log->path);
		return file_error(error, SPATE_IO, "write", log->path, number);
	}
	log->bytes += length + 1;
	return SPATE_OK;
}

spate_result append_log_sync(append_log *log, spate_error *error)
{
	return fsync(log->fd) == 0 ? SPATE_OK : file_error(error, SPATE_IO, "write", log->path, errno);
}

void append_log_close(append_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	mem_free(log->path);
	*log = (append_log){.fd = -1};
}
