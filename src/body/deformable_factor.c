// A Cholesky factor of the matrix of a substep within its envelope, for the many right sides that the liquid asks about. Nodes are ordered
// by Cuthill and McKee's rule (Reducing the bandwidth of sparse symmetric matrices, 1969), in reverse.
#include "base/error.h"
#include "base/memory.h"
#include "body/deformable_work.h"

#include <math.h>
#include <string.h>

// More operations than this are not worth a factor.
#define MOST_WORK 4e8

static uint32_t degree(const body_matrix *m, uint32_t node)
{
	return m->begin[node + 1] - m->begin[node];
}

// Numbers the nodes that can be reached from one, level by level; returns the last node.
static uint32_t spread(const body_matrix *m, uint32_t from, uint32_t *order, uint32_t *place, uint32_t first)
{
	uint32_t end = first, at = first;
	place[from] = end;
	order[end++] = from;
	for (; at < end; at++)
	{
		uint32_t begin = end;
		for (uint32_t s = m->begin[order[at]]; s < m->begin[order[at] + 1]; s++)
		{
			uint32_t next = m->column[s];
			if (place[next] != UINT32_MAX)
				continue;
			uint32_t to = end++;
			for (; to > begin && degree(m, order[to - 1]) > degree(m, next); to--)
			{
				order[to] = order[to - 1];
				place[order[to]] = to;
			}
			order[to] = next;
			place[next] = to;
		}
	}
	return end;
}

static void order_nodes(const body_matrix *m, uint32_t *order, uint32_t *place)
{
	for (uint32_t n = 0; n < m->rows; n++)
		place[n] = UINT32_MAX;
	for (uint32_t done = 0, n = 0; done < m->rows; n++)
	{
		if (place[n] != UINT32_MAX)
			continue;
		// from the far end of what n reaches, and from the far end of that
		uint32_t end = spread(m, n, order, place, done), far = order[end - 1];
		for (int again = 0; again < 2; again++)
		{
			for (uint32_t k = done; k < end; k++)
				place[order[k]] = UINT32_MAX;
			spread(m, far, order, place, done);
			far = order[end - 1];
		}
		done = end;
	}
	for (uint32_t k = 0; k < m->rows / 2; k++)
	{
		uint32_t other = order[m->rows - 1 - k];
		order[m->rows - 1 - k] = order[k];
		order[k] = other;
	}
	for (uint32_t k = 0; k < m->rows; k++)
		place[order[k]] = k;
}

spate_result factor_create(deformable *b, spate_error *error)
{
	body_factor *f = &b->factor;
	const body_matrix *m = &b->matrix;
	size_t rows = 3 * (size_t)m->rows, total = 0;
	double work = 0.0;
	f->order = mem_alloc(m->rows * sizeof *f->order);
	f->place = mem_alloc(m->rows * sizeof *f->place);
	f->first = mem_alloc(rows * sizeof *f->first);
	f->at = mem_alloc((rows + 1) * sizeof *f->at);
	f->right = mem_alloc(rows * sizeof *f->right);
	if (!f->order || !f->place || !f->first || !f->at || !f->right)
		return error_memory(error, rows * (sizeof *f->at + 12));
	order_nodes(m, f->order, f->place);
	for (uint32_t k = 0; k < m->rows; k++)
	{
		uint32_t least = k;
		for (uint32_t s = m->begin[f->order[k]]; s < m->begin[f->order[k] + 1]; s++)
			least = f->place[m->column[s]] < least ? f->place[m->column[s]] : least;
		for (uint32_t i = 0; i < 3; i++)
		{
			size_t row = 3 * (size_t)k + i;
			f->first[row] = 3 * least;
			f->at[row] = total;
			size_t width = row - 3 * (size_t)least + 1;
			total += width;
			work += (double)width * (double)width;
		}
	}
	f->at[rows] = total;
	if (work > MOST_WORK)
		return SPATE_OK;
	f->values = mem_alloc(total * sizeof *f->values);
	return f->values ? SPATE_OK : error_memory(error, total * sizeof *f->values);
}

void factor_free(body_factor *f)
{
	mem_free(f->order);
	mem_free(f->place);
	mem_free(f->first);
	mem_free(f->at);
	mem_free(f->right);
	mem_free(f->values);
	*f = (body_factor){0};
}

// Sums of four parts, in a fixed order.
static double product(const double *a, const double *b, size_t count)
{
	double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
	size_t k = 0;
	for (; k + 4 <= count; k += 4)
	{
		s0 += a[k] * b[k];
		s1 += a[k + 1] * b[k + 1];
		s2 += a[k + 2] * b[k + 2];
		s3 += a[k + 3] * b[k + 3];
	}
	for (; k < count; k++)
		s0 += a[k] * b[k];
	return (s0 + s1) + (s2 + s3);
}

static void copy_matrix(deformable *b)
{
	body_factor *f = &b->factor;
	const body_matrix *m = &b->matrix;
	memset(f->values, 0, f->at[3 * (size_t)m->rows] * sizeof *f->values);
	for (uint32_t n = 0; n < m->rows; n++)
		for (uint32_t s = m->begin[n]; s < m->begin[n + 1]; s++)
		{
			uint32_t other = m->column[s];
			int held = b->pinned[n] || b->pinned[other];
			if (f->place[other] > f->place[n] || (held && other != n))
				continue;
			for (size_t i = 0; i < 3; i++)
				for (size_t j = 0; j < 3; j++)
				{
					size_t row = 3 * (size_t)f->place[n] + i,
					       column = 3 * (size_t)f->place[other] + j;
					double own = m->blocks[9 * (size_t)s + 3 * i + j];
					if (other == n)
						own += b->contact_sum[9 * (size_t)n + 3 * i + j];
					if (column <= row)
						f->values[f->at[row] + column - f->first[row]] =
						    held ? (double)(row == column) : own;
				}
		}
}

int factor_make(deformable *b)
{
	body_factor *f = &b->factor;
	size_t rows = 3 * (size_t)b->matrix.rows;
	f->made = 0;
	if (!f->values)
		return 0;
	copy_matrix(b);
	for (size_t i = 0; i < rows; i++)
	{
		double *own = f->values + f->at[i];
		uint32_t first = f->first[i];
		for (uint32_t j = first; j < i; j++)
		{
			const double *other = f->values + f->at[j];
			uint32_t from = f->first[j] > first ? f->first[j] : first;
			double sum = product(own + (from - first), other + (from - f->first[j]), j - from);
			own[j - first] = (own[j - first] - sum) / other[j - f->first[j]];
		}
		double rest = own[i - first] - product(own, own, i - first);
		if (!(rest > 0.0))
			return 0;
		own[i - first] = sqrt(rest);
	}
	f->made = 1;
	return 1;
}

void factor_solve(const deformable *b, const double *right, double *out)
{
	const body_factor *f = &b->factor;
	size_t rows = 3 * (size_t)b->matrix.rows;
	double *y = f->right;
	for (size_t i = 0; i < rows; i++)
	{
		const double *own = f->values + f->at[i];
		size_t width = i - f->first[i];
		y[i] = (right[3 * (size_t)f->order[i / 3] + i % 3] - product(own, y + f->first[i], width)) / own[width];
	}
	for (size_t i = rows; i-- > 0;)
	{
		const double *own = f->values + f->at[i];
		size_t width = i - f->first[i];
		double x = y[i] /= own[width], *above = y + f->first[i];
		for (size_t k = 0; k < width; k++)
			above[k] -= x * own[k];
	}
	for (size_t i = 0; i < rows; i++)
		out[3 * (size_t)f->order[i / 3] + i % 3] = y[i];
}
