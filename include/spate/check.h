// Checks a scene: all problems at once, or what a run of it will cost.
#ifndef SPATE_CHECK_H
#define SPATE_CHECK_H

#include "spate/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spate_check_def
{
	const char *path;             // of a scene file
	const char *const *overrides; // "fluids.water.spacing=0.02"
	uint32_t override_count;
	int read_meshes; // check the files that the scene names, and read the meshes
} spate_check_def;

// With meshes, without overrides.
SPATE_API spate_check_def spate_default_check_def(void);

// How the viscosity of a fluid is computed.
typedef struct spate_fluid_check
{
	double particles;   // about, at the end
	double coefficient; // of XSPH per substep
	double rounds;      // of smoothing per substep
	int implicit;       // so many rounds that an implicit solve replaces them
	double numerical;   // m^2/s, viscosity that the solver adds to slow flow, within a factor of two
} spate_fluid_check;

typedef struct spate_check
{
	spate_problems problems;
	int valid; // the rest is known
	spate_scene scene;
	spate_estimate estimate;
	double field_bytes;        // of the distance fields of meshes
	spate_fluid_check *fluids; // one per fluid
} spate_check;

// SPATE_OK for a valid scene, which may have warnings; SPATE_SCENE if the problems include errors. Free the result after both. Any other
// failure (a file that cannot be read, memory) leaves *check zero.
SPATE_API spate_result spate_check_run(const spate_check_def *def, spate_check *check, spate_error *error);
SPATE_API void spate_check_free(spate_check *check);

#ifdef __cplusplus
}
#endif
#endif
