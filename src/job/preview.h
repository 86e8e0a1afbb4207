// Shared by the files of the preview job: the sequence of frames and the settings that apply to all of it.
#ifndef JOB_PREVIEW_H
#define JOB_PREVIEW_H

#include "collider/pose.h"
#include "export/particles_read.h"
#include "job/job.h"
#include "job/progress.h"
#include "render/preview.h"
#include "spate/frame.h"
#include "spate/preview.h"

// How a channel becomes one number per particle.
typedef struct preview_scalar
{
	char channel[64];
	int component; // -1: the value itself, or the length of a vector
	const char *title, *unit;
} preview_scalar;

// The particles of a file. Read the numbers here and the channels by the functions below.
typedef struct preview_points
{
	spate_frame *frame; // NULL for a file of another program
	particle_set set;   // of such a file
	uint64_t count;
	int64_t number; // of the frame
	double time;    // s
	double origin[3];
} preview_points;

// The last mesh read for a collider or surface.
// The vertices of a body that bends, relative to an origin.
typedef struct preview_shape
{
	float *places; // m, 3 per vertex; NULL for other colliders
	uint32_t count;
	double origin[3]; // m
} preview_shape;

typedef struct preview_model
{
	run_path path;    // empty for none
	spate_mesh *mesh; // NULL when it could not be read
	draw_model model;
	texture wet; // wet map of a collider in the last frame drawn; no values if it is dry
} preview_model;

// The surface of one fluid.
typedef struct preview_surface
{
	preview_model of;
	int fluid; // index
} preview_surface;

// A series of surface files: of all of the liquid, of one fluid, or of the interfaces between all fluids.
typedef struct preview_part
{
	const char *name; // borrowed, as in mesh_NAME_000001.ply; "" for mesh_000001.ply
	int fluid;        // index
} preview_part;

struct spate_preview
{
	spate_preview_def def; // its texts are in `texts`, its camera is given_camera
	ARRAY(char *) texts;
	spate_camera_def given_camera;
	char name[128];                  // of the scene, or of the path
	spate_scene scene, camera_scene; // camera_scene: of the camera file
	int has_scene, single;           // single: one file, not the directory of a run
	int surfaces;                    // frames are meshes
	run_path mesh_folder;
	const char *mesh_extension;
	run_numbers frames, missing;    // while the settings are determined: all frames; then those to be drawn
	run_numbers chosen;             // to be drawn
	const spate_camera_def *camera; // at the beginning; NULL: framed automatically
	int camera_told;                // that it has no value
	double low[3], high[3];         // m, in the world: the box in view of the automatic camera
	double floor;                   // m along `up`: of solids below that box; INFINITY for none
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
	ARRAY(spate_pose) poses;     // of the colliders in the frame at hand
	ARRAY(preview_shape) bent;   // likewise, of those that bend
	ARRAY(preview_part) parts;   // surface files of each frame
	ARRAY(preview_surface) surfaces_read;
	int64_t surfaces_of; // index of the frame in the sequence that they belong to; -1 for none
	void **force_assets; // of the scene's forces, if they are drawn
	uint32_t left_out;   // colliders whose meshes cannot be read
};

// Finds frames, scene, camera, bounds and range. Free it after a failure, too.
spate_result preview_sequence_init(spate_preview *s, const spate_preview_def *def, spate_error *error);
void preview_sequence_free(spate_preview *s);

// The file of the n-th frame.
run_path preview_sequence_path(const spate_preview *s, size_t n);

// Draws the n-th frame from its file.
spate_result preview_sequence_draw(spate_preview *s, size_t n, image *out, spate_error *error);
// Whether particles are coloured by the number of their iterations.
int preview_shows_levels(const spate_preview *s);
// Reads the values that colour a frame into s->values.
spate_result preview_sequence_values(spate_preview *s, const preview_points *frame, spate_error *error);

// In preview_points.c. Closing is allowed after a failure, and more than once.
spate_result preview_points_open(preview_points *p, const char *path, spate_error *error);
void preview_points_close(preview_points *p);
// As of spate_frame_channel_at() and spate_frame_channel().
spate_result preview_points_channel_at(const preview_points *p, uint32_t n, spate_frame_entry *entry);
spate_result preview_points_channel(const preview_points *p, const char *name, spate_type *type, const void **data,
				    spate_error *error);
// Whether a file of a format for both particles and meshes has no triangles.
int preview_is_points(const char *path);

// In preview_mesh.c. Whether a path is a mesh file, by its suffix.
int preview_is_mesh(const char *path);
// Lists the frames of a folder of surfaces and finds their format.
spate_result preview_list_meshes(spate_preview *s, spate_error *error);
// Warns of surfaces whose frames have changed since they were made.
void preview_warn_outdated(const spate_preview *s);
// Whether a picture exists and is not older than the files of the n-th frame.
int preview_is_newer(const spate_preview *s, size_t n, const char *picture);
// Reads the surfaces of a frame into s->surfaces_read, unless they are there already.
spate_result preview_read_surfaces(spate_preview *s, size_t n, spate_error *error);
// Time of a frame of surfaces (s), taken from the run, since their files do not contain it.
double preview_surface_time(const spate_preview *s, size_t n);
// In preview_sequence.c. The camera at a time (s).
const spate_camera_def *preview_camera_at(spate_preview *s, double time, spate_camera_def *now);
// Sets the poses of the colliders for the n-th frame, given its file unless it is a surface.
spate_result preview_place(spate_preview *s, size_t n, spate_frame *frame, spate_error *error);
// The pose of a collider relative to an origin.
rigid preview_pose(const spate_preview *s, uint32_t collider, const double origin[3]);
// The mesh of a collider in its pose, as of a time and relative to `origin`. Returns 0 when it has none, or if it cannot be read, which is
// reported once.
int preview_collider_mesh(spate_preview *s, uint32_t collider, const double origin[3], double time, draw_mesh *out);
// Lowest and highest of `count` values, `stride` floats apart, of which about `most` are looked at, ignoring a fraction of strays at either
// end; 0 when none is finite.
int preview_spread(const float *values, size_t count, size_t stride, size_t most, double stray, float *low,
		   float *high);
// In preview_bounds.c.
spate_result preview_find_bounds(spate_preview *s, spate_error *error);
// In preview_draw.c. The colour map of values.
int preview_map(const spate_preview *s);
// In preview_forces.c. Reads what the scene's forces need, and finds the box in view where there are no particles.
spate_result preview_make_forces(spate_preview *s, spate_error *error);
void preview_free_forces(spate_preview *s);
void preview_bound_forces(spate_preview *s);
// Adds arrows to the shapes; the longest is *largest (m/s^2).
spate_result preview_add_forces(spate_preview *s, const double origin[3], double time, float *largest,
				spate_error *error);
void preview_model_free(preview_model *model);
void preview_surfaces_free(spate_preview *s);
void preview_shapes_free(spate_preview *s);

#endif
