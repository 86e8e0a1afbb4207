// Particles in formats of other programs, from C through the public headers alone.
#define _GNU_SOURCE
#include "scratch.h"

#include "spate/spate.h"

#include <unistd.h>

enum
{
	COUNT = 3,
	FRAMES = 4
};

// Three particles around (100, 0, 0), the same in every frame but for a velocity that tells the frame.
static void make_frames(const char *directory)
{
	static const float positions[COUNT][3] = {{0.25f, 0.5f, 0.75f}, {-0.25f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};
	static const int64_t ids[COUNT] = {7, 8, 9};
	float velocities[COUNT][3] = {{0}};
	char path[2048];
	snprintf(path, sizeof path, "%s/frames", directory);
	check_ok(spate_folder_make(path, NULL));
	for (int k = 1; k <= FRAMES; k++)
	{
		velocities[1][2] = (float)k;
		const spate_frame_channel_def channels[] = {{"id", SPATE_INT64, ids, 0, COUNT},
							    {"position", SPATE_VEC3, positions, 0, COUNT},
							    {"velocity", SPATE_VEC3, velocities, 0, COUNT}};
		spate_frame_def def = spate_default_frame_def();
		def.frame = k;
		def.origin[0] = 100.0;
		def.count = COUNT;
		def.channels = channels;
		def.channel_count = 3;
		snprintf(path, sizeof path, "%s/frames/frame_%06d.spate", directory, k);
		check_ok(spate_frame_write(path, &def, NULL));
	}
}

static spate_info read_particles(const char *path)
{
	spate_info info;
	spate_info_def def = spate_default_info_def();
	def.path = path;
	check_ok(spate_info_read(&def, &info, NULL));
	assert_int_equal(info.kind, SPATE_INFO_PARTICLES);
	return info;
}

// What is written is read back: world coordinates, and the channel of the right frame.
static void every_format_comes_back(void **state)
{
	(void)state;
	static const char *const names[] = {"ply", "vtk", "bgeo"};
	scratch s = scratch_make();
	make_frames(scratch_file(&s, "run"));
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
	{
		spate_export_def def = spate_default_export_def();
		spate_export_summary done;
		char file[64];
		def.input = scratch_file(&s, "run");
		def.format = names[k];
		check_ok(spate_export_run(&def, &done, NULL));
		assert_int_equal(done.written, FRAMES);
		assert_int_equal(done.particles, FRAMES * COUNT);
		snprintf(file, sizeof file, "run/export/particles_000003.%s", names[k]);
		spate_info info = read_particles(scratch_file(&s, file));
		const spate_mesh *points = info.particles.points;
		const spate_mesh_channel *velocity = spate_mesh_find_channel(points, "velocity");
		assert_int_equal(points->vertex_count, COUNT);
		check_near((double)points->positions[0], 100.25, 0.0);
		assert_non_null(spate_mesh_find_channel(points, "id"));
		check_near((double)points->positions[5], 1.0, 0.0);
		assert_non_null(velocity);
		check_near((double)velocity->values[5], 3.0, 0.0);
		spate_info_free(&info);
	}
	scratch_remove(&s);
}

static void a_single_file_and_its_channels(void **state)
{
	(void)state;
	scratch s = scratch_make();
	make_frames(scratch_file(&s, "run"));
	spate_export_def def = spate_default_export_def();
	const char *const wrong[] = {"heat"};
	def.input = scratch_file(&s, "run/frames/frame_000002.spate");
	def.output = scratch_file(&s, "two.ply");
	def.channels = wrong; // none of them
	check_ok(spate_export_run(&def, NULL, NULL));
	spate_info info = read_particles(scratch_file(&s, "two.ply"));
	assert_int_equal(info.particles.points->channel_count, 0);
	spate_info_free(&info);

	// a channel that is not there, a format that holds no particles, the input itself
	def.channel_count = 1;
	check_result(spate_export_run(&def, NULL, NULL), SPATE_MISSING);
	def.channels = NULL;
	def.channel_count = 0;
	def.output = scratch_file(&s, "two.stl");
	check_result(spate_export_run(&def, NULL, NULL), SPATE_INVALID);
	def.output = def.input;
	check_result(spate_export_run(&def, NULL, NULL), SPATE_INVALID);
	def.output = NULL;
	def.format = "obj";
	check_result(spate_export_run(&def, NULL, NULL), SPATE_INVALID);
	scratch_remove(&s);
}

static int stop_after_two(void *context, const spate_job_progress *progress)
{
	(void)context;
	return progress->done == 2;
}

static void cancelled_and_damaged(void **state)
{
	(void)state;
	scratch s = scratch_make();
	char run[1100];
	snprintf(run, sizeof run, "%s/run", s.path);
	make_frames(run);
	spate_export_def def = spate_default_export_def();
	spate_export_summary done;
	def.input = run;
	def.job.handler = stop_after_two;
	check_result(spate_export_run(&def, &done, NULL), SPATE_CANCELLED);
	assert_int_equal(done.written, 2);
	assert_int_equal(access(scratch_file(&s, "run/export/particles_000002.ply"), F_OK), 0);
	assert_int_not_equal(access(scratch_file(&s, "run/export/particles_000003.ply"), F_OK), 0);
	check_no_temporaries(s.path);

	// a damaged frame is skipped, a missing one is counted
	FILE *file = fopen(scratch_file(&s, "run/frames/frame_000002.spate"), "r+b");
	assert_non_null(file);
	fseek(file, -20, SEEK_END);
	fputc('!', file);
	fclose(file);
	remove(scratch_file(&s, "run/frames/frame_000003.spate"));
	def.job.handler = NULL;
	check_ok(spate_export_run(&def, &done, NULL));
	assert_int_equal(done.written, 2);
	assert_int_equal(done.failed, 1);
	assert_int_equal(done.missing, 1);
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_format_comes_back),
					   cmocka_unit_test(a_single_file_and_its_channels),
					   cmocka_unit_test(cancelled_and_damaged)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
