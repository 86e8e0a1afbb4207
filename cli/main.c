// spate: finds the command in the table and runs it.
#include "cli/command.h"
#include "cli/help.h"
#include "spate/build.h"

#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void print_help(FILE *out)
{
	fputs("Usage: spate COMMAND [OPTIONS]\n\n", out);
	for (const command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->summary);
	fputs(
	    "\n'spate help COMMAND' or 'spate COMMAND --help' explains a command; 'spate --version' prints the version.\n",
	    out);
}

// Prints the version and the optional libraries of this build.
static void print_version(void)
{
	unsigned has = spate_build_libraries();
	puts("spate " SPATE_VERSION);
	for (int wanted = 1; wanted >= 0; wanted--)
	{
		int count = 0;
		for (spate_library l = 0; l < SPATE_LIBRARY_COUNT; l++)
			if ((int)(has >> l & 1) == wanted)
				printf("%s %s", count++ ? "," : wanted ? "with" : "without", spate_library_name(l));
		if (count)
			putchar('\n');
	}
}

static int run(const char *name, int argc, char **argv)
{
	const command *c = command_find(name);
	if (c)
	{
		argv[0] = (char *)(size_t)c->title;
		return help_is_wanted(c, argc, argv) ? help_print(c) : c->run(argc, argv);
	}
	fprintf(stderr, "spate: unknown command '%s'; 'spate help' lists the commands\n", name);
	return EXIT_MISUSE;
}

int main(int argc, char **argv)
{
	argp_err_exit_status = EXIT_MISUSE;
	// exceeding the file size limit becomes a write error, like a full disk
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2)
	{
		print_help(stderr);
		return EXIT_MISUSE;
	}
	if (strcmp(argv[1], "--version") == 0)
	{
		print_version();
		return EXIT_DONE;
	}
	int help = strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
	if (help && argc == 2)
	{
		print_help(stdout);
		return EXIT_DONE;
	}
	if (help)
	{
		char option[] = "--help";
		char *arguments[] = {argv[0], option, NULL};
		return run(argv[2], 2, arguments);
	}
	return run(argv[1], argc - 1, argv + 1);
}
