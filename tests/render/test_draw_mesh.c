// Triangles against the formulas of projection: which pixels, at what depth, in front of what, with which normals.
#include "check.h"

#include "render/draw_mesh.h"
#include "render/preview.h"
#include "render/splat.h"
#include "tools/meshes/make.h"

enum
{
	WIDTH = 320,
	HEIGHT = 200,
	PIXELS = WIDTH * HEIGHT
};

typedef struct buffers
{
	float depth[PIXELS];
	uint32_t id[PIXELS];
} buffers;

static buffers first, second;

static const float identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// Looks along -z from z = 5: depth of a point is 5 - z.
static camera_view front_view(void)
{
	camera eye = {.position = {0, 0, 5}, .target = {0, 0, 0}, .up = {0, 1, 0}, .fov = 40};
	return camera_look(&eye, WIDTH, HEIGHT);
}

static void clear(buffers *to)
{
	for (int k = 0; k < PIXELS; k++)
	{
		to->depth[k] = SPLAT_FAR;
		to->id[k] = SPLAT_NONE;
	}
}

static void draw_over(const draw_mesh *meshes, int count, draw_mesh_pass pass, int threads, buffers *to)
{
	camera_view view = front_view();
	draw_mesh_set set;
	arena scratch;
	arena_init(&scratch);
	check_ok(draw_mesh_set_place(&set, &view, meshes, count, 0.1f, threads, &scratch, NULL));
	check_ok(draw_mesh_set_depth(&set, pass, threads, &scratch, to->depth, to->id, NULL));
	arena_free(&scratch);
}

static void draw_alone(const draw_mesh *mesh, buffers *to)
{
	clear(to);
	draw_over(mesh, 1, DRAW_MESH_SOLIDS, 1, to);
}

static int covered(const buffers *of)
{
	int count = 0;
	for (int k = 0; k < PIXELS; k++)
		count += of->id[k] != SPLAT_NONE;
	return count;
}

// Triangles of corners of their own.
static spate_mesh *soup(const float *corners, uint32_t triangles)
{
	spate_mesh *mesh;
	check_ok(spate_mesh_create(&mesh, 3 * triangles, triangles, NULL));
	memcpy(mesh->positions, corners, 9 * triangles * sizeof *corners);
	for (uint32_t k = 0; k < 3 * triangles; k++)
		mesh->triangles[k] = k;
	return mesh;
}

typedef struct thing
{
	spate_mesh *mesh;
	draw_model model;
	draw_mesh drawn;
} thing;

static void thing_init(thing *t, spate_mesh *mesh, float crease)
{
	*t = (thing){.mesh = mesh};
	check_ok(draw_model_init(&t->model, mesh, crease, 1, NULL));
	t->drawn = (draw_mesh){.model = &t->model, .colour = {1, 1, 1}};
}

static void thing_free(thing *t)
{
	draw_model_free(&t->model);
	spate_mesh_destroy(t->mesh);
}

// A place of the world that falls on a place of the picture at a depth.
static void unproject(double x, double y, double depth, float out[3])
{
	camera_view view = front_view();
	out[0] = (float)((x - (double)view.centre_x) / (double)view.focal * depth);
	out[1] = (float)(-(y - (double)view.centre_y) / (double)view.focal * depth);
	out[2] = (float)(5.0 - depth);
}

static void test_pixels_of_a_triangle(void **state)
{
	(void)state;
	// a right angle at (40.1, 30.1) with sides of 100 pixels, over several tiles: pixel (x, y) is in when its middle is
	// above the diagonal
	float corner[9];
	unproject(40.1, 30.1, 2.0, corner);
	unproject(140.1, 30.1, 2.0, corner + 3);
	unproject(40.1, 130.1, 2.0, corner + 6);
	thing t;
	thing_init(&t, soup(corner, 1), 180.0f);
	draw_alone(&t.drawn, &first);
	int wrong = 0, inside = 0;
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
		{
			int in = x + 0.5 > 40.1 && y + 0.5 > 30.1 && (x + 0.5 - 40.1) + (y + 0.5 - 30.1) < 100.0;
			wrong += in != (first.id[y * WIDTH + x] == DRAW_MESH_ID);
			inside += in;
		}
	assert_int_equal(wrong, 0);
	check_near(inside, 5000.0, 100.0);
	thing_free(&t);
}

static void test_depth_is_that_of_the_plane(void **state)
{
	(void)state;
	// corners at depths 1, 4 and 9: 1 / depth is even in the picture, depth is not
	float corner[9];
	const double at[3][3] = {{20, 180, 1}, {300, 150, 4}, {150, 15, 9}};
	for (int k = 0; k < 3; k++)
		unproject(at[k][0], at[k][1], at[k][2], corner + 3 * k);
	thing t;
	thing_init(&t, soup(corner, 1), 180.0f);
	draw_alone(&t.drawn, &first);
	double area = (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]) - (at[1][1] - at[0][1]) * (at[2][0] - at[0][0]);
	int count = 0;
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
		{
			if (first.id[y * WIDTH + x] == SPLAT_NONE)
				continue;
			double inverse = 0.0;
			for (int k = 0; k < 3; k++)
			{
				const double *a = at[(k + 1) % 3], *b = at[(k + 2) % 3];
				double part = (a[0] - x - 0.5) * (b[1] - y - 0.5) - (b[0] - x - 0.5) * (a[1] - y - 0.5);
				inverse += part / area / at[k][2];
			}
			check_near((double)first.depth[y * WIDTH + x], 1.0 / inverse, 1e-5 / inverse);
			count++;
		}
	check_near(count, 0.5 * fabs(area), 100.0);
	thing_free(&t);
}

static void test_no_gaps(void **state)
{
	(void)state;
	// a sphere of many small triangles, seen closely: every pixel inside of its outline is covered
	thing t;
	spate_mesh *mesh;
	check_ok(make_sphere(&mesh, 1.0, 200, 100, NULL));
	thing_init(&t, mesh, 180.0f);
	draw_alone(&t.drawn, &first);
	camera_view view = front_view();
	int gaps = 0;
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
		{
			vec3 ray = camera_ray(&view, (float)x + 0.5f, (float)y + 0.5f);
			double off = sqrt((double)(ray.x * ray.x + ray.y * ray.y)), angle = atan(off);
			int in = 5.0 * sin(angle)<0.995, out = 5.0 * sin(angle)> 1.0;
			int seen = first.id[y * WIDTH + x] != SPLAT_NONE;
			gaps += (in && !seen) || (out && seen);
		}
	assert_int_equal(gaps, 0);
	check_near((double)first.depth[HEIGHT / 2 * WIDTH + WIDTH / 2], 4.0, 2e-3);
	thing_free(&t);
}

static void test_cut_at_the_near_plane(void **state)
{
	(void)state;
	// a floor at y = -1 from far in front to far behind the eye. It begins where the ray falls by 1 over its depth.
	float corner[] = {-1000, -1, 1000, 1000, -1, 1000, 0, -1, -1e5f};
	thing t;
	thing_init(&t, soup(corner, 1), 180.0f);
	draw_alone(&t.drawn, &first);
	camera_view view = front_view();
	for (int y = 0; y < HEIGHT; y++)
	{
		double fall = (y + 0.5 - (double)view.centre_y) / (double)view.focal;
		float depth = first.depth[y * WIDTH + WIDTH / 2];
		if (fall <= 0.0)
			assert_true(depth == SPLAT_FAR);
		else
			check_near((double)depth, 1.0 / fall, 1e-4 / fall);
	}
	// behind the eye altogether, or without a number: nothing
	float behind[] = {-1, -1, 6, 1, -1, 6, 0, 1, 6}, broken[] = {-1, -1, 0, 1, -1, 0, 0, NAN, 0};
	thing u, v;
	thing_init(&u, soup(behind, 1), 50.0f);
	thing_init(&v, soup(broken, 1), 50.0f);
	draw_alone(&u.drawn, &first);
	assert_int_equal(covered(&first), 0);
	draw_alone(&v.drawn, &first);
	assert_int_equal(covered(&first), 0);
	thing_free(&t);
	thing_free(&u);
	thing_free(&v);
}

static void test_order_in_depth(void **state)
{
	(void)state;
	// two walls that cross in the middle column: the left half is nearer of one, the right half of the other
	float corner[] = {-9, -9, 2, -9, 9, 2, 9, 0, -2, 9, -9, 2, 9, 9, 2, -9, 0, -2};
	thing t;
	thing_init(&t, soup(corner, 2), 180.0f);
	draw_alone(&t.drawn, &first);
	const int row = HEIGHT / 2 * WIDTH;
	assert_int_equal(first.id[row + WIDTH / 2 - 40], DRAW_MESH_ID | 0);
	assert_int_equal(first.id[row + WIDTH / 2 + 40], DRAW_MESH_ID | 1);

	// a ball of radius 0.5 at z = 0 in front of a wall at z = -1, then a wall at z = 1 in front of both
	float wall[] = {-9, -9, -1, 9, -9, -1, 0, 20, -1}, centre[3] = {0, 0, 0}, radius = 0.5f;
	camera_view view = front_view();
	splat_spheres ball = {.positions = centre, .stride = 3, .count = 1, .radii = &radius, .kinds = 1};
	splat_target target = {second.depth, second.id};
	arena scratch;
	arena_init(&scratch);
	check_ok(splat_render(&view, &ball, 0.0f, 1, &scratch, &target, NULL));
	arena_free(&scratch);
	int of_ball = covered(&second);
	thing w;
	thing_init(&w, soup(wall, 1), 180.0f);
	draw_over(&w.drawn, 1, DRAW_MESH_SOLIDS, 1, &second);
	int still = 0;
	for (int k = 0; k < PIXELS; k++)
		still += second.id[k] == 0;
	assert_int_equal(still, of_ball);
	assert_int_equal(covered(&second), PIXELS);
	w.drawn.translation.z = 2.0f;
	draw_over(&w.drawn, 1, DRAW_MESH_SOLIDS, 1, &second);
	for (int k = 0; k < PIXELS; k++)
		assert_int_equal(second.id[k], DRAW_MESH_ID);
	thing_free(&t);
	thing_free(&w);
}

static void test_containers(void **state)
{
	(void)state;
	const double size[3] = {2.0, 2.0, 2.0};
	const int middle = HEIGHT / 2 * WIDTH + WIDTH / 2;
	spate_mesh *mesh;
	check_ok(make_box(&mesh, size, NULL));
	// whichever way its triangles look, a container shows the wall behind, at depth 6, and the glass is in front, at 4
	for (int flip = 0; flip < 2; flip++)
	{
		for (uint32_t k = 0; flip && k < mesh->triangle_count; k++)
		{
			uint32_t swap = mesh->triangles[3 * k];
			mesh->triangles[3 * k] = mesh->triangles[3 * k + 1];
			mesh->triangles[3 * k + 1] = swap;
		}
		thing t = {.mesh = mesh};
		check_ok(draw_model_init(&t.model, mesh, 50.0f, 1, NULL));
		t.drawn = (draw_mesh){.model = &t.model};
		assert_int_equal(t.model.inverted, flip);
		draw_alone(&t.drawn, &first);
		check_near((double)first.depth[middle], 4.0, 1e-5);
		t.drawn.container = 1;
		draw_alone(&t.drawn, &first);
		check_near((double)first.depth[middle], 6.0, 1e-5);
		clear(&first);
		draw_over(&t.drawn, 1, DRAW_MESH_GLASS, 1, &first);
		check_near((double)first.depth[middle], 4.0, 1e-5);
		clear(&first);
		draw_over(&t.drawn, 1, DRAW_MESH_SHADOW, 1, &first);
		assert_int_equal(covered(&first), 0);
		draw_model_free(&t.model);
	}
	spate_mesh_destroy(mesh);
}

static void test_same_on_any_threads(void **state)
{
	(void)state;
	thing t[2];
	spate_mesh *mesh;
	check_ok(make_sphere(&mesh, 1.0, 300, 150, NULL));
	thing_init(&t[0], mesh, 50.0f);
	check_ok(make_torus(&mesh, 1.0, 0.4, 200, 80, NULL));
	thing_init(&t[1], mesh, 50.0f);
	draw_mesh both[2] = {t[0].drawn, t[1].drawn};
	clear(&first);
	draw_over(both, 2, DRAW_MESH_SOLIDS, 1, &first);
	for (int threads = 2; threads <= 5; threads += 3)
	{
		clear(&second);
		draw_over(both, 2, DRAW_MESH_SOLIDS, threads, &second);
		assert_memory_equal(&first, &second, sizeof first);
	}
	assert_true(covered(&first) > 5000);

	// normals as well, and whole pictures
	draw_model other;
	check_ok(draw_model_init(&other, t[1].mesh, 50.0f, 3, NULL));
	assert_memory_equal(other.normals, t[1].model.normals, 9 * t[1].mesh->triangle_count * sizeof(float));
	draw_model_free(&other);
	image one = {0}, many = {0};
	preview_settings settings = preview_default_settings();
	settings.width = 160;
	settings.height = 90;
	both[0].container = 1;
	both[1].look = DRAW_MESH_WATER;
	preview_input input = {.meshes = both, .mesh_count = 2};
	settings.threads = 1;
	check_ok(preview_frame(&settings, &input, &one, NULL));
	settings.threads = 4;
	check_ok(preview_frame(&settings, &input, &many, NULL));
	assert_memory_equal(one.pixels, many.pixels, 160 * 90 * 4);
	image_free(&one);
	image_free(&many);
	thing_free(&t[0]);
	thing_free(&t[1]);
}

static draw_mesh_hit look_at(const draw_mesh *mesh, uint32_t id, float x, float y)
{
	camera_view view = front_view();
	draw_mesh_set set;
	arena scratch;
	arena_init(&scratch);
	check_ok(draw_mesh_set_place(&set, &view, mesh, 1, 0.1f, 1, &scratch, NULL));
	draw_mesh_hit hit = draw_mesh_set_hit(&set, id, camera_ray(&view, x, y));
	arena_free(&scratch);
	return hit;
}

static void test_normals(void **state)
{
	(void)state;
	// smooth: on a sphere the normal is the place itself; both ways of making them agree there
	thing t;
	spate_mesh *mesh;
	camera_view view = front_view();
	for (int crease = 50; crease <= 180; crease += 130)
	{
		check_ok(make_sphere(&mesh, 1.0, 200, 100, NULL));
		thing_init(&t, mesh, (float)crease);
		assert_int_equal(t.model.per_corner, crease < 180);
		draw_alone(&t.drawn, &first);
		for (int k = 0; k < PIXELS; k += 97)
		{
			if (first.id[k] == SPLAT_NONE)
				continue;
			float x = (float)(k % WIDTH) + 0.5f, y = (float)(k / WIDTH) + 0.5f;
			draw_mesh_hit hit = look_at(&t.drawn, first.id[k], x, y);
			vec3 place =
			    vec3_add_scaled(view.eye, camera_to_world(&view, camera_ray(&view, x, y)), first.depth[k]);
			check_near((double)vec3_length(vec3_sub(hit.normal, vec3_normalize(place))), 0.0, 5e-3);
		}
		thing_free(&t);
	}

	// a box keeps its sides with a crease of 50 degrees, and is round without; behind a turn they turn along
	const double size[3] = {2.0, 2.0, 2.0};
	check_ok(make_box(&mesh, size, NULL));
	thing_init(&t, mesh, 50.0f);
	draw_alone(&t.drawn, &first);
	int corner = 64 * WIDTH + 124; // on the front side near its top left corner
	draw_mesh_hit hit = look_at(&t.drawn, first.id[corner], 124.5f, 64.5f);
	check_near((double)hit.normal.z, 1.0, 1e-6);
	const float quarter[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
	memcpy(t.drawn.rotation, quarter, sizeof quarter);
	t.drawn.scale = 0.5f;
	t.drawn.translation = vec3_make(0, 0, 1);
	draw_alone(&t.drawn, &first);
	check_near((double)first.depth[HEIGHT / 2 * WIDTH + WIDTH / 2], 3.5, 1e-5);
	hit = look_at(&t.drawn, first.id[HEIGHT / 2 * WIDTH + WIDTH / 2], 160.5f, 100.5f);
	check_near((double)hit.normal.z, 1.0, 1e-6);
	memcpy(t.drawn.rotation, identity, sizeof identity);
	draw_model_free(&t.model);
	check_ok(draw_model_init(&t.model, mesh, 180.0f, 1, NULL));
	t.drawn = (draw_mesh){.model = &t.model};
	draw_alone(&t.drawn, &first);
	hit = look_at(&t.drawn, first.id[corner], 124.5f, 64.5f);
	assert_true(hit.normal.z < 0.9f && hit.normal.x < -0.2f && hit.normal.y > 0.2f);
	thing_free(&t);
}

static void test_channels(void **state)
{
	(void)state;
	// corners in red, green and blue, normals along x: halfway between, and told by the file
	float corner[] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
	spate_mesh *mesh = soup(corner, 1);
	spate_mesh_channel *colour, *normal;
	check_ok(spate_mesh_add_channel(mesh, "color", 3, &colour, NULL));
	for (int k = 0; k < 3; k++)
		colour->values[4 * k] = 1.0f;
	check_ok(spate_mesh_add_channel(mesh, "normal", 3, &normal, NULL));
	for (int k = 0; k < 3; k++)
		normal->values[3 * k] = 0.6f, normal->values[3 * k + 2] = 0.8f;
	thing t;
	thing_init(&t, mesh, 50.0f);
	camera_view view = front_view();
	vec3 pixel;
	assert_true(camera_project(&view, vec3_make(0, -0.5f, 0), &pixel));
	draw_mesh_hit hit = look_at(&t.drawn, DRAW_MESH_ID, pixel.x, pixel.y);
	check_near((double)hit.colour.x, 0.375, 1e-5);
	check_near((double)hit.colour.y, 0.375, 1e-5);
	check_near((double)hit.colour.z, 0.25, 1e-5);
	check_near((double)hit.normal.x, 0.6, 1e-6);
	// from behind, the other side of the same normal
	const float half[9] = {-1, 0, 0, 0, 1, 0, 0, 0, -1};
	memcpy(t.drawn.rotation, half, sizeof half);
	hit = look_at(&t.drawn, DRAW_MESH_ID, pixel.x, pixel.y);
	check_near((double)hit.normal.x, 0.6, 1e-6);
	check_near((double)hit.normal.z, 0.8, 1e-6);
	thing_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pixels_of_a_triangle),
	    cmocka_unit_test(test_depth_is_that_of_the_plane),
	    cmocka_unit_test(test_no_gaps),
	    cmocka_unit_test(test_cut_at_the_near_plane),
	    cmocka_unit_test(test_order_in_depth),
	    cmocka_unit_test(test_containers),
	    cmocka_unit_test(test_same_on_any_threads),
	    cmocka_unit_test(test_normals),
	    cmocka_unit_test(test_channels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
