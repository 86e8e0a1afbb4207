#include "collider/texture.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

enum
{
	MOST_TEXELS = 32768 // along a side
};

// What libpng's callbacks share: where bytes come from, and the sentence of a failure.
typedef struct png_source
{
	const char *bytes;
	size_t left;
	uint16_t *row; // samples of one row, or of all rows of an interlaced picture
	char message[200];
} png_source;

static void fail_png(png_structp png, png_const_charp message)
{
	png_source *source = png_get_error_ptr(png);
	snprintf(source->message, sizeof source->message, "%s", message);
	png_longjmp(png, 1);
}

// a warning changes nothing in the values
static void ignore_png(png_structp png, png_const_charp message)
{
	(void)png;
	(void)message;
}

static png_voidp allocate_png(png_structp png, png_alloc_size_t bytes)
{
	(void)png;
	return mem_alloc(bytes);
}

static void free_png(png_structp png, png_voidp block)
{
	(void)png;
	mem_free(block);
}

static void take_png(png_structp png, png_bytep out, size_t size)
{
	png_source *source = png_get_io_ptr(png);
	if (size > source->left)
		png_error(png, "it ends too early");
	memcpy(out, source->bytes, size);
	source->bytes += size;
	source->left -= size;
}

// 16-bit samples, big end first, into values. Levels of 8 bits came as 257 times themselves.
static void take_samples(float *out, const uint16_t *samples, size_t texels, int channels)
{
	const png_byte *byte = (const png_byte *)samples;
	for (size_t k = 0; k < texels; k++)
	{
		float level[4];
		for (int c = 0; c < channels; c++, byte += 2)
			level[c] = (float)(byte[0] << 8 | byte[1]) / 65535.0f;
		out[k] = channels < 3 ? level[0] : texture_brightness(level[0], level[1], level[2]);
	}
}

// Reads the header and asks for 16 bits a channel, grey or RGB, with or without alpha.
static int prepare(png_structp png, png_infop info)
{
	png_read_info(png, info);
	png_set_expand(png);
	png_set_expand_16(png);
	int passes = png_set_interlace_handling(png);
	png_read_update_info(png, info);
	if (png_get_image_width(png, info) > MOST_TEXELS || png_get_image_height(png, info) > MOST_TEXELS)
		png_error(png, "it has more than 32768 texels along a side");
	return passes;
}

static void decode(png_structp png, png_infop info, png_source *source, texture *out)
{
	int passes = prepare(png, info), channels = png_get_channels(png, info);
	size_t width = png_get_image_width(png, info), height = png_get_image_height(png, info),
	       samples = width * (size_t)channels, rows = passes > 1 ? height : 1;
	out->width = (int)width;
	out->height = (int)height;
	out->values = mem_alloc(width * height * sizeof *out->values);
	source->row = mem_calloc(rows * samples, sizeof *source->row);
	if (!out->values || !source->row)
		png_error(png, "there is not enough memory");
	for (int pass = 0; pass < passes; pass++)
		for (size_t y = 0; y < height; y++)
		{
			uint16_t *row = source->row + (passes > 1 ? y * samples : 0);
			png_read_row(png, (png_bytep)row, NULL);
			if (pass == passes - 1)
				take_samples(out->values + y * width, row, width, channels);
		}
}

static spate_result read_bytes(texture *out, png_source *source, const char *path, spate_error *error)
{
	png_structp png =
	    png_create_read_struct_2(PNG_LIBPNG_VER_STRING, source, fail_png, ignore_png, NULL, allocate_png, free_png);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info)
	{
		png_destroy_read_struct(&png, NULL, NULL);
		return error_set(error, SPATE_MEMORY, "out of memory while reading %s", path);
	}
	if (setjmp(png_jmpbuf(png)))
	{
		png_destroy_read_struct(&png, &info, NULL);
		return error_set(error, SPATE_FORMAT, "%s is not a readable PNG: %s", path, source->message);
	}
	png_set_read_fn(png, source, take_png);
	decode(png, info, source, out);
	png_destroy_read_struct(&png, &info, NULL);
	return SPATE_OK;
}

spate_result texture_read(texture *out, const char *path, spate_error *error)
{
	*out = (texture){0};
	char *bytes = NULL;
	size_t size = 0;
	spate_result result = file_read(path, &bytes, &size, error);
	if (result != SPATE_OK)
		return result;
	png_source source = {.bytes = bytes, .left = size};
	result = read_bytes(out, &source, path, error);
	mem_free(source.row);
	mem_free(bytes);
	if (result != SPATE_OK)
		texture_free(out);
	return result;
}

void texture_free(texture *t)
{
	mem_free(t->values);
	*t = (texture){0};
}

// The two texels around a place between 0 and 1 on a side of `count` texels, and the share of the second.
static float split(float place, int count, int *first, int *second)
{
	float x = place * (float)count - 0.5f, whole = floorf(x);
	int k = (int)whole;
	*first = k < 0 ? k + count : k >= count ? k - count : k;
	*second = *first + 1 < count ? *first + 1 : 0;
	return x - whole;
}

float texture_at(const texture *t, float u, float v)
{
	u -= floorf(u);
	v -= floorf(v);
	if (!(u >= 0.0f && u <= 1.0f && v >= 0.0f && v <= 1.0f))
		return 0.0f;
	int left, right, top, bottom;
	float across = split(u, t->width, &left, &right), down = split(1.0f - v, t->height, &top, &bottom);
	const float *high = t->values + (size_t)top * (size_t)t->width,
		    *low = t->values + (size_t)bottom * (size_t)t->width;
	float a = high[left] + across * (high[right] - high[left]), b = low[left] + across * (low[right] - low[left]);
	return a + down * (b - a);
}
