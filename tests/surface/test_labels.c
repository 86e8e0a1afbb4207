// The composite function of many fluids, and interfaces on a grid.
#include "interface_check.h"

#include "surface/labels.h"

// Balls and half-spaces: distance functions, positive inside.
typedef struct ball
{
	float centre[3], radius;
} ball;

typedef struct balls
{
	const ball *balls;
	uint32_t count;
	labels_rule rule;
	float cell;
} balls;

static void evaluate(const balls *b, const float p[3], float *phi)
{
	for (uint32_t k = 0; k < b->count; k++)
	{
		float r = 0.0f;
		for (int x = 0; x < 3; x++)
			r += (p[x] - b->balls[k].centre[x]) * (p[x] - b->balls[k].centre[x]);
		phi[k] = b->balls[k].radius - sqrtf(r);
	}
}

static void sample_balls(void *context, const int32_t point[3], float *phi)
{
	const balls *b = context;
	evaluate(b, (const float[3]){b->cell * (float)point[0], b->cell * (float)point[1], b->cell * (float)point[2]},
		 phi);
}

static uint8_t exact_balls(const void *context, const float p[3])
{
	const balls *b = context;
	float phi[15];
	evaluate(b, p, phi);
	return labels_classify(b->rule, b->count, phi);
}

static void test_composite_by_hand(void **state)
{
	(void)state;
	check_near(labels_composite(0, NULL), 0.0, 0.0);
	check_near(labels_composite(3, (const float[]){-1.0f, -2.0f, -3.0f}), 0.0, 0.0);
	check_near(labels_composite(3, (const float[]){0.5f, 2.0f, 0.25f}), 1.25, 0.0);
	check_near(labels_composite(2, (const float[]){0.5f, 0.5f}), 0.0, 0.0);

	static const struct
	{
		float phi[3];
		uint8_t strongest, composite;
	} rows[] = {
	    {{-1.0f, -1.0f, -1.0f}, 0, 0}, {{0.1f, -1.0f, -1.0f}, 1, 1}, {{-1.0f, 0.1f, -1.0f}, 2, 2},
	    {{-1.0f, -1.0f, 0.1f}, 3, 3},  {{0.6f, 0.4f, -1.0f}, 1, 1},  {{0.4f, 0.6f, -1.0f}, 2, 2},
	    {{0.6f, 0.5f, 0.2f}, 1, 3},    {{0.9f, 0.3f, 0.5f}, 1, 1},   {{0.3f, 0.9f, 0.5f}, 2, 2},
	};
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
	{
		assert_int_equal(labels_classify(LABELS_STRONGEST, 3, rows[r].phi), rows[r].strongest);
		assert_int_equal(labels_classify(LABELS_COMPOSITE, 3, rows[r].phi), rows[r].composite);
	}
}

// Along a path on which the functions change steadily the label changes only where P_K is zero, for any number of fluids.
static void test_labels_change_at_zeros(void **state)
{
	(void)state;
	dice d = {5};
	uint32_t changes = 0;
	for (int path = 0; path < 400; path++)
	{
		float a[15], b[15], phi[15], before = 0.0f;
		uint32_t fluids = 1 + dice_below(&d, 15), steps = 2000;
		for (int k = 0; k < 15; k++)
		{
			a[k] = dice_range(&d, -1.0f, 1.0f);
			b[k] = dice_range(&d, -1.0f, 1.0f);
		}
		uint8_t last = 0;
		for (uint32_t s = 0; s <= steps; s++)
		{
			float t = (float)s / (float)steps;
			for (uint32_t k = 0; k < fluids; k++)
				phi[k] = a[k] + t * (b[k] - a[k]);
			float p = labels_composite(fluids, phi);
			uint8_t label = labels_classify(LABELS_COMPOSITE, fluids, phi);
			// P_K changes by at most the sum of the functions' changes, 2 each over the path
			if (s && label != last)
			{
				changes++;
				assert_true(fminf(p, before) <= 2.0f * (float)fluids / (float)steps);
			}
			int inside = 0;
			for (uint32_t k = 0; k < fluids; k++)
				inside |= phi[k] > 0.0f;
			assert_int_equal(label != 0, inside);
			last = label;
			before = p;
		}
	}
	assert_true(changes > 400);
}

// Against central differences.
static void test_gradient(void **state)
{
	(void)state;
	static const ball set[4] = {{{0.3f, 0.3f, 0.3f}, 0.4f},
				    {{0.6f, 0.4f, 0.5f}, 0.35f},
				    {{0.5f, 0.7f, 0.4f}, 0.3f},
				    {{0.4f, 0.5f, 0.7f}, 0.3f}};
	balls b = {set, 4, LABELS_COMPOSITE, 0.0f};
	dice d = {9};
	int checked = 0;
	for (int i = 0; i < 500; i++)
	{
		float p[3], phi[4], gradients[4][3], found[3];
		for (int k = 0; k < 3; k++)
			p[k] = dice_range(&d, 0.0f, 1.0f);
		evaluate(&b, p, phi);
		for (int k = 0; k < 4; k++)
			for (int x = 0; x < 3; x++)
				gradients[k][x] = -(p[x] - set[k].centre[x]) / (set[k].radius - phi[k]);
		labels_composite_gradient(4, phi, (const float(*)[3])gradients, found);
		// not where an absolute value or a maximum has its kink
		float kink = 1.0f, partial = 0.0f;
		for (int k = 0; k < 4; k++)
		{
			partial = fabsf(partial - fmaxf(0.0f, phi[k]));
			kink = fminf(kink, fminf(fabsf(phi[k]), partial > 0.0f ? partial : 1.0f));
		}
		if (kink < 0.01f)
			continue;
		for (int x = 0; x < 3; x++)
		{
			float side[2];
			for (int s = 0; s < 2; s++)
			{
				float q[3] = {p[0], p[1], p[2]};
				q[x] += s ? 1e-3f : -1e-3f;
				evaluate(&b, q, phi);
				side[s] = labels_composite(4, phi);
			}
			check_near(found[x], (side[1] - side[0]) / 2e-3, 2e-3);
		}
		checked++;
	}
	assert_true(checked > 150);
}

// Cells around everything, given one by one in a scattered order.
static chromatic_mesh contour_balls(balls *b, uint32_t side, int threads)
{
	b->cell = 1.0f / (float)side;
	labels_grid grid = {.fluids = b->count,
			    .rule = b->rule,
			    .cell = b->cell,
			    .sample = sample_balls,
			    .context = b,
			    .threads = threads};
	uint32_t count = side * side * side;
	int32_t(*cells)[3] = mem_alloc(count * sizeof *cells);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t c = (uint32_t)((uint64_t)i * 7919 % count);
		cells[i][0] = (int32_t)(c % side);
		cells[i][1] = (int32_t)(c / side % side);
		cells[i][2] = (int32_t)(c / side / side);
	}
	chromatic_mesh mesh;
	check_ok(labels_contour(&grid, count, (const int32_t(*)[3])cells, &mesh, NULL));
	mem_free(cells);
	return mesh;
}

// Two balls that overlap part at the plane between them; volumes are those of the caps.
static void test_two_balls(void **state)
{
	(void)state;
	static const ball set[2] = {{{0.371f, 0.502f, 0.503f}, 0.25f}, {{0.631f, 0.502f, 0.503f}, 0.25f}};
	for (int rule = 0; rule < 2; rule++)
	{
		balls b = {set, 2, rule ? LABELS_COMPOSITE : LABELS_STRONGEST, 0.0f};
		chromatic_mesh mesh = contour_balls(&b, 40, 1);
		double whole = 4.0 / 3.0 * 3.14159265 * pow(0.25, 3.0), h = 0.25 - 0.13;
		double cap = 3.14159265 * h * h * (3.0 * 0.25 - h) / 3.0;
		int64_t euler;
		for (uint8_t fluid = 1; fluid <= 2; fluid++)
		{
			check_near(check_fluid(&mesh, fluid, &euler) / (whole - cap), 1.0, 0.01);
			assert_int_equal(euler, 2);
		}
		// vertices between the two lie in the plane, but for the rim, where air takes part
		uint32_t flat = 0;
		for (uint32_t k = 0; k < 3 * mesh.mesh->triangle_count; k++)
		{
			const float *p = mesh.mesh->positions + 3 * mesh.mesh->triangles[k];
			if (mesh.sides[k / 3][1] == 0 || hypotf(p[1] - 0.502f, p[2] - 0.503f) > 0.18f)
				continue;
			check_near(p[0], 0.501, 2.5e-3); // a tenth of a cell
			flat++;
		}
		assert_true(flat > 1000);
		assert_true(check_seams(&mesh) > 50);
		assert_int_equal(mesh_components(mesh.mesh), 1);
		check_near(check_parted(&mesh, 100000, exact_balls, &b), 1.0, 0.005);
		chromatic_mesh_free(&mesh);
	}
}

static void test_fifteen_balls(void **state)
{
	(void)state;
	ball set[15];
	dice d = {4};
	for (int k = 0; k < 15; k++)
	{
		for (int x = 0; x < 3; x++)
			set[k].centre[x] = dice_range(&d, 0.3f, 0.7f);
		set[k].radius = dice_range(&d, 0.15f, 0.28f);
	}
	for (int rule = 0; rule < 2; rule++)
	{
		balls b = {set, 15, rule ? LABELS_COMPOSITE : LABELS_STRONGEST, 0.0f};
		chromatic_mesh mesh = contour_balls(&b, 40, 1), again = contour_balls(&b, 40, 3);
		assert_true(same_mesh(&mesh, &again));
		for (uint8_t fluid = 1; fluid <= 15; fluid++)
			check_fluid(&mesh, fluid, NULL);
		check_seams(&mesh);
		for (int kind = 0; kind < CHROMATIC_CASES; kind++)
			assert_true(mesh.cases[kind] > 0);
		check_near(check_parted(&mesh, 200000, exact_balls, &b), 1.0, rule ? 0.08 : 0.01);
		chromatic_mesh_free(&mesh);
		chromatic_mesh_free(&again);
	}
}

// Three linear functions: their interfaces meet in a line, and so do those of the mesh.
static void sample_sectors(void *context, const int32_t point[3], float *phi)
{
	(void)context;
	float x = (float)point[0] - 7.3f, y = (float)point[1] - 6.8f, z = 0.1f * (float)point[2];
	phi[0] = 20.0f + x + z;
	phi[1] = 20.0f - 0.5f * x + 0.9f * y;
	phi[2] = 20.0f - 0.4f * x - 0.8f * y - z;
}

static void test_meeting_line(void **state)
{
	(void)state;
	int32_t cells[14 * 14 * 14][3];
	for (int i = 0; i < 14 * 14 * 14; i++)
	{
		cells[i][0] = i % 14;
		cells[i][1] = i / 14 % 14;
		cells[i][2] = i / 196;
	}
	labels_grid grid = {.fluids = 3, .rule = LABELS_STRONGEST, .cell = 1.0, .sample = sample_sectors, .threads = 1};
	chromatic_mesh mesh;
	check_ok(labels_contour(&grid, 14 * 14 * 14, (const int32_t(*)[3])cells, &mesh, NULL));
	uint8_t *kinds = mem_calloc(mesh.mesh->vertex_count, 1);
	for (uint32_t k = 0; k < 3 * mesh.mesh->triangle_count; k++)
		kinds[mesh.mesh->triangles[k]] |= (uint8_t)(1u << mesh.sides[k / 3][0] | 1u << mesh.sides[k / 3][1]);
	uint32_t meet = 0, exact = 0;
	double sum = 0.0;
	for (uint32_t v = 0; v < mesh.mesh->vertex_count; v++)
	{
		if (kinds[v] != 0xe)
			continue;
		const float *p = mesh.mesh->positions + 3 * v;
		double x = (double)p[0] - 7.3, y = (double)p[1] - 6.8, z = 0.1 * (double)p[2];
		double a = x + z, b = -0.5 * x + 0.9 * y, c = -0.4 * x - 0.8 * y - z;
		double off = fmax(fabs(a - b), fabs(b - c));
		sum += off;
		exact += off < 1e-3;
		meet++;
	}
	print_message("%u vertices where three meet, %u of them exact, the mean is off by %.4f cells\n", meet, exact,
		      sum / meet);
	assert_true(meet >= 28);
	// a face whose corners have three labels need not hold the point where they meet
	assert_true(exact > 0.3 * meet);
	check_near(sum / meet, 0.0, 0.2);
	mem_free(kinds);
	chromatic_mesh_free(&mesh);
}

// A block full of one fluid is closed half a cell outside.
static void test_block(void **state)
{
	(void)state;
	float phi[2 * 4 * 3 * 2];
	for (int i = 0; i < 24; i++)
	{
		int x = i % 4;
		phi[2 * i] = x < 2 ? 1.0f : -1.0f;
		phi[2 * i + 1] = -phi[2 * i];
	}
	labels_block block = {.fluids = 2, .size = {4, 3, 2}, .phi = phi};
	labels_grid grid = {.origin = {10.0, 0.0, 0.0}, .cell = 2.0, .threads = 1};
	chromatic_mesh mesh;
	check_ok(labels_contour_block(&grid, &block, &mesh, NULL));
	int64_t euler;
	for (uint8_t fluid = 1; fluid <= 2; fluid++)
	{
		// less than the cells, whose edges and corners are cut off
		double volume = check_fluid(&mesh, fluid, &euler);
		assert_true(volume > 0.7 * 96.0 && volume < 96.0);
		assert_int_equal(euler, 2);
	}
	for (uint32_t t = 0; t < mesh.mesh->triangle_count; t++)
		for (uint32_t k = 0; k < 3 && mesh.sides[t][1] == 1; k++)
			check_near(mesh.mesh->positions[3 * mesh.mesh->triangles[3 * t + k]], 13.0, 0.7);
	check_parted(&mesh, 20000, NULL, NULL);
	chromatic_mesh_free(&mesh);
}

static void test_refused(void **state)
{
	(void)state;
	labels_grid grid = {.fluids = 16, .cell = 1.0};
	chromatic_mesh mesh;
	spate_error error = {0};
	check_result(labels_contour(&grid, 0, NULL, &mesh, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "not 16"));
	grid.fluids = 1;
	grid.cell = 0.0;
	check_result(labels_contour(&grid, 0, NULL, &mesh, &error), SPATE_INVALID);
	grid.cell = 1.0;
	check_ok(labels_contour(&grid, 0, NULL, &mesh, NULL));
	assert_int_equal(mesh.mesh->triangle_count, 0);
	chromatic_mesh_free(&mesh);
}

static void test_memory(void **state)
{
	(void)state;
	float phi[27];
	for (int i = 0; i < 27; i++)
		phi[i] = i == 13 ? 1.0f : -1.0f;
	labels_block block = {.fluids = 1, .size = {3, 3, 3}, .phi = phi};
	labels_grid grid = {.cell = 1.0, .threads = 1};
	uint64_t blocks = mem_get_stats().blocks, n = 1;
	for (;; n++)
	{
		chromatic_mesh mesh;
		mem_fail_at(n);
		spate_result result = labels_contour_block(&grid, &block, &mesh, NULL);
		mem_fail_at(0);
		chromatic_mesh_free(&mesh);
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (result == SPATE_OK)
			break;
		check_result(result, SPATE_MEMORY);
	}
	assert_true(n > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_composite_by_hand),
	    cmocka_unit_test(test_labels_change_at_zeros),
	    cmocka_unit_test(test_gradient),
	    cmocka_unit_test(test_two_balls),
	    cmocka_unit_test(test_fifteen_balls),
	    cmocka_unit_test(test_meeting_line),
	    cmocka_unit_test(test_block),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
