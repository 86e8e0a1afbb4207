#include "base/bytes.h"

void bytes_put(byte_writer *to, const void *data, size_t size)
{
	size_t need = to->bytes.count + size, capacity = to->bytes.capacity;
	if (to->missing == 0 && need > capacity && !array_reserve(&to->bytes, need + capacity / 2))
		to->missing = need;
	if (to->missing > 0 || size == 0)
		return;
	memcpy(to->bytes.data + to->bytes.count, data, size);
	to->bytes.count = need;
}

void bytes_put_u32(byte_writer *to, uint32_t value)
{
	bytes_put(to, &value, sizeof value);
}

void bytes_put_u64(byte_writer *to, uint64_t value)
{
	bytes_put(to, &value, sizeof value);
}

void bytes_put_double(byte_writer *to, double value)
{
	bytes_put(to, &value, sizeof value);
}

void bytes_put_text(byte_writer *to, const char *text)
{
	uint8_t length = (uint8_t)strnlen(text, 255);
	bytes_put(to, &length, 1);
	bytes_put(to, text, length);
}

int bytes_get(byte_reader *from, void *out, size_t size)
{
	if (size > from->left || from->ran_out)
	{
		from->ran_out = 1;
		memset(out, 0, size);
		return 0;
	}
	if (size > 0)
		memcpy(out, from->at, size);
	from->at += size;
	from->left -= size;
	return 1;
}

uint32_t bytes_get_u32(byte_reader *from)
{
	uint32_t value;
	bytes_get(from, &value, sizeof value);
	return value;
}

uint64_t bytes_get_u64(byte_reader *from)
{
	uint64_t value;
	bytes_get(from, &value, sizeof value);
	return value;
}

double bytes_get_double(byte_reader *from)
{
	double value;
	bytes_get(from, &value, sizeof value);
	return value;
}

void bytes_get_text(byte_reader *from, char out[256])
{
	uint8_t length;
	memset(out, 0, 256);
	if (bytes_get(from, &length, 1))
		bytes_get(from, out, length);
}

void bytes_put_fields(byte_writer *to, const byte_field *fields, size_t count, const void *from)
{
	for (size_t f = 0; f < count; f++)
		bytes_put(to, (const char *)from + fields[f].offset, fields[f].size);
}

void bytes_get_fields(byte_reader *from, const byte_field *fields, size_t count, void *to)
{
	for (size_t f = 0; f < count; f++)
		bytes_get(from, (char *)to + fields[f].offset, fields[f].size);
}
