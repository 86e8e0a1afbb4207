// Rows of words of 32 bits, gathered from columns, in either byte order.
#ifndef EXPORT_ROWS_H
#define EXPORT_ROWS_H

#include "export/particle_table.h"
#include "export/stream.h"

// So many words per row. Whole numbers of 64 bits are cut to 32.
typedef struct row_part
{
	const void *data;
	uint32_t words, stride; // a stride of 0 repeats the same words in every row
	int wide;
} row_part;

// The part of a column.
row_part row_part_of(const particle_column *column);

// Writes the rows one after the other; `big` selects the byte order.
void rows_write(stream *s, const row_part *parts, size_t part_count, size_t rows, int big, int threads);

#endif
