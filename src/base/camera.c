#include "base/camera.h"

static const float pi = 3.14159265f;

camera camera_make(dvec3 position, dvec3 target, vec3 up, float fov, dvec3 origin)
{
	return (camera){
	    .position = {(float)(position.x - origin.x), (float)(position.y - origin.y),
			 (float)(position.z - origin.z)},
	    .target = {(float)(target.x - origin.x), (float)(target.y - origin.y), (float)(target.z - origin.z)},
	    .up = up,
	    .fov = fov,
	};
}

static float sensible_fov(float fov)
{
	if (!(fov == fov))
		return 35.0f;
	return fov < 1.0f ? 1.0f : fov > 170.0f ? 170.0f : fov;
}

// Right and down axes for a view direction; an `up` parallel to it is replaced by the axis closest to perpendicular.
static void make_axes(camera_view *view, vec3 up)
{
	vec3 right = vec3_cross(view->forward, vec3_normalize(up));
	if (!(vec3_length(right) > 1e-4f))
	{
		vec3 f = view->forward;
		int x_least = fabsf(f.x) <= fabsf(f.y) && fabsf(f.x) <= fabsf(f.z);
		up = x_least ? vec3_make(1, 0, 0) : fabsf(f.y) <= fabsf(f.z) ? vec3_make(0, 1, 0) : vec3_make(0, 0, 1);
		right = vec3_cross(f, up);
	}
	view->right = vec3_normalize(right);
	view->down = vec3_cross(view->forward, view->right);
}

camera_view camera_look(const camera *from, int width, int height)
{
	camera_view view = {.eye = from->position, .width = width, .height = height};
	view.forward = vec3_normalize(vec3_sub(from->target, from->position));
	if (!vec3_is_finite(view.forward) || vec3_length(view.forward) < 0.5f)
		view.forward = vec3_make(0, 0, -1);
	make_axes(&view, from->up);
	float half = sensible_fov(from->fov) * (pi / 360.0f);
	view.focal = 0.5f * (float)height / tanf(half);
	view.inverse_focal = 1.0f / view.focal;
	view.centre_x = 0.5f * (float)width;
	view.centre_y = 0.5f * (float)height;
	return view;
}

// Looking along `forward`, corner i at (x_i, z_i) seen from a camera at (c, -d) is inside an angle of tangent t when
//	x_i - c <= t (z_i + d)   and   c - x_i <= t (z_i + d).
// With A = max(x_i - t z_i) and B = max(-x_i - t z_i) the closest camera has c = (A - B) / 2 and t d = (A + B) / 2.
static void fit_axis(const float *x, const float *z, int count, float tangent, float *c, float *d)
{
	float a = -INFINITY, b = -INFINITY;
	for (int k = 0; k < count; k++)
	{
		a = fmaxf(a, x[k] - tangent * z[k]);
		b = fmaxf(b, -x[k] - tangent * z[k]);
	}
	*c = 0.5f * (a - b);
	*d = 0.5f * (a + b) / tangent;
}

camera camera_frame(vec3 box_min, vec3 box_max, vec3 up, float fov, float aspect)
{
	const float azimuth = 0.60f, elevation = 0.36f; // radians
	const float margin = 1.12f;                     // size of the picture relative to the box
	if (!vec3_is_finite(box_min) || !vec3_is_finite(box_max))
		box_min = vec3_make(-0.5f, -0.5f, -0.5f), box_max = vec3_make(0.5f, 0.5f, 0.5f);
	if (!(aspect > 0.0f))
		aspect = 1.0f;
	up = vec3_normalize(up);
	if (!(vec3_length(up) > 0.5f))
		up = vec3_make(0, 1, 0);

	// look from the front, turned to the right, from above; front is +z, or -y where z points up
	vec3 front = fabsf(up.z) > 0.9f ? vec3_make(0, -1, 0) : vec3_make(0, 0, 1);
	vec3 side = vec3_normalize(vec3_cross(up, front));
	front = vec3_cross(side, up);
	vec3 level = vec3_add(vec3_scale(front, cosf(azimuth)), vec3_scale(side, sinf(azimuth)));
	camera_view view = {0};
	view.forward = vec3_sub(vec3_scale(level, -cosf(elevation)), vec3_scale(up, sinf(elevation)));
	make_axes(&view, up);

	// the corners around the middle of the box, in view axes
	vec3 middle = vec3_scale(vec3_add(box_min, box_max), 0.5f);
	float x[8], y[8], z[8];
	for (int k = 0; k < 8; k++)
	{
		vec3 corner = vec3_make(k & 1 ? box_max.x : box_min.x, k & 2 ? box_max.y : box_min.y,
					k & 4 ? box_max.z : box_min.z);
		vec3 p = vec3_sub(corner, middle);
		x[k] = vec3_dot(p, view.right);
		y[k] = vec3_dot(p, view.down);
		z[k] = vec3_dot(p, view.forward);
	}
	float tangent = tanf(sensible_fov(fov) * (pi / 360.0f)) / margin, cx, cy, dx, dy;
	fit_axis(x, z, 8, tangent * aspect, &cx, &dx);
	fit_axis(y, z, 8, tangent, &cy, &dy);
	float distance = fmaxf(fmaxf(dx, dy), 1e-3f);

	vec3 target = vec3_add_scaled(vec3_add_scaled(middle, view.right, cx), view.down, cy);
	return (camera){
	    .position = vec3_add_scaled(target, view.forward, -distance), .target = target, .up = up, .fov = fov};
}

int camera_project(const camera_view *view, vec3 point, vec3 *pixel)
{
	vec3 p = camera_to_view(view, point);
	if (!(p.z > 0.0f))
		return 0;
	*pixel = vec3_make(view->centre_x + view->focal * p.x / p.z, view->centre_y + view->focal * p.y / p.z, p.z);
	return 1;
}
