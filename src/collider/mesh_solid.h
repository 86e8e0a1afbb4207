// A triangle mesh as a collider. Its distance field locates walls quickly; its triangles decide exactly whether a path crosses them.
//
// All points are in the mesh's frame: the file's coordinates, scaled, rotated and placed, relative to the world's origin. The
// collider applies any further motion.
#ifndef COLLIDER_MESH_SOLID_H
#define COLLIDER_MESH_SOLID_H

#include "collider/shape.h"
#include "mesh/triangle_tree.h"

// What colliders need to know about the world.
typedef struct collider_world
{
	double origin[3];      // m
	double fps;            // frames per second
	float spacing, radius; // m, of the finest fluid; largest kernel radius
	const char *field_folder;
	int threads;
	int quiet; // 1 to say nothing of meshes that enclose nothing
} collider_world;

typedef struct mesh_solid mesh_solid;

// Default cell and band of a mesh's distance field (m).
double mesh_solid_cell(const spate_mesh_def *def, double finest_spacing);
double mesh_solid_band(const spate_mesh_def *def, double largest_radius);

spate_result mesh_solid_create(mesh_solid **solid, const spate_mesh_def *def, spate_collider_mode mode,
			       const collider_world *world, spate_error *error);
void mesh_solid_destroy(mesh_solid *solid);
size_t mesh_solid_bytes(const mesh_solid *solid);

// Gives it the shape of a body that bends: places of the vertices (3 floats each) at the start of a step and at its end, and the speed of
// the fastest one (m/s). From then on distances are those to the triangles themselves, and the field is not used.
spate_result mesh_solid_bend(mesh_solid *solid, const float *before, const float *now, double speed,
			     spate_error *error);

// Sets a sequence's shape for a step from `begin` to `end` (s).
spate_result mesh_solid_move(mesh_solid *solid, double begin, double end, spate_error *error);
int mesh_solid_bends(const mesh_solid *solid);
// Places of its vertices now, of one that bends.
const float *mesh_solid_places(const mesh_solid *solid);
// Whether it is a sequence or bends, and the speed of its fastest vertex (m/s) at the current time.
int mesh_solid_deforms(const mesh_solid *solid);
// The frame of a sequence at the current time, with the fraction between two files; -1 for a single mesh.
double mesh_solid_frame(const mesh_solid *solid);
double mesh_solid_speed(const mesh_solid *solid);
// Its current bounding box (m).
void mesh_solid_bounds(const mesh_solid *solid, vec3 *low, vec3 *high);
// The placed mesh; for a sequence, that of the previous frame.
const spate_mesh *mesh_solid_mesh(const mesh_solid *solid);

// Whether there is an inside, as told from the mesh of its first frame.
int mesh_solid_encloses(const mesh_solid *solid);

// Distance to the solid (m), negative inside, clamped to the band.
float mesh_solid_distance(const mesh_solid *solid, vec3 p);
// The same with the direction away from it; a zero vector beyond the band.
float mesh_solid_slope(const mesh_solid *solid, vec3 p, vec3 *normal);

// Whether the distance is certainly more than `reach`; fast and conservative.
int mesh_solid_is_far(const mesh_solid *solid, vec3 p, float reach);
// Whether any wall is so thin that particles on its two sides would be neighbours.
int mesh_solid_is_thin(const mesh_solid *solid);

enum
{
	MESH_MOST_WALLS = 3 // in a corner
};

// The free space around a point.
typedef struct solid_gap
{
	float distance; // m, to the solid, negative within
	float
	    free; // m: a path from the start of the step to any place that is closer to p than this crosses no triangle
} solid_gap;

// Whether p is well inside the solid.
int mesh_solid_contains(const mesh_solid *solid, vec3 p);

// The walls around p closer than `reach`, for a particle that started the step at `from`: up to three, in a corner. A wall that its path
// crossed hides whatever is behind it.
int mesh_solid_walls(const mesh_solid *solid, vec3 from, vec3 p, float reach, wall out[SHAPE_MAX_WALLS],
		     solid_gap *gap);

// Distance to the nearest wall (m) and the direction away from it; infinite beyond `reach`. *corner is set to 1 if
// there are more walls. Always infinite for a solid without walls thin enough for liquid to interact through them.
float mesh_solid_beside(const mesh_solid *solid, vec3 p, float reach, vec3 *normal, int *corner);

// Displacement of the surface nearest to p by deformation in the step (m).
vec3 mesh_solid_drift(const mesh_solid *solid, vec3 p);

// Keeps a particle on its side of the triangles: if the path of the step from `from` to *p crosses one, *p is moved to a point that can
// be reached without crossing, at a distance of `contact` from the wall if possible. Returns whether *p was moved.
int mesh_solid_hold(const mesh_solid *solid, vec3 from, vec3 *p, float contact);

// Whether a wall lies between two points at the start of the step.
int mesh_solid_separates(const mesh_solid *solid, vec3 a, vec3 b);

// The point of the surface nearest to p; 0 beyond the band.
int mesh_solid_touched(const mesh_solid *solid, vec3 p, triangle_point *out);

#endif
