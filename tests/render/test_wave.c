// A wave in a glass box with a ball in it, as a picture to look at: SPATE_PICTURE=wave.png
// build/tests/render_test_wave. Without the variable a smaller one is drawn and only its gross contents are checked.
#include "check.h"

#include "render/preview.h"

typedef struct wave
{
	float *positions, *velocities; // four floats each
	size_t count;
	float spacing; // m
} wave;

static float surface_height(float x, float z)
{
	float crest = (x - 0.45f - 0.1f * sinf(4.0f * z)) / 0.28f;
	return 0.28f + 0.42f * expf(-crest * crest) + 0.04f * sinf(9.0f * x + 2.0f * z) +
	       0.02f * sinf(17.0f * z - 3.0f * x);
}

static wave make_wave(size_t most)
{
	wave w = {.spacing = cbrtf(0.8f / (float)most)};
	w.positions = calloc(most, 4 * sizeof(float));
	w.velocities = calloc(most, 4 * sizeof(float));
	uint32_t seed = 1;
	for (float x = 0.5f * w.spacing; x < 2.0f; x += w.spacing)
		for (float z = 0.5f * w.spacing; z < 1.0f; z += w.spacing)
			for (float y = 0.5f * w.spacing; y < surface_height(x, z) && w.count < most; y += w.spacing)
			{
				float p[3] = {x, y, z}, off[3] = {x - 1.35f, y - 0.25f, z - 0.5f};
				if (off[0] * off[0] + off[1] * off[1] + off[2] * off[2] < 0.22f * 0.22f)
					continue;
				for (int c = 0; c < 3; c++)
				{
					seed = seed * 1664525u + 1013904223u;
					w.positions[4 * w.count + (size_t)c] =
					    p[c] + 0.3f * w.spacing * ((float)(seed >> 8) / 16777216.0f - 0.5f);
				}
				w.velocities[4 * w.count] = 2.0f * y;
				w.velocities[4 * w.count + 1] = 0.5f * cosf(9.0f * x);
				w.count++;
			}
	return w;
}

static void test_wave(void **state)
{
	(void)state;
	const char *path = getenv("SPATE_PICTURE");
	wave w = make_wave(path ? 200000 : 20000);
	draw_shape shapes[] = {
	    {.type = DRAW_BOX, .b = {2, 1, 1}, .container = 1, .colour = {1, 1, 1}},
	    {.type = DRAW_SPHERE, .a = {1.35f, 0.25f, 0.5f}, .radius = 0.22f, .colour = {0.7f, 0.32f, 0.10f}},
	};
	float radius = 0.5f * w.spacing;
	vec3 blue = colour_from_hex(0x3b82c4);
	preview_input input = {.positions = w.positions,
			       .stride = 4,
			       .count = w.count,
			       .scalar = w.velocities,
			       .scalar_stride = 4,
			       .scalar_components = 3,
			       .radii = &radius,
			       .colours = &blue,
			       .fluids = 1,
			       .shapes = shapes,
			       .shape_count = 2};
	preview_settings settings = preview_default_settings();
	settings.bounds_min = vec3_make(0, 0, 0);
	settings.bounds_max = vec3_make(2, 1, 1);
	settings.label = "frame 42   1.75 s";
	if (!path)
	{
		settings.width = 320;
		settings.height = 180;
	}
	image picture = {0};
	check_ok(preview_frame(&settings, &input, &picture, NULL));

	// the liquid fills a good part of the picture and is blue, the ball is orange, nothing is black or burnt out
	int blues = 0, oranges = 0, extremes = 0, pixels = picture.width * picture.height;
	for (int k = 0; k < pixels; k++)
	{
		const uint8_t *p = picture.pixels + 4 * k;
		blues += p[2] > p[0] + 50;
		oranges += p[0] > p[2] + 50;
		extremes += (p[0] == 255 && p[1] == 255 && p[2] == 255) || p[0] + p[1] + p[2] == 0;
	}
	check_near((double)blues / pixels, 0.25, 0.10);
	check_near((double)oranges / pixels, 0.013, 0.007);
	assert_in_range(extremes, 0, pixels / 100);
	if (path)
		check_ok(image_write_png(&picture, path, NULL));
	image_free(&picture);
	free(w.positions);
	free(w.velocities);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_wave)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
