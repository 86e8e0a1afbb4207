// Meshing from C, through the public headers alone: the same files as the command's, cancelled and continued, damaged, refused.
#define _GNU_SOURCE
#include "job/view.h"

typedef struct place
{
	char text[4096];
} place;

// A path that stays.
static place at(const scratch *s, const char *name)
{
	place p;
	snprintf(p.text, sizeof p.text, "%s", scratch_file(s, name));
	return p;
}

static spate_mesh_job_def def_of(const place *input, listener *l)
{
	spate_mesh_job_def def = spate_default_mesh_job_def();
	def.job = listener_job(l);
	def.input = input->text;
	return def;
}

static void test_cancelled_and_continued(void **state)
{
	(void)state;
	scratch s = scratch_make();
	place run = at(&s, "run");
	listener l = {.stop_what = "frames", .stop_after = 2};
	spate_mesh_job_summary summary;
	view_make_run(run.text);
	spate_mesh_job_def def = def_of(&run, &l);
	check_refused(spate_mesh_job_run(&def, &summary, &error), SPATE_CANCELLED, "stopped after 2 of 4");
	assert_int_equal(summary.made_count, 2);
	assert_int_equal(summary.made[1].frame, 2);
	assert_string_equal(summary.made[1].path, scratch_file(&s, "run/mesh/mesh_000002.ply"));
	assert_string_equal(summary.made[1].path, l.item);
	assert_true(l.left > 0.0);
	spate_mesh_job_summary_free(&summary);
	assert_true(view_exists(scratch_file(&s, "run/mesh/mesh_000002.ply")));
	assert_false(view_exists(scratch_file(&s, "run/mesh/mesh_000003.ply")));
	check_no_temporaries(s.path);

	l = (listener){.calls = 0};
	check_ok(spate_mesh_job_run(&def, &summary, NULL));
	assert_int_equal(summary.made_count, 2);
	assert_int_equal(summary.skipped, 2);
	assert_int_equal(summary.frames, 4);
	assert_int_equal(summary.failed + summary.missing + summary.outdated, 0);
	assert_string_equal(summary.folder, scratch_file(&s, "run/mesh"));
	assert_string_equal(summary.suffix, ".ply");
	assert_int_equal(l.last_done, 4);
	assert_string_equal(l.warnings, "");
	spate_mesh_job_summary_free(&summary);

	// the same bytes as those of the command in one go
	check_runs(s.path, "mesh run -q -o whole");
	for (int frame = 1; frame <= 4; frame++)
	{
		char parts[64], whole[64];
		snprintf(parts, sizeof parts, "run/mesh/mesh_%06d.ply", frame);
		snprintf(whole, sizeof whole, "whole/mesh_%06d.ply", frame);
		check_same_bytes(scratch_file(&s, parts), scratch_file(&s, whole));
	}
	// nothing to do, and nobody who wants to know
	def.job = (spate_job){.threads = 1};
	check_ok(spate_mesh_job_run(&def, NULL, NULL));
	scratch_remove(&s);
}

static void test_damaged_frames(void **state)
{
	(void)state;
	scratch s = scratch_make();
	place run = at(&s, "run");
	listener l = {.calls = 0};
	spate_mesh_job_summary summary;
	view_make_run(run.text);
	scratch_damage(scratch_file(&s, "run/frames/frame_000002.spate"));
	assert_int_equal(unlink(scratch_file(&s, "run/frames/frame_000003.spate")), 0);
	spate_mesh_job_def def = def_of(&run, &l);
	check_ok(spate_mesh_job_run(&def, &summary, NULL));
	assert_int_equal(summary.made_count, 2);
	assert_int_equal(summary.failed, 1);
	assert_int_equal(summary.missing, 1);
	assert_non_null(strstr(l.warnings, "a frame is missing and skipped: 3\n"));
	assert_non_null(strstr(l.warnings, "frame skipped: "));
	spate_mesh_job_summary_free(&summary);
	scratch_remove(&s);
}

// Every format that holds meshes, written by the job; read again where it can be.
static void test_formats(void **state)
{
	(void)state;
	scratch s = scratch_make();
	place run = at(&s, "run"), out = at(&s, "out");
	listener l = {.calls = 0};
	view_make_run(run.text);
	spate_mesh_job_def def = def_of(&run, &l);
	const spate_format *format;
	int read = 0;
	def.output = out.text;
	def.frames = (spate_job_frames){.list = "2"};
	for (uint32_t n = 0; (format = spate_format_at(n)); n++)
	{
		spate_mesh_job_summary summary;
		spate_mesh *mesh = NULL;
		def.format = format->name;
		if (!(format->writes & SPATE_FORMAT_TRIANGLES))
		{
			check_refused(spate_mesh_job_run(&def, &summary, &error), SPATE_INVALID,
				      "`format` takes ply, obj, stl, vtk, vtp or spate, not '");
			spate_mesh_job_summary_free(&summary);
			continue;
		}
		check_ok(spate_mesh_job_run(&def, &summary, NULL));
		assert_string_equal(summary.suffix, format->suffix);
		assert_int_equal(summary.made_count, 1);
		assert_ptr_equal(spate_format_of_path(summary.made[0].path), format);
		if (format->reads & SPATE_FORMAT_TRIANGLES)
		{
			check_ok(spate_mesh_read(&mesh, summary.made[0].path, NULL));
			assert_int_equal(mesh->vertex_count, summary.made[0].vertices);
			assert_int_equal(mesh->triangle_count, summary.made[0].triangles);
			assert_true((spate_mesh_find_channel(mesh, "velocity") != NULL) ==
				    (strcmp(format->name, "ply") == 0 || strcmp(format->name, "spate") == 0));
			spate_mesh_destroy(mesh);
			read++;
		}
		spate_mesh_job_summary_free(&summary);
	}
	assert_int_equal(read, 4);
	scratch_remove(&s);
}

// Bit for bit: (x, y, z) becomes (x, -z, y) in places and vectors, and nothing else changes.
static void check_turned(const float *y_up, const float *z_up, uint32_t count, const char *what)
{
	for (uint32_t i = 0; i < count; i++)
	{
		const float *a = y_up + 3 * i, *b = z_up + 3 * i;
		if (b[0] != a[0] || b[1] != -a[2] || b[2] != a[1])
			fail_msg("%s %u is (%g, %g, %g) with y up and (%g, %g, %g) with z up", what, i, (double)a[0],
				 (double)a[1], (double)a[2], (double)b[0], (double)b[1], (double)b[2]);
	}
}

static void test_up(void **state)
{
	(void)state;
	static const char *const channels[] = {"velocity", "density"}, *const formats[] = {"ply", "spate", "obj",
											   "stl"};
	scratch s = scratch_make();
	place run = at(&s, "run"), out = at(&s, "turned");
	listener l = {.calls = 0};
	view_make_run(run.text);
	for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
		for (int clipped = 0; clipped < 2; clipped++)
		{
			spate_mesh *meshes[2];
			double volumes[2];
			for (int z = 0; z < 2; z++)
			{
				spate_mesh_job_summary summary;
				spate_mesh_job_def def = def_of(&run, &l);
				def.format = formats[f];
				def.output = out.text;
				def.overwrite = 1;
				def.frames.list = "4";
				def.channels = channels;
				def.channel_count = 2;
				// the box stays in coordinates of the scene
				def.surface.clip = clipped;
				memcpy(def.surface.clip_min, (double[3]){0.05, -1, -1}, sizeof def.surface.clip_min);
				memcpy(def.surface.clip_max, (double[3]){1, 0.15, 1}, sizeof def.surface.clip_max);
				def.up = z ? SPATE_EXPORT_UP_Z : SPATE_EXPORT_UP_Y;
				check_ok(spate_mesh_job_run(&def, &summary, NULL));
				assert_int_equal(summary.made_count, 1);
				check_ok(spate_mesh_read(&meshes[z], summary.made[0].path, NULL));
				volumes[z] = summary.made[0].volume;
				spate_mesh_job_summary_free(&summary);
				// made with this axis, it is there
				check_ok(spate_mesh_job_run(&def, &summary, NULL));
				assert_int_equal(summary.skipped, 1);
				spate_mesh_job_summary_free(&summary);
				def.overwrite = 0;
				def.up = z ? SPATE_EXPORT_UP_Y : SPATE_EXPORT_UP_Z;
				check_result(spate_mesh_job_run(&def, NULL, NULL), SPATE_EXISTS);
			}
			const spate_mesh *a = meshes[0], *b = meshes[1];
			assert_true(a->vertex_count > 100);
			assert_int_equal(a->vertex_count, b->vertex_count);
			assert_int_equal(a->triangle_count, b->triangle_count);
			assert_memory_equal(a->triangles, b->triangles, 3 * a->triangle_count * sizeof *a->triangles);
			assert_true(volumes[0] == volumes[1]);
			check_turned(a->positions, b->positions, a->vertex_count, "vertex");
			assert_int_equal(a->channel_count, b->channel_count);
			for (uint32_t c = 0; c < a->channel_count; c++)
			{
				const spate_mesh_channel *v = &a->channels[c], *w = spate_mesh_find_channel(b, v->name);
				assert_non_null(w);
				if (v->components == 3)
					check_turned(v->values, w->values, a->vertex_count, v->name);
				else
					assert_memory_equal(v->values, w->values,
							    a->vertex_count * v->components * sizeof(float));
			}
			if (strcmp(formats[f], "ply") == 0)
				assert_non_null(spate_mesh_find_channel(b, "velocity"));
			spate_mesh_destroy(meshes[0]);
			spate_mesh_destroy(meshes[1]);
		}
	scratch_remove(&s);
}

static void test_particle_file(void **state)
{
	(void)state;
	scratch s = scratch_make();
	place run = at(&s, "run"), frame = at(&s, "run/frames/frame_000001.spate"), out = at(&s, "one.obj");
	listener l = {.calls = 0};
	spate_mesh_job_summary summary;
	view_make_run(run.text);
	spate_mesh_job_def def = def_of(&frame, &l);
	def.output = out.text;
	check_ok(spate_mesh_job_run(&def, &summary, NULL));
	assert_null(summary.folder);
	assert_string_equal(summary.suffix, ".obj");
	assert_string_equal(summary.made[0].path, out.text);
	// the spacing is that of the scene; edges of the cube are round
	check_near(summary.made[0].volume, summary.made[0].particles * 0.05 * 0.05 * 0.05, 0.15 * 0.027);
	spate_mesh_job_summary_free(&summary);
	def.format = "ply";
	check_refused(spate_mesh_job_run(&def, NULL, &error), SPATE_INVALID, "and `format` ply contradict each other");
	def = def_of(&frame, &l);
	def.marks = 1;
	check_refused(spate_mesh_job_run(&def, NULL, &error), SPATE_INVALID, "`marks` needs the frames of a run");
	scratch_remove(&s);
}

static void test_refused(void **state)
{
	(void)state;
	static const char *const twice[] = {"velocity", "density", "velocity"}, *const heat[] = {"heat"};
	scratch s = scratch_make();
	place run = at(&s, "run"), empty = at(&s, "empty"), file = at(&s, "a.ply");
	listener l = {.calls = 0};
	view_make_run(run.text);
	assert_int_equal(mkdir(empty.text, 0777), 0);
	spate_mesh_job_def good = def_of(&run, &l), def = good;
	spate_mesh_job_summary summary;

	def.input = NULL;
	check_refused(spate_mesh_job_check(&def, &error), SPATE_INVALID, "`input` is missing");
	def = good;
	def.marks = 1;
	def.surface.min_blob = 3.0;
	check_refused(spate_mesh_job_check(&def, &error), SPATE_INVALID, "`min_blob` cannot be combined with `marks`");
	def = good;
	def.interfaces = SPATE_MESH_INTERFACES_GRID;
	def.format = "stl";
	check_refused(spate_mesh_job_check(&def, &error), SPATE_INVALID,
		      "`format` stl cannot store the two fluids of a triangle; use ply, obj, vtk, vtp or spate");
	def = good;
	def.channels = twice;
	def.channel_count = 3;
	check_refused(spate_mesh_job_check(&def, &error), SPATE_INVALID, "`channels` names velocity twice");

	def.channels = heat;
	def.channel_count = 1;
	check_refused(spate_mesh_job_run(&def, &summary, &error), SPATE_INVALID,
		      "has no channel 'heat' for `channels`");
	assert_int_equal(summary.failed, 1);
	spate_mesh_job_summary_free(&summary);
	def = good;
	def.input = empty.text;
	check_refused(spate_mesh_job_run(&def, &summary, &error), SPATE_MISSING, "empty has no frames");
	assert_int_equal(summary.frames, 0);
	spate_mesh_job_summary_free(&summary);
	def = good;
	def.fluid = "mud";
	check_refused(spate_mesh_job_run(&def, NULL, &error), SPATE_INVALID,
		      "unknown fluid 'mud'; choose one of: water");
	def = good;
	def.output = file.text;
	check_refused(spate_mesh_job_run(&def, NULL, &error), SPATE_INVALID, "`output` ");
	// other settings, which nothing of the first ones survives
	check_ok(spate_mesh_job_run(&good, NULL, NULL));
	def = good;
	def.surface.cell = 0.5;
	check_refused(spate_mesh_job_run(&def, NULL, &error), SPATE_EXISTS,
		      "mesh_000001.ply was made with other settings; `overwrite` replaces it");
	def.overwrite = 1;
	check_ok(spate_mesh_job_run(&def, &summary, NULL));
	assert_int_equal(summary.made_count, 4);
	spate_mesh_job_summary_free(&summary);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cancelled_and_continued),
	    cmocka_unit_test(test_damaged_frames),
	    cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_up),
	    cmocka_unit_test(test_particle_file),
	    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
