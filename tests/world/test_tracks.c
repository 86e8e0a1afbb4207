// Values over time: curves that set live keys, against exact integrals and against changes by hand.
#include "scene.h"
#include "spate/live.h"
#include "spate/snapshot.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void check_error(spate_result result, const spate_error *error, const char *sentence)
{
	assert_int_equal(result, SPATE_INVALID);
	if (strcmp(error->text, sentence) != 0)
		fail_msg("it says: %s\nexpected: %s", error->text, sentence);
}

static void set_tracks(scene *s, const spate_track *tracks, uint32_t count)
{
	s->def.tracks = tracks;
	s->def.track_count = count;
}

static double number_of(const spate_world *w, const char *path)
{
	double value;
	check_ok(spate_world_get_number(w, path, &value, NULL));
	return value;
}

// ----------------------------------------------------------------------------------------------------------------- curves

// A frame of 0.25 s in a single substep: the key has the value of the present moment.
static void values_are_those_of_the_curve(void **state)
{
	(void)state;
	const spate_track_key keys[] = {{0.5, {1}}, {1.0, {3}}, {2.0, {2}}};
	const struct
	{
		spate_track track;
		double values[10]; // at 0, 0.25, 0.5 and so on
	} cases[] = {
	    {{.keys = keys, .key_count = 3, .between = SPATE_BETWEEN_LINEAR}, {1, 1, 1, 2, 3, 2.75, 2.5, 2.25, 2, 2}},
	    {{.keys = keys, .key_count = 3, .between = SPATE_BETWEEN_SMOOTH},
	     {1, 1, 1, 2, 3, 2.84375, 2.5, 2.15625, 2, 2}},
	    {{.keys = keys, .key_count = 3, .between = SPATE_BETWEEN_STEP}, {1, 1, 1, 1, 3, 3, 3, 3, 2, 2}},
	    {{.keys = keys, .key_count = 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	    {{.expressions = {"t < 1 ? 2*t : 8 - t"}}, {0, 0.5, 1, 1.5, 7, 6.75, 6.5, 6.25, 6, 5.75}},
	    // beyond the range of the key, from 0 to 10
	    {{.expressions = {"20*t - 5"}}, {0, 0, 5, 10, 10, 10, 10, 10, 10, 10}},
	};
	for (size_t k = 0; k < COUNT(cases); k++)
	{
		scene s;
		scene_init(&s, 0.1);
		s.def.fps = 4;
		s.def.solver.substeps = 1;
		spate_track track = cases[k].track;
		track.path = "fluids.0.surface_tension";
		set_tracks(&s, &track, 1);
		spate_world *w = scene_create(&s);
		for (int i = 0; i < 10; i++, step(w))
			if (number_of(w, "fluids.0.surface_tension") != cases[k].values[i])
				fail_msg("curve %zu is %.17g at %g s, expected %.17g", k,
					 number_of(w, "fluids.0.surface_tension"), spate_world_time(w),
					 cases[k].values[i]);
		spate_world_destroy(w);
	}
}

// Where gravity takes a free block in a second, against the double integral of the curve.
static void blocks_fall_along_the_integral(void **state)
{
	(void)state;
	const spate_track_key rise[] = {{0, {0, -9.81, 0}}, {1, {3, -9.81, 0}}};
	const spate_track_key jump[] = {{0, {0, 0, 0}}, {0.5, {3, 0, 0}}};
	const struct
	{
		spate_track track;
		double x, y;
	} cases[] = {
	    {{.path = "gravity", .keys = rise, .key_count = 2}, 0.5, -4.905},
	    {{.path = "gravity", .keys = rise, .key_count = 2, .between = SPATE_BETWEEN_SMOOTH}, 0.45, -4.905},
	    {{.path = "gravity", .keys = jump, .key_count = 2, .between = SPATE_BETWEEN_STEP}, 0.375, 0},
	    {{.path = "gravity", .expressions = {"3*cos(2*t)", "-2*t", "0"}}, 0.75 * (1 - cos(2.0)), -1.0 / 3},
	};
	for (size_t k = 0; k < COUNT(cases); k++)
	{
		scene s;
		scene_init(&s, 0.1);
		s.def.fps = 10;
		s.def.solver.substeps = 400;
		set_tracks(&s, &cases[k].track, 1);
		add_fill(&s, box_shape(0, 0, 0, 0.3, 0.3, 0.3));
		spate_world *w = scene_create(&s);
		run_until(w, 1.0);
		const spate_store *store = spate_world_store(w);
		double centre[3] = {0};
		for (uint32_t row = 0; row < store->rows; row++)
		{
			const vec4 *p = &store->position[row];
			centre[0] += (double)p->x / store->rows;
			centre[1] += (double)p->y / store->rows;
			centre[2] += (double)p->z / store->rows;
		}
		const double *origin = spate_world_origin(w), most = 1e-3 * fmax(fabs(cases[k].x), fabs(cases[k].y));
		check_near(centre[0] + origin[0] - 0.15, cases[k].x, most);
		check_near(centre[1] + origin[1] - 0.15, cases[k].y, most);
		check_near(centre[2] + origin[2] - 0.15, 0, most);
		spate_world_destroy(w);
	}
}

// ------------------------------------------------------------------------------------------------- what follows a value

// A pool with a jet above it.
static void pool(scene *s)
{
	scene_init(s, 0.05);
	s->fluids[0].name = "water";
	s->fluids[0].viscosity = 1e-3;
	s->fluids[0].surface_tension = 0.5;
	spate_collider_def *tank = add_collider(s, box_shape(0, 0, 0, 0.5, 2, 0.5), SPATE_COLLIDER_INSIDE);
	tank->name = "tank";
	tank->slip = 0.0;
	add_fill(s, box_shape(0, 0, 0, 0.5, 0.2, 0.4))->material.viscosity = 1e-3;
	spate_source_def *jet = &s->sources[s->def.source_count++];
	*jet = spate_default_source_def();
	jet->type = SPATE_SOURCE_EMITTER;
	jet->name = "jet";
	jet->position[0] = jet->position[2] = 0.25;
	jet->position[1] = 1;
	jet->direction[1] = -1;
	jet->radius = 0.1;
	jet->speed = 1;
}

// A jump of a curve at the end of a frame is the same as a change by hand there, bit for bit.
static void jumps_are_changes(void **state)
{
	(void)state;
	static const struct
	{
		const char *path, *value;
		double from, to;
	} cases[] = {{"fluids.water.viscosity", "0.2", 1e-3, 0.2},
		     {"fluids.water.surface_tension", "0", 0.5, 0},
		     {"fluids.water.damping", "0.3", 0.1, 0.3},
		     {"sources.jet.speed", "3", 1, 3},
		     {"colliders.tank.slip", "0.1", 0, 0.1},
		     {"speed_limit", "2.5", 50, 2.5},
		     {"solver.cfl", "0.05", 0.4, 0.05}};
	for (size_t k = 0; k < COUNT(cases); k++)
	{
		scene s;
		pool(&s);
		if (strstr(cases[k].path, "damping"))
			s.fluids[0].damping = cases[k].from;
		if (strstr(cases[k].path, "speed_limit"))
			s.def.speed_limit = cases[k].from;
		if (strstr(cases[k].path, "cfl"))
			s.def.solver.cfl = cases[k].from;
		spate_world *still = scene_create(&s), *hand = scene_create(&s);
		const spate_track_key keys[] = {{0, {cases[k].from}}, {4 / s.def.fps, {cases[k].to}}};
		const spate_track track = {
		    .path = cases[k].path, .keys = keys, .key_count = 2, .between = SPATE_BETWEEN_STEP};
		set_tracks(&s, &track, 1);
		spate_world *curve = scene_create(&s);
		for (int frame = 0; frame < 8; frame++)
		{
			if (frame == 4)
				check_ok(spate_world_set(hand, cases[k].path, cases[k].value, NULL));
			run_frame(still);
			run_frame(hand);
			run_frame(curve);
			if (spate_world_hash(hand) != spate_world_hash(curve))
				fail_msg("%s: frame %d differs from a change by hand", cases[k].path, frame);
		}
		assert_true(spate_world_hash(still) != spate_world_hash(curve));
		assert_int_equal(spate_world_change_count(curve), 0);
		spate_world_destroy(still);
		spate_world_destroy(hand);
		spate_world_destroy(curve);
	}
}

// The flow is the integral of the speed: every particle stands for a piece of the jet.
static void jets_pour_the_integral_of_their_speed(void **state)
{
	(void)state;
	scene s;
	pool(&s);
	const spate_track_key keys[] = {{0, {1}}, {0.5, {3}}};
	const spate_track track = {.path = "sources.jet.speed", .keys = keys, .key_count = 2};
	s.def.solver.substeps = 20;
	spate_world *even = scene_create(&s);
	uint64_t fill = spate_world_store(even)->rows;
	run_until(even, 0.5);
	double per_metre = (double)(spate_world_stats(even)->added - fill) / 0.5;
	set_tracks(&s, &track, 1);
	spate_world *w = scene_create(&s);
	run_until(w, 0.5);
	// 2 m/s on average, less half a step of the rise; a particle of each column may be on its way
	double metres = 1.0 - 0.5 * 2.0 / (20 * s.def.fps);
	check_near((double)(spate_world_stats(w)->added - fill), metres * per_metre, 3);
	spate_world_destroy(even);
	spate_world_destroy(w);
}

// All kinds of curves at once.
static const spate_track_key swing_keys[] = {{0, {0, -9.81, 0}}, {0.1, {4, -9, 0}}, {0.3, {-4, -9, 1}}},
			     pour_keys[] = {{0, {0.5}}, {0.25, {3}}};
static const spate_track every_kind[] = {
    {.path = "gravity", .keys = swing_keys, .key_count = 3, .between = SPATE_BETWEEN_SMOOTH},
    {.path = "sources.1.speed", .keys = pour_keys, .key_count = 2},
    {.path = "fluids.water.viscosity", .expressions = {"0.001 + t*t"}},
    {.path = "colliders.tank.friction", .expressions = {"0.5 + 0.5*sin(9*t)"}},
    {.path = "fluids.water.surface_tension", .keys = pour_keys, .key_count = 2, .between = SPATE_BETWEEN_STEP}};

static void curves_are_no_state(void **state)
{
	(void)state;
	scene s;
	pool(&s);
	set_tracks(&s, every_kind, COUNT(every_kind));
	spate_world *whole = scene_create(&s), *empty = NULL;
	run_until(whole, 4 / s.def.fps);
	for (int n = 0; n < 3; n++)
		step(whole);
	spate_snapshot *middle = NULL;
	check_ok(spate_snapshot_take(&middle, whole, NULL));
	double viscosity = number_of(whole, "fluids.water.viscosity"), t = spate_world_time(whole);
	assert_true(viscosity == 0.001 + t * t);
	s.def.threads = 3;
	check_ok(spate_world_create_empty(&empty, &s.def, NULL));
	check_ok(spate_snapshot_restore(empty, middle, NULL));
	assert_true(number_of(empty, "fluids.water.viscosity") == viscosity);
	for (int n = 0; n < 25; n++)
	{
		step(whole);
		step(empty);
		if (spate_world_hash(whole) != spate_world_hash(empty))
			fail_msg("step %d after the snapshot differs", n);
	}
	// and back, in a world that is elsewhere
	uint64_t later = spate_world_hash(whole);
	check_ok(spate_snapshot_restore(whole, middle, NULL));
	for (int n = 0; n < 25; n++)
		step(whole);
	assert_true(spate_world_hash(whole) == later);
	spate_snapshot_destroy(middle);
	spate_world_destroy(whole);
	spate_world_destroy(empty);
}

// --------------------------------------------------------------------------------------------------------------- mistakes

static void a_key_with_a_curve_cannot_be_set(void **state)
{
	(void)state;
	scene s;
	pool(&s);
	set_tracks(&s, every_kind, COUNT(every_kind));
	spate_world *w = scene_create(&s);
	spate_error error = {0};
	static const char said[] =
	    "fluids.water.viscosity follows a curve of the world's definition and cannot be changed";
	check_error(spate_world_set_number(w, "fluids.0.viscosity", 1, &error), &error, said);
	// not even to the value that it has
	check_error(spate_world_set_number(w, "fluids.water.viscosity", 0.001, &error), &error, said);
	check_error(spate_world_replay(w, "3 fluids.water.viscosity=1\n", &error), &error, said);
	check_ok(spate_world_set_number(w, "fluids.water.cohesion", 0.1, NULL));
	spate_world_destroy(w);
}

static void bad_tracks_are_refused(void **state)
{
	(void)state;
	static const spate_track_key good[] = {{0, {1}}, {1, {2}}}, back[] = {{1, {1}}, {1, {2}}}, nan[] = {{0, {NAN}}};
	static const struct
	{
		spate_track track;
		const char *sentence;
	} cases[] = {
	    {{.keys = good, .key_count = 2}, "track 0 is invalid: it has no path"},
	    {{.path = "fluids.watr.viscosity", .keys = good, .key_count = 2},
	     "the track of fluids.watr.viscosity is invalid: the world has no 'fluids.watr.viscosity': fluids has no "
	     "'watr'; did you mean 'water'?"},
	    {{.path = "fps", .keys = good, .key_count = 2},
	     "the track of fps is invalid: fps is fixed when the world is made; live keys beside it are gravity, runaway, "
	     "speed_limit"},
	    {{.path = "solver.quality", .keys = good, .key_count = 2},
	     "the track of solver.quality is invalid: solver.quality is neither a number nor a vector"},
	    {{.path = "speed_limit"},
	     "the track of speed_limit is invalid: it has neither keyframes nor an expression"},
	    {{.path = "speed_limit", .keys = back, .key_count = 2},
	     "the track of speed_limit is invalid: the times of its keyframes do not increase"},
	    {{.path = "speed_limit", .keys = nan, .key_count = 1},
	     "the track of speed_limit is invalid: a keyframe is not finite"},
	    {{.path = "speed_limit", .keys = good, .key_count = 2, .between = (spate_between)7},
	     "the track of speed_limit is invalid: its interpolation is unknown"},
	    {{.path = "speed_limit", .expressions = {"1 + x"}},
	     "the track of speed_limit is invalid: '1 + x' at column 5: an expression has no name 'x' here; its variables "
	     "are t"},
	    {{.path = "gravity", .expressions = {"1"}}, "the track of gravity is invalid: it needs 3 expressions"},
	    {{.path = "fluids.water.viscosity", .expressions = {"sqrt(t - 1)"}},
	     "fluids.water.viscosity is not a number at 0 s: its expression has no value there"},
	    {{.path = "solver.cfl", .expressions = {"-t"}},
	     "solver.cfl must be greater than 0; at 0 s its curve is not"},
	};
	for (size_t k = 0; k < COUNT(cases); k++)
	{
		scene s;
		pool(&s);
		set_tracks(&s, &cases[k].track, 1);
		spate_world *w = NULL;
		spate_error error = {0};
		check_error(spate_world_create(&w, &s.def, &error), &error, cases[k].sentence);
		assert_null(w);
	}
	scene s;
	pool(&s);
	const spate_track twice[] = {{.path = "speed_limit", .keys = good, .key_count = 2},
				     {.path = "speed_limit", .keys = good, .key_count = 2}};
	set_tracks(&s, twice, 2);
	spate_world *w = NULL;
	spate_error error = {0};
	check_error(spate_world_create(&w, &s.def, &error), &error,
		    "the track of speed_limit is invalid: its key has a track already");
}

// The step is refused before anything moves, and the next one, too.
static void a_curve_may_end(void **state)
{
	(void)state;
	scene s;
	pool(&s);
	s.def.solver.substeps = 1;
	const spate_track track = {.path = "fluids.water.viscosity", .expressions = {"0.001*sqrt(0.1 - t)"}};
	set_tracks(&s, &track, 1);
	spate_world *w = scene_create(&s);
	for (int n = 0; n < 3; n++)
		step(w);
	uint64_t hash = spate_world_hash(w);
	for (int n = 0; n < 2; n++)
	{
		spate_error error = {0};
		check_error(spate_world_step(w, NULL, &error), &error,
			    "fluids.water.viscosity is not a number at 0.125 s: its expression has no value there");
	}
	assert_true(spate_world_hash(w) == hash);
	assert_int_equal(spate_world_frame(w), 3);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_are_those_of_the_curve),
	    cmocka_unit_test(blocks_fall_along_the_integral),
	    cmocka_unit_test(jumps_are_changes),
	    cmocka_unit_test(jets_pour_the_integral_of_their_speed),
	    cmocka_unit_test(curves_are_no_state),
	    cmocka_unit_test(a_key_with_a_curve_cannot_be_set),
	    cmocka_unit_test(bad_tracks_are_refused),
	    cmocka_unit_test(a_curve_may_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
