// Wavefront OBJ. The file is read in two passes, vertices first and then faces, so that their order does not matter.
// Groups, objects, materials, smoothing, curves and normals are skipped.
#include "base/error.h"
#include "export/stream.h"
#include "mesh/format.h"
#include "mesh/text.h"
#include "mesh/weld.h"

#include <math.h>
#include <string.h>

typedef struct obj_reader
{
	mesh_builder *b;
	text_cursor cursor;
	ARRAY(float) uvs;          // 2 per vt line
	ARRAY(float) colors;       // 3 per v line, from the first line with colours on
	uint32_t vertices, coords; // lines seen so far in this pass
} obj_reader;

// The keywords that matter.
typedef enum obj_word
{
	OBJ_OTHER,
	OBJ_V,
	OBJ_VT,
	OBJ_F
} obj_word;

static int ends_word(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\\' || c == '#' || c == 0;
}

static obj_word first_word(text_cursor *c)
{
	while (*c->at == ' ' || *c->at == '\t')
		c->at++;
	obj_word word = OBJ_OTHER;
	size_t length = 1;
	if (c->at[0] == 'v' && c->at[1] == 't')
	{
		word = OBJ_VT;
		length = 2;
	}
	else if (c->at[0] == 'v')
		word = OBJ_V;
	// "fo" occurs in old files
	else if (c->at[0] == 'f')
	{
		word = OBJ_F;
		length = c->at[1] == 'o' ? 2 : 1;
	}
	if (word == OBJ_OTHER || !ends_word(c->at[length]))
		return OBJ_OTHER;
	c->at += length;
	return word;
}

// Moves to the next line, past continuations; comments are never continued.
static void next_line(text_cursor *c)
{
	for (;;)
	{
		const char *start = c->at;
		text_next_line(c);
		const char *last = c->at - 1;
		if (c->at >= c->end || last <= start || *last != '\n' || memchr(start, '#', (size_t)(last - start)))
			return;
		for (last--; last > start && (*last == '\r' || *last == ' ' || *last == '\t'); last--)
			;
		if (*last != '\\')
			return;
	}
}

// Reads up to `most` numbers from the line.
static spate_result read_numbers(obj_reader *r, double *values, uint32_t most, uint32_t *count)
{
	text_cursor *c = &r->cursor;
	for (*count = 0; *count < most && !text_line_done(c); (*count)++)
		if (!text_number(c, &values[*count]))
			return mesh_fail_line(r->b, c->line, "'%s' is not a number", text_show_word(c).text);
	return SPATE_OK;
}

// x y z, then nothing, a weight, a colour, or both.
static spate_result read_vertex(obj_reader *r)
{
	mesh_builder *b = r->b;
	double v[7];
	uint32_t count, line = r->cursor.line;
	spate_result result = read_numbers(r, v, 7, &count);
	if (result != SPATE_OK)
		return result;
	if (count < 3)
		return mesh_fail_line(b, line, "a vertex needs x, y and z, but the line has %u numbers",
				      (unsigned)count);
	if (!mesh_is_place(v))
		return mesh_fail_line(b, line, "vertex %zu has a non-finite position", b->positions.count / 3 + 1);
	if ((result = mesh_builder_vertex(b, v)) != SPATE_OK || (count < 6 && r->colors.count == 0))
		return result;
	// vertices without a colour among others with colours are black
	size_t want = b->positions.count, had = r->colors.count;
	if (!array_reserve(&r->colors, want))
		return error_memory(b->error, want * sizeof(float));
	memset(r->colors.data + had, 0, (want - had) * sizeof(float));
	r->colors.count = want;
	if (count >= 6)
		for (size_t k = 0; k < 3; k++)
			r->colors.data[want - 3 + k] = (float)v[count - 3 + k];
	return SPATE_OK;
}

static spate_result read_uv(obj_reader *r)
{
	double v[3] = {0.0, 0.0, 0.0};
	uint32_t count, line = r->cursor.line;
	spate_result result = read_numbers(r, v, 3, &count);
	if (result != SPATE_OK)
		return result;
	if (count < 1 || !isfinite((float)v[0]) || !isfinite((float)v[1]))
		return mesh_fail_line(r->b, line, "a texture coordinate needs one to three finite numbers");
	if (!array_reserve(&r->uvs, r->uvs.count + 2))
		return error_memory(r->b->error, r->uvs.count * sizeof(float));
	r->uvs.data[r->uvs.count++] = (float)v[0];
	r->uvs.data[r->uvs.count++] = (float)v[1];
	return SPATE_OK;
}

// Resolves an index: from 1, or relative to the lines so far if negative. SIZE_MAX if out of range.
static size_t resolve(int64_t index, size_t count, uint32_t so_far)
{
	if (index > 0 && (uint64_t)index <= count)
		return (size_t)index - 1;
	if (index < 0 && -index <= (int64_t)so_far)
		return (size_t)((int64_t)so_far + index);
	return SIZE_MAX;
}

// One corner: v, v/vt, v//vn or v/vt/vn.
static spate_result read_corner(obj_reader *r)
{
	mesh_builder *b = r->b;
	text_cursor *c = &r->cursor;
	text_cursor start = *c;
	int64_t index[3] = {0, 0, 0};
	int good = text_whole(c, &index[0]);
	for (int k = 1; k < 3 && good && *c->at == '/'; k++)
	{
		c->at++;
		if (*c->at != '/' && !ends_word(*c->at))
			good = text_whole(c, &index[k]);
	}
	if (!good || !ends_word(*c->at))
		return mesh_fail_line(b, c->line,
				      "'%s' is not a corner of a face; corners are v, v/vt, v//vn or v/vt/vn",
				      text_show_word(&start).text);
	size_t vertex = resolve(index[0], b->positions.count / 3, r->vertices);
	if (vertex == SIZE_MAX)
		return mesh_fail_line(b, c->line, "a face refers to vertex %lld, but there are %zu",
				      (long long)index[0], index[0] < 0 ? r->vertices : b->positions.count / 3);
	if (!array_push(&b->corners, (uint32_t)vertex) || !array_reserve(&b->corner_uvs, 2 * b->corners.count))
		return error_memory(b->error, b->corners.count * sizeof(uint32_t));
	float *uv = b->corner_uvs.data + 2 * (b->corners.count - 1);
	uv[0] = uv[1] = 0.0f;
	if (index[1] == 0)
		return SPATE_OK;
	size_t coord = resolve(index[1], r->uvs.count / 2, r->coords);
	if (coord == SIZE_MAX)
		return mesh_fail_line(b, c->line, "a face refers to texture coordinate %lld, but there are %zu",
				      (long long)index[1], index[1] < 0 ? r->coords : r->uvs.count / 2);
	memcpy(uv, r->uvs.data + 2 * coord, 2 * sizeof *uv);
	b->corner_uvs.count = 1;
	return SPATE_OK;
}

static spate_result read_face(obj_reader *r)
{
	mesh_builder *b = r->b;
	b->corners.count = b->corner_uvs.count = 0;
	while (!text_line_done(&r->cursor))
	{
		spate_result result = read_corner(r);
		if (result != SPATE_OK)
			return result;
	}
	if (b->corner_uvs.count > 0)
		b->corner_uvs.count = 2 * b->corners.count;
	return mesh_builder_polygon(b);
}

// One pass over the file; the second reads the faces.
static spate_result go_over(obj_reader *r, int second)
{
	spate_result result = SPATE_OK;
	r->cursor = (text_cursor){r->b->data, r->b->data + r->b->bytes, 1, 1};
	r->vertices = r->coords = 0;
	while (r->cursor.at < r->cursor.end && result == SPATE_OK)
	{
		obj_word word = first_word(&r->cursor);
		r->vertices += word == OBJ_V;
		r->coords += word == OBJ_VT;
		if (word == OBJ_V && !second)
			result = read_vertex(r);
		else if (word == OBJ_VT && !second)
			result = read_uv(r);
		else if (word == OBJ_F && second)
			result = read_face(r);
		next_line(&r->cursor);
	}
	return result;
}

static spate_result parse_mesh(mesh_builder *b)
{
	obj_reader r = {.b = b};
	spate_result result = go_over(&r, 0);
	b->with_uvs = r.uvs.count > 0;
	if (result == SPATE_OK)
		result = go_over(&r, 1);
	if (result == SPATE_OK && r.colors.count > 0)
	{
		float *values;
		result = mesh_builder_channel(b, "color", 3, &values);
		if (result == SPATE_OK)
			memcpy(values, r.colors.data, r.colors.count * sizeof(float));
	}
	array_free(&r.uvs);
	array_free(&r.colors);
	return result;
}

// ---------------------------------------------------------------------------------------------------------------- writing

static void write_line(stream *s, const char *word, const float *values, size_t count)
{
	stream_text(s, "%s", word);
	for (size_t k = 0; k < count; k++)
		stream_number(s, values[k]);
	stream_text(s, "\n");
}

// Corners with the same uv share a line.
static spate_result write_uvs(const spate_mesh *mesh, stream *s, uint32_t *numbers)
{
	weld w = {.slots = NULL};
	int good = 1;
	for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count && good; i++)
		good = weld_add(&w, (const float[3]){mesh->uvs[2 * i], mesh->uvs[2 * i + 1], 0.0f}, &numbers[i]);
	for (size_t i = 0; i < w.points.count && good; i += 3)
		write_line(s, "vt", w.points.data + i, 2);
	spate_result result = good ? SPATE_OK : error_memory(s->error, w.points.count * sizeof(float));
	weld_free(&w);
	return result;
}

static spate_result write_mesh(const spate_mesh *mesh, stream *s)
{
	const spate_mesh_channel *color = spate_mesh_find_channel(mesh, "color");
	const spate_mesh_channel *normal = spate_mesh_find_channel(mesh, "normal");
	size_t corners = 3 * (size_t)mesh->triangle_count;
	if (color && color->components < 3)
		color = NULL;
	if (normal && normal->components != 3)
		normal = NULL;
	if (*s->note)
		stream_text(s, "# by spate %s\n", s->note);
	for (size_t i = 0; i < mesh->vertex_count; i++)
	{
		float v[6];
		memcpy(v, mesh->positions + 3 * i, 3 * sizeof *v);
		if (color)
			memcpy(v + 3, color->values + color->components * i, 3 * sizeof *v);
		write_line(s, "v", v, color ? 6 : 3);
	}
	for (size_t i = 0; i < mesh->vertex_count && normal; i++)
		write_line(s, "vn", normal->values + 3 * i, 3);
	uint32_t *uvs = NULL;
	if (mesh->uvs && corners > 0)
	{
		if (!(uvs = mem_alloc(corners * sizeof *uvs)))
			return error_memory(s->error, corners * sizeof *uvs);
		spate_result result = write_uvs(mesh, s, uvs);
		if (result != SPATE_OK)
		{
			mem_free(uvs);
			return result;
		}
	}
	for (size_t i = 0; i < corners; i++)
	{
		uint32_t v = mesh->triangles[i] + 1, t = uvs ? uvs[i] + 1 : 0;
		const uint8_t *side = mesh->sides ? mesh->sides + i / 3 * 2 : NULL;
		if (side && i % 3 == 0 && (i == 0 || memcmp(side, side - 2, 2) != 0))
			stream_text(s, "g %u_%u\n", side[0], side[1]);
		stream_text(s, i % 3 ? " %u" : "f %u", v);
		if (uvs)
			stream_text(s, "/%u", t);
		if (normal)
			stream_text(s, uvs ? "/%u" : "//%u", v);
		if (i % 3 == 2)
			stream_text(s, "\n");
	}
	mem_free(uvs);
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------------- the row

// Whether the first line that is not a comment starts with an OBJ keyword, followed by a number where one is required.
static format_match match(const char *data, size_t bytes, size_t file_bytes)
{
	text_cursor c = {data, data + bytes, 1, 1};
	static const char *const loners[] = {"mtllib", "usemtl", "g", "o", "s"};
	static const char *const counted[] = {"v", "vt", "vn", "f"};
	(void)file_bytes;
	text_skip_space(&c);
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (text_word_is(&c, counted[i]))
		{
			c.at += text_word_length(&c);
			text_skip_blanks(&c);
			return strchr("+-.0123456789", *c.at) != NULL && *c.at ? FORMAT_LIKELY : FORMAT_NO;
		}
	for (size_t i = 0; i < sizeof loners / sizeof *loners; i++)
		if (text_word_is(&c, loners[i]))
			return FORMAT_LIKELY;
	return FORMAT_NO;
}

const file_format file_format_obj = {
    .about = {.name = "obj",
	      .suffix = ".obj",
	      .title = "OBJ",
	      .text = "Wavefront OBJ, as text; of channels only colours and normals, sides as groups",
	      .reads = SPATE_FORMAT_TRIANGLES | SPATE_FORMAT_CHANNELS | SPATE_FORMAT_UVS,
	      .writes = SPATE_FORMAT_TRIANGLES | SPATE_FORMAT_CHANNELS | SPATE_FORMAT_UVS | SPATE_FORMAT_SIDES},
    .rank = 2,
    .match = match,
    .parse_mesh = parse_mesh,
    .write = write_mesh,
};
