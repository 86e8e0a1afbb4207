// Small vectors. vec3 is the type of positions and velocities in code that does not use SIMD lanes.
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <math.h>

typedef struct vec3
{
	float x, y, z;
} vec3;

typedef struct vec4
{
	float x, y, z, w;
} vec4;

typedef struct dvec3
{
	double x, y, z;
} dvec3;

static inline vec3 vec3_make(float x, float y, float z)
{
	return (vec3){x, y, z};
}

static inline vec3 vec3_add(vec3 a, vec3 b)
{
	return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 vec3_sub(vec3 a, vec3 b)
{
	return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 vec3_scale(vec3 a, float s)
{
	return (vec3){a.x * s, a.y * s, a.z * s};
}

// a + s b
static inline vec3 vec3_add_scaled(vec3 a, vec3 b, float s)
{
	return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline float vec3_dot(vec3 a, vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 vec3_cross(vec3 a, vec3 b)
{
	return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float vec3_length(vec3 a)
{
	return sqrtf(vec3_dot(a, a));
}

// The zero vector stays zero. Computed in double, where squares of floats neither underflow nor overflow.
static inline vec3 vec3_normalize(vec3 a)
{
	double x = a.x, y = a.y, z = a.z, length = sqrt(x * x + y * y + z * z);
	return length > 0.0 ? (vec3){(float)(x / length), (float)(y / length), (float)(z / length)} : a;
}

static inline int vec3_is_finite(vec3 a)
{
	return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline dvec3 dvec3_sub(dvec3 a, dvec3 b)
{
	return (dvec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline dvec3 dvec3_add_scaled(dvec3 a, dvec3 b, double s)
{
	return (dvec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double dvec3_dot(dvec3 a, dvec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dvec3 dvec3_cross(dvec3 a, dvec3 b)
{
	return (dvec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double dvec3_length(dvec3 a)
{
	return sqrt(dvec3_dot(a, a));
}

// Two unit vectors perpendicular to a unit vector n and to each other; the first is horizontal (y is up) where possible.
static inline void vec3_across(const double n[3], double u[3], double v[3])
{
	int steep = fabs(n[1]) >= 0.9;
	double up[3] = {steep, !steep, 0.0};
	double c[3] = {up[1] * n[2] - up[2] * n[1], up[2] * n[0] - up[0] * n[2], up[0] * n[1] - up[1] * n[0]};
	double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
	for (int k = 0; k < 3; k++)
		u[k] = c[k] / length;
	v[0] = n[1] * u[2] - n[2] * u[1];
	v[1] = n[2] * u[0] - n[0] * u[2];
	v[2] = n[0] * u[1] - n[1] * u[0];
}

#endif
