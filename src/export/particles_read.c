#include "export/particles_read.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cache/format.h"

#include <stdio.h>
#include <string.h>

// Reads the first bytes of a file and returns their number.
static size_t read_start(const char *path, char *start, size_t room)
{
	FILE *file = fopen(path, "rb");
	size_t got = file ? fread(start, 1, room, file) : 0;
	if (file)
		fclose(file);
	return got;
}

static int is_ours(const char *start, size_t bytes)
{
	return bytes >= 8 && memcmp(start, FORMAT_MAGIC, 8) == 0;
}

int particles_are_frame(const char *path)
{
	char start[16];
	return is_ours(start, read_start(path, start, sizeof start));
}

spate_result particles_hash(const char *path, uint64_t *hash, spate_error *error)
{
	char head[FORMAT_HEADER], *data = NULL;
	size_t bytes = read_start(path, head, sizeof head);
	// our header ends with checksums that cover everything
	if (is_ours(head, bytes))
	{
		*hash = hash_bytes(head, bytes, 0);
		return SPATE_OK;
	}
	spate_result result = file_read(path, &data, &bytes, error);
	if (result == SPATE_OK)
		*hash = hash_bytes(data, bytes, 0);
	mem_free(data);
	return result;
}
