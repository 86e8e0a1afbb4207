#include "cli/command.h"

#include <string.h>

const command commands[] = {
#define X(name, summary) {#name, "spate " #name, summary, command_##name, &command_##name##_argp},
    COMMAND_MAP(X)
#undef X
	{0}};

const command *command_find(const char *name)
{
	for (const command *c = commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}
