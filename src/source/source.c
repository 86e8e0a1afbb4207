#include "source/source.h"

#include "base/error.h"
#include "base/random.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// More turns than an emitter takes in any run.
#define MOST_TURNS 1e18

static void normalize(double v[3])
{
	double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	for (int k = 0; k < 3 && length > 0.0; k++)
		v[k] /= length;
}

spate_result source_set_create(source_set *set, const spate_source_def *defs, uint32_t count, const double origin[3],
			       uint64_t seed, spate_error *error)
{
	*set = (source_set){.seed = seed};
	memcpy(set->origin, origin, sizeof set->origin);
	if (count == 0)
		return SPATE_OK;
	set->defs = mem_alloc(count * sizeof *set->defs);
	set->states = mem_calloc(count, sizeof *set->states);
	set->before = mem_calloc(count, sizeof *set->before);
	set->columns = mem_calloc(count, sizeof *set->columns);
	if (!set->defs || !set->states || !set->before || !set->columns)
	{
		source_set_destroy(set);
		return error_memory(error, count * sizeof *set->defs);
	}
	memcpy(set->defs, defs, count * sizeof *defs);
	set->count = count;
	for (uint32_t s = 0; s < count; s++)
	{
		normalize(set->defs[s].direction);
		set->states[s].since = defs[s].start;
	}
	return SPATE_OK;
}

void source_set_destroy(source_set *set)
{
	assert(set->columns || set->count == 0);
	for (uint32_t s = 0; s < set->count; s++)
		array_free(&set->columns[s]);
	mem_free(set->defs);
	mem_free(set->states);
	mem_free(set->before);
	mem_free(set->columns);
	array_free(&set->positions);
	array_free(&set->velocities);
	*set = (source_set){0};
}

// Adds one particle to the scratch arrays, at a position in world coordinates (m).
static int collect(source_set *set, const double place[3], const double velocity[3])
{
	for (int k = 0; k < 3; k++)
		if (!array_push(&set->positions, (float)(place[k] - set->origin[k])) ||
		    !array_push(&set->velocities, (float)velocity[k]))
			return 0;
	return 1;
}

static spate_result deliver(source_set *set, uint32_t s, spate_store *store, const spate_fluid_def *fluids,
			    spate_error *error)
{
	uint32_t count = (uint32_t)(set->positions.count / 3);
	spate_result result = spate_store_add(store, count, set->positions.data, set->velocities.data,
					      (int32_t)set->defs[s].fluid, NULL, error);
	if (result != SPATE_OK)
		return result;
	set->states[s].emitted += count;
	material_assign(store, store->rows - count, &set->defs[s], &fluids[set->defs[s].fluid]);
	return SPATE_OK;
}

static vec3 relative(const double origin[3], const double place[3])
{
	return (vec3){(float)(place[0] - origin[0]), (float)(place[1] - origin[1]), (float)(place[2] - origin[2])};
}

// Shifts a position by a random vector of its own, unless that leads into a collider, which would push the particle back.
static void shift_place(const source_set *set, uint32_t s, int64_t number, double d, const collider_set *colliders,
			double place[3])
{
	double length = set->defs[s].jitter * d;
	vec3 u = random_unit((random_key){set->seed, number, s, 0});
	double shifted[3] = {place[0] + length * (double)u.x, place[1] + length * (double)u.y,
			     place[2] + length * (double)u.z};
	if (length > 0.0 && collider_set_distance(colliders, relative(set->origin, shifted)) >= 0.49f * (float)d)
		memcpy(place, shifted, sizeof shifted);
}

int fill_each(const spate_source_def *def, double d, const double origin[3], const collider_set *colliders,
	      int64_t stride, fill_visit *visit, void *context)
{
	double low[3], high[3];
	shape_bounds(&def->shape, low, high);
	solid_shape form = shape_make(&def->shape, origin);
	int64_t cells[3];
	for (int k = 0; k < 3; k++)
		cells[k] = (int64_t)floor((high[k] - low[k]) / d + 1e-4);
	for (int64_t z = 0; z < cells[2]; z += stride)
		for (int64_t y = 0; y < cells[1]; y += stride)
			for (int64_t x = 0; x < cells[0]; x += stride)
			{
				double place[3] = {low[0] + ((double)x + 0.5) * d, low[1] + ((double)y + 0.5) * d,
						   low[2] + ((double)z + 0.5) * d};
				vec3 p = relative(origin, place);
				if (shape_distance(&form, p) > 0.0f ||
				    collider_set_distance(colliders, p) < 0.49f * (float)d)
					continue;
				if (!visit(context, (z * cells[1] + y) * cells[0] + x, place))
					return 0;
			}
	return 1;
}

void fill_velocity(const spate_source_def *def, const double place[3], double velocity[3])
{
	double low[3], high[3];
	shape_bounds(&def->shape, low, high);
	for (int k = 0; k < 3; k++)
	{
		int u = (k + 1) % 3, v = (k + 2) % 3;
		velocity[k] = def->velocity[k] + def->spin[u] * (place[v] - 0.5 * (low[v] + high[v])) -
			      def->spin[v] * (place[u] - 0.5 * (low[u] + high[u]));
	}
}

// State of a fill in progress.
typedef struct filling
{
	source_set *set;
	const collider_set *colliders;
	uint32_t source;
	double spacing;
} filling;

static int collect_place(void *context, int64_t number, const double lattice[3])
{
	const filling *f = context;
	double place[3] = {lattice[0], lattice[1], lattice[2]}, velocity[3];
	shift_place(f->set, f->source, number, f->spacing, f->colliders, place);
	fill_velocity(&f->set->defs[f->source], place, velocity);
	return collect(f->set, place, velocity);
}

static int collect_fill(source_set *set, uint32_t s, double d, const collider_set *colliders)
{
	filling f = {set, colliders, s, d};
	return fill_each(&set->defs[s], d, set->origin, colliders, 1, collect_place, &f);
}

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
	normalize(ahead);
	vec3_across(ahead, u, v);
	int is_free = 0;
	for (size_t i = 0; i < columns.count && !is_free; i++)
	{
		const emitter_column *c = &columns.data[i];
		double place[3];
		for (int k = 0; k < 3; k++)
			place[k] = def->position[k] + c->across * u[k] + c->along * v[k] + d * ahead[k];
		is_free = collider_set_distance(colliders, relative(origin, place)) >= 0.0f;
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
static int collect_emitter(source_set *set, uint32_t s, double d, const collider_set *colliders, double begin,
			   double end)
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
		if (!collider_set_contains(colliders, relative(set->origin, place)) && !collect(set, place, velocity))
			return 0;
	}
	return 1;
}

static spate_result run_all(source_set *set, spate_store *store, const spate_fluid_def *fluids,
			    const collider_set *colliders, double begin, double end, spate_error *error)
{
	for (uint32_t s = 0; s < set->count; s++)
	{
		const spate_source_def *def = &set->defs[s];
		double d = fluids[def->fluid].spacing;
		set->positions.count = set->velocities.count = 0;
		int collected = 1;
		if (def->type == SPATE_SOURCE_EMITTER)
			collected = collect_emitter(set, s, d, colliders, begin, end);
		else if (set->states[s].turns == 0 && begin >= def->start)
		{
			collected = collect_fill(set, s, d, colliders);
			set->states[s].turns = 1;
		}
		if (!collected)
			return error_memory(error, set->positions.capacity * 12);
		spate_result result = set->positions.count ? deliver(set, s, store, fluids, error) : SPATE_OK;
		if (result != SPATE_OK)
			return result;
	}
	return SPATE_OK;
}

spate_result source_set_run(source_set *set, spate_store *store, const spate_fluid_def *fluids,
			    const collider_set *colliders, double begin, double end, spate_error *error)
{
	uint32_t rows = store->rows;
	int64_t next_id = store->next_id;
	if (set->count > 0)
		memcpy(set->before, set->states, set->count * sizeof *set->states);
	spate_result result = run_all(set, store, fluids, colliders, begin, end, error);
	if (result != SPATE_OK)
	{
		store_take_back(store, rows, next_id);
		memcpy(set->states, set->before, set->count * sizeof *set->states);
	}
	return result;
}

static int emitter_can_be(source_set *set, uint32_t s, double d, double now, int *memory)
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

// A fill is created by the first step that begins at its start time or later.
static int fill_can_be(const spate_source_def *def, const source_state *state, double now, double last_dt)
{
	double rounding = 1e-9 * (1.0 + now);
	if (state->turns == 0)
		return state->emitted == 0 && (now <= 0.0 || def->start > now - last_dt - rounding);
	return state->turns == 1 && def->start <= now + rounding;
}

spate_result source_set_check(source_set *set, const spate_fluid_def *fluids, double now, double last_dt,
			      uint64_t added, spate_error *error)
{
	uint64_t left = added;
	for (uint32_t s = 0; s < set->count; s++)
	{
		const spate_source_def *def = &set->defs[s];
		const source_state *state = &set->states[s];
		int memory = 1, good = state->emitted <= left;
		if (good && def->type == SPATE_SOURCE_EMITTER)
			good = emitter_can_be(set, s, fluids[def->fluid].spacing, now, &memory);
		else if (good)
			good = fill_can_be(def, state, now, last_dt);
		if (!memory)
			return error_memory(error, sizeof(emitter_column));
		if (!good)
			return error_set(error, SPATE_FORMAT,
					 "source %u cannot have given %llu particles in %llu turns by %g s", s,
					 (unsigned long long)state->emitted, (unsigned long long)state->turns, now);
		left -= state->emitted;
	}
	return SPATE_OK;
}

// Bound of the speed of a fill's particles, its rotation included (m/s).
static double fill_speed(const spate_source_def *def)
{
	const double *v = def->velocity, *w = def->spin;
	double low[3], high[3], half2 = 0.0;
	shape_bounds(&def->shape, low, high);
	for (int k = 0; k < 3; k++)
		half2 += 0.25 * (high[k] - low[k]) * (high[k] - low[k]);
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + sqrt((w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * half2);
}

double source_set_speed(const source_set *set, double begin, double end)
{
	double fastest = 0.0;
	for (uint32_t s = 0; s < set->count; s++)
	{
		const spate_source_def *def = &set->defs[s];
		int runs = def->start < end && (def->stop < 0.0 || def->stop > begin);
		if (def->type == SPATE_SOURCE_EMITTER && runs)
			fastest = fmax(fastest, def->speed);
		else if (def->type == SPATE_SOURCE_FILL && set->states[s].turns == 0 && runs)
			fastest = fmax(fastest, fill_speed(def));
	}
	return fastest;
}

uint32_t sinks_run(const spate_sink_def *sinks, uint32_t count, const double origin[3], spate_store *store)
{
	uint32_t removed = 0;
	for (uint32_t s = 0; s < count; s++)
	{
		solid_shape form = shape_make(&sinks[s].shape, origin);
		for (uint32_t row = 0; row < store->rows; row++)
		{
			vec4 p = store->position[row];
			float distance = shape_distance(&form, vec3_make(p.x, p.y, p.z));
			// NaN is left to the runaway policy
			int taken = sinks[s].outside ? distance > 0.0f : distance <= 0.0f;
			if (store->dead[row] || !taken)
				continue;
			store_kill(store, row);
			removed++;
		}
	}
	return removed;
}
