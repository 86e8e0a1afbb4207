#include "cache/grey_file.h"

#include "base/build.h"
#include "base/error.h"
#include "base/file.h"
#include "base/png_file.h"

#ifdef SPATE_OPENEXR
#include <openexr.h>
#include <stdio.h>
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
		return build_lack(SPATE_LIBRARY_OPENEXR, "EXR pictures need", error);
#endif
	return SPATE_OK;
}

// ----------------------------------------------------------------------------------------------------------------- PNG

// State of writing one picture.
typedef struct writing
{
	const float *values;
	uint32_t width, height;
	uint8_t *row;
} writing;

static const uint8_t *encode_row(void *context, uint32_t y)
{
	const writing *w = context;
	const float *values = w->values + (size_t)(w->height - 1 - y) * w->width;
	for (uint32_t x = 0; x < w->width; x++)
	{
		float v = values[x] > 0.0f ? (values[x] < 1.0f ? values[x] : 1.0f) : 0.0f;
		unsigned level = (unsigned)(v * 65535.0f + 0.5f);
		w->row[2 * x] = (uint8_t)(level >> 8);
		w->row[2 * x + 1] = (uint8_t)(level & 255);
	}
	return w->row;
}

static spate_result make_png(byte_array *out, const float *values, uint32_t width, uint32_t height, spate_error *error)
{
	writing w = {values, width, height, mem_alloc(2 * (size_t)width)};
	if (!w.row)
		return error_memory(error, 2 * (size_t)width);
	spate_result result =
	    png_file_encode(out, &(png_file_picture){PNG_FILE_NUMBERS, width, height, encode_row, &w}, error);
	mem_free(w.row);
	return result;
}

// ----------------------------------------------------------------------------------------------------------------- EXR

#ifdef SPATE_OPENEXR

typedef struct exr_sink
{
	byte_array *out;
	char message[200];
} exr_sink;

static void note_exr(exr_const_context_t context, exr_result_t code, const char *message)
{
	(void)code;
	exr_sink *sink = NULL;
	if (context && exr_get_user_data(context, (void **)&sink) == EXR_ERR_SUCCESS && sink && message)
		snprintf(sink->message, sizeof sink->message, "%s", message);
}

static int64_t write_exr(exr_const_context_t context, void *data, const void *buffer, uint64_t size, uint64_t offset,
			 exr_stream_error_func_ptr_t fail)
{
	if (byte_array_put(((exr_sink *)data)->out, offset, buffer, size))
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
	// the file's rows go from top to bottom, ours from bottom to top
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

static spate_result make_exr(byte_array *out, const float *values, uint32_t width, uint32_t height, spate_error *error)
{
	exr_sink sink = {.out = out};
	exr_context_initializer_t settings = EXR_DEFAULT_CONTEXT_INITIALIZER;
	settings.error_handler_fn = note_exr;
	settings.user_data = &sink;
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
	return error_set(error, SPATE_MEMORY, "cannot encode an EXR: %s",
			 sink.message[0] ? sink.message : exr_get_default_error_message(code));
}

#else

static spate_result make_exr(byte_array *out, const float *values, uint32_t width, uint32_t height, spate_error *error)
{
	(void)out;
	(void)values;
	(void)width;
	(void)height;
	return grey_file_check(SPATE_IMAGE_EXR, error);
}

#endif

spate_result grey_file_write(const char *path, spate_image_format format, const float *values, uint32_t width,
			     uint32_t height, spate_error *error)
{
	byte_array file = {0};
	spate_result result = format == SPATE_IMAGE_EXR ? make_exr(&file, values, width, height, error)
							: make_png(&file, values, width, height, error);
	if (result == SPATE_OK)
		result = file_write(path, file.data, file.count, error);
	array_free(&file);
	return result;
}
