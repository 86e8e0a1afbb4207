// Deep water needs no more iterations per substep than shallow water for a mean density error of 0.1 %, the promise of quality high.
#include "wave_tank.h"

enum
{
	DEPTHS = 3,
	PHASES = 2
};

static const char *const phases[PHASES] = {"at rest", "sloshing"};

// Means over substeps.
typedef struct effort
{
	double iterations, substeps, error; // substeps per frame
} effort;

static effort watch(spate_world *w, int frames)
{
	effort e = {0};
	double steps = 0;
	for (uint32_t end = spate_world_frame(w) + (uint32_t)frames; spate_world_frame(w) < end; steps++)
	{
		step(w);
		e.iterations += spate_world_stats(w)->iterations;
		e.error += spate_world_stats(w)->density_error_avg;
	}
	return (effort){e.iterations / steps, steps / frames, e.error / steps};
}

static void run_depth(int layers, effort efforts[PHASES])
{
	const double d = 0.01;
	const wave_tank t = {.length = 40 * d, .depth = layers * d, .height = d, .layers = layers, .across = 6};
	scene s;
	wave_tank_init(&t, &s);
	s.def.solver.quality = SPATE_QUALITY_HIGH;
	s.def.threads = 2;
	spate_world *w = scene_create(&s);
	run_until(w, 0.5);
	efforts[0] = watch(w, 6);
	wave_tank_push(&t, w);
	efforts[1] = watch(w, 12);
	spate_world_destroy(w);
}

static void depth_needs_no_more_iterations(void **state)
{
	(void)state;
	effort efforts[DEPTHS][PHASES];
	int good = 1;
	for (int n = 0; n < DEPTHS; n++)
	{
		int layers = 20 << n;
		run_depth(layers, efforts[n]);
		for (int p = 0; p < PHASES; p++)
		{
			char name[96], note[96];
			snprintf(name, sizeof name, "quality high, %d layers %s, mean density error", layers,
				 phases[p]);
			good &= evidence_at_most(name, 100 * efforts[n][p].error, 0.1, "%", "spacing 1 cm");
			snprintf(name, sizeof name, "quality high, %d layers %s, iterations per substep", layers,
				 phases[p]);
			snprintf(note, sizeof note, "%.1f substeps per frame of 1/24 s", efforts[n][p].substeps);
			good &= evidence_report(name, efforts[n][p].iterations, "", note);
		}
	}
	for (int p = 0; p < PHASES; p++)
	{
		char name[96];
		int reached = efforts[0][p].error < 0.001 && efforts[DEPTHS - 1][p].error < 0.001;
		snprintf(name, sizeof name, "quality high, iterations %s, 80 layers over 20", phases[p]);
		good &=
		    evidence_at_most(name, reached ? efforts[DEPTHS - 1][p].iterations / efforts[0][p].iterations : NAN,
				     1.3, "", "per substep, where both reach 0.1 %");
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(depth_needs_no_more_iterations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
