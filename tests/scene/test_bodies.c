// Bodies and joints in scenes: what they become, what is refused, and that they survive being written.
#include "scene_support.h"

#define HEAD                                                                                              \
	"spate: 2\nfluids: { water: { spacing: 0.02 } }\n"                                                \
	"sources: [{ type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 0.4, 1] } } }]\n" \
	"colliders: [{ name: tank, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } }, mode: inside }]\n"

#define CRATE "  - { name: crate, shape: { box: { min: [0.1, 0.5, 0.1], max: [0.3, 0.6, 0.3] } }, density: 300 }\n"

static void bodies_are_colliders(void **state)
{
	(void)state;
	const char *text = HEAD
	    "bodies:\n" CRATE
	    "  - { name: ball, shape: { sphere: { center: [0.6, 0.6, 0.6], radius: 0.1 } }, mass: 2, tilt: [0, 0, 20], "
	    "wall: { stickiness: 0.5 }, release: never }\n"
	    "joints:\n  - { type: hinge, bodies: [crate, world], anchor: [0, 1, 0], axis: [0, 0, 1], high: 30 }\n"
	    "  - { type: ball, bodies: [ball, crate], anchor: [0, 1, 0] }\n"
	    "probes: { lift: { type: force, collider: ball } }\n";
	spate_scene s = parse_good(text);
	const spate_world_def *w = &s.world;
	assert_int_equal(w->body_count, 2);
	assert_int_equal(w->collider_count, 3);
	assert_int_equal(s.wall_count, 2);
	assert_int_equal(w->bodies[1].collider, 2);
	assert_string_equal(w->colliders[2].name, "ball");
	check_near(w->colliders[2].stickiness, 0.5, 0);
	check_near(w->bodies[0].density, 300, 0);
	assert_true(w->bodies[1].density < 0);
	check_near(w->bodies[1].mass, 2, 0);
	assert_true(w->bodies[1].release == SPATE_NEVER_RELEASED);
	assert_int_equal(w->probes[0].collider, 2);
	assert_int_equal(w->joints[0].bodies[0], 0);
	assert_true(w->joints[0].bodies[1] == SPATE_BODY_WORLD);
	assert_int_equal(w->joints[1].bodies[1], 0);
	check_near(w->joints[0].high, 30, 0);
	// written and read again, it is the same
	char *once = spate_scene_text(&s);
	assert_non_null(once);
	spate_scene again = parse_good(once);
	char *twice = spate_scene_text(&again);
	assert_string_equal(once, twice);
	assert_int_equal(again.world.collider_count, 3);
	spate_scene_text_free(once);
	spate_scene_text_free(twice);
	spate_scene_free(&s);
	spate_scene_free(&again);
}

static void mistakes_have_a_place_and_a_sentence(void **state)
{
	(void)state;
	static const struct
	{
		const char *text, *said;
	} cases[] = {
	    {"  - { shape: { sphere: { center: [0.5, 0.7, 0.5], radius: 0.1 } }, density: 0 }\n",
	     "7:77: error: bodies.1: density must be greater than 0 and at most 1000000 kg/m^3; here it is 0\n"},
	    {"  - { name: plate }\n", "7:5: error: bodies.1: a body needs a shape or a mesh, like mesh: duck.obj\n"},
	    {"  - { shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } } }\n",
	     "7:7: error: bodies.1: a plane has no volume, so it cannot be a body\n"},
	    {"  - { shape: { box: { min: [0.25, 0.5, 0.1], max: [0.5, 0.6, 0.3] } } }\n",
	     "7:5: error: bodies.1: it overlaps bodies.0, crate at the start by 0.05 m; move one of them away\n"},
	    {"  - { name: tank, shape: { sphere: { center: [0.5, 0.7, 0.5], radius: 0.1 } } }\n",
	     "7:13: error: bodies.1: a collider is called 'tank' as well; choose another name\n"},
	    {"  - { name: world, shape: { sphere: { center: [0.5, 0.7, 0.5], radius: 0.1 } } }\n",
	     "7:13: error: bodies.1: 'world' is what joints call that which never moves; choose another name\n"},
	    {"  - { shape: { sphere: { center: [0.5, 0.7, 0.5], radius: 0.1 } }, density: 500, mass: 1 }\n",
	     "7:82: error: bodies.1: 'mass' and 'density' exclude each other\n"},
	    {"  - { shape: { sphere: { center: [0.5, 0.7, 0.5], radius: 0.1 } }, scale: 2 }\n",
	     "7:68: error: bodies.1: 'scale' is for meshes; a shape says itself where it is, and tilt turns it\n"},
	    {"joints:\n  - { type: hinge, bodies: [crat, world], anchor: [0, 1, 0], axis: [0, 0, 1] }\n",
	     "8:29: error: joints.0: there is no body 'crat'; did you mean 'crate'?\n"},
	    {"joints:\n  - { type: ball, bodies: [crate, crate], anchor: [0, 1, 0] }\n",
	     "8:35: error: joints.0: a joint needs two different bodies, or a body and world\n"},
	    {"joints:\n  - { type: hinge, bodies: [crate, world], anchor: [0, 1, 0], axis: [0, 0, 0] }\n",
	     "8:69: error: joints.0: axis must not be zero: it gives a direction\n"},
	    {"joints:\n  - { type: ball, bodies: [crate, world], anchor: [0, 1, 0], axis: [0, 0, 1] }\n",
	     "8:62: error: joints.0: 'axis' does not apply to type ball, only to hinge and slider\n"},
	    {"joints:\n  - { type: ball, bodies: [crate], anchor: [0, 1, 0] }\n",
	     "8:27: error: joints.0: bodies must be a list of two names of bodies, like [gate, world]; here it is a list\n"},
	};
	int good = 1;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
	{
		char text[2048], said[4096];
		spate_scene scene;
		snprintf(text, sizeof text, HEAD "bodies:\n" CRATE "%s", cases[c].text);
		spate_result result = parse(&scene, text, NULL, 0, said, sizeof said);
		if (result == SPATE_SCENE && strcmp(said, cases[c].said) == 0)
			continue;
		good = 0;
		print_message("scene:\n%s\nsaid: %sexpected: %s", cases[c].text, said, cases[c].said);
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bodies_are_colliders),
	    cmocka_unit_test(mistakes_have_a_place_and_a_sentence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
