#include "render/draw_shape.h"

#include "base/parallel.h"
#include "render/splat_kernel.h"

#include <float.h>

static const float identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static const float *rotation_of(const draw_shape *shape)
{
	for (int k = 0; k < 9; k++)
		if (shape->rotation[k] != 0.0f)
			return shape->rotation;
	return identity;
}

vec3 draw_shape_to_world(const draw_shape *shape, vec3 v)
{
	const float *r = rotation_of(shape);
	return vec3_make(r[0] * v.x + r[1] * v.y + r[2] * v.z, r[3] * v.x + r[4] * v.y + r[5] * v.z,
			 r[6] * v.x + r[7] * v.y + r[8] * v.z);
}

vec3 draw_shape_point(const draw_shape *shape, vec3 own)
{
	return vec3_add(draw_shape_to_world(shape, own), shape->translation);
}

// A rotation's inverse is its transpose.
static vec3 turn_back(const draw_shape *shape, vec3 v)
{
	const float *r = rotation_of(shape);
	return vec3_make(r[0] * v.x + r[3] * v.y + r[6] * v.z, r[1] * v.x + r[4] * v.y + r[7] * v.z,
			 r[2] * v.x + r[5] * v.y + r[8] * v.z);
}

vec3 draw_shape_to_own(const draw_shape *shape, vec3 point)
{
	return turn_back(shape, vec3_sub(point, shape->translation));
}

// Bounding sphere of a shape, in its own frame.
static void bounding_sphere(const draw_shape *shape, vec3 *centre, float *radius)
{
	float half = 0.5f * vec3_length(vec3_sub(shape->b, shape->a));
	*centre = vec3_scale(vec3_add(shape->a, shape->b), 0.5f);
	switch (shape->type)
	{
	case DRAW_SPHERE:
		*centre = shape->a;
		*radius = shape->radius;
		break;
	case DRAW_CAPSULE:
		*radius = half + shape->radius;
		break;
	case DRAW_CYLINDER:
		*radius = sqrtf(half * half + shape->radius * shape->radius);
		break;
	default:
		*radius = half;
	}
}

// The pixels of the bounding sphere; all pixels when the eye is too close for a bound.
static void bound_pixels(draw_caster *caster, const camera_view *view)
{
	caster->right = view->width;
	caster->bottom = view->height;
	caster->visible = 1;
	if (caster->shape->type == DRAW_PLANE)
		return;
	vec3 centre;
	float radius, low, high;
	bounding_sphere(caster->shape, &centre, &radius);
	vec3 at = camera_to_view(view, draw_shape_point(caster->shape, centre));
	if (!(radius > 0.0f) || !vec3_is_finite(at) || at.z <= -radius)
		caster->visible = 0;
	else if (at.z > 1.02f * radius)
	{
		splat_extent(at.x / at.z, radius / at.z, &low, &high);
		caster->left = (int)fminf(fmaxf(view->centre_x + view->focal * low - 1.0f, 0.0f), (float)view->width);
		caster->right = (int)fminf(fmaxf(view->centre_x + view->focal * high + 2.0f, 0.0f), (float)view->width);
		splat_extent(at.y / at.z, radius / at.z, &low, &high);
		caster->top = (int)fminf(fmaxf(view->centre_y + view->focal * low - 1.0f, 0.0f), (float)view->height);
		caster->bottom =
		    (int)fminf(fmaxf(view->centre_y + view->focal * high + 2.0f, 0.0f), (float)view->height);
	}
}

draw_caster draw_caster_make(const draw_shape *shape, const camera_view *view)
{
	draw_caster caster = {
	    .shape = shape,
	    .origin = draw_shape_to_own(shape, view->eye),
	    .from_x = turn_back(shape, view->right),
	    .from_y = turn_back(shape, view->down),
	    .from_z = turn_back(shape, view->forward),
	};
	bound_pixels(&caster, view);
	return caster;
}

static int hit_plane(const draw_shape *s, vec3 o, vec3 d, draw_hit *hit)
{
	vec3 normal = vec3_normalize(s->b);
	float above = vec3_dot(vec3_sub(o, s->a), normal), falling = -vec3_dot(d, normal);
	if (!(above > 0.0f && falling > 0.0f))
		return 0;
	*hit = (draw_hit){above / falling, above / falling, normal, normal};
	return 1;
}

// Clips the interval to the slab low <= o + t d <= high along one axis.
static int clip_slab(float o, float d, float low, float high, vec3 axis, draw_hit *hit)
{
	if (d == 0.0f)
		return o >= low && o <= high;
	float first = (low - o) / d, second = (high - o) / d;
	vec3 first_normal = vec3_scale(axis, -1.0f), second_normal = axis;
	if (d < 0.0f)
	{
		float swap = first;
		first = second;
		second = swap;
		first_normal = axis;
		second_normal = vec3_scale(axis, -1.0f);
	}
	if (first > hit->enter)
	{
		hit->enter = first;
		hit->enter_normal = first_normal;
	}
	if (second < hit->leave)
	{
		hit->leave = second;
		hit->leave_normal = second_normal;
	}
	return hit->enter < hit->leave;
}

static int hit_box(const draw_shape *s, vec3 o, vec3 d, draw_hit *hit)
{
	*hit = (draw_hit){.enter = -FLT_MAX, .leave = FLT_MAX};
	return clip_slab(o.x, d.x, fminf(s->a.x, s->b.x), fmaxf(s->a.x, s->b.x), vec3_make(1, 0, 0), hit) &&
	       clip_slab(o.y, d.y, fminf(s->a.y, s->b.y), fmaxf(s->a.y, s->b.y), vec3_make(0, 1, 0), hit) &&
	       clip_slab(o.z, d.z, fminf(s->a.z, s->b.z), fmaxf(s->a.z, s->b.z), vec3_make(0, 0, 1), hit);
}

// Both crossings are equally far from the point of the ray nearest to the centre.
static int hit_sphere(vec3 centre, float radius, vec3 o, vec3 d, draw_hit *hit)
{
	vec3 to = vec3_sub(centre, o);
	float length2 = vec3_dot(d, d), nearest = vec3_dot(to, d) / length2;
	vec3 off = vec3_sub(vec3_scale(d, nearest), to);
	float square = (radius * radius - vec3_dot(off, off)) / length2;
	if (!(square > 0.0f))
		return 0;
	float half = sqrtf(square);
	vec3 along = vec3_scale(d, half);
	*hit = (draw_hit){nearest - half, nearest + half, vec3_normalize(vec3_sub(off, along)),
			  vec3_normalize(vec3_add(off, along))};
	return 1;
}

// The wall only: without the components along the axis, the ray is tested against a circle.
static int hit_wall(const draw_shape *s, vec3 axis, float length, vec3 o, vec3 d, draw_hit *hit)
{
	vec3 to = vec3_sub(s->a, o);
	vec3 flat_d = vec3_add_scaled(d, axis, -vec3_dot(d, axis)),
	     flat_to = vec3_add_scaled(to, axis, -vec3_dot(to, axis));
	if (vec3_dot(flat_d, flat_d) > 1e-12f * vec3_dot(d, d))
	{
		if (!hit_sphere(vec3_make(0, 0, 0), s->radius, vec3_scale(flat_to, -1.0f), flat_d, hit))
			return 0;
	}
	else if (vec3_dot(flat_to, flat_to) <= s->radius * s->radius)
		*hit = (draw_hit){.enter = -FLT_MAX, .leave = FLT_MAX};
	else
		return 0;
	return clip_slab(-vec3_dot(to, axis), vec3_dot(d, axis), 0.0f, length, axis, hit);
}

static int hit_cylinder(const draw_shape *s, vec3 o, vec3 d, draw_hit *hit)
{
	vec3 axis = vec3_sub(s->b, s->a);
	float length = vec3_length(axis);
	return length > 0.0f && hit_wall(s, vec3_scale(axis, 1.0f / length), length, o, d, hit);
}

// A capsule is convex, so the ray is inside from the first entry to the last exit of its three parts.
static int hit_capsule(const draw_shape *s, vec3 o, vec3 d, draw_hit *hit)
{
	draw_hit part[3];
	int inside[3] = {hit_sphere(s->a, s->radius, o, d, &part[0]), hit_sphere(s->b, s->radius, o, d, &part[1]),
			 hit_cylinder(s, o, d, &part[2])};
	*hit = (draw_hit){.enter = FLT_MAX, .leave = -FLT_MAX};
	for (int k = 0; k < 3; k++)
	{
		if (inside[k] && part[k].enter < hit->enter)
		{
			hit->enter = part[k].enter;
			hit->enter_normal = part[k].enter_normal;
		}
		if (inside[k] && part[k].leave > hit->leave)
		{
			hit->leave = part[k].leave;
			hit->leave_normal = part[k].leave_normal;
		}
	}
	return hit->enter < hit->leave;
}

int draw_caster_hit(const draw_caster *caster, float x, float y, draw_hit *hit)
{
	const draw_shape *s = caster->shape;
	vec3 o = caster->origin;
	vec3 d = vec3_add_scaled(vec3_add_scaled(caster->from_z, caster->from_x, x), caster->from_y, y);
	switch (s->type)
	{
	case DRAW_PLANE:
		return hit_plane(s, o, d, hit);
	case DRAW_BOX:
		return hit_box(s, o, d, hit);
	case DRAW_SPHERE:
		return hit_sphere(s->a, s->radius, o, d, hit);
	case DRAW_CAPSULE:
		return hit_capsule(s, o, d, hit);
	case DRAW_CYLINDER:
		return hit_cylinder(s, o, d, hit);
	}
	return 0;
}

typedef struct depth_pass
{
	const camera_view *view;
	const draw_caster *casters;
	int count, planes;
	float *depth;
	uint32_t *id;
} depth_pass;

static void draw_depth_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const depth_pass *pass = context;
	const camera_view *view = pass->view;
	for (int k = 0; k < pass->count; k++)
	{
		const draw_caster *caster = pass->casters + k;
		int plane = caster->shape->type == DRAW_PLANE;
		if (!caster->visible || (plane ? !pass->planes : caster->shape->container))
			continue;
		int top = (int)begin > caster->top ? (int)begin : caster->top;
		int bottom = (int)end < caster->bottom ? (int)end : caster->bottom;
		for (int row = top; row < bottom; row++)
			for (int column = caster->left; column < caster->right; column++)
			{
				vec3 ray = camera_ray(view, (float)column + 0.5f, (float)row + 0.5f);
				size_t pixel = (size_t)row * (size_t)view->width + (size_t)column;
				draw_hit hit;
				if (!draw_caster_hit(caster, ray.x, ray.y, &hit))
					continue;
				// from inside a solid, its far wall is visible
				float at = hit.enter > 0.0f ? hit.enter : hit.leave;
				if (at > 0.0f && at < pass->depth[pixel])
				{
					pass->depth[pixel] = at;
					pass->id[pixel] = DRAW_SHAPE_ID | (uint32_t)k;
				}
			}
	}
}

void draw_shapes_depth(const camera_view *view, const draw_caster *casters, int count, int planes, int threads,
		       float *depth, uint32_t *id)
{
	depth_pass pass = {view, casters, count, planes, depth, id};
	parallel_for(threads, (size_t)view->height, 16, draw_depth_rows, &pass);
}
