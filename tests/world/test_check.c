// Definitions that no world can be made of: every one is refused, with a sentence that names the culprit.
#include "scene.h"
#include "solver/pbf_work.h"

static const spate_keyframe good_keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {1, 0, 0}, {0, 90, 0}, 1}};

static void good(scene *s)
{
	scene_init(s, 0.1);
	scene_solver(s, "pbf"); // the one with the most settings
	s->def.fluid_count = 2;
	spate_collider_def *c = add_collider(s, box_shape(0, 0, 0, 1, 1, 1), SPATE_COLLIDER_INSIDE);
	c->motion.keyframes = good_keys, c->motion.keyframe_count = 2;
	add_fill(s, box_shape(0.2, 0.2, 0.2, 0.5, 0.5, 0.5));
	spate_source_def *e = add_fill(s, box_shape(0, 0, 0, 0, 0, 0));
	e->type = SPATE_SOURCE_EMITTER;
	e->direction[1] = -1, e->width = e->height = 0.2, e->speed = 1;
	s->sinks[0].shape = box_shape(5, 5, 5, 6, 6, 6);
	s->def.sink_count = 1;
	s->interfaces[0] = (spate_interface_def){{0, 1}, 0.05};
	s->def.interface_count = 1;
	add_probe(s, "p", SPATE_PROBE_POINT);
	spate_probe_def *p = add_probe(s, "f", SPATE_PROBE_FLUX);
	p->direction[0] = p->width = p->height = 1;
	add_probe(s, "g", SPATE_PROBE_HEIGHT)->b[1] = 1;
	add_probe(s, "t", SPATE_PROBE_FRONT)->direction[0] = 1;
}

static void refused(const scene *s, const char *what, const char *culprit)
{
	spate_world *w = NULL;
	spate_error error = {0};
	spate_result result = spate_world_create(&w, &s->def, &error);
	if (result != SPATE_INVALID || w)
	{
		spate_world_destroy(w);
		fail_msg("%s gave %s", what, spate_result_name(result));
	}
	assert_int_equal(error.code, SPATE_INVALID);
	if (!strstr(error.text, culprit))
		fail_msg("%s gave \"%s\", which does not name \"%s\"", what, error.text, culprit);
	// and without a place for the sentence
	check_result(spate_world_create(&w, &s->def, NULL), SPATE_INVALID);
}

// Each field in turn gets a value that it cannot have.
#define BAD(culprit, change)                     \
	do                                       \
	{                                        \
		scene own;                       \
		good(&own);                      \
		own.change;                      \
		refused(&own, #change, culprit); \
	} while (0)
#define BAD_NUMBER(culprit, field)               \
	do                                       \
	{                                        \
		BAD(culprit, field = NAN);       \
		BAD(culprit, field = INFINITY);  \
		BAD(culprit, field = -INFINITY); \
		BAD(culprit, field = 1e200);     \
	} while (0)

static void the_good_one_is_taken(void **state)
{
	(void)state;
	scene s;
	good(&s);
	spate_world *w = scene_create(&s);
	step(w);
	spate_world_destroy(w);
	spate_world_destroy(NULL);
}

static void nulls_are_refused(void **state)
{
	(void)state;
	scene s;
	good(&s);
	spate_world *w = NULL;
	spate_error error = {0};
	check_result(spate_world_create(NULL, &s.def, &error), SPATE_INVALID);
	check_result(spate_world_create(&w, NULL, &error), SPATE_INVALID);
	check_result(spate_world_step(NULL, NULL, &error), SPATE_INVALID);
	BAD("fluid", def.fluids = NULL);
	BAD("fluid", def.fluid_count = 0);
	BAD("colliders", def.colliders = NULL);
	BAD("sources", def.sources = NULL);
	BAD("sinks", def.sinks = NULL);
	BAD("probes", def.probes = NULL);
	BAD("interfaces", def.interfaces = NULL);
	BAD("collider 0", colliders[0].motion.keyframes = NULL);
}

static void bad_worlds_are_refused(void **state)
{
	(void)state;
	BAD_NUMBER("gravity", def.gravity[1]);
	BAD_NUMBER("frame rate", def.fps);
	BAD("frame rate", def.fps = 0);
	BAD_NUMBER("speed limit", def.speed_limit);
	BAD("speed limit", def.speed_limit = -1);
	BAD("runaway", def.runaway = (spate_runaway_policy)3);
	BAD("threads", def.threads = -1);
	BAD("type", def.solver.type = SOLVER_COUNT);
	BAD("type", def.solver.type = -1);
	BAD("quality", def.solver.quality = SPATE_QUALITY_COUNT);
	BAD("max_substeps", def.solver.max_substeps = 0);
	BAD_NUMBER("cfl", def.solver.cfl);
	BAD("cfl", def.solver.cfl = -0.1);
}

// Settings of the solver's own are checked by its rows. NaN is the default, so a value that never was a number counts as not set.
static void bad_settings_are_refused(void **state)
{
	(void)state;
	BAD("tolerance must be greater than 0 and at most 1", def.solver.own[PBF_TOLERANCE] = -0.1);
	BAD("tolerance", def.solver.own[PBF_TOLERANCE] = INFINITY);
	BAD("tolerance", def.solver.own[PBF_TOLERANCE] = 1.1);
	BAD("warm_start must be from 0 to 0.5", def.solver.own[PBF_WARM_START] = 0.6);
	BAD("acceleration", def.solver.own[PBF_ACCELERATION] = 1.0);
	BAD("acceleration", def.solver.own[PBF_ACCELERATION] = -0.5);
	BAD("whole number", def.solver.own[PBF_ITERATIONS] = 2.5);
	BAD("min_iterations must be from 1 to 1000", def.solver.own[PBF_MIN_ITERATIONS] = 0);
	scene s;
	good(&s);
	scene_set(&s, "iterations", 3);
	scene_set(&s, "min_iterations", 5);
	refused(&s, "too many", "min_iterations is 5, more than iterations, which is 3");
}

static void bad_fluids_are_refused(void **state)
{
	(void)state;
	BAD_NUMBER("fluid 1", fluids[1].spacing);
	BAD("fluid 0", fluids[0].spacing = 0);
	BAD("fluid 0", fluids[0].spacing = -0.1);
	BAD("fluid 0", fluids[0].spacing = 1e-30);
	BAD_NUMBER("fluid 1", fluids[1].density);
	BAD("fluid 1", fluids[1].density = 0);
	BAD_NUMBER("fluid 1", fluids[1].viscosity);
	BAD("fluid 1", fluids[1].viscosity = -1e-6);
	BAD_NUMBER("fluid 1", fluids[1].damping);
	BAD_NUMBER("fluid 1", fluids[1].cohesion);
	BAD("fluid 1", fluids[1].cohesion = 1.1);
	BAD_NUMBER("fluid 1", fluids[1].adhesion);
	BAD("fluid 1", fluids[1].adhesion = 1.1);
	BAD("fluid 1", fluids[1].adhesion = -0.1);
	BAD("solver", def.solver.viscosity_model = SPATE_VISCOSITY_COUNT);
	BAD_NUMBER("fluid 1", fluids[1].color[2]);
}

static void bad_colliders_are_refused(void **state)
{
	(void)state;
	BAD("collider 0", colliders[0].mode = (spate_collider_mode)2);
	BAD_NUMBER("collider 0", colliders[0].friction);
	BAD("collider 0", colliders[0].friction = -0.1);
	BAD_NUMBER("collider 0", colliders[0].bounce);
	BAD("collider 0", colliders[0].bounce = 1.1);
	BAD("collider 0", colliders[0].shape.type = SPATE_SHAPE_COUNT);
	BAD_NUMBER("collider 0", colliders[0].shape.a[2]);
	BAD_NUMBER("collider 0", colliders[0].shape.b[0]);
	BAD_NUMBER("collider 0", colliders[0].shape.radius);
	BAD("collider 0", colliders[0].shape.b[1] = 0);
	BAD("normal", colliders[0].shape = ((spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 0, 0}, 0}));
	BAD("radius", colliders[0].shape = ((spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0}));
	BAD("radius", colliders[0].shape = ((spate_shape){SPATE_SHAPE_CYLINDER, {0, 0, 0}, {1, 0, 0}, -1}));
	BAD("axis", colliders[0].shape = ((spate_shape){SPATE_SHAPE_CAPSULE, {1, 2, 3}, {1, 2, 3}, 1}));
	BAD("axis", colliders[0].shape = ((spate_shape){SPATE_SHAPE_CYLINDER, {0, 1, 0}, {-0.0, 1, 0}, 1}));

	static const spate_keyframe falling[2] = {{1, {0, 0, 0}, {0, 0, 0}, 1}, {1, {1, 0, 0}, {0, 0, 0}, 1}};
	static const spate_keyframe bad[3] = {
	    {NAN, {0, 0, 0}, {0, 0, 0}, 1}, {0, {0, INFINITY, 0}, {0, 0, 0}, 1}, {0, {0, 0, 0}, {0, 0, NAN}, 1}};
	BAD("times", colliders[0].motion.keyframes = falling);
	for (int k = 0; k < 3; k++)
		BAD("keyframe", colliders[0].motion = ((spate_motion){.keyframes = &bad[k], .keyframe_count = 1}));
	BAD_NUMBER("motion", colliders[0].motion.amplitude);
	BAD_NUMBER("motion", colliders[0].motion.frequency);
	BAD_NUMBER("motion", colliders[0].motion.phase);
	BAD_NUMBER("motion", colliders[0].motion.start);
	BAD_NUMBER("motion", colliders[0].motion.direction[0]);
	BAD_NUMBER("motion", colliders[0].motion.pivot[1]);
	BAD("direction", colliders[0].motion.amplitude = 0.1);
	static const spate_keyframe shrunk = {0, {0, 0, 0}, {0, 0, 0}, -1}, endless = {0, {0, 0, 0}, {0, 0, 0}, NAN};
	BAD("scale", colliders[0].motion = ((spate_motion){.keyframes = &shrunk, .keyframe_count = 1}));
	BAD("keyframe", colliders[0].motion = ((spate_motion){.keyframes = &endless, .keyframe_count = 1}));
}

// A mesh in place of the shape; nothing of it is read before the definition is known to be sound.
static void with_mesh(scene *s)
{
	good(s);
	s->colliders[0].shape = (spate_shape){0};
	s->colliders[0].mesh = (spate_mesh_def){.path = "no_such_file.obj", .scale = 1.0, .first = 1};
}

#define BAD_MESH(culprit, change)                \
	do                                       \
	{                                        \
		scene own;                       \
		with_mesh(&own);                 \
		own.colliders[0].change;         \
		refused(&own, #change, culprit); \
	} while (0)
#define BAD_MESH_NUMBER(culprit, field)               \
	do                                            \
	{                                             \
		BAD_MESH(culprit, field = NAN);       \
		BAD_MESH(culprit, field = INFINITY);  \
		BAD_MESH(culprit, field = -INFINITY); \
		BAD_MESH(culprit, field = 1e200);     \
	} while (0)

static void bad_mesh_colliders_are_refused(void **state)
{
	(void)state;
	float places[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, far[9] = {0, 0, 0, 1, 0, 0, 0, INFINITY, 0};
	uint32_t corners[3] = {0, 1, 2}, wrong[3] = {0, 1, 3};
	spate_mesh fine = {.vertex_count = 3, .triangle_count = 1, .positions = places, .triangles = corners};
	spate_mesh broken = {.vertex_count = 3, .triangle_count = 1, .positions = places, .triangles = wrong};
	spate_mesh endless = {.vertex_count = 3, .triangle_count = 1, .positions = far, .triangles = corners};
	spate_mesh empty = {0};
	BAD_MESH("both a shape", shape = box_shape(0, 0, 0, 1, 1, 1));
	BAD_MESH("both a mesh", mesh.mesh = &fine);
	BAD_MESH("vertex that does not exist", mesh = ((spate_mesh_def){.mesh = &broken, .scale = 1}));
	BAD_MESH("not finite", mesh = ((spate_mesh_def){.mesh = &endless, .scale = 1}));
	BAD_MESH("no triangles", mesh = ((spate_mesh_def){.mesh = &empty, .scale = 1}));
	BAD_MESH("empty", mesh.path = "");
	BAD_MESH("before the first", mesh.path = "a_%d.obj");
	BAD_MESH("mode", mode = (spate_collider_mode)3);
	BAD("shell", colliders[0].mode = SPATE_COLLIDER_SHELL);
	BAD_MESH_NUMBER("mesh", mesh.scale);
	BAD_MESH("scale", mesh.scale = 0);
	BAD_MESH_NUMBER("mesh", mesh.rotation[2]);
	BAD_MESH_NUMBER("mesh", mesh.position[0]);
	BAD_MESH_NUMBER("mesh", mesh.start);
	BAD_MESH_NUMBER("mesh", mesh.fps);
	BAD_MESH("frame rate", mesh.fps = -1);
	BAD_MESH_NUMBER("mesh", mesh.cell);
	BAD_MESH("cell", mesh.cell = -1);
	BAD_MESH("band", mesh.band = -1);
	BAD_MESH("offset", mesh.offset = -1);
	BAD_MESH_NUMBER("stickiness", stickiness);
	BAD_MESH("stickiness", stickiness = -0.1);
	BAD_MESH("stickiness", stickiness = 1.1);
	BAD_MESH("both a texture", bounce_map = ((spate_map_def){"a", "b"}));
	BAD("no mesh", colliders[0].friction_map.texture = "a.png");
	BAD("no mesh", colliders[0].stickiness_map.channel = "a");
	BAD("no mesh", colliders[0].wet.size = 8);
	BAD_MESH("texels", wet.size = 16385);
	BAD_MESH("drying", wet = ((spate_wet_def){.size = 8, .drying = -1}));
	BAD_MESH("drying", wet = ((spate_wet_def){.size = 8, .drying = NAN}));
	BAD_MESH("format", wet = ((spate_wet_def){.size = 8, .format = (spate_image_format)2}));
}

static void bad_sources_are_refused(void **state)
{
	(void)state;
	BAD("source 0", sources[0].type = (spate_source_type)2);
	BAD("source 0", sources[0].fluid = 2);
	BAD_NUMBER("source 0", sources[0].start);
	BAD("source 0", sources[0].start = -1);
	BAD_NUMBER("source 1", sources[1].stop);
	BAD_NUMBER("source 0", sources[0].velocity[0]);
	BAD_NUMBER("source 0", sources[0].shape.a[1]);
	BAD("source 0", sources[0].shape.type = SPATE_SHAPE_PLANE);
	BAD_NUMBER("source 0", sources[0].jitter);
	BAD("source 0", sources[0].jitter = 0.6);
	BAD("source 0", sources[0].jitter = -0.1);
	BAD("more particles", sources[0].shape = box_shape(0, 0, 0, 1e9, 1e9, 1e9));
	BAD_NUMBER("source 1", sources[1].position[2]);
	BAD_NUMBER("source 1", sources[1].direction[2]);
	BAD("direction", sources[1].direction[1] = 0);
	BAD_NUMBER("source 1", sources[1].width);
	BAD("source 1", sources[1].height = -1);
	BAD_NUMBER("source 1", sources[1].radius);
	BAD("source 1", sources[1].radius = -1);
	BAD_NUMBER("source 1", sources[1].speed);
	BAD("source 1", sources[1].speed = -1);
	BAD_NUMBER("source 1", sources[1].flow);
	BAD("source 1", sources[1].count = 5);
	BAD("source 1", sources[1].follow = 99);
	BAD("source 1", sources[1].jitter = 0.6);
	BAD("more particles", sources[1].speed = 1e12);
	BAD("more particles", sources[1].width = 1e12);
}

static void bad_interfaces_are_refused(void **state)
{
	(void)state;
	BAD_NUMBER("interface 0", interfaces[0].surface_tension);
	BAD("negative", interfaces[0].surface_tension = -1);
	BAD("does not exist", interfaces[0].fluids[0] = 2);
	BAD("does not exist", interfaces[0].fluids[1] = 2);
	BAD("the same", interfaces[0].fluids[1] = 0);
	scene s;
	good(&s);
	s.interfaces[s.def.interface_count++] = (spate_interface_def){{1, 0}, 0.01};
	refused(&s, "a second interface", "interface 1");
}

static void bad_sinks_and_probes_are_refused(void **state)
{
	(void)state;
	BAD_NUMBER("sink 0", sinks[0].shape.b[2]);
	BAD("sink 0", sinks[0].shape.type = (spate_shape_type)-1);
	BAD("probe 0", probes[0].type = SPATE_PROBE_COUNT);
	BAD_NUMBER("probe 0", probes[0].a[0]);
	BAD_NUMBER("probe 2", probes[2].b[0]);
	BAD_NUMBER("probe 0", probes[0].radius);
	BAD("probe 0", probes[0].radius = -1);
	BAD_NUMBER("probe 1", probes[1].width);
	BAD("probe 1", probes[1].height = 0);
	BAD("probe 0", probes[0] = ((spate_probe_def){.type = SPATE_PROBE_FORCE, .collider = 99}));
	BAD_NUMBER("probe 1", probes[1].direction[1]);
	BAD("direction", probes[1].direction[0] = 0);
	BAD("line", probes[2].b[1] = 0);
	BAD("direction", probes[3].direction[0] = 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_good_one_is_taken),          cmocka_unit_test(nulls_are_refused),
	    cmocka_unit_test(bad_worlds_are_refused),         cmocka_unit_test(bad_settings_are_refused),
	    cmocka_unit_test(bad_fluids_are_refused),         cmocka_unit_test(bad_colliders_are_refused),
	    cmocka_unit_test(bad_mesh_colliders_are_refused), cmocka_unit_test(bad_sources_are_refused),
	    cmocka_unit_test(bad_interfaces_are_refused),     cmocka_unit_test(bad_sinks_and_probes_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
