// What the parts of `spate preview` share: the sequence of frames, and what stays the same all through it.
#ifndef CLI_PREVIEW_H
#define CLI_PREVIEW_H

#include "cache/run_dir.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run_input.h"
#include "render/preview.h"
#include "spate/frame.h"
#include "spate/scene.h"

typedef struct preview_options
{
	common_arguments args;
	const char *camera;   // NULL for the scene's first, or framed automatically
	const char *color_by; // NULL for the colours of the fluids
	int has_range;
	double low, high, radius_scale, fps; // fps 0: the scene's
	int width, height, supersample, label, no_movie, no_png;
	colormap map;
	int mesh;                // surfaces instead of particles
	const char *mesh_folder; // NULL for that of the run
	const char *fluid;       // whose surfaces, or RUN_INTERFACES; NULL for all
	draw_mesh_look look;     // of surfaces
} preview_options;

// How a channel becomes one number per particle.
typedef struct preview_scalar
{
	char channel[64];
	int component; // -1: the value itself, or the length of a vector
	const char *title, *unit;
} preview_scalar;

// A mesh that was read, until another one is wanted in its place.
typedef struct preview_model
{
	run_path path;    // empty for none
	spate_mesh *mesh; // NULL when it could not be read
	draw_model model;
	texture wet; // of a collider, in the last frame drawn; no values for dry
} preview_model;

// The surface of one fluid.
typedef struct preview_surface
{
	preview_model of;
	int fluid; // index
} preview_surface;

// Files of surfaces that a frame has: of all of the liquid, of one fluid, or of the interfaces between all of them.
typedef struct preview_part
{
	const char *name; // borrowed, as in mesh_NAME_000001.ply; "" for mesh_000001.ply
	int fluid;        // index
} preview_part;

typedef struct preview_sequence
{
	const preview_options *options;
	char name[128]; // of the scene, or of the path
	spate_scene scene;
	int has_scene, single; // single: one file, not the directory of a run
	int surfaces;          // frames are meshes
	run_path mesh_folder;
	const char *mesh_extension;
	run_numbers frames, missing;
	const spate_camera_def *camera; // NULL: framed automatically
	double low[3], high[3];         // m, of the world: what is looked at all through
	preview_scalar scalar;
	float range_low, range_high;
	float *radii; // m, per fluid
	vec3 *colours;
	int fluids;
	// reused by every frame
	arena scratch;
	ARRAY(float) values;
	ARRAY(draw_shape) shapes;
	ARRAY(draw_mesh) meshes;
	ARRAY(preview_model) models; // one per collider
	ARRAY(preview_part) parts;   // of every frame of surfaces
	ARRAY(preview_surface) surfaces_read;
	int64_t surfaces_of; // whose surfaces these are: a frame's place in the sequence; -1 for none
	int left_out;        // colliders whose meshes cannot be read
} preview_sequence;

// Finds frames, scene, camera, bounds and range. Returns the exit code, after a sentence on stderr unless it is EXIT_DONE.
int preview_sequence_open(preview_sequence *s, const preview_options *options);
void preview_sequence_free(preview_sequence *s);

// The file of the n-th frame.
run_path preview_sequence_path(const preview_sequence *s, size_t n);

// Draws the n-th frame from its file.
spate_result preview_sequence_draw(preview_sequence *s, size_t n, image *out, spate_error *error);
// The values that colour a frame, into s->values.
spate_result preview_sequence_values(preview_sequence *s, spate_frame *frame, spate_error *error);

// In preview_mesh.c. By the ending of its name.
int preview_is_mesh(const char *path);
// The frames of a folder of surfaces, and which of the formats they are in.
spate_result preview_list_meshes(preview_sequence *s, spate_error *error);
// Says on stderr which of the surfaces were made from other frames than there are now.
void preview_tell_outdated(const preview_sequence *s);
// The surfaces of a frame, into s->surfaces_read; nothing is read again that is there already.
spate_result preview_read_surfaces(preview_sequence *s, size_t n, spate_error *error);
// Time of a frame of surfaces (s), which their files do not tell: that of the run.
double preview_surface_time(const preview_sequence *s, size_t n);
// Where the mesh of a collider is at a time, relative to `origin`. Returns 0 when it has none, or none that can be read; that is said once.
int preview_collider_mesh(preview_sequence *s, uint32_t collider, const double origin[3], double time, draw_mesh *out);
void preview_model_free(preview_model *model);
void preview_surfaces_free(preview_sequence *s);

#endif
