// Formulas of the place for what particles begin with: velocities of fills, values of channels.
#include "scene.h"

static const float *floats(spate_world *w, const char *name)
{
	spate_store *store = spate_world_store(w);
	const store_field *found = store_find(store, name);
	assert_non_null(found);
	return store_column_of(store, found).data;
}

static void place_of(spate_world *w, uint32_t row, double p[3])
{
	const float *x = (const float *)&spate_world_store(w)->position[row];
	for (int k = 0; k < 3; k++)
		p[k] = (double)x[k] + spate_world_origin(w)[k];
}

// A box of 6 x 4 x 5 spacings without weight.
static spate_source_def *block(scene *s)
{
	scene_init(s, 0.1);
	s->def.gravity[1] = 0;
	return add_fill(s, box_shape(1, 2, 3, 1.6, 2.4, 3.5));
}

static void set_velocity(spate_source_def *f, const char *x, const char *y, const char *z)
{
	f->velocity_formulas[0] = x, f->velocity_formulas[1] = y, f->velocity_formulas[2] = z;
}

static void velocities_are_those_of_the_formulas(void **state)
{
	(void)state;
	for (int relaxed = 0; relaxed < 2; relaxed++)
	{
		scene s;
		spate_source_def *f = block(&s);
		set_velocity(f, "-2*y", "2*x + z^2", "sin(x*y)");
		f->layout = relaxed ? SPATE_LAYOUT_RELAXED : SPATE_LAYOUT_LATTICE;
		// a solver that leaves a fill where it is, so that the places are those at which the particles came
		scene_solver(&s, "projection");
		spate_world *w = scene_create(&s);
		spate_store *store = spate_world_store(w);
		uint32_t exact = 0;
		if (!relaxed)
			assert_int_equal(spate_store_count(store), 120);
		for (uint32_t row = 0; row < store->rows; row++)
		{
			double p[3];
			place_of(w, row, p);
			const double v[3] = {-2 * p[1], 2 * p[0] + p[2] * p[2], sin(p[0] * p[1])};
			const float *own = (const float *)&store->velocity[row];
			for (int k = 0; k < 3; k++)
			{
				// settling moves particles of blue noise
				check_near((double)own[k], (double)(float)v[k], relaxed ? 0.3 : 0);
				exact += own[k] == (float)v[k];
			}
		}
		if (!relaxed)
			assert_int_equal(exact, 360);
		spate_world_destroy(w);
	}
}

static void they_are_added_to_a_spin(void **state)
{
	(void)state;
	scene s;
	spate_source_def *f = block(&s);
	set_velocity(f, "-2*(y - 2.2)", "2*(x - 1.3)", NULL);
	f->spin[2] = -2;
	spate_world *w = scene_create(&s);
	// the one takes back the other
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
		for (int k = 0; k < 3; k++)
			check_near((double)((const float *)&spate_world_store(w)->velocity[row])[k], 0, 1e-6);
	spate_world_destroy(w);
}

// A fill that starts later: the step before must be as short as for the same speed without a formula.
static void substeps_know_how_fast_they_are(void **state)
{
	(void)state;
	double dt[3];
	for (int k = 0; k < 3; k++)
	{
		scene s;
		spate_source_def *f = block(&s);
		f->start = 0.05;
		if (k == 1)
			set_velocity(f, "30", "0", "0");
		else if (k == 2)
			f->velocity[0] = 30;
		spate_world *w = scene_create(&s);
		while (spate_store_count(spate_world_store(w)) == 0)
			step(w);
		dt[k] = spate_world_stats(w)->dt;
		spate_world_destroy(w);
	}
	assert_true(dt[2] < 0.7 * dt[0]);
	check_near(dt[1], dt[2], 0);
}

static void channels_are_those_of_the_formulas(void **state)
{
	(void)state;
	scene s;
	block(&s)->name = "a";
	add_fill(&s, box_shape(5, 2, 3, 5.6, 2.4, 3.5))->name = "b";
	const spate_channel_value heats[] = {{"b", {7}, {NULL}}}, batches[] = {{"b", {0}, {"x - 5.3", NULL, NULL}}};
	const spate_channel_def channels[] = {
	    {"heat", SPATE_CHANNEL_FLOAT, {0}, {"20 + 60*y"}, heats, 1},
	    {"batch", SPATE_CHANNEL_INT, {4}, {NULL}, batches, 1},
	    {"tint", SPATE_CHANNEL_VECTOR, {0}, {"x", "y*z", "3"}, NULL, 0},
	};
	s.def.channels = channels;
	s.def.channel_count = 3;
	spate_world *w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	store_settle(store, 1);
	const float *heat = floats(w, "heat"), *tint = floats(w, "tint");
	const int32_t *batch = (const int32_t *)(const void *)floats(w, "batch");
	uint32_t seen[3] = {0};
	assert_int_equal(spate_store_count(store), 240);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		int second = p[0] > 3;
		check_near((double)heat[row], second ? 7 : (double)(float)(20 + 60 * p[1]), 0);
		check_near((double)tint[3 * row], (double)(float)p[0], 0);
		check_near((double)tint[3 * row + 1], (double)(float)(p[1] * p[2]), 0);
		check_near((double)tint[3 * row + 2], 3, 0);
		assert_int_equal(batch[row], second ? (int)nearbyint(p[0] - 5.3) : 4);
		seen[second ? 1 : 0]++;
	}
	assert_int_equal(seen[0], 120);
	spate_world_destroy(w);
}

// The particles of a jet get the time of the substep in which they come.
static void emitters_have_the_time(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.1);
	s.def.gravity[1] = 0;
	spate_source_def *e = &s.sources[s.def.source_count++];
	*e = spate_default_source_def();
	e->type = SPATE_SOURCE_EMITTER;
	e->direction[0] = 1;
	e->radius = 0.1;
	e->speed = 2;
	const spate_channel_def channel = {"heat", SPATE_CHANNEL_FLOAT, {0}, {"100*t + y"}, NULL, 0};
	const char *const wanted[] = {"birth", "rest_position"};
	s.def.channels = &channel;
	s.def.channel_count = 1;
	s.def.wanted = wanted;
	s.def.wanted_count = 2;
	spate_world *w = scene_create(&s);
	run_until(w, 0.5);
	spate_store *store = spate_world_store(w);
	store_settle(store, 1);
	const float *heat = floats(w, "heat"), *birth = floats(w, "birth"), *rest = floats(w, "rest_position");
	float latest = 0;
	assert_true(store->rows > 20);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		check_near((double)heat[row], 100 * (double)birth[row] + (double)rest[3 * row + 1], 1e-5);
		latest = fmaxf(latest, birth[row]);
	}
	assert_true(latest > 0.3f);
	spate_world_destroy(w);
}

static void check_refused(const scene *s, spate_result expected, const char *sentence)
{
	spate_world *w = NULL;
	spate_error error = {0};
	spate_result result = spate_world_create(&w, &s->def, &error);
	if (result != expected || strcmp(error.text, sentence) != 0)
		fail_msg("it gave %s and said '%s', expected '%s'", spate_result_name(result), error.text, sentence);
	assert_null(w);
}

static void what_has_no_value_is_refused(void **state)
{
	(void)state;
	scene s;
	spate_source_def *f = block(&s);
	set_velocity(f, "0", "sqrt(x - 1.06)", "0");
	check_refused(
	    &s, SPATE_INVALID,
	    "the velocity of source 0 has no value at [1.05, 2.05, 3.05]: formula 2 is not a finite number there");
	set_velocity(f, "0", "2*w", "0");
	check_refused(
	    &s, SPATE_INVALID,
	    "the velocity of a fill, formula 2, column 3: an expression has no name 'w' here; its variables are x, y, z, t");
	set_velocity(f, NULL, NULL, NULL);
	spate_channel_def channel = {"heat", SPATE_CHANNEL_FLOAT, {0}, {"sqrt(2.3 - y)"}, NULL, 0};
	s.def.channels = &channel;
	s.def.channel_count = 1;
	check_refused(
	    &s, SPATE_INVALID,
	    "the channel 'heat' of source 0 has no value at [1.05, 2.35, 3.05]: formula 1 is not a finite number "
	    "there");
	channel.formulas[0] = "2 +";
	check_refused(&s, SPATE_INVALID,
		      "the channel 'heat', formula 1, column 4: a value is missing here; there is the end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(velocities_are_those_of_the_formulas),
	    cmocka_unit_test(they_are_added_to_a_spin),
	    cmocka_unit_test(substeps_know_how_fast_they_are),
	    cmocka_unit_test(channels_are_those_of_the_formulas),
	    cmocka_unit_test(emitters_have_the_time),
	    cmocka_unit_test(what_has_no_value_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
