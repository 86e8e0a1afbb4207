// Cameras: the position of the eye and the projection of world points. Coordinates are float metres relative to an
// origin chosen by the caller, the same one that the drawn points use.
#ifndef BASE_CAMERA_H
#define BASE_CAMERA_H

#include "base/vec.h"

typedef struct camera
{
	vec3 position, target; // m
	vec3 up;               // any length; roughly up in the picture
	float fov;             // vertical field of view, degrees
} camera;

// The camera prepared for a picture of a certain size. View space: x right, y down (like pixel rows), z forward.
//
//	pixel x = centre_x + focal * x / z        the centre of the top left pixel is (0.5, 0.5)
typedef struct camera_view
{
	vec3 eye, right, down, forward;
	float focal, inverse_focal; // pixels, 1 / pixels
	float centre_x, centre_y;
	int width, height;
} camera_view;

// Makes a camera from double positions, subtracting `origin` first so that scenes far from zero lose no precision.
camera camera_make(dvec3 position, dvec3 target, vec3 up, float fov, dvec3 origin);

// Invalid cameras (eye at the target, up along the view, fov outside 1..170 or NaN) are corrected.
camera_view camera_look(const camera *from, int width, int height);

// The closest camera that sees the whole box from a three-quarter angle, a little from above, with a margin around it.
camera camera_frame(vec3 box_min, vec3 box_max, vec3 up, float fov, float aspect);

static inline vec3 camera_to_view(const camera_view *view, vec3 point)
{
	vec3 p = vec3_sub(point, view->eye);
	return vec3_make(vec3_dot(p, view->right), vec3_dot(p, view->down), vec3_dot(p, view->forward));
}

// Converts a direction or offset from view space to the world.
static inline vec3 camera_to_world(const camera_view *view, vec3 v)
{
	return vec3_add_scaled(vec3_add_scaled(vec3_scale(view->right, v.x), view->down, v.y), view->forward, v.z);
}

// The view-space ray through a point of the picture, with z = 1, so that its parameter is the depth.
static inline vec3 camera_ray(const camera_view *view, float x, float y)
{
	return vec3_make((x - view->centre_x) * view->inverse_focal, (y - view->centre_y) * view->inverse_focal, 1.0f);
}

// Pixel coordinates in x and y and the depth in z; 0 if the point is not in front of the eye.
int camera_project(const camera_view *view, vec3 point, vec3 *pixel);

#endif
