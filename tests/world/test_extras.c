// A solver and a force that are in no table: what the interfaces promise to whoever adds one.
#include "base/error.h"
#include "base/parallel.h"
#include "force/spring.h"
#include "scene.h"
#include "solver/contacts.h"
#include "solver/motion.h"
#include "spate/snapshot.h"
#include "world/snapshot.h"

// ---------------------------------------------------------------------------------------------------------- the solver

// Ballistic particles: they fall and meet colliders, but not each other. Drag slows them down.
enum
{
	DRAG,
	WALLS,
	SETTING_COUNT
};

enum
{
	WALLS_SOLID,
	WALLS_OPEN
};

static const spate_word walls[] = {
    {"solid", WALLS_SOLID, "particles stay outside"}, {"open", WALLS_OPEN, "particles pass"}, {NULL, 0, NULL}};

static const spate_setting settings[SETTING_COUNT] = {
    [DRAG] = {.name = "drag", .max = 10, .unit = "1/s", .example = "0.1", .doc = "Share of the velocity lost."},
    [WALLS] = {.name = "walls", .kind = SPATE_SETTING_WORD, .words = walls, .doc = "Whether colliders are solid."}};

static void start_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const step_view *s = context;
	for (size_t row = begin; row < end; row++)
	{
		vec4 v = s->velocities[row];
		s->moved[row] = (vec4){s->dt * v.x, s->dt * v.y, s->dt * v.z, 0};
		s->places[row].w = 1; // inverse mass
		s->store->density[row] = (float)s->fluids[s->store->fluid[row]].density;
	}
}

static void slow_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const step_view *s = context;
	float left = 1.0f - (float)s->settings->own[DRAG] * s->dt;
	for (size_t row = begin; row < end; row++)
	{
		vec4 *v = &s->velocities[row];
		*v = (vec4){left * v->x, left * v->y, left * v->z, v->w};
	}
}

static spate_result prepare(const void *solver, const step_view *s, int *runaways, spate_error *error)
{
	(void)solver, (void)error;
	*runaways = motion_predict(s);
	return SPATE_OK;
}

static spate_result fly(void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	(void)solver;
	contacts near;
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, start_rows, (void *)(uintptr_t)s);
	spate_result result = contacts_find(&near, s, error);
	if (result != SPATE_OK)
		return result;
	if (s->settings->own[WALLS] == WALLS_SOLID)
	{
		contacts_touch(&near, 0.5f);
		contacts_hold(&near);
		report->outside = contacts_outside(&near);
		contacts_respond(&near);
		contacts_sum_loads(&near);
	}
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, slow_rows, (void *)(uintptr_t)s);
	return SPATE_OK;
}

static double longest_step(const void *solver, const step_view *s, const step_state *state)
{
	(void)solver;
	return motion_longest_step(s, state, 0.5);
}

static solver_cost cost(const void *solver, const step_view *s, double share)
{
	(void)solver, (void)s, (void)share;
	return (solver_cost){0};
}

// Strong drag against open walls is forbidden, for want of a better reason.
static spate_result check(const double *own, uint32_t *row, spate_error *error)
{
	*row = WALLS;
	return own[DRAG] > 5 && own[WALLS] == WALLS_OPEN
		   ? error_set(error, SPATE_INVALID, "open walls need a drag of at most 5")
		   : SPATE_OK;
}

static const solver_type ballistic = {.radius = 1.5,
				      .settings = {settings, SETTING_COUNT},
				      .check = check,
				      .longest_step = longest_step,
				      .prepare = prepare,
				      .step = fly,
				      .cost = cost};

// The same with a wind that grows from substep to substep: a solver with a state of its own.
typedef struct wind
{
	double speed; // m/s
} wind;

#define GUST 0.01 // m/s per substep

static spate_result wind_create(void **solver, spate_error *error)
{
	(void)error;
	*solver = mem_calloc(1, sizeof(wind));
	return *solver ? SPATE_OK : SPATE_MEMORY;
}

static spate_result drift(void *solver, const step_view *s, solver_report *report, spate_error *error)
{
	wind *own = solver;
	own->speed += GUST;
	for (uint32_t row = 0; row < s->list->count; row++)
		s->velocities[row].x = (float)own->speed;
	return fly(NULL, s, report, error);
}

static void wind_save(const void *solver, byte_writer *to)
{
	bytes_put_double(to, ((const wind *)solver)->speed);
}

// Version 1 counted gusts.
static spate_result wind_load(void *solver, uint32_t version, byte_reader *reader, spate_error *error)
{
	wind *own = solver;
	own->speed = version == 1 ? GUST * bytes_get_u32(reader) : bytes_get_double(reader);
	return own->speed >= 0 ? SPATE_OK : error_set(error, SPATE_FORMAT, "its wind blows backwards");
}

static const solver_state wind_state = {"drifting", 2, wind_save, wind_load};
static const solver_type drifting = {.radius = 1.5,
				     .settings = {settings, SETTING_COUNT},
				     .state = &wind_state,
				     .create = wind_create,
				     .destroy = mem_free,
				     .longest_step = longest_step,
				     .prepare = prepare,
				     .step = drift,
				     .cost = cost};

// --------------------------------------------------------------------------------------------------------------- tests

static const solver_type *const solvers[] = {&ballistic, &drifting};

static spate_world *create(const scene *s, const force_entry *forces, uint32_t force_count)
{
	world_extras extras = {.solvers = solvers, .solver_count = 2, .forces = forces, .force_count = force_count};
	spate_world *w = NULL;
	spate_error error = {0};
	if (world_create(&w, &s->def, &extras, &error) != SPATE_OK)
		fail_msg("the world could not be made: %s", error.text);
	return w;
}

// A scene for one of the two, which come behind those of the table.
static void init(scene *s, double spacing, int solver)
{
	scene_init(s, spacing);
	s->def.solver.type = SOLVER_COUNT + solver;
}

static void run(spate_world *w, uint32_t frames)
{
	spate_error error = {0};
	while (spate_world_frame(w) < frames)
		if (spate_world_step(w, NULL, &error) != SPATE_OK)
			fail_msg("%s", error.text);
}

// n steps of v += dt g, x += dt v fall by g dt^2 n (n + 1) / 2.
static void free_fall_is_that_of_the_integrator(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.02, 0);
	s.def.solver.substeps = 4;
	add_fill(&s, box_shape(-0.1, -0.1, -0.1, 0.1, 0.1, 0.1));
	spate_world *w = create(&s, NULL, 0);
	uint32_t rows = w->state.store->rows;
	assert_int_equal(rows, 1000);
	check_near((double)w->model.radius, 0.03, 1e-8);
	double top = 0;
	for (uint32_t row = 0; row < rows; row++)
		top = fmax(top, (double)w->state.store->position[row].y);
	run(w, 12);
	double n = 48, dt = 1 / 96.0, fallen = 9.81 * dt * dt * n * (n + 1) / 2, highest = -INFINITY;
	for (uint32_t row = 0; row < rows; row++)
	{
		highest = fmax(highest, (double)w->state.store->position[row].y);
		check_near((double)w->state.store->velocity[row].y, -9.81 * n * dt, 1e-4);
		check_near((double)w->state.store->velocity[row].x, 0, 0);
	}
	check_near(highest, top - fallen, 2e-5);
	spate_world_destroy(w);
}

// Particles come to rest half a spacing above the floor, and none leaves the box; the same bits on any number of threads.
static void particles_rest_in_a_box(void **state)
{
	(void)state;
	uint64_t hashes[2];
	for (int threads = 1; threads <= 3; threads += 2)
	{
		scene s;
		init(&s, 0.02, 0);
		s.def.threads = threads;
		add_collider(&s, box_shape(0, 0, 0, 0.5, 0.5, 0.5), SPATE_COLLIDER_INSIDE);
		spate_source_def *fill = add_fill(&s, box_shape(0.05, 0.05, 0.05, 0.45, 0.45, 0.45));
		fill->velocity[0] = 3;
		spate_world *w = create(&s, NULL, 0);
		assert_int_equal(w->state.store->rows, 8000);
		run(w, 20);
		assert_int_equal(spate_world_stats(w)->particles, 8000);
		assert_int_equal(spate_world_stats(w)->outside, 0);
		for (uint32_t row = 0; row < 8000; row++)
		{
			vec4 x = w->state.store->position[row], v = w->state.store->velocity[row];
			const double *o = spate_world_origin(w);
			check_near((double)x.y + o[1], 0.01, 1e-5);
			check_near((double)v.y, 0, 1e-4);
			assert_true((double)x.x + o[0] < 0.49001 && (double)x.x + o[0] > 0.00999);
		}
		hashes[threads / 2] = spate_world_hash(w);
		spate_world_destroy(w);
	}
	assert_int_equal(hashes[0], hashes[1]);
}

// Without gravity, a particle on a spring follows the same recursion in double precision.
static void a_spring_pulls_particles(void **state)
{
	(void)state;
	const force_entry forces[1] = {{.type = &spring, .values = {1, 2, 3, 100, 50}}};
	scene s;
	init(&s, 0.02, 0);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.solver.substeps = 10;
	add_fill(&s, box_shape(1.1, 1.99, 2.99, 1.12, 2.01, 3.01)); // one particle, 0.11 m from the point
	spate_world *w = create(&s, forces, 1);
	assert_int_equal(w->state.store->rows, 1);
	check_near(w->model.forces.most, 50, 0);
	double x = 0.11, v = 0, dt = 1 / 240.0;
	for (uint32_t frame = 1; frame <= 12; frame++)
	{
		run(w, frame);
		for (int k = 0; k < 10; k++)
		{
			v -= dt * 100 * x;
			x += dt * v;
		}
		check_near((double)w->state.store->position[0].x + spate_world_origin(w)[0] - 1, x, 1e-5);
		check_near((double)w->state.store->velocity[0].x, v, 1e-4);
	}
	spate_world_destroy(w);
}

// The substep follows the bound of all forces: at rest, (a dt) dt = cfl h.
static void the_bound_limits_the_substep(void **state)
{
	(void)state;
	for (double limit = 50; limit <= 5000; limit *= 10)
	{
		const force_entry forces[1] = {{.type = &spring, .values = {0, 0, 0, 100, limit}}};
		scene s;
		init(&s, 0.02, 0);
		add_fill(&s, box_shape(-0.01, -0.01, -0.01, 0.01, 0.01, 0.01));
		spate_world *w = create(&s, forces, 1);
		int last;
		double longest = sqrt(0.5 * 0.03 / (9.81 + limit)), dt = world_choose_dt(w, &last);
		check_near(dt, 1 / (24 * ceil(1 / (24 * longest))), 1e-9);
		spate_world_destroy(w);
	}
}

static void check_refused(spate_world *w, const spate_snapshot *snapshot, const char *sentence)
{
	spate_error error = {0};
	assert_int_equal(spate_snapshot_restore(w, snapshot, &error), SPATE_FORMAT);
	if (!strstr(error.text, sentence))
		fail_msg("said '%s', expected '%s'", error.text, sentence);
}

// The wind is a section of the state: a restored world goes on with the same bits, and the wind of a snapshot decides how.
static void solvers_keep_a_state(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.05, 1);
	s.def.solver.substeps = 4;
	add_collider(&s, box_shape(0, 0, 0, 0.5, 0.5, 0.5), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0.1, 0.1, 0.1, 0.3, 0.3, 0.3));
	spate_world *w = create(&s, NULL, 0), *other = create(&s, NULL, 0);
	for (int n = 0; n < 6; n++)
		step(w);
	spate_snapshot *kept = NULL;
	check_ok(spate_snapshot_take(&kept, w, NULL));
	run(w, 4);
	check_ok(spate_snapshot_restore(other, kept, NULL));
	check_near(((wind *)other->state.solver)->speed, 6 * GUST, 1e-15);
	run(other, 4);
	assert_true(spate_world_hash(other) == spate_world_hash(w));

	state_part *part = &kept->parts.data[kept->parts.count - 1];
	uint8_t *bytes = (uint8_t *)(uintptr_t)part->data;
	assert_string_equal(part->name, "drifting");
	assert_int_equal(part->size, 4 + 8);
	const uint8_t gusts[8] = {1, 0, 0, 0, 7, 0, 0, 0}, much[4] = {3, 0, 0, 0}, own[4] = {2, 0, 0, 0};
	bytes[11] |= 0x80; // the sign
	check_refused(other, kept, "its wind blows backwards");
	memcpy(bytes, much, 4);
	check_refused(other, kept, "its section 'drifting' has version 3");
	memcpy(bytes, own, 4);
	part->size = 8;
	check_refused(other, kept, "its section 'drifting' is too short");
	memcpy(bytes, gusts, 8);
	check_ok(spate_snapshot_restore(other, kept, NULL));
	check_near(((wind *)other->state.solver)->speed, 7 * GUST, 1e-15);
	run(other, 4);
	assert_true(spate_world_hash(other) != spate_world_hash(w));

	// a world with another solver has no place for it, and a state without it is none
	spate_world_destroy(other);
	s.def.solver.type = SOLVER_COUNT;
	other = create(&s, NULL, 0);
	check_refused(other, kept, "it has a section 'drifting'");
	part->name[0] = 'x';
	check_refused(w, kept, "it has no section 'drifting'");
	spate_snapshot_destroy(kept);
	spate_world_destroy(other);
	spate_world_destroy(w);
}

static void unknown_solvers_are_refused(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.02);
	add_fill(&s, box_shape(0, 0, 0, 0.1, 0.1, 0.1));
	s.def.solver.type = SOLVER_COUNT + 2;
	world_extras extras = {.solvers = solvers, .solver_count = 2};
	spate_world *w = NULL;
	spate_error error = {0};
	assert_int_equal(world_create(&w, &s.def, &extras, &error), SPATE_INVALID);
	assert_null(w);
}

// A setting acts as its solver says: v loses its share after every step of v += dt g, x += dt v.
static void a_setting_takes_effect(void **state)
{
	(void)state;
	for (double drag = 0; drag <= 4; drag += 2)
	{
		scene s;
		init(&s, 0.02, 0);
		s.def.solver.substeps = 4;
		add_collider(&s, box_shape(-1, -0.5, -1, 1, -0.2, 1), SPATE_COLLIDER_OUTSIDE);
		add_fill(&s, box_shape(-0.01, -0.01, -0.01, 0.01, 0.01, 0.01));
		if (drag > 0) // else the default
			check_ok(solver_set(&ballistic, &s.def.solver, "drag", drag, NULL));
		check_ok(solver_set(&ballistic, &s.def.solver, "walls", WALLS_OPEN, NULL));
		spate_world *w = create(&s, NULL, 0);
		assert_true(w->model.def.solver.own[DRAG] == drag);
		double x = (double)w->state.store->position[0].y, v = 0, dt = 1 / 96.0;
		run(w, 12);
		for (int k = 0; k < 48; k++)
		{
			v -= dt * 9.81;
			x += dt * v;
			v -= dt * drag * v;
		}
		check_near((double)w->state.store->velocity[0].y, v, 1e-4);
		check_near((double)w->state.store->position[0].y, x, 2e-5);
		spate_world_destroy(w);
	}
}

static void refused(const scene *s, const char *sentence)
{
	world_extras extras = {.solvers = solvers, .solver_count = 1};
	spate_world *w = NULL;
	spate_error error = {0};
	assert_int_equal(world_create(&w, &s->def, &extras, &error), SPATE_INVALID);
	assert_null(w);
	assert_string_equal(error.text, sentence);
}

static void settings_keep_their_ranges(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.02, 0);
	add_fill(&s, box_shape(0, 0, 0, 0.1, 0.1, 0.1));
	spate_error error = {0};
	assert_int_equal(solver_set(&ballistic, &s.def.solver, "drag", 10.5, &error), SPATE_INVALID);
	assert_string_equal(error.text, "drag must be from 0 to 10 1/s; here it is 10.5");
	assert_int_equal(solver_set(&ballistic, &s.def.solver, "drag", NAN, &error), SPATE_INVALID);
	assert_int_equal(solver_set(&ballistic, &s.def.solver, "walls", 2, &error), SPATE_INVALID);
	assert_int_equal(solver_set(&ballistic, &s.def.solver, "drug", 1, &error), SPATE_MISSING);
	assert_string_equal(error.text, "the solver has no setting 'drug'");
	assert_int_equal(solver_set(&ballistic, &s.def.solver, "iterations", 1, &error), SPATE_MISSING);
	assert_string_equal(error.text, "iterations belongs to the solver pbf, not to this one");
	assert_true(isnan(s.def.solver.own[DRAG]) && isnan(s.def.solver.own[WALLS]));
	s.def.solver.own[DRAG] = -1;
	refused(&s, "the solver is invalid: drag must be from 0 to 10 1/s; here it is -1");
	s.def.solver.own[DRAG] = 6;
	s.def.solver.own[WALLS] = WALLS_OPEN;
	refused(&s, "the solver is invalid: open walls need a drag of at most 5");
}

// The public side, with a solver of the table.
static void settings_go_by_name(void **state)
{
	(void)state;
	for (int type = 0; type < SOLVER_COUNT; type++)
	{
		const solver_settings *own = &solver_table(type)->settings;
		assert_true(own->count <= SPATE_SOLVER_SETTINGS);
		assert_null(spate_solver_setting(type, own->count));
		for (uint32_t row = 0; row < own->count; row++)
			assert_ptr_equal(spate_solver_setting(type, row), &own->rows[row]);
	}
	assert_null(spate_solver_setting(-1, 0));
	spate_solver_def def = spate_default_solver_def();
	def.type = SOLVER_pbf;
	spate_error error = {0};
	double value = 0;
	check_ok(spate_solver_get(&def, "acceleration", &value, &error));
	check_near(value, -1, 0);
	check_ok(spate_solver_set(&def, "acceleration", 0.5, &error));
	check_ok(spate_solver_get(&def, "acceleration", &value, &error));
	check_near(value, 0.5, 0);
	assert_int_equal(spate_solver_set(&def, "acceleration", 1, &error), SPATE_INVALID);
	assert_int_equal(spate_solver_set(&def, "iterations", 2.5, &error), SPATE_INVALID);
	assert_string_equal(error.text, "iterations must be a whole number; here it is 2.5");
	check_ok(spate_solver_set(&def, "iterations", 0, &error)); // auto
	assert_int_equal(spate_solver_get(&def, "drag", &value, &error), SPATE_MISSING);
	assert_int_equal(spate_solver_set(&def, NULL, 1, &error), SPATE_INVALID);
	assert_int_equal(spate_solver_set(NULL, "iterations", 1, &error), SPATE_INVALID);
	def.type = SOLVER_COUNT;
	assert_int_equal(spate_solver_set(&def, "iterations", 1, &error), SPATE_INVALID);
	check_near(value, 0.5, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(free_fall_is_that_of_the_integrator),
	    cmocka_unit_test(particles_rest_in_a_box),
	    cmocka_unit_test(a_spring_pulls_particles),
	    cmocka_unit_test(the_bound_limits_the_substep),
	    cmocka_unit_test(solvers_keep_a_state),
	    cmocka_unit_test(unknown_solvers_are_refused),
	    cmocka_unit_test(a_setting_takes_effect),
	    cmocka_unit_test(settings_keep_their_ranges),
	    cmocka_unit_test(settings_go_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
