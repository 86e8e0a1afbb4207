#include "solver/constraints.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

// The most that constraints move a particle in a substep, in kernel radii: walls are found within 1.05 of them.
#define MOST_MOVE 0.5f
// Displacements that are too small to go on for, in spacings.
#define SETTLED 1e-3f

enum
{
	LEAST_TABLE = 64
};

spate_result constraints_start(constraints *own, const step_view *s, const contacts *near, vec4 *velocities,
			       spate_error *error)
{
	*own = (constraints){.near = near, .velocities = velocities, .error = error};
	if (!s->constraints || s->constraints->count == 0 || s->settling)
		return SPATE_OK;
	size_t bytes = ((size_t)s->list->count + 1) * sizeof *own->given;
	own->view = s;
	own->given = arena_alloc(s->scratch, bytes);
	if (!own->given)
		return error_memory(error, bytes);
	memset(own->given, 0, bytes);
	return SPATE_OK;
}

static spate_constraint_view view_of(constraints *own, uint32_t iteration)
{
	const step_view *s = own->view;
	double d = s->fluids[0].spacing;
	return (spate_constraint_view){.count = s->list->count,
				       .ids = s->store->id,
				       .fluids = s->store->fluid,
				       .places = &s->places[0].x,
				       .moved = &s->moved[0].x,
				       .origin = s->origin,
				       .mass = s->fluids[0].density * d * d * d,
				       .time = s->time,
				       .dt = (double)s->dt,
				       .iteration = iteration,
				       .colliders = s->colliders->count,
				       .own = own};
}

static spate_result fail(constraints *own, spate_result code, const char *text)
{
	own->result = error_set(own->error, code, "the constraint '%s' failed%s%s", own->name, *text ? ": " : "", text);
	return own->result;
}

spate_result constraints_project(constraints *own, uint32_t iteration)
{
	own->largest = 0.0f;
	if (!own->view)
		return SPATE_OK;
	const constraint_set *set = own->view->constraints;
	spate_constraint_view view = view_of(own, iteration);
	for (uint32_t c = 0; c < set->count; c++)
	{
		spate_error told = {0};
		own->name = set->items[c].name;
		spate_result result = set->items[c].project(set->items[c].context, &view, &told);
		if (own->result != SPATE_OK)
			return own->result;
		if (result != SPATE_OK)
			return fail(own, result < SPATE_OK && result >= SPATE_UNUSABLE ? result : SPATE_INVALID,
				    told.text);
	}
	return SPATE_OK;
}

int constraints_settled(const constraints *own)
{
	return own->largest <= SETTLED;
}

spate_result constraints_act(const step_view *s, const contacts *near, vec4 *velocities, spate_error *error)
{
	constraints own;
	spate_result result = constraints_start(&own, s, near, velocities, error);
	return result == SPATE_OK ? constraints_project(&own, 0) : result;
}

// ------------------------------------------------------------------------------------------------------- for the functions

static uint32_t slot_of(const id_table *table, int64_t id)
{
	// Fibonacci hashing: the upper half of the product is well mixed
	return (uint32_t)(((uint64_t)id * 0x9E3779B97F4A7C15u) >> 32) & table->mask;
}

static int fill_table(constraints *own)
{
	const step_view *s = own->view;
	uint32_t size = LEAST_TABLE;
	while (size < UINT32_MAX / 2 && size / 2 < s->list->count)
		size *= 2;
	id_table table = {arena_alloc(s->scratch, size * sizeof(uint32_t)), size - 1};
	if (!table.rows)
	{
		own->result = error_memory(own->error, size * sizeof(uint32_t));
		return 0;
	}
	memset(table.rows, 0xff, size * sizeof(uint32_t));
	for (uint32_t row = 0; row < s->list->count; row++)
	{
		uint32_t slot = slot_of(&table, s->store->id[row]);
		while (table.rows[slot] != SPATE_NO_ROW)
			slot = (slot + 1) & table.mask;
		table.rows[slot] = row;
	}
	own->table = table;
	return 1;
}

uint32_t spate_constraint_row(const spate_constraint_view *view, int64_t id)
{
	constraints *own = view->own;
	const step_view *s = own->view;
	if (own->result != SPATE_OK || (!own->table.rows && !fill_table(own)))
		return SPATE_NO_ROW;
	uint32_t slot = slot_of(&own->table, id), row;
	while ((row = own->table.rows[slot]) != SPATE_NO_ROW && s->store->id[row] != id)
		slot = (slot + 1) & own->table.mask;
	return row != SPATE_NO_ROW && !s->store->dead[row] ? row : SPATE_NO_ROW;
}

// What is left of a displacement by the limit of the substep.
static vec3 limit(constraints *own, uint32_t row, vec3 dx)
{
	float most = MOST_MOVE * own->view->radii[own->view->store->fluid[row]];
	vec3 before = own->given[row], after = vec3_add(before, dx);
	float length = vec3_length(after);
	if (length > most)
	{
		after = vec3_scale(after, most / length);
		dx = vec3_sub(after, before);
	}
	own->given[row] = after;
	return dx;
}

static void displace(const spate_constraint_view *view, uint32_t row, const double by[3], uint32_t number)
{
	constraints *own = view->own;
	const step_view *s = own->view;
	char text[128];
	if (own->result != SPATE_OK)
		return;
	if (row >= s->list->count)
	{
		snprintf(text, sizeof text, "it moved row %u, of which there are %u", row, s->list->count);
		fail(own, SPATE_INVALID, text);
		return;
	}
	vec3 dx = {(float)by[0], (float)by[1], (float)by[2]};
	if (!isfinite(dx.x) || !isfinite(dx.y) || !isfinite(dx.z))
	{
		snprintf(text, sizeof text, "it moved particle %lld by what is not a finite number",
			 (long long)s->store->id[row]);
		fail(own, SPATE_INVALID, text);
		return;
	}
	dx = limit(own, row, dx);
	vec4 *place = &s->places[row], *moved = &s->moved[row];
	*place = (vec4){place->x + dx.x, place->y + dx.y, place->z + dx.z, place->w};
	*moved = (vec4){moved->x + dx.x, moved->y + dx.y, moved->z + dx.z, moved->w};
	if (own->velocities)
	{
		vec4 *v = &own->velocities[row];
		*v = (vec4){v->x + dx.x / s->dt, v->y + dx.y / s->dt, v->z + dx.z / s->dt, v->w};
	}
	if (number != SPATE_NO_COLLIDER)
		contacts_charge(own->near, row, number, dx);
	own->largest = fmaxf(own->largest, vec3_length(dx) / (float)s->fluids[s->store->fluid[row]].spacing);
}

void spate_constraint_move(const spate_constraint_view *view, uint32_t row, const double dx[3])
{
	displace(view, row, dx, SPATE_NO_COLLIDER);
}

void spate_constraint_move_by(const spate_constraint_view *view, uint32_t row, const double dx[3], uint32_t number)
{
	constraints *own = view->own;
	char text[96];
	if (own->result == SPATE_OK && number >= view->colliders)
	{
		snprintf(text, sizeof text, "there is no collider %u, the world has %u", number, view->colliders);
		fail(own, SPATE_INVALID, text);
	}
	displace(view, row, dx, number);
}

spate_result spate_constraint_pose(const spate_constraint_view *view, uint32_t number, spate_pose *pose)
{
	const step_view *s = ((const constraints *)view->own)->view;
	if (number >= view->colliders)
		return SPATE_INVALID;
	*pose = placement_to_pose(&s->colliders->colliders[number].placed, s->origin);
	return SPATE_OK;
}
