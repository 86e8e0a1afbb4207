// Walls as the SPH solvers feel them beyond their images: friction, and what the liquid gives to colliders.
#include "base/kernels.h"
#include "base/parallel.h"
#include "solver/sph.h"
#include "solver/wall_shares.h"

// Change of a row's velocity by the pressure of an image, as in the pass `push`.
static vec3 push_by(const void *context, uint32_t row, uint32_t other)
{
	const sph_work *w = context;
	const pair_pass *p = &w->pass.pairs;
	const pair_traits *own = p->mixed ? &p->traits[row] : &p->same, *its = p->mixed ? &p->traits[other] : &p->same;
	vec4 x = w->places[row], y = w->places[other];
	vec3 between = {x.x - y.x, x.y - y.y, x.z - y.z};
	float r = vec3_length(between), cube = p->reference_h * p->reference_h * p->reference_h;
	if (!(r > 0.0f))
		return vec3_make(0, 0, 0);
	float slope = spiky_derivative(r, own->half_h + its->half_h) / r;
	return vec3_scale(between, -w->time * w->scale[row] * its->volume * cube * (x.w + y.w) * slope);
}

// The same by its calming, which acts once in a substep.
static vec3 calming_by(const void *context, uint32_t row, uint32_t other)
{
	const sph_work *w = context;
	const pair_pass *p = &w->pass.pairs;
	const pair_traits *own = p->mixed ? &p->traits[row] : &p->same, *its = p->mixed ? &p->traits[other] : &p->same;
	vec4 x = w->places[row], y = w->places[other], a = w->differences[row], b = w->differences[other];
	float r = vec3_length(vec3_make(x.x - y.x, x.y - y.y, x.z - y.z));
	float cube = p->reference_h * p->reference_h * p->reference_h;
	float weight = 0.5f * (own->volume + its->volume) * cube * poly6_value(r, own->half_h + its->half_h);
	return vec3_scale(vec3_make(a.x - b.x, a.y - b.y, a.z - b.z),
			  w->time * w->calming * weight * 2.0f * a.w / (a.w + b.w));
}

void sph_rub(sph_work *w)
{
	wall_shares_rub(&w->images, &w->near, push_by, w, w->velocities);
}

static void charge_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const sph_work *w = context;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near.near[k];
		vec3 given[COLLIDER_MOST_WALLS];
		wall_shares_sum(&w->images, &w->near, near, push_by, w, given);
		wall_shares_charge_all(&w->near, near, given);
		wall_shares_sum(&w->images, &w->near, near, calming_by, w, given);
		wall_shares_charge_all(&w->near, near, given);
	}
}

void sph_charge_walls(sph_work *w)
{
	if (w->near.pushes)
		parallel_for(w->view->threads, w->near.near_count, CONTACT_ROWS, charge_rows, w);
}
