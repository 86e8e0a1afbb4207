// The distance field of a small mesh, changed anywhere and with its checksums made right again: it is refused, or it can be sampled.
#define _GNU_SOURCE
#include "fuzz.h"

#include "base/file.h"
#include "base/memory.h"
#include "collider/field_file.h"

#include <dirent.h>
#include <math.h>

// away from the origin, where eight large nodes would meet
static const float positions[] = {1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2};
static const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const field_settings settings = {.cell = 0.1f, .band = 0.3f, .signed_too = 1};

static spate_mesh make_mesh(void)
{
	return (spate_mesh){.vertex_count = 4,
			    .triangle_count = 4,
			    .positions = (float *)(uintptr_t)positions,
			    .triangles = (uint32_t *)(uintptr_t)triangles};
}

typedef struct field_bytes
{
	char *data;
	size_t count;
	field_key key;
} field_bytes;

// The file as the library writes it.
static field_bytes write_sound(void)
{
	spate_mesh mesh = make_mesh();
	field_bytes sound = {.key = field_make_key(&mesh, &settings)};
	distance_field *field = NULL;
	const char *folder = fuzz_folder();
	char path[1400] = "";
	must(distance_field_fetch(&field, &mesh, &settings, folder, 1, NULL, NULL) == SPATE_OK);
	distance_field_destroy(field);
	DIR *stream = opendir(folder);
	must(stream);
	for (struct dirent *entry; (entry = readdir(stream));)
		if (entry->d_name[0] != '.')
			snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
	closedir(stream);
	must(file_read(path, &sound.data, &sound.count, NULL) == SPATE_OK);
	return sound;
}

static void seal(char *bytes, size_t count)
{
	field_header h;
	memcpy(&h, bytes, sizeof h);
	size_t second = FIELD_HEADER_BYTES + field_padded(h.distance_bytes);
	if (h.distance_bytes <= count && second <= count && h.nearest_bytes <= count - second)
		h.data_hash =
		    field_data_hash(bytes + FIELD_HEADER_BYTES, h.distance_bytes, bytes + second, h.nearest_bytes);
	h.header_hash = field_header_hash(&h);
	memcpy(bytes, &h, sizeof h);
}

static void sample(const distance_field *field)
{
	const field_info *info = distance_field_info(field);
	enum
	{
		SIDE = 7
	};
	for (int i = 0; i < SIDE * SIDE * SIDE; i++)
	{
		vec3 slope, p = {info->low.x + (info->high.x - info->low.x) * (float)(i % SIDE) / (SIDE - 1),
				 info->low.y + (info->high.y - info->low.y) * (float)(i / SIDE % SIDE) / (SIDE - 1),
				 info->low.z + (info->high.z - info->low.z) * (float)(i / SIDE / SIDE) / (SIDE - 1)};
		must(isfinite(distance_field_sample(field, p, &slope)));
		must(distance_field_triangle(field, p) < 4);
		must(isfinite(distance_field_room(field, p)) && isfinite(distance_field_bound(field, p)));
		(void)distance_field_folds(field, p);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static field_bytes sound;
	if (!distance_field_available())
		return 0;
	if (!sound.data)
		sound = write_sound();
	char *bytes = mem_alloc(sound.count);
	must(bytes);
	memcpy(bytes, sound.data, sound.count);
	apply_edits(data, size, bytes, sound.count);
	seal(bytes, sound.count);
	memory_file file = memory_file_make(bytes, sound.count);
	mem_free(bytes);
	spate_mesh mesh = make_mesh();
	distance_field *field = NULL;
	must(field_map_file(&field, &mesh, &settings, sound.key, file.path, 1, NULL) == SPATE_OK);
	// without any change it is taken
	must(field || size > 0);
	if (field)
		sample(field);
	distance_field_destroy(field);
	memory_file_close(&file);
	return 0;
}
