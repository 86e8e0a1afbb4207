// spate info: what it tells about directories, frames, checkpoints and scenes, whole and damaged.
#define _GNU_SOURCE
#include "cli/cache.h"

static void test_run(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, "info run", 0, "scene cube, 4 of 4 frames");
	check_command(s.path, "info run", 0, "216 in every frame");
	check_command(s.path, "info run", 0, "checkpoints  4\n");
	check_command(s.path, "info run", 0, "all files are intact");
	check_command(s.path, "info run --quick", 0, "headers only");
	check_command(s.path, "info run --json", 0,
		      "\"frames\":[1,2,3,4],\"missing\":[],\"damaged\":[],\"checkpoints\":[4]");
	assert_string_equal(command_run(s.path, "info run --quiet").text, "");

	// a gap is told, a damaged frame is a failure
	remove(run_frame_path(scratch_file(&s, "run"), 2).text);
	check_command(s.path, "info run", 0, "missing      2\n");
	scratch_damage(run_frame_path(scratch_file(&s, "run"), 3).text);
	check_command(s.path, "info run", 1, "damaged      frames 3\n");
	check_command(s.path, "info run --quiet", 1, "spate info: run/frames/frame_000003.spate");
	check_command(s.path, "info run --json 2>/dev/null", 1, "\"missing\":[2],\"damaged\":[3]");
	scratch_remove(&s);
}

// Particles come and go: the first and the last count, the least and the most.
static void test_counts(void **state)
{
	(void)state;
	static const uint32_t counts[] = {4, 2, 9, 5};
	static const float position[9][3];
	static const int64_t id[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	scratch s = scratch_make();
	cache_make(scratch_file(&s, "run"));
	for (uint32_t k = 0; k < 4; k++)
	{
		const spate_frame_channel_def channels[] = {{"id", SPATE_INT64, id, 0, counts[k]},
							    {"position", SPATE_VEC3, position, 0, counts[k]}};
		spate_frame_def def = spate_default_frame_def();
		def.frame = k + 1;
		def.count = counts[k];
		def.channels = channels;
		def.channel_count = 2;
		check_ok(spate_frame_write(run_frame_path(scratch_file(&s, "run"), k + 1).text, &def, NULL));
	}
	check_command(s.path, "info run", 0, "4 in the first frame, 5 in the last, from 2 to 9\n");
	check_command(s.path, "info run --json", 0,
		      "\"particles_first\":4,\"particles_last\":5,\"particles_least\":2,\"particles_most\":9");
	scratch_remove(&s);
}

static void test_frame(void **state)
{
	scratch s = scratch_make();
	const double far_away[3] = {500.0, 0.0, 0.0};
	(void)state;
	cache_write_frame(scratch_file(&s, "a.spate"), SPATE_FRAME_PLAIN, 12, far_away);
	check_command(s.path, "info a.spate", 0, "a.spate: frame 12 at 0.5 s, 216 particles");
	check_command(s.path, "info a.spate", 0, "origin           500, 0, 0 m");
	check_command(s.path, "info a.spate", 0, "all checksums match");
	// six layers at 0, 0.5, ..., 2.5 m/s
	check_command(s.path, "info a.spate --json", 0,
		      "{\"name\":\"velocity\",\"type\":\"vec3\",\"count\":216,\"stored\":");
	check_command(s.path, "info a.spate --json", 0, "{\"min\":0,\"max\":2.5,\"mean\":1.25,\"not_finite\":0}");
	check_command(s.path, "info a.spate --json", 0, "{\"min\":0,\"max\":215,\"mean\":107.5,\"not_finite\":0}");
	check_command(s.path, "info a.spate --quick --json", 0, "\"ranges\":[]");

	// by its content when the name does not tell
	cache_write_frame(scratch_file(&s, "b.bin"), SPATE_FRAME_CHECKPOINT, 7, far_away);
	check_command(s.path, "info b.bin", 0, "checkpoint 7");
	check_command(s.path, "info b.bin --json", 0, "\"blobs\":[{\"name\":\"world\",\"bytes\":5,");

	scratch_damage(scratch_file(&s, "a.spate"));
	check_command(s.path, "info a.spate", 1, "spate info: a.spate");
	command_result damaged = command_run(s.path, "info a.spate 2>/dev/null");
	assert_string_equal(damaged.text, "");
	cache_write_text(scratch_file(&s, "c.spate"), "nothing of the kind");
	check_command(s.path, "info c.spate", 1, "spate info: c.spate");
	scratch_remove(&s);
}

static void test_mesh(void **state)
{
	scratch s = scratch_make();
	(void)state;
	// a unit square from two triangles, and one without area
	cache_write_text(scratch_file(&s, "a.obj"), "v 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\n"
						    "f 1/1 2/1 3/1 4/1\nf 1 2 2\n");
	check_command(s.path, "info a.obj", 0, "a.obj: OBJ mesh of 2 triangles, 4 vertices\n");
	check_command(s.path, "info a.obj", 0, "degenerate       1 triangles dropped\n");
	check_command(s.path, "info a.obj", 0, "bounds           0, 0, 0 to 1, 1, 0 m\n");
	check_command(s.path, "info a.obj", 0, "closed           no, 4 open edges\n");
	check_command(s.path, "info a.obj", 0, "channels         color (3)\n");
	check_command(
	    s.path, "info a.obj --json", 0,
	    "\"format\":\"OBJ\",\"vertices\":4,\"triangles\":2,\"dropped\":1,\"welded\":0,\"bounds\":{\"low\":[0,0,0],"
	    "\"high\":[1,1,0]},\"area\":1,\"volume\":0,\"closed\":false,\"open_edges\":4,\"crowded_edges\":0,"
	    "\"flipped_edges\":0,\"crossings\":0,\"components\":1,\"uvs\":true,\"channels\":[{\"name\":\"color\","
	    "\"components\":3}]}");
	assert_string_equal(command_run(s.path, "info a.obj --quiet").text, "");
	// by its content when the name does not tell
	cache_write_text(scratch_file(&s, "b.data"), "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n"
						     "3 0 3 2\n3 1 2 3\n");
	check_command(s.path, "info b.data", 0, "b.data: OFF mesh of 4 triangles");
	check_command(s.path, "info b.data", 0, "volume           0.166667 m3\n");
	check_command(s.path, "info b.data", 0, "closed           yes\n");
	cache_write_text(scratch_file(&s, "c.stl"), "solid\nfacet\n");
	check_command(s.path, "info c.stl", 1, "spate info: c.stl:3: the file is truncated");
	check_command(s.path, "info --help", 0, "spate info bunny.obj");
	scratch_remove(&s);
}

static void test_others(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_write_text(scratch_file(&s, "scene.yaml"), cache_scene);
	check_command(s.path, "info ./scene.yaml", 0, "cube: 4 frames at 24 fps");
	check_command(s.path, "info .", 0, "scene cube, 0 of 4 frames");
	cache_write_text(scratch_file(&s, "scene.yaml"), "spate: 1\nframez: 2\nfluids: { water: { spacing: 0.1 } }\n");
	check_command(s.path, "info ./scene.yaml", 2, "./scene.yaml:2:1: error: ");
	check_command(s.path, "info .", 1, "did you mean 'frames'");
	remove(scratch_file(&s, "scene.yaml"));
	check_command(s.path, "info .", 1, "is not the directory of a run");
	check_command(s.path, "info nowhere", 1, "spate info: cannot open nowhere: no such file or directory\n");
	check_command(s.path, "info", 2, "DIR or FILE is missing");
	// neither text nor anything that is known; what is called a scene is told as one
	cache_write_text(scratch_file(&s, "x.png"), "\x89PNG\r\n\x1a\n");
	check_command(
	    s.path, "info x.png", 1,
	    "x.png is not a kind of file that info knows: the directory of a run, .spate, .obj, .ply, .stl, .off, "
	    ".bgeo, .vtk, .vdb, or a scene (.yaml, .yml, .json)\n");
	cache_write_text(scratch_file(&s, "x.yaml"), "\x89PNG\r\n\x1a\n");
	check_command(s.path, "info x.yaml", 2, "this is not UTF-8 text");
	check_command(s.path, "info a b", 2, "'b' is extra");
	check_command(s.path, "info --bogus", 2, "--bogus");
	check_command(s.path, "info --help", 0, "spate info out/dam_break --quick --json");
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_run),  cmocka_unit_test(test_counts), cmocka_unit_test(test_frame),
	    cmocka_unit_test(test_mesh), cmocka_unit_test(test_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
