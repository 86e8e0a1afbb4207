// Creates and removes particles: fills, emitters, sinks.
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include "base/array.h"
#include "collider/collider.h"
#include "collider/region.h"
#include "particles/material.h"
#include "source/crowd.h"
#include "source/fill_file.h"
#include "source/formula.h"
#include "source/opening.h"

// What is free of other particles is further away from them than this, in mean spacings: inside of liquid, no site is.
#define FILL_CLEAR 0.8
// Depth in a solid, in spacings, from which a particle of a file is left out: walls found it outside of them, to their own precision.
#define FILL_IN_SOLIDS 0.1f

// State of a source between steps; part of a checkpoint.
typedef struct source_state
{
	uint64_t emitted; // particles so far
	uint64_t turns;   // emitter: turns of its columns so far; fill: 1 once done
	double since;     // s, emitter: since when it pours as it does now; its start unless it was changed
	double base;      // emitter: turns due by then
	double last;      // emitter: turns due at the end of the last step, if its columns have different speeds
			  // surfaces and volumes have turns like emitters with one speed
} source_state;

// Particles leave an emitter in columns. Position of one on the opening, relative to its centre (m).
typedef struct emitter_column
{
	double across, along;
	double turn;  // 0 to 1: smaller ones come first
	double share; // of the mean speed
	// of a surface, which has the axes of the scene: the third coordinate, and its own direction
	double depth, ahead[3];
} emitter_column;

// The columns of an opening, and what they were made for.
typedef struct emitter_columns
{
	emitter_column *data;
	size_t count, capacity;
	double made_for[4];
} emitter_columns;

// The places of a volume, in the order in which they are tried: those of a cubic lattice in its shape (m).
typedef struct volume_site
{
	double place[3];
	float turn, own; // of its round and in its round
} volume_site;

typedef struct volume_sites
{
	volume_site *data;
	size_t count, capacity;
} volume_sites;

// The shape of a fill, ready to be filled. Its sites are a cubic lattice along its own axes, whose outer points are half a spacing from the
// sides of the box around it.
typedef struct fill_form
{
	region *space; // without its level
	double spacing;
	double origin[3];
	double low[3], high[3];    // m, box around it up to its level, along its own axes
	double middle[3];          // m, centre of the whole shape
	int turned;                // 1 for a turned box, which has axes of its own
	double turn[9], centre[3]; // those, row-major, and what they are turned about (m)
	vec3 up;                   // unit vector towards its level, zero for none
	double level;              // m, along `up`, relative to the origin
	int64_t cells[3];
} fill_form;

typedef struct source_set
{
	spate_source_def *defs; // directions normalised
	source_state *states;
	source_state *before;      // the states while a step adds particles
	emitter_columns *columns;  // by source, in the order of their turns; made when it first emits
	fill_form **forms;         // by source, until the fill is made; NULL for none yet; of a volume for good
	fill_file **files;         // likewise, of fills that start from files
	source_formulas *formulas; // by source: velocities
	double *fastest;           // by source: bound of the speed that these give (m/s)
	uint32_t fluid_count;      // of the world; set when the sources are prepared
	uint32_t resumed;          // particles that came from files at the start of the world; they have the first ids
	volume_sites *sites;       // by source
	uint32_t count;
	double origin[3];
	uint64_t seed;
	const spate_channel_def *channels; // that particles carry; borrowed
	uint32_t channel_count;
	ARRAY(float) positions, velocities; // scratch, 3 per particle
	ARRAY(uint32_t) picked;             // scratch: their numbers in a file
	ARRAY(double) values;               // scratch of formulas
	crowd crowd;                        // scratch of volumes: particles by place
} source_set;

spate_result source_set_create(source_set *set, const spate_source_def *defs, uint32_t count, const double origin[3],
			       uint64_t seed, spate_error *error);
void source_set_destroy(source_set *set);

// Adds the particles that are due in a step [begin, end) (s), fills at its beginning. Fills keep half a spacing away from
// colliders. On failure nothing has been added.
spate_result source_set_run(source_set *set, spate_store *store, const spate_fluid_def *fluids,
			    const collider_set *colliders, double begin, double end, spate_error *error);

// Makes what follows from a definition that has been changed.
void source_set_derive(source_set *set, uint32_t source);
// Goes on at a time (s) with other live keys, which `defs` already has: the jet neither jumps nor has a gap.
void source_set_change(source_set *set, uint32_t source, const spate_source_def *before, double now, double spacing);

// Makes the shapes of all fills that start at `since` (s) or later, which a set does by itself for fills without meshes, reads the files
// that they start from, and makes the shapes of all surfaces and volumes. Surfaces do not pour where colliders, which are at their first
// poses, cover them.
spate_result source_set_prepare(source_set *set, const spate_fluid_def *fluids, uint32_t fluid_count,
				const collider_world *world, const collider_set *colliders, double since,
				spate_error *error);

// `detail` (m) is the size of what has to be seen of a mesh; the spacing unless an estimate will do.
spate_result fill_form_create(fill_form **form, const spate_source_def *def, double spacing, double detail,
			      const collider_world *world, spate_error *error);
void fill_form_destroy(fill_form *form);
// Negative in the part of the shape that is below its level; p is relative to the origin.
float fill_form_distance(const fill_form *form, vec3 p);

// Called for each site of a fill (m); `number` counts all sites of the lattice. Return 0 to end the walk.
typedef int fill_visit(void *context, int64_t number, const double place[3]);

// Visits every site (every stride-th along each axis) that is in the shape and half a spacing away from colliders. Returns 0 if a visit
// did. What a fill makes may differ by its outermost sites.
int fill_each(const fill_form *form, const collider_set *colliders, int64_t stride, fill_visit *visit, void *context);
// Velocity of a fill at a position (m/s).
void fill_velocity(const spate_source_def *def, const double middle[3], const double place[3], double velocity[3]);
// Places the columns of a surface that pours over what colliders (NULL for none) leave free of it, and measures that: def->area, which is 0
// if nothing is left. SPATE_FORMAT for a mesh that cannot be read.
spate_result surface_columns(emitter_columns *columns, spate_source_def *def, double spacing,
			     const collider_world *world, const collider_set *colliders, uint64_t seed,
			     spate_error *error);
// Whether some of the space one spacing ahead of an emitter's opening is outside colliders; -1 when out of memory.
int emitter_is_free(const spate_source_def *def, double spacing, const double origin[3], const collider_set *colliders);

// Checks whether the states of the sources are possible at a time (s), with `added` particles in total and a last step of last_dt (s).
// SPATE_FORMAT naming the first source whose state is not.
spate_result source_set_check(source_set *set, const spate_fluid_def *fluids, double now, double last_dt,
			      uint64_t added, spate_error *error);

// Bound of the speed of the particles that sources add between two times (m/s); 0 if they add none.
double source_set_speed(const source_set *set, const spate_fluid_def *fluids, const collider_set *colliders,
			double begin, double end);

// A particle that a sink may take.
typedef struct sink_candidate
{
	uint32_t row;
	float distance; // m, from the boundary: less than 0 where the sink is
	int64_t id;
} sink_candidate;

// State of a sink between steps; what it took and what it may take are part of a checkpoint.
typedef struct sink_state
{
	uint64_t removed;
	double owed;                      // m^3, of a limited flow
	region *space;                    // of a shape that is more than a solid_shape; NULL for none
	ARRAY(sink_candidate) candidates; // scratch
} sink_state;

// Reads the meshes of sinks and makes what unions, differences and turned shapes need; free the states even when it fails. `spacing` (m) is
// that of the finest fluid.
spate_result sinks_create(sink_state *states, const spate_sink_def *sinks, uint32_t count, const collider_world *world,
			  spate_error *error);
void sinks_free(sink_state *states, uint32_t count);
// The field of how long a particle has been isolated, which the store has if a sink asks for that time.
#define SINK_ISOLATED "isolated"

// Removes the particles that sinks take in a step of dt that ends at `now` (s); returns how many. A limited flow takes those deepest in the
// sink first. `neighbours`, by row, may be NULL if no sink is for isolated particles. *result becomes SPATE_MEMORY when there is no room.
uint32_t sinks_run(const spate_sink_def *sinks, sink_state *states, uint32_t count, const spate_fluid_def *fluids,
		   const double origin[3], spate_store *store, const uint32_t *neighbours, double now, double dt,
		   spate_result *result);

#endif
