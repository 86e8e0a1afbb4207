// Houdini's classic binary geometry, version 5, as partio also writes it. Everything is big endian:
//
//	"BgeoV"  version 5  points  primitives  point groups  primitive groups
//	point attributes  vertex attributes  primitive attributes  detail attributes             ints
//	for every point attribute: its name (16-bit length, letters), its size (16 bits), its type (32 bits), then as many words of
//	defaults as its size; of an index of strings, the number of strings and the strings
//	for every point: x y z w, then the words of its attributes
//
//	after the primitives, of which we write none: detail attributes like those of points, and their words; 0x00 0xff
//
// When reading, anything after the points is ignored.
#include "base/array.h"
#include "base/error.h"
#include "export/particle_table.h"
#include "export/particles_read.h"
#include "export/rows.h"
#include "export/stream.h"
#include "mesh/format.h"

#include <string.h>

enum
{
	TYPE_FLOAT = 0,
	TYPE_INT = 1,
	TYPE_INDEX = 4,
	TYPE_VECTOR = 5,
	BGEO_VERSION = 5,
	NAME_CHARS = 64
};

typedef struct bgeo_attribute
{
	char name[NAME_CHARS];
	uint32_t size, type;
	float *values; // NULL to skip it
} bgeo_attribute;

typedef struct bgeo_reader
{
	const char *path;
	const unsigned char *begin, *at, *end;
	ARRAY(bgeo_attribute) attributes;
	spate_error *error;
} bgeo_reader;

static spate_result cut_off(const bgeo_reader *r)
{
	return error_set(r->error, SPATE_FORMAT, "%s: byte %zu: the file is truncated", r->path,
			 (size_t)(r->end - r->begin));
}

static int has(const bgeo_reader *r, size_t bytes)
{
	return (size_t)(r->end - r->at) >= bytes;
}

// The caller must have checked that enough bytes are left.
static uint32_t take_u32(bgeo_reader *r)
{
	const unsigned char *b = r->at;
	r->at += 4;
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t take_u16(bgeo_reader *r)
{
	const unsigned char *b = r->at;
	r->at += 2;
	return (uint32_t)b[0] << 8 | b[1];
}

static float take_float(bgeo_reader *r)
{
	uint32_t word = take_u32(r);
	float value;
	memcpy(&value, &word, sizeof value);
	return value;
}

// Reads a name, truncated to fit; returns 0 at the end of the file.
static int take_text(bgeo_reader *r, char *out, size_t room)
{
	if (!has(r, 2))
		return 0;
	size_t length = take_u16(r);
	if (!has(r, length))
		return 0;
	if (out)
	{
		size_t kept = length < room - 1 ? length : room - 1;
		memcpy(out, r->at, kept);
		out[kept] = 0;
	}
	r->at += length;
	return 1;
}

static spate_result read_attribute(bgeo_reader *r)
{
	bgeo_attribute a = {.values = NULL};
	if (!take_text(r, a.name, sizeof a.name) || !has(r, 6))
		return cut_off(r);
	a.size = take_u16(r);
	a.type = take_u32(r);
	if (a.type == TYPE_INDEX)
	{
		uint32_t strings = has(r, 4) ? take_u32(r) : UINT32_MAX;
		for (uint32_t i = 0; i < strings; i++)
			if (!take_text(r, NULL, 0))
				return cut_off(r);
	}
	else if (a.type != TYPE_FLOAT && a.type != TYPE_INT && a.type != TYPE_VECTOR)
		return error_set(r->error, SPATE_FORMAT, "%s: byte %zu: attribute %s is of type %u, which is not known",
				 r->path, (size_t)(r->at - r->begin), a.name, a.type);
	else if (!has(r, 4 * (size_t)a.size))
		return cut_off(r);
	else
		r->at += 4 * (size_t)a.size;
	return array_push(&r->attributes, a) ? SPATE_OK : error_memory(r->error, sizeof a);
}

static spate_result read_points(bgeo_reader *r, spate_mesh *points)
{
	for (uint32_t p = 0; p < points->vertex_count; p++)
	{
		for (int k = 0; k < 3; k++)
			points->positions[3 * (size_t)p + (size_t)k] = take_float(r);
		r->at += 4;
		for (size_t i = 0; i < r->attributes.count; i++)
		{
			const bgeo_attribute *a = &r->attributes.data[i];
			if (!a->values)
				r->at += 4 * (size_t)a->size;
			for (uint32_t k = 0; a->values && k < a->size; k++)
				a->values[(size_t)p * a->size + k] =
				    a->type == TYPE_INT ? (float)(int32_t)take_u32(r) : take_float(r);
		}
	}
	return SPATE_OK;
}

enum
{
	POINTS = 1,
	POINT_ATTRIBUTES = 5,
	COUNTS = 9
};

// Reads everything before the points; *words is the number of words per point.
static spate_result read_header(bgeo_reader *r, uint32_t counts[COUNTS], size_t *words)
{
	r->at += 5;
	if (!has(r, COUNTS * sizeof *counts))
		return cut_off(r);
	for (int i = 0; i < COUNTS; i++)
		counts[i] = take_u32(r);
	if (counts[0] != BGEO_VERSION)
		return error_set(r->error, SPATE_FORMAT, "%s has format version %u; only version %d is supported",
				 r->path, counts[0], BGEO_VERSION);
	spate_result result = SPATE_OK;
	*words = 4;
	for (uint32_t i = 0; i < counts[POINT_ATTRIBUTES] && result == SPATE_OK; i++)
	{
		result = read_attribute(r);
		*words += result == SPATE_OK ? r->attributes.data[i].size : 0;
	}
	return result;
}

// From the beginning of a file: its size in bytes up to the last point; 0 if that is not known yet.
static size_t points_bytes(const char *data, size_t bytes)
{
	const unsigned char *begin = (const unsigned char *)data;
	bgeo_reader r = {.path = "", .begin = begin, .at = begin, .end = begin + bytes};
	uint32_t counts[COUNTS];
	size_t words = 0, all = 0;
	if (bytes >= 5 && memcmp(data, "BgeoV", 5) == 0 && read_header(&r, counts, &words) == SPATE_OK)
		all = (size_t)(r.at - r.begin) + 4 * words * counts[POINTS];
	array_free(&r.attributes);
	return all;
}

static spate_result read_all(bgeo_reader *r, spate_mesh **points)
{
	uint32_t counts[COUNTS];
	size_t words = 0;
	spate_result result = read_header(r, counts, &words);
	if (result == SPATE_OK && (size_t)(r->end - r->at) / (4 * words) < counts[POINTS])
		result = cut_off(r);
	if (result == SPATE_OK)
		result = spate_mesh_create(points, counts[POINTS], 0, r->error);
	for (size_t i = 0; i < r->attributes.count && result == SPATE_OK; i++)
	{
		bgeo_attribute *a = &r->attributes.data[i];
		if (a->type != TYPE_INDEX)
			result = particles_add_channel(*points, a->name, a->size, &a->values, r->error);
	}
	return result == SPATE_OK ? read_points(r, *points) : result;
}

// What files of Houdini 12 and later start with.
#define MODERN_MAGIC "\x7fNSJ"

static spate_result parse_points(spate_mesh **points, const char *path, const char *data, size_t bytes,
				 spate_error *error)
{
	if (memcmp(data, MODERN_MAGIC, 4) == 0)
		return error_set(error, SPATE_FORMAT,
				 "%s is a .bgeo of Houdini 12 or later; save it as classic geometry (.bgeo of version "
				 "5, .hclassic) or as .ply",
				 path);
	const unsigned char *begin = (const unsigned char *)data;
	bgeo_reader r = {.path = path, .begin = begin, .at = begin, .end = begin + bytes, .error = error};
	*points = NULL;
	spate_result result = read_all(&r, points);
	array_free(&r.attributes);
	if (result != SPATE_OK)
	{
		spate_mesh_destroy(*points);
		*points = NULL;
	}
	return result;
}

// ---------------------------------------------------------------------------------------------------------------- writing

static void write_u16(stream *s, uint32_t value)
{
	stream_u8(s, value >> 8);
	stream_u8(s, value);
}

// With zeros as defaults.
static void write_attribute(stream *s, const char *name, uint32_t size, uint32_t type)
{
	write_u16(s, (uint32_t)strlen(name));
	stream_bytes(s, name, strlen(name));
	write_u16(s, size);
	stream_u32_big(s, type);
	for (uint32_t i = 0; i < size; i++)
		stream_u32_big(s, 0);
}

static uint32_t type_of(const particle_column *c)
{
	if (c->type == SPATE_INT32 || c->type == SPATE_INT64)
		return TYPE_INT;
	return c->type == SPATE_VEC3 && strcmp(c->name, "color") != 0 ? TYPE_VECTOR : TYPE_FLOAT;
}

static void write_details(stream *s, const file_extras *extras)
{
	if (extras->frame >= 0)
	{
		write_attribute(s, "frame", 1, TYPE_INT);
		write_attribute(s, "time", 1, TYPE_FLOAT);
	}
	if (extras->fps > 0.0)
		write_attribute(s, "fps", 1, TYPE_FLOAT);
	if (extras->frame >= 0)
	{
		stream_u32_big(s, (uint32_t)extras->frame);
		stream_float_big(s, (float)extras->time);
	}
	if (extras->fps > 0.0)
		stream_float_big(s, (float)extras->fps);
}

static spate_result write_points(const particle_table *table, const file_extras *extras, stream *s)
{
	static const char *const taken[] = {"P", NULL};
	static const float one = 1.0f;
	size_t columns = table->columns.count;
	spate_result result = particle_check_names(table, "bgeo", particle_houdini_name, taken, s->error);
	if (result == SPATE_OK)
		result = particle_check_int32(table, "bgeo", s->error);
	if (result != SPATE_OK)
		return result;
	row_part *parts = mem_alloc((columns + 2) * sizeof *parts);
	if (!parts)
		return error_memory(s->error, (columns + 2) * sizeof *parts);
	uint32_t details = (extras->frame >= 0 ? 2u : 0u) + (extras->fps > 0.0 ? 1u : 0u);
	const uint32_t counts[COUNTS] = {BGEO_VERSION, table->count, 0, 0, 0, (uint32_t)columns, 0, 0, details};
	stream_text(s, "BgeoV");
	for (int i = 0; i < COUNTS; i++)
		stream_u32_big(s, counts[i]);
	parts[0] = (row_part){table->positions, 3, 3, 0};
	parts[1] = (row_part){&one, 1, 0, 0};
	for (size_t i = 0; i < columns; i++)
	{
		const particle_column *c = &table->columns.data[i];
		parts[i + 2] = row_part_of(c);
		write_attribute(s, particle_houdini_name(c->name), parts[i + 2].words, type_of(c));
	}
	rows_write(s, parts, columns + 2, table->count, 1, extras->threads);
	write_details(s, extras);
	stream_u8(s, 0x00);
	stream_u8(s, 0xff);
	mem_free(parts);
	return SPATE_OK;
}

static format_match match(const char *data, size_t bytes, size_t file_bytes)
{
	(void)file_bytes;
	int classic = bytes >= 5 && memcmp(data, "BgeoV", 5) == 0;
	return classic || (bytes >= 4 && memcmp(data, MODERN_MAGIC, 4) == 0) ? FORMAT_SURE : FORMAT_NO;
}

const file_format file_format_bgeo = {
    .about = {.name = "bgeo",
	      .suffix = ".bgeo",
	      .title = "BGEO",
	      .text = "Classic geometry of Houdini; gzipped files are read as well",
	      .reads = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_CHANNELS,
	      .writes = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_CHANNELS},
    .rank = 8,
    .match = match,
    .parse_points = parse_points,
    .points_bytes = points_bytes,
    .write_particles = write_points,
};
