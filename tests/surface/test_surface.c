// What holds for any input: closed meshes, the same bits on any number of threads, crops that change nothing, values that are carried.
#include "surface/mesh_check.h"
#include "surface/shapes.h"

#include "base/hash.h"
#include "base/memory.h"

static spate_mesh *make(const spate_surface_input *input, const spate_surface_def *def, spate_surface_stats *stats)
{
	spate_mesh *mesh = NULL;
	spate_error error = {0};
	if (spate_surface_create_mesh(&mesh, input, def, stats, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return mesh;
}

// Clumps, threads and lone particles thrown into a box, some of them on top of each other.
static cloud splash(uint64_t seed, int count)
{
	cloud c = {0};
	dice d = {seed};
	vec3 at = {0};
	for (int i = 0; i < count; i++)
	{
		if (dice_below(&d, 40) == 0)
			at = (vec3){dice_range(&d, -12, 12), dice_range(&d, -12, 12), dice_range(&d, -12, 12)};
		float step = dice_range(&d, 0.0f, 1.3f);
		at = vec3_add(
		    at, (vec3){dice_range(&d, -step, step), dice_range(&d, -step, step), dice_range(&d, -step, step)});
		cloud_add(&c, dice_below(&d, 30) ? at : (vec3){dice_range(&d, -15, 15), dice_range(&d, -15, 15), 0});
	}
	for (int i = 0; i < 8; i++)
		cloud_add(&c, c.places[i]);
	return c;
}

static void splashes_are_closed(void **state)
{
	(void)state;
	for (int method = 0; method <= SPATE_SURFACE_ANISOTROPIC; method++)
		for (int round = 0; round < 4; round++)
		{
			cloud c = splash((uint64_t)round, 3000);
			spate_surface_input input = cloud_input(&c, 1.0);
			spate_surface_def def = spate_default_surface_def();
			def.method = (spate_surface_method)method;
			def.cell = (double[]){0.75, 0.5, 1.0, 0.37}[round];
			def.smoothing = round == 3 ? 0 : 3;
			def.decimate = round == 1 ? 0.1 : 0.0;
			spate_mesh *mesh = make(&input, &def, NULL);
			check_closed(mesh);
			if (round == 0)
				print_message("method %d: %u triangles, %u pairs cross\n", method, mesh->triangle_count,
					      mesh_crossings(mesh));
			spate_mesh_destroy(mesh);
			cloud_free(&c);
		}
}

static void touching_blobs_are_closed(void **state)
{
	(void)state;
	const double size[1] = {4.0};
	for (int step = 0; step < 12; step++)
	{
		cloud c = cloud_fill(sphere_distance, size, 4.0f, 1.0f, 0.1f);
		uint32_t count = c.count;
		for (uint32_t i = 0; i < count; i++)
			cloud_add(&c, vec3_add(c.places[i], (vec3){7.0f + 0.2f * (float)step, 0.3f, 0.1f}));
		spate_surface_input input = cloud_input(&c, 1.0);
		spate_surface_def def = spate_default_surface_def();
		spate_mesh *mesh = make(&input, &def, NULL);
		check_closed(mesh);
		assert_int_equal(mesh_crossings(mesh), 0);
		spate_mesh_destroy(mesh);
		cloud_free(&c);
	}
}

static uint64_t mesh_hash(const spate_mesh *mesh)
{
	uint64_t hash = hash_bytes(mesh->positions, mesh->vertex_count * 12, 1);
	hash = hash_bytes(mesh->triangles, mesh->triangle_count * 12, hash);
	for (uint32_t c = 0; c < mesh->channel_count; c++)
		hash =
		    hash_bytes(mesh->channels[c].values, mesh->vertex_count * mesh->channels[c].components * 4, hash);
	return hash;
}

static void threads_change_nothing(void **state)
{
	(void)state;
	cloud c = splash(9, 6000);
	spate_surface_channel channel = {"velocity", 3, 3, &c.places->x};
	spate_surface_input input = cloud_input(&c, 1.0);
	input.channels = &channel;
	input.channel_count = 1;
	for (int method = 0; method <= SPATE_SURFACE_ANISOTROPIC; method++)
	{
		uint64_t hashes[3];
		for (int k = 0; k < 3; k++)
		{
			spate_surface_def def = spate_default_surface_def();
			def.method = (spate_surface_method)method;
			def.threads = 1 << k;
			def.min_blob = 2.0;
			def.decimate = 0.01;
			spate_mesh *mesh = make(&input, &def, NULL);
			hashes[k] = mesh_hash(mesh);
			spate_mesh_destroy(mesh);
		}
		assert_int_equal(hashes[0], hashes[1]);
		assert_int_equal(hashes[0], hashes[2]);
	}
	cloud_free(&c);
}

// Away from the cut, a crop has the vertices of the whole.
static void crop_is_part_of_the_whole(void **state)
{
	(void)state;
	const double size[1] = {12.0};
	cloud c = cloud_fill(sphere_distance, size, 12.0f, 1.0f, 0.2f);
	spate_surface_input input = cloud_input(&c, 1.0);
	spate_surface_def def = spate_default_surface_def();
	def.smoothing = 0;
	spate_mesh *whole = make(&input, &def, NULL);
	def.clip = 1;
	for (int a = 0; a < 3; a++)
	{
		def.clip_min[a] = a == 0 ? 0.3 : -20.0;
		def.clip_max[a] = 20.0;
	}
	spate_surface_stats stats;
	spate_mesh *part = make(&input, &def, &stats);
	check_closed(part);
	assert_true(stats.skipped > 0);
	check_near(mesh_volume(part) / mesh_volume(whole), 0.5 - 0.3 * 0.75 / 12.0, 0.01);
	uint32_t same = 0, want = 0, found = 0;
	for (uint32_t v = 0; v < whole->vertex_count; v++)
		want += whole->positions[3 * v] > 1.5f;
	for (uint32_t v = 0; v < part->vertex_count; v++)
	{
		assert_true(part->positions[3 * v] > 0.3f - 0.75f);
		if (!(part->positions[3 * v] > 1.5f))
			continue;
		found++;
		for (uint32_t w = 0; w < whole->vertex_count; w++)
			if (memcmp(&whole->positions[3 * w], &part->positions[3 * v], 12) == 0)
			{
				same++;
				break;
			}
	}
	assert_int_equal(found, want);
	assert_int_equal(same, want);
	// normals of the cut are those of the box
	const float *normals = spate_mesh_find_channel(part, "normal")->values;
	uint32_t on_cut = 0;
	for (uint32_t v = 0; v < part->vertex_count; v++)
	{
		const float *p = part->positions + 3 * v;
		if (p[0] > 0.5f || p[1] * p[1] + p[2] * p[2] > 100.0f)
			continue;
		check_near(normals[3 * v], -1.0, 1e-3);
		on_cut++;
	}
	assert_true(on_cut > 300);
	spate_mesh_destroy(whole);
	spate_mesh_destroy(part);
	cloud_free(&c);
}

static void values_are_carried(void **state)
{
	(void)state;
	const double size[1] = {7.0};
	cloud c = cloud_fill(sphere_distance, size, 7.0f, 1.0f, 0.1f);
	// a constant is carried exactly, and normals point outwards
	float *ones = malloc(c.count * 2 * sizeof *ones);
	assert_non_null(ones);
	for (uint32_t i = 0; i < c.count; i++)
	{
		ones[2 * i] = 3.0f;
		ones[2 * i + 1] = c.places[i].x;
	}
	spate_surface_channel channels[2] = {{"heat", 2, 2, ones}, {"place", 3, 3, &c.places->x}};
	spate_surface_input input = cloud_input(&c, 1.0);
	input.channels = channels;
	input.channel_count = 2;
	for (int normals = SPATE_SURFACE_NORMALS_FIELD; normals <= SPATE_SURFACE_NORMALS_MESH; normals++)
	{
		spate_surface_def def = spate_default_surface_def();
		def.normals = (spate_surface_normals)normals;
		spate_mesh *mesh = make(&input, &def, NULL);
		const spate_mesh_channel *heat = spate_mesh_find_channel(mesh, "heat");
		const spate_mesh_channel *place = spate_mesh_find_channel(mesh, "place");
		const spate_mesh_channel *normal = spate_mesh_find_channel(mesh, "normal");
		assert_true(heat && place && normal);
		double mean = 0.0, worst = 1.0;
		for (uint32_t v = 0; v < mesh->vertex_count; v++)
		{
			vec3 p = mesh_vertex(mesh, v), out = vec3_normalize(p);
			const float *n = normal->values + 3 * (size_t)v, *q = place->values + 3 * (size_t)v;
			check_near(heat->values[2 * (size_t)v], 3.0, 1e-5);
			check_near(vec3_length((vec3){n[0], n[1], n[2]}), 1.0, 1e-5);
			check_near(vec3_length((vec3){q[0] - p.x, q[1] - p.y, q[2] - p.z}), 0.0, 1.3);
			double along = (double)vec3_dot(out, (vec3){n[0], n[1], n[2]});
			mean += along / mesh->vertex_count;
			worst = fmin(worst, along);
		}
		check_near(mean, 1.0, 0.02);
		check_near(worst, 1.0, 0.35);
		spate_mesh_destroy(mesh);
	}
	free(ones);
	cloud_free(&c);
}

static void small_parts_are_left_out(void **state)
{
	(void)state;
	const double size[1] = {6.0};
	cloud c = cloud_fill(sphere_distance, size, 6.0f, 1.0f, 0.0f);
	// a bubble in the middle, lone particles outside
	cloud kept = {0};
	for (uint32_t i = 0; i < c.count; i++)
		if (vec3_length(c.places[i]) > 2.2f)
			cloud_add(&kept, c.places[i]);
	for (int i = 0; i < 5; i++)
		cloud_add(&kept, (vec3){10.0f + 4.0f * (float)i, 0, 0});
	spate_surface_input input = cloud_input(&kept, 1.0);
	spate_surface_def def = spate_default_surface_def();
	def.cell = 0.4;
	spate_surface_stats stats;
	spate_mesh *all = make(&input, &def, &stats);
	double everything = mesh_volume(all);
	check_near(stats.volume, everything, 1e-3 * everything);
	assert_int_equal(stats.blobs + stats.cavities, 0);
	def.min_blob = 3.0;
	spate_mesh *big = make(&input, &def, &stats);
	assert_int_equal(stats.blobs, 5);
	check_closed(big);
	check_near(everything - mesh_volume(big), 3.7, 0.8);
	def.min_cavity = 60.0;
	spate_mesh *solid = make(&input, &def, &stats);
	assert_int_equal(stats.cavities, 1);
	check_closed(solid);
	check_near(mesh_volume(solid), 4.0 / 3.0 * 3.14159265 * 216.0, 0.03 * 905.0);
	spate_mesh_destroy(all);
	spate_mesh_destroy(big);
	spate_mesh_destroy(solid);
	cloud_free(&c);
	cloud_free(&kept);
}

// Flat places lose triangles, the shape stays.
static void flat_places_are_merged(void **state)
{
	(void)state;
	const double size[3] = {7.0, 7.0, 7.0};
	cloud c = cloud_fill(box_shape_distance, size, 7.0f, 1.0f, 0.0f);
	spate_surface_input input = cloud_input(&c, 1.0);
	spate_surface_def def = spate_default_surface_def();
	spate_mesh *fine = make(&input, &def, NULL);
	def.decimate = 0.05;
	spate_mesh *coarse = make(&input, &def, NULL);
	check_closed(coarse);
	assert_int_equal(mesh_crossings(coarse), 0);
	assert_in_range(coarse->triangle_count, 100, fine->triangle_count / 2);
	check_near(mesh_volume(coarse) / mesh_volume(fine), 1.0, 0.005);
	double worst = 0.0;
	for (uint32_t v = 0; v < fine->vertex_count; v++)
		worst = fmax(worst, (double)mesh_distance(coarse, mesh_vertex(fine, v)));
	check_near(worst, 0.0, 0.15);
	spate_mesh_destroy(fine);
	spate_mesh_destroy(coarse);
	cloud_free(&c);
}

static void odd_input_is_survived(void **state)
{
	(void)state;
	spate_surface_def def = spate_default_surface_def();
	spate_surface_stats stats;
	spate_surface_input none = {.spacing = 1.0};
	spate_mesh *mesh = make(&none, &def, &stats);
	assert_int_equal(mesh->triangle_count, 0);
	spate_mesh_destroy(mesh);

	float places[5][4] = {{0, 0, 0, 9}, {NAN, 0, 0, 9}, {0.4f, 0, INFINITY, 9}, {0, 0, 0, 9}, {0.5f, 0, 0, 9}};
	spate_surface_input few = {.count = 5, .positions = places[0], .stride = 4, .spacing = 1.0};
	for (int method = 0; method <= SPATE_SURFACE_ANISOTROPIC; method++)
	{
		def.method = (spate_surface_method)method;
		mesh = make(&few, &def, &stats);
		assert_int_equal(stats.skipped, 2);
		assert_int_equal(stats.particles, 3);
		check_closed(mesh);
		assert_in_range((int)(100.0 * mesh_volume(mesh)), 15, 500);
		spate_mesh_destroy(mesh);
	}
}

static void check_refused(spate_surface_input input, spate_surface_def def, spate_result code, const char *word)
{
	spate_error error = {0};
	spate_mesh *mesh = (spate_mesh *)&error;
	check_result(spate_surface_create_mesh(&mesh, &input, &def, NULL, &error), code);
	assert_null(mesh);
	if (!strstr(error.text, word))
		fail_msg("\"%s\" does not say \"%s\"", error.text, word);
}

static void nonsense_is_refused(void **state)
{
	(void)state;
	float place[3] = {0}, far[6] = {0, 0, 0, 1e12f, 0, 0};
	spate_surface_input good = {.count = 1, .positions = place, .spacing = 1.0}, in = good;
	spate_surface_def ok = spate_default_surface_def(), def = ok;
	in.positions = NULL;
	check_refused(in, ok, SPATE_INVALID, "positions");
	in = good;
	in.spacing = 0.0;
	check_refused(in, ok, SPATE_INVALID, "spacing");
	in.spacing = NAN;
	check_refused(in, ok, SPATE_INVALID, "spacing");
	in = good;
	in.stride = 2;
	check_refused(in, ok, SPATE_INVALID, "stride of positions");
	spate_surface_channel channel = {"velocity", 5, 0, place};
	in = good;
	in.channels = &channel;
	in.channel_count = 1;
	check_refused(in, ok, SPATE_INVALID, "components");
	in = (spate_surface_input){.count = 2, .positions = far, .spacing = 1.0};
	check_refused(in, ok, SPATE_RANGE, "particle 1");
	def.cell = 0.0;
	check_refused(good, def, SPATE_INVALID, "cell");
	def = ok;
	def.kernel = 9.0;
	check_refused(good, def, SPATE_INVALID, "kernel");
	def = ok;
	def.smoothing = -1;
	check_refused(good, def, SPATE_INVALID, "smoothing");
	def = ok;
	def.clip = 1;
	check_refused(good, def, SPATE_INVALID, "box");
}

// Every allocation fails once: an error, nothing leaked.
static void memory_may_run_out(void **state)
{
	(void)state;
	const double size[1] = {2.5};
	cloud c = cloud_fill(sphere_distance, size, 3.0f, 1.0f, 0.1f);
	spate_surface_channel channel = {"velocity", 3, 3, &c.places->x};
	spate_surface_input input = cloud_input(&c, 1.0);
	input.channels = &channel;
	input.channel_count = 1;
	for (int method = 0; method <= SPATE_SURFACE_ANISOTROPIC; method += 3)
	{
		spate_surface_def def = spate_default_surface_def();
		def.method = (spate_surface_method)method;
		def.threads = 1;
		def.min_blob = 0.5;
		def.decimate = 0.05;
		uint64_t before = mem_get_stats().blocks;
		int failures = 0;
		for (uint64_t n = 1;; n++)
		{
			spate_mesh *mesh = NULL;
			spate_error error = {0};
			mem_fail_at(n);
			spate_result result = spate_surface_create_mesh(&mesh, &input, &def, NULL, &error);
			mem_fail_at(0);
			spate_mesh_destroy(mesh);
			assert_int_equal(mem_get_stats().blocks, before);
			if (result == SPATE_OK)
				break;
			assert_int_equal(result, SPATE_MEMORY);
			assert_true(error.text[0]);
			failures++;
		}
		assert_true(failures > 30);
	}
	cloud_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(splashes_are_closed),    cmocka_unit_test(touching_blobs_are_closed),
	    cmocka_unit_test(threads_change_nothing), cmocka_unit_test(crop_is_part_of_the_whole),
	    cmocka_unit_test(values_are_carried),     cmocka_unit_test(small_parts_are_left_out),
	    cmocka_unit_test(flat_places_are_merged), cmocka_unit_test(odd_input_is_survived),
	    cmocka_unit_test(nonsense_is_refused),    cmocka_unit_test(memory_may_run_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
