// Wet maps: which texels get wet, how they dry, and that nothing depends on threads.
#define _GNU_SOURCE
#include "scene.h"
#include "scratch.h"

#include "base/memory.h"
#include "cache/grey_file.h"
#include "collider/field.h"
#include "world/world.h"

enum
{
	SIZE = 128
};

// A sheet of 1 m x 1 m in the plane y = 0 around the origin, with uv = origin + scale (x + 0.5, z + 0.5), cut into squares.
static spate_mesh *make_sheet(uint32_t cells, float scale, float origin)
{
	spate_mesh *mesh = NULL;
	check_ok(spate_mesh_create(&mesh, (cells + 1) * (cells + 1), 2 * cells * cells, NULL));
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		float *p = mesh->positions + 3 * v;
		p[0] = (float)(v % (cells + 1)) / (float)cells - 0.5f;
		p[1] = 0;
		p[2] = (float)(v / (cells + 1)) / (float)cells - 0.5f;
	}
	mesh->uvs = mem_alloc(6 * sizeof(float) * mesh->triangle_count);
	uint32_t *t = mesh->triangles;
	for (uint32_t z = 0; z < cells; z++)
		for (uint32_t x = 0; x < cells; x++, t += 6)
		{
			uint32_t a = z * (cells + 1) + x,
				 square[6] = {a, a + cells + 1, a + cells + 2, a, a + cells + 2, a + 1};
			memcpy(t, square, sizeof square);
		}
	for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
	{
		const float *p = mesh->positions + 3 * (size_t)mesh->triangles[k];
		mesh->uvs[2 * k] = origin + scale * (p[0] + 0.5f);
		mesh->uvs[2 * k + 1] = origin + scale * (p[2] + 0.5f);
	}
	return mesh;
}

static spate_collider_def *add_sheet(scene *s, const spate_mesh *mesh)
{
	spate_collider_def *c = &s->colliders[s->def.collider_count++];
	*c = spate_default_collider_def();
	c->mesh.mesh = mesh;
	c->mode = SPATE_COLLIDER_SHELL;
	c->wet.size = SIZE;
	return c;
}

// Whether a texel must be wet (1), may be (0) or must not be (-1), by all particles near the sheet; the slow way.
static int expected_at(spate_world *w, double spacing, double x, double z)
{
	const spate_store *store = spate_world_store(w);
	const double *origin = spate_world_origin(w);
	const double doubt = 1e-5;
	int verdict = -1;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double dx = (double)store->position[row].x + origin[0] - x,
		       dz = (double)store->position[row].z + origin[2] - z,
		       y = fabs((double)store->position[row].y + origin[1]), texel = 0.5 / SIZE;
		double far = fmax(sqrt(dx * dx + dz * dz) - 0.5 * spacing, y - 0.75 * spacing);
		// the texel that holds the point is wet, too
		int own = fmax(fabs(dx), fabs(dz)) < texel && y < 0.75 * spacing;
		int here = far < -doubt || own ? 1 : far < doubt ? 0 : -1;
		verdict = here > verdict ? here : verdict;
	}
	return verdict;
}

static void check_footprint(float scale, float shift, uint32_t cells)
{
	const double spacing = 0.05;
	spate_mesh *mesh = make_sheet(cells, scale, shift);
	scene s;
	scene_init(&s, spacing);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_sheet(&s, mesh);
	// 4 x 3 particles that touch, and two layers above that do not
	add_fill(&s, box_shape(-0.1, 0.001, 0.05, 0.1, 0.151, 0.2));
	spate_world *w = scene_create(&s);
	step(w);
	uint32_t size = 0;
	const float *wet = spate_world_wet_map(w, 0, &size);
	assert_int_equal(size, SIZE);
	assert_null(spate_world_wet_channel(w, 0, NULL));
	assert_null(spate_world_wet_map(w, 1, NULL));
	int wrong = 0, count = 0, wanted = 0;
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++)
		{
			// uv - shift, in the repetition that lies on the sheet
			double u = (x + 0.5) / SIZE - (double)shift, v = (y + 0.5) / SIZE - (double)shift;
			u -= floor(u);
			v -= floor(v);
			int verdict = expected_at(w, spacing, u / (double)scale - 0.5, v / (double)scale - 0.5);
			float value = wet[y * SIZE + x];
			assert_true(value == 0.0f || value == 1.0f);
			count += value > 0;
			wanted += verdict > 0;
			wrong += verdict != 0 && (value > 0) != (verdict > 0);
		}
	if (wrong > 0 || wanted < 100)
		fail_msg("scale %g, shift %g: %d texels are wrong; %d are wet, %d should be", (double)scale,
			 (double)shift, wrong, count, wanted);
	spate_world_destroy(w);
	spate_mesh_destroy(mesh);
}

static void wets_what_is_touched(void **state)
{
	(void)state;
	check_footprint(1.0f, 0.0f, 1);
	check_footprint(1.0f, 0.0f, 40);
}

// Across the border of the picture, in another repetition of it.
static void wraps(void **state)
{
	(void)state;
	check_footprint(1.0f, -3.5f, 1);
	check_footprint(1.0f, 2.34f, 7);
}

// Charts that lie side by side in the picture but not in space stay apart: a particle over a square's edge wets nothing of its neighbour
// in the picture.
static void charts_stay_apart(void **state)
{
	(void)state;
	const double spacing = 0.05;
	spate_mesh *mesh = make_sheet(2, 1, 0);
	// the squares with x < 0 and those with x > 0 change places in the picture
	for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
	{
		uint32_t square = (uint32_t)(k / 6);
		mesh->uvs[2 * k] += square % 2 ? -0.5f : 0.5f;
	}
	scene s;
	scene_init(&s, spacing);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_sheet(&s, mesh);
	add_fill(&s, box_shape(-0.5, 0.001, 0.1, -0.45, 0.051,
			       0.15)); // one particle beside the sheet's left edge: u = 0.5 and up
	spate_world *w = scene_create(&s);
	assert_int_equal(spate_world_store(w)->rows, 1);
	spate_world_store(w)->position[0].x -= 0.02f; // 5 mm from the edge
	step(w);
	const float *wet = spate_world_wet_map(w, 0, NULL);
	int left = 0, right = 0;
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++)
			*(x < SIZE / 2 ? &left : &right) += wet[y * SIZE + x] > 0;
	// the disc of radius 25 mm with all but a segment beyond 5 mm: 60 percent of it
	double share = 0.5 + (0.2 * sqrt(1 - 0.04) + asin(0.2)) / M_PI,
	       area = M_PI * 0.025 * 0.025 * SIZE * SIZE * share;
	assert_int_equal(left, 0);
	check_near(right, area, 4);
	spate_world_destroy(w);
	spate_mesh_destroy(mesh);
}

static void dries(void **state)
{
	(void)state;
	spate_mesh *mesh = make_sheet(1, 1, 0);
	scene s;
	scene_init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	// six frames are ln 2 times the time
	add_sheet(&s, mesh)->wet.drying = 6 / 24.0 / log(2);
	add_fill(&s, box_shape(0, 0.001, 0, 0.05, 0.051, 0.05));
	spate_world *w = scene_create(&s);
	run_frame(w);
	const float *wet = spate_world_wet_map(w, 0, NULL);
	size_t texel = (size_t)(0.525 * SIZE) * (SIZE + 1);
	check_near((double)wet[texel], 1, 0);
	spate_store *store = spate_world_store(w);
	store->position[0].y += 0.5f;
	for (int halves = 1; halves <= 3; halves++)
	{
		for (int k = 0; k < 6; k++)
			run_frame(w);
		check_near((double)wet[texel], pow(0.5, halves), 1e-5);
	}
	// and is dry in the end
	for (int k = 0; k < 6 * 20; k++)
		run_frame(w);
	check_near((double)wet[texel], 0, 0);
	spate_world_destroy(w);
	spate_mesh_destroy(mesh);
}

// Two particles over one texel, one of them elsewhere too: the mean where both are, kept when they are gone.
static void averages_a_channel(void **state)
{
	(void)state;
	spate_mesh *mesh = make_sheet(1, 1, 0);
	scene s;
	scene_init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_sheet(&s, mesh)->wet.channel = "temperature";
	add_fill(&s, box_shape(0, 0.001, 0, 0.1, 0.051, 0.05));
	spate_world *w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	step(w); // without the channel
	check_near((double)spate_world_wet_map(w, 0, NULL)[(size_t)(0.525 * SIZE) * (SIZE + 1)], 1, 0);
	check_ok(spate_store_add_channel(store, "temperature", SPATE_FLOAT, NULL, NULL));
	float *temperature = spate_store_field(store, "temperature", NULL);
	assert_int_equal(store->rows, 2);
	uint32_t left = store->position[0].x < store->position[1].x ? 0 : 1;
	temperature[left] = 300.25f;
	temperature[1 - left] = 310.75f;
	// closer together, and one spacing deep: the discs overlap where they did not
	store->velocity[0] = store->velocity[1] = (vec4){0};
	step(w);
	const float *average = spate_world_wet_channel(w, 0, NULL);
	double x[2] = {(double)store->position[left].x + spate_world_origin(w)[0],
		       (double)store->position[1 - left].x + spate_world_origin(w)[0]};
	size_t row = (size_t)(0.525 * SIZE) * SIZE;
	check_near((double)average[row + (size_t)((x[0] + 0.49) * SIZE)], 300.25, 1e-4);
	check_near((double)average[row + (size_t)((x[1] + 0.51) * SIZE)], 310.75, 1e-4);
	int32_t reach = 0;
	for (size_t k = 0; k < SIZE; k++)
		reach += average[row + k] != 0;
	assert_true(reach > 8);
	spate_world_destroy(w);
	spate_mesh_destroy(mesh);
}

static void pour(int threads, int frames, float *wet, float *speed)
{
	spate_mesh *mesh = make_sheet(8, 1, 0);
	scene s;
	scene_init(&s, 0.02);
	s.def.threads = threads;
	spate_collider_def *c = add_sheet(&s, mesh);
	c->wet.drying = 0.05;
	c->wet.channel = "velocity";
	c->friction = 0.3;
	add_fill(&s, box_shape(-0.2, 0.02, -0.2, 0.2, 0.4, 0.2));
	spate_world *w = scene_create(&s);
	for (int k = 0; k < frames; k++)
		run_frame(w);
	memcpy(wet, spate_world_wet_map(w, 0, NULL), SIZE * SIZE * sizeof *wet);
	memcpy(speed, spate_world_wet_channel(w, 0, NULL), SIZE * SIZE * sizeof *speed);
	spate_world_destroy(w);
	spate_mesh_destroy(mesh);
}

static void same_bits_on_any_number_of_threads(void **state)
{
	(void)state;
	static float wet[3][SIZE * SIZE], speed[3][SIZE * SIZE];
	for (int k = 0; k < 3; k++)
		pour(1 << k, 4, wet[k], speed[k]);
	double most = 0;
	for (int k = 0; k < SIZE * SIZE; k++)
		most = fmax(most, (double)speed[0][k]);
	assert_true(most > 0.1 && most < 10);
	for (int k = 1; k < 3; k++)
	{
		assert_memory_equal(wet[0], wet[k], sizeof wet[0]);
		assert_memory_equal(speed[0], speed[k], sizeof speed[0]);
	}
}

// Two equal puddles on a slope whose left half is smooth and whose right half is rough.
static void rough_places_hold_liquid_back(void **state)
{
	(void)state;
	scratch dir = scratch_make();
	const char *path = scratch_file(&dir, "halves.png");
	const float halves[8] = {0, 0, 0, 0, 1, 1, 1, 1}; // v = 0 is the first row: black where z < 0
	check_ok(grey_file_write(path, SPATE_IMAGE_PNG, halves, 1, 8, NULL));
	spate_mesh *mesh = make_sheet(1, 1, 0);
	scene s;
	scene_init(&s, 0.02);
	s.def.gravity[0] = 9.81 * 0.5;
	s.def.gravity[1] = -9.81 * sqrt(0.75);
	spate_collider_def *c = add_sheet(&s, mesh);
	c->wet.size = 0;
	c->friction = 1.5;
	c->friction_map.texture = path;
	add_fill(&s, box_shape(-0.4, 0.001, -0.3, -0.2, 0.041, -0.2));
	add_fill(&s, box_shape(-0.4, 0.001, 0.2, -0.2, 0.041, 0.3));
	spate_world *w = scene_create(&s);
	run_until(w, 8 / 24.0);
	const spate_store *store = spate_world_store(w);
	double mean[2] = {0, 0};
	int count[2] = {0, 0};
	for (uint32_t row = 0; row < store->rows; row++)
	{
		int rough = (double)store->position[row].z + spate_world_origin(w)[2] > 0;
		mean[rough] += (double)store->position[row].x + spate_world_origin(w)[0] + 0.3;
		count[rough]++;
	}
	mean[0] /= count[0];
	mean[1] /= count[1];
	printf("on the smooth half %.3f m, on the rough half %.3f m in a third of a second\n", mean[0], mean[1]);
	// without friction: half of g sin(30) t^2
	check_near(mean[0], 0.5 * 4.905 / 9, 0.02);
	if (!(mean[1] < 0.4 * mean[0] && mean[1] >= 0))
		fail_msg("liquid went %g m where it is smooth and %g m where it is rough", mean[0], mean[1]);
	spate_world_destroy(w);
	spate_mesh_destroy(mesh);
	scratch_remove(&dir);
}

// Texels beside a chart take on its values, two texels far; the rest stays 0.
static void gaps_are_filled(void **state)
{
	(void)state;
	enum
	{
		SIDE = 16
	};
	uint32_t owners[SIDE * SIDE];
	float values[SIDE * SIDE] = {0}, out[SIDE * SIDE];
	uint8_t scratch_bytes[SIDE * SIDE];
	memset(owners, 0xff, sizeof owners);
	for (int y = 4; y < 8; y++)
		for (int x = 0; x < 4; x++)
		{
			owners[y * SIDE + x] = 0;
			values[y * SIDE + x] = 0.5f;
		}
	wet_map map = {.size = SIDE, .owners = owners};
	values[15] = 9.0f; // nobody's: left over from a coarse triangle
	wet_map_fill_gaps(&map, values, out, scratch_bytes);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
		{
			int inside = y >= 2 && y < 10 && (x < 6 || x >= SIDE - 2);
			check_near((double)out[y * SIDE + x], inside ? 0.5 : 0.0, 1e-7);
		}
}

static void names_are_names_of_files(void **state)
{
	(void)state;
	spate_collider_def defs[4] = {{.name = "left wall/2", .wet.size = 1},
				      {.name = NULL, .wet.size = 1},
				      {.name = "left_wall_2", .wet.size = 1},
				      {.name = "../up", .wet.size = 1}};
	static const char *const expected[4] = {"left_wall_2", "collider_1", "left_wall_2_2", "_._up"};
	for (uint32_t k = 0; k < 4; k++)
	{
		char name[WET_NAME_CHARS];
		wet_map_name(defs, k, name);
		assert_string_equal(name, expected[k]);
	}
}

int main(void)
{
	if (!distance_field_available())
		return skip_program_without("OPENVDB");
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(wets_what_is_touched),
	    cmocka_unit_test(wraps),
	    cmocka_unit_test(charts_stay_apart),
	    cmocka_unit_test(dries),
	    cmocka_unit_test(averages_a_channel),
	    cmocka_unit_test(same_bits_on_any_number_of_threads),
	    cmocka_unit_test(rough_places_hold_liquid_back),
	    cmocka_unit_test(gaps_are_filled),
	    cmocka_unit_test(names_are_names_of_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
