// One substep of the position-based solver, shared by its files.
#ifndef SOLVER_PBF_WORK_H
#define SOLVER_PBF_WORK_H

#include "solver/pbf_kernels.h"
#include "solver/prototype.h"
#include "solver/solver.h"

enum
{
	PBF_SLICES = 128, // per task
	PBF_ROWS = 1024,  // per task that looks at rows near walls
	PBF_SLACK = 8     // rows behind the last that full vectors may read and write
};

// Factor of the pair force of surface tension: 8 / (pi I) with I = int f(q) q^4 dq = 7.45e-4.
#define PBF_TENSION 3417.0

// A row and the colliders that may be close to it.
typedef struct near_mask
{
	uint32_t row;
	collider_mask colliders;
} near_mask;

// A row close to a collider: its walls (first index and count in `felt`) and the free space around its predicted position.
typedef struct near_row
{
	uint32_t row, felt, walls;
	solid_gap gap;
} near_row;

// Counts of a block of PBF_ROWS rows near colliders; after a prefix sum, the totals of all blocks before it.
typedef struct near_counts
{
	uint32_t rows, felt, groups; // near rows, their walls, and groups of eight rows with a near one
	uint32_t kept;               // rows left when walls have been found
} near_counts;

typedef struct pbf_work
{
	const solver_step *step;
	const pbf_kernels *kernels;
	pbf_pass pass;
	uint32_t slices;
	const float *inverse_masses; // by fluid, for particles without a density of their own

	// by row
	vec4 *places;       // the store's; w is the inverse mass during the substep
	vec4 *multipliers;  // places with lambda in w; later a buffer for velocities
	vec4 *moved;        // displacement since the start of the substep; sum of the multipliers in w
	vec4 *last;         // last correction, with its multiplier in w
	float *constraint;  // C, in the store's density until that is known
	pbf_traits *traits; // only when mixed

	int first_pass; // the stiffness of the rows is not known yet
	double *block_sum;
	float *block_max;

	// walls
	vec4 *walls;          // gradient and value of the wall term, in groups of eight rows; group 0 is zero
	uint32_t *wall_group; // of each slice
	near_mask
	    *near_masks; // in blocks of PBF_ROWS; shares memory with `multipliers`, valid only while walls are found
	near_counts *near_counts;
	near_row *near; // in row order
	felt_wall *felt;
	wall_push *pushes; // of the walls in `felt`; NULL if nobody wants loads
	load_book book;    // when somebody does
	uint32_t near_count;
	float widest; // m, largest kernel radius of the fluids
} pbf_work;

// Wall term of a row.
static inline vec4 *contacts_wall_term(const pbf_work *work, size_t row)
{
	return &work->walls[8 * (size_t)work->wall_group[row / 8] + row % 8];
}

// Allocates the arrays by row; 0 when out of memory.
int pbf_take_scratch(pbf_work *work);

// Finds the rows near colliders and what they will feel in this substep; 0 when out of memory.
int contacts_find(pbf_work *work);
// Pulls those rows towards the walls by their fluid's adhesion, once per substep.
void contacts_adhere(pbf_work *work);
// Pushes them out of the colliders and computes the wall term at their new places. `corrected` says that they have just been moved by
// their multipliers times the gradient of the wall term.
void contacts_touch(pbf_work *work, int corrected);
// Keeps them on their side of every mesh, at the end of the substep.
void contacts_hold(pbf_work *work);
// Number of those rows that are more than a spacing inside a solid.
uint32_t contacts_outside(pbf_work *work);
// Bounce and stickiness: the velocity of a row that has a wall term after the substep, given the one before.
vec3 contacts_respond(const pbf_work *work, size_t row, vec3 before, vec3 velocity, int thread);
// Sums what the walls have given to all rows into the loads of the step, if it wants them.
void contacts_sum_loads(pbf_work *work);

// Computes velocity from displacement; applies bounce, viscosity and vorticity confinement.
spate_result pbf_update_velocity(pbf_work *work, spate_error *error);
// See solver_type.
double pbf_smoothing_rounds(const solver_step *step, int *implicit);

// Energy of a velocity field, each particle weighted by its fluid's `vorticity`; 0 when no fluid has any.
double vorticity_energy(const pbf_work *work, const vec4 *velocities);
// Vorticity confinement: gives back to the vortices what smoothing has taken since the energy was `before`.
void vorticity_confine(pbf_work *work, double before);

#endif
