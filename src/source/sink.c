// Sinks: remove particles in a shape, outside it or everywhere, if they are old, fast or isolated enough, and as many as their flow allows.
#include "particles/store.h"
#include "source/source.h"

#include <stdlib.h>

// What has to be seen of a sink's mesh, in spacings of the finest fluid.
#define DETAIL 2.0

// A sink in a step.
typedef struct sink
{
	const spate_sink_def *def;
	solid_shape form;
	const region *space; // instead of it; NULL for none
	const uint32_t *neighbours;
	const float *isolated; // s; NULL where nothing asks for it
	const spate_store *store;
	const float *birth; // NULL where nothing asks for it
	double now;
} sink;

// Distance into or out of the sink's region; less than 0 in it. NaN is left to the runaway policy.
static float distance_of(const sink *s, uint32_t row)
{
	vec4 p = s->store->position[row];
	vec3 place = vec3_make(p.x, p.y, p.z);
	if (s->def->outside == SPATE_SINK_EVERYWHERE)
		return p.x + p.y + p.z < INFINITY ? -0.0f : NAN;
	float distance = s->space ? region_distance(s->space, place) : shape_distance(&s->form, place);
	return s->def->outside == SPATE_SINK_OUTSIDE ? -distance : distance;
}

static int is_isolated(const sink *s, uint32_t row)
{
	if (s->def->isolation == 0)
		return 1;
	if (s->def->isolated_for > 0.0)
		return s->isolated && (double)s->isolated[s->store->home[row]] >= s->def->isolated_for * (1.0 - 1e-6);
	return s->neighbours && s->neighbours[row] < s->def->isolation;
}

// Whether a particle meets the conditions.
static int meets(const sink *s, uint32_t row)
{
	vec4 v = s->store->velocity[row];
	if (s->def->speed > 0.0 && !((double)(v.x * v.x + v.y * v.y + v.z * v.z) >= s->def->speed * s->def->speed))
		return 0;
	if (!is_isolated(s, row))
		return 0;
	return !(s->def->age > 0.0) ||
	       (s->birth && s->now - (double)s->birth[s->store->home[row]] >= s->def->age * (1.0 - 1e-6));
}

static int compare_candidates(const void *left, const void *right)
{
	const sink_candidate *a = left, *b = right;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

// Takes the candidates of a limited flow, as far as it has come.
static uint32_t take_owed(sink_state *state, const spate_fluid_def *fluids, spate_store *store)
{
	double largest = 0.0;
	uint32_t removed = 0;
	size_t n = 0;
	if (state->candidates.count > 0)
		qsort(state->candidates.data, state->candidates.count, sizeof *state->candidates.data,
		      compare_candidates);
	for (; n < state->candidates.count; n++)
	{
		uint32_t row = state->candidates.data[n].row;
		double volume = pow(fluids[store->fluid[row]].spacing, 3.0);
		largest = fmax(largest, volume);
		if (state->owed < volume)
			break;
		state->owed -= volume;
		store_kill(store, row);
		removed++;
	}
	// what was not there is not made up for later
	if (n == state->candidates.count)
		state->owed = fmin(state->owed, largest);
	return removed;
}

// Whether it takes a particle that it may take, at a distance.
static int takes(const sink *s, float distance)
{
	return s->def->outside == SPATE_SINK_OUTSIDE ? distance < 0.0f : distance <= 0.0f;
}

static uint32_t run_one(const sink *s, sink_state *state, const spate_fluid_def *fluids, spate_store *store, double dt,
			spate_result *result)
{
	uint32_t removed = 0;
	int limited = s->def->flow > 0.0;
	state->candidates.count = 0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		// the distance last: it takes longest
		if (store->dead[row] || !meets(s, row))
			continue;
		float distance = distance_of(s, row);
		if (!takes(s, distance))
			continue;
		if (limited)
		{
			if (!array_push(&state->candidates, (sink_candidate){row, distance, store->id[row]}))
			{
				*result = SPATE_MEMORY;
				return removed;
			}
			continue;
		}
		store_kill(store, row);
		removed++;
	}
	if (!limited)
		return removed;
	state->owed += s->def->flow * dt;
	return take_owed(state, fluids, store);
}

// Whether a shape is more than a solid_shape can be.
static int needs_region(const spate_sink_def *def)
{
	return def->outside != SPATE_SINK_EVERYWHERE &&
	       (def->shape.type > SPATE_SHAPE_CYLINDER || shape_is_turned(&def->shape));
}

spate_result sinks_create(sink_state *states, const spate_sink_def *sinks, uint32_t count, const collider_world *world,
			  spate_error *error)
{
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; n < count && result == SPATE_OK; n++)
		if (needs_region(&sinks[n]))
			result = region_create(&states[n].space, &sinks[n].shape, world,
					       DETAIL * (double)world->spacing, error);
	return result;
}

void sinks_free(sink_state *states, uint32_t count)
{
	for (uint32_t n = 0; n < count; n++)
	{
		array_free(&states[n].candidates);
		region_destroy(states[n].space);
	}
}

// Adds a step to the time for which particles have been isolated: those with too few neighbours for the sinks that ask for a time.
static void count_isolation(const spate_sink_def *sinks, uint32_t count, spate_store *store, const uint32_t *neighbours,
			    double dt)
{
	float *isolated = spate_store_field(store, SINK_ISOLATED, NULL);
	uint32_t least = 0;
	for (uint32_t n = 0; n < count && least == 0; n++)
		least = sinks[n].isolated_for > 0.0 ? sinks[n].isolation : 0;
	for (uint32_t row = 0; row < store->rows && isolated && neighbours && least > 0; row++)
	{
		float *own = &isolated[store->home[row]];
		*own = neighbours[row] < least ? *own + (float)dt : 0.0f;
	}
}

uint32_t sinks_run(const spate_sink_def *sinks, sink_state *states, uint32_t count, const spate_fluid_def *fluids,
		   const double origin[3], spate_store *store, const uint32_t *neighbours, double now, double dt,
		   spate_result *result)
{
	uint32_t removed = 0;
	*result = SPATE_OK;
	count_isolation(sinks, count, store, neighbours, dt);
	for (uint32_t n = 0; n < count && *result == SPATE_OK; n++)
	{
		sink s = {
		    .def = &sinks[n], .store = store, .space = states[n].space, .neighbours = neighbours, .now = now};
		if (s.def->outside != SPATE_SINK_EVERYWHERE && !s.space)
			s.form = shape_make(&s.def->shape, origin);
		if (s.def->age > 0.0)
			s.birth = spate_store_field(store, "birth", NULL);
		if (s.def->isolated_for > 0.0)
			s.isolated = spate_store_field(store, SINK_ISOLATED, NULL);
		uint32_t own = run_one(&s, &states[n], fluids, store, dt, result);
		states[n].removed += own;
		removed += own;
	}
	return removed;
}
