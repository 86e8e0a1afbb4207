#include "base/error.h"
#include "export/ply.h"

#include <stdio.h>
#include <string.h>

size_t ply_type_size(ply_type type)
{
	static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
	return sizes[type];
}

double ply_type_full(ply_type type)
{
	static const double full[] = {1, 127, 255, 32767, 65535, 2147483647, 4294967295, 1, 1};
	return full[type];
}

void ply_header_free(ply_header *h)
{
	array_free(&h->elements);
	array_free(&h->properties);
}

static ply_type type_at(const text_cursor *c)
{
	static const char *const names[][2] = {{"", ""},           {"char", "int8"},     {"uchar", "uint8"},
					       {"short", "int16"}, {"ushort", "uint16"}, {"int", "int32"},
					       {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
	for (int t = PLY_INT8; t <= PLY_DOUBLE; t++)
		if (text_word_is(c, names[t][0]) || text_word_is(c, names[t][1]))
			return (ply_type)t;
	return PLY_NONE;
}

// Moves the cursor to the next word of the line.
static void next_word(text_cursor *c)
{
	c->at += text_word_length(c);
	text_skip_blanks(c);
}

static void take_name(text_cursor *c, char name[PLY_NAME_CHARS])
{
	size_t length = text_word_length(c);
	snprintf(name, PLY_NAME_CHARS, "%.*s", (int)(length < PLY_NAME_CHARS ? length : PLY_NAME_CHARS), c->at);
}

static spate_result read_format(ply_header *h, mesh_builder *b, text_cursor *c)
{
	static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
	for (int f = PLY_ASCII; f <= PLY_BIG; f++)
		if (text_word_is(c, names[f]))
		{
			h->coding = (ply_coding)f;
			return SPATE_OK;
		}
	return mesh_fail_line(b, c->line, "unknown format '%s'", text_show_word(c).text);
}

static spate_result read_element(ply_header *h, mesh_builder *b, text_cursor *c)
{
	ply_element e = {.first = h->properties.count};
	int64_t count;
	take_name(c, e.name);
	next_word(c);
	if (!text_whole(c, &count) || count < 0)
		return mesh_fail_line(b, c->line, "element %s has no count", e.name);
	e.count = (uint64_t)count;
	return array_push(&h->elements, e) ? SPATE_OK : error_memory(b->error, sizeof e);
}

static spate_result read_property(ply_header *h, mesh_builder *b, text_cursor *c)
{
	ply_property p = {.count_type = PLY_NONE};
	if (h->elements.count == 0)
		return mesh_fail_line(b, c->line, "a property precedes the first element");
	int list = text_word_is(c, "list");
	if (list)
	{
		next_word(c);
		p.count_type = type_at(c);
		if (p.count_type == PLY_NONE || p.count_type >= PLY_FLOAT)
			return mesh_fail_line(b, c->line, "'%s' is not a valid type for a list length",
					      text_show_word(c).text);
		next_word(c);
	}
	if ((p.type = type_at(c)) == PLY_NONE)
		return mesh_fail_line(b, c->line, "'%s' is not a valid property type", text_show_word(c).text);
	next_word(c);
	take_name(c, p.name);
	h->elements.data[h->elements.count - 1].properties++;
	return array_push(&h->properties, p) ? SPATE_OK : error_memory(b->error, sizeof p);
}

// Minimum bytes per row, so that a count can be checked against the file size before allocating.
static uint64_t least_row(const ply_header *h, const ply_element *e)
{
	uint64_t bytes = 0;
	for (size_t i = e->first; i < e->first + e->properties; i++)
	{
		const ply_property *p = &h->properties.data[i];
		bytes += h->coding == PLY_ASCII ? 2 : ply_type_size(p->count_type ? p->count_type : p->type);
	}
	return bytes;
}

static spate_result check_counts(const ply_header *h, mesh_builder *b)
{
	// the last number of a text file needs no line ending
	uint64_t left = b->bytes - h->bytes + (h->coding == PLY_ASCII);
	for (size_t i = 0; i < h->elements.count; i++)
	{
		const ply_element *e = &h->elements.data[i];
		uint64_t row = least_row(h, e);
		if (row > 0 && e->count > left / row)
			return mesh_fail_byte(b, b->bytes,
					      "the file is truncated: the header promises %llu of element %s",
					      (unsigned long long)e->count, e->name);
		left -= row * e->count;
	}
	return SPATE_OK;
}

// All lines end like the first one, since the first byte of the data may look like part of a line ending.
static const char *end_of_line(const mesh_builder *b, const char *at)
{
	char end = b->data[3] == '\r' && b->data[4] != '\n' ? '\r' : '\n';
	return memchr(at, end, (size_t)(b->data + b->bytes - at));
}

spate_result ply_read_header(ply_header *h, mesh_builder *b)
{
	int with_format = 0;
	uint32_t line = 1;
	spate_result result = SPATE_OK;
	for (const char *at = b->data, *end; (end = end_of_line(b, at)); at = end + 1, line++)
	{
		text_cursor c = {at, end, line, 0};
		text_skip_blanks(&c);
		if (text_word_is(&c, "end_header"))
		{
			h->bytes = (size_t)(end + 1 - b->data);
			h->lines = line;
			if (!with_format)
				return mesh_fail_line(b, line, "the header has no format line");
			return check_counts(h, b);
		}
		int element = text_word_is(&c, "element"), property = text_word_is(&c, "property");
		int format = text_word_is(&c, "format");
		int known = c.at == end || (line == 1 && text_word_is(&c, "ply")) || text_word_is(&c, "comment") ||
			    text_word_is(&c, "obj_info");
		if (!element && !property && !format && !known)
			return mesh_fail_line(b, line, "'%s' is not a PLY header keyword", text_show_word(&c).text);
		next_word(&c);
		with_format |= format;
		if (element)
			result = read_element(h, b, &c);
		else if (property)
			result = read_property(h, b, &c);
		else if (format)
			result = read_format(h, b, &c);
		if (result != SPATE_OK)
			return result;
	}
	return mesh_fail_line(b, line, "the header has no end");
}
