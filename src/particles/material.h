// Material properties of particles. A fluid's values apply to all of its particles, unless the store has a field for a property: then
// each particle has its own value, and an invalid one (below 0 or NaN) selects that of the fluid.
//
// These fields are cold and read in place, through the store's `home`, so they need not be settled in every step.
#ifndef PARTICLES_MATERIAL_H
#define PARTICLES_MATERIAL_H

#include "particles/store.h"
#include "spate/world.h"

// id, member of spate_fluid_def and spate_material_def, field, unit, lowest and highest value of a particle, meaning of the field. The
// core's field `density` is the measured one, so the field of the rest density has another name.
#define MATERIAL_MAP(X)                                                                                             \
	X(VISCOSITY, viscosity, "viscosity", "m^2/s", 0.0f, 1e15f, "Kinematic viscosity of the particle.")          \
	X(DAMPING, damping, "damping", "", 0.0f, 1e15f, "Raw XSPH coefficient per substep, in place of viscosity.") \
	X(COHESION, cohesion, "cohesion", "", 0.0f, 1.0f, "Attraction to other particles.")                         \
	X(DENSITY, density, "rest_density", "kg/m^3", 1e-6f, 1e15f, "Density of the particle at rest.")

typedef enum material_id
{
#define X(id, member, field, unit, least, most, meaning) MATERIAL_##id,
	MATERIAL_MAP(X)
#undef X
	MATERIAL_COUNT
} material_id;

// Fields by material_id. A world has those that some source sets.
extern const field_table material_fields;
// Key of a source that sets a property.
extern const char *const material_keys[MATERIAL_COUNT];
// Limits of a particle's own values.
extern const float material_least[MATERIAL_COUNT], material_most[MATERIAL_COUNT];

typedef struct material
{
	const uint32_t *home;
	const float *values[MATERIAL_COUNT]; // by home; NULL where all particles have their fluid's value
	// range of the particles' own values; high is -1 and low infinite when there are none
	double low[MATERIAL_COUNT], high[MATERIAL_COUNT];
} material;

// A property of the particle in a row, given its fluid's value.
static inline double material_value(const material *m, material_id id, size_t row, double of_fluid)
{
	if (!m->values[id])
		return of_fluid;
	float own = m->values[id][m->home[row]];
	return own >= material_least[id] && own <= material_most[id] ? (double)own : of_fluid;
}

// Sets the pointers to the values. They stay valid until particles are added or fields change; sorting does not matter.
void material_look(material *m, const spate_store *store);
// Does so and finds the range of all values; fails if a field is not a cold one of type float.
spate_result material_survey(material *m, const spate_store *store, int threads, spate_error *error);
// Extends the range by a value, unless it is below 0.
void material_include(material *m, material_id id, double value);

double material_of_fluid(const spate_fluid_def *fluid, material_id id);
// Value that a source sets, -1 for that of the fluid.
double material_of_source(const spate_source_def *source, material_id id);
// Gives the rows from `first` on, which have just been added, the source's values or else the fluid's.
void material_assign(spate_store *store, uint32_t first, const spate_source_def *source, const spate_fluid_def *fluid);

#endif
