// Meshing as a job: surfaces of the frames of a run, or of one particle file, written to files.
//
//	spate_mesh_job_def def = spate_default_mesh_job_def();
//	spate_mesh_job_summary summary;
//	def.input = "out/dam_break";
//	if (spate_mesh_job_run(&def, &summary, &error) == SPATE_OK)
//		...summary.made_count meshes in summary.folder...
//	spate_mesh_job_summary_free(&summary);
#ifndef SPATE_MESH_JOB_H
#define SPATE_MESH_JOB_H

#include "spate/job.h"
#include "spate/surface.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum
{
	SPATE_MESH_JOB_MAX_CHANNELS = 32
};

// How the interfaces between several fluids are found.
typedef enum spate_mesh_interfaces
{
	SPATE_MESH_INTERFACES_NONE, // a separate surface for every fluid
	SPATE_MESH_INTERFACES_GRID, // spate_surface_create_meshes()
	SPATE_MESH_INTERFACES_CHROMATIC
} spate_mesh_interfaces;

// Everything is borrowed for the call.
typedef struct spate_mesh_job_def
{
	spate_job job;
	const char *input; // the directory of a run, or a particle file in any readable format
	// Folder of the meshes, made if need be. NULL is mesh in the directory of a run (marks for marks), and a name beside a particle
	// file. For a particle file also the name of the mesh.
	const char *output;
	const char *format;      // name of the format of the meshes, such as "obj"; NULL is that of `output`, or "ply"
	spate_job_frames frames; // of a run
	spate_surface_def surface; // its clip box is in world coordinates; its threads are those of the job
	double spacing;            // m, of particles at rest; 0 to take it from the scene, or to estimate it
	const char *fluid;         // the only fluid to mesh; NULL for all, each in a mesh of its own
	// Particle channels to transfer to the vertices. NULL is velocity, where frames have it; a list of no channels is none.
	const char *const *channels;
	uint32_t channel_count;
	// A closed mesh per fluid that shares its interfaces with the others, and a mesh of all interfaces. Up to
	// SPATE_SURFACE_MAX_FLUIDS fluids.
	spate_mesh_interfaces interfaces;
	int marks; // write particles with the channel near_surface (0 or 1) instead of meshes; frames of a run only
	spate_surface_criterion criterion; // of the marks
	int vdb;                           // also write the signed distance to each mesh as an OpenVDB level set
	int clip_colliders;                // move vertices that are inside colliders of the scene to their surface
	spate_export_up up;                // of the files; `surface` and its clip box are those of the scene
	int overwrite;                     // replace meshes that were made with other settings
	const char *field_folder;          // cache of mesh distance fields of colliders; NULL for none
} spate_mesh_job_def;

SPATE_API spate_mesh_job_def spate_default_mesh_job_def(void);

// A file that the job has written.
typedef struct spate_mesh_made
{
	int64_t frame;
	char *path;
	uint32_t particles, vertices, triangles;
	uint32_t refined, marked, moved; // particles added, particles near the surface, vertices moved out of colliders
	double volume, area, seconds;    // m^3, m^2; an interface mesh has no volume
} spate_mesh_made;

// Freed by spate_mesh_job_summary_free(), also after a failure.
typedef struct spate_mesh_job_summary
{
	spate_mesh_made *made;
	uint32_t made_count;
	uint32_t frames;    // chosen; 0 if the run has none
	uint32_t skipped;   // meshes that were up to date
	uint32_t outdated;  // meshes that were made again because their particles had changed
	uint32_t failed;    // frames that could not be meshed; each was named in the log
	uint32_t missing;   // frames of the range that do not exist
	char *folder;       // of the meshes of a run; NULL for a particle file
	const char *suffix; // of the meshes: ".ply"
	double seconds;     // spent on meshes
} spate_mesh_job_summary;

// Whether the settings fit together: SPATE_INVALID if one has no effect because of another, or is out of range. Opens no file.
SPATE_API spate_result spate_mesh_job_check(const spate_mesh_job_def *def, spate_error *error);

// Makes the meshes that are not there yet: those made with the same settings from the same particles are kept, so that a job that was
// cancelled or killed continues where it stopped, and jobs on different frames of a run add up. Meshes of changed particles are made
// again. SPATE_EXISTS, before anything is written, if a file is in the way that was made with other settings.
//
// Damaged frames are skipped with a warning and counted; every other failure ends the job. Files are complete or not there. A particle
// file takes its scene, if it is a frame of a run, from there. `summary` may be NULL.
SPATE_API spate_result spate_mesh_job_run(const spate_mesh_job_def *def, spate_mesh_job_summary *summary,
					  spate_error *error);
SPATE_API void spate_mesh_job_summary_free(spate_mesh_job_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
