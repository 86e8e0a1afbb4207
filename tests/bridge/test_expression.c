// Expressions: their language, the places of mistakes, columns, and muParser as a judge.
#define _GNU_SOURCE
#include "base/memory.h"
#include "base/parallel.h"
#include "bridge/expression.h"
#include "check.h"
#include "dice.h"
#include "scratch.h"

#include <locale.h>

#ifdef SPATE_MUPARSER
#include <muParserDLL.h>
#endif

static const char *const names[] = {"x", "y", "t"};

static expression *make(const char *text)
{
	expression *e;
	spate_error error = {0};
	uint32_t column;
	if (expression_make(&e, text, names, 3, &column, &error) != SPATE_OK)
		fail_msg("%s: column %u: %s", text, column, error.text);
	assert_int_equal(column, 0);
	return e;
}

// At x = 3, y = 0.5, t = -2.
static double value_of(const char *text)
{
	expression *e = make(text);
	const double x = 3.0, y = 0.5, t = -2.0;
	double value;
	expression_evaluate(e, (const double *[]){&x, &y, &t}, 1, &value);
	expression_free(e);
	return value;
}

static void values_are_those_of_c(void **state)
{
	(void)state;
	const double x = 3.0, y = 0.5, t = -2.0, pi = 3.14159265358979323846, e = 2.71828182845904523536;
	const struct
	{
		const char *text;
		double value;
	} cases[] = {
	    {"x", x},
	    {" 1.5e2 ", 150.0},
	    {".5", 0.5},
	    {"2.", 2.0},
	    {"1e-3", 1e-3},
	    {"pi", pi},
	    {"e", e},
	    {"2*e", 2.0 * e},
	    {"x + y*t", x + y * t},
	    {"(x + y)*t", (x + y) * t},
	    {"x - y - t", x - y - t},
	    {"x/y/t", x / y / t},
	    {"x - (y - t)", x - (y - t)},
	    {"-x^2", -9.0},
	    {"(-x)^2", 9.0},
	    {"2^x^y", pow(2.0, pow(3.0, 0.5))},
	    {"2^-x", 0.125},
	    {"x^2^y", pow(3.0, pow(2.0, 0.5))},
	    {"-x*t", 6.0},
	    {"x*-t", 6.0},
	    {"- - +x", 3.0},
	    {"sin(x)", sin(x)},
	    {"cos(x)", cos(x)},
	    {"tan(x)", tan(x)},
	    {"asin(y)", asin(y)},
	    {"acos(y)", acos(y)},
	    {"atan(x)", atan(x)},
	    {"atan2(t, x)", atan2(t, x)},
	    {"sqrt(x)", sqrt(x)},
	    {"exp(x)", exp(x)},
	    {"ln(x)", log(x)},
	    {"log10(x)", log10(x)},
	    {"abs(t)", 2.0},
	    {"pow(x, y)", pow(x, y)},
	    {"floor(-y)", -1.0},
	    {"ceil(y)", 1.0},
	    {"sign(t)", -1.0},
	    {"sign(0*x)", 0.0},
	    {"sign(x)", 1.0},
	    {"min(x, y)", y},
	    {"min(y, x)", y},
	    {"max(x, y, t, 7)", 7.0},
	    {"min(x, y, t)", t},
	    {"min(x)", x},
	    {"x > y", 1.0},
	    {"x < y", 0.0},
	    {"x >= 3", 1.0},
	    {"x <= 3", 1.0},
	    {"x > 3", 0.0},
	    {"x < 3", 0.0},
	    {"x == 3", 1.0},
	    {"x != 3", 0.0},
	    {"x > y && y > t", 1.0},
	    {"x > y && y < t", 0.0},
	    {"x < y || y > t", 1.0},
	    {"x < y || y < t", 0.0},
	    {"1 || 1 && 0", 1.0},
	    {"1 + 1 == 2", 1.0},
	    {"x > y ? 10 : 20", 10.0},
	    {"x < y ? 10 : 20", 20.0},
	    {"x < y ? 1 : t > 0 ? 2 : 3", 3.0},
	    {"x > y ? t > 0 ? 1 : 2 : 3", 2.0},
	    {"2 * (x > y ? x : y) + 1", 7.0},
	    {"2*sin(3*t)", 2.0 * sin(3.0 * t)},
	    {"x*x + y*y + t*t", x * x + y * y + t * t},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		double value = value_of(cases[k].text);
		if (value != cases[k].value)
			fail_msg("%s is %.17g, expected %.17g", cases[k].text, value, cases[k].value);
	}
}

static void what_is_not_defined_is_kept(void **state)
{
	(void)state;
	const char *const undefined[] = {"0/0",         "sqrt(t)",          "ln(t)",       "min(x, 0/0)",
					 "min(0/0, x)", "max(0/0, x)",      "max(x, 0/0)", "sign(0/0)",
					 "asin(x)",     "abs(sqrt(t)) + 1", "(0*x)/(0*x)"};
	for (size_t k = 0; k < sizeof undefined / sizeof *undefined; k++)
		if (!isnan(value_of(undefined[k])))
			fail_msg("%s is a number", undefined[k]);
	assert_true(value_of("x/0") == INFINITY);
	assert_true(value_of("-1/(x - 3)") == -INFINITY);
	assert_true(value_of("exp(1000*x)") == INFINITY);
	// the branch that is not taken does no harm
	assert_true(value_of("x > 0 ? x : sqrt(t)") == 3.0);
}

static void mistakes_have_a_place(void **state)
{
	(void)state;
	char longest[2100], deepest[1100], chain[800];
	memset(longest, ' ', sizeof longest);
	strcpy(longest + sizeof longest - 2, "1");
	memset(deepest, '(', sizeof deepest);
	deepest[sizeof deepest - 1] = '\0';
	// every sine keeps a column busy until the last parenthesis
	chain[0] = '\0';
	for (int k = 0; k < 30; k++)
		strcat(chain, "sin(x)+(");
	const struct
	{
		const char *text;
		uint32_t column;
		const char *sentence;
	} cases[] = {
	    {"", 1, "the expression is empty"},
	    {"  ", 1, "the expression is empty"},
	    {"2 * tt", 5, "an expression has no name 'tt' here; its variables are x, y, t"},
	    {"2 + sinn(x)", 5, "an expression has no name 'sinn' here; did you mean sin?"},
	    {"height", 1, "an expression has no name 'height' here; its variables are x, y, t"},
	    {"x + ", 5, "a value is missing here; there is the end"},
	    {"x + * 2", 5, "a value is missing here; there is '*'"},
	    {"(x + 1", 1, "this ( has no )"},
	    {"(x + 1 y)", 8, "an operator or a ) is missing here; there is 'y'"},
	    {"x + 1)", 6, "an operator is missing here; there is ')'"},
	    {"x y", 3, "an operator is missing here; there is 'y'"},
	    {"2x", 2, "a number ends where 'x' follows; is an operator such as * missing?"},
	    {"0x10", 2, "a number ends where 'x' follows; is an operator such as * missing?"},
	    {"1.2.3", 4, "a number ends where '.' follows; is an operator such as * missing?"},
	    {".", 1, "'.' is not a number"},
	    {"1e999", 1, "1e999 is too large for a number"},
	    {"1 + 1111111111111111111111111111111111111111111111111111111", 5, "a number has more than 47 characters"},
	    {"x = 3", 3, "= is not an operator; == compares"},
	    {"x & y", 3, "an operator is missing here; there is '&'"},
	    {"sin", 1, "sin is a function: write sin(...)"},
	    {"sin x", 1, "sin is a function: write sin(...)"},
	    {"sin()", 5, "a value is missing here; there is ')'"},
	    {"1 + sin(x, y)", 5, "sin takes 1 value; here are 2"},
	    {"atan2(x)", 1, "atan2 takes 2 values; here is 1"},
	    {"sin(x", 6, "sin( needs a ) or a comma here; there is the end"},
	    {"min(1,2,3,4,5,6,7,8,9)", 1, "min takes at most 8 values; here are 9"},
	    {"x > 0 ? 1", 7, "this ? has no :"},
	    {"x > 0 ? : 1", 9, "a value is missing here; there is ':'"},
	    {"x \xc3\x97 y", 3, "an operator is missing here; there is a character that is not ASCII"},
	    {longest, 2001, "an expression has at most 2000 characters"},
	    {deepest, 51, "the expression is too deeply nested here"},
	    {chain, 199, "the expression is too deeply nested here"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		expression *e;
		spate_error error = {0};
		uint32_t column = 99;
		check_result(expression_make(&e, cases[k].text, names, 3, &column, &error), SPATE_INVALID);
		assert_null(e);
		if (column != cases[k].column || strcmp(error.text, cases[k].sentence) != 0)
			fail_msg("%s: column %u: %s\nexpected column %u: %s", cases[k].text, column, error.text,
				 cases[k].column, cases[k].sentence);
	}
	expression *e;
	spate_error error = {0};
	check_result(expression_make(&e, "height", NULL, 0, NULL, &error), SPATE_INVALID);
	assert_string_equal(error.text, "an expression has no name 'height' here; its variables are none");
}

static void variables_that_matter_are_known(void **state)
{
	(void)state;
	expression *e = make("x + 0*t");
	assert_true(expression_uses(e, 0) && !expression_uses(e, 1) && expression_uses(e, 2) && !expression_uses(e, 3));
	expression_free(e);
	expression_free(NULL);
}

// ---------------------------------------------------------------------------------------------------------------- columns

enum
{
	ROWS = 10007
};

typedef struct task
{
	expression *e;
	const double *const *columns;
	double *out;
} task;

static void evaluate_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const task *t = context;
	const double *const from[3] = {t->columns[0] + begin, t->columns[1] + begin, t->columns[2] + begin};
	expression_evaluate(t->e, from, end - begin, t->out + begin);
}

// Whole, row by row, and in odd blocks by several threads.
static void rows_do_not_depend_on_each_other(void **state)
{
	(void)state;
	static double columns[3][ROWS], whole[ROWS], parts[ROWS];
	dice d = {7};
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < ROWS; i++)
			columns[k][i] = (double)dice_range(&d, -3.0f, 3.0f);
	const double *const from[3] = {columns[0], columns[1], columns[2]};
	const char *const texts[] = {"x",
				     "7",
				     "x*x + y*y - t*t",
				     "sin(x*y) + (x > y ? exp(t) : atan2(y, x))",
				     "max(x, y, t)^1.5 / min(x, y, t)",
				     "(x+1)*((y+2)*((t+3)*((x+4)*((y+5)*(t+6)))))"};
	for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
	{
		expression *e = make(texts[n]);
		expression_evaluate(e, from, ROWS, whole);
		for (size_t i = 0; i < ROWS; i++)
			expression_evaluate(e, (const double *[]){&columns[0][i], &columns[1][i], &columns[2][i]}, 1,
					    &parts[i]);
		assert_memory_equal(parts, whole, sizeof whole);
		for (int threads = 1; threads <= 4; threads++)
		{
			memset(parts, 0, sizeof parts);
			parallel_for(threads, ROWS, 97, evaluate_block, &(task){e, from, parts});
			assert_memory_equal(parts, whole, sizeof whole);
		}
		expression_free(e);
	}
	// the formula itself, in C
	for (size_t i = 0; i < ROWS; i++)
		whole[i] = (columns[0][i] + 1.0) *
			   ((columns[1][i] + 2.0) *
			    ((columns[2][i] + 3.0) *
			     ((columns[0][i] + 4.0) * ((columns[1][i] + 5.0) * (columns[2][i] + 6.0)))));
	assert_memory_equal(parts, whole, sizeof whole);
}

static void numbers_do_not_depend_on_the_language(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char command[2048];
	snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s'", scratch_file(&s, "de_DE.UTF-8"));
	assert_int_equal(system(command), 0);
	setenv("LOCPATH", s.path, 1);
	assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
	assert_string_equal(localeconv()->decimal_point, ",");
	double value = value_of("0.5*x");
	assert_string_equal(localeconv()->decimal_point, ",");
	setlocale(LC_ALL, "C");
	scratch_remove(&s);
	assert_true(value == 1.5);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	uint64_t blocks = mem_get_stats().blocks;
	for (uint64_t n = 1;; n++)
	{
		expression *e;
		spate_error error = {0};
		mem_fail_at(n);
		spate_result result = expression_make(&e, "2*sin(3*t) + 4*x - 5", names, 3, NULL, &error);
		if (mem_fail_at(0) > 0)
		{
			check_ok(result);
			expression_free(e);
			assert_true(n > 4);
			break;
		}
		assert_int_equal(result, SPATE_MEMORY);
		assert_null(e);
		assert_true(error.text[0] != '\0');
	}
	assert_int_equal(mem_get_stats().blocks, blocks);
}

// --------------------------------------------------------------------------------------------------------------- muParser

#ifdef SPATE_MUPARSER

// Appends a random expression; `depth` levels below it. Those that may be undefined are without min, max and sign, with which muParser makes
// a number of what is none.
static void random_text(dice *d, char *text, int depth, int defined)
{
	static const char *const leaves[] = {"x", "y", "t", "0.5", "3", "7.25", "pi"};
	static const char *const calls[] = {"sin", "cos", "abs", "atan", "sign", "sqrt", "exp"};
	static const char *const operators[] = {"+", "-", "*", "<", ">=", "/", "^"};
	static const char *const comparisons[] = {" > ", " < ", " <= ", " != "};
	int open;
	switch (depth ? dice_below(d, 8) : 0)
	{
	case 0:
		strcat(text, leaves[dice_below(d, 7)]);
		return;
	case 1:
		strcat(strcat(text, calls[defined ? dice_below(d, 5) : (5 + dice_below(d, 6)) % 7]), "(");
		random_text(d, text, depth - 1, defined);
		break;
	case 2:
		if (!defined)
		{
			random_text(d, text, depth - 1, defined);
			return;
		}
		strcat(text, dice_below(d, 2) ? "min(" : "max(");
		random_text(d, text, depth - 1, defined);
		strcat(text, ",");
		random_text(d, text, depth - 1, defined);
		break;
	case 3:
		strcat(text, "(");
		random_text(d, text, depth - 1, defined);
		strcat(text, " ? ");
		random_text(d, text, depth - 1, defined);
		strcat(text, " : ");
		random_text(d, text, depth - 1, defined);
		break;
	case 4:
		strcat(text, "(-");
		random_text(d, text, depth - 1, defined);
		break;
	case 5:
		// of comparisons: muParser makes integers of what else && and || get
		random_text(d, strcat(text, "("), depth - 1, defined);
		random_text(d, strcat(text, comparisons[dice_below(d, 4)]), depth - 1, defined);
		random_text(d, strcat(text, dice_below(d, 2) ? " && " : " || "), depth - 1, defined);
		random_text(d, strcat(text, comparisons[dice_below(d, 4)]), depth - 1, defined);
		break;
	default:
		// some without parentheses, for the order of operators
		open = dice_below(d, 2) == 1;
		strcat(text, open ? "(" : "");
		random_text(d, text, depth - 1, defined);
		strcat(strcat(strcat(text, " "), operators[dice_below(d, defined ? 5 : 7)]), " ");
		random_text(d, text, depth - 1, defined);
		if (!open)
			return;
	}
	strcat(text, ")");
}

static void parser_agrees(const char *text, dice *d, int *compared)
{
	double v[3], own;
	muParserHandle_t parser = mupCreate(muBASETYPE_FLOAT);
	mupDefineConst(parser, "pi", 3.14159265358979323846);
	for (int k = 0; k < 3; k++)
		mupDefineVar(parser, names[k], &v[k]);
	mupSetExpr(parser, text);
	expression *e = make(text);
	for (int n = 0; n < 10; n++)
	{
		for (int k = 0; k < 3; k++)
			v[k] = (double)dice_range(d, -2.0f, 2.0f);
		double other = mupEval(parser);
		if (mupError(parser))
			fail_msg("muParser refuses %s: %s", text, mupGetErrorMsg(parser));
		expression_evaluate(e, (const double *[]){&v[0], &v[1], &v[2]}, 1, &own);
		if (isfinite(own) && isfinite(other) && ++*compared &&
		    !(fabs(own - other) <= 1e-9 * (1.0 + fabs(other))))
			fail_msg("%s at x = %.17g, y = %.17g, t = %.17g is %.17g, and %.17g for muParser", text, v[0],
				 v[1], v[2], own, other);
	}
	expression_free(e);
	mupRelease(parser);
}

#endif

static void the_language_is_that_of_muparser(void **state)
{
	(void)state;
#ifndef SPATE_MUPARSER
	skip_without("MUPARSER");
#else
	dice d = {11};
	int compared = 0;
	for (int n = 0; n < 3000; n++)
	{
		char text[2000] = "";
		random_text(&d, text, 1 + n % 4, n & 1);
		parser_agrees(text, &d, &compared);
	}
	assert_true(compared > 15000);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_are_those_of_c),
	    cmocka_unit_test(what_is_not_defined_is_kept),
	    cmocka_unit_test(mistakes_have_a_place),
	    cmocka_unit_test(variables_that_matter_are_known),
	    cmocka_unit_test(rows_do_not_depend_on_each_other),
	    cmocka_unit_test(numbers_do_not_depend_on_the_language),
	    cmocka_unit_test(memory_may_run_out),
	    cmocka_unit_test(the_language_is_that_of_muparser),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
