// Fields kept on the disk: found again, told apart, and built anew when the file is not as it was written.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/log.h"
#include "collider/field_data.h"
#include "meshes.h"
#include "scratch.h"

#include <dirent.h>
#include <sys/stat.h>

typedef struct heard
{
	int infos, warnings;
} heard;

static void listen(void *context, spate_log_level level, const char *text)
{
	(void)text;
	heard *h = context;
	h->infos += level == SPATE_LOG_INFO;
	h->warnings += level == SPATE_LOG_WARNING;
}

static distance_field *fetch(const soup *s, const field_settings *settings, const char *folder, int expected)
{
	spate_mesh mesh = mesh_of(s);
	distance_field *f = NULL;
	int found = -1;
	spate_error error = {0};
	if (distance_field_fetch(&f, &mesh, settings, folder, 2, &found, &error) != SPATE_OK)
		fail_msg("no field: %s", error.text);
	if (found != expected)
		fail_msg("found is %d, expected %d", found, expected);
	return f;
}

static void check_same(const distance_field *a, const distance_field *b)
{
	assert_int_equal(a->distance_bytes, b->distance_bytes);
	assert_int_equal(a->nearest_bytes, b->nearest_bytes);
	assert_memory_equal(a->distance, b->distance, a->distance_bytes);
	assert_memory_equal(a->nearest, b->nearest, a->nearest_bytes);
	assert_memory_equal(&a->info, &b->info, sizeof a->info);
	assert_int_equal((uintptr_t)b->distance % 32, 0);
	assert_int_equal((uintptr_t)b->nearest % 32, 0);
}

// The one file in a folder.
static void only_file(const char *folder, char *path, size_t bytes)
{
	int count = 0;
	DIR *stream = opendir(folder);
	assert_non_null(stream);
	for (struct dirent *entry; (entry = readdir(stream));)
		if (entry->d_name[0] != '.')
		{
			snprintf(path, bytes, "%s/%s", folder, entry->d_name);
			count++;
		}
	closedir(stream);
	assert_int_equal(count, 1);
}

static const field_settings usual = {.cell = 0.1f, .band = 0.3f, .signed_too = 1};

static void found_again(void **state)
{
	(void)state;
	scratch folder = scratch_make();
	soup s = {0};
	add_sphere(&s, vec3_make(0.1f, 0.2f, 0.3f), 1, 20);
	const char *deeper = scratch_file(&folder, "made/on/the/way");
	distance_field *built = fetch(&s, &usual, deeper, 0), *read = fetch(&s, &usual, deeper, 1);
	check_same(built, read);
	dice d = {1};
	for (int i = 0; i < 1000; i++)
	{
		vec3 p = random_in_box(&d, built->info.low, built->info.high), a, b;
		assert_true(distance_field_sample(built, p, &a) == distance_field_sample(read, p, &b));
		assert_memory_equal(&a, &b, sizeof a);
		assert_int_equal(distance_field_triangle(built, p), distance_field_triangle(read, p));
	}
	distance_field_destroy(read);

	// without a folder nothing is looked for
	read = fetch(&s, &usual, NULL, 0);
	check_same(built, read);
	distance_field_destroy(read);
	distance_field_destroy(built);
	soup_free(&s);
	scratch_remove(&folder);
}

static void told_apart(void **state)
{
	(void)state;
	scratch folder = scratch_make();
	soup s = {0};
	add_sphere(&s, vec3_make(0.1f, 0.2f, 0.3f), 1, 10);
	const field_settings others[] = {{0.11f, 0.3f, 1}, {0.1f, 0.31f, 1}, {0.1f, 0.3f, 0}};
	distance_field_destroy(fetch(&s, &usual, folder.path, 0));
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		distance_field_destroy(fetch(&s, &others[i], folder.path, 0));
	// one triangle turned, then one vertex moved by the least that there is
	uint32_t swap = s.triangles.data[0];
	s.triangles.data[0] = s.triangles.data[1];
	s.triangles.data[1] = swap;
	distance_field_destroy(fetch(&s, &usual, folder.path, 0));
	s.positions.data[30] = nextafterf(s.positions.data[30], 10.0f);
	distance_field_destroy(fetch(&s, &usual, folder.path, 0));
	distance_field_destroy(fetch(&s, &usual, folder.path, 1));
	soup_free(&s);
	scratch_remove(&folder);
}

static void damaged_files_are_replaced(void **state)
{
	(void)state;
	scratch folder = scratch_make();
	soup s = {0};
	add_sphere(&s, vec3_make(0.1f, 0.2f, 0.3f), 1, 10);
	distance_field *built = fetch(&s, &usual, folder.path, 0);
	char path[4096], *data;
	only_file(folder.path, path, sizeof path);
	size_t bytes;
	spate_error error;
	check_ok(file_read(path, &data, &bytes, &error));
	heard h = {0};
	spate_log_set_handler(listen, &h);
	const size_t cuts[] = {0, 10, 200, 256, bytes / 2, bytes - 1};
	int damages = 0;
	for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++, damages++)
	{
		check_ok(file_write(path, data, cuts[i], &error));
		distance_field *f = fetch(&s, &usual, folder.path, 0);
		check_same(built, f);
		distance_field_destroy(f);
		distance_field_destroy(fetch(&s, &usual, folder.path, 1));
	}
	const size_t flips[] = {0, 8, 12, 20, 40, 60, 100, 300, bytes / 2, bytes - 1};
	for (size_t i = 0; i < sizeof flips / sizeof flips[0]; i++, damages++)
	{
		data[flips[i]] ^= 4;
		check_ok(file_write(path, data, bytes, &error));
		data[flips[i]] ^= 4;
		distance_field *f = fetch(&s, &usual, folder.path, 0);
		check_same(built, f);
		distance_field_destroy(f);
	}
	spate_log_set_handler(NULL, NULL);
	assert_int_equal(h.infos, damages);
	assert_int_equal(h.warnings, 0);
	mem_free(data);
	distance_field_destroy(built);
	soup_free(&s);
	scratch_remove(&folder);
}

// A folder that cannot be written to costs a warning and nothing else. A file in its place is refused for root as well.
static void unwritable_folder(void **state)
{
	(void)state;
	scratch folder = scratch_make();
	soup s = {0};
	add_sphere(&s, vec3_make(0.1f, 0.2f, 0.3f), 1, 10);
	spate_error error;
	check_ok(file_write(scratch_file(&folder, "plain"), "x", 1, &error));
	heard h = {0};
	spate_log_set_handler(listen, &h);
	distance_field_destroy(fetch(&s, &usual, scratch_file(&folder, "plain"), 0));
	assert_int_equal(h.warnings, 1);
	if (geteuid() != 0)
	{
		const char *closed = scratch_file(&folder, "closed");
		assert_int_equal(mkdir(closed, 0555), 0);
		distance_field_destroy(fetch(&s, &usual, closed, 0));
		assert_int_equal(h.warnings, 2);
	}
	spate_log_set_handler(NULL, NULL);
	soup_free(&s);
	scratch_remove(&folder);
}

// A folder that can only be read serves what is in it.
static void read_only_folder(void **state)
{
	(void)state;
	scratch folder = scratch_make();
	soup s = {0};
	add_sphere(&s, vec3_make(0.1f, 0.2f, 0.3f), 1, 10);
	distance_field_destroy(fetch(&s, &usual, folder.path, 0));
	char path[4096];
	only_file(folder.path, path, sizeof path);
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(folder.path, 0555), 0);
	distance_field_destroy(fetch(&s, &usual, folder.path, 1));
	assert_int_equal(chmod(folder.path, 0755), 0);
	soup_free(&s);
	scratch_remove(&folder);
}

int main(void)
{
	skip_without_fields();
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(found_again),
	    cmocka_unit_test(told_apart),
	    cmocka_unit_test(damaged_files_are_replaced),
	    cmocka_unit_test(unwritable_folder),
	    cmocka_unit_test(read_only_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
