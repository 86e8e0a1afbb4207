// PLY, the polygon file format: a header that names elements and their properties, then the rows, as text or binary in
// either byte order. Vertices and faces are kept, other elements are skipped.
#include "base/error.h"
#include "export/particle_table.h"
#include "export/particles_read.h"
#include "export/ply.h"
#include "export/rows.h"
#include "export/stream.h"
#include "mesh/format.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Destination of a vertex property.
typedef struct ply_target
{
	float *values; // NULL to skip the values
	uint32_t stride;
	double scale;
} ply_target;

typedef struct ply_reader
{
	mesh_builder *b;
	ply_header header;
	text_cursor cursor;             // in a binary file only `at` moves
	ARRAY(ply_target) targets;      // one per property of the vertices
	ARRAY(float) vertex_uvs;        // 2 per vertex
	uint64_t vertices;              // count from the header
	const ply_property *corners;    // of faces: the list of vertex indices
	const ply_property *corner_uvs; // of faces: the list of texture coordinates
	const ply_property *sides[2];   // of faces: the fluids on both sides
} ply_reader;

static spate_result cut_off(const ply_reader *r)
{
	mesh_builder *b = r->b;
	if (r->header.coding == PLY_ASCII)
		return mesh_fail_line(b, r->cursor.line, "the file is truncated");
	return mesh_fail_byte(b, b->bytes, "the file is truncated");
}

// Reports an error in the data read since `from`.
#define fail_at(r, from, format, ...)                                                                      \
	((r)->header.coding == PLY_ASCII ? mesh_fail_line((r)->b, (r)->cursor.line, format, ##__VA_ARGS__) \
					 : mesh_fail_byte((r)->b, (from) - (r)->b->data, format, ##__VA_ARGS__))

static double decode(const char *at, ply_type type, int big)
{
	size_t size = ply_type_size(type);
	uint64_t bits = 0;
	for (size_t i = 0; i < size; i++)
		bits |= (uint64_t)(unsigned char)at[big ? size - 1 - i : i] << 8 * i;
	uint32_t half = (uint32_t)bits;
	float single;
	double value = 0.0;
	switch (type)
	{
	case PLY_INT8:
		return (int8_t)half;
	case PLY_INT16:
		return (int16_t)half;
	case PLY_INT32:
		return (int32_t)half;
	case PLY_FLOAT:
		memcpy(&single, &half, sizeof single);
		return (double)single;
	case PLY_DOUBLE:
		memcpy(&value, &bits, sizeof value);
		return value;
	default:
		return half;
	}
}

static spate_result read_value(ply_reader *r, ply_type type, double *value)
{
	text_cursor *c = &r->cursor;
	if (r->header.coding == PLY_ASCII)
	{
		if (!text_skip_space(c))
			return cut_off(r);
		if (!text_number(c, value))
			return mesh_fail_line(r->b, c->line, "'%s' is not a number", text_show_word(c).text);
		return SPATE_OK;
	}
	size_t size = ply_type_size(type);
	if ((size_t)(c->end - c->at) < size)
		return cut_off(r);
	*value = decode(c->at, type, r->header.coding == PLY_BIG);
	c->at += size;
	return SPATE_OK;
}

// Reads the length of a list, which must fit into the rest of the file.
static spate_result read_length(ply_reader *r, const ply_property *p, size_t *length)
{
	double value = 0.0;
	const char *from = r->cursor.at;
	spate_result result = read_value(r, p->count_type, &value);
	if (result != SPATE_OK)
		return result;
	if (!(value >= 0.0 && value < 0x1p32) || value != floor(value))
		return fail_at(r, from, "a list has the invalid length %g", value);
	size_t one = r->header.coding == PLY_ASCII ? 2 : ply_type_size(p->type);
	*length = (size_t)value;
	return *length <= (size_t)(r->cursor.end - r->cursor.at + 1) / one ? SPATE_OK : cut_off(r);
}

static spate_result skip_property(ply_reader *r, const ply_property *p)
{
	size_t length = 1;
	double value = 0.0;
	spate_result result = SPATE_OK;
	if (p->count_type != PLY_NONE)
		result = read_length(r, p, &length);
	for (size_t i = 0; i < length && result == SPATE_OK; i++)
		result = read_value(r, p->type, &value);
	return result;
}

static int is_one_of(const char *name, const char *const *names)
{
	for (int k = 0; names[k]; k++)
		if (strcmp(names[k], name) == 0)
			return k;
	return -1;
}

// Property names that belong together, in the order of their components.
typedef struct ply_group
{
	const char *channel;
	const char *parts[5];
} ply_group;

static const ply_group groups[] = {
    {"position", {"x", "y", "z"}},
    {"uv", {"s", "t"}},
    {"uv", {"u", "v"}},
    {"uv", {"texture_u", "texture_v"}},
    {"color", {"red", "green", "blue"}},
    {"color", {"r", "g", "b"}},
    {"color", {"diffuse_red", "diffuse_green", "diffuse_blue"}},
    {"normal", {"nx", "ny", "nz"}},
};

// Index of a scalar property of the element; SIZE_MAX if there is none of that name.
static size_t find_scalar(const ply_reader *r, const ply_element *e, const char *name)
{
	for (size_t i = 0; i < e->properties; i++)
	{
		const ply_property *p = &r->header.properties.data[e->first + i];
		if (p->count_type == PLY_NONE && strcmp(p->name, name) == 0)
			return i;
	}
	return SIZE_MAX;
}

static void aim(ply_reader *r, size_t property, float *values, uint32_t stride, double scale)
{
	ply_target *t = &r->targets.data[property];
	if (!t->values)
		*t = (ply_target){values, stride, scale};
}

// Directs the members of a group to one array, if all are present.
static spate_result place_group(ply_reader *r, const ply_element *e, const ply_group *group)
{
	mesh_builder *b = r->b;
	size_t found[4] = {0};
	uint32_t parts = 0;
	for (; group->parts[parts]; parts++)
		if ((found[parts] = find_scalar(r, e, group->parts[parts])) == SIZE_MAX)
			return SPATE_OK;
	float *values;
	double scale = 1.0;
	if (strcmp(group->channel, "position") == 0)
		values = b->positions.data;
	else if (strcmp(group->channel, "uv") == 0)
	{
		if (r->vertex_uvs.count > 0)
			return SPATE_OK;
		if (!array_reserve(&r->vertex_uvs, 2 * (size_t)e->count))
			return error_memory(b->error, 8 * (size_t)e->count);
		values = r->vertex_uvs.data;
		r->vertex_uvs.count = 2 * (size_t)e->count;
	}
	else
	{
		spate_result result = mesh_builder_channel(b, group->channel, parts, &values);
		if (result != SPATE_OK || !values)
			return result;
		if (strcmp(group->channel, "color") == 0)
			scale = 1.0 / ply_type_full(r->header.properties.data[e->first + found[0]].type);
	}
	for (uint32_t k = 0; k < parts; k++)
		aim(r, found[k], values + k, parts, scale);
	return SPATE_OK;
}

// The other properties become channels: NAME_x, NAME_y, ... a single channel with several components, all others one
// each.
static spate_result place_rest(ply_reader *r, const ply_element *e, size_t i)
{
	const ply_property *list = &r->header.properties.data[e->first];
	char names[5][PLY_NAME_CHARS], stem[PLY_NAME_CHARS];
	memcpy(stem, list[i].name, sizeof stem);
	size_t length = strlen(stem);
	uint32_t parts = 0;
	if (length > 2 && strcmp(stem + length - 2, "_x") == 0)
	{
		stem[length - 2] = 0;
		for (; parts < 4 && i + parts < e->properties; parts++)
		{
			memcpy(names[parts], list[i].name, PLY_NAME_CHARS);
			names[parts][length - 1] = "xyzw"[parts];
			const ply_property *p = &list[i + parts];
			if (p->count_type != PLY_NONE || strcmp(p->name, names[parts]) != 0)
				break;
		}
	}
	if (parts < 2)
	{
		parts = 1;
		memcpy(stem, list[i].name, sizeof stem);
	}
	float *values;
	spate_result result = mesh_builder_channel(r->b, stem, parts, &values);
	for (uint32_t k = 0; k < parts && result == SPATE_OK && values; k++)
		aim(r, i + k, values + k, parts, 1.0);
	return result;
}

static spate_result place_properties(ply_reader *r, const ply_element *e)
{
	mesh_builder *b = r->b;
	spate_result result = SPATE_OK;
	if (find_scalar(r, e, "x") == SIZE_MAX || find_scalar(r, e, "y") == SIZE_MAX ||
	    find_scalar(r, e, "z") == SIZE_MAX)
		return error_set(b->error, SPATE_FORMAT, "%s: its vertices have no x, y and z", b->path);
	if (!array_reserve(&b->positions, 3 * (size_t)e->count) || !array_reserve(&r->targets, e->properties))
		return error_memory(b->error, 12 * (size_t)e->count);
	b->positions.count = 3 * (size_t)e->count;
	memset(r->targets.data, 0, e->properties * sizeof *r->targets.data);
	r->targets.count = e->properties;
	for (size_t g = 0; g < sizeof groups / sizeof *groups && result == SPATE_OK; g++)
		result = place_group(r, e, &groups[g]);
	for (size_t i = 0; i < e->properties && result == SPATE_OK; i++)
		if (!r->targets.data[i].values && r->header.properties.data[e->first + i].count_type == PLY_NONE)
			result = place_rest(r, e, i);
	return result;
}

static spate_result read_vertex(ply_reader *r, const ply_element *e, size_t row)
{
	const char *from = r->cursor.at;
	for (size_t i = 0; i < e->properties; i++)
	{
		const ply_property *p = &r->header.properties.data[e->first + i];
		const ply_target *t = &r->targets.data[i];
		double value = 0.0;
		spate_result result;
		if (!t->values)
			result = skip_property(r, p);
		else if ((result = read_value(r, p->type, &value)) == SPATE_OK)
			t->values[row * t->stride] = (float)(value * t->scale);
		if (result != SPATE_OK)
			return result;
	}
	const float *p = r->b->positions.data + 3 * row;
	if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]))
		return SPATE_OK;
	return fail_at(r, from, "vertex %zu has a non-finite position", row);
}

static spate_result read_vertices(ply_reader *r, const ply_element *e)
{
	if (e->count >= UINT32_MAX)
		return error_set(r->b->error, SPATE_RANGE, "%s has too many vertices", r->b->path);
	if (e->count == 0 && r->b->may_be_empty)
		return SPATE_OK;
	if (r->targets.count > 0 || e->count == 0)
		return mesh_fail_line(r->b, r->cursor.line, "there are no vertices, or two elements of that name");
	spate_result result = place_properties(r, e);
	for (size_t row = 0; row < e->count && result == SPATE_OK; row++)
		result = read_vertex(r, e, row);
	return result;
}

static spate_result read_corners(ply_reader *r, const ply_property *p)
{
	mesh_builder *b = r->b;
	size_t length = 0;
	spate_result result = read_length(r, p, &length);
	if (result == SPATE_OK && !array_reserve(&b->corners, length))
		return error_memory(b->error, length * sizeof(uint32_t));
	for (size_t i = 0; i < length && result == SPATE_OK; i++)
	{
		const char *from = r->cursor.at;
		double index = 0.0;
		if ((result = read_value(r, p->type, &index)) != SPATE_OK)
			break;
		if (!(index >= 0.0 && index < (double)r->vertices) || index != floor(index))
			return fail_at(r, from, "a face refers to vertex %g, but indices range from 0 to %lld", index,
				       (long long)r->vertices - 1);
		b->corners.data[b->corners.count++] = (uint32_t)index;
	}
	return result;
}

static spate_result read_corner_uvs(ply_reader *r, const ply_property *p)
{
	mesh_builder *b = r->b;
	size_t length = 0;
	spate_result result = read_length(r, p, &length);
	if (result == SPATE_OK && !array_reserve(&b->corner_uvs, length))
		return error_memory(b->error, length * sizeof(float));
	for (size_t i = 0; i < length && result == SPATE_OK; i++)
	{
		double value = 0.0;
		if ((result = read_value(r, p->type, &value)) == SPATE_OK)
			b->corner_uvs.data[b->corner_uvs.count++] = (float)value;
	}
	return result;
}

// Sets the uvs of the corners, from the face's own list or from its vertices.
static spate_result complete_uvs(ply_reader *r)
{
	mesh_builder *b = r->b;
	if (b->corner_uvs.count == 2 * b->corners.count)
		return SPATE_OK;
	b->corner_uvs.count = 0;
	if (r->vertex_uvs.count == 0)
		return SPATE_OK;
	if (!array_reserve(&b->corner_uvs, 2 * b->corners.count))
		return error_memory(b->error, 8 * b->corners.count);
	for (size_t i = 0; i < b->corners.count; i++)
		memcpy(b->corner_uvs.data + 2 * i, r->vertex_uvs.data + 2 * (size_t)b->corners.data[i],
		       2 * sizeof(float));
	b->corner_uvs.count = 2 * b->corners.count;
	return SPATE_OK;
}

static spate_result read_side(ply_reader *r, const ply_property *p)
{
	double value = 0.0;
	const char *from = r->cursor.at;
	spate_result result = read_value(r, p->type, &value);
	if (result == SPATE_OK && !(value >= 0.0 && value <= UINT8_MAX && value == floor(value)))
		return fail_at(r, from, "%s is %g, which is not a valid fluid number", p->name, value);
	r->b->polygon_sides[p == r->sides[1]] = (uint8_t)value;
	return result;
}

// Finds the known properties of faces.
static void find_face_properties(ply_reader *r, const ply_element *e)
{
	static const char *const corner_names[] = {"vertex_indices", "vertex_index", NULL};
	static const char *const uv_names[] = {"texcoord", NULL}, *const side_names[] = {"side_a", "side_b", NULL};
	const ply_property *list = e->properties ? &r->header.properties.data[e->first] : NULL;
	for (size_t i = 0; i < e->properties; i++)
	{
		int side = is_one_of(list[i].name, side_names);
		if (list[i].count_type == PLY_NONE && side >= 0)
			r->sides[side] = &list[i];
		if (list[i].count_type == PLY_NONE)
			continue;
		if (is_one_of(list[i].name, corner_names) >= 0)
			r->corners = &list[i];
		if (is_one_of(list[i].name, uv_names) >= 0)
			r->corner_uvs = &list[i];
	}
	r->b->with_uvs = r->corner_uvs || r->vertex_uvs.count > 0;
	r->b->with_sides = r->sides[0] && r->sides[1];
}

static spate_result read_faces(ply_reader *r, const ply_element *e)
{
	mesh_builder *b = r->b;
	const ply_property *list = e->properties ? &r->header.properties.data[e->first] : NULL;
	find_face_properties(r, e);
	if (!r->corners)
		return error_set(b->error, SPATE_FORMAT, "%s: its faces have no list vertex_indices", b->path);
	spate_result result = SPATE_OK;
	for (uint64_t row = 0; row < e->count && result == SPATE_OK; row++)
	{
		b->corners.count = b->corner_uvs.count = 0;
		for (size_t i = 0; i < e->properties && result == SPATE_OK; i++)
			if (&list[i] == r->corners)
				result = read_corners(r, &list[i]);
			else if (&list[i] == r->corner_uvs)
				result = read_corner_uvs(r, &list[i]);
			else if (b->with_sides && (&list[i] == r->sides[0] || &list[i] == r->sides[1]))
				result = read_side(r, &list[i]);
			else
				result = skip_property(r, &list[i]);
		if (result == SPATE_OK)
			result = complete_uvs(r);
		if (result == SPATE_OK)
			result = mesh_builder_polygon(b);
	}
	return result;
}

static spate_result skip_element(ply_reader *r, const ply_element *e)
{
	spate_result result = SPATE_OK;
	for (uint64_t row = 0; row < e->count && e->properties > 0 && result == SPATE_OK; row++)
		for (size_t i = 0; i < e->properties && result == SPATE_OK; i++)
			result = skip_property(r, &r->header.properties.data[e->first + i]);
	return result;
}

static spate_result read_elements(ply_reader *r)
{
	spate_result result = SPATE_OK;
	int with_vertices = 0;
	for (size_t i = 0; i < r->header.elements.count && result == SPATE_OK; i++)
	{
		const ply_element *e = &r->header.elements.data[i];
		if (strcmp(e->name, "vertex") == 0)
		{
			result = read_vertices(r, e);
			r->vertices = e->count;
			with_vertices = 1;
		}
		else if (strcmp(e->name, "face") == 0 && e->count > 0)
		{
			if (!with_vertices)
				return error_set(r->b->error, SPATE_FORMAT, "%s: its faces come before its vertices",
						 r->b->path);
			result = read_faces(r, e);
		}
		else
			result = skip_element(r, e);
	}
	return result;
}

static spate_result parse_mesh(mesh_builder *b)
{
	ply_reader r = {.b = b};
	spate_result result = ply_read_header(&r.header, b);
	r.cursor = (text_cursor){b->data + r.header.bytes, b->data + b->bytes, r.header.lines + 1, 0};
	if (result == SPATE_OK)
		result = read_elements(&r);
	ply_header_free(&r.header);
	array_free(&r.targets);
	array_free(&r.vertex_uvs);
	return result;
}

static spate_result parse_points(spate_mesh **points, const char *path, const char *data, size_t bytes,
				 spate_error *error)
{
	mesh_builder b = {.path = path, .data = data, .bytes = bytes, .error = error};
	spate_result result = parse_mesh(&b);
	if (result == SPATE_OK)
		result = spate_mesh_create(points, (uint32_t)(b.positions.count / 3), 0, error);
	if (result == SPATE_OK && b.positions.count > 0)
		memcpy((*points)->positions, b.positions.data, b.positions.count * sizeof(float));
	for (size_t i = 0; i < b.channels.count && result == SPATE_OK; i++)
	{
		const spate_mesh_channel *from = &b.channels.data[i];
		float *values;
		result = particles_add_channel(*points, from->name, from->components, &values, error);
		if (result == SPATE_OK && values && b.positions.count > 0)
			memcpy(values, from->values, b.positions.count / 3 * from->components * sizeof(float));
	}
	mesh_builder_free(&b);
	return result;
}

// ---------------------------------------------------------------------------------------------------------------- writing

// Writes the names of a channel's components: the common names, NAME, or NAME_x and so on. Blanks are replaced, since
// they end a name.
static void write_properties(const char *channel, uint32_t components, const char *type, stream *s)
{
	static const char *const colors[] = {"red", "green", "blue", "alpha"};
	static const char *const normals[] = {"nx", "ny", "nz"};
	char name[PLY_NAME_CHARS];
	snprintf(name, sizeof name, "%s", channel);
	for (char *at = name; *at; at++)
		if (!isgraph((unsigned char)*at))
			*at = '_';
	for (uint32_t k = 0; k < components; k++)
		if (strcmp(name, "color") == 0 && components >= 3)
			stream_text(s, "property %s %s\n", type, colors[k]);
		else if (strcmp(name, "normal") == 0 && components == 3)
			stream_text(s, "property %s %s\n", type, normals[k]);
		else if (components == 1)
			stream_text(s, "property %s %s\n", type, name);
		else
			stream_text(s, "property %s %s_%c\n", type, name, "xyzw"[k]);
}

static void write_start(stream *s, uint32_t vertices)
{
	stream_text(s, "ply\nformat binary_little_endian 1.0\ncomment by spate%s%s\nelement vertex %u\n",
		    *s->note ? " " : "", s->note, vertices);
	stream_text(s, "property float x\nproperty float y\nproperty float z\n");
}

static spate_result write_mesh(const spate_mesh *mesh, stream *s)
{
	write_start(s, mesh->vertex_count);
	for (uint32_t i = 0; i < mesh->channel_count; i++)
		write_properties(mesh->channels[i].name, mesh->channels[i].components, "float", s);
	stream_text(s, "element face %u\nproperty list uchar uint vertex_indices\n", mesh->triangle_count);
	if (mesh->uvs)
		stream_text(s, "property list uchar float texcoord\n");
	if (mesh->sides)
		stream_text(s, "property uchar side_a\nproperty uchar side_b\n");
	stream_text(s, "end_header\n");

	for (size_t v = 0; v < mesh->vertex_count; v++)
	{
		for (size_t k = 0; k < 3; k++)
			stream_float(s, mesh->positions[3 * v + k]);
		for (uint32_t i = 0; i < mesh->channel_count; i++)
		{
			const spate_mesh_channel *c = &mesh->channels[i];
			for (uint32_t k = 0; k < c->components; k++)
				stream_float(s, c->values[v * c->components + k]);
		}
	}
	for (size_t t = 0; t < mesh->triangle_count; t++)
	{
		stream_u8(s, 3);
		for (size_t k = 0; k < 3; k++)
			stream_u32(s, mesh->triangles[3 * t + k]);
		if (mesh->uvs)
			stream_u8(s, 6);
		for (size_t k = 0; k < 6 && mesh->uvs; k++)
			stream_float(s, mesh->uvs[6 * t + k]);
		for (size_t k = 0; k < 2 && mesh->sides; k++)
			stream_u8(s, mesh->sides[2 * t + k]);
	}
	return SPATE_OK;
}

static void write_facts(const file_extras *extras, stream *s)
{
	if (extras->frame >= 0)
	{
		stream_text(s, "comment frame %lld\ncomment time ", (long long)extras->frame);
		stream_double(s, extras->time);
		stream_text(s, "\n");
	}
	if (extras->fps > 0.0)
	{
		stream_text(s, "comment fps ");
		stream_double(s, extras->fps);
		stream_text(s, "\n");
	}
}

static spate_result write_particles(const particle_table *table, const file_extras *extras, stream *s)
{
	static const char *const taken[] = {"x", "y", "z", NULL};
	size_t columns = table->columns.count;
	spate_result result = particle_check_names(table, "ply", NULL, taken, s->error);
	if (result == SPATE_OK)
		result = particle_check_int32(table, "ply", s->error);
	if (result != SPATE_OK)
		return result;
	row_part *parts = mem_alloc((columns + 1) * sizeof *parts);
	if (!parts)
		return error_memory(s->error, (columns + 1) * sizeof *parts);
	write_start(s, table->count);
	parts[0] = (row_part){table->positions, 3, 3, 0};
	for (size_t i = 0; i < columns; i++)
	{
		const particle_column *c = &table->columns.data[i];
		int whole = c->type == SPATE_INT32 || c->type == SPATE_INT64;
		parts[i + 1] = row_part_of(c);
		write_properties(c->name, parts[i + 1].words, whole ? "int" : "float", s);
	}
	write_facts(extras, s);
	// some readers expect faces
	stream_text(s, "element face 0\nproperty list uchar uint vertex_indices\nend_header\n");
	rows_write(s, parts, columns + 1, table->count, 0, extras->threads);
	mem_free(parts);
	return SPATE_OK;
}

static format_match match(const char *data, size_t bytes, size_t file_bytes)
{
	(void)file_bytes;
	return bytes >= 4 && memcmp(data, "ply", 3) == 0 && (data[3] == '\n' || data[3] == '\r') ? FORMAT_SURE
												 : FORMAT_NO;
}

const file_format file_format_ply = {
    .about = {.name = "ply",
	      .suffix = ".ply",
	      .title = "PLY",
	      .text = "Polygon file format, binary; text is read as well",
	      .reads = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_TRIANGLES | SPATE_FORMAT_CHANNELS | SPATE_FORMAT_UVS |
		       SPATE_FORMAT_SIDES,
	      .writes = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_TRIANGLES | SPATE_FORMAT_CHANNELS | SPATE_FORMAT_UVS |
			SPATE_FORMAT_SIDES},
    .rank = 1,
    .match = match,
    .parse_mesh = parse_mesh,
    .parse_points = parse_points,
    .write = write_mesh,
    .write_particles = write_particles,
};
