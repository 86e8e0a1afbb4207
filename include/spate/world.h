// The world: fluids, colliders, sources and what happens to them in a step. Everything in SI units, y up unless gravity
// says otherwise. Definitions are borrowed for the call and copied.
#ifndef SPATE_WORLD_H
#define SPATE_WORLD_H

#include "spate/mesh.h"
#include "spate/result.h"
#include "spate/store.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------- shapes and motion

typedef enum spate_shape_type
{
	SPATE_SHAPE_PLANE,    // through a, normal b pointing to the fluid; solid behind it
	SPATE_SHAPE_BOX,      // corners a (min) and b (max)
	SPATE_SHAPE_SPHERE,   // centre a
	SPATE_SHAPE_CAPSULE,  // axis from a to b, rounded ends
	SPATE_SHAPE_CYLINDER, // axis from a to b, flat ends
	SPATE_SHAPE_COUNT
} spate_shape_type;

typedef struct spate_shape
{
	spate_shape_type type;
	double a[3], b[3]; // m
	double radius;     // m
} spate_shape;

typedef struct spate_keyframe
{
	double time;        // s, rising
	double position[3]; // m, added to the shape's own place
	double rotation[3]; // degrees about x, then y, then z, around `pivot`
	double scale;       // of the shape, around `pivot`; 0 counts as 1
} spate_keyframe;

typedef struct spate_motion
{
	// keyframes, joined by straight lines; held before the first and after the last
	const spate_keyframe *keyframes;
	uint32_t keyframe_count;
	// and on top of them, once t >= start, a swing that begins at the shape's own place:
	// offset(t) = direction * amplitude * (sin(2 pi frequency (t - start) + phase) - sin(phase))
	double direction[3]; // normalised by the world
	double amplitude;    // m; 0 for none
	double frequency;    // Hz
	double phase;        // degrees
	double start;        // s
	double pivot[3];     // m
} spate_motion;

// ----------------------------------------------------------------------------------------------------------- definitions

typedef struct spate_fluid_def
{
	const char *name;
	double spacing;         // m, rest distance of particles
	double density;         // kg/m^3 at rest
	double viscosity;       // m^2/s, kinematic
	double damping;         // raw XSPH coefficient per step; used instead of viscosity when >= 0, -1 for none
	double surface_tension; // kappa, 0 to 1
	double pull, push;      // factors of the attraction and the repulsion that kappa stands for; 1 and 1
	double adhesion;        // to colliders, 0 to 1, in the unit of kappa
	double vorticity;       // share of the energy lost to smoothing that is given back to vortices, 0 to 1
	double color[3];        // sRGB, 0 to 1
} spate_fluid_def;

typedef enum spate_collider_mode
{
	SPATE_COLLIDER_OUTSIDE, // an obstacle: liquid stays outside of the shape
	SPATE_COLLIDER_INSIDE,  // a container: liquid stays inside
	SPATE_COLLIDER_SHELL    // a mesh's surface alone: liquid stays on the side where it is
} spate_collider_mode;

// A triangle mesh in place of a shape, as dirty as it comes. x = rotation * (scale * vertex) + position.
typedef struct spate_mesh_def
{
	const char *path;       // of a file; with a field like %04d, of a sequence of files. NULL for none
	const spate_mesh *mesh; // or the mesh itself, instead of a path
	double scale;           // 1 leaves the coordinates as they are in the file
	double rotation[3];     // degrees about x, then y, then z
	double position[3];     // m
	uint32_t first, last;   // frames of a sequence
	double fps;             // of a sequence; 0 for the world's
	double start;  // s, when a sequence shows its first frame; it holds the first before and the last after
	double cell;   // m, of the distance field; 0 for half of the finest spacing
	double band;   // m, how far from the surface distances are known; 0 for what the solver needs
	double offset; // m, by which the surface is thicker than the triangles
} spate_mesh_def;

// Where on a mesh a number holds: it is multiplied by what is found there. With neither it holds everywhere.
typedef struct spate_map_def
{
	const char *texture; // PNG, looked up by the mesh's UVs; brightness 0 to 1
	const char *channel; // of the mesh's vertices
} spate_map_def;

typedef enum spate_image_format
{
	SPATE_IMAGE_PNG,
	SPATE_IMAGE_EXR
} spate_image_format;

// Particles that touch a mesh write into a picture of its surface, by its UVs.
typedef struct spate_wet_def
{
	uint32_t size;       // texels along each side; 0 for no picture
	double drying;       // s until wetness has fallen to 1/e; 0 for never
	const char *channel; // of the particles, averaged where they touch; NULL for wetness alone
	spate_image_format format;
} spate_wet_def;

typedef struct spate_collider_def
{
	const char *name; // may be NULL
	spate_shape shape;
	spate_mesh_def mesh; // instead of the shape
	spate_collider_mode mode;
	double friction;   // Coulomb coefficient, 0 and up
	double bounce;     // restitution, 0 to 1
	double stickiness; // 0 to 1: what touches is slowed down to the collider's velocity; 1 holds it
	spate_map_def friction_map, bounce_map, stickiness_map;
	spate_wet_def wet;
	spate_motion motion;
} spate_collider_def;

// What single particles are made of instead of their fluid; below 0 for the fluid's own value.
typedef struct spate_material_def
{
	double viscosity, damping, surface_tension, density; // as in spate_fluid_def
} spate_material_def;

typedef enum spate_source_type
{
	SPATE_SOURCE_FILL,   // particles on a lattice inside a shape, once, at `start`
	SPATE_SOURCE_EMITTER // a rectangle or disc that pours at a speed
} spate_source_type;

typedef struct spate_source_def
{
	const char *name; // may be NULL
	spate_source_type type;
	uint32_t fluid;              // index into fluids
	double velocity[3];          // m/s, of a fill
	double spin[3];              // rad/s, of a fill, about the middle of its shape
	double start, stop;          // s; stop < 0 means never
	spate_material_def material; // of its particles
	// fill
	spate_shape shape; // box, sphere, capsule or cylinder
	double jitter;     // random shift of each particle, in spacings, 0 to 0.5
	// emitter
	double position[3];   // m, its centre
	double direction[3];  // out of it; normalised by the world
	double width, height; // m, of a rectangle; 0 for a disc
	double radius;        // m, of a disc; 0 for a rectangle
	double speed;         // m/s
	uint64_t limit;       // particles at most; 0 for no limit
} spate_source_def;

// Removes what is inside the shape (or outside of it, for a domain).
typedef struct spate_sink_def
{
	const char *name; // may be NULL
	spate_shape shape;
	int outside; // 1: removes what leaves the shape
} spate_sink_def;

typedef enum spate_probe_type
{
	SPATE_PROBE_POINT,  // density (kg/m^3), pressure (Pa) and velocity (m/s) at `a`
	SPATE_PROBE_HEIGHT, // free surface along the line from `a` to `b`: distance from a to the last wet point (m)
	SPATE_PROBE_FRONT,  // furthest particle along `direction` (m), stray drops left out
	SPATE_PROBE_FLUX, // volume per second through the rectangle with centre a, normal `direction`, width and height (m^3/s)
	SPATE_PROBE_COUNT
} spate_probe_type;

typedef struct spate_probe_def
{
	const char *name;
	spate_probe_type type;
	double a[3], b[3];    // m
	double direction[3];  // normalised by the world
	double width, height; // m
	double
	    radius; // m; search radius of a point or height probe, 0 for the default: the kernel radius, a spacing for heights
} spate_probe_def;

typedef enum spate_solver_type
{
	SPATE_SOLVER_PBF,
	SPATE_SOLVER_COUNT
} spate_solver_type;

typedef enum spate_quality
{
	SPATE_QUALITY_DRAFT,
	SPATE_QUALITY_NORMAL,
	SPATE_QUALITY_HIGH,
	SPATE_QUALITY_COUNT
} spate_quality;

typedef enum spate_viscosity_model
{
	SPATE_VISCOSITY_XSPH,     // exchanges all of the velocity difference: robust, but slows rotation down
	SPATE_VISCOSITY_PAIRWISE, // only along the line between two particles: keeps angular momentum
	SPATE_VISCOSITY_COUNT
} spate_viscosity_model;

typedef struct spate_solver_def
{
	spate_solver_type type;
	spate_quality quality;
	uint32_t substeps;       // per frame; 0 chooses them from the quality's tolerances (the CFL mode)
	uint32_t max_substeps;   // per frame, limit of the automatic choice
	uint32_t iterations;     // per substep at most; 0 for the quality's default
	uint32_t min_iterations; // per substep at least
	double tolerance;        // average density error at which iterating stops; 0 for the quality's default
	double cfl;              // travel per substep in kernel radii; 0 for the quality's default
	spate_viscosity_model viscosity_model;
	double warm_start;   // share of the last substep's pressure to start from, 0 to 0.5
	double acceleration; // Chebyshev: 0 for none, up to 0.95; -1 for what suits the iterations
	double
	    list_margin; // in kernel radii, 0 to 0.5: neighbour lists reach further and last for several substeps; -1 for what pays
} spate_solver_def;

typedef enum spate_runaway_policy
{
	SPATE_RUNAWAY_REMOVE, // count, report and remove
	SPATE_RUNAWAY_CLAMP,  // slow down to the limit; a particle that is not a number is removed all the same
	SPATE_RUNAWAY_STOP    // end the run with SPATE_DIVERGED
} spate_runaway_policy;

typedef struct spate_world_def
{
	double gravity[3]; // m/s^2
	double fps;
	spate_solver_def solver;
	const spate_fluid_def *fluids;
	const spate_collider_def *colliders;
	const spate_source_def *sources;
	const spate_sink_def *sinks;
	const spate_probe_def *probes;
	uint32_t fluid_count, collider_count, source_count, sink_count, probe_count;
	spate_runaway_policy runaway;
	double speed_limit; // m/s; 0 for the default: 20 times the speed of a fall through the scene, at least 100
	uint64_t seed;
	int threads;              // 0 for all cores
	const char *field_folder; // where distance fields of meshes are kept between runs; NULL for nowhere
} spate_world_def;

SPATE_API spate_world_def spate_default_world_def(void);
SPATE_API spate_fluid_def spate_default_fluid_def(void);
SPATE_API spate_collider_def spate_default_collider_def(void);
SPATE_API spate_source_def spate_default_source_def(void);
SPATE_API spate_sink_def spate_default_sink_def(void);
SPATE_API spate_probe_def spate_default_probe_def(void);

// ----------------------------------------------------------------------------------------------------------------- world

typedef struct spate_world spate_world;

// Particles removed, by reason.
typedef struct spate_removed_by
{
	uint64_t sinks;
	uint64_t too_fast, not_a_number, out_of_range; // by the policy for runaways
} spate_removed_by;

// What one substep did; the line of stats.jsonl.
typedef struct spate_step_stats
{
	uint32_t frame;  // that the substep belongs to, from 1
	uint64_t step;   // substeps since the start, this one included
	double time, dt; // s, at its end
	uint32_t particles, iterations;
	double density_error_avg, density_error_max; // relative, compression only
	double kinetic_energy, potential_energy;     // J; potential is zero at the world's zero
	double momentum[3], angular_momentum[3];     // kg m/s, kg m^2/s about the world's zero
	double speed_max;                            // m/s
	uint32_t outside;                            // particles further than a spacing inside of a solid
	uint64_t added, removed, clamped;            // since the start; removed and clamped by sinks and policies
	spate_removed_by removed_by;
	int listed;            // 1 when neighbours were listed anew, 0 when the last lists still served
	double neighbours_avg; // in the lists, margin included
	size_t list_bytes;
	double ms_sources, ms_sort, ms_neighbours, ms_solve, ms_measure; // wall clock, ms
} spate_step_stats;

// Checks the definition, chooses the origin and fills in what starts at time 0.
SPATE_API spate_result spate_world_create(spate_world **world, const spate_world_def *def, spate_error *error);
SPATE_API void spate_world_destroy(spate_world *world);

// One substep. *frame_done (may be NULL) is 1 when it ended a frame.
SPATE_API spate_result spate_world_step(spate_world *world, int *frame_done, spate_error *error);

// Frames finished; time of the world (s); statistics of the last substep.
SPATE_API uint32_t spate_world_frame(const spate_world *world);
SPATE_API double spate_world_time(const spate_world *world);
SPATE_API const spate_step_stats *spate_world_stats(const spate_world *world);
// The particles, and the point (m) that their positions are relative to. Where the store has a channel of floats called "viscosity",
// "damping", "surface_tension" or "rest_density", its values count instead of the fluids'; a value that no fluid could have, such
// as -1, stands for the fluid's. Sources with a material make these channels, and anybody may add and write them.
SPATE_API spate_store *spate_world_store(spate_world *world);
SPATE_API const double *spate_world_origin(const spate_world *world);
// Order-independent hash over id, position and velocity bits: equal for equal states.
SPATE_API uint64_t spate_world_hash(const spate_world *world);
// Bytes of the particle store, index, lists and scratch.
SPATE_API size_t spate_world_bytes(const spate_world *world);
// Threads from now on; 0 for all cores. Results do not depend on it.
SPATE_API void spate_world_set_threads(spate_world *world, int threads);

// How wet a collider's mesh is, 0 to 1, size * size texels: texel (x, y) is at u = (x + 0.5) / size, v = (y + 0.5) / size. NULL for a
// collider without a wet map; `size` may be NULL. Written by every step.
SPATE_API const float *spate_world_wet_map(const spate_world *world, uint32_t collider, uint32_t *size);
// The same for the average of the map's channel where it was last touched; NULL without one.
SPATE_API const float *spate_world_wet_channel(const spate_world *world, uint32_t collider, uint32_t *size);

// Values of all probes at the end of the last frame, in the order of the columns.
SPATE_API uint32_t spate_world_probe_columns(const spate_world *world);
// "gauge.height" and its unit; NULL beyond the last.
SPATE_API const char *spate_world_probe_column(const spate_world *world, uint32_t column, const char **unit);
SPATE_API const double *spate_world_probe_values(const spate_world *world);

#ifdef __cplusplus
}
#endif
#endif
