#include "job/table.h"

#include "base/error.h"
#include "base/file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void table_free(number_table *t)
{
	for (size_t c = 0; c < t->columns.count; c++)
		array_free(&t->columns.data[c].values);
	array_free(&t->columns);
	t->rows = 0;
}

const table_column *table_find(const number_table *t, const char *name)
{
	for (size_t c = 0; c < t->columns.count; c++)
		if (strcmp(t->columns.data[c].name, name) == 0)
			return &t->columns.data[c];
	return NULL;
}

static table_column *add_column(number_table *t, const char *name, size_t length)
{
	table_column column = {.values = {0}};
	snprintf(column.name, sizeof column.name, "%.*s", (int)length, name);
	return array_push(&t->columns, column) ? &t->columns.data[t->columns.count - 1] : NULL;
}

// Stores a value at `row` of a column, after filling missing rows before it.
static int put(table_column *column, size_t row, double value)
{
	while (column->values.count < row)
		if (!array_push(&column->values, (double)NAN))
			return 0;
	return array_push(&column->values, value);
}

static int fill_up(number_table *t)
{
	for (size_t c = 0; c < t->columns.count; c++)
		if (t->columns.data[c].values.count < t->rows && !put(&t->columns.data[c], t->rows - 1, (double)NAN))
			return 0;
	return 1;
}

// Called for every complete line, without its newline.
typedef spate_result line_reader(number_table *t, char *line, size_t number, const char *path, spate_error *error);

static spate_result read_lines(number_table *t, const char *path, line_reader *read, spate_error *error)
{
	char *text = NULL;
	size_t bytes;
	spate_result result = file_read(path, &text, &bytes, error);
	if (result != SPATE_OK)
		return result;
	size_t number = 0;
	for (char *line = text, *end; result == SPATE_OK && (end = strchr(line, '\n')); line = end + 1)
	{
		*end = '\0';
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		number++;
		if (*line)
			result = read(t, line, number, path, error);
	}
	mem_free(text);
	if (result == SPATE_OK && !fill_up(t))
		result = error_memory(error, t->rows * sizeof(double));
	if (result != SPATE_OK)
		table_free(t);
	return result;
}

// ---------------------------------------------------------------------------------------------------------------- CSV

static spate_result read_csv_line(number_table *t, char *line, size_t number, const char *path, spate_error *error)
{
	int names = t->columns.count == 0;
	size_t column = 0;
	for (char *field = line, *end; field; field = *end ? end + 1 : NULL, column++)
	{
		end = field + strcspn(field, ",");
		size_t length = (size_t)(end - field);
		if (names)
		{
			if (!add_column(t, field, length))
				return error_memory(error, sizeof(table_column));
			continue;
		}
		char *stop;
		double value = length ? strtod(field, &stop) : (double)NAN;
		if (length && stop != end)
			return error_set(error, SPATE_FORMAT, "%s:%zu:%zu: '%.*s' is not a number", path, number,
					 (size_t)(field - line) + 1, (int)(length < 40 ? length : 40), field);
		if (column < t->columns.count && !put(&t->columns.data[column], t->rows, value))
			return error_memory(error, t->rows * sizeof(double));
	}
	if (!names && column != t->columns.count)
		return error_set(error, SPATE_FORMAT, "%s:%zu: the line has %zu values, but there are %zu columns",
				 path, number, column, t->columns.count);
	t->rows += !names;
	return SPATE_OK;
}

spate_result table_read_csv(number_table *t, const char *path, spate_error *error)
{
	*t = (number_table){0};
	return read_lines(t, path, read_csv_line, error);
}

// --------------------------------------------------------------------------------------------------------- JSON lines

enum
{
	JSON_DEPTH = 8
};

typedef struct json_cursor
{
	number_table *table;
	const char *at;
	size_t next; // the expected next column, since lines look alike
	int out_of_memory;
} json_cursor;

static int read_json_value(json_cursor *c, const char *name, int depth);

static void skip_space(json_cursor *c)
{
	c->at += strspn(c->at, " \t");
}

static int take(json_cursor *c, char sign)
{
	skip_space(c);
	if (*c->at != sign)
		return 0;
	c->at++;
	return 1;
}

// Reads a string without unescaping it: our keys contain no escapes.
static int take_string(json_cursor *c, const char **text, size_t *length)
{
	if (!take(c, '"'))
		return 0;
	*text = c->at;
	for (; *c->at && *c->at != '"'; c->at++)
		if (*c->at == '\\' && c->at[1])
			c->at++;
	*length = (size_t)(c->at - *text);
	return take(c, '"');
}

static int store(json_cursor *c, const char *name, double value)
{
	number_table *t = c->table;
	table_column *column = NULL;
	if (c->next < t->columns.count && strcmp(t->columns.data[c->next].name, name) == 0)
		column = &t->columns.data[c->next];
	for (size_t k = 0; k < t->columns.count && !column; k++)
		if (strcmp(t->columns.data[k].name, name) == 0)
			column = &t->columns.data[k];
	if (!column)
		column = add_column(t, name, strlen(name));
	if (!column)
		return c->out_of_memory = 1, 0;
	c->next = (size_t)(column - t->columns.data) + 1;
	if (column->values.count > t->rows)
		return 1; // duplicate key: the first one counts
	c->out_of_memory = !put(column, t->rows, value);
	return !c->out_of_memory;
}

static int read_members(json_cursor *c, const char *name, int depth, char close)
{
	static const char *const axes[] = {"x", "y", "z"};
	size_t index = 0;
	if (take(c, close))
		return 1;
	do
	{
		char inner[96], number[24];
		const char *key = number;
		size_t length;
		if (close == ']')
			length = (size_t)snprintf(number, sizeof number, "%zu", index);
		else if (!take_string(c, &key, &length) || !take(c, ':'))
			return 0;
		if (close == ']' && index < 3)
		{
			key = axes[index];
			length = 1;
		}
		snprintf(inner, sizeof inner, "%s%s%.*s", name, *name ? "." : "", (int)(length < 64 ? length : 64),
			 key);
		if (!read_json_value(c, inner, depth + 1))
			return 0;
		index++;
	} while (take(c, ','));
	return take(c, close);
}

static int read_json_value(json_cursor *c, const char *name, int depth)
{
	const char *text;
	size_t length;
	skip_space(c);
	if (depth > JSON_DEPTH)
		return 0;
	if (*c->at == '"')
		return take_string(c, &text, &length);
	if (take(c, '{'))
		return read_members(c, name, depth, '}');
	if (take(c, '['))
		return read_members(c, name, depth, ']');
	if (isalpha((unsigned char)*c->at))
	{
		// true, false, null
		c->at += strspn(c->at, "abcdefghijklmnopqrstuvwxyz");
		return 1;
	}
	char *end;
	double value = strtod(c->at, &end);
	if (end == c->at)
		return 0;
	c->at = end;
	return store(c, name, value);
}

static spate_result read_json_line(number_table *t, char *line, size_t number, const char *path, spate_error *error)
{
	json_cursor c = {.table = t, .at = line};
	int read = take(&c, '{') && read_members(&c, "", 0, '}');
	skip_space(&c);
	if (c.out_of_memory)
		return error_memory(error, t->rows * sizeof(double));
	if (!read || *c.at)
		return error_set(error, SPATE_FORMAT, "%s:%zu:%zu: the line is not a JSON object", path, number,
				 (size_t)(c.at - line) + 1);
	t->rows++;
	return SPATE_OK;
}

spate_result table_read_jsonl(number_table *t, const char *path, spate_error *error)
{
	*t = (number_table){0};
	return read_lines(t, path, read_json_line, error);
}
