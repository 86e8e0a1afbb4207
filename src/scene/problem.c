#include "scene/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int problem_add(problem_list *list, int warning, place at, const char *path, const char *format, ...)
{
	list->errors += !warning;
	if (list->items.count >= PROBLEM_LIMIT)
	{
		list->hidden++;
		return 0;
	}
	spate_problem problem = {.warning = warning, .line = at.line, .column = at.column};
	snprintf(problem.path, sizeof problem.path, "%s", path);
	snprintf(problem.file, sizeof problem.file, "%s", at.file ? at.file : "");
	int used = 0;
	if (at.origin)
		used = snprintf(problem.text, sizeof problem.text, "--set %.100s: ", at.origin);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(problem.text + used, sizeof problem.text - (size_t)used, format, arguments);
	va_end(arguments);
	if (!array_push(&list->items, problem))
		list->failed = 1;
	return 0;
}

static int comes_after(const spate_problem *a, const spate_problem *b)
{
	int files = strcmp(a->file, b->file); // the scene file itself, whose name is empty, comes first
	return files ? files > 0 : a->line != b->line ? a->line > b->line : a->column > b->column;
}

// Insertion sort: a short list, and equal places keep the order in which they were found.
static void sort_by_place(spate_problem *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
	{
		spate_problem moving = items[i];
		size_t j = i;
		for (; j > 0 && comes_after(&items[j - 1], &moving); j--)
			items[j] = items[j - 1];
		items[j] = moving;
	}
}

problem_list problem_resume(spate_problems *found)
{
	problem_list list = {.items = {.data = found->items, .count = found->count, .capacity = found->count},
			     .errors = found->errors};
	*found = (spate_problems){0};
	return list;
}

void problem_finish(problem_list *list, spate_problems *out)
{
	sort_by_place(list->items.data, list->items.count);
	if (list->hidden > 0)
	{
		spate_problem more = {.warning = list->errors == 0};
		snprintf(more.text, sizeof more.text, "%u more problems are not listed", list->hidden);
		if (!array_push(&list->items, more))
			list->failed = 1;
	}
	*out = (spate_problems){.items = list->items.data, .count = (uint32_t)list->items.count};
	for (uint32_t i = 0; i < out->count; i++)
		out->errors += !out->items[i].warning;
	memset(&list->items, 0, sizeof list->items);
}
