#include "cli/report.h"

#include "cli/command.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

void complain(const char *program, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "%s: ", program);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

report_text report_count(double count)
{
	report_text out;
	char digits[REPORT_CHARS];
	if (!(fabs(count) < 1e15))
	{
		snprintf(out.text, sizeof out.text, "%g", count);
		return out;
	}
	int length = snprintf(digits, sizeof digits, "%.0f", fabs(count)), used = 0;
	if (count <= -0.5)
		out.text[used++] = '-';
	for (int i = 0; i < length; i++)
	{
		if (i > 0 && (length - i) % 3 == 0)
			out.text[used++] = ',';
		out.text[used++] = digits[i];
	}
	out.text[used] = '\0';
	return out;
}

report_text report_bytes(double bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	report_text out;
	int unit = 0;
	for (; bytes >= 999.5 && unit < 4; unit++)
		bytes /= 1000.0;
	snprintf(out.text, sizeof out.text, "%.*f %s", unit > 0 && bytes < 99.5 ? 1 : 0, bytes, units[unit]);
	return out;
}

report_text report_seconds(double seconds)
{
	report_text out;
	double whole = round(seconds);
	if (seconds < 9.95)
		snprintf(out.text, sizeof out.text, "%.1f s", seconds);
	else if (whole < 60.0)
		snprintf(out.text, sizeof out.text, "%.0f s", whole);
	else if (whole < 3600.0)
		snprintf(out.text, sizeof out.text, "%.0f min %.0f s", floor(whole / 60.0), fmod(whole, 60.0));
	else if (whole < 48.0 * 3600.0)
		snprintf(out.text, sizeof out.text, "%.0f h %.0f min", floor(whole / 3600.0),
			 floor(fmod(whole, 3600.0) / 60.0));
	else
		snprintf(out.text, sizeof out.text, "%.0f days %.0f h", floor(whole / 86400.0),
			 floor(fmod(whole, 86400.0) / 3600.0));
	return out;
}

report_text report_numbers(const int64_t *numbers, size_t count)
{
	report_text out = {""};
	size_t used = 0;
	for (size_t i = 0, next; i < count; i = next)
	{
		for (next = i + 1; next < count && numbers[next] == numbers[next - 1] + 1;)
			next++;
		char range[REPORT_CHARS];
		const char *comma = i > 0 ? ", " : "";
		int length = next - i == 1 ? snprintf(range, sizeof range, "%s%" PRId64, comma, numbers[i])
					   : snprintf(range, sizeof range, "%s%" PRId64 "-%" PRId64, comma, numbers[i],
						      numbers[next - 1]);
		// leave room for the dots that replace the rest
		if (used + (size_t)length + 6 > sizeof out.text)
		{
			memcpy(out.text + used, ", ...", 6);
			break;
		}
		memcpy(out.text + used, range, (size_t)length + 1);
		used += (size_t)length;
	}
	return out;
}

int read_whole(const char *text, long least, long most, long *out)
{
	char *end;
	errno = 0;
	long value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < least || value > most)
		return 0;
	*out = value;
	return 1;
}

int read_number(const char *text, double *out)
{
	char *end;
	double value = strtod(text, &end);
	if (end == text || *end || !isfinite(value))
		return 0;
	*out = value;
	return 1;
}

int read_size(const char *text, int least, int most, int *width, int *height)
{
	char first[16];
	const char *cross = strchr(text, 'x');
	long w, h;
	if (!cross || (size_t)(cross - text) >= sizeof first)
		return 0;
	memcpy(first, text, (size_t)(cross - text));
	first[cross - text] = '\0';
	if (!read_whole(first, least, most, &w) || !read_whole(cross + 1, least, most, &h))
		return 0;
	*width = (int)w;
	*height = (int)h;
	return 1;
}

int finish_output(const char *program)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_DONE;
	complain(program, "cannot write to standard output: %s", strerror(errno));
	return EXIT_FAILED;
}

size_t report_columns(int fd)
{
	enum
	{
		USUAL = 80 // columns of a terminal of unknown width
	};
	struct winsize size;
	if (!isatty(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}

void report_wrapped(const char *head, int indent, const char *text)
{
	size_t columns = report_columns(STDOUT_FILENO);
	int begins = 1;
	// a long head pushes the first line aside
	size_t used = (size_t)printf("%-*s ", indent - 1, head);
	for (; *text; begins = 0)
	{
		size_t word = strcspn(text, " ");
		// the last column stays free, as in a progress line
		if (!begins && columns > 0 && used + 1 + word >= columns)
		{
			printf("\n%*s", indent, "");
			used = (size_t)indent;
			begins = 1;
		}
		printf("%s%.*s", begins ? "" : " ", (int)word, text);
		used += word + !begins;
		text += word;
		text += strspn(text, " ");
	}
	putchar('\n');
}

double report_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
