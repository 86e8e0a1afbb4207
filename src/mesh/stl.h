// Sizes in a binary STL file, and detection of text and binary files.
#ifndef MESH_STL_H
#define MESH_STL_H

#include <stddef.h>
#include <stdint.h>

enum
{
	STL_HEADER = 80,  // arbitrary bytes, followed by the number of triangles in four bytes
	STL_TRIANGLE = 50 // bytes: normal, three corners, two unused bytes
};

// The number of triangles announced by a file of at least 84 bytes.
uint32_t stl_count(const char *data);

// Certainly binary: the file is exactly as long as its count says, whatever its first word.
static inline int stl_is_binary(const char *data, size_t bytes, size_t file_bytes)
{
	return bytes >= STL_HEADER + 4 && file_bytes == STL_HEADER + 4 + (size_t)stl_count(data) * STL_TRIANGLE;
}

// Whether the file starts with "solid" and continues as text.
int stl_is_text(const char *data, size_t bytes);

#endif
