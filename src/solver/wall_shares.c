#include "solver/wall_shares.h"

#include "base/parallel.h"

// Whether an image has been reflected by a wall of some normal, among others perhaps.
static int reflected_along(const image *i, vec3 n)
{
	const float *t = i->turn;
	vec3 turned = {t[0] * n.x + t[1] * n.y + t[2] * n.z, t[3] * n.x + t[4] * n.y + t[5] * n.z,
		       t[6] * n.x + t[7] * n.y + t[8] * n.z};
	return vec3_dot(turned, n) < -0.5f;
}

// Adds a wall to those that may have made an image. Of two that face each other, an image is that of the one that the push comes from.
static uint32_t add_maker(const felt_wall *walls, uint32_t f, vec3 by, uint32_t *made, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		if (vec3_dot(walls[f].normal, walls[made[k]].normal) < -0.5f)
		{
			made[k] = vec3_dot(by, walls[f].normal) > 0.0f ? f : made[k];
			return count;
		}
	made[count] = f;
	return count + 1;
}

// Divides the push of an image among the walls of a row: all of it for one that alone has made the image, else to each of them what is
// along its normal. At curved walls the row's own may all be others; then the one that faces the push gets it.
void wall_shares_add(const contacts *c, const near_row *near, const image *i, vec3 by, vec3 *given)
{
	const felt_wall *walls = c->felt + near->felt;
	if (near->walls == 1)
	{
		given[0] = vec3_add(given[0], by);
		return;
	}
	uint32_t made[COLLIDER_MOST_WALLS], count = 0, facing = 0;
	for (uint32_t f = 0; f < near->walls; f++)
	{
		if (reflected_along(i, walls[f].normal))
			count = add_maker(walls, f, by, made, count);
		facing = vec3_dot(by, walls[f].normal) > vec3_dot(by, walls[facing].normal) ? f : facing;
	}
	for (uint32_t k = 1; k < count; k++)
	{
		vec3 n = walls[made[k]].normal, along = vec3_scale(n, vec3_dot(by, n));
		given[made[k]] = vec3_add(given[made[k]], along);
		by = vec3_sub(by, along);
	}
	uint32_t rest = count > 0 ? made[0] : facing;
	given[rest] = vec3_add(given[rest], by);
}

void wall_shares_sum(const image_set *set, const contacts *c, const near_row *near, image_effect *effect,
		     const void *context, vec3 given[COLLIDER_MOST_WALLS])
{
	uint32_t slice = near->row / 8;
	const uint32_t *entry = set->seen.entries + set->seen.begin[slice] + near->row % 8;
	for (uint32_t f = 0; f < near->walls; f++)
		given[f] = vec3_make(0, 0, 0);
	for (uint32_t n = 0; n < set->seen.length[slice] && near->walls > 0; n++, entry += 8)
		if (*entry >= set->first)
			wall_shares_add(c, near, &set->images[*entry - set->first], effect(context, near->row, *entry),
					given);
}

vec3 wall_friction(const felt_wall *felt, vec3 motion, float push)
{
	vec3 n = felt->normal, slide = vec3_add_scaled(motion, n, -vec3_dot(motion, n));
	float speed = vec3_length(slide), most = felt->friction * fmaxf(push, 0.0f);
	return speed > 0.0f && most > 0.0f ? vec3_scale(slide, -fminf(most / speed, 1.0f)) : vec3_make(0, 0, 0);
}

int wall_friction_acts(const collider_set *colliders)
{
	for (uint32_t c = 0; c < colliders->count; c++)
		if (colliders->colliders[c].friction.value > 0.0f)
			return 1;
	return 0;
}

void wall_shares_charge(const contacts *c, uint32_t felt, vec3 change)
{
	if (c->pushes)
		c->pushes[felt].given = vec3_add_scaled(c->pushes[felt].given, change, c->view->dt);
}

void wall_shares_charge_all(const contacts *c, const near_row *near, const vec3 *changes)
{
	for (uint32_t f = 0; f < near->walls; f++)
		wall_shares_charge(c, near->felt + f, changes[f]);
}

typedef struct rub_task
{
	const image_set *set;
	const contacts *contacts;
	image_effect *effect;
	const void *context;
	vec4 *velocities;
} rub_task;

static void rub_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const rub_task *t = context;
	const contacts *c = t->contacts;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &c->near[k];
		vec3 given[COLLIDER_MOST_WALLS];
		wall_shares_sum(t->set, c, near, t->effect, t->context, given);
		vec4 *v = &t->velocities[near->row];
		for (uint32_t f = 0; f < near->walls; f++)
		{
			const felt_wall *felt = &c->felt[near->felt + f];
			vec3 slide = vec3_add_scaled(vec3_make(v->x, v->y, v->z), felt->travel, -1.0f / c->view->dt);
			vec3 stop = wall_friction(felt, slide, vec3_dot(given[f], felt->normal));
			*v = (vec4){v->x + stop.x, v->y + stop.y, v->z + stop.z, v->w};
			contacts_charge_friction(c, near->felt + f, vec3_scale(stop, c->view->dt));
		}
	}
}

void wall_shares_rub(const image_set *set, const contacts *c, image_effect *effect, const void *context,
		     vec4 *velocities)
{
	rub_task t = {set, c, effect, context, velocities};
	if (wall_friction_acts(c->view->colliders))
		parallel_for(c->view->threads, c->near_count, CONTACT_ROWS, rub_rows, &t);
}
