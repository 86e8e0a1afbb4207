// What the parts of `spate mesh` share.
#ifndef CLI_MESH_H
#define CLI_MESH_H

#include "cli/report.h"
#include "cli/run_input.h"
#include "collider/collider.h"
#include "export/particles_read.h"
#include "spate/surface.h"

enum
{
	MESH_MAX_CHANNELS = 32
};

typedef struct mesh_options
{
	const char *program, *path, *output;
	frame_range frames;
	const char *extension; // ".ply"; NULL until it is chosen
	spate_surface_def def; // clip box in the world
	double spacing;        // m; 0 for the scene's, or a guess
	const char *fluid;     // NULL for all
	const char *channels[MESH_MAX_CHANNELS];
	uint32_t channel_count;
	int channels_given; // else velocity, where it is there
	int vdb, walls, json, quiet, overwrite;
} mesh_options;

// One mesh per frame and part: all of the liquid, or one of several fluids.
typedef struct mesh_part
{
	const char *name; // in the names of files; "" for all of the liquid
	int fluid;        // -1 for all of the liquid
	double spacing;   // m; 0 until it is guessed
} mesh_part;

// What became of one mesh.
typedef struct mesh_row
{
	int64_t frame;
	run_path path;
	uint32_t particles, vertices, triangles, moved; // moved: out of walls
	double volume, area, seconds;
} mesh_row;

typedef struct mesh_job
{
	const mesh_options *options;
	spate_scene scene;
	int has_scene, single; // single: one file, not the directory of a run
	run_path folder, file; // file: where the mesh of a single file goes
	run_numbers frames, missing;
	ARRAY(mesh_part) parts;
	int threads;
	collider_set walls;
	int has_walls;
	ARRAY(mesh_row) rows; // those that were made
	uint32_t skipped, failed;
} mesh_job;

// In mesh_job.c. Finds frames, scene, fluids and where the meshes go. Returns the exit code, after a sentence on stderr unless it is
// EXIT_DONE. Format and channels that were not given are filled in.
int mesh_job_open(mesh_job *j, mesh_options *options);
void mesh_job_free(mesh_job *j);
// The n-th frame's file of particles, and the mesh of one of its parts.
run_path mesh_job_source(const mesh_job *j, size_t n);
run_path mesh_job_target(const mesh_job *j, size_t n, const mesh_part *part, const char *extension);

// How a mesh was made, for the comment of its file: a hash of the settings, then one of the particles.
typedef struct mesh_note
{
	char text[48];
} mesh_note;

typedef enum mesh_state
{
	MESH_ABSENT,
	MESH_DONE,     // with these settings, from these particles
	MESH_OUTDATED, // with these settings, from other particles
	MESH_OTHER     // with other settings, or by somebody else
} mesh_state;

mesh_note mesh_note_make(const mesh_job *j, const mesh_part *part, uint64_t source);
// What is there already for a note. The level set counts too when one is wanted.
mesh_state mesh_look(const mesh_job *j, size_t n, const mesh_part *part, const mesh_note *note);

// In mesh_make.c. Reads the particles of a frame, and makes and writes the mesh of a part.
spate_result mesh_read_particles(const mesh_job *j, size_t n, particle_set *set, spate_error *error);
spate_result mesh_make(mesh_job *j, size_t n, mesh_part *part, const particle_set *set, const mesh_note *note,
		       mesh_row *row, spate_error *error);

#endif
