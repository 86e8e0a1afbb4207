// spate mesh: surfaces of a small run and of files of particles.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "bridge/vdb.h"
#include "bridge/vdb_surface.h"
#include "cache/mesh_frame.h"
#include "cli/cache.h"
#include "mesh/measure.h"
#include "tools/meshes/make.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const double zero[3];

static const char *command(const char *arguments)
{
	static char line[1024];
	snprintf(line, sizeof line, "mesh %s --threads 1", arguments);
	return line;
}

static spate_mesh_measure measure(const char *path)
{
	spate_mesh *mesh = NULL;
	spate_mesh_measure m;
	spate_error error = {0};
	spate_result result =
	    mesh_frame_is(path) ? mesh_frame_read(&mesh, path, &error) : spate_mesh_read(&mesh, path, &error);
	if (result != SPATE_OK)
		fail_msg("%s", error.text);
	check_ok(mesh_measure_all(&m, mesh, NULL));
	spate_mesh_destroy(mesh);
	return m;
}

static void check_same_bytes(const char *a, const char *b)
{
	char *x = NULL, *y = NULL;
	size_t m, n;
	check_ok(file_read(a, &x, &m, NULL));
	check_ok(file_read(b, &y, &n, NULL));
	if (m != n || memcmp(x, y, m) != 0)
		fail_msg("%s and %s differ", a, b);
	mem_free(x);
	mem_free(y);
}

// How many names in a folder end like this.
static int count_files(const char *folder, const char *ending)
{
	int count = 0;
	DIR *stream = opendir(folder);
	for (struct dirent *found; stream && (found = readdir(stream));)
	{
		size_t length = strlen(found->d_name), tail = strlen(ending);
		count += length > tail && strcmp(found->d_name + length - tail, ending) == 0;
	}
	if (stream)
		closedir(stream);
	return count;
}

static void test_run(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, command("run"), 0, "wrote run/mesh/mesh_*.ply (4 meshes, ");
	// a cube of 0.6 m whose edges are round, 0.1 m further along x in each frame
	for (int frame = 1; frame <= 4; frame++)
	{
		spate_mesh_measure m = measure(run_mesh_path(scratch_file(&s, "run/mesh"), frame, ".ply").text);
		assert_true(m.closed);
		check_near(m.volume, 0.216, 0.03);
		check_near(0.5 * (m.low[0] + m.high[0]), 0.3 + 0.1 * frame, 0.01);
		check_near(m.high[1], 0.6, 0.02);
	}
	spate_mesh *mesh;
	check_ok(spate_mesh_read(&mesh, scratch_file(&s, "run/mesh/mesh_000002.ply"), NULL));
	// velocity is 0.5 m/s per row of the cube
	const spate_mesh_channel *velocity = spate_mesh_find_channel(mesh, "velocity");
	assert_non_null(velocity);
	assert_non_null(spate_mesh_find_channel(mesh, "normal"));
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		double row = fmin(5.0, fmax(0.0, ((double)mesh->positions[3 * v + 1] - 0.05) / 0.1));
		check_near((double)velocity->values[3 * v], 0.5 * row, 0.45);
	}
	spate_mesh_destroy(mesh);

	// nothing to do; one frame that has changed; other settings
	check_command(s.path, command("run"), 0, "4 meshes were up to date");
	cache_write_frame(run_frame_path(scratch_file(&s, "run"), 2).text, SPATE_FRAME_PLAIN, 9, zero);
	check_command(s.path, command("run"), 0, "1 mesh was older than the frames and remade\n");
	check_near(measure(scratch_file(&s, "run/mesh/mesh_000002.ply")).low[0], 0.9, 0.02);
	check_command(s.path, command("run --cell 0.5"), 1,
		      "run/mesh/mesh_000001.ply was made with other settings; --overwrite replaces it");
	double area = measure(scratch_file(&s, "run/mesh/mesh_000001.ply")).area;
	check_command(s.path, command("run --cell 0.5 --overwrite --frames 1"), 0, "(1 meshes, ");
	assert_true(measure(scratch_file(&s, "run/mesh/mesh_000001.ply")).area != area);
	check_command(s.path, command("run --cell 0.5 --overwrite"), 0, "(3 meshes, ");
	check_command(s.path, command("run --cell 0.5 --overwrite"), 0, "4 meshes were up to date");
	cache_write_text(scratch_file(&s, "run/mesh/mesh_000003.ply"), "ply\nsomebody else's\n");
	check_command(s.path, command("run --cell 0.5"), 1, "mesh_000003.ply was made with other settings");
	remove(scratch_file(&s, "run/mesh/mesh_000003.ply"));
	check_command(s.path, command("run --cell 0.5"), 0, "3 meshes were up to date");

	// a run made again with another spacing: the frames have changed, so no settings of their meshes are worth keeping
	check_command(s.path, command("run --spacing 0.11"), 1, "mesh_000001.ply was made with other settings");
	for (int frame = 1; frame <= 3; frame++)
		cache_write_frame(run_frame_path(scratch_file(&s, "run"), frame).text, SPATE_FRAME_PLAIN, frame + 5,
				  zero);
	check_command(s.path, command("run --spacing 0.11 --frames 1-3"), 0,
		      "3 meshes were older than the frames and remade\n");
	check_command(s.path, command("run --spacing 0.11 --frames 1-3"), 0, "3 meshes were up to date");
	check_command(s.path, command("run --spacing 0.11"), 1, "mesh_000004.ply was made with other settings");

	// frames that are missing or damaged are named, the others are made
	scratch_damage(run_frame_path(scratch_file(&s, "run"), 3).text);
	remove(run_frame_path(scratch_file(&s, "run"), 2).text);
	check_command(s.path, command("run -o left"), 1, "a frame is missing and skipped: 2\n");
	assert_int_equal(count_files(scratch_file(&s, "left"), ".ply"), 2);
	check_command(s.path, command("run -o left"), 1, "frame skipped: ");
	assert_int_equal(count_files(scratch_file(&s, "left"), ".tmp"), 0);
	scratch_remove(&s);
}

static void test_ranges(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, "mesh run --threads 2 -o whole", 0, "(4 meshes, ");
	// two of them at the same time
	char line[4096];
	const char *binary = getenv("SPATE_BINARY");
	snprintf(
	    line, sizeof line,
	    "cd '%s' && { '%s' mesh run -q --threads 1 -o parts --frames 3- & '%s' mesh run -q --threads 1 -o parts "
	    "--frames -2; wait; }",
	    s.path, binary, binary);
	assert_int_equal(system(line), 0);
	for (int frame = 1; frame <= 4; frame++)
	{
		run_path whole = run_mesh_path(scratch_file(&s, "whole"), frame, ".ply");
		check_same_bytes(whole.text, run_mesh_path(scratch_file(&s, "parts"), frame, ".ply").text);
	}
	check_command(s.path, command("run --json -o parts"), 0, "\"made\":0,\"skipped\":4,\"failed\":0");
	scratch_remove(&s);
}

static void test_formats(void **state)
{
	static const char *const formats[] = {"obj", "stl", "spate", "vtk", "vtp"};
	scratch s = scratch_make();
	char line[256], text[256];
	(void)state;
	static const double far[3] = {1000.0, -2000.0, 500.0};
	cache_make(scratch_file(&s, "run"));
	// positions relative to an origin far away; meshes are in the world
	cache_write_frame(run_frame_path(scratch_file(&s, "run"), 1).text, SPATE_FRAME_PLAIN, 1, far);
	for (int f = 0; f < 5; f++)
	{
		snprintf(line, sizeof line, "run --frames 1 -o %s --format %s", formats[f], formats[f]);
		check_command(s.path, command(line), 0, "(1 meshes, ");
		check_command(s.path, command(line), 0, "1 mesh was up to date");
		snprintf(line, sizeof line, "info %s/mesh_000001.%s", formats[f], formats[f]);
		snprintf(text, sizeof text, "closed           yes");
		if (f < 3)
		{
			check_command(s.path, line, 0, text);
			snprintf(line, sizeof line, "%s/mesh_000001.%s", formats[f], formats[f]);
			spate_mesh_measure m = measure(scratch_file(&s, line));
			check_near(m.volume, 0.216, 0.03);
			check_near(m.low[0], 0.1, 0.02);
		}
	}
	check_command(s.path, "info vtk/mesh_000001.vtk", 0, "velocity (3)");
	check_command(s.path, "preview run --mesh=spate --size 160x90 --supersample 1 --no-movie -o pictures", 0,
		      "(1 frames)");
	check_command(s.path, "preview spate/mesh_000001.spate --size 160x90 --supersample 1", 0,
		      "wrote spate/mesh_000001.png");
	scratch_remove(&s);
}

static void test_box_and_channels(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path,
		      command("run --frames 1 -o box --box 0,0,0,0.4,1,1 --channels density,color --normals none"), 0,
		      "(1 meshes");
	spate_mesh_measure m = measure(scratch_file(&s, "box/mesh_000001.ply"));
	assert_true(m.closed);
	check_near(m.high[0], 0.4, 0.04);
	check_near(m.low[0], 0.1, 0.02);
	check_command(s.path, "info box/mesh_000001.ply", 0, "channels         color (3), density (1)");
	// normals of the cut look along x
	check_command(s.path, command("run --frames 1 -o cut --box 0,0,0,0.4,1,1"), 0, "(1 meshes");
	spate_mesh *mesh;
	check_ok(spate_mesh_read(&mesh, scratch_file(&s, "cut/mesh_000001.ply"), NULL));
	const spate_mesh_channel *normal = spate_mesh_find_channel(mesh, "normal");
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		const float *p = mesh->positions + 3 * (size_t)v;
		if (p[0] > 0.38f && fabsf(p[1] - 0.3f) < 0.15f && fabsf(p[2] - 0.3f) < 0.15f)
			check_near((double)normal->values[3 * v], 1.0, 0.02);
	}
	spate_mesh_destroy(mesh);
	check_command(s.path, command("run --frames 1 -o none --channels heat"), 1,
		      "has no channel 'heat' for --channels; it has velocity, density, fluid");
	check_command(s.path, command("run --frames 1 -o none --channels none --normals none"), 0, "(1 meshes");
	check_command(s.path, "info none/mesh_000001.ply", 0, "channels         none");

	// smaller, and fewer triangles
	check_command(s.path,
		      command("run --frames 1 -o less --decimate 0.02 --offset -0.3 --smoothing 0 --min-blob 5"), 0,
		      "(1 meshes");
	assert_true(measure(scratch_file(&s, "less/mesh_000001.ply")).volume < 0.18);
	scratch_remove(&s);
}

static void test_fluids(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	cache_write_text(
	    scratch_file(&s, "run/scene.yaml"),
	    "spate: 1\nname: two\nframes: 4\nfluids:\n  water: { spacing: 0.1 }\n  oil: { spacing: 0.1 }\n"
	    "sources:\n  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\n");
	check_command(s.path, command("run"), 0, "(8 meshes, ");
	check_near(measure(scratch_file(&s, "run/mesh/mesh_water_000001.ply")).volume, 0.216, 0.03);
	// no oil is there: a mesh of nothing
	assert_int_equal(count_files(scratch_file(&s, "run/mesh"), ".ply"), 8);
	check_command(s.path, command("run --fluid water"), 0, "4 meshes were up to date");
	check_command(s.path, command("run --fluid mud"), 2, "unknown fluid 'mud'; choose one of: water, oil");
	scratch_remove(&s);
}

static void test_walls(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	// half a spacing further out than it should be, it goes through the floor and the wall behind
	check_command(s.path, command("run --frames 1 --offset 0.5 -o through"), 0, "(1 meshes");
	assert_true(measure(scratch_file(&s, "through/mesh_000001.ply")).low[1] < -0.02);
	check_command(s.path, command("run --frames 1 --offset 0.5 -o kept --clip-colliders"), 0, "(1 meshes");
	spate_mesh_measure m = measure(scratch_file(&s, "kept/mesh_000001.ply"));
	check_near(m.low[1], 0.0, 1e-4);
	check_near(m.low[2], 0.0, 1e-4);
	assert_true(m.high[1] > 0.62);
	remove(scratch_file(&s, "run/scene.yaml"));
	check_command(s.path, command("run --frames 1 -o kept --clip-colliders"), 1,
		      "--clip-colliders needs the scene");
	scratch_remove(&s);
}

// A ball of 0.15 m as a mesh that sticks in a corner of the cube: no vertex stays inside of it.
static void test_mesh_walls(void **state)
{
	(void)state;
	if (!vdb_available())
		skip_without("OPENVDB");
	scratch s = scratch_make();
	spate_mesh *mesh;
	setenv("SPATE_FIELDS", scratch_file(&s, "fields"), 1);
	cache_make(scratch_file(&s, "run"));
	check_ok(make_sphere(&mesh, 0.15, 40, 20, NULL));
	check_ok(spate_mesh_write(mesh, scratch_file(&s, "run/ball.obj"), NULL));
	spate_mesh_destroy(mesh);
	cache_write_text(scratch_file(&s, "run/scene.yaml"),
			 "spate: 1\nname: ball\nframes: 4\nfluids:\n  water: { spacing: 0.1 }\nsources:\n"
			 "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\n"
			 "colliders:\n  - { mesh: ball.obj, position: [0.7, 0.6, 0.3] }\n");
	for (int kept = 0; kept < 2; kept++)
	{
		const char *line = kept ? "run --frames 1 --cell 0.4 -o kept --clip-colliders"
					: "run --frames 1 --cell 0.4 -o through";
		double least = INFINITY;
		check_command(s.path, command(line), 0, "(1 meshes");
		const char *path = scratch_file(&s, kept ? "kept/mesh_000001.ply" : "through/mesh_000001.ply");
		check_ok(spate_mesh_read(&mesh, path, NULL));
		for (uint32_t v = 0; v < mesh->vertex_count; v++)
		{
			const float *x = mesh->positions + 3 * (size_t)v;
			double dx = (double)x[0] - 0.7, dy = (double)x[1] - 0.6, dz = (double)x[2] - 0.3;
			least = fmin(least, sqrt(dx * dx + dy * dy + dz * dz));
		}
		spate_mesh_destroy(mesh);
		check_near(least, kept ? 0.15 : 0.03, kept ? 0.004 : 0.03);
	}
	unsetenv("SPATE_FIELDS");
	scratch_remove(&s);
}

static void test_vdb(void **state)
{
	(void)state;
	if (!vdb_available())
		skip_without("OPENVDB");
	scratch s = scratch_make();
	static const double far[3] = {100.0, -200.0, 50.0};
	cache_make(scratch_file(&s, "run"));
	cache_write_frame(run_frame_path(scratch_file(&s, "run"), 1).text, SPATE_FRAME_PLAIN, 1, far);
	check_command(s.path, command("run --frames 1 --vdb --cell 0.5"), 0, "(1 meshes");
	check_command(s.path, command("run --frames 1 --vdb --cell 0.5"), 0, "1 mesh was up to date");
	check_command(s.path, "info run/mesh/mesh_000001.vdb", 0, "level set 'surface'");

	// distances to the faces of a cube from 0.1 to 0.7 along x and 0 to 0.6 along the others
	vdb_file_info info;
	const double places[] = {0.12, 0.3, 0.3, 0.05, 0.3, 0.3, 0.4, 0.55, 0.3, 0.4, 0.3, 0.3, 5.0, 0.3, 0.3};
	float values[5];
	check_ok(vdb_read_level_set(scratch_file(&s, "run/mesh/mesh_000001.vdb"), &info, places, 5, values, NULL));
	assert_true(info.level_set);
	assert_string_equal(info.name, "surface");
	check_near(info.cell, 0.05, 1e-9);
	check_near((double)info.background, 0.15, 1e-6);
	check_near((double)values[0], -0.02, 0.012);
	check_near((double)values[1], 0.05, 0.012);
	check_near((double)values[2], -0.05, 0.012);
	check_near((double)values[3], -0.15, 1e-6);
	check_near((double)values[4], 0.15, 1e-6);

	// without its level set a mesh is not done
	remove(scratch_file(&s, "run/mesh/mesh_000001.vdb"));
	check_command(s.path, command("run --frames 1 --vdb --cell 0.5"), 0, "(1 meshes");
	cache_write_text(scratch_file(&s, "bad.vdb"), "nothing of the kind");
	check_command(s.path, "info bad.vdb", 1, "bad.vdb: OpenVDB reports: ");
	scratch_remove(&s);
}

// Files that may not grow beyond a limit are like a full disk: what does not fit is told and not kept.
static void test_no_room(void **state)
{
	(void)state;
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
	skip_because("with files limited to a few bytes the thread sanitizer cannot start");
#endif
#endif
	scratch s = scratch_make();
	cache_make(scratch_file(&s, "run"));
	struct rlimit before, small;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 8192;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	command_result plain = command_run(s.path, command("run -o plain"));
	small.rlim_cur = 16384;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	// the mesh itself would fit
	command_result vdb = command_run(s.path, command("run -o vdb --vdb --channels none --normals none --frames 1"));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(plain.code, 1);
	assert_string_equal(plain.text, "spate mesh: cannot write plain/mesh_000001.ply: file too large\n");
	assert_int_equal(count_files(scratch_file(&s, "plain"), ".tmp"), 0);
	if (vdb_available())
	{
		assert_int_equal(vdb.code, 1);
		assert_non_null(strstr(vdb.text, "cannot write vdb/mesh_000001.vdb"));
		assert_int_equal(count_files(scratch_file(&s, "vdb"), ".vdb"), 0);
	}
	scratch_remove(&s);
}

static void test_particle_files(void **state)
{
	scratch s = scratch_make();
	(void)state;
	// a cube of 0.6 m as text
	FILE *file = fopen(scratch_file(&s, "cube.vtk"), "w");
	fprintf(file, "# vtk DataFile Version 2.0\ncube\nASCII\nDATASET POLYDATA\nPOINTS 216 float\n");
	for (int i = 0; i < 216; i++)
		fprintf(file, "%g %g %g\n", 0.05 + 0.1 * (i % 6), 0.05 + 0.1 * (i / 6 % 6), 0.05 + 0.1 * (i / 36));
	fclose(file);
	check_command(s.path, "info cube.vtk", 0, "216 particles");
	check_command(s.path, command("cube.vtk --spacing 0.1"), 0, "wrote cube_mesh.ply (");
	check_near(measure(scratch_file(&s, "cube_mesh.ply")).volume, 0.216, 0.03);
	check_command(s.path, command("cube.vtk -o some.obj"), 0, "--spacing M sets it");
	check_near(measure(scratch_file(&s, "some.obj")).volume, 0.216, 0.04);
	check_command(s.path, command("cube.vtk --spacing 0.1 --format stl -o folder"), 0,
		      "wrote folder/cube_mesh.stl (");
	check_command(s.path, command("cube.vtk --spacing 0.1 -o cube.vtk"), 2, "cube.vtk is the input file");
	check_command(s.path, command("cube.vtk -o a.ply --format obj"), 2, "contradict each other");
	check_command(s.path, command("cube.vtk --spacing 0.1 --fluid water"), 1, "has no scene that names its fluids");

	// a frame knows its scene
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, command("run/frames/frame_000003.spate -o three.ply"), 0,
		      "to view it: spate preview three.ply");
	check_near(measure(scratch_file(&s, "three.ply")).low[0], 0.3, 0.02);
	scratch_remove(&s);
}

// The last words of an interrupted command agree with the number of its meshes; progress comes before them where it takes seconds.
static void check_said(const scratch *s, int meshes)
{
	char expected[128], *text = NULL;
	size_t bytes = 0;
	snprintf(expected, sizeof expected,
		 "spate mesh: interrupted after %d complete %s; the same command continues from there\n", meshes,
		 meshes == 1 ? "mesh" : "meshes");
	check_ok(file_read(scratch_file(s, "said"), &text, &bytes, NULL));
	size_t length = strlen(expected);
	if (bytes < length || memcmp(text + bytes - length, expected, length) != 0)
		fail_msg("said '%.*s', expected '%s'", (int)bytes, text, expected);
	mem_free(text);
}

// A signal as soon as it is waited for, when hardly more than the first mesh has begun, which is a fine one.
static void test_interrupted_at_once(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	char line[4096];
	snprintf(
	    line, sizeof line,
	    "cd '%s' && { '%s' mesh run --cell 0.1 --smoothing 100 --threads 1 >said 2>&1 & job=$!; "
	    "until grep -q '^SigCgt:.*[4-7c-f]...$' /proc/$job/status; do sleep 0.01; done; kill -TERM $job; wait $job; }",
	    s.path, getenv("SPATE_BINARY"));
	int status = system(line);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 143);
	check_said(&s, count_files(scratch_file(&s, "run/mesh"), ".ply"));
	scratch_remove(&s);
}

static void test_interrupt(void **state)
{
	enum
	{
		FRAMES = 3000 // more than are done before the signal comes, however busy the machine is
	};
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	for (int frame = 5; frame <= FRAMES; frame++)
	{
		run_path path = run_frame_path(scratch_file(&s, "run"), frame);
		assert_int_equal(link(run_frame_path(scratch_file(&s, "run"), 1).text, path.text), 0);
	}
	// what a killed process left
	assert_int_equal(mkdir(scratch_file(&s, "run/mesh"), 0777), 0);
	cache_write_text(scratch_file(&s, "run/mesh/.spate-0123456789abcdef-77-0.tmp"), "half");
	char line[4096];
	snprintf(
	    line, sizeof line,
	    "cd '%s' && { '%s' mesh run --threads 1 >said 2>&1 & job=$!; "
	    "while [ ! -e run/mesh/mesh_000001.ply ] && kill -0 $job; do sleep 0.01; done; kill -TERM $job; wait $job; }",
	    s.path, getenv("SPATE_BINARY"));
	int status = system(line);
	assert_true(WIFEXITED(status));
	int there = count_files(scratch_file(&s, "run/mesh"), ".ply");
	if (WEXITSTATUS(status) != 143 || there == FRAMES)
		fail_msg("exit code %d after %d meshes, expected 143", WEXITSTATUS(status), there);
	check_no_temporaries(scratch_file(&s, "run"));
	check_said(&s, there);
	for (int frame = 1; frame <= there; frame++)
		assert_true(measure(run_mesh_path(scratch_file(&s, "run/mesh"), frame, ".ply").text).closed);
	char rest[64];
	snprintf(rest, sizeof rest, "run --frames -%d", there + 2);
	check_command(s.path, command(rest), 0, "(2 meshes, ");
	scratch_remove(&s);
}

static void test_mistakes(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	mkdir(scratch_file(&s, "empty"), 0777);
	cache_write_text(scratch_file(&s, "notes.txt"), "hello");
	check_command(s.path, "mesh", 2, "DIR or FILE is missing");
	check_command(s.path, command("nowhere"), 1, "cannot open nowhere: No such file");
	check_command(s.path, command("empty"), 1, "empty has no frames; create them with 'spate run SCENE -o empty'");
	check_command(s.path, command("notes.txt"), 1, "is not a particle file in a supported format");
	check_command(s.path, command("run --frames 7-9"), 1, "but none of 7-9");
	check_command(s.path, command("run --frames x"), 2,
		      "spate mesh: --frames: 'x' is not a number, or a range such as 10-20");
	check_command(s.path, command("run --format png"), 2,
		      "--format takes ply, obj, stl, vtk, vtp or spate, not 'png'");
	check_command(s.path, command("run --method best"), 2,
		      "--method takes density, zhu-bridson, color or anisotropic");
	check_command(s.path, command("run --normals all"), 2, "--normals takes none, field or mesh");
	check_command(s.path, command("run --up x"), 2, "--up takes y or z, not 'x'");
	check_command(s.path, command("run --cell 5"), 2, "--cell takes a number from 0.1 to 2, not '5'");
	check_command(s.path, command("run --smoothing -1"), 2, "--smoothing takes a whole number from 0 to 1000");
	check_command(s.path, command("run --box 0,0,0,1,1"), 2, "--box takes x0,y0,z0,x1,y1,z1");
	check_command(s.path, command("run --box 0,0,0,1,-1,1"), 2, "--box takes x0,y0,z0,x1,y1,z1");
	check_command(s.path, command("run -o out.ply"), 2, "-o out.ply names one file");
	check_command(s.path, command("run again"), 2, "only one DIR or FILE is allowed");
	check_command(s.path, command("run --channels velocity,density,velocity"), 2,
		      "--channels names velocity twice");
	// particles are never replaced, by whatever name
	check_command(s.path, command("run/frames/frame_000001.spate -o ./run/frames/frame_000001.spate --overwrite"),
		      2, "./run/frames/frame_000001.spate is the input file; choose another name with -o");
	check_command(s.path, "info run/frames/frame_000001.spate", 0, "frame 1");
	check_command(s.path, "help mesh", 0, "spate preview out/dam_break --mesh");
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_run),        cmocka_unit_test(test_ranges),
	    cmocka_unit_test(test_formats),    cmocka_unit_test(test_box_and_channels),
	    cmocka_unit_test(test_fluids),     cmocka_unit_test(test_walls),
	    cmocka_unit_test(test_mesh_walls), cmocka_unit_test(test_vdb),
	    cmocka_unit_test(test_no_room),    cmocka_unit_test(test_particle_files),
	    cmocka_unit_test(test_interrupt),  cmocka_unit_test(test_interrupted_at_once),
	    cmocka_unit_test(test_mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
