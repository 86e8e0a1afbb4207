// Cached fields on disk, so that a mesh is voxelised only once. Files are memory-mapped read-only and used in place. A
// checksum detects damage but not tampering, so everything that sampling relies on is validated first.
#define _GNU_SOURCE
#include "collider/field_file.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'S', 'P', 'A', 'T', 'E', 'F', 'L', 'D'};
static const uint32_t byte_order = 0x01020304;

field_key field_make_key(const spate_mesh *mesh, const field_settings *settings)
{
	struct
	{
		uint32_t version, vertices, triangles;
		int32_t signed_too;
		float cell, band;
	} facts = {FIELD_VERSION,  mesh->vertex_count, mesh->triangle_count, settings->signed_too != 0,
		   settings->cell, settings->band};
	field_key key;
	for (uint64_t k = 0; k < 2; k++)
	{
		uint64_t hash = hash_bytes(&facts, sizeof facts, k);
		hash = hash_bytes(mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *mesh->positions, hash);
		key.words[k] =
		    hash_bytes(mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof *mesh->triangles, hash);
	}
	return key;
}

uint64_t field_header_hash(const field_header *header)
{
	return hash_bytes(header, offsetof(field_header, header_hash), 0);
}

uint64_t field_data_hash(const void *distance, size_t distance_bytes, const void *nearest, size_t nearest_bytes)
{
	return hash_bytes(nearest, nearest_bytes, hash_bytes(distance, distance_bytes, FIELD_VERSION));
}

static field_header make_header(const distance_field *f, field_key key)
{
	const field_info *info = &f->info;
	field_header h;
	memset(&h, 0, sizeof h);
	memcpy(h.magic, magic, sizeof magic);
	h.version = FIELD_VERSION;
	h.byte_order = byte_order;
	h.key = key;
	h.cell = info->settings.cell;
	h.band = info->settings.band;
	h.signed_too = info->settings.signed_too;
	h.encloses = info->encloses;
	memcpy(h.low, &info->low, sizeof h.low);
	memcpy(h.high, &info->high, sizeof h.high);
	h.voxels = info->voxels;
	h.distance_bytes = f->distance_bytes;
	h.nearest_bytes = f->nearest_bytes;
	h.data_hash = field_data_hash(f->distance, f->distance_bytes, f->nearest, f->nearest_bytes);
	h.header_hash = field_header_hash(&h);
	return h;
}

static spate_result write_field(const distance_field *f, field_key key, const char *folder, const char *path,
				spate_error *error)
{
	static const char zeros[FIELD_HEADER_BYTES];
	field_header h = make_header(f, key);
	file_writer writer;
	spate_result result = file_make_directory(folder, error);
	file_clear_beside(path);
	if (result == SPATE_OK)
		result = file_begin(&writer, path, error);
	const struct
	{
		const void *data;
		size_t bytes;
	} pieces[] = {
	    {&h, sizeof h},
	    {zeros, FIELD_HEADER_BYTES - sizeof h},
	    {f->distance, f->distance_bytes},
	    {zeros, field_padded(f->distance_bytes) - f->distance_bytes},
	    {f->nearest, f->nearest_bytes},
	};
	for (size_t i = 0; result == SPATE_OK && i < sizeof pieces / sizeof pieces[0]; i++)
		result = file_append(&writer, pieces[i].data, pieces[i].bytes, error);
	return result == SPATE_OK ? file_commit(&writer, error) : result;
}

// Whether the distances, given as bits of floats, lie within the band. False for NaN.
static int distances_are_good(const uint32_t *values, size_t count, const void *context)
{
	const float *band = context;
	for (size_t i = 0; i < count; i++)
	{
		float value;
		memcpy(&value, &values[i], sizeof value);
		if (!(fabsf(value) <= *band))
			return 0;
	}
	return 1;
}

// Whether the indices are valid for this number of triangles, or FIELD_NO_TRIANGLE.
static int triangles_are_good(const uint32_t *values, size_t count, const void *context)
{
	const uint32_t *triangles = context;
	for (size_t i = 0; i < count; i++)
		if (values[i] >= *triangles && values[i] != (uint32_t)FIELD_NO_TRIANGLE)
			return 0;
	return 1;
}

// Whether the box is close enough to the origin for a field.
static int box_is_near(const distance_field *f)
{
	const float sides[6] = {f->info.low.x,  f->info.low.y,  f->info.low.z,
				f->info.high.x, f->info.high.y, f->info.high.z};
	for (int k = 0; k < 6; k++)
		if (!(fabs((double)sides[k] * f->scale) < FIELD_MOST_CELLS))
			return 0;
	return 1;
}

static int same_corner(const float a[3], vec3 b)
{
	return a[0] == b.x && a[1] == b.y && a[2] == b.z;
}

// Fills in a field from a mapped file. Returns 0 if the file is not valid.
static int adopt(distance_field *f, field_key key)
{
	field_header h;
	if (f->mapping_bytes < FIELD_HEADER_BYTES || !box_is_near(f))
		return 0;
	memcpy(&h, f->mapping, sizeof h);
	if (memcmp(h.magic, magic, sizeof magic) != 0 || h.version != FIELD_VERSION || h.byte_order != byte_order ||
	    h.header_hash != field_header_hash(&h) || memcmp(&h.key, &key, sizeof key) != 0 ||
	    !same_corner(h.low, f->info.low) || !same_corner(h.high, f->info.high))
		return 0;
	if (h.distance_bytes > f->mapping_bytes || h.nearest_bytes > f->mapping_bytes ||
	    FIELD_HEADER_BYTES + field_padded(h.distance_bytes) + h.nearest_bytes != f->mapping_bytes)
		return 0;
	f->distance = (const char *)f->mapping + FIELD_HEADER_BYTES;
	f->nearest = (const char *)f->distance + field_padded(h.distance_bytes);
	f->distance_bytes = h.distance_bytes;
	f->nearest_bytes = h.nearest_bytes;
	f->info.encloses = h.encloses;
	f->info.voxels = h.voxels;
	f->info.bytes = f->distance_bytes + f->nearest_bytes;
	return h.data_hash == field_data_hash(f->distance, f->distance_bytes, f->nearest, f->nearest_bytes) &&
	       field_grid_is_sound(f->distance, f->distance_bytes, 1, distances_are_good, &f->info.settings.band) &&
	       field_grid_is_sound(f->nearest, f->nearest_bytes, 0, triangles_are_good, &f->triangle_count);
}

spate_result field_map_file(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
			    field_key key, const char *path, int threads, spate_error *error)
{
	*field = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return SPATE_OK;
	struct stat status;
	void *memory = MAP_FAILED;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
		memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	distance_field *f = NULL;
	if (memory != MAP_FAILED)
	{
		spate_result result = field_begin(&f, mesh, settings, error);
		if (result != SPATE_OK)
		{
			munmap(memory, (size_t)status.st_size);
			return result;
		}
		f->mapping = memory;
		f->mapping_bytes = (size_t)status.st_size;
		if (adopt(f, key))
		{
			result = field_index(f, threads, error);
			if (result == SPATE_OK)
				*field = f;
			else
				distance_field_destroy(f);
			return result;
		}
		distance_field_destroy(f);
	}
	log_info("%s is damaged or has another version; rebuilding the distance field", path);
	return SPATE_OK;
}

spate_result distance_field_fetch(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
				  const char *folder, int threads, int *found, spate_error *error)
{
	*field = NULL;
	if (found)
		*found = 0;
	if (!folder || !distance_field_available())
		return distance_field_create(field, mesh, settings, threads, error);
	spate_result result = field_check(mesh, settings, error);
	if (result != SPATE_OK)
		return result;
	field_key key = field_make_key(mesh, settings);
	char path[4096];
	int length = snprintf(path, sizeof path, "%s/%016llx%016llx.field", folder, (unsigned long long)key.words[0],
			      (unsigned long long)key.words[1]);
	if (length < 0 || (size_t)length >= sizeof path)
		return error_set(error, SPATE_INVALID, "the name of the folder for distance fields is too long");
	result = field_map_file(field, mesh, settings, key, path, threads, error);
	if (result != SPATE_OK || *field)
	{
		if (found)
			*found = *field != NULL;
		return result;
	}
	result = distance_field_create(field, mesh, settings, threads, error);
	spate_error problem;
	if (result == SPATE_OK && write_field(*field, key, folder, path, &problem) != SPATE_OK)
		log_warning("the distance field was not cached: %s", problem.text);
	return result;
}
