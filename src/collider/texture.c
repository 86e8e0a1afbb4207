#include "collider/texture.h"

#include "base/error.h"
#include "base/png_file.h"

#include <math.h>

enum
{
	MOST_TEXELS = 32768 // along a side
};

// State of reading a picture into a texture.
typedef struct reading
{
	texture *out;
	int channels;
} reading;

static spate_result begin_texture(void *context, uint32_t width, uint32_t height, int channels, spate_error *error)
{
	reading *r = context;
	size_t bytes = (size_t)width * height * sizeof *r->out->values;
	r->channels = channels;
	*r->out = (texture){(int)width, (int)height, mem_alloc(bytes)};
	return r->out->values ? SPATE_OK : error_memory(error, bytes);
}

// The value of a big-endian 16-bit sample. 8-bit levels arrive multiplied by 257.
static float level_at(const uint8_t *byte)
{
	return (float)(byte[0] << 8 | byte[1]) / 65535.0f;
}

static void take_row(void *context, uint32_t y, const uint8_t *byte)
{
	const reading *r = context;
	float *out = r->out->values + (size_t)y * (size_t)r->out->width;
	for (int k = 0; k < r->out->width; k++, byte += 2 * r->channels)
		out[k] = r->channels < 3 ? level_at(byte)
					 : texture_brightness(level_at(byte), level_at(byte + 2), level_at(byte + 4));
}

spate_result texture_read(texture *out, const char *path, spate_error *error)
{
	*out = (texture){0};
	reading r = {.out = out};
	const png_file_target target = {.levels = 2,
					.most = MOST_TEXELS,
					.too_large = "it has more than 32768 texels along a side",
					.begin = begin_texture,
					.row = take_row,
					.context = &r};
	spate_result result = png_file_read(&target, path, error);
	if (result != SPATE_OK)
		texture_free(out);
	return result;
}

void texture_free(texture *t)
{
	mem_free(t->values);
	*t = (texture){0};
}

// The two texels around a coordinate between 0 and 1 on a side of `count` texels. Returns the weight of the second.
static float split(float place, int count, int *first, int *second)
{
	float x = place * (float)count - 0.5f, whole = floorf(x);
	int k = (int)whole;
	*first = k < 0 ? k + count : k >= count ? k - count : k;
	*second = *first + 1 < count ? *first + 1 : 0;
	return x - whole;
}

float texture_at(const texture *t, float u, float v)
{
	u -= floorf(u);
	v -= floorf(v);
	if (!(u >= 0.0f && u <= 1.0f && v >= 0.0f && v <= 1.0f))
		return 0.0f;
	int left, right, top, bottom;
	float across = split(u, t->width, &left, &right), down = split(1.0f - v, t->height, &top, &bottom);
	const float *high = t->values + (size_t)top * (size_t)t->width,
		    *low = t->values + (size_t)bottom * (size_t)t->width;
	float a = high[left] + across * (high[right] - high[left]), b = low[left] + across * (low[right] - low[left]);
	return a + down * (b - a);
}
