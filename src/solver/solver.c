#include "solver/solver.h"

const solver_type *solver_table(spate_solver_type type)
{
	static const solver_type *const table[SPATE_SOLVER_COUNT] = {
	    [SPATE_SOLVER_PBF] = &solver_pbf,
	};
	return (unsigned)type < SPATE_SOLVER_COUNT ? table[type] : NULL;
}
