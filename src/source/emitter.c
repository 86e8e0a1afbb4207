// Emitters: jets that leave an opening in columns.
#include "source/source_work.h"

#include <stdlib.h>

// More turns than an emitter takes in any run.
#define MOST_TURNS 1e18

static int compare_turns(const void *left, const void *right)
{
	const emitter_column *a = left, *b = right;
	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	if (a->along != b->along)
		return a->along < b->along ? -1 : 1;
	return a->across < b->across ? -1 : a->across > b->across;
}

// Places the columns on a square lattice over the opening. Their turns come from a dithering mask (Roberts: The unreasonable
// effectiveness of quasirandom sequences, 2018): adjacent columns emit at quite different times, so that the jet has no flat layers.
static int make_columns(emitter_columns *columns, const spate_source_def *def, double d)
{
	double half_u = def->radius > 0.0 ? def->radius : 0.5 * def->width;
	double half_v = def->radius > 0.0 ? def->radius : 0.5 * def->height;
	int64_t nu = (int64_t)fmax(1.0, floor(2.0 * half_u / d + 1e-4)),
		nv = (int64_t)fmax(1.0, floor(2.0 * half_v / d + 1e-4));
	for (int64_t j = 0; j < nv; j++)
		for (int64_t i = 0; i < nu; i++)
		{
			double a = ((double)i + 0.5 - 0.5 * (double)nu) * d,
			       b = ((double)j + 0.5 - 0.5 * (double)nv) * d,
			       turn = 0.7548776662466927 * (double)i + 0.5698402909980532 * (double)j;
			if (def->radius > 0.0 && a * a + b * b > def->radius * def->radius)
				continue;
			if (!array_push(columns, (emitter_column){a, b, turn - floor(turn)}))
			{
				array_free(columns);
				return 0;
			}
		}
	qsort(columns->data, columns->count, sizeof *columns->data, compare_turns);
	return 1;
}

int emitter_is_free(const spate_source_def *def, double d, const double origin[3], const collider_set *colliders)
{
	emitter_columns columns = {0};
	double ahead[3] = {def->direction[0], def->direction[1], def->direction[2]}, u[3], v[3];
	if (!make_columns(&columns, def, d))
		return -1;
	source_normalize(ahead);
	vec3_across(ahead, u, v);
	int is_free = 0;
	for (size_t i = 0; i < columns.count && !is_free; i++)
	{
		const emitter_column *c = &columns.data[i];
		double place[3];
		for (int k = 0; k < 3; k++)
			place[k] = def->position[k] + c->across * u[k] + c->along * v[k] + d * ahead[k];
		is_free = collider_set_distance(colliders, source_relative(origin, place)) >= 0.0f;
	}
	array_free(&columns);
	return is_free;
}

// Time (s) at which an emitter stops, or the step's `end` if that comes first.
static double pours_until(const spate_source_def *def, double end)
{
	return def->stop >= 0.0 && def->stop < end ? def->stop : end;
}

// Number of turns that an emitter's columns have taken by a time (s), if the jet moves by `apart` (m) between two.
static uint64_t turns_due(const spate_source_def *def, double since, double until, double apart)
{
	double turns = floor(def->speed * (until - since) / apart);
	return turns > 0.0 ? (uint64_t)fmin(turns, MOST_TURNS) : 0;
}

int source_set_prepare_change(source_set *set, uint32_t s, double d)
{
	return set->defs[s].type != SPATE_SOURCE_EMITTER || set->columns[s].count > 0 ||
	       make_columns(&set->columns[s], &set->defs[s], d);
}

void source_set_change(source_set *set, uint32_t s, const spate_source_def *before, double now, double d)
{
	const spate_source_def *def = &set->defs[s];
	source_state *state = &set->states[s];
	if (def->type != SPATE_SOURCE_EMITTER || now <= def->start)
		return;
	// an emitter at its limit has not poured since
	int full = before->limit > 0 && state->emitted >= before->limit;
	double poured = full ? (double)state->turns * d / (double)set->columns[s].count
			     : before->speed * fmax(pours_until(before, now) - state->since, 0.0);
	state->since = pours_until(def, now) - poured / def->speed;
}

// The columns take turns, evenly in time: each emits a particle whenever the jet has moved by a spacing, so the jet has the right length
// to within one particle. Particles that leave the opening during the step start behind it, where they would be at the beginning of the
// step: the step then moves them like all others, and their distances are exact for any sequence of steps. Nothing is emitted where a
// mesh is in the way.
int emitter_collect(source_set *set, uint32_t s, double d, const collider_set *colliders, double begin, double end)
{
	const spate_source_def *def = &set->defs[s];
	source_state *state = &set->states[s];
	emitter_columns *columns = &set->columns[s];
	double until = pours_until(def, end);
	if (until <= def->start)
		return 1;
	if (columns->count == 0 && !make_columns(columns, def, d))
		return 0;
	double u[3], v[3], velocity[3], apart = d / (double)columns->count;
	vec3_across(def->direction, u, v);
	for (int k = 0; k < 3; k++)
		velocity[k] = def->speed * def->direction[k];
	uint64_t due = turns_due(def, state->since, until, apart);
	for (; state->turns < due; state->turns++)
	{
		if (def->limit > 0 && state->emitted + set->positions.count / 3 >= def->limit)
			return 1;
		const emitter_column *column = &columns->data[state->turns % columns->count];
		double place[3], ahead = def->speed * (begin - state->since) - (double)(state->turns + 1) * apart;
		for (int k = 0; k < 3; k++)
			place[k] =
			    def->position[k] + column->across * u[k] + column->along * v[k] + ahead * def->direction[k];
		if (!collider_set_contains(colliders, source_relative(set->origin, place)) &&
		    !source_collect(set, place, velocity))
			return 0;
	}
	return 1;
}

int emitter_can_be(source_set *set, uint32_t s, double d, double now, int *memory)
{
	const spate_source_def *def = &set->defs[s];
	const source_state *state = &set->states[s];
	emitter_columns *columns = &set->columns[s];
	double until = pours_until(def, now);
	if (!(fabs(state->since) < INFINITY))
		return 0;
	if (until <= def->start && state->since == def->start)
		return state->turns == 0 && state->emitted == 0;
	if (columns->count == 0 && !make_columns(columns, def, d))
	{
		*memory = 0;
		return 1;
	}
	// the sum of the steps is subject to rounding; an emitter that has reached its limit takes no more turns
	uint64_t due = turns_due(def, state->since, until, d / (double)columns->count);
	int full = def->limit > 0 && state->emitted >= def->limit;
	return state->emitted <= state->turns && state->turns <= due + 1 && (full || state->turns + 1 >= due) &&
	       (def->limit == 0 || state->emitted <= def->limit);
}
