// What the parts of `spate mesh` share.
#ifndef CLI_MESH_H
#define CLI_MESH_H

#include "cli/mesh_file.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run_input.h"
#include "collider/collider.h"
#include "export/particles_read.h"
#include "spate/surface.h"

enum
{
	MESH_MAX_CHANNELS = 32,
	MESH_MOST_FLUIDS = 1000000 // numbers of fluids in files of particles are below
};

// The folder of particles with marks in a run, and what their names begin with.
#define RUN_MARKS "marks"

// How the interfaces between several fluids are found.
typedef enum mesh_interfaces
{
	INTERFACES_NONE, // every fluid by itself
	INTERFACES_GRID,
	INTERFACES_CHROMATIC
} mesh_interfaces;

typedef struct mesh_options
{
	common_arguments args;
	const char *extension; // ".ply"; NULL until it is chosen
	spate_surface_def def; // clip box in the world
	double spacing;        // m; 0 for the scene's, or a guess
	const char *fluid;     // NULL for all
	const char *channels[MESH_MAX_CHANNELS];
	uint32_t channel_count;
	int channels_given; // else velocity, where it is there
	mesh_interfaces interfaces;
	int marks; // particles near the surface instead of meshes
	spate_surface_criterion criterion;
	int vdb, walls, overwrite;
} mesh_options;

// One mesh per frame and part: all of the liquid, one of several fluids, or the interfaces between all of them.
typedef struct mesh_part
{
	const char *name; // in the names of files; "" for all of the liquid
	int fluid;        // -1 for all of the liquid, and for the interfaces
	double spacing;   // m; 0 until it is guessed
} mesh_part;

// What became of one mesh.
typedef struct mesh_row
{
	int64_t frame;
	run_path path;
	uint32_t particles, vertices, triangles;
	uint32_t refined, marked, moved; // particles added, particles near the surface, vertices out of walls
	double volume, area, seconds;
} mesh_row;

// What the marks of a frame depend on: all frames before it.
typedef struct mesh_history
{
	spate_surface_marker *marker;
	run_numbers frames;   // of the run
	size_t hashed, known; // that the hash and the marker have seen
	uint64_t hash;
} mesh_history;

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
	mesh_history history;
	ARRAY(mesh_row) rows;               // those that were made
	uint32_t skipped, outdated, failed; // outdated: made anew since their particles had changed
} mesh_job;

// In mesh_job.c. Finds frames, scene, fluids and where the meshes go. Returns the exit code, after a sentence on stderr unless it is
// EXIT_DONE. Format and channels that were not given are filled in.
int mesh_job_open(mesh_job *j, mesh_options *options);
void mesh_job_free(mesh_job *j);
// The n-th frame's file of particles, and the mesh of one of its parts, or the particles with their marks.
run_path mesh_job_source(const mesh_job *j, size_t n);
run_path mesh_job_target(const mesh_job *j, size_t n, const mesh_part *part, const char *extension);

typedef enum mesh_state
{
	MESH_ABSENT,
	MESH_DONE,     // with these settings, from these particles
	MESH_OUTDATED, // from other particles, for a single file with these settings
	MESH_OTHER     // with other settings, or by somebody else
} mesh_state;

mesh_note mesh_note_make(const mesh_job *j, const mesh_part *part, uint64_t source);
// What is there already for a note. The level set counts too when one is wanted.
mesh_state mesh_look(const mesh_job *j, size_t n, const mesh_part *part, const mesh_note *note);
// Whether nothing is left to make; counts what is there and what is outdated.
int mesh_is_done(mesh_job *j, size_t n, const mesh_part *part, const mesh_note *note);

// In mesh_input.c. What a surface is made of. Rows of one fluid are copied, all of the liquid is taken as it is.
typedef struct mesh_input
{
	uint32_t *rows; // NULL for all
	uint32_t count;
	float *copies[MESH_MAX_CHANNELS + 1]; // owned
	uint32_t copy_count;
	spate_surface_channel channels[MESH_MAX_CHANNELS];
	spate_surface_input input;
} mesh_input;

// Reads the particles of a frame, with the channels that are wanted.
spate_result mesh_read_particles(const mesh_job *j, size_t n, particle_set *set, spate_error *error);
spate_result mesh_input_init(mesh_input *in, const mesh_job *j, size_t n, const mesh_part *part,
			     const particle_set *set, spate_error *error);
void mesh_input_free(mesh_input *in);

// In mesh_make.c. The settings of surfaces around the origin of a frame.
spate_surface_def mesh_surface_def(const mesh_job *j, const particle_set *set);
// Makes and writes the mesh of a part.
spate_result mesh_make(mesh_job *j, size_t n, mesh_part *part, const particle_set *set, const mesh_note *note,
		       mesh_row *row, spate_error *error);
// Keeps a mesh out of walls where that is wanted, and writes it.
spate_result mesh_finish(mesh_job *j, size_t n, const mesh_part *part, const particle_set *set, spate_mesh *mesh,
			 const mesh_note *note, mesh_row *row, spate_error *error);

// In mesh_many.c. The meshes of all parts of a frame, out of one call; those of them that are done are left as they are.
spate_result mesh_make_many(mesh_job *j, size_t n, uint64_t source, spate_error *error);

// In mesh_marks.c. A number for the particles of a frame and all before it; frames are asked for in their order, the first one again
// after a rewind.
spate_result mesh_marks_hash(mesh_job *j, size_t n, uint64_t *hash, spate_error *error);
void mesh_marks_rewind(mesh_history *history);
// Marks and writes the particles of a frame.
spate_result mesh_marks_make(mesh_job *j, size_t n, const mesh_note *note, mesh_row *row, spate_error *error);
void mesh_marks_free(mesh_history *history);

#endif
