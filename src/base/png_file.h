// PNG by libpng. Pictures are read and written row by row, top row first. No other file includes <png.h>.
#ifndef BASE_PNG_FILE_H
#define BASE_PNG_FILE_H

#include "base/array.h"
#include "spate/result.h"

#include <stdint.h>

typedef ARRAY(uint8_t) byte_array;

// Writes bytes at an offset of a file in memory, overwriting or appending; 0 when out of memory.
int byte_array_put(byte_array *out, uint64_t offset, const void *data, size_t size);

typedef enum png_file_kind
{
	PNG_FILE_NUMBERS, // one number per pixel, 16 bits, big-endian, linear
	PNG_FILE_RGB,     // bytes of red, green, blue in sRGB, and a fourth that is ignored
	PNG_FILE_RGBA,    // likewise with alpha
} png_file_kind;

typedef struct png_file_picture
{
	png_file_kind kind;
	uint32_t width, height;
	const uint8_t *(*row)(void *context, uint32_t y); // valid until the next call
	void *context;
} png_file_picture;

// Appends the file to `out`, lightly compressed.
spate_result png_file_encode(byte_array *out, const png_file_picture *picture, spate_error *error);

// Receiver of a picture that is read.
typedef struct png_file_target
{
	int levels;            // 1: bytes of red, green, blue and alpha; 2: 16 bits, grey or RGB, with alpha or without
	uint32_t most;         // largest number of pixels along a side
	const char *too_large; // message for larger pictures
	spate_result (*begin)(void *context, uint32_t width, uint32_t height, int channels, spate_error *error);
	void (*row)(void *context, uint32_t y, const uint8_t *samples);
	void *context;
} png_file_target;

// Reads any PNG. On failure the target may have received some rows.
spate_result png_file_read(const png_file_target *target, const char *path, spate_error *error);

#endif
