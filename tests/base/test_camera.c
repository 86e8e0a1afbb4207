// Cameras: framing, projection, and inputs that make no sense.
#include "check.h"

#include "base/camera.h"

// All corners inside the picture, and the picture filled up to the margin along one axis.
static void check_framing(vec3 low, vec3 high, vec3 up, float fov, int width, int height)
{
	camera eye = camera_frame(low, high, up, fov, (float)width / (float)height);
	camera_view view = camera_look(&eye, width, height);
	float left = 1e9f, right = -1e9f, top = 1e9f, bottom = -1e9f;
	for (int k = 0; k < 8; k++)
	{
		vec3 corner = {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z}, pixel;
		assert_int_equal(camera_project(&view, corner, &pixel), 1);
		left = fminf(left, pixel.x);
		right = fmaxf(right, pixel.x);
		top = fminf(top, pixel.y);
		bottom = fmaxf(bottom, pixel.y);
	}
	if (left < 0.0f || top < 0.0f || right > (float)width || bottom > (float)height)
		fail_msg("corners reach from (%g, %g) to (%g, %g) in %d x %d", (double)left, (double)top, (double)right,
			 (double)bottom, width, height);
	// the margin of 1.12 holds on both sides of the tighter axis
	double fill_x = (double)(right - left) / width, fill_y = (double)(bottom - top) / height;
	check_near(fill_x > fill_y ? fill_x : fill_y, 1.0 / 1.12, 0.01);
	// up is up in the picture
	vec3 middle = vec3_scale(vec3_add(low, high), 0.5f), a, b;
	assert_true(camera_project(&view, middle, &a) && camera_project(&view, vec3_add_scaled(middle, up, 0.01f), &b));
	assert_true(b.y < a.y);
}

static void test_framing(void **state)
{
	(void)state;
	vec3 y = {0, 1, 0}, z = {0, 0, 1};
	check_framing(vec3_make(0, 0, 0), vec3_make(2, 1, 1), y, 35, 1280, 720);
	check_framing(vec3_make(0, 0, 0), vec3_make(0.1f, 8, 0.1f), y, 50, 1280, 720);
	check_framing(vec3_make(-300, 4, 20), vec3_make(-100, 5, 900), y, 20, 640, 900);
	check_framing(vec3_make(0, 0, 0), vec3_make(2, 1, 1), z, 35, 1280, 720);
}

static void test_far_origin(void **state)
{
	(void)state;
	dvec3 origin = {1e7, 2e7, -3e7};
	camera eye = camera_make((dvec3){1e7 + 1.25, 2e7, -3e7 + 4.0}, (dvec3){1e7 + 1.25, 2e7, -3e7},
				 vec3_make(0, 1, 0), 40, origin);
	check_near((double)eye.position.x, 1.25, 1e-6);
	check_near((double)eye.position.z, 4.0, 1e-6);
}

static void test_rays_undo_projection(void **state)
{
	(void)state;
	camera eye = {.position = {3, 2, 4}, .target = {0, 0.5f, 0}, .up = {0, 1, 0}, .fov = 30};
	camera_view view = camera_look(&eye, 800, 600);
	vec3 point = {0.3f, 0.7f, -0.2f}, pixel;
	assert_true(camera_project(&view, point, &pixel));
	vec3 ray = camera_ray(&view, pixel.x, pixel.y);
	vec3 back = vec3_add(view.eye, camera_to_world(&view, vec3_scale(ray, pixel.z)));
	check_near((double)vec3_length(vec3_sub(back, point)), 0.0, 1e-5);
	assert_false(camera_project(&view, vec3_make(6, 4, 8), &pixel));
}

static void test_senseless_cameras(void **state)
{
	(void)state;
	camera cameras[] = {
	    {.position = {1, 1, 1}, .target = {1, 1, 1}, .up = {0, 1, 0}, .fov = 40},
	    {.position = {0, 5, 0}, .target = {0, 0, 0}, .up = {0, 1, 0}, .fov = 40},
	    {.position = {0, 0, 5}, .target = {0, 0, 0}, .up = {0, 0, 0}, .fov = NAN},
	    {.position = {0, 0, 5}, .target = {NAN, 0, 0}, .up = {0, 1, 0}, .fov = -3},
	};
	for (size_t k = 0; k < sizeof cameras / sizeof *cameras; k++)
	{
		camera_view v = camera_look(&cameras[k], 100, 100);
		check_near((double)vec3_length(v.right), 1.0, 1e-5);
		check_near((double)vec3_length(v.down), 1.0, 1e-5);
		check_near((double)vec3_length(v.forward), 1.0, 1e-5);
		check_near((double)vec3_dot(v.right, v.forward), 0.0, 1e-5);
		assert_true(isfinite(v.focal) && v.focal > 0.0f);
	}
	camera eye = camera_frame(vec3_make(NAN, 0, 0), vec3_make(1, 1, 1), vec3_make(0, 0, 0), 35, NAN);
	assert_true(vec3_is_finite(eye.position));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_framing),
	    cmocka_unit_test(test_far_origin),
	    cmocka_unit_test(test_rays_undo_projection),
	    cmocka_unit_test(test_senseless_cameras),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
