// Fills whose shape is a wall, too.
#define _GNU_SOURCE
#include "collider/meshes.h"
#include "run_support.h"
#include "scene/scene_support.h"

#include "particles/store.h"
#include "spate/spate.h"

enum
{
	ROUND = 24 // of the mesh of a ball: its triangles are at most 0.9 % of the radius inside of it
};

static const double radius = 0.12, spacing = 0.012;

typedef struct fixture
{
	scratch s;
} fixture;

static int set_up(void **state)
{
	fixture *f = calloc(1, sizeof *f);
	assert_non_null(f);
	f->s = scratch_make();
	FILE *file = fopen(scratch_file(&f->s, "ball.obj"), "w");
	assert_non_null(file);
	soup ball = {0};
	add_sphere(&ball, vec3_make(0, 0, 0), (float)radius, ROUND);
	for (size_t i = 0; i < ball.positions.count; i += 3)
		fprintf(file, "v %.9g %.9g %.9g\n", (double)ball.positions.data[i], (double)ball.positions.data[i + 1],
			(double)ball.positions.data[i + 2]);
	for (size_t i = 0; i < ball.triangles.count; i += 3)
		fprintf(file, "f %u %u %u\n", ball.triangles.data[i] + 1, ball.triangles.data[i + 1] + 1,
			ball.triangles.data[i + 2] + 1);
	fclose(file);
	soup_free(&ball);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	fixture *f = *state;
	scratch_remove(&f->s);
	free(f);
	return 0;
}

#define HEAD                                                                              \
	"spate: 2\nframes: 24\nfps: 24\nfluids:\n  water: { spacing: 0.012 }\nsources:\n" \
	"  - { type: fill, name: flask, fluid: water, "

// A fill of the ball up to its middle, with more keys.
static spate_scene scene_of(const fixture *f, const char *more)
{
	char text[4000];
	snprintf(text, sizeof text,
		 HEAD "shape: { mesh: { path: \"%s\", position: [0.3, 0.2, 0.1] } }, level: 0.2%s }\n",
		 scratch_file(&f->s, "ball.obj"), more);
	return parse_good(text);
}

static spate_world *create(const spate_scene *scene)
{
	spate_world *w = NULL;
	spate_error error = {0};
	if (spate_world_create(&w, &scene->world, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return w;
}

// The furthest particle from the middle of the ball (m), and the highest above it.
static double furthest(spate_world *w, double *highest)
{
	const spate_store *store = spate_world_store(w);
	const double *o = spate_world_origin(w);
	double far = 0;
	*highest = -1;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double x = (double)store->position[row].x + o[0] - 0.3, y = (double)store->position[row].y + o[1] - 0.2,
		       z = (double)store->position[row].z + o[2] - 0.1;
		far = fmax(far, sqrt(x * x + y * y + z * z));
		*highest = fmax(*highest, y);
	}
	return far;
}

static double step_until(spate_world *w, double time)
{
	double far = 0, highest;
	while (spate_world_time(w) < time)
	{
		check_ok(spate_world_step(w, NULL, NULL));
		far = fmax(far, furthest(w, &highest));
		assert_int_equal(spate_world_stats(w)->outside, 0);
		assert_int_equal(spate_world_stats(w)->removed, 0);
	}
	return far;
}

// Half a ball of water, which is thrown against its wall.
static void a_mesh_holds_its_liquid(void **state)
{
	spate_scene scene = scene_of(*state, ", collide: true, velocity: [1, 1, 0]");
	assert_int_equal(scene.world.collider_count, 1);
	assert_string_equal(scene.world.colliders[0].name, "flask");
	assert_int_equal(scene.world.colliders[0].mode, SPATE_COLLIDER_INSIDE);
	spate_world *w = create(&scene);
	double highest, far = furthest(w, &highest), volume = spate_store_count(spate_world_store(w)) * pow(spacing, 3),
			ball = 2.0 / 3.0 * M_PI * pow(radius, 3);
	// its level, and the volume of the mesh below it, which is 1.1 % less than that of the ball
	assert_true(highest < 0.5 * spacing);
	assert_true(volume < ball && volume > 0.98 * ball);
	far = fmax(far, step_until(w, 1.0));
	print_message("%u particles, at most %.4g of the radius away\n",
		      (unsigned)spate_store_count(spate_world_store(w)), far / radius);
	assert_true(far < radius);
	spate_world_destroy(w);
	spate_scene_free(&scene);

	// without the wall it is gone
	scene = scene_of(*state, ", velocity: [1, 1, 0]");
	assert_int_equal(scene.world.collider_count, 0);
	w = create(&scene);
	assert_true(step_until(w, 1.0) > 2 * radius);
	spate_world_destroy(w);
	spate_scene_free(&scene);
}

static double angular_momentum_after(const fixture *f, const char *more)
{
	spate_scene scene = scene_of(f, more);
	spate_world *w = create(&scene);
	step_until(w, 0.5);
	const spate_store *store = spate_world_store(w);
	double sum = 0;
	for (uint32_t row = 0; row < store->rows; row++)
		sum +=
		    ((double)store->position[row].z + spate_world_origin(w)[2] - 0.1) * (double)store->velocity[row].x -
		    ((double)store->position[row].x + spate_world_origin(w)[0] - 0.3) * (double)store->velocity[row].z;
	sum /= store->rows;
	spate_world_destroy(w);
	spate_scene_free(&scene);
	return sum;
}

// How strongly the wall acts on the liquid: a turn in a smooth ball goes on, one that sticks brakes it.
static void stickiness_is_its_strength(void **state)
{
	double free = angular_momentum_after(*state, ", spin: [0, 6, 0], collide: true"),
	       half = angular_momentum_after(*state, ", spin: [0, 6, 0], collide: true, wall: { stickiness: 0.3 }"),
	       all = angular_momentum_after(*state, ", spin: [0, 6, 0], collide: true, wall: { stickiness: 1 }");
	print_message("angular momentum per mass: %.4g, %.4g with a stickiness of 0.3, %.4g with 1 (m^2/s)\n", free,
		      half, all);
	assert_true(free > 0);
	assert_true(half < 0.95 * free);
	assert_true(all < half);
}

static void simple_shapes_are_walls_as_well(void **state)
{
	(void)state;
	static const char text[] =
	    HEAD "shape: { cylinder: { from: [0, 0, 0], to: [0, 0.2, 0], radius: 0.1 } }, level: 0.1, collide: true, "
		 "wall: { friction: 0.2, bounce: 0.5, contact_angle: 60, slip: 0 } }\n"
		 "colliders:\n  - { name: floor, shape: { plane: { point: [0, -1, 0], normal: [0, 1, 0] } } }\n"
		 "probes:\n  load: { type: force, collider: flask }\n";
	spate_scene scene;
	spate_problems problems = {0};
	spate_error error = {0};
	if (spate_scene_parse(&scene, "walls.yaml", text, strlen(text), NULL, 0, &problems, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	assert_int_equal(problems.count, 0);
	assert_int_equal(scene.world.collider_count, 2);
	assert_int_equal(scene.wall_count, 1);
	assert_int_equal(scene.world.probes[0].collider, 1);
	const spate_collider_def *c = &scene.world.colliders[1];
	check_near(c->friction, 0.2, 0);
	check_near(c->bounce, 0.5, 0);
	check_near(c->contact_angle, 60, 0);
	check_near(c->slip, 0, 0);

	// written and read, it has one wall still
	char *written = spate_scene_text(&scene), *twice;
	spate_scene again;
	check_ok(spate_scene_parse(&again, "again.yaml", written, strlen(written), NULL, 0, &problems, NULL));
	assert_int_equal(again.world.collider_count, 2);
	twice = spate_scene_text(&again);
	assert_string_equal(written, twice);
	spate_scene_text_free(written);
	spate_scene_text_free(twice);
	spate_scene_free(&again);

	// the wall carries the liquid
	spate_world *w = create(&scene);
	double load = 0;
	while (spate_world_frame(w) < 24)
	{
		int done;
		check_ok(spate_world_step(w, &done, NULL));
		if (done && spate_world_frame(w) > 12)
			load += spate_world_probe_values(w)[1] / 12;
	}
	double weight = spate_store_count(spate_world_store(w)) * pow(spacing, 3) * 1000 * 9.81;
	print_message("load %.4g N, weight %.4g N\n", load, weight);
	check_near(load, -weight, 0.03 * weight);
	spate_world_destroy(w);
	spate_scene_free(&scene);
	spate_problems_free(&problems);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_mesh_holds_its_liquid),
	    cmocka_unit_test(stickiness_is_its_strength),
	    cmocka_unit_test(simple_shapes_are_walls_as_well),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
