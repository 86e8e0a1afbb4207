#include "source/formula.h"

#include "base/error.h"

#include <math.h>

const char *const source_variables[SOURCE_VARIABLES] = {"x", "y", "z", "t"};

enum
{
	ROWS = 256
};

spate_result formulas_make(source_formulas *f, const char *const texts[3], uint32_t count, const char *what,
			   spate_error *error)
{
	*f = (source_formulas){.count = texts[0] ? count : 0};
	for (uint32_t k = 0; k < f->count; k++)
	{
		uint32_t column = 0;
		spate_error problem = {0};
		spate_result result = expression_make(&f->parts[k], texts[k] ? texts[k] : "0", source_variables,
						      SOURCE_VARIABLES, &column, &problem);
		if (result == SPATE_INVALID)
			return error_set(error, result, "%s, formula %u, column %u: %s", what, k + 1, column,
					 problem.text);
		if (result != SPATE_OK)
			return error_set(error, result, "%s", problem.text);
	}
	return SPATE_OK;
}

void formulas_free(source_formulas *f)
{
	for (int k = 0; k < 3; k++)
		expression_free(f->parts[k]);
	*f = (source_formulas){0};
}

spate_result formulas_evaluate(const source_formulas *f, const float *places, size_t stride, size_t count,
			       const double origin[3], double time, const char *what, double *out, spate_error *error)
{
	double columns[SOURCE_VARIABLES][ROWS], part[ROWS];
	const double *values[SOURCE_VARIABLES];
	for (int n = 0; n < SOURCE_VARIABLES; n++)
		values[n] = columns[n];
	for (size_t first = 0; first < count; first += ROWS)
	{
		size_t rows = count - first < ROWS ? count - first : ROWS;
		for (size_t row = 0; row < rows; row++)
		{
			const float *p = places + (first + row) * stride;
			for (int k = 0; k < 3; k++)
				columns[k][row] = (double)p[k] + origin[k];
			columns[3][row] = time;
		}
		for (uint32_t k = 0; k < f->count; k++)
		{
			expression_evaluate(f->parts[k], values, rows, part);
			for (size_t row = 0; row < rows; row++)
			{
				out[3 * (first + row) + k] = part[row];
				if (!isfinite(part[row]))
					return error_set(error, SPATE_INVALID,
							 "%s has no value at [%.6g, %.6g, %.6g]: formula %u is not "
							 "a finite number there",
							 what, columns[0][row], columns[1][row], columns[2][row],
							 k + 1);
			}
		}
	}
	return SPATE_OK;
}
