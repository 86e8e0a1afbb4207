#include "solver/contacts.h"

#include "base/error.h"
#include "base/parallel.h"

#include <float.h>
#include <string.h>

// How close to a collider a particle must be to feel it within one substep, in kernel radii.
#define NEAR 1.05f

enum
{
	MANY_ROWS = 64 // rows per query of the colliders
};

static float radius_of(const contacts *w, size_t row)
{
	return w->view->radii[w->view->store->fluid[row]];
}

// Position of a row at the start of the substep.
static vec3 start_of(const contacts *w, size_t row)
{
	vec4 p = w->view->places[row], moved = w->view->moved[row];
	return vec3_make(p.x - moved.x, p.y - moved.y, p.z - moved.z);
}

// Distance within which a row that has moved by `way` feels a collider. It includes the way, so that no mesh is missed.
static float reach_after(const contacts *w, float radius, float way)
{
	float near = NEAR * radius, far = way + 0.5f * radius;
	return w->view->colliders->meshes > 0 && far > near ? far : near;
}

static float reach_of(const contacts *w, size_t row)
{
	vec4 m = w->view->moved[row];
	return reach_after(w, radius_of(w, row), sqrtf(m.x * m.x + m.y * m.y + m.z * m.z));
}

// The box around some rows, and the square of the longest distance that one of them has moved.
typedef struct row_box
{
	vec3 low, high;
	float way;
} row_box;

static inline float smaller(float a, float b)
{
	return b < a ? b : a;
}

static inline float larger(float a, float b)
{
	return b > a ? b : a;
}

static row_box join_boxes(row_box a, row_box b)
{
	return (row_box){{smaller(a.low.x, b.low.x), smaller(a.low.y, b.low.y), smaller(a.low.z, b.low.z)},
			 {larger(a.high.x, b.high.x), larger(a.high.y, b.high.y), larger(a.high.z, b.high.z)},
			 larger(a.way, b.way)};
}

static row_box box_of(const contacts *w, size_t begin, size_t end)
{
	row_box box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}, 0.0f};
	const vec4 *places = w->view->places, *moved = w->view->moved;
	for (size_t row = begin; row < end; row++)
	{
		vec4 m = moved[row];
		vec3 p = {places[row].x, places[row].y, places[row].z};
		box = join_boxes(box, (row_box){p, p, m.x * m.x + m.y * m.y + m.z * m.z});
	}
	return box;
}

// Which colliders of a mask may be within reach of the rows in a box: one query for all of them.
static collider_mask near_box(const contacts *w, const row_box *box, collider_mask among)
{
	vec3 half = vec3_scale(vec3_sub(box->high, box->low), 0.5f);
	float reach = vec3_length(half) + reach_after(w, w->widest, sqrtf(box->way));
	return collider_set_near(w->view->colliders, among, vec3_add(box->low, half), reach);
}

// Lists the rows within reach of a collider, and counts the walls they may have.
static void list_near(const contacts *w, size_t begin, size_t end, collider_mask among, near_mask *list,
		      near_counts *counts)
{
	uint32_t before = counts->rows;
	for (size_t row = begin; row < end; row++)
	{
		vec3 p = {w->view->places[row].x, w->view->places[row].y, w->view->places[row].z};
		int most = collider_set_most_walls(w->view->colliders, among, p, reach_of(w, row));
		if (most == 0)
			continue;
		counts->felt += (uint32_t)most;
		list[counts->rows++] = (near_mask){(uint32_t)row, among};
	}
	counts->groups += counts->rows > before;
}

// Does so for a block of rows. Most rows are far from all colliders and are culled together.
static void find_near(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	contacts *w = context;
	near_counts counts = {0};
	for (size_t many = begin; many < end; many += MANY_ROWS)
	{
		size_t last = many + MANY_ROWS < end ? many + MANY_ROWS : end;
		row_box boxes[MANY_ROWS / 8], all = box_of(w, many, many);
		for (size_t few = many; few < last; few += 8)
		{
			boxes[(few - many) / 8] = box_of(w, few, few + 8 < last ? few + 8 : last);
			all = join_boxes(all, boxes[(few - many) / 8]);
		}
		collider_mask among = near_box(w, &all, COLLIDER_ALL);
		for (size_t few = many; few < last && among; few += 8)
		{
			collider_mask own = near_box(w, &boxes[(few - many) / 8], among);
			if (own)
				list_near(w, few, few + 8 < last ? few + 8 : last, own, w->near_masks + begin, &counts);
		}
	}
	w->near_counts[begin / CONTACT_ROWS] = counts;
}

// Finds the walls near the rows of a block, and assigns groups to their slices. Rows that turn out to be too far away are dropped.
static void feel_walls(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	contacts *w = context;
	for (size_t block = begin; block < end; block++)
	{
		near_counts at = w->near_counts[block];
		uint32_t listed = w->near_counts[block + 1].rows - at.rows;
		size_t slices = w->view->list->slice_count - block * CONTACT_ROWS / 8;
		slices = slices < CONTACT_ROWS / 8 ? slices : CONTACT_ROWS / 8;
		memset(w->wall_group + block * CONTACT_ROWS / 8, 0, slices * sizeof *w->wall_group);
		for (uint32_t k = 0; k < listed; k++)
		{
			const near_mask *near = &w->near_masks[block * CONTACT_ROWS + k];
			uint32_t row = near->row;
			vec3 p = {w->view->places[row].x, w->view->places[row].y, w->view->places[row].z};
			solid_gap gap;
			float reach = reach_of(w, row);
			int walls = collider_set_feel(w->view->colliders, near->colliders, start_of(w, row), p, reach,
						      w->felt + at.felt, w->owners ? w->owners + at.felt : NULL, &gap);
			if (walls == 0 && gap.distance >= reach)
				continue;
			// the query did not look for meshes beyond the reach
			gap.free = smaller(gap.free, reach);
			w->near[at.rows++] = (near_row){row, at.felt, (uint32_t)walls, gap};
			at.felt += (uint32_t)walls;
			if (w->wall_group[row / 8] == 0)
				w->wall_group[row / 8] = ++at.groups;
		}
		w->near_counts[block].kept = at.rows - w->near_counts[block].rows;
	}
}

// Closes the gaps between blocks that dropped rows have left.
static void close_gaps(contacts *w, size_t blocks)
{
	w->near_count = 0;
	for (size_t block = 0; block < blocks; block++)
	{
		uint32_t kept = w->near_counts[block].kept;
		memmove(w->near + w->near_count, w->near + w->near_counts[block].rows, kept * sizeof *w->near);
		w->near_count += kept;
	}
}

// Where the rows, walls and groups of each block begin; returns the totals.
static near_counts sum_counts(contacts *w, size_t blocks)
{
	near_counts sum = {0};
	for (size_t block = 0; block <= blocks; block++)
	{
		near_counts own = block < blocks ? w->near_counts[block] : (near_counts){0};
		w->near_counts[block] = sum;
		sum = (near_counts){sum.rows + own.rows, sum.felt + own.felt, sum.groups + own.groups, 0};
	}
	return sum;
}

spate_result contacts_find(contacts *w, const step_view *s, spate_error *error)
{
	size_t rows = s->list->count, blocks = (rows + CONTACT_ROWS - 1) / CONTACT_ROWS;
	*w = (contacts){.view = s,
			.near_masks = (near_mask *)(void *)s->spare[0],
			.wall_group = arena_alloc(s->scratch, s->list->slice_count * sizeof(uint32_t)),
			.near_counts = arena_alloc(s->scratch, (blocks + 1) * sizeof(near_counts))};
	if (!w->wall_group || !w->near_counts)
		return error_memory(error, s->list->slice_count * sizeof(uint32_t));
	for (uint32_t f = 0; f < s->fluid_count; f++)
		w->widest = fmaxf(w->widest, s->radii[f]);
	parallel_for(s->threads, rows, CONTACT_ROWS, find_near, w);
	near_counts sum = sum_counts(w, blocks);
	w->near = arena_alloc(s->scratch, sum.rows * sizeof *w->near);
	w->felt = arena_alloc(s->scratch, sum.felt * sizeof *w->felt);
	int owned = s->loads || s->tension || s->shear;
	if (owned)
		w->owners = arena_alloc(s->scratch, sum.felt * sizeof *w->owners);
	if (s->loads)
		w->pushes = arena_alloc(s->scratch, sum.felt * sizeof *w->pushes);
	if (!w->near || !w->felt || (owned && !w->owners) || (s->loads && !w->pushes))
		return error_memory(error, sum.rows * sizeof *w->near + sum.felt * sizeof *w->felt);
	if (w->pushes)
		memset(w->pushes, 0, sum.felt * sizeof *w->pushes);
	if (s->loads && !load_book_open(&w->book, s->colliders->centres, s->colliders->skins, s->colliders->count,
					s->threads, (double)w->widest, s->scratch))
		return error_memory(error, s->colliders->count * sizeof(collider_load));
	parallel_for(s->threads, blocks, 1, feel_walls, w);
	close_gaps(w, blocks);
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------------- loads

static wall_push *pushes_of(const contacts *w, const near_row *near)
{
	return w->pushes ? w->pushes + near->felt : NULL;
}

// Whom a row charges; NULL if nobody wants loads.
static const load_row *charge_of(const contacts *w, size_t row, int thread, load_row *charge)
{
	if (!w->pushes)
		return NULL;
	*charge = load_row_of(&w->book, thread, 1.0 / (double)w->view->places[row].w);
	return charge;
}

void contacts_charge(const contacts *w, uint32_t row, uint32_t number, vec3 dx)
{
	vec4 place = w->view->places[row];
	load_row charge;
	if (charge_of(w, row, 0, &charge))
		load_charge(&charge, number, vec3_make(place.x, place.y, place.z), dx);
}

void contacts_charge_friction(const contacts *w, uint32_t felt, vec3 dx)
{
	if (!w->pushes)
		return;
	w->pushes[felt].given = vec3_add(w->pushes[felt].given, dx);
	w->pushes[felt].friction = vec3_add(w->pushes[felt].friction, dx);
}

static void charge_rows(void *context, size_t begin, size_t end, int thread)
{
	const contacts *w = context;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[k];
		vec4 place = w->view->places[near->row];
		load_row charge = load_row_of(&w->book, thread, 1.0 / (double)place.w);
		for (uint32_t n = near->felt; n < near->felt + near->walls; n++)
		{
			vec3 p = {place.x, place.y, place.z};
			load_charge(&charge, w->owners[n], p, w->pushes[n].given);
			load_charge_friction(&charge, w->owners[n], p, w->pushes[n].friction);
		}
	}
}

void contacts_sum_loads(contacts *w)
{
	const step_view *s = w->view;
	if (!s->loads)
		return;
	parallel_for(s->threads, w->near_count, CONTACT_ROWS, charge_rows, w);
	double d = s->fluids[0].spacing, mass = s->fluids[0].density * d * d * d;
	load_book_close(&w->book, mass, (double)s->dt, s->loads);
}

// -------------------------------------------------------------------------------------------------------------- contacts

typedef struct touch_task
{
	contacts *near;
	float distance;       // spacings
	const uint32_t *some; // of the rows near walls; NULL for all
} touch_task;

static void touch_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const touch_task *t = context;
	contacts *w = t->near;
	const step_view *s = w->view;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[t->some ? t->some[k] : k];
		vec4 *place = &s->places[near->row], *moved = &s->moved[near->row];
		vec3 p = {place->x, place->y, place->z}, m = {moved->x, moved->y, moved->z};
		float spacing = (float)s->fluids[s->store->fluid[near->row]].spacing;
		felt_walls_push(w->felt + near->felt, pushes_of(w, near), (int)near->walls, &p, &m,
				t->distance * spacing);
		*place = (vec4){p.x, p.y, p.z, place->w};
		*moved = (vec4){m.x, m.y, m.z, moved->w};
	}
}

void contacts_touch(contacts *w, float distance)
{
	touch_task t = {.near = w, .distance = distance};
	parallel_for(w->view->threads, w->near_count, CONTACT_ROWS, touch_rows, &t);
}

void contacts_touch_some(contacts *w, float distance, const uint32_t *some, uint32_t count)
{
	touch_task t = {w, distance, some};
	parallel_for(w->view->threads, count, CONTACT_ROWS, touch_rows, &t);
}

static void shift_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const touch_task *t = context;
	const contacts *w = t->near;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[t->some[k]];
		vec4 *place = &w->view->places[near->row];
		float least = t->distance * (float)w->view->fluids[w->view->store->fluid[near->row]].spacing;
		for (uint32_t n = near->felt; n < near->felt + near->walls; n++)
		{
			const felt_wall *felt = &w->felt[n];
			vec3 start = vec3_add(start_of(w, near->row), felt->travel);
			float push = fmaxf(least - (vec3_dot(felt->normal, start) - felt->offset), 0.0f);
			*place = (vec4){place->x + push * felt->normal.x, place->y + push * felt->normal.y,
					place->z + push * felt->normal.z, place->w};
		}
	}
}

void contacts_shift(contacts *w, float distance, const uint32_t *some, uint32_t count)
{
	touch_task t = {w, distance, some};
	parallel_for(w->view->threads, count, CONTACT_ROWS, shift_rows, &t);
}

// Takes from a velocity what goes against a direction, relative to something that moves with `speed` along it; returns how much.
static float stop_velocity(vec4 *v, vec3 n, float speed)
{
	float into = fminf(n.x * v->x + n.y * v->y + n.z * v->z - speed, 0.0f);
	*v = (vec4){v->x - into * n.x, v->y - into * n.y, v->z - into * n.z, v->w};
	return -into;
}

static void guard_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const touch_task *t = context;
	contacts *w = t->near;
	const step_view *s = w->view;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[k];
		vec4 *place = &s->places[near->row], *moved = &s->moved[near->row], *v = &s->velocities[near->row];
		float least = t->distance * (float)s->fluids[s->store->fluid[near->row]].spacing;
		for (uint32_t n = near->felt; n < near->felt + near->walls; n++)
		{
			const felt_wall *felt = &w->felt[n];
			vec3 normal = felt->normal, p = {place->x, place->y, place->z};
			float push = least - (vec3_dot(normal, p) - felt->offset);
			if (!(push > 0.0f))
				continue;
			*place = (vec4){place->x + push * normal.x, place->y + push * normal.y,
					place->z + push * normal.z, place->w};
			*moved = (vec4){moved->x + push * normal.x, moved->y + push * normal.y,
					moved->z + push * normal.z, moved->w};
			float stopped =
			    s->settling ? 0.0f : stop_velocity(v, normal, vec3_dot(normal, felt->travel) / s->dt);
			if (w->pushes)
				w->pushes[n].given = vec3_add_scaled(w->pushes[n].given, normal, stopped * s->dt);
		}
	}
}

static void rebound_rows(void *context, size_t begin, size_t end, int thread)
{
	contacts *w = context;
	const step_view *s = w->view;
	for (size_t k = begin; k < end; k++)
	{
		uint32_t row = w->near[k].row;
		vec4 place = s->places[row], before = w->before[row], *v = &s->velocities[row];
		load_row charge;
		vec3 after = collider_set_respond(s->colliders, vec3_make(place.x, place.y, place.z),
						  vec3_make(before.x, before.y, before.z), vec3_make(v->x, v->y, v->z),
						  0.5f * (float)s->fluids[s->store->fluid[row]].spacing, s->dt,
						  charge_of(w, row, thread, &charge));
		*v = (vec4){after.x, after.y, after.z, v->w};
	}
}

void contacts_guard(contacts *w, float distance, const vec4 *before)
{
	touch_task t = {.near = w, .distance = distance};
	w->from_start = 1;
	w->before = before;
	parallel_for(w->view->threads, w->near_count, CONTACT_ROWS, guard_rows, &t);
	if (before)
		parallel_for(w->view->threads, w->near_count, CONTACT_ROWS, rebound_rows, w);
}

// Distance that a row has moved since its walls were found.
static float corrected_by(const contacts *w, size_t row)
{
	vec4 m = w->view->moved[row], v = w->view->store->velocity[row];
	float dt = w->view->settling || w->from_start ? 0.0f : w->view->dt;
	return vec3_length(vec3_make(m.x - v.x * dt, m.y - v.y * dt, m.z - v.z * dt));
}

static void hold_rows(void *context, size_t begin, size_t end, int thread)
{
	contacts *w = context;
	const step_view *s = w->view;
	for (size_t k = begin; k < end; k++)
	{
		uint32_t row = w->near[k].row;
		if (corrected_by(w, row) < w->near[k].gap.free)
			continue;
		vec4 *place = &w->view->places[row], *moved = &w->view->moved[row];
		vec3 from = start_of(w, row), p = {place->x, place->y, place->z}, q = p;
		load_row charge;
		const load_row *charged = charge_of(w, row, thread, &charge);
		float contact = 0.5f * (float)s->fluids[s->store->fluid[row]].spacing;
		// where displacements are not velocities, they carry no momentum
		uint32_t held = collider_set_hold(s->colliders, from, &q, contact, w->from_start ? NULL : charged);
		if (held == 0)
			continue;
		vec4 after = {q.x - from.x, q.y - from.y, q.z - from.z, moved->w};
		if (charged && !w->from_start)
		{
			// the displacement since the start changes by more than the push: it is no longer a sum, but a
			// difference of coordinates
			vec3 change = {after.x - moved->x, after.y - moved->y, after.z - moved->z};
			load_charge(charged, held - 1, q, vec3_sub(change, vec3_sub(q, p)));
		}
		*place = (vec4){q.x, q.y, q.z, place->w};
		*moved = after;
		vec3 back = vec3_sub(q, p);
		if (!w->from_start || !(vec3_length(back) > 0.0f))
			continue;
		vec3 away = vec3_normalize(back);
		float stopped = stop_velocity(&s->velocities[row], away, 0.0f);
		if (charged)
			load_charge(charged, held - 1, q, vec3_scale(away, stopped * s->dt));
	}
}

void contacts_hold(contacts *w)
{
	if (w->view->colliders->meshes > 0)
		parallel_for(w->view->threads, w->near_count, CONTACT_ROWS, hold_rows, w);
}

static void count_outside(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const contacts *w = context;
	for (size_t k = begin; k < end; k++)
	{
		terms[0][k - begin] = 0.0;
		uint32_t row = w->near[k].row;
		float spacing = (float)w->view->fluids[w->view->store->fluid[row]].spacing;
		if (w->near[k].gap.distance - corrected_by(w, row) > -0.5f * spacing)
			continue;
		vec3 p = {w->view->places[row].x, w->view->places[row].y, w->view->places[row].z};
		terms[0][k - begin] = collider_set_distance(w->view->colliders, p) < -spacing;
	}
}

uint32_t contacts_outside(contacts *w)
{
	return (uint32_t)parallel_sum(w->view->threads, w->near_count, count_outside, w);
}

static void respond_rows(void *context, size_t begin, size_t end, int thread)
{
	contacts *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
	{
		vec4 moved = s->moved[row], place = s->places[row], before = s->velocities[row];
		vec3 v = vec3_scale(vec3_make(moved.x, moved.y, moved.z), 1.0f / s->dt);
		if (w->wall_group[row / 8] > 0)
		{
			load_row charge;
			v = collider_set_respond(s->colliders, vec3_make(place.x, place.y, place.z),
						 vec3_make(before.x, before.y, before.z), v,
						 0.5f * (float)s->fluids[s->store->fluid[row]].spacing, s->dt,
						 charge_of(w, row, thread, &charge));
		}
		s->velocities[row] = (vec4){v.x, v.y, v.z, before.w};
	}
}

void contacts_respond(contacts *w)
{
	parallel_for(w->view->threads, w->view->list->count, PARALLEL_BLOCK, respond_rows, w);
}
