// Quality is a promise about the mean density error, over all particles, of every example scene whose solver makes it. Scenes run for their
// first half second, with coarser particles where they have many.
#include "coarse_scenes.h"

enum
{
	FEW = 4000 // particles
};

#define SECONDS 0.5

static const char *const qualities[SPATE_QUALITY_COUNT] = {"draft", "normal", "high"};
static const double promises[SPATE_QUALITY_COUNT] = {0.03, 0.005, 0.001};

// Mean over substeps of the mean density error of a scene, and the largest of a frame.
static double run_scene(const char *path, int quality, double *largest, int *promised)
{
	spate_scene scene;
	spate_error error = {0};
	spate_world *w = NULL;
	load_coarse(&scene, path, FEW, NULL);
	scene.world.solver.quality = (spate_quality)quality;
	scene.world.threads = 2;
	const char *solver = getenv("SPATE_TEST_SOLVER");
	if (solver && *solver)
		scene.world.solver.type = spate_solver_find(solver);
	*promised = spate_solver_promise(scene.world.solver.type, (spate_quality)quality) > 0.0;
	if (spate_world_create(&w, &scene.world, &error) != SPATE_OK)
		fail_msg("%s: %s", path, error.text);
	double sum = 0, steps = 0, frame_sum = 0, frame_steps = 0;
	*largest = 0;
	while (spate_world_time(w) < SECONDS)
	{
		int done = 0;
		if (spate_world_step(w, &done, &error) != SPATE_OK)
			fail_msg("%s: %s", path, error.text);
		sum += spate_world_stats(w)->density_error_avg, steps++;
		frame_sum += spate_world_stats(w)->density_error_avg, frame_steps++;
		if (done)
		{
			*largest = fmax(*largest, frame_sum / frame_steps);
			frame_sum = frame_steps = 0;
		}
	}
	printf("%-60s %-6s %8u particles, error %.4f %%, in the worst frame %.4f %%\n", path, qualities[quality],
	       spate_world_stats(w)->particles, 100 * sum / steps, 100 * *largest);
	fflush(stdout);
	spate_world_destroy(w);
	spate_scene_free(&scene);
	return sum / steps;
}

static void scenes_keep_their_promises(void **state)
{
	(void)state;
	static scene_names n;
	char folder[1024], path[2048];
	find_scenes(&n, scenes_folder(folder));
	assert_true(n.count > 0);
	int good = 1;
	for (int q = 0; q < SPATE_QUALITY_COUNT; q++)
	{
		double worst = 0, frame = 0, missed = 0, other = 0, judged = 0;
		const char *where = "";
		char name[96], note[512];
		for (int k = 0; k < n.count; k++)
		{
			double largest = 0;
			int promised = 0;
			snprintf(path, sizeof path, "%s/%s", folder, n.text[k]);
			double mean = run_scene(path, q, &largest, &promised);
			if (!promised)
			{
				other = fmax(other, mean);
				continue;
			}
			judged++;
			missed += mean > promises[q];
			frame = fmax(frame, largest);
			if (mean > worst)
				worst = mean, where = n.text[k];
		}
		snprintf(name, sizeof name, "quality %s, largest mean density error of the example scenes",
			 qualities[q]);
		snprintf(note, sizeof note, "in %s; %.0f of %.0f scenes have more", where, missed, judged);
		good &= evidence_at_most(name, 100 * worst, 100 * promises[q], "%", note);
		snprintf(name, sizeof name, "quality %s, largest mean density error of a frame", qualities[q]);
		good &= evidence_report(name, 100 * frame, "%", "of these scenes");
		snprintf(name, sizeof name, "quality %s, largest mean density error with solvers that promise none",
			 qualities[q]);
		good &= evidence_report(name, 100 * other, "%", "of the example scenes that use one");
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(scenes_keep_their_promises),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
