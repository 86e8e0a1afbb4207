#include "base/png_file.h"

#include "base/error.h"
#include "base/file.h"

#include <png.h>
#include <stdio.h>
#include <string.h>

// State of libpng's callbacks: where bytes come from or go to, and the error message.
typedef struct png_stream
{
	byte_array *out;
	const char *bytes;
	size_t left;
	uint8_t *rows; // one row, or all of an interlaced picture
	char message[200];
} png_stream;

int byte_array_put(byte_array *out, uint64_t offset, const void *data, size_t size)
{
	size_t end = (size_t)offset + size;
	// an eighth more than needed, since rows arrive one by one
	if (end > out->capacity && !array_reserve(out, end + end / 8 + 4096))
		return 0;
	memcpy(out->data + offset, data, size);
	out->count = end > out->count ? end : out->count;
	return 1;
}

static void fail_png(png_structp png, png_const_charp message)
{
	png_stream *stream = png_get_error_ptr(png);
	snprintf(stream->message, sizeof stream->message, "%s", message);
	png_longjmp(png, 1);
}

// warnings do not affect the picture
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

// ------------------------------------------------------------------------------------------------------------- writing

static void append_png(png_structp png, png_bytep bytes, size_t size)
{
	byte_array *out = ((png_stream *)png_get_io_ptr(png))->out;
	if (!byte_array_put(out, out->count, bytes, size))
		png_error(png, "out of memory");
}

static void flush_png(png_structp png)
{
	(void)png;
}

static void write_head(png_structp png, png_infop info, const png_file_picture *picture)
{
	static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
	int numbers = picture->kind == PNG_FILE_NUMBERS;
	// light compression: there are hundreds of frames, and zlib would take longer than drawing them
	png_set_compression_level(png, 3);
	if (!numbers)
		png_set_filter(png, 0, PNG_FILTER_SUB | PNG_FILTER_UP);
	png_set_IHDR(png, info, picture->width, picture->height, numbers ? 16 : 8, types[picture->kind],
		     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	// plain numbers are linear: gamma 1
	if (numbers)
		png_set_gAMA(png, info, 1.0);
	else
		png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
	png_write_info(png, info);
	if (picture->kind == PNG_FILE_RGB)
		png_set_filler(png, 0, PNG_FILLER_AFTER);
}

spate_result png_file_encode(byte_array *out, const png_file_picture *picture, spate_error *error)
{
	png_stream stream = {.out = out};
	png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &stream, fail_png, ignore_png, NULL,
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
		return error_set(error, SPATE_MEMORY, "cannot encode a PNG: %s", stream.message);
	}
	png_set_write_fn(png, &stream, append_png, flush_png);
	write_head(png, info, picture);
	for (uint32_t y = 0; y < picture->height; y++)
		png_write_row(png, picture->row(picture->context, y));
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	return SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------------- reading

static void take_png(png_structp png, png_bytep out, size_t size)
{
	png_stream *stream = png_get_io_ptr(png);
	if (size > stream->left)
		png_error(png, "it is truncated");
	memcpy(out, stream->bytes, size);
	stream->bytes += size;
	stream->left -= size;
}

// Reads the header and sets up conversion to the target's levels. Returns the number of passes over the rows.
static int read_head(png_structp png, png_infop info, const png_file_target *target)
{
	png_read_info(png, info);
	png_set_expand(png);
	if (target->levels == 2)
		png_set_expand_16(png);
	else
	{
		png_set_strip_16(png);
		png_set_gray_to_rgb(png);
		png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
	}
	int passes = png_set_interlace_handling(png);
	png_read_update_info(png, info);
	if (png_get_image_width(png, info) > target->most || png_get_image_height(png, info) > target->most)
		png_error(png, target->too_large);
	return passes;
}

static spate_result read_rows(png_structp png, png_infop info, png_stream *stream, const png_file_target *target,
			      spate_error *error)
{
	int passes = read_head(png, info, target);
	uint32_t height = png_get_image_height(png, info);
	spate_result result =
	    target->begin(target->context, png_get_image_width(png, info), height, png_get_channels(png, info), error);
	if (result != SPATE_OK)
		return result;
	size_t bytes = png_get_rowbytes(png, info), rows = passes > 1 ? height : 1;
	stream->rows = mem_calloc(rows, bytes);
	if (!stream->rows)
		return error_memory(error, rows * bytes);
	for (int pass = 0; pass < passes; pass++)
		for (uint32_t y = 0; y < height; y++)
		{
			uint8_t *row = stream->rows + (passes > 1 ? y * bytes : 0);
			png_read_row(png, row, NULL);
			if (pass == passes - 1)
				target->row(target->context, y, row);
		}
	return SPATE_OK;
}

static spate_result decode(png_stream *stream, const png_file_target *target, const char *path, spate_error *error)
{
	png_structp png =
	    png_create_read_struct_2(PNG_LIBPNG_VER_STRING, stream, fail_png, ignore_png, NULL, allocate_png, free_png);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info)
	{
		png_destroy_read_struct(&png, NULL, NULL);
		return error_set(error, SPATE_MEMORY, "out of memory while reading %s", path);
	}
	if (setjmp(png_jmpbuf(png)))
	{
		png_destroy_read_struct(&png, &info, NULL);
		return error_set(error, SPATE_FORMAT, "%s is not a readable PNG: %s", path, stream->message);
	}
	png_set_read_fn(png, stream, take_png);
	spate_result result = read_rows(png, info, stream, target, error);
	png_destroy_read_struct(&png, &info, NULL);
	return result;
}

spate_result png_file_read(const png_file_target *target, const char *path, spate_error *error)
{
	char *bytes = NULL;
	size_t size = 0;
	spate_result result = file_read(path, &bytes, &size, error);
	if (result != SPATE_OK)
		return result;
	png_stream stream = {.bytes = bytes, .left = size};
	result = decode(&stream, target, path, error);
	mem_free(stream.rows);
	mem_free(bytes);
	return result;
}
