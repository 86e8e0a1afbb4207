// Walls of the position-based solver: images of the particles, friction, and what the liquid gives to colliders.
#include "base/error.h"
#include "base/kernels.h"
#include "base/parallel.h"
#include "solver/pbf_work.h"
#include "solver/wall_shares.h"

#include <string.h>

// -------------------------------------------------------------------------------------------------------------- images

static int walls_move(const collider_set *set)
{
	for (uint32_t c = 0; c < set->count; c++)
	{
		const collider *own = &set->colliders[c];
		if (own->pose.moves || (own->mesh && mesh_solid_deforms(own->mesh)))
			return 1;
	}
	return 0;
}

// The walls without their travel. Images would be found at the start of the substep, but places are predicted for its end, as walls are.
static spate_result stop_walls(contacts *still, const contacts *near, spate_error *error)
{
	*still = *near;
	if (near->near_count == 0 || !walls_move(near->view->colliders))
		return SPATE_OK;
	const near_row *last = &near->near[near->near_count - 1];
	size_t count = (size_t)last->felt + last->walls;
	still->felt = arena_alloc(near->view->scratch, (count + 1) * sizeof *still->felt);
	if (!still->felt)
		return error_memory(error, count * sizeof *still->felt);
	memcpy(still->felt, near->felt, count * sizeof *still->felt);
	for (size_t f = 0; f < count; f++)
		still->felt[f].travel = vec3_make(0, 0, 0);
	return SPATE_OK;
}

// Room to keep account of what images do.
static spate_result open_account(pbf_work *w, spate_error *error)
{
	size_t records = 8 * (size_t)w->images.groups;
	w->pass.pushed = arena_alloc(w->view->scratch, records * sizeof(vec4));
	w->pass.pushed_last = arena_alloc(w->view->scratch, records * sizeof(vec4));
	if (!w->pass.pushed || !w->pass.pushed_last)
		return error_memory(error, records * sizeof(vec4));
	memset(w->pass.pushed, 0, records * sizeof(vec4));
	memset(w->pass.pushed_last, 0, records * sizeof(vec4));
	return SPATE_OK;
}

spate_result pbf_work_mirror(pbf_work *w, spate_error *error)
{
	const step_view *s = w->view;
	contacts still;
	spate_result result = stop_walls(&still, &w->near, error);
	if (result == SPATE_OK)
		result = images_make_seen(&w->images, &still, error);
	if (result == SPATE_OK)
		result = images_show(&w->images, s, &w->pass.pairs, error);
	if (result == SPATE_OK && !s->settling && (w->near.pushes || wall_friction_acts(s->colliders)))
		result = open_account(w, error);
	if (result != SPATE_OK)
		return result;
	step_place_dummies(w->images.places, s->list->count, 0.0f);
	w->pass.image_places = w->images.places;
	w->pass.wall_group = w->near.wall_group;
	return SPATE_OK;
}

void pbf_work_place_images(pbf_work *w, vec4 *places)
{
	step_view view = *w->view;
	view.places = places;
	images_place(&w->images, &view, w->images.places);
}

// ----------------------------------------------------------------------------------------------------- friction and loads

// What an image has pushed a row with (m): by the multipliers of all iterations, at the places of now.
static vec3 push_by(const void *context, uint32_t row, uint32_t other)
{
	const pbf_work *w = context;
	const step_view *s = w->view;
	const pair_pass *p = &w->pass.pairs;
	uint32_t root = w->images.images[other - w->images.first].root;
	const pair_traits *own = p->mixed ? &p->traits[row] : &p->same, *its = p->mixed ? &p->traits[root] : &p->same;
	vec4 x = s->places[row], y = w->images.places[other];
	vec3 between = {x.x - y.x, x.y - y.y, x.z - y.z};
	float r = vec3_length(between), h = own->half_h + its->half_h, t = fmaxf(1.0f - r / h, 0.0f);
	float scale = p->reference_h / h, slope = 3.0f * (float)KERNEL_SPIKY_NORM / p->reference_h * t * t;
	float pull = its->volume * s->moved[row].w + own->volume * s->moved[root].w;
	return vec3_scale(between, r > 0.0f ? -x.w * slope * pull * scale * scale * scale * scale / r : 0.0f);
}

// What the walls of a row have given to it. The sum is known exactly. It is divided as the pushes of all multipliers at the last places
// would be.
static void divide_pushes(const pbf_work *w, const near_row *near, vec3 given[COLLIDER_MOST_WALLS])
{
	vec4 sum = w->pass.pushed[8 * (size_t)w->near.wall_group[near->row / 8] + near->row % 8];
	vec3 rest = {sum.x, sum.y, sum.z};
	uint32_t most = 0;
	wall_shares_sum(&w->images, &w->near, near, push_by, w, given);
	for (uint32_t f = 0; f < near->walls; f++)
	{
		rest = vec3_sub(rest, given[f]);
		most = vec3_length(given[f]) > vec3_length(given[most]) ? f : most;
	}
	given[most] = vec3_add(given[most], rest);
}

// Coulomb friction by what a wall has given; returns the displacement.
static vec3 rub(const pbf_work *w, uint32_t row, const felt_wall *felt, vec3 given)
{
	vec4 *x = &w->view->places[row], *m = &w->view->moved[row];
	vec3 slide = vec3_sub(vec3_make(m->x, m->y, m->z), felt->travel);
	vec3 stop = wall_friction(felt, slide, vec3_dot(given, felt->normal));
	*x = (vec4){x->x + stop.x, x->y + stop.y, x->z + stop.z, x->w};
	*m = (vec4){m->x + stop.x, m->y + stop.y, m->z + stop.z, m->w};
	return stop;
}

static void settle_account(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const pbf_work *w = context;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near.near[k];
		vec3 given[COLLIDER_MOST_WALLS];
		if (near->walls == 0)
			continue;
		divide_pushes(w, near, given);
		for (uint32_t f = 0; f < near->walls; f++)
		{
			vec3 stop = rub(w, near->row, &w->near.felt[near->felt + f], given[f]);
			if (!w->near.pushes)
				continue;
			wall_push *push = &w->near.pushes[near->felt + f];
			push->given = vec3_add(push->given, given[f]);
			contacts_charge_friction(&w->near, near->felt + f, stop);
		}
	}
}

void pbf_work_rub_and_charge(pbf_work *w)
{
	if (!w->pass.pushed)
		return;
	pbf_work_place_images(w, w->view->places);
	parallel_for(w->view->threads, w->near.near_count, CONTACT_ROWS, settle_account, w);
}
