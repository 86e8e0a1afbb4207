// The list of everything that is wrong with a scene.
#ifndef SCENE_PROBLEM_H
#define SCENE_PROBLEM_H

#include "base/array.h"
#include "spate/scene.h"

enum
{
	PROBLEM_LIMIT = 100 // more than this many are only counted
};

typedef struct problem_list
{
	ARRAY(spate_problem) items;
	uint32_t errors; // not counting warnings
	uint32_t hidden; // beyond the limit
	int failed;      // out of memory
} problem_list;

// Where a problem is: a position in the file (0 for none), or the override that caused it.
typedef struct place
{
	uint32_t line, column;
	const char *origin; // "fluids.water.spacing=x"; NULL for the file
	const char *file;   // path of an included file; NULL for the scene file itself
} place;

// Always 0, so that failing reads `return problem_add(...)`.
int problem_add(problem_list *list, int warning, place at, const char *path, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// A list that starts with the problems found before, which are moved into it.
problem_list problem_resume(spate_problems *found);
// Sorts by place and moves everything into `out`.
void problem_finish(problem_list *list, spate_problems *out);

#endif
