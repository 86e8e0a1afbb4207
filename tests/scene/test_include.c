// Scenes that include others: names, references, what becomes one, which keys count, and mistakes with their file, line and column.
#define _GNU_SOURCE
#include "scene/scene_support.h"

#include "base/memory.h"
#include "scratch.h"
#include "spate/live.h"

#include <sys/stat.h>

static const char pool[] =
    "spate: 2\nframes: 50\nfluids:\n  water: { preset: water, spacing: 0.05 }\nsources:\n"
    "  - { type: fill, name: basin, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 0.3, 0.5] } } }\nchannels:\n"
    "  heat: { default: 20, sources: { basin: 10 } }\ncolliders:\n"
    "  - { name: tank, shape: { box: { min: [0, 0, 0], max: [1, 1, 0.5] } }, mode: inside }\nprobes:\n"
    "  load: { type: force, collider: tank }\ncameras:\n"
    "  main: { position: [0.5, 1, 3], target: [0.5, 0.3, 0.25] }\n";
static const char jet[] =
    "spate: 2\nfluids:\n  water: { spacing: 0.050, preset: water }\nsources:\n"
    "  - { type: emitter, name: nozzle, fluid: water, position: [0.5, 0.8, 0.25], direction: [0, -1, 0], radius: 0.06,\n"
    "      speed: 1, follow: arm }\nchannels:\n  heat: { default: 20, sources: { nozzle: 80 } }\ncolliders:\n"
    "  - { name: arm, shape: { sphere: { center: [0.5, 1.2, 0.25], radius: 0.05 } } }\nforces:\n"
    "  - { type: drag, name: air, drag: 0.1, fluids: [water] }\n";
// Liquids of its own: another water, and oil with an interface.
static const char oils[] =
    "spate: 2\nfluids:\n  water: { preset: water, spacing: 0.1 }\n  oil: { preset: oil, spacing: 0.1 }\ninterfaces:\n"
    "  - { between: oil, and: water, surface_tension: 0.05 }\nsources:\n"
    "  - { type: fill, fluid: oil, shape: { box: { min: [3, 0, 0], max: [4, 1, 1] } } }\n"
    "  - { type: fill, fluid: water, shape: { box: { min: [4, 0, 0], max: [5, 1, 1] } } }\n"
    "sinks:\n  - { shape: { plane: { point: [0, -1, 0], normal: [0, 1, 0] } } }\n";
static const char part[] = "spate: 2\nsources:\n  - { type: fill, fluid: sea, shape: { mesh: { path: rock.obj } } }\n";

static scratch here;

static void put(const char *name, const char *text)
{
	FILE *file = fopen(scratch_file(&here, name), "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int begin(void **state)
{
	(void)state;
	here = scratch_make();
	assert_int_equal(mkdir(scratch_file(&here, "parts"), 0777), 0);
	put("parts/pool.yaml", pool);
	put("parts/jet.yaml", jet);
	put("parts/oils.yaml", oils);
	put("parts/part.yaml", part);
	put("parts/pump.yaml", "spate: 2\ninclude: [jet.yaml]\nfluids:\n  ink: { spacing: 0.05 }\n");
	return 0;
}

static int end(void **state)
{
	(void)state;
	scratch_remove(&here);
	return 0;
}

// Loads a scene file with this text; what was said, with the names of included files as seen from the folder.
static spate_result load(spate_scene *scene, const char *text, const char *const *overrides, uint32_t count, char *said,
			 size_t bytes)
{
	put("shot.yaml", text);
	spate_problems problems = {0};
	spate_error error = {0};
	spate_result result =
	    spate_scene_load(scene, scratch_file(&here, "shot.yaml"), overrides, count, &problems, &error);
	size_t used = 0, length = strlen(here.path) + 1;
	said[0] = '\0';
	for (uint32_t i = 0; i < problems.count && used < bytes; i++)
	{
		const spate_problem *p = &problems.items[i];
		used += (size_t)snprintf(said + used, bytes - used, "%s%s%u:%u: %s: %s%s%s\n",
					 strlen(p->file) > length ? p->file + length : p->file, p->file[0] ? ":" : "",
					 p->line, p->column, p->warning ? "warning" : "error", p->path,
					 p->path[0] ? ": " : "", p->text);
	}
	spate_problems_free(&problems);
	// the names of files within sentences
	for (char *at; (at = strstr(said, here.path));)
		memmove(at, at + length, strlen(at + length) + 1);
	return result;
}

static spate_scene load_good(const char *text, const char *const *overrides, uint32_t count)
{
	spate_scene scene;
	char said[8192];
	if (load(&scene, text, overrides, count, said, sizeof said) != SPATE_OK || said[0])
		fail_msg("a good scene was not taken without a word:\n%s", said);
	return scene;
}

static const char twice[] = "spate: 2\ninclude:\n  - parts/pool.yaml\n  - { file: parts/jet.yaml, as: left }\n"
			    "  - { file: parts/jet.yaml, as: right }\noutput: { channels: [pool_heat] }\n";

static void names_get_a_prefix_and_references_follow(void **state)
{
	(void)state;
	spate_scene s = load_good(twice, NULL, 0);
	const spate_world_def *w = &s.world;
	assert_int_equal(s.frames, 100); // not the 50 of the pool
	assert_int_equal(w->fluid_count, 1);
	assert_string_equal(w->fluids[0].name, "pool_water");
	assert_int_equal(w->source_count, 3);
	assert_string_equal(w->sources[0].name, "pool_basin");
	assert_string_equal(w->sources[1].name, "left_nozzle");
	assert_string_equal(w->sources[2].name, "right_nozzle");
	assert_int_equal(w->collider_count, 3);
	assert_string_equal(w->colliders[2].name, "right_arm");
	assert_int_equal(w->sources[1].follow, 1);
	assert_int_equal(w->sources[2].follow, 2);
	assert_int_equal(w->force_count, 2);
	assert_string_equal(w->forces[1].name, "right_air");
	assert_int_equal(w->forces[1].fluid_count, 1);
	assert_string_equal(w->probes[0].name, "pool_load");
	assert_int_equal(w->probes[0].collider, 0);
	assert_string_equal(s.cameras[0].name, "pool_main");
	// channels of one name and type are one, with the values of all files
	assert_int_equal(w->channel_count, 1);
	assert_string_equal(w->channels[0].name, "pool_heat");
	assert_int_equal(w->channels[0].value_count, 3);
	assert_string_equal(w->channels[0].values[2].source, "right_nozzle");
	check_near(w->channels[0].values[2].value[0], 80.0, 0.0);
	spate_scene_free(&s);
}

// What a run writes is one file that means the same.
static void the_text_is_complete(void **state)
{
	(void)state;
	spate_scene s = load_good(twice, NULL, 0);
	char *text = spate_scene_text(&s), said[4096];
	assert_non_null(text);
	assert_null(strstr(text, "include"));
	spate_scene again;
	if (parse(&again, text, NULL, 0, said, sizeof said) != SPATE_OK)
		fail_msg("the text of a chained scene was refused:\n%s", said);
	char *second = spate_scene_text(&again);
	assert_string_equal(second, text);
	spate_scene_text_free(second);
	spate_scene_text_free(text);
	spate_scene_free(&again);
	spate_scene_free(&s);
}

static void overrides_know_the_names(void **state)
{
	(void)state;
	const char *const sets[] = {"fluids.right_water.spacing=0.1", "sources.left_nozzle.speed=2",
				    "sources.2.speed=3", "cameras.pool_main.fov=20"};
	spate_scene s = load_good(twice, sets, 4);
	check_near(s.world.fluids[0].spacing, 0.1, 0.0);
	check_near(s.world.sources[1].speed, 2.0, 0.0);
	check_near(s.world.sources[2].speed, 3.0, 0.0);
	check_near(s.cameras[0].fov, 20.0, 0.0);
	spate_scene_free(&s);
	// a file of the list; its path is relative to the current folder
	char other[1200];
	snprintf(other, sizeof other, "include.0=%s", scratch_file(&here, "parts/oils.yaml"));
	const char *const swap[] = {other};
	s = load_good("spate: 2\ninclude: [parts/pool.yaml]\n", swap, 1);
	assert_int_equal(s.world.fluid_count, 2);
	assert_string_equal(s.world.fluids[1].name, "oils_oil");
	spate_scene_free(&s);
}

// Values of a file that are different in one place where it is included.
static void files_take_other_values(void **state)
{
	(void)state;
	spate_scene s;
	char said[4096];
	check_ok(load(&s,
		      "spate: 2\ninclude:\n  - parts/pool.yaml\n  - parts/pump.yaml\n  - file: parts/pump.yaml\n"
		      "    as: b\n    set: { sources.jet_nozzle.speed: 2, sources.0.position: [0.7, 0.8, 0.25],\n"
		      "           gravity: [0, -9.81, 0] }\n",
		      NULL, 0, said, sizeof said));
	check_near(s.world.sources[1].speed, 1.0, 0.0);
	check_near(s.world.sources[2].speed, 2.0, 0.0);
	check_near(s.world.sources[2].position[0], 0.7, 0.0);
	spate_scene_free(&s);
}

// Live keys are found by the names, as in scenes of one file.
static void live_keys_know_the_names(void **state)
{
	(void)state;
	spate_scene s = load_good(twice, NULL, 0);
	spate_world *world = NULL;
	spate_error error = {0};
	check_ok(spate_world_create(&world, &s.world, &error));
	check_ok(spate_world_set(world, "sources.right_nozzle.speed", "0.5", &error));
	check_result(spate_world_set(world, "sources.nozzle.speed", "0.5", &error), SPATE_MISSING);
	spate_world_destroy(world);
	spate_scene_free(&s);
}

static void files_include_files(void **state)
{
	(void)state;
	spate_scene s =
	    load_good("spate: 2\ninclude: [parts/pool.yaml, parts/pump.yaml]\nfluids:\n"
		      "  water: { preset: water, spacing: 0.05 }\nsources:\n"
		      "  - { type: emitter, fluid: pump_ink, position: [0.2, 0.8, 0.25], direction: [0, -1, 0], "
		      "radius: 0.06, speed: 1 }\n"
		      "  - { type: emitter, fluid: pump_jet_water, position: [0.8, 0.8, 0.25], direction: [0, "
		      "-1, 0], radius: 0.06, speed: 1 }\n",
		      NULL, 0);
	// the scene's own come first, and its water is that of all
	assert_int_equal(s.world.fluid_count, 2);
	assert_string_equal(s.world.fluids[0].name, "water");
	assert_string_equal(s.world.fluids[1].name, "pump_ink");
	assert_int_equal(s.world.source_count, 4);
	assert_int_equal(s.world.sources[0].fluid, 1);
	assert_int_equal(s.world.sources[1].fluid, 0);
	assert_string_equal(s.world.sources[3].name, "pump_jet_nozzle");
	assert_int_equal(s.world.sources[3].fluid, 0);
	assert_string_equal(s.world.colliders[s.world.sources[3].follow].name, "pump_jet_arm");
	spate_scene_free(&s);
}

static void fluids_that_differ_stay_apart_unless_told(void **state)
{
	(void)state;
	spate_scene s;
	char said[8192];
	check_ok(load(&s, "spate: 2\ninclude: [parts/pool.yaml, parts/oils.yaml]\n", NULL, 0, said, sizeof said));
	assert_non_null(strstr(
	    said,
	    "parts/oils.yaml:3:3: warning: this fluid differs from another 'water' of the scene, so it is one of "
	    "its own, oils_water; to have one fluid, give both the same values, or say fluids: { water: ... } in include\n"));
	assert_int_equal(s.world.fluid_count, 3);
	assert_string_equal(s.world.fluids[1].name, "oils_water");
	assert_int_equal(s.world.interfaces[0].fluids[1], 1);
	spate_scene_free(&s);
	const char *told = "spate: 2\ninclude:\n  - parts/pool.yaml\n"
			   "  - { file: parts/oils.yaml, fluids: { water: pool_water } }\n"
			   "  - { file: parts/oils.yaml, as: more, fluids: { water: oils_water } }\n";
	check_ok(load(&s, told, NULL, 0, said, sizeof said));
	assert_int_equal(s.world.fluid_count, 2);
	assert_string_equal(s.world.fluids[0].name, "pool_water");
	assert_string_equal(s.world.fluids[1].name, "oils_oil");
	assert_int_equal(s.world.source_count, 5);
	assert_int_equal(s.world.sources[2].fluid, 0);
	assert_int_equal(s.world.sources[4].fluid, 0);
	// said twice, it is there once
	assert_int_equal(s.world.interface_count, 1);
	spate_scene_free(&s);
}

// Paths start from the file they are in; names that a file does not have are the including scene's.
static void parts_use_what_the_scene_has(void **state)
{
	(void)state;
	spate_scene s = load_good("spate: 2\ninclude: [parts/part.yaml]\nfluids:\n  sea: { spacing: 0.1 }\nsinks:\n"
				  "  - { shape: { plane: { point: [0, -1, 0], normal: [0, 1, 0] } } }\n",
				  NULL, 0);
	assert_int_equal(s.world.sources[0].fluid, 0);
	assert_string_equal(s.world.sources[0].shape.mesh.path, scratch_file(&here, "parts/rock.obj"));
	spate_problems problems = {0};
	spate_error error = {0};
	check_result(spate_scene_find_files(&s, &problems, &error), SPATE_SCENE);
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].file, scratch_file(&here, "parts/part.yaml"));
	assert_int_equal(problems.items[0].line, 3);
	assert_int_equal(problems.items[0].column, 54);
	spate_problems_free(&problems);
	spate_scene_free(&s);
}

typedef struct bad_chain
{
	const char *text, *extra, *said; // `extra` becomes parts/extra.yaml
} bad_chain;

#define SHOT "spate: 2\ninclude: [parts/extra.yaml]\n"
#define WATER "fluids:\n  water: { preset: water, spacing: 0.05 }\n"
#define FALL "sinks:\n  - { shape: { plane: { point: [0, -1, 0], normal: [0, 1, 0] } } }\n"
#define BOX "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\n"
#define PLAIN "spate: 2\n" WATER "sources:\n" BOX FALL

static const bad_chain bad_chains[] = {
    {"spate: 2\ninclude: [parts/none.yaml]\n" WATER, "",
     "2:11: error: include.0: cannot open parts/none.yaml: No such file or directory\n"},
    {"spate: 2\ninclude: [parts]\n" WATER, "", "2:11: error: include.0: parts is not a regular file\n"},
    {"spate: 2\ninclude: parts/extra.yaml\n" WATER, PLAIN,
     "2:10: error: include must be a list, like [pool.yaml, jet.yaml]; here it is 'parts/extra.yaml'\n"},
    {"spate: 1\ninclude: [parts/extra.yaml]\n" WATER, PLAIN,
     "2:1: error: 'include' is a key of version 2; write 'spate: 2' to use it\n"},
    {"spate: 2\ninclude:\n  - { fil: parts/extra.yaml }\n" WATER, PLAIN,
     "3:5: error: include.0: 'file' is missing, like file: jet.yaml\n"
     "3:7: error: include.0: unknown key 'fil'; did you mean 'file'?\n"},
    {"spate: 2\ninclude: [parts/extra.yaml, shot.yaml]\n", PLAIN,
     "2:29: error: include.1: shot.yaml includes itself\n"},
    {SHOT, "spate: 2\ninclude: [../shot.yaml]\n" WATER,
     "parts/extra.yaml:2:11: error: include.0: parts/../shot.yaml includes itself\n"},
    {SHOT, "spate: 1\n" WATER,
     "parts/extra.yaml:1:8: error: include.0: only scenes of version 2 can be included, with spate: 2\n"},
    {SHOT, WATER, "parts/extra.yaml:1:1: error: include.0: 'spate' is missing, like spate: 2\n"},
    {SHOT, "spate: 2\nsources: [\n",
     "parts/extra.yaml:3:1: error: this is not valid YAML: did not find expected node content while parsing a flow node\n"},
    {SHOT, PLAIN "camera: {}\n", "parts/extra.yaml:8:1: error: unknown key 'camera'; did you mean 'cameras'?\n"},
    {SHOT, "spate: 2\n" WATER "sources:\n" BOX "  - { type: fill, fluid: watr }\n",
     "parts/extra.yaml:6:5: error: sources.1: 'shape' is missing, like shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } }\n"
     "parts/extra.yaml:6:26: error: sources.1: there is no fluid 'watr' (known: extra_water)\n"},
    {"spate: 2\ninclude: [parts/jet.yaml, { file: parts/extra.yaml, as: jet }]\n", PLAIN,
     "2:57: error: include.1: the names of include.0 begin with 'jet_', too; give this file another name, like as: jet_2\n"},
    {"spate: 2\ninclude: [{ file: parts/extra.yaml, as: \"my jet\" }]\n", PLAIN,
     "2:41: error: include.0: names cannot begin with 'my jet', only with letters, digits, '_' and '-'; give the file another "
     "name here, like as: jet\n"},
    {SHOT "fluids:\n  extra_water: { spacing: 0.1 }\n", PLAIN,
     "4:3: error: the name 'extra_water' is also that of 'water' in parts/extra.yaml\n"},
    {SHOT "fluids:\n  water: { preset: water, spacing: 0.05 }\n  extra_water: { spacing: 0.1 }\n", PLAIN,
     "5:3: error: the name 'extra_water' is also that of 'water' in parts/extra.yaml\n"},
    {"spate: 2\ninclude: [{ file: parts/extra.yaml, fluids: { oil: water, water: sea } }]\n" WATER, PLAIN,
     "2:47: error: parts/extra.yaml has no fluid 'oil'\n"
     "2:66: error: there is no fluid 'sea' in this file or in those included before\n"},
    {"spate: 2\ninclude: [{ file: parts/extra.yaml, set: { sources.2.speed: 1, include: [], fluids.watr.spacing: 1 } }]\n",
     PLAIN,
     "2:44: error: '2' is neither a name in sources nor an index into it; it has 1 elements counted from 0\n"
     "2:64: error: include.0: set cannot change what a file includes\n"
     "2:77: error: fluids has no 'watr'; did you mean 'water'?\n"},
    // keys of the whole scene
    {SHOT, PLAIN "gravity: [0, 0, -9.81]\nsolver: { quality: high, type: pbf }\nfps: 30\nup: y\n",
     "parts/extra.yaml:8:10: warning: gravity is [0, 0, -9.81] here, but the scene that includes this file has [0, -9.81, 0], "
     "which counts\n"
     "parts/extra.yaml:9:20: warning: solver: quality is high here, but the scene that includes this file has normal, which "
     "counts\n"
     "parts/extra.yaml:9:32: warning: solver: type is pbf here, but the scene that includes this file has projection, which "
     "counts\n"},
    {SHOT "gravity: { expression: [\"sin(t)\", \"-9.81\", \"0\"] }\n", PLAIN "gravity: [0, -9.81, 0]\n",
     "parts/extra.yaml:8:10: warning: gravity is not that of the scene that includes this file, which counts\n"},
    {SHOT "gravity: [0, 0, -3]\n", PLAIN "gravity: [0, 0, -3.0]\n", ""},
};

static void mistakes_have_their_file_and_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad_chains / sizeof *bad_chains; i++)
	{
		put("parts/extra.yaml", bad_chains[i].extra);
		spate_scene scene;
		char said[8192];
		load(&scene, bad_chains[i].text, NULL, 0, said, sizeof said);
		if (strcmp(said, bad_chains[i].said) != 0)
			fail_msg("case %zu:\n%s\nsaid\n%s\nexpected\n%s", i, bad_chains[i].text, said,
				 bad_chains[i].said);
		spate_scene_free(&scene);
	}
}

// Files that include each other stop at a depth, and the number of files is limited.
static void chains_are_bounded(void **state)
{
	(void)state;
	char name[32], text[128], said[8192];
	for (int i = 0; i < 12; i++)
	{
		snprintf(name, sizeof name, "parts/n%d.yaml", i);
		snprintf(text, sizeof text, "spate: 2\ninclude: [n%d.yaml, { file: n%d.yaml, as: b }]\n" WATER, i + 1,
			 i + 1);
		put(name, i < 11 ? text : PLAIN);
	}
	spate_scene scene;
	check_result(load(&scene, "spate: 2\ninclude: [parts/n0.yaml]\n", NULL, 0, said, sizeof said), SPATE_SCENE);
	assert_non_null(strstr(said, "files include each other more than 8 deep"));
	assert_non_null(strstr(said, "the scene includes more than 100 files"));
	check_result(load(&scene, "spate: 2\ninclude: [parts/n9.yaml]\n", NULL, 0, said, sizeof said), SPATE_OK);
	assert_int_equal(scene.world.source_count, 4);
	assert_int_equal(scene.world.fluid_count, 1);
	assert_string_equal(scene.world.fluids[0].name, "n9_water");
	spate_scene_free(&scene);
}

static void every_failed_allocation_is_reported(void **state)
{
	(void)state;
	put("shot.yaml", twice);
	mem_stats before = mem_get_stats();
	for (uint64_t n = 1;; n++)
	{
		spate_scene s;
		spate_problems problems = {0};
		mem_fail_at(n);
		spate_result result = spate_scene_load(&s, scratch_file(&here, "shot.yaml"), NULL, 0, &problems, NULL);
		int reached = mem_fail_at(0) == 0;
		spate_problems_free(&problems);
		spate_scene_free(&s);
		assert_int_equal(mem_get_stats().blocks, before.blocks);
		check_result(result, reached ? SPATE_MEMORY : SPATE_OK);
		if (!reached)
			return;
		assert_true(n < 10000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_get_a_prefix_and_references_follow),
	    cmocka_unit_test(the_text_is_complete),
	    cmocka_unit_test(overrides_know_the_names),
	    cmocka_unit_test(files_take_other_values),
	    cmocka_unit_test(every_failed_allocation_is_reported),
	    cmocka_unit_test(live_keys_know_the_names),
	    cmocka_unit_test(files_include_files),
	    cmocka_unit_test(fluids_that_differ_stay_apart_unless_told),
	    cmocka_unit_test(parts_use_what_the_scene_has),
	    cmocka_unit_test(mistakes_have_their_file_and_place),
	    cmocka_unit_test(chains_are_bounded),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
