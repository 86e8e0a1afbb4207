// The particles of a file that a fill starts with: of another run, or of another program.
#ifndef SOURCE_FILL_FILE_H
#define SOURCE_FILL_FILE_H

#include "mesh/points.h"
#include "spate/world.h"

typedef struct fill_file
{
	particle_set set;
	const float *velocities; // m/s, 3 per particle
	const float *numbers;    // of the file's fluids, by particle; NULL if all have the same
	uint32_t *fluid_of;      // by those numbers: fluid of the world
	uint32_t fluid;          // of all, without numbers
	double fastest;          // m/s
} fill_file;

// Reads the file of a fill and finds its fluids among those of the world, whose spacing must be that of the file. One sentence says
// what is wrong with it.
spate_result fill_file_read(fill_file **file, const spate_source_def *def, const spate_fluid_def *fluids,
			    uint32_t fluid_count, spate_error *error);
void fill_file_free(fill_file *file);

static inline uint32_t fill_file_count(const fill_file *file)
{
	return file->set.points->vertex_count;
}
// Fluid of a particle, and where it begins (m, in the coordinates of the scene).
uint32_t fill_file_fluid(const fill_file *file, uint32_t particle);
void fill_file_place(const fill_file *file, const spate_source_def *def, uint32_t particle, double place[3]);

#endif
