// Fields on the disk, so that a mesh is turned into voxels once. A file is used in place, mapped and never written to.
//
//	bytes    content
//	   64    ...see field_header, zeros up to HEADER_BYTES
//	  256    the NanoVDB grid of distances, padded to 64 bytes
//	         the NanoVDB grid of nearest triangles
//
// The numbers are the writer's own; a machine of the other byte order sees another mark and builds the field itself.
#define _GNU_SOURCE
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "collider/field_data.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
	FIELD_VERSION = 1,
	HEADER_BYTES = 256,
	ALIGNMENT = 64
};

typedef struct field_key
{
	uint64_t words[2];
} field_key;

typedef struct field_header
{
	char magic[8];
	uint32_t version, byte_order;
	field_key key;
	float cell, band;
	int32_t signed_too, encloses;
	float low[3], high[3];
	uint64_t voxels, distance_bytes, nearest_bytes;
	uint64_t data_hash;   // of both grids
	uint64_t header_hash; // of what comes before
} field_header;

_Static_assert(sizeof(field_header) <= HEADER_BYTES, "the grids begin behind the header");

static const char magic[8] = {'S', 'P', 'A', 'T', 'E', 'F', 'L', 'D'};
static const uint32_t byte_order = 0x01020304;

static size_t padded(uint64_t bytes)
{
	return (size_t)(bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static field_key make_key(const spate_mesh *mesh, const field_settings *settings)
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

static uint64_t data_hash(const distance_field *f)
{
	return hash_bytes(f->nearest, f->nearest_bytes, hash_bytes(f->distance, f->distance_bytes, FIELD_VERSION));
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
	h.data_hash = data_hash(f);
	h.header_hash = hash_bytes(&h, offsetof(field_header, header_hash), 0);
	return h;
}

static spate_result write_field(const distance_field *f, field_key key, const char *folder, const char *path,
				spate_error *error)
{
	static const char zeros[HEADER_BYTES];
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
	    {zeros, HEADER_BYTES - sizeof h},
	    {f->distance, f->distance_bytes},
	    {zeros, padded(f->distance_bytes) - f->distance_bytes},
	    {f->nearest, f->nearest_bytes},
	};
	for (size_t i = 0; result == SPATE_OK && i < sizeof pieces / sizeof pieces[0]; i++)
		result = file_append(&writer, pieces[i].data, pieces[i].bytes, error);
	return result == SPATE_OK ? file_commit(&writer, error) : result;
}

// Fills in a field from a mapped file; 0 when the file is not what it should be.
static int adopt(distance_field *f, field_key key)
{
	field_header h;
	if (f->mapping_bytes < HEADER_BYTES)
		return 0;
	memcpy(&h, f->mapping, sizeof h);
	if (memcmp(h.magic, magic, sizeof magic) != 0 || h.version != FIELD_VERSION || h.byte_order != byte_order ||
	    h.header_hash != hash_bytes(&h, offsetof(field_header, header_hash), 0) ||
	    memcmp(&h.key, &key, sizeof key) != 0)
		return 0;
	if (h.distance_bytes > f->mapping_bytes || h.nearest_bytes > f->mapping_bytes ||
	    HEADER_BYTES + padded(h.distance_bytes) + h.nearest_bytes != f->mapping_bytes)
		return 0;
	f->distance = (const char *)f->mapping + HEADER_BYTES;
	f->nearest = (const char *)f->distance + padded(h.distance_bytes);
	f->distance_bytes = h.distance_bytes;
	f->nearest_bytes = h.nearest_bytes;
	f->info.encloses = h.encloses;
	f->info.voxels = h.voxels;
	f->info.bytes = f->distance_bytes + f->nearest_bytes;
	memcpy(&f->info.low, h.low, sizeof h.low);
	memcpy(&f->info.high, h.high, sizeof h.high);
	return h.data_hash == data_hash(f);
}

// NULL in *field, without an error, when there is no such file or it is no good.
static spate_result map_field(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
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
	log_info("%s is damaged or of another version, the distance field is built anew", path);
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
	field_key key = make_key(mesh, settings);
	char path[4096];
	int length = snprintf(path, sizeof path, "%s/%016llx%016llx.field", folder, (unsigned long long)key.words[0],
			      (unsigned long long)key.words[1]);
	if (length < 0 || (size_t)length >= sizeof path)
		return error_set(error, SPATE_INVALID, "the name of the folder for distance fields is too long");
	result = map_field(field, mesh, settings, key, path, threads, error);
	if (result != SPATE_OK || *field)
	{
		if (found)
			*found = *field != NULL;
		return result;
	}
	result = distance_field_create(field, mesh, settings, threads, error);
	spate_error problem;
	if (result == SPATE_OK && write_field(*field, key, folder, path, &problem) != SPATE_OK)
		log_warning("the distance field is not kept for the next time: %s", problem.text);
	return result;
}
