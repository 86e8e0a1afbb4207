#include "bench/scalar_pbf.h"

#include "base/kernels.h"
#include "solver/pbf_work.h"

#include <string.h>

static const float xsph = 0.02f; // coefficient of thin liquids

typedef struct particle
{
	vec3 place, velocity; // m, m/s
	vec3 moved;           // m, since the start of the step
	vec3 correction;      // m, the last one; after the iterations, the smoothed velocity
	float lambda, stiffness;
	float constraint; // C, relative density less one
	uint32_t cell;
} particle;

struct scalar_pbf
{
	const spate_world *world;
	uint32_t count;
	particle *particles, *sorted;
	// a grid over the container, cells as wide as the kernel; x runs fastest
	int32_t cells[3];
	vec3 low, high;   // of the container
	uint32_t *starts; // first particle of each cell, and the end
	// constants of the fluid
	float h, contact, inverse_h, inverse_h2, poly6, spiky, stiffness, beta;
};

static void set_constants(scalar_pbf *s)
{
	const spate_world *w = s->world;
	double d = w->model.fluids[0].spacing, h = (double)w->model.radii[0], h3 = h * h * h;
	prototype p = prototype_make(d, h);
	s->h = (float)h;
	s->contact = PBF_GUARD * (float)d;
	s->inverse_h = (float)(1.0 / h);
	s->inverse_h2 = (float)(1.0 / (h * h));
	s->poly6 = (float)(p.volume * KERNEL_POLY6_NORM / h3);
	s->spiky = (float)(p.volume * 3.0 * KERNEL_SPIKY_NORM / (h3 * h));
	s->stiffness = (float)p.stiffness;
	s->beta = (float)p.beta;

	const solid_shape *tank = &w->state.colliders.colliders[0].shape;
	s->low = tank->a;
	s->high = tank->b;
	vec3 size = vec3_sub(tank->b, tank->a);
	s->cells[0] = (int32_t)(size.x / s->h) + 1;
	s->cells[1] = (int32_t)(size.y / s->h) + 1;
	s->cells[2] = (int32_t)(size.z / s->h) + 1;
}

static size_t cell_count(const scalar_pbf *s)
{
	return (size_t)s->cells[0] * (size_t)s->cells[1] * (size_t)s->cells[2];
}

scalar_pbf *scalar_pbf_create(const spate_world *world)
{
	scalar_pbf *s = mem_calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->world = world;
	s->count = world->state.store->rows;
	set_constants(s);
	s->particles = mem_alloc(((size_t)s->count + 1) * sizeof *s->particles);
	s->sorted = mem_alloc(((size_t)s->count + 1) * sizeof *s->sorted);
	s->starts = mem_alloc((cell_count(s) + 1) * sizeof *s->starts);
	if (s->particles && s->sorted && s->starts)
		return s;
	scalar_pbf_destroy(s);
	return NULL;
}

void scalar_pbf_destroy(scalar_pbf *s)
{
	if (!s)
		return;
	mem_free(s->particles);
	mem_free(s->sorted);
	mem_free(s->starts);
	mem_free(s);
}

void scalar_pbf_load(scalar_pbf *s)
{
	const spate_store *store = s->world->state.store;
	for (uint32_t i = 0; i < s->count; i++)
	{
		vec4 p = store->position[i], v = store->velocity[i];
		s->particles[i] = (particle){.place = {p.x, p.y, p.z}, .velocity = {v.x, v.y, v.z}};
	}
}

static void predict(scalar_pbf *s, float dt)
{
	const double *g = s->world->model.def.gravity;
	vec3 gravity = {(float)g[0], (float)g[1], (float)g[2]};
	for (uint32_t i = 0; i < s->count; i++)
	{
		particle *p = &s->particles[i];
		p->velocity = vec3_add_scaled(p->velocity, gravity, dt);
		p->moved = vec3_scale(p->velocity, dt);
		p->place = vec3_add(p->place, p->moved);
		p->correction = (vec3){0, 0, 0};
	}
}

// -------------------------------------------------------------------------------------------------------------- cells

// Particles outside the grid belong to the cells at its border.
static int32_t coordinate(const scalar_pbf *s, float x, float low, int axis)
{
	int32_t c = (int32_t)floorf((x - low) * s->inverse_h);
	return c < 0 ? 0 : c >= s->cells[axis] ? s->cells[axis] - 1 : c;
}

static void sort_by_cell(scalar_pbf *s)
{
	size_t cells = cell_count(s);
	memset(s->starts, 0, (cells + 1) * sizeof *s->starts);
	for (uint32_t i = 0; i < s->count; i++)
	{
		particle *p = &s->particles[i];
		int32_t x = coordinate(s, p->place.x, s->low.x, 0), y = coordinate(s, p->place.y, s->low.y, 1),
			z = coordinate(s, p->place.z, s->low.z, 2);
		p->cell = (uint32_t)(x + s->cells[0] * (y + s->cells[1] * z));
		s->starts[p->cell]++;
	}
	// from counts to ends; filling from the back turns them into starts
	for (size_t c = 1; c <= cells; c++)
		s->starts[c] += s->starts[c - 1];
	for (uint32_t i = s->count; i-- > 0;)
		s->sorted[--s->starts[s->particles[i].cell]] = s->particles[i];
	particle *swap = s->particles;
	s->particles = s->sorted;
	s->sorted = swap;
}

// Sums of a pass over the neighbours of a particle.
typedef struct pair_sum
{
	vec3 vector;
	float value, squares;
} pair_sum;

// Adds the pair of p and q, with difference d and squared distance r2.
typedef void pair_function(const scalar_pbf *s, const particle *p, const particle *q, vec3 d, float r2, pair_sum *sum);

// A particle as an image behind walls: its neighbours see it as it sees their images.
typedef struct mirrored
{
	vec3 place, signs;
} mirrored;

// Reflects a coordinate in a face of the container that is closer than h; returns whether there is one.
static int reflect(float x, float low, float high, float h, float *out)
{
	*out = x - low < high - x ? 2.0f * low - x : 2.0f * high - x;
	return fabsf(*out - x) < 2.0f * h;
}

static int find_mirrors(const scalar_pbf *s, const particle *p, mirrored out[7])
{
	vec3 x;
	int count = 0;
	unsigned faces = (unsigned)reflect(p->place.x, s->low.x, s->high.x, s->h, &x.x) |
			 (unsigned)reflect(p->place.y, s->low.y, s->high.y, s->h, &x.y) << 1 |
			 (unsigned)reflect(p->place.z, s->low.z, s->high.z, s->h, &x.z) << 2;
	for (unsigned set = 1; set < 8 && faces; set++)
		if ((set & faces) == set)
			out[count++] = (mirrored){
			    {set & 1 ? x.x : p->place.x, set & 2 ? x.y : p->place.y, set & 4 ? x.z : p->place.z},
			    {set & 1 ? -1.0f : 1.0f, set & 2 ? -1.0f : 1.0f, set & 4 ? -1.0f : 1.0f}};
	return count;
}

// Calls `add`, which the compiler inlines, for every other particle closer to p than h, and for the images if there are any.
static inline __attribute__((always_inline)) pair_sum sum_neighbours(const scalar_pbf *s, const particle *p,
								     pair_function *add, const mirrored *mirrors,
								     int mirror_count)
{
	pair_sum sum = {0};
	int32_t nx = s->cells[0], ny = s->cells[1], nz = s->cells[2], own = (int32_t)p->cell;
	int32_t cx = own % nx, cy = own / nx % ny, cz = own / (nx * ny);
	float h2 = s->h * s->h;
	for (int32_t z = cz > 0 ? cz - 1 : 0; z <= cz + 1 && z < nz; z++)
		for (int32_t y = cy > 0 ? cy - 1 : 0; y <= cy + 1 && y < ny; y++)
			for (int32_t x = cx > 0 ? cx - 1 : 0; x <= cx + 1 && x < nx; x++)
			{
				const uint32_t *start = &s->starts[x + nx * (y + ny * z)];
				for (const particle *q = s->particles + start[0]; q < s->particles + start[1]; q++)
				{
					vec3 d = vec3_sub(p->place, q->place);
					float r2 = vec3_dot(d, d);
					if (r2 < h2 && q != p)
						add(s, p, q, d, r2, &sum);
					for (int k = 0; k < mirror_count; k++)
					{
						vec3 from = vec3_sub(mirrors[k].place, q->place), by = mirrors[k].signs;
						r2 = vec3_dot(from, from);
						if (r2 < h2)
							add(s, p, q,
							    vec3_make(by.x * from.x, by.y * from.y, by.z * from.z), r2,
							    &sum);
					}
				}
			}
	return sum;
}

// ------------------------------------------------------------------------------------------------------------- passes

// fmaxf() would be a function call
static inline float larger(float a, float b)
{
	return a > b ? a : b;
}

static inline float distance(float r2)
{
	return sqrtf(larger(r2, 1e-24f));
}

static inline void add_density(const scalar_pbf *s, const particle *p, const particle *q, vec3 d, float r2,
			       pair_sum *sum)
{
	(void)p, (void)q, (void)d;
	float t = 1.0f - r2 * s->inverse_h2;
	sum->value += t * t * t;
}

static inline void add_gradient(const scalar_pbf *s, const particle *p, const particle *q, vec3 d, float r2,
				pair_sum *sum)
{
	add_density(s, p, q, d, r2, sum);
	float r = distance(r2), u = 1.0f - r * s->inverse_h;
	sum->squares += u * u * u * u;
	sum->vector = vec3_add_scaled(sum->vector, d, u * u / r);
}

static inline void add_correction(const scalar_pbf *s, const particle *p, const particle *q, vec3 d, float r2,
				  pair_sum *sum)
{
	float r = distance(r2), u = 1.0f - r * s->inverse_h;
	sum->vector = vec3_add_scaled(sum->vector, d, u * u / r * (p->lambda + q->lambda));
}

static inline void add_velocity(const scalar_pbf *s, const particle *p, const particle *q, vec3 d, float r2,
				pair_sum *sum)
{
	(void)d;
	float t = 1.0f - r2 * s->inverse_h2;
	sum->vector = vec3_add_scaled(sum->vector, vec3_sub(q->velocity, p->velocity), t * t * t);
}

// C and lambda of a particle; the first pass of a step also finds its stiffness.
static void find_lambda(const scalar_pbf *s, particle *p, int first)
{
	mirrored mirrors[7];
	int count = find_mirrors(s, p, mirrors);
	pair_sum sum = first ? sum_neighbours(s, p, add_gradient, mirrors, count)
			     : sum_neighbours(s, p, add_density, mirrors, count);
	float c = s->poly6 * (1.0f + sum.value) - 1.0f;
	if (first)
	{
		float compliance = s->spiky * s->spiky * (sum.squares + vec3_dot(sum.vector, sum.vector));
		p->stiffness = fminf(s->stiffness, 1.0f / larger(compliance, 1e-30f));
	}
	p->constraint = c;
	p->lambda = -s->beta * p->stiffness * larger(c, 0.0f);
}

static double find_lambdas(scalar_pbf *s, int first)
{
	double error = 0.0;
	for (uint32_t i = 0; i < s->count; i++)
	{
		find_lambda(s, &s->particles[i], first);
		error += (double)larger(s->particles[i].constraint, 0.0f);
	}
	return error / s->count;
}

static void correct(scalar_pbf *s, float omega)
{
	for (uint32_t i = 0; i < s->count; i++)
	{
		particle *p = &s->particles[i];
		mirrored mirrors[7];
		int count = find_mirrors(s, p, mirrors);
		vec3 fresh = vec3_scale(sum_neighbours(s, p, add_correction, mirrors, count).vector, -s->spiky);
		p->correction = vec3_add_scaled(vec3_scale(fresh, omega), p->correction, omega - 1.0f);
	}
	for (uint32_t i = 0; i < s->count; i++)
	{
		particle *p = &s->particles[i];
		p->moved = vec3_add(p->moved, p->correction);
		p->place = vec3_add(p->place, p->correction);
	}
}

static void touch_walls(scalar_pbf *s)
{
	const collider_set *colliders = &s->world->state.colliders;
	for (uint32_t i = 0; i < s->count; i++)
	{
		particle *p = &s->particles[i];
		if (collider_set_distance(colliders, p->place) >= s->h)
			continue;
		felt_wall walls[COLLIDER_MOST_WALLS];
		int count = collider_set_feel(colliders, COLLIDER_ALL, p->place, p->place, s->h, walls, NULL, NULL);
		felt_walls_push(walls, NULL, count, &p->place, &p->moved, s->contact);
	}
}

static void update_velocity(scalar_pbf *s, float dt)
{
	for (uint32_t i = 0; i < s->count; i++)
		s->particles[i].velocity = vec3_scale(s->particles[i].moved, 1.0f / dt);
	for (uint32_t i = 0; i < s->count; i++)
	{
		particle *p = &s->particles[i];
		vec3 sum = sum_neighbours(s, p, add_velocity, NULL, 0).vector;
		p->correction = vec3_add_scaled(p->velocity, sum, xsph * s->poly6);
	}
	for (uint32_t i = 0; i < s->count; i++)
		s->particles[i].velocity = s->particles[i].correction;
}

double scalar_pbf_step(scalar_pbf *s, float dt, int iterations, double acceleration)
{
	double error = 0.0, omega = 1.0, rho2 = acceleration * acceleration;
	predict(s, dt);
	sort_by_cell(s);
	touch_walls(s);
	for (int k = 0; k < iterations; k++)
	{
		// Chebyshev weights
		omega = k == 0 ? 1.0 : k == 1 ? 2.0 / (2.0 - rho2) : 4.0 / (4.0 - rho2 * omega);
		error = find_lambdas(s, k == 0);
		correct(s, (float)omega);
		touch_walls(s);
	}
	update_velocity(s, dt);
	return error;
}
