#include "surface/mesh_check.h"

#include "dice.h"
#include "surface/contour.h"
#include "surface/contour_table.h"

enum
{
	SIDE = 4 // blocks along the side of the test grid
};

// A dense cube of blocks, all computed, with values by point; what is beyond it is outside.
static void make_grid(surface_blocks *blocks, const float *values)
{
	const int points = SIDE * GRID_SIDE;
	uint32_t count = SIDE * SIDE * SIDE, at = 0;
	*blocks = (surface_blocks){.cell = 1.0, .count = count, .computed = count};
	blocks->keys = mem_alloc(count * sizeof(uint64_t));
	blocks->slot = mem_alloc(count * sizeof(uint32_t));
	blocks->block = mem_alloc(count * sizeof(uint32_t));
	blocks->inside = mem_calloc(count, sizeof(uint64_t));
	blocks->values = mem_alloc(count * GRID_POINTS * sizeof(float));
	// within one leaf keys rise with x, then y, then z
	for (int z = 0; z < SIDE; z++)
		for (int y = 0; y < SIDE; y++)
			for (int x = 0; x < SIDE; x++, at++)
			{
				blocks->keys[at] =
				    cell_key((cell_coord){CELL_OFFSET + x, CELL_OFFSET + y, CELL_OFFSET + z});
				blocks->slot[at] = blocks->block[at] = at;
				for (int i = 0; i < GRID_POINTS; i++)
				{
					int px = 4 * x + (i & 3), py = 4 * y + (i >> 2 & 3), pz = 4 * z + (i >> 4);
					float v = values[(pz * points + py) * points + px];
					blocks->values[at * GRID_POINTS + (uint32_t)i] = v;
					blocks->inside[at] |= (uint64_t)(v < 0.0f) << i;
				}
			}
	check_ok(cell_map_build(&blocks->map, 0, count, blocks->keys, 1, NULL));
}

static void contour(const float *values, spate_mesh *out, surface_mesh *mesh)
{
	surface_blocks blocks;
	make_grid(&blocks, values);
	check_ok(surface_contour(mesh, &blocks, 2, NULL));
	surface_blocks_free(&blocks);
	*out = (spate_mesh){.vertex_count = mesh->vertex_count,
			    .triangle_count = mesh->triangle_count,
			    .positions = mesh->positions ? &mesh->positions->x : NULL,
			    .triangles = mesh->triangles};
}

static void every_case_is_closed(void **state)
{
	(void)state;
	enum
	{
		POINTS = SIDE * GRID_SIDE
	};
	static float values[POINTS * POINTS * POINTS];
	// at a cell within a block, and at one whose corners lie in eight blocks
	for (int place = 5; place <= 7; place += 2)
		for (int index = 1; index < 256; index++)
		{
			for (int i = 0; i < POINTS * POINTS * POINTS; i++)
				values[i] = 1.0f;
			for (int c = 0; c < 8; c++)
				if (index >> c & 1)
					values[((place + (c >> 2)) * POINTS + place + (c >> 1 & 1)) * POINTS + place +
					       (c & 1)] = -0.7f;
			spate_mesh view;
			surface_mesh mesh;
			contour(values, &view, &mesh);
			check_closed(&view);
			if (!(mesh_volume(&view) > 0.0))
				fail_msg("case %d encloses %g", index, mesh_volume(&view));
			surface_mesh_free(&mesh);
		}
}

static void cases_use_every_cut_edge(void **state)
{
	(void)state;
	static contour_table table;
	contour_table_init(&table);
	for (int index = 0; index < 256; index++)
	{
		const contour_case *c = &table.cases[index];
		assert_in_range(c->triangle_count, 0, CASE_TRIANGLES);
		assert_in_range(c->centre_count, 0, CASE_CENTRES);
		int used = 0, cut = 0;
		for (int k = 0; k < 3 * c->triangle_count; k++)
			if (c->corners[k] < CUBE_EDGES)
				used |= 1 << c->corners[k];
		for (int e = 0; e < CUBE_EDGES; e++)
		{
			int from = contour_edge_corner(e), to = from | 1 << (e >> 2);
			assert_int_not_equal(from, to);
			cut |= ((index >> from ^ index >> to) & 1) << e;
		}
		assert_int_equal(used, cut);
	}
}

static void noise_is_closed(void **state)
{
	(void)state;
	enum
	{
		POINTS = SIDE * GRID_SIDE
	};
	static float values[POINTS * POINTS * POINTS];
	for (int round = 0; round < 12; round++)
	{
		dice d = {(uint64_t)round};
		float bias = 0.15f * (float)(round % 5) - 0.3f;
		for (int i = 0; i < POINTS * POINTS * POINTS; i++)
		{
			int x = i % POINTS, y = i / POINTS % POINTS, z = i / (POINTS * POINTS);
			int edge = x == 0 || y == 0 || z == 0 || x == POINTS - 1 || y == POINTS - 1 || z == POINTS - 1;
			float v = dice_range(&d, -1.0f, 1.0f) + bias;
			// every few values are zero or next to it
			if (dice_below(&d, 8) == 0)
				v = dice_below(&d, 2) ? 0.0f : -1e-30f;
			values[i] = edge ? 1.0f : v;
		}
		spate_mesh view;
		surface_mesh mesh;
		contour(values, &view, &mesh);
		assert_true(mesh.triangle_count > 1000);
		check_closed(&view);
		surface_mesh_free(&mesh);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_case_is_closed),
	    cmocka_unit_test(cases_use_every_cut_edge),
	    cmocka_unit_test(noise_is_closed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
