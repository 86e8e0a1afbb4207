#include "cli/job_message.h"

#include "cli/report.h"

#include <string.h>

static const char *find_option(const option_name *names, const char *member, size_t length)
{
	for (; names->member; names++)
		if (strlen(names->member) == length && strncmp(names->member, member, length) == 0)
			return names->option;
	return NULL;
}

static size_t add(job_message *out, size_t used, const char *text, size_t length)
{
	size_t room = sizeof out->text - 1 - used;
	length = length < room ? length : room;
	memcpy(out->text + used, text, length);
	out->text[used + length] = '\0';
	return used + length;
}

job_message job_translate(const option_name *names, const char *text)
{
	job_message out = {""};
	const char *open, *close;
	size_t used = 0;
	while ((open = strchr(text, '`')) && (close = strchr(open + 1, '`')))
	{
		size_t length = (size_t)(close - open - 1);
		const char *option = find_option(names, open + 1, length);
		used = add(&out, used, text, (size_t)(open - text));
		used = add(&out, used, option ? option : open + 1, option ? strlen(option) : length);
		text = close + 1;
	}
	add(&out, used, text, strlen(text));
	return out;
}

void job_complain(const char *program, const option_name *names, const char *text)
{
	complain(program, "%s", job_translate(names, text).text);
}
