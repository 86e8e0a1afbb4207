// The file of a distance field:
//
//	bytes    content
//	    0    field_header, then zeros
//	  256    the NanoVDB grid of distances, padded to 64 bytes
//	         the NanoVDB grid of nearest triangles
//
// Numbers are in the writer's byte order. A machine with the other order finds a different mark and builds the field
// itself.
#ifndef COLLIDER_FIELD_FILE_H
#define COLLIDER_FIELD_FILE_H

#include "collider/field_data.h"

enum
{
	FIELD_VERSION = 1,
	FIELD_HEADER_BYTES = 256,
	FIELD_ALIGNMENT = 64
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
	uint64_t header_hash; // of the fields above
} field_header;

_Static_assert(sizeof(field_header) <= FIELD_HEADER_BYTES, "the grids begin behind the header");

static inline size_t field_padded(uint64_t bytes)
{
	return (size_t)(bytes + FIELD_ALIGNMENT - 1) & ~(size_t)(FIELD_ALIGNMENT - 1);
}

field_key field_make_key(const spate_mesh *mesh, const field_settings *settings);

// Maps the field in a file, identified by its key. The content is validated, not trusted. *field is NULL, without an
// error, if the file does not exist or is not valid.
spate_result field_map_file(distance_field **field, const spate_mesh *mesh, const field_settings *settings,
			    field_key key, const char *path, int threads, spate_error *error);

// Expected values of header_hash and data_hash.
uint64_t field_header_hash(const field_header *header);
uint64_t field_data_hash(const void *distance, size_t distance_bytes, const void *nearest, size_t nearest_bytes);

#endif
