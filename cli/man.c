// spate man: generates manual pages from the same tables as --help.
#include "cli/help.h"
#include "cli/option_text.h"
#include "cli/text.h"
#include "spate/file.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
	LONG_LINES = 1000000 // columns
};

typedef struct arguments
{
	const char *name; // NULL for the page of spate itself
	const char *folder;
} arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
	arguments *a = state->input;
	switch (key)
	{
	case 'o':
		a->folder = value;
		return 0;
	case ARGP_KEY_ARG:
		if (a->name)
			argp_error(state, "only one COMMAND is allowed, not also '%s'", value);
		if (!command_find(value))
			argp_error(state, "unknown command '%s'; 'spate help' lists the commands", value);
		a->name = value;
		return 0;
	case ARGP_KEY_END:
		if (a->name && a->folder)
			argp_error(state, "-o writes the pages of all commands and takes no COMMAND");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0, "Write all pages into this folder: spate.1, spate-run.1 and so on", 0}, {0}};

const struct argp command_man_argp = {.options = options,
				      .parser = parse,
				      .args_doc = "[COMMAND]",
				      .doc =
					  "Prints the manual page of a command, or of spate itself, for man or groff.\v"
					  "'make install' installs the pages.\n\n"
					  "Examples:\n"
					  "  spate man run | man -l -\n"
					  "  spate man run >spate-run.1\n"
					  "  spate man -o ~/.local/share/man/man1"};

// ------------------------------------------------------------------------------------------------------------- characters

// Appends text for groff: escapes its special characters, and writes hyphens as the ASCII minus that users type.
static void add_text(FILE *page, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\\')
			fprintf(page, "\\e");
		else if (text[i] == '-')
			fprintf(page, "\\-");
		else if ((text[i] == '.' || text[i] == '\'') && (i == 0 || text[i - 1] == '\n'))
			fprintf(page, "\\&%c", text[i]);
		else
			fprintf(page, "%c", text[i]);
}

static void add_line(FILE *page, const char *text, size_t length)
{
	add_text(page, text, length);
	fprintf(page, "\n");
}

static void add_capitals(FILE *page, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		fprintf(page, "%c", toupper((unsigned char)text[i]));
}

// -------------------------------------------------------------------------------------------------------------- sections

static int is_listed(const char *line)
{
	return strncmp(line, "  ", 2) == 0;
}

// Appends the paragraphs of a text (lists = 0), or its lists, such as "Examples:" and indented lines, each under a heading (lists = 1).
static void add_paragraphs(FILE *page, const char *text, int lists)
{
	int inside = 0, begun = 0;
	for (const char *line = text; *line;)
	{
		size_t length = strcspn(line, "\n");
		const char *next = line + length + (line[length] == '\n');
		int heading = length > 0 && line[length - 1] == ':' && is_listed(next);
		if (lists && heading)
		{
			fprintf(page, ".SH ");
			add_capitals(page, line, length - 1);
			fprintf(page, "\n.nf\n");
			inside = 1;
		}
		else if (lists && is_listed(line))
			add_line(page, line + 2, length - 2);
		else if (lists && inside)
		{
			fprintf(page, ".fi\n");
			inside = 0;
		}
		else if (!lists && length > 0 && !heading && !is_listed(line))
		{
			fprintf(page, begun ? ".PP\n" : ".SH NOTES\n");
			add_line(page, line, length);
			begun = 1;
		}
		line = next;
	}
	if (inside)
		fprintf(page, ".fi\n");
}

static void add_option(FILE *page, const struct argp_option *o)
{
	fprintf(page, ".TP\n");
	if (option_letter(o))
		fprintf(page, "\\fB\\-%c\\fR, ", option_letter(o));
	fprintf(page, "\\fB\\-\\-");
	add_text(page, o->name, strlen(o->name));
	fprintf(page, "\\fR");
	if (o->arg)
	{
		int optional = (o->flags & OPTION_ARG_OPTIONAL) != 0;
		fprintf(page, "%s=\\fI", optional ? "[" : "");
		add_text(page, o->arg, strlen(o->arg));
		fprintf(page, "\\fR%s", optional ? "]" : "");
	}
	fprintf(page, "\n");
	add_line(page, o->doc, strlen(o->doc));
}

static void add_exit_codes(FILE *page)
{
	fprintf(page, ".SH EXIT STATUS\n"
		      ".TP\n0\nSuccess.\n"
		      ".TP\n1\nFailure: a file, the disk, memory, or the simulation itself.\n"
		      ".TP\n2\nWrong usage, or an error in the scene file.\n"
		      ".TP\n130\nInterrupted; a checkpoint was written.\n");
}

static void add_title(FILE *page, const char *name, const char *summary)
{
	fprintf(page, ".TH \"");
	add_capitals(page, name, strlen(name));
	fprintf(page, "\" 1 \"\" \"spate %s\" \"Spate Manual\"\n.SH NAME\n", SPATE_VERSION);
	add_text(page, name, strlen(name));
	fprintf(page, " \\- ");
	add_line(page, summary, strlen(summary));
}

// ----------------------------------------------------------------------------------------------------------------- pages

static void add_command_page(FILE *page, const command *c)
{
	char name[64];
	const struct argp *argp = c->argp;
	const char *more = strchr(argp->doc, '\v');
	snprintf(name, sizeof name, "spate-%s", c->name);
	add_title(page, name, c->summary);
	fprintf(page, ".SH SYNOPSIS\n\\fBspate %s\\fR [\\fIOPTION\\fR...] \\fI%s\\fR\n.SH DESCRIPTION\n", c->name,
		argp->args_doc);
	add_line(page, argp->doc, more ? (size_t)(more - argp->doc) : strlen(argp->doc));
	fprintf(page, ".SH OPTIONS\n");
	for (const struct argp_option *o = argp->options; !option_is_last(o); o++)
		add_option(page, o);
	add_option(page, &option_help);
	// groff breaks lines itself
	output_text end;
	text_open(&end, c->title);
	if (more)
		help_add_text(end.stream, more + 1, LONG_LINES);
	text_close(&end);
	for (int lists = 0; lists < 2 && end.bytes; lists++)
		add_paragraphs(page, end.bytes, lists);
	free(end.bytes);
	add_exit_codes(page);
	fprintf(page, ".SH SEE ALSO\n\\fBspate\\fR(1)\n");
}

static void add_main_page(FILE *page)
{
	add_title(page, "spate", "particle-based simulation of liquids");
	fprintf(page, ".SH SYNOPSIS\n\\fBspate\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.br\n"
		      "\\fBspate help\\fR [\\fICOMMAND\\fR]\n.br\n\\fBspate \\-\\-version\\fR\n"
		      ".SH DESCRIPTION\nSimulates liquids described by scene files, and turns the results into meshes, "
		      "pictures and plots.\n.SH COMMANDS\n");
	for (const command *c = commands; c->name; c++)
	{
		fprintf(page, ".TP\n\\fBspate\\-%s\\fR(1)\n", c->name);
		add_line(page, c->summary, strlen(c->summary));
	}
	add_exit_codes(page);
	fprintf(page, ".SH EXAMPLES\n.nf\nspate example dam_break\nspate run dam_break.yaml\n"
		      "spate preview out/dam_break\n.fi\n");
}

static int write_page(const command *c, const char *folder, const char *program)
{
	char path[4096];
	output_text page;
	text_open(&page, program);
	if (c)
		add_command_page(page.stream, c);
	else
		add_main_page(page.stream);
	if (!folder)
		return text_write(&page, NULL, program);
	snprintf(path, sizeof path, "%s/spate%s%s.1", folder, c ? "-" : "", c ? c->name : "");
	return text_write(&page, path, program);
}

int command_man(int argc, char **argv)
{
	arguments a = {0};
	if (argp_parse(&command_man_argp, argc, argv, 0, NULL, &a))
		return EXIT_MISUSE;
	if (!a.folder)
		return write_page(a.name ? command_find(a.name) : NULL, NULL, argv[0]);
	spate_error error = {0};
	if (spate_folder_make(a.folder, &error) != SPATE_OK)
	{
		complain(argv[0], "%s", error.text);
		return EXIT_FAILED;
	}
	int status = write_page(NULL, a.folder, argv[0]);
	for (const command *c = commands; c->name && status == EXIT_DONE; c++)
		status = write_page(c, a.folder, argv[0]);
	return status;
}
