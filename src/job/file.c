#include "spate/file.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

spate_result spate_file_write(const char *path, const void *data, size_t bytes, spate_error *error)
{
	if (!path || (bytes > 0 && !data))
		return error_set(error, SPATE_INVALID, "spate_file_write needs a path and the bytes to write");
	return file_write(path, data, bytes, error);
}

spate_result spate_file_read(const char *path, char **data, size_t *bytes, spate_error *error)
{
	if (!path || !data || !bytes)
		return error_set(error, SPATE_INVALID, "spate_file_read needs a path and a place for the bytes");
	return file_read(path, data, bytes, error);
}

void spate_file_free(char *data)
{
	mem_free(data);
}

spate_result spate_folder_make(const char *path, spate_error *error)
{
	if (!path || !*path)
		return error_set(error, SPATE_INVALID, "spate_folder_make needs a path");
	return file_make_directory(path, error);
}
