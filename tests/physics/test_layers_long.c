// Liquids of different density that lie the wrong way sort themselves.
#include "measure.h"

// A stack of equal layers in a box, the first fluid at the bottom.
#define PUSH 0.02 // m/s

typedef struct stack
{
	int across, layer, fluids; // particles
	double spacing, densities[3], seconds;
} stack;

static spate_world *make_stack(const stack *k)
{
	scene s;
	scene_init(&s, k->spacing);
	double side = k->across * k->spacing, layer = k->layer * k->spacing;
	s.def.fluid_count = (uint32_t)k->fluids;
	add_collider(&s, box_shape(0, 0, 0, side, 1.5 * k->fluids * layer, side), SPATE_COLLIDER_INSIDE);
	for (int f = 0; f < k->fluids; f++)
	{
		s.fluids[f].density = k->densities[f];
		spate_source_def *fill = add_fill(&s, box_shape(0, f * layer, 0, side, (f + 1) * layer, side));
		fill->fluid = (uint32_t)f;
	}
	spate_world *w = scene_create(&s);
	// a push that tells the layers where to begin: down in the middle, up at the sides
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		double wave = cos(2 * pi * p[0] / side) + cos(2 * pi * p[2] / side);
		spate_world_store(w)->velocity[row].y = (float)(PUSH * wave * sin(pi * p[1] / (k->fluids * layer)));
	}
	return w;
}

typedef struct particle
{
	double y;
	int fluid;
} particle;

static int by_height(const void *a, const void *b)
{
	double x = ((const particle *)a)->y, y = ((const particle *)b)->y;
	return (x > y) - (x < y);
}

// What a settled stack looks like.
typedef struct layering
{
	double misplaced
	    [3]; // share of a fluid's particles outside its layer, by rank: the lowest n belong to the heaviest
	double volume[3];    // of a layer between its interfaces, over that of the particles in it at rest
	double thickness[2]; // of an interface (m): where the upper fluid has between 10 and 90 % of the particles
} layering;

// How many particles lie below the interface over a fluid: where the fewest are on the wrong side of it.
static uint32_t interface_above(const particle *all, uint32_t rows, int fluid)
{
	int best = 0, wrong = 0;
	uint32_t at = 0;
	for (uint32_t i = 0; i < rows; i++)
	{
		wrong += all[i].fluid >= fluid ? -1 : 1; // it goes below; the heavier belong there
		if (wrong < best)
			best = wrong, at = i + 1;
	}
	return at;
}

static layering measure_layers(spate_world *w, const stack *k)
{
	uint32_t rows = count_of(w), per = rows / (uint32_t)k->fluids;
	particle *all = malloc(rows * sizeof *all);
	assert_non_null(all);
	for (uint32_t row = 0; row < rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		all[row] = (particle){p[1], spate_world_store(w)->fluid[row]};
	}
	qsort(all, rows, sizeof *all, by_height);
	layering l = {0};
	double from = 0, area = pow(k->across * k->spacing, 2);
	uint32_t begin = 0;
	for (int n = 0; n < k->fluids; n++)
	{
		// the heaviest is the last of the stack and ends at the bottom
		int fluid = k->fluids - 1 - n;
		double wrong = 0, mean = 0;
		for (uint32_t i = (uint32_t)n * per; i < (uint32_t)(n + 1) * per; i++)
			wrong += all[i].fluid != fluid;
		l.misplaced[fluid] = wrong / per;
		// up to the interface, or to the free surface: twice from the interface to the centre
		uint32_t end = n + 1 < k->fluids ? interface_above(all, rows, fluid) : rows;
		for (uint32_t i = begin; i < end; i++)
			mean += all[i].y / (end - begin);
		double to = n + 1 < k->fluids ? 0.5 * (all[end - 1].y + all[end].y) : 2 * mean - from;
		l.volume[fluid] = (to - from) * area / ((end - begin) * pow(k->spacing, 3));
		from = to;
		begin = end;
	}
	// share of the upper fluid in slabs of half a spacing around an interface
	for (int n = 0; n + 1 < k->fluids; n++)
	{
		double middle = all[(uint32_t)(n + 1) * per].y, bin = 0.5 * k->spacing;
		int upper = k->fluids - 2 - n, reach = k->layer;
		for (int b = -reach; b < reach; b++)
		{
			double count = 0, own = 0;
			for (uint32_t i = 0; i < rows; i++)
				if (all[i].y >= middle + b * bin && all[i].y < middle + (b + 1) * bin)
					count++, own += all[i].fluid == upper;
			l.thickness[n] += count > 0 && own > 0.1 * count && own < 0.9 * count ? bin : 0;
		}
	}
	free(all);
	return l;
}

// Energy that sorting sets free: every layer moves to where it belongs (J).
static double energy_to_give(const stack *k)
{
	double layer = k->layer * k->spacing, mass = pow(k->across * k->spacing, 2) * layer, sum = 0;
	for (int f = 0; f < k->fluids; f++)
		sum += k->densities[f] * mass * 9.81 * layer * (f - (k->fluids - 1 - f));
	return sum;
}

static int sort_stack(const stack *k, const char *title)
{
	spate_world *w = make_stack(k);
	energy_watch watch = energy_watch_make(w);
	watched_until(w, &watch, k->seconds);
	layering l = measure_layers(w, k);
	double h = 2 * k->spacing;
	int good = 1;
	char name[128];
	for (int f = 0; f < k->fluids; f++)
	{
		snprintf(name, sizeof name, "%s, %g kg/m^3 in its layer", title, k->densities[f]);
		good &= evidence_at_least(name, 100 * (1 - l.misplaced[f]), 95, "%", "");
		snprintf(name, sizeof name, "%s, volume of %g kg/m^3", title, k->densities[f]);
		good &=
		    evidence(name, l.volume[f], 1, 0.02, "", "of its layer, over that of the particles in it at rest");
	}
	for (int n = 0; n + 1 < k->fluids; n++)
	{
		snprintf(name, sizeof name, "%s, thickness of interface %d", title, n + 1);
		good &= evidence_at_most(name, l.thickness[n] / h, 2, "h", "between 10 and 90 %");
	}
	snprintf(name, sizeof name, "%s, rise of energy", title);
	good &= evidence_at_most(name, 100 * watch.rise / energy_to_give(k), 1, "%", "of what sorting sets free");
	snprintf(name, sizeof name, "%s, particles removed", title);
	good &= evidence_at_most(name, (double)spate_world_stats(w)->removed, 0, "", "");
	spate_world_destroy(w);
	return good;
}

static void heavy_over_light_turns_over(void **state)
{
	(void)state;
	stack k = {.across = 24, .layer = 24, .fluids = 2, .spacing = 0.01, .densities = {100, 1000}, .seconds = 10};
	assert_true(sort_stack(&k, "Rayleigh-Taylor 10:1"));
}

static void three_layers_sort_themselves(void **state)
{
	(void)state;
	stack k = {
	    .across = 20, .layer = 14, .fluids = 3, .spacing = 0.01, .densities = {100, 200, 1000}, .seconds = 12};
	assert_true(sort_stack(&k, "three layers 1:2:10"));
}

// Large ratios: nothing explodes, and the light fluid is not crushed.
static void extreme_ratios_are_stable(void **state)
{
	(void)state;
	int good = 1;
	for (int ratio = 100; ratio <= 1000; ratio *= 10)
	{
		stack k = {.across = 12,
			   .layer = 12,
			   .fluids = 2,
			   .spacing = 0.02,
			   .densities = {1000.0 / ratio, 1000},
			   .seconds = 4};
		spate_world *w = make_stack(&k);
		double potential = spate_world_stats(w)->potential_energy;
		energy_watch watch = energy_watch_make(w);
		watched_until(w, &watch, k.seconds);
		layering l = measure_layers(w, &k);
		char name[128];
		snprintf(name, sizeof name, "heavy over light %d:1, energy above its start", ratio);
		good &= evidence_at_most(name, 100 * watch.above_start / potential, 2, "%",
					 "of the potential energy at the start");
		snprintf(name, sizeof name, "heavy over light %d:1, rise of energy", ratio);
		good &=
		    evidence_at_most(name, 100 * watch.rise / energy_to_give(&k), 1, "%", "of what sorting sets free");
		snprintf(name, sizeof name, "heavy over light %d:1, volume of the light fluid", ratio);
		good &=
		    evidence(name, l.volume[0], 1, 0.05, "", "of its layer, over that of the particles in it at rest");
		snprintf(name, sizeof name, "heavy over light %d:1, light fluid in its layer", ratio);
		evidence_report(name, 100 * (1 - l.misplaced[0]), "%", "after 4 s");
		snprintf(name, sizeof name, "heavy over light %d:1, particles removed", ratio);
		good &= evidence_at_most(name, (double)spate_world_stats(w)->removed, 0, "", "");
		spate_world_destroy(w);
	}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(extreme_ratios_are_stable),
	    cmocka_unit_test(heavy_over_light_turns_over),
	    cmocka_unit_test(three_layers_sort_themselves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
