#include "render/ticks.h"

#include <math.h>
#include <stdio.h>

ticks ticks_make(double low, double high, int wanted)
{
	ticks axis = {0};
	double length = high - low;
	if (!(length > 0.0) || !isfinite(length) || wanted < 1)
		return axis;
	if (wanted > TICKS_MAX / 3)
		wanted = TICKS_MAX / 3;

	// the smallest of 1, 2, 5, 10 that gives no more steps than wanted
	double raw = length / wanted, power = pow(10.0, floor(log10(raw)));
	double ratio = raw / power, slack = 1.0 + 1e-9;
	double factor = ratio <= slack ? 1.0 : ratio <= 2.0 * slack ? 2.0 : ratio <= 5.0 * slack ? 5.0 : 10.0;
	axis.step = factor * power;

	// the ends of the range count as inside in spite of rounding; values too close to distinguish give no ticks
	double first = ceil(low / axis.step - 1e-6), last = floor(high / axis.step + 1e-6);
	if (!(fabs(first) < 1e12 && fabs(last) < 1e12))
		return axis;
	for (double k = first; k <= last && axis.count < TICKS_MAX; k += 1.0)
		axis.value[axis.count++] = k == 0.0 ? 0.0 : k * axis.step;
	return axis;
}

void ticks_label(const ticks *axis, int index, char *text, size_t size)
{
	double value = axis->value[index], largest = 0.0;
	for (int k = 0; k < axis->count; k++)
		largest = fmax(largest, fabs(axis->value[k]));
	int digit = (int)floor(log10(axis->step) + 1e-6); // power of ten of the step
	if (value != 0.0 && (largest >= 1e6 || digit < -4))
	{
		int lead = (int)floor(log10(fabs(value)) + 1e-9);
		snprintf(text, size, "%.*e", lead > digit ? lead - digit : 0, value);
	}
	else
		snprintf(text, size, "%.*f", digit < 0 && digit >= -4 ? -digit : 0, value);
}

void ticks_range(double *low, double *high, double margin)
{
	if (!isfinite(*low) || !isfinite(*high) || *low > *high)
	{
		*low = 0.0;
		*high = 1.0;
	}
	double length = *high - *low, least = 1e-9 * fmax(fabs(*low), fabs(*high));
	if (length <= least)
	{
		double half = *low == 0.0 ? 0.5 : 0.1 * fabs(*low);
		*low -= half;
		*high += half;
		return;
	}
	*low -= margin * length;
	*high += margin * length;
}
