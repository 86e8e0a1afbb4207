#include "collider/shape.h"

#include "collider/motion.h"

#include <string.h>

solid_shape shape_make(const spate_shape *def, const double origin[3])
{
	vec3 a = {(float)(def->a[0] - origin[0]), (float)(def->a[1] - origin[1]), (float)(def->a[2] - origin[2])};
	vec3 b = {(float)(def->b[0] - origin[0]), (float)(def->b[1] - origin[1]), (float)(def->b[2] - origin[2])};
	if (def->type == SPATE_SHAPE_PLANE) // b is a direction
		b = vec3_normalize(vec3_make((float)def->b[0], (float)def->b[1], (float)def->b[2]));
	return (solid_shape){def->type, a, b, (float)def->radius};
}

// The nearest surface point as a single wall: distance to the shape (negative inside) and outward normal.
static wall nearest_of_box(const solid_shape *s, vec3 p)
{
	vec3 centre = vec3_scale(vec3_add(s->a, s->b), 0.5f), half = vec3_scale(vec3_sub(s->b, s->a), 0.5f);
	vec3 d = vec3_sub(p, centre);
	float q[3] = {fabsf(d.x) - half.x, fabsf(d.y) - half.y, fabsf(d.z) - half.z};
	float sign[3] = {d.x < 0 ? -1.0f : 1.0f, d.y < 0 ? -1.0f : 1.0f, d.z < 0 ? -1.0f : 1.0f};
	int deepest = q[0] > q[1] ? (q[0] > q[2] ? 0 : 2) : (q[1] > q[2] ? 1 : 2);
	if (q[deepest] <= 0.0f)
	{
		float n[3] = {0, 0, 0};
		n[deepest] = sign[deepest];
		return (wall){q[deepest], {n[0], n[1], n[2]}};
	}
	vec3 out = {q[0] > 0 ? q[0] * sign[0] : 0, q[1] > 0 ? q[1] * sign[1] : 0, q[2] > 0 ? q[2] * sign[2] : 0};
	float distance = vec3_length(out);
	return (wall){distance, vec3_scale(out, 1.0f / distance)};
}

// Distance from a point and the direction away from it; `up` when they coincide.
static wall nearest_of_ball(vec3 centre, float radius, vec3 p, vec3 up)
{
	vec3 d = vec3_sub(p, centre);
	float length = vec3_length(d);
	return (wall){length - radius, length > 0.0f ? vec3_scale(d, 1.0f / length) : up};
}

// Any unit vector perpendicular to an axis.
static vec3 across(vec3 axis)
{
	axis = vec3_normalize(axis);
	return vec3_normalize(vec3_cross(axis, fabsf(axis.x) < 0.5f ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0)));
}

static wall nearest_of_capsule(const solid_shape *s, vec3 p)
{
	vec3 axis = vec3_sub(s->b, s->a);
	float t = vec3_dot(vec3_sub(p, s->a), axis) / vec3_dot(axis, axis);
	t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
	return nearest_of_ball(vec3_add_scaled(s->a, axis, t), s->radius, p, across(axis));
}

// A place in the frame of a cylinder: coordinate along the axis, distance from it, and direction of that distance.
typedef struct cylinder_place
{
	vec3 axis, outward;
	float length, along, away;
} cylinder_place;

static cylinder_place place_in_cylinder(const solid_shape *s, vec3 p)
{
	cylinder_place c;
	c.axis = vec3_sub(s->b, s->a);
	c.length = vec3_length(c.axis);
	c.axis = vec3_scale(c.axis, 1.0f / c.length);
	vec3 d = vec3_sub(p, s->a);
	c.along = vec3_dot(d, c.axis);
	vec3 radial = vec3_add_scaled(d, c.axis, -c.along);
	c.away = vec3_length(radial);
	c.outward = c.away > 0.0f ? vec3_scale(radial, 1.0f / c.away) : across(c.axis);
	return c;
}

static wall nearest_of_cylinder(const solid_shape *s, vec3 p)
{
	cylinder_place c = place_in_cylinder(s, p);
	float side = c.away - s->radius, cap = fabsf(c.along - 0.5f * c.length) - 0.5f * c.length;
	vec3 cap_normal = vec3_scale(c.axis, c.along < 0.5f * c.length ? -1.0f : 1.0f);
	if (side <= 0.0f && cap <= 0.0f)
		return side > cap ? (wall){side, c.outward} : (wall){cap, cap_normal};
	vec3 out = vec3_add(vec3_scale(c.outward, side > 0 ? side : 0), vec3_scale(cap_normal, cap > 0 ? cap : 0));
	float distance = vec3_length(out);
	return (wall){distance, vec3_scale(out, 1.0f / distance)};
}

static wall nearest_of(const solid_shape *s, vec3 p)
{
	switch (s->type)
	{
	case SPATE_SHAPE_BOX:
		return nearest_of_box(s, p);
	case SPATE_SHAPE_SPHERE:
		return nearest_of_ball(s->a, s->radius, p, vec3_make(0, 1, 0));
	case SPATE_SHAPE_CAPSULE:
		return nearest_of_capsule(s, p);
	case SPATE_SHAPE_CYLINDER:
		return nearest_of_cylinder(s, p);
	default: // a plane; solid shapes have no other types
		break;
	}
	return (wall){vec3_dot(vec3_sub(p, s->a), s->b), s->b};
}

float shape_distance(const solid_shape *s, vec3 p)
{
	return nearest_of(s, p).distance;
}

static int add_wall(wall *out, int count, float reach, float distance, vec3 normal)
{
	if (distance < reach)
		out[count++] = (wall){distance, normal};
	return count;
}

int shape_walls(const solid_shape *s, spate_collider_mode mode, vec3 p, float reach, wall out[SHAPE_MAX_WALLS])
{
	int count = 0;
	if (mode == SPATE_COLLIDER_INSIDE && s->type == SPATE_SHAPE_BOX)
	{
		count = add_wall(out, count, reach, p.x - s->a.x, vec3_make(1, 0, 0));
		count = add_wall(out, count, reach, s->b.x - p.x, vec3_make(-1, 0, 0));
		count = add_wall(out, count, reach, p.y - s->a.y, vec3_make(0, 1, 0));
		count = add_wall(out, count, reach, s->b.y - p.y, vec3_make(0, -1, 0));
		count = add_wall(out, count, reach, p.z - s->a.z, vec3_make(0, 0, 1));
		return add_wall(out, count, reach, s->b.z - p.z, vec3_make(0, 0, -1));
	}
	if (mode == SPATE_COLLIDER_INSIDE && s->type == SPATE_SHAPE_CYLINDER)
	{
		cylinder_place c = place_in_cylinder(s, p);
		count = add_wall(out, count, reach, s->radius - c.away, vec3_scale(c.outward, -1.0f));
		count = add_wall(out, count, reach, c.along, c.axis);
		return add_wall(out, count, reach, c.length - c.along, vec3_scale(c.axis, -1.0f));
	}
	wall w = nearest_of(s, p);
	if (mode == SPATE_COLLIDER_INSIDE && s->type != SPATE_SHAPE_PLANE)
		w = (wall){-w.distance, vec3_scale(w.normal, -1.0f)};
	return add_wall(out, 0, reach, w.distance, w.normal);
}

wall shape_nearest_wall(const solid_shape *s, spate_collider_mode mode, vec3 p)
{
	wall walls[SHAPE_MAX_WALLS];
	int count = shape_walls(s, mode, p, INFINITY, walls), nearest = 0;
	for (int w = 1; w < count; w++)
		nearest = walls[w].distance < walls[nearest].distance ? w : nearest;
	return walls[nearest];
}

float shape_thickness(const solid_shape *s)
{
	vec3 size = vec3_sub(s->b, s->a);
	switch (s->type)
	{
	case SPATE_SHAPE_BOX:
		return fminf(size.x, fminf(size.y, size.z));
	case SPATE_SHAPE_CYLINDER:
		return fminf(2.0f * s->radius, vec3_length(size));
	case SPATE_SHAPE_SPHERE:
	case SPATE_SHAPE_CAPSULE:
		return 2.0f * s->radius;
	default:
		break;
	}
	return INFINITY;
}

// All shapes are convex, so that the distance along a line has one minimum, which is closed in on by thirds.
int shape_separates(const solid_shape *s, vec3 a, vec3 b)
{
	enum
	{
		ROUNDS = 10
	};
	vec3 way = vec3_sub(b, a);
	float low = 0.0f, high = 1.0f, least = INFINITY;
	for (int k = 0; k < ROUNDS && least >= 0.0f; k++)
	{
		float third = (high - low) / 3.0f;
		float left = shape_distance(s, vec3_add_scaled(a, way, low + third)),
		      right = shape_distance(s, vec3_add_scaled(a, way, high - third));
		low = left < right ? low : low + third;
		high = left < right ? high - third : high;
		least = fminf(least, fminf(left, right));
	}
	return least < 0.0f;
}

static double axis_length(const spate_shape *def)
{
	return hypot(hypot(def->b[0] - def->a[0], def->b[1] - def->a[1]), def->b[2] - def->a[2]);
}

float shape_solid_distance(const solid_shape *s, spate_collider_mode mode, vec3 p)
{
	if (mode == SPATE_COLLIDER_OUTSIDE || s->type == SPATE_SHAPE_PLANE)
		return shape_distance(s, p);
	if (s->type == SPATE_SHAPE_BOX)
	{
		float x = p.x - s->a.x < s->b.x - p.x ? p.x - s->a.x : s->b.x - p.x;
		float y = p.y - s->a.y < s->b.y - p.y ? p.y - s->a.y : s->b.y - p.y;
		float z = p.z - s->a.z < s->b.z - p.z ? p.z - s->a.z : s->b.z - p.z;
		float least = x < y ? x : y;
		return least < z ? least : z;
	}
	if (s->type == SPATE_SHAPE_CYLINDER)
	{
		cylinder_place c = place_in_cylinder(s, p);
		float side = s->radius - c.away, cap = c.along < c.length - c.along ? c.along : c.length - c.along;
		return side < cap ? side : cap;
	}
	return -shape_distance(s, p);
}

static void bounds_of_turned(const spate_shape *def, const double half[3], int ball, double low[3], double high[3])
{
	double r[9], centre[3];
	shape_turn(def, r, centre);
	for (int k = 0; k < 3; k++)
	{
		const double *row = r + 3 * k;
		double x = row[0] * half[0], y = row[1] * half[1], z = row[2] * half[2];
		double reach = ball ? sqrt(x * x + y * y + z * z) : fabs(x) + fabs(y) + fabs(z);
		low[k] = centre[k] - reach;
		high[k] = centre[k] + reach;
	}
}

// Box around the vertices where they are placed; that of a mesh which has not been read is its position.
static void bounds_of_mesh(const spate_mesh_def *def, double low[3], double high[3])
{
	double r[9];
	motion_rotation(def->rotation, r);
	memcpy(low, def->position, 3 * sizeof *low);
	memcpy(high, def->position, 3 * sizeof *high);
	for (uint32_t v = 0; def->mesh && v < def->mesh->vertex_count; v++)
	{
		const float *p = def->mesh->positions + 3 * (size_t)v;
		for (int k = 0; k < 3; k++)
		{
			const double *row = r + 3 * k;
			double x =
			    def->scale * (row[0] * (double)p[0] + row[1] * (double)p[1] + row[2] * (double)p[2]) +
			    def->position[k];
			low[k] = v == 0 ? x : fmin(low[k], x);
			high[k] = v == 0 ? x : fmax(high[k], x);
		}
	}
}

static int bounds_of_union(const spate_shape *def, double low[3], double high[3])
{
	int bounded = def->part_count > 0;
	for (uint32_t n = 0; n < def->part_count; n++)
	{
		double a[3], b[3];
		bounded &= shape_bounds(&def->parts[n], a, b);
		for (int k = 0; k < 3; k++)
		{
			low[k] = n == 0 ? a[k] : fmin(low[k], a[k]);
			high[k] = n == 0 ? b[k] : fmax(high[k], b[k]);
		}
	}
	return bounded;
}

int shape_is_unread(const spate_shape *def)
{
	int unread = def->type == SPATE_SHAPE_MESH && !def->mesh.mesh;
	for (uint32_t n = 0; n < def->part_count && !unread; n++)
		unread = shape_is_unread(&def->parts[n]);
	return unread;
}

int shape_is_turned(const spate_shape *def)
{
	const double *r = def->rotation;
	return r[0] != 0.0 || r[1] != 0.0 || r[2] != 0.0;
}

void shape_turn(const spate_shape *def, double rotation[9], double centre[3])
{
	motion_rotation(def->rotation, rotation);
	for (int k = 0; k < 3; k++)
		centre[k] = def->type == SPATE_SHAPE_BOX ? 0.5 * (def->a[k] + def->b[k]) : def->a[k];
}

static int bounds_of_plain(const spate_shape *def, double low[3], double high[3])
{
	int plane = def->type == SPATE_SHAPE_PLANE;
	double length = axis_length(def);
	for (int k = 0; k < 3; k++)
	{
		double reach = def->type == SPATE_SHAPE_BOX ? 0.0 : def->radius;
		// a disc extends only perpendicular to the axis
		if (def->type == SPATE_SHAPE_CYLINDER && length > 0.0)
		{
			double along = (def->b[k] - def->a[k]) / length;
			reach *= sqrt(fmax(0.0, 1.0 - along * along));
		}
		double b = def->type == SPATE_SHAPE_SPHERE ? def->a[k] : def->b[k];
		low[k] = plane ? -INFINITY : fmin(def->a[k], b) - reach;
		high[k] = plane ? INFINITY : fmax(def->a[k], b) + reach;
	}
	return !plane;
}

int shape_bounds(const spate_shape *def, double low[3], double high[3])
{
	double half[3];
	for (int k = 0; k < 3; k++)
		half[k] = def->type == SPATE_SHAPE_ELLIPSOID ? def->b[k] : 0.5 * (def->b[k] - def->a[k]);
	switch (def->type)
	{
	case SPATE_SHAPE_MESH:
		bounds_of_mesh(&def->mesh, low, high);
		return 1;
	case SPATE_SHAPE_UNION:
		return bounds_of_union(def, low, high);
	case SPATE_SHAPE_DIFFERENCE:
		return shape_bounds(&def->parts[0], low, high);
	case SPATE_SHAPE_ELLIPSOID:
		bounds_of_turned(def, half, 1, low, high);
		return 1;
	default:
		if (def->type != SPATE_SHAPE_BOX || !shape_is_turned(def))
			return bounds_of_plain(def, low, high);
		bounds_of_turned(def, half, 0, low, high);
		return 1;
	}
}

double shape_volume(const spate_shape *def)
{
	const double pi = 3.14159265358979323846, r = def->radius, ball = 4.0 / 3.0 * pi * r * r * r;
	switch (def->type)
	{
	case SPATE_SHAPE_BOX:
		return (def->b[0] - def->a[0]) * (def->b[1] - def->a[1]) * (def->b[2] - def->a[2]);
	case SPATE_SHAPE_SPHERE:
		return ball;
	case SPATE_SHAPE_CAPSULE:
		return ball + pi * r * r * axis_length(def);
	case SPATE_SHAPE_CYLINDER:
		return pi * r * r * axis_length(def);
	case SPATE_SHAPE_ELLIPSOID:
		return 4.0 / 3.0 * pi * def->b[0] * def->b[1] * def->b[2];
	default:
		break;
	}
	return INFINITY;
}
