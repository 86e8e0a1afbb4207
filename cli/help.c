#include "cli/help.h"

#include "cli/report.h"
#include "cli/text.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
	USUAL = 79, // columns, as argp has it
	LEAST = 60, // in fewer argp has no room for its own two
	MOST = 120  // longer lines are hard to read
};

// ------------------------------------------------------------------------------------------------------------------ text

static size_t line_length(const char *line)
{
	return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
	size_t length = line_length(line);
	return line + length + (line[length] == '\n');
}

static int is_listed(const char *line)
{
	return strncmp(line, "  ", 2) == 0;
}

// Letters before the two blanks behind a listed name; 0 for a line without.
static size_t name_length(const char *line)
{
	size_t length = line_length(line);
	if (is_listed(line))
		for (size_t i = 3; i + 2 < length; i++)
			if (line[i] == ' ' && line[i + 1] == ' ')
				return i;
	return 0;
}

// Adds words from column `used` on; further lines begin at `indent`.
static void add_words(FILE *out, const char *text, size_t length, size_t used, size_t indent, size_t columns)
{
	const char *end = text + length;
	for (int begins = 1; text < end; begins = 0)
	{
		size_t word = strcspn(text, " \n");
		if (!begins && used + 1 + word > columns)
		{
			fprintf(out, "\n%*s", (int)indent, "");
			used = indent;
			begins = 1;
		}
		fprintf(out, "%s%.*s", begins ? "" : " ", (int)word, text);
		used += word + !begins;
		text += word;
		text += strspn(text, " ");
	}
	fprintf(out, "\n");
}

// One column for all names of a list.
static const char *add_list(FILE *out, const char *line, size_t columns)
{
	const char *end = line;
	size_t widest = 0;
	for (; is_listed(end); end = next_line(end))
		widest = name_length(end) > widest ? name_length(end) : widest;
	for (; line < end; line = next_line(line))
	{
		size_t length = line_length(line), name = name_length(line), after = name;
		if (name == 0)
		{
			fprintf(out, "%.*s\n", (int)length, line);
			continue;
		}
		after += strspn(line + name, " ");
		fprintf(out, "%-*.*s  ", (int)widest, (int)name, line);
		add_words(out, line + after, length - after, widest + 2, widest + 2, columns);
	}
	return end;
}

void help_add_text(FILE *out, const char *text, size_t columns)
{
	while (*text)
		if (is_listed(text))
			text = add_list(out, text, columns);
		else
		{
			add_words(out, text, line_length(text), 0, 0, columns);
			text = next_line(text);
		}
}

// ------------------------------------------------------------------------------------------------------------------ argp

// Takes everything that argp gives it. What argp prints goes where the command's own help is put together.
static error_t take(int key, char *value, struct argp_state *state)
{
	(void)value;
	if (key == ARGP_KEY_INIT && state->input)
		state->out_stream = state->input;
	return 0;
}

static error_t find_help(int key, char *value, struct argp_state *state)
{
	(void)value;
	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = NULL;
	else if (key == '?')
		*(int *)state->input = 1;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

int help_is_wanted(const command *c, int argc, char **argv)
{
	static const struct argp_option options[] = {{"help", '?', NULL, 0, NULL, 0}, {0}};
	const struct argp own = {.options = c->argp->options, .parser = take};
	const struct argp_child children[] = {{&own, 0, NULL, 0}, {0}};
	const struct argp all = {.options = options, .parser = find_help, .children = children};
	int found = 0;
	// argp sorts the arguments
	char **copy = malloc(((size_t)argc + 1) * sizeof *copy);
	if (!copy)
		return 0;
	memcpy(copy, argv, ((size_t)argc + 1) * sizeof *copy);
	argp_parse(&all, argc, copy, ARGP_SILENT, NULL, &found);
	free(copy);
	return found;
}

// The end of the help is not argp's to fill.
static char *leave_out_end(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_POST_DOC ? NULL : (char *)(size_t)text;
}

// Columns for the help, argp's part of it too.
static size_t set_margin(void)
{
	const char *format = getenv("ARGP_HELP_FMT"), *margin = format ? strstr(format, "rmargin=") : NULL;
	size_t columns = report_columns(STDOUT_FILENO);
	char text[32];
	if (margin)
		return strtoul(margin + strlen("rmargin="), NULL, 10);
	if (format || columns == 0)
		return USUAL;
	columns = columns - 1 < LEAST ? LEAST : columns - 1 > MOST ? MOST : columns - 1;
	snprintf(text, sizeof text, "rmargin=%zu", columns);
	setenv("ARGP_HELP_FMT", text, 1);
	return columns;
}

// What argp prints for --help, without lines of nothing but blanks, which it leaves behind a text that ends at the margin.
static int add_options(FILE *out, const command *c)
{
	struct argp own = *c->argp;
	char option[] = "--help", *arguments[] = {(char *)(size_t)c->title, option, NULL}, *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);
	if (!stream)
		return 0;
	own.parser = take;
	own.help_filter = leave_out_end;
	argp_parse(&own, 2, arguments, ARGP_NO_EXIT, NULL, stream);
	fclose(stream);
	for (const char *line = text; line && *line; line = next_line(line))
		if (line_length(line) == 0 || line[strspn(line, " ")] != '\n')
			fprintf(out, "%.*s\n", (int)line_length(line), line);
	free(text);
	return 1;
}

int help_print(const command *c)
{
	output_text help;
	const char *more = strchr(c->argp->doc, '\v');
	size_t columns = set_margin();
	text_open(&help, c->title);
	if (!add_options(help.stream, c))
	{
		complain(c->title, "out of memory");
		return EXIT_FAILED;
	}
	if (more)
	{
		fputc('\n', help.stream);
		help_add_text(help.stream, more + 1, columns);
	}
	return text_write(&help, NULL, c->title);
}
