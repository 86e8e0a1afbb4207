// The determinant as a sum of 24 products of three floats. A product of two is exact in double; one of three is the sum
// of two doubles. These are summed as an expansion: non-overlapping doubles in increasing order (Shewchuk, Adaptive
// Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates, 1997, section 2.4).
#include "mesh/volume.h"

#include <math.h>

typedef struct expansion
{
	double part[48];
	int count;
} expansion;

// Grow-Expansion with zero elimination.
static void add(expansion *e, double b)
{
	int count = 0;
	for (int i = 0; i < e->count; i++)
	{
		double a = e->part[i], sum = a + b;
		double of_b = sum - a, rest = (a - (sum - of_b)) + (b - of_b);
		if (rest != 0.0)
			e->part[count++] = rest;
		b = sum;
	}
	if (b != 0.0)
		e->part[count++] = b;
	e->count = count;
}

static void add_product(expansion *e, double a, double b, double c)
{
	double ab = a * b, high = ab * c;
	add(e, fma(ab, c, -high));
	add(e, high);
}

// sign x . (y x z)
static void add_triple(expansion *e, double sign, const float x[3], const float y[3], const float z[3])
{
	for (int k = 0; k < 3; k++)
	{
		int l = (k + 1) % 3, m = (k + 2) % 3;
		add_product(e, x[k], y[l], sign * z[m]);
		add_product(e, x[k], y[m], -sign * z[l]);
	}
}

int volume_sign(const float p[3], const float q[3], const float r[3], const float s[3])
{
	expansion e;
	e.count = 0;
	add_triple(&e, 1.0, q, r, s);
	add_triple(&e, -1.0, p, r, s);
	add_triple(&e, 1.0, p, q, s);
	add_triple(&e, -1.0, p, q, r);
	return e.count == 0 ? 0 : e.part[e.count - 1] > 0.0 ? 1 : -1;
}
