// Shading: turns depth and ids into the linear colour of every pixel of a preview.
#ifndef RENDER_SHADE_H
#define RENDER_SHADE_H

#include "render/draw_mesh.h"
#include "render/draw_shape.h"
#include "render/occlusion.h"
#include "render/relief.h"
#include "render/splat.h"

// The shadow map: a depth image from the distant key light.
typedef struct shade_shadow
{
	camera_view view;
	const float *depth; // NULL for no shadows
	float bias;         // m, prevents a sphere from shadowing itself
	float softness;     // m of liquid that absorb most of the light
} shade_shadow;

// Source of particle colours: a colour map table, or the fluids' colours.
typedef struct shade_colours
{
	const float *scalar; // NULL: colour by kind
	size_t stride;       // floats
	int components;      // 1, or 3 for the length of a vector
	float low, high;     // range of the scalar
	const vec3 *table;   // of colormap_table
	const vec3 *kinds;   // linear, one per kind
} shade_colours;

typedef struct shade_scene
{
	const camera_view *view;
	const splat_spheres *spheres;
	const draw_caster *casters;  // in the order of the ids
	const draw_mesh_set *meshes; // NULL for none
	const float *depth;
	const uint32_t *id;
	occlusion occlusion; // without values, nothing is occluded
	relief relief;       // without cells, spheres keep their own normals
	shade_shadow shadow;
	shade_colours colours;
	vec3 up;
	float size; // m, length of the scene: determines grid and haze
} shade_scene;

// Direction to the key light for a view: over the left shoulder of the camera.
vec3 shade_key_direction(const camera_view *view, vec3 up);

void shade_picture(const shade_scene *scene, int threads, vec3 *light);

#endif
