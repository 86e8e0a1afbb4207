#include "render/image.h"

#include "base/error.h"
#include "base/file.h"

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

static int is_opaque(const image *picture)
{
	size_t count = (size_t)picture->width * (size_t)picture->height;
	for (size_t k = 0; k < count; k++)
		if (picture->pixels[4 * k + 3] != 255)
			return 0;
	return 1;
}

static const uint8_t *row_of(void *context, uint32_t y)
{
	const image *picture = context;
	return picture->pixels + 4 * (size_t)y * (size_t)picture->width;
}

spate_result image_encode_png(const image *picture, byte_array *out, spate_error *error)
{
	out->count = 0;
	image copy = *picture;
	const png_file_picture png = {is_opaque(picture) ? PNG_FILE_RGB : PNG_FILE_RGBA, (uint32_t)picture->width,
				      (uint32_t)picture->height, row_of, &copy};
	return png_file_encode(out, &png, error);
}

spate_result image_write_png(const image *picture, const char *path, spate_error *error)
{
	byte_array bytes = {0};
	spate_result result = image_encode_png(picture, &bytes, error);
	if (result == SPATE_OK)
		result = file_write(path, bytes.data, bytes.count, error);
	array_free(&bytes);
	return result;
}

static spate_result begin_image(void *context, uint32_t width, uint32_t height, int channels, spate_error *error)
{
	(void)channels;
	return image_init(context, (int)width, (int)height, error);
}

static void take_row(void *context, uint32_t y, const uint8_t *samples)
{
	const image *picture = context;
	size_t bytes = 4 * (size_t)picture->width;
	memcpy(picture->pixels + y * bytes, samples, bytes);
}

spate_result image_read_png(image *out, const char *path, spate_error *error)
{
	*out = (image){0};
	const png_file_target target = {.levels = 1,
					.most = IMAGE_MAX_SIZE,
					.too_large = "the image is too large",
					.begin = begin_image,
					.row = take_row,
					.context = out};
	spate_result result = png_file_read(&target, path, error);
	if (result != SPATE_OK)
		image_free(out);
	return result == SPATE_MISSING ? SPATE_IO : result;
}
