// A triangle mesh as a collider. Its distance field says quickly where the wall is; its triangles say exactly whether a path goes through.
//
// All places are in the mesh's own frame: as the file has them, then scaled, turned and put in place, relative to the world's origin.
// What else moves it is a matter of the collider.
#ifndef COLLIDER_MESH_SOLID_H
#define COLLIDER_MESH_SOLID_H

#include "collider/shape.h"
#include "mesh/triangle_tree.h"

// What colliders need to know of the world around them.
typedef struct collider_world
{
	double origin[3];      // m
	double fps;            // frames per second
	float spacing, radius; // m, of the finest fluid; largest kernel radius
	const char *field_folder;
	int threads;
} collider_world;

typedef struct mesh_solid mesh_solid;

// Cells and band of a mesh's distance field (m), where it does not set them itself.
double mesh_solid_cell(const spate_mesh_def *def, double finest_spacing);
double mesh_solid_band(const spate_mesh_def *def, double largest_radius);

spate_result mesh_solid_create(mesh_solid **solid, const spate_mesh_def *def, spate_collider_mode mode,
			       const collider_world *world, spate_error *error);
void mesh_solid_destroy(mesh_solid *solid);
size_t mesh_solid_bytes(const mesh_solid *solid);

// A sequence's shape at the end of a step from `begin` to `end` (s).
spate_result mesh_solid_move(mesh_solid *solid, double begin, double end, spate_error *error);
// Whether it is a sequence, and the fastest of its vertices (m/s) around now.
int mesh_solid_deforms(const mesh_solid *solid);
double mesh_solid_speed(const mesh_solid *solid);
// The box around it (m), now.
void mesh_solid_bounds(const mesh_solid *solid, vec3 *low, vec3 *high);
// The mesh as it lies; of a sequence, that of the frame before.
const spate_mesh *mesh_solid_mesh(const mesh_solid *solid);

// Distance to the solid (m), negative within; the band's width is the most there is.
float mesh_solid_distance(const mesh_solid *solid, vec3 p);
// The same with the direction away from it; a zero vector beyond the band.
float mesh_solid_slope(const mesh_solid *solid, vec3 p, vec3 *normal);

// Whether it is more than `reach` for certain; quick, and says no in case of doubt.
int mesh_solid_is_far(const mesh_solid *solid, vec3 p, float reach);
// Whether somewhere a wall is so thin that liquid could feel liquid through it.
int mesh_solid_is_thin(const mesh_solid *solid);

enum
{
	MESH_MOST_WALLS = 3 // in a corner
};

// How much room there is around a place.
typedef struct solid_gap
{
	float distance; // m, to the solid, negative within
	float
	    free; // m: a path from where the step began to a place that is closer to p than this goes through no triangle
} solid_gap;

// Whether p is well inside of the solid.
int mesh_solid_contains(const mesh_solid *solid, vec3 p);

// The walls around p closer than `reach`, for a particle that was at `from` when the step began: up to three, where it stands in a
// corner. Those that its path went through count, whatever is behind them.
int mesh_solid_walls(const mesh_solid *solid, vec3 from, vec3 p, float reach, wall out[SHAPE_MAX_WALLS],
		     solid_gap *gap);

// Distance to the nearest wall (m) and the direction away from it, infinite beyond `reach`; *corner becomes 1 where there are more. Infinite
// everywhere for a solid that is nowhere so thin that liquid could feel liquid through it.
float mesh_solid_beside(const mesh_solid *solid, vec3 p, float reach, vec3 *normal, int *corner);

// How far the surface nearest to p has moved by its own deformation in the step (m).
vec3 mesh_solid_drift(const mesh_solid *solid, vec3 p);

// Keeps a particle on its side of the triangles: if the path of the step from `from` to *p goes through one, *p becomes a place that the
// path reaches without, `contact` away from the wall if that can be. Returns whether it did.
int mesh_solid_hold(const mesh_solid *solid, vec3 from, vec3 *p, float contact);

// Whether a wall stands between two places at the beginning of the step.
int mesh_solid_separates(const mesh_solid *solid, vec3 a, vec3 b);

// The point of the surface nearest to p; 0 beyond the band.
int mesh_solid_touched(const mesh_solid *solid, vec3 p, triangle_point *out);

#endif
