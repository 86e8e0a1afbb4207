// How strong forces are at a distance from their centre or axis: 1 at `radius`, in proportion to the distance inside it, and falling with a
// power of it outside, so that nothing is singular and 1 is the largest value.
#ifndef FORCE_RADIAL_H
#define FORCE_RADIAL_H

#include <math.h>

// Divided by the distance, for vectors of that length.
static inline float radial_share(float distance, float radius, int power, float other)
{
	if (distance <= radius)
		return 1.0f / radius;
	float s = radius / distance, share = s;
	switch (power)
	{
	case 0:
		return 1.0f / distance;
	case 1:
		break;
	case 2:
		share = s * s;
		break;
	case 3:
		share = s * s * s;
		break;
	default:
		share = powf(s, other);
	}
	return share / distance;
}

// The power as a whole number from 0 to 3, or -1.
static inline int radial_power(double power)
{
	return power == 0.0 || power == 1.0 || power == 2.0 || power == 3.0 ? (int)power : -1;
}

#endif
