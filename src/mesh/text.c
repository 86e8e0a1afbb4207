#define _GNU_SOURCE
#include "mesh/text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// Whether a word ends here: at a blank, a line end, or a comment, even one that directly follows the word.
static int ends_word(const text_cursor *c, const char *at)
{
	return at >= c->end || is_blank(*at) || *at == '\n' || (*at == '#' && c->comments);
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void text_next_line(text_cursor *c)
{
	const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
	c->at = newline ? newline + 1 : c->end;
	c->line += newline != NULL;
}

// Length of a '\' at the end of a line, including the line ending; 0 if there is none.
static size_t joint_length(const char *at)
{
	if (at[0] != '\\')
		return 0;
	size_t blanks = 1;
	while (is_blank(at[blanks]))
		blanks++;
	return at[blanks] == '\n' ? blanks + 1 : 0;
}

void text_skip_blanks(text_cursor *c)
{
	for (size_t joint; c->at < c->end;)
		if (is_blank(*c->at))
			c->at++;
		else if ((joint = joint_length(c->at)))
		{
			c->at += joint;
			c->line++;
		}
		else
			break;
}

int text_skip_space(text_cursor *c)
{
	for (; c->at < c->end; c->at++)
		if (*c->at == '\n')
			c->line++;
		else if (*c->at == '#' && c->comments)
		{
			const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
			c->at = newline ? newline - 1 : c->end - 1;
		}
		else if (!is_blank(*c->at))
			return 1;
	return 0;
}

int text_line_done(text_cursor *c)
{
	text_skip_blanks(c);
	return c->at >= c->end || *c->at == '\n' || (*c->at == '#' && c->comments);
}

// Parses nan, inf and infinity, with an optional sign and anything in parentheses.
static int odd_number(text_cursor *c, double *value)
{
	const char *at = c->at + (*c->at == '-' || *c->at == '+');
	double sign = *c->at == '-' ? -1.0 : 1.0;
	if (strncasecmp(at, "nan", 3) == 0)
		*value = NAN;
	else if (strncasecmp(at, "inf", 3) == 0)
		*value = sign * INFINITY;
	else
		return 0;
	c->at += text_word_length(c);
	return 1;
}

// Too many digits for a double, or an exponent that needs more than one rounding: leaves it to the C library, with the
// C locale.
static double hard_number(const char *start)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double value = plain ? strtod_l(start, NULL, plain) : strtod(start, NULL);
	if (plain)
		freelocale(plain);
	return value;
}

typedef struct decimal
{
	uint64_t digits; // the value is digits * 10^exponent
	int64_t exponent;
	int count; // digits taken; 19 fill the integer
	int exact; // no digit was dropped
} decimal;

static const char *take_digits(const char *at, decimal *d, int64_t step)
{
	for (; is_digit(*at); at++)
		if (d->count < 19)
		{
			d->digits = d->digits * 10 + (uint64_t)(*at - '0');
			d->count += d->digits > 0;
			d->exponent += step;
		}
		else
		{
			d->exact &= *at == '0';
			d->exponent += step + 1;
		}
	return at;
}

// Parses an exponent, if complete; huge ones stay huge without overflowing.
static const char *take_exponent(const char *at, decimal *d)
{
	if (*at != 'e' && *at != 'E')
		return at;
	const char *digit = at + 1 + (at[1] == '-' || at[1] == '+');
	if (!is_digit(*digit))
		return at;
	int64_t exponent = 0;
	for (; is_digit(*digit); digit++)
		if (exponent < 1000000)
			exponent = exponent * 10 + (*digit - '0');
	d->exponent += at[1] == '-' ? -exponent : exponent;
	return digit;
}

// A product or quotient of two doubles that are exact is rounded only once, hence correct (Clinger 1990).
static int easy_number(const decimal *d, double *value)
{
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
					1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	if (d->digits == 0 && d->exact)
	{
		*value = 0.0;
		return 1;
	}
	if (!d->exact || d->digits > (uint64_t)1 << 53 || d->exponent < -22 || d->exponent > 22)
		return 0;
	double digits = (double)d->digits;
	*value = d->exponent < 0 ? digits / powers[-d->exponent] : digits * powers[d->exponent];
	return 1;
}

int text_number(text_cursor *c, double *value)
{
	const char *at = c->at;
	int negative = *at == '-';
	at += negative || *at == '+';
	decimal d = {.exact = 1};
	const char *whole = at;
	at = take_digits(at, &d, 0);
	size_t digits = (size_t)(at - whole);
	if (*at == '.')
	{
		const char *fraction = at + 1;
		at = take_digits(fraction, &d, -1);
		digits += (size_t)(at - fraction);
	}
	if (digits == 0)
		return odd_number(c, value);
	at = take_exponent(at, &d);
	// some programs write 1.#QNAN and 1.#INF for nan and inf; these are not a 1 with a comment
	if ((!ends_word(c, at) && !joint_length(at)) || (*at == '#' && at[-1] == '.'))
		return 0;
	if (easy_number(&d, value))
		*value = negative ? -*value : *value;
	else
		*value = hard_number(c->at);
	c->at = at;
	return 1;
}

int text_whole(text_cursor *c, int64_t *value)
{
	const char *at = c->at;
	int negative = *at == '-';
	at += negative || *at == '+';
	const char *first = at;
	int64_t number = 0;
	for (; is_digit(*at) && at - first < 18; at++)
		number = number * 10 + (*at - '0');
	if (at == first || is_digit(*at))
		return 0;
	*value = negative ? -number : number;
	c->at = at;
	return 1;
}

size_t text_word_length(const text_cursor *c)
{
	const char *at = c->at;
	while (!ends_word(c, at))
		at++;
	return (size_t)(at - c->at);
}

int text_word_is(const text_cursor *c, const char *word)
{
	size_t length = text_word_length(c);
	return strlen(word) == length && strncasecmp(c->at, word, length) == 0;
}

text_excerpt text_show_word(const text_cursor *c)
{
	text_excerpt e = {{0}};
	size_t length = text_word_length(c), room = sizeof e.text - 4;
	for (size_t i = 0; i < length && i < room; i++)
		e.text[i] = c->at[i] > ' ' && c->at[i] < 127 ? c->at[i] : '?';
	if (length > room)
		memcpy(e.text + room, "...", 4);
	return e;
}
