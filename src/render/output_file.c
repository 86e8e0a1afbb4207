#define _GNU_SOURCE
#include "render/output_file.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char *output_file_temporary(const char *path)
{
	size_t size = strlen(path) + 32;
	char *name = mem_alloc(size);
	if (name)
		snprintf(name, size, "%s.%ld.tmp", path, (long)getpid());
	return name;
}

spate_result output_file_write(const char *path, const void *bytes, size_t size, spate_error *error)
{
	char *name = output_file_temporary(path);
	if (!name)
		return error_memory(error, strlen(path) + 32);

	spate_result result = SPATE_OK;
	FILE *file = fopen(name, "wb");
	if (!file)
		result = error_set(error, SPATE_IO, "cannot create %s: %s", path, strerror(errno));
	else
	{
		// fclose runs in every case, and its failure counts as much as that of the write
		int failed = fwrite(bytes, 1, size, file) != size ? errno : 0;
		if (fclose(file) != 0 && !failed)
			failed = errno;
		if (!failed && rename(name, path) != 0)
			failed = errno;
		if (failed)
		{
			unlink(name);
			result = error_set(error, SPATE_IO, "cannot write %s: %s", path, strerror(failed));
		}
	}
	mem_free(name);
	return result;
}
