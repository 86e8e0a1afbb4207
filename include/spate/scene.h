// Scene files: reads YAML (or JSON) into the definition of a world and reports every error with its line and column.
// A scene may be read by several threads at once, as long as none reads its meshes or frees it.
#ifndef SPATE_SCENE_H
#define SPATE_SCENE_H

#include "spate/body.h"
#include "spate/result.h"
#include "spate/world.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Which axis points up: the default direction of gravity and of cameras.
typedef enum spate_up
{
	SPATE_UP_Y,
	SPATE_UP_Z
} spate_up;

typedef struct spate_output_def
{
	const char *const *channels; // besides id and position
	uint32_t channel_count;
	uint32_t checkpoint_every; // frames; 0 writes one only at the end or when interrupted
} spate_output_def;

typedef struct spate_scene
{
	const char *name;
	uint32_t frames;
	spate_up up;
	spate_world_def world;
	uint32_t wall_count; // of world.colliders: the last ones, which `collide` of fills and `bodies` add
	const spate_camera_def *cameras;
	uint32_t camera_count;
	spate_output_def output;
	struct scene_memory *memory; // owns all of the above
} spate_scene;

// An error or warning. Line and column count from 1; 0 if it has no position in the file, as for an override.
typedef struct spate_problem
{
	int warning;
	uint32_t line, column;
	char path[128]; // of the object concerned, such as "fluids.water"; empty at the top level
	char text[512]; // one sentence
	char file[256]; // the included file that line and column are in; empty for the scene file itself
} spate_problem;

typedef struct spate_problems
{
	spate_problem *items;
	uint32_t count, errors; // all problems, and those that are errors
} spate_problems;

SPATE_API spate_scene spate_default_scene(void);

// Reads `path`, applies `overrides` ("fluids.water.spacing=0.02"), checks everything and fills in defaults. On SPATE_SCENE
// `problems` lists every error in file order; on success it may contain warnings. `problems` must be zeroed before the first
// use and freed by the caller. Free the scene with spate_scene_free.
SPATE_API spate_result spate_scene_load(spate_scene *scene, const char *path, const char *const *overrides,
					uint32_t override_count, spate_problems *problems, spate_error *error);
// The same from text in memory; `name` is used as the file name in messages and as the scene's default name.
SPATE_API spate_result spate_scene_parse(spate_scene *scene, const char *name, const char *text, size_t bytes,
					 const char *const *overrides, uint32_t override_count,
					 spate_problems *problems, spate_error *error);
// Frees the scene's memory and zeroes it; a zeroed scene is allowed.
SPATE_API void spate_scene_free(spate_scene *scene);
SPATE_API void spate_problems_free(spate_problems *problems);

// Reading a scene opens the files that it includes, but no other files that it names. This call checks them: every file that is missing or cannot be read becomes a
// problem at the place that names it, and so does every mesh that this build cannot simulate; SPATE_SCENE is returned then. The problems
// are added to `problems`, which stays sorted by place.
SPATE_API spate_result spate_scene_find_files(const spate_scene *scene, spate_problems *problems, spate_error *error);

// Reads the meshes of fills, which are then part of the scene: worlds need not read them again, and estimates know their size. Files that
// fills start from are looked through, and read again by worlds. A mesh that cannot be filled, or a file that cannot be started from, becomes a problem, as in spate_scene_find_files(). Worlds can be made without this call.
SPATE_API spate_result spate_scene_read_fills(spate_scene *scene, spate_problems *problems, spate_error *error);

// Facts about the mesh of a collider; of a sequence, about its first file.
typedef struct spate_mesh_report
{
	uint32_t files;                   // number of files of a sequence, else 1; 0 for a collider without a mesh
	uint32_t triangles, dropped;      // triangles used, and those dropped because they have no area
	uint64_t open_edges;              // edges with only one triangle; 0 when the mesh is closed
	double low[3], high[3];           // m, bounding box in the scene, without its motion
	double area;                      // m^2, in the scene
	double cell, band;                // m, of its distance field
	double field_voxels, field_bytes; // approximate size of the field
} spate_mesh_report;

// Checks the files and reads the meshes, those of fills included, for the reports and for warnings about their size and position. Later estimates take the
// size of the meshes into account.
SPATE_API spate_result spate_scene_read_meshes(spate_scene *scene, spate_problems *problems, spate_error *error);
// The report on a collider's mesh; NULL for a collider without one, or if the meshes have not been read.
SPATE_API const spate_mesh_report *spate_scene_mesh_report(const spate_scene *scene, uint32_t collider);

// A camera as it is at a time (s): its definition with the values of its curves. SPATE_INVALID if there is no such camera, or where an expression has no
// value.
SPATE_API spate_result spate_scene_camera(const spate_scene *scene, uint32_t camera, double time, spate_camera_def *out,
					  spate_error *error);

// The scene as YAML with every default filled in; a heap string for spate_scene_text_free, NULL when out of memory. Reading it
// back gives the same scene.
SPATE_API char *spate_scene_text(const spate_scene *scene);
// Estimated cost of a run, from volumes, positions and speeds and the functions that choose substeps.
#define SPATE_ESTIMATE_BYTES 400.0 // of memory per particle
#define SPATE_ESTIMATE_TIMES 5     // the start, each quarter, and the end

typedef struct spate_estimate
{
	double particles; // alive at the end, less those that sinks remove for nothing but their age
	double most;      // likewise, when there are most of them
	double times[SPATE_ESTIMATE_TIMES], alive[SPATE_ESTIMATE_TIMES]; // s, and the particles at that time
	uint32_t open_sinks;        // sinks that remove an amount which is not known in advance
	double bytes;               // most * SPATE_ESTIMATE_BYTES
	double substeps;            // per frame, on average
	double iterations;          // of the solver per substep, on average
	double smoothing;           // rounds of viscosity per substep, or steps of the implicit solve, on average
	double particle_substeps;   // particles * substeps over the whole run
	double particle_iterations; // particles * iterations over the whole run
	double cpu_seconds;         // on one thread, from measured times per particle (docs/check.md)
	double seconds;             // on all cores of this machine, if nothing else runs
} spate_estimate;

SPATE_API void spate_scene_estimate(const spate_scene *scene, spate_estimate *estimate);
// Particles of one fluid at the end.
SPATE_API double spate_scene_estimate_fluid(const spate_scene *scene, uint32_t fluid);

// The JSON Schema and the Markdown reference of the scene format, made from the table of keys.
SPATE_API char *spate_scene_schema(void);
SPATE_API char *spate_scene_reference(void);
SPATE_API void spate_scene_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
