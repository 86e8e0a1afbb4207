// The world as a whole: equal worlds, memory, sinks, runaways.
#include "base/memory.h"
#include "scene.h"
#include "spate/log.h"

static const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0.1, 0, 0}, {0, 45, 0}, 1}};

// A little of everything.
static void everything(scene *s)
{
	scene_init(s, 0.05);
	s->def.fluid_count = 2;
	s->fluids[1].density = 1500;
	s->fluids[1].viscosity = 0.01;
	add_collider(s, box_shape(0, 0, 0, 1, 1, 0.5), SPATE_COLLIDER_INSIDE)->friction = 0.2;
	spate_collider_def *paddle = add_collider(
	    s, (spate_shape){SPATE_SHAPE_CAPSULE, {0.5, 0, 0.2}, {0.5, 0.3, 0.2}, 0.08}, SPATE_COLLIDER_OUTSIDE);
	paddle->motion.keyframes = keys, paddle->motion.keyframe_count = 2;
	paddle->bounce = 0.3;
	add_fill(s, box_shape(0, 0, 0, 0.4, 0.4, 0.5))->jitter = 0.1;
	spate_source_def *e = add_fill(s, box_shape(0, 0, 0, 0, 0, 0));
	e->type = SPATE_SOURCE_EMITTER;
	e->fluid = 1;
	e->position[0] = 0.7, e->position[1] = 0.8, e->position[2] = 0.25;
	e->direction[1] = -1, e->radius = 0.12, e->speed = 2;
	s->sinks[0].shape = box_shape(0.9, 0, 0, 1, 0.2, 0.5);
	s->def.sink_count = 1;
	add_probe(s, "p", SPATE_PROBE_POINT)->a[1] = 0.1;
	spate_probe_def *p = add_probe(s, "f", SPATE_PROBE_FLUX);
	p->direction[0] = p->width = p->height = 1;
	p->a[0] = 0.45;
}

static void worlds_made_alike_are_alike(void **state)
{
	(void)state;
	scene s;
	everything(&s);
	spate_world *one = scene_create(&s), *two = scene_create(&s), *threads = scene_create(&s);
	s.def.seed = 2;
	spate_world *other = scene_create(&s);
	spate_world_set_threads(threads, 3);
	assert_int_equal(spate_world_hash(one), spate_world_hash(two));
	assert_int_not_equal(spate_world_hash(one), spate_world_hash(other));
	for (int k = 0; k < 60; k++)
	{
		uint64_t before = spate_world_hash(one);
		step(one), step(two), step(threads);
		assert_int_equal(spate_world_hash(one), spate_world_hash(two));
		assert_int_equal(spate_world_hash(one), spate_world_hash(threads));
		assert_int_not_equal(spate_world_hash(one), before);
	}
	for (uint32_t c = 0; c < spate_world_probe_columns(one); c++)
		check_near(spate_world_probe_values(two)[c], spate_world_probe_values(one)[c], 0);
	assert_true(spate_world_stats(one)->removed > 0);
	spate_world_destroy(one), spate_world_destroy(two), spate_world_destroy(threads), spate_world_destroy(other);
}

// The definition and its lists may be gone once the world is made.
static void definitions_are_copied(void **state)
{
	(void)state;
	scene s;
	everything(&s);
	spate_keyframe own[2] = {keys[0], keys[1]};
	spate_world *expected = scene_create(&s);
	s.colliders[1].motion.keyframes = own;
	spate_world *w = scene_create(&s);
	memset(&s, 0xa5, sizeof s);
	memset(own, 0xa5, sizeof own);
	for (int k = 0; k < 20; k++)
		step(w), step(expected);
	assert_int_equal(spate_world_hash(w), spate_world_hash(expected));
	assert_true(spate_world_bytes(w) > spate_store_bytes(spate_world_store(w)));
	spate_world_destroy(w), spate_world_destroy(expected);
}

// Each allocation fails in turn: an error, no leak, no crash.
static void memory_may_run_out_anywhere(void **state)
{
	(void)state;
	scene s;
	everything(&s);
	s.def.threads = 2;
	uint64_t blocks = mem_get_stats().blocks;
	int failures = 0;
	for (uint64_t n = 1;; n++)
	{
		spate_world *w = NULL;
		spate_error error = {0};
		uint64_t calls = mem_get_stats().calls;
		mem_fail_at(n);
		spate_result result = spate_world_create(&w, &s.def, &error);
		if (result != SPATE_OK)
			assert_null(w);
		for (int k = 0; k < 8 && result == SPATE_OK; k++)
			result = spate_world_step(w, NULL, &error);
		mem_fail_at(0);
		calls = mem_get_stats().calls - calls;
		spate_world_destroy(w);
		assert_int_equal(mem_get_stats().blocks, blocks);
		if (result != SPATE_OK)
		{
			if (result != SPATE_MEMORY || error.code != SPATE_MEMORY || !error.text[0])
				fail_msg("allocation %llu: %s, \"%s\"", (unsigned long long)n,
					 spate_result_name(result), error.text);
			failures++;
		}
		if (calls < n)
			break;
	}
	assert_true(failures > 20);
}

static void sinks_count_what_they_take(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.05);
	add_fill(&s, box_shape(0, 1, 0, 0.5, 1.2, 0.5));
	s.sinks[0].shape = (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0};
	s.def.sink_count = 1;
	spate_world *w = scene_create(&s);
	run_until(w, 0.4);
	assert_int_equal(spate_world_stats(w)->particles, 400);
	run_until(w, 1);
	assert_int_equal(spate_world_stats(w)->particles, 0);
	assert_int_equal(spate_world_stats(w)->removed, 400);
	spate_world_destroy(w);
}

static void count_lines(void *context, spate_log_level level, const char *text)
{
	(void)level;
	if (strstr(text, "particle"))
		++*(int *)context;
}

static void runaways_are_treated_by_policy(void **state)
{
	(void)state;
	for (int policy = SPATE_RUNAWAY_REMOVE; policy <= SPATE_RUNAWAY_STOP; policy++)
		for (int kind = 0; kind < 3; kind++)
		{
			int told = 0;
			spate_log_set_handler(count_lines, &told);
			scene s;
			scene_init(&s, 0.1);
			s.def.runaway = (spate_runaway_policy)policy;
			s.def.speed_limit = 50;
			s.def.solver.substeps = 4;
			add_fill(&s, box_shape(0, 0, 0, 0.5, 0.5, 0.5));
			spate_world *w = scene_create(&s);
			spate_store *store = spate_world_store(w);
			int victim = (int)store->id[7];
			if (kind == 0)
				store->velocity[7].x = NAN;
			else if (kind == 1)
				store->velocity[7] = (vec4){0, 500, 0, 0};
			else
				store->position[7].x = 1e9f;
			spate_error error = {0};
			spate_result result = spate_world_step(w, NULL, &error);
			spate_log_set_handler(NULL, NULL);
			if (policy == SPATE_RUNAWAY_STOP)
			{
				check_result(result, SPATE_DIVERGED);
				char name[32];
				snprintf(name, sizeof name, "particle %d ", victim);
				assert_non_null(strstr(error.text, name));
				spate_world_destroy(w);
				continue;
			}
			check_result(result, SPATE_OK);
			const spate_step_stats *stats = spate_world_stats(w);
			int slowed = policy == SPATE_RUNAWAY_CLAMP && kind == 1;
			assert_int_equal(stats->removed, !slowed);
			assert_int_equal(stats->clamped, slowed);
			assert_int_equal(stats->particles, slowed ? 125 : 124);
			assert_int_equal(told, 1);
			for (int k = 0; k < 3; k++)
				step(w);
			assert_true(isfinite(spate_world_stats(w)->kinetic_energy));
			assert_true(spate_world_stats(w)->speed_max <= 50);
			spate_world_destroy(w);
		}
}

// Sums over two blocks, each with a centre and a velocity of its own, about the world's zero, however far the origin is from it.
static void statistics_are_sums(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.1);
	s.def.gravity[0] = 1, s.def.gravity[1] = -9, s.def.gravity[2] = 4;
	s.def.fluid_count = 2;
	s.fluids[1].density = 700;
	const double centres[2][3] = {{10.2, -3.1, 0.5}, {13.2, 2.1, -1.5}}, speeds[2][3] = {{1, -2, 3}, {0.5, 4, -1}};
	for (int n = 0; n < 2; n++)
	{
		const double *c = centres[n];
		spate_source_def *fill =
		    add_fill(&s, box_shape(c[0] - 0.2, c[1] - 0.1, c[2] - 0.2, c[0] + 0.2, c[1] + 0.1, c[2] + 0.2));
		memcpy(fill->velocity, speeds[n], sizeof speeds[n]);
		fill->fluid = (uint32_t)n;
	}
	spate_world *w = scene_create(&s);
	const spate_step_stats *stats = spate_world_stats(w);
	assert_int_equal(stats->particles, 64);
	double kinetic = 0, potential = 0, momentum[3] = {0, 0, 0}, angular[3] = {0, 0, 0};
	for (int n = 0; n < 2; n++)
	{
		const double m = 32 * (n ? 0.7 : 1), *x = centres[n], *v = speeds[n];
		for (int k = 0; k < 3; k++)
		{
			kinetic += 0.5 * m * v[k] * v[k];
			potential -= m * s.def.gravity[k] * x[k];
			momentum[k] += m * v[k];
		}
		angular[0] += m * (x[1] * v[2] - x[2] * v[1]);
		angular[1] += m * (x[2] * v[0] - x[0] * v[2]);
		angular[2] += m * (x[0] * v[1] - x[1] * v[0]);
	}
	check_near(stats->kinetic_energy, kinetic, 1e-6 * kinetic);
	check_near(stats->potential_energy, potential, 1e-5 * fabs(potential));
	check_near(stats->speed_max, sqrt(0.25 + 16 + 1), 1e-6);
	for (int k = 0; k < 3; k++)
	{
		check_near(stats->momentum[k], momentum[k], 1e-5);
		check_near(stats->angular_momentum[k], angular[k], 1e-2);
	}
	spate_world_destroy(w);
}

// Without a limit of its own a scene has 20 times the speed of a fall through it, and 100 m/s at least.
static void speed_has_a_limit_by_default(void **state)
{
	(void)state;
	const double sizes[] = {0.5, 100}, limits[] = {100, 20 * sqrt(2 * 9.81 * 100)};
	for (int k = 0; k < 2; k++)
		for (int above = 0; above < 2; above++)
		{
			scene s;
			scene_init(&s, 0.1);
			s.def.solver.substeps = 1000;
			add_collider(&s, box_shape(0, 0, 0, sizes[k], sizes[k], sizes[k]), SPATE_COLLIDER_INSIDE);
			add_fill(&s, box_shape(0, 0, 0, 0.1, 0.1, 0.1));
			spate_world *w = scene_create(&s);
			spate_world_store(w)->velocity[0].x = (float)(limits[k] * (above ? 1.01 : 0.99));
			step(w);
			assert_int_equal(spate_world_stats(w)->removed, above);
			spate_world_destroy(w);
		}
}

// Particles put into a solid are counted, until contacts have brought them out.
static void outside_is_counted(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.05);
	add_collider(&s, box_shape(0, 0, 0, 1, 1, 1), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.5, 0.5, 0.5));
	s.def.solver.substeps = 10;
	spate_world *w = scene_create(&s);
	assert_int_equal(spate_world_stats(w)->outside, 0);
	run_frame(w);
	assert_int_equal(spate_world_stats(w)->outside, 0);
	spate_world_destroy(w);

	// a box larger than the container it is moved into leaves no room: what is in both is inside of one of them
	scene_init(&s, 0.05);
	add_collider(&s, box_shape(0, 0, 0, 1, 1, 1), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0.2, 0.2, 0.2, 0.5, 0.5, 0.5));
	static const spate_keyframe crush[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {0.05, {-3, 0, 0}, {0, 0, 0}, 1}};
	spate_collider_def *press = add_collider(&s, box_shape(2, -1, -1, 5, 2, 2), SPATE_COLLIDER_OUTSIDE);
	press->motion.keyframes = crush, press->motion.keyframe_count = 2;
	s.def.solver.substeps = 4;
	w = scene_create(&s);
	run_until(w, 0.1);
	assert_true(spate_world_stats(w)->outside > 0);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(worlds_made_alike_are_alike),
	    cmocka_unit_test(definitions_are_copied),
	    cmocka_unit_test(memory_may_run_out_anywhere),
	    cmocka_unit_test(sinks_count_what_they_take),
	    cmocka_unit_test(runaways_are_treated_by_policy),
	    cmocka_unit_test(outside_is_counted),
	    cmocka_unit_test(statistics_are_sums),
	    cmocka_unit_test(speed_has_a_limit_by_default),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
