#define _GNU_SOURCE
#include "render/movie.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct movie
{
	char *path;
	file_writer file;            // ffmpeg opens the temporary file by name
	int width, height;           // of the frames
	int even_width, even_height; // of the movie
	uint8_t *rgb;                // one frame as sent
	int stream;                  // to ffmpeg, -1 when closed
	FILE *messages;              // error output of ffmpeg
	pid_t child;                 // 0 if there is none
};

static const char *container_of(const char *path)
{
	const char *dot = strrchr(path, '.');
	if (dot && strcasecmp(dot, ".mkv") == 0)
		return "matroska";
	return dot && strcasecmp(dot, ".mov") == 0 ? "mov" : "mp4";
}

// Whether ffmpeg succeeded.
static int wait_for_child(movie *film)
{
	int status = 0;
	pid_t ended;
	do
		ended = waitpid(film->child, &status, 0);
	while (ended < 0 && errno == EINTR);
	film->child = 0;
	return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Runs in the child until it becomes ffmpeg; returns an errno on failure. Uses only calls that are safe after fork in a
// threaded process.
static int become_ffmpeg(const char *const *arguments, int input, int messages, pid_t parent)
{
	// its own process group: this program handles an interrupt from the terminal, and the movie is still finished.
	// It is killed when this process dies, since its file would never be moved into place.
	int nowhere = open("/dev/null", O_WRONLY);
	if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || nowhere < 0 || dup2(input, 0) < 0 ||
	    dup2(nowhere, 1) < 0 || dup2(messages, 2) < 0)
		return errno;
	if (getppid() != parent)
		_exit(1);
	execvp("ffmpeg", (char *const *)(uintptr_t)arguments);
	return errno;
}

// Returns 0 or an errno. The child reports a failed start through a pipe that a successful exec closes.
static int start(movie *film, const char *const *arguments, int input)
{
	int ends[2], failed = 0;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	pid_t parent = getpid(), child = fork();
	if (child == 0)
	{
		failed = become_ffmpeg(arguments, input, fileno(film->messages), parent);
		_exit(write(ends[1], &failed, sizeof failed) == sizeof failed ? 1 : 2);
	}
	if (child < 0)
		failed = errno;
	close(ends[1]);
	ssize_t got;
	do
		got = child > 0 ? read(ends[0], &failed, sizeof failed) : 0;
	while (got < 0 && errno == EINTR);
	close(ends[0]);
	film->child = child > 0 ? child : 0;
	if (failed && film->child)
		wait_for_child(film);
	return failed;
}

// Starts ffmpeg with `input` as its standard input. Returns 0 or an errno.
static int start_ffmpeg(movie *film, double fps, int input)
{
	char size[32], rate[32];
	snprintf(size, sizeof size, "%dx%d", film->even_width, film->even_height);
	snprintf(rate, sizeof rate, "%.6g", fps);
	// with the "file:" prefix, a name that looks like a URL or an option is still a file
	size_t room = strlen(film->file.temporary) + sizeof "file:";
	char *target = mem_alloc(room);
	if (!target)
		return ENOMEM;
	snprintf(target, room, "file:%s", film->file.temporary);
	// colours are declared and converted as BT.709, which players assume for H.264
	const char *container = container_of(film->path);
	const char *arguments[] = {
	    "ffmpeg",
	    "-hide_banner",
	    "-loglevel",
	    "error",
	    "-nostdin",
	    "-y",
	    "-f",
	    "rawvideo",
	    "-pixel_format",
	    "rgb24",
	    "-video_size",
	    size,
	    "-framerate",
	    rate,
	    "-protocol_whitelist",
	    "pipe",
	    "-i",
	    "pipe:0",
	    "-an",
	    "-vf",
	    "scale=out_color_matrix=bt709:out_range=tv",
	    "-c:v",
	    "libx264",
	    "-preset",
	    "medium",
	    "-crf",
	    "18",
	    "-pix_fmt",
	    "yuv420p",
	    "-colorspace",
	    "bt709",
	    "-color_primaries",
	    "bt709",
	    "-color_trc",
	    "bt709",
	    "-movflags",
	    "+faststart",
	    "-f",
	    container,
	    target,
	    NULL,
	};

	int failed = start(film, arguments, input);
	mem_free(target);
	return failed;
}

// A socket instead of a pipe: writing to a closed one can be done without raising SIGPIPE.
static spate_result open_stream(movie *film, double fps, spate_error *error)
{
	int pair[2];
	film->messages = tmpfile();
	if (!film->messages || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return error_set(error, SPATE_IO, "cannot open a pipe for %s: %s", film->path, strerror(errno));
	film->stream = pair[0];
	shutdown(pair[1], SHUT_WR);
	int failed = start_ffmpeg(film, fps, pair[1]);
	close(pair[1]);
	if (failed == ENOENT)
		return error_set(error, SPATE_MISSING, "cannot write %s: the program ffmpeg is not installed",
				 film->path);
	if (failed)
		return error_set(error, SPATE_IO, "cannot write %s: starting ffmpeg failed: %s", film->path,
				 strerror(failed));
	return SPATE_OK;
}

spate_result movie_create(movie **out, const char *path, int width, int height, double fps, spate_error *error)
{
	*out = NULL;
	if (width < 1 || height < 1 || width > IMAGE_MAX_SIZE || height > IMAGE_MAX_SIZE)
		return error_set(error, SPATE_INVALID, "a movie of %d x %d pixels: each side must be 1 to %d", width,
				 height, (int)IMAGE_MAX_SIZE);
	if (!(fps > 0.0 && fps <= 1000.0))
		return error_set(error, SPATE_INVALID,
				 "a movie of %g frames per second: it must be above 0 and at most 1000", fps);
	movie *film = mem_calloc(1, sizeof *film);
	if (!film)
		return error_memory(error, sizeof *film);
	film->stream = film->file.fd = -1;
	film->width = width;
	film->height = height;
	film->even_width = width + (width & 1);
	film->even_height = height + (height & 1);
	size_t bytes = 3 * (size_t)film->even_width * (size_t)film->even_height;
	film->path = mem_strdup(path);
	film->rgb = mem_alloc(bytes);
	spate_result result = film->path && film->rgb ? SPATE_OK : error_memory(error, bytes);
	if (result == SPATE_OK)
		result = file_begin(&film->file, path, error);
	if (result == SPATE_OK)
		result = open_stream(film, fps, error);
	if (result != SPATE_OK)
	{
		movie_destroy(film);
		return result;
	}
	*out = film;
	return SPATE_OK;
}

static void close_stream(movie *film)
{
	if (film->stream >= 0)
		close(film->stream);
	film->stream = -1;
}

// Reports a failed ffmpeg: its last line of output is the most informative.
static spate_result report_failure(movie *film, spate_error *error)
{
	char line[400], last[400] = "";
	rewind(film->messages);
	while (fgets(line, sizeof line, film->messages))
	{
		line[strcspn(line, "\r\n")] = '\0';
		if (*line)
			memcpy(last, line, sizeof last);
	}
	return error_set(error, SPATE_IO, "cannot write %s: ffmpeg failed%s%s", film->path, *last ? ": " : "", last);
}

static void fill_rgb(movie *film, const image *frame)
{
	uint8_t *to = film->rgb;
	for (int y = 0; y < film->even_height; y++)
	{
		int row = y < frame->height ? y : frame->height - 1;
		const uint8_t *from = frame->pixels + 4 * (size_t)row * (size_t)frame->width;
		for (int x = 0; x < film->even_width; x++, to += 3)
			memcpy(to, from + 4 * (size_t)(x < frame->width ? x : frame->width - 1), 3);
	}
}

spate_result movie_add(movie *film, const image *frame, spate_error *error)
{
	if (frame->width != film->width || frame->height != film->height)
		return error_set(error, SPATE_INVALID, "a frame of %d x %d pixels does not fit into %s of %d x %d",
				 frame->width, frame->height, film->path, film->width, film->height);
	if (film->stream < 0)
		return error_set(error, SPATE_INVALID, "%s is already finished", film->path);
	fill_rgb(film, frame);
	size_t left = 3 * (size_t)film->even_width * (size_t)film->even_height;
	for (const uint8_t *at = film->rgb; left;)
	{
		ssize_t sent = send(film->stream, at, left, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
		{
			// ffmpeg has exited: its last line of output is the reason
			close_stream(film);
			wait_for_child(film);
			return report_failure(film, error);
		}
		at += sent;
		left -= (size_t)sent;
	}
	return SPATE_OK;
}

spate_result movie_finish(movie *film, spate_error *error)
{
	if (!film->child)
		return error_set(error, SPATE_INVALID, "%s is already finished", film->path);
	close_stream(film);
	if (!wait_for_child(film))
		return report_failure(film, error);
	return file_commit(&film->file, error);
}

void movie_destroy(movie *film)
{
	if (!film)
		return;
	close_stream(film);
	if (film->child)
	{
		kill(film->child, SIGKILL);
		wait_for_child(film);
	}
	file_abandon(&film->file);
	if (film->messages)
		fclose(film->messages);
	mem_free(film->path);
	mem_free(film->rgb);
	mem_free(film);
}
