// Triangle meshes in a picture: solids, containers whose far walls are visible, and liquid surfaces. Triangles are
// drawn into the same depth image with ids as spheres and shapes; they are shaded afterwards, only for the pixels that
// show them.
//
//	draw_model model;
//	draw_model_init(&model, mesh, 50.0f, threads, &error);     once per mesh
//	draw_mesh mesh = {.model = &model, .colour = grey};
//	draw_mesh_set_place(&set, &view, &mesh, 1, ...);           once per view
//	draw_mesh_set_depth(&set, DRAW_MESH_SOLIDS, ...);
//
// A pixel belongs to a triangle when its centre lies inside or on an edge. Of equal depths the lowest id wins, so that
// the picture does not depend on the drawing order.
#ifndef RENDER_DRAW_MESH_H
#define RENDER_DRAW_MESH_H

#include "base/camera.h"
#include "base/memory.h"
#include "collider/texture.h"
#include "spate/mesh.h"

#include <stdint.h>

// Bits 31 and 30 of an id mark a triangle; the rest is its index among all triangles of a set.
#define DRAW_MESH_ID 0xc0000000u

static inline int draw_mesh_is(uint32_t id)
{
	return id >= DRAW_MESH_ID && id != UINT32_MAX;
}

// A mesh prepared for drawing, independent of the view. The mesh is borrowed; normals and colours are stored here.
typedef struct draw_model
{
	const spate_mesh *mesh;
	const float *normals; // 3 per vertex, or per corner
	int per_corner;
	float *own_normals; // NULL if the mesh has normals
	vec3 *colours;      // linear, per vertex; NULL for none
	int inverted;       // triangles face inwards: the enclosed volume is negative
	vec3 low, high;     // m, bounding box of the finite vertices; low.x > high.x if there are none
} draw_model;

// Normals come from the channel "normal", otherwise from the triangles around a vertex, weighted by their angles there.
// Normals are not averaged across edges sharper than `crease` degrees; 180 smooths everything. Colours come from the
// channel "color" (sRGB).
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
	int container;      // the liquid is inside: walls on the near side are drawn as faint glass
	float rotation[9];  // row-major; all zero means none
	float scale;        // 0 counts as 1
	vec3 translation;   // m
	vec3 colour;        // linear, for meshes without colours
	const texture *wet; // wetness by the mesh's UVs, borrowed; NULL for dry
} draw_mesh;

vec3 draw_mesh_point(const draw_mesh *mesh, vec3 vertex);
// Bounding box of all vertices; 0 if there are none.
int draw_mesh_bounds(const draw_mesh *meshes, int count, vec3 *low, vec3 *high);

// Meshes as seen by one eye.
typedef struct draw_mesh_set
{
	const camera_view *view;
	const draw_mesh *meshes;
	int count;
	uint32_t *first_vertex, *first_triangle; // of each mesh, and one past the last
	vec3 *places;                            // view space, of all vertices
	float nearest;                           // m; geometry closer to the plane of the eye is clipped
} draw_mesh_set;

spate_result draw_mesh_set_place(draw_mesh_set *set, const camera_view *view, const draw_mesh *meshes, int count,
				 float nearest, int threads, arena *scratch, spate_error *error);

typedef enum draw_mesh_pass
{
	DRAW_MESH_SOLIDS, // both sides of solids, and the container walls behind the liquid
	DRAW_MESH_SHADOW, // both sides of solids
	DRAW_MESH_GLASS   // the container walls in front of the liquid
} draw_mesh_pass;

// Draws over an existing depth image with ids.
spate_result draw_mesh_set_depth(const draw_mesh_set *set, draw_mesh_pass pass, int threads, arena *scratch,
				 float *depth, uint32_t *id, spate_error *error);

// A ray's hit on a triangle.
typedef struct draw_mesh_hit
{
	const draw_mesh *mesh;
	float weights[3]; // of the corners
	vec3 normal;      // unit, in the world, towards the eye
	vec3 colour;      // linear
	float wet;        // 0 to 1
} draw_mesh_hit;

// For a view-space ray (x, y, 1) through the triangle of an id.
draw_mesh_hit draw_mesh_set_hit(const draw_mesh_set *set, uint32_t id, vec3 ray);

// Blends the glass of containers over a picture of linear light.
spate_result draw_mesh_glass(const draw_mesh_set *set, const float *depth, int threads, arena *scratch, vec3 *light,
			     spate_error *error);

#endif
