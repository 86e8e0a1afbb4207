// Whole pictures: what is in front, same bytes on any number of threads, inputs that make no sense.
#include "check.h"

#include "render/preview.h"
#include "render/splat.h"

enum
{
	COUNT = 3000
};

static float positions[4 * COUNT], velocities[4 * COUNT];
static int32_t fluid[COUNT];
static const float radii[2] = {0.03f, 0.02f};
static const vec3 colours[2] = {{0.05f, 0.2f, 0.6f}, {0.6f, 0.1f, 0.05f}};

static int make_particles(void **state)
{
	(void)state;
	uint32_t seed = 7;
	for (size_t k = 0; k < 4 * COUNT; k++)
	{
		seed = seed * 1664525u + 1013904223u;
		positions[k] = (float)(seed >> 8) / 16777216.0f;
		velocities[k] = positions[k] * 3.0f;
	}
	for (size_t k = 0; k < COUNT; k++)
		fluid[k] = k % 3 == 0;
	return 0;
}

static preview_input make_input(void)
{
	return (preview_input){.positions = positions,
			       .stride = 4,
			       .count = COUNT,
			       .scalar = velocities,
			       .scalar_stride = 4,
			       .scalar_components = 3,
			       .fluid = fluid,
			       .radii = radii,
			       .colours = colours,
			       .fluids = 2};
}

static preview_settings make_settings(void)
{
	preview_settings s = preview_default_settings();
	s.width = 200;
	s.height = 150;
	s.threads = 1;
	s.bounds_min = vec3_make(0, 0, 0);
	s.bounds_max = vec3_make(1, 1, 1);
	return s;
}

static void test_same_bytes_on_any_number_of_threads(void **state)
{
	(void)state;
	draw_shape shapes[] = {
	    {.type = DRAW_BOX, .a = {0, 0, 0}, .b = {1, 1, 1}, .container = 1, .colour = {1, 1, 1}},
	    {.type = DRAW_SPHERE, .a = {1.2f, 0.3f, 0.5f}, .radius = 0.3f, .colour = {0.6f, 0.3f, 0.1f}},
	    {.type = DRAW_CYLINDER, .a = {0, 0, 1.4f}, .b = {0, 0.5f, 1.4f}, .radius = 0.1f, .container = 1},
	    {.type = DRAW_CAPSULE,
	     .a = {-0.2f, 0.1f, 1},
	     .b = {-0.2f, 0.6f, 1},
	     .radius = 0.1f,
	     .colour = {0.2f, 0.6f, 0.1f}},
	};
	preview_settings s = make_settings();
	preview_input in = make_input();
	in.shapes = shapes;
	in.shape_count = 4;
	s.colour = PREVIEW_SCALAR;
	s.label = "frame 1";
	s.legend_title = "speed";
	image one = {0}, many = {0};
	check_ok(preview_frame(&s, &in, &one, NULL));
	for (int threads = 2; threads <= 4; threads++)
	{
		s.threads = threads;
		check_ok(preview_frame(&s, &in, &many, NULL));
		assert_memory_equal(one.pixels, many.pixels, 4 * 200 * 150);
	}
	image_free(&one);
	image_free(&many);
}

// The pixel where a point of the world is seen.
static const uint8_t *pixel_at(const preview_settings *s, const image *out, vec3 point)
{
	camera_view view = camera_look(&s->camera, s->width, s->height);
	vec3 at;
	assert_true(camera_project(&view, point, &at));
	return out->pixels + 4 * ((size_t)at.y * (size_t)out->width + (size_t)at.x);
}

static void test_solids_hide_and_are_hidden(void **state)
{
	(void)state;
	// red solid against one blue particle, once behind it and once in front
	float place[3] = {0, 0, 0}, radius = 0.3f;
	vec3 blue = {0, 0, 0.8f};
	draw_shape_type types[] = {DRAW_BOX, DRAW_SPHERE, DRAW_CAPSULE, DRAW_CYLINDER};
	for (size_t k = 0; k < 4; k++)
		for (int front = 0; front < 2; front++)
		{
			draw_shape shape = {.type = types[k],
					    .a = {-0.4f, -0.4f, -0.4f},
					    .b = {0.4f, 0.4f, 0.4f},
					    .radius = 0.4f,
					    .translation = {0, 0, front ? 1.5f : -1.5f},
					    .colour = {0.8f, 0, 0}};
			if (types[k] == DRAW_SPHERE)
				shape.a = vec3_make(0, 0, 0);
			preview_settings s = make_settings();
			s.has_camera = 1;
			s.camera = (camera){.position = {0, 0, 6}, .up = {0, 1, 0}, .fov = 30};
			s.ground = 0;
			preview_input in = {.positions = place,
					    .stride = 3,
					    .count = 1,
					    .radii = &radius,
					    .colours = &blue,
					    .fluids = 1,
					    .shapes = &shape,
					    .shape_count = 1};
			image out = {0};
			check_ok(preview_frame(&s, &in, &out, NULL));
			const uint8_t *p = pixel_at(&s, &out, vec3_make(0.02f, 0.02f, 0));
			if (front ? p[0] <= p[2] : p[0] >= p[2])
				fail_msg("shape %d %s: red %d, blue %d", (int)types[k], front ? "in front" : "behind",
					 p[0], p[2]);

			// a container never hides the liquid; the place is between its edges
			shape.container = 1;
			check_ok(preview_frame(&s, &in, &out, NULL));
			p = pixel_at(&s, &out, vec3_make(0.03f, 0.13f, 0));
			assert_true(p[2] > p[0] + 40);
			image_free(&out);
		}
}

static void test_shape_depths(void **state)
{
	(void)state;
	camera eye = {.position = {0, 0, 5}, .target = {0, 0, 0}, .up = {0, 1, 0}, .fov = 40};
	camera_view view = camera_look(&eye, 64, 64);
	// turned by 90 degrees about y: own x becomes world -z
	draw_shape box = {.type = DRAW_BOX,
			  .a = {-1, -0.5f, -0.2f},
			  .b = {1, 0.5f, 0.2f},
			  .rotation = {0, 0, 1, 0, 1, 0, -1, 0, 0},
			  .translation = {0, 0, 0.5f}};
	draw_shape tube = {.type = DRAW_CYLINDER, .a = {0, 0, -1}, .b = {0, 0, 1}, .radius = 0.5f};
	draw_shape pill = {.type = DRAW_CAPSULE, .a = {0, 0, -1}, .b = {0, 0, 1}, .radius = 0.5f};
	draw_shape ball = {.type = DRAW_SPHERE, .a = {0, 0, -1}, .radius = 0.5f};
	draw_shape wall = {.type = DRAW_PLANE, .a = {0, 0, -2}, .b = {0, 0, 3}};
	const draw_shape *shapes[] = {&box, &tube, &pill, &ball, &wall};
	double enter[] = {3.5, 4.0, 3.5, 5.5, 7.0}, leave[] = {5.5, 6.0, 6.5, 6.5, 7.0};
	for (int k = 0; k < 5; k++)
	{
		draw_caster caster = draw_caster_make(shapes[k], &view);
		draw_hit hit;
		assert_true(draw_caster_hit(&caster, 0.0f, 0.0f, &hit));
		check_near((double)hit.enter, enter[k], 1e-5);
		check_near((double)hit.leave, leave[k], 1e-5);
		vec3 normal = draw_shape_to_world(shapes[k], hit.enter_normal);
		check_near((double)normal.z, 1.0, 1e-5);
		if (k < 4)
			assert_false(draw_caster_hit(&caster, 0.5f, 0.0f, &hit));
	}
	// a plane is not there from behind
	wall.b = vec3_make(0, 0, -1);
	draw_caster caster = draw_caster_make(&wall, &view);
	draw_hit hit;
	assert_false(draw_caster_hit(&caster, 0.0f, 0.0f, &hit));
}

static void test_nothing_and_nonsense(void **state)
{
	(void)state;
	preview_settings s = preview_default_settings();
	s.width = 91;
	s.height = 67;
	image out = {0};
	preview_input none = {0};
	check_ok(preview_frame(&s, &none, &out, NULL));
	assert_int_equal(out.width, 91);
	s.colour = PREVIEW_SCALAR;
	check_ok(preview_frame(&s, &none, &out, NULL));

	// particles that are not numbers, of fluids that do not exist, with scalars that are not numbers
	float bad[12] = {NAN, NAN, NAN, INFINITY, 0, 0, 1, 1, 1, 0, 0, 0}, scalar[4] = {NAN, INFINITY, NAN, -INFINITY},
	      radius = 0.2f;
	int32_t kind[4] = {0, 0, 0, -5};
	vec3 blue = {0, 0, 1};
	preview_input in = {.positions = bad,
			    .stride = 3,
			    .count = 4,
			    .scalar = scalar,
			    .scalar_stride = 1,
			    .scalar_components = 1,
			    .fluid = kind,
			    .radii = &radius,
			    .colours = &blue,
			    .fluids = 1};
	check_ok(preview_frame(&s, &in, &out, NULL));

	spate_error error = {0};
	in.scalar = NULL;
	check_result(preview_frame(&s, &in, &out, &error), SPATE_INVALID);
	s.colour = PREVIEW_FLUID;
	s.supersample = 0;
	check_result(preview_frame(&s, &in, &out, &error), SPATE_INVALID);
	s.supersample = 1;
	s.width = -4;
	check_result(preview_frame(&s, &in, &out, &error), SPATE_INVALID);
	image_free(&out);
}

static void test_scratch_is_reused(void **state)
{
	(void)state;
	arena scratch;
	arena_init(&scratch);
	preview_settings s = make_settings();
	s.scratch = &scratch;
	preview_input in = make_input();
	image out = {0};
	for (int k = 0; k < 3; k++)
		check_ok(preview_frame(&s, &in, &out, NULL));
	uint64_t calls = mem_get_stats().calls;
	check_ok(preview_frame(&s, &in, &out, NULL));
	assert_int_equal(mem_get_stats().calls, calls);
	image_free(&out);
	arena_free(&scratch);
}

static void test_out_of_memory(void **state)
{
	(void)state;
	preview_settings s = make_settings();
	preview_input in = make_input();
	draw_shape shape = {.type = DRAW_BOX, .b = {1, 1, 1}, .container = 1};
	in.shapes = &shape;
	in.shape_count = 1;
	uint64_t blocks = mem_get_stats().blocks;
	spate_result result = SPATE_MEMORY;
	for (uint64_t n = 1; n < 100 && result != SPATE_OK; n++)
	{
		image out = {0};
		mem_fail_at(n);
		result = preview_frame(&s, &in, &out, NULL);
		mem_fail_at(0);
		image_free(&out);
		if (result != SPATE_OK)
			check_result(result, SPATE_MEMORY);
		assert_int_equal(mem_get_stats().blocks, blocks);
	}
	check_ok(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same_bytes_on_any_number_of_threads),
	    cmocka_unit_test(test_solids_hide_and_are_hidden),
	    cmocka_unit_test(test_shape_depths),
	    cmocka_unit_test(test_nothing_and_nonsense),
	    cmocka_unit_test(test_scratch_is_reused),
	    cmocka_unit_test(test_out_of_memory),
	};
	return cmocka_run_group_tests(tests, make_particles, NULL);
}
