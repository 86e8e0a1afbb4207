// Pictures and movies of a run, as `spate preview` makes them: particles or surfaces, solids, a camera. Written to files by
// spate_preview_run(), or drawn into memory by spate_preview_draw().
//
//	spate_preview_def def = spate_default_preview_def();
//	def.input = "out/dam_break";
//	def.color_by = "speed";
//	spate_preview_summary summary;
//	if (spate_preview_run(&def, &summary, &error) == SPATE_OK)
//		printf("%u pictures in %s\n", summary.frames, summary.folder);
#ifndef SPATE_PREVIEW_H
#define SPATE_PREVIEW_H

#include "spate/job.h"
#include "spate/scene.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Maps from numbers to colours: enum, name.
#define SPATE_COLORMAP_MAP(X) \
	X(VIRIDIS, viridis)   \
	X(WATER, water)       \
	X(PLASMA, plasma)     \
	X(TURBO, turbo)       \
	X(GREY, grey)         \
	X(LEVELS, levels)

typedef enum spate_colormap
{
	SPATE_COLORMAP_AUTO = -1, // levels for the channel `level`: green for many iterations, red for few; else turbo
#define X(upper, lower) SPATE_COLORMAP_##upper,
	SPATE_COLORMAP_MAP(X)
#undef X
	SPATE_COLORMAP_COUNT
} spate_colormap;

typedef enum spate_preview_look
{
	SPATE_PREVIEW_MATT,
	SPATE_PREVIEW_WATER
} spate_preview_look;

enum
{
	SPATE_PREVIEW_MIN_SIZE = 16, // pixels per side
	SPATE_PREVIEW_MAX_SIZE = 8192
};

// All strings and the camera are copied by the call that takes the definition.
typedef struct spate_preview_def
{
	spate_job job;
	// Directory of a run, with `forces` also a scene file, or a single file: a .spate frame, particles of another program (.bgeo, .vtk, .ply without triangles), or a mesh
	// (.ply, .obj, .stl, .off, .spate).
	const char *input;
	spate_job_frames frames; // of a run

	// Draw forces besides gravity as arrows, instead of particles: the acceleration of what is at rest, drag included. Of a run, at the
	// times of its frames; of a scene file, at its beginning.
	int forces;

	int surfaces;            // of a run: draw the surfaces in `mesh_folder` instead of particles
	const char *mesh_folder; // with mesh_000001.ply or mesh_FLUID_000001.ply; NULL for the folder mesh of the run
	const char *fluid;       // draw only its surfaces, or "interfaces" for the combined mesh; NULL for all fluids
	spate_preview_look look; // of surfaces

	const char *color_by; // "speed", "density", "velocity.y" or any other channel; NULL for the fluids' colours
	double range_low, range_high; // values at the ends of the map; low >= high: from the frames, without outliers
	spate_colormap colormap;
	double radius_scale; // of particles, factor

	const char *camera_name; // of the scene, or "auto"; NULL for the first one, or "auto" if there is none
	// A scene file whose cameras are used instead of those of the run; it may contain nothing but `cameras`. NULL for those of the run.
	const char *camera_file;
	const spate_camera_def *camera; // a camera of your own, used instead; its name may be NULL
	int width, height;              // pixels
	int supersample;                // 1, or 2 for smooth edges
	int label;                      // draw scene name, frame, time and particle count into the picture

	// For spate_preview_run(). NULL writes into the folder preview (of surfaces: preview_mesh) of the run, or beside the single file.
	// Otherwise a folder, a movie file (.mp4, .mov, .mkv), or for one frame a picture (.png).
	const char *output;
	int pictures, movie; // write pictures; write a movie, if there are two frames or more
	double fps;          // of the movie; 0 for the scene's
	// Existing files are replaced. With `keep_pictures`, pictures of the same size that are not older than their frame stay as they are,
	// and the movie takes them: continues a job that was cancelled, with the same settings, or joins what shards have drawn. A shard
	// itself draws pictures and makes no movie.
	int keep_pictures;
} spate_preview_def;

SPATE_API spate_preview_def spate_default_preview_def(void);

// What was done. Paths are empty for files that were not written.
typedef struct spate_preview_summary
{
	uint32_t frames;            // drawn or kept
	uint32_t kept;              // of these, pictures that were there
	uint32_t missing, skipped;  // frames without a file, and those that cannot be read
	uint32_t colliders_skipped; // whose meshes cannot be read
	int incomplete;             // any of the last three, or the movie that was wanted could not be written
	char folder[4096];          // of frame_000001.png and so on
	char picture[4096];         // of a single frame
	char movie[4096];
} spate_preview_summary;

// Draws all frames into files. Frames and meshes that cannot be read are skipped with a warning, and a movie that cannot be made does
// not stop the pictures; *summary (may be NULL) tells. SPATE_INVALID for a definition that makes no sense, or that names a camera or a
// channel that does not exist. SPATE_CANCELLED if the handler stopped the job. After that and after failures finished pictures
// stay; no file is ever incomplete.
SPATE_API spate_result spate_preview_run(const spate_preview_def *def, spate_preview_summary *summary,
					 spate_error *error);

// Frames ready for drawing. Use it from one thread at a time.
typedef struct spate_preview spate_preview;

// Finds frames, scene, camera, view and colour range, for which it may read all frames.
SPATE_API spate_result spate_preview_open(const spate_preview_def *def, spate_preview **preview, spate_error *error);
// NULL is allowed.
SPATE_API void spate_preview_close(spate_preview *preview);
SPATE_API uint32_t spate_preview_count(const spate_preview *preview);
// Number of the frame at `index`; 0 for a single file.
SPATE_API int64_t spate_preview_frame(const spate_preview *preview, uint32_t index);
// Draws the frame at `index` into width * height pixels of 4 bytes: red, green, blue, alpha, as sRGB, top row first. On failure the
// pixels are unchanged.
SPATE_API spate_result spate_preview_draw(spate_preview *preview, uint32_t index, uint8_t *rgba, spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
