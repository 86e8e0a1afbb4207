// One tetrahedron or triangle at a time: the five cases and the three.
#include "check.h"

#include "surface/chromatic_cut.h"

static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

static double middle(const void *context, uint32_t a, uint32_t b)
{
	(void)context;
	assert_true(a < b);
	return 0.5;
}

static void normal_of(const spate_mesh *m, uint32_t t, double n[3])
{
	double e[2][3];
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t j = 0; j < 2; j++)
			e[j][k] = (double)m->positions[3 * m->triangles[3 * t + j + 1] + k] -
				  m->positions[3 * m->triangles[3 * t] + k];
	for (uint32_t k = 0; k < 3; k++)
		n[k] = 0.5 * (e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3]);
}

static double area_of(const spate_mesh *m)
{
	double sum = 0.0;
	for (uint32_t t = 0; t < m->triangle_count; t++)
	{
		double n[3];
		normal_of(m, t, n);
		sum += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	}
	return sum;
}

// The flux through the triangles between two labels must point from the corners of the first to those of the second.
static void check_direction(const chromatic_mesh *mesh, const uint32_t ids[4], const uint8_t labels[4])
{
	for (uint32_t t = 0; t < mesh->mesh->triangle_count; t++)
	{
		double n[3], from[3] = {0}, to[3] = {0}, along = 0.0, count[2] = {0};
		normal_of(mesh->mesh, t, n);
		for (int k = 0; k < 4; k++)
		{
			count[0] += labels[k] == mesh->sides[t][0];
			count[1] += labels[k] == mesh->sides[t][1];
			for (int x = 0; x < 3; x++)
			{
				from[x] += labels[k] == mesh->sides[t][0] ? corners[3 * ids[k] + (uint32_t)x] : 0.0;
				to[x] += labels[k] == mesh->sides[t][1] ? corners[3 * ids[k] + (uint32_t)x] : 0.0;
			}
		}
		assert_true(count[0] > 0 && count[1] > 0);
		for (int x = 0; x < 3; x++)
			along += n[x] * (to[x] / count[1] - from[x] / count[0]);
		assert_true(along > 0.0);
		assert_true(mesh->sides[t][0] > mesh->sides[t][1]);
	}
}

// Every way to colour the corners with four labels, from every even order of the corners.
static void test_all_colourings(void **state)
{
	(void)state;
	static const uint32_t triangles[CHROMATIC_CASES] = {0, 1, 2, 5, 12};
	static const uint32_t vertices[CHROMATIC_CASES] = {0, 3, 4, 7, 11};
	static const uint32_t orders[4][4] = {{0, 1, 2, 3}, {1, 2, 0, 3}, {2, 3, 0, 1}, {3, 1, 0, 2}};
	uint32_t seen[CHROMATIC_CASES] = {0};
	for (uint32_t colouring = 0; colouring < 256; colouring++)
		for (int o = 0; o < 4; o++)
		{
			uint8_t labels[4];
			for (uint32_t k = 0; k < 4; k++)
				labels[k] = (uint8_t)(colouring >> 2 * orders[o][k] & 3);
			chromatic_cutter c = {.points = corners, .fraction = middle};
			chromatic_mesh mesh;
			assert_true(chromatic_cut_tetrahedron(&c, orders[o], labels));
			check_ok(chromatic_cutter_finish(&c, &mesh, NULL));
			for (int kind = 0; kind < CHROMATIC_CASES; kind++)
				if (mesh.cases[kind])
				{
					seen[kind]++;
					assert_int_equal(mesh.mesh->triangle_count, triangles[kind]);
					assert_int_equal(mesh.mesh->vertex_count, vertices[kind]);
				}
			check_direction(&mesh, orders[o], labels);
			chromatic_mesh_free(&mesh);
		}
	// 4 of one colour, 4 * 4 * 3 ways of three and one, ...
	static const uint32_t ways[CHROMATIC_CASES] = {4, 48, 36, 144, 24};
	for (int kind = 0; kind < CHROMATIC_CASES; kind++)
		assert_int_equal(seen[kind], 4 * ways[kind]);
}

static chromatic_mesh cut_one(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
	chromatic_cutter cutter = {.points = corners, .fraction = middle};
	chromatic_mesh mesh;
	assert_true(chromatic_cut_tetrahedron(&cutter, (const uint32_t[]){0, 1, 2, 3}, (const uint8_t[]){a, b, c, d}));
	check_ok(chromatic_cutter_finish(&cutter, &mesh, NULL));
	return mesh;
}

static void test_areas(void **state)
{
	(void)state;
	// parallel to the face opposite the corner, at half the height
	chromatic_mesh mesh = cut_one(2, 1, 1, 1);
	check_near(area_of(mesh.mesh), 0.25 * sqrt(3.0) / 2.0, 1e-7);
	chromatic_mesh_free(&mesh);
	// the rectangle between two opposite edges
	mesh = cut_one(2, 2, 1, 1);
	check_near(area_of(mesh.mesh), 0.5 * sqrt(0.5), 1e-7);
	chromatic_mesh_free(&mesh);
	// the point where all four meet is the mean of the corners
	mesh = cut_one(4, 3, 2, 1);
	int found = 0;
	for (uint32_t v = 0; v < mesh.mesh->vertex_count; v++)
	{
		const float *p = mesh.mesh->positions + 3 * v;
		found += fabsf(p[0] - 0.25f) < 1e-6f && fabsf(p[1] - 0.25f) < 1e-6f && fabsf(p[2] - 0.25f) < 1e-6f;
	}
	assert_int_equal(found, 1);
	chromatic_mesh_free(&mesh);
}

// All ways to colour a triangle with three labels; the first side is on the left.
static void test_triangles(void **state)
{
	(void)state;
	uint32_t seen[CHROMATIC_CASES] = {0};
	for (uint32_t colouring = 0; colouring < 64; colouring++)
	{
		uint8_t labels[3] = {(uint8_t)(colouring & 3), (uint8_t)(colouring >> 2 & 3),
				     (uint8_t)(colouring >> 4)};
		chromatic_cutter c = {.points = corners, .fraction = middle};
		assert_true(chromatic_cut_triangle(&c, (const uint32_t[]){0, 1, 2}, labels));
		size_t segments = c.sides.count / 2;
		assert_int_equal(segments, c.cases[CHROMATIC_3_1] ? 1 : c.cases[CHROMATIC_1_1_1_1] ? 3 : 0);
		for (int kind = 0; kind < CHROMATIC_CASES; kind++)
			seen[kind] += c.cases[kind] > 0;
		for (size_t s = 0; s < segments; s++)
		{
			dvec3 a = c.vertices.data[c.corners.data[2 * s]],
			      b = c.vertices.data[c.corners.data[2 * s + 1]];
			assert_true(c.sides.data[2 * s] > c.sides.data[2 * s + 1]);
			for (int k = 0; k < 3; k++)
			{
				double left =
				    (b.x - a.x) * (corners[3 * k + 1] - a.y) - (b.y - a.y) * (corners[3 * k] - a.x);
				if (labels[k] == c.sides.data[2 * s])
					assert_true(left > 0.0);
				if (labels[k] == c.sides.data[2 * s + 1])
					assert_true(left < 0.0);
			}
		}
		chromatic_cutter_free(&c);
	}
	assert_int_equal(seen[CHROMATIC_4], 4);
	assert_int_equal(seen[CHROMATIC_3_1], 36);
	assert_int_equal(seen[CHROMATIC_1_1_1_1], 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_colourings),
	    cmocka_unit_test(test_areas),
	    cmocka_unit_test(test_triangles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
