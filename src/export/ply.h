// The parts of a PLY file's header.
#ifndef EXPORT_PLY_H
#define EXPORT_PLY_H

#include "base/array.h"
#include "mesh/build.h"
#include "mesh/text.h"

typedef enum ply_type
{
	PLY_NONE,
	PLY_INT8,
	PLY_UINT8,
	PLY_INT16,
	PLY_UINT16,
	PLY_INT32,
	PLY_UINT32,
	PLY_FLOAT,
	PLY_DOUBLE
} ply_type;

enum
{
	PLY_NAME_CHARS = 64
};

typedef struct ply_property
{
	char name[PLY_NAME_CHARS];
	ply_type count_type; // of a list; PLY_NONE for scalars
	ply_type type;
} ply_property;

typedef struct ply_element
{
	char name[PLY_NAME_CHARS];
	uint64_t count;
	size_t first, properties; // range in the header's list of properties
} ply_element;

typedef enum ply_coding
{
	PLY_ASCII,
	PLY_LITTLE,
	PLY_BIG
} ply_coding;

typedef struct ply_header
{
	ply_coding coding;
	ARRAY(ply_element) elements;
	ARRAY(ply_property) properties;
	size_t bytes;   // offset of the data
	uint32_t lines; // number of header lines
} ply_header;

// Bytes of one value in a binary file.
size_t ply_type_size(ply_type type);
// Largest value: 255 for uint8 and so on; 1 for floating types.
double ply_type_full(ply_type type);
spate_result ply_read_header(ply_header *h, mesh_builder *b);
void ply_header_free(ply_header *h);

#endif
