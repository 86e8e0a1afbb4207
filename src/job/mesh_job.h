// Shared by the files of the meshing job.
#ifndef JOB_MESH_JOB_H
#define JOB_MESH_JOB_H

#include "collider/collider.h"
#include "export/particles_read.h"
#include "job/job.h"
#include "job/mesh_file.h"
#include "job/progress.h"
#include "mesh/format.h"
#include "spate/mesh_job.h"

enum
{
	MESH_MOST_FLUIDS = 1000000 // upper limit of fluid numbers in particle files
};

// The folder of marked particles in a run, which is also the prefix of their file names.
#define RUN_MARKS "marks"

// There is one mesh per frame and part. A part is all of the liquid, one of several fluids, or the interfaces between all of them.
typedef struct mesh_part
{
	const char *name; // used in file names; "" for all of the liquid
	int fluid;        // -1 for all of the liquid, and for the interfaces
	double spacing;   // m; 0 until guessed
} mesh_part;

// A mesh that is being made. `made` has no path until it is kept.
typedef struct mesh_row
{
	spate_mesh_made made;
	run_path path;
} mesh_row;

// The marks of a frame depend on all frames before it.
typedef struct mesh_history
{
	spate_surface_marker *marker;
	run_numbers frames;   // of the run
	size_t hashed, known; // number of frames that the hash and the marker have processed
	uint64_t hash;
} mesh_history;

typedef struct mesh_job
{
	const spate_mesh_job_def *def;
	const char *suffix; // ".ply"
	const char *channels[SPATE_MESH_JOB_MAX_CHANNELS];
	uint32_t channel_count;
	int channels_given; // if not: velocity, where frames have it
	spate_scene scene;
	int has_scene, single; // single: one file, not the directory of a run
	run_path folder, file; // file: where the mesh of a single file goes
	run_numbers frames, missing;
	int64_t first_frame; // of the run, whichever frames are chosen
	ARRAY(mesh_part) parts;
	int threads;
	collider_set walls;
	int has_walls;
	mesh_history history;
	job_progress progress;
	ARRAY(spate_mesh_made) made;
	uint32_t skipped, outdated, failed; // outdated: made again because their particles had changed
} mesh_job;

// In mesh_plan.c. Finds frames, scene, fluids and the paths of the meshes, and fills in format and channels that were not given.
spate_result mesh_job_open(mesh_job *j, const spate_mesh_job_def *def, spate_error *error);
void mesh_job_free(mesh_job *j);
// The particle file of the n-th frame; the file of the mesh of one of its parts, or of its marked particles.
run_path mesh_job_source(const mesh_job *j, size_t n);
run_path mesh_job_target(const mesh_job *j, size_t n, const mesh_part *part, const char *suffix);

typedef enum mesh_state
{
	MESH_ABSENT,
	MESH_DONE,     // made with these settings from these particles
	MESH_OUTDATED, // made from other particles (a single file: with these settings)
	MESH_OTHER     // made with other settings or by another program
} mesh_state;

mesh_note mesh_note_make(const mesh_job *j, const mesh_part *part, uint64_t source);
// Compares the existing file with a note. If a level set is wanted, it must exist, too.
mesh_state mesh_look(const mesh_job *j, size_t n, const mesh_part *part, const mesh_note *note);
// Whether nothing is left to do; counts skipped and outdated meshes.
int mesh_is_done(mesh_job *j, size_t n, const mesh_part *part, const mesh_note *note);
// Adds a finished mesh to the list.
spate_result mesh_keep(mesh_job *j, const mesh_row *row, spate_error *error);

// In mesh_input.c. Input of a surface. The rows of one fluid are copied; all of the liquid is used in place.
typedef struct mesh_input
{
	uint32_t *rows; // NULL for all
	uint32_t count;
	float *copies[SPATE_MESH_JOB_MAX_CHANNELS + 1]; // owned
	uint32_t copy_count;
	spate_surface_channel channels[SPATE_MESH_JOB_MAX_CHANNELS];
	spate_surface_input input;
} mesh_input;

// Reads the particles of a frame, with the selected channels.
spate_result mesh_read_particles(const mesh_job *j, size_t n, particle_set *set, spate_error *error);
spate_result mesh_input_init(mesh_input *in, const mesh_job *j, size_t n, const mesh_part *part,
			     const particle_set *set, spate_error *error);
void mesh_input_free(mesh_input *in);

// In mesh_make.c. The surface settings relative to the origin of a frame.
spate_surface_def mesh_surface_def(const mesh_job *j, const particle_set *set);
// What the files of a frame hold besides the mesh.
file_extras mesh_extras(const mesh_job *j, const mesh_part *part, const particle_set *set, const mesh_note *note);
// Makes and writes the mesh of a part.
spate_result mesh_make(mesh_job *j, size_t n, mesh_part *part, const particle_set *set, const mesh_note *note,
		       mesh_row *row, spate_error *error);
// Moves the mesh out of walls if that is wanted, and writes it.
spate_result mesh_finish(mesh_job *j, size_t n, const mesh_part *part, const particle_set *set, spate_mesh *mesh,
			 const mesh_note *note, mesh_row *row, spate_error *error);

// In mesh_many.c. Makes the meshes of all parts of a frame in one call; finished ones are not changed.
spate_result mesh_make_many(mesh_job *j, size_t n, uint64_t source, spate_error *error);

// In mesh_marks.c. Hash of the particles of a frame and all frames before it; to be called in ascending order of frames, from the first
// one again after a rewind.
spate_result mesh_marks_hash(mesh_job *j, size_t n, uint64_t *hash, spate_error *error);
void mesh_marks_rewind(mesh_history *history);
// Marks and writes the particles of a frame.
spate_result mesh_marks_make(mesh_job *j, size_t n, const mesh_note *note, mesh_row *row, spate_error *error);
void mesh_marks_free(mesh_history *history);

#endif
