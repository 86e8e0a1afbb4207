#include "solver/solver.h"

#include <string.h>

typedef struct solver_row
{
	const char *name;
	const solver_type *type;
} solver_row;

static const solver_row table[] = {
#define SOLVER(name, doc) {#name, &solver_##name},
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

double spate_solver_promise(int type, spate_quality quality)
{
	const solver_type *solver = solver_table(type);
	return solver && (unsigned)quality < SPATE_QUALITY_COUNT ? solver->promise[quality] : 0.0;
}
