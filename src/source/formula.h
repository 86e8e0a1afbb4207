// Formulas of users for what particles begin with: velocities and values of channels.
#ifndef SOURCE_FORMULA_H
#define SOURCE_FORMULA_H

#include "bridge/expression.h"

enum
{
	SOURCE_VARIABLES = 4
};

// x, y, z: where a particle begins (m, in the coordinates of the scene); t: when (s).
extern const char *const source_variables[SOURCE_VARIABLES];

typedef struct source_formulas
{
	expression *parts[3];
	uint32_t count; // 0 for none, 1 for a number, 3 for a vector
} source_formulas;

// Compiles `count` texts; none if the first is NULL. `what` is what they give, for messages. Free them even after a failure.
spate_result formulas_make(source_formulas *f, const char *const texts[3], uint32_t count, const char *what,
			   spate_error *error);
void formulas_free(source_formulas *f);

// The values, 3 doubles for each of `count` places, relative to an origin and `stride` floats apart. SPATE_INVALID if one is not finite.
spate_result formulas_evaluate(const source_formulas *f, const float *places, size_t stride, size_t count,
			       const double origin[3], double time, const char *what, double *out, spate_error *error);

#endif
