#include "solver/tension.h"

#include "base/parallel.h"

// Factor of the pair force of surface tension: 8 / (pi I) with I = int f(q) q^4 dq = 7.45e-4.
#define COHESION 3417.0

// Surface tension is left out where it is less than this fraction of a particle's weight, that is, where particles are large.
#define LEAST 0.1

// Water, and the cohesion that stands for its surface tension (N/m).
#define WATER_COHESION 0.1
#define WATER_TENSION 0.0728
#define WATER_DENSITY 1000.0

// Displacement towards a wall per unit of sigma/rho dt^2 / d^2.
#define ADHESION 4.0

// ------------------------------------------------------------------------------------------------------------- cohesion

double tension_strength(const step_view *s, uint32_t f)
{
	const spate_fluid_def *fluid = &s->fluids[f];
	if (fluid->cohesion >= 0.0 || s->tension)
		return fmax(fluid->cohesion, 0.0);
	return fmin(WATER_COHESION * (fluid->surface_tension / fluid->density) / (WATER_TENSION / WATER_DENSITY), 1.0);
}

// Displacement of one substep by cohesion: sum_j cohesion V_j / h^3 f(q) e. For the pair force f of cohesion_pass() the tension
// of a plane surface is sigma = pi n^2 / 8 int F r^4 dr (Fowler 1937), which gives the factor for any spacing, density and dt.
double tension_cohesion(const step_view *s, uint32_t f, double cohesion)
{
	double d = s->fluids[f].spacing, h = (double)s->radii[f], dt = (double)s->dt;
	double tension = cohesion * TENSION_SCALE; // sigma / rho, m^3/s^2
	if (tension < LEAST * (double)(float)s->forces->most * d * d)
		return 0.0;
	// a substep too long for capillary waves gets only the pull of the longest one that resolves them
	return COHESION * tension * fmin(dt * dt, 0.02 * d * d * d / tension) / (h * h);
}

typedef struct cohesion_task
{
	const step_view *view;
	const pair_pass *pairs;
	const pair_kernels *kernels;
} cohesion_task;

static void cohere_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const cohesion_task *t = context;
	t->kernels->cohesion(t->pairs, t->view->places, t->view->spare[0], (uint32_t)begin, (uint32_t)end);
}

static void move_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const step_view *s = ((const cohesion_task *)context)->view;
	for (size_t row = begin; row < end; row++)
	{
		vec4 by = s->spare[0][row], *place = &s->places[row], *moved = &s->moved[row];
		*place = (vec4){place->x + by.x, place->y + by.y, place->z + by.z, place->w};
		*moved = (vec4){moved->x + by.x, moved->y + by.y, moved->z + by.z, moved->w};
	}
}

int tension_cohere(const step_view *s, const pair_pass *pairs)
{
	double most = 0.0, own = s->material->high[MATERIAL_COHESION];
	for (uint32_t f = 0; f < s->fluid_count; f++)
		most = fmax(most, tension_cohesion(s, f, fmax(own, tension_strength(s, f))));
	if (most <= 0.0 || s->settling)
		return 0;
	cohesion_task t = {s, pairs, pair_kernels_table(s->simd)};
	parallel_for(s->threads, s->list->slice_count, STEP_SLICES, cohere_slices, &t);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, move_rows, &t);
	return 1;
}

double tension_longest_step(const step_view *s)
{
	double longest = INFINITY;
	for (uint32_t f = 0; f < s->fluid_count; f++)
	{
		double own = s->material->high[MATERIAL_COHESION];
		double tension = fmax(tension_strength(s, f), own) * TENSION_SCALE;
		if (tension > 0.0)
			longest = fmin(longest, 0.1 * sqrt(pow(s->fluids[f].spacing, 3.0) / tension));
	}
	return longest;
}

// ------------------------------------------------------------------------------------------------------------- adhesion

static void adhere_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	contacts *w = context;
	const step_view *s = w->view;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[k];
		const spate_fluid_def *fluid = &s->fluids[s->store->fluid[near->row]];
		double d = fluid->spacing,
		       pull = ADHESION * fluid->adhesion * TENSION_SCALE * (double)s->dt * (double)s->dt;
		float reach = (float)fmin(pull / (d * d), 0.1 * d), contact = 0.5f * (float)d,
		      h = s->radii[s->store->fluid[near->row]];
		vec4 *place = &w->view->places[near->row], *moved = &w->view->moved[near->row];
		for (uint32_t n = near->felt; n < near->felt + near->walls && reach > 0.0f; n++)
		{
			// zero at the wall and at a radius away, largest in between
			const felt_wall *felt = &w->felt[n];
			vec3 p = {place->x, place->y, place->z}, normal = felt->normal;
			float share = (vec3_dot(normal, p) - felt->offset - contact) / (h - contact);
			float by = share > 0.0f && share < 1.0f ? -4.0f * share * (1.0f - share) * reach : 0.0f;
			*place = (vec4){place->x + by * normal.x, place->y + by * normal.y, place->z + by * normal.z,
					place->w};
			*moved = (vec4){moved->x + by * normal.x, moved->y + by * normal.y, moved->z + by * normal.z,
					moved->w};
			if (w->pushes)
				w->pushes[n].given = vec3_add_scaled(w->pushes[n].given, normal, by);
		}
	}
}

void tension_adhere(contacts *w)
{
	int any = 0;
	for (uint32_t f = 0; f < w->view->fluid_count; f++)
		any |= w->view->fluids[f].adhesion > 0.0;
	if (any && !w->view->settling)
		parallel_for(w->view->threads, w->near_count, CONTACT_ROWS, adhere_rows, w);
}

// -------------------------------------------------------------------------------------------------------------- velocity

// Both displace particles within dt; that is a change of velocity.
static void speed_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const step_view *s = ((const contacts *)context)->view;
	for (size_t row = begin; row < end; row++)
	{
		vec4 *v = &s->velocities[row], *x = &s->places[row], *by = &s->moved[row];
		*v = (vec4){v->x + by->x / s->dt, v->y + by->y / s->dt, v->z + by->z / s->dt, v->w};
		*x = (vec4){x->x - by->x, x->y - by->y, x->z - by->z, x->w};
		*by = (vec4){0, 0, 0, 0};
	}
}

void tension_accelerate(contacts *w, const pair_pass *pairs)
{
	tension_cohere(w->view, pairs);
	tension_adhere(w);
	parallel_for(w->view->threads, w->view->list->count, PARALLEL_BLOCK, speed_rows, w);
}
