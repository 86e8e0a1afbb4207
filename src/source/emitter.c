// Emitters: jets that leave an opening, or the surface of a mesh, in columns.
#include "base/random.h"
#include "source/source_work.h"

#include <string.h>

// More turns than an emitter takes in any run.
#define MOST_TURNS 1e18

// ----------------------------------------------------------------------------------------------------------- where it is

// An opening at a moment: its centre (m), the direction of the jet and those of its sides. Of a surface, whose columns are in the
// coordinates of the scene, these are the axes of the scene.
typedef struct opening
{
	double centre[3], ahead[3], u[3], v[3];
	int surface;
} opening;

// The sides of the opening: across is as near to the wanted direction as the jet allows.
static void find_sides(const spate_source_def *def, const double ahead[3], double u[3], double v[3])
{
	double along = 0.0, rest[3], length2 = 0.0;
	for (int k = 0; k < 3; k++)
		along += def->across[k] * ahead[k];
	for (int k = 0; k < 3; k++)
	{
		rest[k] = def->across[k] - along * ahead[k];
		length2 += rest[k] * rest[k];
	}
	vec3_across(ahead, u, v);
	if (!(length2 > 0.0))
		return;
	for (int k = 0; k < 3; k++)
		u[k] = rest[k] / sqrt(length2);
	for (int k = 0; k < 3; k++)
		v[k] = ahead[(k + 1) % 3] * u[(k + 2) % 3] - ahead[(k + 2) % 3] * u[(k + 1) % 3];
}

static opening opening_of(const spate_source_def *def)
{
	opening o = {.ahead = {0, 0, 1}, .u = {1, 0, 0}, .v = {0, 1, 0}, .surface = def->type == SPATE_SOURCE_SURFACE};
	if (o.surface)
		return o;
	memcpy(o.centre, def->position, sizeof o.centre);
	memcpy(o.ahead, def->direction, sizeof o.ahead);
	source_normalize_once(o.ahead);
	find_sides(def, o.ahead, o.u, o.v);
	return o;
}

static void turn(const placement *at, double v[3])
{
	const double *r = at->rotation, old[3] = {v[0], v[1], v[2]};
	for (int k = 0; k < 3; k++)
		v[k] = r[3 * k] * old[0] + r[3 * k + 1] * old[1] + r[3 * k + 2] * old[2];
}

// Takes an opening along with the collider it rides on.
static opening carry(const opening *o, const placement *at, const double origin[3])
{
	opening out = *o;
	for (int k = 0; k < 3; k++)
		out.centre[k] = at->scale * (o->centre[k] - origin[k]);
	turn(at, out.centre);
	for (int k = 0; k < 3; k++)
		out.centre[k] += at->translation[k] + origin[k];
	turn(at, out.ahead);
	turn(at, out.u);
	turn(at, out.v);
	// a surface grows with its collider, an opening keeps its size
	for (int k = 0; k < 3 && o->surface; k++)
	{
		out.ahead[k] *= at->scale;
		out.u[k] *= at->scale;
		out.v[k] *= at->scale;
	}
	return out;
}

static void place_of(const opening *o, const emitter_column *c, double out[3])
{
	for (int k = 0; k < 3; k++)
	{
		out[k] = o->centre[k] + c->across * o->u[k] + c->along * o->v[k];
		if (o->surface)
			out[k] += c->depth * o->ahead[k];
	}
}

// The direction in which a column pours.
static void way_of(const opening *o, const emitter_column *c, double out[3])
{
	memcpy(out, o->ahead, sizeof o->ahead);
	if (!o->surface)
		return;
	for (int k = 0; k < 3; k++)
		out[k] = c->ahead[0] * o->u[k] + c->ahead[1] * o->v[k] + c->ahead[2] * o->ahead[k];
	source_normalize(out);
}

void emitter_ride(const source_set *set, uint32_t s, const collider_set *colliders, double dt, double place[3],
		  double velocity[3])
{
	const spate_source_def *def = &set->defs[s];
	if (def->follow >= colliders->count)
		return;
	const collider *own = &colliders->colliders[def->follow];
	opening o = {.surface = 1};
	memcpy(o.centre, place, sizeof o.centre);
	memcpy(o.ahead, velocity, sizeof o.ahead);
	opening from = carry(&o, &own->left, set->origin), to = carry(&o, &own->placed, set->origin);
	turn(&own->left, velocity);
	for (int k = 0; k < 3; k++)
	{
		velocity[k] += dt > 0.0 ? (to.centre[k] - from.centre[k]) / dt : 0.0;
		place[k] = from.centre[k];
	}
}

int emitter_is_free(const spate_source_def *def, double d, const double origin[3], const collider_set *colliders)
{
	emitter_columns columns = {0};
	if (!emitter_columns_of(&columns, def, d))
		return -1;
	opening o = opening_of(def);
	if (def->follow < colliders->count)
		o = carry(&o, &colliders->colliders[def->follow].placed, origin);
	int is_free = 0;
	for (size_t i = 0; i < columns.count && !is_free; i++)
	{
		const emitter_column *c = &columns.data[i];
		double place[3];
		for (int k = 0; k < 3; k++)
			place[k] = o.centre[k] + c->across * o.u[k] + c->along * o.v[k] + d * o.ahead[k];
		is_free = collider_set_distance(colliders, source_relative(origin, place)) >= 0.0f;
	}
	array_free(&columns);
	return is_free;
}

// -------------------------------------------------------------------------------------------------------------- its jet

// Time (s) at which an emitter stops, or the step's `end` if that comes first.
static double pours_until(const spate_source_def *def, double end)
{
	return def->stop >= 0.0 && def->stop < end ? def->stop : end;
}

// The last particle of a count comes when the emitter stops; rounding must not lose it.
#define LAST_TURN 1e-6

// Turns that an emitter's columns have taken by a time (s), as a real number, if the jet moves by `apart` (m) between two.
static double turns_by(const spate_source_def *def, const source_state *state, double speed, double until, double apart)
{
	double last = def->count > 0 && until == def->stop ? LAST_TURN : 0.0;
	return state->base + speed * (until - state->since) / apart + last;
}

static uint64_t whole_turns(double turns)
{
	turns = floor(turns);
	return turns > 0.0 ? (uint64_t)fmin(turns, MOST_TURNS) : 0;
}

static int is_full(const spate_source_def *def, const source_state *state)
{
	return def->limit > 0 && state->emitted >= def->limit;
}

void source_set_change(source_set *set, uint32_t s, const spate_source_def *before, double now, double d)
{
	const spate_source_def *def = &set->defs[s];
	source_state *state = &set->states[s];
	source_set_derive(set, s);
	if (def->type == SPATE_SOURCE_FILL || now <= def->start)
		return;
	double speed = emitter_pace(before, d), apart = emitter_apart(before, d);
	int full = is_full(before, state), goes_on = is_full(def, state) == full && before->stop == def->stop;
	if (goes_on && speed == emitter_pace(def, d) && apart == emitter_apart(def, d))
		return;
	// an emitter at its limit has not poured since
	double flat = before->profile == SPATE_PROFILE_FLAT ? (double)state->turns : state->last;
	double until = fmax(pours_until(before, now), state->since);
	state->base = full ? flat : turns_by(before, state, speed, until, apart);
	state->since = pours_until(def, now);
}

// The same with what this step has added.
int emitter_reaches_limit(const source_set *set, uint32_t s)
{
	const spate_source_def *def = &set->defs[s];
	return def->limit > 0 && set->states[s].emitted + set->positions.count / 3 >= def->limit;
}

uint64_t emitter_due(const source_set *set, uint32_t s, double d, double end)
{
	const spate_source_def *def = &set->defs[s];
	double until = pours_until(def, end), pace = emitter_pace(def, d);
	if (until <= def->start || !(pace > 0.0))
		return 0;
	return whole_turns(turns_by(def, &set->states[s], pace, until, emitter_apart(def, d)));
}

// A jet during a step.
typedef struct jet
{
	const spate_source_def *def;
	const emitter_columns *columns;
	const collider_set *colliders;
	opening before, now; // at both ends of the step
	int rides;           // the opening moves with a collider
	double speed, apart; // m/s; m
	double dt, spacing;  // s; m
} jet;

// A random displacement in the plane of the opening and along the jet, as far as it is wanted.
static void jitter_place(const source_set *set, uint32_t s, double d, double place[3])
{
	double length = set->defs[s].jitter * d;
	if (!(length > 0.0))
		return;
	int64_t number = (int64_t)(set->states[s].emitted + set->positions.count / 3);
	vec3 u = random_unit((random_key){set->seed, number, s, 0});
	place[0] += length * (double)u.x;
	place[1] += length * (double)u.y;
	place[2] += length * (double)u.z;
}

// Adds a particle of a column that is `ahead` (m) in front of a resting opening when the step begins: less than 0 if it comes out later
// in the step. The step then moves it like all others, and distances are exact for any sequence of steps. If the opening moves, it
// comes out where the opening is at that moment, with the velocity of the opening there. Nothing is emitted where a mesh is in the way.
static int add_one(source_set *set, uint32_t s, const jet *j, const emitter_column *column, double ahead)
{
	double place[3], velocity[3], out[3], way[3], speed = j->speed * column->share;
	place_of(&j->now, column, out);
	way_of(&j->now, column, way);
	if (!j->rides)
		for (int k = 0; k < 3; k++)
		{
			place[k] = out[k] + ahead * way[k];
			velocity[k] = speed * way[k];
		}
	else
	{
		double from[3], left[3], along[3], wait = fmin(fmax(-ahead / speed, 0.0), j->dt), share = wait / j->dt;
		place_of(&j->before, column, from);
		way_of(&j->before, column, left);
		for (int k = 0; k < 3; k++)
			along[k] = left[k] + share * (way[k] - left[k]);
		source_normalize(along);
		for (int k = 0; k < 3; k++)
		{
			velocity[k] = speed * along[k] + (out[k] - from[k]) / j->dt;
			place[k] = from[k] + share * (out[k] - from[k]) - wait * velocity[k];
		}
	}
	jitter_place(set, s, j->spacing, place);
	// what comes out of a solid's surface later in the step is still behind it
	return collider_set_contains(j->colliders, source_relative(set->origin, j->now.surface ? out : place)) ||
	       source_collect(set, place, velocity);
}

// The columns take turns, evenly in time: each emits a particle whenever the jet has moved by a spacing, so the jet has the right length
// to within one particle.
static int take_turns(source_set *set, uint32_t s, const jet *j, double begin, double until)
{
	source_state *state = &set->states[s];
	uint64_t due = whole_turns(turns_by(j->def, state, j->speed, until, j->apart));
	for (; state->turns < due; state->turns++)
	{
		if (emitter_reaches_limit(set, s))
			return 1;
		const emitter_column *column = &j->columns->data[state->turns % j->columns->count];
		double ahead =
		    j->speed * (begin - state->since) - ((double)(state->turns + 1) - state->base) * j->apart;
		if (!add_one(set, s, j, column, ahead))
			return 0;
	}
	return 1;
}

// Columns of different speeds: each emits whenever it has moved by its own spacing.
static int take_own_turns(source_set *set, uint32_t s, const jet *j, double begin, double until)
{
	source_state *state = &set->states[s];
	double first = state->last, last = turns_by(j->def, state, j->speed, until, j->apart),
	       count = (double)j->columns->count;
	double at_begin = turns_by(j->def, state, j->speed, begin, j->apart);
	if (is_full(j->def, state) || !(last > first))
		return 1;
	state->last = last;
	for (size_t c = 0; c < j->columns->count; c++)
	{
		const emitter_column *column = &j->columns->data[c];
		// in units of its own turns
		double rate = column->share / count, phase = 1.0 - ((double)c + 1.0) / count;
		double due = floor(last * rate + phase);
		for (double n = floor(first * rate + phase) + 1.0; n <= due; n += 1.0)
		{
			if (emitter_reaches_limit(set, s))
				return 1;
			double ahead = (at_begin - (n - phase) / rate) * j->apart * column->share;
			if (!add_one(set, s, j, column, ahead))
				return 0;
		}
	}
	state->turns = whole_turns(last);
	return 1;
}

int emitter_collect(source_set *set, uint32_t s, double d, const collider_set *colliders, double begin, double end)
{
	const spate_source_def *def = &set->defs[s];
	double until = pours_until(def, end);
	jet j = {.def = def, .colliders = colliders, .speed = emitter_speed(def, d), .dt = end - begin, .spacing = d};
	if (until <= def->start || !(j.speed > 0.0))
		return 1;
	j.columns = emitter_columns_of(&set->columns[s], def, d);
	if (!j.columns)
		return 0;
	if (j.columns->count == 0)
		return 1;
	j.apart = emitter_apart(def, d);
	j.before = j.now = opening_of(def);
	if (def->follow < colliders->count)
	{
		const collider *own = &colliders->colliders[def->follow];
		opening rest = j.now;
		j.rides = own->pose.moves && end > begin;
		j.before = carry(&rest, &own->left, set->origin);
		j.now = carry(&rest, &own->placed, set->origin);
	}
	return def->profile == SPATE_PROFILE_FLAT ? take_turns(set, s, &j, begin, until)
						  : take_own_turns(set, s, &j, begin, until);
}

int emitter_can_be(const source_set *set, uint32_t s, double d, double now)
{
	const spate_source_def *def = &set->defs[s];
	const source_state *state = &set->states[s];
	double until = pours_until(def, now), span = 1e15;
	if (!(fabs(state->since) < INFINITY) || !(fabs(state->base) < span) || !(fabs(state->last) < span))
		return 0;
	if (until <= def->start && state->since == def->start)
		return state->turns == 0 && state->emitted == 0;
	// the sum of the steps is subject to rounding; an emitter that has reached its limit takes no more turns
	double speed = emitter_pace(def, d), apart = emitter_apart(def, d);
	uint64_t due = whole_turns(turns_by(def, state, speed, until, apart));
	// columns of different speeds do not take turns one by one
	uint64_t spread = def->profile == SPATE_PROFILE_FLAT ? 0 : (uint64_t)(emitter_area(def, d) / (d * d)) + 2;
	return state->emitted <= state->turns + spread && state->turns <= due + 1 &&
	       (is_full(def, state) || state->turns + 1 >= due) && (def->limit == 0 || state->emitted <= def->limit);
}
