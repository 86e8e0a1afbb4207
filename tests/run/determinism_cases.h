// What test_determinism.c and test_determinism_long.c share. DETERMINISM_ALL is 0 for some numbers of threads, frames and stops, 1 for all.
#ifndef TESTS_RUN_DETERMINISM_CASES_H
#define TESTS_RUN_DETERMINISM_CASES_H

#include "run_support.h"

#include "base/simd_level.h"

enum
{
	FRAMES = 4,
	SHORT = 2 // frames that the portable kernels are compared over: nothing has reached the drain
};

// Enough particles for several blocks per thread.
#define FINE "fluids.water.spacing=0.025"
#define FINE_TOO "fluids.oil.spacing=0.025"

static void run_fine(const scratch *s, const char *name, int threads, uint32_t frames)
{
	spate_scene scene = basin(FINE, FINE_TOO);
	spate_run_def def = run_def(&scene, scratch_file(s, name));
	def.threads = threads;
	def.last = frames;
	run_well(&def);
	spate_scene_free(&scene);
}

static void threads_make_no_difference(void **state)
{
	(void)state;
	scratch s = scratch_make();
	run_fine(&s, "1", 1, FRAMES);
	const char *names[] = {"3", "2", "4"};
	for (int n = 0; n < (DETERMINISM_ALL ? 3 : 1); n++)
	{
		run_fine(&s, names[n], atoi(names[n]), FRAMES);
		check_same_run(scratch_file(&s, "1"), scratch_file(&s, names[n]), FRAMES);
	}
	scratch_remove(&s);
}

static void avx2_and_avx512_give_the_same_bits(void **state)
{
	(void)state;
	unsetenv("SPATE_SIMD");
	if (simd_level_detect() < SIMD_AVX512)
		skip_because("this processor has no AVX-512 to compare with");
	scratch s = scratch_make();
	const char *names[] = {"avx2", "avx512"};
	for (int n = 0; n < 2; n++)
	{
		setenv("SPATE_SIMD", names[n], 1);
		run_fine(&s, names[n], 2, DETERMINISM_ALL ? FRAMES : SHORT);
	}
	unsetenv("SPATE_SIMD");
	check_same_run(scratch_file(&s, "avx2"), scratch_file(&s, "avx512"), DETERMINISM_ALL ? FRAMES : SHORT);
	scratch_remove(&s);
}

// Everything on: two resolutions, a viscosity that is solved implicitly, surface tension, warm start, walls that move, vorticity, sources
// with a material of their own.
static spate_scene everything(void)
{
	const char *overrides[] = {FINE,
				   "fluids.water.viscosity=2",
				   "fluids.water.surface_tension=0.5",
				   "fluids.oil.surface_tension=1",
				   "solver.warm_start=0.3",
				   "solver.list_margin=0.05",
				   "sources.1.start=0",
				   "fluids.water.vorticity=1",
				   "fluids.oil.vorticity=0.5",
				   "sources.1.viscosity=0.05",
				   "sources.1.surface_tension=0.2",
				   "sources.2.density=1500",
				   "sources.2.damping=0.1",
				   "output.channels=[velocity, viscosity, damping, surface_tension, rest_density]"};
	return basin_with(overrides, sizeof overrides / sizeof *overrides);
}

static void everything_at_once(void **state)
{
	(void)state;
	unsetenv("SPATE_SIMD");
	scratch s = scratch_make();
	spate_scene scene = everything();
	spate_run_def def = run_def(&scene, scratch_file(&s, "whole"));
	def.last = 3;
	uint64_t hash = run_well(&def);
	for (int threads = DETERMINISM_ALL ? 2 : 4; threads <= 4; threads++)
	{
		char name[32];
		snprintf(name, sizeof name, "threads_%d", threads);
		def.directory = scratch_file(&s, name);
		def.threads = threads;
		assert_true(run_well(&def) == hash);
		check_same_run(scratch_file(&s, "whole"), scratch_file(&s, name), 3);
	}
	if (simd_level_detect() >= SIMD_AVX512)
	{
		setenv("SPATE_SIMD", "avx2", 1);
		def.directory = scratch_file(&s, "avx2");
		assert_true(run_well(&def) == hash);
		unsetenv("SPATE_SIMD");
		check_same_run(scratch_file(&s, "whole"), scratch_file(&s, "avx2"), 3);
	}
	spate_scene_free(&scene);
	scratch_remove(&s);
}

// Stopped and resumed on another number of threads.
static void everything_resumed(void **state)
{
	(void)state;
	scratch s = scratch_make();
	spate_scene scene = everything();
	spate_run_def def = run_def(&scene, scratch_file(&s, "whole"));
	def.last = 3;
	uint64_t hash = run_well(&def);
	for (uint32_t stop = DETERMINISM_ALL ? 1 : 2; stop <= 2; stop++)
	{
		char name[32];
		snprintf(name, sizeof name, "resumed_%u", stop);
		def.directory = scratch_file(&s, name);
		def.threads = 3;
		def.handler = stop_in_frame;
		def.context = &stop;
		def.resume = 0;
		check_result(spate_run(&def, NULL, NULL), SPATE_CANCELLED);
		def.threads = 2;
		def.handler = NULL;
		def.resume = 1;
		assert_true(run_well(&def) == hash);
		check_same_run(scratch_file(&s, "whole"), scratch_file(&s, name), 3);
	}
	spate_scene_free(&scene);
	scratch_remove(&s);
}

// Number of particles in the last frame, and the mean of their places (m).
static uint64_t centre_of(const char *directory, uint32_t number, double centre[3])
{
	spate_frame *frame = NULL;
	spate_error error = {0};
	const void *data;
	check_ok(spate_frame_open(run_frame_path(directory, number).text, &frame, &error));
	check_ok(spate_frame_channel(frame, "position", NULL, &data, &error));
	const float *position = data;
	uint64_t count = spate_frame_count(frame);
	for (int k = 0; k < 3; k++)
	{
		centre[k] = 0.0;
		for (uint64_t i = 0; i < count; i++)
			centre[k] += (double)position[3 * i + (uint64_t)k] / (double)count;
	}
	spate_frame_close(frame);
	return count;
}

static void portable_agrees(void **state)
{
	(void)state;
	unsetenv("SPATE_SIMD");
	if (simd_level_detect() == SIMD_PORTABLE)
		skip_because("this processor has nothing but the portable kernels");
	scratch s = scratch_make();
	run_fine(&s, "best", 2, SHORT);
	setenv("SPATE_SIMD", "portable", 1);
	run_fine(&s, "portable", 1, SHORT);
	run_fine(&s, "portable_2", 2, SHORT);
	unsetenv("SPATE_SIMD");

	// among themselves the portable kernels are as strict
	check_same_run(scratch_file(&s, "portable"), scratch_file(&s, "portable_2"), SHORT);
	double best[3], portable[3];
	assert_int_equal(centre_of(scratch_file(&s, "portable"), SHORT, portable),
			 centre_of(scratch_file(&s, "best"), SHORT, best));
	for (int k = 0; k < 3; k++)
		check_near(portable[k], best[k], 1e-5); // m
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(threads_make_no_difference),
	    cmocka_unit_test(avx2_and_avx512_give_the_same_bits),
	    cmocka_unit_test(everything_at_once),
	    cmocka_unit_test(everything_resumed),
	    cmocka_unit_test(portable_agrees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
