#include "solver/parting.h"

#include "base/parallel.h"

// Particles closer than CLOSEST spacings are parted, by a part of what they lack of it and at most MOST_PARTING per substep.
#define CLOSEST 0.6f
#define PARTING 0.25f
#define MOST_PARTING 0.1f

typedef struct part_task
{
	const step_view *view;
	const vec4 *places;
	const float *errors;
	vec4 *shifts;
} part_task;

static void part_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const part_task *t = context;
	const step_view *s = t->view;
	const neighbour_list *list = s->list;
	for (size_t row = begin; row < end; row++)
	{
		if (!(t->errors[row] > PARTING_CROWDED))
			continue;
		vec4 x = t->places[row];
		float d = (float)s->fluids[s->store->fluid[row]].spacing;
		vec3 by = {0, 0, 0};
		const uint32_t *entry = list->entries.data + list->slice_begin.data[row / 8] + row % 8;
		for (uint32_t k = 0; k < list->slice_length.data[row / 8]; k++, entry += 8)
		{
			vec4 y = t->places[*entry];
			vec3 between = {x.x - y.x, x.y - y.y, x.z - y.z};
			float r = vec3_length(between), lacks = CLOSEST * d - r;
			if (!(lacks > 0.0f) || *entry >= list->count)
				continue;
			// those in the same place are parted by their order
			vec3 away = r > 1e-3f * d ? vec3_scale(between, 1.0f / r)
						  : vec3_make(*entry > row ? 1.0f : -1.0f, 0, 0);
			by = vec3_add_scaled(by, away, PARTING * lacks);
		}
		float length = vec3_length(by), limit = length > MOST_PARTING * d ? MOST_PARTING * d / length : 1.0f;
		vec4 *dx = &t->shifts[row];
		*dx = (vec4){dx->x + limit * by.x, dx->y + limit * by.y, dx->z + limit * by.z, 0};
	}
}

void parting_add(const step_view *s, const vec4 *places, const float *errors, vec4 *shifts)
{
	part_task t = {s, places, errors, shifts};
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, part_rows, &t);
}
