// Who went through a wall? Judged by Embree, which shares nothing with our own trees and fields.
//
// Embree, in its robust mode, proposes the triangles on a path that is made a little longer at both ends. A proposal counts as a crossing
// when the ends of the path lie on different sides of the triangle's plane, in double. A point in the plane belongs to the side of the
// normal, and the side depends on the point alone: who stops in the plane and goes on in the next step is still caught, once. The price:
// who touches the plane exactly, from behind, counts as having gone through.
//
// Where Embree is not installed SPATE_EMBREE is not defined; a test that needs the judge then returns 77.
#ifndef TESTS_COLLIDER_LEAK_JUDGE_H
#define TESTS_COLLIDER_LEAK_JUDGE_H
#ifdef SPATE_EMBREE

#include "check.h"

#include <embree3/rtcore.h>

enum
{
	LEAK_REPORTED = 8,
	LEAK_HITS = 256 // triangles of one path, at most
};

typedef struct leak
{
	uint64_t particle;
	uint32_t triangle;
	double place[3], from[3], to[3]; // m
} leak;

typedef struct leak_judge
{
	RTCDevice device;
	RTCScene scene;
	float *positions;    // 3 per vertex, m
	uint32_t *triangles; // the judged ones, 3 vertices each
	uint32_t *names;     // their indices in the whole mesh
	uint32_t triangle_count;
	double size; // m, the largest coordinate

	uint64_t paths, crossings;
	leak first[LEAK_REPORTED];
} leak_judge;

// What Embree calls back with: every triangle on the way is noted and refused, so that it goes on to the next.
typedef struct leak_question
{
	struct RTCIntersectContext context; // first
	uint32_t hits[LEAK_HITS];
	uint32_t count;
	int overflow;
} leak_question;

static inline void leak_note_hit(const struct RTCFilterFunctionNArguments *args)
{
	leak_question *q = (leak_question *)(void *)args->context;
	// one ray at a time: then the layout is that of a single hit
	uint32_t triangle = ((const struct RTCHit *)(const void *)args->hit)->primID;
	args->valid[0] = 0;
	for (uint32_t k = 0; k < q->count; k++)
		if (q->hits[k] == triangle)
			return;
	if (q->count < LEAK_HITS)
		q->hits[q->count++] = triangle;
	else
		q->overflow = 1;
}

static inline leak_question leak_ask(const leak_judge *j, const double from[3], const double way[3], double far)
{
	leak_question q = {.count = 0};
	rtcInitIntersectContext(&q.context);
	q.context.filter = leak_note_hit;
	struct RTCRayHit ray = {0};
	ray.ray.org_x = (float)from[0];
	ray.ray.org_y = (float)from[1];
	ray.ray.org_z = (float)from[2];
	ray.ray.dir_x = (float)way[0];
	ray.ray.dir_y = (float)way[1];
	ray.ray.dir_z = (float)way[2];
	ray.ray.tfar = (float)far;
	ray.ray.mask = UINT32_MAX;
	ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
	rtcIntersect1(j->scene, &q.context, &ray);
	if (q.overflow)
		fail_msg("a path has more than %d triangles on it", LEAK_HITS);
	return q;
}

static inline void leak_judge_close(leak_judge *j)
{
	rtcReleaseScene(j->scene);
	rtcReleaseDevice(j->device);
	free(j->positions);
	free(j->triangles);
	free(j->names);
	*j = (leak_judge){0};
}

// Judges the triangles with chosen[i] != 0, all of them when `chosen` is NULL. Everything is copied.
static inline void leak_judge_open(leak_judge *j, const float *positions, uint32_t vertex_count,
				   const uint32_t *triangles, uint32_t triangle_count, const uint8_t *chosen)
{
	*j = (leak_judge){.device = rtcNewDevice("threads=1,set_affinity=0")};
	assert_non_null(j->device);
	j->positions = malloc((size_t)(vertex_count + 1) * 3 * sizeof(float));
	j->triangles = malloc((size_t)(triangle_count + 1) * 3 * sizeof(uint32_t));
	j->names = malloc((size_t)(triangle_count + 1) * sizeof(uint32_t));
	assert_true(j->positions && j->triangles && j->names);
	for (size_t k = 0; k < (size_t)vertex_count * 3; k++)
	{
		j->positions[k] = positions[k];
		j->size = fmax(j->size, fabs((double)positions[k]));
	}
	for (uint32_t i = 0; i < triangle_count; i++)
	{
		if (chosen && !chosen[i])
			continue;
		memcpy(j->triangles + (size_t)j->triangle_count * 3, triangles + (size_t)i * 3, 3 * sizeof(uint32_t));
		j->names[j->triangle_count++] = i;
	}

	RTCGeometry geometry = rtcNewGeometry(j->device, RTC_GEOMETRY_TYPE_TRIANGLE);
	float *v = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
					   vertex_count);
	uint32_t *t = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
					      3 * sizeof(uint32_t), j->triangle_count);
	assert_true(v && t);
	memcpy(v, j->positions, (size_t)vertex_count * 3 * sizeof(float));
	memcpy(t, j->triangles, (size_t)j->triangle_count * 3 * sizeof(uint32_t));
	rtcCommitGeometry(geometry);
	j->scene = rtcNewScene(j->device);
	rtcSetSceneFlags(j->scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
	rtcAttachGeometry(j->scene, geometry);
	rtcReleaseGeometry(geometry);
	rtcCommitScene(j->scene);
	assert_int_equal(rtcGetDeviceError(j->device), RTC_ERROR_NONE);
}

// Six times the volume between a judged triangle and a point.
static inline double leak_side(const leak_judge *j, uint32_t triangle, const double p[3])
{
	const uint32_t *t = j->triangles + (size_t)triangle * 3;
	const float *a = j->positions + (size_t)t[0] * 3, *b = j->positions + (size_t)t[1] * 3,
		    *c = j->positions + (size_t)t[2] * 3;
	double u[3], v[3], w[3];
	for (int k = 0; k < 3; k++)
	{
		u[k] = (double)b[k] - a[k];
		v[k] = (double)c[k] - a[k];
		w[k] = p[k] - a[k];
	}
	return (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
	       (u[0] * v[1] - u[1] * v[0]) * w[2];
}

// The path of one particle in one step, in the frame of the mesh. Returns whether it went through a judged triangle: through an edge or a
// corner counts once.
static inline int leak_judge_path(leak_judge *j, uint64_t particle, const double from[3], const double to[3])
{
	j->paths++;
	double way[3], length = 0.0, size = j->size;
	for (int k = 0; k < 3; k++)
	{
		way[k] = to[k] - from[k];
		length += way[k] * way[k];
		size = fmax(size, fmax(fabs(from[k]), fabs(to[k])));
	}
	length = sqrt(length);
	if (!(length > 0.0))
		return 0;

	// longer by the rounding of floats on both ends
	double more = 1e-3 + 1e-6 * size / length;
	double start[3] = {from[0] - more * way[0], from[1] - more * way[1], from[2] - more * way[2]};
	leak_question q = leak_ask(j, start, way, 1.0 + 2.0 * more);
	double first = INFINITY;
	uint32_t triangle = 0;
	for (uint32_t k = 0; k < q.count; k++)
	{
		double a = leak_side(j, q.hits[k], from), b = leak_side(j, q.hits[k], to);
		if ((a >= 0.0) == (b >= 0.0) || a / (a - b) >= first)
			continue;
		first = a / (a - b);
		triangle = j->names[q.hits[k]];
	}
	if (first > 1.0)
		return 0;
	if (j->crossings < LEAK_REPORTED)
	{
		leak *l = &j->first[j->crossings];
		l->particle = particle;
		l->triangle = triangle;
		for (int k = 0; k < 3; k++)
		{
			l->from[k] = from[k];
			l->to[k] = to[k];
			l->place[k] = from[k] + first * way[k];
		}
	}
	j->crossings++;
	return 1;
}

// The same for particles 0, 1, ...: 3 floats each.
static inline uint64_t leak_judge_paths(leak_judge *j, uint64_t count, const float *from, const float *to)
{
	uint64_t before = j->crossings;
	for (uint64_t i = 0; i < count; i++)
	{
		const float *p = from + i * 3, *q = to + i * 3;
		leak_judge_path(j, i, (const double[3]){p[0], p[1], p[2]}, (const double[3]){q[0], q[1], q[2]});
	}
	return j->crossings - before;
}

static inline void leak_judge_print(const leak_judge *j)
{
	printf("%llu of %llu paths went through\n", (unsigned long long)j->crossings, (unsigned long long)j->paths);
	for (uint64_t k = 0; k < j->crossings && k < LEAK_REPORTED; k++)
	{
		const leak *l = &j->first[k];
		printf(
		    "  particle %llu through triangle %u at (%.9g, %.9g, %.9g), from (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g)\n",
		    (unsigned long long)l->particle, l->triangle, l->place[0], l->place[1], l->place[2], l->from[0],
		    l->from[1], l->from[2], l->to[0], l->to[1], l->to[2]);
	}
}

static inline void leak_judge_expect_none(const leak_judge *j)
{
	assert_true(j->paths > 0);
	if (j->crossings == 0)
		return;
	leak_judge_print(j);
	fail_msg("%llu of %llu paths went through a wall, expected none", (unsigned long long)j->crossings,
		 (unsigned long long)j->paths);
}

// How often a closed mesh goes around a point: the median over five rays, because one may pass an edge, which counts twice. A mesh whose
// faces do not agree about their outside has no such number, but whether rays leave it an odd number of times still tells: *odd (may be
// NULL) is the majority of that.
static inline int leak_judge_winding(const leak_judge *j, const double p[3], int *odd)
{
	static const double ways[5][3] = {{0.5423, 0.7361, 0.4051},
					  {-0.6113, 0.3529, 0.7087},
					  {0.3307, -0.8219, 0.4639},
					  {-0.2473, -0.5011, -0.8293},
					  {0.7577, 0.1409, -0.6373}};
	int winding[5], odds = 0;
	for (int r = 0; r < 5; r++)
	{
		leak_question q = leak_ask(j, p, ways[r], INFINITY);
		const double to[3] = {p[0] + ways[r][0], p[1] + ways[r][1], p[2] + ways[r][2]};
		int sum = 0, k = r;
		for (uint32_t h = 0; h < q.count; h++)
			sum += leak_side(j, q.hits[h], to) > leak_side(j, q.hits[h], p) ? 1 : -1;
		odds += q.count % 2 != 0;
		for (; k > 0 && winding[k - 1] > sum; k--)
			winding[k] = winding[k - 1];
		winding[k] = sum;
	}
	if (odd)
		*odd = odds > 2;
	return winding[2];
}

// Inside of a closed mesh, also of one whose parts overlap.
static inline int leak_judge_inside(const leak_judge *j, const double p[3])
{
	return leak_judge_winding(j, p, NULL) != 0;
}

#endif
#endif
