// Internals of the world, for the files of src/world and for checkpoints.
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/log.h"
#include "base/memory.h"
#include "body/bend_set.h"
#include "body/body.h"
#include "collider/collider.h"
#include "solver/constraints.h"
#include "solver/solver.h"
#include "source/source.h"
#include "space/neighbour_list.h"
#include "spate/world.h"
#include "world/change.h"
#include "world/track.h"
#include "world/wet.h"

// Numbers that belong to no other part of the state.
typedef struct world_counters
{
	uint64_t step;
	uint64_t removed, clamped;
	uint64_t runaways; // particles handled by the runaway policy
	double elapsed;    // s since the last frame
	double speed_max;  // m/s, of the last step
	double bulk_speed; // m/s, the same for particles that have neighbours
	double depth;      // m, of the liquid along gravity
	double last_dt;    // s, of the substep before, 0 for none
	double
	    error; // mean density error that the solver found in the last step: what it knows when the next one begins
	uint32_t frame;      // finished frames
	uint32_t frame_step; // substeps done in this frame
	spate_removed_by removed_by;
} world_counters;

// One column of the probes.
typedef struct probe_column
{
	char name[96];
	const char *unit;
} probe_column;

// A world in three parts. Each is made from those above it:
//
//   model   what is simulated: constant during a step, changed only between steps
//   state   where the simulation stands: all that a snapshot or a checkpoint holds, and nothing else decides how it continues
//   work    scratch that a step rebuilds when it needs it

// Definition, copied from the caller's, and what follows from it alone.
typedef struct world_model
{
	spate_world_def def;
	spate_fluid_def *fluids;
	spate_interface_def *interfaces;
	spate_sink_def *sinks;
	spate_probe_def *probes;
	spate_camera_def *cameras;     // those that the solver uses
	spate_collider_def *colliders; // without meshes and keyframes, which the set of colliders has
	spate_channel_def *channels;
	arena texts;           // names, paths and values of channels
	probe_column *columns; // of all probes
	uint32_t column_count;
	float *radii;          // m, kernel radius of each fluid
	uint8_t *classes;      // of each fluid: those with the same spacing share one
	float spacing, radius; // m, of the finest fluid
	double origin[3];      // m
	float reach;           // m, from the origin along each axis: where particles have cells
	double speed_limit;    // m/s, of the runaway policy
	const solver_type *solver_type;
	spate_force_def *force_defs; // those of the definition, which `forces` refers to
	void **force_assets;         // what they have read or compiled
	force_set forces;
	const force_entry *extra_forces; // from world_extras
	uint32_t extra_force_count;
	world_track *tracks; // what changes over time
	uint32_t track_count;
	int loads; // 1 to sum what the liquid gives to colliders, which costs a few percent of the time of a step
	int threads;
	simd_level simd;
} world_model;

// Everything here belongs to a section of a snapshot, or follows from the time.
typedef struct world_state
{
	spate_store *store;
	collider_set colliders;
	body_set bodies;  // colliders that the liquid moves
	bend_set bending; // those of them that bend
	wet_set wet;
	source_set sources;
	double room;       // factor on the volume of particles; below 1 if fills overfill their container
	void *solver;      // its constants, and what it keeps from step to step
	material material; // values of single particles and sources that override those of their fluid
	world_counters counters;
	world_changes changes;      // of live keys
	collider_load *loads;       // of each collider: what the liquid gave to it in the last substep
	collider_load *frame_loads; // the same, summed over the frame
	double *flux;               // m^3 through each probe since the last frame
	double *values;             // of the probes' columns, at the end of the last frame
	sink_state *sinks;
} world_state;

// Sorted rows and lists may serve several substeps of a frame; the rest serves one.
typedef struct world_work
{
	space_index index;
	neighbour_list list;
	float margin;       // m, by which the lists extend beyond the kernel radius
	ARRAY(vec4) listed; // positions for which the lists were built, when there is a margin
	uint64_t sorted_as; // the store's `reordered` after the last sort
	arena scratch;
	spate_step_stats stats;
	int limit_told;     // the warning about max_substeps has been logged
	char unusable[256]; // why the world has to be restored before the next step; empty if it does not
} world_work;

struct spate_world
{
	world_model model;
	world_state state;
	world_work work;
	ARRAY(constraint) constraints; // of the host, by priority
	log_target log;                // without a handler, the process's
	int stepping;                  // 1 inside a substep
	int advancing;                 // 1 inside a callback between substeps
};

// Solvers and forces that are in no table, borrowed for the life of the world, and how to begin.
typedef struct world_extras
{
	const solver_type *const *solvers;
	uint32_t solver_count;
	const force_entry *forces;
	uint32_t force_count;
	int empty; // without fills: a state is going to be loaded
} world_extras;

// As spate_world_create(), with extras; NULL for none.
spate_result world_create(spate_world **world, const spate_world_def *def, const world_extras *extras,
			  spate_error *error);

// Kernel radius of a definition's solver, in spacings.
double world_radius(const spate_world_def *def);

// Validates a definition. The error names the first problem.
spate_result world_check(const spate_world_def *def, spate_error *error);
// The problem of a part whose live keys have been changed; NULL for none.
const char *world_part_problem(const spate_world_def *def, world_part part, uint32_t index);

// Copies the cameras that the solver uses; the definition has only those from then on.
spate_result world_take_cameras(spate_world *world, spate_error *error);
// Replaces what the definition borrows from the caller by copies, once everything is made.
spate_result world_keep_definition(spate_world *world, spate_error *error);

// One substep: the pipeline in step.c. spate_world_step() calls it.
spate_result world_step(spate_world *world, int *frame_done, spate_error *error);

// Origin and limits of the world of a definition.
typedef struct world_span
{
	double origin[3];   // m
	float reach;        // m, from the origin along each axis: where particles have cells
	double speed_limit; // m/s
	double finest;      // m, smallest spacing
} world_span;

world_span world_span_of(const spate_world_def *def);

// Finds the material channels and the range of their values in particles and sources. Fails if a channel has the wrong type.
spate_result world_survey_material(spate_world *world, spate_error *error);

// Length of the next substep (s), and whether it ends the frame.
double world_choose_dt(spate_world *world, int *last);

// Largest margin of lists that is chosen automatically, in kernel radii. Cells have room for it, whatever the margin is: sort order and
// keys do not depend on it.
#define WORLD_LIST_MARGIN 0.04

// Sorts rows and lists neighbours for a substep of dt, unless the previous order and lists are still valid; sets stats.listed.
spate_result world_sort(spate_world *world, double dt, spate_error *error);
spate_result world_list(spate_world *world, double dt, spate_error *error);
// Whether the next substep may use the lists again: no row has moved to another place since they were built.
int world_lists_kept(const spate_world *world);
// Makes the next substep build lists.
void world_forget_lists(spate_world *world);
// Takes the lists and the positions in `listed`, which have just been restored, as those of the rows.
void world_keep_lists(spate_world *world, float margin, uint32_t rows);
// Sorts and lists unconditionally, without a margin.
spate_result world_list_anew(spate_world *world, spate_error *error);

// Removes pairs with a mesh between them from the lists; positions are those predicted for the end of a substep of dt.
spate_result world_separate(spate_world *world, double dt, spate_error *error);

// A substep of dt as the solver sees it, without the arrays that step_view_take_arrays() adds. Valid until rows move.
step_view world_view(spate_world *world, double dt);
// Lets the solver predict, and handles runaways.
spate_result world_prepare(spate_world *world, double dt, spate_error *error);
// Lets the solver step, counts flux and keeps the report.
spate_result world_solve(spate_world *world, double dt, spate_error *error);
// At the end of a frame: density and its errors after the last correction.
spate_result world_weigh(spate_world *world, double dt, spate_error *error);
// Pushes overlapping particles of fills apart without giving them velocity. Otherwise a fill whose lattice does not quite fit its
// container would explode in the first step.
spate_result world_settle(spate_world *world, spate_error *error);

// Makes the set of forces from the definition, for the particles as they are.
void world_set_forces(spate_world *world);

// Advances the clock by a substep, which may be the last of its frame.
void world_advance(spate_world *world, double dt, int last);

// Computes energies, momenta and speeds, and applies the runaway policy to particles that are NaN, too fast or out of range.
spate_result world_measure(spate_world *world, spate_error *error);

// Updates the statistics of living, added and removed particles.
void world_count(spate_world *world);

step_limits world_get_limits(const spate_world *world);

// Applies the runaway policy to one row: removes or clamps it, or fails.
spate_result world_handle_runaway(spate_world *world, uint32_t row, spate_error *error);
// Applies it to all runaways from row `first` on, in row order.
spate_result world_handle_runaways(spate_world *world, uint32_t first, spate_error *error);

// Density at rest (kg/m^3) of the particle in a row.
static inline double world_rest_density(const spate_world *world, size_t row)
{
	return material_value(&world->state.material, MATERIAL_DENSITY, row,
			      world->model.fluids[world->state.store->fluid[row]].density);
}

// Before a substep: what becomes of the bodies without the liquid. After it: with the liquid.
spate_result bodies_predict(spate_world *world, double dt, spate_error *error);
// Likewise for bodies that bend, once the other colliders are where they will be.
spate_result bending_predict(spate_world *world, double dt, spate_error *error);
spate_result bodies_finish(spate_world *world, spate_error *error);

// Wets the maps of colliders where particles touch them, and dries them by dt.
void world_wet(spate_world *world, double dt);

spate_result loads_create(spate_world *world, spate_error *error);
// Adds the loads of a substep to those of its frame, and hands them to the colliders.
void loads_take(spate_world *world);

spate_result probes_create(spate_world *world, spate_error *error);
// Adds what went through flux probes in a step, given every row's displacement.
void probes_count_flux(spate_world *world, const vec4 *moved);
// Evaluates all probes at the end of a frame.
void probes_read(spate_world *world);

#endif
