// The sizes of a binary STL file, and telling both kinds apart.
#ifndef MESH_STL_H
#define MESH_STL_H

#include <stddef.h>
#include <stdint.h>

enum
{
	STL_HEADER = 80,  // bytes of anything, then the number of triangles in four
	STL_TRIANGLE = 50 // bytes: normal, three corners, two bytes of anything
};

// The number of triangles that a file of at least 84 bytes promises.
uint32_t stl_count(const char *data);

// Binary without doubt: it is exactly as long as its count says, whatever the first word.
static inline int stl_is_binary(const char *data, size_t bytes, size_t file_bytes)
{
	return bytes >= STL_HEADER + 4 && file_bytes == STL_HEADER + 4 + (size_t)stl_count(data) * STL_TRIANGLE;
}

// Begins with "solid" and goes on in words.
int stl_is_text(const char *data, size_t bytes);

#endif
