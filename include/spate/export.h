// Particles in files that other programs open, as `spate export` writes them: one file per frame.
#ifndef SPATE_EXPORT_H
#define SPATE_EXPORT_H

#include "spate/job.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the particles become.
typedef enum spate_export_as
{
	SPATE_EXPORT_POINTS, // particles with their channels
	SPATE_EXPORT_FOG,    // fields "density", the share of liquid in each voxel, and "velocity"
	SPATE_EXPORT_LEVEL_SET // fields "surface", the signed distance to the surface that spate_mesh_job makes, and "velocity"
} spate_export_as;

typedef struct spate_export_def
{
	spate_job job;           // an item is a file
	const char *input;       // directory of a run, or a particle file of any readable format
	spate_job_frames frames; // of a run
	const char *
	    format; // name of a format that writes particles or fields (spate/formats.h); NULL for the suffix of `output`, or else "ply" or "vdb"
	const char *output; // folder for the files of a run (default INPUT/export), or the file for a single input
	const char *const *channels; // besides the position; NULL for all. Fields know "velocity" only
	uint32_t channel_count;
	spate_export_as as;
	double cell; // edge of the voxels of fields, in spacings of the finest fluid; 0 for 0.75
	spate_export_up up;
} spate_export_def;

// All frames, all channels, points, y up.
SPATE_API spate_export_def spate_default_export_def(void);

typedef struct spate_export_summary
{
	uint32_t written, failed, missing; // files; frames that could not be read; frames that are not there
	uint64_t particles;                // in all files written
} spate_export_summary;

// Positions are in world coordinates, except in .spate files, which store the origin. Existing files are replaced. Without `channels` a file
// has all channels of the frame, among them id, and if the run has a scene the channel radius: half the spacing of the particle's fluid (m).
// A frame that cannot be read is told in the log and counted, and the job goes on. SPATE_INVALID if the definition makes no sense, or if the
// format cannot carry a channel; the file is not written then. *summary may be NULL.
SPATE_API spate_result spate_export_run(const spate_export_def *def, spate_export_summary *summary, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
