#include "body/deformable.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "body/deformable_work.h"

#include <math.h>
#include <string.h>

// Longest substep (s): the error of the first order in time that damps what is faster.
#define LONGEST 0.002

// Newton steps of a substep end when no node moves by more than this part of the shortest element, or when there have been so many.
#define ENOUGH 1e-4
enum
{
	MOST_NEWTON = 12,
	MOST_PRODUCTS = 2000
};

// How far the linear problems are solved, relative to the start: those of Newton steps, and of what the liquid asks.
#define NEWTON_SHARE 1e-4
#define YIELD_SHARE 1e-7

static spate_result check(const deformable_def *def, spate_error *error)
{
	if (!(def->density > 0.0) || !(def->stiffness > 0.0) || !(def->bending >= 0.0) || !(def->damping >= 0.0) ||
	    !(def->thickness >= 0.0))
		return error_set(error, SPATE_INVALID, "a body that bends needs a density and a stiffness above 0");
	if (def->kind != DEFORMABLE_ROPE && !(def->poisson >= 0.0 && def->poisson < 0.5))
		return error_set(error, SPATE_INVALID, "the ratio of Poisson is %g; it must be from 0 to below 0.5",
				 def->poisson);
	return SPATE_OK;
}

void deformable_destroy(deformable *b)
{
	if (!b)
		return;
	void *const blocks[] = {b->place,       b->velocity, b->force,      b->mass,       b->start,   b->guide,
				b->pinned,      b->firm,     b->triangles,  b->tetrahedra, b->lines,   b->own_blocks,
				b->own_forces,  b->pulls,    b->pull_begin, b->anchors,    b->x0,      b->v0,
				b->rest,        b->change,   b->residual,   b->way,        b->product, b->solved,
				b->contact_sum, b->at_rest,  b->owner};
	for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
		mem_free(blocks[k]);
	matrix_free(&b->matrix);
	factor_free(&b->factor);
	array_free(&b->contacts);
	spate_mesh_destroy(b->surface);
	mem_free(b);
}

// Arrays of numbers, 3 per node.
static spate_result take_arrays(deformable *b, spate_error *error)
{
	size_t size = 3 * (size_t)b->count;
	double **arrays[] = {&b->velocity, &b->force,  &b->start,    &b->guide, &b->x0,      &b->v0,
			     &b->rest,     &b->change, &b->residual, &b->way,   &b->product, &b->solved};
	int failed = 0;
	for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
	{
		*arrays[k] = mem_calloc(size, sizeof(double));
		failed |= !*arrays[k];
	}
	b->contact_sum = mem_calloc(3 * size, sizeof(double));
	b->pinned = mem_calloc(b->count, 1);
	b->firm = mem_calloc(b->count, sizeof *b->firm);
	failed |= !b->contact_sum || !b->pinned || !b->firm;
	return failed ? error_memory(error, 12 * size * sizeof(double)) : SPATE_OK;
}

// Stiffness of the nodes at rest.
static void find_firm(deformable *b)
{
	b->step = 0.0;
	elements_evaluate(b, 1);
	matrix_assemble(b, 1.0);
	for (uint32_t n = 0; n < b->count; n++)
	{
		const double *own = b->matrix.blocks + 9 * (size_t)b->matrix.diagonal[n];
		b->firm[n] = fmax((own[0] + own[4] + own[8]) / 3.0 - b->mass[n], 0.0);
	}
}

spate_result deformable_create(deformable **body, const deformable_def *def, spate_error *error)
{
	*body = NULL;
	spate_result result = check(def, error);
	if (result != SPATE_OK)
		return result;
	deformable *b = mem_calloc(1, sizeof *b);
	if (!b)
		return error_memory(error, sizeof *b);
	b->def = *def;
	b->threads = 1;
	b->longest = LONGEST;
	b->margin = fmax(0.5 * def->thickness, def->kind == DEFORMABLE_ROPE ? def->radius : 0.0);
	result = def->kind == DEFORMABLE_CLOTH  ? cloth_make(b, error)
		 : def->kind == DEFORMABLE_ROPE ? rope_make(b, error)
						: soft_make(b, error);
	b->def.mesh = NULL; // borrowed for the call
	if (result == SPATE_OK)
		result = take_arrays(b, error);
	if (result == SPATE_OK)
		result = elements_link(b, error);
	if (result == SPATE_OK)
		result = matrix_create(b, error);
	if (result == SPATE_OK)
		result = factor_create(b, error);
	if (result != SPATE_OK)
	{
		deformable_destroy(b);
		return result;
	}
	find_firm(b);
	memcpy(b->start, b->place, 3 * (size_t)b->count * sizeof *b->start);
	memcpy(b->guide, b->place, 3 * (size_t)b->count * sizeof *b->guide);
	for (uint32_t n = 0; n < b->count; n++)
		b->pinned[n] = b->mass[n] <= 0.0;
	*body = b;
	return SPATE_OK;
}

size_t deformable_bytes(const deformable *b)
{
	size_t slots = b->matrix.begin[b->count];
	return sizeof *b + b->count * (size_t)(46 * 8) + slots * (72 + 8) + elements_of(b) * (size_t)(96 + 64) +
	       b->triangle_count * (size_t)(81 * 8) + b->tetrahedron_count * (size_t)(144 * 8) +
	       b->line_count * (size_t)(16 * 8 + 72);
}

// ----------------------------------------------------------------------------------------------------------------- nodes

uint32_t deformable_count(const deformable *b)
{
	return b->count;
}

double *deformable_places(deformable *b)
{
	return b->place;
}

double *deformable_velocities(deformable *b)
{
	return b->velocity;
}

double *deformable_forces(deformable *b)
{
	return b->force;
}

const double *deformable_masses(const deformable *b)
{
	return b->mass;
}

double deformable_mass(const deformable *b)
{
	double sum = 0.0;
	for (uint32_t n = 0; n < b->count; n++)
		sum += b->mass[n];
	return sum;
}

double deformable_energy(deformable *b)
{
	return elements_energy(b);
}

double deformable_speed(const deformable *b)
{
	double most = 0.0;
	for (uint32_t n = 0; n < b->count; n++)
	{
		const double *v = b->velocity + 3 * (size_t)n;
		most = fmax(most, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	}
	return sqrt(most);
}

void deformable_pin(deformable *b, uint32_t node)
{
	b->pinned[node] = 1;
	memcpy(b->guide + 3 * (size_t)node, b->place + 3 * (size_t)node, 3 * sizeof(double));
	memset(b->velocity + 3 * (size_t)node, 0, 3 * sizeof(double));
}

void deformable_unpin(deformable *b, uint32_t node)
{
	b->pinned[node] = b->mass[node] <= 0.0;
}

int deformable_is_pinned(const deformable *b, uint32_t node)
{
	return b->pinned[node];
}

void deformable_guide(deformable *b, uint32_t node, const double place[3])
{
	memcpy(b->guide + 3 * (size_t)node, place, 3 * sizeof(double));
}

// -------------------------------------------------------------------------------------------------------------- substeps

typedef struct newton
{
	deformable *body;
	const deformable_surroundings *around;
	double h;
} newton;

static void pull_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const newton *t = context;
	deformable *b = t->body;
	for (size_t n = begin; n < end; n++)
		for (size_t i = 0; i < 3; i++)
		{
			double sum = b->mass[n] * t->around->gravity[i] + b->force[3 * n + i];
			for (uint32_t k = b->pull_begin[n]; k < b->pull_begin[n + 1]; k++)
				sum += b->own_forces[3 * (size_t)b->pulls[k] + i];
			b->rest[3 * n + i] = sum;
		}
}

// h times the forces, and what the momentum lacks.
static void find_residual(const newton *t)
{
	deformable *b = t->body;
	double h = t->h, damping = b->def.damping;
	parallel_for(b->threads, b->count, BODY_NODES, pull_rows, (void *)t);
	contacts_of_body_push(b, b->place, b->velocity, b->rest);
	matrix_assemble(b, h * h + h * damping);
	if (damping > 0.0)
	{
		// h^2 K v out of (M + (h^2 + h damping) K) v, without contacts
		size_t contacts = b->contacts.count;
		b->contacts.count = 0;
		matrix_multiply(b, b->velocity, b->product);
		b->contacts.count = contacts;
	}
	for (size_t k = 0; k < 3 * (size_t)b->count; k++)
	{
		double m = b->mass[k / 3], slow = 0.0;
		if (damping > 0.0)
			slow = damping / (h + damping) * (b->product[k] - m * b->velocity[k]);
		b->rest[k] = m * (b->v0[k] - b->velocity[k]) + h * b->rest[k] - slow;
	}
}

static void place_nodes(deformable *b, double h)
{
	for (size_t k = 0; k < 3 * (size_t)b->count; k++)
		b->place[k] = b->x0[k] + h * b->velocity[k];
}

// Angular momentum about the centre of mass, that centre, and the moments of inertia.
typedef struct spin
{
	double mass, centre[3], drift[3], momentum[3], inertia[9];
} spin;

static void cross_add(const double a[3], const double b[3], double by, double out[3])
{
	out[0] += by * (a[1] * b[2] - a[2] * b[1]);
	out[1] += by * (a[2] * b[0] - a[0] * b[2]);
	out[2] += by * (a[0] * b[1] - a[1] * b[0]);
}

static spin spin_of(const deformable *b, const double *places, const double *velocities)
{
	spin s = {0};
	for (uint32_t n = 0; n < b->count; n++)
	{
		s.mass += b->mass[n];
		for (int i = 0; i < 3; i++)
		{
			s.centre[i] += b->mass[n] * places[3 * (size_t)n + (size_t)i];
			s.drift[i] += b->mass[n] * velocities[3 * (size_t)n + (size_t)i];
		}
	}
	for (int i = 0; i < 3; i++)
		s.centre[i] /= s.mass, s.drift[i] /= s.mass;
	for (uint32_t n = 0; n < b->count; n++)
	{
		double r[3], v[3], square;
		for (int i = 0; i < 3; i++)
		{
			r[i] = places[3 * (size_t)n + (size_t)i] - s.centre[i];
			v[i] = velocities[3 * (size_t)n + (size_t)i] - s.drift[i];
		}
		square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
		cross_add(r, v, b->mass[n], s.momentum);
		for (int i = 0; i < 9; i++)
			s.inertia[i] += b->mass[n] * ((i % 4 == 0 ? square : 0.0) - r[i / 3] * r[i % 3]);
	}
	return s;
}

static int is_free(const deformable *b)
{
	for (uint32_t n = 0; n < b->count; n++)
		if (b->pinned[n])
			return 0;
	for (size_t k = 0; k < b->contacts.count; k++)
		if (b->contacts.data[k].walled && b->contacts.data[k].push > 0.0)
			return 0;
	return 1;
}

// A substep of the first order loses angular momentum where a body turns. A free body gets it back as a rotation.
static void restore_spin(deformable *b, double h)
{
	spin before = spin_of(b, b->x0, b->v0), now = spin_of(b, b->place, b->velocity);
	double lack[3], turn[3] = {0, 0, 0}, *m = now.inertia;
	for (int i = 0; i < 3; i++)
		lack[i] = before.momentum[i] - now.momentum[i];
	for (uint32_t n = 0; n < b->count; n++)
	{
		double r[3];
		for (int i = 0; i < 3; i++)
			r[i] = b->x0[3 * (size_t)n + (size_t)i] - before.centre[i];
		cross_add(r, b->force + 3 * (size_t)n, h, lack);
	}
	// a straight rope has no inertia about its axis
	double tiny = 1e-9 * (m[0] + m[4] + m[8]);
	for (int i = 0; i < 3; i++)
		m[4 * i] += tiny;
	double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
	double d = m[0] * c0 + m[1] * c1 + m[2] * c2;
	if (!(fabs(d) > 0.0))
		return;
	turn[0] = (c0 * lack[0] + c1 * lack[1] + c2 * lack[2]) / d;
	turn[1] = ((m[2] * m[7] - m[1] * m[8]) * lack[0] + (m[0] * m[8] - m[2] * m[6]) * lack[1] +
		   (m[1] * m[6] - m[0] * m[7]) * lack[2]) /
		  d;
	turn[2] = ((m[1] * m[5] - m[2] * m[4]) * lack[0] + (m[2] * m[3] - m[0] * m[5]) * lack[1] +
		   (m[0] * m[4] - m[1] * m[3]) * lack[2]) /
		  d;
	for (uint32_t n = 0; n < b->count; n++)
	{
		double r[3];
		for (int i = 0; i < 3; i++)
			r[i] = b->place[3 * (size_t)n + (size_t)i] - now.centre[i];
		cross_add(turn, r, 1.0, b->velocity + 3 * (size_t)n);
	}
}

static void substep(const newton *t, double share)
{
	deformable *b = t->body;
	size_t size = 3 * (size_t)b->count;
	memcpy(b->x0, b->place, size * sizeof *b->x0);
	memcpy(b->v0, b->velocity, size * sizeof *b->v0);
	for (size_t k = 0; k < size; k++)
		if (b->pinned[k / 3])
			b->velocity[k] = b->v0[k] =
			    (b->start[k] + share * (b->guide[k] - b->start[k]) - b->x0[k]) / t->h;
	for (int round = 0; round < MOST_NEWTON; round++)
	{
		place_nodes(b, t->h);
		elements_evaluate(b, 1);
		find_residual(t);
		b->products += matrix_solve(b, b->rest, b->change, NEWTON_SHARE, MOST_PRODUCTS);
		b->newtons++;
		double most = 0.0;
		for (size_t k = 0; k < size; k++)
			most = fmax(most, fabs(b->change[k]));
		// no node goes further at a time than its elements can tell
		double by = fmin(1.0, b->fine / (t->h * fmax(most, 1e-300)));
		for (size_t k = 0; k < size; k++)
			b->velocity[k] += by * b->change[k];
		if (t->h * most < ENOUGH * b->fine)
			break;
	}
	place_nodes(b, t->h);
	if (is_free(b))
		restore_spin(b, t->h);
}

// Turns the direction across a rope's first segment with it.
static void turn_frame(deformable *b)
{
	if (b->def.kind != DEFORMABLE_ROPE)
		return;
	double way[3], length = 0.0, along = 0.0, left = 0.0;
	for (int i = 0; i < 3; i++)
		way[i] = b->place[3 + i] - b->place[i], length += way[i] * way[i];
	for (int i = 0; i < 3 && length > 0.0; i++)
		along += b->frame[i] * way[i] / length;
	double turned[3];
	for (int i = 0; i < 3; i++)
		turned[i] = b->frame[i] - along * way[i], left += turned[i] * turned[i];
	for (int i = 0; i < 3 && left > 1e-12; i++)
		b->frame[i] = turned[i] / sqrt(left);
}

spate_result deformable_advance(deformable *b, const deformable_surroundings *around, double dt, spate_error *error)
{
	double wanted = ceil(dt / b->longest - 1e-9);
	uint32_t count = wanted < 1.0 ? 1 : wanted > 10000.0 ? 10000 : (uint32_t)wanted;
	newton t = {b, around, dt / count};
	size_t size = 3 * (size_t)b->count;
	b->threads = around->threads > 1 ? around->threads : 1;
	memcpy(b->start, b->place, size * sizeof *b->start);
	memcpy(b->frame_before, b->frame, sizeof b->frame);
	b->made = b->factor.made = 0;
	for (uint32_t k = 0; k < count; k++)
	{
		b->step = t.h;
		spate_result result = contacts_of_body_find(b, around, t.h, dt - t.h * (double)(k + 1), error);
		if (result != SPATE_OK)
			return result;
		substep(&t, (double)(k + 1) / count);
	}
	turn_frame(b);
	for (size_t k = 0; k < size; k++)
		if (!isfinite(b->place[k]) || !isfinite(b->velocity[k]))
			return error_set(error, SPATE_INVALID, "a body that bends has torn itself apart");
	b->last_dt = dt;
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------------- yielding

void deformable_yield(deformable *b, const double *impulses, double *changes)
{
	double dt = b->last_dt;
	if (!b->made)
	{
		b->step = dt;
		elements_evaluate(b, 1);
		matrix_assemble(b, dt * dt + dt * b->def.damping);
		factor_make(b);
		b->made = 1;
	}
	matrix_solve(b, impulses, changes, YIELD_SHARE, MOST_PRODUCTS);
}

double deformable_ease(const deformable *b, uint32_t vertex, const double v[3])
{
	const uint32_t *nodes = b->anchors ? b->anchors[vertex].node : &vertex;
	const double one = 1.0, *weights = b->anchors ? b->anchors[vertex].weight : &one;
	double sum = 0.0;
	for (int k = 0; k < (b->anchors ? 4 : 1); k++)
	{
		const double *w = b->matrix.inverse + 9 * (size_t)nodes[k];
		double own = 0.0;
		for (int i = 0; i < 9 && !b->pinned[nodes[k]]; i++)
			own += v[i / 3] * w[i] * v[i % 3];
		sum += weights[k] * weights[k] * own;
	}
	return sum;
}

void deformable_take(deformable *b, const double *changes)
{
	for (size_t k = 0; k < 3 * (size_t)b->count; k++)
	{
		b->velocity[k] += changes[k];
		b->place[k] += b->last_dt * changes[k];
	}
	b->made = b->factor.made = 0;
	turn_frame(b);
}

// ----------------------------------------------------------------------------------------------------------------- state

void deformable_save(const deformable *b, byte_writer *to)
{
	size_t bytes = 3 * (size_t)b->count * sizeof(double);
	bytes_put_u32(to, b->count);
	bytes_put(to, b->place, bytes);
	bytes_put(to, b->velocity, bytes);
	bytes_put(to, b->force, bytes);
	bytes_put(to, b->guide, bytes);
	bytes_put(to, b->pinned, b->count);
	bytes_put(to, b->frame, sizeof b->frame);
}

int deformable_load(deformable *b, byte_reader *from)
{
	size_t size = 3 * (size_t)b->count, bytes = size * sizeof(double);
	if (bytes_get_u32(from) != b->count)
		return 0;
	double *const arrays[] = {b->place, b->velocity, b->force, b->guide};
	for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
	{
		bytes_get(from, arrays[k], bytes);
		for (size_t i = 0; i < size; i++)
			if (!isfinite(arrays[k][i]))
				return 0;
	}
	bytes_get(from, b->pinned, b->count);
	bytes_get(from, b->frame, sizeof b->frame);
	for (uint32_t n = 0; n < b->count; n++)
		if (b->pinned[n] > 1 || (!b->pinned[n] && b->mass[n] <= 0.0))
			return 0;
	if (!isfinite(b->frame[0] + b->frame[1] + b->frame[2]))
		return 0;
	memcpy(b->start, b->place, bytes);
	memcpy(b->frame_before, b->frame, sizeof b->frame);
	b->contacts.count = 0;
	b->made = b->factor.made = 0;
	return !from->ran_out;
}
