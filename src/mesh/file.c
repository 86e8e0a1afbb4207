// Reads mesh files; the parsers only see bytes.
#include "base/file.h"
#include "base/memory.h"
#include "mesh/read.h"

spate_result spate_mesh_read(spate_mesh **mesh, const char *path, spate_error *error)
{
	char *data = NULL;
	size_t bytes = 0;
	spate_result result = file_read(path, &data, &bytes, error);
	if (result == SPATE_OK)
		result = mesh_parse(mesh, path, data, bytes, error);
	mem_free(data);
	return result;
}
