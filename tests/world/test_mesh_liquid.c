// Liquid at meshes: it rests in a tank of triangles as in one of shapes, lies on an open sheet, does not feel what is behind one, and goes
// on with the same bits after a resume while a mesh deforms and turns.
#define _GNU_SOURCE
#include "cache/checkpoint.h"
#include "cache/run_dir.h"
#include "cache/snapshot_file.h"
#include "collider/meshes.h"
#include "scene.h"
#include "scratch.h"
#include "tools/meshes/make.h"
#include "world/world.h"

#define SPACING 0.05

static double rms_speed(spate_world *w)
{
	const spate_store *store = spate_world_store(w);
	double sum = 0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		vec4 v = store->velocity[row];
		sum += (double)(v.x * v.x + v.y * v.y + v.z * v.z);
	}
	return sqrt(sum / store->rows);
}

static double coordinate(spate_world *w, uint32_t row, int axis)
{
	vec4 x = spate_world_store(w)->position[row];
	const float p[3] = {x.x, x.y, x.z};
	return (double)p[axis] + spate_world_origin(w)[axis];
}

// Mean height above `floor` of the lowest layer (m): of the particles closer to it than a spacing.
static double lowest_layer(spate_world *w, double floor, double *least)
{
	double sum = 0, count = 0;
	*least = INFINITY;
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double height = coordinate(w, row, 1) - floor;
		*least = fmin(*least, height);
		if (height >= SPACING)
			continue;
		sum += height;
		count++;
	}
	return sum / count;
}

// ------------------------------------------------------------------------------------------------------------ still tank

typedef struct tank_state
{
	double error, largest, speed, layer, least;
	uint32_t particles, outside;
} tank_state;

static tank_state rest(const spate_mesh *mesh)
{
	scene s;
	scene_init(&s, SPACING);
	spate_collider_def *tank = add_collider(&s, box_shape(0, 0, 0, 0.6, 0.8, 0.6), SPATE_COLLIDER_INSIDE);
	if (mesh)
	{
		tank->shape = (spate_shape){0};
		tank->mesh.mesh = mesh;
		tank->mesh.position[0] = tank->mesh.position[2] = 0.3;
		tank->mesh.position[1] = 0.4;
	}
	add_fill(&s, box_shape(0, 0, 0, 0.6, 0.5, 0.6));
	spate_world *w = scene_create(&s);
	tank_state t = {.particles = spate_store_count(spate_world_store(w))};
	double steps = 0;
	while (spate_world_time(w) < 1.5)
	{
		step(w);
		if (spate_world_time(w) < 0.75)
			continue;
		const spate_step_stats *stats = spate_world_stats(w);
		t.error += stats->density_error_avg;
		t.largest = fmax(t.largest, stats->density_error_max);
		t.outside = stats->outside > t.outside ? stats->outside : t.outside;
		t.speed += rms_speed(w);
		steps++;
	}
	t.error /= steps;
	t.speed /= steps;
	t.layer = lowest_layer(w, 0, &t.least) / SPACING;
	printf(
	    "%s: %u particles, density error %.4f %% (largest %.3f %%), rms speed %.3g m/s, lowest layer at %.4f spacings, "
	    "least %.4f\n",
	    mesh ? "mesh " : "shape", t.particles, 100 * t.error, 100 * t.largest, t.speed, t.layer, t.least / SPACING);
	spate_world_destroy(w);
	return t;
}

static void a_tank_of_triangles_is_a_tank(void **state)
{
	(void)state;
	spate_mesh *box = NULL;
	check_ok(make_box(&box, (const double[3]){0.6, 0.8, 0.6}, NULL));
	tank_state mesh = rest(box), shape = rest(NULL);
	assert_int_equal(mesh.particles, shape.particles);
	assert_int_equal(mesh.outside, 0);
	// both keep what the quality promises, with much to spare
	check_near(shape.error, 0, 0.002);
	check_near(mesh.error, 0, 0.002);
	check_near(mesh.speed, 0, fmax(2 * shape.speed, 0.01));
	check_near(mesh.layer, shape.layer, 0.02);
	check_near(mesh.layer, 0.5, 0.05);
	spate_mesh_destroy(box);
}

// ---------------------------------------------------------------------------------------------------------------- sheets

// A mesh as a shell, moved to a place.
static spate_collider_def *add_shell(scene *s, const spate_mesh *mesh, double x, double y, double z)
{
	spate_collider_def *shell = add_collider(s, (spate_shape){0}, SPATE_COLLIDER_SHELL);
	shell->mesh.mesh = mesh;
	shell->mesh.position[0] = x;
	shell->mesh.position[1] = y;
	shell->mesh.position[2] = z;
	return shell;
}

static void liquid_lies_on_an_open_sheet(void **state)
{
	(void)state;
	soup sheet = {0};
	add_sheet(&sheet, 0, 0.5f, 4, 0, 0);
	spate_mesh mesh = mesh_of(&sheet);
	scene s;
	scene_init(&s, SPACING);
	add_collider(&s, box_shape(0, 0, 0, 0.5, 1, 0.5), SPATE_COLLIDER_INSIDE);
	add_shell(&s, &mesh, 0.25, 0.313, 0.25);
	add_fill(&s, box_shape(0, 0.313, 0, 0.5, 0.613, 0.5));
	spate_world *w = scene_create(&s);
	uint32_t particles = spate_store_count(spate_world_store(w));
	assert_int_equal(particles, 600);
	run_until(w, 1);
	double least, layer = lowest_layer(w, 0.313, &least) / SPACING;
	printf("sheet: lowest layer at %.4f spacings, least %.4f, rms speed %.3g m/s\n", layer, least / SPACING,
	       rms_speed(w));
	check_near(layer, 0.5, 0.05);
	check_near(least / SPACING, 0.5, 0.05);
	assert_int_equal(spate_store_count(spate_world_store(w)), particles);
	spate_world_destroy(w);
	soup_free(&sheet);
}

// Pairs on the lists with one on each side of the plane x = 0.5.
static int pairs_across(spate_world *w)
{
	const neighbour_list *list = &w->work.list;
	int across = 0;
	for (uint32_t row = 0; row < list->count; row++)
	{
		const uint32_t *entry = list->entries.data + list->slice_begin.data[row / 8] + row % 8;
		for (uint32_t k = 0; k < list->slice_length.data[row / 8]; k++, entry += 8)
			across +=
			    *entry < list->count && (coordinate(w, row, 0) < 0.5) != (coordinate(w, *entry, 0) < 0.5);
	}
	return across;
}

// Height of the liquid at one side (m): twice the middle of the particles.
static double height_beside(spate_world *w, int right, uint32_t *count)
{
	double sum = 0;
	*count = 0;
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
		if ((coordinate(w, row, 0) > 0.5) == right)
		{
			sum += coordinate(w, row, 1);
			(*count)++;
		}
	return 2 * sum / *count;
}

static void sides_of_a_sheet_do_not_feel_each_other(void **state)
{
	(void)state;
	soup sheet = {0};
	add_sheet(&sheet, 0, 0.7f, 6, 0, 0);
	spate_mesh mesh = mesh_of(&sheet);
	scene s;
	scene_init(&s, SPACING);
	add_collider(&s, box_shape(0, 0, 0, 1, 1, 0.4), SPATE_COLLIDER_INSIDE);
	add_shell(&s, &mesh, 0.5, 0.5, 0.2)->mesh.rotation[2] = 90;
	add_fill(&s, box_shape(0, 0, 0, 0.5, 0.6, 0.4));
	add_fill(&s, box_shape(0.5, 0, 0, 1, 0.3, 0.4));
	spate_world *w = scene_create(&s);
	uint32_t left, right, left_now, right_now;
	double high = height_beside(w, 0, &left), low = height_beside(w, 1, &right);
	assert_int_equal(left, 960);
	assert_int_equal(right, 480);
	int across = 0, beside = 0;
	while (spate_world_time(w) < 1)
	{
		step(w);
		across += pairs_across(w);
	}
	// the question means something: without the sheet there would be pairs
	for (uint32_t row = 0; row < w->state.store->rows; row++)
		beside += fabs(coordinate(w, row, 0) - 0.5) < 0.6 * SPACING;
	double high_now = height_beside(w, 0, &left_now), low_now = height_beside(w, 1, &right_now);
	printf(
	    "two columns: left %.4f m, was %.4f; right %.4f m, was %.4f; %d pairs across, %d beside the sheet, rms speed %.3g m/s\n",
	    high_now, high, low_now, low, across, beside, rms_speed(w));
	assert_true(beside > 50);
	assert_int_equal(across, 0);
	assert_int_equal(left_now, left);
	assert_int_equal(right_now, right);
	check_near(high_now, high, 0.5 * SPACING);
	check_near(low_now, low, 0.5 * SPACING);
	spate_world_destroy(w);
	soup_free(&sheet);
}

// A thin wall that stands on a floor of the same mesh: those of the lowest layer have the floor nearest, on both sides.
static void a_wall_on_a_floor_parts_the_lowest_layer(void **state)
{
	(void)state;
	soup mesh = {0};
	add_sheet(&mesh, 0, 1.2f, 6, 0, 0);
	add_sheet(&mesh, -0.5f, 0.7f, 6, 0, M_PI / 2);
	spate_mesh both = mesh_of(&mesh);
	scene s;
	scene_init(&s, SPACING);
	add_collider(&s, box_shape(0, -0.2, 0, 1, 1, 0.4), SPATE_COLLIDER_INSIDE);
	add_shell(&s, &both, 0, 0, 0);
	add_fill(&s, box_shape(0, 0, 0, 0.5, 0.3, 0.4));
	add_fill(&s, box_shape(0.5, 0, 0, 1, 0.2, 0.4));
	spate_world *w = scene_create(&s);
	int across = 0;
	while (spate_world_time(w) < 0.2)
	{
		step(w);
		across += pairs_across(w);
	}
	assert_int_equal(across, 0);
	spate_world_destroy(w);
	soup_free(&mesh);
}

// Two sheets closer than a kernel radius: particles outside of them have each another one nearest.
static void two_sheets_part_as_one(void **state)
{
	(void)state;
	soup sheet = {0};
	add_sheet(&sheet, 0, 0.7f, 6, 0, 0);
	spate_mesh mesh = mesh_of(&sheet);
	scene s;
	scene_init(&s, SPACING);
	s.def.gravity[1] = 0;
	add_shell(&s, &mesh, 0.49, 0, 0)->mesh.rotation[2] = 90;
	add_shell(&s, &mesh, 0.51, 0, 0)->mesh.rotation[2] = 90;
	add_fill(&s, box_shape(0.49 - 4 * SPACING, -0.15, -0.15, 0.49, 0.15, 0.15));
	add_fill(&s, box_shape(0.51, -0.15, -0.15, 0.51 + 4 * SPACING, 0.15, 0.15));
	spate_world *w = scene_create(&s);
	step(w);
	assert_int_equal(pairs_across(w), 0);
	spate_world_destroy(w);
	soup_free(&sheet);
}

// ---------------------------------------------------------------------------------------------------------------- resume

// Bulges faster and faster.
static void write_frames(const scratch *dir)
{
	for (int f = 1; f <= 8; f++)
	{
		soup ball = {0};
		add_sphere(&ball, vec3_make(0, 0, 0), 0.1f + 0.002f * (float)(f * f), 10);
		spate_mesh mesh = mesh_of(&ball);
		char name[32];
		snprintf(name, sizeof name, "ball.%d.obj", f);
		check_ok(spate_mesh_write(&mesh, scratch_file(dir, name), NULL));
		soup_free(&ball);
	}
}

static spate_world *make_stirred(const scratch *dir)
{
	static const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0, 0, 0}, {0, 300, 0}, 1.2}};
	scene s;
	scene_init(&s, SPACING);
	add_collider(&s, box_shape(0, 0, 0, 0.6, 0.8, 0.6), SPATE_COLLIDER_INSIDE);
	spate_collider_def *ball = add_collider(&s, (spate_shape){0}, SPATE_COLLIDER_OUTSIDE);
	char path[1200];
	snprintf(path, sizeof path, "%s/ball.%%d.obj", dir->path);
	ball->mesh.path = path;
	ball->mesh.first = 1;
	ball->mesh.last = 8;
	ball->mesh.position[0] = ball->mesh.position[1] = ball->mesh.position[2] = 0.3;
	ball->friction = 0.5;
	ball->motion = (spate_motion){.keyframes = keys, .keyframe_count = 2, .pivot = {0.3, 0.3, 0.3}};
	add_fill(&s, box_shape(0, 0, 0, 0.6, 0.4, 0.6));
	return scene_create(&s);
}

static void resumed_in_a_sequence_are_the_same_bits(void **state)
{
	const scratch *dir = *state;
	write_frames(dir);
	spate_world *whole = make_stirred(dir), *late = make_stirred(dir);
	for (int f = 0; f < 4; f++)
		run_frame(whole);
	check_ok(run_dir_create(dir->path, NULL));
	check_ok(world_write_checkpoint(whole, dir->path, NULL));
	spate_frame *checkpoint = NULL;
	check_ok(checkpoint_newest_valid(dir->path, 0, &checkpoint, NULL));
	check_ok(world_restore(late, checkpoint, NULL));
	spate_frame_close(checkpoint);
	for (int f = 4; f < 7; f++)
	{
		run_frame(whole);
		run_frame(late);
		check_near(spate_world_stats(late)->dt, spate_world_stats(whole)->dt, 0);
		assert_true(spate_world_hash(late) == spate_world_hash(whole));
	}
	spate_world_destroy(whole);
	spate_world_destroy(late);
}

int main(void)
{
	skip_without_fields();
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_tank_of_triangles_is_a_tank),
	    cmocka_unit_test(liquid_lies_on_an_open_sheet),
	    cmocka_unit_test(sides_of_a_sheet_do_not_feel_each_other),
	    cmocka_unit_test(a_wall_on_a_floor_parts_the_lowest_layer),
	    cmocka_unit_test(two_sheets_part_as_one),
	    cmocka_unit_test(resumed_in_a_sequence_are_the_same_bits),
	};
	return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
