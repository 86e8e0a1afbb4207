#include "force/force.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "force/region.h"

#include <assert.h>
#include <string.h>

static const force_type *const table[] = {
#define FORCE(name, upper, doc) [SPATE_FORCE_##upper] = &force_##name,
#include "force/forces.def"
#undef FORCE
};
_Static_assert(sizeof table / sizeof *table == SPATE_FORCE_COUNT, "forces.def and spate_force_type differ");

const force_type *force_table(int type)
{
	return type >= 0 && type < SPATE_FORCE_COUNT ? table[type] : NULL;
}

const char *spate_force_name(spate_force_type type, const char **doc)
{
	static const struct
	{
		const char *name, *doc;
	} rows[] = {
#define FORCE(name, upper, doc) [SPATE_FORCE_##upper] = {#name, doc},
#include "force/forces.def"
#undef FORCE
	};
	if ((unsigned)type >= SPATE_FORCE_COUNT)
		return NULL;
	if (doc)
		*doc = rows[type].doc;
	return rows[type].name;
}

// -------------------------------------------------------------------------------------------------------------- checking

#define TOO_LARGE 1e15

static int usable(const double *v, int count)
{
	for (int k = 0; k < count; k++)
		if (!(fabs(v[k]) <= TOO_LARGE))
			return 0;
	return 1;
}

const char *force_problem(const spate_force_def *own, uint32_t fluid_count)
{
	if (own->type <= SPATE_FORCE_GRAVITY || !force_table((int)own->type))
		return "its type is unknown or not for lists";
	const double numbers[] = {own->falloff, own->drag,  own->quadratic, own->radius, own->power,    own->strength,
				  own->inward,  own->along, own->speed,     own->size,   own->amplitude};
	if (!usable(numbers, sizeof numbers / sizeof *numbers) || !usable(own->velocity, 3) ||
	    !usable(own->position, 3) || !usable(own->axis, 3))
		return "it has a number that is not finite or too large";
	if (own->falloff < 0.0 || own->drag < 0.0 || own->quadratic < 0.0)
		return "its falloff or drag is negative";
	if (own->fluid_count > 0 && !own->fluids)
		return "its fluids are NULL but have a count";
	for (uint32_t f = 0; f < own->fluid_count; f++)
		if (own->fluids[f] >= fluid_count)
			return "one of its fluids does not exist";
	return table[own->type]->problem ? table[own->type]->problem(own) : NULL;
}

// ---------------------------------------------------------------------------------------------------------------- making

void force_assets_free(void **assets, const spate_force_def *forces, uint32_t count)
{
	for (uint32_t f = 0; f < count && assets; f++)
		if (table[forces[f].type]->unmake)
			table[forces[f].type]->unmake(assets[f]);
	mem_free(assets);
}

spate_result force_assets_make(void ***assets, const spate_world_def *def, spate_error *error)
{
	spate_result result = SPATE_OK;
	*assets = mem_calloc(def->force_count + (size_t)1, sizeof **assets);
	if (!*assets)
		return error_memory(error, def->force_count * sizeof **assets);
	for (uint32_t f = 0; f < def->force_count && result == SPATE_OK; f++)
		if (table[def->forces[f].type]->make)
			result = table[def->forces[f].type]->make(&def->forces[f], &(*assets)[f], error);
	if (result != SPATE_OK)
	{
		force_assets_free(*assets, def->forces, def->force_count);
		*assets = NULL;
	}
	return result;
}

static double length_of(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Adds up the bounds. Common parts may cancel each other, so they are added as vectors.
static void add_up(force_set *set, double speed)
{
	double varying = 0.0;
	for (int k = 0; k < 3; k++)
		set->common[k] = set->up[k] = 0.0;
	for (uint32_t f = 0; f < set->count; f++)
	{
		const force_entry *force = &set->forces[f];
		force_bound own = force->type->bound(force, speed);
		for (int k = 0; k < 3; k++)
			set->common[k] += own.common[k];
		if (!force->type->accelerate)
			continue;
		varying += own.most;
		set->rate += own.rate;
		set->flow = fmax(set->flow, own.flow);
		set->unknown |= own.unknown;
		set->by_velocity |= own.rate > 0.0 || own.by_velocity;
	}
	set->pull = length_of(set->common);
	for (int k = 0; k < 3 && set->pull > 0.0; k++)
		set->up[k] = -set->common[k] / set->pull;
	set->most = set->steady = set->pull + varying;
	if (set->rate > 0.0)
		set->most += set->rate * (set->flow + speed);
}

void force_set_make(force_set *set, const spate_world_def *def, void *const *assets, const force_entry *extra,
		    uint32_t extra_count, double speed)
{
	*set = (force_set){.count = 0};
	force_entry *gravity = &set->forces[0];
	gravity->type = table[SPATE_FORCE_GRAVITY];
	set->count += (uint32_t)gravity->type->setup(def, NULL, gravity->values);
	assert(extra_count < FORCE_MOST - 1);
	// world_check() refuses what would be left out
	for (uint32_t f = 0; f < def->force_count && set->count + extra_count < FORCE_MOST; f++)
	{
		const spate_force_def *own = &def->forces[f];
		force_entry *force = &set->forces[set->count];
		*force = (force_entry){.type = table[own->type], .own = own, .asset = assets ? assets[f] : NULL};
		set->count += (uint32_t)(force->type->setup(def, own, force->values) != 0);
	}
	for (uint32_t e = 0; e < extra_count; e++)
		set->forces[set->count++] = extra[e];
	add_up(set, speed);
}

double force_most(const spate_world_def *def)
{
	force_set set;
	force_set_make(&set, def, NULL, NULL, 0, 0.0);
	return set.most;
}

// ---------------------------------------------------------------------------------------------------------------- acting

// Sums of a block of rows, taken only when some force acts there.
typedef struct block
{
	int started, dragged;
	vec4 drags[FORCE_ROWS];
} block;

static void start(block *b, const force_set *set, size_t count, vec3 *each)
{
	vec3 same = vec3_make((float)set->common[0], (float)set->common[1], (float)set->common[2]);
	for (size_t row = 0; row < count; row++)
		each[row] = same;
	b->started = 1;
}

// (1 - exp(-x)) / x
static float mean_of_decay(float x)
{
	return x > 1e-4f ? (float)(-expm1(-(double)x) / (double)x) : 1.0f - 0.5f * x;
}

// Adds drag to the accelerations, as the mean over the substep.
static void drag(const force_rows *rows, const vec4 *drags, vec3 *each)
{
	float rate = 0.0f, mean = 1.0f;
	for (size_t row = 0; row < rows->count; row++)
	{
		vec4 d = drags[row], v = rows->velocities[row];
		vec3 a = each[row];
		if (!(d.w > 0.0f))
			continue;
		if (d.w != rate) // most neighbours have the same
		{
			rate = d.w;
			mean = mean_of_decay(rate * rows->dt);
		}
		each[row] = vec3_make(mean * (a.x + (d.x - rate * v.x)), mean * (a.y + (d.y - rate * v.y)),
				      mean * (a.z + (d.z - rate * v.z)));
	}
}

// Without drag, which is left in b->drags.
static void act(const force_set *set, const force_rows *rows, block *b, vec3 *each)
{
	float weights[FORCE_ROWS];
	b->started = b->dragged = 0;
	for (uint32_t f = 0; f < set->count; f++)
	{
		const force_entry *force = &set->forces[f];
		int ready = !force->type->make || force->asset;
		if (!force->type->accelerate || !ready || !region_weigh(force->own, rows, weights))
			continue;
		if (!b->started)
			start(b, set, rows->count, each);
		if (!b->dragged && set->rate > 0.0)
		{
			memset(b->drags, 0, rows->count * sizeof *b->drags);
			b->dragged = 1;
		}
		force->type->accelerate(force, rows, weights, &(force_sum){each, b->drags});
	}
}

int force_set_accelerate(const force_set *set, const force_rows *rows, vec3 *same, vec3 *each)
{
	block b;
	*same = vec3_make((float)set->common[0], (float)set->common[1], (float)set->common[2]);
	act(set, rows, &b, each);
	if (b.dragged)
		drag(rows, b.drags, each);
	return !b.started;
}

void force_set_recall(const force_set *set, const force_rows *rows, vec4 *before)
{
	// each round divides what is left of the error by more than 1 / (1 - exp(-k dt))
	int rounds = set->by_velocity ? 3 : 1;
	force_rows now = *rows;
	for (int round = 0; round < rounds; round++)
	{
		vec3 same, each[FORCE_ROWS];
		int alike = force_set_accelerate(set, &now, &same, each);
		for (size_t k = 0; k < rows->count; k++)
		{
			vec3 a = alike ? same : each[k];
			vec4 v = rows->velocities[k];
			before[k] = (vec4){v.x - rows->dt * a.x, v.y - rows->dt * a.y, v.z - rows->dt * a.z, 0};
		}
		now.velocities = before;
	}
}

void force_set_field(const force_set *set, const force_rows *rows, vec3 *out)
{
	force_set varying = *set;
	memset(varying.common, 0, sizeof varying.common);
	force_rows still = *rows;
	still.dt = 0.0f;
	vec3 same;
	if (force_set_accelerate(&varying, &still, &same, out))
		for (size_t row = 0; row < rows->count; row++)
			out[row] = same;
}

// ------------------------------------------------------------------------------------------------------------- measuring

typedef struct measure_task
{
	const force_set *set; // the forces whose bounds are unknown
	const force_rows *rows;
	uint32_t
	    largest; // bits of the square of the largest acceleration: those of floats above 0 are in the same order
} measure_task;

static void measure_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	measure_task *t = context;
	float largest = 0.0f;
	for (size_t first = begin; first < end; first += FORCE_ROWS)
	{
		force_rows rows = *t->rows;
		rows.count = end - first < FORCE_ROWS ? end - first : FORCE_ROWS;
		rows.positions += first;
		rows.velocities += first;
		rows.fluids = rows.fluids ? rows.fluids + first : NULL;
		vec3 each[FORCE_ROWS];
		block b;
		act(t->set, &rows, &b, each);
		for (size_t row = 0; row < rows.count && b.started; row++)
		{
			float square = vec3_dot(each[row], each[row]);
			// what is not a number makes a runaway, not a short substep
			if (square > largest && square < INFINITY)
				largest = square;
		}
	}
	union
	{
		float value;
		uint32_t bits;
	} own = {largest};
	uint32_t seen = __atomic_load_n(&t->largest, __ATOMIC_RELAXED);
	while (own.bits > seen &&
	       !__atomic_compare_exchange_n(&t->largest, &seen, own.bits, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void force_set_measure(force_set *set, const force_rows *rows, int threads)
{
	force_set unknown = {.count = 0};
	for (uint32_t f = 0; f < set->count; f++)
		if (set->forces[f].type->bound(&set->forces[f], 0.0).unknown)
			unknown.forces[unknown.count++] = set->forces[f];
	measure_task t = {.set = &unknown, .rows = rows};
	parallel_for(threads, rows->count, PARALLEL_BLOCK, measure_rows, &t);
	union
	{
		uint32_t bits;
		float value;
	} largest = {t.largest};
	double most = sqrt((double)largest.value);
	set->most += most;
	set->steady += most;
	set->unknown = 0;
}
