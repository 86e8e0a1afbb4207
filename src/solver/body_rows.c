#include "solver/body_rows.h"

#include "base/error.h"
#include "base/parallel.h"

#include <string.h>

int body_rows_yields(const step_view *s, uint32_t number)
{
	return s->bodies && s->bodies->bodies_of[number] > 0 &&
	       !s->bodies->bodies[s->bodies->bodies_of[number] - 1].held;
}

// The body of a felt wall, from 1; 0 for a wall that does not yield.
static uint32_t body_of(const contacts *c, uint32_t felt)
{
	uint32_t solid = c->owners[felt];
	return body_rows_yields(c->view, solid) ? c->view->bodies->bodies_of[solid] : 0;
}

static vec3 centre_of(const body_set *set, uint32_t number)
{
	const double *p = set->bodies[number].now.place;
	return vec3_make((float)p[0], (float)p[1], (float)p[2]);
}

// -------------------------------------------------------------------------------------------------------------- making

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

// The matrix that takes w to w x r.
static void spin_matrix(vec3 r, float out[9])
{
	const float own[9] = {0, r.z, -r.y, -r.z, 0, r.x, r.y, -r.x, 0};
	memcpy(out, own, sizeof own);
}

// What of the velocity of an image is that of a body; returns whether anything is.
static int express(const body_rows *rows, uint32_t number, uint32_t wanted, body_image *out)
{
	const contacts *c = rows->near;
	const step_view *s = c->view;
	const image *i = &rows->images->images[number];
	const image_mirrors *mirrors = &rows->images->mirrors[number];
	vec4 place = s->places[i->root];
	vec3 p = {place.x, place.y, place.z}, centre = centre_of(s->bodies, wanted - 1);
	int found = 0;
	*out = (body_image){.image = number, .body = wanted - 1};
	for (uint32_t k = 0; k < mirrors->count; k++)
	{
		const felt_wall *w = &c->felt[mirrors->felt[k]];
		vec3 n = w->normal;
		float distance = vec3_dot(n, vec3_add(p, w->travel)) - w->offset;
		vec3 q = vec3_add_scaled(p, n, -2.0f * distance);
		if (found)
		{
			reflect_matrix(n, out->move);
			reflect_matrix(n, out->turn);
		}
		if (body_of(c, mirrors->felt[k]) == wanted)
		{
			float before[9], after[9];
			const float m[3] = {n.x, n.y, n.z};
			spin_matrix(vec3_sub(p, centre), before);
			spin_matrix(vec3_sub(q, centre), after);
			reflect_matrix(n, before);
			for (int e = 0; e < 9; e++)
			{
				out->move[e] += 2.0f * m[e / 3] * m[e % 3];
				out->turn[e] += after[e] - before[e];
			}
			found = 1;
		}
		p = q;
	}
	return found;
}

static void count_items(const body_rows *rows, uint32_t *counts)
{
	const image_set *set = rows->images;
	uint32_t bodies = rows->near->view->bodies->count;
	memset(counts, 0, (bodies + (size_t)1) * sizeof *counts);
	for (uint32_t k = 0; k < set->count; k++)
	{
		uint32_t seen[3], distinct = 0;
		for (uint32_t m = 0; m < set->mirrors[k].count; m++)
		{
			uint32_t own = body_of(rows->near, set->mirrors[k].felt[m]), twin = 0;
			while (twin < distinct && seen[twin] != own)
				twin++;
			if (own == 0 || twin < distinct)
				continue;
			seen[distinct++] = own;
			counts[own - 1]++;
		}
	}
}

typedef struct make_task
{
	body_rows *rows;
	uint32_t body; // from 1
	const uint32_t *numbers;
} make_task;

static void make_items(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const make_task *t = context;
	body_rows *rows = t->rows;
	const double *u = rows->predicted + (size_t)6 * (t->body - 1);
	for (size_t k = begin; k < end; k++)
	{
		body_image *own = &rows->items[k + rows->first[t->body - 1]];
		express(rows, t->numbers[k], t->body, own);
		image *i = &rows->images->images[t->numbers[k]];
		float drift[3];
		for (int e = 0; e < 3; e++)
		{
			const float *m = own->move + (size_t)3 * (size_t)e, *r = own->turn + (size_t)3 * (size_t)e;
			drift[e] = m[0] * (float)u[0] + m[1] * (float)u[1] + m[2] * (float)u[2] + r[0] * (float)u[3] +
				   r[1] * (float)u[4] + r[2] * (float)u[5];
		}
		i->drift = vec3_add(i->drift, vec3_make(drift[0], drift[1], drift[2]));
	}
}

// Lists the images of a body, in order; returns their number.
static uint32_t list_images_of(const body_rows *rows, uint32_t wanted, uint32_t *out)
{
	const image_set *set = rows->images;
	uint32_t count = 0;
	for (uint32_t k = 0; k < set->count; k++)
	{
		int own = 0;
		for (uint32_t m = 0; m < set->mirrors[k].count; m++)
			own |= body_of(rows->near, set->mirrors[k].felt[m]) == wanted;
		if (own)
			out[count++] = k;
	}
	return count;
}

// ---------------------------------------------------------------------------------------------------------------- walls

typedef struct wall_task
{
	body_rows *rows;
	const double *velocities; // six per body
	int carried;              // the bodies have moved; else they are about to
} wall_task;

static void turn_by(const double u[6], double dt, const double r[3], double out[3])
{
	double angle = sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5]), s = angle > 0.0 ? 1.0 / angle : 0.0;
	double a[3] = {s * u[3], s * u[4], s * u[5]}, c = cos(angle * dt),
	       along = a[0] * r[0] + a[1] * r[1] + a[2] * r[2];
	double cross[3] = {a[1] * r[2] - a[2] * r[1], a[2] * r[0] - a[0] * r[2], a[0] * r[1] - a[1] * r[0]};
	for (int k = 0; k < 3; k++)
		out[k] = c * r[k] + sin(angle * dt) * cross[k] + (1.0 - c) * along * a[k];
}

// Walls of bodies move: before the solve with the predicted velocity, so that what looks at them sees it, and after it to where they are.
static void move_walls(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const wall_task *t = context;
	contacts *c = t->rows->near;
	const step_view *s = c->view;
	for (size_t k = begin; k < end; k++)
	{
		near_row *near = &c->near[k];
		vec4 place = s->places[near->row], moved = s->moved[near->row];
		vec3 p = {place.x - moved.x, place.y - moved.y, place.z - moved.z};
		for (uint32_t f = near->felt; f < near->felt + near->walls; f++)
		{
			uint32_t number = body_of(c, f);
			if (number == 0)
				continue;
			felt_wall *w = &c->felt[f];
			const double *u = t->velocities + (size_t)6 * (number - 1),
				     *centre = s->bodies->bodies[number - 1].now.place;
			float still = w->offset - vec3_dot(w->normal, w->travel);
			vec3 foot = vec3_add_scaled(p, w->normal, still - vec3_dot(w->normal, p));
			double r[3] = {(double)foot.x - centre[0], (double)foot.y - centre[1],
				       (double)foot.z - centre[2]};
			double to[3], n[3], way[3], dt = (double)s->dt;
			const double normal[3] = {(double)w->normal.x, (double)w->normal.y, (double)w->normal.z};
			if (t->carried)
			{
				turn_by(u, dt, r, to);
				turn_by(u, dt, normal, n);
				for (int e = 0; e < 3; e++)
					way[e] = to[e] - r[e] + dt * u[e];
				w->normal = vec3_make((float)n[0], (float)n[1], (float)n[2]);
				still = vec3_dot(w->normal, foot);
			}
			else
			{
				body_velocity_at(u, r, way);
				for (int e = 0; e < 3; e++)
					way[e] *= dt;
			}
			w->travel = vec3_make((float)way[0], (float)way[1], (float)way[2]);
			w->offset = still + vec3_dot(w->normal, w->travel);
			// what is free was found before the body moved
			if (t->carried)
				near->gap.free -= 1.5f * vec3_length(w->travel);
		}
	}
}

static void run_walls(body_rows *rows, const double *velocities, int carried)
{
	wall_task t = {rows, velocities, carried};
	const contacts *c = rows->near;
	parallel_for(c->view->threads, c->near_count, CONTACT_ROWS, move_walls, &t);
}

spate_result body_rows_make(body_rows *rows, contacts *near, image_set *images, const float *inverse_mass,
			    spate_error *error)
{
	const step_view *s = near->view;
	const body_set *set = s->bodies;
	size_t numbers = 6 * (size_t)set->count;
	double d = s->fluids[0].spacing;
	*rows = (body_rows){.near = near,
			    .images = images,
			    .inverse_mass = inverse_mass,
			    .mass = s->fluids[0].density * d * d * d,
			    .first = arena_alloc(s->scratch, (set->count + (size_t)1) * sizeof *rows->first),
			    .item_of = arena_alloc(s->scratch, (images->count + (size_t)1) * sizeof *rows->item_of),
			    .predicted = arena_alloc(s->scratch, 3 * numbers * sizeof *rows->predicted)};
	uint32_t *list = arena_alloc(s->scratch, (images->count + (size_t)1) * sizeof *list);
	if (!rows->first || !rows->item_of || !rows->predicted || !list)
		return error_memory(error, images->count * sizeof *list);
	rows->impulses = rows->predicted + numbers;
	rows->pushes = rows->impulses + numbers;
	memset(rows->predicted, 0, 3 * numbers * sizeof *rows->predicted);
	for (uint32_t b = 0; b < set->count; b++)
		memcpy(rows->predicted + (size_t)6 * b, set->bodies[b].predicted, sizeof set->bodies[b].predicted);
	count_items(rows, rows->first);
	uint32_t total = (uint32_t)prefix_sum_u32(rows->first, set->count);
	rows->first[set->count] = total;
	rows->items = arena_alloc(s->scratch, (total + (size_t)1) * sizeof *rows->items);
	if (!rows->items)
		return error_memory(error, total * sizeof *rows->items);
	memset(rows->item_of, 0, (images->count + (size_t)1) * sizeof *rows->item_of);
	for (uint32_t b = 0; b < set->count; b++)
	{
		uint32_t count = rows->first[b + 1] - rows->first[b];
		make_task t = {rows, b + 1, list};
		if (count == 0)
			continue;
		list_images_of(rows, b + 1, list);
		parallel_for(s->threads, count, PARALLEL_BLOCK, make_items, &t);
		for (uint32_t k = 0; k < count; k++)
			rows->item_of[list[k]] = rows->first[b] + k + 1;
	}
	run_walls(rows, rows->predicted, 0);
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------------- products

typedef struct sum_task
{
	const body_rows *rows;
	const vec4 *pushes;
	const body_image *items;
} sum_task;

// E^T f of each item, f being the impulse of the image.
static void impulse_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const sum_task *t = context;
	const image_set *set = t->rows->images;
	for (size_t k = begin; k < end; k++)
	{
		const body_image *i = &t->items[k];
		size_t row = set->first + (size_t)i->image, at = k - begin;
		vec4 v = t->pushes[row];
		double by = 1.0 / (double)t->rows->inverse_mass[row];
		const double f[3] = {by * (double)v.x, by * (double)v.y, by * (double)v.z};
		for (int e = 0; e < 3; e++)
		{
			terms[e][at] =
			    (double)i->move[e] * f[0] + (double)i->move[3 + e] * f[1] + (double)i->move[6 + e] * f[2];
			terms[3 + e][at] =
			    (double)i->turn[e] * f[0] + (double)i->turn[3 + e] * f[1] + (double)i->turn[6 + e] * f[2];
		}
	}
}

void body_rows_gather(body_rows *rows, const vec4 *pushes)
{
	const step_view *s = rows->near->view;
	for (uint32_t b = 0; b < s->bodies->count; b++)
	{
		double *sums = rows->impulses + (size_t)6 * b;
		uint32_t count = rows->first[b + 1] - rows->first[b];
		sum_task t = {rows, pushes, rows->items + rows->first[b]};
		memset(sums, 0, 6 * sizeof *sums);
		if (count > 0)
			parallel_sums(s->threads, count, 6, impulse_terms, &t, sums);
		for (int e = 0; e < 6; e++)
			sums[e] *= rows->mass;
	}
	body_set_respond(s->bodies, rows->impulses, rows->pushes);
}

typedef struct scatter_task
{
	const body_rows *rows;
	const body_image *items;
	float by[6];
	vec4 *vectors;
} scatter_task;

static void scatter_items(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const scatter_task *t = context;
	const float *u = t->by;
	for (size_t k = begin; k < end; k++)
	{
		const body_image *i = &t->items[k];
		const float *m = i->move, *r = i->turn;
		vec4 *v = &t->vectors[t->rows->images->first + (size_t)i->image];
		v->x += m[0] * u[0] + m[1] * u[1] + m[2] * u[2] + r[0] * u[3] + r[1] * u[4] + r[2] * u[5];
		v->y += m[3] * u[0] + m[4] * u[1] + m[5] * u[2] + r[3] * u[3] + r[4] * u[4] + r[5] * u[5];
		v->z += m[6] * u[0] + m[7] * u[1] + m[8] * u[2] + r[6] * u[3] + r[7] * u[4] + r[8] * u[5];
	}
}

void body_rows_scatter(const body_rows *rows, vec4 *vectors, float factor)
{
	const step_view *s = rows->near->view;
	for (uint32_t b = 0; b < s->bodies->count; b++)
	{
		scatter_task t = {.rows = rows, .items = rows->items + rows->first[b], .vectors = vectors};
		for (int e = 0; e < 6; e++)
			t.by[e] = factor * (float)rows->pushes[(size_t)6 * b + (size_t)e];
		parallel_for(s->threads, rows->first[b + 1] - rows->first[b], PARALLEL_BLOCK, scatter_items, &t);
	}
}

void body_rows_carry(body_rows *rows)
{
	const step_view *s = rows->near->view;
	size_t numbers = 6 * (size_t)s->bodies->count;
	for (size_t k = 0; k < numbers; k++)
		rows->predicted[k] -= rows->pushes[k];
	body_set_carry(s->bodies, rows->predicted);
	run_walls(rows, rows->predicted, 1);
}

void body_rows_charge(const body_rows *rows)
{
	const step_view *s = rows->near->view;
	for (uint32_t b = 0; b < s->bodies->count; b++)
	{
		collider_load *load = &s->loads[s->bodies->bodies[b].collider];
		for (int e = 0; e < 3; e++)
		{
			load->linear[e] -= rows->impulses[(size_t)6 * b + (size_t)e];
			load->angular[e] -= rows->impulses[(size_t)6 * b + 3 + (size_t)e];
		}
	}
}
