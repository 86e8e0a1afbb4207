// The files that fills start from: what `spate check` and estimates know of them.
#ifndef SCENE_STARTS_H
#define SCENE_STARTS_H

#include "spate/scene.h"

struct problem_list;

// Of one source.
typedef struct scene_start
{
	uint32_t total;         // particles; 0 if it starts from no file, or the file was not read
	uint32_t *by_fluid;     // of the scene
	double low[3], high[3]; // m, box around them
	double fastest;         // m/s
} scene_start;

// Reads the files, adds a problem for each that cannot be started from, and warns of particles that will be left out.
spate_result starts_read(spate_scene *scene, struct problem_list *problems, spate_error *error);

// NULL if it starts from no file, or the file was not read.
const scene_start *starts_find(const spate_scene *scene, uint32_t source);
// Particles of a fluid, or of all with SPATE_FLUID_BY_NAME.
double starts_particles(const spate_scene *scene, uint32_t source, uint32_t fluid);

#endif
