// The world: fluids, colliders and sources, and the simulation of them step by step. All quantities are in SI units; y is up
// unless gravity points elsewhere. Definitions are borrowed for the call and copied.
//
// A world may be used by one thread at a time, different worlds by different threads at once (spate/threads.h). Keys that can be changed
// while it runs, callbacks and its log are in spate/live.h.
#ifndef SPATE_WORLD_H
#define SPATE_WORLD_H

#include "spate/mesh.h"
#include "spate/pose.h"
#include "spate/result.h"
#include "spate/solver.h"
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
	// those that follow are for sources and sinks
	SPATE_SHAPE_ELLIPSOID,  // centre a, half axes b
	SPATE_SHAPE_MESH,       // the space that a mesh encloses
	SPATE_SHAPE_UNION,      // what is in any of the parts
	SPATE_SHAPE_DIFFERENCE, // the first part without all others
	SPATE_SHAPE_COUNT
} spate_shape_type;

// A triangle mesh; it needs no repair. x = rotation * (scale * vertex) + position.
typedef struct spate_mesh_def
{
	const char *path;       // of a file, or with a placeholder like %04d of a sequence of files; NULL for none
	const spate_mesh *mesh; // the mesh itself, instead of a path
	double scale;           // factor on the coordinates
	double rotation[3];     // degrees about x, then y, then z
	double position[3];     // m
	uint32_t first, last;   // frames of a sequence
	double fps;             // of a sequence; 0 for the world's fps
	double start;  // s, time of the first frame of a sequence; the first frame holds before, the last one after
	double cell;   // m, cell size of the distance field; 0 for half the finest spacing
	double band;   // m, half-width of the narrow band around the surface; 0 for what the solver needs
	double offset; // m, distance by which the surface is moved outwards from the triangles
} spate_mesh_def;

typedef struct spate_shape
{
	spate_shape_type type;
	double a[3], b[3]; // m
	double radius;     // m
	double
	    rotation[3]; // degrees about x, then y, then z, around the centre; of a source's or sink's box or ellipsoid
	spate_mesh_def mesh;
	const struct spate_shape *parts; // of a union or difference; planes may be among them
	uint32_t part_count;
} spate_shape;

// How a value goes from one keyframe to the next.
typedef enum spate_between
{
	SPATE_BETWEEN_LINEAR,
	SPATE_BETWEEN_SMOOTH, // slowly at both ends: 3 s^2 - 2 s^3 of the way, where s goes from 0 to 1
	SPATE_BETWEEN_STEP    // jumps at the next one
} spate_between;

typedef struct spate_keyframe
{
	double time;        // s, increasing
	double position[3]; // m, offset added to the collider's position
	double rotation[3]; // degrees about x, then y, then z, around `pivot`
	double scale;       // of the shape, around `pivot`; 0 counts as 1
} spate_keyframe;

typedef struct spate_motion
{
	// keyframes; the collider stays still before the first and after the last. A step has no velocity.
	const spate_keyframe *keyframes;
	uint32_t keyframe_count;
	spate_between between;
	// an oscillation, added to the keyframes from t = start on, which begins with offset 0:
	// offset(t) = direction * amplitude * (sin(2 pi frequency (t - start) + phase) - sin(phase))
	double direction[3]; // normalised by the world
	double amplitude;    // m; 0 for none
	double frequency;    // Hz
	double phase;        // degrees
	double start;        // s
	// a swing about an axis through the pivot, after the rotation of the keyframes, from t = turn_start on:
	// angle(t) = turn * (sin(2 pi turn_frequency (t - turn_start) + turn_phase) - sin(turn_phase))
	double axis[3];        // normalised by the world
	double turn;           // degrees; 0 for none
	double turn_frequency; // Hz
	double turn_phase;     // degrees
	double turn_start;     // s
	double pivot[3];       // m
} spate_motion;

// ----------------------------------------------------------------------------------------------------------- definitions

typedef struct spate_fluid_def
{
	const char *name;
	double spacing;         // m, distance between particles at rest
	double density;         // kg/m^3, rest density
	double viscosity;       // m^2/s, kinematic
	double damping;         // raw XSPH coefficient per substep; replaces viscosity when >= 0, -1 for none
	double surface_tension; // N/m
	double
	    cohesion; // attraction of particles, 0 to 1; -1 for none, or that of surface_tension if the solver has no other
	double pull, push; // factors on the attraction and repulsion parts of cohesion; default 1
	double adhesion;   // attraction by colliders, 0 to 1, on the scale of cohesion
	double vorticity;  // fraction of the energy lost to smoothing that is returned to vortices, 0 to 1
	double color[3];   // sRGB, 0 to 1
} spate_fluid_def;

// The surface between two liquids that do not mix. A pair without one has no tension.
typedef struct spate_interface_def
{
	uint32_t fluids[2];     // indices into fluids, different ones
	double surface_tension; // N/m
} spate_interface_def;

typedef enum spate_collider_mode
{
	SPATE_COLLIDER_OUTSIDE, // an obstacle: liquid stays outside
	SPATE_COLLIDER_INSIDE,  // a container: liquid stays inside
	SPATE_COLLIDER_SHELL    // a thin wall along the triangles of a mesh: liquid stays on its side
} spate_collider_mode;

// Varies a coefficient over a mesh: it is multiplied by the map's value. With neither, it applies everywhere unchanged.
typedef struct spate_map_def
{
	const char *texture; // path of a PNG, mapped by the mesh's UVs; luminance 0 to 1
	const char *channel; // name of a vertex channel
} spate_map_def;

typedef enum spate_image_format
{
	SPATE_IMAGE_PNG,
	SPATE_IMAGE_EXR
} spate_image_format;

// A wet map: an image of where particles have touched a mesh, laid out by its UVs.
typedef struct spate_wet_def
{
	uint32_t size;       // texels along each side; 0 for no wet map
	double drying;       // s, time in which wetness falls to 1/e; 0 for never
	const char *channel; // particle channel to record as well, averaged over touching particles; NULL for none
	spate_image_format format;
} spate_wet_def;

typedef struct spate_collider_def
{
	const char *name; // may be NULL
	spate_shape shape;
	spate_mesh_def mesh; // instead of the shape
	spate_collider_mode mode;
	double friction;      // Coulomb coefficient, 0 or more
	double bounce;        // coefficient of restitution, 0 to 1
	double stickiness;    // 0 to 1: drags touching particles to the collider's velocity; 1 is no-slip
	double contact_angle; // degrees, 0 to 180, of a drop at rest on it; below 90 it is wetted
	double slip;          // m, slip length: 0 for no slip; negative lets liquid slip freely
	spate_map_def friction_map, bounce_map, stickiness_map;
	spate_wet_def wet;
	spate_motion motion;
} spate_collider_def;

// Material of a source's particles, overriding that of their fluid; negative values keep the fluid's.
typedef struct spate_material_def
{
	double viscosity, damping, cohesion, density; // as in spate_fluid_def
} spate_material_def;

typedef enum spate_source_type
{
	SPATE_SOURCE_FILL,    // as many particles as a shape has room for, once, at `start`
	SPATE_SOURCE_EMITTER, // pours from an opening
	SPATE_SOURCE_SURFACE, // pours from the surface of a mesh
	SPATE_SOURCE_VOLUME,  // particles appear where a shape has room for them
	SPATE_SOURCE_COUNT
} spate_source_type;

// Whether the shape of a fill is a wall, too.
typedef enum spate_collide
{
	SPATE_COLLIDE_NOT,
	SPATE_COLLIDE_INSIDE, // a container: liquid stays in it
	SPATE_COLLIDE_SHELL   // a thin wall along the triangles of a mesh: liquid stays on its side
} spate_collide;

// How such a wall acts on liquid that touches it; as in spate_collider_def.
typedef struct spate_wall_def
{
	double friction, bounce, stickiness, contact_angle, slip;
} spate_wall_def;

// How the particles of a fill begin.
typedef enum spate_layout
{
	SPATE_LAYOUT_LATTICE, // on a cubic lattice
	SPATE_LAYOUT_RELAXED, // at random places that were moved apart: blue noise
	SPATE_LAYOUT_COUNT
} spate_layout;

// How the speed of a jet varies over its opening.
typedef enum spate_profile
{
	SPATE_PROFILE_FLAT,     // the same everywhere
	SPATE_PROFILE_PARABOLIC // fastest in the middle, as after a long pipe; the mean is that of the jet
} spate_profile;

#define SPATE_NO_COLLIDER UINT32_MAX
#define SPATE_FLUID_BY_NAME UINT32_MAX

typedef struct spate_source_def
{
	const char *name; // may be NULL
	spate_source_type type;
	uint32_t fluid;     // index into fluids; SPATE_FLUID_BY_NAME with `from` for those that the file names
	double velocity[3]; // m/s, of a fill or volume; added to those of the particles that it starts from
	// m/s, instead: formulas of the place x, y, z (m) and the time t (s) at which a particle comes; NULL for none
	const char *velocity_formulas[3];
	double spin[3];              // rad/s, of a fill, about the centre of its shape
	double start, stop;          // s; stop < 0 means never
	spate_material_def material; // of its particles
	double color[3];             // sRGB, 0 to 1, of the channel `color`; negative for that of the fluid
	// fill; a surface and a volume have the shape as well
	// path of a file with particles that the fill starts from, instead of a shape; NULL for none
	const char *from;
	spate_shape shape;
	double level;       // m, height along level_up at which the fill ends
	double level_up[3]; // its direction; zero for no level
	// for scene files, whose reader adds the collider; worlds have those of `colliders` alone
	spate_collide collide;
	spate_wall_def wall;
	spate_layout layout;
	double jitter; // random displacement of each particle, in spacings, 0 to 0.5; of an emitter or surface, too
	// emitter; a surface and a volume have what pours: speed (a surface alone), flow, count, limit and follow
	double position[3];   // m, the centre of its opening; added to the places of the particles of `from`
	double direction[3];  // of the jet; normalised by the world. Zero lets a surface pour along its normals.
	double across[3];     // direction of the width; 0 for any
	double width, height; // m, of a rectangle; without a height, of a line one spacing thick; 0 for a disc
	double radius;        // m, of a disc; 0 for a rectangle
	double speed;         // m/s; below 0 for what the flow through the opening needs
	double flow;          // m^3/s; below 0 for what the speed gives. With both, the jet is as thin as it has to be.
	uint64_t count;       // particles to pour from start to stop, instead of a flow; 0 for none
	// maximum number of particles, also of a fill, which takes the lowest ones along level_up; 0 for none
	uint64_t limit;
	spate_profile profile;
	uint32_t follow; // index of the collider that the opening rides on; SPATE_NO_COLLIDER for none
	// m^2, of a surface: what pours of it. The world and spate_scene_read_meshes() measure it; callers leave it 0.
	double area;
} spate_source_def;

// Where a sink removes particles.
typedef enum spate_sink_where
{
	SPATE_SINK_INSIDE,    // in its shape
	SPATE_SINK_OUTSIDE,   // outside of it, to bound the domain
	SPATE_SINK_EVERYWHERE // it has no shape
} spate_sink_where;

// Removes particles in a place, of those only the ones that meet all conditions.
typedef struct spate_sink_def
{
	const char *name; // may be NULL
	spate_shape shape;
	int outside;         // a spate_sink_where
	double age;          // s, only particles that are at least as old; 0 for any
	double speed;        // m/s, only particles that are at least as fast; 0 for any
	double flow;         // m^3/s, at most as much; 0 for no limit
	uint32_t isolation;  // only particles with fewer neighbours within the kernel radius; 0 for any
	double isolated_for; // s, only those that have been isolated for so long; 0 for at once
} spate_sink_def;

typedef enum spate_probe_type
{
	SPATE_PROBE_POINT,  // density (kg/m^3), pressure (Pa) and velocity (m/s) at `a`
	SPATE_PROBE_HEIGHT, // free surface along the line from `a` to `b`: distance from a to the last wet point (m)
	SPATE_PROBE_FRONT,  // furthest particle along `direction` (m), ignoring stray drops
	SPATE_PROBE_FLUX, // volume per second through the rectangle with centre a, normal `direction`, width and height (m^3/s)
	SPATE_PROBE_FORCE, // mean force of the liquid on a collider over the frame (N), and its torque (N m); pressure and friction apart, too
	SPATE_PROBE_COUNT
} spate_probe_type;

typedef struct spate_probe_def
{
	const char *name;
	spate_probe_type type;
	double a[3], b[3];    // m
	double direction[3];  // normalised by the world
	double width, height; // m
	uint32_t collider;    // of a force probe: its index
	// m; search radius of a point or height probe; 0 for the kernel radius (point) or a spacing (height)
	double radius;
} spate_probe_def;

typedef enum spate_channel_type
{
	SPATE_CHANNEL_FLOAT, // a float
	SPATE_CHANNEL_INT,   // an int32: a whole number
	SPATE_CHANNEL_VECTOR // a vec3
} spate_channel_type;

// What a source gives to its particles in place of a channel's initial value.
typedef struct spate_channel_value
{
	const char *source;      // its name
	double value[3];         // the first one alone, unless the channel is a vector
	const char *formulas[3]; // instead: of the place x, y, z (m) and the time t (s) at which a particle comes
} spate_channel_value;

// A value that particles carry unchanged: a field of the store.
typedef struct spate_channel_def
{
	const char *name; // an identifier that no built-in field has
	spate_channel_type type;
	double
	    initial[3]; // of all particles whose source is not in `values`; the first one alone, unless it is a vector
	const char *formulas[3]; // instead, as those of a source
	const spate_channel_value *values;
	uint32_t value_count;
} spate_channel_def;

// A force besides gravity: see docs/forces.md. It acts inside of its shape, and outside less and less up to `falloff`. Velocities and
// accelerations of particles are those of the liquid; drag of rate k (1/s) is an acceleration k (u - v) towards a velocity u.
typedef enum spate_force_type
{
	SPATE_FORCE_GRAVITY, // of spate_world_def; not for lists
	SPATE_FORCE_WIND,    // drag towards `velocity`
	SPATE_FORCE_DRAG,    // drag towards rest
	SPATE_FORCE_ATTRACTOR, // towards `position`: `strength` at `radius`, proportional to the distance inside, 1 / distance^power outside
	SPATE_FORCE_VORTEX, // about an axis, with the same profile: an acceleration `strength`, or drag towards `speed`
	SPATE_FORCE_SPIRAL, // `strength` about an axis, `inward` and `along` it
	SPATE_FORCE_NOISE,  // random and free of divergence
	SPATE_FORCE_TARGET, // drag towards the velocities of a grid in a .vdb file
	SPATE_FORCE_EXPRESSION, // an acceleration as formulas
	SPATE_FORCE_COUNT
} spate_force_type;

enum
{
	SPATE_MOST_FORCES = 48 // of a world
};

typedef struct spate_force_def
{
	const char *name; // may be NULL
	spate_force_type type;
	const uint32_t *fluids; // indices of those it acts on
	uint32_t fluid_count;   // 0 for all
	spate_shape shape;      // where it acts; all zero for everywhere
	double falloff;         // m, outside of the shape
	double drag;            // 1/s
	double quadratic;       // 1/m: quadratic * |u - v| is added to the rate of drag
	double velocity[3];     // m/s
	double position[3];     // m, centre or a point on the axis
	double axis[3];         // normalised by the world
	double radius;          // m
	double power;           // 0 to 10
	double strength;        // m/s^2
	double inward, along;   // m/s^2
	double speed;           // m/s, of a vortex at its radius, or of the waves of noise
	double amplitude;       // m/s^2, root mean square of noise
	double size;            // m, mean wave length of noise
	uint64_t seed;
	const char *field, *grid;    // path of a .vdb file, and the name of its grid of vectors; NULL for its only one
	const char *acceleration[3]; // m/s^2: formulas of x, y, z (m), t (s) and vx, vy, vz (m/s); NULL for 0
} spate_force_def;

// The name of a type of force, as in scene files, and a phrase; NULL beyond the last. `doc` may be NULL.
SPATE_API const char *spate_force_name(spate_force_type type, const char **doc);

// A view of the liquid. Pictures have it, and solvers that compute more precisely what is seen.
typedef struct spate_camera_def
{
	const char *name;
	double position[3], target[3], up[3]; // m
	double fov;                           // degrees, vertical
} spate_camera_def;

// A value over time: the world sets a live number or vector to it before every substep, by the time at which the substep begins. Values
// beyond the range of the key are those at its end. It is given by keyframes or by expressions in t (s).
typedef struct spate_track_key
{
	double time;     // s, increasing
	double value[3]; // a number is the first
} spate_track_key;

typedef struct spate_track
{
	const char *path;            // of the key, as in spate/live.h
	const spate_track_key *keys; // the first holds before, the last one after
	uint32_t key_count;
	spate_between between;
	const char *expressions[3]; // instead of keys: of a number the first, of a vector all
} spate_track;

typedef enum spate_runaway_policy
{
	SPATE_RUNAWAY_REMOVE, // count, report and remove
	SPATE_RUNAWAY_CLAMP,  // limit the speed; particles with non-finite values are still removed
	SPATE_RUNAWAY_STOP    // end the run with SPATE_DIVERGED
} spate_runaway_policy;

typedef struct spate_world_def
{
	double gravity[3]; // m/s^2
	double fps;
	spate_solver_def solver;
	const spate_fluid_def *fluids;
	const spate_interface_def *interfaces;
	const spate_collider_def *colliders;
	const spate_source_def *sources;
	const spate_sink_def *sinks;
	const spate_force_def *forces; // besides gravity, at most SPATE_MOST_FORCES
	const spate_probe_def *probes;
	const spate_camera_def *cameras; // for solvers that look at the liquid
	const spate_channel_def *channels;
	// Names of fields that are going to be read: automatic channels (docs/channels.md) exist only if they are among them. Other names are
	// allowed and mean nothing here.
	const char *const *wanted;
	const spate_track *tracks; // what changes over time; no two of the same key
	// spate/body.h: colliders that the liquid moves, and what holds them together
	const struct spate_body_def *bodies;
	const struct spate_joint_def *joints;
	uint32_t fluid_count, interface_count, collider_count, source_count, sink_count, force_count, probe_count,
	    camera_count, channel_count, wanted_count, track_count, body_count, joint_count;
	spate_runaway_policy runaway;
	double speed_limit; // m/s; 0 for the default: 20 times the speed of a fall through the scene, at least 100
	uint64_t seed;
	int threads;              // 0 for all cores
	const char *field_folder; // cache of mesh distance fields; NULL for none
} spate_world_def;

SPATE_API spate_world_def spate_default_world_def(void);
SPATE_API spate_fluid_def spate_default_fluid_def(void);
SPATE_API spate_interface_def spate_default_interface_def(void);
SPATE_API spate_collider_def spate_default_collider_def(void);
SPATE_API spate_source_def spate_default_source_def(void);
SPATE_API spate_sink_def spate_default_sink_def(void);
SPATE_API spate_force_def spate_default_force_def(void);
SPATE_API spate_probe_def spate_default_probe_def(void);
SPATE_API spate_camera_def spate_default_camera_def(void);
SPATE_API spate_channel_def spate_default_channel_def(void);

// ----------------------------------------------------------------------------------------------------------------- world

typedef struct spate_world spate_world;

// Particles removed, by reason.
typedef struct spate_removed_by
{
	uint64_t sinks;
	uint64_t too_fast, not_a_number, out_of_range; // by the runaway policy
} spate_removed_by;

// Statistics of one substep; a line of stats.jsonl.
typedef struct spate_step_stats
{
	uint32_t frame;  // frame the substep belongs to, from 1
	uint64_t step;   // number of the substep since the start, from 1
	double time, dt; // s, end and length of the substep
	uint32_t particles, iterations;
	// Relative, compression only. In the last substep of a frame those after its last correction; in others what the solver found on its
	// way: see docs/solvers.md.
	double density_error_avg, density_error_max;
	double kinetic_energy, potential_energy; // J; potential energy is relative to (0, 0, 0)
	double momentum[3], angular_momentum[3]; // kg m/s, and kg m^2/s about (0, 0, 0)
	double speed_max;                        // m/s
	uint32_t outside;                        // particles more than a spacing inside a solid
	uint64_t added, removed, clamped;        // since the start; removed by sinks or the runaway policy
	spate_removed_by removed_by;
	int listed;            // 1 if neighbour lists were rebuilt, 0 if the previous ones were reused
	double neighbours_avg; // average list length, margin included
	size_t list_bytes;
	double ms_sources, ms_sort, ms_neighbours, ms_solve, ms_measure; // wall clock, ms
	double
	    ms_iterations; // of ms_solve, what iterations and the choice of their number took; 0 if the solver does not tell
} spate_step_stats;

// Checks the definition, chooses the origin and creates the fills that start at time 0.
SPATE_API spate_result spate_world_create(spate_world **world, const spate_world_def *def, spate_error *error);
// The same without fills, for a snapshot to be restored to (spate/snapshot.h); the world is unusable before.
SPATE_API spate_result spate_world_create_empty(spate_world **world, const spate_world_def *def, spate_error *error);
SPATE_API void spate_world_destroy(spate_world *world);

// Advances by one substep. *frame_done (may be NULL) is set to 1 if it completed a frame, else to 0.
//
// A step that fails before it moves a particle leaves the world as it was, and may be tried again: the next frame of a mesh sequence
// cannot be read, or there is no memory for the particles of a source. After any other failure, such as SPATE_DIVERGED or SPATE_MEMORY
// in the solver, the particles are neither where they were nor where they would be. The world is unusable then, and so it is after any
// failure if a collider has a pose callback, which may have been asked already: stepping and taking snapshots give SPATE_UNUSABLE until
// spate_snapshot_restore() succeeds. Its particles and statistics can still be read.
SPATE_API spate_result spate_world_step(spate_world *world, int *frame_done, spate_error *error);

// Number of completed frames; simulated time (s); statistics of the last substep.
SPATE_API uint32_t spate_world_frame(const spate_world *world);
SPATE_API double spate_world_time(const spate_world *world);
SPATE_API const spate_step_stats *spate_world_stats(const spate_world *world);
// The particles, and the origin (m) their positions are relative to. Float fields named "viscosity", "damping", "cohesion" and
// "rest_density" override the fluid's values per particle; a value that is invalid for a fluid, such as -1, keeps the fluid's. Sources
// with a material create these fields; callers may add and write them too, not hot.
SPATE_API spate_store *spate_world_store(spate_world *world);
SPATE_API const double *spate_world_origin(const spate_world *world);
// Order-independent hash over id, position and velocity bits: equal for equal states.
SPATE_API uint64_t spate_world_hash(const spate_world *world);
// Memory of the particle store, index, neighbour lists and scratch, in bytes.
SPATE_API size_t spate_world_bytes(const spate_world *world);
// Sets the number of threads; 0 for all cores. Results do not depend on it.
SPATE_API void spate_world_set_threads(spate_world *world, int threads);

// Wetness of a collider's mesh, 0 to 1, size * size texels: texel (x, y) is at u = (x + 0.5) / size, v = (y + 0.5) / size. NULL for a
// collider without a wet map; `size` may be NULL. Updated by every step.
SPATE_API const float *spate_world_wet_map(const spate_world *world, uint32_t collider, uint32_t *size);
// The same for the recorded channel: its average at the last contact. NULL without a channel.
SPATE_API const float *spate_world_wet_channel(const spate_world *world, uint32_t collider, uint32_t *size);

// Lets the host move a collider, by its index in the definition: from now on the callback gives its pose at the end of every substep,
// and its velocity follows from the difference of two poses. It is asked at once for the current time. NULL goes back to the motion of
// the definition. Call it between steps; `context` is passed on and must live as long as the callback is set. On failure nothing
// changes. Checkpoints do not hold callbacks: set them again before resuming.
SPATE_API spate_result spate_world_set_pose_callback(spate_world *world, uint32_t collider,
						     spate_pose_callback *callback, void *context, spate_error *error);
// Pose of a collider at the end of the last substep.
SPATE_API spate_result spate_world_pose(const spate_world *world, uint32_t collider, spate_pose *pose,
					spate_error *error);

// Sums what the liquid gives to colliders, or stops doing so. A step takes up to 5 % longer with it, so it is off unless the world has a
// force probe.
SPATE_API void spate_world_set_loads(spate_world *world, int on);
// What the liquid does to a collider: the mean force (N) in the last substep and its torque (N m) about the collider's centre, which is
// the pivot of its motion where the collider is now, or the position that a callback gave. All contacts, the pressure that walls bear,
// friction, bounce, stickiness and adhesion count. `force` and `torque` may be NULL. SPATE_INVALID while loads are off.
SPATE_API spate_result spate_world_collider_force(const spate_world *world, uint32_t collider, double force[3],
						  double torque[3], spate_error *error);
// The impulse (N s) since the last frame was completed, or of the last frame if no substep has followed it, and its moment (N m s): the
// sums over the substeps.
SPATE_API spate_result spate_world_collider_impulse(const spate_world *world, uint32_t collider, double linear[3],
						    double angular[3], spate_error *error);
// The parts of both that are friction: Coulomb friction, wall shear and stickiness. The rest is pressure, contact, adhesion and wetting.
SPATE_API spate_result spate_world_collider_friction(const spate_world *world, uint32_t collider, double force[3],
						     double torque[3], spate_error *error);
SPATE_API spate_result spate_world_collider_friction_impulse(const spate_world *world, uint32_t collider,
							     double linear[3], double angular[3], spate_error *error);

// Particles that a sink has removed since the start.
SPATE_API uint64_t spate_world_sink_removed(const spate_world *world, uint32_t sink);

// Probe values at the end of the last frame, one per column.
SPATE_API uint32_t spate_world_probe_columns(const spate_world *world);
// Name of a column, such as "gauge.height", and its unit; NULL beyond the last.
SPATE_API const char *spate_world_probe_column(const spate_world *world, uint32_t column, const char **unit);
SPATE_API const double *spate_world_probe_values(const spate_world *world);

#ifdef __cplusplus
}
#endif
#endif
