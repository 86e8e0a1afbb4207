// The matrix of a substep, M + scale K, in blocks, and conjugate gradients on it. Sums have the same bits on any number of threads: rows
// are summed in the order of their slots, and products of vectors exactly.
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "body/deformable_work.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry
{
	uint32_t row, column, number, block;
	float of;
} entry;

static int by_place(const void *a, const void *b)
{
	const entry *x = a, *y = b;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

void matrix_free(body_matrix *m)
{
	mem_free(m->begin);
	mem_free(m->column);
	mem_free(m->term_begin);
	mem_free(m->terms);
	mem_free(m->blocks);
	mem_free(m->inverse);
	mem_free(m->diagonal);
	*m = (body_matrix){0};
}

static void list_entries(const deformable *b, entry *list)
{
	uint32_t n = 0, block = 0;
	for (uint32_t k = 0; k < b->count; k++, n++)
		list[n] = (entry){k, k, n, 0, 0.0f}; // every row has a diagonal
	for (uint32_t k = 0; k < b->triangle_count; k++)
		for (uint32_t a = 0; a < 9; a++, n++)
			list[n] = (entry){b->triangles[k].node[a / 3], b->triangles[k].node[a % 3], n, block++, 1.0f};
	for (uint32_t k = 0; k < b->tetrahedron_count; k++)
		for (uint32_t a = 0; a < 16; a++, n++)
			list[n] = (entry){b->tetrahedra[k].node[a / 4], b->tetrahedra[k].node[a % 4], n, block++, 1.0f};
	for (uint32_t k = 0; k < b->line_count; k++, block++)
	{
		const body_line *l = &b->lines[k];
		for (uint32_t a = 0; a < l->count * l->count; a++, n++)
			list[n] = (entry){l->node[a / l->count], l->node[a % l->count], n, block,
					  (float)(l->of[a / l->count] * l->of[a % l->count])};
	}
}

spate_result matrix_create(deformable *b, spate_error *error)
{
	body_matrix *m = &b->matrix;
	size_t total = (size_t)b->count + 9 * (size_t)b->triangle_count + 16 * (size_t)b->tetrahedron_count;
	for (uint32_t k = 0; k < b->line_count; k++)
		total += (size_t)b->lines[k].count * b->lines[k].count;
	entry *list = mem_alloc(total * sizeof *list);
	if (!list)
		return error_memory(error, total * sizeof *list);
	list_entries(b, list);
	qsort(list, total, sizeof *list, by_place);
	uint32_t slots = 0;
	for (size_t k = 0; k < total; k++)
		slots += k == 0 || list[k].row != list[k - 1].row || list[k].column != list[k - 1].column;
	m->rows = b->count;
	m->begin = mem_calloc(b->count + (size_t)1, sizeof *m->begin);
	m->column = mem_alloc(slots * sizeof *m->column);
	m->term_begin = mem_alloc((slots + (size_t)1) * sizeof *m->term_begin);
	m->terms = mem_alloc(total * sizeof *m->terms);
	m->blocks = mem_calloc(9 * (size_t)slots, sizeof *m->blocks);
	m->inverse = mem_calloc(9 * (size_t)b->count, sizeof *m->inverse);
	m->diagonal = mem_calloc(b->count, sizeof *m->diagonal);
	if (!m->begin || !m->column || !m->term_begin || !m->terms || !m->blocks || !m->inverse || !m->diagonal)
	{
		mem_free(list);
		return error_memory(error, total * sizeof *m->terms);
	}
	uint32_t slot = 0;
	for (size_t k = 0; k < total; k++)
	{
		if (k == 0 || list[k].row != list[k - 1].row || list[k].column != list[k - 1].column)
		{
			m->term_begin[slot] = (uint32_t)k;
			m->column[slot] = list[k].column;
			if (list[k].row == list[k].column)
				m->diagonal[list[k].row] = slot;
			m->begin[list[k].row + 1] = ++slot;
		}
		m->terms[k] = (body_term){list[k].block, list[k].of};
	}
	m->term_begin[slot] = (uint32_t)total;
	mem_free(list);
	return SPATE_OK;
}

typedef struct assembly
{
	deformable *body;
	double scale;
} assembly;

static void invert(const double *a, double *out)
{
	double c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8], c2 = a[3] * a[7] - a[4] * a[6];
	double volume = a[0] * c0 + a[1] * c1 + a[2] * c2, by = volume > 0.0 ? 1.0 / volume : 0.0;
	out[0] = by * c0;
	out[1] = by * (a[2] * a[7] - a[1] * a[8]);
	out[2] = by * (a[1] * a[5] - a[2] * a[4]);
	out[3] = by * c1;
	out[4] = by * (a[0] * a[8] - a[2] * a[6]);
	out[5] = by * (a[2] * a[3] - a[0] * a[5]);
	out[6] = by * c2;
	out[7] = by * (a[1] * a[6] - a[0] * a[7]);
	out[8] = by * (a[0] * a[4] - a[1] * a[3]);
}

static void assemble_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const assembly *t = context;
	deformable *b = t->body;
	body_matrix *m = &b->matrix;
	for (size_t row = begin; row < end; row++)
		for (uint32_t slot = m->begin[row]; slot < m->begin[row + 1]; slot++)
		{
			double sum[9] = {0};
			for (uint32_t k = m->term_begin[slot]; k < m->term_begin[slot + 1]; k++)
			{
				const double *own = b->own_blocks + 9 * (size_t)m->terms[k].block;
				double of = t->scale * (double)m->terms[k].of;
				for (int i = 0; i < 9 && of != 0.0; i++)
					sum[i] += of * own[i];
			}
			double *out = m->blocks + 9 * (size_t)slot;
			memcpy(out, sum, sizeof sum);
			for (int i = 0; i < 3 && slot == m->diagonal[row]; i++)
				out[4 * i] += b->mass[row];
		}
}

static void invert_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	deformable *b = context;
	for (size_t row = begin; row < end; row++)
	{
		double own[9];
		memcpy(own, b->matrix.blocks + 9 * (size_t)b->matrix.diagonal[row], sizeof own);
		for (int i = 0; i < 9; i++)
			own[i] += b->contact_sum[9 * row + (size_t)i];
		invert(own, b->matrix.inverse + 9 * row);
	}
}

void matrix_assemble(deformable *b, double scale)
{
	assembly t = {b, scale};
	parallel_for(b->threads, b->count, BODY_NODES, assemble_rows, &t);
	// contacts on the diagonal, for the preconditioner
	memset(b->contact_sum, 0, 9 * (size_t)b->count * sizeof *b->contact_sum);
	for (size_t k = 0; k < b->contacts.count; k++)
	{
		const body_contact *c = &b->contacts.data[k];
		for (uint32_t a = 0; a < c->count && c->push > 0.0; a++)
			for (int i = 0; i < 9; i++)
			{
				double n = c->normal[i / 3] * c->normal[i % 3];
				b->contact_sum[9 * (size_t)c->node[a] + (size_t)i] +=
				    c->of[a] * c->of[a] *
				    (b->step * b->step * c->stiffness * n + b->step * c->friction * ((i % 4 == 0) - n));
			}
	}
	parallel_for(b->threads, b->count, BODY_NODES, invert_rows, b);
}

typedef struct product
{
	const deformable *body;
	const double *v;
	double *out;
} product;

static void multiply_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const product *p = context;
	const body_matrix *m = &p->body->matrix;
	for (size_t row = begin; row < end; row++)
	{
		double x = 0.0, y = 0.0, z = 0.0;
		for (uint32_t slot = m->begin[row]; slot < m->begin[row + 1]; slot++)
		{
			const double *a = m->blocks + 9 * (size_t)slot, *v = p->v + 3 * (size_t)m->column[slot];
			x += a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
			y += a[3] * v[0] + a[4] * v[1] + a[5] * v[2];
			z += a[6] * v[0] + a[7] * v[1] + a[8] * v[2];
		}
		p->out[3 * row] = x;
		p->out[3 * row + 1] = y;
		p->out[3 * row + 2] = z;
	}
}

static void multiply_contacts(const deformable *b, const double *v, double *out)
{
	for (size_t k = 0; k < b->contacts.count; k++)
	{
		const body_contact *c = &b->contacts.data[k];
		if (!(c->push > 0.0))
			continue;
		double y[3] = {0, 0, 0};
		for (uint32_t a = 0; a < c->count; a++)
			for (int i = 0; i < 3; i++)
				y[i] += c->of[a] * v[3 * (size_t)c->node[a] + (size_t)i];
		double into = y[0] * c->normal[0] + y[1] * c->normal[1] + y[2] * c->normal[2];
		double across = b->step * c->friction, along = (b->step * b->step * c->stiffness - across) * into;
		for (uint32_t a = 0; a < c->count; a++)
			for (int i = 0; i < 3; i++)
				out[3 * (size_t)c->node[a] + (size_t)i] +=
				    c->of[a] * (along * c->normal[i] + across * y[i]);
	}
}

static void release(const deformable *b, double *v)
{
	for (uint32_t n = 0; n < b->count; n++)
		if (b->pinned[n])
			v[3 * (size_t)n] = v[3 * (size_t)n + 1] = v[3 * (size_t)n + 2] = 0.0;
}

void matrix_multiply(deformable *b, const double *v, double *out)
{
	product p = {b, v, out};
	parallel_for(b->threads, b->count, BODY_NODES, multiply_rows, &p);
	multiply_contacts(b, v, out);
	release(b, out);
}

typedef struct pair
{
	const double *a, *b;
} pair;

static void pair_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const pair *p = context;
	for (size_t k = begin; k < end; k++)
		terms[0][k - begin] = p->a[k] * p->b[k];
}

static double product_of(const deformable *b, const double *x, const double *y)
{
	pair p = {x, y};
	return parallel_sum(b->threads, 3 * (size_t)b->count, pair_terms, &p);
}

static void precondition_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const product *p = context;
	for (size_t row = begin; row < end; row++)
	{
		const double *a = p->body->matrix.inverse + 9 * row, *v = p->v + 3 * row;
		double *out = p->out + 3 * row;
		out[0] = a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
		out[1] = a[3] * v[0] + a[4] * v[1] + a[5] * v[2];
		out[2] = a[6] * v[0] + a[7] * v[1] + a[8] * v[2];
	}
}

static void precondition(const deformable *b, const double *v, double *out)
{
	product p = {b, v, out};
	if (b->factor.made)
		factor_solve(b, v, out);
	else
		parallel_for(b->threads, b->count, BODY_NODES, precondition_rows, &p);
}

uint32_t matrix_solve(deformable *b, const double *right, double *out, double share, uint32_t most)
{
	size_t size = 3 * (size_t)b->count;
	double *r = b->residual, *p = b->way, *ap = b->product, *z = b->solved;
	memcpy(r, right, size * sizeof *r);
	release(b, r);
	memset(out, 0, size * sizeof *out);
	precondition(b, r, z);
	memcpy(p, z, size * sizeof *p);
	double before = product_of(b, r, z), enough = share * share * before;
	uint32_t products = 0;
	while (before > enough && before > 1e-300 && products < most)
	{
		matrix_multiply(b, p, ap);
		products++;
		double curve = product_of(b, p, ap);
		if (!(curve > 0.0))
			break;
		double step = before / curve;
		for (size_t k = 0; k < size; k++)
		{
			out[k] += step * p[k];
			r[k] -= step * ap[k];
		}
		precondition(b, r, z);
		double now = product_of(b, r, z), turn = now / before;
		for (size_t k = 0; k < size; k++)
			p[k] = z[k] + turn * p[k];
		before = now;
	}
	return products;
}
