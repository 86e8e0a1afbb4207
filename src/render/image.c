#include "render/image.h"

#include "base/error.h"
#include "render/output_file.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

spate_result image_init(image *out, int width, int height, spate_error *error)
{
	*out = (image){0};
	if (width < 1 || height < 1 || width > IMAGE_MAX_SIZE || height > IMAGE_MAX_SIZE)
		return error_set(error, SPATE_INVALID, "an image of %d x %d pixels: each side must be 1 to %d", width,
				 height, (int)IMAGE_MAX_SIZE);
	size_t bytes = 4 * (size_t)width * (size_t)height;
	out->pixels = mem_calloc(bytes, 1);
	if (!out->pixels)
		return error_memory(error, bytes);
	out->width = width;
	out->height = height;
	return SPATE_OK;
}

void image_free(image *picture)
{
	mem_free(picture->pixels);
	*picture = (image){0};
}

float srgb_decode(float stored)
{
	return stored <= 0.04045f ? stored / 12.92f : powf((stored + 0.055f) / 1.055f, 2.4f);
}

float srgb_encode(float linear)
{
	return linear <= 0.0031308f ? linear * 12.92f : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
}

static uint8_t encode_level(float linear)
{
	float stored = srgb_encode(linear > 0.0f ? (linear < 1.0f ? linear : 1.0f) : 0.0f);
	return (uint8_t)(stored * 255.0f + 0.5f);
}

vec3 colour_from_hex(uint32_t rrggbb)
{
	return vec3_make(srgb_decode((float)(rrggbb >> 16 & 255) / 255.0f),
			 srgb_decode((float)(rrggbb >> 8 & 255) / 255.0f), srgb_decode((float)(rrggbb & 255) / 255.0f));
}

vec4 colour_opaque(vec3 linear)
{
	return (vec4){linear.x, linear.y, linear.z, 1.0f};
}

void srgb_table_init(srgb_table *table)
{
	for (int k = 0; k <= SRGB_TABLE_SIZE; k++)
		table->level[k] = encode_level((float)k / (float)SRGB_TABLE_SIZE);
}

void image_fill(image *picture, vec4 colour)
{
	float opacity = colour.w > 0.0f ? (colour.w < 1.0f ? colour.w : 1.0f) : 0.0f;
	uint8_t pixel[4] = {encode_level(colour.x), encode_level(colour.y), encode_level(colour.z),
			    (uint8_t)(opacity * 255.0f + 0.5f)};
	size_t count = (size_t)picture->width * (size_t)picture->height;
	for (size_t k = 0; k < count; k++)
		memcpy(picture->pixels + 4 * k, pixel, 4);
}

void image_blend(image *picture, int x, int y, vec4 colour, float coverage)
{
	float opacity = colour.w * coverage;
	if (!(opacity > 0.0f) || x < 0 || y < 0 || x >= picture->width || y >= picture->height)
		return;
	opacity = opacity < 1.0f ? opacity : 1.0f;
	uint8_t *pixel = picture->pixels + 4 * ((size_t)y * (size_t)picture->width + (size_t)x);

	// the usual "over" with colours that are not premultiplied
	float below = (float)pixel[3] / 255.0f * (1.0f - opacity), total = opacity + below;
	const float over[3] = {colour.x, colour.y, colour.z};
	for (int c = 0; c < 3; c++)
	{
		float under = below > 0.0f ? srgb_decode((float)pixel[c] / 255.0f) : 0.0f;
		pixel[c] = encode_level((over[c] * opacity + under * below) / total);
	}
	pixel[3] = (uint8_t)(total * 255.0f + 0.5f);
}

void image_blend_rectangle(image *picture, int x, int y, int width, int height, vec4 colour)
{
	for (int row = y; row < y + height; row++)
		for (int column = x; column < x + width; column++)
			image_blend(picture, column, row, colour, 1.0f);
}

// What libpng's callbacks share: where bytes go, and the sentence of a failure.
typedef struct png_context
{
	byte_array *out;
	char message[200];
} png_context;

static void fail_png(png_structp png, png_const_charp message)
{
	png_context *context = png_get_error_ptr(png);
	snprintf(context->message, sizeof context->message, "%s", message);
	png_longjmp(png, 1);
}

// a warning changes nothing in the picture
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

static void append_png(png_structp png, png_bytep bytes, size_t size)
{
	png_context *context = png_get_io_ptr(png);
	byte_array *out = context->out;
	if (!array_reserve(out, out->count + size))
		png_error(png, "out of memory");
	memcpy(out->data + out->count, bytes, size);
	out->count += size;
}

static void flush_png(png_structp png)
{
	(void)png;
}

static int is_opaque(const image *picture)
{
	size_t count = (size_t)picture->width * (size_t)picture->height;
	for (size_t k = 0; k < count; k++)
		if (picture->pixels[4 * k + 3] != 255)
			return 0;
	return 1;
}

spate_result image_encode_png(const image *picture, byte_array *out, spate_error *error)
{
	out->count = 0;
	png_context context = {.out = out};
	png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &context, fail_png, ignore_png, NULL,
						    allocate_png, free_png);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info)
	{
		png_destroy_write_struct(&png, NULL);
		return error_set(error, SPATE_MEMORY, "out of memory while writing a PNG");
	}
	if (setjmp(png_jmpbuf(png)))
	{
		png_destroy_write_struct(&png, &info);
		return error_set(error, SPATE_MEMORY, "cannot make a PNG: %s", context.message);
	}

	// a light compression: frames come by the hundred and zlib would cost more than drawing them
	int opaque = is_opaque(picture);
	png_set_write_fn(png, &context, append_png, flush_png);
	png_set_compression_level(png, 3);
	png_set_filter(png, 0, PNG_FILTER_SUB | PNG_FILTER_UP);
	png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
		     opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
		     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
	png_write_info(png, info);
	if (opaque)
		png_set_filler(png, 0, PNG_FILLER_AFTER);
	for (int y = 0; y < picture->height; y++)
		png_write_row(png, picture->pixels + 4 * (size_t)y * (size_t)picture->width);
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	return SPATE_OK;
}

spate_result image_write_png(const image *picture, const char *path, spate_error *error)
{
	byte_array bytes = {0};
	spate_result result = image_encode_png(picture, &bytes, error);
	if (result == SPATE_OK)
		result = output_file_write(path, bytes.data, bytes.count, error);
	array_free(&bytes);
	return result;
}

// Reads the open file into an image; `out` is empty on failure.
static spate_result read_png(image *out, FILE *file, const char *path, spate_error *error)
{
	png_context context = {0};
	png_structp png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &context, fail_png, ignore_png, NULL,
						   allocate_png, free_png);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info)
	{
		png_destroy_read_struct(&png, NULL, NULL);
		return error_set(error, SPATE_MEMORY, "out of memory while reading %s", path);
	}
	if (setjmp(png_jmpbuf(png)))
	{
		png_destroy_read_struct(&png, &info, NULL);
		image_free(out);
		return error_set(error, SPATE_FORMAT, "%s is not a readable PNG: %s", path, context.message);
	}
	png_init_io(png, file);
	png_read_info(png, info);

	// whatever is stored becomes eight bits of red, green, blue and alpha
	png_set_expand(png);
	png_set_strip_16(png);
	png_set_gray_to_rgb(png);
	png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
	int passes = png_set_interlace_handling(png);
	png_read_update_info(png, info);

	png_uint_32 width = png_get_image_width(png, info), height = png_get_image_height(png, info);
	if (width > IMAGE_MAX_SIZE || height > IMAGE_MAX_SIZE)
		png_error(png, "the image is too large");
	spate_result result = image_init(out, (int)width, (int)height, error);
	for (int pass = 0; result == SPATE_OK && pass < passes; pass++)
		for (png_uint_32 y = 0; y < height; y++)
			png_read_row(png, out->pixels + 4 * (size_t)y * width, NULL);
	png_destroy_read_struct(&png, &info, NULL);
	return result;
}

spate_result image_read_png(image *out, const char *path, spate_error *error)
{
	*out = (image){0};
	FILE *file = fopen(path, "rb");
	if (!file)
		return error_set(error, SPATE_IO, "cannot open %s: %s", path, strerror(errno));
	spate_result result = read_png(out, file, path, error);
	fclose(file);
	return result;
}
