#include "solver/motion.h"

#include "base/parallel.h"

// Travel of a lone particle per substep, in kernel radii.
#define STRAY_CFL 0.6

typedef struct predict_task
{
	const step_view *view;
	float travel; // s, for which particles move
	int found;    // set when there was a runaway
} predict_task;

static void predict_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	predict_task *t = context;
	const step_view *s = t->view;
	for (size_t first = begin; first < end; first += FORCE_ROWS)
	{
		size_t count = end - first < FORCE_ROWS ? end - first : FORCE_ROWS;
		force_rows rows = {count, s->places + first,      s->velocities + first, s->origin, s->time,
				   s->dt, s->store->fluid + first};
		vec3 same, each[FORCE_ROWS];
		int alike = force_set_accelerate(s->forces, &rows, &same, each);
		for (size_t k = 0; k < count; k++)
		{
			vec4 *x = &s->places[first + k], *v = &s->velocities[first + k];
			vec3 a = alike ? same : each[k];
			if (step_is_runaway(&s->limits, *x, *v))
			{
				__atomic_store_n(&t->found, 1, __ATOMIC_RELAXED);
				continue;
			}
			v->x += s->dt * a.x;
			v->y += s->dt * a.y;
			v->z += s->dt * a.z;
			x->x += t->travel * v->x;
			x->y += t->travel * v->y;
			x->z += t->travel * v->z;
		}
	}
}

static int predict(const step_view *view, float travel)
{
	predict_task t = {.view = view, .travel = travel};
	parallel_for(view->threads, view->store->rows, PARALLEL_BLOCK, predict_rows, &t);
	return t.found;
}

int motion_predict(const step_view *view)
{
	return predict(view, view->dt);
}

int motion_accelerate(const step_view *view)
{
	return predict(view, 0.0f);
}

// Longest substep in which nothing that starts at `speed` travels further than `travel`, acceleration included:
// (v + a dt) dt <= travel.
static double time_to_travel(double acceleration, double speed, double travel)
{
	if (acceleration > 0.0)
		return 2.0 * travel / (speed + sqrt(speed * speed + 4.0 * acceleration * travel));
	return speed > 0.0 ? travel / speed : INFINITY;
}

// The same for all forces: what drags accelerates no particle beyond its own speed.
static double time_of_forces(const force_set *forces, double speed, double travel)
{
	double time = time_to_travel(forces->most, speed, travel);
	if (forces->rate > 0.0)
		time = fmax(time, time_to_travel(forces->steady, fmax(speed, forces->flow), travel));
	return time;
}

// Liquid among liquid must not travel far in a substep, or it passes through itself. A stray drop may travel further, as long as it
// does not miss what it hits.
double motion_longest_step(const step_view *s, const step_state *state, double cfl)
{
	double h = INFINITY;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		h = fmin(h, (double)s->radii[f]);
	return fmin(time_of_forces(s->forces, fmax(state->bulk_speed, state->outer_speed), cfl * h),
		    time_of_forces(s->forces, state->speed_max, fmax(cfl, STRAY_CFL) * h));
}
