// Values over time in scene files: what they mean, how they are written, and mistakes in them.
#include "scene/scene_support.h"

#include "spate/live.h"

#define HEAD "spate: 2\nfps: 10\nframes: 20\nfluids:\n"
#define WATER "  water: { spacing: 0.1 }\n"
#define FLUID(keys) HEAD "  water: { spacing: 0.1, " keys " }\n"
#define BOX "{ box: { min: [0, 0, 0], max: [1, 1, 1] } }"
#define JET "sources:\n  - { type: emitter, fluid: water, position: [0, 1, 0], direction: [0, -1, 0], radius: 0.2, "

static const char good[] = FLUID(
    "viscosity: [[0, 1.0e-4], [2, 0.5]], surface_tension: { expression: 0.07 + 0*t }") "gravity: { keys: [[0, [0, -9.81, 0]], [1.5, [3, -9, 0]]], between: smooth }\n"
										       "solver: { cfl: { keys: [[0.5, 0.1]], between: step } }\n" JET
										       "speed: { expression: \"1 + t\" } }\n"
										       "colliders:\n  - { shape: " BOX
										       ", slip: [[0, 0]], friction: 0.5 }\n"
										       "speed_limit: [[0, 50], [1, 100]]\n";

static const spate_track *find(const spate_scene *scene, const char *path)
{
	for (uint32_t k = 0; k < scene->world.track_count; k++)
		if (strcmp(scene->world.tracks[k].path, path) == 0)
			return &scene->world.tracks[k];
	fail_msg("there is no track of %s", path);
	return NULL;
}

static void check_good(const spate_scene *scene)
{
	const spate_world_def *w = &scene->world;
	assert_int_equal(w->track_count, 7);
	const spate_track *t = find(scene, "fluids.water.viscosity");
	assert_int_equal(t->key_count, 2);
	assert_true(t->keys[1].time == 2 && t->keys[1].value[0] == 0.5 && t->between == SPATE_BETWEEN_LINEAR);
	assert_null(t->expressions[0]);
	t = find(scene, "gravity");
	assert_true(t->keys[1].time == 1.5 && t->keys[1].value[0] == 3 && t->keys[1].value[1] == -9);
	assert_int_equal(t->between, SPATE_BETWEEN_SMOOTH);
	assert_string_equal(find(scene, "fluids.water.surface_tension")->expressions[0], "0.07 + 0*t");
	assert_string_equal(find(scene, "sources.0.speed")->expressions[0], "1 + t");
	assert_int_equal(find(scene, "solver.cfl")->between, SPATE_BETWEEN_STEP);
	assert_int_equal(find(scene, "colliders.0.slip")->key_count, 1);
	assert_int_equal(find(scene, "speed_limit")->key_count, 2);
	// the definition has the values at the beginning
	assert_true(w->fluids[0].viscosity == 1e-4 && w->fluids[0].surface_tension == 0.07 && w->gravity[1] == -9.81 &&
		    w->sources[0].speed == 1 && w->solver.cfl == 0.1 && w->colliders[0].slip == 0 &&
		    w->speed_limit == 50);
}

static void values_are_read_and_written(void **state)
{
	(void)state;
	spate_scene a = parse_good(good);
	check_good(&a);
	char *first = spate_scene_text(&a);
	spate_scene b = parse_good(first);
	check_good(&b);
	char *second = spate_scene_text(&b);
	assert_string_equal(first, second);
	assert_non_null(strstr(first, "\n    viscosity: { keys: [[0, 0.0001], [2, 0.5]], between: linear }\n"));
	assert_non_null(strstr(first, "\n    speed: { expression: \"1 + t\" }\n"));
	assert_non_null(
	    strstr(first, "\ngravity: { keys: [[0, [0, -9.81, 0]], [1.5, [3, -9, 0]]], between: smooth }\n"));
	spate_scene_text_free(first);
	spate_scene_text_free(second);
	spate_scene_free(&a);
	spate_scene_free(&b);
}

static void overrides_give_and_take_them(void **state)
{
	(void)state;
	const char *const overrides[] = {"fluids.water.viscosity=0.25", "gravity={expression: [t, -9.81, \"sin(t)\"]}",
					 "colliders.0.friction=[[0, 0.5], [1, 0]]"};
	spate_scene scene;
	char said[2000];
	check_ok(parse(&scene, good, overrides, 3, said, sizeof said));
	assert_int_equal(scene.world.track_count, 7);
	assert_true(scene.world.fluids[0].viscosity == 0.25);
	assert_string_equal(find(&scene, "gravity")->expressions[0], "t");
	assert_int_equal(find(&scene, "colliders.0.friction")->key_count, 2);
	spate_scene_free(&scene);
	const char *const bad[] = {"gravity={expression: [t, x, 0]}"};
	check_result(parse(&scene, good, bad, 1, said, sizeof said), SPATE_SCENE);
	assert_string_equal(said,
			    "0:0: error: --set gravity={expression: [t, x, 0]}: gravity: an expression has no name 'x' "
			    "here; its variables are t\n");
}

// A jet that speeds up makes as many particles as one of its mean speed.
static void estimates_know_the_mean(void **state)
{
	(void)state;
	const char *const texts[] = {HEAD WATER JET "speed: [[0, 0.5], [2, 3.5]] }\n", HEAD WATER JET "speed: 2 }\n"};
	double particles[2];
	for (int k = 0; k < 2; k++)
	{
		spate_scene scene = parse_good(texts[k]);
		spate_estimate estimate;
		spate_scene_estimate(&scene, &estimate);
		particles[k] = estimate.particles;
		assert_true(scene.world.sources[0].speed == (k ? 2 : 0.5));
		spate_scene_free(&scene);
	}
	assert_true(particles[1] > 100);
	check_near(particles[0], particles[1], 1);
}

static void mistakes_have_places(void **state)
{
	(void)state;
	static const struct
	{
		const char *text, *said;
	} cases[] = {
	    {FLUID("viscosity: [[0, 1], [0, 2]]"),
	     "5:47: error: fluids.water: the times of keyframes must increase; keyframe 1 is at 0 s, after one at 0 s\n"},
	    {FLUID("viscosity: [[0, 1], [1, 2000]]"),
	     "5:50: error: fluids.water: viscosity must be from 0 to 1000 m^2/s; here it is 2000, and in mm^2/s (cSt) that is 0.002\n"},
	    {FLUID("viscosity: [[0, 1], [-1, 2]]"),
	     "5:47: error: fluids.water: the time of a keyframe must be from 0 to 1000000 s; here it is -1\n"},
	    {FLUID("viscosity: [[0, 1], [1]]"),
	     "5:46: error: fluids.water: a keyframe of viscosity is a list of a time and a value, like [0.5, 2]\n"},
	    {FLUID("viscosity: [[0, 1], 2]"),
	     "5:46: error: fluids.water: a keyframe of viscosity is a list of a time and a value, like [0.5, 2]\n"},
	    {FLUID("damping: [[0, none]]"),
	     "5:40: error: fluids.water: damping must be a number, like 0.05; here it is 'none'\n"},
	    {FLUID("viscosity: [0, 1]"),
	     "5:37: error: fluids.water: viscosity must be a number in m^2/s, like 1.0e-6; here it is a list\n"},
	    {FLUID("viscosity: { keys: [], between: linear }"),
	     "5:45: error: fluids.water: the keyframes of viscosity must be a list like [[0, ...], [2, ...]]\n"},
	    {FLUID("viscosity: { between: smooth }"),
	     "5:26: error: fluids.water: 'keys' is missing, like keys: [[0, ...], [2, ...]]\n"},
	    {FLUID("viscosity: { keys: [[0, 1]], betwen: smooth }"),
	     "5:55: error: fluids.water: unknown key 'betwen'; did you mean 'between'?\n"},
	    {FLUID("viscosity: { keys: [[0, 1]], between: smoth }"),
	     "5:64: error: fluids.water: between cannot be 'smoth'; did you mean 'smooth'?\n"},
	    {FLUID("viscosity: { keys: [[0, 1]], expression: t }"),
	     "5:55: error: fluids.water: 'expression' cannot be used with 'keys'\n"},
	    {FLUID("viscosity: { expression: \"2 * tt\" }"),
	     "5:56: error: fluids.water: viscosity: an expression has no name 'tt' here; its variables are t\n"},
	    {FLUID("viscosity: { expression: 2 * tt }"),
	     "5:55: error: fluids.water: viscosity: an expression has no name 'tt' here; its variables are t\n"},
	    {FLUID("viscosity: { expression: [t] }"),
	     "5:51: error: fluids.water: an expression of viscosity must be a text in t, like \"2*sin(3*t)\"\n"},
	    {FLUID("viscosity: { expression: sqrt(1 - t) }"),
	     "5:37: error: fluids.water: viscosity is not a number at 1.1 s: its expression has no value there\n"},
	    {FLUID("viscosity: { expression: 0.5 - t }"),
	     "5:37: warning: fluids.water: viscosity must be from 0 to 1000; at 0.6 s its expression is beyond that, and "
	     "the nearest value is used\n"},
	    {FLUID("density: [[0, 1000], [1, 900]]"),
	     "5:35: error: fluids.water: density cannot change over time; keys beside it that can are viscosity, damping, "
	     "surface_tension, cohesion, pull, push, adhesion, vorticity\n"},
	    {HEAD WATER "gravity: [[0, 1]]\n",
	     "6:15: error: gravity must be a list of three numbers in m/s^2, like [0, -9.81, 0]; here it is '1'\n"},
	    {HEAD WATER "gravity: { expression: t }\n",
	     "6:24: error: gravity needs a list of three expressions, like [\"0\", \"-9.81\", \"sin(t)\"]\n"},
	    {HEAD WATER "probes:\n  main: { type: point, position: [[0, [1, 1, 1]]] }\n",
	     "7:34: error: probes.main: position cannot change over time; no key beside it can\n"},
	    {HEAD WATER "cameras:\n  main: { position: [1, 1, 1], fov: { expression: 200*t } }\n",
	     "7:37: warning: cameras.main: fov must be from 1 to 170; at 0 s its expression is beyond that, and the nearest "
	     "value is used\n"},
	    {"spate: 1\nfluids:\n  water: { spacing: 0.1, viscosity: [[0, 1]] }\n",
	     "3:37: error: fluids.water: values over time need version 2; write 'spate: 2' to use them\n"},
	};
	int wrong = 0;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		spate_scene scene;
		char said[4000];
		spate_result result = parse(&scene, cases[k].text, NULL, 0, said, sizeof said);
		if (!strstr(said, cases[k].said))
			print_error("%s\nsays:\n%sexpected:\n%s", cases[k].text, said, cases[k].said), wrong++;
		if (result == SPATE_OK)
			spate_scene_free(&scene);
		assert_int_equal(result == SPATE_OK, strstr(cases[k].said, "warning") != NULL);
	}
	assert_int_equal(wrong, 0);
}

// Cameras over time are the scene's: exact values, text that means the same, and no curve of the world unless the solver looks through them.
static void cameras_move(void **state)
{
	(void)state;
	static const char text[] =
	    "spate: 2\nframes: 48\nsolver: { %s }\nfluids:\n  water: { spacing: 0.1 }\nsources:\n"
	    "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\ngravity: [0, 0, 0]\ncameras:\n"
	    "  still: { position: [0, 0, 3] }\n"
	    "  fly: { position: [[0, [0, 1, 4]], [2, [2, 1, 8]]], target: { expression: [\"t\", \"0\", \"0\"] }, up: [[1, [0, 1, 0]]],\n"
	    "         fov: { keys: [[0, 20], [2, 60]], between: smooth } }\n";
	static const struct
	{
		const char *solver;
		uint32_t tracks; // of the world
	} cases[] = {{"type: projection", 0},
		     {"type: adaptive", 0},
		     {"type: adaptive, level: camera", 4},
		     {"type: adaptive, level: camera, cameras: [still]", 0},
		     {"type: adaptive, level: surface, cameras: [fly]", 4}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
	{
		char whole[1024], said[2048];
		snprintf(whole, sizeof whole, text, cases[k].solver);
		spate_scene s = parse_good(whole), again;
		assert_int_equal(s.world.track_count, cases[k].tracks);
		spate_camera_def c;
		check_ok(spate_scene_camera(&s, 1, 0.5, &c, NULL));
		assert_string_equal(c.name, "fly");
		check_near(c.position[0], 0.5, 0.0);
		check_near(c.position[1], 1.0, 0.0);
		check_near(c.position[2], 5.0, 0.0);
		check_near(c.target[0], 0.5, 0.0);
		check_near(c.up[1], 1.0, 0.0);
		check_near(c.fov, 20.0 + 40.0 * (3.0 / 16.0 - 2.0 / 64.0), 1e-12);
		check_ok(spate_scene_camera(&s, 1, 9.0, &c, NULL));
		check_near(c.position[2], 8.0, 0.0);
		check_near(c.target[0], 9.0, 0.0);
		check_ok(spate_scene_camera(&s, 0, 9.0, &c, NULL));
		check_near(c.position[2], 3.0, 0.0);
		check_result(spate_scene_camera(&s, 2, 0.0, &c, NULL), SPATE_INVALID);
		char *written = spate_scene_text(&s);
		assert_non_null(strstr(written, "target: { expression: [\"t\", \"0\", \"0\"] }"));
		check_ok(parse(&again, written, NULL, 0, said, sizeof said));
		char *second = spate_scene_text(&again);
		assert_string_equal(second, written);
		spate_scene_text_free(second);
		spate_scene_text_free(written);
		spate_scene_free(&again);
		// the world has what its solver looks through
		spate_world *world = NULL;
		spate_error error = {0};
		check_ok(spate_world_create(&world, &s.world, &error));
		int done = 0;
		while (!done)
			check_ok(spate_world_step(world, &done, NULL));
		double place[3];
		if (cases[k].tracks > 0)
		{
			check_ok(spate_world_get_vector(world, "cameras.fly.position", place, NULL));
			check_near(place[2], 4.0 + 2.0 * spate_world_time(world), 1e-12);
			check_result(spate_world_set(world, "cameras.fly.position", "[0, 0, 1]", NULL), SPATE_INVALID);
		}
		spate_world_destroy(world);
		spate_scene_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_are_read_and_written),
	    cmocka_unit_test(overrides_give_and_take_them),
	    cmocka_unit_test(estimates_know_the_mean),
	    cmocka_unit_test(mistakes_have_places),
	    cmocka_unit_test(cameras_move),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
