#include "mesh/read.h"

#include "base/error.h"
#include "mesh/build.h"
#include "mesh/stl.h"
#include "mesh/text.h"

#include <string.h>
#include <strings.h>

const char *mesh_format_name(mesh_format format)
{
	static const char *const names[] = {"unknown", "OBJ", "PLY", "STL", "OFF"};
	return names[format];
}

static mesh_format by_ending(const char *path)
{
	const char *dot = strrchr(path, '.');
	for (int f = MESH_OBJ; dot && f <= MESH_OFF; f++)
		if (strcasecmp(dot + 1, mesh_format_name((mesh_format)f)) == 0)
			return (mesh_format)f;
	return MESH_UNKNOWN;
}

// Whether the word is OFF with any of its prefixes.
static int is_off(const text_cursor *c)
{
	size_t length = text_word_length(c);
	return length >= 3 && length <= 8 && memcmp(c->at + length - 3, "OFF", 3) == 0 &&
	       strspn(c->at, "STCN4nOF") >= length;
}

// Whether the first line that is not a comment starts with an OBJ keyword, followed by a number where one is required.
static int is_obj(text_cursor c)
{
	static const char *const loners[] = {"mtllib", "usemtl", "g", "o", "s"};
	static const char *const counted[] = {"v", "vt", "vn", "f"};
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (text_word_is(&c, counted[i]))
		{
			c.at += text_word_length(&c);
			text_skip_blanks(&c);
			return strchr("+-.0123456789", *c.at) != NULL && *c.at;
		}
	for (size_t i = 0; i < sizeof loners / sizeof *loners; i++)
		if (text_word_is(&c, loners[i]))
			return 1;
	return 0;
}

mesh_format mesh_detect(const char *path, const char *data, size_t bytes, size_t file_bytes)
{
	if (bytes >= 4 && memcmp(data, "ply", 3) == 0 && (data[3] == '\n' || data[3] == '\r'))
		return MESH_PLY;
	if (stl_is_binary(data, bytes, file_bytes) && stl_count(data) > 0)
		return MESH_STL;
	if (stl_is_text(data, bytes))
		return MESH_STL;
	text_cursor c = {data, data + bytes, 1, 1};
	if (text_skip_space(&c) && is_off(&c))
		return MESH_OFF;
	mesh_format ending = by_ending(path);
	return ending != MESH_OBJ && is_obj(c) ? MESH_OBJ : ending;
}

static spate_result parse(spate_mesh **mesh, const char *path, const char *data, size_t bytes, int may_be_empty,
			  spate_error *error)
{
	mesh_builder b = {.path = path, .data = data, .bytes = bytes, .error = error, .may_be_empty = may_be_empty};
	if (bytes == 0)
		return error_set(error, SPATE_FORMAT, "%s is empty", path);
	spate_result result = SPATE_OK;
	switch (mesh_detect(path, data, bytes, bytes))
	{
	case MESH_OBJ:
		result = mesh_parse_obj(&b);
		break;
	case MESH_PLY:
		result = mesh_parse_ply(&b);
		break;
	case MESH_STL:
		result = mesh_parse_stl(&b);
		break;
	case MESH_OFF:
		result = mesh_parse_off(&b);
		break;
	case MESH_UNKNOWN:
		return error_set(error, SPATE_FORMAT, "%s is not a mesh in a supported format: obj, ply, stl or off",
				 path);
	}
	if (result == SPATE_OK)
		result = mesh_builder_finish(&b, mesh);
	mesh_builder_free(&b);
	return result;
}

spate_result mesh_parse(spate_mesh **mesh, const char *path, const char *data, size_t bytes, spate_error *error)
{
	return parse(mesh, path, data, bytes, 0, error);
}

spate_result mesh_parse_surface(spate_mesh **mesh, const char *path, const char *data, size_t bytes, spate_error *error)
{
	return parse(mesh, path, data, bytes, 1, error);
}
