// What a file or the directory of a run contains, and whether it is intact.
//
//	spate_info_def def = spate_default_info_def();
//	spate_info info;
//	def.path = "out/dam";
//	if (spate_info_read(&def, &info, &error) == SPATE_OK && info.kind == SPATE_INFO_RUN)
//		...info.run.frames.count frames...
//	spate_info_free(&info);
#ifndef SPATE_INFO_H
#define SPATE_INFO_H

#include "spate/frame.h"
#include "spate/job.h"
#include "spate/mesh.h"
#include "spate/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum spate_info_kind
{
	SPATE_INFO_UNKNOWN,   // none of the others
	SPATE_INFO_RUN,       // the directory of a run
	SPATE_INFO_FRAME,     // a frame or checkpoint (.spate)
	SPATE_INFO_MESH,      // triangles in any readable format
	SPATE_INFO_FIELD,     // a level set (.vdb)
	SPATE_INFO_PARTICLES, // particles of another program
	SPATE_INFO_SCENE      // text that is none of the above, to be read by spate_check_run
} spate_info_kind;

typedef struct spate_info_def
{
	spate_job job;
	const char *path;
	int quick; // read headers only, without checksums and ranges of values
} spate_info_def;

SPATE_API spate_info_def spate_default_info_def(void);

// Ascending numbers, such as those of frames.
typedef struct spate_numbers
{
	int64_t *items;
	size_t count;
} spate_numbers;

typedef struct spate_run_info
{
	int has_scene, bad_scene; // scene.yaml was read, or cannot be read; neither if there is none
	spate_scene scene;        // zero unless has_scene
	spate_numbers frames, checkpoints;
	spate_numbers missing;                      // between the first frame and the last
	spate_numbers damaged, damaged_checkpoints; // among the above
	double first_time, last_time;               // s, of the first and the last intact frame
	uint64_t first_count, last_count;           // particles in them
	uint64_t least_count, most_count;           // in any intact frame
	double frame_bytes, checkpoint_bytes;       // size of all intact files
	size_t meshes, outdated_meshes;             // in the run's own folder; outdated: made from other particles
	int64_t first_outdated;                     // frame of the first of them
} spate_run_info;

// Finite values of one component of a channel; low is above high when there are none.
typedef struct spate_value_range
{
	double low, high, mean;
	uint64_t not_finite; // values that are NaN or infinite
} spate_value_range;

typedef struct spate_channel_info
{
	char name[64];
	spate_type type;
	uint64_t count;      // rows
	uint64_t stored;     // bytes in the file
	uint32_t components; // ranges below; 0 for a quick look and for channels without rows
	spate_value_range range[4];
} spate_channel_info;

typedef struct spate_blob_info
{
	char name[64];
	uint64_t bytes, stored; // unpacked, and in the file
} spate_blob_info;

typedef struct spate_frame_info
{
	spate_frame_kind kind;
	int64_t number;
	double time;      // s
	double origin[3]; // m
	uint64_t particles, bytes;
	spate_channel_info *channels;
	spate_blob_info *blobs;
	uint32_t channel_count, blob_count;
} spate_frame_info;

// One fluid in a mesh of interfaces.
typedef struct spate_fluid_mesh_info
{
	uint32_t fluid, triangles;
	spate_mesh_measure measure;
} spate_fluid_mesh_info;

typedef struct spate_mesh_info
{
	const char *format; // "PLY", "OBJ"
	spate_mesh *mesh;
	spate_mesh_measure measure;
	uint64_t crossings; // pairs of triangles that intersect
	spate_fluid_mesh_info *fluids;
	uint32_t fluid_count; // 0 unless the mesh has sides
} spate_mesh_info;

typedef struct spate_field_info
{
	char name[64];          // of the first float grid
	int level_set;          // 1 if the grid says so
	double cell;            // m
	uint64_t voxels;        // active
	double background;      // m
	double low[3], high[3]; // m, around the active voxels
} spate_field_info;

typedef struct spate_particles_info
{
	spate_mesh *points;     // without triangles
	double low[3], high[3]; // m
	double spacing;         // m, estimated from the particles
} spate_particles_info;

typedef struct spate_info
{
	spate_info_kind kind;
	// the one that `kind` names
	spate_run_info run;
	spate_frame_info frame;
	spate_mesh_info mesh;
	spate_field_info field;
	spate_particles_info particles;
	// one sentence for each damaged file of a run
	char **problems;
	uint32_t problem_count;
} spate_info;

// Kind of a file or folder, by its name and its first bytes; SPATE_IO if it cannot be opened.
SPATE_API spate_result spate_info_detect(const char *path, spate_info_kind *kind, spate_error *error);

// Finds the kind, then reads and verifies everything. Of a scene and of an unknown file only the kind is told. A damaged file in the
// directory of a run is a problem of the result; a damaged single file is an error. On failure *info is zero. Progress counts the files
// of a run.
SPATE_API spate_result spate_info_read(const spate_info_def *def, spate_info *info, spate_error *error);
// Frees everything and zeroes it; a zeroed one is allowed.
SPATE_API void spate_info_free(spate_info *info);

#ifdef __cplusplus
}
#endif
#endif
