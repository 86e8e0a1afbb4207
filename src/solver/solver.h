// A solver moves particles through one substep. The table solvers.def lists all solvers.
#ifndef SOLVER_SOLVER_H
#define SOLVER_SOLVER_H

#include "base/bytes.h"
#include "particles/field.h"
#include "solver/step_view.h"
#include "spate/solver.h"

typedef struct solver_report
{
	uint32_t iterations;
	double density_error_avg, density_error_max; // max(C, 0), relative
	uint32_t outside;                            // particles more than a spacing inside a solid
	double ms_iterations;                        // wall clock; 0 if it does not tell
} solver_report;

// Progress of settling. All members start at zero, except `room`.
typedef struct solver_settling
{
	double room;        // factor on the volume of particles, which a solver reduces when they do not fit
	double first, last; // density errors of the first and the last round since the room changed
	uint32_t rounds, shrinks;
	int done;
} solver_settling;

// Work of one substep, for estimates.
typedef struct solver_cost
{
	double iterations;
	double rounds; // of velocity smoothing, each about as expensive as half an iteration of PBF
	int implicit;  // the rounds are replaced by an implicit solve
} solver_cost;

// What a solver keeps from one substep to the next and cannot find again. It is a section of snapshots and checkpoints.
typedef struct solver_state
{
	const char *name; // of the section: the solver's
	uint32_t version; // the newest one, which save() writes
	void (*save)(const void *solver, byte_writer *to);
	// Checks what it reads, since the bytes may be forged; the caller notices when they are too few or too many.
	spate_result (*load)(void *solver, uint32_t version, byte_reader *reader, spate_error *error);
} solver_state;

// Settings of a solver's own, which it reads at settings->own[row] of a view.
typedef struct solver_settings
{
	const spate_setting *rows;
	uint32_t count; // at most SPATE_SOLVER_SETTINGS
} solver_settings;

typedef struct solver_type
{
	double radius;                       // of kernels, in spacings
	int calms;                           // it leaves noise that viscosity has to smooth away
	int predicts;                        // prepare() moves particles to where they will be if nothing stops them
	int couples;                         // it finds velocities of bodies and pressure together
	int tension;                         // it has surface tension in N/m
	int shear;                           // walls shear the liquid by its viscosity
	int one_spacing;                     // all fluids of a scene must have the same spacing
	double contrast;                     // largest ratio of inertia that it can solve; 0 for any
	double promise[SPATE_QUALITY_COUNT]; // mean density error; 0 for no promise
	// Keys of a scene's `solver` besides those of all solvers; {0} for none.
	solver_settings settings;
	// Whether settings, each within its range, fit together. If not, the error says why in a sentence, and *row is the one to blame.
	// NULL if any do.
	spate_result (*check)(const double *own, uint32_t *row, spate_error *error);
	// The setting that needs a camera, by its row; the count of settings if none does. NULL for solvers that never look.
	uint32_t (*needs_camera)(const double *own);
	// Its own, which worlds with this solver have besides the core's; {0} for none.
	field_table fields;
	const solver_state *state; // NULL for none
	// Constants that do not depend on the scene, and the state. NULL for neither.
	spate_result (*create)(void **solver, spate_error *error);
	void (*destroy)(void *solver);
	// The longest stable substep (s). Reads only the definition part of the view.
	double (*longest_step)(const void *solver, const step_view *view, const step_state *state);
	// Before particles are sorted: predicts positions. Rows that are runaways stay where they are, and *runaways is set. `moved` and
	// `spare` of the view are not there yet.
	spate_result (*prepare)(const void *solver, const step_view *view, int *runaways, spate_error *error);
	// Moves the particles to their places at the end of the substep; sets velocities and density, and in `moved` how far each went. Only
	// here the solver's own state changes; after a failure it is loaded again.
	spate_result (*step)(void *solver, const step_view *view, solver_report *report, spate_error *error);
	// One round of pushing overlapping particles of fills apart, without velocity. It is called with fresh lists until `done`. NULL if
	// overlaps do no harm.
	spate_result (*settle)(const void *solver, const step_view *view, solver_settling *settling,
			       solver_report *report, spate_error *error);
	// Sets density, and the density errors of the report, to those of the places: after the last correction, with fresh lists. It moves
	// nothing; the view is one of settling. Called at the end of a frame. NULL if step() reports no others.
	spate_result (*weigh)(const void *solver, const step_view *view, solver_report *report, spate_error *error);
	// Viscosity (m^2/s) that the solver adds to a fluid: that by which a shear wave of 0.1 m/s, 20 spacings long, decays,
	// within a factor of two. What calms liquid under gravity (m/s^2) counts. dt (s) is that of a substep.
	double (*numerical_viscosity)(const spate_fluid_def *fluid, double gravity, double dt);
	// Cost of a substep in which a share (0 to 1) of the iterations above the minimum is needed. Reads only the definition part.
	solver_cost (*cost)(const void *solver, const step_view *view, double share);
} solver_type;

// Rows of the table.
enum
{
#define SOLVER(name, doc) SOLVER_##name,
#include "solver/solvers.def"
#undef SOLVER
	SOLVER_COUNT
};

#define SOLVER(name, doc) extern const solver_type solver_##name;
#include "solver/solvers.def"
#undef SOLVER

// The solver of a row; NULL when there is none.
const solver_type *solver_table(int type);
// The name of a row.
const char *solver_name(int type);
// The row of a name; -1 when there is none.
int solver_find(const char *name);

// The row of a setting; the count of them when there is none.
uint32_t solver_setting_find(const solver_type *type, const char *name);
// Sets one by its name.
spate_result solver_set(const solver_type *type, spate_solver_def *def, const char *name, double value,
			spate_error *error);
// Replaces NaN by the defaults.
void solver_fill_settings(const solver_type *type, spate_solver_def *def);
// Whether the settings are valid; NaN is. *row is the one to blame.
spate_result solver_check_settings(const solver_type *type, const spate_solver_def *def, uint32_t *row,
				   spate_error *error);
// Whether a number of cameras is enough for valid settings. *row is the one to blame.
spate_result solver_check_cameras(const solver_type *type, const spate_solver_def *def, uint32_t cameras, uint32_t *row,
				  spate_error *error);

#endif
