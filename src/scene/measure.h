// Sizes of shapes, for checks and estimates.
#ifndef SCENE_MEASURE_H
#define SCENE_MEASURE_H

#include "collider/shape.h"
#include "spate/scene.h"

// Smallest extent, m, that of the first part of a union or difference; infinite for a plane or a mesh.
double shape_width(const spate_shape *shape);
// Whether a source may have particles of a fluid; one that starts from a file has those that the file names.
int source_gives(const spate_source_def *source, uint32_t fluid);
// Particles that a source has made by `time` (s).
double source_particles(const spate_source_def *source, const spate_fluid_def *fluid, double time);
// Particles of a fluid at the end, not counting what colliders displace.
double scene_particles(const spate_scene *scene, uint32_t fluid);

// Sets what changes of a source to its means until a time (s), or until the source stops; what does not change stays.
void tracks_mean(const spate_scene *scene, uint32_t source, double until, spate_source_def *out);
// The scene with the means of what changes at its sources, for estimates; not to be kept.
spate_scene tracks_typical(const spate_scene *scene);
void tracks_free_typical(const spate_scene *scene, spate_scene *typical);

#endif
