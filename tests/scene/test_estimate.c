// What is expected of a run against what it does: substeps and iterations, weighted by particles. No clock.
#include "scene/scene_support.h"

#include "spate/world.h"

#define TANK "colliders:\n  - { shape: { box: { min: [0, 0, 0], max: [1, 1, 0.5] } }, mode: inside }\n"

typedef struct counted
{
	double substeps, iterations; // times particles
} counted;

static counted run(const spate_scene *scene)
{
	counted out = {0};
	spate_world *world = NULL;
	spate_world_def def = scene->world;
	def.threads = 1;
	check_ok(spate_world_create(&world, &def, NULL));
	for (uint32_t frame = 0; frame < scene->frames;)
	{
		int done = 0;
		check_ok(spate_world_step(world, &done, NULL));
		const spate_step_stats *s = spate_world_stats(world);
		out.substeps += s->particles;
		out.iterations += (double)s->particles * s->iterations;
		frame += done != 0;
	}
	spate_world_destroy(world);
	return out;
}

static void check_factor(const char *scene, const char *what, double expected, double actual)
{
	print_message("%s: %s expected %.0f, counted %.0f\n", scene, what, expected, actual);
	if (!(expected < 1.5 * actual && actual < 1.5 * expected))
		fail_msg("%s: %s expected %g, counted %g: more than 1.5 times", scene, what, expected, actual);
}

// What makes steps short: a fall, surface tension, a fast jet, and depth alone.
static void work_is_near(void **state)
{
	static const struct
	{
		const char *name, *text;
		int splashes; // nobody knows how many iterations that takes
	} scenes[] = {
	    {"a column that collapses",
	     "frames: 24\nfluids:\n  a: { spacing: 0.04 }\nsources:\n  - { type: fill, fluid: a, shape: "
	     "{ box: { min: [0, 0, 0], max: [0.4, 0.6, 0.5] } } }\n" TANK,
	     0},
	    {"a drop without weight",
	     "frames: 2\ngravity: [0, 0, 0]\nfluids:\n  a: { spacing: 0.01, surface_tension: 1 }\nsources:\n"
	     "  - { type: fill, fluid: a, shape: { box: { min: [0, 0, 0], max: [0.1, 0.1, 0.1] } } }\n",
	     0},
	    {"a jet",
	     "frames: 24\nfluids:\n  a: { spacing: 0.02 }\nsources:\n  - { type: emitter, fluid: a, position: [0.5, 0.9, "
	     "0.25], direction: [0, -1, 0], speed: 3, radius: 0.06 }\n" TANK,
	     0},
	    {"a block thrown down",
	     "frames: 4\nfluids:\n  a: { spacing: 0.04 }\nsources:\n  - { type: fill, fluid: a, velocity: [0, -5, 0], "
	     "shape: { box: { min: [0.3, 0.5, 0.1], max: [0.7, 0.9, 0.4] } } }\n" TANK,
	     1},
	    {"a tank at rest",
	     "frames: 12\nfluids:\n  a: { spacing: 0.05 }\nsources:\n  - { type: fill, fluid: a, shape: { box: { "
	     "min: [0, 0, 0], max: [1, 0.5, 0.5] } } }\n" TANK,
	     0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
	{
		char text[1024];
		snprintf(text, sizeof text, "spate: 1\n%s", scenes[i].text);
		spate_scene scene = parse_good(text);
		spate_estimate e;
		spate_scene_estimate(&scene, &e);
		counted done = run(&scene);
		check_factor(scenes[i].name, "substeps", e.particle_substeps, done.substeps);
		if (!scenes[i].splashes)
			check_factor(scenes[i].name, "iterations", e.particle_iterations, done.iterations);
		spate_scene_free(&scene);
	}
}

// Thick liquid costs rounds of smoothing, and thicker one an implicit solve that costs more.
static void viscosity_costs(void **state)
{
	static const char *const viscosities[] = {"1e-6", "0.3", "10"};
	double last = 0.0;
	(void)state;
	for (int i = 0; i < 3; i++)
	{
		char text[512];
		snprintf(
		    text, sizeof text,
		    "spate: 1\nsolver: { substeps: 10 }\nfluids:\n  a: { spacing: 0.05, viscosity: %s }\nsources:\n  - { type: "
		    "fill, fluid: a, shape: { box: { min: [0, 0, 0], max: [1, 0.5, 0.5] } } }\n" TANK,
		    viscosities[i]);
		spate_scene scene = parse_good(text);
		spate_estimate e;
		spate_scene_estimate(&scene, &e);
		assert_true(e.smoothing > last);
		assert_true(e.substeps == 10.0);
		last = e.smoothing;
		spate_scene_free(&scene);
	}
}

// Fills that appear, an emitter that starts, stops and has a limit, and a sink that takes what is old: exact, and near what a run has.
static void particles_over_time_are_known(void **state)
{
	static const char sources[] =
	    "spate: 2\nframes: 24\ngravity: [0, 0, 0]\nfluids:\n  a: { spacing: 0.1 }\nsources:\n"
	    "  - { type: fill, fluid: a, shape: { box: { min: [0, 0, 0], max: [1, 0.5, 0.5] } } }\n"
	    "  - { type: fill, fluid: a, start: 0.6, shape: { box: { min: [0, 1, 0], max: [0.5, 1.2, 0.5] } } }\n"
	    "  - { type: emitter, fluid: a, start: 0.25, stop: 0.75, flow: 0.2, limit: 80, radius: 0.2, position: [3, 0, 0], "
	    "direction: [1, 0, 0] }\n";
	static const struct
	{
		const char *sink;
		double alive[SPATE_ESTIMATE_TIMES], most;
		uint32_t open;
	} cases[] = {
	    {"", {250, 250, 300, 380, 380}, 380, 0},
	    // the first fill and the 10 that came until then are the most
	    {"sinks:\n  - { remove: everywhere, age: 0.3 }\n", {250, 250, 50, 90, 0}, 260, 0},
	    {"sinks:\n  - { remove: everywhere, age: 0.3, speed: 1 }\n", {250, 250, 300, 380, 380}, 380, 1},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		char text[1024];
		snprintf(text, sizeof text, "%s%s", sources, cases[i].sink);
		spate_scene scene = parse_good(text);
		spate_estimate e;
		spate_scene_estimate(&scene, &e);
		for (int k = 0; k < SPATE_ESTIMATE_TIMES; k++)
		{
			check_near(e.times[k], 0.25 * k, 1e-12);
			check_near(e.alive[k], cases[i].alive[k], 1e-6);
		}
		check_near(e.most, cases[i].most, 1e-4);
		check_near(e.particles, cases[i].alive[SPATE_ESTIMATE_TIMES - 1], 1e-6);
		check_near(e.bytes, SPATE_ESTIMATE_BYTES * cases[i].most, 1.0);
		assert_int_equal(e.open_sinks, cases[i].open);
		spate_world *world = NULL;
		check_ok(spate_world_create(&world, &scene.world, NULL));
		for (uint32_t frame = 0, done = 0; frame < 24; frame += done)
		{
			int ended = 0;
			check_ok(spate_world_step(world, &ended, NULL));
			done = ended != 0;
			// a layer of the jet is 13 particles
			if (done && (frame + 1) % 6 == 0 && cases[i].open == 0)
				check_near(spate_world_stats(world)->particles, cases[i].alive[(frame + 1) / 6], 14.0);
		}
		spate_world_destroy(world);
		spate_scene_free(&scene);
	}
}

// What a curve has let out until a time counts, not its mean over the run.
static void particles_follow_curves(void **state)
{
	static const double alive[SPATE_ESTIMATE_TIMES] = {0, 0, 0, 50, 100};
	(void)state;
	spate_scene scene = parse_good(
	    "spate: 2\nframes: 24\nfluids:\n  a: { spacing: 0.1 }\nsources:\n  - { type: emitter, fluid: a, radius: 0.2, position: "
	    "[0, 0, 0], direction: [1, 0, 0], flow: { keys: [[0, 0], [0.5, 0.2]], between: step } }\n");
	spate_estimate e;
	spate_scene_estimate(&scene, &e);
	for (int k = 0; k < SPATE_ESTIMATE_TIMES; k++)
		check_near(e.alive[k], alive[k], 2.0);
	check_near(e.particles, 100, 2.0);
	spate_scene_free(&scene);
}

// Liquid that falls is no faster below a sink that takes all of it than it is at the bottom of a tank of that depth.
static void falls_end_at_sinks(void **state)
{
	static const struct
	{
		const char *end;
		int catches;
	} cases[] = {
	    {"colliders:\n  - { shape: { plane: { point: [0, -1, 0], normal: [0, 1, 0] } } }\n", 1},
	    {"sinks:\n  - { shape: { plane: { point: [0, -1, 0], normal: [0, 1, 0] } } }\n", 1},
	    {"sinks:\n  - { shape: { box: { min: [-9, -1, -9], max: [9, 9, 9] } }, remove: outside }\n", 1},
	    {"sinks:\n  - { shape: { box: { min: [-9, -2, -9], max: [9, -1, 9] } } }\n", 1},
	    {"sinks:\n  - { shape: { plane: { point: [0, -1, 0], normal: [0, 1, 0] } }, flow: 0.001 }\n", 0},
	    {"sinks:\n  - { shape: { plane: { point: [0, -1, 0], normal: [0, 1, 0] } }, age: 1 }\n", 0},
	    {"sinks:\n  - { shape: { box: { min: [5, -2, 5], max: [9, -1, 9] } } }\n", 0},
	};
	double floor = 0.0;
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		char text[1024];
		snprintf(
		    text, sizeof text,
		    "spate: 2\nframes: 96\nfluids:\n  a: { spacing: 0.05 }\nsources:\n  - { type: emitter, fluid: a, radius: "
		    "0.2, position: [0, 0, 0], direction: [0, -1, 0], speed: 1 }\n%s",
		    cases[i].end);
		spate_scene scene = parse_good(text);
		spate_estimate e;
		spate_scene_estimate(&scene, &e);
		floor = i == 0 ? e.substeps : floor;
		print_message("%g substeps, with a floor %g\n", e.substeps, floor);
		if (cases[i].catches)
			check_near(e.substeps, floor, 0.1 * floor);
		else
			assert_true(e.substeps > 2.0 * floor);
		spate_scene_free(&scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(work_is_near), cmocka_unit_test(viscosity_costs),
					   cmocka_unit_test(particles_over_time_are_known),
					   cmocka_unit_test(particles_follow_curves),
					   cmocka_unit_test(falls_end_at_sinks)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
