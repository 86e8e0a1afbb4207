#include "cli/command.h"

#include <stdio.h>

void command_print_problems(const char *file, const spate_problems *problems)
{
	for (uint32_t p = 0; p < problems->count; p++)
	{
		const spate_problem *own = &problems->items[p];
		fputs(own->file[0] ? own->file : file, stderr);
		if (own->line > 0)
			fprintf(stderr, ":%u:%u", own->line, own->column);
		fprintf(stderr, ": %s: ", own->warning ? "warning" : "error");
		if (own->path[0])
			fprintf(stderr, "%s: ", own->path);
		fprintf(stderr, "%s\n", own->text);
	}
}
