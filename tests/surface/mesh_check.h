// What tests ask of a surface: is it closed and manifold, how far from a shape, does it cross itself.
#ifndef TESTS_SURFACE_MESH_CHECK_H
#define TESTS_SURFACE_MESH_CHECK_H

#include "check.h"

#include "base/vec.h"
#include "spate/mesh.h"

static inline vec3 mesh_vertex(const spate_mesh *mesh, uint32_t v)
{
	return (vec3){mesh->positions[3 * (size_t)v], mesh->positions[3 * (size_t)v + 1],
		      mesh->positions[3 * (size_t)v + 2]};
}

typedef struct half_edge
{
	uint32_t from, to, triangle;
} half_edge;

static inline int half_edge_compare(const void *a, const void *b)
{
	const half_edge *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

typedef struct mesh_faults
{
	uint32_t edges;    // directed edges that do not have exactly one opposite, or occur twice
	uint32_t vertices; // whose triangles are not one closed fan, or that have none
	uint32_t flat;     // triangles with no area, or with a vertex twice
	uint32_t numbers;  // coordinates that are not finite
} mesh_faults;

static inline const half_edge *half_edge_find(const half_edge *edges, size_t count, uint32_t from, uint32_t to)
{
	half_edge key = {from, to, 0};
	return bsearch(&key, edges, count, sizeof key, half_edge_compare);
}

// Triangles met by turning around a vertex, from its first edge on; stops at a fault.
static inline size_t fan_size(const spate_mesh *mesh, const half_edge *edges, size_t count, const half_edge *first)
{
	size_t met = 0;
	const half_edge *at = first;
	do
	{
		// the corner before the vertex in this triangle starts the edge into it; its opposite is the next one out
		const uint32_t *t = mesh->triangles + 3 * (size_t)at->triangle;
		uint32_t before = t[0] == at->from ? t[2] : t[1] == at->from ? t[0] : t[1];
		met++;
		at = half_edge_find(edges, count, at->from, before);
	} while (at && at != first && met < count);
	return at ? met : 0;
}

static inline mesh_faults mesh_find_faults(const spate_mesh *mesh)
{
	mesh_faults faults = {0};
	size_t count = 3 * (size_t)mesh->triangle_count;
	half_edge *edges = malloc((count + 1) * sizeof *edges);
	assert_non_null(edges);
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * (size_t)t;
		for (int k = 0; k < 3; k++)
			edges[3 * (size_t)t + (size_t)k] = (half_edge){v[k], v[(k + 1) % 3], t};
		vec3 a = mesh_vertex(mesh, v[0]);
		vec3 n = vec3_cross(vec3_sub(mesh_vertex(mesh, v[1]), a), vec3_sub(mesh_vertex(mesh, v[2]), a));
		faults.flat += v[0] == v[1] || v[1] == v[2] || v[2] == v[0] || !(vec3_length(n) > 0.0f);
	}
	qsort(edges, count, sizeof *edges, half_edge_compare);
	for (size_t k = 0; k < count; k++)
	{
		int twice = k && half_edge_compare(&edges[k - 1], &edges[k]) == 0;
		faults.edges += twice || !half_edge_find(edges, count, edges[k].to, edges[k].from);
	}
	size_t at = 0;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		size_t begin = at;
		while (at < count && edges[at].from == v)
			at++;
		faults.vertices += at == begin || fan_size(mesh, edges, count, &edges[begin]) != at - begin;
		faults.numbers += !vec3_is_finite(mesh_vertex(mesh, v));
	}
	free(edges);
	return faults;
}

static inline void check_closed(const spate_mesh *mesh)
{
	mesh_faults faults = mesh_find_faults(mesh);
	if (faults.edges || faults.vertices || faults.flat || faults.numbers)
		fail_msg("of %u triangles: %u bad edges, %u bad vertices, %u without area, %u not finite",
			 mesh->triangle_count, faults.edges, faults.vertices, faults.flat, faults.numbers);
}

static inline double mesh_volume(const spate_mesh *mesh)
{
	double sum = 0.0;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * (size_t)t;
		vec3 a = mesh_vertex(mesh, v[0]), b = mesh_vertex(mesh, v[1]), c = mesh_vertex(mesh, v[2]);
		sum += (double)a.x * ((double)b.y * c.z - (double)b.z * c.y) +
		       (double)a.y * ((double)b.z * c.x - (double)b.x * c.z) +
		       (double)a.z * ((double)b.x * c.y - (double)b.y * c.x);
	}
	return sum / 6.0;
}

static inline float segment_distance(vec3 p, vec3 a, vec3 b)
{
	vec3 ab = vec3_sub(b, a), ap = vec3_sub(p, a);
	float length = vec3_dot(ab, ab), t = length > 0.0f ? vec3_dot(ap, ab) / length : 0.0f;
	return vec3_length(vec3_sub(ap, vec3_scale(ab, fminf(fmaxf(t, 0.0f), 1.0f))));
}

static inline float triangle_distance(vec3 p, vec3 a, vec3 b, vec3 c)
{
	vec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
	float area = vec3_length(n);
	if (area > 0.0f && vec3_dot(vec3_cross(vec3_sub(b, a), n), vec3_sub(p, a)) <= 0.0f &&
	    vec3_dot(vec3_cross(vec3_sub(c, b), n), vec3_sub(p, b)) <= 0.0f &&
	    vec3_dot(vec3_cross(vec3_sub(a, c), n), vec3_sub(p, c)) <= 0.0f)
		return fabsf(vec3_dot(n, vec3_sub(p, a))) / area;
	return fminf(segment_distance(p, a, b), fminf(segment_distance(p, b, c), segment_distance(p, c, a)));
}

static inline float mesh_distance(const spate_mesh *mesh, vec3 p)
{
	float nearest = INFINITY;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * (size_t)t;
		nearest = fminf(nearest, triangle_distance(p, mesh_vertex(mesh, v[0]), mesh_vertex(mesh, v[1]),
							   mesh_vertex(mesh, v[2])));
	}
	return nearest;
}

// How often the mesh winds around a point: 1 inside, 0 outside (the sum of solid angles).
static inline double mesh_winding(const spate_mesh *mesh, vec3 p)
{
	double sum = 0.0;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * (size_t)t;
		vec3 a = vec3_sub(mesh_vertex(mesh, v[0]), p), b = vec3_sub(mesh_vertex(mesh, v[1]), p);
		vec3 c = vec3_sub(mesh_vertex(mesh, v[2]), p);
		double la = (double)vec3_length(a), lb = (double)vec3_length(b), lc = (double)vec3_length(c);
		double det = (double)vec3_dot(a, vec3_cross(b, c));
		double scale = la * lb * lc + (double)vec3_dot(a, b) * lc + (double)vec3_dot(b, c) * la +
			       (double)vec3_dot(c, a) * lb;
		sum += 2.0 * atan2(det, scale);
	}
	return sum / (4.0 * 3.14159265358979323846);
}

// Whether the segment from a to b passes through the inside of a triangle.
static inline int segment_crosses(vec3 a, vec3 b, vec3 p, vec3 q, vec3 r)
{
	double o[3] = {a.x, a.y, a.z}, d[3] = {(double)b.x - a.x, (double)b.y - a.y, (double)b.z - a.z};
	double e[3] = {(double)q.x - p.x, (double)q.y - p.y, (double)q.z - p.z};
	double f[3] = {(double)r.x - p.x, (double)r.y - p.y, (double)r.z - p.z};
	double h[3] = {d[1] * f[2] - d[2] * f[1], d[2] * f[0] - d[0] * f[2], d[0] * f[1] - d[1] * f[0]};
	double det = e[0] * h[0] + e[1] * h[1] + e[2] * h[2];
	if (fabs(det) < 1e-300)
		return 0;
	double s[3] = {o[0] - p.x, o[1] - p.y, o[2] - p.z};
	double u = (s[0] * h[0] + s[1] * h[1] + s[2] * h[2]) / det;
	double g[3] = {s[1] * e[2] - s[2] * e[1], s[2] * e[0] - s[0] * e[2], s[0] * e[1] - s[1] * e[0]};
	double v = (d[0] * g[0] + d[1] * g[1] + d[2] * g[2]) / det, t = (f[0] * g[0] + f[1] * g[1] + f[2] * g[2]) / det;
	const double eps = 1e-9;
	return u > eps && v > eps && u + v < 1.0 - eps && t > eps && t < 1.0 - eps;
}

// Pairs of triangles without a common vertex that cross. Sorted by their lowest x.
typedef struct triangle_span
{
	float low, high;
	uint32_t triangle;
} triangle_span;

static inline int span_compare(const void *a, const void *b)
{
	const triangle_span *x = a, *y = b;
	return x->low < y->low ? -1 : x->low > y->low;
}

static inline uint32_t mesh_crossings(const spate_mesh *mesh)
{
	uint32_t count = mesh->triangle_count, found = 0;
	triangle_span *spans = malloc((count + 1) * sizeof *spans);
	assert_non_null(spans);
	for (uint32_t t = 0; t < count; t++)
	{
		const uint32_t *v = mesh->triangles + 3 * (size_t)t;
		float a = mesh_vertex(mesh, v[0]).x, b = mesh_vertex(mesh, v[1]).x, c = mesh_vertex(mesh, v[2]).x;
		spans[t] = (triangle_span){fminf(a, fminf(b, c)), fmaxf(a, fmaxf(b, c)), t};
	}
	qsort(spans, count, sizeof *spans, span_compare);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = i + 1; j < count && spans[j].low <= spans[i].high; j++)
		{
			const uint32_t *s = mesh->triangles + 3 * (size_t)spans[i].triangle;
			const uint32_t *t = mesh->triangles + 3 * (size_t)spans[j].triangle;
			vec3 p[3], q[3];
			int common = 0, apart = 0;
			for (int k = 0; k < 3; k++)
			{
				common |= s[k] == t[0] || s[k] == t[1] || s[k] == t[2];
				p[k] = mesh_vertex(mesh, s[k]);
				q[k] = mesh_vertex(mesh, t[k]);
			}
			apart |= fmaxf(p[0].y, fmaxf(p[1].y, p[2].y)) < fminf(q[0].y, fminf(q[1].y, q[2].y));
			apart |= fminf(p[0].y, fminf(p[1].y, p[2].y)) > fmaxf(q[0].y, fmaxf(q[1].y, q[2].y));
			apart |= fmaxf(p[0].z, fmaxf(p[1].z, p[2].z)) < fminf(q[0].z, fminf(q[1].z, q[2].z));
			apart |= fminf(p[0].z, fminf(p[1].z, p[2].z)) > fmaxf(q[0].z, fmaxf(q[1].z, q[2].z));
			int cross = 0;
			for (int k = 0; !common && !apart && k < 3; k++)
				cross |= segment_crosses(p[k], p[(k + 1) % 3], q[0], q[1], q[2]) ||
					 segment_crosses(q[k], q[(k + 1) % 3], p[0], p[1], p[2]);
			found += (uint32_t)cross;
		}
	free(spans);
	return found;
}

#endif
