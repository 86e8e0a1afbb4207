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
static size_t room(void)
{
	size_t columns = report_columns(STDERR_FILENO);
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

progress progress_begin(const char *program, const char *what, uint64_t total, int quiet, int plain)
{
	double now = report_clock();
	return (progress){.program = program,
			  .what = what,
			  .total = total,
			  .started = now,
			  .shown = now,
			  .wait = plain ? 0.0 : 2.0,
			  .pause = 0.2,
			  .quiet = quiet,
			  .terminal = !plain && isatty(STDERR_FILENO),
			  .percent = -1};
}

// "00:01:20"
static void clock_text(char *out, size_t size, double seconds)
{
	long long s = seconds < 3.6e6 ? (long long)seconds : 3599999;
	if (seconds < 0.0)
		snprintf(out, size, "--:--:--");
	else
		snprintf(out, size, "%02lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

void progress_tell(progress *p, int now, double fraction, uint64_t done, double left, const char *rest)
{
	enum
	{
		HEARTBEAT = 30 // s
	};
	double since = report_clock() - p->shown;
	// 29 of 100 is 29 %, in spite of round-off
	int percent = p->prepares ? 0 : (int)(100.0 * fraction + 1e-9), grown = percent > p->percent;
	double wait = p->percent < 0 ? p->wait : grown ? 1.0 : HEARTBEAT;
	if (p->quiet || (!now && since < wait))
		return;
	// items are named one by one: frame 5 of 12
	size_t length = strlen(p->what);
	int word = strchr(p->what, ' ') ? (int)length : (int)length - 1;
	char eta[32];
	clock_text(eta, sizeof eta, p->prepares ? -1.0 : left);
	fprintf(stderr, "PROGRESS: %d%% %.*s %" PRIu64 "/%" PRIu64 " eta %s%s\n", percent, word, p->what, done,
		p->total, eta, rest);
	p->percent = percent;
	p->shown = report_clock();
}

int progress_due(const progress *p)
{
	return !p->quiet && report_clock() - p->shown >= (p->shown == p->started ? p->wait : p->pause);
}

void progress_draw(progress *p, const progress_field *fields, size_t count)
{
	char line[LINE_CHARS];
	join(line, fields, count, room());
	fprintf(stderr, "\r\033[K%s", line);
	p->shown = report_clock();
	p->visible = 1;
}

void progress_update(progress *p, uint64_t done)
{
	double left = done > 0 ? (report_clock() - p->started) / (double)done * (double)(p->total - done) : -1.0;
	int last = done >= p->total;
	if (!p->terminal)
	{
		// a job that was too short for a line needs none at its end
		int asked = p->wait <= 0.0, end = last && !p->prepares;
		if (p->total > 0 && (done > 0 || asked))
			progress_tell(p, end && (p->percent >= 0 || asked), (double)done / (double)p->total, done, left,
				      "");
		return;
	}
	if (done == 0 || last || !progress_due(p))
		return;
	progress_field fields[4] = {{.rank = 3}, {.rank = 0}, {.rank = 2}, {.rank = 1}};
	char time[32];
	progress_time(time, sizeof time, left);
	snprintf(fields[0].text, sizeof fields[0].text, "%s", p->program);
	snprintf(fields[1].text, sizeof fields[1].text, "%" PRIu64 "/%" PRIu64, done, p->total);
	snprintf(fields[2].text, sizeof fields[2].text, "%s", p->what);
	snprintf(fields[3].text, sizeof fields[3].text, "%s left", time);
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
