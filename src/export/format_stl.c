// STL: a soup of triangles, as text or as 50 bytes each. Corners at the same place become one vertex, as do copies that
// differ only in their last digits.
#define _GNU_SOURCE
#include "base/error.h"
#include "export/stream.h"
#include "mesh/format.h"
#include "mesh/text.h"
#include "mesh/weld.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Of a binary file.
enum
{
	STL_HEADER = 80,  // arbitrary bytes, followed by the number of triangles in four bytes
	STL_TRIANGLE = 50 // bytes: normal, three corners, two unused bytes
};

typedef struct stl_reader
{
	mesh_builder *b;
	text_cursor cursor;
	weld points;
} stl_reader;

// The number of triangles announced by a file of at least 84 bytes.
static uint32_t count_of(const char *data)
{
	const unsigned char *d = (const unsigned char *)data + STL_HEADER;
	return d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

// Certainly binary: the file is exactly as long as its count says, whatever its first word.
static int is_binary(const char *data, size_t bytes, size_t file_bytes)
{
	return bytes >= STL_HEADER + 4 && file_bytes == STL_HEADER + 4 + (size_t)count_of(data) * STL_TRIANGLE;
}

// Whether the file starts with "solid" and continues as text.
static int is_text(const char *data, size_t bytes)
{
	text_cursor c = {data, data + bytes, 1, 0};
	if (!text_skip_space(&c) || !text_word_is(&c, "solid"))
		return 0;
	// binary headers may start with this word too, but are rarely followed by words
	size_t look = bytes < 1024 ? bytes : 1024;
	if (memchr(data, 0, look))
		return 0;
	while (text_skip_space(&c))
	{
		if (text_word_is(&c, "facet") || text_word_is(&c, "endsolid"))
			return 1;
		c.at += text_word_length(&c);
		if ((size_t)(c.at - data) > look)
			return 0;
	}
	return 1;
}

static spate_result add_corner(stl_reader *r, const float p[3])
{
	uint32_t index;
	if (!weld_add(&r->points, p, &index) || !array_push(&r->b->corners, index))
		return error_memory(r->b->error, r->points.points.count * sizeof(float));
	return SPATE_OK;
}

// Lets the builder use the welded points as its positions, and adds the polygon.
static spate_result add_polygon(stl_reader *r)
{
	mesh_builder *b = r->b;
	b->positions.data = r->points.points.data;
	b->positions.count = r->points.points.count;
	spate_result result = mesh_builder_polygon(b);
	b->corners.count = 0;
	return result;
}

// Names of solids may contain any words; they end with the line or at the first facet.
static void skip_name(text_cursor *c)
{
	while (!text_line_done(c))
	{
		if (text_word_is(c, "facet"))
		{
			text_cursor next = *c;
			next.at += text_word_length(&next);
			text_skip_blanks(&next);
			if (text_word_is(&next, "normal"))
				return;
		}
		c->at += text_word_length(c);
	}
}

static spate_result read_numbers(stl_reader *r, double v[3])
{
	text_cursor *c = &r->cursor;
	for (int k = 0; k < 3; k++)
	{
		if (!text_skip_space(c))
			return mesh_fail_line(r->b, c->line, "the file is truncated");
		if (!text_number(c, &v[k]))
			return mesh_fail_line(r->b, c->line, "'%s' is not a number", text_show_word(c).text);
	}
	return SPATE_OK;
}

static spate_result read_vertex(stl_reader *r)
{
	double v[3];
	uint32_t line = r->cursor.line;
	spate_result result = read_numbers(r, v);
	if (result != SPATE_OK)
		return result;
	if (!mesh_is_place(v))
		return mesh_fail_line(r->b, line, "a vertex has a non-finite position");
	return add_corner(r, (const float[3]){(float)v[0], (float)v[1], (float)v[2]});
}

typedef enum stl_word
{
	STL_SOLID,
	STL_FACET,
	STL_NORMAL,
	STL_OUTER,
	STL_LOOP,
	STL_VERTEX,
	STL_ENDLOOP,
	STL_ENDFACET,
	STL_ENDSOLID,
	STL_WORDS
} stl_word;

static stl_word take_word(text_cursor *c)
{
	static const char *const words[STL_WORDS] = {"solid",  "facet",   "normal",   "outer",   "loop",
						     "vertex", "endloop", "endfacet", "endsolid"};
	int word = 0;
	while (word < STL_WORDS && !text_word_is(c, words[word]))
		word++;
	if (word < STL_WORDS)
		c->at += text_word_length(c);
	return (stl_word)word;
}

static spate_result read_word(stl_reader *r, int *open)
{
	text_cursor *c = &r->cursor;
	double ignored[3];
	stl_word word = take_word(c);
	switch (word)
	{
	case STL_SOLID:
	case STL_ENDSOLID:
		skip_name(c);
		*open = word == STL_SOLID;
		return SPATE_OK;
	case STL_NORMAL:
		return read_numbers(r, ignored);
	case STL_VERTEX:
		return read_vertex(r);
	case STL_ENDLOOP:
		if (r->b->corners.count < 3)
			return mesh_fail_line(r->b, c->line, "a facet has %zu corners", r->b->corners.count);
		return add_polygon(r);
	case STL_WORDS:
		return mesh_fail_line(r->b, c->line, "'%s' is not an STL keyword", text_show_word(c).text);
	default:
		return SPATE_OK;
	}
}

static spate_result parse_text(stl_reader *r)
{
	text_cursor *c = &r->cursor;
	spate_result result = SPATE_OK;
	int open = 0;
	while (result == SPATE_OK && text_skip_space(c))
		result = read_word(r, &open);
	if (result == SPATE_OK && (open || r->b->corners.count > 0))
		result = mesh_fail_line(r->b, c->line, "the file is truncated: endsolid is missing");
	return result;
}

static float float_at(const char *at)
{
	const unsigned char *d = (const unsigned char *)at;
	uint32_t bits = d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static spate_result parse_binary(stl_reader *r)
{
	mesh_builder *b = r->b;
	if (b->bytes < STL_HEADER + 4)
		return mesh_fail_byte(b, b->bytes, "the file is truncated within its header of 84 bytes");
	uint32_t count = count_of(b->data);
	size_t there = (b->bytes - STL_HEADER - 4) / STL_TRIANGLE;
	if (count > there)
		return mesh_fail_byte(b, b->bytes,
				      "the file is truncated: its header promises %u triangles, it contains %zu",
				      (unsigned)count, there);
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; n < count && result == SPATE_OK; n++)
	{
		const char *at = b->data + STL_HEADER + 4 + (size_t)n * STL_TRIANGLE;
		for (int k = 1; k <= 3 && result == SPATE_OK; k++)
		{
			float p[3] = {float_at(at + 12 * k), float_at(at + 12 * k + 4), float_at(at + 12 * k + 8)};
			if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]))
				result = add_corner(r, p);
			else
				result = mesh_fail_byte(b, at + 12 * k - b->data,
							"a corner of triangle %u has a non-finite position", n + 1);
		}
		if (result == SPATE_OK)
			result = add_polygon(r);
	}
	return result;
}

static spate_result parse_mesh(mesh_builder *b)
{
	stl_reader r = {.b = b, .cursor = {b->data, b->data + b->bytes, 1, 0}};
	int text = !is_binary(b->data, b->bytes, b->bytes) && is_text(b->data, b->bytes);
	spate_result result = text ? parse_text(&r) : parse_binary(&r);
	// the builder takes over the points
	b->positions.data = r.points.points.data;
	b->positions.count = r.points.points.count;
	r.points.points.data = NULL;
	weld_free(&r.points);
	return result == SPATE_OK ? mesh_builder_weld(b) : result;
}

static format_match match(const char *data, size_t bytes, size_t file_bytes)
{
	int binary = is_binary(data, bytes, file_bytes) && count_of(data) > 0;
	return binary || is_text(data, bytes) ? FORMAT_SURE : FORMAT_NO;
}

static spate_result write_mesh(const spate_mesh *mesh, stream *s)
{
	// not "solid", which marks text files
	char header[STL_HEADER] = {0};
	snprintf(header, sizeof header, "binary STL by spate%s%s", *s->note ? " " : "", s->note);
	stream_bytes(s, header, sizeof header);
	stream_u32(s, mesh->triangle_count);
	for (size_t t = 0; t < mesh->triangle_count; t++)
	{
		const float *p[3];
		for (size_t k = 0; k < 3; k++)
			p[k] = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + k];
		double u[3], v[3];
		for (int k = 0; k < 3; k++)
		{
			u[k] = (double)p[1][k] - (double)p[0][k];
			v[k] = (double)p[2][k] - (double)p[0][k];
		}
		double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
		double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
		for (int k = 0; k < 3; k++)
			stream_float(s, length > 0.0 ? (float)(n[k] / length) : 0.0f);
		for (int i = 0; i < 9; i++)
			stream_float(s, p[i / 3][i % 3]);
		stream_bytes(s, "\0", 2);
	}
	return SPATE_OK;
}

const file_format file_format_stl = {
    .about = {.name = "stl",
	      .suffix = ".stl",
	      .title = "STL",
	      .text = "STL, triangles alone, binary; text is read as well",
	      .reads = SPATE_FORMAT_TRIANGLES,
	      .writes = SPATE_FORMAT_TRIANGLES},
    .rank = 3,
    .match = match,
    .parse_mesh = parse_mesh,
    .write = write_mesh,
};
