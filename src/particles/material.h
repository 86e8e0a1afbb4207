// What a particle is made of. A fluid's values hold for all of its particles, unless the store has a channel of floats for one of
// them: then each particle has its own, and a value that no fluid could have (below 0, not a number) stands for the fluid's.
//
// Channels are read where they are, through the store's `home`: nobody has to settle them in every step.
#ifndef PARTICLES_MATERIAL_H
#define PARTICLES_MATERIAL_H

#include "particles/store.h"
#include "spate/world.h"

// id, member of spate_fluid_def and spate_material_def, channel, least and most value of a particle. The built-in field `density` is
// the one measured, so that the one at rest has another name.
#define MATERIAL_MAP(X)                                                    \
	X(VISCOSITY, viscosity, "viscosity", 0.0f, 1e15f)                  \
	X(DAMPING, damping, "damping", 0.0f, 1e15f)                        \
	X(SURFACE_TENSION, surface_tension, "surface_tension", 0.0f, 1.0f) \
	X(DENSITY, density, "rest_density", 1e-6f, 1e15f)

typedef enum material_id
{
#define X(id, member, channel, least, most) MATERIAL_##id,
	MATERIAL_MAP(X)
#undef X
	MATERIAL_COUNT
} material_id;

extern const char *const material_channels[MATERIAL_COUNT];
// Of a particle's own values.
extern const float material_least[MATERIAL_COUNT], material_most[MATERIAL_COUNT];

typedef struct material
{
	const uint32_t *home;
	const float *values[MATERIAL_COUNT]; // by home; NULL where all particles have their fluid's
	// of all own values; high is -1 and low infinite when there are none
	double low[MATERIAL_COUNT], high[MATERIAL_COUNT];
} material;

// A value of the particle in a row, given its fluid's.
static inline double material_value(const material *m, material_id id, size_t row, double of_fluid)
{
	if (!m->values[id])
		return of_fluid;
	float own = m->values[id][m->home[row]];
	return own >= material_least[id] && own <= material_most[id] ? (double)own : of_fluid;
}

// Points at the channels as they are; valid until particles are added or channels change. Sorting does not matter.
void material_look(material *m, const spate_store *store);
// Looks, and finds the extremes; an error when a channel is not one of floats.
spate_result material_survey(material *m, const spate_store *store, int threads, spate_error *error);
// Lets the extremes include a value, unless it is below 0.
void material_include(material *m, material_id id, double value);

// -1 for the fluid's own.
double material_of_source(const spate_source_def *source, material_id id);
// Gives the rows from `first` on, which have just been added, the source's values or else the fluid's.
void material_assign(spate_store *store, uint32_t first, const spate_source_def *source, const spate_fluid_def *fluid);

#endif
