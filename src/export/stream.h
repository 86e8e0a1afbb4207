// A file that is written in pieces and appears as a whole or not at all. The first failure is remembered and reported
// at the end.
#ifndef EXPORT_STREAM_H
#define EXPORT_STREAM_H

#include "base/file.h"

typedef struct stream
{
	file_writer file;
	char *buffer;
	size_t used;
	spate_result result; // of the first call that failed
	spate_error *error;
	const char *note; // for the comment in the file; "" for none
} stream;

void stream_open(stream *s, const char *path, spate_error *error);
// Ends the file with a failure, which stream_close() reports.
void stream_fail(stream *s, spate_result result);
void stream_bytes(stream *s, const void *data, size_t bytes);
// Short texts only: at most a few hundred bytes.
void stream_text(stream *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum
{
	STREAM_NUMBER = 48 // characters of a number, with the zero at its end
};
// A decimal that reads back as the same bits, with a point in every locale. Returns its length.
size_t stream_print(char out[STREAM_NUMBER], float value);
// Writes a blank and such a decimal.
void stream_number(stream *s, float value);
// Writes a decimal of 15 digits.
void stream_double(stream *s, double value);
void stream_u8(stream *s, uint32_t value);
// Little endian.
void stream_u32(stream *s, uint32_t value);
void stream_u64(stream *s, uint64_t value);
void stream_float(stream *s, float value);
// Big endian.
void stream_u32_big(stream *s, uint32_t value);
void stream_float_big(stream *s, float value);
// Makes the file appear under its name, or reports the first failure.
spate_result stream_close(stream *s);

#endif
