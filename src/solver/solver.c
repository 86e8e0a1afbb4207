#include "solver/solver.h"

#include <string.h>

typedef struct solver_row
{
	const char *name, *title;
	const solver_type *type;
} solver_row;

static const solver_row table[] = {
#define SOLVER(name, doc) {#name, doc, &solver_##name},
#include "solver/solvers.def"
#undef SOLVER
};

const solver_type *solver_table(int type)
{
	return type >= 0 && type < SOLVER_COUNT ? table[type].type : NULL;
}

const char *solver_name(int type)
{
	return table[type].name;
}

int solver_find(const char *name)
{
	for (int type = 0; type < SOLVER_COUNT; type++)
		if (strcmp(table[type].name, name) == 0)
			return type;
	return -1;
}

const char *spate_solver_name(int type)
{
	return solver_table(type) ? table[type].name : NULL;
}

const char *spate_solver_title(int type)
{
	return solver_table(type) ? table[type].title : NULL;
}

double spate_solver_promise(int type, spate_quality quality)
{
	const solver_type *solver = solver_table(type);
	return solver && (unsigned)quality < SPATE_QUALITY_COUNT ? solver->promise[quality] : 0.0;
}
