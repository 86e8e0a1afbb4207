// The point of a triangle nearest to a given point, after Ericson: Real-Time Collision Detection, 2005, section 5.1.5.
#ifndef COLLIDER_CLOSEST_H
#define COLLIDER_CLOSEST_H

#include "base/vec.h"

static inline dvec3 closest_on_segment(dvec3 a, dvec3 b, dvec3 p)
{
	dvec3 ab = dvec3_sub(b, a);
	double square = dvec3_dot(ab, ab), along = dvec3_dot(dvec3_sub(p, a), ab);
	if (!(along > 0.0))
		return a;
	return along >= square ? b : dvec3_add_scaled(a, ab, along / square);
}

static inline dvec3 closest_on_triangle(dvec3 a, dvec3 b, dvec3 c, dvec3 p)
{
	dvec3 ab = dvec3_sub(b, a), ac = dvec3_sub(c, a), ap = dvec3_sub(p, a);
	double d1 = dvec3_dot(ab, ap), d2 = dvec3_dot(ac, ap);
	if (d1 <= 0.0 && d2 <= 0.0)
		return a;
	dvec3 bp = dvec3_sub(p, b);
	double d3 = dvec3_dot(ab, bp), d4 = dvec3_dot(ac, bp);
	if (d3 >= 0.0 && d4 <= d3)
		return b;
	dvec3 cp = dvec3_sub(p, c);
	double d5 = dvec3_dot(ab, cp), d6 = dvec3_dot(ac, cp);
	if (d6 >= 0.0 && d5 <= d6)
		return c;
	double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4, sum = va + vb + vc;
	if (vc <= 0.0 || !(sum > 0.0))
		if (d1 >= 0.0 && d3 <= 0.0)
			return closest_on_segment(a, b, p);
	if (vb <= 0.0 || !(sum > 0.0))
		if (d2 >= 0.0 && d6 <= 0.0)
			return closest_on_segment(a, c, p);
	if (va <= 0.0 || !(sum > 0.0))
		return closest_on_segment(b, c, p);
	return dvec3_add_scaled(dvec3_add_scaled(a, ab, vb / sum), ac, vc / sum);
}

#endif
