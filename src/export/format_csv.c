// Comma-separated values: a line of names, then a line per particle.
#include "base/error.h"
#include "base/parallel.h"
#include "export/particle_table.h"
#include "export/stream.h"
#include "mesh/format.h"

#include <inttypes.h>
#include <stdio.h>

enum
{
	BLOCK = 256,       // rows that a thread prints at a time
	BLOCKS = 64,       // blocks that are printed before they are written
	WHOLE_NUMBER = 24, // characters
	POSITION_VALUES = 3
};

typedef struct printing
{
	const particle_table *table;
	size_t first;   // row of the first block
	size_t room;    // characters of a block
	char *text;     // of all blocks
	size_t *length; // of each
} printing;

static size_t print_value(char *out, const particle_column *c, size_t row, uint32_t component)
{
	const float *floats = c->data;
	if (c->type == SPATE_INT32)
		return (size_t)sprintf(out, "%" PRId32, ((const int32_t *)c->data)[row]);
	if (c->type == SPATE_INT64)
		return (size_t)sprintf(out, "%" PRId64, ((const int64_t *)c->data)[row]);
	return stream_print(out, floats[row * spate_type_components(c->type) + component]);
}

static size_t print_row(const particle_table *t, size_t row, char *out)
{
	size_t length = 0;
	for (size_t k = 0; k < POSITION_VALUES; k++)
	{
		length += stream_print(out + length, t->positions[3 * row + k]);
		out[length++] = ',';
	}
	for (size_t n = 0; n < t->columns.count; n++)
	{
		const particle_column *c = &t->columns.data[n];
		for (uint32_t k = 0; k < spate_type_components(c->type); k++)
		{
			length += print_value(out + length, c, row, k);
			out[length++] = ',';
		}
	}
	out[length - 1] = '\n';
	return length;
}

static void print_block(void *context, size_t begin, size_t end, int thread)
{
	printing *p = context;
	size_t block = begin / BLOCK, used = 0;
	char *out = p->text + block * p->room;
	(void)thread;
	for (size_t i = begin; i < end; i++)
		used += print_row(p->table, p->first + i, out + used);
	p->length[block] = used;
}

static void write_names(const particle_table *table, stream *s)
{
	stream_text(s, "x,y,z");
	for (size_t n = 0; n < table->columns.count; n++)
	{
		const particle_column *c = &table->columns.data[n];
		for (uint32_t k = 0; k < spate_type_components(c->type); k++)
			stream_text(s, ",%s", particle_component_name(c, k).text);
	}
	stream_text(s, "\n");
}

// Names of attributes in files of other programs may be anything.
static spate_result check_names(const particle_table *table, spate_error *error)
{
	static const char *const taken[] = {"x", "y", "z", NULL};
	for (size_t n = 0; n < table->columns.count; n++)
		for (const char *at = table->columns.data[n].name; *at; at++)
			if (*at == ',' || *at == '"' || *at == '\n' || *at == '\r')
				return particle_refuse("csv", table->columns.data[n].name,
						       "its name has a comma, a quote or a line break", error);
	return particle_check_names(table, "csv", NULL, taken, error);
}

static spate_result write_particles(const particle_table *table, const file_extras *extras, stream *s)
{
	size_t length[BLOCKS], values = POSITION_VALUES;
	spate_result result = check_names(table, s->error);
	if (result != SPATE_OK)
		return result;
	for (size_t n = 0; n < table->columns.count; n++)
		values += spate_type_components(table->columns.data[n].type);
	size_t widest = (size_t)STREAM_NUMBER > WHOLE_NUMBER ? STREAM_NUMBER : WHOLE_NUMBER;
	printing p = {.table = table, .room = BLOCK * values * (widest + 1), .length = length};
	p.text = mem_alloc(BLOCKS * p.room);
	if (!p.text)
		return error_memory(s->error, BLOCKS * p.room);
	write_names(table, s);
	for (; p.first < table->count && s->result == SPATE_OK; p.first += (size_t)BLOCKS * BLOCK)
	{
		size_t rows = table->count - p.first;
		if (rows > (size_t)BLOCKS * BLOCK)
			rows = (size_t)BLOCKS * BLOCK;
		parallel_for(extras->threads, rows, BLOCK, print_block, &p);
		for (size_t block = 0; block * BLOCK < rows; block++)
			stream_bytes(s, p.text + block * p.room, length[block]);
	}
	mem_free(p.text);
	return SPATE_OK;
}

const file_format file_format_csv = {
    .about = {.name = "csv",
	      .suffix = ".csv",
	      .title = "CSV",
	      .text = "Comma-separated values as text, a line per particle below a line of names",
	      .writes = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_CHANNELS},
    .rank = 11,
    .write_particles = write_particles,
};
