// Files of particles for other programs: their bytes, what a format refuses, and places and vectors with z up.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "bytes.h"
#include "export/mesh_write.h"
#include "export/particles_read.h"
#include "scratch.h"

#include <unistd.h>

enum
{
	COUNT = 2
};

static const float positions[] = {0.5f, 1.0f, -2.0f, 0.25f, 0.0f, 3.0f};
static const float velocities[] = {1.0f, 2.0f, 3.0f, -1.0f, 0.1f, 1e-9f};
static const float radii[] = {0.125f, 0.25f}, pairs[] = {1.0f, 2.0f, 3.0f, 4.0f};
static const int64_t ids[] = {7, -8};
static const int32_t fluids[] = {0, 3};

static void add(particle_table *t, const char *name, spate_type type, const void *values)
{
	void *data;
	check_ok(particle_table_add(t, name, type, &data, NULL));
	memcpy(data, values, t->count * spate_type_size(type));
}

// Two particles, or fewer, around (100, 0, 0) with a channel of most types.
static particle_table make_table(uint32_t count)
{
	particle_table t = {.count = count, .frame = 12, .time = 0.5, .origin = {100.0, 0.0, 0.0}};
	t.positions = mem_alloc(sizeof positions);
	memcpy(t.positions, positions, sizeof positions);
	add(&t, "velocity", SPATE_VEC3, velocities);
	add(&t, "id", SPATE_INT64, ids);
	add(&t, "radius", SPATE_FLOAT, radii);
	add(&t, "fluid", SPATE_INT32, fluids);
	return t;
}

static const file_extras extras = {.frame = 12, .time = 0.5, .fps = 24.0, .note = "", .threads = 2};

static void put_attribute(file_bytes *b, const char *name, unsigned size, unsigned type)
{
	put_bits(b, strlen(name), 2);
	put_text(b, name);
	put_bits(b, size, 2);
	put_bits(b, type, 4);
	for (unsigned i = 0; i < size; i++)
		put_bits(b, 0, 4);
}

static void expect_bytes(const char *path, const file_bytes *expected)
{
	char *data = NULL;
	size_t bytes = 0;
	check_ok(file_read(path, &data, &bytes, NULL));
	assert_int_equal(bytes, expected->count);
	assert_memory_equal(data, expected->data, bytes);
	mem_free(data);
}

static void test_bgeo(void **state)
{
	(void)state;
	scratch s = scratch_make();
	for (uint32_t count = 0; count <= COUNT; count++)
	{
		particle_table t = make_table(count);
		file_bytes b = {.big = 1};
		put_text(&b, "BgeoV");
		const unsigned counts[] = {5, count, 0, 0, 0, 4, 0, 0, 3};
		for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
			put_bits(&b, counts[i], 4);
		put_attribute(&b, "v", 3, 5);
		put_attribute(&b, "id", 1, 1);
		put_attribute(&b, "pscale", 1, 0);
		put_attribute(&b, "fluid", 1, 1);
		for (size_t p = 0; p < count; p++)
		{
			for (size_t k = 0; k < 3; k++)
				put_float(&b, positions[3 * p + k] + (k == 0 ? 100.0f : 0.0f));
			put_float(&b, 1.0f);
			for (size_t k = 0; k < 3; k++)
				put_float(&b, velocities[3 * p + k]);
			put_bits(&b, (uint64_t)ids[p], 4);
			put_float(&b, radii[p]);
			put_bits(&b, (uint64_t)fluids[p], 4);
		}
		put_attribute(&b, "frame", 1, 1);
		put_attribute(&b, "time", 1, 0);
		put_attribute(&b, "fps", 1, 0);
		put_bits(&b, 12, 4);
		put_float(&b, 0.5f);
		put_float(&b, 24.0f);
		put_bits(&b, 0x00ff, 2);
		check_ok(particles_write(&t, &extras, scratch_file(&s, "a.bgeo"), NULL));
		expect_bytes(scratch_file(&s, "a.bgeo"), &b);
		particle_table_free(&t);
	}
	scratch_remove(&s);
}

static void test_csv(void **state)
{
	(void)state;
	scratch s = scratch_make();
	particle_table t = make_table(COUNT);
	file_bytes b = {0};
	add(&t, "pair", SPATE_VEC2, pairs);
	put_text(&b, "x,y,z,velocity_x,velocity_y,velocity_z,id,radius,fluid,pair_x,pair_y\n"
		     "100.5,1,-2,1,2,3,7,0.125,0,1,2\n"
		     "100.25,0,3,-1,0.1,1e-09,-8,0.25,3,3,4\n");
	check_ok(particles_write(&t, &extras, scratch_file(&s, "a.csv"), NULL));
	expect_bytes(scratch_file(&s, "a.csv"), &b);
	particle_table_free(&t);

	t = make_table(0);
	b.count = 0;
	put_text(&b, "x,y,z,velocity_x,velocity_y,velocity_z,id,radius,fluid\n");
	check_ok(particles_write(&t, &extras, scratch_file(&s, "a.csv"), NULL));
	expect_bytes(scratch_file(&s, "a.csv"), &b);
	particle_table_free(&t);
	scratch_remove(&s);
}

// More rows than a thread takes, and more than are kept in memory: every row is where it belongs, on any number of threads.
static void test_many(void **state)
{
	(void)state;
	enum
	{
		MANY = 300001
	};
	static const char *const names[] = {"a.bgeo", "a.ply", "a.vtk", "a.spate"};
	scratch s = scratch_make();
	for (size_t n = 0; n < sizeof names / sizeof *names; n++)
		for (int threads = 1; threads <= 3; threads += 2)
		{
			particle_table t = {.count = MANY, .frame = -1}, back;
			const file_extras plain = {.frame = -1, .note = "", .threads = threads};
			void *data;
			check_ok(particle_table_add(&t, "velocity", SPATE_VEC3, &data, NULL));
			t.positions = mem_alloc(sizeof(float) * 3 * MANY);
			for (size_t i = 0; i < 3 * MANY; i++)
			{
				t.positions[i] = (float)i;
				((float *)data)[i] = -(float)i;
			}
			check_ok(particles_write(&t, &plain, scratch_file(&s, names[n]), NULL));
			particle_table_free(&t);
			check_ok(particle_table_read(&back, scratch_file(&s, names[n]), NULL, 0, NULL));
			assert_int_equal(back.count, MANY);
			const particle_column *v = particle_table_find(&back, "velocity");
			assert_non_null(v);
			for (size_t i = 0; i < 3 * MANY; i++)
				if (back.positions[i] != (float)i || ((const float *)v->data)[i] != -(float)i)
					fail_msg("%s, value %zu: %g and %g", names[n], i, (double)back.positions[i],
						 (double)((const float *)v->data)[i]);
			particle_table_free(&back);
		}
	scratch_remove(&s);
}

static void expect_refusal(const scratch *s, particle_table *t, const char *file, const char *format,
			   const char *channel)
{
	spate_error error = {0};
	char start[128];
	snprintf(start, sizeof start, "%s files cannot carry the channel '%s': ", format, channel);
	check_result(particles_write(t, &extras, scratch_file(s, file), &error), SPATE_INVALID);
	if (strncmp(error.text, start, strlen(start)) != 0)
		fail_msg("'%s' does not begin with '%s'", error.text, start);
	assert_int_not_equal(access(scratch_file(s, file), F_OK), 0);
	check_no_temporaries(s->path);
}

static void test_refusals(void **state)
{
	(void)state;
	const int64_t large[] = {1, (int64_t)1 << 31};
	scratch s = scratch_make();
	particle_table t = make_table(COUNT);
	add(&t, "count", SPATE_INT64, large);
	expect_refusal(&s, &t, "a.bgeo", "bgeo", "count");
	expect_refusal(&s, &t, "a.ply", "ply", "count");
	check_ok(particles_write(&t, &extras, scratch_file(&s, "a.npz"), NULL));
	particle_table_free(&t);

	// two channels of one name in the file
	t = make_table(COUNT);
	add(&t, "v", SPATE_FLOAT, radii);
	expect_refusal(&s, &t, "a.bgeo", "bgeo", "v");
	check_ok(particles_write(&t, &extras, scratch_file(&s, "a.ply"), NULL));
	particle_table_free(&t);
	static const struct
	{
		const char *file, *format, *channel;
	} taken[] = {{"b.bgeo", "bgeo", "P"}, {"b.csv", "csv", "x"},      {"b.npz", "npz", "time"},
		     {"b.ply", "ply", "y"},   {"b.vtp", "vtp", "Points"}, {"c.csv", "csv", "a,b"},
		     {"b.vdb", "vdb", "a-b"}, {"c.vdb", "vdb", "P"}};
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
	{
		t = make_table(COUNT);
		add(&t, taken[i].channel, SPATE_FLOAT, radii);
		expect_refusal(&s, &t, taken[i].file, taken[i].format, taken[i].channel);
		particle_table_free(&t);
	}
	scratch_remove(&s);
}

// Everything that has a direction is turned, and right stays right: x times y is z.
static void test_up(void **state)
{
	(void)state;
	static const float axes[] = {1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f};
	static const float turned[] = {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, -1.0f, 0.0f};
	particle_table t = {.count = 3, .frame = -1, .origin = {1.0, 2.0, 3.0}};
	t.positions = mem_alloc(sizeof axes);
	memcpy(t.positions, axes, sizeof axes);
	add(&t, "vorticity", SPATE_VEC3, axes);
	add(&t, "color", SPATE_VEC3, axes);
	add(&t, "density", SPATE_FLOAT, axes);
	particle_table_turn(&t, 2);
	for (size_t i = 0; i < 9; i++)
	{
		check_near((double)t.positions[i], (double)turned[i], 0.0);
		check_near((double)((float *)particle_table_find(&t, "vorticity")->data)[i], (double)turned[i], 0.0);
		check_near((double)((float *)particle_table_find(&t, "color")->data)[i], (double)axes[i], 0.0);
	}
	check_near(t.origin[1], -3.0, 0.0);
	check_near(t.origin[2], 2.0, 0.0);
	particle_table_move_to_world(&t, 2);
	// (0, 1, 0) around (1, 2, 3) is (1, 3, 3), which becomes (1, -3, 3)
	check_near((double)t.positions[3], 1.0, 0.0);
	check_near((double)t.positions[4], -3.0, 0.0);
	check_near((double)t.positions[5], 3.0, 0.0);
	particle_table_free(&t);
}

// Every allocation may fail; then there is no file, and nothing is lost.
static void test_memory(void **state)
{
	(void)state;
	static const char *const names[] = {"a.bgeo", "a.csv", "a.npz", "a.ply", "a.vtk", "a.vtp", "a.spate"};
	scratch s = scratch_make();
	for (size_t n = 0; n < sizeof names / sizeof *names; n++)
		for (uint64_t at = 1;; at++)
		{
			particle_table t = make_table(COUNT);
			uint64_t blocks = mem_get_stats().blocks;
			mem_fail_at(at);
			spate_result result = particles_write(&t, &extras, scratch_file(&s, names[n]), NULL);
			uint64_t left = mem_fail_at(0);
			assert_int_equal(mem_get_stats().blocks, blocks);
			particle_table_free(&t);
			check_no_temporaries(s.path);
			if (left > 0)
			{
				check_ok(result);
				assert_true(at > 1);
				break;
			}
			check_result(result, SPATE_MEMORY);
			assert_int_not_equal(access(scratch_file(&s, names[n]), F_OK), 0);
		}
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bgeo), cmocka_unit_test(test_csv),
					   cmocka_unit_test(test_many), cmocka_unit_test(test_refusals),
					   cmocka_unit_test(test_up),   cmocka_unit_test(test_memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
