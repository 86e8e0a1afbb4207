// Pictures of one number per pixel as files, written completely or not at all.
#ifndef CACHE_GREY_FILE_H
#define CACHE_GREY_FILE_H

#include "spate/result.h"
#include "spate/world.h"

// ".png" or ".exr".
const char *grey_file_extension(spate_image_format format);

// Whether this build can write the format; the error says what is missing if not.
spate_result grey_file_check(spate_image_format format, spate_error *error);

// `values` begin with the bottom row, the file with the top one. PNG: 16 bits, values clamped to 0 to 1. EXR: the floats unchanged, in a
// channel called Y.
spate_result grey_file_write(const char *path, spate_image_format format, const float *values, uint32_t width,
			     uint32_t height, spate_error *error);

#endif
