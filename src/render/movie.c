#define _GNU_SOURCE
#include "render/movie.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct movie
{
	char *path, *temporary;
	int width, height;           // of the frames
	int even_width, even_height; // of the movie
	uint8_t *rgb;                // one frame as it is sent
	int stream;                  // to ffmpeg, -1 when closed
	FILE *messages;              // what ffmpeg says
	pid_t child;                 // 0 when there is none
};

static const char *container_of(const char *path)
{
	const char *dot = strrchr(path, '.');
	if (dot && strcasecmp(dot, ".mkv") == 0)
		return "matroska";
	return dot && strcasecmp(dot, ".mov") == 0 ? "mov" : "mp4";
}

// Starts the program with `input` as its standard input; 0 or an errno.
static int start_ffmpeg(movie *film, double fps, int input)
{
	char size[32], rate[32];
	snprintf(size, sizeof size, "%dx%d", film->even_width, film->even_height);
	snprintf(rate, sizeof rate, "%.6g", fps);
	// colours are declared and converted as BT.709, what players assume for H.264
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
	    film->temporary,
	    NULL,
	};

	// its own process group: an interrupt on the terminal is ours to handle, and the movie still gets its end
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, input, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fileno(film->messages), 2);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	int failed =
	    posix_spawnp(&film->child, "ffmpeg", &actions, &attributes, (char *const *)(uintptr_t)arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (failed)
		film->child = 0;
	return failed;
}

// A socket instead of a pipe: writing to one whose reader has died can be told not to raise SIGPIPE.
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
		return error_set(error, SPATE_MISSING, "cannot make %s: the program ffmpeg is not installed",
				 film->path);
	if (failed)
		return error_set(error, SPATE_IO, "cannot make %s: starting ffmpeg failed: %s", film->path,
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
	film->stream = -1;
	film->width = width;
	film->height = height;
	film->even_width = width + (width & 1);
	film->even_height = height + (height & 1);
	size_t bytes = 3 * (size_t)film->even_width * (size_t)film->even_height;
	film->path = mem_strdup(path);
	film->temporary = output_file_temporary(path);
	film->rgb = mem_alloc(bytes);
	spate_result result =
	    film->path && film->temporary && film->rgb ? open_stream(film, fps, error) : error_memory(error, bytes);
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

// Whether ffmpeg ended well.
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

// The sentence for a failed ffmpeg: the last line it wrote says most.
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
	return error_set(error, SPATE_IO, "cannot make %s: ffmpeg failed%s%s", film->path, *last ? ": " : "", last);
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
		return error_set(error, SPATE_INVALID, "%s has ended already", film->path);
	fill_rgb(film, frame);
	size_t left = 3 * (size_t)film->even_width * (size_t)film->even_height;
	for (const uint8_t *at = film->rgb; left;)
	{
		ssize_t sent = send(film->stream, at, left, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
		{
			// ffmpeg went away: its last words are the reason
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
		return error_set(error, SPATE_INVALID, "%s has ended already", film->path);
	close_stream(film);
	if (!wait_for_child(film))
		return report_failure(film, error);
	if (rename(film->temporary, film->path) != 0)
		return error_set(error, SPATE_IO, "cannot write %s: %s", film->path, strerror(errno));
	mem_free(film->temporary); // it is no longer ours to remove
	film->temporary = NULL;
	return SPATE_OK;
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
	if (film->temporary)
		unlink(film->temporary);
	if (film->messages)
		fclose(film->messages);
	mem_free(film->path);
	mem_free(film->temporary);
	mem_free(film->rgb);
	mem_free(film);
}
