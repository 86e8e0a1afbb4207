#include "cli/mesh_file.h"

#include "base/file.h"
#include "base/memory.h"
#include "cache/mesh_frame.h"
#include "mesh/read.h"

spate_result mesh_file_read(spate_mesh **mesh, const char *path, const char **format, spate_error *error)
{
	const char *ignored;
	char *data = NULL;
	size_t bytes = 0;
	format = format ? format : &ignored;
	*format = "spate";
	*mesh = NULL;
	if (mesh_frame_is(path))
		return mesh_frame_read(mesh, path, error);
	spate_result result = file_read(path, &data, &bytes, error);
	if (result == SPATE_OK)
		result = mesh_parse_surface(mesh, path, data, bytes, error);
	if (result == SPATE_OK)
		*format = mesh_format_name(mesh_detect(path, data, bytes, bytes));
	mem_free(data);
	return result;
}
