// Small vectors. vec3 is the type of positions and velocities wherever speed does not ask for lanes.
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

// The zero vector stays zero. In double, where no square of a float is lost or overflows.
static inline vec3 vec3_normalize(vec3 a)
{
	double x = a.x, y = a.y, z = a.z, length = sqrt(x * x + y * y + z * z);
	return length > 0.0 ? (vec3){(float)(x / length), (float)(y / length), (float)(z / length)} : a;
}

static inline int vec3_is_finite(vec3 a)
{
	return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

#endif
