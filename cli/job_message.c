#include "cli/job_message.h"

#include <stdio.h>
#include <string.h>

static void print_member(const option_name *names, const char *member, size_t length)
{
	for (; names->member; names++)
		if (strlen(names->member) == length && strncmp(names->member, member, length) == 0)
		{
			fputs(names->option, stderr);
			return;
		}
	fwrite(member, 1, length, stderr);
}

void job_complain(const char *program, const option_name *names, const char *text)
{
	const char *open, *close;
	fprintf(stderr, "%s: ", program);
	while ((open = strchr(text, '`')) && (close = strchr(open + 1, '`')))
	{
		fwrite(text, 1, (size_t)(open - text), stderr);
		print_member(names, open + 1, (size_t)(close - open - 1));
		text = close + 1;
	}
	fprintf(stderr, "%s\n", text);
}
