// Interfaces in the plane.
#include "interface_check.h"
#include "particle_sets.h"

#include "base/file.h"
#include "surface/chromatic_lines.h"

#include <unistd.h>

#ifndef SPATE_QHULL
int main(void)
{
	return skip_program_without("QHULL");
}
#else

static const uint32_t plane = 2;

static chromatic_lines lines_of(const particle_set *set, chromatic_points *points)
{
	chromatic_lines lines;
	check_ok(chromatic_select(&set->input, points, NULL));
	check_ok(chromatic_contour_lines(points, &lines, NULL));
	return lines;
}

// Area of a fluid; each of its vertices is left as often as it is reached.
static double area_of(const chromatic_lines *l, uint8_t fluid)
{
	double area = 0.0;
	int *balance = mem_calloc(l->vertex_count, sizeof *balance);
	for (uint32_t s = 0; s < l->segment_count; s++)
	{
		uint32_t a = l->segments[2 * s], b = l->segments[2 * s + 1];
		assert_true(l->sides[s][0] > l->sides[s][1]);
		if (l->sides[s][0] != fluid && l->sides[s][1] != fluid)
			continue;
		double turn = l->sides[s][0] == fluid ? 0.5 : -0.5;
		const float *p = l->positions + 2 * a, *q = l->positions + 2 * b;
		area += turn * ((double)p[0] * q[1] - (double)p[1] * q[0]);
		balance[a] += turn > 0 ? 1 : -1;
		balance[b] -= turn > 0 ? 1 : -1;
	}
	for (uint32_t v = 0; v < l->vertex_count; v++)
		assert_int_equal(balance[v], 0);
	mem_free(balance);
	return area;
}

// Lines use every segment once, in its direction and with its sides.
static void check_chains(const chromatic_lines *l)
{
	key_map segments = {0};
	uint32_t used = 0;
	for (uint32_t s = 0; s < l->segment_count; s++)
		assert_non_null(key_map_put(&segments, l->segments[2 * s], l->segments[2 * s + 1], 0, s));
	assert_int_equal(segments.count, l->segment_count);
	for (uint32_t n = 0; n < l->line_count; n++)
	{
		const chromatic_line *line = &l->lines[n];
		for (uint32_t k = 0; k + 1 < line->count; k++)
		{
			const uint32_t *v = l->order + line->first + k;
			uint32_t s = *key_map_put(&segments, v[0], v[1], 0, l->segment_count);
			assert_true(s < l->segment_count);
			assert_memory_equal(l->sides[s], line->sides, 2);
			used++;
		}
	}
	assert_int_equal(used, l->segment_count);
	key_map_free(&segments);
}

static void test_disc_in_disc(void **state)
{
	(void)state;
	particle_set set = particle_set_make(2, 60, 0.15f, drop_in_drop, &plane);
	chromatic_points points;
	chromatic_lines lines = lines_of(&set, &points);
	check_chains(&lines);
	// two closed lines
	assert_int_equal(lines.line_count, 2);
	for (int n = 0; n < 2; n++)
	{
		const chromatic_line *line = &lines.lines[n];
		assert_int_equal(lines.order[line->first], lines.order[line->first + line->count - 1]);
	}
	double inner = area_of(&lines, 2), outer = area_of(&lines, 1);
	check_near(inner, 3.14159265 * 0.0625, 0.01);
	check_near(inner + outer, 3.14159265 * 0.2025, 0.015);
	chromatic_lines_free(&lines);
	chromatic_points_free(&points);
	particle_set_free(&set);
}

// The smooth interface function takes a third off the error of a circle.
static void test_smooth(void **state)
{
	(void)state;
	double error[2] = {0};
	for (int smooth = 0; smooth < 2; smooth++)
	{
		particle_set set = particle_set_make(2, 60, 0.15f, drop_in_drop, &plane);
		set.input.smooth = smooth;
		chromatic_points points;
		chromatic_lines lines = lines_of(&set, &points);
		uint32_t count = 0;
		for (uint32_t s = 0; s < lines.segment_count; s++)
		{
			const float *p = lines.positions + 2 * lines.segments[2 * s];
			if (lines.sides[s][1] != 1)
				continue;
			error[smooth] += pow(hypot(p[0] - 0.5, p[1] - 0.5) - 0.25, 2.0);
			count++;
		}
		error[smooth] = sqrt(error[smooth] / count);
		check_near(area_of(&lines, 2), 3.14159265 * 0.0625, 0.01);
		chromatic_lines_free(&lines);
		chromatic_points_free(&points);
		particle_set_free(&set);
	}
	// in spacings
	check_near(60.0 * error[0], 0.27, 0.05);
	if (!(error[1] < 0.7 * error[0]))
		fail_msg("smooth lines are off by %g, plain ones by %g", error[1], error[0]);
}

static void test_sectors(void **state)
{
	(void)state;
	particle_set set = particle_set_make(2, 40, 0.15f, sectors, NULL);
	chromatic_points points;
	chromatic_lines lines = lines_of(&set, &points);
	check_chains(&lines);
	// from the middle to three places on the rim, and the rim between them
	assert_int_equal(lines.line_count, 6);
	assert_int_equal(lines.cases[CHROMATIC_1_1_1_1], 4);
	check_near(area_of(&lines, 1) + area_of(&lines, 2) + area_of(&lines, 3), 1.0, 0.02);
	chromatic_lines_free(&lines);
	chromatic_points_free(&points);
	particle_set_free(&set);
}

// A square of four points in air: the cut is half way.
static void test_exact(void **state)
{
	(void)state;
	chromatic_points points = {.dimension = 2, .spacing = 1.0};
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 4; x++)
		{
			int inside = x % 3 != 0 && y % 3 != 0;
			assert_true(
			    chromatic_points_add(&points, (const double[]){x, y}, inside ? 3 : 0, 0.5f, 0.5f, 0));
		}
	chromatic_lines lines;
	check_ok(chromatic_contour_lines(&points, &lines, NULL));
	// unit square and half a cell around it, corners cut
	double area = area_of(&lines, 3);
	assert_int_equal(lines.line_count, 1);
	assert_true(area > 3.4999 && area < 4.0001);
	chromatic_lines_free(&lines);
	chromatic_points_free(&points);
}

static void test_svg(void **state)
{
	(void)state;
	char path[64];
	snprintf(path, sizeof path, "chromatic_lines_%06d.svg", (int)(getpid() % 1000000));
	particle_set set = particle_set_make(2, 20, 0.1f, sectors, NULL);
	chromatic_points points;
	chromatic_lines lines = lines_of(&set, &points);
	check_ok(chromatic_lines_write_svg(&lines, &points, 400.0, path, NULL));
	char *text;
	size_t bytes, paths = 0;
	check_ok(file_read(path, &text, &bytes, NULL));
	for (const char *p = text; (p = strstr(p, "<path")); p++)
		paths++;
	assert_int_equal(paths, 3 + lines.line_count);
	assert_non_null(strstr(text, "</svg>"));
	remove(path);
	mem_free(text);
	chromatic_lines_free(&lines);
	chromatic_points_free(&points);
	particle_set_free(&set);
}

static uint8_t blobs(const void *context, const float p[3])
{
	(void)context;
	float wave = 0.55f + 0.05f * sinf(9.0f * p[0]), r = hypotf(p[0] - 0.3f, p[1] - 0.3f);
	if (hypotf(p[0] - 0.7f, p[1] - 0.85f) < 0.08f)
		return 4;
	if (p[1] > wave)
		return 0;
	return r < 0.16f ? 3 : p[0] + 0.4f * p[1] > 0.75f ? 2 : 1;
}

// For docs/theory/interfaces.md: a picture of the method, made where SPATE_PICTURES names a directory.
static void draw_picture(void **state)
{
	(void)state;
	const char *directory = getenv("SPATE_PICTURES");
	char path[1024];
	snprintf(path, sizeof path, "%s/interfaces_plane.svg", directory);
	particle_set set = particle_set_make(2, 36, 0.15f, blobs, NULL);
	set.input.smooth = 1;
	chromatic_points points;
	chromatic_lines lines = lines_of(&set, &points);
	check_ok(chromatic_lines_write_svg(&lines, &points, 640.0, path, NULL));
	chromatic_lines_free(&lines);
	chromatic_points_free(&points);
	particle_set_free(&set);
}

static void test_memory(void **state)
{
	(void)state;
	particle_set set = particle_set_make(2, 8, 0.1f, sectors, NULL);
	set.input.smooth = 1;
	uint64_t blocks = mem_get_stats().blocks;
	for (uint64_t n = 1;; n++)
	{
		chromatic_points points;
		chromatic_lines lines = {0};
		mem_fail_at(n);
		spate_result result = chromatic_select(&set.input, &points, NULL);
		if (result == SPATE_OK)
			result = chromatic_contour_lines(&points, &lines, NULL);
		mem_fail_at(0);
		chromatic_lines_free(&lines);
		chromatic_points_free(&points);
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (result == SPATE_OK)
			break;
		check_result(result, SPATE_MEMORY);
	}
	particle_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_disc_in_disc), cmocka_unit_test(test_smooth), cmocka_unit_test(test_sectors),
	    cmocka_unit_test(test_exact),        cmocka_unit_test(test_svg),    cmocka_unit_test(test_memory),
	};
	const struct CMUnitTest pictures[] = {cmocka_unit_test(draw_picture)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	return failed || !getenv("SPATE_PICTURES") ? failed : cmocka_run_group_tests(pictures, NULL, NULL);
}
#endif
