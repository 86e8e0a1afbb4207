// Adaptive position-based fluids: which particles take part in which iterations, and that nothing else differs from plain PBF.
#include "spate/snapshot.h"
#include "world/scene.h"

enum
{
	RESIDUAL,
	CAMERA,
	SURFACE,
	LEVELS
};

// Rows that share a level: eight slices of eight.
enum
{
	RUN = 64
};

static const double d = 0.05;

static void use(scene *s, int level, uint32_t least, uint32_t most)
{
	scene_solver(s, "adaptive");
	scene_set(s, "level", level);
	scene_set(s, "iterations_min", least);
	scene_set(s, "iterations_max", most);
}

static void look_from(scene *s, spate_camera_def *camera, double x, double y, double z)
{
	*camera = spate_default_camera_def();
	camera->position[0] = x;
	camera->position[1] = y;
	camera->position[2] = z;
	s->def.cameras = camera;
	s->def.camera_count = 1;
}

// A column that collapses beside an obstacle, with four substeps a frame.
static void column(scene *s)
{
	scene_init(s, d);
	s->def.fps = 50;
	s->def.solver.substeps = 4;
	add_fill(s, box_shape(0, 0, 0, 0.4, 0.6, 0.4))->jitter = 0.1;
	add_collider(s, box_shape(0, 0, 0, 1, 1, 0.4), SPATE_COLLIDER_INSIDE)->friction = 0.1;
	add_collider(s, box_shape(0.5, 0, 0.1, 0.6, 0.2, 0.3), SPATE_COLLIDER_OUTSIDE);
}

static int32_t *levels_of(spate_world *w)
{
	spate_type type = SPATE_TYPE_COUNT;
	int32_t *level = spate_store_field(spate_world_store(w), "level", &type);
	assert_non_null(level);
	assert_int_equal(type, SPATE_INT32);
	return level;
}

static uint64_t hash_after(const scene *s, int frames)
{
	spate_world *w = scene_create(s);
	for (int k = 0; k < frames; k++)
		run_frame(w);
	uint64_t hash = spate_world_hash(w);
	spate_world_destroy(w);
	return hash;
}

// ---------------------------------------------------------------------------------------------------------- plain PBF

static void equal_limits_are_plain_pbf(void **state)
{
	(void)state;
	spate_camera_def camera;
	scene plain;
	column(&plain);
	scene_solver(&plain, "pbf");
	scene_set(&plain, "iterations", 5);
	scene_set(&plain, "min_iterations", 5);
	uint64_t expected = hash_after(&plain, 6);
	for (int level = 0; level < LEVELS; level++)
	{
		scene s;
		column(&s);
		look_from(&s, &camera, 2, 2, 2);
		use(&s, level, 5, 5);
		uint64_t hash = hash_after(&s, 6);
		if (hash != expected)
			fail_msg("level %d gives %llx, PBF %llx", level, (unsigned long long)hash,
				 (unsigned long long)expected);
	}
}

// Two clusters of overlapping particles that do not know of each other, one near the camera and one far from it.
static void clusters(scene *s, int of_each)
{
	scene_init(s, d);
	memset(s->def.gravity, 0, sizeof s->def.gravity);
	s->fluids[0].viscosity = s->fluids[0].surface_tension = s->fluids[0].cohesion = 0;
	s->def.solver.substeps = 4;
	add_fill(s, box_shape(0, 0, 0, 2 * of_each * d, d, d));
}

static spate_world *create_clusters(scene *s, int of_each)
{
	spate_world *w = scene_create(s);
	spate_store *store = spate_world_store(w);
	assert_int_equal(store->rows, 2 * of_each);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		int64_t id = store->id[row], n = id % of_each;
		float x = id < of_each ? 0.0f : 1.0f;
		store->position[row] =
		    (vec4){x + 0.15f * (float)d * (float)(n % 2), 0.16f * (float)d * (float)(n / 2 % 2),
			   0.17f * (float)d * (float)(n / 4 % 4), 0};
		store->position[row].y += 0.6f * (float)d * (float)(n / 16);
	}
	return w;
}

static void sort_by_id(spate_world *w, vec4 *out)
{
	const spate_store *store = spate_world_store(w);
	for (uint32_t row = 0; row < store->rows; row++)
		out[store->id[row]] = store->position[row];
}

// Where particles are after a substep of PBF with a number of iterations.
static void plain_places(int of_each, uint32_t iterations, vec4 *out)
{
	scene s;
	clusters(&s, of_each);
	scene_solver(&s, "pbf");
	scene_set(&s, "iterations", iterations);
	scene_set(&s, "min_iterations", iterations);
	scene_set(&s, "acceleration", 0.5);
	spate_world *w = create_clusters(&s, of_each);
	step(w);
	sort_by_id(w, out);
	spate_world_destroy(w);
}

// A particle takes part in as many iterations as its level, and then stays where it is: each cluster ends where PBF with its number of
// iterations leaves it. Clusters are multiples of a run, so that they share none.
static void check_clusters(int of_each)
{
	enum
	{
		MOST = 4 * RUN
	};
	vec4 few[MOST], many[MOST], both[MOST];
	plain_places(of_each, 2, few);
	plain_places(of_each, 5, many);
	scene s;
	spate_camera_def camera;
	clusters(&s, of_each);
	look_from(&s, &camera, -1, 0, 0);
	use(&s, CAMERA, 2, 5);
	scene_set(&s, "near", 1.3);
	scene_set(&s, "far", 1.5);
	scene_set(&s, "acceleration", 0.5);
	spate_world *w = create_clusters(&s, of_each);
	camera.target[0] = 1;
	step(w);
	sort_by_id(w, both);
	const int32_t *level = levels_of(w);
	const spate_store *store = spate_world_store(w);
	int moved = 0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		int64_t id = store->id[row];
		const vec4 *expected = id < of_each ? &many[id] : &few[id];
		assert_int_equal(level[row], id < of_each ? 5 : 2);
		if (memcmp(&both[id], expected, 3 * sizeof(float)) != 0)
			fail_msg("particle %d of %d ended at %.9g, %.9g, %.9g, expected %.9g, %.9g, %.9g", (int)id,
				 2 * of_each, (double)both[id].x, (double)both[id].y, (double)both[id].z,
				 (double)expected->x, (double)expected->y, (double)expected->z);
		moved += memcmp(&few[id], &many[id], 3 * sizeof(float)) != 0;
	}
	// more iterations do move particles
	assert_true(moved > of_each);
	spate_world_destroy(w);
}

static void inactive_particles_stay(void **state)
{
	(void)state;
	check_clusters(RUN);
	check_clusters(2 * RUN);
}

static void momentum_is_kept(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, d);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	use(&s, RESIDUAL, 4, 4);
	s.fluids[0].surface_tension = s.fluids[0].cohesion = 0;
	add_fill(&s, box_shape(0, 0, 0, 0.5, 0.5, 0.5))->velocity[0] = 1;
	add_fill(&s, box_shape(0.5, 0.1, 0, 1, 0.6, 0.5))->velocity[0] = -1;
	s.sources[0].jitter = s.sources[1].jitter = 0.3;
	spate_world *w = scene_create(&s);
	for (int k = 0; k < 3; k++)
		run_frame(w);
	const spate_step_stats *now = spate_world_stats(w);
	assert_true(now->density_error_max > 1e-4);
	// of the 125 kg that go each way at 1 m/s
	for (int k = 0; k < 3; k++)
		check_near(now->momentum[k], 0.0, 1e-6 * 250.0);
	spate_world_destroy(w);
}

// -------------------------------------------------------------------------------------------------------------- levels

// Particles at rest on a line, too far from each other to touch.
static spate_world *line(scene *s, int count)
{
	spate_world *w = scene_create(s);
	spate_store *store = spate_world_store(w);
	assert_int_equal(store->rows, count);
	for (uint32_t row = 0; row < store->rows; row++)
		store->position[row] = (vec4){0.25f * (float)store->id[row], 0, 0, 0};
	return w;
}

// The rows of a run have the mean of their levels, without its fraction; a mean next to a whole number may be on either side of it.
static void check_runs(const spate_world *w, const double *levels)
{
	const int32_t *level = levels_of((spate_world *)w);
	uint32_t rows = spate_world_store((spate_world *)w)->rows;
	for (uint32_t first = 0; first < rows; first += RUN)
	{
		double sum = 0.0;
		uint32_t last = first + RUN < rows ? first + RUN : rows;
		for (uint32_t row = first; row < last; row++)
			sum += levels[row];
		double mean = sum / (last - first);
		assert_true(level[first] == (int)floor(mean - 1e-4) || level[first] == (int)floor(mean + 1e-4));
		for (uint32_t row = first; row < last; row++)
			assert_int_equal(level[row], level[first]);
	}
}

static void levels_follow_the_distance(void **state)
{
	(void)state;
	enum
	{
		COUNT = 4 * RUN
	};
	scene s;
	spate_camera_def cameras[2];
	scene_init(&s, d);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_fill(&s, box_shape(0, 0, 0, COUNT * d, d, d));
	look_from(&s, cameras, 0, 0, 0);
	cameras[0].target[0] = 1;
	use(&s, CAMERA, 2, 6);
	scene_set(&s, "near", 16);
	scene_set(&s, "far", 48);
	for (uint32_t count = 1; count <= 2; count++)
	{
		// the second one looks back from the other end; the higher level counts
		look_from(&s, &cameras[1], 0.25 * (COUNT - 1), 0, 0);
		s.def.cameras = cameras;
		s.def.camera_count = count;
		spate_world *w = line(&s, COUNT);
		for (uint32_t c = 0; c < count; c++)
			for (int k = 0; k < 3; k++)
				assert_true(spate_world_origin(w)[k] == 0.0);
		step(w);
		double levels[COUNT];
		const spate_store *store = spate_world_store(w);
		for (uint32_t row = 0; row < COUNT; row++)
		{
			double x = 0.25 * (double)store->id[row], back = 0.25 * (COUNT - 1) - x;
			double away = count == 2 && back < x ? back : x;
			double share = away <= 16.0 ? 1.0 : away >= 48.0 ? 0.0 : (48.0 - away) / 32.0;
			levels[row] = 2.0 + 4.0 * share;
		}
		check_runs(w, levels);
		spate_world_destroy(w);
	}
}

static void automatic_range_spans_the_liquid(void **state)
{
	(void)state;
	enum
	{
		COUNT = 4 * RUN + 1
	};
	scene s;
	spate_camera_def camera;
	scene_init(&s, d);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_fill(&s, box_shape(0, 0, 0, COUNT * d, d, d));
	look_from(&s, &camera, -1, 0, 0);
	camera.target[0] = 1;
	use(&s, CAMERA, 1, 5);
	spate_world *w = line(&s, COUNT);
	step(w);
	const spate_store *store = spate_world_store(w);
	// from the nearest to the mean, half-way along the line
	double levels[COUNT];
	for (uint32_t row = 0; row < COUNT; row++)
		levels[row] = fmax(5.0 - 4.0 * (double)store->id[row] / (0.5 * (COUNT - 1)), 1.0);
	check_runs(w, levels);
	spate_world_destroy(w);
}

static void named_cameras_count(void **state)
{
	(void)state;
	scene s;
	spate_camera_def cameras[2];
	const char *const name = "far";
	scene_init(&s, d);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_fill(&s, box_shape(0, 0, 0, 4 * d, d, d));
	look_from(&s, &cameras[1], 100, 0, 0);
	look_from(&s, &cameras[0], 0, 0, 0.1);
	cameras[0].name = "close";
	cameras[1].name = "far";
	s.def.camera_count = 2;
	s.def.solver.cameras = &name;
	s.def.solver.camera_count = 1;
	use(&s, CAMERA, 1, 3);
	scene_set(&s, "near", 1);
	scene_set(&s, "far", 2);
	spate_world *w = scene_create(&s);
	step(w);
	for (uint32_t row = 0; row < 4; row++)
		assert_int_equal(levels_of(w)[row], 1);
	spate_world_destroy(w);
}

// A block seen from the front: the front layer gets the most, whatever is behind gets less the deeper it is.
static void visible_surface_gets_the_most(void **state)
{
	(void)state;
	scene s;
	spate_camera_def camera;
	scene_init(&s, d);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_fill(&s, box_shape(0, 0, 0, 10 * d, 10 * d, 10 * d));
	look_from(&s, &camera, 5 * d, 5 * d, 60 * d);
	camera.target[0] = camera.target[1] = camera.target[2] = 5 * d;
	use(&s, SURFACE, 1, 6);
	scene_set(&s, "near", 0.5 * d);
	scene_set(&s, "far", 5.5 * d);
	spate_world *w = scene_create(&s);
	step(w);
	const int32_t *level = levels_of(w);
	const spate_store *store = spate_world_store(w);
	double front = 0.0, back = 0.0;
	for (uint32_t first = 0; first < store->rows; first += RUN)
	{
		double expected = 0.0;
		uint32_t last = first + RUN < store->rows ? first + RUN : store->rows;
		for (uint32_t row = first; row < last; row++)
		{
			// layers behind the front one, by the lattice of the fill; a spacing is a level
			double layer = 9.0 - (double)(store->id[row] / 100);
			expected += fmin(fmax(6.5 - layer, 1.0), 6.0) / (last - first);
		}
		front = fmax(front, expected);
		back += expected == 1.0;
		// within one for the sizes of the neighbours
		if (fabs(level[first] - floor(expected)) > 1.0 || (expected == 1.0 && level[first] != 1))
			fail_msg("the run of row %u has level %d, expected %g", first, level[first], expected);
	}
	// the block has a front and a back
	assert_true(front > 5.0 && back > 3.0);
	spate_world_destroy(w);
}

// What no camera can see has the least.
static void liquid_behind_the_camera_gets_the_least(void **state)
{
	(void)state;
	scene s;
	spate_camera_def camera;
	column(&s);
	look_from(&s, &camera, 0.5, 0.5, 3);
	camera.target[2] = 6;
	use(&s, SURFACE, 2, 6);
	spate_world *w = scene_create(&s);
	step(w);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
		assert_int_equal(levels_of(w)[row], 2);
	spate_world_destroy(w);
}

static void errors_get_iterations(void **state)
{
	(void)state;
	scene s;
	column(&s);
	use(&s, RESIDUAL, 2, 8);
	spate_world *w = scene_create(&s);
	int least = 100, most = 0;
	for (int k = 0; k < 8; k++)
		run_frame(w);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		int level = levels_of(w)[row];
		least = level < least ? level : least;
		most = level > most ? level : most;
	}
	assert_true(least >= 2 && least < most && most <= 8);
	spate_world_destroy(w);
}

// --------------------------------------------------------------------------------------------------------- determinism

static void threads_do_not_matter(void **state)
{
	(void)state;
	for (int level = 0; level < LEVELS; level++)
	{
		uint64_t hash[4];
		for (int threads = 1; threads <= 4; threads++)
		{
			scene s;
			spate_camera_def camera;
			column(&s);
			look_from(&s, &camera, 2, 2, 2);
			use(&s, level, 2, 6);
			s.def.threads = threads;
			hash[threads - 1] = hash_after(&s, 6);
			assert_int_equal(hash[threads - 1], hash[0]);
		}
	}
}

static void restored_worlds_continue(void **state)
{
	(void)state;
	for (int level = 0; level < LEVELS; level++)
	{
		scene s;
		spate_camera_def camera;
		spate_snapshot *snapshot = NULL;
		spate_error error = {0};
		column(&s);
		look_from(&s, &camera, 2, 2, 2);
		use(&s, level, 2, 6);
		scene_set(&s, "stabilize", 3);
		scene_set(&s, "stabilize_below", 6);
		spate_world *w = scene_create(&s);
		for (int k = 0; k < 10; k++)
			step(w);
		check_ok(spate_snapshot_take(&snapshot, w, &error));
		for (int k = 0; k < 10; k++)
			step(w);
		uint64_t hash = spate_world_hash(w);
		spate_world *other = NULL;
		check_ok(spate_world_create_empty(&other, &s.def, &error));
		check_ok(spate_snapshot_restore(other, snapshot, &error));
		for (int k = 0; k < 10; k++)
			step(other);
		assert_int_equal(spate_world_hash(other), hash);
		for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
			assert_int_equal(levels_of(w)[row], levels_of(other)[row]);
		spate_world_destroy(other);
		spate_world_destroy(w);
		spate_snapshot_destroy(snapshot);
	}
}

// -------------------------------------------------------------------------------------------------------- stabilisation

// A particle in a wall is moved out of it without velocity, if it was done early in the last substep.
static void stabilizing_gives_no_velocity(void **state)
{
	(void)state;
	double speed[2];
	for (int rounds = 0; rounds < 2; rounds++)
	{
		scene s;
		spate_camera_def camera;
		scene_init(&s, d);
		memset(s.def.gravity, 0, sizeof s.def.gravity);
		s.def.solver.substeps = 4;
		add_fill(&s, box_shape(0.5, 0.5, 0.5, 0.5 + d, 0.5 + d, 0.5 + d));
		add_collider(&s, box_shape(0, 0, 0, 1, 1, 1), SPATE_COLLIDER_INSIDE);
		look_from(&s, &camera, 5, 5, 5);
		use(&s, CAMERA, 2, 6);
		scene_set(&s, "near", 0);
		scene_set(&s, "far", 1);
		scene_set(&s, "stabilize", rounds);
		spate_world *w = scene_create(&s);
		step(w);
		assert_int_equal(levels_of(w)[0], 2);
		vec4 *place = spate_world_store(w)->position;
		double floor_at = 0.0 - spate_world_origin(w)[1];
		place->y = (float)(floor_at - 0.1 * d);
		step(w);
		vec4 v = spate_world_store(w)->velocity[0];
		speed[rounds] = sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z));
		assert_true((double)spate_world_store(w)->position->y >= floor_at - 1e-6);
		spate_world_destroy(w);
	}
	assert_true(speed[0] > 0.1);
	check_near(speed[1], 0.0, 1e-6 * speed[0]);
}

// ------------------------------------------------------------------------------------------------------------- mistakes

static void refuse(scene *s, const char *sentence)
{
	spate_world *w = NULL;
	spate_error error = {0};
	check_result(spate_world_create(&w, &s->def, &error), SPATE_INVALID);
	assert_string_equal(error.text, sentence);
	assert_null(w);
}

static void mistakes_are_explained(void **state)
{
	(void)state;
	scene s;
	spate_camera_def camera;
	const char *const name = "top";
	column(&s);
	use(&s, CAMERA, 2, 6);
	refuse(&s, "the solver is invalid: level camera needs a camera, and there is none");
	scene_set(&s, "level", SURFACE);
	refuse(&s, "the solver is invalid: level surface needs a camera, and there is none");
	scene_set(&s, "level", RESIDUAL);
	s.def.solver.cameras = &name;
	s.def.solver.camera_count = 1;
	refuse(&s, "the solver is invalid: there is no camera 'top'");
	look_from(&s, &camera, 0, 0, 0);
	refuse(&s, "camera 0 is invalid: its position is its target");
	s.def.camera_count = s.def.solver.camera_count = 0;
	use(&s, RESIDUAL, 7, 6);
	refuse(&s, "the solver is invalid: iterations_min is 7, more than iterations_max, which is 6");
	use(&s, RESIDUAL, 2, 6);
	scene_set(&s, "near", 3);
	scene_set(&s, "far", 3);
	refuse(&s, "the solver is invalid: far must be greater than near; it is 3 m, and near is 3 m");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(equal_limits_are_plain_pbf),
					   cmocka_unit_test(inactive_particles_stay),
					   cmocka_unit_test(momentum_is_kept),
					   cmocka_unit_test(levels_follow_the_distance),
					   cmocka_unit_test(automatic_range_spans_the_liquid),
					   cmocka_unit_test(named_cameras_count),
					   cmocka_unit_test(visible_surface_gets_the_most),
					   cmocka_unit_test(liquid_behind_the_camera_gets_the_least),
					   cmocka_unit_test(errors_get_iterations),
					   cmocka_unit_test(threads_do_not_matter),
					   cmocka_unit_test(restored_worlds_continue),
					   cmocka_unit_test(stabilizing_gives_no_velocity),
					   cmocka_unit_test(mistakes_are_explained)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
