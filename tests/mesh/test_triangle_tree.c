// The tree against loops over all triangles, paths aimed at seams, moved meshes, triangles without area, bad input, no memory.
#include "base/memory.h"
#include "check.h"
#include "dice.h"
#include "mesh/tree_nodes.h"
#include "mesh/volume.h"

typedef struct soup
{
	uint32_t vertices, triangles;
	float *positions;
	uint32_t *corners;
} soup;

static soup soup_make(uint32_t vertices, uint32_t triangles)
{
	soup s = {vertices, triangles, mem_calloc(vertices, 3 * sizeof(float)),
		  mem_calloc(triangles, 3 * sizeof(uint32_t))};
	assert_true(s.positions && s.corners);
	return s;
}

static void soup_free(soup *s)
{
	mem_free(s->positions);
	mem_free(s->corners);
}

static triangle_tree *grow(const soup *s)
{
	triangle_tree *tree;
	check_ok(triangle_tree_create(&tree, s->positions, s->vertices, s->corners, s->triangles, NULL));
	return tree;
}

static vec3 random_place(dice *d, float half)
{
	float x = dice_range(d, -half, half), y = dice_range(d, -half, half), z = dice_range(d, -half, half);
	return (vec3){x, y, z};
}

static vec3 at(const soup *s, uint32_t vertex)
{
	const float *p = s->positions + (size_t)vertex * 3;
	return (vec3){p[0], p[1], p[2]};
}

static void put(soup *s, uint32_t vertex, vec3 p)
{
	float *q = s->positions + (size_t)vertex * 3;
	q[0] = p.x;
	q[1] = p.y;
	q[2] = p.z;
}

// Triangles of a size each, some of them with shared corners, some without area.
static soup random_soup(dice *d, uint32_t triangles, float size)
{
	soup s = soup_make(triangles * 3, triangles);
	for (uint32_t i = 0; i < triangles; i++)
	{
		vec3 centre = random_place(d, 1.0f);
		for (uint32_t k = 0; k < 3; k++)
		{
			put(&s, i * 3 + k, vec3_add(centre, random_place(d, size)));
			s.corners[i * 3 + k] = i > 0 && dice_below(d, 4) == 0 ? dice_below(d, i * 3) : i * 3 + k;
		}
		if (dice_below(d, 20) == 0)
			s.corners[i * 3] = s.corners[i * 3 + 1];
	}
	return s;
}

// A ball of radius 1, closed: rings of points between two poles.
static soup ball(uint32_t rings, uint32_t around)
{
	soup s = soup_make(rings * around + 2, 2 * rings * around);
	for (uint32_t i = 0; i < rings; i++)
		for (uint32_t j = 0; j < around; j++)
		{
			double u = 3.14159265358979 * (i + 1) / (rings + 1), v = 6.28318530717959 * j / around;
			put(&s, i * around + j,
			    (vec3){(float)(sin(u) * cos(v)), (float)cos(u), (float)(sin(u) * sin(v))});
		}
	uint32_t top = rings * around, bottom = top + 1, n = 0;
	put(&s, top, (vec3){0.0f, 1.0f, 0.0f});
	put(&s, bottom, (vec3){0.0f, -1.0f, 0.0f});
	for (uint32_t j = 0; j < around; j++)
	{
		uint32_t next = (j + 1) % around, last = (rings - 1) * around;
		const uint32_t caps[6] = {top, next, j, bottom, last + j, last + next};
		memcpy(s.corners + (size_t)n * 3, caps, sizeof caps);
		n += 2;
		for (uint32_t i = 0; i + 1 < rings; i++, n += 2)
		{
			uint32_t a = i * around + j, b = i * around + next;
			const uint32_t quad[6] = {a, b, a + around, b, b + around, a + around};
			memcpy(s.corners + (size_t)n * 3, quad, sizeof quad);
		}
	}
	assert_int_equal(n, s.triangles);
	return s;
}

// A tree of one triangle answers for that triangle alone.
static int hit_of_one(const soup *s, uint32_t triangle, vec3 a, vec3 b, triangle_hit *hit)
{
	triangle_tree *tree;
	check_ok(triangle_tree_create(&tree, s->positions, s->vertices, s->corners + (size_t)triangle * 3, 1, NULL));
	int found = triangle_tree_first_hit(tree, a, b, hit);
	triangle_tree_destroy(tree);
	hit->triangle = triangle;
	return found;
}

static void check_same_hit(int found, const triangle_hit *hit, int expected, const triangle_hit *first)
{
	if (found != expected || (found && (hit->triangle != first->triangle || hit->t != first->t)))
		fail_msg("hit %d of triangle %u at %.17g, expected %d of %u at %.17g", found, found ? hit->triangle : 0,
			 found ? hit->t : 0.0, expected, expected ? first->triangle : 0, expected ? first->t : 0.0);
}

static void check_hit_is_true(const soup *s, const triangle_hit *hit, vec3 a, vec3 b)
{
	double place[3] = {0.0, 0.0, 0.0}, sum = 0.0;
	for (int k = 0; k < 3; k++)
	{
		vec3 c = at(s, s->corners[(size_t)hit->triangle * 3 + (size_t)k]);
		assert_true(hit->weights[k] >= 0.0f);
		sum += hit->weights[k];
		place[0] += (double)hit->weights[k] * c.x;
		place[1] += (double)hit->weights[k] * c.y;
		place[2] += (double)hit->weights[k] * c.z;
	}
	check_near(sum, 1.0, 1e-6);
	check_near(place[0], a.x + hit->t * ((double)b.x - a.x), 1e-5);
	check_near(place[1], a.y + hit->t * ((double)b.y - a.y), 1e-5);
	check_near(place[2], a.z + hit->t * ((double)b.z - a.z), 1e-5);
	check_near(vec3_length(hit->normal), 1.0, 1e-6);
	assert_true(vec3_dot(hit->normal, vec3_sub(b, a)) <= 1e-6f);
}

// Nearest point by trying many points would be blunt; by convex descent over the triangle it is independent of regions.
static double slow_distance(const soup *s, uint32_t triangle, vec3 p)
{
	const uint32_t *c = s->corners + (size_t)triangle * 3;
	vec3 v0 = at(s, c[0]), v1 = at(s, c[1]), v2 = at(s, c[2]);
	double best = INFINITY;
	double du = 1.0, low = 0.0;
	// along each line of constant u the nearest point is a formula; the distance is convex in u: golden section
	for (int round = 0; round < 100; round++)
	{
		double u[2] = {low + 0.381966 * du, low + 0.618034 * du}, f[2];
		for (int k = 0; k < 2; k++)
		{
			double a[3] = {v0.x + u[k] * ((double)v1.x - v0.x) - p.x,
				       v0.y + u[k] * ((double)v1.y - v0.y) - p.y,
				       v0.z + u[k] * ((double)v1.z - v0.z) - p.z};
			double e[3] = {(1.0 - u[k]) * ((double)v2.x - v0.x), (1.0 - u[k]) * ((double)v2.y - v0.y),
				       (1.0 - u[k]) * ((double)v2.z - v0.z)};
			double ee = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
			double t = ee > 0.0 ? -(a[0] * e[0] + a[1] * e[1] + a[2] * e[2]) / ee : 0.0;
			t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
			f[k] = 0.0;
			for (int i = 0; i < 3; i++)
				f[k] += (a[i] + t * e[i]) * (a[i] + t * e[i]);
			best = fmin(best, f[k]);
		}
		low = f[0] < f[1] ? low : u[0];
		du *= 0.618034;
	}
	return sqrt(best);
}

static void test_against_all_triangles(void **state)
{
	(void)state;
	const uint32_t counts[] = {1, 3, 4, 5, 17, 150};
	dice d = {1};
	int hits = 0, seen = 0;
	for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
		for (int size = 0; size < 2; size++)
		{
			soup s = random_soup(&d, counts[n], size ? 0.1f : 0.7f);
			triangle_tree *tree = grow(&s);
			for (int i = 0; i < 400; i++)
			{
				float step = i % 2 ? 2.0f : 0.1f;
				vec3 a = random_place(&d, 1.2f), b = vec3_add(a, random_place(&d, step));
				triangle_hit hit, one, first = {.t = 2.0};
				int expected = 0;
				for (uint32_t t = 0; t < s.triangles; t++)
					if (hit_of_one(&s, t, a, b, &one) && (!expected || one.t < first.t))
					{
						expected = 1;
						first = one;
					}
				int found = triangle_tree_first_hit(tree, a, b, &hit);
				check_same_hit(found, &hit, expected, &first);
				hits += found;
				if (found)
					check_hit_is_true(&s, &hit, a, b);

				triangle_point near = {0}, best = {.distance = INFINITY};
				for (uint32_t t = 0; t < s.triangles; t++)
				{
					triangle_point of = triangle_tree_nearest_of(tree, t, a);
					if (i < 20)
						check_near(of.distance, slow_distance(&s, t, a), 2e-6);
					if (of.distance < best.distance)
						best = of;
				}
				float reach = dice_range(&d, 0.0f, 0.6f);
				found = triangle_tree_nearest(tree, a, reach, &near);
				assert_int_equal(found, best.distance <= reach);
				seen += found;
				if (found)
				{
					check_near(near.distance, best.distance, 0.0);
					check_near(vec3_length(vec3_sub(near.place, a)), near.distance, 1e-6);
				}
			}
			triangle_tree_destroy(tree);
			soup_free(&s);
		}
	// the dice must not have avoided the mesh
	if (hits < 200 || seen < 500)
		fail_msg("only %d hits and %d places near the mesh", hits, seen);
}

// From inside to outside, straight at corners, points of edges and anything: by a float's rounding they pass left or right of the seam.
static void test_nothing_slips_through_seams(void **state)
{
	(void)state;
	const uint32_t sizes[][2] = {{3, 5}, {20, 33}, {60, 101}};
	dice d = {2};
	for (int n = 0; n < 3; n++)
	{
		soup s = ball(sizes[n][0], sizes[n][1]);
		triangle_tree *tree = grow(&s);
		int slipped = 0;
		for (int i = 0; i < 40000; i++)
		{
			const uint32_t *c = s.corners + (size_t)dice_below(&d, s.triangles) * 3;
			uint32_t k = dice_below(&d, 3);
			float w = i % 3 == 0 ? 0.0f : i % 3 == 1 ? 0.5f : dice_range(&d, 0.0f, 1.0f);
			vec3 p = vec3_add(vec3_scale(at(&s, c[k]), 1.0f - w), vec3_scale(at(&s, c[(k + 1) % 3]), w));
			vec3 a = i % 5 == 0 ? (vec3){0.0f, 0.0f, 0.0f} : random_place(&d, 0.2f);
			vec3 b = vec3_add_scaled(a, vec3_sub(p, a), i % 7 == 0 ? 8.0f : 2.0f);
			// and short ones: the part around the surface
			if (i % 2)
			{
				vec3 from = vec3_scale(p, 0.8f), off = random_place(&d, 0.01f);
				a = sizes[n][0] > 3 ? vec3_add(from, off) : a;
				b = vec3_add_scaled(a, vec3_sub(p, a), 2.0f);
			}
			triangle_hit hit;
			slipped += !triangle_tree_first_hit(tree, a, b, &hit);
			slipped += !triangle_tree_first_hit(tree, b, a, &hit);
		}
		if (slipped != 0)
			fail_msg("%d of 80000 paths went through a ball of %u triangles", slipped, s.triangles);
		triangle_tree_destroy(tree);
		soup_free(&s);
	}
}

// Two triangles whose common edge has a corner of neither in the middle of it, off by rounding.
static void test_seam_with_a_corner_on_an_edge(void **state)
{
	(void)state;
	dice d = {3};
	for (int i = 0; i < 2000; i++)
	{
		vec3 a = random_place(&d, 1.0f), b = random_place(&d, 1.0f), top = random_place(&d, 1.0f);
		float w = dice_range(&d, 0.2f, 0.8f);
		vec3 middle = vec3_add(vec3_scale(a, 1.0f - w), vec3_scale(b, w));
		// mirrored, so that all lie in one plane
		vec3 low = vec3_sub(vec3_scale(middle, 2.0f), top);
		vec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(top, a));
		if (vec3_length(n) < 0.1f)
			continue;
		soup s = soup_make(5, 3);
		vec3 corners[5] = {a, b, top, low, middle};
		for (uint32_t k = 0; k < 5; k++)
			put(&s, k, corners[k]);
		const uint32_t triangles[9] = {0, 1, 2, 0, 3, 4, 4, 3, 1};
		memcpy(s.corners, triangles, sizeof triangles);
		triangle_tree *tree = grow(&s);
		float v = dice_range(&d, 0.0f, 1.0f);
		vec3 p = vec3_add(vec3_scale(a, 1.0f - v), vec3_scale(b, v));
		vec3 way = vec3_add(vec3_scale(vec3_normalize(n), 0.1f), random_place(&d, 0.03f));
		triangle_hit hit;
		if (!triangle_tree_first_hit(tree, vec3_sub(p, way), vec3_add(p, way), &hit))
			fail_msg("case %d passed the seam", i);
		triangle_tree_destroy(tree);
		soup_free(&s);
	}
}

static void test_moved_is_built_anew(void **state)
{
	(void)state;
	dice d = {4};
	soup s = ball(20, 31);
	triangle_tree *moved = grow(&s);
	size_t bytes = triangle_tree_bytes(moved);
	for (int round = 0; round < 3; round++)
	{
		float angle = 0.4f * (float)round;
		for (uint32_t k = 0; k < s.vertices; k++)
		{
			vec3 p = at(&s, k);
			put(&s, k,
			    (vec3){p.x * cosf(angle) - p.y * 1.5f, p.x * 0.7f + p.y * cosf(angle) + 0.3f,
				   p.z * 1.2f - p.x});
		}
		uint64_t calls = mem_get_stats().calls;
		triangle_tree_move(moved, s.positions);
		assert_int_equal(mem_get_stats().calls, calls);
		triangle_tree *fresh = grow(&s);
		int hits = 0;
		for (int i = 0; i < 3000; i++)
		{
			vec3 a = random_place(&d, 2.0f), b = random_place(&d, 2.0f);
			triangle_hit h1, h2;
			int found = triangle_tree_first_hit(moved, a, b, &h1);
			check_same_hit(found, &h1, triangle_tree_first_hit(fresh, a, b, &h2), &h2);
			hits += found;
			triangle_point p1, p2;
			assert_int_equal(triangle_tree_nearest(moved, a, 9.0f, &p1), 1);
			assert_int_equal(triangle_tree_nearest(fresh, a, 9.0f, &p2), 1);
			assert_int_equal(p1.triangle, p2.triangle);
			check_near(p1.distance, p2.distance, 0.0);
		}
		assert_true(hits > 300);
		triangle_tree_destroy(fresh);
	}
	assert_int_equal(triangle_tree_bytes(moved), bytes);
	triangle_tree_destroy(moved);
	soup_free(&s);
}

static void test_ends_and_planes(void **state)
{
	(void)state;
	// two triangles over the same square of the plane y = 0, the second one a copy of the first
	const float positions[] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1};
	const uint32_t triangles[] = {0, 1, 2, 0, 1, 2, 1, 3, 2};
	triangle_tree *tree;
	check_ok(triangle_tree_create(&tree, positions, 4, triangles, 3, NULL));
	triangle_hit hit;
	// ties go to the lowest; both ends count
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){0.2f, 1, 0.2f}, (vec3){0.2f, -1, 0.2f}, &hit), 1);
	assert_int_equal(hit.triangle, 0);
	check_near(hit.t, 0.5, 0.0);
	check_near(hit.normal.y, 1.0, 0.0);
	check_near(hit.weights[1], 0.2, 1e-7);
	check_near(hit.weights[2], 0.2, 1e-7);
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){0.2f, -1, 0.2f}, (vec3){0.2f, 0, 0.2f}, &hit), 1);
	check_near(hit.t, 1.0, 0.0);
	check_near(hit.normal.y, -1.0, 0.0);
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){0.2f, 0, 0.2f}, (vec3){0.2f, 2, 0.2f}, &hit), 1);
	check_near(hit.t, 0.0, 0.0);
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){0.9f, 1, 0.9f}, (vec3){0.9f, -1, 0.9f}, &hit), 1);
	assert_int_equal(hit.triangle, 2);
	// in the plane, above it, short of it, beside it, no path at all
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){-1, 0, 0.2f}, (vec3){2, 0, 0.2f}, &hit), 0);
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){-1, 1e-30f, 0.2f}, (vec3){2, 1e-30f, 0.2f}, &hit), 0);
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){0.2f, 1, 0.2f}, (vec3){0.2f, 1e-30f, 0.2f}, &hit), 0);
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){1.00001f, 1, 0.2f}, (vec3){1.00001f, -1, 0.2f}, &hit), 0);
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){0.2f, 0, 0.2f}, (vec3){0.2f, 0, 0.2f}, &hit), 0);
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){NAN, 1, 0}, (vec3){0, -1, 0}, &hit), 0);

	triangle_point near;
	assert_int_equal(triangle_tree_nearest(tree, (vec3){0.2f, 0.5f, 0.2f}, 0.5f, &near), 1);
	assert_int_equal(near.triangle, 0);
	assert_int_equal(triangle_tree_nearest(tree, (vec3){0.2f, 0.5f, 0.2f}, 0.4999f, &near), 0);
	assert_int_equal(triangle_tree_nearest(tree, (vec3){0.2f, 0.0f, 0.2f}, 0.0f, &near), 1);
	check_near(near.distance, 0.0, 0.0);
	assert_int_equal(triangle_tree_nearest(tree, (vec3){0.2f, 0.0f, 0.2f}, -1.0f, &near), 0);
	assert_int_equal(triangle_tree_nearest(tree, (vec3){0.2f, NAN, 0.2f}, 1.0f, &near), 0);
	// across the common edge, equally near
	assert_int_equal(triangle_tree_nearest(tree, (vec3){1.0f, 1.0f, 0.0f}, 9.0f, &near), 1);
	assert_int_equal(near.triangle, 0);
	check_near(near.weights[1], 1.0, 0.0);
	triangle_tree_destroy(tree);
}

static void test_without_area(void **state)
{
	(void)state;
	// a point, a line, a line with its middle corner off by nothing
	const float positions[] = {0, 0, 0, 1, 2, 3, 0.5f, 1, 1.5f, -1, -2, -3};
	const uint32_t triangles[] = {0, 0, 0, 1, 1, 3, 0, 1, 2};
	triangle_tree *tree;
	check_ok(triangle_tree_create(&tree, positions, 4, triangles, 3, NULL));
	dice d = {5};
	triangle_hit hit;
	triangle_point near;
	for (int i = 0; i < 1000; i++)
	{
		vec3 way = random_place(&d, 1.0f);
		vec3 p = {0.5f, 1.0f, 1.5f};
		assert_int_equal(triangle_tree_first_hit(tree, vec3_sub(p, way), vec3_add(p, way), &hit), 0);
		assert_int_equal(triangle_tree_nearest(tree, vec3_add(p, way), 99.0f, &near), 1);
		double w = (p.x + way.x + 2.0 * ((double)p.y + way.y) + 3.0 * ((double)p.z + way.z)) / 14.0;
		w = w > 1.0 ? 1.0 : w < -1.0 ? -1.0 : w;
		check_near(near.place.x, w, 1e-6);
		check_near(near.place.z, 3.0 * w, 1e-6);
	}
	for (uint32_t k = 0; k < 3; k++)
		check_near(vec3_length(triangle_tree_normal(tree, k)), 0.0, 0.0);
	triangle_tree_destroy(tree);

	// a thousand triangles in one place make a tree all the same
	soup s = soup_make(3, 1000);
	put(&s, 1, (vec3){1.0f, 0.0f, 0.0f});
	put(&s, 2, (vec3){0.0f, 1.0f, 0.0f});
	for (uint32_t k = 0; k < 3000; k++)
		s.corners[k] = k % 3;
	tree = grow(&s);
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){0.2f, 0.2f, 1}, (vec3){0.2f, 0.2f, -1}, &hit), 1);
	assert_int_equal(hit.triangle, 0);
	check_near(triangle_tree_normal(tree, 999).z, 1.0, 0.0);
	triangle_tree_destroy(tree);
	soup_free(&s);

	// nothing at all
	check_ok(triangle_tree_create(&tree, NULL, 0, NULL, 0, NULL));
	assert_int_equal(triangle_tree_first_hit(tree, (vec3){0, 0, 0}, (vec3){1, 1, 1}, &hit), 0);
	assert_int_equal(triangle_tree_nearest(tree, (vec3){0, 0, 0}, 9.0f, &near), 0);
	triangle_tree_move(tree, NULL);
	triangle_tree_destroy(tree);
	triangle_tree_destroy(NULL);
}

// Volumes that double precision gets wrong: points on a plane, moved by the last bit of a float.
static void test_volume_sign(void **state)
{
	(void)state;
	const float p[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
	assert_int_equal(volume_sign(p, x, y, z), 1);
	assert_int_equal(volume_sign(p, y, x, z), -1);
	// 1e20 drowns 1e-20 in double: det = 1e-20 (1e20 - 1e20) + 1e-20
	const float far_x[3] = {1e20f, 0, 0}, far_y[3] = {1e20f, 1e20f, 0}, hair[3] = {3e19f, 1e19f, 1e-38f};
	assert_int_equal(volume_sign(p, far_x, far_y, hair), 1);
	assert_int_equal(volume_sign(far_x, far_y, p, hair), 1);
	assert_int_equal(volume_sign(far_y, far_x, p, hair), -1);
	// s = q + (r - p) (exact, in the plane), then one bit off on either side
	dice d = {6};
	int below = 0, above = 0;
	for (int i = 0; i < 2000; i++)
	{
		float c[4][3];
		for (int k = 0; k < 3; k++)
		{
			for (int n = 0; n < 3; n++)
				c[n][k] = (float)((int32_t)dice_below(&d, 1u << 22) - (1 << 21));
			c[3][k] = c[1][k] + (c[2][k] - c[0][k]);
		}
		assert_int_equal(volume_sign(c[0], c[1], c[2], c[3]), 0);
		// integers: the change is the minor, which int64 holds
		int64_t u = (int64_t)(c[1][0] - c[0][0]), v = (int64_t)(c[1][1] - c[0][1]);
		int64_t s = (int64_t)(c[2][0] - c[0][0]), t = (int64_t)(c[2][1] - c[0][1]);
		int64_t minor = u * t - v * s;
		c[3][2] += 1.0f;
		int sign = volume_sign(c[0], c[1], c[2], c[3]);
		assert_int_equal(sign, minor > 0 ? 1 : minor < 0 ? -1 : 0);
		above += sign > 0;
		below += sign < 0;
	}
	assert_true(above > 500 && below > 500);
}

static void test_bad_input(void **state)
{
	(void)state;
	float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
	uint32_t triangles[] = {0, 1, 3};
	triangle_tree *tree = NULL;
	spate_error error = {0};
	check_result(triangle_tree_create(&tree, positions, 3, triangles, 1, &error), SPATE_INVALID);
	assert_null(tree);
	assert_non_null(strstr(error.text, "triangle 0"));
	triangles[2] = 2;
	positions[4] = INFINITY;
	check_result(triangle_tree_create(&tree, positions, 3, triangles, 1, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "vertex 1"));
}

static void test_out_of_memory(void **state)
{
	(void)state;
	dice d = {7};
	soup s = random_soup(&d, 500, 0.1f);
	uint64_t bytes = mem_get_stats().bytes;
	spate_result result = SPATE_MEMORY;
	uint64_t n = 1;
	for (; result != SPATE_OK; n++)
	{
		triangle_tree *tree = NULL;
		spate_error error = {0};
		mem_fail_at(n);
		result = triangle_tree_create(&tree, s.positions, s.vertices, s.corners, s.triangles, &error);
		mem_fail_at(0);
		if (result != SPATE_OK)
		{
			check_result(result, SPATE_MEMORY);
			assert_null(tree);
			assert_non_null(strstr(error.text, "out of memory"));
		}
		triangle_tree_destroy(tree);
		assert_int_equal(mem_get_stats().bytes, bytes);
	}
	assert_true(n > 6);
	soup_free(&s);
}

// By the parts of the line in which the planes of two triangles meet, for triangles in no special position.
static int planes_cross(const vec3 a[3], const vec3 b[3])
{
	dvec3 p[2][3], n[2];
	for (int k = 0; k < 3; k++)
	{
		p[0][k] = (dvec3){a[k].x, a[k].y, a[k].z};
		p[1][k] = (dvec3){b[k].x, b[k].y, b[k].z};
	}
	for (int s = 0; s < 2; s++)
		n[s] = dvec3_cross(dvec3_sub(p[s][1], p[s][0]), dvec3_sub(p[s][2], p[s][0]));
	dvec3 line = dvec3_cross(n[0], n[1]);
	double from[2], to[2];
	for (int s = 0; s < 2; s++)
	{
		from[s] = INFINITY;
		to[s] = -INFINITY;
		for (int k = 0; k < 3; k++)
		{
			dvec3 u = p[s][k], v = p[s][(k + 1) % 3];
			double at_u = dvec3_dot(n[!s], dvec3_sub(u, p[!s][0])),
			       at_v = dvec3_dot(n[!s], dvec3_sub(v, p[!s][0]));
			if ((at_u > 0.0) == (at_v > 0.0))
				continue;
			double t = at_u / (at_u - at_v),
			       along = dvec3_dot(line, u) + t * dvec3_dot(line, dvec3_sub(v, u));
			from[s] = fmin(from[s], along);
			to[s] = fmax(to[s], along);
		}
	}
	return fmax(from[0], from[1]) < fmin(to[0], to[1]);
}

static void test_crossings(void **state)
{
	(void)state;
	dice d = {99};
	soup s = soup_make(3 * 700, 700);
	for (uint32_t i = 0; i < 700; i++)
	{
		vec3 middle = random_place(&d, 1.0f);
		for (uint32_t k = 0; k < 3; k++)
		{
			put(&s, 3 * i + k, vec3_add(middle, random_place(&d, i % 7 ? 0.2f : 0.6f)));
			s.corners[3 * i + k] = 3 * i + k;
		}
	}
	// a fan around one corner: two of its triangles cross when the opposite edge of one goes through the other
	for (uint32_t i = 0; i < 40; i++)
		put(&s, 3 * i, (vec3){3.0f, 0.0f, 0.0f});
	uint64_t expected = 0, with_asked = 0;
	uint8_t asked[700] = {0}, marks[700] = {0};
	for (uint32_t i = 0; i < 700; i += 3)
		asked[i] = 1;
	for (uint32_t i = 0; i < 700; i++)
		for (uint32_t k = i + 1; k < 700; k++)
		{
			vec3 a[3] = {at(&s, 3 * i), at(&s, 3 * i + 1), at(&s, 3 * i + 2)};
			vec3 b[3] = {at(&s, 3 * k), at(&s, 3 * k + 1), at(&s, 3 * k + 2)};
			// from the common corner a little inwards, so that it is no special position
			for (int c = 1; i < 40 && k < 40 && c < 3; c++)
				a[0] = vec3_add_scaled(a[0], vec3_sub(a[c], a[0]), 1e-4f);
			int cross = planes_cross(a, b);
			expected += (uint64_t)cross;
			with_asked += (uint64_t)(cross && (asked[i] || asked[k]));
			if (cross)
				marks[i] = marks[k] = 1;
		}
	triangle_tree *tree = grow(&s);
	for (int threads = 1; threads <= 3; threads += 2)
	{
		_Atomic uint8_t crossed[700] = {0};
		assert_int_equal(triangle_tree_crossings(tree, NULL, crossed, threads), expected);
		for (uint32_t i = 0; i < 700; i++)
			assert_int_equal(crossed[i], marks[i]);
		assert_int_equal(triangle_tree_crossings(tree, asked, NULL, threads), with_asked);
	}
	print_message("%u pairs cross\n", (unsigned)expected);
	assert_true(expected > 100);
	triangle_tree_destroy(tree);
	soup_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_against_all_triangles),
	    cmocka_unit_test(test_nothing_slips_through_seams),
	    cmocka_unit_test(test_seam_with_a_corner_on_an_edge),
	    cmocka_unit_test(test_moved_is_built_anew),
	    cmocka_unit_test(test_ends_and_planes),
	    cmocka_unit_test(test_without_area),
	    cmocka_unit_test(test_volume_sign),
	    cmocka_unit_test(test_bad_input),
	    cmocka_unit_test(test_out_of_memory),
	    cmocka_unit_test(test_crossings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
