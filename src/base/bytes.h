// Numbers as little-endian bytes, one after the other without padding: what state looks like outside memory.
//
// Neither side needs a check after every number. A writer that ran out of memory and a reader that ran out of bytes remember it, and a
// reader then gives zeros.
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "base/array.h"

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "bytes are little-endian and are written without swapping"
#endif

// All zero is an empty writer. Free it with array_free(&writer->bytes).
typedef struct byte_writer
{
	ARRAY(uint8_t) bytes;
	size_t missing; // bytes that there was no memory for, 0 for none
} byte_writer;

typedef struct byte_reader
{
	const uint8_t *at;
	size_t left;
	int ran_out;
} byte_reader;

void bytes_put(byte_writer *to, const void *data, size_t size);
void bytes_put_u32(byte_writer *to, uint32_t value);
void bytes_put_u64(byte_writer *to, uint64_t value);
void bytes_put_double(byte_writer *to, double value);
// At most 255 characters, with their number in front.
void bytes_put_text(byte_writer *to, const char *text);

// Returns 0 and clears `out` if fewer bytes are left.
int bytes_get(byte_reader *from, void *out, size_t size);
uint32_t bytes_get_u32(byte_reader *from);
uint64_t bytes_get_u64(byte_reader *from);
double bytes_get_double(byte_reader *from);
void bytes_get_text(byte_reader *from, char out[256]);

// Members of a struct in a table: 4 or 8 bytes each, of any number type.
typedef struct byte_field
{
	size_t offset, size;
} byte_field;

#define BYTE_FIELD(type, member)                                     \
	{                                                            \
		offsetof(type, member), sizeof((type *)NULL)->member \
	}

void bytes_put_fields(byte_writer *to, const byte_field *fields, size_t count, const void *from);
void bytes_get_fields(byte_reader *from, const byte_field *fields, size_t count, void *to);

#endif
