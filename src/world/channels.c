#include "world/channels.h"

#include "base/parallel.h"
#include "source/birth.h"
#include "world/world.h"

#include <string.h>

// Cosine of the angle from the way out within which an inner particle has a neighbour or a wall.
#define OPEN 0.7071f
// Walls count up to this distance, in spacings: those that a particle of the first layer lies on.
#define BESIDE 1.25f
// What is left of the way out without its part into walls, relative to the sum of the weights, for a particle that is at the surface.
#define LEFT 0.2f
// Least determinant of the matrix of moments relative to that of a round neighbourhood: with fewer neighbours around there is no curl.
#define FLAT 1e-3

static const spate_field_def fields[CHANNEL_COUNT] = {
    [CHANNEL_AGE] = {"age", SPATE_FLOAT, "s", "Time since it came: that of the frame minus `birth`.",
		     SPATE_FIELD_PUBLISHED, NULL},
    [CHANNEL_SPEED] = {"speed", SPATE_FLOAT, "m/s", "Magnitude of the velocity.", SPATE_FIELD_PUBLISHED, NULL},
    [CHANNEL_ACCELERATION] = {"acceleration", SPATE_VEC3, "m/s^2",
			      "Change of the velocity in the last substep of the frame, divided by its length.",
			      SPATE_FIELD_PUBLISHED, NULL},
    [CHANNEL_VORTICITY] = {"vorticity", SPATE_VEC3, "1/s",
			   "Curl of the velocity: twice the angular velocity of the liquid around.",
			   SPATE_FIELD_PUBLISHED, NULL},
    [CHANNEL_NEIGHBOURS] = {"neighbours", SPATE_INT32, "", "Number of particles within the kernel radius.",
			    SPATE_FIELD_PUBLISHED, NULL},
    [CHANNEL_SURFACE] = {"surface", SPATE_INT32, "", "1 for a particle at the free surface, 0 for others.",
			 SPATE_FIELD_PUBLISHED, NULL},
    [CHANNEL_ISOLATED] = {SINK_ISOLATED, SPATE_FLOAT, "s",
			  "Time for which it has had fewer neighbours than a sink with `isolated_for` asks for.",
			  SPATE_FIELD_SAVED | SPATE_FIELD_PUBLISHED | SPATE_FIELD_HALO, NULL},
};
const field_table channel_fields = FIELD_TABLE(fields);

// ------------------------------------------------------------------------------------------------------------- fields

static int is_wanted(const spate_world *w, const char *name)
{
	for (uint32_t n = 0; n < w->model.def.wanted_count; n++)
		if (strcmp(w->model.def.wanted[n], name) == 0)
			return 1;
	return 0;
}

// A solver may have a field of the same name, which then is the channel.
static spate_result add(spate_world *w, const spate_field_def *field, spate_error *error)
{
	if (store_find(w->state.store, field->name))
		return SPATE_OK;
	return store_add_fields(w->state.store, (field_table){field, 1}, error);
}

static spate_result add_declared(spate_world *w, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (uint32_t c = 0; c < w->model.def.channel_count && result == SPATE_OK; c++)
	{
		char initial[STORE_SLAB];
		result = birth_check_formulas(&w->model.def.channels[c], error);
		if (result != SPATE_OK)
			return result;
		spate_field_def field = birth_channel_field(&w->model.def.channels[c], initial);
		result = store_add_fields(w->state.store, (field_table){&field, 1}, error);
	}
	w->state.sources.channels = w->model.def.channels;
	w->state.sources.channel_count = w->model.def.channel_count;
	return result;
}

// Whether a sink is for isolated particles, with `timed` for those that have been so for a time.
static int has_isolation_sink(const spate_world_def *def, int timed)
{
	uint32_t s = 0;
	while (s < def->sink_count && !(def->sinks[s].isolation > 0 && (!timed || def->sinks[s].isolated_for > 0.0)))
		s++;
	return s < def->sink_count;
}

static int has_age_sink(const spate_world_def *def)
{
	uint32_t s = 0;
	while (s < def->sink_count && !(def->sinks[s].age > 0.0))
		s++;
	return s < def->sink_count;
}

spate_result channels_create(spate_world *w, spate_error *error)
{
	spate_result result = add_declared(w, error);
	for (uint32_t n = 0; n < BIRTH_COUNT && result == SPATE_OK; n++)
	{
		const spate_field_def *field = &birth_fields.fields[n];
		int needed = n == BIRTH_TIME && (is_wanted(w, fields[CHANNEL_AGE].name) || has_age_sink(&w->model.def));
		if (needed || is_wanted(w, field->name))
			result = add(w, field, error);
	}
	for (uint32_t n = 0; n < CHANNEL_COUNT && result == SPATE_OK; n++)
	{
		int needed = n == CHANNEL_ISOLATED && has_isolation_sink(&w->model.def, 1);
		if (needed || is_wanted(w, fields[n].name))
			result = add(w, &fields[n], error);
	}
	return result;
}

// Values by home; NULL if the store does not have the channel, or if it is a solver's.
static void *values_of(const spate_world *w, channel_id id)
{
	const store_field *field = store_find(w->state.store, fields[id].name);
	int own = field && field->type == fields[id].type && !store_is_hot(field) && field->flags == fields[id].flags;
	return own ? field->data : NULL;
}

// ------------------------------------------------------------------------------------------------------------- values

typedef struct channel_task
{
	const spate_world *world;
	const uint32_t *home;
	const float *birth;
	float *age, *speed;
	vec3 *acceleration, *vorticity;
	int32_t *neighbours, *surface;
	double time, rate; // s, 1/s
} channel_task;

static vec3 of_vec4(vec4 v)
{
	return vec3_make(v.x, v.y, v.z);
}

static void keep_velocities(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const channel_task *t = context;
	for (size_t row = begin; row < end; row++)
		t->acceleration[t->home[row]] = of_vec4(t->world->state.store->velocity[row]);
}

static void take_accelerations(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const channel_task *t = context;
	for (size_t row = begin; row < end; row++)
	{
		vec3 *a = &t->acceleration[t->home[row]];
		*a = vec3_scale(vec3_sub(of_vec4(t->world->state.store->velocity[row]), *a), (float)t->rate);
	}
}

// Until the substep is over the field carries the velocities, which sorts keep with their particles.
void channels_before(spate_world *w)
{
	channel_task t = {.world = w, .acceleration = values_of(w, CHANNEL_ACCELERATION), .home = w->state.store->home};
	if (t.acceleration)
		parallel_for(w->model.threads, w->state.store->rows, PARALLEL_BLOCK, keep_velocities, &t);
}

void channels_after(spate_world *w, double dt)
{
	channel_task t = {.world = w, .acceleration = values_of(w, CHANNEL_ACCELERATION), .home = w->state.store->home};
	t.rate = 1.0 / dt;
	if (t.acceleration)
		parallel_for(w->model.threads, w->state.store->rows, PARALLEL_BLOCK, take_accelerations, &t);
}

// --------------------------------------------------------------------------------------------------------- neighbours

// The neighbours of a row, in the order of its list.
typedef struct near_rows
{
	const uint32_t *entry; // the k-th is entry[8 k]
	uint32_t count;
} near_rows;

static near_rows near_of(const neighbour_list *list, size_t row)
{
	near_rows near = {list->entries.data + list->slice_begin.data[row >> 3] + (row & 7), 0};
	uint32_t most = list->slice_length.data[row >> 3];
	while (near.count < most && near.entry[8 * (size_t)near.count] != list->count)
		near.count++;
	return near;
}

typedef struct count_task
{
	const spate_world *world;
	uint32_t *counts;
} count_task;

static void count_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const count_task *t = context;
	const spate_store *store = t->world->state.store;
	for (size_t row = begin; row < end; row++)
	{
		near_rows near = near_of(&t->world->work.list, row);
		vec4 p = store->position[row];
		float own = t->world->model.radii[store->fluid[row]];
		t->counts[row] = 0;
		for (uint32_t k = 0; k < near.count; k++)
		{
			uint32_t other = near.entry[8 * (size_t)k];
			vec4 q = store->position[other];
			vec3 way = {p.x - q.x, p.y - q.y, p.z - q.z};
			float radius = pair_radius(own, t->world->model.radii[store->fluid[other]]);
			t->counts[row] += vec3_dot(way, way) < radius * radius && !store->dead[other];
		}
	}
}

int channels_count_neighbours(const spate_world *w, uint32_t *counts)
{
	count_task t = {w, counts};
	if (!has_isolation_sink(&w->model.def, 0) || w->work.list.count != w->state.store->rows)
		return 0;
	if (counts)
		parallel_for(w->model.threads, w->state.store->rows, PARALLEL_BLOCK, count_rows, &t);
	return 1;
}

// Weight of a neighbour, 1 at the centre and 0 at the kernel radius.
static double weight_of(const spate_world *w, size_t row, size_t other, vec3 apart)
{
	const spate_store *store = w->state.store;
	double radius = (double)pair_radius(w->model.radii[store->fluid[row]], w->model.radii[store->fluid[other]]);
	double left = fmax(1.0 - (double)vec3_dot(apart, apart) / (radius * radius), 0.0);
	return left * left;
}

static double determinant(double m[3][3])
{
	return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
	       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// Solves m x = b by Cramer's rule.
static void solve(double m[3][3], double det, const double b[3], double x[3])
{
	for (int column = 0; column < 3; column++)
	{
		double replaced[3][3];
		memcpy(replaced, m, sizeof replaced);
		for (int k = 0; k < 3; k++)
			replaced[k][column] = b[k];
		x[column] = determinant(replaced) / det;
	}
}

// The linear velocity field that fits the neighbours best in the sense of weighted least squares: exact for rigid rotation, at the surface
// as well.
static vec3 curl_of(const spate_world *w, size_t row, near_rows near)
{
	const spate_store *store = w->state.store;
	double moments[3][3] = {{0}}, rates[3][3] = {{0}}, gradient[3][3], trace;
	for (uint32_t k = 0; k < near.count; k++)
	{
		size_t other = near.entry[8 * (size_t)k];
		vec3 x = vec3_sub(of_vec4(store->position[other]), of_vec4(store->position[row])),
		     v = vec3_sub(of_vec4(store->velocity[other]), of_vec4(store->velocity[row]));
		const double weight = weight_of(w, row, other, x), dx[3] = {x.x, x.y, x.z}, dv[3] = {v.x, v.y, v.z};
		for (int a = 0; a < 3; a++)
			for (int b = 0; b < 3; b++)
			{
				moments[a][b] += weight * dx[a] * dx[b];
				rates[a][b] += weight * dv[a] * dx[b];
			}
	}
	double det = determinant(moments);
	trace = (moments[0][0] + moments[1][1] + moments[2][2]) / 3.0;
	if (!(det > FLAT * trace * trace * trace))
		return vec3_make(0.0f, 0.0f, 0.0f);
	for (int a = 0; a < 3; a++)
		solve(moments, det, rates[a], gradient[a]);
	return vec3_make((float)(gradient[2][1] - gradient[1][2]), (float)(gradient[0][2] - gradient[2][0]),
			 (float)(gradient[1][0] - gradient[0][1]));
}

// Takes the part into the walls nearby out of the way out; returns their number.
static int avoid_walls(const spate_world *w, size_t row, vec3 *out)
{
	const collider_set *colliders = &w->state.colliders;
	vec3 p = of_vec4(w->state.store->position[row]);
	float reach = BESIDE * (float)w->model.fluids[w->state.store->fluid[row]].spacing;
	collider_mask near = collider_set_near(colliders, COLLIDER_ALL, p, reach);
	felt_wall walls[COLLIDER_MOST_WALLS];
	int count = near ? collider_set_feel(colliders, near, p, p, reach, walls, NULL, NULL) : 0;
	for (int k = 0; k < count; k++)
	{
		float into = -vec3_dot(*out, walls[k].normal);
		if (into > 0.0f)
			*out = vec3_add(*out, vec3_scale(walls[k].normal, into));
	}
	return count;
}

// Neighbours of a particle on the cubic lattice.
static double full_count(const spate_world *w, size_t row)
{
	int32_t fluid = w->state.store->fluid[row];
	double reach = (double)w->model.radii[fluid] / w->model.fluids[fluid].spacing;
	return 4.18879 * reach * reach * reach;
}

// The way out is away from the neighbours. A particle is at the surface if there is nothing in a cone along it. Walls cover what lies on
// them: a wall takes about half of the neighbours of a particle in the liquid, and a drop on a wall has fewer.
static int is_at_surface(const spate_world *w, size_t row, near_rows near)
{
	const vec4 *places = w->state.store->position;
	vec3 out = {0};
	double sum = 0.0;
	for (uint32_t k = 0; k < near.count; k++)
	{
		size_t other = near.entry[8 * (size_t)k];
		vec3 x = vec3_sub(of_vec4(places[row]), of_vec4(places[other]));
		float length = vec3_length(x), weight = (float)weight_of(w, row, other, x);
		if (length > 0.0f)
			out = vec3_add(out, vec3_scale(x, weight / length));
		sum += (double)weight;
	}
	int walls = avoid_walls(w, row, &out), full = near.count > ldexp(full_count(w, row), -1 - walls);
	if (walls > 0 && full && !((double)vec3_length(out) > (double)LEFT * sum))
		return 0;
	out = vec3_normalize(out);
	for (uint32_t k = 0; k < near.count && (full || walls == 0); k++)
	{
		vec3 x = vec3_sub(of_vec4(places[near.entry[8 * (size_t)k]]), of_vec4(places[row]));
		if (vec3_dot(x, out) > OPEN * vec3_length(x))
			return 0;
	}
	return 1;
}

static void fill_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const channel_task *t = context;
	const spate_world *w = t->world;
	for (size_t row = begin; row < end; row++)
	{
		uint32_t at = t->home[row];
		if (t->age)
			t->age[at] = (float)(t->time - (double)t->birth[at]);
		if (t->speed)
			t->speed[at] = vec3_length(of_vec4(w->state.store->velocity[row]));
		if (!t->vorticity && !t->neighbours && !t->surface)
			continue;
		near_rows near = near_of(&w->work.list, row);
		if (t->neighbours)
			t->neighbours[at] = (int32_t)near.count;
		if (t->vorticity)
			t->vorticity[at] = curl_of(w, row, near);
		if (t->surface)
			t->surface[at] = is_at_surface(w, row, near);
	}
}

void channels_fill(spate_world *w)
{
	const store_field *born = store_find(w->state.store, birth_fields.fields[BIRTH_TIME].name);
	channel_task t = {.world = w,
			  .home = w->state.store->home,
			  .birth = born ? (const float *)(const void *)born->data : NULL,
			  .age = born ? values_of(w, CHANNEL_AGE) : NULL,
			  .speed = values_of(w, CHANNEL_SPEED),
			  .time = spate_world_time(w)};
	// a solver that does not weigh leaves no lists of the last places
	if (w->model.solver_type->weigh && w->work.list.count == w->state.store->rows)
	{
		t.vorticity = values_of(w, CHANNEL_VORTICITY);
		t.neighbours = values_of(w, CHANNEL_NEIGHBOURS);
		t.surface = values_of(w, CHANNEL_SURFACE);
	}
	if (t.age || t.speed || t.vorticity || t.neighbours || t.surface)
		parallel_for(w->model.threads, w->state.store->rows, PARALLEL_BLOCK, fill_rows, &t);
}
