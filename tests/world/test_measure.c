// Energies, momenta, speeds and the depth: right, and to the bit independent of the order of the rows, of threads and of instruction sets.
#include "dice.h"
#include "scene.h"

#include "base/hash.h"
#include "world/world.h"

static void shuffle(spate_world *w, uint64_t seed)
{
	uint32_t rows = w->state.store->rows, *order = malloc(rows * sizeof *order);
	assert_non_null(order);
	for (uint32_t i = 0; i < rows; i++)
	{
		uint32_t j = (uint32_t)(hash_mix(seed + i) % (i + 1));
		order[i] = order[j];
		order[j] = i;
	}
	// density is a fresh field, which a sort does not move
	float *density = malloc(rows * sizeof *density);
	assert_non_null(density);
	memcpy(density, w->state.store->density, rows * sizeof *density);
	store_permute(w->state.store, order, w->model.threads);
	for (uint32_t i = 0; i < rows; i++)
		w->state.store->density[i] = density[order[i]];
	free(density);
	free(order);
}

// All that is measured.
typedef struct sums
{
	double kinetic, potential, momentum[3], angular[3];
	double speed, bulk_speed, depth;
} sums;

static sums measure(spate_world *w)
{
	check_ok(world_measure(w, NULL));
	const spate_step_stats *stats = spate_world_stats(w);
	const world_counters *counters = &w->state.counters;
	sums out = {.kinetic = stats->kinetic_energy,
		    .potential = stats->potential_energy,
		    .speed = counters->speed_max,
		    .bulk_speed = counters->bulk_speed,
		    .depth = counters->depth};
	memcpy(out.momentum, stats->momentum, sizeof out.momentum);
	memcpy(out.angular, stats->angular_momentum, sizeof out.angular);
	check_near(stats->speed_max, out.speed, 0);
	return out;
}

static void no_order_of_the_rows_changes_a_sum(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.0125);
	s.def.threads = 2;
	s.def.gravity[0] = 0.3;
	add_collider(&s, box_shape(0, 0, 0, 0.5, 0.5, 0.25), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.25, 0.375, 0.25));
	spate_world *w = scene_create(&s);
	for (int k = 0; k < 3; k++)
		step(w);
	assert_true(w->state.store->rows > 2 * 4096);
	sums before = measure(w);
	assert_true(before.kinetic > 0.0 && before.momentum[1] < 0.0 && before.angular[2] != 0.0);
	for (uint64_t seed = 1; seed < 4; seed++)
	{
		shuffle(w, seed);
		sums after = measure(w);
		assert_memory_equal(&after, &before, sizeof before);
	}
	spate_world_destroy(w);
}

enum
{
	ROWS = 3 * 4096 + 1003, // of several blocks, the last one not of full vectors
	DEAD = 500
};

// A particle with all that matters here.
static void put(spate_world *w, uint32_t row, vec3 velocity, double density)
{
	w->state.store->velocity[row] = (vec4){velocity.x, velocity.y, velocity.z, 0};
	w->state.store->density[row] = (float)(density * world_rest_density(w, row));
}

// Particles of one or two fluids at random places and velocities, far from (0, 0, 0). The fastest and the lowest ones are dead; of the
// others the fastest are a stray drop in the last row and a particle whose density is exactly that of the sparsest bulk.
static spate_world *make_cloud(uint32_t fluids)
{
	scene s;
	scene_init(&s, 0.0125);
	s.def.fluid_count = fluids;
	s.fluids[0].density = 997;
	s.fluids[1].spacing = 0.02;
	s.fluids[1].density = 730;
	const double gravity[3] = {1.5, -9, 0.7};
	memcpy(s.def.gravity, gravity, sizeof gravity);
	add_collider(&s, box_shape(10, -7, 3, 12, -5, 5), SPATE_COLLIDER_INSIDE);
	spate_world *w = scene_create(&s);
	dice d = {17};
	for (uint32_t k = 0; k < ROWS; k++)
	{
		float x[3], v[3];
		for (int axis = 0; axis < 3; axis++)
		{
			x[axis] = dice_range(&d, -1, 1);
			v[axis] = dice_range(&d, -4, 5);
		}
		check_ok(spate_store_add(w->state.store, 1, x, v, (int32_t)dice_below(&d, fluids), NULL, NULL));
		w->state.store->density[k] = (float)world_rest_density(w, k) * dice_range(&d, 0.2f, 1.1f);
	}
	for (uint32_t k = 0; k < DEAD; k++)
	{
		uint32_t row = 1 + k * (ROWS / DEAD);
		put(w, row, vec3_make(30, 0, 0), 1);
		w->state.store->position[row].y = -1.5f;
		store_kill(w->state.store, row);
	}
	put(w, ROWS - 1, vec3_make(0, 20, 0), 0.499);
	put(w, 5000, vec3_make(0, 3, 18), 0.5);
	w->state.counters.step = 1; // before the first step no density is known, and all particles are bulk
	return w;
}

// The same sums one after the other. `size` gets the sums of the absolute values, by which rounding errors are judged.
static sums add_up(const spate_world *w, sums *size)
{
	const spate_store *store = w->state.store;
	const double *g = w->model.def.gravity, *origin = w->model.origin;
	sums out = {0};
	double mass = 0.0, lowest = INFINITY, pull = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
	*size = out;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		if (store->dead[row])
			continue;
		vec4 x = store->position[row], v = store->velocity[row];
		const spate_fluid_def *fluid = &w->model.fluids[store->fluid[row]];
		double m = fluid->density * pow(fluid->spacing, 3), u[3] = {(double)v.x, (double)v.y, (double)v.z};
		double p[3] = {(double)x.x + origin[0], (double)x.y + origin[1], (double)x.z + origin[2]};
		double potential = -m * (g[0] * p[0] + g[1] * p[1] + g[2] * p[2]);
		mass += m;
		lowest = fmin(lowest, potential / (m * pull));
		out.potential += potential;
		size->potential += fabs(potential);
		out.kinetic += 0.5 * m * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
		for (int k = 0; k < 3; k++)
		{
			int a = (k + 1) % 3, b = (k + 2) % 3;
			out.momentum[k] += m * u[k];
			size->momentum[k] += fabs(m * u[k]);
			out.angular[k] += m * (p[a] * u[b] - p[b] * u[a]);
			size->angular[k] += m * (fabs(p[a] * u[b]) + fabs(p[b] * u[a]));
		}
		double speed = sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z));
		out.speed = fmax(out.speed, speed);
		if ((double)store->density[row] >= 0.5 * fluid->density)
			out.bulk_speed = fmax(out.bulk_speed, speed);
	}
	out.depth = 2.0 * (out.potential / (mass * pull) - lowest);
	return out;
}

static void check_sums(uint32_t fluids)
{
	spate_world *w = make_cloud(fluids);
	assert_true(w->model.origin[0] != 0.0 && w->model.origin[1] != 0.0 && w->model.origin[2] != 0.0);
	sums size, expected = add_up(w, &size), found = measure(w);
	check_near(found.kinetic, expected.kinetic, 1e-7 * expected.kinetic); // squares of speeds are floats
	check_near(found.potential, expected.potential, 1e-12 * size.potential);
	for (int k = 0; k < 3; k++)
	{
		check_near(found.momentum[k], expected.momentum[k], 1e-12 * size.momentum[k]);
		check_near(found.angular[k], expected.angular[k], 1e-12 * size.angular[k]);
	}
	check_near(found.speed, expected.speed, 0);
	check_near(found.speed, 20, 0);
	check_near(found.bulk_speed, expected.bulk_speed, 0);
	check_near(found.bulk_speed, sqrt(9 + 18 * 18), 0);
	check_near(found.depth, expected.depth, 1e-11);

	// neither the order nor who adds changes a bit
	simd_level best = w->model.simd;
	for (int level = SIMD_PORTABLE; level <= (int)best; level++)
		for (int threads = 1; threads <= 3; threads++)
		{
			w->model.simd = (simd_level)level;
			w->model.threads = threads;
			shuffle(w, (uint64_t)(10 * level + threads));
			sums again = measure(w);
			if (memcmp(&again, &found, sizeof found) != 0)
				fail_msg("%s with %d threads gives other bits: %.17g J, not %.17g J",
					 simd_level_name((simd_level)level), threads, again.kinetic, found.kinetic);
		}
	spate_world_destroy(w);
}

static void sums_of_one_fluid(void **state)
{
	(void)state;
	check_sums(1);
}

static void sums_of_two_fluids(void **state)
{
	(void)state;
	check_sums(2);
}

// The largest terms there can be, which cancel each other, among the smallest that count: nothing is rounded while they are added up.
static void sums_at_the_limits(void **state)
{
	(void)state;
	spate_world *w = make_cloud(1);
	spate_store *store = w->state.store;
	dice d = {5};
	step_limits limits = world_get_limits(w);
	memset(store->dead, 0, ROWS);
	store->removed = 0;
	for (uint32_t row = 0; row < ROWS; row++)
	{
		float *x = &store->position[row].x, *v = &store->velocity[row].x;
		int large = row % 4 == 1 && row + 2 < ROWS;
		float speed = limits.speed * (large ? 1.0f : ldexpf(1.0f, -50 - (int)dice_below(&d, 20)));
		for (int k = 0; k < 3; k++)
		{
			x[k] = limits.place * dice_range(&d, 0.99f, 0.999f);
			v[k] = speed * dice_range(&d, 0.57f, 0.577f);
		}
		if (row % 4 == 3)
		{
			vec4 u = store->velocity[row - 2];
			store->position[row] = store->position[row - 2];
			store->velocity[row] = (vec4){-u.x, -u.y, -u.z, 0};
		}
	}
	sums before = measure(w);
	check_near(before.speed, (double)limits.speed, 0.02 * (double)limits.speed);
	assert_true(before.momentum[0] > 0.0 && before.momentum[0] < 1e-12);
	for (uint64_t seed = 1; seed < 4; seed++)
	{
		shuffle(w, seed);
		sums after = measure(w);
		assert_memory_equal(&after, &before, sizeof before);
	}
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_order_of_the_rows_changes_a_sum),
	    cmocka_unit_test(sums_of_one_fluid),
	    cmocka_unit_test(sums_of_two_fluids),
	    cmocka_unit_test(sums_at_the_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
