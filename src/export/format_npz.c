// Arrays of NumPy: a zip archive of .npy files, stored without compression, so that numpy.load() reads them.
//
// A .npy file is "\x93NUMPY", version 1.0, the length of a text (16 bits), the text of a Python dictionary that is padded with blanks
// such that the values begin at a multiple of 64 bytes, and the values, little endian.
#include "base/error.h"
#include "export/particle_table.h"
#include "export/stream.h"
#include "mesh/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum
{
	NPY_TEXT = 192,         // bytes of the beginning of a .npy file
	NPY_LEAD = 10,          // of what is before the dictionary
	MOST_SCALARS = 4,       // frame, time, fps, up
	ZIP_LOCAL = 0x04034b50, // signatures of the parts of a zip archive
	ZIP_ENTRY = 0x02014b50,
	ZIP_END = 0x06054b50,
	ZIP_VERSION = 20,
	ZIP_LOCAL_BYTES = 30,
	ZIP_DATE = 0x21 // 1 January 1980, so that equal particles give equal files
};

typedef struct npz_array
{
	char name[80]; // with .npy
	char start[NPY_TEXT];
	const void *data;
	uint64_t bytes; // of the values
	uint32_t crc;
	uint64_t offset; // of its part of the archive
} npz_array;

static void describe(npz_array *a, const char *name, const char *type, const char *shape, const void *data,
		     uint64_t bytes)
{
	char text[NPY_TEXT];
	*a = (npz_array){.data = data, .bytes = bytes};
	snprintf(a->name, sizeof a->name, "%s.npy", name);
	size_t room = NPY_TEXT - NPY_LEAD;
	int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
	memcpy(a->start, "\x93NUMPY\x01\x00", 8);
	a->start[8] = (char)room;
	a->start[9] = (char)(room >> 8);
	memset(a->start + NPY_LEAD, ' ', room - 1);
	memcpy(a->start + NPY_LEAD, text, (size_t)length);
	a->start[NPY_TEXT - 1] = '\n';
	uint64_t sum = crc32_z(crc32_z(0, NULL, 0), (const Bytef *)a->start, NPY_TEXT);
	a->crc = (uint32_t)crc32_z(sum, data, data ? bytes : 0);
}

static void describe_column(npz_array *a, const char *name, spate_type type, const void *data, uint64_t rows)
{
	uint32_t components = spate_type_components(type);
	char shape[48];
	if (components == 1)
		snprintf(shape, sizeof shape, "(%" PRIu64 ",)", rows);
	else
		snprintf(shape, sizeof shape, "(%" PRIu64 ", %u)", rows, components);
	describe(a, name,
		 type == SPATE_INT32   ? "<i4"
		 : type == SPATE_INT64 ? "<i8"
				       : "<f4",
		 shape, data, rows * spate_type_size(type));
}

static void put_u16(stream *s, uint32_t value)
{
	stream_u8(s, value);
	stream_u8(s, value >> 8);
}

// What the head of an array has in common with its entry in the directory.
static void write_common(stream *s, const npz_array *a)
{
	uint32_t bytes = (uint32_t)(NPY_TEXT + a->bytes);
	put_u16(s, ZIP_VERSION);
	put_u16(s, 0); // flags
	put_u16(s, 0); // stored
	put_u16(s, 0); // time
	put_u16(s, ZIP_DATE);
	stream_u32(s, a->crc);
	stream_u32(s, bytes);
	stream_u32(s, bytes);
	put_u16(s, (uint32_t)strlen(a->name));
	put_u16(s, 0); // more about it
}

static void write_array(stream *s, const npz_array *a)
{
	stream_u32(s, ZIP_LOCAL);
	write_common(s, a);
	stream_bytes(s, a->name, strlen(a->name));
	stream_bytes(s, a->start, NPY_TEXT);
	if (a->bytes > 0)
		stream_bytes(s, a->data, a->bytes);
}

static void write_directory(stream *s, const npz_array *arrays, uint32_t count, uint64_t offset)
{
	uint32_t bytes = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		const npz_array *a = &arrays[i];
		stream_u32(s, ZIP_ENTRY);
		put_u16(s, ZIP_VERSION);
		write_common(s, a);
		put_u16(s, 0);    // comment
		put_u16(s, 0);    // disk
		put_u16(s, 0);    // internal attributes
		stream_u32(s, 0); // external attributes
		stream_u32(s, (uint32_t)a->offset);
		stream_bytes(s, a->name, strlen(a->name));
		bytes += 46 + (uint32_t)strlen(a->name);
	}
	stream_u32(s, ZIP_END);
	put_u16(s, 0);
	put_u16(s, 0);
	put_u16(s, count);
	put_u16(s, count);
	stream_u32(s, bytes);
	stream_u32(s, (uint32_t)offset);
	put_u16(s, 0);
}

static spate_result write_particles(const particle_table *table, const file_extras *extras, stream *s)
{
	static const char *const taken[] = {"position", "frame", "time", "fps", "up", NULL};
	spate_result result = particle_check_names(table, "npz", NULL, taken, s->error);
	if (result != SPATE_OK)
		return result;
	size_t most = table->columns.count + 1 + MOST_SCALARS;
	npz_array *arrays = mem_alloc(most * sizeof *arrays);
	if (!arrays)
		return error_memory(s->error, most * sizeof *arrays);
	const uint32_t up = extras->z_up ? 'z' : 'y';
	uint32_t count = 0;
	uint64_t offset = 0;
	describe_column(&arrays[count++], "position", SPATE_VEC3, table->positions, table->count);
	for (size_t n = 0; n < table->columns.count; n++)
	{
		const particle_column *c = &table->columns.data[n];
		describe_column(&arrays[count++], c->name, c->type, c->data, table->count);
	}
	if (extras->frame >= 0)
	{
		describe(&arrays[count++], "frame", "<i8", "()", &extras->frame, sizeof extras->frame);
		describe(&arrays[count++], "time", "<f8", "()", &extras->time, sizeof extras->time);
	}
	if (extras->fps > 0.0)
		describe(&arrays[count++], "fps", "<f8", "()", &extras->fps, sizeof extras->fps);
	describe(&arrays[count++], "up", "<U1", "()", &up, sizeof up);
	for (uint32_t i = 0; i < count; i++)
	{
		arrays[i].offset = offset;
		offset += ZIP_LOCAL_BYTES + strlen(arrays[i].name) + NPY_TEXT + arrays[i].bytes;
	}
	if (offset >= UINT32_MAX - ((uint64_t)count << 8))
		result =
		    error_set(s->error, SPATE_RANGE,
			      "npz files end at 4 GB, but %u particles with these channels take %.1f GB; write fewer "
			      "`channels`, or another `format`",
			      table->count, (double)offset / 1e9);
	for (uint32_t i = 0; i < count && result == SPATE_OK; i++)
		write_array(s, &arrays[i]);
	if (result == SPATE_OK)
		write_directory(s, arrays, count, offset);
	mem_free(arrays);
	return result;
}

const file_format file_format_npz = {
    .about = {.name = "npz",
	      .suffix = ".npz",
	      .title = "NPZ",
	      .text = "Arrays of NumPy by channel, with frame, time and axes",
	      .writes = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_CHANNELS},
    .rank = 10,
    .write_particles = write_particles,
};
