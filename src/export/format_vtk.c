// VTK legacy files, text or binary (big endian). Read are the points of an unstructured grid or of polydata, with their
// attributes; cells and their attributes are skipped. Written are polydata, binary.
#include "base/error.h"
#include "export/particle_table.h"
#include "export/particles_read.h"
#include "export/rows.h"
#include "export/stream.h"
#include "mesh/format.h"
#include "mesh/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum
{
	NAME_CHARS = 64
};

typedef struct vtk_reader
{
	const char *path;
	text_cursor c;
	int binary, modern;  // modern: version 5, where cells are given as offsets and connectivity
	int at_points;       // attributes belong to points, otherwise to cells
	uint64_t tuples;     // number of tuples per attribute
	spate_mesh **points; // *points is NULL until POINTS is read
	spate_error *error;
} vtk_reader;

typedef struct vtk_type
{
	const char *name;
	char kind; // f floating, i signed, u unsigned
	uint32_t bytes;
} vtk_type;

static const vtk_type types[] = {{"float", 'f', 4},         {"double", 'f', 8},       {"char", 'i', 1},
				 {"unsigned_char", 'u', 1}, {"short", 'i', 2},        {"unsigned_short", 'u', 2},
				 {"int", 'i', 4},           {"unsigned_int", 'u', 4}, {"long", 'i', 8},
				 {"unsigned_long", 'u', 8}, {"vtktypeint64", 'i', 8}, {"vtktypeuint64", 'u', 8},
				 {"vtkidtype", 'i', 4}};

static const vtk_type plain_int = {"int", 'i', 4}, plain_byte = {"unsigned_char", 'u', 1};

#define fail(r, ...) error_set((r)->error, SPATE_FORMAT, __VA_ARGS__)

static spate_result cut_off(const vtk_reader *r)
{
	return fail(r, "%s: the file is truncated or its counts are wrong", r->path);
}

// ----------------------------------------------------------------------------------------------------------- words and values

// Reads the next word of the line; returns 0 if there is none.
static int take_word(vtk_reader *r, char out[NAME_CHARS])
{
	text_skip_blanks(&r->c);
	size_t length = text_word_length(&r->c);
	if (length == 0)
		return 0;
	size_t kept = length < NAME_CHARS - 1 ? length : NAME_CHARS - 1;
	memcpy(out, r->c.at, kept);
	out[kept] = 0;
	r->c.at += length;
	return 1;
}

static int take_count(vtk_reader *r, uint64_t *out)
{
	int64_t value;
	text_skip_blanks(&r->c);
	if (!text_whole(&r->c, &value) || value < 0)
		return 0;
	*out = (uint64_t)value;
	return 1;
}

static const vtk_type *take_type(vtk_reader *r)
{
	text_skip_blanks(&r->c);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (text_word_is(&r->c, types[i].name))
		{
			r->c.at += text_word_length(&r->c);
			return &types[i];
		}
	return NULL;
}

static float value_of(const unsigned char *at, const vtk_type *type)
{
	uint64_t bits = 0;
	for (uint32_t i = 0; i < type->bytes; i++)
		bits = bits << 8 | at[i];
	if (type->kind == 'f' && type->bytes == 4)
	{
		uint32_t word = (uint32_t)bits;
		float value;
		memcpy(&value, &word, sizeof value);
		return value;
	}
	if (type->kind == 'f')
	{
		double value;
		memcpy(&value, &bits, sizeof value);
		return (float)value;
	}
	// sign extension: shift left, then back
	uint32_t spare = (64 - 8 * type->bytes) & 63;
	return type->kind == 'i' ? (float)((int64_t)(bits << spare) >> spare) : (float)bits;
}

// Reads `count` values from the next line on; `out` may be NULL to skip them.
static spate_result take_values(vtk_reader *r, const vtk_type *type, uint64_t count, float *out)
{
	text_next_line(&r->c);
	size_t left = (size_t)(r->c.end - r->c.at);
	if (r->binary)
	{
		if (left / type->bytes < count)
			return cut_off(r);
		const unsigned char *at = (const unsigned char *)r->c.at;
		for (uint64_t i = 0; out && i < count; i++)
			out[i] = value_of(at + i * type->bytes, type);
		r->c.at += count * type->bytes;
		return SPATE_OK;
	}
	for (uint64_t i = 0; i < count; i++)
	{
		double value;
		if (!text_skip_space(&r->c))
			return cut_off(r);
		if (!text_number(&r->c, &value))
			return fail(r, "%s:%u: '%s' is not a number", r->path, r->c.line, text_show_word(&r->c).text);
		if (out)
			out[i] = (float)value;
	}
	return SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------------------- sections

static spate_result bad_line(const vtk_reader *r, const char *word)
{
	return fail(r, "%s:%u: the line after %s is invalid", r->path, r->c.line, word);
}

static spate_result read_points(vtk_reader *r)
{
	uint64_t count;
	const vtk_type *type;
	if (!take_count(r, &count) || !(type = take_type(r)))
		return bad_line(r, "POINTS");
	if (*r->points)
		return fail(r, "%s:%u: POINTS appears twice", r->path, r->c.line);
	// a point takes at least three bytes
	if (count > (uint64_t)(r->c.end - r->c.at) / 3 || count > UINT32_MAX)
		return cut_off(r);
	spate_result result = spate_mesh_create(r->points, (uint32_t)count, 0, r->error);
	return result == SPATE_OK ? take_values(r, type, 3 * count, (*r->points)->positions) : result;
}

// Skips CELLS, VERTICES and the like.
static spate_result skip_cells(vtk_reader *r, const char *word)
{
	uint64_t count, size;
	char part[NAME_CHARS];
	if (!take_count(r, &count) || !take_count(r, &size))
		return bad_line(r, word);
	if (!r->modern)
		return take_values(r, &plain_int, size, NULL);
	spate_result result = SPATE_OK;
	for (int k = 0; k < 2 && result == SPATE_OK; k++)
	{
		const vtk_type *type = NULL;
		if (text_skip_space(&r->c) && take_word(r, part))
			type = take_type(r);
		result = type ? take_values(r, type, k ? size : count, NULL) : bad_line(r, word);
	}
	return result;
}

// Reads the values of an attribute, and keeps them if there is one tuple per point.
static spate_result read_attribute(vtk_reader *r, const char *name, const vtk_type *type, uint64_t components,
				   uint64_t tuples)
{
	float *values = NULL;
	spate_result result = SPATE_OK;
	if (components > 1000 || tuples > UINT32_MAX)
		return bad_line(r, name);
	if (*r->points && r->at_points && tuples == (*r->points)->vertex_count)
		result = particles_add_channel(*r->points, name, (uint32_t)components, &values, r->error);
	return result == SPATE_OK ? take_values(r, type, components * tuples, values) : result;
}

static spate_result read_scalars(vtk_reader *r)
{
	char name[NAME_CHARS], word[NAME_CHARS];
	uint64_t components = 1;
	const vtk_type *type = NULL;
	if (!take_word(r, name) || !(type = take_type(r)))
		return bad_line(r, "SCALARS");
	if (!text_line_done(&r->c) && !take_count(r, &components))
		return bad_line(r, "SCALARS");
	// the line LOOKUP_TABLE is optional
	text_cursor here = r->c;
	text_next_line(&here);
	if (text_word_is(&here, "LOOKUP_TABLE"))
	{
		text_next_line(&r->c);
		take_word(r, word);
	}
	return read_attribute(r, name, type, components, r->tuples);
}

// Reads VECTORS, NORMALS and TENSORS.
static spate_result read_tuples(vtk_reader *r, const char *word, uint64_t components)
{
	char name[NAME_CHARS];
	const vtk_type *type = NULL;
	if (!take_word(r, name) || !(type = take_type(r)))
		return bad_line(r, word);
	return read_attribute(r, name, type, components, r->tuples);
}

static spate_result read_field(vtk_reader *r)
{
	char name[NAME_CHARS];
	uint64_t arrays;
	if (!take_word(r, name) || !take_count(r, &arrays))
		return bad_line(r, "FIELD");
	spate_result result = SPATE_OK;
	for (uint64_t i = 0; i < arrays && result == SPATE_OK; i++)
	{
		uint64_t components, tuples;
		const vtk_type *type = NULL;
		if (i == 0)
			text_next_line(&r->c);
		if (!text_skip_space(&r->c) || !take_word(r, name) || !take_count(r, &components) ||
		    !take_count(r, &tuples) || !(type = take_type(r)))
			return bad_line(r, "FIELD");
		result = read_attribute(r, name, type, components, tuples);
	}
	return result;
}

static spate_result read_coloured(vtk_reader *r, const char *word)
{
	char name[NAME_CHARS];
	uint64_t count;
	if (!take_word(r, name) || !take_count(r, &count))
		return bad_line(r, word);
	if (strcmp(word, "LOOKUP_TABLE") == 0)
		return take_values(r, &plain_byte, 4 * count, NULL);
	return read_attribute(r, name, &plain_byte, count, r->tuples);
}

static spate_result read_texture(vtk_reader *r)
{
	char name[NAME_CHARS];
	uint64_t components;
	const vtk_type *type = NULL;
	if (!take_word(r, name) || !take_count(r, &components) || !(type = take_type(r)))
		return bad_line(r, "TEXTURE_COORDINATES");
	return read_attribute(r, name, type, components, r->tuples);
}

// Skips lines about the arrays, up to an empty one.
static void skip_metadata(vtk_reader *r)
{
	do
		text_next_line(&r->c);
	while (r->c.at < r->c.end && !text_line_done(&r->c));
}

static spate_result read_dataset(vtk_reader *r)
{
	char kind[NAME_CHARS];
	if (!take_word(r, kind))
		return bad_line(r, "DATASET");
	if (strcmp(kind, "UNSTRUCTURED_GRID") == 0 || strcmp(kind, "POLYDATA") == 0)
	{
		text_next_line(&r->c);
		return SPATE_OK;
	}
	return fail(r, "%s:%u: %s contains no particles; only UNSTRUCTURED_GRID and POLYDATA are supported", r->path,
		    r->c.line, kind);
}

static spate_result read_section(vtk_reader *r, const char *word)
{
	static const char *const cells[] = {"CELLS", "VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS"};
	uint64_t count;
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
		if (strcmp(word, cells[i]) == 0)
			return skip_cells(r, word);
	if (strcmp(word, "DATASET") == 0)
		return read_dataset(r);
	if (strcmp(word, "POINTS") == 0)
		return read_points(r);
	if (strcmp(word, "CELL_TYPES") == 0)
		return take_count(r, &count) ? take_values(r, &plain_int, count, NULL) : bad_line(r, word);
	if (strcmp(word, "POINT_DATA") == 0 || strcmp(word, "CELL_DATA") == 0)
	{
		r->at_points = *word == 'P';
		if (!take_count(r, &r->tuples))
			return bad_line(r, word);
		text_next_line(&r->c);
		return SPATE_OK;
	}
	if (strcmp(word, "SCALARS") == 0)
		return read_scalars(r);
	if (strcmp(word, "VECTORS") == 0 || strcmp(word, "NORMALS") == 0)
		return read_tuples(r, word, 3);
	if (strcmp(word, "TENSORS") == 0)
		return read_tuples(r, word, 9);
	if (strcmp(word, "FIELD") == 0)
		return read_field(r);
	if (strcmp(word, "COLOR_SCALARS") == 0 || strcmp(word, "LOOKUP_TABLE") == 0)
		return read_coloured(r, word);
	if (strcmp(word, "TEXTURE_COORDINATES") == 0)
		return read_texture(r);
	if (strcmp(word, "METADATA") != 0)
		return fail(r, "%s:%u: section %s is missing", r->path, r->c.line, word);
	skip_metadata(r);
	return SPATE_OK;
}

// Reads "# vtk DataFile Version 4.1", a title, and ASCII or BINARY.
static spate_result read_head(vtk_reader *r)
{
	char word[NAME_CHARS], version[NAME_CHARS] = "";
	while (take_word(r, word))
		memcpy(version, word, sizeof version);
	r->modern = atoi(version) >= 5;
	text_next_line(&r->c);
	text_next_line(&r->c);
	if (!take_word(r, word) || (strcmp(word, "ASCII") != 0 && strcmp(word, "BINARY") != 0))
		return fail(r, "%s:%u: neither ASCII nor BINARY", r->path, r->c.line);
	r->binary = *word == 'B';
	text_next_line(&r->c);
	return SPATE_OK;
}

static spate_result parse_points(spate_mesh **points, const char *path, const char *data, size_t bytes,
				 spate_error *error)
{
	char word[NAME_CHARS];
	*points = NULL;
	vtk_reader r = {.path = path, .c = {data, data + bytes, 1, 0}, .points = points, .error = error};
	spate_result result = read_head(&r);
	while (result == SPATE_OK && text_skip_space(&r.c) && take_word(&r, word))
		result = read_section(&r, word);
	if (result == SPATE_OK && !*points)
		result = error_set(error, SPATE_FORMAT, "%s has no POINTS", path);
	if (result != SPATE_OK)
	{
		spate_mesh_destroy(*points);
		*points = NULL;
	}
	return result;
}

// ---------------------------------------------------------------------------------------------------------------- writing

// Names of arrays in legacy files: special characters are written as %20 and the like, which VTK decodes.
static void write_legacy_name(const char *name, stream *s)
{
	for (const unsigned char *at = (const unsigned char *)name; *at; at++)
		stream_text(s, isgraph(*at) && *at != '%' && *at != '"' ? "%c" : "%%%02X", *at);
}

static spate_result write_mesh(const spate_mesh *mesh, stream *s)
{
	stream_text(s, "# vtk DataFile Version 3.0\nmesh by spate%s%s\nBINARY\nDATASET POLYDATA\nPOINTS %u float\n",
		    *s->note ? " " : "", s->note, mesh->vertex_count);
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
		stream_float_big(s, mesh->positions[i]);
	stream_text(s, "\nPOLYGONS %u %" PRIu64 "\n", mesh->triangle_count, 4 * (uint64_t)mesh->triangle_count);
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
	{
		if (i % 3 == 0)
			stream_u32_big(s, 3);
		stream_u32_big(s, mesh->triangles[i]);
	}
	stream_text(s, "\n");
	if (mesh->sides)
	{
		stream_text(s, "CELL_DATA %u\nFIELD FieldData 1\nsides 2 %u unsigned_char\n", mesh->triangle_count,
			    mesh->triangle_count);
		stream_bytes(s, mesh->sides, 2 * (size_t)mesh->triangle_count);
		stream_text(s, "\n");
	}
	if (mesh->channel_count == 0)
		return SPATE_OK;
	stream_text(s, "POINT_DATA %u\nFIELD FieldData %u\n", mesh->vertex_count, mesh->channel_count);
	for (uint32_t n = 0; n < mesh->channel_count; n++)
	{
		const spate_mesh_channel *c = &mesh->channels[n];
		write_legacy_name(c->name, s);
		stream_text(s, " %u %u float\n", c->components, mesh->vertex_count);
		for (size_t i = 0; i < (size_t)c->components * mesh->vertex_count; i++)
			stream_float_big(s, c->values[i]);
		stream_text(s, "\n");
	}
	return SPATE_OK;
}

static void write_column(stream *s, const particle_column *c, uint32_t count, int threads)
{
	const int64_t *wide = c->data;
	const row_part part = row_part_of(c);
	write_legacy_name(c->name, s);
	stream_text(s, " %u %u %s\n", part.words, count,
		    part.wide                ? "vtktypeint64"
		    : c->type == SPATE_INT32 ? "int"
					     : "float");
	if (!part.wide)
		rows_write(s, &part, 1, count, 1, threads);
	for (size_t i = 0; i < count && part.wide; i++)
	{
		stream_u32_big(s, (uint32_t)((uint64_t)wide[i] >> 32));
		stream_u32_big(s, (uint32_t)(uint64_t)wide[i]);
	}
	stream_text(s, "\n");
}

static spate_result write_particles(const particle_table *table, const file_extras *extras, stream *s)
{
	static const char *const taken[] = {NULL};
	const row_part places = {table->positions, 3, 3, 0};
	uint32_t count = table->count;
	spate_result result = particle_check_names(table, "vtk", NULL, taken, s->error);
	if (result != SPATE_OK)
		return result;
	stream_text(s,
		    "# vtk DataFile Version 3.0\nparticles by spate%s%s\nBINARY\nDATASET POLYDATA\nPOINTS %u float\n",
		    *s->note ? " " : "", s->note, count);
	rows_write(s, &places, 1, count, 1, extras->threads);
	if (table->columns.count > 0)
		stream_text(s, "\nPOINT_DATA %u\nFIELD FieldData %zu", count, table->columns.count);
	stream_text(s, "\n");
	for (size_t n = 0; n < table->columns.count; n++)
		write_column(s, &table->columns.data[n], count, extras->threads);
	return SPATE_OK;
}

static format_match match(const char *data, size_t bytes, size_t file_bytes)
{
	(void)file_bytes;
	return bytes >= 5 && memcmp(data, "# vtk", 5) == 0 ? FORMAT_SURE : FORMAT_NO;
}

const file_format file_format_vtk = {
    .about = {.name = "vtk",
	      .suffix = ".vtk",
	      .title = "VTK",
	      .text = "Legacy files of VTK and ParaView, binary; text is read as well, points alone",
	      .reads = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_CHANNELS,
	      .writes = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_TRIANGLES | SPATE_FORMAT_CHANNELS | SPATE_FORMAT_SIDES},
    .rank = 4,
    .match = match,
    .parse_points = parse_points,
    .write = write_mesh,
    .write_particles = write_particles,
};
