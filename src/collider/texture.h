// A texture of scalars, looked up by UV. u points right and v points up, as in modelling programs; outside 0 to 1 the texture
// repeats.
#ifndef COLLIDER_TEXTURE_H
#define COLLIDER_TEXTURE_H

#include "spate/result.h"

typedef struct texture
{
	int width, height;
	float *values; // top row first
} texture;

// Reads any PNG. Stored levels are read linearly, black 0 and white 1, without gamma: 50 percent grey is 0.5. Colours are converted to
// luminance, 0.2126 red + 0.7152 green + 0.0722 blue; alpha is ignored. `out` is initialised by the call.
spate_result texture_read(texture *out, const char *path, spate_error *error);
void texture_free(texture *t);

// Bilinear interpolation between texel centres.
float texture_at(const texture *t, float u, float v);

// 0.2126 red + 0.7152 green + 0.0722 blue.
static inline float texture_brightness(float red, float green, float blue)
{
	return 0.2126f * red + 0.7152f * green + 0.0722f * blue;
}

#endif
