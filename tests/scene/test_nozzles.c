// Emitters that follow a nozzle and leave out where they open and where they point.
#include "scene_support.h"

#define NOZZLES                                                                                        \
	"spate: 2\nfluids: { water: { spacing: 0.01 }, oil: { spacing: 0.02 } }\ncolliders:\n"         \
	"  - { name: pipe, shape: { cylinder: { from: [0, 1, 0], to: [0, 0.5, 0], radius: 0.1 } } }\n" \
	"  - { name: rod, shape: { capsule: { from: [0, 1, 0], to: [0.5, 1, 0], radius: 0.1 } } }\n"

static const double tolerance = 1e-12;

static void check_opening(const char *keys, const double position[3], const double direction[3])
{
	char text[1024];
	snprintf(text, sizeof text, NOZZLES "sources: [{ type: emitter, radius: 0.05, speed: 1, %s }]\n", keys);
	spate_scene scene = parse_good(text);
	for (int k = 0; k < 3; k++)
	{
		check_near(scene.world.sources[0].position[k], position[k], tolerance);
		check_near(scene.world.sources[0].direction[k], direction[k], tolerance);
	}
	spate_scene_free(&scene);
}

// Half a spacing in front of the far end, past its hemisphere.
static void a_nozzle_tells_where_it_ends(void **state)
{
	(void)state;
	check_opening("fluid: water, follow: pipe", (double[]){0, 0.495, 0}, (double[]){0, -0.5, 0});
	check_opening("fluid: oil, follow: pipe", (double[]){0, 0.49, 0}, (double[]){0, -0.5, 0});
	check_opening("fluid: water, follow: rod", (double[]){0.605, 1, 0}, (double[]){0.5, 0, 0});
}

static void what_is_given_counts(void **state)
{
	(void)state;
	check_opening("fluid: water, follow: pipe, position: [0, 0, 0]", (double[]){0, 0, 0}, (double[]){0, -0.5, 0});
	check_opening("fluid: water, follow: pipe, direction: [1, 0, 0]", (double[]){0, 0.495, 0}, (double[]){1, 0, 0});
	check_opening("fluid: water, follow: pipe, direction: [[0, [0, 0, 1]], [1, [0, 1, 1]]]",
		      (double[]){0, 0.495, 0}, (double[]){0, 0, 1});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_nozzle_tells_where_it_ends),
	    cmocka_unit_test(what_is_given_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
