// A picture of a frame: particles as shaded spheres, solids, containers, meshes, floor, label and legend. Takes plain arrays,
// so that a cache, a live world or a test can all be looked at.
//
//	preview_settings settings = preview_default_settings();
//	preview_input input = {.positions = p, .stride = 4, .count = n, .fluids = 1, .radii = &r, .colours = &blue};
//	image picture = {0};
//	preview_frame(&settings, &input, &picture, &error);
//	image_free(&picture);
#ifndef RENDER_PREVIEW_H
#define RENDER_PREVIEW_H

#include "render/camera.h"
#include "render/colormap.h"
#include "render/draw_mesh.h"
#include "render/draw_shape.h"
#include "render/image.h"

typedef enum preview_colour
{
	PREVIEW_FLUID, // every fluid in its own colour
	PREVIEW_SCALAR // the scalar channel through the colour map, with a legend
} preview_colour;

typedef struct preview_settings
{
	int width, height; // pixels of the picture
	int supersample;   // 1, or 2 for smooth edges at about three times the cost
	int threads;       // 0: all cores

	int has_camera; // else the bounds are framed
	camera camera;
	vec3 up;
	float fov; // degrees, of the automatic camera
	// m; give all frames of a sequence the same. min > max: taken from particles and meshes
	vec3 bounds_min, bounds_max;

	preview_colour colour;
	colormap map;
	float range_low, range_high;            // of the scalar; low >= high: taken from this frame
	const char *legend_title, *legend_unit; // NULL for none

	const char *label;   // UTF-8, bottom left, such as "frame 12   0.50 s"; NULL for none
	int ground;          // a floor with a grid
	float ground_height; // m along `up`; NAN: the bottom of the bounds
	int shadows, occlusion;

	arena *scratch; // reset by every frame, so that a sequence does not go to the heap; NULL: one of its own
} preview_settings;

typedef struct preview_input
{
	const float *positions; // m; x, y, z
	size_t stride;          // floats from one particle to the next
	size_t count;
	const float *scalar;   // needed for PREVIEW_SCALAR
	size_t scalar_stride;  // floats
	int scalar_components; // 1 or, for the length of a vector such as a velocity, 3
	const int32_t *fluid;  // index per particle, or NULL when all are 0
	const float *radii;    // m, per fluid
	const vec3 *colours;   // linear, per fluid
	int fluids;
	const draw_shape *shapes;
	int shape_count;
	const draw_mesh *meshes;
	int mesh_count;
} preview_input;

preview_settings preview_default_settings(void);

// The box around all finite positions; 0 when there are none.
int preview_bounds(const float *positions, size_t stride, size_t count, vec3 *low, vec3 *high);

// `out` is made anew when it is empty (all zero) or of another size, else reused. Particles that are not numbers, or
// whose fluid does not exist, are left out.
spate_result preview_frame(const preview_settings *settings, const preview_input *input, image *out,
			   spate_error *error);

#endif
