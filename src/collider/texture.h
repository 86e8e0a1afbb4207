// A picture as numbers: one value per texel, looked up by UV. u runs to the right and v up, as in modelling programs; outside of 0 to 1 the
// picture repeats.
#ifndef COLLIDER_TEXTURE_H
#define COLLIDER_TEXTURE_H

#include "spate/result.h"

typedef struct texture
{
	int width, height;
	float *values; // top row first
} texture;

// Any PNG. Levels are taken as they are stored, black 0 and white 1, with no gamma between: a number that was painted as half is half. Of
// colours it is the brightness, 0.2126 red + 0.7152 green + 0.0722 blue; alpha is left out. `out` is initialised by the call.
spate_result texture_read(texture *out, const char *path, spate_error *error);
void texture_free(texture *t);

// Between the middles of texels values run linearly in both directions.
float texture_at(const texture *t, float u, float v);

// 0.2126 red + 0.7152 green + 0.0722 blue.
static inline float texture_brightness(float red, float green, float blue)
{
	return 0.2126f * red + 0.7152f * green + 0.0722f * blue;
}

#endif
