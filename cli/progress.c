#include "cli/progress.h"

#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum
{
	LINE_CHARS = 512
};

// Determined for every line, since windows are resized. The last column stays free, because some terminals wrap after it.
static size_t room(const progress *p)
{
	size_t columns = p->terminal ? report_columns(STDERR_FILENO) : 0;
	return columns > 0 && columns < LINE_CHARS ? columns - 1 : LINE_CHARS - 1;
}

static size_t length_up_to(const progress_field *fields, size_t count, int rank)
{
	size_t length = 0;
	for (size_t i = 0; i < count; i++)
		if (fields[i].rank <= rank)
			length += strlen(fields[i].text) + (length ? 2 : 0);
	return length;
}

// Joins the fields with two spaces, as many as fit.
static void join(char out[LINE_CHARS], const progress_field *fields, size_t count, size_t columns)
{
	int rank = 0;
	for (size_t i = 0; i < count; i++)
		rank = fields[i].rank > rank ? fields[i].rank : rank;
	while (rank > 0 && length_up_to(fields, count, rank) > columns)
		rank--;
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < count && used < LINE_CHARS; i++)
		if (fields[i].rank <= rank)
			used +=
			    (size_t)snprintf(out + used, LINE_CHARS - used, "%s%s", used ? "  " : "", fields[i].text);
	out[columns] = '\0';
}

progress progress_begin(const char *program, const char *what, uint64_t total, int quiet)
{
	double now = report_clock();
	int terminal = isatty(STDERR_FILENO);
	return (progress){.program = program,
			  .what = what,
			  .total = total,
			  .started = now,
			  .shown = now,
			  .wait = 2.0,
			  .pause = terminal ? 0.2 : 10.0,
			  .quiet = quiet,
			  .terminal = terminal};
}

int progress_due(const progress *p)
{
	return !p->quiet && report_clock() - p->shown >= (p->shown == p->started ? p->wait : p->pause);
}

void progress_draw(progress *p, const progress_field *fields, size_t count)
{
	char line[LINE_CHARS];
	join(line, fields, count, room(p));
	fprintf(stderr, p->terminal ? "\r\033[K%s" : "%s\n", line);
	p->shown = report_clock();
	p->visible = p->terminal;
}

void progress_update(progress *p, uint64_t done)
{
	if (done == 0 || done >= p->total || !progress_due(p))
		return;
	progress_field fields[4] = {{.rank = 3}, {.rank = 0}, {.rank = 2}, {.rank = 1}};
	char left[32];
	progress_time(left, sizeof left, (report_clock() - p->started) / (double)done * (double)(p->total - done));
	snprintf(fields[0].text, sizeof fields[0].text, "%s", p->program);
	snprintf(fields[1].text, sizeof fields[1].text, "%" PRIu64 "/%" PRIu64, done, p->total);
	snprintf(fields[2].text, sizeof fields[2].text, "%s", p->what);
	snprintf(fields[3].text, sizeof fields[3].text, "%s left", left);
	progress_draw(p, fields, 4);
}

void progress_clear(progress *p)
{
	if (p->visible)
		fputs("\r\033[K", stderr);
	p->visible = 0;
}

void progress_keep(progress *p)
{
	if (p->visible)
		fputc('\n', stderr);
	p->visible = 0;
}

void progress_time(char *out, size_t size, double seconds)
{
	long long s = (long long)seconds;
	if (seconds < 0.0)
		snprintf(out, size, "--");
	else if (s < 3600)
		snprintf(out, size, "%lld:%02lld", s / 60, s % 60);
	else
		snprintf(out, size, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}
