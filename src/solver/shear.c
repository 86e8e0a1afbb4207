#include "solver/shear.h"

#include "base/error.h"
#include "base/kernels.h"
#include "base/parallel.h"
#include "solver/smoothing.h"
#include "solver/viscosity.h"

#include <float.h>
#include <string.h>

// What the line between two particles takes of a shear, on average over its directions, is a fifth of what whole differences take.
#define ALONG_FACTOR 5.0f

// Walls whose normals differ less count as one bent wall, as for images.
#define ALIKE 0.5f

// Distance from a wall below which its drag grows no more, in spacings. Particles are kept further away.
#define LEAST_DISTANCE 0.1f

enum
{
	MOST_DRAGS = 3 // walls that drag a row
};

// A wall that drags a row: velocity relative to the wall, along it, falls by `rate` times itself.
typedef struct drag
{
	uint32_t felt;
	float rate;
} drag;

typedef struct row_drags
{
	uint32_t count;
	drag drags[MOST_DRAGS];
} row_drags;

typedef struct shear_task
{
	const shear *shear;
	const step_view *view;
	const shear_kernels *kernels;
	float share;
	vec4 *in, *out;
	smoothing_use use;
	row_drags *drags; // of near rows; NULL if no wall drags
} shear_task;

// ---------------------------------------------------------------------------------------------------------------- pairs

// Fewest neighbours that a coefficient makes up for, as a part of those inside the liquid.
#define LEAST_COVER 0.5f

// Puts the coefficient of each row into the w of its velocity. At a free surface neighbours are missing: those that are there exchange more,
// or a thin jet would be too thin a liquid. A pair takes the smaller of two coefficients.
static void weigh_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const shear_task *t = context;
	const step_view *s = t->view;
	float factor = (t->shear->pass.along ? ALONG_FACTOR : 1.0f) * t->share;
	for (size_t row = begin; row < end; row++)
	{
		vec4 v = t->in[row];
		uint32_t f = (uint32_t)s->store->fluid[row];
		const spate_fluid_def *fluid = &s->fluids[f];
		double h = (double)s->radii[f];
		double c = viscosity_coefficient(material_value(s->material, MATERIAL_VISCOSITY, row, fluid->viscosity),
						 material_value(s->material, MATERIAL_DAMPING, row, fluid->damping), h,
						 (double)s->dt);
		// 2 nu dt for c = 22 nu dt / h^2
		float cover = fminf(fmaxf(1.0f + t->shear->constraint[row], LEAST_COVER), 1.0f);
		t->out[row] = (vec4){v.x, v.y, v.z, factor / cover * (float)(c * h * h / 11.0 / t->shear->moment)};
	}
}

static void smooth_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const shear_task *t = context;
	t->kernels->smooth(&t->shear->pass, t->shear->places, t->in, t->out, (uint32_t)begin, (uint32_t)end);
}

static void smooth_images(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const shear_task *t = context;
	t->kernels->smooth_images(&t->shear->pass, t->shear->places, t->in, t->out, (uint32_t)begin, (uint32_t)end);
}

// Weight of the exchange of a row with an image.
static float weight_of(const shear_task *t, uint32_t row, uint32_t other)
{
	const shear *r = t->shear;
	const pair_pass *p = &r->pass.pairs;
	uint32_t root = r->images->images[other - r->images->first].root;
	const pair_traits *a = p->mixed ? &p->traits[row] : &p->same, *b = p->mixed ? &p->traits[root] : &p->same;
	vec4 x = r->places[row], y = r->places[other];
	float h = a->half_h + b->half_h, cube = p->reference_h * p->reference_h * p->reference_h;
	float distance = vec3_length(vec3_make(x.x - y.x, x.y - y.y, x.z - y.z));
	if (!(distance > 0.0f))
		return 0.0f;
	float slope =
	    r->pass.laplacian ? 0.5f * viscosity_laplacian(distance, h) : -wendland_derivative(distance, h) / distance;
	return fminf(t->in[row].w, t->in[root].w) * 2.0f * x.w / (x.w + y.w) * 0.5f * (a->volume + b->volume) * cube *
	       slope;
}

// ---------------------------------------------------------------------------------------------------------------- walls

// Distance from a wall as it was at the start of the substep.
static float distance_to(const felt_wall *w, vec4 p)
{
	return w->normal.x * p.x + w->normal.y * p.y + w->normal.z * p.z - w->offset + vec3_dot(w->normal, w->travel);
}

// The walls that matter to a row, nearest first and none that is nearly parallel to a nearer one.
static uint32_t walls_of(const contacts *c, const near_row *near, vec4 p, uint32_t out[MOST_DRAGS])
{
	uint32_t count = 0, used = 0;
	while (count < MOST_DRAGS)
	{
		uint32_t best = near->walls;
		float nearest = c->view->radii[c->view->store->fluid[near->row]];
		for (uint32_t n = 0; n < near->walls; n++)
			if (!(used & 1u << n) && distance_to(&c->felt[near->felt + n], p) < nearest)
			{
				best = n;
				nearest = distance_to(&c->felt[near->felt + n], p);
			}
		if (best == near->walls)
			break;
		used |= 1u << best;
		int alike = 0;
		for (uint32_t k = 0; k < count; k++)
			alike |= vec3_dot(c->felt[out[k]].normal, c->felt[near->felt + best].normal) > ALIKE;
		if (!alike)
			out[count++] = near->felt + best;
	}
	return count;
}

// Adds what an image, which a free mirror has made, lacks of the velocity behind a wall that drags. Beyond a wall at the distance y, velocity
// goes on in a straight line: from u to u (1 - e), with e = 2 y' / (y + b) and y' the depth behind it. Behind several walls the factors
// multiply.
static void add_lack(const shear_task *t, row_drags *row, float weight, vec4 place, vec4 mirrored, float least)
{
	vec3 line = {mirrored.x - place.x, mirrored.y - place.y, mirrored.z - place.z};
	float lacks[MOST_DRAGS], kept = 1.0f, sum = 0.0f;
	uint32_t behind = 0;
	for (uint32_t k = 0; k < row->count; k++)
	{
		const felt_wall *felt = &t->shear->near->felt[row->drags[k].felt];
		float depth = -distance_to(felt, mirrored);
		behind += depth > 0.0f;
		float slip = contacts_owner(t->shear->near, row->drags[k].felt)->slip;
		lacks[k] = depth > 0.0f && slip >= 0.0f ? 2.0f * depth / (fmaxf(distance_to(felt, place), least) + slip)
							: 0.0f;
	}
	for (uint32_t k = 0; k < row->count; k++)
	{
		if (behind > 1)
			lacks[k] = fminf(lacks[k], 2.0f);
		kept *= 1.0f - lacks[k];
		sum += lacks[k];
	}
	for (uint32_t k = 0; k < row->count && sum > 0.0f; k++)
	{
		float part = 1.0f, up = vec3_dot(line, t->shear->near->felt[row->drags[k].felt].normal);
		// of a velocity along the wall, on average over its directions
		if (t->shear->pass.along)
			part = 0.5f * (1.0f - up * up / vec3_dot(line, line));
		row->drags[k].rate += weight * part * (1.0f - kept) * lacks[k] / sum;
	}
}

// The images that a row sees.
static const uint32_t *seen_by(const image_set *set, uint32_t row, uint32_t *length)
{
	*length = set->seen.length[row / 8];
	return set->seen.entries + set->seen.begin[row / 8] + row % 8;
}

static void find_drags(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const shear_task *t = context;
	const shear *r = t->shear;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &r->near->near[k];
		row_drags own = {0};
		vec4 place = r->places[near->row];
		uint32_t walls[MOST_DRAGS], length;
		float least = LEAST_DISTANCE * (float)t->view->fluids[t->view->store->fluid[near->row]].spacing;
		own.count = walls_of(r->near, near, place, walls);
		for (uint32_t n = 0; n < own.count; n++)
			own.drags[n].felt = walls[n];
		const uint32_t *entry = seen_by(r->images, near->row, &length);
		for (uint32_t n = 0; n < length && own.count > 0; n++, entry += 8)
			if (*entry >= r->images->first)
				add_lack(t, &own, weight_of(t, near->row, *entry), place, r->places[*entry], least);
		t->drags[k] = own;
	}
}

// Velocity of a wall's material.
static vec3 velocity_of(const shear_task *t, const felt_wall *felt)
{
	return vec3_scale(felt->travel, 1.0f / t->view->dt);
}

static vec3 along_wall(const felt_wall *felt, vec3 v)
{
	return vec3_add_scaled(v, felt->normal, -vec3_dot(v, felt->normal));
}

static void charge(const shear_task *t, uint32_t felt, vec3 given)
{
	contacts_charge_friction(t->shear->near, felt, vec3_scale(given, t->view->dt));
}

// Charges the walls that drag a row.
static void charge_drags(const shear_task *t, const row_drags *own, vec3 v)
{
	for (uint32_t n = 0; n < own->count && t->shear->near->pushes; n++)
	{
		const felt_wall *felt = &t->shear->near->felt[own->drags[n].felt];
		vec3 slide = along_wall(felt, vec3_sub(v, velocity_of(t, felt)));
		charge(t, own->drags[n].felt, vec3_scale(slide, -own->drags[n].rate));
	}
}

// Solves m x = b for a symmetric matrix of which the upper rows are given.
static vec3 solve(const float m[6], vec3 b)
{
	float xx = m[0], xy = m[1], xz = m[2], yy = m[3], yz = m[4], zz = m[5];
	vec3 first = {yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy};
	float inverse = 1.0f / (xx * first.x + xy * first.y + xz * first.z);
	vec3 second = {first.y, xx * zz - xz * xz, xy * xz - xx * yz}, third = {first.z, second.z, xx * yy - xy * xy};
	return vec3_scale(vec3_make(vec3_dot(first, b), vec3_dot(second, b), vec3_dot(third, b)), inverse);
}

// v after the drag: v + sum_k rate_k P_k (v - u_k) = what it was, with P_k the part along wall k.
static vec3 drag_row(const shear_task *t, const row_drags *own, vec3 v)
{
	float m[6] = {1, 0, 0, 1, 0, 1};
	for (uint32_t k = 0; k < own->count; k++)
	{
		const felt_wall *felt = &t->shear->near->felt[own->drags[k].felt];
		float a = own->drags[k].rate;
		vec3 n = felt->normal;
		v = vec3_add_scaled(v, along_wall(felt, velocity_of(t, felt)), a);
		m[0] += a * (1.0f - n.x * n.x), m[1] -= a * n.x * n.y, m[2] -= a * n.x * n.z;
		m[3] += a * (1.0f - n.y * n.y), m[4] -= a * n.y * n.z, m[5] += a * (1.0f - n.z * n.z);
	}
	return solve(m, v);
}

static void drag_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const shear_task *t = context;
	for (size_t k = begin; k < end; k++)
	{
		const row_drags *own = &t->drags[k];
		uint32_t row = t->shear->near->near[k].row;
		vec4 *to = &t->out[row], in = t->in[row];
		vec3 v = {to->x, to->y, to->z};
		if (t->use == SMOOTHING_ROUND)
		{
			v = drag_row(t, own, v);
			charge_drags(t, own, v);
		}
		for (uint32_t n = 0; n < own->count && t->use != SMOOTHING_ROUND; n++)
		{
			const felt_wall *felt = &t->shear->near->felt[own->drags[n].felt];
			vec3 slide = vec3_make(in.x, in.y, in.z);
			if (t->use == SMOOTHING_AFFINE)
				slide = vec3_sub(slide, velocity_of(t, felt));
			v = vec3_add_scaled(v, along_wall(felt, slide), -own->drags[n].rate);
		}
		*to = (vec4){v.x, v.y, v.z, to->w};
	}
}

// Divides what an image gives among the walls that it is behind: to each what is along its normal, and the rest to the nearest.
static void divide(const shear_task *t, const uint32_t *walls, uint32_t count, vec4 mirrored, vec3 by)
{
	uint32_t rest = walls[0], found = 0;
	for (uint32_t k = 0; k < count; k++)
	{
		const felt_wall *felt = &t->shear->near->felt[walls[k]];
		if (distance_to(felt, mirrored) >= 0.0f)
			continue;
		if (found++ == 0)
		{
			rest = walls[k];
			continue;
		}
		vec3 normal = vec3_scale(felt->normal, vec3_dot(by, felt->normal));
		charge(t, walls[k], normal);
		by = vec3_sub(by, normal);
	}
	charge(t, rest, by);
}

// What one particle gives to another with a velocity relative to it.
static vec3 exchanged(const shear_task *t, vec4 place, vec4 other, vec4 velocity, vec4 other_velocity, float weight)
{
	vec3 by = {other_velocity.x - velocity.x, other_velocity.y - velocity.y, other_velocity.z - velocity.z};
	vec3 line = {other.x - place.x, other.y - place.y, other.z - place.z};
	if (t->shear->pass.along)
		by = vec3_scale(line, vec3_dot(by, line) / fmaxf(vec3_dot(line, line), FLT_MIN));
	return vec3_scale(by, weight);
}

// Charges the walls of a row for what its own image returns to it.
static void charge_returned(const shear_task *t, const uint32_t *walls, uint32_t count, uint32_t number)
{
	const image_set *set = t->shear->images;
	const vec4 *places = t->shear->places;
	const float *m = set->images[number].turn;
	uint32_t row = set->first + number;
	const uint32_t *entry = set->seers.entries + set->seers.begin[number / 8] + number % 8;
	vec3 sum = {0, 0, 0};
	for (uint32_t n = 0; n < set->seers.length[number / 8]; n++, entry += 8)
		if (*entry < t->view->list->count)
		{
			float weight = 0.5f * weight_of(t, *entry, row) * places[row].w / places[*entry].w;
			sum =
			    vec3_add(sum, exchanged(t, places[row], places[*entry], t->in[row], t->in[*entry], weight));
		}
	vec3 back = {m[0] * sum.x + m[3] * sum.y + m[6] * sum.z, m[1] * sum.x + m[4] * sum.y + m[7] * sum.z,
		     m[2] * sum.x + m[5] * sum.y + m[8] * sum.z};
	divide(t, walls, count, places[row], back);
}

// Charges the walls for what images give in a round that starts from the velocities `in`, those of images included.
static void charge_images(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const shear_task *t = context;
	const shear *r = t->shear;
	const image_set *set = r->images;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &r->near->near[k];
		uint32_t row = near->row, walls[MOST_DRAGS], length,
			 count = walls_of(r->near, near, r->places[row], walls);
		const uint32_t *entry = seen_by(set, row, &length);
		for (uint32_t n = 0; n < length && count > 0; n++, entry += 8)
			if (*entry >= set->first)
				divide(t, walls, count, r->places[*entry],
				       exchanged(t, r->places[row], r->places[*entry], t->in[row], t->in[*entry],
						 0.5f * weight_of(t, row, *entry)));
		image_span span = set->spans[8 * (size_t)r->near->wall_group[row / 8] + row % 8];
		for (uint32_t n = span.begin; n < span.begin + span.count && count > 0; n++)
			charge_returned(t, walls, count, n);
	}
}

// -------------------------------------------------------------------------------------------------------------- smooth

static void smooth(void *context, vec4 *in, vec4 *out, smoothing_use use)
{
	shear_task *t = context;
	const step_view *s = t->view;
	const shear *r = t->shear;
	t->in = in;
	t->out = out;
	t->use = use;
	memset(in + s->list->count, 0, STEP_SLACK * sizeof(vec4));
	if (use == SMOOTHING_LINEAR)
		images_turn(r->images, s, in);
	else
		images_move(r->images, s, in);
	parallel_for(s->threads, s->list->slice_count, STEP_SLICES, smooth_slices, t);
	parallel_for(s->threads, r->images->seers.slices, STEP_SLICES, smooth_images, t);
	images_return(r->images, s, out);
	if (use == SMOOTHING_ROUND && r->near->pushes)
		parallel_for(s->threads, r->near->near_count, CONTACT_ROWS, charge_images, t);
	if (t->drags)
		parallel_for(s->threads, r->near->near_count, CONTACT_ROWS, drag_rows, t);
}

// Charges the walls for an implicit step, which has ended with the velocities `in`.
static void charge_step(void *context, size_t begin, size_t end, int thread)
{
	const shear_task *t = context;
	charge_images(context, begin, end, thread);
	for (size_t k = begin; k < end && t->drags; k++)
	{
		vec4 v = t->in[t->shear->near->near[k].row];
		charge_drags(t, &t->drags[k], vec3_make(v.x, v.y, v.z));
	}
}

static int some_wall_drags(const step_view *s)
{
	int drags = 0;
	for (uint32_t c = 0; c < s->colliders->count; c++)
		drags |= s->colliders->colliders[c].slip >= 0.0f;
	return drags;
}

spate_result shear_smooth(const shear *r, spate_error *error)
{
	const step_view *s = r->near->view;
	shear_task t = {.shear = r, .view = s, .kernels = shear_kernels_table(s->simd)};
	smoothing run = {.view = s,
			 .places = r->places,
			 .velocities = r->velocities,
			 .other = r->other,
			 .room = r->images->rows,
			 .round = smooth,
			 .context = &t};
	run.rounds = viscosity_rounds(s, &run.implicit);
	t.share = smoothing_share(&run);
	t.in = r->velocities;
	t.out = smoothing_start(&run);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, weigh_rows, &t);
	if (some_wall_drags(s))
	{
		t.drags = arena_alloc(s->scratch, r->near->near_count * sizeof *t.drags);
		if (!t.drags)
			return error_memory(error, r->near->near_count * sizeof *t.drags);
		t.in = t.out;
		parallel_for(s->threads, r->near->near_count, CONTACT_ROWS, find_drags, &t);
	}
	spate_result result = smoothing_run(&run, error);
	if (result == SPATE_OK && run.implicit && r->near->pushes)
	{
		t.in = r->velocities;
		images_move(r->images, s, t.in);
		parallel_for(s->threads, r->near->near_count, CONTACT_ROWS, charge_step, &t);
	}
	return result;
}
