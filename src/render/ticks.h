// Round numbers for axes and legends: steps of 1, 2 or 5 times a power of ten.
#ifndef RENDER_TICKS_H
#define RENDER_TICKS_H

#include <stddef.h>

enum
{
	TICKS_MAX = 24
};

typedef struct ticks
{
	int count;
	double step;
	double value[TICKS_MAX]; // ascending, all inside the range
} ticks;

// About `wanted` ticks inside [low, high]; an empty or invalid range gives none.
ticks ticks_make(double low, double high, int wanted);

// The label of a tick, with as many decimals as the step needs, or with an exponent for long numbers.
void ticks_label(const ticks *axis, int index, char *text, size_t size);

// Widens [*low, *high] so that it is neither empty nor invalid, and adds a margin of `margin` times its length.
void ticks_range(double *low, double *high, double margin);

#endif
