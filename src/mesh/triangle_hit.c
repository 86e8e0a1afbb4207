// Finds where a path first hits the mesh.
//
// A path a b crosses a triangle if its ends lie on different sides of the plane and it passes all three edges on the
// same side: five signs of tetrahedron volumes. They are computed in double with an error bound (Shewchuk's orient3d,
// filter A), and exactly where that is inconclusive. So neighbours agree about their common edge, which belongs to
// both, and nothing slips between them. In addition, paths that miss an edge by no more than the rounding of the
// coordinates count as hits, which closes seams whose sides do not share their vertices.
#include "mesh/tree_nodes.h"
#include "mesh/volume.h"

#include <math.h>

// slightly more than (7 + 56 e) e of orient3d with e = 2^-53
static const double volume_error = 1e-15;

// A path and the best hit so far.
typedef struct path
{
	float start[3], end[3]; // m
	dvec3 a, b, way;        // m
	f4 low[3], high[3];     // m, box around the rest of the path, with a margin
	float direction[3];     // m
	float margin;           // m
	int is_long;            // compared to triangles: its box is then a poor bound

	uint32_t triangle;
	double t;
	double volumes[3]; // of the path with the edge opposite each corner, not negative
	int found, side;   // side: 1 if the path runs along the normal, -1 against it
} path;

// The rest of the path ends at the hit.
static void set_box(path *p)
{
	double t = p->t + 0x1p-20, from[3] = {p->a.x, p->a.y, p->a.z}, way[3] = {p->way.x, p->way.y, p->way.z};
	for (int k = 0; k < 3; k++)
	{
		float a = p->start[k], b = t < 1.0 ? (float)(from[k] + t * way[k]) : p->end[k];
		p->low[k] = f4_all((a < b ? a : b) - p->margin);
		p->high[k] = f4_all((a > b ? a : b) + p->margin);
	}
}

static double absolute_product(dvec3 u, dvec3 v, dvec3 w)
{
	return (fabs(u.y * v.z) + fabs(u.z * v.y)) * fabs(w.x) + (fabs(u.z * v.x) + fabs(u.x * v.z)) * fabs(w.y) +
	       (fabs(u.x * v.y) + fabs(u.y * v.x)) * fabs(w.z);
}

// Sign of det(u, v, w), with u = q - p, v = r - p, w = s - p. `value` is the determinant in double precision.
static inline int sign_of(double value, dvec3 u, dvec3 v, dvec3 w, const float *p, const float *q, const float *r,
			  const float *s)
{
	double error = volume_error * absolute_product(u, v, w);
	if (value > error)
		return 1;
	if (value < -error)
		return -1;
	return error > 0.0 ? volume_sign(p, q, r, s) : 0;
}

// Whether a path that crosses the plane at t outside edge k does so within rounding of the edge.
static int near_edge(const triangle_tree *tree, const path *p, const tree_slot *s, int k, double w, double along,
		     double t, dvec3 normal)
{
	const float *from = s->corner[(k + 1) % 3], *to = s->corner[(k + 2) % 3];
	dvec3 e = {(double)to[0] - from[0], (double)to[1] - from[1], (double)to[2] - from[2]};
	double rounding = tree->rounding, reach = rounding * along;
	if (!(w * w * dvec3_dot(normal, normal) <= reach * reach * dvec3_dot(e, e)))
		return 0;

	// also check the box: near a sharp corner the distance to the edge alone would accept far points
	double place[3] = {p->a.x + t * p->way.x, p->a.y + t * p->way.y, p->a.z + t * p->way.z};
	for (int i = 0; i < 3; i++)
	{
		float low = fminf(fminf(s->corner[0][i], s->corner[1][i]), s->corner[2][i]);
		float high = fmaxf(fmaxf(s->corner[0][i], s->corner[1][i]), s->corner[2][i]);
		if (!(place[i] >= low - rounding && place[i] <= high + rounding))
			return 0;
	}
	return 1;
}

// The value, with a sign that is known exactly.
static double with_sign(double value, int sign)
{
	return sign == 0 ? 0.0 : sign * fmax(fabs(value), 0x1p-1000);
}

static void try_triangle(const triangle_tree *tree, path *p, uint32_t slot)
{
	const tree_slot *s = &tree->slots[slot];
	dvec3 v0 = corner_of(s, 0), v1 = corner_of(s, 1), v2 = corner_of(s, 2);
	dvec3 e1 = dvec3_sub(v1, v0), e2 = dvec3_sub(v2, v0), n = dvec3_cross(e1, e2);
	dvec3 qa = dvec3_sub(p->a, v0), qb = dvec3_sub(p->b, v0);
	double va = dvec3_dot(n, qa), vb = dvec3_dot(n, qb);

	// reject if both ends are on one side or both in the plane
	int sa = sign_of(va, e1, e2, qa, s->corner[0], s->corner[1], s->corner[2], p->start);
	int sb = sign_of(vb, e1, e2, qb, s->corner[0], s->corner[1], s->corner[2], p->end);
	if (sa == sb)
		return;
	va = with_sign(va, sa);
	vb = with_sign(vb, sb);
	double along = vb - va, t = va / (va - vb);
	if (p->found && (t > p->t || (t == p->t && s->triangle > p->triangle)))
		return;

	int side = along > 0.0 ? 1 : -1;
	dvec3 c[3] = {dvec3_sub(v0, p->a), dvec3_sub(v1, p->a), dvec3_sub(v2, p->a)};
	double volumes[3];
	for (int k = 0; k < 3; k++)
	{
		int i = (k + 1) % 3, j = (k + 2) % 3;
		double w = dvec3_dot(p->way, dvec3_cross(c[i], c[j]));
		int sign = side * sign_of(w, c[i], c[j], p->way, p->start, s->corner[i], s->corner[j], p->end);
		if (sign < 0 && !near_edge(tree, p, s, k, w, along, t, n))
			return;
		volumes[k] = sign > 0 ? fabs(w) : 0.0;
	}
	p->found = 1;
	p->side = side;
	p->triangle = s->triangle;
	p->t = t;
	for (int k = 0; k < 3; k++)
		p->volumes[k] = volumes[k];
	set_box(p);
}

// Which of the four boxes the line through the path may hit: tests the separating axes perpendicular to the path and
// one box edge.
static unsigned boxes_on_line(const tree_node *n, const path *p)
{
	const float *d = p->direction;
	f4 m[3], e[3];
	for (int k = 0; k < 3; k++)
	{
		m[k] = (n->low[k] + n->high[k]) * f4_all(0.5f) - f4_all(p->start[k]);
		e[k] = (n->high[k] - n->low[k]) * f4_all(0.5f) + f4_all(p->margin);
	}
	i4 on = {-1, -1, -1, -1};
	for (int k = 0; k < 3; k++)
	{
		int i = (k + 1) % 3, j = (k + 2) % 3;
		f4 away = f4_abs(m[i] * f4_all(d[j]) - m[j] * f4_all(d[i]));
		on &= away <= e[i] * f4_all(fabsf(d[j])) + e[j] * f4_all(fabsf(d[i]));
	}
	return i4_bits(on);
}

static unsigned boxes_on_path(const tree_node *n, const path *p)
{
	i4 on = (n->low[0] <= p->high[0]) & (n->high[0] >= p->low[0]) & (n->low[1] <= p->high[1]) &
		(n->high[1] >= p->low[1]) & (n->low[2] <= p->high[2]) & (n->high[2] >= p->low[2]);
	unsigned bits = i4_bits(on);
	return bits != 0 && p->is_long ? bits & boxes_on_line(n, p) : bits;
}

// Pushes the children in `bits`, those further along the path first. Returns the new height of the stack.
static int push_in_order(uint32_t *stack, int height, const tree_node *n, const path *p, unsigned bits)
{
	f4 along = f4_all(0.0f);
	for (int k = 0; k < 3; k++)
		along += (n->low[k] + n->high[k]) * f4_all(p->direction[k]);
	float keys[TREE_WIDTH];
	int count = 0;
	for (int lane = 0; lane < TREE_WIDTH; lane++)
	{
		if (!(bits >> lane & 1u))
			continue;
		int k = count++;
		for (; k > 0 && keys[k - 1] < along[lane]; k--)
		{
			keys[k] = keys[k - 1];
			stack[height + k] = stack[height + k - 1];
		}
		keys[k] = along[lane];
		stack[height + k] = n->child[lane];
	}
	return height + count;
}

static void walk(const triangle_tree *tree, path *p)
{
	uint32_t stack[TREE_STACK];
	int height = 0;
	stack[height++] = 0;
	while (height > 0)
	{
		uint32_t child = stack[--height];
		if (child_is_leaf(child))
		{
			for (uint32_t i = leaf_first(child), end = i + leaf_count(child); i < end; i++)
				try_triangle(tree, p, i);
			continue;
		}
		const tree_node *n = &tree->nodes[child];
		unsigned bits = boxes_on_path(n, p);
		if (p->is_long)
			height = push_in_order(stack, height, n, p, bits);
		else
			for (; bits != 0; bits &= bits - 1u)
				stack[height++] = n->child[__builtin_ctz(bits)];
	}
}

static void describe(const triangle_tree *tree, const path *p, triangle_hit *out)
{
	out->triangle = p->triangle;
	out->t = p->t;
	double sum = p->volumes[0] + p->volumes[1] + p->volumes[2];
	for (int k = 0; k < 3; k++)
		out->weights[k] = sum > 0.0 ? (float)(p->volumes[k] / sum) : 1.0f / 3.0f;
	vec3 normal = triangle_tree_normal(tree, p->triangle);
	int flat = normal.x == 0.0f && normal.y == 0.0f && normal.z == 0.0f;
	vec3 way = vec3_normalize((vec3){p->direction[0], p->direction[1], p->direction[2]});
	out->normal = vec3_scale(flat ? way : normal, flat || p->side > 0 ? -1.0f : 1.0f);
}

int triangle_tree_first_hit(const triangle_tree *tree, vec3 a, vec3 b, triangle_hit *out)
{
	if (tree->triangle_count == 0 || !vec3_is_finite(a) || !vec3_is_finite(b))
		return 0;
	path p = {.start = {a.x, a.y, a.z}, .end = {b.x, b.y, b.z}, .a = {a.x, a.y, a.z}, .b = {b.x, b.y, b.z}};
	p.way = dvec3_sub(p.b, p.a);
	p.t = 1.0;

	// rounding of the box tests, due to the mesh and, for a path that starts far away, its start
	float from = fmaxf(fmaxf(fabsf(a.x), fabsf(a.y)), fabsf(a.z));
	p.direction[0] = (float)p.way.x;
	p.direction[1] = (float)p.way.y;
	p.direction[2] = (float)p.way.z;
	float length = fmaxf(fmaxf(fabsf(p.direction[0]), fabsf(p.direction[1])), fabsf(p.direction[2]));
	p.is_long = length > tree->mean_extent;
	p.margin = p.is_long ? 0x1p-20f * (tree->size + from) : 4.0f * tree->rounding;
	set_box(&p);
	walk(tree, &p);
	if (p.found)
		describe(tree, &p, out);
	return p.found;
}

vec3 triangle_tree_normal(const triangle_tree *tree, uint32_t triangle)
{
	const tree_slot *s = &tree->slots[tree->slot_of[triangle]];
	dvec3 v0 = corner_of(s, 0), u = dvec3_sub(corner_of(s, 1), v0), v = dvec3_sub(corner_of(s, 2), v0);
	dvec3 n = dvec3_cross(u, v);
	// an area below the rounding of its products counts as zero
	double length = sqrt(dvec3_dot(n, n));
	if (!(length > 1e-15 * sqrt(dvec3_dot(u, u) * dvec3_dot(v, v))))
		return (vec3){0.0f, 0.0f, 0.0f};
	return (vec3){(float)(n.x / length), (float)(n.y / length), (float)(n.z / length)};
}
