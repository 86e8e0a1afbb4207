#include "cli/option_text.h"

#include "base/file.h"

#include <stdio.h>

int text_write(buffer *text, const char *path, const char *program)
{
	spate_error error = {0};
	size_t bytes = text->length;
	char *own = buffer_take(text);
	int status = EXIT_DONE;
	if (!own)
	{
		complain(program, "out of memory");
		return EXIT_FAILED;
	}
	if (!path)
	{
		fputs(own, stdout);
		status = finish_output(program);
	}
	else if (file_write(path, own, bytes, &error) != SPATE_OK)
	{
		complain(program, "%s", error.text);
		status = EXIT_FAILED;
	}
	mem_free(own);
	return status;
}
