// spate mesh with several fluids, refinement, marks of particles near the surface, and frames without liquid.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "cache/mesh_frame.h"
#include "cli/cache.h"
#include "mesh/measure.h"
#include "mesh/sides.h"
#include "render/image.h"

#include <sys/stat.h>

enum
{
	LONG = 12, // particles along x, 6 along y and z: the first half is water, the second oil
	COUNT = LONG * 6 * 6
};

static const char two_fluids[] =
    "spate: 1\nname: two\nframes: 3\nfps: 24\nfluids:\n  water: { spacing: 0.1, color: \"#2020d0\" }\n"
    "  oil: { spacing: 0.1, color: \"#d02020\" }\n"
    "sources:\n  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } } }\n"
    "cameras:\n  side: { position: [0.6, 0.3, 4], target: [0.6, 0.3, 0.3], fov: 35 }\n";

static const char *command(const char *arguments)
{
	static char line[1024];
	snprintf(line, sizeof line, "mesh %s --threads 1", arguments);
	return line;
}

// A bar of `count` particles, 0.1 m further along x in every frame, with id, position and fluid or the first of them.
static void write_channels(const char *path, int64_t number, uint64_t count, uint32_t channel_count)
{
	static float position[COUNT][3];
	static int64_t id[COUNT];
	static int32_t fluid[COUNT];
	for (int i = 0; i < COUNT; i++)
	{
		int cell[3] = {i % LONG, i / LONG % 6, i / LONG / 6};
		id[i] = i;
		fluid[i] = cell[0] >= LONG / 2;
		for (int k = 0; k < 3; k++)
			position[i][k] = (float)(0.05 + 0.1 * (cell[k] + (k == 0 ? (int)number - 1 : 0)));
	}
	const spate_frame_channel_def channels[] = {{"id", SPATE_INT64, id, 0, count},
						    {"position", SPATE_VEC3, position, 0, count},
						    {"fluid", SPATE_INT32, fluid, 0, count}};
	spate_frame_def def = spate_default_frame_def();
	def.frame = number;
	def.time = (double)number / 24.0;
	def.count = count;
	def.channels = channels;
	def.channel_count = channel_count;
	check_ok(spate_frame_write(path, &def, NULL));
}

static void write_frame(const char *path, int64_t number, uint64_t count)
{
	write_channels(path, number, count, 3);
}

// Frame 1 is empty.
static void make_run(const scratch *s, const char *scene)
{
	check_ok(run_dir_create(scratch_file(s, "run"), NULL));
	for (int frame = 1; frame <= 3; frame++)
		write_frame(run_frame_path(scratch_file(s, "run"), frame).text, frame, frame > 1 ? COUNT : 0);
	cache_write_text(scratch_file(s, "run/scene.yaml"), scene);
}

static spate_mesh *read_mesh(const scratch *s, const char *name)
{
	spate_mesh *mesh;
	spate_error error = {0};
	const char *path = scratch_file(s, name);
	spate_result result =
	    mesh_frame_is(path) ? mesh_frame_read(&mesh, path, &error) : spate_mesh_read(&mesh, path, &error);
	if (result != SPATE_OK)
		fail_msg("%s", error.text);
	return mesh;
}

static spate_mesh_measure measure(const spate_mesh *mesh)
{
	spate_mesh_measure m;
	check_ok(mesh_measure_all(&m, mesh, NULL));
	return m;
}

static void check_same_bytes(const scratch *s, const char *a, const char *b)
{
	char *x = NULL, *y = NULL;
	size_t m, n;
	check_ok(file_read(scratch_file(s, a), &x, &m, NULL));
	check_ok(file_read(scratch_file(s, b), &y, &n, NULL));
	if (m != n || memcmp(x, y, m) != 0)
		fail_msg("%s and %s differ", a, b);
	mem_free(x);
	mem_free(y);
}

// Every fluid closed and of its volume, the interface a wall between them at x = 0.7 that both share.
static void check_interfaces(const scratch *s, const char *folder, const char *extension, double tolerance)
{
	char name[3][128];
	static const char *const parts[] = {"water", "oil", "interfaces"};
	for (int i = 0; i < 3; i++)
		snprintf(name[i], sizeof name[i], "%s/mesh_%s_000002%s", folder, parts[i], extension);
	spate_mesh *combined = read_mesh(s, name[2]);
	uint32_t pairs[3][3] = {{0}}, shared = 0;
	assert_non_null(combined->sides);
	for (size_t t = 0; t < combined->triangle_count; t++)
	{
		const uint8_t *side = combined->sides + 2 * t;
		assert_true(side[0] > side[1] && side[0] <= 2);
		pairs[side[0]][side[1]]++;
		for (size_t k = 0; k < 3 && side[1] == 1; k++)
			check_near((double)combined->positions[3 * (size_t)combined->triangles[3 * t + k]], 0.7,
				   tolerance);
		shared += side[1] == 1;
	}
	assert_true(pairs[1][0] > 0 && pairs[2][0] > 0 && shared > 0);
	for (uint32_t f = 1; f <= 2; f++)
	{
		spate_mesh *own = read_mesh(s, name[f - 1]), *extracted;
		check_ok(mesh_sides_extract(&extracted, combined, f, NULL));
		spate_mesh_measure m = measure(own), e = measure(extracted);
		assert_true(m.closed && e.closed);
		assert_int_equal(m.flipped_edges, 0);
		assert_int_equal(own->triangle_count, pairs[f][0] + shared);
		assert_int_equal(extracted->triangle_count, own->triangle_count);
		check_near(m.volume, 0.216, 0.03);
		check_near(e.volume, m.volume, 1e-6);
		check_near(m.low[0], f == 1 ? 0.1 : 0.7, tolerance);
		spate_mesh_destroy(own);
		spate_mesh_destroy(extracted);
	}
	spate_mesh_destroy(combined);
}

static void test_grid(void **state)
{
	scratch s = scratch_make();
	(void)state;
	make_run(&s, two_fluids);
	check_command(s.path, command("run --interfaces grid"), 0, "(9 meshes, ");
	check_interfaces(&s, "run/mesh", ".ply", 0.03);
	check_command(s.path, "info run/mesh/mesh_interfaces_000002.ply", 0, "fluid 2          ");
	check_command(s.path, "info run/mesh/mesh_interfaces_000002.ply --json", 0, "\"fluids\":[{\"fluid\":1,");

	// all there; one of them gone; the same bytes in pieces; other settings
	check_command(s.path, command("run --interfaces grid"), 0, "9 meshes were up to date");
	remove(scratch_file(&s, "run/mesh/mesh_oil_000003.ply"));
	check_command(s.path, command("run --interfaces grid --json"), 0, "\"made\":1,\"skipped\":8,\"failed\":0");
	check_command(s.path, command("run --interfaces grid --frames 3 -o part"), 0, "(3 meshes, ");
	check_same_bytes(&s, "run/mesh/mesh_oil_000003.ply", "part/mesh_oil_000003.ply");
	check_same_bytes(&s, "run/mesh/mesh_interfaces_000003.ply", "part/mesh_interfaces_000003.ply");
	check_command(s.path, command("run"), 1, "mesh_water_000001.ply was made with other settings");
	check_command(s.path, command("run --interfaces grid --smoothing 9"), 1, "was made with other settings");

	// a box cuts all alike
	check_command(s.path, command("run --interfaces grid --frames 2 --box 0,0,0,2,0.3,1 -o cut"), 0, "(3 meshes, ");
	for (int i = 0; i < 2; i++)
	{
		spate_mesh *mesh = read_mesh(&s, i ? "cut/mesh_oil_000002.ply" : "cut/mesh_water_000002.ply");
		spate_mesh_measure m = measure(mesh);
		assert_true(m.closed);
		check_near(m.high[1], 0.3, 0.04);
		check_near(m.volume, 0.108, 0.03);
		spate_mesh_destroy(mesh);
	}
	scratch_damage(run_frame_path(scratch_file(&s, "run"), 3).text);
	check_command(s.path, command("run --interfaces grid -o left"), 1, "frame skipped: ");
	assert_true(cache_exists(scratch_file(&s, "left/mesh_interfaces_000002.ply")));
	assert_false(cache_exists(scratch_file(&s, "left/mesh_interfaces_000003.ply")));
	scratch_remove(&s);
}

static void test_chromatic(void **state)
{
	scratch s = scratch_make();
	(void)state;
	make_run(&s, two_fluids);
	command_result made = command_run(s.path, command("run --interfaces chromatic --format spate -o chromatic"));
	if (made.code == 1 && strstr(made.text, "Qhull"))
	{
		scratch_remove(&s);
		skip_without("QHULL");
	}
	check_command(s.path, command("run --interfaces chromatic --format spate -o chromatic"), 0,
		      "9 meshes were up to date");
	check_interfaces(&s, "chromatic", ".spate", 0.06);
	check_command(s.path, command("run --interfaces chromatic --frames 2 --box 0,0,0,2,0.3,1 -o cut"), 0,
		      "(3 meshes, ");
	spate_mesh *mesh = read_mesh(&s, "cut/mesh_water_000002.ply");
	assert_true(measure(mesh).closed);
	check_near(measure(mesh).volume, 0.108, 0.02);
	spate_mesh_destroy(mesh);

	// far from the origin a lattice is cut into many triangles without area, of which a reader would make holes
	write_frame(run_frame_path(scratch_file(&s, "run"), 100).text, 100, COUNT);
	check_command(s.path, command("run --interfaces chromatic --smoothing 0 --frames 100 -o far"), 0,
		      "(3 meshes, ");
	for (int i = 0; i < 2; i++)
	{
		mesh = read_mesh(&s, i ? "far/mesh_oil_000100.ply" : "far/mesh_water_000100.ply");
		spate_mesh_measure m = measure(mesh);
		print_message("%u left out, %llu open edges\n", mesh->dropped, (unsigned long long)m.open_edges);
		assert_int_equal(mesh->dropped, 0);
		assert_true(m.closed);
		check_near(m.volume, 0.216, 0.03);
		spate_mesh_destroy(mesh);
	}
	scratch_remove(&s);
}

// Bytes of a file that hold a text.
static int holds(const char *path, const char *text)
{
	char *data = NULL;
	size_t bytes;
	check_ok(file_read(path, &data, &bytes, NULL));
	int found = memmem(data, bytes, text, strlen(text)) != NULL;
	mem_free(data);
	return found;
}

static void test_formats(void **state)
{
	static const struct
	{
		const char *format, *text;
	} formats[] = {{"ply", "property uchar side_a\nproperty uchar side_b\n"},
		       {"obj", "\ng 2_1\n"},
		       {"vtk", "CELL_DATA"},
		       {"vtp", "Name=\"sides\" NumberOfComponents=\"2\""}};
	scratch s = scratch_make();
	char line[256];
	(void)state;
	make_run(&s, two_fluids);
	for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
	{
		snprintf(line, sizeof line, "run --frames 2 --interfaces grid -o all --format %s", formats[f].format);
		check_command(s.path, command(line), 0, "(3 meshes, ");
		snprintf(line, sizeof line, "all/mesh_interfaces_000002.%s", formats[f].format);
		assert_true(holds(scratch_file(&s, line), formats[f].text));
	}
	check_command(s.path, command("run --frames 2 --interfaces grid -o all --format spate"), 0, "(3 meshes, ");
	check_interfaces(&s, "all", ".spate", 0.03);
	check_command(s.path, command("run --interfaces grid --format stl"), 2,
		      "--format stl cannot store the two fluids");
	scratch_remove(&s);
}

static void write_points(FILE *file)
{
	fprintf(file, "# vtk DataFile Version 2.0\ntwo\nASCII\nDATASET POLYDATA\nPOINTS %d float\n", COUNT);
	for (int i = 0; i < COUNT; i++)
		fprintf(file, "%g %g %g\n", 0.05 + 0.1 * (i % LONG), 0.05 + 0.1 * (i / LONG % 6),
			0.05 + 0.1 * (i / LONG / 6));
}

// A file of another program, whose particles name their fluid.
static void test_single_file(void **state)
{
	scratch s = scratch_make();
	(void)state;
	FILE *file = fopen(scratch_file(&s, "two.vtk"), "w");
	write_points(file);
	fprintf(file, "POINT_DATA %d\nSCALARS fluid float 1\nLOOKUP_TABLE default\n", COUNT);
	for (int i = 0; i < COUNT; i++)
		fprintf(file, "%d\n", i % LONG >= LONG / 2);
	fclose(file);
	check_command(s.path, command("two.vtk --spacing 0.1 --interfaces grid"), 0, "wrote two_mesh_fluid2.ply (");
	spate_mesh *mesh = read_mesh(&s, "two_mesh_fluid2.ply");
	// a line of grid points lies on the interface: along its rim it is within a cell
	check_near(measure(mesh).low[0], 0.6, 0.076);
	check_near(measure(mesh).volume, 0.216, 0.03);
	spate_mesh_destroy(mesh);
	mesh = read_mesh(&s, "two_mesh_interfaces.ply");
	assert_int_equal(mesh_sides_last(mesh), 2);
	spate_mesh_destroy(mesh);

	// of an attribute of several numbers the first counts
	file = fopen(scratch_file(&s, "wide.vtk"), "w");
	write_points(file);
	fprintf(file, "POINT_DATA %d\nSCALARS fluid float 2\nLOOKUP_TABLE default\n", COUNT);
	for (int i = 0; i < COUNT; i++)
		fprintf(file, "%d 1e30\n", i % LONG >= LONG / 2);
	fclose(file);
	check_command(s.path, command("wide.vtk --spacing 0.1 --interfaces grid"), 0, "wrote wide_mesh_fluid2.ply (");
	mesh = read_mesh(&s, "wide_mesh_fluid2.ply");
	check_near(measure(mesh).volume, 0.216, 0.03);
	spate_mesh_destroy(mesh);
	file = fopen(scratch_file(&s, "plain.vtk"), "w");
	fprintf(file, "# vtk DataFile Version 2.0\none\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\n");
	fclose(file);
	check_command(s.path, command("plain.vtk --spacing 0.1 --interfaces grid"), 1,
		      "has neither a scene nor an attribute 'fluid'");
	scratch_remove(&s);
}

static void test_refine(void **state)
{
	scratch s = scratch_make();
	(void)state;
	cache_make(scratch_file(&s, "run"));
	check_command(s.path, command("run --frames 1 --kernel 1.5 --cell 0.4 --smoothing 0 -o plain --json"), 0,
		      "\"refined\":0,");
	command_result fine = command_run(
	    s.path, command("run --frames 1 --kernel 1.5 --cell 0.4 --smoothing 0 --refine 1 -o fine --json"));
	const char *refined = strstr(fine.text, "\"refined\":");
	assert_int_equal(fine.code, 0);
	assert_true(refined && atoi(refined + strlen("\"refined\":")) > 100);
	spate_mesh *a = read_mesh(&s, "plain/mesh_000001.ply"), *b = read_mesh(&s, "fine/mesh_000001.ply");
	assert_true(measure(a).closed && measure(b).closed);
	// bumps over single particles go
	if (!(measure(b).area < 0.995 * measure(a).area))
		fail_msg("area %g with refinement, %g without", measure(b).area, measure(a).area);
	check_near(measure(b).volume, measure(a).volume, 0.02);
	spate_mesh_destroy(a);
	spate_mesh_destroy(b);
	check_command(s.path, command("run --refine 4"), 2, "--refine takes a whole number from 0 to 3, not '4'");
	check_command(s.path, command("run --kernel 5"), 2, "--kernel takes a number from 1 to 4, not '5'");
	scratch_remove(&s);
}

static void test_marks(void **state)
{
	static const char *const criteria[] = {"iterated", "one-step"};
	scratch s = scratch_make();
	char line[256];
	(void)state;
	make_run(&s, two_fluids);
	for (int c = 0; c < 2; c++)
	{
		snprintf(line, sizeof line, "run --marks %s --format spate --channels fluid -o %s", criteria[c],
			 criteria[c]);
		check_command(s.path, command(line), 0, "(3 frames, ");
		check_command(s.path, command(line), 0, "3 files were up to date");
		snprintf(line, sizeof line, "%s/marks_000003.spate", criteria[c]);
		spate_frame *frame;
		const void *data;
		check_ok(spate_frame_open(scratch_file(&s, line), &frame, NULL));
		assert_int_equal(spate_frame_count(frame), COUNT);
		check_ok(spate_frame_channel(frame, "near_surface", NULL, &data, NULL));
		// the outermost layer is marked, what is two layers further in is not; a fluid beside another is not a surface
		for (int i = 0; i < COUNT; i++)
		{
			int cell[3] = {i % LONG, i / LONG % 6, i / LONG / 6}, depth = LONG;
			for (int k = 0; k < 3; k++)
			{
				int far = (k == 0 ? LONG : 6) - 1 - cell[k], near = cell[k] < far ? cell[k] : far;
				depth = near < depth ? near : depth;
			}
			if (depth != 1)
				check_near((double)((const float *)data)[i], depth == 0, 0.0);
		}
		check_ok(spate_frame_channel(frame, "id", NULL, &data, NULL));
		assert_int_equal(((const int64_t *)data)[COUNT - 1], COUNT - 1);
		check_ok(spate_frame_channel(frame, "fluid", NULL, &data, NULL));
		spate_frame_close(frame);
	}
	check_command(s.path,
		      "preview iterated/marks_000003.spate --color-by near_surface --size 160x90 --supersample 1", 0,
		      "wrote iterated/marks_000003.png");

	// particles as PLY; the marks of one frame are those of the whole sequence, and change with what was before
	check_command(s.path, command("run --marks iterated"), 0, "wrote run/marks/marks_*.ply (3 frames, ");
	check_command(s.path, command("run --marks iterated --frames 3 -o one"), 0, "(1 frames, ");
	check_same_bytes(&s, "run/marks/marks_000003.ply", "one/marks_000003.ply");
	check_command(s.path, "info run/marks/marks_000003.ply", 0, "near_surface (1)");
	write_frame(run_frame_path(scratch_file(&s, "run"), 2).text, 7, COUNT);
	check_command(s.path, command("run --marks iterated"), 0, "1 file was up to date");
	// of one fluid its own surface
	check_command(s.path, command("run --marks iterated --fluid oil --frames 3 --json -o oil"), 0,
		      "\"kind\":\"marks\"");
	check_command(s.path, command("run --marks iterated --fluid oil --frames 3 --json --overwrite -o one"), 0,
		      "\"particles\":216,");
	scratch_remove(&s);
}

static void test_mistakes(void **state)
{
	static const char *const wrong[][2] = {
	    {"run --interfaces fine", "--interfaces takes grid or chromatic, not 'fine'"},
	    {"run --interfaces grid --fluid oil", "--fluid cannot be combined with --interfaces"},
	    {"run --interfaces grid --refine 1", "--refine cannot be combined with --interfaces"},
	    {"run --interfaces grid --decimate 0.1", "--decimate cannot be combined with --interfaces"},
	    {"run --marks iterated --min-blob 3", "--min-blob cannot be combined with --marks"},
	    {"run --interfaces chromatic --cell 0.5", "--cell cannot be combined with --interfaces chromatic"},
	    {"run --marks all", "--marks takes iterated or one-step, not 'all'"},
	    {"run --marks iterated --interfaces grid", "--interfaces cannot be combined with --marks"},
	    {"run --marks iterated --vdb", "--vdb cannot be combined with --marks"},
	    {"run --marks iterated --format obj", "--format obj cannot store marked particles"},
	    {"run/frames/frame_000002.spate --marks iterated", "--marks needs the frames of a run"},
	    {"run --marks iterated", "the fluids have different spacings; choose one to mark with --fluid"},
	};
	scratch s = scratch_make();
	(void)state;
	make_run(&s, "spate: 1\nfluids:\n  water: { spacing: 0.1 }\n  oil: { spacing: 0.2 }\n");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		check_command(s.path, command(wrong[i][0]), 2, wrong[i][1]);
	check_command(s.path, command("run --frames 2 --marks iterated --fluid oil"), 0, "(1 frames, ");
	make_run(&s, "spate: 1\nfluids:\n  water: { spacing: 0.1 }\n  interfaces: { spacing: 0.1 }\n");
	check_command(s.path, command("run --interfaces grid"), 1, "the name of the fluid 'interfaces' cannot be");
	remove(scratch_file(&s, "run/scene.yaml"));
	check_command(s.path, command("run --interfaces grid"), 1, "run has neither a scene nor");
	scratch_remove(&s);
}

// Pixels where a colour (0 red, 2 blue) is clearly above the other, and their mean column.
static double column_of(const scratch *s, const char *name, int colour, int *count)
{
	image picture;
	double sum = 0.0;
	*count = 0;
	check_ok(image_read_png(&picture, scratch_file(s, name), NULL));
	for (int i = 0; i < picture.width * picture.height; i++)
	{
		const uint8_t *pixel = picture.pixels + 4 * (size_t)i;
		int above = pixel[colour] > pixel[2 - colour] + 30;
		*count += above;
		sum += above * (i % picture.width);
	}
	image_free(&picture);
	return *count ? sum / *count : -1.0;
}

// Water from 0.1 to 0.7 m is blue, oil from 0.7 to 1.3 red; 142.7 / 3.4 pixels per metre around x = 0.6.
static void test_preview(void **state)
{
	static const char *const lines[] = {"run --mesh", "run --mesh --fluid interfaces", "run --mesh --fluid oil"};
	scratch s = scratch_make();
	char line[256];
	int red, blue;
	(void)state;
	make_run(&s, two_fluids);
	check_command(s.path, command("run --interfaces grid"), 0, "to view them: spate preview run --mesh");
	for (int i = 0; i < 3; i++)
	{
		snprintf(line, sizeof line,
			 "preview %s --frames 2 --size 160x90 --supersample 1 --threads 1 -o p%d.png", lines[i], i);
		check_command(s.path, line, 0, "wrote p");
		snprintf(line, sizeof line, "p%d.png", i);
		check_near(column_of(&s, line, 0, &red), 79.5 + 0.4 * 142.7 / 3.4, 2.0);
		double column = column_of(&s, line, 2, &blue);
		if (i < 2)
			check_near(column, 79.5 - 0.2 * 142.7 / 3.4, 2.0);
		check_near(red, pow(0.6 * 142.7 / 3.4, 2.0), 150.0);
		check_near(blue, i < 2 ? pow(0.6 * 142.7 / 3.4, 2.0) : 0.0, i < 2 ? 150.0 : 0.0);
	}
	// the first frame is empty: a picture without liquid
	check_command(s.path, "preview run --mesh --size 160x90 --supersample 1 --no-movie -o all", 0, "(3 frames)");
	column_of(&s, "all/frame_000001.png", 0, &red);
	assert_int_equal(red, 0);
	column_of(&s, "all/frame_000003.png", 0, &red);
	assert_true(red > 300);
	check_command(s.path, "preview run --mesh --fluid mud", 1,
		      "run/mesh has no surfaces such as mesh_mud_000001.ply");
	check_command(s.path, "preview run --fluid oil", 2, "--fluid requires --mesh");
	check_command(s.path, "preview run/mesh/mesh_interfaces_000002.ply --size 160x90 --supersample 1 -o single.png",
		      0, "wrote single.png");
	scratch_remove(&s);
}

static void test_empty(void **state)
{
	static const char *const formats[] = {"ply", "obj", "stl", "spate"};
	scratch s = scratch_make();
	char line[256];
	(void)state;
	make_run(&s, cache_scene);
	for (int f = 0; f < 4; f++)
	{
		snprintf(line, sizeof line, "run --frames 1 --format %s -o %s", formats[f], formats[f]);
		check_command(s.path, command(line), 0, "(1 meshes, 0 triangles, ");
		snprintf(line, sizeof line, "info %s/mesh_000001.%s", formats[f], formats[f]);
		check_command(s.path, line, 1, "mesh, empty\n");
		snprintf(line, sizeof line, "preview run --mesh=%s --size 160x90 --supersample 1 --label -o %s.png",
			 formats[f], formats[f]);
		check_command(s.path, line, 0, "wrote ");
	}
	check_command(s.path, "preview ply/mesh_000001.ply --size 160x90 --supersample 1", 0,
		      "wrote ply/mesh_000001.png");
	check_command(s.path, "info ply/mesh_000001.ply --json", 1, "\"vertices\":0,\"triangles\":0");
	check_command(s.path, "info ply/mesh_000001.ply --quiet", 1, "ply/mesh_000001.ply has no triangles");
	// what is no mesh at all stays one
	cache_write_text(scratch_file(&s, "bad.ply"),
			 "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n");
	check_command(s.path, "info bad.ply", 1, "bad.ply");
	spate_mesh *mesh = NULL;
	spate_error error = {0};
	assert_int_equal(spate_mesh_read(&mesh, scratch_file(&s, "ply/mesh_000001.ply"), &error), SPATE_FORMAT);
	scratch_remove(&s);
}

// Frames that do not tell their fluids: no empty meshes, no silent picture in one colour.
static void test_untold(void **state)
{
	static const char *const refused[] = {"run", "run --fluid oil", "run --interfaces grid --overwrite",
					      "run --marks iterated --fluid oil"};
	scratch s = scratch_make();
	(void)state;
	make_run(&s, two_fluids);
	for (int frame = 2; frame <= 3; frame++)
		write_channels(run_frame_path(scratch_file(&s, "run"), frame).text, frame, COUNT, 2);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		check_command(s.path, command(refused[i]), 1,
			      "frame_000002.spate has no channel 'fluid' to tell the fluids apart by; add fluid to "
			      "output.channels");
	assert_false(cache_exists(scratch_file(&s, "run/mesh/mesh_oil_000002.ply")));
	check_command(s.path, command("run --marks iterated -o all"), 0, "(3 frames, ");
	static const char picture[] = "preview run --frames 2 --size 160x90 --supersample 1 -o ";
	char line[256];
	snprintf(line, sizeof line, "%sone.png", picture);
	// frame 1 is left as it was: the sentence is about the frames that are drawn
	check_command(s.path, line, 0,
		      "so both fluids are drawn in the colour of 'water'; add fluid to output.channels");
	snprintf(line, sizeof line, "%sposition.png --color-by position.x", picture);
	assert_null(strstr(command_run(s.path, line).text, "fluids"));
	write_frame(run_frame_path(scratch_file(&s, "run"), 2).text, 2, COUNT);
	snprintf(line, sizeof line, "%stwo.png", picture);
	assert_null(strstr(command_run(s.path, line).text, "fluids"));
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_grid),        cmocka_unit_test(test_chromatic), cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_single_file), cmocka_unit_test(test_refine),    cmocka_unit_test(test_marks),
	    cmocka_unit_test(test_mistakes),    cmocka_unit_test(test_preview),   cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_untold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
