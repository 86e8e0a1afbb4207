#include "mesh/format.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// ROW(obj) and so on, one for each file src/export/format_*.c
#define ROW(name) extern const file_format file_format_##name;
#include "mesh/formats.inc"
#undef ROW

#define ROW(name) &file_format_##name,
static const file_format *const rows[] = {
#include "mesh/formats.inc"
};
#undef ROW

enum
{
	ROWS = sizeof rows / sizeof *rows
};

// The order of lists.
static int comes_before(const file_format *a, const file_format *b)
{
	return a->rank != b->rank ? a->rank < b->rank : strcmp(a->about.name, b->about.name) < 0;
}

const file_format *file_format_at(uint32_t n)
{
	for (size_t i = 0; i < ROWS; i++)
	{
		uint32_t before = 0;
		for (size_t k = 0; k < ROWS; k++)
			before += (uint32_t)comes_before(rows[k], rows[i]);
		if (before == n)
			return rows[i];
	}
	return NULL;
}

const file_format *file_format_find(const char *name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(name, rows[i]->about.name) == 0)
			return rows[i];
	return NULL;
}

const file_format *file_format_of_path(const char *path)
{
	size_t length = strlen(path), zipped = strlen(".gz");
	if (length > zipped && strcasecmp(path + length - zipped, ".gz") == 0)
		length -= zipped;
	for (size_t i = 0; i < ROWS; i++)
	{
		size_t tail = strlen(rows[i]->about.suffix);
		if (length >= tail && strncasecmp(path + length - tail, rows[i]->about.suffix, tail) == 0)
			return rows[i];
	}
	return NULL;
}

const file_format *file_format_detect(uint32_t contents, const char *path, const char *data, size_t bytes,
				      size_t file_bytes)
{
	const file_format *best = file_format_of_path(path);
	format_match found = FORMAT_NO;
	if (best && (best->about.reads & contents) != contents)
		best = NULL;
	for (size_t i = 0; i < ROWS; i++)
	{
		if ((rows[i]->about.reads & contents) != contents || !rows[i]->match)
			continue;
		format_match match = rows[i]->match(data, bytes, file_bytes);
		if (match > found)
		{
			best = rows[i];
			found = match;
		}
	}
	return best;
}

// ------------------------------------------------------------------------------------------------------------------- lists

static format_list list_formats(uint32_t reads, uint32_t writes, int dots)
{
	format_list out = {""};
	const spate_format *found[ROWS];
	size_t count = 0, used = 0;
	const spate_format *f;
	for (uint32_t n = 0; (f = spate_format_at(n)); n++)
		if ((f->reads & reads) == reads && (f->writes & writes) == writes)
			found[count++] = f;
	for (size_t i = 0; i < count && used < sizeof out.text; i++)
		used += (size_t)snprintf(out.text + used, sizeof out.text - used, "%s%s%s",
					 i == 0           ? ""
					 : i == count - 1 ? " or "
							  : ", ",
					 dots ? "." : "", found[i]->name);
	return out;
}

format_list file_formats_reading(uint32_t contents, int dots)
{
	return list_formats(contents, 0, dots);
}

format_list file_formats_writing(uint32_t contents, int dots)
{
	return list_formats(0, contents, dots);
}

// ------------------------------------------------------------------------------------------------------------------ public

const spate_format *spate_format_at(uint32_t n)
{
	const file_format *f = file_format_at(n);
	return f ? &f->about : NULL;
}

const spate_format *spate_format_find(const char *name)
{
	const file_format *f = file_format_find(name);
	return f ? &f->about : NULL;
}

const spate_format *spate_format_of_path(const char *path)
{
	const file_format *f = file_format_of_path(path);
	return f ? &f->about : NULL;
}
