#include "mesh/read.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>

const file_format *mesh_detect(const char *path, const char *data, size_t bytes, size_t file_bytes)
{
	const file_format *format = file_format_detect(SPATE_FORMAT_TRIANGLES, path, data, bytes, file_bytes);
	return format && format->parse_mesh ? format : NULL;
}

static spate_result parse(spate_mesh **mesh, const char *path, const char *data, size_t bytes, int may_be_empty,
			  const file_format **found, spate_error *error)
{
	mesh_builder b = {.path = path, .data = data, .bytes = bytes, .error = error, .may_be_empty = may_be_empty};
	if (bytes == 0)
		return error_set(error, SPATE_FORMAT, "%s is empty", path);
	*found = mesh_detect(path, data, bytes, bytes);
	if (!*found)
		return error_set(error, SPATE_FORMAT, "%s is not a mesh in a supported format: %s", path,
				 file_formats_reading(SPATE_FORMAT_TRIANGLES, 0).text);
	spate_result result = (*found)->parse_mesh(&b);
	if (result == SPATE_OK)
		result = mesh_builder_finish(&b, mesh);
	mesh_builder_free(&b);
	return result;
}

spate_result mesh_parse(spate_mesh **mesh, const char *path, const char *data, size_t bytes, spate_error *error)
{
	const file_format *found;
	return parse(mesh, path, data, bytes, 0, &found, error);
}

// ------------------------------------------------------------------------------------------------------------------ files

// The format of a file that is read in parts; NULL for those that are parsed as a whole.
static const file_format *detect_file(const char *path)
{
	char start[16] = {0};
	FILE *file = fopen(path, "rb");
	size_t bytes = file ? fread(start, 1, sizeof start - 1, file) : 0;
	if (file)
		fclose(file);
	const file_format *format = file_format_detect(SPATE_FORMAT_TRIANGLES, "", start, bytes, bytes);
	return format && format->read_mesh ? format : NULL;
}

static spate_result read_file(spate_mesh **mesh, const char *path, int may_be_empty, const file_format **format,
			      spate_error *error)
{
	char *data = NULL;
	size_t bytes = 0;
	*mesh = NULL;
	*format = detect_file(path);
	if (*format)
		return (*format)->read_mesh(mesh, path, error);
	spate_result result = file_read(path, &data, &bytes, error);
	if (result == SPATE_OK)
		result = parse(mesh, path, data, bytes, may_be_empty, format, error);
	mem_free(data);
	return result;
}

spate_result spate_mesh_read(spate_mesh **mesh, const char *path, spate_error *error)
{
	const file_format *format;
	return read_file(mesh, path, 0, &format, error);
}

spate_result mesh_read_surface(spate_mesh **mesh, const char *path, const char **format, spate_error *error)
{
	const file_format *found;
	spate_result result = read_file(mesh, path, 1, &found, error);
	if (format)
		*format = found ? found->about.title : "unknown";
	return result;
}
