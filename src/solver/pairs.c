#include "solver/pairs.h"

#include "base/error.h"
#include "base/parallel.h"
#include "solver/tension.h"

double pairs_densest(const step_view *s)
{
	double most = s->material->high[MATERIAL_DENSITY];
	for (uint32_t f = 0; f < s->fluid_count; f++)
		most = fmax(most, s->fluids[f].density);
	return most;
}

double pairs_density_ratio(const step_view *s)
{
	double least = s->material->low[MATERIAL_DENSITY];
	for (uint32_t f = 0; f < s->fluid_count; f++)
		least = fmin(least, s->fluids[f].density);
	double ratio = pairs_densest(s) / least;
	return s->contrast > 0.0 ? fmin(ratio, s->contrast) : ratio;
}

// All densities count as equal while particles are only pushed apart. With a contrast of 100, a liquid lighter than a hundredth of the
// heaviest gets the inertia of a hundredth: it rises and falls as before, but is easier to solve.
float pairs_inverse_mass(const step_view *s, uint32_t f, double density, double densest)
{
	double ratio = s->fluids[f].spacing / s->fluids[0].spacing, cube = ratio == 1.0 ? 1.0 : pow(ratio, 3.0);
	double least = s->contrast > 0.0 ? densest / s->contrast : 0.0;
	double lightness = s->settling ? 1.0 : s->fluids[0].density / fmax(density, least);
	return (float)(lightness / cube);
}

// A fluid's constants in the passes.
static pair_traits traits_of(const step_view *s, uint32_t f, double volume)
{
	const spate_fluid_def *fluid = &s->fluids[f];
	double reference = (double)s->radii[0];
	double cohesion = tension_cohesion(s, f, tension_strength(s, f));
	return (pair_traits){.half_h = 0.5f * s->radii[f],
			     .volume = (float)(s->room * volume * pow(fluid->spacing / reference, 3.0)),
			     .pull = (float)(cohesion * fluid->pull),
			     .push = (float)(cohesion * fluid->push)};
}

// Traits of a row: those of its fluid, with the row's own cohesion.
static pair_traits traits_of_row(const step_view *s, const pair_traits *by_fluid, size_t row)
{
	uint32_t f = (uint32_t)s->store->fluid[row];
	const spate_fluid_def *fluid = &s->fluids[f];
	pair_traits own = by_fluid[f];
	if (s->material->values[MATERIAL_COHESION])
	{
		double own_cohesion = material_value(s->material, MATERIAL_COHESION, row, tension_strength(s, f));
		double cohesion = tension_cohesion(s, f, own_cohesion);
		own.pull = (float)(cohesion * fluid->pull);
		own.push = (float)(cohesion * fluid->push);
	}
	return own;
}

typedef struct start_task
{
	const step_view *view;
	pair_traits *by_fluid, *by_row; // by_row: NULL unless rows differ
	float *inverse_masses;          // by fluid, for particles without a density of their own
	double densest;
} start_task;

static void start_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const start_task *t = context;
	const step_view *s = t->view;
	int own_density = s->material->values[MATERIAL_DENSITY] != NULL;
	for (size_t row = begin; row < end; row++)
	{
		vec4 v = s->velocities[row];
		uint32_t f = (uint32_t)s->store->fluid[row];
		s->moved[row] = s->settling ? (vec4){0, 0, 0, 0} : (vec4){v.x * s->dt, v.y * s->dt, v.z * s->dt, 0};
		s->places[row].w =
		    own_density
			? pairs_inverse_mass(s, f,
					     material_value(s->material, MATERIAL_DENSITY, row, s->fluids[f].density),
					     t->densest)
			: t->inverse_masses[f];
		if (t->by_row)
			t->by_row[row] = traits_of_row(s, t->by_fluid, row);
	}
}

// What holds for all rows; `traits` has room for every fluid.
static pair_pass make_pass(const step_view *s, double volume, pair_traits *traits)
{
	pair_pass pass = {
	    .slice_begin = s->list->slice_begin.data,
	    .slice_length = s->list->slice_length.data,
	    .entries = s->list->entries.data,
	    .count = s->list->count,
	    .equal_masses = 1,
	    .reference_h = s->radii[0],
	};
	for (uint32_t f = 0; f < s->fluid_count; f++)
	{
		traits[f] = traits_of(s, f, volume);
		pass.mixed |=
		    s->radii[f] != s->radii[0] || traits[f].pull != traits[0].pull || traits[f].push != traits[0].push;
		pass.equal_masses &= s->fluids[f].density == s->fluids[0].density;
	}
	pass.mixed |= s->material->values[MATERIAL_COHESION] != NULL;
	pass.equal_masses &= !s->material->values[MATERIAL_DENSITY];
	pass.same = traits[0];
	return pass;
}

spate_result pairs_start(pair_pass *pairs, const step_view *s, double volume, spate_error *error)
{
	size_t rows = s->list->count;
	start_task t = {.view = s,
			.by_fluid = arena_alloc(s->scratch, s->fluid_count * sizeof(pair_traits)),
			.inverse_masses = arena_alloc(s->scratch, s->fluid_count * sizeof(float)),
			.densest = pairs_densest(s)};
	if (!t.by_fluid || !t.inverse_masses)
		return error_memory(error, s->fluid_count * sizeof(pair_traits));
	for (uint32_t f = 0; f < s->fluid_count; f++)
		t.inverse_masses[f] = pairs_inverse_mass(s, f, s->fluids[f].density, t.densest);
	*pairs = make_pass(s, volume, t.by_fluid);
	if (pairs->mixed && !(t.by_row = arena_alloc(s->scratch, (rows + STEP_SLACK) * sizeof(pair_traits))))
		return error_memory(error, (rows + STEP_SLACK) * sizeof(pair_traits));
	pairs->traits = t.by_row;
	parallel_for(s->threads, rows, PARALLEL_BLOCK, start_rows, &t);
	step_place_dummies(s->places, rows, 1.0f);
	for (uint32_t k = 0; k < STEP_SLACK; k++)
	{
		s->moved[rows + k] = (vec4){0, 0, 0, 0};
		if (t.by_row)
			t.by_row[rows + k] = t.by_fluid[0];
	}
	return SPATE_OK;
}
