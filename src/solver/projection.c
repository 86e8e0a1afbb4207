// Projection of velocities, with errors in place removed without making velocity (docs/theory/projection.md).
//
//   walls and images, C, diagonal  <-  places at the start of the substep
//   dx  = -M^-1 T q      removes a part of the density error that earlier substeps left
//   v   = v* - M^-1 T l  l >= 0 keeps the liquid from being compressed further; p = rho l / dt
//   x  += dt v + dx, kept out of colliders
#include "base/error.h"
#include "base/parallel.h"
#include "solver/constraints.h"
#include "solver/motion.h"
#include "solver/pairs.h"
#include "solver/parting.h"
#include "solver/projection_work.h"
#include "solver/shear.h"
#include "solver/tension.h"
#include "solver/vorticity.h"

#include <string.h>

// Less dense than this, relative to rest, a particle may come closer to others.
#define LOOSE 0.15f

// Part of the density error that a substep removes while the mean error is small, without and with corrected gradients, how fast that part
// grows with the mean error relative to what the quality promises, from which such error on, and the largest error that counts.
#define STABILISE 0.4f
#define STABILISE_CORRECTED 0.5f
#define STABILISE_MORE 2.0f
#define ENDANGERED 0.5f
#define MOST_ERROR 0.2f

// Liquid whose density is between these limits is corrected: gradients in full within the first pair, less and less up to the second.
#define FULL_BELOW 0.02f
#define NONE_BELOW 0.1f
#define FULL_ABOVE 0.12f
#define NONE_ABOVE 0.2f

// Determinants of moments, 1 on the lattice, from which they are inverted, and in full.
#define NONE_DETERMINANT 0.3f
#define FULL_DETERMINANT 0.6f

// Nothing is done about a mean density error below this part of what the quality promises.
#define UNNOTICED 0.3

// What may be left of the compression of moving liquid: a part of the rms travel in spacings, or of its square, at most what the quality
// says or so many times that, and this part of what there was.
#define MOTION_SHARE 0.0025
#define FAST_SHARE 0.01
#define MOST_LOOSE_FAST 4.0
#define LOOSE_SHARE 0.5

enum
{
	STABILISE_PRODUCTS = 3,
	STABILISE_PRODUCTS_CORRECTED = 8,
	SETTLE_PRODUCTS = 30,
	STABILISE_PRODUCTS_MORE = 30, // where the mean error endangers what the quality promises
	MOST_PRODUCTS = 400           // of a projection
};

// Particles are kept this far from walls, in spacings: images hold them further away.
#define GUARD 0.25f

// What two differences leave of the shortest wave, and the largest share of it that one substep removes.
#define SHORTEST_RESPONSE 0.8f
#define MOST_CALMING 0.5f

// Pressure that surface tension makes in the first layers below a surface, in units of sigma / d, as measured in drops: not noise.
#define SKIN_PRESSURE 3.0f

// Part of sigma / d that counts as noise, inside too: drops ring when their surfaces come to rest.
#define TENSION_NOISE 0.2f

// Lower bound of a multiplier that has none.
#define UNBOUNDED (-1e30f)

// Part of the bend of paths that is turned round, and the largest change of density by it in a substep.
#define REFLECT 0.8f
#define MOST_BEND 0.02f

// Smallest diagonal relative to that of the lattice.
#define LEAST_DIAGONAL 0.02f

static spate_result create(void **solver, spate_error *error)
{
	projection *s = mem_alloc(sizeof *s);
	if (!s)
		return error_memory(error, sizeof *s);
	*s = projection_make();
	*solver = s;
	return SPATE_OK;
}

static void destroy(void *solver)
{
	mem_free(solver);
}

// ------------------------------------------------------------------------------------------------------------ settings

static const spate_setting settings[PROJECTION_SETTING_COUNT] = {
    [PROJECTION_RESIDUAL] = {.name = "residual",
			     .live = 1,
			     .above_min = 1,
			     .max = 1,
			     .word = "auto",
			     .example = "0.0001",
			     .doc = "Mean change of density per substep at which iterating stops; 0.0001 is 0.01 %."},
    [PROJECTION_STRIDE] = {.name = "stride",
			   .live = 1,
			   .above_min = 1,
			   .max = 10,
			   .initial = 0.6,
			   .example = "0.5",
			   .doc = "Longest substep, in units of spacing / sqrt(gravity * depth)."},
    [PROJECTION_CALMING] = {.name = "calming",
			    .live = 1,
			    .max = 10,
			    .initial = 0.5,
			    .example = "0.1",
			    .doc = "Rate at which the shortest velocity fluctuations die, in units of "
				   "sqrt(pressure / density) / spacing."},
    [PROJECTION_CORRECTION] = {.name = "correction",
			       .live = 1,
			       .max = 1,
			       .example = "1",
			       .doc = "How far gradients are corrected for the packing of the particles, which then "
				      "resists shear no more: 0 is not at all, 1 in full. Not for deep water at "
				      "quality draft."}};

// ---------------------------------------------------------------------------------------------------------------- step

static spate_result prepare(const void *solver, const step_view *s, int *runaways, spate_error *error)
{
	(void)solver, (void)error;
	*runaways = motion_accelerate(s);
	return SPATE_OK;
}

static void start_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
	{
		vec4 x = s->places[row], v = s->velocities[row];
		w->problem.places[row] = x; // w: inverse mass
		w->inverse_mass[row] = x.w;
		w->velocities[row] = (vec4){v.x, v.y, v.z, 0};
		w->shifts[row] = (vec4){0, 0, 0, 0};
		s->moved[row] = (vec4){0, 0, 0, 0};
	}
}

// Velocities as the last substep left them: forces have acted since.
static void recall_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	const step_view *s = w->view;
	for (size_t first = begin; first < end; first += FORCE_ROWS)
	{
		size_t count = end - first < FORCE_ROWS ? end - first : FORCE_ROWS;
		force_rows rows = {count, s->places + first,      s->velocities + first, s->origin, s->time,
				   s->dt, s->store->fluid + first};
		force_set_recall(s->forces, &rows, w->before + first);
	}
}

// ------------------------------------------------------------------------------------------------------ forces of pairs

// The view with the velocities that are not projected yet, and spare arrays that are free between two solves.
static step_view unprojected(const projection_work *w)
{
	step_view view = *w->view;
	view.velocities = w->velocities;
	view.spare[0] = w->calmed[0];
	view.spare[1] = w->calmed[1];
	return view;
}

// Viscosity, with images and walls, and vorticity confinement.
static spate_result thicken(projection_work *w, spate_error *error)
{
	const step_view *s = w->view;
	const projection_pass *p = &w->problem.pass;
	shear viscous = {.near = &w->near,
			 .images = &w->images,
			 .pass = {.pairs = p->pairs, .along = s->settings->viscosity_model == SPATE_VISCOSITY_PAIRWISE},
			 .places = w->problem.places,
			 .velocities = w->velocities,
			 .other = w->problem.pushes,
			 .constraint = w->constraint,
			 .moment = w->solver->moment};
	step_view view = unprojected(w);
	double energy = vorticity_energy(&view);
	spate_result result = shear_smooth(&viscous, error);
	if (result == SPATE_OK)
		vorticity_confine(&view, &p->pairs, energy);
	return result;
}

static void restore_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	for (size_t row = begin; row < end; row++)
		w->problem.places[row].w = w->inverse_mass[row];
}

// Surface tension in N/m, with images, and contact angles.
static spate_result tighten(projection_work *w, spate_error *error)
{
	const step_view *s = w->view;
	const projection_pass *p = &w->problem.pass;
	surface_energy energy = {.view = s,
				 .lattice = &w->solver->surface,
				 .near = &w->near,
				 .images = &w->images,
				 .pass = {.pairs = p->pairs},
				 .places = w->problem.places,
				 .inverse_mass = w->inverse_mass,
				 .cover = w->problem.right, // not in use yet
				 .forces = w->calmed[1]};
	spate_result result = surface_energy_accelerate(&energy, w->velocities, error);
	// the w of places is the inverse mass for what follows
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, restore_rows, w);
	images_copy_w(&w->images, s, w->problem.places);
	return result;
}

spate_result projection_accelerate(projection_work *w, spate_error *error)
{
	spate_result result = thicken(w, error);
	return result == SPATE_OK && surface_energy_acts(w->view) ? tighten(w, error) : result;
}

static void *take(const step_view *s, size_t count, size_t size, int *failed)
{
	void *memory = arena_alloc(s->scratch, count * size);
	*failed |= !memory;
	return memory;
}

spate_result projection_work_start(projection_work *w, const projection *solver, const step_view *s, spate_error *error)
{
	*w = (projection_work){.view = s,
			       .solver = solver,
			       .quality = projection_quality_of(s),
			       .correction_share = (float)s->settings->own[PROJECTION_CORRECTION]};
	pressure *t = &w->problem;
	*t = (pressure){.view = s, .kernels = projection_kernels_table(s->simd), .images = &w->images};
	spate_result result = pairs_start(&t->pass.pairs, s, solver->volume, error);
	if (result != SPATE_OK)
		return result;
	memset(s->moved, 0, ((size_t)s->list->count + STEP_SLACK) * sizeof(vec4));
	int corrects = w->correction_share > 0.0f;
	if (corrects)
	{
		w->before = arena_alloc(s->scratch, s->list->count * sizeof(vec4));
		if (!w->before)
			return error_memory(error, s->list->count * sizeof(vec4));
		parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, recall_rows, w);
	}
	result = contacts_find(&w->near, s, error);
	if (result == SPATE_OK && !s->settling)
		tension_accelerate(&w->near, &t->pass.pairs); // before images are made
	if (result == SPATE_OK)
		result = images_make(&w->images, &w->near, error);
	if (result != SPATE_OK)
		return result;
	size_t rows = (size_t)s->list->count + STEP_SLACK, all = w->images.rows;
	int failed = 0;
	t->places = w->images.places;
	w->velocities = take(s, all, sizeof(vec4), &failed);
	w->shifts = s->spare[1];
	w->constraint = take(s, rows, sizeof(float), &failed);
	for (int k = 0; k < 2 && corrects; k++)
		w->correction[k] = take(s, rows, sizeof(vec4), &failed);
	if (corrects)
		w->bend = take(s, rows, sizeof(float), &failed);
	w->inverse_mass = take(s, all, sizeof(float), &failed);
	if (failed)
		return error_memory(error, all * (corrects ? 60 : 24));
	t->pass.inverse_mass = w->inverse_mass;
	t->expansion = (float)(1.0 / solver->largest);
	result = pressure_start(t, corrects, error);
	if (result != SPATE_OK)
		return result;
	// calming is done between two solves
	w->calmed[0] = t->pushes;
	w->calmed[1] = s->spare[0];
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, start_rows, w);
	step_place_dummies(t->places, s->list->count, 1.0f);
	for (uint32_t k = 0; k < STEP_SLACK; k++)
		w->inverse_mass[s->list->count + k] = 1.0f;
	vec4 *zeroed[] = {w->velocities, w->calmed[1], t->pushes};
	for (size_t k = 0; k < sizeof zeroed / sizeof *zeroed; k++)
		memset(zeroed[k] + s->list->count, 0, STEP_SLACK * sizeof(vec4));
	for (uint32_t k = 0; k < w->images.count; k++)
		w->inverse_mass[w->images.first + k] = w->inverse_mass[w->images.images[k].root];
	images_copy_w(&w->images, s, t->places);
	if (s->bodies && !s->settling)
		result = body_rows_make(&w->bodies, &w->near, &w->images, w->inverse_mass, error);
	if (result == SPATE_OK && s->bending && !s->settling)
		result = bend_rows_make(&w->bending, &w->near, &w->images, w->inverse_mass, error);
	if (result != SPATE_OK)
		return result;
	return images_show(&w->images, s, &t->pass.pairs, error);
}

static void constrain_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	w->problem.kernels->constraints(&w->problem.pass, w->problem.places, w->constraint, w->problem.scale,
					w->correction_share > 0.0f ? w->correction : NULL, (uint32_t)begin,
					(uint32_t)end);
}

// How far gradients are corrected at a density error: not at the surface, where neighbours are missing on one side, nor in a clump, where
// the true gradient of C has to hold particles apart.
static float correct_share(float c, float determinant)
{
	float whole = (determinant - NONE_DETERMINANT) / (FULL_DETERMINANT - NONE_DETERMINANT);
	float below = (c + NONE_BELOW) / (NONE_BELOW - FULL_BELOW),
	      above = (NONE_ABOVE - c) / (NONE_ABOVE - FULL_ABOVE);
	return fmaxf(fminf(fminf(below, above), fminf(whole, 1.0f)), 0.0f);
}

// Turns the moments of a row into its correction: their inverse, or a mean of that and the identity.
static void invert_moments(projection_work *w, size_t row)
{
	vec4 *a = &w->correction[0][row], *b = &w->correction[1][row];
	float xx = a->x, xy = a->y, xz = a->z, yy = a->w, yz = b->x, zz = b->y;
	vec3 first = {yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy};
	float determinant = xx * first.x + xy * first.y + xz * first.z;
	float share = w->correction_share * correct_share(w->constraint[row], determinant);
	float k = share > 0.0f ? share / determinant : 0.0f, rest = 1.0f - share;
	*a = (vec4){rest + k * first.x, k * first.y, k * first.z, rest + k * (xx * zz - xz * xz)};
	*b = (vec4){k * (xy * xz - xx * yz), rest + k * (xx * yy - xy * xy), 0, 0};
}

// Scales from the diagonal, and corrections; terms are the density errors.
static void scale_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	projection_work *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
	{
		float d = (float)s->fluids[s->store->fluid[row]].spacing;
		float least = LEAST_DIAGONAL * (float)w->solver->diagonal * w->inverse_mass[row] / (d * d);
		w->problem.scale[row] = 1.0f / sqrtf(fmaxf(w->problem.scale[row], least));
		if (w->correction_share > 0.0f)
			invert_moments(w, row);
		terms[0][row - begin] = fmax((double)w->constraint[row], 0.0);
	}
}

static double largest_error(void *context, size_t begin, size_t end)
{
	const projection_work *w = context;
	float most = 0.0f;
	for (size_t row = begin; row < end; row++)
		most = fmaxf(most, w->constraint[row]);
	return (double)most;
}

// Corrects gradients in the passes that follow, or does not.
static void correct(projection_work *w, int on)
{
	for (int k = 0; k < 2; k++)
		w->problem.pass.correction[k] = on ? w->correction[k] : NULL;
}

void projection_constrain(projection_work *w)
{
	const step_view *s = w->view;
	parallel_for(s->threads, s->list->slice_count, STEP_SLICES, constrain_slices, w);
	if (s->bodies && !s->settling)
		projection_weigh_bodies(w);
	if (s->bending && !s->settling)
		projection_weigh_bending(w);
	w->error_sum = parallel_sum(s->threads, s->list->count, scale_terms, w);
	w->error_max = parallel_max(s->threads, s->list->count, largest_error, w);
	correct(w, w->correction_share > 0.0f);
}

// ----------------------------------------------------------------------------------------------------------- stabilise

// Compression is removed, and inside the liquid expansion as well: corrected velocities keep neither from growing.
static void ask_to_even_out(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	int settling = w->view->settling;
	float error = (float)(w->error_sum / w->view->list->count / w->quality.promise);
	float least = w->correction_share > 0.0f ? STABILISE_CORRECTED : STABILISE;
	float share = settling ? 1.0f : fminf(least + STABILISE_MORE * fmaxf(error - ENDANGERED, 0.0f), 1.0f);
	for (size_t row = begin; row < end; row++)
	{
		float c = w->constraint[row];
		int inside = !settling && w->correction_share > 0.0f && c > -NONE_BELOW;
		w->problem.right[row] = inside || c > 0.0f ? share * fminf(c, MOST_ERROR) : c;
		w->problem.low[row] = inside ? UNBOUNDED : 0.0f;
	}
}

static void shift_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 by = w->problem.pushes[row];
		w->shifts[row] = (vec4){-by.x, -by.y, -by.z, 0};
	}
}

static void stabilise(projection_work *w, double error)
{
	const step_view *s = w->view;
	uint32_t products = w->correction_share > 0.0f ? STABILISE_PRODUCTS_CORRECTED : STABILISE_PRODUCTS;
	double violation = 0.1 * error;
	if (error > (double)ENDANGERED * w->quality.promise)
		products = STABILISE_PRODUCTS_MORE;
	if (s->settling)
	{
		products = SETTLE_PRODUCTS;
		violation = 1e-4;
	}
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, ask_to_even_out, w);
	pressure_goal goal = {.violation = violation, .from_zero = 1, .products = products};
	correct(w, 0); // the gradient of C itself
	pressure_solve(&w->problem, &goal);
	pressure_push(&w->problem);
	correct(w, w->correction_share > 0.0f);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, shift_rows, w);
}

// ------------------------------------------------------------------------------------------------------------- calming

typedef struct calm_task
{
	projection_work *work;
	const vec4 *in;
	vec4 *out;
} calm_task;

static void difference_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const calm_task *t = context;
	pressure *p = &t->work->problem;
	p->kernels->difference(&p->pass, p->places, t->in, t->out, (uint32_t)begin, (uint32_t)end);
}

static void calm_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const calm_task *t = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 *v = &t->work->velocities[row], by = t->out[row];
		*v = (vec4){v->x - by.x, v->y - by.y, v->z - by.z, v->w};
	}
}

// Inverse masses for the passes; the first difference is taken whole.
static void start_calming(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = ((const calm_task *)context)->work;
	for (size_t row = begin; row < end; row++)
	{
		w->velocities[row].w = 1.0f;
		w->problem.places[row].w = w->inverse_mass[row];
	}
}

// Rest density of a row (kg/m^3).
static double density_of(const step_view *s, size_t row)
{
	return material_value(s->material, MATERIAL_DENSITY, row, s->fluids[s->store->fluid[row]].density);
}

// Whether a row is below the surface, 0 to 1. At the surface neighbours are missing on one side, so the difference to their mean is not
// that of short waves only: it would damp the swing of a whole drop.
static float below_surface(float c)
{
	return fmaxf(fminf((c + NONE_BELOW) / (NONE_BELOW - FULL_BELOW), 1.0f), 0.0f);
}

// Noise comes from pressure and surface tension on disordered particles, so that its speed is about sqrt(p / rho) or sqrt(sigma / (rho d)),
// and dt counts in units of d over that speed. Surfaces are left alone as far as tension rules there rather than weight.
static void weigh_calming(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = ((const calm_task *)context)->work;
	const step_view *s = w->view;
	float share = (float)s->settings->own[PROJECTION_CALMING] / SHORTEST_RESPONSE, gravity = (float)s->forces->most;
	for (size_t row = begin; row < end; row++)
	{
		float d = (float)s->fluids[s->store->fluid[row]].spacing;
		float tension = (float)surface_energy_largest(s, (uint32_t)s->store->fluid[row]);
		float density = (float)density_of(s, row), capillary = tension / (d * density), heavy = gravity * d;
		float noisy =
		    fmaxf(s->store->pressure[row] - SKIN_PRESSURE * tension / d, 0.0f) + TENSION_NOISE * tension / d;
		float spared = capillary > 0.0f ? capillary / (capillary + heavy) : 0.0f;
		float part = share * (1.0f - spared * (1.0f - below_surface(w->constraint[row])));
		w->calmed[0][row].w = fminf(part * s->dt * sqrtf(noisy / density + heavy) / d, MOST_CALMING);
	}
}

// v -= c D D v, with D v the difference to the mean of the neighbours: short waves only.
static void calm(projection_work *w)
{
	const step_view *s = w->view;
	if (!(s->settings->own[PROJECTION_CALMING] > 0.0))
		return;
	calm_task t = {.work = w, .in = w->velocities, .out = w->calmed[0]};
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, start_calming, &t);
	images_copy_w(&w->images, s, w->problem.places);
	images_move(&w->images, s, w->velocities);
	parallel_for(s->threads, s->list->slice_count, STEP_SLICES, difference_slices, &t);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, weigh_calming, &t);
	images_turn(&w->images, s, w->calmed[0]);
	t = (calm_task){.work = w, .in = w->calmed[0], .out = w->calmed[1]};
	parallel_for(s->threads, s->list->slice_count, STEP_SLICES, difference_slices, &t);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, calm_rows, &t);
	projection_charge_calming(w);
}

// Calms, and gives vortices back what that has taken, where a fluid asks for it.
static void calm_and_confine(projection_work *w)
{
	step_view view = unprojected(w);
	double energy = vorticity_energy(&view);
	calm(w);
	vorticity_confine(&view, &w->problem.pass.pairs, energy);
}

// ------------------------------------------------------------------------------------------------------------- project

// Pressure of a multiplier of 1. Multipliers push with the volume of particles, which is less than the space they take.
static float pressure_unit(const projection_work *w, size_t row)
{
	const step_view *s = w->view;
	float ratio = (float)(s->fluids[0].spacing / s->fluids[s->store->fluid[row]].spacing);
	return (float)(w->solver->volume * s->fluids[0].density) * ratio * ratio * ratio / s->dt;
}

// Starts from the pressure of the last substep.
static void guess_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
	{
		w->problem.low[row] = 0.0f;
		w->problem.y[row] =
		    fmaxf(s->store->pressure[row], 0.0f) / pressure_unit(w, row) / w->problem.scale[row];
	}
}

// Rate of the velocities that the last substep has projected, at the places where they have led to.
static void find_bend(projection_work *w)
{
	size_t rows = w->view->list->count;
	memcpy(w->calmed[0], w->before, rows * sizeof(vec4)); // not in use yet
	pressure_rate(&w->problem, w->calmed[0], w->bend);
}

// b = D v* + min(C + LOOSE, 0) / dt, and inside the liquid the bend; D v* is left to the solve. A projection alone would take the energy of what bends paths out of
// the flow; turned round, the velocity is right half way between the substeps, and energy stays. What the residual of the last substep
// has left is not bend.
static void ask_to_keep(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	float dt = w->view->dt, noise = (float)w->allowed;
	for (size_t row = begin; row < end; row++)
	{
		float c = w->constraint[row];
		w->problem.right[row] = fminf(c + LOOSE, 0.0f) / dt;
		if (!(w->correction_share > 0.0f && c > -NONE_BELOW && w->view->store->pressure[row] > 0.0f))
			continue;
		// no path bends by more than the square of the travel in spacings
		vec4 v = w->before[row];
		float d = (float)w->view->fluids[w->view->store->fluid[row]].spacing;
		float most = fminf(MOST_BEND / dt, dt * (v.x * v.x + v.y * v.y + v.z * v.z) / (d * d));
		float bend = fmaxf(fminf(w->bend[row], most), -most);
		w->problem.right[row] += REFLECT * copysignf(fmaxf(fabsf(bend) - noise, 0.0f), bend);
	}
}

static void project_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
	{
		vec4 by = w->problem.pushes[row], v = w->velocities[row], dx = w->shifts[row];
		v = (vec4){v.x - by.x, v.y - by.y, v.z - by.z, 0};
		vec4 moved = {v.x * s->dt + dx.x, v.y * s->dt + dx.y, v.z * s->dt + dx.z, 0};
		vec4 x = s->places[row];
		s->velocities[row] = (vec4){v.x, v.y, v.z, s->velocities[row].w};
		s->moved[row] = moved;
		s->places[row] = (vec4){x.x + moved.x, x.y + moved.y, x.z + moved.z, x.w};
		s->store->pressure[row] = w->problem.y[row] * w->problem.scale[row] * pressure_unit(w, row);
	}
}

// p of each row, and the square of its speed.
static void state_terms(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const step_view *s = ((const projection_work *)context)->view;
	for (size_t row = begin; row < end; row++)
	{
		vec4 v = s->velocities[row];
		terms[0][row - begin] = (double)fmaxf(s->store->pressure[row], 0.0f);
		terms[1][row - begin] = (double)(v.x * v.x + v.y * v.y + v.z * v.z);
	}
}

// 1 up to the first value, 0 from the second on.
static double falling(double x, double first, double second)
{
	return fmin(fmax((second - x) / (second - first), 0.0), 1.0);
}

// How well velocities are to be projected. The residual may change density in the longest stable substep for the pressure that there is:
// shorter ones must not allow faster changes. Fast liquid is allowed a small part of its motion, but must become better than it was.
static pressure_goal goal_of(projection_work *w)
{
	const step_view *s = w->view;
	double sums[2], finest = INFINITY, count = s->list->count;
	parallel_sums(s->threads, s->list->count, 2, state_terms, w, sums);
	for (uint32_t f = 0; f < s->fluid_count; f++)
		finest = fmin(finest, s->fluids[f].spacing);
	// p / rho; at the bottom it is twice the mean. Light liquid needs shorter substeps, but under the same pressure it must not lose more
	// volume than the heavy one: the stabilisation would give it back, and lift what lies above without an effort
	double head = sums[0] / count / pairs_densest(s), speed = sqrt(sums[1] / count);
	double longest = head > 0.0 ? s->settings->own[PROJECTION_STRIDE] * finest / sqrt(2.0 * head) : 0.0;
	double time = fmax((double)s->dt, longest), residual = w->quality.residual;
	// Gradients turn and stretch with the square of the travel. Allowances end where the promise is in danger: a thin sheet that runs over a
	// floor is otherwise pressed together without end.
	double error = w->error_sum / count / w->quality.promise;
	double travel = speed * time / finest;
	double slow = fmin(MOTION_SHARE * travel, w->quality.loose);
	double fast = fmin(FAST_SHARE * travel * travel, MOST_LOOSE_FAST * w->quality.loose);
	double loose = fmax(slow * falling(error, 0.5, 1.0), fast * falling(error, 0.3, 0.8));
	return (pressure_goal){
	    .violation = residual / time, .loose = loose / time, .share = LOOSE_SHARE, .products = MOST_PRODUCTS};
}

static uint32_t project(projection_work *w)
{
	const step_view *s = w->view;
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, guess_rows, w);
	projection_rub(w);
	pressure_goal goal = goal_of(w);
	w->allowed = goal.violation;
	goal.velocities = w->velocities;
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, ask_to_keep, w);
	w->problem.bodies = s->bodies ? &w->bodies : NULL;
	w->problem.bending = s->bending ? &w->bending : NULL;
	pressure_result result = pressure_solve(&w->problem, &goal);
	pressure_push(&w->problem);
	w->problem.bodies = NULL;
	w->problem.bending = NULL;
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, project_rows, w);
	return result.products;
}

static void store_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const projection_work *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
		s->store->density[row] = (float)density_of(s, row) * (1.0f + w->constraint[row]);
}

static void report_errors(const projection_work *w, solver_report *report)
{
	report->density_error_avg = w->error_sum / w->view->list->count;
	report->density_error_max = w->error_max;
}

static spate_result step(void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	projection_work w;
	spate_result result = projection_work_start(&w, solver, s, error);
	if (result != SPATE_OK)
		return result;
	projection_constrain(&w);
	report_errors(&w, report);
	result = projection_accelerate(&w, error);
	if (result != SPATE_OK)
		return result;
	if (report->density_error_avg > UNNOTICED * w.quality.promise)
		stabilise(&w, report->density_error_avg);
	if (w.error_max > (double)PARTING_CROWDED)
		parting_add(s, w.problem.places, w.constraint, w.shifts);
	if (w.correction_share > 0.0f)
		find_bend(&w);
	calm_and_confine(&w);
	report->iterations = project(&w);
	projection_charge_walls(&w);
	if (s->bodies)
		body_rows_carry(&w.bodies);
	if (s->bending)
		result = bend_rows_carry(&w.bending, error);
	if (result != SPATE_OK)
		return result;
	result = constraints_act(s, &w.near, s->velocities, error);
	if (result != SPATE_OK)
		return result;
	contacts_guard(&w.near, GUARD, w.velocities);
	contacts_hold(&w.near);
	report->outside = contacts_outside(&w.near);
	contacts_sum_loads(&w.near);
	if (s->bodies)
		body_rows_charge(&w.bodies);
	if (s->bending)
		bend_rows_charge(&w.bending);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, store_rows, &w);
	return SPATE_OK;
}

static spate_result weigh(const void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	projection_work w;
	spate_result result = projection_work_start(&w, solver, s, error);
	if (result != SPATE_OK)
		return result;
	projection_constrain(&w);
	report_errors(&w, report);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, store_rows, &w);
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------------- settle

enum
{
	SETTLE_ROUNDS = 30
};

static void settle_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	projection_work *w = context;
	const step_view *s = w->view;
	for (size_t row = begin; row < end; row++)
	{
		vec4 dx = w->shifts[row], x = s->places[row];
		float d = (float)s->fluids[s->store->fluid[row]].spacing,
		      length = sqrtf(dx.x * dx.x + dx.y * dx.y + dx.z * dx.z);
		float limit = length > 0.2f * d ? 0.2f * d / length : 1.0f;
		s->moved[row] = (vec4){limit * dx.x, limit * dx.y, limit * dx.z, 0};
		s->places[row] = (vec4){x.x + limit * dx.x, x.y + limit * dx.y, x.z + limit * dx.z, x.w};
		s->store->pressure[row] = s->store->density[row] = 0.0f;
	}
}

static spate_result settle(const void *solver, const step_view *s, solver_settling *t, solver_report *report,
			   spate_error *error)
{
	projection_work w;
	spate_result result = projection_work_start(&w, solver, s, error);
	if (result != SPATE_OK)
		return result;
	projection_constrain(&w);
	report_errors(&w, report);
	t->last = report->density_error_avg;
	t->rounds++;
	t->done = t->last < 1e-3 || t->rounds >= SETTLE_ROUNDS;
	if (!t->done)
		stabilise(&w, t->last);
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, settle_rows, &w);
	contacts_guard(&w.near, GUARD, NULL);
	contacts_hold(&w.near);
	report->outside = contacts_outside(&w.near);
	return SPATE_OK;
}

const solver_type solver_projection = {
    .radius = PROJECTION_RADIUS,
    .promise = {[SPATE_QUALITY_DRAFT] = 0.03, [SPATE_QUALITY_NORMAL] = 0.005, [SPATE_QUALITY_HIGH] = 0.001},
    .couples = 1,
    .tension = 1,
    .shear = 1,
    .settings = {settings, PROJECTION_SETTING_COUNT},
    .create = create,
    .destroy = destroy,
    .longest_step = projection_longest_step,
    .prepare = prepare,
    .step = step,
    .settle = settle,
    .weigh = weigh,
    .numerical_viscosity = projection_numerical_viscosity,
    .cost = projection_cost};
