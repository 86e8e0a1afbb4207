// Energies of deformable bodies, their forces and stiffness.
//
// Cloth: Saint Venant-Kirchhoff membranes in plane stress, and the quadratic bending of Bergou et al. (A quadratic bending model for
// inextensible surfaces, 2006) for every pair of triangles with a common edge. Ropes: springs of stretch and of curvature. Soft bodies:
// corotated elasticity with the true change of volume. Stiffness is made positive definite by leaving out what compression takes from it.
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "body/deformable_work.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------------- triangles

static void deform_triangle(const deformable *b, const body_triangle *t, double f[3][2])
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 2; j++)
		{
			f[i][j] = 0.0;
			for (int a = 0; a < 3; a++)
				f[i][j] += b->place[3 * (size_t)t->node[a] + (size_t)i] * t->slope[a][j];
		}
}

// Green's strain: xx, yy, xy.
static void strain_of(double f[3][2], double e[3])
{
	e[0] = 0.5 * (f[0][0] * f[0][0] + f[1][0] * f[1][0] + f[2][0] * f[2][0] - 1.0);
	e[1] = 0.5 * (f[0][1] * f[0][1] + f[1][1] * f[1][1] + f[2][1] * f[2][1] - 1.0);
	e[2] = 0.5 * (f[0][0] * f[0][1] + f[1][0] * f[1][1] + f[2][0] * f[2][1]);
}

typedef struct membrane
{
	double lambda, mu; // N/m
} membrane;

static membrane membrane_of(const deformable *b)
{
	double k = b->def.stiffness, nu = b->def.poisson;
	return (membrane){k * nu / (1.0 - nu * nu), 0.5 * k / (1.0 + nu)};
}

static void stress_of(membrane m, const double e[3], double s[3])
{
	double trace = m.lambda * (e[0] + e[1]);
	s[0] = trace + 2.0 * m.mu * e[0];
	s[1] = trace + 2.0 * m.mu * e[1];
	s[2] = 2.0 * m.mu * e[2];
}

// Leaves out compression.
static void keep_tension(double s[3])
{
	double mean = 0.5 * (s[0] + s[1]), half = 0.5 * (s[0] - s[1]), radius = sqrt(half * half + s[2] * s[2]);
	double high = mean + radius, low = mean - radius;
	if (low >= 0.0)
		return;
	if (high <= 0.0 || radius <= 0.0)
	{
		s[0] = s[1] = s[2] = 0.0;
		return;
	}
	// high times the projector on its direction
	double share = high / (2.0 * radius);
	double xx = share * (radius + half), yy = share * (radius - half), xy = share * s[2];
	s[0] = xx;
	s[1] = yy;
	s[2] = xy;
}

static void evaluate_triangle(const deformable *b, const body_triangle *t, double *blocks, double *forces)
{
	double f[3][2], e[3], s[3], fs[3][2], fg[3][3]; // fg[a]: F times the slope of a
	membrane m = membrane_of(b);
	deform_triangle(b, t, f);
	strain_of(f, e);
	stress_of(m, e, s);
	for (int i = 0; i < 3; i++)
	{
		fs[i][0] = f[i][0] * s[0] + f[i][1] * s[2];
		fs[i][1] = f[i][0] * s[2] + f[i][1] * s[1];
		for (int a = 0; a < 3; a++)
			fg[a][i] = f[i][0] * t->slope[a][0] + f[i][1] * t->slope[a][1];
	}
	for (int a = 0; a < 3; a++)
		for (int i = 0; i < 3; i++)
			forces[3 * a + i] = -t->area * (fs[i][0] * t->slope[a][0] + fs[i][1] * t->slope[a][1]);
	if (!blocks)
		return;
	keep_tension(s);
	double left[9];
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			left[3 * i + j] = f[i][0] * f[j][0] + f[i][1] * f[j][1];
	for (int a = 0; a < 3; a++)
		for (int c = 0; c < 3; c++)
		{
			const double *g = t->slope[a], *h = t->slope[c];
			double *out = blocks + 9 * (3 * a + c), flat = g[0] * h[0] + g[1] * h[1];
			double tension = g[0] * (s[0] * h[0] + s[2] * h[1]) + g[1] * (s[2] * h[0] + s[1] * h[1]);
			for (int i = 0; i < 3; i++)
				for (int j = 0; j < 3; j++)
					out[3 * i + j] =
					    t->area * (m.lambda * fg[a][i] * fg[c][j] +
						       m.mu * (flat * left[3 * i + j] + fg[c][i] * fg[a][j]) +
						       (i == j ? tension : 0.0));
		}
}

static double triangle_energy(const deformable *b, const body_triangle *t)
{
	double f[3][2], e[3], s[3];
	deform_triangle(b, t, f);
	strain_of(f, e);
	stress_of(membrane_of(b), e, s);
	return 0.5 * t->area * (e[0] * s[0] + e[1] * s[1] + 2.0 * e[2] * s[2]);
}

// ------------------------------------------------------------------------------------------------------------ tetrahedra

static void deform_tetrahedron(const deformable *b, const body_tetrahedron *t, double f[9])
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
		{
			f[3 * i + j] = 0.0;
			for (int a = 0; a < 4; a++)
				f[3 * i + j] += b->place[3 * (size_t)t->node[a] + (size_t)i] * t->slope[a][j];
		}
}

static void cross(const double a[3], const double b[3], double out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The rotation nearest to F (Mueller, Bender, Chentanez, Macklin: A robust method to extract the rotational part of deformations, 2016),
// from one that has F's first column.
static void rotation_of(const double f[9], double r[9])
{
	double c[3][3], q[3][3];
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 3; i++)
			c[k][i] = f[3 * i + k];
	double first = sqrt(dot(c[0], c[0]));
	for (int i = 0; i < 3; i++)
		q[0][i] = first > 1e-12 ? c[0][i] / first : (i == 0);
	double along = dot(q[0], c[1]);
	for (int i = 0; i < 3; i++)
		q[1][i] = c[1][i] - along * q[0][i];
	double second = sqrt(dot(q[1], q[1]));
	if (second < 1e-12)
	{
		double axis[3] = {0, 0, 0};
		axis[fabs(q[0][0]) < 0.7 ? 0 : 1] = 1.0;
		cross(q[0], axis, q[1]);
		second = sqrt(dot(q[1], q[1]));
	}
	for (int i = 0; i < 3; i++)
		q[1][i] /= second;
	cross(q[0], q[1], q[2]);
	for (int round = 0; round < 40; round++)
	{
		double turn[3] = {0, 0, 0}, by[3], size = 1e-9;
		for (int k = 0; k < 3; k++)
		{
			cross(q[k], c[k], by);
			size += fabs(dot(q[k], c[k]));
			for (int i = 0; i < 3; i++)
				turn[i] += by[i];
		}
		if (round == 0)
			size = fmax(size, 1e-9);
		double angle = sqrt(dot(turn, turn)) / size;
		if (angle < 1e-11)
			break;
		double axis[3] = {turn[0] / size / angle, turn[1] / size / angle, turn[2] / size / angle};
		double cosine = cos(angle), sine = sin(angle);
		for (int k = 0; k < 3; k++)
		{
			double side[3], part = dot(axis, q[k]) * (1.0 - cosine);
			cross(axis, q[k], side);
			for (int i = 0; i < 3; i++)
				q[k][i] = q[k][i] * cosine + side[i] * sine + axis[i] * part;
		}
	}
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 3; i++)
			r[3 * i + k] = q[k][i];
}

typedef struct solid_moduli
{
	double lambda, mu; // Pa
} solid_moduli;

static solid_moduli moduli_of(const deformable *b)
{
	double e = b->def.stiffness, nu = b->def.poisson;
	return (solid_moduli){e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), 0.5 * e / (1.0 + nu)};
}

// Cofactors of F, the slope of its determinant, which is returned.
static double cofactors_of(const double f[9], double c[9])
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
		{
			int a = (i + 1) % 3, b = (i + 2) % 3, k = (j + 1) % 3, l = (j + 2) % 3;
			c[3 * i + j] = f[3 * a + k] * f[3 * b + l] - f[3 * a + l] * f[3 * b + k];
		}
	return f[0] * c[0] + f[1] * c[1] + f[2] * c[2];
}

static void evaluate_tetrahedron(const deformable *b, const body_tetrahedron *t, double *blocks, double *forces)
{
	double f[9], r[9], p[9], cofactors[9], volume = t->volume * t->share;
	solid_moduli m = moduli_of(b);
	deform_tetrahedron(b, t, f);
	rotation_of(f, r);
	double growth = cofactors_of(f, cofactors) - 1.0;
	for (int k = 0; k < 9; k++)
		p[k] = 2.0 * m.mu * (f[k] - r[k]) + m.lambda * growth * cofactors[k];
	for (int a = 0; a < 4; a++)
		for (int i = 0; i < 3; i++)
			forces[3 * a + i] = -volume * dot(p + 3 * (size_t)i, t->slope[a]);
	if (!blocks)
		return;
	double turned[4][3], swept[4][3];
	for (int a = 0; a < 4; a++)
		for (int i = 0; i < 3; i++)
		{
			turned[a][i] = dot(r + 3 * (size_t)i, t->slope[a]);
			swept[a][i] = dot(cofactors + 3 * (size_t)i, t->slope[a]);
		}
	for (int a = 0; a < 4; a++)
		for (int c = 0; c < 4; c++)
		{
			double *out = blocks + 9 * (4 * a + c), flat = dot(turned[a], turned[c]);
			for (int i = 0; i < 3; i++)
				for (int j = 0; j < 3; j++)
					out[3 * i + j] =
					    volume * (m.lambda * swept[a][i] * swept[c][j] +
						      m.mu * ((i == j ? flat : 0.0) + turned[c][i] * turned[a][j]));
		}
}

static double tetrahedron_energy(const deformable *b, const body_tetrahedron *t)
{
	double f[9], r[9], cofactors[9], squares = 0.0;
	solid_moduli m = moduli_of(b);
	deform_tetrahedron(b, t, f);
	rotation_of(f, r);
	double growth = cofactors_of(f, cofactors) - 1.0;
	for (int k = 0; k < 9; k++)
		squares += (f[k] - r[k]) * (f[k] - r[k]);
	return t->volume * t->share * (m.mu * squares + 0.5 * m.lambda * growth * growth);
}

// ----------------------------------------------------------------------------------------------------------------- lines

static double line_vector(const deformable *b, const body_line *l, double y[3])
{
	for (int i = 0; i < 3; i++)
	{
		y[i] = 0.0;
		for (uint32_t a = 0; a < l->count; a++)
			y[i] += l->of[a] * b->place[3 * (size_t)l->node[a] + (size_t)i];
	}
	return sqrt(dot(y, y));
}

static void evaluate_line(const deformable *b, const body_line *l, double *block, double *forces)
{
	double y[3], length = line_vector(b, l, y);
	double along = length > 0.0 ? l->stiffness * (1.0 - l->rest / length) : 0.0;
	for (uint32_t a = 0; a < l->count; a++)
		for (int i = 0; i < 3; i++)
			forces[3 * a + (uint32_t)i] = -l->of[a] * along * y[i];
	if (!block)
		return;
	double across = l->rest == 0.0 ? l->stiffness : fmax(along, 0.0);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
		{
			double n = length > 0.0 ? y[i] * y[j] / (length * length) : 0.0;
			block[3 * i + j] = l->stiffness * n + across * ((i == j) - n);
		}
}

static double line_energy(const deformable *b, const body_line *l)
{
	double y[3], over = line_vector(b, l, y) - l->rest;
	return 0.5 * l->stiffness * over * over;
}

// ------------------------------------------------------------------------------------------------------------------- all

uint32_t elements_of(const deformable *b)
{
	return b->triangle_count + b->tetrahedron_count + b->line_count;
}

typedef struct evaluation
{
	deformable *body;
	int blocks;
} evaluation;

static void evaluate(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const evaluation *e = context;
	deformable *b = e->body;
	size_t triangles = b->triangle_count, solids = b->tetrahedron_count;
	for (size_t k = begin; k < end; k++)
	{
		double *forces = b->own_forces + 12 * k;
		double *blocks = e->blocks ? b->own_blocks : NULL;
		if (k < triangles)
			evaluate_triangle(b, &b->triangles[k], blocks ? blocks + 81 * k : NULL, forces);
		else if (k < triangles + solids)
			evaluate_tetrahedron(b, &b->tetrahedra[k - triangles],
					     blocks ? blocks + 81 * triangles + 144 * (k - triangles) : NULL, forces);
		else
			evaluate_line(b, &b->lines[k - triangles - solids],
				      blocks ? blocks + 81 * triangles + 144 * solids + 9 * (k - triangles - solids)
					     : NULL,
				      forces);
	}
}

void elements_evaluate(deformable *b, int blocks)
{
	evaluation e = {b, blocks};
	parallel_for(b->threads, elements_of(b), BODY_NODES, evaluate, &e);
}

double elements_energy(const deformable *b)
{
	double sum = 0.0;
	for (uint32_t k = 0; k < b->triangle_count; k++)
		sum += triangle_energy(b, &b->triangles[k]);
	for (uint32_t k = 0; k < b->tetrahedron_count; k++)
		sum += tetrahedron_energy(b, &b->tetrahedra[k]);
	for (uint32_t k = 0; k < b->line_count; k++)
		sum += line_energy(b, &b->lines[k]);
	return sum;
}

static uint32_t nodes_of(const deformable *b, uint32_t k, const uint32_t **nodes)
{
	if (k < b->triangle_count)
	{
		*nodes = b->triangles[k].node;
		return 3;
	}
	k -= b->triangle_count;
	if (k < b->tetrahedron_count)
	{
		*nodes = b->tetrahedra[k].node;
		return 4;
	}
	k -= b->tetrahedron_count;
	*nodes = b->lines[k].node;
	return b->lines[k].count;
}

// Lists the forces on each node.
spate_result elements_link(deformable *b, spate_error *error)
{
	uint32_t elements = elements_of(b), total = 0;
	const uint32_t *nodes;
	b->pull_begin = mem_calloc(b->count + (size_t)2, sizeof *b->pull_begin);
	size_t blocks = 81 * (size_t)b->triangle_count + 144 * (size_t)b->tetrahedron_count + 9 * (size_t)b->line_count;
	b->own_blocks = mem_alloc((blocks + 1) * sizeof *b->own_blocks);
	b->own_forces = mem_alloc((12 * (size_t)elements + 1) * sizeof *b->own_forces);
	b->pulls = mem_alloc((4 * (size_t)elements + 1) * sizeof *b->pulls);
	if (!b->pull_begin || !b->own_blocks || !b->own_forces || !b->pulls)
		return error_memory(error, blocks * sizeof *b->own_blocks);
	for (uint32_t k = 0; k < elements; k++)
		for (uint32_t a = nodes_of(b, k, &nodes); a-- > 0;)
			b->pull_begin[nodes[a] + 2]++;
	for (uint32_t n = 0; n < b->count; n++)
		total += b->pull_begin[n + 2], b->pull_begin[n + 2] = total;
	for (uint32_t k = 0; k < elements; k++)
	{
		uint32_t count = nodes_of(b, k, &nodes);
		for (uint32_t a = 0; a < count; a++)
			b->pulls[b->pull_begin[nodes[a] + 1]++] = 4 * k + a;
	}
	return SPATE_OK;
}
