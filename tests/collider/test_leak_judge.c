// The judge of leak tests, judged: planted crossings, near misses, points inside and outside of the generated meshes.
#include "check.h"

#ifndef SPATE_EMBREE

int main(void)
{
	return skip_program_without("EMBREE");
}

#else

#include "horrors.h"
#include "leak_judge.h"
#include "mesh/triangle_tree.h"

static void open_mesh(leak_judge *j, const spate_mesh *m, const uint8_t *chosen)
{
	leak_judge_open(j, m->positions, m->vertex_count, m->triangles, m->triangle_count, chosen);
}

static void corner(const spate_mesh *m, uint32_t triangle, uint32_t k, double p[3])
{
	const float *v = m->positions + (size_t)m->triangles[triangle * 3 + k % 3] * 3;
	for (int i = 0; i < 3; i++)
		p[i] = v[i];
}

// A path through a point of a triangle given by weights, `reach` to both sides of it.
static void plant(const spate_mesh *m, uint32_t triangle, const double w[3], const double way[3], double from[3],
		  double to[3])
{
	double c[3][3];
	for (uint32_t k = 0; k < 3; k++)
		corner(m, triangle, k, c[k]);
	for (int i = 0; i < 3; i++)
	{
		double p = w[0] * c[0][i] + w[1] * c[1][i] + w[2] * c[2][i];
		from[i] = (float)(p - way[i]);
		to[i] = (float)(p + way[i]);
	}
}

static void test_planted_crossings(void **state)
{
	(void)state;
	horror h = {0};
	horror_add_sphere(&h, (vec3){0.1f, 0.2f, 0.3f}, 1.0, 20, 40);
	spate_mesh *m = horror_finish(&h);
	leak_judge j;
	open_mesh(&j, m, NULL);
	dice d = {1};
	const char *kinds[3] = {"faces", "edges", "corners"};
	for (int kind = 0; kind < 3; kind++)
		for (int length = 0; length < 3; length++)
		{
			int caught = 0, planted = 4000;
			for (int i = 0; i < planted; i++)
			{
				uint32_t t = dice_below(&d, m->triangle_count);
				double a = dice_range(&d, 0.1f, 0.9f), b = (1.0 - a) * dice_range(&d, 0.1f, 0.9f);
				const double weights[3][3] = {{a, b, 1.0 - a - b}, {a, 1.0 - a, 0.0}, {0.0, 0.0, 1.0}};
				// outward from the middle, at a slant
				double p[3], way[3], from[3], to[3],
				    reach = length == 0   ? 0.5
					    : length == 1 ? 1e-2
							  : 1e-5;
				corner(m, t, 0, p);
				for (int k = 0; k < 3; k++)
					way[k] = reach * (p[k] - (k + 1) * 0.1 + dice_range(&d, -0.3f, 0.3f));
				plant(m, t, weights[kind], way, from, to);
				caught += leak_judge_path(&j, (uint64_t)i, from, to);
				caught += leak_judge_path(&j, (uint64_t)i, to, from);
			}
			if (caught != 2 * planted)
				fail_msg("%d of %d paths through %s were seen", caught, 2 * planted, kinds[kind]);
		}
	assert_int_equal(j.crossings, j.paths);
	leak_judge_close(&j);
	horror_destroy(m);
}

static void test_near_misses(void **state)
{
	(void)state;
	horror h = {0};
	horror_add_cube(&h, 1.0, 4);
	spate_mesh *m = horror_finish(&h);
	leak_judge j;
	open_mesh(&j, m, NULL);
	dice d = {2};
	// as close as floats come without touching, from both sides of the face x = 1
	for (int i = 0; i < 5000; i++)
	{
		double a[3], b[3], out = i % 2 ? 2.0 : 1.0;
		for (int k = 1; k < 3; k++)
		{
			a[k] = dice_range(&d, -0.9f, 0.9f);
			b[k] = a[k] + dice_range(&d, -0.05f, 0.05f);
		}
		a[0] = i % 2 ? nextafterf(1.0f, 2.0f) : nextafterf(1.0f, 0.0f);
		b[0] = i % 3 ? a[0] : out - (out - 1.0) + (i % 2 ? 0.3 : -0.3);
		leak_judge_path(&j, (uint64_t)i, a, b);
		leak_judge_path(&j, (uint64_t)i, b, a);
	}
	// past an edge and a corner
	for (int i = 0; i < 1000; i++)
	{
		double s = dice_range(&d, -1.2f, 1.2f), e = 1e-5;
		leak_judge_path(&j, 0, (const double[3]){0.5, 1.5 + e, s}, (const double[3]){1.5 + e, 0.5, s});
		leak_judge_path(&j, 0, (const double[3]){1.0 + e, 0.9, s}, (const double[3]){1.0 + e, 1.1, s});
	}
	leak_judge_path(&j, 0, (const double[3]){2, 2, 2}, (const double[3]){2, 2, 2});
	leak_judge_expect_none(&j);
	leak_judge_close(&j);
	horror_destroy(m);
}

// In two steps with a stop in the plane: one crossing, and an even number for turning back.
static void test_stops_in_the_plane(void **state)
{
	(void)state;
	const float positions[] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
	const uint32_t triangles[] = {0, 1, 2};
	leak_judge j;
	leak_judge_open(&j, positions, 3, triangles, 1, NULL);
	const double above[3] = {0.2, 0.1, 0.2}, in[3] = {0.25, 0, 0.2}, below[3] = {0.3, -0.1, 0.2};
	assert_int_equal(leak_judge_path(&j, 0, above, in) + leak_judge_path(&j, 0, in, below), 1);
	assert_int_equal(leak_judge_path(&j, 0, below, in) + leak_judge_path(&j, 0, in, above), 1);
	// the normal points down, so that the plane belongs to what is below it: who touches it from above has been there and back
	assert_int_equal(leak_judge_path(&j, 0, below, in) + leak_judge_path(&j, 0, in, below), 0);
	assert_int_equal(leak_judge_path(&j, 0, above, in) + leak_judge_path(&j, 0, in, above), 2);
	// along the plane
	assert_int_equal(leak_judge_path(&j, 0, (const double[3]){-1, 0, 0.2}, (const double[3]){2, 0, 0.2}), 0);
	leak_judge_close(&j);
}

static void test_report_and_subset(void **state)
{
	(void)state;
	horror h = {0};
	horror_add_cube(&h, 1.0, 1);
	spate_mesh *m = horror_finish(&h);
	uint8_t chosen[12] = {0};
	// the faces of x = -1 and x = 1
	for (int k = 0; k < 4; k++)
		chosen[k] = 1;
	leak_judge j;
	open_mesh(&j, m, chosen);
	const float from[] = {0, 0.1f, 0.2f, 0, 0, 0.1f, 0, 0.3f, 0, 0, 0, 0.1f};
	const float to[] = {0, 3, 0.2f, 2, 0, 0.1f, 0.5f, 0.3f, 0, -2, 0, 0.1f};
	assert_int_equal(leak_judge_paths(&j, 4, from, to), 2);
	assert_int_equal(j.paths, 4);
	assert_int_equal(j.first[0].particle, 1);
	assert_true(j.first[0].triangle == 2 || j.first[0].triangle == 3);
	check_near(j.first[0].place[0], 1.0, 1e-12);
	check_near(j.first[0].place[2], 0.1, 1e-7);
	assert_int_equal(j.first[1].particle, 3);
	assert_true(j.first[1].triangle < 2);
	leak_judge_close(&j);
	horror_destroy(m);
}

// Shares of a box that are inside, against volumes by formula.
static void check_share(const spate_mesh *m, vec3 half, double volume, double tolerance)
{
	leak_judge j;
	open_mesh(&j, m, NULL);
	dice d = {3};
	int inside = 0, count = 20000;
	for (int i = 0; i < count; i++)
		inside += leak_judge_inside(&j, (const double[3]){dice_range(&d, -half.x, half.x),
								  dice_range(&d, -half.y, half.y),
								  dice_range(&d, -half.z, half.z)});
	double box = 8.0 * half.x * half.y * half.z;
	check_near(inside * box / count, volume, tolerance * volume);
	leak_judge_close(&j);
}

static void test_inside(void **state)
{
	(void)state;
	// union of two balls: less the lens in the middle
	spate_mesh *m = horror_two_spheres(1.0, 1.0, 40);
	double lens = HORROR_PI * 5.0 / 12.0;
	check_share(m, (vec3){1.6f, 1.1f, 1.1f}, 8.0 * HORROR_PI / 3.0 - lens, 0.03);
	leak_judge j;
	open_mesh(&j, m, NULL);
	assert_int_equal(leak_judge_winding(&j, (const double[3]){0.01, 0.02, 0.03}, NULL), 2);
	assert_int_equal(leak_judge_winding(&j, (const double[3]){-1.0, 0.02, 0.03}, NULL), 1);
	assert_int_equal(leak_judge_winding(&j, (const double[3]){-1.6, 0.02, 0.03}, NULL), 0);
	leak_judge_close(&j);
	horror_destroy(m);

	// the cup's glass, not what it holds
	m = horror_cup(1.0, 1.0, 0.2, 80, 5);
	check_share(m, (vec3){1.1f, 1.1f, 1.1f}, HORROR_PI * (1.0 - 0.64 * 0.8), 0.04);
	horror_destroy(m);

	// hub and the parts of four blades that stick out of it
	m = horror_fan(1.0, 0.2, 0.3, 0.06, 0.5, 10);
	double hub = HORROR_PI * 0.04 * 0.4, blades = 4.0 * 0.3 * 0.06 * 0.81;
	check_share(m, (vec3){1.0f, 0.25f, 1.0f}, hub + blades, 0.06);
	horror_destroy(m);

	// by parity, whatever the faces say
	m = horror_flipped_cube(2.0, 5, 7);
	open_mesh(&j, m, NULL);
	int odd;
	leak_judge_winding(&j, (const double[3]){0.31, 0.17, -0.4}, &odd);
	assert_int_equal(odd, 1);
	leak_judge_winding(&j, (const double[3]){0.31, 1.17, -0.4}, &odd);
	assert_int_equal(odd, 0);
	leak_judge_close(&j);
	horror_destroy(m);
}

// Edges of a mesh by the places of their ends: how often each is used, at least and at most, and whether always in opposite directions.
typedef struct edge
{
	vec3 a, b;
	int forward;
} edge;

static int edge_order(const void *p, const void *q)
{
	const edge *e = p, *f = q;
	const float x[6] = {e->a.x, e->a.y, e->a.z, e->b.x, e->b.y, e->b.z};
	const float y[6] = {f->a.x, f->a.y, f->a.z, f->b.x, f->b.y, f->b.z};
	for (int k = 0; k < 6; k++)
		if (x[k] != y[k])
			return x[k] < y[k] ? -1 : 1;
	return 0;
}

static void count_edges(const spate_mesh *m, int *lone, int *agreeing, int *shared)
{
	size_t count = (size_t)m->triangle_count * 3;
	edge *edges = malloc(count * sizeof *edges);
	assert_non_null(edges);
	for (size_t i = 0; i < count; i++)
	{
		const float *p = m->positions + (size_t)m->triangles[i] * 3;
		const float *q = m->positions + (size_t)m->triangles[i - i % 3 + (i + 1) % 3] * 3;
		// +0 and -0 are one place
		edge e = {{p[0] + 0.0f, p[1] + 0.0f, p[2] + 0.0f}, {q[0] + 0.0f, q[1] + 0.0f, q[2] + 0.0f}, 1};
		if (edge_order(&(edge){e.a, e.a, 0}, &(edge){e.b, e.b, 0}) > 0)
			e = (edge){e.b, e.a, -1};
		edges[i] = e;
	}
	qsort(edges, count, sizeof *edges, edge_order);
	*lone = *agreeing = *shared = 0;
	for (size_t i = 0, end; i < count; i = end)
	{
		int sum = 0;
		for (end = i; end < count && edge_order(&edges[i], &edges[end]) == 0; end++)
			sum += edges[end].forward;
		*lone += end - i == 1;
		*agreeing += end - i == 2 && sum == 0;
		*shared += end - i == 2 && sum != 0;
	}
	free(edges);
}

static void check_edges(spate_mesh *m, const char *what, int closed, int oriented)
{
	int lone, agreeing, shared;
	count_edges(m, &lone, &agreeing, &shared);
	if ((lone == 0) != closed || (shared == 0) != oriented)
		fail_msg("%s has %d edges of one triangle, %d of two that agree, %d of two that do not", what, lone,
			 agreeing, shared);
	for (uint32_t k = 0; k < m->triangle_count * 3; k++)
		assert_true(m->triangles[k] < m->vertex_count);
	horror_destroy(m);
}

static void test_horrors_are_what_they_say(void **state)
{
	(void)state;
	uint32_t walls;
	check_edges(horror_two_spheres(1.0, 1.0, 12), "two spheres", 1, 1);
	check_edges(horror_flipped_cube(1.0, 4, 3), "flipped cube", 1, 0);
	check_edges(horror_moebius(1.0, 0.5, 40, 4), "moebius strip", 0, 0);
	check_edges(horror_terrain(4.0, 0.5, 32), "terrain", 0, 1);
	check_edges(horror_cup(1.0, 1.2, 0.05, 40, 6), "cup", 1, 1);
	check_edges(horror_fan(1.0, 0.2, 0.3, 0.02, 0.5, 4), "fan", 1, 1);
	check_edges(horror_cracked_sphere(1.0, 0.01, 6, 12, 4), "cracked sphere", 0, 1);
	check_edges(horror_soup(2.0, 5, 300, 0.2, 4, &walls), "soup", 0, 1);
	assert_int_equal(walls, 6 * 5 * 5 * 2);

	// a strip has one border: as many border edges as twice around
	spate_mesh *m = horror_moebius(1.0, 0.5, 40, 4);
	int lone, agreeing, shared;
	count_edges(m, &lone, &agreeing, &shared);
	assert_int_equal(lone, 80);
	horror_destroy(m);

	// the box around the soup is closed, and the soup lies in it
	m = horror_soup(2.0, 5, 300, 0.2, 4, &walls);
	for (uint32_t k = 0; k < m->vertex_count * 3; k++)
		assert_true(fabsf(m->positions[k]) <= 1.0f);
	m->triangle_count = walls;
	check_edges(m, "box around the soup", 1, 1);

	// wings: triangles without area, within rounding, are among them
	m = horror_wings(0.5, 1.0, 0.4, 8, 6);
	int flat = 0;
	for (uint32_t t = 0; t < m->triangle_count; t++)
	{
		double a[3], b[3], c[3];
		corner(m, t, 0, a);
		corner(m, t, 1, b);
		corner(m, t, 2, c);
		double n[3];
		for (int k = 0; k < 3; k++)
		{
			int x = (k + 1) % 3, y = (k + 2) % 3;
			n[k] = (b[x] - a[x]) * (c[y] - a[y]) - (b[y] - a[y]) * (c[x] - a[x]);
		}
		flat += n[0] * n[0] + n[1] * n[1] + n[2] * n[2] < 1e-12;
	}
	assert_int_equal(flat, 6);
	horror_destroy(m);
}

// Two who know nothing of each other say the same about random paths.
static void check_tree(spate_mesh *m, const char *what, float half)
{
	leak_judge j;
	open_mesh(&j, m, NULL);
	triangle_tree *tree;
	check_ok(triangle_tree_create(&tree, m->positions, m->vertex_count, m->triangles, m->triangle_count, NULL));
	dice d = {5};
	int hits = 0, disagree = 0;
	for (int i = 0; i < 6000; i++)
	{
		float step = i % 2 ? half : 0.1f * half;
		float a[3], b[3];
		for (int k = 0; k < 3; k++)
		{
			a[k] = dice_range(&d, -half, half);
			b[k] = a[k] + dice_range(&d, -step, step);
		}
		triangle_hit hit;
		int found = triangle_tree_first_hit(tree, (vec3){a[0], a[1], a[2]}, (vec3){b[0], b[1], b[2]}, &hit);
		uint64_t seen = leak_judge_paths(&j, 1, a, b);
		disagree += found != (seen > 0);
		hits += found;
	}
	if (disagree != 0 || hits < 100)
		fail_msg("%s: tree and judge disagree about %d of 6000 paths (%d hits)", what, disagree, hits);
	triangle_tree_destroy(tree);
	leak_judge_close(&j);
	horror_destroy(m);
}

static void test_tree_and_judge_agree(void **state)
{
	(void)state;
	uint32_t walls;
	check_tree(horror_two_spheres(1.0, 1.0, 20), "two spheres", 1.5f);
	check_tree(horror_flipped_cube(1.0, 8, 3), "flipped cube", 0.7f);
	check_tree(horror_moebius(1.0, 0.5, 80, 8), "moebius strip", 1.2f);
	check_tree(horror_wings(0.5, 1.0, 0.4, 12, 6), "wings", 0.8f);
	check_tree(horror_terrain(4.0, 0.5, 64), "terrain", 1.5f);
	check_tree(horror_cup(1.0, 1.2, 0.05, 60, 8), "cup", 1.3f);
	check_tree(horror_fan(1.0, 0.2, 0.3, 0.02, 0.5, 6), "fan", 0.6f);
	check_tree(horror_cracked_sphere(1.0, 0.01, 6, 12, 6), "cracked sphere", 1.1f);
	check_tree(horror_soup(2.0, 5, 1000, 0.2, 4, &walls), "soup", 1.1f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_planted_crossings),
	    cmocka_unit_test(test_near_misses),
	    cmocka_unit_test(test_stops_in_the_plane),
	    cmocka_unit_test(test_report_and_subset),
	    cmocka_unit_test(test_inside),
	    cmocka_unit_test(test_horrors_are_what_they_say),
	    cmocka_unit_test(test_tree_and_judge_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
