#include "export/rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum
{
	BLOCK = 1024,      // rows that a thread gathers at a time
	GATHERED = 2 << 20 // bytes that are gathered before they are written
};

// Floats and integers alike.
typedef uint32_t __attribute__((may_alias)) any_word;

row_part row_part_of(const particle_column *column)
{
	uint32_t words = spate_type_components(column->type);
	return (row_part){column->data, words, words, column->type == SPATE_INT64};
}

typedef struct gathering
{
	const row_part *parts;
	size_t part_count, first, words; // words of a row
	uint32_t *out;
	int big;
} gathering;

static void gather_part(const gathering *g, const row_part *part, size_t begin, size_t end, size_t column)
{
	uint32_t *out = g->out + begin * g->words + column;
	const any_word *narrow = part->data;
	const int64_t *wide = part->data;
	for (size_t i = begin; i < end; i++, out += g->words)
		for (uint32_t k = 0; k < part->words; k++)
		{
			size_t at = (g->first + i) * part->stride + k;
			uint32_t word = part->wide ? (uint32_t)(uint64_t)wide[at] : narrow[at];
			out[k] = g->big ? __builtin_bswap32(word) : word;
		}
}

static void gather(void *context, size_t begin, size_t end, int thread)
{
	const gathering *g = context;
	size_t column = 0;
	(void)thread;
	for (size_t p = 0; p < g->part_count; p++)
	{
		gather_part(g, &g->parts[p], begin, end, column);
		column += g->parts[p].words;
	}
}

void rows_write(stream *s, const row_part *parts, size_t part_count, size_t rows, int big, int threads)
{
	gathering g = {.parts = parts, .part_count = part_count, .big = big};
	for (size_t p = 0; p < part_count; p++)
		g.words += parts[p].words;
	size_t row = 4 * g.words, most = GATHERED / row + 1;
	if (most > rows)
		most = rows;
	g.out = mem_alloc(most * row + 1);
	if (!g.out)
	{
		stream_fail(s, error_memory(s->error, most * row));
		return;
	}
	for (; g.first < rows && s->result == SPATE_OK; g.first += most)
	{
		size_t count = rows - g.first < most ? rows - g.first : most;
		parallel_for(threads, count, BLOCK, gather, &g);
		stream_bytes(s, g.out, count * row);
	}
	mem_free(g.out);
}
