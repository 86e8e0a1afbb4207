// Triangle meshes in a picture: solid ones, containers whose far walls are seen, and surfaces of liquids. Triangles go into the same
// depth image with ids as spheres and shapes do; what they look like is found afterwards, for the pixels that show them.
//
//	draw_model model;
//	draw_model_init(&model, mesh, 50.0f, threads, &error);     once per mesh
//	draw_mesh mesh = {.model = &model, .colour = grey};
//	draw_mesh_set_place(&set, &view, &mesh, 1, ...);           once per view
//	draw_mesh_set_depth(&set, DRAW_MESH_SOLIDS, ...);
//
// A pixel belongs to a triangle when its middle lies inside or on an edge. Of equal depths the lowest id wins, so that the picture does
// not depend on any order.
#ifndef RENDER_DRAW_MESH_H
#define RENDER_DRAW_MESH_H

#include "base/memory.h"
#include "collider/texture.h"
#include "render/camera.h"
#include "spate/mesh.h"

#include <stdint.h>

// Bits 31 and 30 of an id mark a triangle; the rest is its number among all triangles of a set.
#define DRAW_MESH_ID 0xc0000000u

static inline int draw_mesh_is(uint32_t id)
{
	return id >= DRAW_MESH_ID && id != UINT32_MAX;
}

// A mesh made ready to be drawn, whatever the view: it is borrowed, its normals and colours are kept here.
typedef struct draw_model
{
	const spate_mesh *mesh;
	const float *normals; // 3 per vertex, or per corner
	int per_corner;
	float *own_normals; // NULL where the mesh brought its normals
	vec3 *colours;      // linear, per vertex; NULL for none
	int inverted;       // its triangles look inwards: the volume that they enclose is negative
	vec3 low, high;     // m, box around its finite vertices; low.x > high.x for none
} draw_model;

// Normals come from the channel "normal", else from the triangles around a vertex, weighted by their angles there. Triangles that meet
// at more than `crease` degrees do not smooth each other; 180 smooths everything. Colours come from the channel "color" (sRGB).
spate_result draw_model_init(draw_model *model, const spate_mesh *mesh, float crease, int threads, spate_error *error);
void draw_model_free(draw_model *model);

typedef enum draw_mesh_look
{
	DRAW_MESH_MATT,
	DRAW_MESH_WATER
} draw_mesh_look;

// x = rotation * (scale * vertex) + translation.
typedef struct draw_mesh
{
	const draw_model *model;
	draw_mesh_look look;
	int container;      // the liquid is inside: the walls on this side are a hint of glass
	float rotation[9];  // row by row; all zero means none
	float scale;        // 0 counts as 1
	vec3 translation;   // m
	vec3 colour;        // linear, of meshes without colours
	const texture *wet; // how wet it is, by the mesh's UVs, borrowed; NULL for dry
} draw_mesh;

vec3 draw_mesh_point(const draw_mesh *mesh, vec3 vertex);
// The box around all vertices; 0 when there are none.
int draw_mesh_bounds(const draw_mesh *meshes, int count, vec3 *low, vec3 *high);

// Meshes as one eye sees them.
typedef struct draw_mesh_set
{
	const camera_view *view;
	const draw_mesh *meshes;
	int count;
	uint32_t *first_vertex, *first_triangle; // of each mesh, and the ends
	vec3 *places;                            // view space, of all vertices
	float nearest;                           // m; what is closer to the plane of the eye is cut away
} draw_mesh_set;

spate_result draw_mesh_set_place(draw_mesh_set *set, const camera_view *view, const draw_mesh *meshes, int count,
				 float nearest, int threads, arena *scratch, spate_error *error);

typedef enum draw_mesh_pass
{
	DRAW_MESH_SOLIDS, // both sides of what is solid, and of containers the walls behind the liquid
	DRAW_MESH_SHADOW, // both sides of what is solid
	DRAW_MESH_GLASS   // of containers the walls in front of the liquid
} draw_mesh_pass;

// Draws over a depth image with ids that exists already.
spate_result draw_mesh_set_depth(const draw_mesh_set *set, draw_mesh_pass pass, int threads, arena *scratch,
				 float *depth, uint32_t *id, spate_error *error);

// What a ray finds on a triangle.
typedef struct draw_mesh_hit
{
	const draw_mesh *mesh;
	float weights[3]; // of the corners
	vec3 normal;      // unit, in the world, on the side of the eye
	vec3 colour;      // linear
	float wet;        // 0 to 1
} draw_mesh_hit;

// For a view-space ray (x, y, 1) through the triangle of an id.
draw_mesh_hit draw_mesh_set_hit(const draw_mesh_set *set, uint32_t id, vec3 ray);

// The glass of containers over a picture of linear light.
spate_result draw_mesh_glass(const draw_mesh_set *set, const float *depth, int threads, arena *scratch, vec3 *light,
			     spate_error *error);

#endif
