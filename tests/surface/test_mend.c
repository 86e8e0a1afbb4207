// Triangles without area in meshes of interfaces: those that can be mended, those that cannot, and those that particles make.
#include "interface_check.h"
#include "many_sets.h"

#include "surface/many.h"

static chromatic_mesh mesh_make(uint32_t vertices, const float (*places)[3], uint32_t triangles,
				const uint32_t (*corners)[3], const uint8_t (*sides)[2])
{
	chromatic_mesh mesh = {0};
	check_ok(spate_mesh_create(&mesh.mesh, vertices, triangles, NULL));
	memcpy(mesh.mesh->positions, places, vertices * sizeof *places);
	memcpy(mesh.mesh->triangles, corners, triangles * sizeof *corners);
	mesh.sides = mem_alloc(triangles * sizeof *sides);
	assert_non_null(mesh.sides);
	for (uint32_t t = 0; t < triangles; t++)
	{
		mesh.sides[t][0] = sides ? sides[t][0] : 1;
		mesh.sides[t][1] = sides ? sides[t][1] : 0;
	}
	return mesh;
}

static uint64_t crossings_of(const spate_mesh *mesh)
{
	uint64_t pairs;
	check_ok(mesh_count_crossings(&pairs, mesh, NULL));
	return pairs;
}

// What must be the same before and after, or not more.
typedef struct facts
{
	double volumes[16];
	int64_t eulers[16];
	uint32_t seams;
	uint64_t crossings;
} facts;

static facts facts_of(const chromatic_mesh *mesh)
{
	facts f = {.seams = check_seams(mesh), .crossings = crossings_of(mesh->mesh)};
	for (uint8_t fluid = 1; fluid <= 15; fluid++)
		f.volumes[fluid] = check_fluid(mesh, fluid, &f.eulers[fluid]);
	return f;
}

static void check_facts(const chromatic_mesh *mesh, const facts *before, double tolerance)
{
	facts after = facts_of(mesh);
	assert_int_equal(after.seams, before->seams);
	if (after.crossings > before->crossings)
		fail_msg("%llu pairs cross, before %llu", (unsigned long long)after.crossings,
			 (unsigned long long)before->crossings);
	for (int fluid = 1; fluid <= 15; fluid++)
	{
		check_near(after.volumes[fluid], before->volumes[fluid], tolerance);
		assert_int_equal(after.eulers[fluid], before->eulers[fluid]);
	}
}

// Mends the mesh, which has as many needles as `expected` says, and checks all of its counts.
static void check_mended(chromatic_mesh *mesh, many_mended expected, double tolerance)
{
	facts before = facts_of(mesh);
	assert_int_equal(many_needles(mesh->mesh), expected.needles);
	many_mended mended;
	check_ok(many_mend(mesh, 1, &mended, NULL));
	assert_int_equal(mended.needles, expected.needles);
	assert_int_equal(mended.left, expected.left);
	assert_int_equal(mended.flips, expected.flips);
	assert_int_equal(mended.collapses, expected.collapses);
	assert_int_equal(many_needles(mesh->mesh), expected.left);
	check_facts(mesh, &before, tolerance);
}

// What cannot be mended is as it was, bit by bit.
static void check_left(chromatic_mesh *mesh, uint32_t needles)
{
	chromatic_mesh copy =
	    mesh_make(mesh->mesh->vertex_count, (const float(*)[3])mesh->mesh->positions, mesh->mesh->triangle_count,
		      (const uint32_t(*)[3])mesh->mesh->triangles, (const uint8_t(*)[2])mesh->sides);
	check_mended(mesh, (many_mended){.needles = needles, .left = needles}, 0.0);
	assert_true(same_mesh(mesh, &copy));
	chromatic_mesh_free(&copy);
	chromatic_mesh_free(mesh);
}

enum
{
	A,
	B,
	C,
	D,
	M,
	E
};

// Two faces of a tetrahedron meet in the edge from A to B, of which only one knows the vertex M in its middle; a needle closes the gap.
static void test_flip(void **state)
{
	(void)state;
	static const float places[][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}, {0.25f, 0, 0}};
	static const uint32_t corners[][3] = {{A, C, B}, {A, M, D}, {M, B, D}, {A, B, M}, {A, D, C}, {B, C, D}};
	static const uint32_t mended[][3] = {{C, B, M}, {A, M, D}, {M, B, D}, {M, A, C}, {A, D, C}, {B, C, D}};
	chromatic_mesh mesh = mesh_make(5, places, 6, corners, NULL);
	check_mended(&mesh, (many_mended){.needles = 1, .flips = 1}, 1e-15);
	assert_int_equal(mesh.mesh->triangle_count, 6);
	assert_memory_equal(mesh.mesh->triangles, mended, sizeof mended);
	assert_memory_equal(mesh.mesh->positions, places, sizeof places);
	check_near(check_fluid(&mesh, 1, NULL), 1.0 / 3.0, 1e-15);
	chromatic_mesh_free(&mesh);
}

// Both faces know a vertex that the other does not: two needles back to back, whose edge is flipped before each finds its face.
static void test_back_to_back(void **state)
{
	(void)state;
	static const float places[][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}, {-0.5f, 0, 0}, {0.25f, 0, 0}};
	static const uint32_t corners[][3] = {{A, C, M}, {M, C, B}, {A, M, B}, {A, B, E},
					      {A, E, D}, {E, B, D}, {A, D, C}, {B, C, D}};
	chromatic_mesh mesh = mesh_make(6, places, 8, corners, NULL);
	check_mended(&mesh, (many_mended){.needles = 2, .flips = 3}, 1e-15);
	assert_int_equal(mesh.mesh->triangle_count, 8);
	chromatic_mesh_free(&mesh);
	// the same vertex for both, but for rounding: it becomes one
	float near[6][3];
	memcpy(near, places, sizeof near);
	near[M][0] = 0.25f + 0x1p-24f;
	mesh = mesh_make(6, near, 8, corners, NULL);
	check_mended(&mesh, (many_mended){.needles = 2, .collapses = 1}, 1e-7);
	assert_int_equal(mesh.mesh->triangle_count, 6);
	assert_int_equal(mesh.mesh->vertex_count, 5);
	assert_memory_equal(mesh.mesh->positions, near, 5 * sizeof *near);
	chromatic_mesh_free(&mesh);
}

// As in test_flip(), but the edge from A to B is a seam: another fluid lies on the face A, B, C.
static void test_seam_is_left(void **state)
{
	(void)state;
	static const float places[][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}, {0.25f, 0, 0}, {0, 1, 0}};
	static const uint32_t corners[][3] = {{A, B, C}, {A, M, D}, {M, B, D}, {A, B, M}, {A, D, C},
					      {B, C, D}, {A, E, B}, {E, A, C}, {E, C, B}};
	static const uint8_t sides[][2] = {{2, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 0}, {2, 0}};
	chromatic_mesh mesh = mesh_make(6, places, 9, corners, sides);
	check_left(&mesh, 1);
}

// An octahedron around the origin whose upper corner appears twice, as N and as O, with two needles between.
enum
{
	E0,
	E1,
	E2,
	E3,
	S,
	N,
	O,
	I
};

static const float octahedron[][3] = {{1, 0, 0},  {0, 1, 0}, {-1, 0, 0},       {0, -1, 0},
				      {0, 0, -1}, {0, 0, 1}, {0x1p-26f, 0, 1}, {0, 0, 0}};
#define OCTAHEDRON_FACES                                                                                        \
	{E0, E1, N}, {E1, E2, N}, {E2, E3, O}, {E3, E0, O}, {E1, E0, S}, {E2, E1, S}, {E3, E2, S}, {E0, E3, S}, \
	    {N, E2, O},                                                                                         \
	{                                                                                                       \
		O, E0, N                                                                                        \
	}

static void test_collapse(void **state)
{
	(void)state;
	static const uint32_t corners[][3] = {OCTAHEDRON_FACES};
	static const uint32_t mended[][3] = {{E0, E1, N}, {E1, E2, N}, {E2, E3, N}, {E3, E0, N},
					     {E1, E0, S}, {E2, E1, S}, {E3, E2, S}, {E0, E3, S}};
	chromatic_mesh mesh = mesh_make(7, octahedron, 10, corners, NULL);
	check_mended(&mesh, (many_mended){.needles = 2, .collapses = 1}, 1e-7);
	assert_int_equal(mesh.mesh->vertex_count, 6);
	assert_int_equal(mesh.mesh->triangle_count, 8);
	assert_memory_equal(mesh.mesh->triangles, mended, sizeof mended);
	check_near(check_fluid(&mesh, 1, NULL), 4.0 / 3.0, 1e-15);
	chromatic_mesh_free(&mesh);
}

// A seam over N, first with the higher number and then with the lower: O is the one that goes.
static void test_collapse_beside_seam(void **state)
{
	(void)state;
	static const uint8_t sides[][2] = {{1, 0}, {1, 0}, {2, 0}, {2, 0}, {1, 0}, {1, 0},
					   {2, 0}, {2, 0}, {2, 0}, {2, 0}, {2, 1}, {2, 1}};
	for (int swapped = 0; swapped < 2; swapped++)
	{
		uint32_t corners[12][3] = {OCTAHEDRON_FACES, {E0, S, E2}, {E0, E2, N}};
		float places[7][3];
		memcpy(places, octahedron, sizeof places);
		for (int i = 0; swapped && i < 36; i++)
			corners[i / 3][i % 3] = corners[i / 3][i % 3] == N   ? O
						: corners[i / 3][i % 3] == O ? N
									     : corners[i / 3][i % 3];
		places[N][0] = swapped ? 0x1p-26f : 0.0f;
		places[O][0] = swapped ? 0.0f : 0x1p-26f;
		chromatic_mesh mesh = mesh_make(7, (const float(*)[3])places, 12, (const uint32_t(*)[3])corners, sides);
		check_mended(&mesh, (many_mended){.needles = 2, .collapses = 1}, 1e-7);
		assert_int_equal(mesh.mesh->vertex_count, 6);
		check_near((double)mesh.mesh->positions[3 * N], 0.0, 0.0);
		chromatic_mesh_free(&mesh);
	}
}

// The short edge is part of the seam.
static void test_collapse_along_seam(void **state)
{
	(void)state;
	static const uint32_t corners[][3] = {OCTAHEDRON_FACES, {I, E0, S}, {I, S, E2},
					      {I, E2, N},       {I, N, O},  {I, O, E0}};
	static const uint8_t sides[][2] = {{1, 0}, {1, 0}, {2, 0}, {2, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 0},
					   {2, 0}, {1, 0}, {2, 1}, {2, 1}, {2, 1}, {2, 1}, {2, 1}};
	chromatic_mesh mesh = mesh_make(8, octahedron, 15, corners, sides);
	check_left(&mesh, 3);
}

// N and O each are on a seam of their own, around a fluid in a corner of a double pyramid; the short edge is on neither.
static void test_collapse_between_seams(void **state)
{
	(void)state;
	enum
	{
		DOWN = 6,
		LEFT,
		RIGHT,
		IN_LEFT,
		IN_RIGHT
	};
	float places[11][3] = {{0}};
	for (int k = 0; k < 6; k++)
	{
		places[k][0] = cosf((float)k * 1.04719755f);
		places[k][1] = sinf((float)k * 1.04719755f);
	}
	places[DOWN][2] = -1.0f;
	places[LEFT][2] = places[RIGHT][2] = 1.0f;
	places[RIGHT][1] = -0x1p-26f;
	for (int k = 0; k < 3; k++)
	{
		places[IN_LEFT][k] = 0.25f * (places[1][k] + places[2][k] + places[LEFT][k]);
		places[IN_RIGHT][k] = 0.25f * (places[4][k] + places[5][k] + places[RIGHT][k]);
	}
	static const uint32_t corners[][3] = {
	    {0, 1, LEFT},       {1, 2, LEFT},       {2, 3, LEFT},     {3, 4, RIGHT},        {4, 5, RIGHT},
	    {5, 0, RIGHT},      {1, 0, DOWN},       {2, 1, DOWN},     {3, 2, DOWN},         {4, 3, DOWN},
	    {5, 4, DOWN},       {0, 5, DOWN},       {LEFT, 3, RIGHT}, {RIGHT, 0, LEFT},     {2, 1, IN_LEFT},
	    {LEFT, 2, IN_LEFT}, {1, LEFT, IN_LEFT}, {5, 4, IN_RIGHT}, {RIGHT, 5, IN_RIGHT}, {4, RIGHT, IN_RIGHT}};
	uint8_t sides[20][2];
	for (int t = 0; t < 20; t++)
	{
		sides[t][0] = t == 1 || (t >= 14 && t < 17) ? 2 : t == 4 || t >= 17 ? 3 : 1;
		sides[t][1] = t >= 14;
	}
	chromatic_mesh mesh = mesh_make(11, (const float(*)[3])places, 20, corners, (const uint8_t(*)[2])sides);
	check_left(&mesh, 2);
}

// The ends of the short edge have three neighbours in common: without the edge the surface would be pinched along another, and where
// the faces are whole, two of them would lie on each other.
static void test_pinch(void **state)
{
	(void)state;
	enum
	{
		UP,
		DOWN,
		FIRST,
		SECOND,
		FAR,
		UPPER,
		LOWER
	};
	static const float places[][3] = {{0, 0, 1},  {0, 0, -1},       {1, 0, 0},        {1, 0x1p-26f, 0},
					  {-1, 0, 0}, {0, 0.5f, 0.25f}, {0, 0.5f, -0.25f}};
	static const uint32_t whole[][3] = {{UP, FIRST, SECOND},   {UP, SECOND, FAR},   {UP, FAR, FIRST},
					    {DOWN, SECOND, FIRST}, {DOWN, FAR, SECOND}, {DOWN, FIRST, FAR}};
	static const uint32_t parted[][3] = {{UP, FIRST, SECOND}, {UP, SECOND, UPPER},  {SECOND, FAR, UPPER},
					     {FAR, UP, UPPER},    {UP, FAR, FIRST},     {DOWN, SECOND, FIRST},
					     {DOWN, FAR, LOWER},  {FAR, SECOND, LOWER}, {SECOND, DOWN, LOWER},
					     {DOWN, FIRST, FAR}};
	chromatic_mesh mesh = mesh_make(5, places, 6, whole, NULL);
	check_left(&mesh, 2);
	mesh = mesh_make(7, places, 10, parted, NULL);
	check_left(&mesh, 2);
}

// A body without volume: what a flip would make of the needle is there already.
static void test_joined_tips(void **state)
{
	(void)state;
	static const float places[][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0.25f, 0, 0}};
	static const uint32_t corners[][3] = {{A, C, B}, {A, B, 3}, {A, 3, C}, {3, B, C}};
	chromatic_mesh mesh = mesh_make(4, places, 4, corners, NULL);
	check_left(&mesh, 1);
}

// As in test_flip(), with M a little off the edge; the tip of another body lies in the sliver that the flip would fill.
static void test_crossing(void **state)
{
	(void)state;
	const float h = 0x1p-26f;
	const float places[][3] = {{-1, 0, 0},        {1, 0, 0}, {0, 0, 1}, {0, -1, -0.5f}, {0, h, 0},
				   {0, h / 4, 0.25f}, {0, 1, 0}, {1, 1, 1}, {-1, 1, 1}};
	static const uint32_t corners[][3] = {{A, C, B}, {A, M, D}, {M, B, D}, {A, B, M}, {A, D, C},
					      {B, C, D}, {5, 6, 7}, {5, 7, 8}, {5, 8, 6}, {6, 8, 7}};
	chromatic_mesh mesh = mesh_make(9, places, 10, corners, NULL);
	assert_int_equal(crossings_of(mesh.mesh), 0);
	check_left(&mesh, 1);
	// without the other body there is nothing to cross
	mesh = mesh_make(5, places, 6, corners, NULL);
	check_mended(&mesh, (many_mended){.needles = 1, .flips = 1}, 1e-7);
	chromatic_mesh_free(&mesh);
}

static void test_memory(void **state)
{
	(void)state;
	static const uint32_t corners[][3] = {OCTAHEDRON_FACES};
	uint64_t n = 1, outer = mem_get_stats().blocks;
	for (spate_result result = SPATE_MEMORY; result != SPATE_OK; n++)
	{
		chromatic_mesh mesh = mesh_make(7, octahedron, 10, corners, NULL);
		uint64_t blocks = mem_get_stats().blocks;
		mem_fail_at(n);
		result = many_mend(&mesh, 1, NULL, NULL);
		mem_fail_at(0);
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (result != SPATE_OK)
			check_result(result, SPATE_MEMORY);
		chromatic_mesh_free(&mesh);
	}
	assert_true(n > 9);
	assert_int_equal(mem_get_stats().blocks, outer);
	chromatic_mesh empty = {0};
	check_ok(spate_mesh_create(&empty.mesh, 0, 0, NULL));
	many_mended mended;
	check_ok(many_mend(&empty, 1, &mended, NULL));
	assert_int_equal(mended.needles, 0);
	chromatic_mesh_free(&empty);
}

#ifdef SPATE_QHULL
// Rectangles of a lattice are cut along a line: of two triangles each some have no area.
static void test_particles(void **state)
{
	(void)state;
	static const struct
	{
		const char *name;
		fluid_at *at;
		uint32_t side;
	} sets[] = {{"layers", layers, 16}, {"sectors", sectors, 15}, {"four", four, 16}, {"fifteen", fifteen, 20}};
	for (size_t n = 0; n < sizeof sets / sizeof *sets; n++)
	{
		particle_set set = particle_set_make(3, sets[n].side, 0.0f, sets[n].at, NULL);
		set.input.smooth = 1;
		chromatic_mesh meshes[3];
		many_mended mended[3];
		for (int k = 0; k < 3; k++)
		{
			check_ok(chromatic_interfaces(&set.input, &meshes[k], NULL));
			facts before = facts_of(&meshes[k]);
			uint32_t needles = many_needles(meshes[k].mesh);
			assert_true(needles > 3);
			check_ok(many_mend(&meshes[k], k + 1, &mended[k], NULL));
			assert_int_equal(mended[k].needles, needles);
			assert_int_equal(mended[k].left, 0);
			assert_int_equal(many_needles(meshes[k].mesh), 0);
			check_facts(&meshes[k], &before, 1e-8);
		}
		print_message("%s: %u triangles, %u needles, %u flips, %u collapses\n", sets[n].name,
			      meshes[0].mesh->triangle_count, mended[0].needles, mended[0].flips, mended[0].collapses);
		assert_true(same_mesh(&meshes[0], &meshes[1]) && same_mesh(&meshes[0], &meshes[2]));
		for (int k = 0; k < 3; k++)
			chromatic_mesh_free(&meshes[k]);
		particle_set_free(&set);
	}
}

// Far from the origin, where places have few digits left, there are many needles, also along seams: those stay, and all else holds.
static void test_far(void **state)
{
	(void)state;
	for (float far = 10.0f; far < 2000.0f; far *= 10.0f)
	{
		particle_set set = particle_set_make(3, 10, 0.0f, fifteen, NULL);
		for (size_t i = 0; i < set.positions.count; i++)
			set.positions.data[i] += far;
		set.input.smooth = 1;
		chromatic_mesh mesh;
		many_mended mended;
		check_ok(chromatic_interfaces(&set.input, &mesh, NULL));
		facts before = facts_of(&mesh);
		check_ok(many_mend(&mesh, 1, &mended, NULL));
		print_message("%g m away: %u triangles, %u needles, %u flips, %u collapses, %u left, %llu crossings\n",
			      (double)far, mesh.mesh->triangle_count, mended.needles, mended.flips, mended.collapses,
			      mended.left, (unsigned long long)before.crossings);
		assert_true(mended.needles > 10 && mended.left < mended.needles);
		assert_int_equal(many_needles(mesh.mesh), mended.left);
		check_facts(&mesh, &before, 3e-7 * (double)far);
		chromatic_mesh_free(&mesh);
		particle_set_free(&set);
	}
}

// All the way: without smoothing, and with some.
static void test_surfaces(void **state)
{
	(void)state;
	particle_set from = particle_set_make(3, 16, 0.0f, four, NULL);
	many_set set = many_set_make(&from, 4);
	for (int smoothing = 0; smoothing <= 3; smoothing += 3)
	{
		spate_surface_def def = spate_default_surface_def();
		spate_surface_stats stats;
		def.smoothing = smoothing;
		spate_surface_many *many = many_make(spate_surface_chromatic, &set, &def, &stats);
		check_many(many, 5000, NULL, NULL);
		assert_true(smoothing > 0 || stats.mended > 3);
		assert_int_equal(stats.needles, 0);
		for (uint32_t k = 0; k < many->fluid_count; k++)
		{
			spate_mesh_measure m;
			assert_int_equal(many_needles(many->fluids[k]), 0);
			check_ok(mesh_measure_all(&m, many->fluids[k], NULL));
			assert_true(m.closed && m.flipped_edges == 0);
		}
		spate_surface_many_destroy(many);
	}
	many_set_free(&set);
	particle_set_free(&from);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_flip),
	    cmocka_unit_test(test_back_to_back),
	    cmocka_unit_test(test_seam_is_left),
	    cmocka_unit_test(test_collapse),
	    cmocka_unit_test(test_collapse_beside_seam),
	    cmocka_unit_test(test_collapse_along_seam),
	    cmocka_unit_test(test_collapse_between_seams),
	    cmocka_unit_test(test_pinch),
	    cmocka_unit_test(test_joined_tips),
	    cmocka_unit_test(test_crossing),
	    cmocka_unit_test(test_memory),
#ifdef SPATE_QHULL
	    cmocka_unit_test(test_particles),
	    cmocka_unit_test(test_far),
	    cmocka_unit_test(test_surfaces),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
