// Pictures as numbers: every kind of PNG, and what lies between texels.
#define _GNU_SOURCE
#include "check.h"
#include "scratch.h"

#include "cache/grey_file.h"
#include "collider/texture.h"

#include <png.h>

// Writes samples as they are stored: rows of bytes.
static void write_png(const char *path, int width, int height, int depth, int type, int interlaced,
		      const png_byte *bytes, size_t row_bytes, const png_color *palette, int colours)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	assert_non_null(info);
	if (setjmp(png_jmpbuf(png)))
		fail_msg("libpng cannot write %s", path);
	png_init_io(png, file);
	png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, depth, type,
		     interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
		     PNG_FILTER_TYPE_DEFAULT);
	if (palette)
		png_set_PLTE(png, info, palette, colours);
	// a gamma that a reader of light would apply
	png_set_gAMA(png, info, 0.45455);
	png_write_info(png, info);
	int passes = interlaced ? png_set_interlace_handling(png) : 1;
	for (int pass = 0; pass < passes; pass++)
		for (int y = 0; y < height; y++)
			png_write_row(png, bytes + (size_t)y * row_bytes);
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	fclose(file);
}

static texture read_well(const char *path)
{
	texture t;
	spate_error error = {0};
	if (texture_read(&t, path, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return t;
}

static void every_kind_of_png(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "a.png");
	static const png_byte grey8[4] = {0, 51, 128, 255}, grey1[2] = {0x40, 0x80}, grey4[2] = {0x05, 0xaf},
			      grey16[8] = {0, 0, 0, 1, 0x80, 0, 0xff, 0xff},
			      rgb[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255},
			      alpha[8] = {255, 0, 51, 128, 102, 255, 0, 7}, indices[4] = {2, 0, 1, 2};
	static const png_color palette[3] = {{0, 0, 0}, {255, 255, 255}, {0, 255, 0}};
	const struct
	{
		int depth, type;
		const png_byte *bytes;
		size_t row;
		double expected[4];
	} kinds[] = {{8, PNG_COLOR_TYPE_GRAY, grey8, 2, {0, 0.2, 128 / 255.0, 1}},
		     {1, PNG_COLOR_TYPE_GRAY, grey1, 1, {0, 1, 1, 0}},
		     {4, PNG_COLOR_TYPE_GRAY, grey4, 1, {0, 5 / 15.0, 10 / 15.0, 1}},
		     {16, PNG_COLOR_TYPE_GRAY, grey16, 4, {0, 1 / 65535.0, 32768 / 65535.0, 1}},
		     {8, PNG_COLOR_TYPE_RGB, rgb, 6, {0.2126, 0.7152, 0.0722, 1}},
		     {8, PNG_COLOR_TYPE_GRAY_ALPHA, alpha, 4, {1, 0.2, 0.4, 0}},
		     {8, PNG_COLOR_TYPE_PALETTE, indices, 2, {0.7152, 0, 1, 0.7152}}};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (int interlaced = 0; interlaced < 2; interlaced++)
		{
			int is_palette = kinds[k].type == PNG_COLOR_TYPE_PALETTE;
			write_png(path, 2, 2, kinds[k].depth, kinds[k].type, interlaced, kinds[k].bytes, kinds[k].row,
				  is_palette ? palette : NULL, 3);
			texture t = read_well(path);
			assert_int_equal(t.width, 2);
			assert_int_equal(t.height, 2);
			for (int v = 0; v < 4; v++)
				check_near((double)t.values[v], kinds[k].expected[v], 1e-7);
			texture_free(&t);
		}
	scratch_remove(&s);
}

static void values_run_linearly_and_repeat(void **state)
{
	(void)state;
	// v = 1 is the first row
	float values[6] = {0, 1, 2, 10, 11, 12};
	texture t = {3, 2, values};
	check_near((double)texture_at(&t, 0.5f / 3, 0.75f), 0, 1e-6);
	check_near((double)texture_at(&t, 2.5f / 3, 0.25f), 12, 1e-6);
	check_near((double)texture_at(&t, 1.0f / 3, 0.75f), 0.5, 1e-6);
	check_near((double)texture_at(&t, 0.5f, 0.5f), 6, 1e-6);
	// across the border: the mean of the first and the last
	check_near((double)texture_at(&t, 0.0f, 0.25f), 11, 1e-6);
	check_near((double)texture_at(&t, 1.0f, 0.25f), 11, 1e-6);
	check_near((double)texture_at(&t, 0.5f, 0.0f), 6, 1e-6);
	check_near((double)texture_at(&t, 0.5f, 1.0f), 6, 1e-6);
	for (int k = -3; k <= 3; k++)
		check_near((double)texture_at(&t, 0.4f + (float)k, 0.3f - (float)k), (double)texture_at(&t, 0.4f, 0.3f),
			   1e-4);
	check_near((double)texture_at(&t, NAN, 0.5f), 0, 0);
	check_near((double)texture_at(&t, INFINITY, 0.5f), 0, 0);
	check_near((double)texture_at(&t, -1e-9f, 1e30f), (double)texture_at(&t, 0, 0), 1e-5);
}

static void what_is_written_comes_back(void **state)
{
	(void)state;
	scratch s = scratch_make();
	const char *path = scratch_file(&s, "b.png");
	const float values[6] = {0.0f, 0.25f, 1.0f, -3.0f, 7.0f, 0.123456f};
	check_ok(grey_file_write(path, SPATE_IMAGE_PNG, values, 3, 2, NULL));
	texture t = read_well(path);
	// the bottom row was first
	const double expected[6] = {0, 1, 0.123456, 0, 0.25, 1};
	for (int k = 0; k < 6; k++)
		check_near((double)t.values[k], expected[k], 0.5 / 65535 + 1e-7);
	texture_free(&t);
	scratch_remove(&s);
}

static void bad_files_get_one_sentence(void **state)
{
	(void)state;
	scratch s = scratch_make();
	texture t;
	spate_error error = {0};
	const char *path = scratch_file(&s, "none.png");
	check_result(texture_read(&t, path, &error), SPATE_MISSING);
	assert_non_null(strstr(error.text, "none.png"));
	FILE *file = fopen(scratch_file(&s, "text.png"), "w");
	fputs("no picture at all", file);
	fclose(file);
	check_result(texture_read(&t, scratch_file(&s, "text.png"), &error), SPATE_FORMAT);
	assert_non_null(strstr(error.text, "text.png is not a readable PNG: "));
	assert_null(t.values);
	// cut off anywhere, it is refused
	const float values[4] = {0, 0.3f, 0.7f, 1};
	path = scratch_file(&s, "cut.png");
	check_ok(grey_file_write(path, SPATE_IMAGE_PNG, values, 2, 2, NULL));
	char bytes[1024];
	file = fopen(path, "rb");
	size_t size = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	for (size_t kept = 0; kept + 12 < size; kept += 7)
	{
		file = fopen(path, "wb");
		fwrite(bytes, 1, kept, file);
		fclose(file);
		check_result(texture_read(&t, path, &error), SPATE_FORMAT);
		assert_null(t.values);
	}
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_kind_of_png),
	    cmocka_unit_test(values_run_linearly_and_repeat),
	    cmocka_unit_test(what_is_written_comes_back),
	    cmocka_unit_test(bad_files_get_one_sentence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
