// Images, PNG, font, colour maps, ticks and plots.
#include "check.h"

#include "render/colormap.h"
#include "render/font.h"
#include "render/plot.h"
#include "render/ticks.h"

#include <unistd.h>

static char folder[] = "/tmp/spate_image_XXXXXX";
static char path[256];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/picture.png", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder); // fails when a temporary file was left behind
}

static void test_png_round_trip(void **state)
{
	(void)state;
	for (int opaque = 0; opaque < 2; opaque++)
	{
		image a, b;
		check_ok(image_init(&a, 37, 23, NULL));
		for (int k = 0; k < 37 * 23; k++)
			for (int c = 0; c < 4; c++)
				a.pixels[4 * k + c] =
				    (uint8_t)(c == 3 && opaque ? 255 : (k * 7 + c * 61 + k / 37) % 256);
		check_ok(image_write_png(&a, path, NULL));
		check_ok(image_read_png(&b, path, NULL));
		assert_int_equal(b.width, 37);
		assert_int_equal(b.height, 23);
		assert_memory_equal(a.pixels, b.pixels, 4 * 37 * 23);
		image_free(&a);
		image_free(&b);
	}
}

static void test_png_errors(void **state)
{
	(void)state;
	image a = {0}, b;
	spate_error error = {0};
	check_result(image_init(&a, 0, 5, &error), SPATE_INVALID);
	check_ok(image_init(&a, 4, 4, NULL));
	check_result(image_write_png(&a, "/nonexistent/folder/x.png", &error), SPATE_IO);
	assert_non_null(strstr(error.text, "/nonexistent/folder/x.png"));
	check_result(image_read_png(&b, "/nonexistent/x.png", &error), SPATE_IO);
	FILE *file = fopen(path, "wb");
	fputs("this is no picture", file);
	fclose(file);
	check_result(image_read_png(&b, path, &error), SPATE_FORMAT);

	// a picture cut short, and every failing allocation
	byte_array bytes = {0};
	check_ok(image_encode_png(&a, &bytes, NULL));
	file = fopen(path, "wb");
	fwrite(bytes.data, 1, bytes.count - 20, file);
	fclose(file);
	check_result(image_read_png(&b, path, &error), SPATE_FORMAT);
	array_free(&bytes);
	uint64_t blocks = mem_get_stats().blocks;
	spate_result result = SPATE_MEMORY;
	for (uint64_t n = 1; n < 50 && result != SPATE_OK; n++)
	{
		mem_fail_at(n);
		result = image_write_png(&a, path, NULL);
		mem_fail_at(0);
		assert_int_equal(mem_get_stats().blocks, blocks);
	}
	check_ok(result);

	// the same for reading; what libpng misses is its own sentence
	result = SPATE_MEMORY;
	for (uint64_t n = 1; n < 50 && result != SPATE_OK; n++)
	{
		mem_fail_at(n);
		result = image_read_png(&b, path, NULL);
		mem_fail_at(0);
		if (result != SPATE_OK && result != SPATE_FORMAT)
			check_result(result, SPATE_MEMORY);
		assert_int_equal(mem_get_stats().blocks, blocks + (result == SPATE_OK));
	}
	check_ok(result);
	assert_memory_equal(a.pixels, b.pixels, 4 * 4 * 4);
	image_free(&b);
	image_free(&a);
}

static void test_srgb(void **state)
{
	(void)state;
	srgb_table table;
	srgb_table_init(&table);
	for (int level = 0; level < 256; level++)
		assert_int_equal(srgb_table_level(&table, srgb_decode((float)level / 255.0f)), level);
	assert_int_equal(srgb_table_level(&table, NAN), 0);
	assert_int_equal(srgb_table_level(&table, 7.0f), 255);
	// half the light is stored as 188, not as 128
	image a;
	check_ok(image_init(&a, 1, 1, NULL));
	image_fill(&a, (vec4){0, 0, 0, 1});
	image_blend(&a, 0, 0, (vec4){1, 1, 1, 0.5f}, 1.0f);
	assert_int_equal(a.pixels[0], 188);
	image_blend(&a, -1, 0, (vec4){1, 1, 1, 1}, 1.0f);
	image_blend(&a, 0, 1, (vec4){1, 1, 1, 1}, 1.0f);
	assert_int_equal(a.pixels[0], 188);
	image_free(&a);
}

static uint64_t dots_of(uint32_t code)
{
	uint64_t dots = 0;
	for (int k = 0; k < FONT_COLUMNS * FONT_ROWS; k++)
		dots |= (uint64_t)font_dot(code, k % FONT_COLUMNS, k / FONT_COLUMNS) << k;
	return dots;
}

static void test_font_covers_ascii(void **state)
{
	(void)state;
	assert_int_equal(dots_of(' '), 0);
	for (uint32_t a = '!'; a <= '~'; a++)
	{
		assert_true(dots_of(a) != 0);
		for (uint32_t b = a + 1; b <= '~'; b++)
			if (dots_of(a) == dots_of(b))
				fail_msg("'%c' and '%c' look the same", (char)a, (char)b);
	}
	assert_true(dots_of(0x4e2d) == dots_of('?'));
	assert_true(dots_of(0xb2) != dots_of('?')); // superscript two
	assert_int_equal(font_width("ab\nabc", 2), 2 * (3 * FONT_ADVANCE - 1));
	assert_int_equal(font_width("m\xc2\xb3", 1), 2 * FONT_ADVANCE - 1);
	assert_int_equal(font_width("", 1), 0);
	// a text cut inside a character ends there
	assert_int_equal(font_width("\xe2\x82", 1), FONT_ADVANCE - 1);
}

static void test_colour_maps(void **state)
{
	(void)state;
	for (int map = 0; map < COLORMAP_COUNT; map++)
	{
		assert_int_equal(colormap_find(colormap_name((colormap)map)), map);
		vec3 table[COLORMAP_TABLE + 1], low = colormap_sample((colormap)map, -3.0f),
						first = colormap_sample((colormap)map, 0.0f);
		check_near((double)vec3_length(vec3_sub(low, first)), 0.0, 0.0);
		colormap_table((colormap)map, table);
		for (int k = 0; k + 1 < COLORMAP_TABLE; k++)
			assert_true(vec3_length(vec3_sub(table[k], table[k + 1])) < 0.02f);
	}
	assert_int_equal(colormap_find("nothing"), -1);
	assert_int_equal(colormap_index(5.0f, 0.0f, 10.0f), (int)(0.5f * (COLORMAP_TABLE - 1) + 0.5f));
	assert_int_equal(colormap_index(NAN, 0.0f, 10.0f), COLORMAP_TABLE);
	assert_int_equal(colormap_index(INFINITY, 0.0f, 10.0f), COLORMAP_TABLE - 1);
	assert_int_equal(colormap_index(1.0f, 3.0f, 3.0f), 0);
}

static int has_pixel(const image *picture, int y, uint32_t rrggbb)
{
	for (int x = 0; x < picture->width; x++)
	{
		const uint8_t *p = picture->pixels + 4 * (y * picture->width + x);
		if (((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]) == rrggbb)
			return 1;
	}
	return 0;
}

// Without a heading the bar is centred; high values are on top.
static void test_legend(void **state)
{
	(void)state;
	image picture;
	const int middle = 80, height = 100, top = middle - height / 2, bottom = top + height - 1;
	check_ok(image_init(&picture, 200, 160, NULL));
	colormap_draw_legend(&picture, COLORMAP_VIRIDIS, 0.0f, 1.0f, NULL, NULL, 190, middle, height, 1);
	assert_true(has_pixel(&picture, top, 0xfde725));
	assert_true(has_pixel(&picture, bottom, 0x440154));
	assert_false(has_pixel(&picture, top, 0x440154));
	assert_false(has_pixel(&picture, bottom, 0xfde725));
	assert_false(has_pixel(&picture, top - 1, 0xfde725));
	image_free(&picture);
}

static void test_ticks(void **state)
{
	(void)state;
	ticks a = ticks_make(0.0, 1.0, 5);
	check_near(a.step, 0.2, 1e-15);
	assert_int_equal(a.count, 6);
	check_near(a.value[5], 1.0, 1e-15);
	char text[32];
	ticks_label(&a, 3, text, sizeof text);
	assert_string_equal(text, "0.6");
	a = ticks_make(-7.3, 12.1, 5);
	check_near(a.step, 5.0, 1e-12);
	assert_int_equal(a.count, 4);
	ticks_label(&a, 0, text, sizeof text);
	assert_string_equal(text, "-5");
	a = ticks_make(2.0e6, 9.0e6, 7);
	ticks_label(&a, 1, text, sizeof text);
	assert_string_equal(text, "3e+06");
	assert_int_equal(ticks_make(1.0, 1.0, 5).count, 0);
	assert_int_equal(ticks_make(0.0, INFINITY, 5).count, 0);
	assert_int_equal(ticks_make(NAN, 1.0, 5).count, 0);
	// a step is always 1, 2 or 5 times a power of ten, and never more steps than asked for
	for (double length = 1e-7; length < 1e9; length *= 1.37)
	{
		ticks t = ticks_make(0.3 * length, 1.3 * length, 6);
		double lead = t.step / pow(10.0, floor(log10(t.step) + 1e-9));
		if (!(fabs(lead - 1) < 1e-6 || fabs(lead - 2) < 1e-6 || fabs(lead - 5) < 1e-6))
			fail_msg("step %g has leading digit %g", t.step, lead);
		assert_in_range(t.count, 2, 7);
	}
}

static void test_plot(void **state)
{
	(void)state;
	double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, NAN, 9, 16}, flat[] = {2, 2, 2, 2, 2},
	       wild[] = {1e300, -1e300, INFINITY, 0, 1};
	plot_series series[] = {{.name = "squares", .x = x, .y = y, .count = 5, .colour = 0xff0000, .markers = 1},
				{.name = "flat", .x = x, .y = flat, .count = 5, .colour = 0x00ff00}};
	plot_settings settings = plot_default_settings();
	settings.title = "Squares";
	settings.x_label = "x";
	settings.y_label = "y (m\xc2\xb2)";
	image out = {0};
	check_ok(plot_draw(&settings, series, 2, &out, NULL));
	int red = 0, green = 0;
	for (int k = 0; k < out.width * out.height; k++)
	{
		const uint8_t *p = out.pixels + 4 * k;
		red += p[0] == 255 && p[1] == 0 && p[2] == 0;
		green += p[1] == 255 && p[0] == 0 && p[2] == 0;
	}
	// lines 2.8 pixels wide across about 880 x 500; the red one is broken by the NaN
	assert_in_range(red, 400, 3000);
	assert_in_range(green, 1000, 3500);

	// nothing, one point, values beyond all bounds
	check_ok(plot_draw(&settings, NULL, 0, &out, NULL));
	series[0].count = 1;
	check_ok(plot_draw(&settings, series, 1, &out, NULL));
	series[0].y = wild;
	series[0].count = 5;
	check_ok(plot_draw(&settings, series, 1, &out, NULL));
	settings.has_y_range = 1;
	settings.y_high = 1.0;
	check_ok(plot_draw(&settings, series, 1, &out, NULL));
	settings.width = 10;
	check_result(plot_draw(&settings, series, 1, &out, NULL), SPATE_INVALID);
	image_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_png_round_trip), cmocka_unit_test(test_png_errors),
	    cmocka_unit_test(test_srgb),           cmocka_unit_test(test_font_covers_ascii),
	    cmocka_unit_test(test_colour_maps),    cmocka_unit_test(test_ticks),
	    cmocka_unit_test(test_plot),           cmocka_unit_test(test_legend),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
