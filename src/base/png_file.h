// PNG, by libpng: pictures go in and out row by row, the top one first. Nothing else includes <png.h>.
#ifndef BASE_PNG_FILE_H
#define BASE_PNG_FILE_H

#include "base/array.h"
#include "spate/result.h"

#include <stdint.h>

typedef ARRAY(uint8_t) byte_array;

// A file in memory: bytes at an offset, at the end or over what is there; 0 when out of memory.
int byte_array_put(byte_array *out, uint64_t offset, const void *data, size_t size);

typedef enum png_file_kind
{
	PNG_FILE_NUMBERS, // one number per pixel, of 16 bits with the big end first, and no gamma
	PNG_FILE_RGB,     // bytes of red, green, blue in sRGB, and a fourth that is left out
	PNG_FILE_RGBA,    // likewise with alpha
} png_file_kind;

typedef struct png_file_picture
{
	png_file_kind kind;
	uint32_t width, height;
	const uint8_t *(*row)(void *context, uint32_t y); // good until the next call
	void *context;
} png_file_picture;

// Appends the file to `out`, lightly compressed.
spate_result png_file_encode(byte_array *out, const png_file_picture *picture, spate_error *error);

// Where a picture goes that is read.
typedef struct png_file_target
{
	int levels;            // 1: bytes of red, green, blue and alpha; 2: 16 bits, grey or RGB, with alpha or without
	uint32_t most;         // pixels along a side
	const char *too_large; // what is wrong with more
	spate_result (*begin)(void *context, uint32_t width, uint32_t height, int channels, spate_error *error);
	void (*row)(void *context, uint32_t y, const uint8_t *samples);
	void *context;
} png_file_target;

// Any PNG. On failure some rows may have gone to the target.
spate_result png_file_read(const png_file_target *target, const char *path, spate_error *error);

#endif
