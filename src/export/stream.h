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
void stream_bytes(stream *s, const void *data, size_t bytes);
// Short texts only: at most a few hundred bytes.
void stream_text(stream *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Writes a blank and a decimal that reads back as the same bits, with a point in every locale.
void stream_number(stream *s, float value);
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
