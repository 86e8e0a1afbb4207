// Meshes out of texts and bytes that a test spells out, and what is asked about them again and again.
#ifndef TESTS_MESH_SUPPORT_H
#define TESTS_MESH_SUPPORT_H

#include "base/memory.h"
#include "check.h"
#include "mesh/measure.h"
#include "mesh/read.h"

// Reads a copy of exactly this size, so that reading past its end is noticed.
static inline spate_result parse_copy(spate_mesh **mesh, const char *path, const char *data, size_t bytes,
				      spate_error *error)
{
	char *copy = mem_alloc(bytes + 1);
	if (bytes > 0)
		memcpy(copy, data, bytes);
	copy[bytes] = 0;
	spate_result result = mesh_parse(mesh, path, copy, bytes, error);
	mem_free(copy);
	return result;
}

// The mesh in some bytes; the test fails with the sentence when there is none.
static inline spate_mesh *mesh_of_bytes(const char *path, const char *data, size_t bytes)
{
	spate_mesh *mesh = NULL;
	spate_error error = {0};
	spate_result result = parse_copy(&mesh, path, data, bytes, &error);
	if (result != SPATE_OK)
		fail_msg("%s", error.text);
	return mesh;
}

static inline spate_mesh *mesh_of(const char *path, const char *text)
{
	return mesh_of_bytes(path, text, strlen(text));
}

// Bytes that give no mesh, and exactly this sentence.
static inline void check_refused_bytes(const char *path, const char *data, size_t bytes, const char *sentence)
{
	spate_mesh *mesh = NULL;
	spate_error error = {0};
	uint64_t blocks = mem_get_stats().blocks;
	spate_result result = parse_copy(&mesh, path, data, bytes, &error);
	check_result(result, SPATE_FORMAT);
	assert_string_equal(error.text, sentence);
	assert_int_equal(error.code, SPATE_FORMAT);
	assert_null(mesh);
	assert_int_equal(mem_get_stats().blocks, blocks);
}

static inline void check_refused(const char *path, const char *text, const char *sentence)
{
	check_refused_bytes(path, text, strlen(text), sentence);
}

static inline spate_mesh_measure measure_of(const spate_mesh *mesh)
{
	spate_mesh_measure m;
	check_ok(mesh_measure_all(&m, mesh, NULL));
	return m;
}

static inline void check_counts(const spate_mesh *mesh, uint32_t vertices, uint32_t triangles, uint32_t dropped)
{
	assert_int_equal(mesh->vertex_count, vertices);
	assert_int_equal(mesh->triangle_count, triangles);
	assert_int_equal(mesh->dropped, dropped);
}

static inline void check_floats(const float *actual, const float *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (actual[i] != expected[i])
			fail_msg("number %zu is %.9g, expected %.9g", i, (double)actual[i], (double)expected[i]);
}

// Same bits everywhere, channels and uvs included.
static inline void check_same_mesh(const spate_mesh *a, const spate_mesh *b)
{
	check_counts(a, b->vertex_count, b->triangle_count, a->dropped);
	assert_memory_equal(a->positions, b->positions, 12 * (size_t)a->vertex_count);
	assert_memory_equal(a->triangles, b->triangles, 12 * (size_t)a->triangle_count);
	assert_int_equal(a->uvs != NULL, b->uvs != NULL);
	if (a->uvs)
		assert_memory_equal(a->uvs, b->uvs, 24 * (size_t)a->triangle_count);
	assert_int_equal(a->channel_count, b->channel_count);
	for (uint32_t i = 0; i < a->channel_count; i++)
	{
		const spate_mesh_channel *c = &a->channels[i], *d = spate_mesh_find_channel(b, c->name);
		assert_non_null(d);
		assert_int_equal(c->components, d->components);
		assert_memory_equal(c->values, d->values, 4 * (size_t)c->components * a->vertex_count);
	}
}

// Fails the n-th allocation of reading these bytes for every n until it gets through.
static inline void sweep_memory(const char *path, const char *data, size_t bytes)
{
	char *copy = mem_alloc(bytes + 1);
	memcpy(copy, data, bytes);
	copy[bytes] = 0;
	uint64_t blocks = mem_get_stats().blocks;
	spate_result result = SPATE_MEMORY;
	uint64_t n = 1;
	for (; result != SPATE_OK; n++)
	{
		spate_mesh *mesh = NULL;
		spate_error error = {0};
		mem_fail_at(n);
		result = mesh_parse(&mesh, path, copy, bytes, &error);
		mem_fail_at(0);
		if (result != SPATE_OK)
		{
			check_result(result, SPATE_MEMORY);
			assert_non_null(strstr(error.text, "out of memory"));
			assert_null(mesh);
		}
		spate_mesh_destroy(mesh);
		assert_int_equal(mem_get_stats().blocks, blocks);
	}
	assert_true(n > 3);
	mem_free(copy);
}

// Every beginning of a file is refused with a sentence or read, never more; at most `readable` of them are read.
static inline void check_beginnings(const char *path, const char *data, size_t bytes, size_t readable)
{
	size_t read = 0;
	for (size_t n = 0; n < bytes; n++)
	{
		spate_mesh *mesh = NULL;
		spate_error error = {0};
		spate_result result = parse_copy(&mesh, path, data, n, &error);
		read += result == SPATE_OK;
		if (result != SPATE_OK && strncmp(error.text, path, strlen(path)) != 0)
			fail_msg("the first %zu bytes gave '%s'", n, error.text);
		spate_mesh_destroy(mesh);
	}
	if (read > readable)
		fail_msg("%zu beginnings of %s were read, at most %zu are whole", read, path, readable);
}

#endif
