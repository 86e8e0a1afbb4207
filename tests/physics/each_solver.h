// Cases that every solver of the table goes through. A row has the solver's name in front, so that rows stand side by side.
#ifndef TESTS_PHYSICS_EACH_SOLVER_H
#define TESTS_PHYSICS_EACH_SOLVER_H

#include "measure.h"
#include "solver/solver.h"

#include <time.h>

// Makes a solver the one of scene_init(), and returns its name; NULL beyond the last.
static inline const char *choose_solver(int type)
{
	const char *name = spate_solver_name(type);
	if (name)
		setenv("SPATE_TEST_SOLVER", name, 1);
	return name;
}

// Calls a case with every solver, and fails when a row of one of them did.
static inline void with_each_solver(int (*one)(int type, const char *solver))
{
	int good = 1;
	for (int type = 0; choose_solver(type); type++)
	{
		clock_t start = clock();
		good &= one(type, spate_solver_name(type));
		printf("         %s took %.1f s of CPU time\n", spate_solver_name(type),
		       (double)(clock() - start) / CLOCKS_PER_SEC);
		fflush(stdout);
	}
	unsetenv("SPATE_TEST_SOLVER");
	assert_true(good);
}

// Solvers that spend fewer iterations on some particles than on others are judged with the same for all, which is more than any quality
// has; what they do by default is reported. Returns whether the solver is one of them.
static inline int even_iterations(int type, scene *s)
{
	const solver_type *solver = solver_table(type);
	if (solver_setting_find(solver, "iterations_min") == solver->settings.count)
		return 0;
	check_ok(solver_set(solver, &s->def.solver, "iterations_min", 1000, NULL));
	return 1;
}

enum
{
	ROW_CHARS = 128
};

// The name of a row of a solver.
static inline const char *row_of(char name[ROW_CHARS], const char *solver, const char *what)
{
	snprintf(name, ROW_CHARS, "%s: %s", solver, what);
	return name;
}

#endif
