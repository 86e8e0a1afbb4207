// Containers: almost invisible glass, and visible edges.
#include "base/parallel.h"
#include "render/draw_shape.h"
#include "render/line.h"

enum
{
	CIRCLE_STEPS = 96
};

typedef struct glass_pass
{
	const draw_caster *caster;
	const camera_view *view;
	const float *depth;
	vec3 *light;
} glass_pass;

static void tint(vec3 *light, vec3 colour, float opacity)
{
	*light = vec3_add_scaled(vec3_scale(*light, 1.0f - opacity), colour, opacity);
}

// Glass is brighter at grazing angles.
static float glass_opacity(const draw_caster *caster, vec3 ray, vec3 normal)
{
	vec3 d = vec3_add_scaled(vec3_add_scaled(caster->from_z, caster->from_x, ray.x), caster->from_y, ray.y);
	float graze = 1.0f - fabsf(vec3_dot(normal, d)) / vec3_length(d);
	return 0.018f + 0.16f * graze * graze * graze * graze;
}

static void draw_glass_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const glass_pass *pass = context;
	const draw_caster *caster = pass->caster;
	vec3 colour = vec3_make(0.86f, 0.93f, 1.0f);
	int top = (int)begin > caster->top ? (int)begin : caster->top;
	int bottom = (int)end < caster->bottom ? (int)end : caster->bottom;
	for (int row = top; row < bottom; row++)
		for (int column = caster->left; column < caster->right; column++)
		{
			vec3 ray = camera_ray(pass->view, (float)column + 0.5f, (float)row + 0.5f);
			size_t pixel = (size_t)row * (size_t)pass->view->width + (size_t)column;
			draw_hit hit;
			if (!draw_caster_hit(caster, ray.x, ray.y, &hit))
				continue;
			if (hit.leave > 0.0f && hit.leave < pass->depth[pixel])
				tint(pass->light + pixel, colour, glass_opacity(caster, ray, hit.leave_normal));
			if (hit.enter > 0.0f && hit.enter < pass->depth[pixel])
				tint(pass->light + pixel, colour, glass_opacity(caster, ray, hit.enter_normal));
		}
}

// Edges are first accumulated as coverage, so that joints between segments do not show.
typedef struct edge_pass
{
	const draw_shape *shape;
	const camera_view *view;
	const float *depth;
	float *coverage;
	vec3 *light;
	float width;
	float inverse_z0, inverse_z1; // at both ends of the current segment
	int left, top, right, bottom; // pixels touched
} edge_pass;

static void cover_edge(void *context, int x, int y, float coverage, float along)
{
	edge_pass *pass = context;
	size_t pixel = (size_t)y * (size_t)pass->view->width + (size_t)x;
	// 1 / depth is linear along a line of the picture
	float z = 1.0f / (pass->inverse_z0 + along * (pass->inverse_z1 - pass->inverse_z0));
	float shown = coverage * (z * 0.999f <= pass->depth[pixel] ? 0.80f : 0.13f);
	if (shown > pass->coverage[pixel])
		pass->coverage[pixel] = shown;
	pass->left = x < pass->left ? x : pass->left;
	pass->right = x >= pass->right ? x + 1 : pass->right;
	pass->top = y < pass->top ? y : pass->top;
	pass->bottom = y >= pass->bottom ? y + 1 : pass->bottom;
}

// A straight edge between two points in the shape's frame, clipped in front of the eye.
static void draw_edge(edge_pass *pass, vec3 from, vec3 to)
{
	const camera_view *view = pass->view;
	vec3 p = camera_to_view(view, draw_shape_point(pass->shape, from));
	vec3 q = camera_to_view(view, draw_shape_point(pass->shape, to));
	float near = 1e-3f * vec3_length(vec3_sub(p, q));
	if (!(p.z > near || q.z > near))
		return;
	vec3 pq = vec3_sub(q, p);
	if (p.z < near)
		p = vec3_add_scaled(p, pq, (near - p.z) / pq.z);
	if (q.z < near)
		q = vec3_add_scaled(p, vec3_sub(q, p), (near - p.z) / (q.z - p.z));
	pass->inverse_z0 = 1.0f / p.z;
	pass->inverse_z1 = 1.0f / q.z;
	line_cover(view->centre_x + view->focal * p.x / p.z, view->centre_y + view->focal * p.y / p.z,
		   view->centre_x + view->focal * q.x / q.z, view->centre_y + view->focal * q.y / q.z, pass->width,
		   view->width, view->height, cover_edge, pass);
}

// Two directions perpendicular to a unit axis and to each other.
static void make_across(vec3 axis, vec3 *u, vec3 *v)
{
	vec3 other = fabsf(axis.x) < 0.6f ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0);
	*u = vec3_normalize(vec3_cross(axis, other));
	*v = vec3_cross(axis, *u);
}

// The arc centre + radius (u cos + v sin) over a fraction of a turn.
static void draw_arc(edge_pass *pass, vec3 centre, vec3 u, vec3 v, float radius, float turns)
{
	vec3 last = vec3_add_scaled(centre, u, radius);
	int steps = (int)(CIRCLE_STEPS * turns + 0.5f);
	for (int k = 1; k <= steps; k++)
	{
		float angle = 6.2831853f * turns * (float)k / (float)steps;
		vec3 next = vec3_add_scaled(vec3_add_scaled(centre, u, radius * cosf(angle)), v, radius * sinf(angle));
		draw_edge(pass, last, next);
		last = next;
	}
}

static void draw_box(edge_pass *pass)
{
	vec3 a = pass->shape->a, b = pass->shape->b;
	for (int corner = 0; corner < 8; corner++)
		for (int axis = 0; axis < 3; axis++)
		{
			int other = corner | 1 << axis;
			if (other == corner)
				continue;
			vec3 p = {corner & 1 ? b.x : a.x, corner & 2 ? b.y : a.y, corner & 4 ? b.z : a.z};
			vec3 q = {other & 1 ? b.x : a.x, other & 2 ? b.y : a.y, other & 4 ? b.z : a.z};
			draw_edge(pass, p, q);
		}
}

// Draws the silhouette, a circle slightly nearer to the eye than the centre, and the equator.
static void draw_sphere(edge_pass *pass, vec3 eye)
{
	vec3 u, v, centre = pass->shape->a, to_eye = vec3_sub(eye, centre);
	float radius = pass->shape->radius, distance = vec3_length(to_eye);
	if (distance > radius)
	{
		float part = radius / distance;
		make_across(vec3_scale(to_eye, 1.0f / distance), &u, &v);
		draw_arc(pass, vec3_add_scaled(centre, to_eye, part * part), u, v, radius * sqrtf(1.0f - part * part),
			 1.0f);
	}
	draw_arc(pass, centre, vec3_make(1, 0, 0), vec3_make(0, 0, 1), radius, 1.0f);
}

// Rims and the two silhouette lines of the wall; a capsule adds two half circles at each end.
static void draw_round(edge_pass *pass, vec3 eye, int capsule)
{
	vec3 a = pass->shape->a, b = pass->shape->b, axis = vec3_normalize(vec3_sub(b, a)), u, v;
	float radius = pass->shape->radius;
	make_across(axis, &u, &v);
	draw_arc(pass, a, u, v, radius, 1.0f);
	draw_arc(pass, b, u, v, radius, 1.0f);

	vec3 to_eye = vec3_sub(eye, a);
	vec3 flat = vec3_add_scaled(to_eye, axis, -vec3_dot(to_eye, axis));
	float distance = vec3_length(flat);
	if (distance > radius)
	{
		vec3 towards = vec3_scale(flat, 1.0f / distance), side = vec3_cross(axis, towards);
		float cosine = radius / distance, sine = sqrtf(1.0f - cosine * cosine);
		for (int sign = -1; sign <= 1; sign += 2)
		{
			vec3 out =
			    vec3_add_scaled(vec3_scale(towards, radius * cosine), side, (float)sign * radius * sine);
			draw_edge(pass, vec3_add(a, out), vec3_add(b, out));
			if (capsule)
			{
				vec3 unit = vec3_normalize(out);
				draw_arc(pass, a, unit, vec3_scale(axis, -1.0f), radius, 0.25f);
				draw_arc(pass, b, unit, axis, radius, 0.25f);
			}
		}
	}
	if (capsule)
	{
		draw_arc(pass, a, u, vec3_scale(axis, -1.0f), radius, 0.5f);
		draw_arc(pass, b, u, axis, radius, 0.5f);
	}
}

// Blends the accumulated edges into the picture and clears the coverage.
static void blend_edges(edge_pass *pass)
{
	vec3 colour = vec3_add_scaled(vec3_make(0.62f, 0.62f, 0.62f), pass->shape->colour, 0.38f);
	for (int y = pass->top; y < pass->bottom; y++)
		for (int x = pass->left; x < pass->right; x++)
		{
			size_t pixel = (size_t)y * (size_t)pass->view->width + (size_t)x;
			tint(pass->light + pixel, colour, pass->coverage[pixel]);
			pass->coverage[pixel] = 0.0f;
		}
}

void draw_container(const draw_caster *caster, const camera_view *view, const float *depth, float width, int threads,
		    float *coverage, vec3 *light)
{
	if (!caster->visible || caster->shape->type == DRAW_PLANE)
		return;
	glass_pass glass = {caster, view, depth, light};
	parallel_for(threads, (size_t)view->height, 16, draw_glass_rows, &glass);

	edge_pass pass = {.shape = caster->shape,
			  .view = view,
			  .depth = depth,
			  .coverage = coverage,
			  .light = light,
			  .width = width,
			  .left = view->width,
			  .top = view->height};
	switch (caster->shape->type)
	{
	case DRAW_BOX:
		draw_box(&pass);
		break;
	case DRAW_SPHERE:
		draw_sphere(&pass, caster->origin);
		break;
	case DRAW_CAPSULE:
	case DRAW_CYLINDER:
		draw_round(&pass, caster->origin, caster->shape->type == DRAW_CAPSULE);
		break;
	case DRAW_PLANE:
		break;
	}
	blend_edges(&pass);
}
