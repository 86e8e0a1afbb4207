// STL files whose triangles have copies of their vertices that differ in the last digits, as CAD programs write them: cracks are closed,
// details and gaps stay.
#include "dice.h"
#include "mesh/make.h"
#include "mesh_support.h"

#include <math.h>

// An STL file, triangle by triangle.
typedef struct stl_file
{
	char *data;
	size_t bytes;
	uint32_t triangles;
	int digits; // of a number, 0 for a binary file
} stl_file;

enum
{
	MOST_BYTES = 400, // of one triangle
	MOST_TRIANGLES = 5000
};

static stl_file begin_file(int digits)
{
	stl_file f = {.data = mem_calloc(MOST_TRIANGLES, MOST_BYTES), .bytes = 84, .digits = digits};
	if (digits)
		f.bytes = (size_t)sprintf(f.data, "solid\n");
	return f;
}

static void put_triangle(stl_file *f, const float corners[9])
{
	assert_true(f->triangles < MOST_TRIANGLES - 2);
	f->triangles++;
	if (!f->digits)
	{
		memcpy(f->data + f->bytes + 12, corners, 36);
		f->bytes += 50;
		return;
	}
	char line[64];
	f->bytes += (size_t)sprintf(f->data + f->bytes, "facet normal 0 0 0\nouter loop\n");
	for (int k = 0; k < 9; k++)
	{
		snprintf(line, sizeof line, "%.*g", f->digits, (double)corners[k]);
		f->bytes += (size_t)sprintf(f->data + f->bytes, "%s%s%s", k % 3 ? " " : "vertex ", line,
					    k % 3 == 2 ? "\n" : "");
	}
	f->bytes += (size_t)sprintf(f->data + f->bytes, "endloop\nendfacet\n");
}

static spate_mesh *read_file(stl_file *f)
{
	if (f->digits)
		f->bytes += (size_t)sprintf(f->data + f->bytes, "endsolid\n");
	else
		memcpy(f->data + 80, &f->triangles, 4);
	spate_mesh *mesh = mesh_of_bytes("a.stl", f->data, f->bytes);
	mem_free(f->data);
	return mesh;
}

// How the copies of a vertex differ: by so many metres or units of the last place at most, along every axis.
typedef struct noise
{
	double metres;
	uint32_t ulps;
	double offset; // m, of the whole mesh along every axis
} noise;

static float disturb(float x, const noise *n, dice *d)
{
	double exact = (double)x + n->offset + n->metres * (double)dice_range(d, -1.0f, 1.0f);
	float out = (float)exact;
	for (int u = (int)dice_below(d, 2 * n->ulps + 1) - (int)n->ulps; u != 0; u += u < 0 ? 1 : -1)
		out = nextafterf(out, u < 0 ? -INFINITY : INFINITY);
	return out;
}

// The triangles of a mesh, every corner with a noise of its own.
static void put_mesh(stl_file *f, const spate_mesh *mesh, const noise *n, uint64_t seed)
{
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		float corners[9];
		// the same for a triangle wherever it stands in the file
		dice d = {seed + 1000 * (uint64_t)t};
		for (int k = 0; k < 9; k++)
			corners[k] = disturb(
			    mesh->positions[3 * (size_t)mesh->triangles[3 * t + (uint32_t)k / 3] + (uint32_t)k % 3], n,
			    &d);
		put_triangle(f, corners);
	}
}

static spate_mesh *sphere(double radius, uint32_t segments)
{
	spate_mesh *mesh = NULL;
	check_ok(make_sphere(&mesh, radius, segments, segments / 2, NULL));
	return mesh;
}

static spate_mesh *box(double size)
{
	spate_mesh *mesh = NULL;
	check_ok(make_box(&mesh, (const double[3]){size, size, size}, NULL));
	return mesh;
}

static void check_closed(const spate_mesh *mesh, uint64_t components)
{
	mesh_measure m = measure_of(mesh);
	if (!m.closed || m.flipped_edges > 0)
		fail_msg("%llu open and %llu crowded edges, %u vertices, %u welded", (unsigned long long)m.open_edges,
			 (unsigned long long)m.crowded_edges, mesh->vertex_count, mesh->welded);
	assert_int_equal(m.components, components);
}

static void spheres_are_closed(void **state)
{
	(void)state;
	static const struct
	{
		noise noise;
		int digits;
	} cases[] = {
	    {{.ulps = 2}, 0},
	    {{.ulps = 2}, 9},
	    {{.metres = 1e-6}, 0},
	    {{.metres = 1e-6}, 6},
	    {{.ulps = 2, .offset = 50.0}, 0},
	    {{.ulps = 2, .offset = 1000.0}, 0},
	    {{.ulps = 1, .offset = -5000.0}, 0},
	};
	spate_mesh *exact = sphere(1.0, 32);
	double volume = measure_of(exact).volume;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		print_message("case %zu\n", i);
		stl_file f = begin_file(cases[i].digits);
		put_mesh(&f, exact, &cases[i].noise, i);
		spate_mesh *mesh = read_file(&f);
		check_closed(mesh, 1);
		// 2 poles and 15 rings of 32
		check_counts(mesh, 482, 960, 0);
		assert_true(mesh->welded > 1000);
		check_near(measure_of(mesh).volume, volume, 1e-3 * volume);
		spate_mesh_destroy(mesh);
	}
	spate_mesh_destroy(exact);
}

// Whatever the size: lengths in metres or in light years.
static void sizes(void **state)
{
	(void)state;
	for (int power = -30; power <= 30; power += 10)
	{
		double radius = pow(10.0, power);
		spate_mesh *exact = sphere(radius, 16);
		stl_file f = begin_file(0);
		put_mesh(&f, exact, &(noise){.metres = 1e-6 * radius, .ulps = 1}, 7);
		spate_mesh *mesh = read_file(&f);
		check_closed(mesh, 1);
		check_counts(mesh, 114, 224, 0);
		spate_mesh_destroy(mesh);
		spate_mesh_destroy(exact);
	}
}

// A stray triangle far away makes the mesh large, not its details.
static void stray_triangle(void **state)
{
	(void)state;
	static const float far[9] = {1e4f, 0, 0, 1e4f + 1, 0, 0, 1e4f, 1, 0};
	spate_mesh *exact = sphere(1.0, 32);
	stl_file f = begin_file(0);
	put_mesh(&f, exact, &(noise){.metres = 1e-6}, 5);
	put_triangle(&f, far);
	spate_mesh *mesh = read_file(&f);
	check_counts(mesh, 485, 961, 0);
	assert_int_equal(measure_of(mesh).open_edges, 3);
	spate_mesh_destroy(mesh);
	spate_mesh_destroy(exact);
}

// The order of the triangles decides which copy gives its place, not which vertices become one.
static void order_does_not_matter(void **state)
{
	(void)state;
	spate_mesh *exact = sphere(1.0, 24), *meshes[2];
	uint32_t count = exact->triangle_count;
	const noise n = {.metres = 3e-6};
	stl_file forth = begin_file(0), back = begin_file(0);
	put_mesh(&forth, exact, &n, 3);
	back.bytes = forth.bytes;
	back.triangles = count;
	for (uint32_t t = 0; t < count; t++)
		memcpy(back.data + 84 + 50 * (size_t)t, forth.data + 84 + 50 * (size_t)(count - 1 - t), 50);
	meshes[0] = read_file(&forth);
	meshes[1] = read_file(&back);
	check_closed(meshes[0], 1);
	check_counts(meshes[1], meshes[0]->vertex_count, count, 0);
	// vertices of one and of the other go together in pairs
	uint32_t partner[2][MOST_TRIANGLES];
	memset(partner, 0xff, sizeof partner);
	for (uint32_t i = 0; i < 3 * count; i++)
	{
		uint32_t v = meshes[0]->triangles[i], w = meshes[1]->triangles[3 * (count - 1 - i / 3) + i % 3];
		if (partner[0][v] == UINT32_MAX && partner[1][w] == UINT32_MAX)
		{
			partner[0][v] = w;
			partner[1][w] = v;
		}
		assert_int_equal(partner[0][v], w);
		assert_int_equal(partner[1][w], v);
	}
	for (int i = 0; i < 2; i++)
		spate_mesh_destroy(meshes[i]);
	spate_mesh_destroy(exact);
}

// Places are those of the first copy, to the bit.
static void places_stay(void **state)
{
	(void)state;
	spate_mesh *exact = box(1.0);
	stl_file f = begin_file(0);
	put_mesh(&f, exact, &(noise){.metres = 2e-6}, 1);
	float corners[108];
	for (size_t t = 0; t < 12; t++)
		memcpy(corners + 9 * t, f.data + 84 + 50 * t + 12, 36);
	spate_mesh *mesh = read_file(&f);
	check_counts(mesh, 8, 12, 0);
	uint32_t seen = 0;
	for (uint32_t i = 0; i < 36; i++)
		if (mesh->triangles[i] == seen)
			check_floats(mesh->positions + 3 * (size_t)seen++, corners + 3 * (size_t)i, 3);
	assert_int_equal(seen, 8);
	spate_mesh_destroy(mesh);
	spate_mesh_destroy(exact);
}

// A ball of a ten-thousandth of the size beside a large one, exact or not.
static void details_stay(void **state)
{
	(void)state;
	spate_mesh *large = sphere(0.5, 32), *small = sphere(0.5e-4, 16);
	for (int i = 0; i < 2; i++)
	{
		const noise n = {.metres = i * 2e-7}, beside = {.metres = i * 2e-7, .offset = 0.4};
		stl_file f = begin_file(0);
		put_mesh(&f, large, &n, 1);
		put_mesh(&f, small, &beside, 2);
		spate_mesh *mesh = read_file(&f);
		check_closed(mesh, 2);
		check_counts(mesh, 482 + 114, 960 + 224, 0);
		spate_mesh_destroy(mesh);
	}
	// however small it is, what is closed is left alone
	spate_mesh_destroy(small);
	small = sphere(1e-7, 16);
	stl_file f = begin_file(0);
	put_mesh(&f, large, &(noise){.ulps = 2}, 1);
	put_mesh(&f, small, &(noise){.ulps = 0}, 2);
	spate_mesh *mesh = read_file(&f);
	check_closed(mesh, 2);
	check_counts(mesh, 482 + 114, 960 + 224, 0);
	spate_mesh_destroy(mesh);
	spate_mesh_destroy(large);
	spate_mesh_destroy(small);
}

// A square of 2 * cells^2 triangles at a height.
static void put_sheet(stl_file *f, uint32_t cells, double height, const noise *n, uint64_t seed)
{
	static const uint32_t corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
	dice d = {seed};
	for (uint32_t i = 0; i < 2 * cells * cells; i++)
	{
		float corners[9];
		for (uint32_t k = 0; k < 3; k++)
		{
			const uint32_t *c = corner[3 * (i % 2) + k];
			const double p[3] = {(i / 2 % cells + c[0]) / (double)cells, height,
					     (i / 2 / cells + c[1]) / (double)cells};
			for (uint32_t x = 0; x < 3; x++)
				corners[3 * k + x] = disturb((float)p[x], n, &d);
		}
		put_triangle(f, corners);
	}
}

static void sheets_stay_apart(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
	{
		const noise n = {.metres = i * 1e-6};
		stl_file f = begin_file(0);
		put_sheet(&f, 10, 0.0, &n, 1);
		put_sheet(&f, 10, 1e-4, &n, 2);
		spate_mesh *mesh = read_file(&f);
		check_counts(mesh, 2 * 121, 400, 0);
		mesh_measure m = measure_of(mesh);
		assert_int_equal(m.components, 2);
		assert_int_equal(m.open_edges, 80);
		spate_mesh_destroy(mesh);
	}
	// closed ones stay apart at any distance
	spate_mesh *cube = box(1.0);
	stl_file f = begin_file(0);
	put_mesh(&f, cube, &(noise){.metres = 0.0}, 1);
	for (uint32_t v = 0; v < cube->vertex_count; v++)
		cube->positions[3 * v] += 1.000001f;
	put_mesh(&f, cube, &(noise){.metres = 0.0}, 1);
	spate_mesh *mesh = read_file(&f);
	check_closed(mesh, 2);
	check_counts(mesh, 16, 24, 0);
	spate_mesh_destroy(mesh);
	spate_mesh_destroy(cube);
}

// Forty sheets, each within reach of the next: a stack, not one sheet.
static void chains_are_left_alone(void **state)
{
	(void)state;
	stl_file f = begin_file(0);
	for (int i = 0; i < 40; i++)
		put_sheet(&f, 1, 1e-5 * i, &(noise){.metres = 0.0}, 1);
	spate_mesh *mesh = read_file(&f);
	check_counts(mesh, 160, 80, 0);
	assert_int_equal(mesh->welded, 0);
	spate_mesh_destroy(mesh);
}

// A triangle that is nothing but rounding goes, and its neighbours meet.
static void slivers_go(void **state)
{
	(void)state;
	static const float a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {1, 0x1p-23f, 0}, d[3] = {0, 1, 0},
			   e[3] = {0.5f, -1, 0};
	const float *const triangles[3][3] = {{a, c, d}, {b, a, e}, {c, b, e}};
	stl_file f = begin_file(0);
	for (int t = 0; t < 3; t++)
	{
		float corners[9];
		for (int k = 0; k < 3; k++)
			memcpy(corners + 3 * k, triangles[t][k], 12);
		put_triangle(&f, corners);
	}
	spate_mesh *mesh = read_file(&f);
	check_counts(mesh, 4, 2, 1);
	assert_int_equal(measure_of(mesh).open_edges, 4);
	spate_mesh_destroy(mesh);
}

static void out_of_memory(void **state)
{
	(void)state;
	spate_mesh *cube = box(1.0);
	stl_file f = begin_file(0);
	put_mesh(&f, cube, &(noise){.metres = 1e-6}, 1);
	memcpy(f.data + 80, &f.triangles, 4);
	sweep_memory("a.stl", f.data, f.bytes);
	mem_free(f.data);
	spate_mesh_destroy(cube);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(spheres_are_closed), cmocka_unit_test(sizes),
	    cmocka_unit_test(stray_triangle),     cmocka_unit_test(order_does_not_matter),
	    cmocka_unit_test(places_stay),        cmocka_unit_test(details_stay),
	    cmocka_unit_test(sheets_stay_apart),  cmocka_unit_test(chains_are_left_alone),
	    cmocka_unit_test(slivers_go),         cmocka_unit_test(out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
