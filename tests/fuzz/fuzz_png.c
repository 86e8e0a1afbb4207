// Any bytes as a picture, with 8 and with 16 bits per sample: every row that is announced comes, and none else. The checksums of chunks are
// made right first.
#define _GNU_SOURCE
#include "fuzz.h"

#include "base/memory.h"
#include "base/png_file.h"

#include <zlib.h>

enum
{
	MOST = 2048 // pixels along a side
};

typedef struct picture
{
	uint32_t width, height, rows;
	size_t row_bytes;
	int levels;
	uint8_t *row;
} picture;

static spate_result begin(void *context, uint32_t width, uint32_t height, int channels, spate_error *error)
{
	(void)error;
	picture *p = context;
	must(width > 0 && height > 0 && width <= MOST && height <= MOST && channels >= 1 && channels <= 4);
	p->width = width;
	p->height = height;
	p->row_bytes = (size_t)width * (size_t)channels * (size_t)p->levels;
	p->row = mem_alloc(p->row_bytes);
	must(p->row);
	return SPATE_OK;
}

static void take_row(void *context, uint32_t y, const uint8_t *samples)
{
	picture *p = context;
	must(y < p->height);
	memcpy(p->row, samples, p->row_bytes);
	p->rows++;
}

// Chunks begin behind the 8 bytes of the mark: length, name, content, checksum.
static void seal(uint8_t *bytes, size_t size)
{
	for (size_t at = 8; at <= size && size - at >= 12;)
	{
		size_t length =
		    (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 | (size_t)bytes[at + 2] << 8 | bytes[at + 3];
		if (length > size - at - 12)
			return;
		uint8_t *end = bytes + at + 8 + length;
		uLong sum = crc32(0, bytes + at + 4, (uInt)(length + 4));
		for (int k = 0; k < 4; k++)
			end[k] = (uint8_t)(sum >> (24 - 8 * k));
		at += length + 12;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = mem_alloc(size + 1);
	must(bytes);
	memcpy(bytes, data, size);
	seal(bytes, size);
	memory_file file = memory_file_make(bytes, size);
	mem_free(bytes);
	for (int levels = 1; levels <= 2; levels++)
	{
		picture p = {.levels = levels};
		png_file_target target = {.levels = levels,
					  .most = MOST,
					  .too_large = "it is too large",
					  .begin = begin,
					  .row = take_row,
					  .context = &p};
		spate_error error = {0};
		if (png_file_read(&target, file.path, &error) == SPATE_OK)
			must(p.rows == p.height);
		else
			must(error.text[0] != 0);
		mem_free(p.row);
	}
	memory_file_close(&file);
	return 0;
}
