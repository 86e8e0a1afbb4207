// Pictures of 8-bit RGBA, stored as sRGB like PNG. Light is accumulated in linear values and encoded last.
#ifndef RENDER_IMAGE_H
#define RENDER_IMAGE_H

#include "base/png_file.h"
#include "base/vec.h"
#include "spate/result.h"

#include <stdint.h>

typedef struct image
{
	int width, height;
	uint8_t *pixels; // four bytes per pixel, not premultiplied, top row first
} image;

enum
{
	IMAGE_MAX_SIZE = 16384 // pixels per side
};

// Transparent black. `out` may be uninitialised; free it with image_free.
spate_result image_init(image *out, int width, int height, spate_error *error);
void image_free(image *picture);
void image_fill(image *picture, vec4 colour);

// Converts one channel between stored (0..1) and linear (0..1) values.
float srgb_decode(float stored);
float srgb_encode(float linear);
// The linear colour of 0xrrggbb.
vec3 colour_from_hex(uint32_t rrggbb);
// A linear colour with opacity 1.
vec4 colour_opaque(vec3 linear);

// Fast encoding of many linear values: a table with an error below half a level, made once per picture.
enum
{
	SRGB_TABLE_SIZE = 8192
};
typedef struct srgb_table
{
	uint8_t level[SRGB_TABLE_SIZE + 1];
} srgb_table;
void srgb_table_init(srgb_table *table);

// Clamps to 0..1; NaN becomes 0.
static inline uint8_t srgb_table_level(const srgb_table *table, float linear)
{
	float clamped = linear > 0.0f ? (linear < 1.0f ? linear : 1.0f) : 0.0f;
	return table->level[(int)(clamped * (float)SRGB_TABLE_SIZE + 0.5f)];
}

// Blends a linear colour over a pixel, in linear light; the opacity is w times coverage. Pixels outside are ignored.
void image_blend(image *picture, int x, int y, vec4 colour, float coverage);
void image_blend_rectangle(image *picture, int x, int y, int width, int height, vec4 colour);

// Encodes a PNG in memory: RGB if every pixel is opaque, otherwise RGBA. The content of `out` is replaced.
spate_result image_encode_png(const image *picture, byte_array *out, spate_error *error);
spate_result image_write_png(const image *picture, const char *path, spate_error *error);
// Reads any PNG as RGBA8. `out` is initialised by the call.
spate_result image_read_png(image *out, const char *path, spate_error *error);

#endif
