#include "solver/bend_rows.h"

#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

int bend_rows_yields(const step_view *s, uint32_t number)
{
	return s->bending && s->bending->bodies_of[number] > 0;
}

// The body of a felt wall; NULL for others.
static bend_body *body_of(const contacts *c, uint32_t felt)
{
	uint32_t solid = c->owners[felt];
	return bend_rows_yields(c->view, solid) ? &c->view->bending->bodies[c->view->bending->bodies_of[solid] - 1]
						: NULL;
}

static const uint32_t *corners_of(const bend_rows *rows, uint32_t felt, const bend_body *b)
{
	return b->skin.triangles + 3 * (size_t)rows->points[felt].triangle;
}

// What values of the vertices are at the point of a felt wall.
static vec3 at_point(const bend_rows *rows, uint32_t felt, const bend_body *b, const double *values)
{
	const uint32_t *corner = corners_of(rows, felt, b);
	double sum[3] = {0, 0, 0};
	for (int k = 0; k < 3; k++)
		for (size_t i = 0; i < 3; i++)
			sum[i] += (double)rows->points[felt].weights[k] * values[3 * (size_t)corner[k] + i];
	return vec3_make((float)sum[0], (float)sum[1], (float)sum[2]);
}

// ---------------------------------------------------------------------------------------------------------------- walls

typedef struct wall_task
{
	bend_rows *rows;
	int carried; // the bodies have moved; else they are about to
} wall_task;

static vec3 corner_at(const float *positions, uint32_t v)
{
	return vec3_make(positions[3 * (size_t)v], positions[3 * (size_t)v + 1], positions[3 * (size_t)v + 2]);
}

static vec3 normal_of(const float *positions, const uint32_t *c)
{
	vec3 p = corner_at(positions, c[0]);
	return vec3_normalize(
	    vec3_cross(vec3_sub(corner_at(positions, c[1]), p), vec3_sub(corner_at(positions, c[2]), p)));
}

// A direction that turns with a triangle, from its shape before to the one now.
static vec3 turned(const bend_body *b, const uint32_t *c, vec3 n)
{
	vec3 before = normal_of(b->before, c), now = normal_of(b->now, c), axis = vec3_cross(before, now);
	float cosine = vec3_dot(before, now);
	if (cosine < -0.9f || vec3_dot(now, now) < 0.5f || vec3_dot(before, before) < 0.5f)
		return n;
	// the rotation from one normal to the other
	vec3 side = vec3_cross(axis, n), out = vec3_add(vec3_scale(n, cosine), side);
	return vec3_normalize(vec3_add_scaled(out, axis, vec3_dot(axis, n) / (1.0f + cosine)));
}

// Walls move: before the solve with the predicted velocity, and after it to where the surface is.
static void move_walls(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const wall_task *t = context;
	contacts *c = t->rows->near;
	const step_view *s = c->view;
	for (size_t k = begin; k < end; k++)
	{
		near_row *near = &c->near[k];
		for (uint32_t f = near->felt; f < near->felt + near->walls; f++)
		{
			bend_body *b = body_of(c, f);
			felt_wall *w = &c->felt[f];
			if (!b)
				continue;
			float still = w->offset - vec3_dot(w->normal, w->travel);
			if (!t->carried)
			{
				w->travel = vec3_scale(at_point(t->rows, f, b, b->predicted), s->dt);
				w->offset = still + vec3_dot(w->normal, w->travel);
				continue;
			}
			const uint32_t *corner = corners_of(t->rows, f, b);
			const float *weights = t->rows->points[f].weights;
			vec3 before = {0, 0, 0}, now = {0, 0, 0};
			for (int v = 0; v < 3; v++)
			{
				before = vec3_add_scaled(before, corner_at(b->before, corner[v]), weights[v]);
				now = vec3_add_scaled(now, corner_at(b->now, corner[v]), weights[v]);
			}
			float lift = still - vec3_dot(w->normal, before);
			w->travel = vec3_sub(now, before);
			w->normal = turned(b, corner, w->normal);
			w->offset = vec3_dot(w->normal, now) + lift;
			// what is free was found before the body moved
			near->gap.free -= 1.5f * vec3_length(w->travel) + 0.05f * (float)s->fluids[0].spacing;
		}
	}
}

static void run_walls(bend_rows *rows, int carried)
{
	wall_task t = {rows, carried};
	const contacts *c = rows->near;
	parallel_for(c->view->threads, c->near_count, CONTACT_ROWS, move_walls, &t);
}

// Where on the surface each felt wall is.
static void find_points(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	bend_rows *rows = context;
	const contacts *c = rows->near;
	const step_view *s = c->view;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &c->near[k];
		vec4 place = s->places[near->row], moved = s->moved[near->row];
		vec3 p = {place.x - moved.x, place.y - moved.y, place.z - moved.z};
		for (uint32_t f = near->felt; f < near->felt + near->walls; f++)
		{
			bend_body *b = body_of(c, f);
			if (!b)
				continue;
			const felt_wall *w = &c->felt[f];
			float still = w->offset - vec3_dot(w->normal, w->travel);
			vec3 foot = vec3_add_scaled(p, w->normal, still - vec3_dot(w->normal, p));
			rows->points[f] = (triangle_point){.weights = {1, 0, 0}};
			mesh_solid_touched(b->skin.mesh, foot, &rows->points[f]);
		}
	}
}

// --------------------------------------------------------------------------------------------------------------- making

// m = (I - 2 n n) m
static void reflect_matrix(vec3 n, float m[9])
{
	for (int column = 0; column < 3; column++)
	{
		float along = 2.0f * (n.x * m[column] + n.y * m[3 + column] + n.z * m[6 + column]);
		m[column] -= along * n.x;
		m[3 + column] -= along * n.y;
		m[6 + column] -= along * n.z;
	}
}

static vec3 times(const float m[9], vec3 v)
{
	return (vec3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
		      m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

static void make_items(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	bend_rows *rows = context;
	const contacts *c = rows->near;
	for (size_t k = begin; k < end; k++)
	{
		const image_mirrors *mirrors = &rows->images->mirrors[k];
		image *own = &rows->images->images[k];
		uint32_t at = rows->item_of[k];
		for (uint32_t m = 0; m < mirrors->count; m++)
		{
			bend_body *b = body_of(c, mirrors->felt[m]);
			if (!b)
				continue;
			bend_image *i = &rows->items[at++];
			vec3 n = c->felt[mirrors->felt[m]].normal;
			const float v[3] = {n.x, n.y, n.z};
			*i = (bend_image){.image = (uint32_t)k, .felt = mirrors->felt[m]};
			for (int e = 0; e < 9; e++)
				i->move[e] = 2.0f * v[e / 3] * v[e % 3];
			for (uint32_t next = m + 1; next < mirrors->count; next++)
				reflect_matrix(c->felt[mirrors->felt[next]].normal, i->move);
			own->drift = vec3_add(own->drift, times(i->move, at_point(rows, i->felt, b, b->predicted)));
		}
	}
}

spate_result bend_rows_make(bend_rows *rows, contacts *near, image_set *images, const float *inverse_mass,
			    spate_error *error)
{
	const step_view *s = near->view;
	double d = s->fluids[0].spacing;
	uint32_t felt = 0;
	for (uint32_t k = 0; k < near->near_count; k++)
		felt = near->near[k].felt + near->near[k].walls;
	*rows = (bend_rows){.near = near,
			    .images = images,
			    .set = s->bending,
			    .inverse_mass = inverse_mass,
			    .mass = s->fluids[0].density * d * d * d,
			    .points = arena_alloc(s->scratch, (felt + (size_t)1) * sizeof *rows->points),
			    .item_of = arena_alloc(s->scratch, (images->count + (size_t)1) * sizeof *rows->item_of)};
	if (!rows->points || !rows->item_of)
		return error_memory(error, felt * sizeof *rows->points);
	for (uint32_t k = 0; k < images->count; k++)
	{
		rows->item_of[k] = 0;
		for (uint32_t m = 0; m < images->mirrors[k].count; m++)
			rows->item_of[k] += body_of(near, images->mirrors[k].felt[m]) != NULL;
	}
	uint32_t total = (uint32_t)prefix_sum_u32(rows->item_of, images->count);
	rows->item_of[images->count] = total;
	rows->items = arena_alloc(s->scratch, (total + (size_t)1) * sizeof *rows->items);
	if (!rows->items)
		return error_memory(error, total * sizeof *rows->items);
	parallel_for(s->threads, near->near_count, CONTACT_ROWS, find_points, rows);
	run_walls(rows, 0);
	parallel_for(s->threads, images->count, PARALLEL_BLOCK, make_items, rows);
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------------- products

// In the order of the images, so that the sums have the same bits on any number of threads.
void bend_rows_gather(bend_rows *rows, const vec4 *pushes)
{
	for (uint32_t b = 0; b < rows->set->count; b++)
		memset(rows->set->bodies[b].pushed, 0,
		       3 * sizeof *rows->set->bodies[b].pushed * rows->set->bodies[b].skin.vertices);
	uint32_t total = rows->item_of[rows->images->count];
	for (uint32_t k = 0; k < total; k++)
	{
		const bend_image *i = &rows->items[k];
		bend_body *b = body_of(rows->near, i->felt);
		size_t row = rows->images->first + (size_t)i->image;
		vec4 v = pushes[row];
		double by = -rows->mass / (double)rows->inverse_mass[row];
		const double f[3] = {by * (double)v.x, by * (double)v.y, by * (double)v.z};
		const uint32_t *corner = corners_of(rows, i->felt, b);
		for (size_t e = 0; e < 3; e++)
		{
			double own =
			    (double)i->move[e] * f[0] + (double)i->move[3 + e] * f[1] + (double)i->move[6 + e] * f[2];
			for (int c = 0; c < 3; c++)
				b->pushed[3 * (size_t)corner[c] + e] += (double)rows->points[i->felt].weights[c] * own;
		}
	}
	for (uint32_t b = 0; b < rows->set->count; b++)
		bend_set_respond(&rows->set->bodies[b]);
}

typedef struct scatter_task
{
	const bend_rows *rows;
	vec4 *vectors;
	float factor;
	int whole;
} scatter_task;

static void scatter_items(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const scatter_task *t = context;
	const bend_rows *rows = t->rows;
	for (size_t own = begin; own < end; own++)
		for (uint32_t k = rows->item_of[own]; k < rows->item_of[own + 1]; k++)
		{
			const bend_image *i = &rows->items[k];
			const bend_body *b = body_of(rows->near, i->felt);
			vec3 u = vec3_scale(at_point(rows, i->felt, b, b->changes), t->factor);
			if (t->whole)
				u = vec3_add(u, at_point(rows, i->felt, b, b->answer));
			vec3 by = times(i->move, u);
			vec4 *v = &t->vectors[rows->images->first + own];
			v->x += by.x;
			v->y += by.y;
			v->z += by.z;
		}
}

void bend_rows_scatter(const bend_rows *rows, vec4 *vectors, float factor, int whole)
{
	scatter_task t = {rows, vectors, factor, whole};
	parallel_for(rows->near->view->threads, rows->images->count, PARALLEL_BLOCK, scatter_items, &t);
}

spate_result bend_rows_carry(bend_rows *rows, spate_error *error)
{
	spate_result result = bend_set_carry(rows->set, error);
	if (result == SPATE_OK)
		run_walls(rows, 1);
	return result;
}

void bend_rows_charge(const bend_rows *rows)
{
	const step_view *s = rows->near->view;
	for (uint32_t k = 0; k < rows->set->count; k++)
	{
		const bend_body *b = &rows->set->bodies[k];
		collider_load *load = &s->loads[b->collider];
		vec3 centre = s->colliders->centres[b->collider];
		const double c[3] = {(double)centre.x, (double)centre.y, (double)centre.z};
		for (uint32_t v = 0; v < b->skin.vertices; v++)
		{
			const double *j = b->pushed + 3 * (size_t)v;
			double r[3];
			for (size_t i = 0; i < 3; i++)
			{
				r[i] = (double)b->now[3 * (size_t)v + i] - c[i];
				load->linear[i] += j[i];
			}
			load->angular[0] += r[1] * j[2] - r[2] * j[1];
			load->angular[1] += r[2] * j[0] - r[0] * j[2];
			load->angular[2] += r[0] * j[1] - r[1] * j[0];
		}
	}
}

// -------------------------------------------------------------------------------------------------------------- diagonal

enum
{
	MOST_CORNERS = 64 // of a row; more of them are left out
};

typedef struct weigh_task
{
	const bend_rows *rows;
	bend_gradient *gradient;
	const void *context;
	float *diagonal;
} weigh_task;

static void weigh_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const weigh_task *t = context;
	const bend_rows *rows = t->rows;
	const image_list *seen = &rows->images->seen;
	for (size_t k = begin; k < end; k++)
	{
		uint32_t row = rows->near->near[k].row, slice = row / 8, count = 0;
		const uint32_t *entry = seen->entries + seen->begin[slice] + row % 8;
		const bend_body *owners[MOST_CORNERS];
		uint32_t corners[MOST_CORNERS];
		double sums[MOST_CORNERS][3], total = 0.0;
		for (uint32_t n = 0; n < seen->length[slice]; n++)
		{
			uint32_t other = entry[(size_t)8 * n];
			if (other < rows->images->first || other - rows->images->first >= rows->images->count)
				continue;
			uint32_t which = other - rows->images->first;
			for (uint32_t e = rows->item_of[which]; e < rows->item_of[which + 1]; e++)
			{
				const bend_image *i = &rows->items[e];
				const bend_body *b = body_of(rows->near, i->felt);
				vec3 g = t->gradient(t->context, row, other);
				const float *m = i->move;
				const double d[3] = {(double)(m[0] * g.x + m[3] * g.y + m[6] * g.z),
						     (double)(m[1] * g.x + m[4] * g.y + m[7] * g.z),
						     (double)(m[2] * g.x + m[5] * g.y + m[8] * g.z)};
				const uint32_t *corner = corners_of(rows, i->felt, b);
				for (int c = 0; c < 3; c++)
				{
					uint32_t at = 0;
					while (at < count && (owners[at] != b || corners[at] != corner[c]))
						at++;
					if (at == MOST_CORNERS)
						continue;
					if (at == count)
					{
						owners[count] = b;
						corners[count] = corner[c];
						memset(sums[count++], 0, sizeof sums[0]);
					}
					for (int v = 0; v < 3; v++)
						sums[at][v] += (double)rows->points[i->felt].weights[c] * d[v];
				}
			}
		}
		for (uint32_t c = 0; c < count; c++)
			total += deformable_ease(owners[c]->own, corners[c], sums[c]);
		t->diagonal[row] += (float)(rows->mass * total);
	}
}

void bend_rows_weigh(const bend_rows *rows, bend_gradient *gradient, const void *context, float *diagonal)
{
	weigh_task t = {rows, gradient, context, diagonal};
	parallel_for(rows->near->view->threads, rows->near->near_count, CONTACT_ROWS, weigh_rows, &t);
}
