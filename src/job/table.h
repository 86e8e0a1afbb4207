// Reads columns of numbers from the files that a run appends to: probes.csv and stats.jsonl.
#ifndef JOB_TABLE_H
#define JOB_TABLE_H

#include "base/array.h"
#include "spate/result.h"

typedef struct table_column
{
	char name[96];
	ARRAY(double) values; // one per row of the table; NaN where missing
} table_column;

typedef struct number_table
{
	ARRAY(table_column) columns;
	size_t rows;
} number_table;

// The first line names the columns. Both readers skip an incomplete last line (a run may be writing it).
spate_result table_read_csv(number_table *t, const char *path, spate_error *error);
// One object per line: numbers become columns, {"ms":{"sort":1}} is "ms.sort", a list of three "momentum" is
// "momentum.x", "momentum.y" and "momentum.z"; other values are skipped.
spate_result table_read_jsonl(number_table *t, const char *path, spate_error *error);
void table_free(number_table *t);

// NULL if there is no column of that name.
const table_column *table_find(const number_table *t, const char *name);

#endif
