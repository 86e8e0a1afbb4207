// Solvers: which there are, what can be set about them, and the part of a world's definition that says so.
//
// All functions may be called from any thread; those that fail change nothing.
#ifndef SPATE_SOLVER_H
#define SPATE_SOLVER_H

#include "spate/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum spate_quality
{
	SPATE_QUALITY_DRAFT,
	SPATE_QUALITY_NORMAL,
	SPATE_QUALITY_HIGH,
	SPATE_QUALITY_COUNT
} spate_quality;

typedef enum spate_viscosity_model
{
	SPATE_VISCOSITY_XSPH,     // exchanges the whole velocity difference: robust, but damps rotation
	SPATE_VISCOSITY_PAIRWISE, // acts only along the line between two particles: conserves angular momentum
	SPATE_VISCOSITY_COUNT
} spate_viscosity_model;

enum
{
	SPATE_SOLVER_SETTINGS = 16 // most settings of a solver's own
};

typedef struct spate_solver_def
{
	int type; // of spate_solver_find()
	spate_quality quality;
	uint32_t substeps;     // per frame; 0 adapts them to the flow and the quality
	uint32_t max_substeps; // per frame, upper limit of adaptive substeps
	double cfl;            // maximum travel per substep in kernel radii; 0 for the quality's default
	spate_viscosity_model viscosity_model;
	// extra reach of neighbour lists in kernel radii, 0 to 0.5, so that they last several substeps; -1 for automatic
	double list_margin;
	// names of cameras of the world that a solver uses which looks at the liquid; none for all cameras
	const char *const *cameras;
	uint32_t camera_count;
	double own[SPATE_SOLVER_SETTINGS]; // the solver's own settings, of spate_solver_set(); NaN for the default
} spate_solver_def;

// The solver of spate_default_world_def(), with all settings at their defaults.
SPATE_API spate_solver_def spate_default_solver_def(void);

// The mean density error, relative and of compression only, that a solver promises at a quality; 0 if it promises nothing. A run warns
// when it has missed it.
SPATE_API double spate_solver_promise(int type, spate_quality quality);

// The solver of a name, such as "pbf"; -1 when there is none.
SPATE_API int spate_solver_find(const char *name);

// The name of a solver, and what it is in a few words. Types count from 0; NULL beyond the last.
SPATE_API const char *spate_solver_name(int type);
SPATE_API const char *spate_solver_title(int type);

// ---------------------------------------------------------------------------------------------------------------- settings

typedef enum spate_setting_kind
{
	SPATE_SETTING_NUMBER,
	SPATE_SETTING_COUNT, // a whole number
	SPATE_SETTING_WORD   // one of `words`, by its number
} spate_setting_kind;

// A word of a choice.
typedef struct spate_word
{
	const char *name;
	int value;
	const char *doc; // what it means
} spate_word;

// A setting that a solver has besides those of all solvers. Its name is the key in a scene's `solver`.
typedef struct spate_setting
{
	const char *name;
	spate_setting_kind kind;
	int live;                // 1 if it can be changed while the world exists (spate/live.h)
	int above_min;           // 1 if the minimum itself is not allowed
	double min, max;         // in its unit
	double initial;          // the default
	const char *word;        // a word that may stand in place of a number, such as "auto"; NULL for none
	double word_value;       // the number that it stands for, allowed besides the range
	const spate_word *words; // of a choice, ended by a NULL name
	const char *unit;        // NULL for none
	const char *example;     // "0.01"
	const char *doc;         // one sentence
} spate_setting;

// The n-th setting of a solver's own; NULL beyond the last.
SPATE_API const spate_setting *spate_solver_setting(int type, uint32_t n);

// A setting of the definition's solver by name, such as "iterations"; a default until it is set. Set the type first: settings belong to
// it. SPATE_MISSING if the solver has no such setting, SPATE_INVALID if the value is out of its range.
SPATE_API spate_result spate_solver_set(spate_solver_def *def, const char *name, double value, spate_error *error);
SPATE_API spate_result spate_solver_get(const spate_solver_def *def, const char *name, double *value,
					spate_error *error);

#ifdef __cplusplus
}
#endif

#endif
