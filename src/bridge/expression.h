// Formulas that users write: compiled once, evaluated for columns of values.
//
// Values are doubles. Operators, from what binds least: ?:, ||, &&, comparisons (1 or 0), + -, * /, signs, ^ (from the right). Functions
// and constants are those of the tables in expression.c. Names of functions and constants are reserved.
#ifndef BRIDGE_EXPRESSION_H
#define BRIDGE_EXPRESSION_H

#include "spate/result.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct expression expression;

// Compiles a text in which `names` stand for variables; they are not needed afterwards. SPATE_INVALID with one sentence about a mistake, and
// its place in *column, from 1 (0 for other results; may be NULL).
spate_result expression_make(expression **out, const char *text, const char *const *names, uint32_t name_count,
			     uint32_t *column, spate_error *error);
// NULL is allowed.
void expression_free(expression *e);

// Whether the value depends on variable n.
int expression_uses(const expression *e, uint32_t n);

// out[k] for the rows 0 to count - 1; values[n] is the column of variable n, of `count` doubles, and may be NULL if it is not used. `out` is
// none of the columns. A row's bits do not depend on the other rows, and any number of threads may evaluate an expression at once.
// What is not defined, such as 0/0 and sqrt(-1), gives NaN or an infinity.
void expression_evaluate(const expression *e, const double *const *values, size_t count, double *out);

#ifdef __cplusplus
}
#endif
#endif
