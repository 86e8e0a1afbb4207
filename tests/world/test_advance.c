// Stepping with callbacks, changes inside a step, a log per world, worlds on several threads and on threads of the host.
#include "world/scene.h"

#include "spate/live.h"
#include "spate/threads.h"

#include <pthread.h>
#include <stdatomic.h>

// A dam break of a few hundred particles.
static spate_world *make_dam(double spacing, int threads)
{
	scene s;
	scene_init(&s, spacing);
	s.fluids[0].name = "water";
	s.def.threads = threads;
	add_collider(&s, box_shape(0, 0, 0, 1, 1, 0.3), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.3, 0.5, 0.3));
	return scene_create(&s);
}

// ------------------------------------------------------------------------------------------------------------- callbacks

typedef struct events
{
	int steps, frames, reports;
	int stop_after; // substeps; 0 for never
	double portion;
	spate_result inner; // of a step inside a callback
	char order[8];
} events;

static void note(events *e, char what)
{
	size_t length = strlen(e->order);
	if (length + 1 < sizeof e->order)
		e->order[length] = what;
}

static int on_step(void *context, spate_world *world)
{
	events *e = context;
	note(e, 's');
	e->steps++;
	e->inner = spate_world_step(world, NULL, NULL);
	return e->stop_after > 0 && e->steps >= e->stop_after;
}

static int on_frame(void *context, spate_world *world)
{
	events *e = context;
	note(e, 'f');
	e->frames++;
	assert_int_equal(spate_world_frame(world), e->frames);
	return 0;
}

static int on_progress(void *context, spate_world *world, double portion)
{
	events *e = context;
	(void)world;
	note(e, 'p');
	e->reports++;
	assert_true(portion > e->portion && portion <= 1.0);
	e->portion = portion;
	return 0;
}

static spate_world_callbacks callbacks_of(events *e)
{
	spate_world_callbacks c = spate_default_world_callbacks();
	c.step = on_step;
	c.frame = on_frame;
	c.progress = on_progress;
	c.context = e;
	return c;
}

static void a_run_in_pieces_is_the_same_run(void **state)
{
	(void)state;
	spate_world *whole = make_dam(0.05, 1), *pieces = make_dam(0.05, 1);
	run_until(whole, 0.25);
	events e = {0};
	spate_world_callbacks callbacks = callbacks_of(&e);
	spate_error error = {0};
	// times between the ends of substeps, then an exact one
	for (int k = 1; k <= 7; k++)
	{
		double until = 0.031 * k;
		e.portion = 0.0;
		assert_int_equal(spate_world_step_until(pieces, until, &callbacks, &error), SPATE_OK);
		assert_true(spate_world_time(pieces) >= until);
		assert_true(spate_world_time(pieces) - spate_world_stats(pieces)->dt < until);
	}
	assert_int_equal(spate_world_step_until(pieces, 0.25, NULL, &error), SPATE_OK);
	assert_true(spate_world_time(pieces) == 0.25 && spate_world_frame(pieces) == 6);
	assert_true(spate_world_hash(pieces) == spate_world_hash(whole));
	// nothing to do
	assert_int_equal(spate_world_step_until(pieces, 0.25, &callbacks, &error), SPATE_OK);
	assert_int_equal(spate_world_step_until(pieces, -1.0, &callbacks, &error), SPATE_OK);
	assert_true(spate_world_time(pieces) == 0.25);
	assert_int_equal(spate_world_step_until(pieces, NAN, NULL, &error), SPATE_INVALID);
	assert_int_equal(spate_world_step_until(NULL, 1.0, NULL, &error), SPATE_INVALID);
	assert_int_equal(e.reports, e.steps);
	assert_int_equal(e.frames, 5);
	assert_true(e.portion == 1.0);
	spate_world_destroy(whole);
	spate_world_destroy(pieces);
}

static void callbacks_come_in_order_and_cannot_step(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.05);
	s.def.solver.substeps = 1;
	add_fill(&s, box_shape(0, 0, 0, 0.2, 0.2, 0.2));
	spate_world *world = scene_create(&s);
	events e = {0};
	spate_world_callbacks callbacks = callbacks_of(&e);
	assert_int_equal(spate_world_step_until(world, 2.0 / 24.0, &callbacks, NULL), SPATE_OK);
	assert_string_equal(e.order, "sfpsfp");
	assert_int_equal(e.inner, SPATE_BUSY);
	assert_int_equal(spate_world_stats(world)->step, 2);
	spate_world_destroy(world);
}

static void a_cancelled_world_can_go_on(void **state)
{
	(void)state;
	spate_world *whole = make_dam(0.05, 1), *stopped = make_dam(0.05, 1);
	run_until(whole, 0.25);
	events e = {.stop_after = 3};
	spate_world_callbacks callbacks = callbacks_of(&e);
	spate_error error = {0};
	assert_int_equal(spate_world_step_until(stopped, 0.25, &callbacks, &error), SPATE_CANCELLED);
	assert_int_equal(spate_world_stats(stopped)->step, 3);
	char expected[80];
	snprintf(expected, sizeof expected, "a callback stopped the world at %g s", spate_world_time(stopped));
	assert_string_equal(error.text, expected);
	assert_int_equal(e.reports, 2); // those after the one that cancelled are not called
	step(stopped);
	assert_int_equal(spate_world_step_until(stopped, 0.25, NULL, &error), SPATE_OK);
	assert_true(spate_world_hash(stopped) == spate_world_hash(whole));
	spate_world_destroy(whole);
	spate_world_destroy(stopped);
}

// ------------------------------------------------------------------------------------------------------------ log, queue

typedef struct listener
{
	spate_world *world;
	int lines, changed;
	spate_result step;
	char value[SPATE_VALUE_CHARS];
} listener;

static void listen(void *context, spate_log_level level, const char *text)
{
	listener *l = context;
	(void)level;
	(void)text;
	l->lines++;
	if (!l->world || l->changed)
		return;
	// inside the step: the change has to wait, and a step is refused
	l->changed = 1;
	assert_int_equal(spate_world_set(l->world, "gravity", "[0, 3, 0]", NULL), SPATE_OK);
	assert_int_equal(spate_world_get(l->world, "gravity", l->value, NULL), SPATE_OK);
	assert_int_equal(spate_world_change_count(l->world), 0);
	l->step = spate_world_step(l->world, NULL, NULL);
}

// A world in which every step has a runaway to tell about.
static spate_world *make_runaway(void)
{
	scene s;
	scene_init(&s, 0.05);
	s.fluids[0].name = "water";
	s.def.speed_limit = 1e-3;
	s.def.runaway = SPATE_RUNAWAY_CLAMP;
	add_fill(&s, box_shape(0, 0, 0, 0.1, 0.1, 0.1));
	return scene_create(&s);
}

static void each_world_has_its_own_log(void **state)
{
	(void)state;
	listener process = {0}, own = {0};
	spate_log_set_handler(listen, &process);
	spate_world *spoken = make_runaway(), *other = make_runaway();
	spate_world_set_log(spoken, listen, &own);
	int before = process.lines;
	step(spoken);
	assert_true(own.lines > 0);
	assert_int_equal(process.lines, before);
	int heard = own.lines;
	step(other);
	assert_int_equal(own.lines, heard);
	assert_true(process.lines > before);
	before = process.lines;
	spate_world_set_log(spoken, NULL, NULL);
	step(spoken);
	assert_int_equal(own.lines, heard);
	assert_true(process.lines > before);
	spate_log_set_handler(NULL, NULL);
	spate_world_destroy(spoken);
	spate_world_destroy(other);
}

static void a_change_inside_a_step_waits_for_its_end(void **state)
{
	(void)state;
	spate_world *world = make_runaway(), *twin = make_runaway();
	listener l = {.world = world};
	spate_world_set_log(world, listen, &l);
	step(world);
	assert_int_equal(l.changed, 1);
	assert_string_equal(l.value, "[0, -9.81, 0]");
	assert_int_equal(l.step, SPATE_BUSY);
	assert_int_equal(spate_world_change_count(world), 1);
	assert_int_equal(spate_world_change(world, 0).step, 1);
	// the same as a change after the step
	step(twin);
	assert_true(spate_world_hash(twin) == spate_world_hash(world));
	assert_int_equal(spate_world_set(twin, "gravity", "[0, 3, 0]", NULL), SPATE_OK);
	step(twin);
	step(world);
	assert_true(spate_world_hash(twin) == spate_world_hash(world));
	spate_world_destroy(world);
	spate_world_destroy(twin);
}

// --------------------------------------------------------------------------------------------------------------- threads

enum
{
	WORLDS = 3,
	STEPS = 20
};

typedef struct runner
{
	spate_world *world;
	uint64_t hash;
	int lines;
} runner;

static void count_line(void *context, spate_log_level level, const char *text)
{
	(void)level;
	(void)text;
	((runner *)context)->lines++;
}

static void *run_world(void *context)
{
	runner *r = context;
	r->world = make_dam(0.025, 2);
	spate_world_set_log(r->world, count_line, r);
	for (int k = 0; k < STEPS; k++)
		if (spate_world_step(r->world, NULL, NULL) != SPATE_OK)
			return NULL;
	// one line, so that each log has something of its own
	if (spate_world_set(r->world, "speed_limit", "0.001", NULL) != SPATE_OK ||
	    spate_world_set(r->world, "runaway", "clamp", NULL) != SPATE_OK ||
	    spate_world_step(r->world, NULL, NULL) != SPATE_OK)
		return NULL;
	r->hash = spate_world_hash(r->world);
	spate_world_destroy(r->world);
	return NULL;
}

static void worlds_on_several_threads_do_not_disturb_each_other(void **state)
{
	(void)state;
	runner alone = {0}, runners[WORLDS] = {0};
	run_world(&alone);
	assert_true(alone.hash != 0 && alone.lines > 0);
	pthread_t threads[WORLDS];
	for (int k = 0; k < WORLDS; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, run_world, &runners[k]), 0);
	for (int k = 0; k < WORLDS; k++)
	{
		pthread_join(threads[k], NULL);
		assert_true(runners[k].hash == alone.hash);
		assert_int_equal(runners[k].lines, alone.lines);
	}
}

// A host with a small pool: threads that wait for a loop, and a caller that works as well.
typedef struct host_pool
{
	pthread_mutex_t lock;
	pthread_cond_t call, done;
	spate_task *task;
	void *loop;
	uint32_t next, count, running;
	int quit, loops;
} host_pool;

// Takes tasks as long as there are any; the lock is held on entry and on return.
static void work_off(host_pool *h)
{
	while (h->next < h->count)
	{
		uint32_t number = h->next++;
		h->running++;
		pthread_mutex_unlock(&h->lock);
		h->task(h->loop, number);
		pthread_mutex_lock(&h->lock);
		if (--h->running == 0 && h->next == h->count)
			pthread_cond_broadcast(&h->done);
	}
}

static void *serve(void *context)
{
	host_pool *h = context;
	pthread_mutex_lock(&h->lock);
	while (!h->quit)
	{
		work_off(h);
		pthread_cond_wait(&h->call, &h->lock);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static void host_run(void *context, uint32_t count, spate_task *task, void *loop)
{
	host_pool *h = context;
	pthread_mutex_lock(&h->lock);
	h->loops++;
	h->task = task;
	h->loop = loop;
	h->next = 0;
	h->count = count;
	pthread_cond_broadcast(&h->call);
	work_off(h);
	while (h->running > 0)
		pthread_cond_wait(&h->done, &h->lock);
	h->count = h->next = 0;
	pthread_mutex_unlock(&h->lock);
}

static void threads_of_the_host_give_the_same_bits(void **state)
{
	(void)state;
	spate_world *own = make_dam(0.025, 1), *hosted;
	for (int k = 0; k < STEPS; k++)
		step(own);
	host_pool h = {
	    .lock = PTHREAD_MUTEX_INITIALIZER, .call = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
	pthread_t threads[2];
	for (int k = 0; k < 2; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, serve, &h), 0);
	spate_task_system system = spate_default_task_system();
	system.run = host_run;
	system.host = &h;
	system.threads = 3;
	assert_int_equal(spate_set_task_system(&system, NULL), SPATE_OK);
	hosted = make_dam(0.025, 3);
	for (int k = 0; k < STEPS; k++)
		step(hosted);
	assert_true(h.loops > STEPS);
	assert_true(spate_world_hash(hosted) == spate_world_hash(own));
	spate_set_task_system(NULL, NULL);
	pthread_mutex_lock(&h.lock);
	h.quit = 1;
	pthread_cond_broadcast(&h.call);
	pthread_mutex_unlock(&h.lock);
	for (int k = 0; k < 2; k++)
		pthread_join(threads[k], NULL);
	spate_world_destroy(own);
	spate_world_destroy(hosted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_run_in_pieces_is_the_same_run),
	    cmocka_unit_test(callbacks_come_in_order_and_cannot_step),
	    cmocka_unit_test(a_cancelled_world_can_go_on),
	    cmocka_unit_test(each_world_has_its_own_log),
	    cmocka_unit_test(a_change_inside_a_step_waits_for_its_end),
	    cmocka_unit_test(worlds_on_several_threads_do_not_disturb_each_other),
	    cmocka_unit_test(threads_of_the_host_give_the_same_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
