#include "run/run_log.h"

#include "base/file.h"
#include "cache/run_dir.h"

#include <fcntl.h>
#include <unistd.h>

static void open_file(run_log *log)
{
	spate_error error = {0};
	char text[1100];
	int fd = file_open_log(run_file_path(log->directory, RUN_LOG).text,
			       O_WRONLY | O_APPEND | (log->fresh ? O_TRUNC : 0), &error);
	log->file = fd >= 0 ? fdopen(fd, "a") : NULL;
	log->failed = !log->file;
	if (fd < 0)
	{
		snprintf(text, sizeof text, "no log: %s", error.text);
		log_forward(log->before, SPATE_LOG_WARNING, text);
	}
	else if (!log->file)
		close(fd);
}

static void keep_line(run_log *log, const char *kind, const char *text)
{
	if (!log->file && !log->failed)
		open_file(log);
	if (!log->file)
		return;
	if (log->frame > 0)
		fprintf(log->file, "frame %u: ", log->frame);
	fprintf(log->file, "%s%s\n", kind, text);
	fflush(log->file);
}

static void receive(void *context, spate_log_level level, const char *text)
{
	run_log *log = context;
	keep_line(log, level == SPATE_LOG_WARNING ? "warning: " : "", text);
	log_forward(log->before, level, text);
}

void run_log_begin(run_log *log, const char *directory, int fresh)
{
	*log = (run_log){.directory = directory, .fresh = fresh};
	log->before = log_enter((log_target){receive, log});
}

void run_log_hear(run_log *log, spate_world *world)
{
	spate_world_set_log(world, receive, log);
}

void run_log_end(run_log *log, const char *last)
{
	log_leave(log->before);
	if (!log->file)
		return;
	keep_line(log, "", last);
	fclose(log->file);
	log->file = NULL;
}
