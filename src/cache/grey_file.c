#include "cache/grey_file.h"

#include "base/array.h"
#include "base/error.h"
#include "base/file.h"

#include <png.h>
#include <stdio.h>
#include <string.h>

#ifdef SPATE_OPENEXR
#include <openexr.h>
#endif

const char *grey_file_extension(spate_image_format format)
{
	return format == SPATE_IMAGE_EXR ? ".exr" : ".png";
}

spate_result grey_file_check(spate_image_format format, spate_error *error)
{
#ifdef SPATE_OPENEXR
	(void)error;
	(void)format;
#else
	if (format == SPATE_IMAGE_EXR)
		return error_set(error, SPATE_MISSING,
				 "this build cannot write EXR pictures: OpenEXR was not found when it was made; "
				 "tools/install.sh run brings it, and PNG works without");
#endif
	return SPATE_OK;
}

// A file in memory.
typedef struct byte_sink
{
	ARRAY(uint8_t) bytes;
	char message[200];
} byte_sink;

// Bytes at an offset, at the end or over what is there.
static int put_bytes(byte_sink *sink, uint64_t offset, const void *data, size_t size)
{
	size_t end = (size_t)offset + size;
	// by an eighth more, as rows come one by one
	if (end > sink->bytes.capacity && !array_reserve(&sink->bytes, end + end / 8 + 4096))
		return 0;
	memcpy(sink->bytes.data + offset, data, size);
	sink->bytes.count = end > sink->bytes.count ? end : sink->bytes.count;
	return 1;
}

// ----------------------------------------------------------------------------------------------------------------- PNG

static void fail_png(png_structp png, png_const_charp message)
{
	byte_sink *sink = png_get_error_ptr(png);
	snprintf(sink->message, sizeof sink->message, "%s", message);
	png_longjmp(png, 1);
}

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
	byte_sink *sink = png_get_io_ptr(png);
	if (!put_bytes(sink, sink->bytes.count, bytes, size))
		png_error(png, "out of memory");
}

static void flush_png(png_structp png)
{
	(void)png;
}

static void encode_row(png_bytep out, const float *values, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++)
	{
		float v = values[x] > 0.0f ? (values[x] < 1.0f ? values[x] : 1.0f) : 0.0f;
		unsigned level = (unsigned)(v * 65535.0f + 0.5f);
		out[2 * x] = (png_byte)(level >> 8);
		out[2 * x + 1] = (png_byte)(level & 255);
	}
}

static spate_result encode_png(byte_sink *sink, png_bytep row, const float *values, uint32_t width, uint32_t height,
			       spate_error *error)
{
	png_structp png =
	    png_create_write_struct_2(PNG_LIBPNG_VER_STRING, sink, fail_png, ignore_png, NULL, allocate_png, free_png);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info)
	{
		png_destroy_write_struct(&png, NULL);
		return error_set(error, SPATE_MEMORY, "out of memory while writing a PNG");
	}
	if (setjmp(png_jmpbuf(png)))
	{
		png_destroy_write_struct(&png, &info);
		return error_set(error, SPATE_MEMORY, "cannot make a PNG: %s", sink->message);
	}
	// numbers, not light: a gamma of 1 says so
	png_set_write_fn(png, sink, append_png, flush_png);
	png_set_compression_level(png, 3);
	png_set_IHDR(png, info, width, height, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
		     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_gAMA(png, info, 1.0);
	png_write_info(png, info);
	for (uint32_t y = height; y-- > 0;)
	{
		encode_row(row, values + (size_t)y * width, width);
		png_write_row(png, row);
	}
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	return SPATE_OK;
}

static spate_result make_png(byte_sink *sink, const float *values, uint32_t width, uint32_t height, spate_error *error)
{
	png_bytep row = mem_alloc(2 * (size_t)width);
	if (!row)
		return error_memory(error, 2 * (size_t)width);
	spate_result result = encode_png(sink, row, values, width, height, error);
	mem_free(row);
	return result;
}

// ----------------------------------------------------------------------------------------------------------------- EXR

#ifdef SPATE_OPENEXR

static void note_exr(exr_const_context_t context, exr_result_t code, const char *message)
{
	(void)code;
	byte_sink *sink = NULL;
	if (context && exr_get_user_data(context, (void **)&sink) == EXR_ERR_SUCCESS && sink && message)
		snprintf(sink->message, sizeof sink->message, "%s", message);
}

static int64_t write_exr(exr_const_context_t context, void *data, const void *buffer, uint64_t size, uint64_t offset,
			 exr_stream_error_func_ptr_t fail)
{
	if (put_bytes(data, offset, buffer, size))
		return (int64_t)size;
	fail(context, EXR_ERR_OUT_OF_MEMORY, "out of memory");
	return -1;
}

// The rows of one chunk, the top one first.
static exr_result_t encode_chunk(exr_context_t context, int32_t y, const float *values, uint32_t width, uint32_t height)
{
	exr_chunk_info_t chunk;
	exr_encode_pipeline_t encoder = EXR_ENCODE_PIPELINE_INITIALIZER;
	exr_result_t code = exr_write_scanline_chunk_info(context, 0, y, &chunk);
	if (code != EXR_ERR_SUCCESS)
		return code;
	code = exr_encoding_initialize(context, 0, &chunk, &encoder);
	if (code != EXR_ERR_SUCCESS)
		return code;
	const float *top = values + (size_t)(height - 1 - (uint32_t)y) * width;
	encoder.channels[0].user_bytes_per_element = sizeof *values;
	encoder.channels[0].user_data_type = EXR_PIXEL_FLOAT;
	encoder.channels[0].user_pixel_stride = sizeof *values;
	// rows of the file run down, ours run up
	encoder.channels[0].user_line_stride = -(int32_t)(width * sizeof *values);
	encoder.channels[0].encode_from_ptr = (const uint8_t *)top;
	code = exr_encoding_choose_default_routines(context, 0, &encoder);
	if (code == EXR_ERR_SUCCESS)
		code = exr_encoding_run(context, 0, &encoder);
	exr_encoding_destroy(context, &encoder);
	return code;
}

static exr_result_t encode_exr(exr_context_t context, const float *values, uint32_t width, uint32_t height)
{
	int part;
	int32_t lines = 1;
	exr_result_t code = exr_add_part(context, "grey", EXR_STORAGE_SCANLINE, &part);
	if (code == EXR_ERR_SUCCESS)
		code = exr_initialize_required_attr_simple(context, part, (int32_t)width, (int32_t)height,
							   EXR_COMPRESSION_ZIP);
	if (code == EXR_ERR_SUCCESS)
		code = exr_add_channel(context, part, "Y", EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LINEAR, 1, 1);
	if (code == EXR_ERR_SUCCESS)
		code = exr_write_header(context);
	if (code == EXR_ERR_SUCCESS)
		code = exr_get_scanlines_per_chunk(context, part, &lines);
	for (int32_t y = 0; code == EXR_ERR_SUCCESS && y < (int32_t)height; y += lines)
		code = encode_chunk(context, y, values, width, height);
	return code;
}

static spate_result make_exr(byte_sink *sink, const float *values, uint32_t width, uint32_t height, spate_error *error)
{
	exr_context_initializer_t settings = EXR_DEFAULT_CONTEXT_INITIALIZER;
	settings.error_handler_fn = note_exr;
	settings.user_data = sink;
	settings.write_fn = write_exr;
	settings.alloc_fn = mem_alloc;
	settings.free_fn = mem_free;
	exr_context_t context = NULL;
	exr_result_t code = exr_start_write(&context, "picture.exr", EXR_WRITE_FILE_DIRECTLY, &settings);
	if (code == EXR_ERR_SUCCESS)
		code = encode_exr(context, values, width, height);
	exr_result_t closed = context ? exr_finish(&context) : code;
	code = code == EXR_ERR_SUCCESS ? closed : code;
	if (code == EXR_ERR_SUCCESS)
		return SPATE_OK;
	return error_set(error, SPATE_MEMORY, "cannot make an EXR: %s",
			 sink->message[0] ? sink->message : exr_get_default_error_message(code));
}

#else

static spate_result make_exr(byte_sink *sink, const float *values, uint32_t width, uint32_t height, spate_error *error)
{
	(void)sink;
	(void)values;
	(void)width;
	(void)height;
	return grey_file_check(SPATE_IMAGE_EXR, error);
}

#endif

spate_result grey_file_write(const char *path, spate_image_format format, const float *values, uint32_t width,
			     uint32_t height, spate_error *error)
{
	byte_sink sink = {0};
	spate_result result = format == SPATE_IMAGE_EXR ? make_exr(&sink, values, width, height, error)
							: make_png(&sink, values, width, height, error);
	if (result == SPATE_OK)
		result = file_write(path, sink.bytes.data, sink.bytes.count, error);
	array_free(&sink.bytes);
	return result;
}
