#include "cli/text.h"

#include "cli/command.h"
#include "cli/report.h"
#include "spate/file.h"

#include <math.h>
#include <stdlib.h>

void text_open(output_text *t, const char *program)
{
	*t = (output_text){0};
	t->stream = open_memstream(&t->bytes, &t->length);
	if (t->stream)
		return;
	complain(program, "out of memory");
	exit(EXIT_FAILED);
}

void text_close(output_text *t)
{
	if (fclose(t->stream) == 0)
		return;
	free(t->bytes);
	t->bytes = NULL;
}

int text_write(output_text *t, const char *path, const char *program)
{
	spate_error error = {0};
	int status = EXIT_DONE;
	text_close(t);
	if (!t->bytes)
	{
		complain(program, "out of memory");
		return EXIT_FAILED;
	}
	if (!path)
	{
		fwrite(t->bytes, 1, t->length, stdout);
		status = finish_output(program);
	}
	else if (spate_file_write(path, t->bytes, t->length, &error) != SPATE_OK)
	{
		complain(program, "%s", error.text);
		status = EXIT_FAILED;
	}
	free(t->bytes);
	return status;
}

int text_print(output_text *t, const char *program)
{
	fputc('\n', t->stream);
	return text_write(t, NULL, program);
}

void json_put_string(FILE *out, const char *string)
{
	fputc('"', out);
	for (; *string; string++)
		if (*string == '"' || *string == '\\')
			fprintf(out, "\\%c", *string);
		else if (*string == '\n')
			fputs("\\n", out);
		else if ((unsigned char)*string < ' ')
			fprintf(out, "\\u%04x", (unsigned)*string);
		else
			fputc(*string, out);
	fputc('"', out);
}

void json_put_number(FILE *out, double value)
{
	char text[32];
	if (!isfinite(value))
	{
		fputs("null", out);
		return;
	}
	// the shortest decimal that reads back to the same bits
	for (int digits = 15; digits <= 17; digits++)
	{
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, out);
}

void json_put_triple(FILE *out, const double v[3])
{
	for (int k = 0; k < 3; k++)
	{
		fputc(k ? ',' : '[', out);
		json_put_number(out, v[k]);
	}
	fputc(']', out);
}
