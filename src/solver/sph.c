// Smoothed particle hydrodynamics after Mueller, Charypar, Gross: Particle-based fluid simulation for interactive applications, 2003,
// with the walls of images.h. Sums are over volumes, so that liquids of different density can meet (Solenthaler, Pajarola: Density contrast
// SPH interfaces, 2008).
#include "solver/sph.h"

#include "base/error.h"
#include "base/kernels.h"
#include "base/parallel.h"
#include "particles/store.h"
#include "solver/constraints.h"
#include "solver/pairs.h"
#include "solver/parting.h"
#include "solver/prototype.h"
#include "solver/shear.h"
#include "solver/tension.h"
#include "solver/vorticity.h"

#include <string.h>

enum
{
	REACH = 2 // lattice steps in each direction
};

// Particles are kept this far from walls, in spacings: images hold them further away.
#define GUARD 0.25f

const spate_field_def sph_acceleration = {
    .name = "acceleration",
    .type = SPATE_FLOAT,
    .unit = "m/s^2",
    .meaning = "Acceleration by the liquid around and by walls in the last step: its magnitude, without gravity.",
    .flags = SPATE_FIELD_HOT | SPATE_FIELD_PUBLISHED | SPATE_FIELD_FRESH};

sph_lattice sph_lattice_make(void)
{
	prototype p = prototype_make(1.0, SPH_RADIUS);
	sph_lattice l = {.volume = p.volume, .gradient = p.gradient};
	const float h = (float)SPH_RADIUS;
	for (int x = -REACH; x <= REACH; x++)
		for (int y = -REACH; y <= REACH; y++)
			for (int z = -REACH; z <= REACH; z++)
			{
				float r = sqrtf((float)(x * x + y * y + z * z));
				if (!(r > 0.0f))
					continue;
				double slope = (double)spiky_derivative(r, h), square = (double)(x * x);
				l.laplacian += p.volume * 0.5 * (double)viscosity_laplacian(r, h) * square;
				l.diagonal += p.volume * p.volume * slope * (double)poly6_derivative(r, h);
			}
	l.diagonal /= l.gradient;
	l.largest = 1.0 / (p.stiffness * p.beta * l.gradient);
	return l;
}

double sph_lightest(const step_view *s)
{
	return pairs_densest(s) / pairs_density_ratio(s);
}

double sph_speed(const step_view *s, double speed)
{
	double square = fmax(speed * speed, s->forces->most * sph_finest(s));
	for (uint32_t f = 0; f < s->fluid_count; f++)
		square = fmax(square, tension_strength(s, f) * TENSION_SCALE / s->fluids[f].spacing);
	return sqrt(square);
}

double sph_finest(const step_view *s)
{
	double finest = INFINITY;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		finest = fmin(finest, s->fluids[f].spacing);
	return finest;
}

// ---------------------------------------------------------------------------------------------------------------- start

static void start_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	sph_work *w = context;
	const step_view *s = w->view;
	double unit = 1.0 / (s->fluids[0].density * w->lattice->gradient);
	for (size_t row = begin; row < end; row++)
	{
		vec4 x = s->places[row], v = s->velocities[row];
		uint32_t f = (uint32_t)s->store->fluid[row];
		double ratio = s->fluids[f].spacing / s->fluids[0].spacing, cube = ratio * ratio * ratio;
		w->places[row] = x; // w: inverse mass
		w->velocities[row] = (vec4){v.x, v.y, v.z, 0};
		w->scale[row] = (float)((double)x.w * cube * unit);
		s->moved[row] = (vec4){0, 0, 0, 0};
	}
}

static void *take(const step_view *s, size_t count, size_t size, int *failed)
{
	void *memory = arena_alloc(s->scratch, count * size);
	*failed |= !memory;
	return memory;
}

static spate_result take_arrays(sph_work *w, spate_error *error)
{
	const step_view *s = w->view;
	size_t rows = (size_t)s->list->count + STEP_SLACK, all = w->images.rows;
	int failed = 0;
	w->places = w->images.places;
	w->shifts = s->spare[1];
	w->velocities = take(s, all, sizeof(vec4), &failed);
	w->pushes = take(s, all, sizeof(vec4), &failed);
	w->differences = take(s, all, sizeof(vec4), &failed);
	w->scale = take(s, rows, sizeof(float), &failed);
	w->errors = take(s, rows, sizeof(float), &failed);
	w->rates = take(s, rows, sizeof(float), &failed);
	w->responses = take(s, rows, sizeof(float), &failed);
	w->pressure = take(s, rows, sizeof(float), &failed);
	return failed ? error_memory(error, all * 3 * sizeof(vec4) + rows * 5 * sizeof(float)) : SPATE_OK;
}

spate_result sph_start(sph_work *w, const sph_lattice *lattice, const step_view *s, float time, spate_error *error)
{
	*w = (sph_work){.view = s, .lattice = lattice, .kernels = sph_kernels_table(s->simd), .time = time};
	w->pass.along = s->settings->viscosity_model == SPATE_VISCOSITY_PAIRWISE;
	w->pass.laplacian = 1;
	spate_result result = pairs_start(&w->pass.pairs, s, lattice->volume, error);
	if (result != SPATE_OK)
		return result;
	memset(s->moved, 0, ((size_t)s->list->count + STEP_SLACK) * sizeof(vec4));
	result = contacts_find(&w->near, s, error);
	if (result == SPATE_OK && !s->settling)
		tension_accelerate(&w->near, &w->pass.pairs);
	if (result == SPATE_OK)
		result = images_make(&w->images, &w->near, error);
	if (result == SPATE_OK)
		result = take_arrays(w, error);
	if (result != SPATE_OK)
		return result;
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, start_rows, w);
	step_place_dummies(w->places, s->list->count, 1.0f);
	memset(w->velocities + s->list->count, 0, STEP_SLACK * sizeof(vec4));
	memset(w->pushes + s->list->count, 0, STEP_SLACK * sizeof(vec4));
	for (uint32_t k = 0; k < STEP_SLACK; k++)
		w->differences[s->list->count + k] = (vec4){0, 0, 0, 1};
	memset(w->scale + s->list->count, 0, STEP_SLACK * sizeof(float));
	images_copy_w(&w->images, s, w->places);
	return images_show(&w->images, s, &w->pass.pairs, error);
}

// ---------------------------------------------------------------------------------------------------------------- passes

typedef struct pass_task
{
	sph_work *work;
	const vec4 *places;
	const float *pressure;
	float calming;
} pass_task;

static void measure_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	sph_work *w = context;
	w->kernels->measure(&w->pass, w->places, w->velocities, w->errors, w->rates, w->responses, w->differences,
			    (uint32_t)begin, (uint32_t)end);
}

static void density_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const pass_task *t = context;
	sph_work *w = t->work;
	w->kernels->densities(&w->pass, t->places, w->errors, (uint32_t)begin, (uint32_t)end);
}

static void push_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const pass_task *t = context;
	sph_work *w = t->work;
	w->kernels->push(&w->pass, w->places, w->scale, w->differences, t->calming, w->pushes, (uint32_t)begin,
			 (uint32_t)end);
}

void sph_measure(sph_work *w)
{
	images_move(&w->images, w->view, w->velocities);
	parallel_for(w->view->threads, w->view->list->slice_count, STEP_SLICES, measure_slices, w);
	images_turn(&w->images, w->view, w->differences);
}

void sph_measure_at(sph_work *w, const vec4 *places)
{
	pass_task t = {.work = w, .places = places};
	parallel_for(w->view->threads, w->view->list->slice_count, STEP_SLICES, density_slices, &t);
}

static void press_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const pass_task *t = context;
	for (size_t row = begin; row < end; row++)
		t->work->places[row].w = t->pressure[row];
}

void sph_set_pressure(sph_work *w, const float *pressure)
{
	pass_task t = {.work = w, .pressure = pressure};
	parallel_for(w->view->threads, w->view->list->count, PARALLEL_BLOCK, press_rows, &t);
	images_copy_w(&w->images, w->view, w->places);
}

void sph_push(sph_work *w, int calms)
{
	pass_task t = {.work = w, .calming = calms ? w->calming : 0.0f};
	parallel_for(w->view->threads, w->view->list->slice_count, STEP_SLICES, push_slices, &t);
}

static void error_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const sph_work *w = context;
	for (size_t row = begin; row < end; row++)
		terms[0][row - begin] = fmax((double)w->errors[row], 0.0);
}

static double largest_error(void *context, size_t begin, size_t end)
{
	const sph_work *w = context;
	float most = 0.0f;
	for (size_t row = begin; row < end; row++)
		most = fmaxf(most, w->errors[row]);
	return (double)most;
}

void sph_report(sph_work *w, solver_report *report)
{
	const step_view *s = w->view;
	w->error_sum = parallel_sum(s->threads, s->list->count, error_terms, w);
	w->error_max = parallel_max(s->threads, s->list->count, largest_error, w);
	report->density_error_avg = w->error_sum / s->list->count;
	report->density_error_max = w->error_max;
}

spate_result sph_thicken(sph_work *w, spate_error *error)
{
	shear viscous = {.near = &w->near,
			 .images = &w->images,
			 .pass = w->pass,
			 .places = w->places,
			 .velocities = w->velocities,
			 .other = w->pushes,
			 .constraint = w->errors,
			 .moment = w->lattice->laplacian};
	step_view view = *w->view;
	view.velocities = w->velocities;
	double energy = vorticity_energy(&view);
	spate_result result = shear_smooth(&viscous, error);
	if (result == SPATE_OK)
		vorticity_confine(&view, &w->pass.pairs, energy);
	return result;
}

// ---------------------------------------------------------------------------------------------------------------- motion

static void store_densities(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const sph_work *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
	{
		double rest =
		    material_value(s->material, MATERIAL_DENSITY, row, s->fluids[s->store->fluid[row]].density);
		s->store->density[row] = (float)rest * (1.0f + w->errors[row]);
	}
}

static void move_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	sph_work *w = context;
	const step_view *s = w->view;
	float *acceleration = (void *)store_find(s->store, sph_acceleration.name)->data;
	for (size_t row = begin; row < end; row++)
	{
		vec4 by = w->pushes[row], v = w->velocities[row], x = s->places[row], before = s->velocities[row];
		v = (vec4){v.x + w->time * by.x, v.y + w->time * by.y, v.z + w->time * by.z, before.w};
		vec4 dx = w->shifts[row], moved = {v.x * s->dt + dx.x, v.y * s->dt + dx.y, v.z * s->dt + dx.z, 0};
		vec3 change = {v.x - before.x, v.y - before.y, v.z - before.z};
		s->velocities[row] = v;
		s->moved[row] = moved;
		s->places[row] = (vec4){x.x + moved.x, x.y + moved.y, x.z + moved.z, x.w};
		s->store->pressure[row] = w->pressure[row];
		acceleration[row] = vec3_length(change) / w->time;
	}
}

spate_result sph_finish(sph_work *w, solver_report *report, spate_error *error)
{
	const step_view *s = w->view;
	sph_charge_walls(w);
	memset(w->shifts, 0, s->list->count * sizeof *w->shifts);
	if (w->error_max > (double)PARTING_CROWDED)
		parting_add(s, w->places, w->errors, w->shifts);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, move_rows, w);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, store_densities, w);
	spate_result result = constraints_act(s, &w->near, s->velocities, error);
	if (result != SPATE_OK)
		return result;
	contacts_guard(&w->near, GUARD, w->velocities);
	contacts_hold(&w->near);
	report->outside = contacts_outside(&w->near);
	contacts_sum_loads(&w->near);
	return SPATE_OK;
}

spate_result sph_weigh(const sph_lattice *lattice, const step_view *s, solver_report *report, spate_error *error)
{
	sph_work w;
	spate_result result = sph_start(&w, lattice, s, 1.0f, error);
	if (result != SPATE_OK)
		return result;
	sph_measure_at(&w, w.places);
	sph_report(&w, report);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, store_densities, &w);
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------------- settle

enum
{
	SETTLE_ROUNDS = 60
};

// Mean density errors at which settling ends, and the longest move of a particle in a round, in spacings.
#define SETTLED 1e-3
#define MOST_MOVE 0.1f

// Part of the density error that a round asks pressure to remove.
#define SETTLE_SHARE 0.7

static void ask_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	sph_work *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
	{
		double d = s->fluids[s->store->fluid[row]].spacing;
		w->pressure[row] = (float)(SETTLE_SHARE * d * d / w->lattice->largest) * fmaxf(w->errors[row], 0.0f);
		w->scale[row] = (float)(1.0 / w->lattice->gradient);
	}
}

static void part_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	sph_work *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
	{
		vec4 by = w->pushes[row], x = s->places[row];
		float most = MOST_MOVE * (float)s->fluids[s->store->fluid[row]].spacing;
		float length = vec3_length(vec3_make(by.x, by.y, by.z)), limit = length > most ? most / length : 1.0f;
		s->moved[row] = (vec4){limit * by.x, limit * by.y, limit * by.z, 0};
		s->places[row] = (vec4){x.x + limit * by.x, x.y + limit * by.y, x.z + limit * by.z, x.w};
		s->store->pressure[row] = s->store->density[row] = 0.0f;
	}
}

spate_result sph_settle(const sph_lattice *lattice, const step_view *s, solver_settling *t, solver_report *report,
			spate_error *error)
{
	sph_work w;
	spate_result result = sph_start(&w, lattice, s, 1.0f, error);
	if (result != SPATE_OK)
		return result;
	sph_measure_at(&w, w.places);
	sph_report(&w, report);
	t->last = report->density_error_avg;
	t->rounds++;
	t->done = t->last < SETTLED || t->rounds >= SETTLE_ROUNDS;
	if (!t->done)
	{
		parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, ask_rows, &w);
		sph_set_pressure(&w, w.pressure);
		sph_push(&w, 0);
		parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, part_rows, &w);
	}
	contacts_guard(&w.near, GUARD, NULL);
	contacts_hold(&w.near);
	report->outside = contacts_outside(&w.near);
	return SPATE_OK;
}
