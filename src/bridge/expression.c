// An evaluator of our own, because forces evaluate expressions for every particle. muParser 2.3.3 interprets row by row: 30 to 40 ns for
// 2*sin(3*t) or x*x+y*y+z*z, of which the arithmetic takes 7 and 1. It starts threads of its own (OpenMP), and a parser serves one thread
// at a time. Here an expression is a constant list of instructions on columns, and each is a loop over a block of rows that stays in the
// cache. The language is muParser's; tests/bridge/test_expression compares the two.
#define _GNU_SOURCE
#include "bridge/expression.h"

#include "base/array.h"
#include "base/error.h"
#include "base/suggest.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	BLOCK = 256,     // rows at a time
	REGISTERS = 24,  // columns for what is not finished; the stack holds them
	LONGEST = 2000,  // characters of a text
	DEEPEST = 100,   // parentheses within each other, and the like
	MOST_VALUES = 8, // in the parentheses of min and max
	WORD_CHARS = 60  // of a name in a message
};

// ---------------------------------------------------------------------------------------------------------------- kernels

typedef void kernel(double *restrict out, const double *restrict a, const double *restrict b, const double *restrict c,
		    size_t n);

#define KERNEL(name, value)                                                                               \
	static void do_##name(double *restrict out, const double *restrict pa, const double *restrict pb, \
			      const double *restrict pc, size_t n)                                        \
	{                                                                                                 \
		(void)pb, (void)pc;                                                                       \
		for (size_t k = 0; k < n; k++)                                                            \
			out[k] = (value);                                                                 \
	}
#define A pa[k]
#define B pb[k]
#define C pc[k]

// Functions of users: name, number of values, value. A NaN goes through all of them.
#define FUNCTIONS(X)                                   \
	X(sin, 1, sin(A))                              \
	X(cos, 1, cos(A))                              \
	X(tan, 1, tan(A))                              \
	X(asin, 1, asin(A))                            \
	X(acos, 1, acos(A))                            \
	X(atan, 1, atan(A))                            \
	X(atan2, 2, atan2(A, B))                       \
	X(sqrt, 1, sqrt(A))                            \
	X(exp, 1, exp(A))                              \
	X(ln, 1, log(A))                               \
	X(log10, 1, log10(A))                          \
	X(abs, 1, fabs(A))                             \
	X(min, MOST_VALUES, B < A || isnan(B) ? B : A) \
	X(max, MOST_VALUES, B > A || isnan(B) ? B : A) \
	X(pow, 2, pow(A, B))                           \
	X(floor, 1, floor(A))                          \
	X(ceil, 1, ceil(A))                            \
	X(sign, 1, A > 0.0 ? 1.0 : A < 0.0 ? -1.0 : A)

#define X(name, values, value) KERNEL(name, value)
FUNCTIONS(X)
#undef X
KERNEL(add, A + B)
KERNEL(subtract, A - B)
KERNEL(multiply, A *B)
KERNEL(divide, A / B)
KERNEL(square, A *A)
KERNEL(negate, -A)
KERNEL(less, A < B ? 1.0 : 0.0)
KERNEL(more, A > B ? 1.0 : 0.0)
KERNEL(at_most, A <= B ? 1.0 : 0.0)
KERNEL(at_least, A >= B ? 1.0 : 0.0)
KERNEL(equal, A == B ? 1.0 : 0.0)
KERNEL(unequal, A != B ? 1.0 : 0.0)
KERNEL(and, A != 0.0 && B != 0.0 ? 1.0 : 0.0)
KERNEL(or, A != 0.0 || B != 0.0 ? 1.0 : 0.0)
KERNEL(choose, A != 0.0 ? B : C)

static const struct
{
	const char *name;
	uint32_t values; // in parentheses; MOST_VALUES for one or more
	kernel *run;
} functions[] = {
#define X(name, values, value) {#name, values, do_##name},
    FUNCTIONS(X)
#undef X
};

static const struct
{
	const char *name;
	double value;
} constants[] = {{"pi", 3.14159265358979323846}, {"e", 2.71828182845904523536}};

// Of two values, from the left. A text comes before those that it begins with.
static const struct
{
	const char *text;
	int level;
	kernel *run;
} operators[] = {{"||", 1, do_or},    {"&&", 2, do_and},     {"<=", 3, do_at_most}, {">=", 3, do_at_least},
		 {"==", 3, do_equal}, {"!=", 3, do_unequal}, {"<", 3, do_less},     {">", 3, do_more},
		 {"+", 4, do_add},    {"-", 4, do_subtract}, {"*", 5, do_multiply}, {"/", 5, do_divide}};

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

// ------------------------------------------------------------------------------------------------------------- the program

typedef enum column_kind
{
	VARIABLE,
	CONSTANT,
	REGISTER
} column_kind;

// Where values are.
typedef struct operand
{
	column_kind kind;
	uint32_t index;
} operand;

typedef struct instruction
{
	kernel *run;
	operand from[3];
	uint32_t to; // register
} instruction;

struct expression
{
	ARRAY(instruction) code;
	ARRAY(double) constants;
	double *columns; // BLOCK of each constant
	operand result;
	uint32_t name_count;
	uint8_t *used; // by name
};

// ------------------------------------------------------------------------------------------------------------ compilation

typedef struct compiler
{
	expression *e;
	const char *text, *at;
	const char *const *names;
	uint32_t name_count;
	uint32_t busy; // registers, as bits
	int depth;
	spate_result result;
	const char *place; // of the mistake
	spate_error *error;
} compiler;

#define FAILED(c) ((c)->result != SPATE_OK)

// The first mistake counts.
#define MISTAKE(c, where, ...)                                                           \
	do                                                                               \
	{                                                                                \
		if (!FAILED(c))                                                          \
		{                                                                        \
			(c)->place = (where);                                            \
			(c)->result = error_set((c)->error, SPATE_INVALID, __VA_ARGS__); \
		}                                                                        \
	} while (0)

static void no_memory(compiler *c, size_t bytes)
{
	if (!FAILED(c))
		c->result = error_memory(c->error, bytes);
}

static operand constant(compiler *c, double value)
{
	if (!array_push(&c->e->constants, value))
		no_memory(c, sizeof value);
	return (operand){CONSTANT, FAILED(c) ? 0 : (uint32_t)c->e->constants.count - 1};
}

static uint32_t free_register(compiler *c)
{
	uint32_t r = 0;
	while (r < REGISTERS && (c->busy >> r & 1))
		r++;
	if (r == REGISTERS)
		MISTAKE(c, c->at, "the expression is too deeply nested here");
	else
		c->busy |= 1u << r;
	return r;
}

// Adds an instruction. What is known now is computed now.
static operand emit(compiler *c, kernel *run, const operand *from, uint32_t count)
{
	operand padded[3];
	int known = 1;
	for (uint32_t k = 0; k < 3; k++)
	{
		padded[k] = from[k < count ? k : 0];
		known = known && padded[k].kind == CONSTANT;
	}
	if (FAILED(c))
		return padded[0];
	if (known)
	{
		const double *all = c->e->constants.data;
		double value;
		run(&value, &all[padded[0].index], &all[padded[1].index], &all[padded[2].index], 1);
		return constant(c, value);
	}
	// the result first: a kernel never writes where it reads
	uint32_t to = free_register(c);
	if (FAILED(c))
		return padded[0];
	for (uint32_t k = 0; k < 3; k++)
		if (padded[k].kind == REGISTER)
			c->busy &= ~(1u << padded[k].index);
	if (!array_push(&c->e->code, (instruction){run, {padded[0], padded[1], padded[2]}, to}))
		no_memory(c, sizeof(instruction));
	return (operand){REGISTER, to};
}

static void skip_space(compiler *c)
{
	while (*c->at && isspace((unsigned char)*c->at))
		c->at++;
}

static int take(compiler *c, const char *text)
{
	skip_space(c);
	size_t length = strlen(text);
	if (strncmp(c->at, text, length) != 0)
		return 0;
	c->at += length;
	return 1;
}

// "'foo'", or what else is there.
static const char *found(compiler *c, char out[WORD_CHARS])
{
	skip_space(c);
	size_t length = 0;
	while (isalnum((unsigned char)c->at[length]) || c->at[length] == '_')
		length++;
	if (*c->at && (unsigned char)*c->at < 128)
		snprintf(out, WORD_CHARS, "'%.*s'", (int)(length == 0 ? 1 : length < 40 ? length : 40), c->at);
	else
		snprintf(out, WORD_CHARS, "%s", *c->at ? "a character that is not ASCII" : "the end");
	return out;
}

static operand read_choice(compiler *c);

static operand read_number(compiler *c)
{
	// decimal notation only: strtod alone would accept hexadecimal
	char digits[48];
	const char *from = c->at;
	size_t length = strspn(from, "0123456789");
	if (from[length] == '.')
		length += 1 + strspn(from + length + 1, "0123456789");
	if (from[length] == 'e' || from[length] == 'E')
	{
		size_t sign = strspn(from + length + 1, "+-") == 1,
		       power = strspn(from + length + 1 + sign, "0123456789");
		length += power ? 1 + sign + power : 0;
	}
	c->at += length;
	if (length >= sizeof digits)
	{
		MISTAKE(c, from, "a number has more than 47 characters");
		return constant(c, 0.0);
	}
	memcpy(digits, from, length);
	digits[length] = '\0';
	char *end;
	double value = strtod(digits, &end);
	if (*end || length == 0)
		MISTAKE(c, from, "'%s' is not a number", digits);
	else if (!isfinite(value))
		MISTAKE(c, from, "%s is too large for a number", digits);
	else if (isalnum((unsigned char)*c->at) || *c->at == '_' || *c->at == '.')
		MISTAKE(c, c->at, "a number ends where '%c' follows; is an operator such as * missing?", *c->at);
	return constant(c, value);
}

static void refuse_name(compiler *c, const char *from, const char *name)
{
	suggestion s;
	suggest_begin(&s, name);
	char known[160] = "";
	size_t used = 0;
	for (uint32_t n = 0; n < c->name_count; n++)
	{
		suggest_offer(&s, c->names[n]);
		if (used < sizeof known)
			used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", n ? ", " : "", c->names[n]);
	}
	for (size_t n = 0; n < COUNT_OF(functions); n++)
		suggest_offer(&s, functions[n].name);
	for (size_t n = 0; n < COUNT_OF(constants); n++)
		suggest_offer(&s, constants[n].name);
	if (s.best)
		MISTAKE(c, from, "an expression has no name '%.40s' here; did you mean %s?", name, s.best);
	else
		MISTAKE(c, from, "an expression has no name '%.40s' here; its variables are %s", name,
			c->name_count ? known : "none");
}

// The values of a function, and its instructions.
static operand read_call(compiler *c, const char *from, size_t f)
{
	operand values[MOST_VALUES];
	uint32_t count = 0, wanted = functions[f].values;
	const char *name = functions[f].name;
	char text[WORD_CHARS];
	if (!take(c, "("))
	{
		MISTAKE(c, from, "%s is a function: write %s(...)", name, name);
		return constant(c, 0.0);
	}
	do
	{
		operand value = read_choice(c);
		if (count < MOST_VALUES)
			values[count] = value;
		count++;
	} while (!FAILED(c) && take(c, ","));
	if (!FAILED(c) && !take(c, ")"))
		MISTAKE(c, c->at, "%s( needs a ) or a comma here; there is %s", name, found(c, text));
	if (count > MOST_VALUES)
		MISTAKE(c, from, "%s takes at most %d values; here are %u", name, MOST_VALUES, count);
	else if (wanted < MOST_VALUES && count != wanted)
		MISTAKE(c, from, "%s takes %u value%s; here %s %u", name, wanted, wanted == 1 ? "" : "s",
			count == 1 ? "is" : "are", count);
	if (FAILED(c) || wanted < MOST_VALUES)
		return emit(c, functions[f].run, values, FAILED(c) ? 1 : wanted);
	for (uint32_t k = 1; k < count; k++)
		values[0] = emit(c, functions[f].run, (operand[2]){values[0], values[k]}, 2);
	return values[0];
}

static operand read_name(compiler *c)
{
	const char *from = c->at;
	while (isalnum((unsigned char)*c->at) || *c->at == '_')
		c->at++;
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)(c->at - from), from);
	for (uint32_t n = 0; n < c->name_count; n++)
		if (strcmp(c->names[n], name) == 0)
		{
			c->e->used[n] = 1;
			return (operand){VARIABLE, n};
		}
	for (size_t n = 0; n < COUNT_OF(constants); n++)
		if (strcmp(constants[n].name, name) == 0)
			return constant(c, constants[n].value);
	for (size_t n = 0; n < COUNT_OF(functions); n++)
		if (strcmp(functions[n].name, name) == 0)
			return read_call(c, from, n);
	refuse_name(c, from, name);
	return constant(c, 0.0);
}

// A number, a name, a call or what is in parentheses.
static operand read_primary(compiler *c)
{
	char text[WORD_CHARS];
	skip_space(c);
	if (FAILED(c))
		return (operand){CONSTANT, 0};
	if (isdigit((unsigned char)*c->at) || *c->at == '.')
		return read_number(c);
	if (isalpha((unsigned char)*c->at) || *c->at == '_')
		return read_name(c);
	const char *from = c->at;
	if (!take(c, "("))
	{
		MISTAKE(c, c->at, "a value is missing here; there is %s", found(c, text));
		return constant(c, 0.0);
	}
	operand inside = read_choice(c);
	if (!FAILED(c) && !take(c, ")"))
	{
		if (*c->at)
			MISTAKE(c, c->at, "an operator or a ) is missing here; there is %s", found(c, text));
		else
			MISTAKE(c, from, "this ( has no )");
	}
	return inside;
}

static operand read_sign(compiler *c);

// A power, whose exponent may have a sign: 2^-x.
static operand read_power(compiler *c)
{
	operand base = read_primary(c);
	if (FAILED(c) || !take(c, "^"))
		return base;
	operand exponent = read_sign(c);
	if (!FAILED(c) && exponent.kind == CONSTANT && c->e->constants.data[exponent.index] == 2.0)
		return emit(c, do_square, &base, 1);
	return emit(c, do_pow, (operand[2]){base, exponent}, 2);
}

static operand read_sign(compiler *c)
{
	if (FAILED(c))
		return (operand){CONSTANT, 0};
	if (++c->depth > DEEPEST)
		MISTAKE(c, c->at, "the expression is too deeply nested here");
	operand value;
	if (take(c, "-"))
	{
		value = read_sign(c);
		value = emit(c, do_negate, &value, 1);
	}
	else
		value = take(c, "+") ? read_sign(c) : read_power(c);
	c->depth--;
	return value;
}

static operand read_level(compiler *c, int level)
{
	operand left = read_sign(c);
	for (;;)
	{
		skip_space(c);
		size_t o = 0;
		while (o < COUNT_OF(operators) && strncmp(c->at, operators[o].text, strlen(operators[o].text)) != 0)
			o++;
		if (FAILED(c) || o == COUNT_OF(operators) || operators[o].level < level)
			return left;
		c->at += strlen(operators[o].text);
		operand right = read_level(c, operators[o].level + 1);
		left = emit(c, operators[o].run, (operand[2]){left, right}, 2);
	}
}

static operand read_choice(compiler *c)
{
	if (FAILED(c))
		return (operand){CONSTANT, 0};
	if (++c->depth > DEEPEST)
		MISTAKE(c, c->at, "the expression is too deeply nested here");
	operand parts[3] = {read_level(c, 1)};
	const char *from = c->at;
	if (!FAILED(c) && take(c, "?"))
	{
		parts[1] = read_choice(c);
		if (!FAILED(c) && !take(c, ":"))
			MISTAKE(c, from, "this ? has no :");
		parts[2] = read_choice(c);
		parts[0] = emit(c, do_choose, parts, 3);
	}
	c->depth--;
	return parts[0];
}

static void compile(compiler *c)
{
	char text[WORD_CHARS];
	skip_space(c);
	if (strlen(c->text) > LONGEST)
		MISTAKE(c, c->text + LONGEST, "an expression has at most %d characters", LONGEST);
	else if (!*c->at)
		MISTAKE(c, c->text, "the expression is empty");
	c->e->result = read_choice(c);
	skip_space(c);
	if (*c->at == '=')
		MISTAKE(c, c->at, "= is not an operator; == compares");
	else if (*c->at)
		MISTAKE(c, c->at, "an operator is missing here; there is %s", found(c, text));
	size_t count = c->e->constants.count;
	if (FAILED(c) || count == 0)
		return;
	if (!(c->e->columns = mem_alloc(mem_product(count, BLOCK * sizeof(double)))))
		no_memory(c, count * BLOCK * sizeof(double));
	for (size_t k = 0; k < count * BLOCK && !FAILED(c); k++)
		c->e->columns[k] = c->e->constants.data[k / BLOCK];
}

spate_result expression_make(expression **out, const char *text, const char *const *names, uint32_t name_count,
			     uint32_t *column, spate_error *error)
{
	*out = NULL;
	if (column)
		*column = 0;
	expression *e = mem_calloc(1, sizeof *e);
	uint8_t *used = mem_calloc(name_count + 1, 1);
	if (!e || !used)
	{
		mem_free(e);
		mem_free(used);
		return error_memory(error, sizeof *e + name_count);
	}
	e->name_count = name_count;
	e->used = used;
	compiler c = {.e = e, .text = text, .at = text, .names = names, .name_count = name_count, .error = error};
	// the host's locale may write 0,5
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), host = plain ? uselocale(plain) : (locale_t)0;
	compile(&c);
	if (plain)
	{
		uselocale(host);
		freelocale(plain);
	}
	if (c.result == SPATE_OK)
	{
		*out = e;
		return SPATE_OK;
	}
	if (column && c.place)
		*column = (uint32_t)(c.place - text) + 1;
	expression_free(e);
	return c.result;
}

void expression_free(expression *e)
{
	if (!e)
		return;
	array_free(&e->code);
	array_free(&e->constants);
	mem_free(e->columns);
	mem_free(e->used);
	mem_free(e);
}

// ------------------------------------------------------------------------------------------------------------- evaluation

int expression_uses(const expression *e, uint32_t n)
{
	return n < e->name_count && e->used[n];
}

void expression_evaluate(const expression *e, const double *const *values, size_t count, double *out)
{
	double registers[REGISTERS][BLOCK] __attribute__((aligned(64)));
	for (size_t begin = 0; begin < count; begin += BLOCK)
	{
		size_t rows = count - begin < BLOCK ? count - begin : BLOCK;
		for (size_t k = 0; k < e->code.count; k++)
		{
			const instruction *i = &e->code.data[k];
			const double *from[3];
			for (int p = 0; p < 3; p++)
			{
				operand o = i->from[p];
				from[p] = o.kind == VARIABLE   ? values[o.index] + begin
					  : o.kind == CONSTANT ? e->columns + (size_t)o.index * BLOCK
							       : registers[o.index];
			}
			i->run(k + 1 < e->code.count ? registers[i->to] : out + begin, from[0], from[1], from[2], rows);
		}
		if (e->code.count == 0)
			memcpy(out + begin,
			       e->result.kind == VARIABLE ? values[e->result.index] + begin
							  : e->columns + (size_t)e->result.index * BLOCK,
			       rows * sizeof *out);
	}
}
