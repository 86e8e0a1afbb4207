// Walls as the projection solver feels them beyond their images: friction, and what the liquid gives to colliders.
#include "base/kernels.h"
#include "base/parallel.h"
#include "solver/projection_work.h"
#include "solver/wall_shares.h"

// The correction of a row times a vector.
static vec3 corrected(const projection_work *w, uint32_t row, vec3 v)
{
	if (!w->correction[0])
		return v;
	vec4 a = w->correction[0][row], b = w->correction[1][row];
	return (vec3){a.x * v.x + a.y * v.y + a.z * v.z, a.y * v.x + a.w * v.y + b.x * v.z,
		      a.z * v.x + b.x * v.y + b.y * v.z};
}

// What the correction of an image's particle, turned as the image is, makes of a vector.
static vec3 corrected_by_image(const projection_work *w, const image *i, vec3 v)
{
	if (!w->correction[0])
		return v;
	const float *t = i->turn;
	vec3 back = {t[0] * v.x + t[3] * v.y + t[6] * v.z, t[1] * v.x + t[4] * v.y + t[7] * v.z,
		     t[2] * v.x + t[5] * v.y + t[8] * v.z};
	vec3 by = corrected(w, i->root, back);
	return (vec3){t[0] * by.x + t[1] * by.y + t[2] * by.z, t[3] * by.x + t[4] * by.y + t[5] * by.z,
		      t[6] * by.x + t[7] * by.y + t[8] * by.z};
}

// A row and an image that it sees.
typedef struct seen_pair
{
	const image *image;
	const pair_traits *own, *other;
	vec3 between; // m, from the image to the row
	float h, r;
	float cube; // unit of volumes
} seen_pair;

static seen_pair seen_pair_of(const projection_work *w, uint32_t row, uint32_t other)
{
	const pressure *t = &w->problem;
	const pair_pass *p = &t->pass.pairs;
	vec4 x = t->places[row], y = t->places[other];
	seen_pair s = {.image = &w->images.images[other - w->images.first],
		       .between = {x.x - y.x, x.y - y.y, x.z - y.z},
		       .cube = p->reference_h * p->reference_h * p->reference_h};
	s.own = p->mixed ? &p->traits[row] : &p->same;
	s.other = p->mixed ? &p->traits[s.image->root] : &p->same;
	s.h = s.own->half_h + s.other->half_h;
	s.r = vec3_length(s.between);
	return s;
}

// Change of a row's velocity by an image in the projection: by the row's own multiplier, and by that of the image's particle if it counts.
static vec3 push_of(const projection_work *w, uint32_t row, uint32_t other, int with_image)
{
	const pressure *t = &w->problem;
	seen_pair s = seen_pair_of(w, row, other);
	float l = t->y[row] * t->scale[row];
	float slope = s.r > 0.0f ? wendland_derivative(s.r, s.h) / s.r : 0.0f;
	vec3 sum = vec3_scale(corrected(w, row, s.between), s.other->volume * l);
	if (with_image)
	{
		float m = t->y[s.image->root] * t->scale[s.image->root];
		sum = vec3_add_scaled(sum, corrected_by_image(w, s.image, s.between), s.own->volume * m);
	}
	return vec3_scale(sum, -w->inverse_mass[row] * s.cube * slope);
}

// What an image and its like push a row with: the row's own image is seen by the image's particle in the same way, or nearly so at curved
// walls.
static vec3 push_by(const void *context, uint32_t row, uint32_t other)
{
	return push_of(context, row, other, 1);
}

// The part of it that is the row's own multiplier.
static vec3 own_push_by(const void *context, uint32_t row, uint32_t other)
{
	return push_of(context, row, other, 0);
}

// Change of a row's velocity by an image in the calming, as in the pass `difference`.
static vec3 calming_by(const void *context, uint32_t row, uint32_t other)
{
	const projection_work *w = context;
	seen_pair s = seen_pair_of(w, row, other);
	vec4 a = w->calmed[0][row], b = w->calmed[0][other];
	float mine = w->inverse_mass[row], its = w->inverse_mass[other];
	float value = 0.5f * (s.own->volume + s.other->volume) * s.cube * wendland_value(s.r, s.h) * fminf(a.w, b.w) *
		      2.0f * mine / (mine + its);
	return vec3_scale(vec3_make(a.x - b.x, a.y - b.y, a.z - b.z), value);
}

// Adds what the images of a row have been pushed with, which the row has got turned back.
static void add_returned(const projection_work *w, const near_row *near, vec3 *given)
{
	image_span span = w->images.spans[8 * (size_t)w->near.wall_group[near->row / 8] + near->row % 8];
	for (uint32_t k = span.begin; k < span.begin + span.count; k++)
	{
		const image *i = &w->images.images[k];
		const float *m = i->turn;
		vec4 v = w->problem.pushes[w->images.first + k];
		vec3 by = {-(m[0] * v.x + m[3] * v.y + m[6] * v.z), -(m[1] * v.x + m[4] * v.y + m[7] * v.z),
			   -(m[2] * v.x + m[5] * v.y + m[8] * v.z)};
		wall_shares_add(&w->near, near, i, by, given);
	}
}

static void charge_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const projection_work *w = context;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near.near[k];
		vec3 given[COLLIDER_MOST_WALLS];
		wall_shares_sum(&w->images, &w->near, near, own_push_by, w, given);
		add_returned(w, near, given);
		// bodies that yield know better what they were pushed with
		for (uint32_t f = 0; f < near->walls; f++)
			if (!body_rows_yields(w->view, w->near.owners[near->felt + f]) &&
			    !bend_rows_yields(w->view, w->near.owners[near->felt + f]))
				wall_shares_charge(&w->near, near->felt + f, given[f]);
	}
}

static void charge_calmed_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const projection_work *w = context;
	for (size_t k = begin; k < end; k++)
	{
		vec3 given[COLLIDER_MOST_WALLS];
		wall_shares_sum(&w->images, &w->near, &w->near.near[k], calming_by, w, given);
		wall_shares_charge_all(&w->near, &w->near.near[k], given);
	}
}

// By the pressure of the last substep, before velocities are projected.
void projection_rub(projection_work *w)
{
	wall_shares_rub(&w->images, &w->near, push_by, w, w->velocities);
}

void projection_charge_walls(projection_work *w)
{
	if (w->near.pushes)
		parallel_for(w->view->threads, w->near.near_count, CONTACT_ROWS, charge_rows, w);
}

void projection_charge_calming(projection_work *w)
{
	if (w->near.pushes)
		parallel_for(w->view->threads, w->near.near_count, CONTACT_ROWS, charge_calmed_rows, w);
}

// -------------------------------------------------------------------------------------------------------------- bodies

// The transpose of what an image that a row sees takes of a body's velocity, times the gradient between them.
static void add_gradient(const projection_work *w, uint32_t row, uint32_t other, const body_image *item, double sum[6])
{
	seen_pair s = seen_pair_of(w, row, other);
	float slope = s.r > 0.0f ? wendland_derivative(s.r, s.h) / s.r * s.other->volume * s.cube : 0.0f;
	const double g[3] = {(double)(slope * s.between.x), (double)(slope * s.between.y),
			     (double)(slope * s.between.z)};
	for (int e = 0; e < 3; e++)
		for (int k = 0; k < 3; k++)
		{
			sum[e] += (double)item->move[3 * k + e] * g[k];
			sum[3 + e] += (double)item->turn[3 * k + e] * g[k];
		}
}

// What a row's rate has of the velocity of a body.
typedef struct body_gradient
{
	uint32_t body;
	double sum[6];
} body_gradient;

enum
{
	MOST_BODIES = 6 // that images of a row are of; further ones are left out, since this only scales the problem
};

static uint32_t find_gradients(const projection_work *w, uint32_t row, body_gradient out[MOST_BODIES])
{
	const image_list *seen = &w->images.seen;
	const uint32_t *entry = seen->entries + seen->begin[row / 8] + row % 8;
	uint32_t count = 0;
	for (uint32_t n = 0; n < seen->length[row / 8]; n++, entry += 8)
	{
		uint32_t number = *entry >= w->images.first ? w->bodies.item_of[*entry - w->images.first] : 0, k = 0;
		if (number == 0)
			continue;
		const body_image *item = &w->bodies.items[number - 1];
		while (k < count && out[k].body != item->body)
			k++;
		if (k == MOST_BODIES)
			continue;
		if (k == count)
			out[count++] = (body_gradient){.body = item->body};
		add_gradient(w, row, *entry, item, out[k].sum);
	}
	return count;
}

static void weigh_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	const body_set *set = w->view->bodies;
	size_t width = 6 * (size_t)set->count;
	for (size_t k = begin; k < end; k++)
	{
		body_gradient gradients[MOST_BODIES];
		uint32_t row = w->near.near[k].row, count = find_gradients(w, row, gradients);
		double sum = 0.0;
		for (uint32_t b = 0; b < count; b++)
		{
			const double *own = set->response + (size_t)6 * gradients[b].body * (width + 1),
				     *d = gradients[b].sum;
			for (size_t i = 0; i < 6; i++)
				for (size_t j = 0; j < 6; j++)
					sum += d[i] * own[i * width + j] * d[j];
		}
		w->problem.scale[row] += (float)(w->bodies.mass * sum);
	}
}

void projection_weigh_bodies(projection_work *w)
{
	parallel_for(w->view->threads, w->near.near_count, CONTACT_ROWS, weigh_rows, w);
}

static vec3 gradient_of(const void *context, uint32_t row, uint32_t other)
{
	seen_pair s = seen_pair_of(context, row, other);
	return vec3_scale(s.between,
			  s.r > 0.0f ? wendland_derivative(s.r, s.h) / s.r * s.other->volume * s.cube : 0.0f);
}

void projection_weigh_bending(projection_work *w)
{
	bend_rows_weigh(&w->bending, gradient_of, w, w->problem.scale);
}
