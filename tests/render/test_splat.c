// Spheres against the formulas of projection.
#include "check.h"

#include "base/parallel.h"
#include "render/splat.h"

enum
{
	WIDTH = 320,
	HEIGHT = 200
};

static float depth[WIDTH * HEIGHT], depth_other[WIDTH * HEIGHT];
static uint32_t id[WIDTH * HEIGHT], id_other[WIDTH * HEIGHT];

// Looks along -z from z = 5: depth of a point is 5 - z.
static camera front_camera(void)
{
	return (camera){.position = {0, 0, 5}, .target = {0, 0, 0}, .up = {0, 1, 0}, .fov = 40};
}

static spate_result render(const float *positions, size_t count, const float *radii, int kinds, const int32_t *kind,
			   int threads, float *depth_to, uint32_t *id_to)
{
	camera eye = front_camera();
	camera_view view = camera_look(&eye, WIDTH, HEIGHT);
	splat_spheres spheres = {positions, 3, count, radii, kinds, kind};
	splat_target target = {depth_to, id_to};
	arena scratch;
	arena_init(&scratch);
	spate_result result = splat_render(&view, &spheres, 0.0f, threads, &scratch, &target, NULL);
	arena_free(&scratch);
	return result;
}

// Depth of a sphere along the ray of a pixel in double, by the textbook formula; negative for a miss.
static double analytic_depth(double px, double py, const double centre[3], double radius)
{
	double a = 1.0 + px * px + py * py, b = px * centre[0] + py * centre[1] + centre[2];
	double c = centre[0] * centre[0] + centre[1] * centre[1] + centre[2] * centre[2] - radius * radius;
	double square = b * b - a * c;
	return square < 0.0 ? -1.0 : (b - sqrt(square)) / a;
}

static void test_depth_is_that_of_the_sphere(void **state)
{
	(void)state;
	// far off the axis, so that the outline is an ellipse
	float position[3] = {1.9f, -1.0f, 0.5f}, radius = 0.35f;
	check_ok(render(position, 1, &radius, 1, NULL, 1, depth, id));
	camera eye = front_camera();
	camera_view view = camera_look(&eye, WIDTH, HEIGHT);
	double centre[3] = {(double)position[0], -(double)position[1], 5.0 - (double)position[2]};
	int hits = 0, edge = 0;
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
		{
			double px = (x + 0.5 - (double)view.centre_x) / (double)view.focal;
			double py = (y + 0.5 - (double)view.centre_y) / (double)view.focal;
			double expected = analytic_depth(px, py, centre, (double)radius);
			float got = depth[y * WIDTH + x];
			// a ray that just touches may fall on either side
			if ((expected > 0.0) != (got < SPLAT_FAR))
				edge++;
			else if (expected > 0.0)
			{
				check_near((double)got, expected, 2e-3 * (double)radius);
				assert_int_equal(id[y * WIDTH + x], 0);
				hits++;
			}
			else
				assert_int_equal(id[y * WIDTH + x], SPLAT_NONE);
		}
	assert_true(hits > 1000);
	assert_in_range(edge, 0, 2);
}

static void test_centre_and_radius(void **state)
{
	(void)state;
	float position[3] = {0.0f, 0.5f, 1.0f}, radius = 0.25f;
	check_ok(render(position, 1, &radius, 1, NULL, 1, depth, id));
	double sum_x = 0.0, area = 0.0;
	int first = WIDTH, last = -1;
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			if (depth[y * WIDTH + x] < SPLAT_FAR)
			{
				sum_x += x + 0.5;
				area += 1.0;
				first = x < first ? x : first;
				last = x > last ? x : last;
			}
	// centred in x; the widest row is where the tangents are: s sqrt(1 - s^2) / (1 - s^2) with s = r / z = 0.25 / 4
	double focal = 0.5 * HEIGHT / tan(20.0 * 3.14159265358979 / 180.0);
	double half = focal * 0.25 * sqrt(1.0 - 0.0625 / 16.0) / (1.0 - 0.0625 / 16.0) / 4.0;
	check_near(sum_x / area, WIDTH / 2.0, 0.05);
	check_near(0.5 * (last - first + 1), half, 0.75);

	camera eye = front_camera();
	camera_view view = camera_look(&eye, WIDTH, HEIGHT);
	vec3 pixel;
	assert_int_equal(camera_project(&view, vec3_make(position[0], position[1], position[2]), &pixel), 1);
	check_near((double)pixel.x, WIDTH / 2.0, 1e-4);
	check_near((double)pixel.y, HEIGHT / 2.0 - focal * 0.5 / 4.0, 1e-3);
	check_near((double)pixel.z, 4.0, 1e-6);
}

// However small a sphere looks, it covers the pixels within the least radius.
static void test_small_spheres_are_seen(void **state)
{
	(void)state;
	camera eye = front_camera();
	camera_view view = camera_look(&eye, WIDTH, HEIGHT);
	const float position[3] = {0.0f, 0.0f, -40.0f}, radius = 1e-4f;
	splat_spheres spheres = {position, 3, 1, &radius, 1, NULL};
	splat_target target = {depth, id};
	for (int least = 0; least <= 5; least += 5)
	{
		arena scratch;
		arena_init(&scratch);
		check_ok(splat_render(&view, &spheres, (float)least, 1, &scratch, &target, NULL));
		arena_free(&scratch);
		double area = 0.0;
		for (int k = 0; k < WIDTH * HEIGHT; k++)
			area += depth[k] < SPLAT_FAR;
		check_near(area, 3.14159265 * least * least, 0.1 * 3.14159265 * least * least);
	}
}

static void test_nearer_hides_farther(void **state)
{
	(void)state;
	float radii[2] = {0.3f, 0.6f};
	float positions[6] = {0, 0, 0, 0, 0, 2};
	int32_t small_in_front[2] = {1, 0}, reversed[2] = {0, 1};
	check_ok(render(positions, 2, radii, 2, small_in_front, 1, depth, id));
	assert_int_equal(id[HEIGHT / 2 * WIDTH + WIDTH / 2], 1);
	float swapped[6] = {0, 0, 2, 0, 0, 0};
	check_ok(render(swapped, 2, radii, 2, reversed, 1, depth, id));
	assert_int_equal(id[HEIGHT / 2 * WIDTH + WIDTH / 2], 0);
	check_near((double)depth[HEIGHT / 2 * WIDTH + WIDTH / 2], 2.7, 1e-3);
}

static void test_ties_go_to_the_lower_index(void **state)
{
	(void)state;
	float positions[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, radius = 0.5f;
	check_ok(render(positions, 3, &radius, 1, NULL, 2, depth, id));
	for (int k = 0; k < WIDTH * HEIGHT; k++)
		assert_true(id[k] == 0 || id[k] == SPLAT_NONE);
}

static float *random_cloud(size_t count)
{
	float *positions = malloc(count * 3 * sizeof *positions);
	uint32_t seed = 12345;
	for (size_t k = 0; k < 3 * count; k++)
	{
		seed = seed * 1664525u + 1013904223u;
		positions[k] = (float)(seed >> 8) / 16777216.0f * 4.0f - 2.0f;
	}
	return positions;
}

static void test_same_bits_on_any_number_of_threads(void **state)
{
	(void)state;
	size_t count = 60000;
	float *positions = random_cloud(count);
	float radii[2] = {0.012f, 0.09f};
	int32_t *kind = malloc(count * sizeof *kind);
	for (size_t k = 0; k < count; k++)
		kind[k] = k % 50 == 0;
	check_ok(render(positions, count, radii, 2, kind, 1, depth, id));
	for (int threads = 2; threads <= 4; threads++)
	{
		check_ok(render(positions, count, radii, 2, kind, threads, depth_other, id_other));
		assert_memory_equal(depth, depth_other, sizeof depth);
		assert_memory_equal(id, id_other, sizeof id);
	}
	// and in whatever order the spheres come: depth does not know about indices
	for (size_t k = 0; k < count / 2; k++)
	{
		size_t other = count - 1 - k;
		for (int c = 0; c < 3; c++)
		{
			float swap = positions[3 * k + (size_t)c];
			positions[3 * k + (size_t)c] = positions[3 * other + (size_t)c];
			positions[3 * other + (size_t)c] = swap;
		}
		int32_t swap = kind[k];
		kind[k] = kind[other];
		kind[other] = swap;
	}
	check_ok(render(positions, count, radii, 2, kind, 2, depth_other, id_other));
	assert_memory_equal(depth, depth_other, sizeof depth);
	free(positions);
	free(kind);
}

// The tiles, the sort and the early rejection against a loop over everything.
static void test_against_every_sphere_at_every_pixel(void **state)
{
	(void)state;
	size_t count = 400;
	float *positions = random_cloud(count), radius = 0.15f;
	check_ok(render(positions, count, &radius, 1, NULL, 2, depth, id));
	camera eye = front_camera();
	camera_view view = camera_look(&eye, WIDTH, HEIGHT);
	int wrong = 0;
	for (int y = 0; y < HEIGHT; y += 3)
		for (int x = 0; x < WIDTH; x += 3)
		{
			double px = (x + 0.5 - (double)view.centre_x) / (double)view.focal;
			double py = (y + 0.5 - (double)view.centre_y) / (double)view.focal, nearest = 1e30;
			for (size_t k = 0; k < count; k++)
			{
				double centre[3] = {(double)positions[3 * k], -(double)positions[3 * k + 1],
						    5.0 - (double)positions[3 * k + 2]};
				double at = analytic_depth(px, py, centre, (double)radius);
				if (at > 0.0 && at < nearest)
					nearest = at;
			}
			double got = (double)depth[y * WIDTH + x];
			wrong += nearest < 1e29 ? !(fabs(got - nearest) < 1e-3) : got < (double)SPLAT_FAR;
		}
	assert_in_range(wrong, 0, 3); // rays that just touch a sphere
	free(positions);
}

static void test_bad_particles_are_left_out(void **state)
{
	(void)state;
	float positions[] = {NAN, 0,     0,     0,      INFINITY, 0, 0, 0,    5, 0,      0, 5.2f, 0,      0,
			     9,   1e30f, 1e30f, -1e30f, 0,        0, 0, 0.1f, 0, -3e38f, 0, 0,    4.9999f};
	float radii[4] = {0.3f, NAN, 0.0f, -1.0f};
	int32_t kind[9] = {0, 0, 0, 0, 0, 0, 7, 1, 2};
	check_ok(render(positions, 9, radii, 4, kind, 2, depth, id));
	for (int k = 0; k < WIDTH * HEIGHT; k++)
		assert_int_equal(id[k], SPLAT_NONE);
	kind[6] = 0;
	check_ok(render(positions, 9, radii, 4, kind, 2, depth, id));
	assert_int_equal(id[HEIGHT / 2 * WIDTH + WIDTH / 2], 6);
}

static void test_no_particles(void **state)
{
	(void)state;
	float radius = 0.1f;
	check_ok(render(NULL, 0, &radius, 1, NULL, 2, depth, id));
	for (int k = 0; k < WIDTH * HEIGHT; k++)
		assert_true(depth[k] == SPLAT_FAR && id[k] == SPLAT_NONE);
}

static void test_depth_alone(void **state)
{
	(void)state;
	float position[4] = {0, 0, 1, 99}, radius = 0.5f;
	camera eye = front_camera();
	// a size that no tile divides
	static float small[101 * 67];
	check_ok(splat_depth(&eye, 101, 67, position, 4, 1, radius, 2, small, NULL));
	check_near((double)small[33 * 101 + 50], 3.5, 1e-5);
	assert_true(small[0] == SPLAT_FAR && small[101 * 67 - 1] == SPLAT_FAR);
}

static void test_out_of_memory(void **state)
{
	(void)state;
	float position[3] = {0, 0, 0}, radius = 0.2f;
	uint64_t before = mem_get_stats().blocks;
	int failures = 0;
	for (uint64_t n = 1; n < 20; n++)
	{
		mem_fail_at(n);
		spate_result result = render(position, 1, &radius, 1, NULL, 1, depth, id);
		mem_fail_at(0);
		assert_int_equal(mem_get_stats().blocks, before);
		failures += result == SPATE_MEMORY;
		if (result == SPATE_OK)
			break;
	}
	assert_true(failures >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_depth_is_that_of_the_sphere),
	    cmocka_unit_test(test_centre_and_radius),
	    cmocka_unit_test(test_small_spheres_are_seen),
	    cmocka_unit_test(test_nearer_hides_farther),
	    cmocka_unit_test(test_ties_go_to_the_lower_index),
	    cmocka_unit_test(test_same_bits_on_any_number_of_threads),
	    cmocka_unit_test(test_against_every_sphere_at_every_pixel),
	    cmocka_unit_test(test_bad_particles_are_left_out),
	    cmocka_unit_test(test_no_particles),
	    cmocka_unit_test(test_depth_alone),
	    cmocka_unit_test(test_out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
