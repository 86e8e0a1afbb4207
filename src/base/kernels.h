// Smoothing kernels in three dimensions, with support radius h (m): value W (1/m^3), derivative dW/dr (1/m^4) and
// Laplacian W'' + 2 W'/r (1/m^5) at distance r >= 0 (m). All are zero from r = h on and integrate to one over space.
//
//	poly6      Mueller, Charypar, Gross: Particle-based fluid simulation for interactive applications, 2003, eq. 20
//	spiky      eq. 21 there; its gradient does not vanish at the centre
//	viscosity  eq. 22 there; its Laplacian is positive everywhere
//	cubic      the cubic spline of Monaghan, Smoothed particle hydrodynamics, 1992, scaled to support h
//	wendland   C4 of Wendland: Piecewise polynomial, positive definite and compactly supported radial functions, 1995
//
// Computed from q = r / h, so that no power of a small radius underflows. Code that runs in lanes takes the norms from
// here and uses the form that suits it.
#ifndef BASE_KERNELS_H
#define BASE_KERNELS_H

#define KERNEL_PI 3.14159265358979323846

// W = norm / h^3 times a function of q
#define KERNEL_POLY6_NORM (315.0 / (64.0 * KERNEL_PI))    // (1 - q^2)^3
#define KERNEL_SPIKY_NORM (15.0 / KERNEL_PI)              // (1 - q)^3
#define KERNEL_VISCOSITY_NORM (15.0 / (2.0 * KERNEL_PI))  // -q^3 / 2 + q^2 + 1 / (2 q) - 1
#define KERNEL_CUBIC_NORM (8.0 / KERNEL_PI)               // 1 - 6 q^2 + 6 q^3 up to q = 1/2, then 2 (1 - q)^3
#define KERNEL_WENDLAND_NORM (495.0 / (32.0 * KERNEL_PI)) // (1 - q)^6 (1 + 6 q + 35/3 q^2)

static inline float poly6_value(float r, float h)
{
	float q = r / h, t = (1.0f - q) * (1.0f + q);
	return q < 1.0f ? (float)KERNEL_POLY6_NORM / (h * h * h) * (t * t * t) : 0.0f;
}

static inline float poly6_derivative(float r, float h)
{
	float q = r / h, t = (1.0f - q) * (1.0f + q);
	return q < 1.0f ? (float)(-6.0 * KERNEL_POLY6_NORM) / (h * h * h * h) * (q * t * t) : 0.0f;
}

static inline float poly6_laplacian(float r, float h)
{
	float q = r / h, t = (1.0f - q) * (1.0f + q);
	return q < 1.0f ? (float)(-6.0 * KERNEL_POLY6_NORM) / (h * h * h * h * h) * (t * (3.0f - 7.0f * q * q)) : 0.0f;
}

static inline float spiky_value(float r, float h)
{
	float q = r / h, t = 1.0f - q;
	return q < 1.0f ? (float)KERNEL_SPIKY_NORM / (h * h * h) * (t * t * t) : 0.0f;
}

static inline float spiky_derivative(float r, float h)
{
	float q = r / h, t = 1.0f - q;
	return q < 1.0f ? (float)(-3.0 * KERNEL_SPIKY_NORM) / (h * h * h * h) * (t * t) : 0.0f;
}

// Minus infinity at r = 0.
static inline float spiky_laplacian(float r, float h)
{
	float q = r / h, t = 1.0f - q;
	return q < 1.0f ? (float)(6.0 * KERNEL_SPIKY_NORM) / (h * h * h * h * h) * (t * (2.0f * q - 1.0f) / q) : 0.0f;
}

// Infinite at r = 0. Value and derivative are factored, which avoids cancellation near q = 1.
static inline float viscosity_value(float r, float h)
{
	// -q^3 / 2 + q^2 + 1 / (2 q) - 1 = (1 - q)^3 (1 + q) / (2 q)
	float q = r / h, t = 1.0f - q;
	return q < 1.0f ? (float)KERNEL_VISCOSITY_NORM / (h * h * h) * (t * t * t * (1.0f + q) / (2.0f * q)) : 0.0f;
}

// Minus infinity at r = 0.
static inline float viscosity_derivative(float r, float h)
{
	// -3 q^2 / 2 + 2 q - 1 / (2 q^2) = -(1 - q)^2 (3 q^2 + 2 q + 1) / (2 q^2)
	float q = r / h, t = 1.0f - q;
	return q < 1.0f ? (float)-KERNEL_VISCOSITY_NORM / (h * h * h * h) *
			      (t * t * (3.0f * q * q + 2.0f * q + 1.0f) / (2.0f * q * q))
			: 0.0f;
}

static inline float viscosity_laplacian(float r, float h)
{
	float q = r / h;
	return q < 1.0f ? (float)(6.0 * KERNEL_VISCOSITY_NORM) / (h * h * h * h * h) * (1.0f - q) : 0.0f;
}

static inline float cubic_value(float r, float h)
{
	float q = r / h, t = 1.0f - q, norm = (float)KERNEL_CUBIC_NORM / (h * h * h);
	if (q <= 0.5f)
		return norm * (1.0f - 6.0f * q * q * t);
	return q < 1.0f ? norm * (2.0f * t * t * t) : 0.0f;
}

static inline float cubic_derivative(float r, float h)
{
	float q = r / h, t = 1.0f - q, norm = (float)(6.0 * KERNEL_CUBIC_NORM) / (h * h * h * h);
	if (q <= 0.5f)
		return norm * (q * (3.0f * q - 2.0f));
	return q < 1.0f ? -norm * (t * t) : 0.0f;
}

static inline float cubic_laplacian(float r, float h)
{
	float q = r / h, t = 1.0f - q, norm = (float)(12.0 * KERNEL_CUBIC_NORM) / (h * h * h * h * h);
	if (q <= 0.5f)
		return norm * (6.0f * q - 3.0f);
	return q < 1.0f ? norm * (t * (2.0f * q - 1.0f) / q) : 0.0f;
}

static inline float wendland_value(float r, float h)
{
	float q = r / h, t = 1.0f - q, t2 = t * t;
	return q < 1.0f ? (float)KERNEL_WENDLAND_NORM / (h * h * h) *
			      (t2 * t2 * t2 * (1.0f + q * (6.0f + q * (float)(35.0 / 3.0))))
			: 0.0f;
}

static inline float wendland_derivative(float r, float h)
{
	float q = r / h, t = 1.0f - q, t2 = t * t;
	return q < 1.0f ? (float)(-56.0 / 3.0 * KERNEL_WENDLAND_NORM) / (h * h * h * h) *
			      (q * (1.0f + 5.0f * q) * t2 * t2 * t)
			: 0.0f;
}

static inline float wendland_laplacian(float r, float h)
{
	float q = r / h, t = 1.0f - q, t2 = t * t;
	return q < 1.0f ? (float)(-56.0 * KERNEL_WENDLAND_NORM) / (h * h * h * h * h) *
			      (t2 * t2 * (1.0f + q * (4.0f - 15.0f * q)))
			: 0.0f;
}

typedef float kernel_function(float r, float h);

// Functions of a kernel, for code that chooses one by name; hot loops call the functions above.
typedef struct kernel
{
	const char *name;
	kernel_function *value, *derivative, *laplacian;
	int singular; // the value is infinite at r = 0
} kernel;

enum
{
	KERNEL_COUNT = 5
};

extern const kernel kernel_table[KERNEL_COUNT];

#endif
