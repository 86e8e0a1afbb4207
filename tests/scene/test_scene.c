// Good scenes: values, defaults, presets, overrides, estimates, the way back to text, and running out of memory.
#include "scene/scene_support.h"

#include "base/memory.h"

#include <locale.h>

// Every key once, with values that have no short decimal form.
static const char everything[] =
    "spate: 1\n"
    "name: \"all \\\"of\\\" it\"\n"
    "frames: 48\n"
    "fps: 23.976\n"
    "up: z\n"
    "gravity: [0.1, 0.2, -9.80665]\n"
    "seed: 18446744073709551615\n"
    "solver: { type: pbf, quality: high, substeps: 7, max_substeps: 9, iterations: 5, min_iterations: 3,\n"
    "  tolerance: 0.0033333333333333335, cfl: 0.1 }\n"
    "fluids:\n"
    "  water: { preset: seawater, spacing: 0.030000000000000002 }\n"
    "  thick-oil: { preset: oil, spacing: 0.025, density: 900, viscosity: 1.1e-4, damping: 0.3, surface_tension: 0,\n"
    "    vorticity: 0.7, color: \"#0aFf01\" }\n"
    "sources:\n"
    "  - { type: fill, name: a, fluid: thick-oil, shape: { sphere: { center: [1, 2, 3], radius: 0.3 } },\n"
    "      velocity: [1, 0, -0.0], jitter: 0.25, start: 0.5 }\n"
    "  - { type: fill, fluid: water, shape: { capsule: { from: [0, 0, 0], to: [0, 0, 1], radius: 0.1 } } }\n"
    "  - { type: emitter, fluid: water, position: [0, 0, 1], direction: [0, 0, -2], width: 0.1, height: 0.2,\n"
    "      speed: 3, start: 0.1, stop: 0.9, limit: 1e4, viscosity: 0.0123, surface_tension: 0.9, density: 1234.5 }\n"
    "  - { type: emitter, fluid: water, position: [0, 0, 1], direction: [0, 0, -2], radius: 0.1, speed: 3 }\n"
    "colliders:\n"
    "  - { name: tank, shape: { box: { min: [-5, -5, -5], max: [5, 5, 5] } }, mode: inside, friction: 0.3,\n"
    "      bounce: 0.1 }\n"
    "  - shape: { plane: { point: [0, 0, -1], normal: [0, 0, 3] } }\n"
    "    motion:\n"
    "      pivot: [1, 1, 1]\n"
    "      keyframes: [{ time: 0 }, { time: 0.1, position: [1, 0, 0] }, { time: 0.7, rotation: [0, 90, 0] }]\n"
    "  - shape: { cylinder: { from: [0, 0, 0], to: [1, 0, 0], radius: 0.2 } }\n"
    "    motion: { sine: { direction: [1, 0, 0], amplitude: 0.3, frequency: 0.7, phase: 30, start: 0.2 } }\n"
    "  - { name: bunny, mesh: \"/my meshes/b\\\"unny.obj\", mode: shell, scale: 2.1, rotation: [0, 90, 1], position: [1.2, 0, 0.25],\n"
    "      field: { cell: 0.0051, band: 0.03, offset: 0.001 }, friction: 0.3, friction_map: { texture: /rough.png }, bounce: 0.2,\n"
    "      bounce_map: { channel: springy }, stickiness: 0.4, stickiness_map: { channel: \"a b\" },\n"
    "      wet_map: { size: 1024, drying: 2.5, channel: temperature, format: exr },\n"
    "      motion: { keyframes: [{ time: 0, scale: 0.5 }, { time: 1 }] } }\n"
    "  - { mesh: /cloth_%04d.ply, sequence: { first: 0, last: 40, fps: 30, start: -0.5 }, field: { cell: auto } }\n"
    "sinks:\n"
    "  - { name: out, shape: { box: { min: [-9, -9, -9], max: [9, 9, 9] } }, remove: outside }\n"
    "probes:\n"
    "  p: { type: point, position: [0, 0, 0.1], radius: 0.2 }\n"
    "  h: { type: height, from: [0, 0, 0], to: [0, 0, 1] }\n"
    "  f: { type: front, direction: [1, 0, 0] }\n"
    "  q: { type: flux, position: [0, 0, 0], direction: [1, 0, 0], width: 1, height: 2 }\n"
    "cameras:\n"
    "  main: { position: [1, 2, 3] }\n"
    "  side: { position: [9, 0, 0], target: [0, 0, 1], up: [0, 1, 0], fov: 60 }\n"
    "output: { channels: [fluid, velocity, rest_density], checkpoint_every: 0 }\n"
    "runaway: clamp\n"
    "speed_limit: 55.5\n";

static const char small[] = "spate: 1\nfluids:\n  water: { spacing: 0.1 }\nsources:\n"
			    "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } }\n"
			    "colliders:\n  - { shape: { box: { min: [0, 0, 0], max: [2, 1, 1] } }, mode: inside }\n";

static void values_arrive(void **state)
{
	(void)state;
	spate_scene s = parse_good(everything);
	const spate_world_def *w = &s.world;
	assert_string_equal(s.name, "all \"of\" it");
	assert_int_equal(s.frames, 48);
	assert_true(w->fps == 23.976 && w->gravity[0] == 0.1 && w->gravity[2] == -9.80665);
	assert_true(w->seed == UINT64_MAX);
	assert_int_equal(w->solver.quality, SPATE_QUALITY_HIGH);
	assert_int_equal(w->solver.substeps, 7);
	assert_int_equal(w->fluid_count, 2);
	assert_string_equal(w->fluids[1].name, "thick-oil");
	assert_true(w->fluids[1].damping == 0.3 && w->fluids[1].color[1] == 1.0 &&
		    w->fluids[1].color[2] == 1.0 / 255.0);
	assert_int_equal(w->source_count, 4);
	assert_int_equal(w->sources[0].fluid, 1);
	assert_int_equal(w->sources[0].shape.type, SPATE_SHAPE_SPHERE);
	assert_true(w->sources[0].shape.a[2] == 3.0 && w->sources[0].shape.radius == 0.3);
	assert_int_equal(w->sources[2].limit, 10000);
	assert_true(w->sources[2].stop == 0.9 && w->sources[3].stop == -1.0);
	assert_true(w->fluids[1].vorticity == 0.7 && w->fluids[0].vorticity == 0.0);
	const spate_material_def *own = &w->sources[2].material;
	assert_true(own->viscosity == 0.0123 && own->cohesion == 0.9 && own->density == 1234.5);
	assert_true(own->damping == -1.0 && w->sources[0].material.viscosity == -1.0);
	assert_int_equal(w->colliders[0].mode, SPATE_COLLIDER_INSIDE);
	assert_int_equal(w->colliders[1].motion.keyframe_count, 3);
	assert_true(w->colliders[1].motion.keyframes[2].rotation[1] == 90.0);
	assert_true(w->colliders[2].motion.amplitude == 0.3 && w->colliders[2].motion.phase == 30.0);
	assert_int_equal(w->collider_count, 5);
	const spate_collider_def *bunny = &w->colliders[3], *cloth = &w->colliders[4];
	assert_string_equal(bunny->mesh.path, "/my meshes/b\"unny.obj");
	assert_int_equal(bunny->mode, SPATE_COLLIDER_SHELL);
	assert_true(bunny->mesh.scale == 2.1 && bunny->mesh.rotation[1] == 90.0 && bunny->mesh.position[2] == 0.25);
	assert_true(bunny->mesh.cell == 0.0051 && bunny->mesh.band == 0.03 && bunny->mesh.offset == 0.001);
	assert_true(bunny->stickiness == 0.4 && bunny->wet.size == 1024 && bunny->wet.drying == 2.5);
	assert_string_equal(bunny->friction_map.texture, "/rough.png");
	assert_null(bunny->friction_map.channel);
	assert_string_equal(bunny->bounce_map.channel, "springy");
	assert_null(bunny->bounce_map.texture);
	assert_string_equal(bunny->stickiness_map.channel, "a b");
	assert_string_equal(bunny->wet.channel, "temperature");
	assert_int_equal(bunny->wet.format, SPATE_IMAGE_EXR);
	assert_true(bunny->motion.keyframes[0].scale == 0.5 && bunny->motion.keyframes[1].scale == 1.0);
	assert_true(cloth->mesh.first == 0 && cloth->mesh.last == 40 && cloth->mesh.fps == 30.0 &&
		    cloth->mesh.start == -0.5);
	assert_true(cloth->mesh.scale == 1.0 && cloth->mesh.cell == 0.0 && cloth->wet.size == 0);
	assert_null(w->colliders[0].mesh.path);
	assert_int_equal(w->sinks[0].outside, 1);
	assert_int_equal(w->probe_count, 4);
	assert_true(w->probes[3].height == 2.0);
	assert_int_equal(w->runaway, SPATE_RUNAWAY_CLAMP);
	assert_string_equal(s.output.channels[0], "fluid");
	assert_int_equal(s.output.checkpoint_every, 0);
	spate_scene_free(&s);
}

static void absent_keys_take_their_defaults(void **state)
{
	(void)state;
	spate_scene s = parse_good(small);
	assert_string_equal(s.name, "test");
	assert_int_equal(s.frames, 100);
	assert_true(s.world.gravity[1] == -9.81 && s.world.fps == 24.0 && s.world.fluids[0].density == 1000.0);
	assert_int_equal(s.output.channel_count, 2);
	assert_string_equal(s.output.channels[1], "density");
	spate_scene_free(&s);
}

// Frames of several fluids tell them apart, unless the scene says what frames hold.
static void several_fluids_are_told_apart(void **state)
{
	(void)state;
	static const char two[] = "spate: 1\nfluids:\n  a: { spacing: 1 }\n  b: { spacing: 1 }\n";
	spate_scene s = parse_good(two);
	assert_int_equal(s.output.channel_count, 3);
	assert_string_equal(s.output.channels[2], "fluid");
	spate_scene_free(&s);
	char given[256];
	snprintf(given, sizeof given, "%soutput: { channels: [velocity] }\n", two);
	s = parse_good(given);
	assert_int_equal(s.output.channel_count, 1);
	spate_scene_free(&s);
	snprintf(given, sizeof given, "%soutput: { checkpoint_every: 3 }\n", two);
	s = parse_good(given);
	assert_int_equal(s.output.channel_count, 3);
	spate_scene_free(&s);
}

// `up` turns gravity and cameras, unless they are given.
static void up_turns_gravity_and_cameras(void **state)
{
	(void)state;
	spate_scene s =
	    parse_good("cameras:\n  c: { position: [1, 0, 0] }\nup: z\nspate: 1\nfluids:\n  a: { spacing: 1 }\n");
	assert_true(s.world.gravity[1] == 0.0 && s.world.gravity[2] == -9.81);
	assert_true(s.cameras[0].up[1] == 0.0 && s.cameras[0].up[2] == 1.0);
	spate_scene_free(&s);
}

static void json_is_yaml(void **state)
{
	(void)state;
	spate_scene s = parse_good("{\"spate\": 1, \"frames\": 12, \"fluids\": {\"water\": {\"spacing\": 1e-2}}}");
	assert_int_equal(s.frames, 12);
	assert_true(s.world.fluids[0].spacing == 0.01);
	spate_scene_free(&s);
}

static void presets_can_be_overridden_key_by_key(void **state)
{
	(void)state;
	spate_scene s = parse_good("spate: 1\nfluids:\n"
				   "  a: { preset: water, spacing: 0.1 }\n"
				   "  b: { density: 1300, spacing: 0.1, preset: honey }\n"
				   "  c: { preset: mercury, spacing: 0.1 }\n");
	const spate_fluid_def *f = s.world.fluids;
	check_near(f[0].density, 998.2, 0.0);
	check_near(f[0].viscosity, 1.0038e-6, 1e-10);
	check_near(f[0].surface_tension, 0.0728, 0.0);
	check_near(f[0].cohesion, -1.0, 0.0);
	check_near(f[1].density, 1300.0, 0.0);
	check_near(f[1].viscosity, 10.0 / 1420.0, 1e-12);
	check_near(f[2].viscosity, 1.147e-7, 1e-10);
	check_near(f[2].surface_tension, 0.4865, 0.0);
	check_near(f[2].color[0], 0xb8 / 255.0, 0.0);
	spate_scene_free(&s);
}

// What version 1 calls surface_tension is cohesion, and stands in for the tension of the liquid.
static void surface_tension_means_what_its_version_says(void **state)
{
	(void)state;
	static const char fluids[] = "fluids:\n  a: { spacing: 0.1, surface_tension: 0.5 }\n  b: { spacing: 0.1 }\n";
	static const char sources[] =
	    "sources:\n"
	    "  - { type: fill, fluid: a, %s: 0.3, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\n"
	    "output: { channels: [%s] }\n";
	for (int version = 1; version <= 2; version++)
	{
		const char *name = version == 1 ? "surface_tension" : "cohesion";
		char text[512], rest[300];
		snprintf(rest, sizeof rest, sources, name, name);
		snprintf(text, sizeof text, "spate: %d\n%s%s", version, fluids, rest);
		spate_scene s = parse_good(text);
		const spate_fluid_def *f = s.world.fluids;
		check_near(f[0].surface_tension, version == 1 ? 0.0 : 0.5, 0.0);
		check_near(f[0].cohesion, version == 1 ? 0.5 : -1.0, 0.0);
		check_near(f[1].surface_tension, 0.0728, 0.0);
		check_near(f[1].cohesion, -1.0, 0.0);
		check_near(s.world.sources[0].material.cohesion, 0.3, 0.0);
		assert_string_equal(s.output.channels[0], "cohesion");
		spate_scene_free(&s);
	}
}

static int same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static int same_map(const spate_map_def *a, const spate_map_def *b)
{
	return same_text(a->texture, b->texture) && same_text(a->channel, b->channel);
}

static void check_same_mesh(const spate_collider_def *x, const spate_collider_def *y)
{
	assert_true(same_text(x->mesh.path, y->mesh.path) && same_text(x->wet.channel, y->wet.channel));
	assert_true(same_map(&x->friction_map, &y->friction_map) && same_map(&x->bounce_map, &y->bounce_map) &&
		    same_map(&x->stickiness_map, &y->stickiness_map));
	spate_mesh_def a = x->mesh, b = y->mesh;
	a.path = b.path = NULL;
	assert_memory_equal(&a, &b, sizeof a);
	assert_true(x->mode == y->mode && x->stickiness == y->stickiness && x->wet.size == y->wet.size &&
		    x->wet.drying == y->wet.drying && x->wet.format == y->wet.format);
}

// Text of a scene's text is the same text, bit for bit in all numbers, in whatever language the program runs.
static void text_reads_back_to_the_same_scene(void **state)
{
	(void)state;
	const char *const sources[] = {everything, small};
	const char *comma = setlocale(LC_NUMERIC, "de_DE.UTF-8");
	for (int i = 0; i < 2; i++)
	{
		spate_scene a = parse_good(sources[i]);
		char *first = spate_scene_text(&a);
		assert_non_null(first);
		spate_scene b = parse_good(first);
		char *second = spate_scene_text(&b);
		assert_string_equal(first, second);
		assert_true(memcmp(a.world.gravity, b.world.gravity, sizeof a.world.gravity) == 0);
		const spate_solver_def *p = &a.world.solver, *q = &b.world.solver;
		assert_true(p->type == q->type && p->quality == q->quality && p->substeps == q->substeps &&
			    p->max_substeps == q->max_substeps && p->cfl == q->cfl &&
			    p->viscosity_model == q->viscosity_model && p->list_margin == q->list_margin);
		const spate_setting *setting;
		for (uint32_t k = 0; (setting = spate_solver_setting(p->type, k)); k++)
		{
			double x, y;
			check_ok(spate_solver_get(p, setting->name, &x, NULL));
			check_ok(spate_solver_get(q, setting->name, &y, NULL));
			assert_true(x == y);
		}
		for (uint32_t k = 0; k < a.world.fluid_count; k++)
		{
			spate_fluid_def x = a.world.fluids[k], y = b.world.fluids[k];
			assert_string_equal(x.name, y.name);
			x.name = y.name = NULL;
			assert_memory_equal(&x, &y, sizeof x);
		}
		for (uint32_t k = 0; k < a.world.source_count; k++)
		{
			spate_source_def x = a.world.sources[k], y = b.world.sources[k];
			x.name = y.name = NULL;
			assert_memory_equal(&x.velocity, &y.velocity, sizeof x.velocity);
			assert_memory_equal(&x.shape.a, &y.shape.a, sizeof x.shape.a);
			assert_true(x.radius == y.radius && x.width == y.width && x.stop == y.stop &&
				    x.limit == y.limit);
		}
		for (uint32_t k = 0; k < a.world.collider_count; k++)
		{
			const spate_motion *x = &a.world.colliders[k].motion, *y = &b.world.colliders[k].motion;
			assert_int_equal(x->keyframe_count, y->keyframe_count);
			if (x->keyframe_count)
				assert_memory_equal(x->keyframes, y->keyframes,
						    x->keyframe_count * sizeof *x->keyframes);
			assert_true(x->amplitude == y->amplitude && x->frequency == y->frequency);
			check_same_mesh(&a.world.colliders[k], &b.world.colliders[k]);
		}
		spate_scene_text_free(first);
		spate_scene_text_free(second);
		spate_scene_free(&a);
		spate_scene_free(&b);
	}
	if (comma)
		setlocale(LC_NUMERIC, "C");
}

static void overrides_change_single_values(void **state)
{
	(void)state;
	const char *const overrides[] = {"fluids.water.spacing=0.05",
					 "colliders.0.friction=0.1",
					 "output.checkpoint_every=3",
					 "gravity=[0, 0, -1.5]",
					 "sources.0.shape.box.max.1=0.25",
					 "fluids.oil={ preset: oil, spacing: 0.05 }",
					 "name=other"};
	spate_scene s;
	char said[4096];
	spate_result result = parse(&s, small, overrides, 7, said, sizeof said);
	assert_string_equal(said, "0:0: warning: fluids.oil: --set fluids.oil={ preset: oil, spacing: 0.05 }: "
				  "no source emits this fluid\n");
	check_ok(result);
	assert_true(s.world.fluids[0].spacing == 0.05 && s.world.colliders[0].friction == 0.1);
	assert_int_equal(s.output.checkpoint_every, 3);
	assert_true(s.world.gravity[2] == -1.5 && s.world.sources[0].shape.b[1] == 0.25);
	assert_true(s.world.fluids[1].density == 911.0);
	assert_string_equal(s.name, "other");
	spate_scene_free(&s);
}

static void bad_overrides_are_named(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
	    {"fluids.water.spacing=big",
	     "fluids.water: --set fluids.water.spacing=big: spacing must be a number in metres, like "
	     "0.01; here it is 'big'"},
	    {"fluids.watr.spacing=1", "--set fluids.watr.spacing=1: fluids has no 'watr'; did you mean 'water'?"},
	    {"fluid.water.spacing=1", "--set fluid.water.spacing=1: unknown key 'fluid'; did you mean 'fluids'?"},
	    {"fluids.water.spcing=1", "--set fluids.water.spcing=1: unknown key 'spcing'; did you mean 'spacing'?"},
	    {"colliders.3.friction=1",
	     "--set colliders.3.friction=1: '3' is neither a name in colliders nor an index into it; it has 1 elements counted from 0"},
	    {"cameras.main.fov=1", "--set cameras.main.fov=1: the scene has no 'cameras' to change"},
	    {"fluids.water.spacing.x=1",
	     "--set fluids.water.spacing.x=1: 'x' cannot be set in spacing: it is neither a map nor a list"},
	    {"frames", "--set frames: an override looks like path.to.key=value"},
	    {"=3", "--set =3: an override looks like path.to.key=value"},
	    {"frames=", "--set frames=: the value is missing"},
	    {"frames=[1",
	     "--set frames=[1: this is not valid YAML: did not find expected ',' or ']' while parsing a flow sequence"},
	    {"frames=-1", "--set frames=-1: frames must be from 1 to 1000000; here it is -1"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		spate_scene s;
		char said[4096], expected[1024];
		check_result(parse(&s, small, &cases[i][0], 1, said, sizeof said), SPATE_SCENE);
		snprintf(expected, sizeof expected, "0:0: error: %s\n", cases[i][1]);
		assert_string_equal(said, expected);
	}
}

static void estimates_follow_volumes_and_speeds(void **state)
{
	(void)state;
	spate_scene s = parse_good(
	    "spate: 1\nframes: 48\nfps: 24\nsolver: { substeps: 5 }\n"
	    "fluids:\n  a: { spacing: 0.1 }\n  b: { spacing: 0.1 }\n"
	    "sources:\n"
	    "  - { type: fill, fluid: a, shape: { box: { min: [0, 0, 0], max: [1, 2, 3] } } }\n"
	    "  - { type: fill, fluid: b, shape: { sphere: { center: [9, 9, 9], radius: 1 } } }\n"
	    "  - { type: fill, fluid: b, shape: { cylinder: { from: [20, 0, 0], to: [20, 3, 0], radius: 1 } } }\n"
	    "  - { type: fill, fluid: b, shape: { capsule: { from: [30, 0, 0], to: [30, 3, 0], radius: 1 } } }\n"
	    "  - { type: emitter, fluid: a, position: [0, 9, 0], direction: [0, -1, 0], speed: 2, width: 0.5,\n"
	    "      height: 1, stop: 1 }\n"
	    "  - { type: emitter, fluid: a, position: [0, 9, 0], direction: [0, -1, 0], speed: 2, width: 0.5,\n"
	    "      height: 1, limit: 100 }\n");
	spate_estimate e;
	spate_scene_estimate(&s, &e);
	double pi = 3.14159265358979;
	double a = 6000.0 + 1000.0 + 100.0, b = 1000.0 * (4.0 / 3.0 + 3.0 + 3.0 + 4.0 / 3.0) * pi;
	check_near(spate_scene_estimate_fluid(&s, 0), a, 1e-6);
	check_near(spate_scene_estimate_fluid(&s, 1), b, 1e-6);
	check_near(e.particles, a + b, 1e-6);
	check_near(e.bytes, 400.0 * (a + b), 1e-3);
	check_near(e.substeps, 5.0, 0.0);
	// the jet has 1000 particles after one of two seconds: 750 on average; the limited one is full at once
	double average = 6000.0 + 750.0 + 100.0 + b;
	check_near(e.particle_substeps, average * 48.0 * 5.0, 240.0 * 5.0);
	assert_true(e.cpu_seconds > 0.0 && e.seconds > 0.0 && e.seconds <= e.cpu_seconds);
	spate_scene_free(&s);
}

static void sweep(const char *text, const char *const *overrides, uint32_t count)
{
	mem_stats before = mem_get_stats();
	for (uint64_t n = 1; n < 1000; n++)
	{
		spate_scene s;
		spate_problems problems = {0};
		spate_error error = {0};
		mem_fail_at(n);
		spate_result result =
		    spate_scene_parse(&s, "t.yaml", text, strlen(text), overrides, count, &problems, &error);
		char *written = result == SPATE_OK ? spate_scene_text(&s) : NULL;
		int reached = mem_get_stats().calls - before.calls >= n;
		mem_fail_at(0);
		before.calls = mem_get_stats().calls;
		if (result == SPATE_MEMORY)
			assert_true(problems.count == 0 && s.memory == NULL);
		spate_problems_free(&problems);
		spate_scene_free(&s);
		spate_scene_text_free(written);
		assert_int_equal(mem_get_stats().blocks, before.blocks);
		if (!reached)
		{
			assert_true(n > 3);
			return;
		}
		assert_true(result == SPATE_MEMORY || written == NULL);
	}
	fail_msg("the sweep did not end");
}

static void every_failed_allocation_is_reported(void **state)
{
	(void)state;
	const char *const overrides[] = {"fluids.oil={ spacing: 0.1 }", "solver.substeps=4",
					 "fluids.water.spacing=0.2"};
	sweep(small, overrides, 3);
	sweep(everything, NULL, 0);
	sweep("spate: 1\nfluids: 3\nwrong: 1\n", NULL, 0);
}

// Declared channels, as read and as written.
static void channels_come_back(void **state)
{
	(void)state;
	static const char text[] = "spate: 2\nfluids:\n  water: { spacing: 0.1 }\nsources:\n"
				   "  - { type: fill, name: hot, fluid: water, color: \"#ff0033\", shape: { sphere: { "
				   "center: [0, 0, 0], radius: 1 } } }\n"
				   "channels:\n"
				   "  heat: { default: 20, sources: { hot: 80.5 } }\n"
				   "  batch: { type: int, default: -3, sources: { hot: 2e9 } }\n"
				   "  tint: { type: vector, sources: { hot: [1, 0.5, -2] } }\n"
				   "output: { channels: [tint, heat] }\n";
	spate_scene first = parse_good(text);
	char *written = spate_scene_text(&first);
	assert_non_null(written);
	spate_scene second = parse_good(written);
	const spate_scene *both[] = {&first, &second};
	for (int k = 0; k < 2; k++)
	{
		const spate_channel_def *c = both[k]->world.channels;
		assert_int_equal(both[k]->world.channel_count, 3);
		assert_true(both[k]->world.sources[0].color[0] == 1.0);
		assert_true(both[k]->world.sources[0].color[2] == 0.2);
		assert_string_equal(c[0].name, "heat");
		assert_string_equal(c[1].name, "batch");
		assert_string_equal(c[2].name, "tint");
		assert_int_equal(c[0].type, SPATE_CHANNEL_FLOAT);
		assert_int_equal(c[1].type, SPATE_CHANNEL_INT);
		assert_int_equal(c[2].type, SPATE_CHANNEL_VECTOR);
		for (int n = 0; n < 3; n++)
		{
			assert_int_equal(c[n].value_count, 1);
			assert_string_equal(c[n].values[0].source, "hot");
		}
		assert_true(c[0].initial[0] == 20.0 && c[0].values[0].value[0] == 80.5);
		assert_true(c[1].initial[0] == -3.0 && c[1].values[0].value[0] == 2e9);
		const double *tint = c[2].values[0].value;
		assert_true(c[2].initial[2] == 0.0 && tint[0] == 1.0 && tint[1] == 0.5 && tint[2] == -2.0);
		assert_int_equal(both[k]->output.channel_count, 2);
		assert_string_equal(both[k]->output.channels[0], "tint");
		assert_string_equal(both[k]->output.channels[1], "heat");
	}
	spate_scene_text_free(written);
	spate_scene_free(&first);
	spate_scene_free(&second);
	const char *const overrides[] = {"channels.heat.sources.hot=90", "channels.batch.default=4"};
	char said[1000];
	check_ok(parse(&first, text, overrides, 2, said, sizeof said));
	assert_true(first.world.channels[0].values[0].value[0] == 90.0);
	assert_true(first.world.channels[1].initial[0] == 4.0);
	spate_scene_free(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_arrive),
	    cmocka_unit_test(absent_keys_take_their_defaults),
	    cmocka_unit_test(several_fluids_are_told_apart),
	    cmocka_unit_test(up_turns_gravity_and_cameras),
	    cmocka_unit_test(json_is_yaml),
	    cmocka_unit_test(presets_can_be_overridden_key_by_key),
	    cmocka_unit_test(surface_tension_means_what_its_version_says),
	    cmocka_unit_test(text_reads_back_to_the_same_scene),
	    cmocka_unit_test(overrides_change_single_values),
	    cmocka_unit_test(bad_overrides_are_named),
	    cmocka_unit_test(estimates_follow_volumes_and_speeds),
	    cmocka_unit_test(every_failed_allocation_is_reported),
	    cmocka_unit_test(channels_come_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
