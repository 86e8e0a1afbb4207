// spate bench: runs one benchmark of bench/ by name.
#include "cli/command.h"

#include <stdio.h>

int command_bench(int argc, char **argv)
{
	(void)argc;
	fprintf(stderr, "%s: no benchmark of that name\n", argv[0]);
	return EXIT_MISUSE;
}
