// Bytes of a file that a test makes itself, with numbers in either order.
#ifndef TESTS_BYTES_H
#define TESTS_BYTES_H

#include "check.h"

typedef struct file_bytes
{
	char data[4096];
	size_t count;
	int big; // the highest byte of a number first
} file_bytes;

static inline void put_text(file_bytes *b, const char *text)
{
	size_t length = strlen(text);
	assert_true(length <= sizeof b->data - b->count);
	memcpy(b->data + b->count, text, length);
	b->count += length;
}

// The lowest `size` bytes, in the order of the file.
static inline void put_bits(file_bytes *b, uint64_t bits, size_t size)
{
	assert_true(size <= sizeof b->data - b->count);
	for (size_t i = 0; i < size; i++)
		b->data[b->count++] = (char)(bits >> 8 * (b->big ? size - 1 - i : i));
}

static inline void put_float(file_bytes *b, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	put_bits(b, bits, 4);
}

static inline void put_double(file_bytes *b, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	put_bits(b, bits, 8);
}

#endif
