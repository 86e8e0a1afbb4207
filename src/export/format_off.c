// Object File Format: OFF, optionally prefixed by C (colours), N (normals) or ST (texture coordinates).
#include "base/error.h"
#include "mesh/format.h"
#include "mesh/text.h"

#include <math.h>
#include <string.h>

typedef ARRAY(float) float_array;

typedef struct off_reader
{
	mesh_builder *b;
	text_cursor cursor;
	uint32_t coords, colors, normals; // whether the header announces them
	uint64_t vertices, faces;         // counts from the header
	float_array normal_values;        // 3 per vertex
	float_array color_values;         // 4 per vertex
	float_array uvs;                  // 2 per vertex
} off_reader;

// Reads the keyword, if any; a file may also start with its counts.
static spate_result read_header(off_reader *r)
{
	text_cursor *c = &r->cursor;
	if (!text_skip_space(c))
		return error_set(r->b->error, SPATE_FORMAT, "%s has no triangles", r->b->path);
	if (strspn(c->at, "0123456789") >= text_word_length(c))
		return SPATE_OK;
	text_excerpt word = text_show_word(c);
	const char *w = word.text;
	r->coords = strncmp(w, "ST", 2) == 0;
	w += 2 * r->coords;
	for (; *w == 'C' || *w == 'N'; w++)
		*(*w == 'C' ? &r->colors : &r->normals) = 1;
	if (strcmp(w, "OFF") != 0)
		return mesh_fail_line(
		    r->b, c->line, "the header '%s' is not supported; OFF, COFF, NOFF, CNOFF and STOFF are", word.text);
	c->at += text_word_length(c);
	if (text_skip_space(c) && text_word_is(c, "BINARY"))
		return mesh_fail_line(r->b, c->line, "binary OFF is not supported; save the file as text");
	return SPATE_OK;
}

// Reads the numbers of vertices and faces; that of edges is optional. A row has at least two bytes per number.
static spate_result read_counts(off_reader *r)
{
	text_cursor *c = &r->cursor;
	int64_t count[2];
	for (int k = 0; k < 2; k++)
		if (!text_skip_space(c) || !text_whole(c, &count[k]) || count[k] < 0)
			return mesh_fail_line(r->b, c->line, "the numbers of vertices and faces are missing");
	text_next_line(c);
	size_t left = (size_t)(c->end - c->at) + 1;
	r->vertices = (uint64_t)count[0];
	r->faces = (uint64_t)count[1];
	if (r->vertices > left / 6 || r->faces > (left - 6 * (size_t)r->vertices) / 2)
		return mesh_fail_line(r->b, c->line,
				      "the file is truncated: its header promises %lld vertices and %lld faces",
				      (long long)count[0], (long long)count[1]);
	return SPATE_OK;
}

static spate_result cut_off(const off_reader *r, const char *what, uint64_t n, uint64_t of)
{
	return mesh_fail_line(r->b, r->cursor.line, "the file is truncated at %s %llu of %llu", what,
			      (unsigned long long)n, (unsigned long long)of);
}

static int push_floats(float_array *array, const double *values, uint32_t count)
{
	if (!array_reserve(array, array->count + count))
		return 0;
	for (uint32_t k = 0; k < count; k++)
		array->data[array->count++] = (float)values[k];
	return 1;
}

static spate_result read_vertex(off_reader *r, uint64_t n)
{
	text_cursor *c = &r->cursor;
	double v[16];
	uint32_t count = 0, need = r->normals ? 6 : 3;
	while (count < 16)
	{
		if (count < need ? !text_skip_space(c) : text_line_done(c))
			break;
		if (!text_number(c, &v[count]))
			return mesh_fail_line(r->b, c->line, "'%s' is not a number", text_show_word(c).text);
		count++;
	}
	if (count < need)
		return cut_off(r, "vertex", n, r->vertices);
	if (!mesh_is_place(v))
		return mesh_fail_line(r->b, c->line, "vertex %llu has a non-finite position", (unsigned long long)n);
	// texture coordinates come last, with colours before them
	uint32_t uvs = r->coords && count >= need + 2 ? 2 : 0, colors = count - need - uvs;
	double color[4] = {0.0, 0.0, 0.0, 1.0}, uv[2] = {0.0, 0.0};
	memcpy(uv, v + count - uvs, uvs * sizeof *v);
	memcpy(color, v + need, (colors > 4 ? 4 : colors) * sizeof *v);
	spate_result result = mesh_builder_vertex(r->b, v);
	if (result == SPATE_OK &&
	    ((r->normals && !push_floats(&r->normal_values, v + 3, 3)) ||
	     (r->colors && !push_floats(&r->color_values, color, 4)) || (r->coords && !push_floats(&r->uvs, uv, 2))))
		result = error_memory(r->b->error, (size_t)n * 4 * sizeof(float));
	return result;
}

static spate_result read_face(off_reader *r, uint64_t n)
{
	mesh_builder *b = r->b;
	text_cursor *c = &r->cursor;
	int64_t corners, index;
	b->corners.count = b->corner_uvs.count = 0;
	if (!text_skip_space(c))
		return cut_off(r, "face", n, r->faces);
	if (!text_whole(c, &corners) || corners < 0)
		return mesh_fail_line(b, c->line, "a face does not begin with its number of corners");
	for (int64_t k = 0; k < corners; k++)
	{
		if (!text_skip_space(c))
			return cut_off(r, "face", n, r->faces);
		if (!text_whole(c, &index))
			return mesh_fail_line(b, c->line, "'%s' is not the number of a vertex", text_show_word(c).text);
		if (index < 0 || (uint64_t)index >= r->vertices)
			return mesh_fail_line(b, c->line,
					      "a face refers to vertex %lld, but indices range from 0 to %lld",
					      (long long)index, (long long)r->vertices - 1);
		if (!array_push(&b->corners, (uint32_t)index) ||
		    (r->coords && (!array_push(&b->corner_uvs, r->uvs.data[2 * index]) ||
				   !array_push(&b->corner_uvs, r->uvs.data[2 * index + 1]))))
			return error_memory(b->error, b->corners.count * sizeof(uint32_t));
	}
	// a face colour may follow
	text_next_line(c);
	return mesh_builder_polygon(b);
}

// Colours range to 1 or to 255; any value above 1 means 255.
static spate_result add_channels(off_reader *r)
{
	float *values, most = 0.0f;
	spate_result result = SPATE_OK;
	if (r->normals)
	{
		result = mesh_builder_channel(r->b, "normal", 3, &values);
		if (result == SPATE_OK)
			memcpy(values, r->normal_values.data, r->normal_values.count * sizeof(float));
	}
	if (!r->colors || result != SPATE_OK)
		return result;
	if ((result = mesh_builder_channel(r->b, "color", 3, &values)) != SPATE_OK)
		return result;
	size_t count = r->color_values.count / 4;
	for (size_t i = 0; i < 3 * count; i++)
	{
		values[i] = r->color_values.data[i / 3 * 4 + i % 3];
		most = fmaxf(most, values[i]);
	}
	for (size_t i = 0; i < 3 * count && most > 1.0f; i++)
		values[i] /= 255.0f;
	return SPATE_OK;
}

static spate_result parse_mesh(mesh_builder *b)
{
	off_reader r = {.b = b, .cursor = {b->data, b->data + b->bytes, 1, 1}};
	spate_result result = read_header(&r);
	if (result == SPATE_OK)
		result = read_counts(&r);
	for (uint64_t n = 1; n <= r.vertices && result == SPATE_OK; n++)
		result = read_vertex(&r, n);
	b->with_uvs = r.coords != 0;
	for (uint64_t n = 1; n <= r.faces && result == SPATE_OK; n++)
		result = read_face(&r, n);
	if (result == SPATE_OK)
		result = add_channels(&r);
	array_free(&r.normal_values);
	array_free(&r.color_values);
	array_free(&r.uvs);
	return result;
}

// Whether the first word is OFF with any of its prefixes.
static format_match match(const char *data, size_t bytes, size_t file_bytes)
{
	text_cursor c = {data, data + bytes, 1, 1};
	(void)file_bytes;
	if (!text_skip_space(&c))
		return FORMAT_NO;
	size_t length = text_word_length(&c);
	return length >= 3 && length <= 8 && memcmp(c.at + length - 3, "OFF", 3) == 0 &&
		       strspn(c.at, "STCN4nOF") >= length
		   ? FORMAT_LIKELY
		   : FORMAT_NO;
}

const file_format file_format_off = {
    .about = {.name = "off",
	      .suffix = ".off",
	      .title = "OFF",
	      .text = "Object File Format of Geomview, as text, with colours, normals or uvs",
	      .reads = SPATE_FORMAT_TRIANGLES | SPATE_FORMAT_CHANNELS | SPATE_FORMAT_UVS},
    .rank = 6,
    .match = match,
    .parse_mesh = parse_mesh,
};
