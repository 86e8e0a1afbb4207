// A picture of a frame: particles as shaded spheres, solids, containers, meshes, floor, label and legend. Takes plain
// arrays, so that it can show a cache, a live world or a test.
//
//	preview_settings settings = preview_default_settings();
//	preview_input input = {.positions = p, .stride = 4, .count = n, .fluids = 1, .radii = &r, .colours = &blue};
//	image picture = {0};
//	preview_frame(&settings, &input, &picture, &error);
//	image_free(&picture);
#ifndef RENDER_PREVIEW_H
#define RENDER_PREVIEW_H

#include "base/camera.h"
#include "render/colormap.h"
#include "render/draw_mesh.h"
#include "render/draw_shape.h"
#include "render/image.h"

typedef enum preview_colour
{
	PREVIEW_FLUID, // every fluid in its own colour
	PREVIEW_SCALAR // the scalar channel by the colour map, with a legend
} preview_colour;

typedef struct preview_settings
{
	int width, height; // pixels of the picture
	int supersample;   // 1, or 2 for smooth edges at about three times the cost
	int threads;       // 0: all cores

	int has_camera; // otherwise the camera frames the bounds
	camera camera;
	vec3 up;
	float fov; // degrees, of the automatic camera
	// m; use the same for all frames of a sequence. min > max: from particles and meshes
	vec3 bounds_min, bounds_max;

	preview_colour colour;
	colormap map;
	float range_low, range_high;            // of the scalar; low >= high: from this frame
	const char *legend_title, *legend_unit; // NULL for none

	const char *label;   // UTF-8, bottom left, such as "frame 12   0.50 s"; NULL for none
	int ground;          // a floor with a grid
	float ground_height; // m along `up`; NAN: the bottom of the bounds
	int shadows, occlusion;

	arena *scratch; // reset by every frame, so that a sequence makes no heap calls; NULL: a private one
} preview_settings;

typedef struct preview_input
{
	const float *positions; // m; x, y, z
	size_t stride;          // floats from one particle to the next
	size_t count;
	const float *scalar;   // needed for PREVIEW_SCALAR
	size_t scalar_stride;  // floats
	int scalar_components; // 1, or 3 to show the length of a vector such as a velocity
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

// Bounding box of all finite positions; 0 if there are none.
int preview_bounds(const float *positions, size_t stride, size_t count, vec3 *low, vec3 *high);

// `out` is reallocated if it is empty (all zero) or has another size, otherwise reused. Particles with non-finite
// positions or a fluid that does not exist are skipped.
spate_result preview_frame(const preview_settings *settings, const preview_input *input, image *out,
			   spate_error *error);

#endif
