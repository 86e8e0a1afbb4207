// The projection solver: a symmetric operator at any wall, mirrors that are exact, results that do not depend on the substep, on depth, on
// threads or on instruction sets.
#include "collider/meshes.h"
#include "dice.h"
#include "world/scene.h"

#include "solver/projection_work.h"
#include "spate/live.h"
#include "spate/snapshot.h"
#include "world/world.h"

static void init(scene *s, double spacing)
{
	scene_init(s, spacing);
	s->def.solver.type = spate_solver_find("projection");
	s->fluids[0].surface_tension = s->fluids[0].cohesion = 0;
}

// -------------------------------------------------------------------------------------------------------------- operator

static double dot(const float *a, const float *b, uint32_t count)
{
	double sum = 0;
	for (uint32_t k = 0; k < count; k++)
		sum += (double)a[k] * (double)b[k];
	return sum;
}

// A l of random multipliers l >= 0, in `out`.
static void multiply(projection_work *w, uint64_t seed, float *multipliers, float *out)
{
	dice d = {seed};
	for (uint32_t row = 0; row < w->view->list->count; row++)
	{
		multipliers[row] = dice_range(&d, 0, 1);
		w->problem.y[row] = multipliers[row] / w->problem.scale[row];
	}
	images_clear_w(&w->images, w->problem.places);
	pressure_push(&w->problem);
	pressure_rate(&w->problem, w->problem.pushes, out);
}

// a . A b = b . A a, and a . A a > 0, in a scene whose fills have been jolted for a step.
static void check_symmetry(const scene *s)
{
	spate_world *w = scene_create(s);
	step(w);
	spate_error error;
	check_ok(world_list_anew(w, &error));
	arena_reset(&w->work.scratch);
	step_view view = world_view(w, 1e-3);
	check_ok(step_view_take_arrays(&view, &error));
	projection_work p;
	check_ok(projection_work_start(&p, w->state.solver, &view, &error));
	projection_constrain(&p);
	uint32_t count = view.list->count;
	assert_true(p.images.count > count / 10);
	float *a = malloc((count + 16) * sizeof *a), *b = malloc((count + 16) * sizeof *a);
	float *of_a = malloc((count + 16) * sizeof *a), *of_b = malloc((count + 16) * sizeof *a);
	assert_true(a && b && of_a && of_b);
	multiply(&p, 1, a, of_a);
	multiply(&p, 2, b, of_b);
	double size = dot(a, of_a, count);
	assert_true(size > 0.0 && dot(b, of_b, count) > 0.0);
	check_near(dot(a, of_b, count), dot(b, of_a, count), 1e-5 * size);
	free(a), free(b), free(of_a), free(of_b);
	spate_world_destroy(w);
}

static void operator_is_symmetric_at_curved_walls(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.05);
	add_collider(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.5}, SPATE_COLLIDER_INSIDE);
	add_collider(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.1, -0.2, 0}, {0, 0, 0}, 0.15}, SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, box_shape(-0.5, -0.5, -0.5, 0.5, 0.1, 0.5));
	check_symmetry(&s);
}

static void operator_is_symmetric_for_two_densities_and_resolutions(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.05);
	s.def.fluid_count = 2;
	s.fluids[1].spacing = 0.035;
	s.fluids[1].density = 300;
	s.fluids[1].surface_tension = s.fluids[1].cohesion = 0;
	add_collider(&s, box_shape(0, 0, 0, 0.5, 1, 0.5), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.5, 0.25, 0.5));
	add_fill(&s, box_shape(0, 0.25, 0, 0.5, 0.5, 0.5))->fluid = 1;
	check_symmetry(&s);
}

// Shear is no compression, however disordered the packing: the rate of a velocity that is linear in space is minus its divergence.
static void linear_flow_has_its_divergence(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	scene_set(&s, "correction", 1);
	add_fill(&s, box_shape(0, 0, 0, 0.6, 0.6, 0.6))->jitter = 0.25;
	spate_world *w = scene_create(&s);
	spate_error error;
	check_ok(world_list_anew(w, &error));
	arena_reset(&w->work.scratch);
	step_view view = world_view(w, 1e-3);
	check_ok(step_view_take_arrays(&view, &error));
	projection_work p;
	check_ok(projection_work_start(&p, w->state.solver, &view, &error));
	projection_constrain(&p);
	double plain = 0;
	int inside = 0;
	for (int corrected = 1; corrected >= 0; corrected--)
	{
		for (uint32_t row = 0; row < view.list->count; row++)
		{
			vec4 x = view.places[row];
			p.velocities[row] = (vec4){3 * x.y - x.z + 0.25f * x.x, 2 * x.z + x.x, x.x - x.y, 0};
		}
		if (!corrected)
			p.problem.pass.correction[0] = p.problem.pass.correction[1] = NULL;
		pressure_rate(&p.problem, p.velocities, p.problem.g);
		for (uint32_t row = 0; row < view.list->count; row++)
		{
			vec4 x = view.places[row];
			double far = fmax(
			    fabs((double)x.x + view.origin[0] - 0.3),
			    fmax(fabs((double)x.y + view.origin[1] - 0.3), fabs((double)x.z + view.origin[2] - 0.3)));
			if (far > 0.17 ||
			    fabsf(p.constraint[row]) > 0.019f) // near the surface, or not corrected in full
				continue;
			inside++;
			if (corrected)
				check_near((double)p.problem.g[row], -0.25, 1e-4);
			else
				plain = fmax(plain, fabs((double)p.problem.g[row] + 0.25));
		}
	}
	assert_true(inside > 100);
	assert_true(plain > 0.02); // without correction the packing shows
	spate_world_destroy(w);
}

// --------------------------------------------------------------------------------------------------------------- mirrors

static void density_is_even_in_a_full_box(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_collider(&s, box_shape(0, 0, 0, 0.5, 0.4, 0.3), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.5, 0.4, 0.3));
	spate_world *w = scene_create(&s);
	step(w);
	const spate_store *store = spate_world_store(w);
	assert_int_equal(store->rows, 10 * 8 * 6);
	// in faces, edges and corners as inside
	for (uint32_t row = 0; row < store->rows; row++)
		check_near((double)store->density[row], s.fluids[0].density, 1e-5 * s.fluids[0].density);
	assert_true(spate_world_stats(w)->speed_max < 1e-6);
	spate_world_destroy(w);
}

// Smallest and largest density error of all particles after a substep.
static void find_errors(const scene *s, double *low, double *high)
{
	spate_world *w = scene_create(s);
	step(w);
	const spate_store *store = spate_world_store(w);
	*low = INFINITY, *high = -INFINITY;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double error = (double)store->density[row] / s->fluids[0].density - 1;
		*low = fmin(*low, error), *high = fmax(*high, error);
	}
	spate_world_destroy(w);
}

// Liquid on the two sides of a board that is thinner than the kernel radius knows nothing of the other side.
static void density_is_even_beside_a_thin_board(void **state)
{
	(void)state;
	scene s;
	double low, high;
	init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_collider(&s, box_shape(0, 0, 0, 0.52, 0.4, 0.3), SPATE_COLLIDER_INSIDE);
	add_collider(&s, box_shape(0.25, -0.1, -0.1, 0.27, 0.5, 0.4), SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.25, 0.4, 0.3));
	add_fill(&s, box_shape(0.27, 0, 0, 0.52, 0.4, 0.3));
	find_errors(&s, &low, &high);
	check_near(low, 0, 1e-5);
	check_near(high, 0, 1e-5);
}

// Beyond the edges of a block each part of the solid is filled with images once, by its nearest face. Several times the limit would be left if all faces filled it.
static void density_is_even_around_a_block(void **state)
{
	(void)state;
	scene s;
	double low, high;
	init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_collider(&s, box_shape(0, 0, 0, 0.8, 0.8, 0.8), SPATE_COLLIDER_INSIDE);
	add_collider(&s, box_shape(0.25, 0.25, 0.25, 0.55, 0.55, 0.55), SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.8, 0.8, 0.8));
	find_errors(&s, &low, &high);
	printf("around a block: C from %.3f to %.3f\n", low, high);
	assert_true(low > -0.1 && high < 0.1);
}

// A board thinner than a particle that ends inside the liquid. Particles beyond its edge are neighbours of both sides.
static void density_is_even_around_the_edge_of_a_board(void **state)
{
	(void)state;
	scene s;
	soup board = {0};
	double low, high;
	init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	add_box(&board, vec3_make(0.4f, 0.15f, 0.4f), vec3_make(0.015f, 0.25f, 0.5f), 0, 0);
	spate_mesh mesh = mesh_of(&board);
	add_collider(&s, box_shape(0, 0, 0, 0.8, 0.8, 0.8), SPATE_COLLIDER_INSIDE);
	add_collider(&s, (spate_shape){0}, SPATE_COLLIDER_OUTSIDE)->mesh.mesh = &mesh;
	// a lattice that leaves a layer on both sides of the board free
	const spate_shape parts[2] = {box_shape(0, 0, 0, 0.8, 0.8, 0.8), box_shape(0.35, -1, -1, 0.45, 0.4, 2)};
	spate_shape beside = {.type = SPATE_SHAPE_DIFFERENCE};
	beside.parts = parts;
	beside.part_count = 2;
	add_fill(&s, beside);
	find_errors(&s, &low, &high);
	printf("around the edge of a board: C from %.3f to %.3f\n", low, high);
	assert_true(high < 0.01);
	soup_free(&board);
}

// A tube of flat facets is one bent wall, also where it is thinner than a particle: every image behind it counts.
static void thin_tube_is_one_bent_wall(void **state)
{
	(void)state;
	enum
	{
		AROUND = 24
	};
	scene s;
	soup tube = {0};
	init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	for (int k = 0; k < AROUND; k++)
		for (int n = 0; n < 4; n++)
		{
			float r = n & 1 ? 0.43f : 0.4f, a = 2.0f * (float)M_PI * (float)k / AROUND;
			add_vertex(&tube, vec3_make(r * cosf(a), n & 2 ? 1.0f : -1.0f, r * sinf(a)));
		}
	for (uint32_t k = 0; k < AROUND; k++)
	{
		uint32_t a = 4 * k, b = 4 * ((k + 1) % AROUND);
		add_quad(&tube, a, b, b + 2, a + 2);
		add_quad(&tube, a + 1, a + 3, b + 3, b + 1);
		add_quad(&tube, a, a + 1, b + 1, b);
		add_quad(&tube, a + 2, b + 2, b + 3, a + 3);
	}
	spate_mesh mesh = mesh_of(&tube);
	add_collider(&s, (spate_shape){0}, SPATE_COLLIDER_OUTSIDE)->mesh.mesh = &mesh;
	add_fill(&s, (spate_shape){SPATE_SHAPE_CYLINDER, {0, -0.3, 0}, {0, 0.3, 0}, 0.38});
	spate_world *w = scene_create(&s);
	spate_error error;
	check_ok(world_list_anew(w, &error));
	arena_reset(&w->work.scratch);
	step_view view = world_view(w, 1e-3);
	check_ok(step_view_take_arrays(&view, &error));
	projection_work p;
	check_ok(projection_work_start(&p, w->state.solver, &view, &error));
	assert_true(p.images.count > 1000);
	uint32_t lone = 0;
	for (uint32_t k = 0; k < p.images.count; k++)
		lone += p.images.images[k].lone != 0;
	check_near(lone, 0, 0);
	spate_world_destroy(w);
	soup_free(&tube);
}

// A piston that moves into a bar of liquid without gravity: all of it moves along, before anything touches.
static void moving_walls_push_at_once(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	spate_keyframe keys[2] = {{.time = 0}, {.time = 1, .position = {0.1, 0, 0}}};
	add_collider(&s, box_shape(-1, 0, 0, 2, 0.3, 0.3), SPATE_COLLIDER_INSIDE);
	spate_collider_def *piston =
	    add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {1, 0, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	piston->motion.keyframes = keys;
	piston->motion.keyframe_count = 2;
	add_fill(&s, box_shape(0, 0, 0, 0.5, 0.3, 0.3));
	spate_world *w = scene_create(&s);
	step(w);
	const spate_store *store = spate_world_store(w);
	for (uint32_t row = 0; row < store->rows; row++)
		check_near((double)store->velocity[row].x, 0.1, 0.01);
	spate_world_destroy(w);
}

// A floor and a side that are colliders of their own, in edges and corners with the rest of the tank.
static void walls_carry_what_they_should(void **state)
{
	(void)state;
	scene s;
	const double h = 0.5;
	init(&s, 0.05);
	add_collider(&s, box_shape(-1, -1, 0, h, 1, h), SPATE_COLLIDER_INSIDE);
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {1, 0, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, box_shape(0, 0, 0, h, h, h));
	spate_world *w = scene_create(&s);
	spate_world_set_loads(w, 1);
	run_until(w, 1.0);
	double down = 0, aside = 0;
	for (int frame = 0; frame < 24; frame++)
	{
		run_frame(w);
		down -= w->state.frame_loads[1].linear[1];
		aside -= w->state.frame_loads[2].linear[0];
	}
	// within one second, in N s
	double weight = s.fluids[0].density * 9.81 * h * h * h;
	check_near(down, weight, 0.01 * weight);
	check_near(aside, 0.5 * weight, 0.03 * 0.5 * weight);
	spate_world_destroy(w);
}

// ------------------------------------------------------------------------------------------------------------- substeps

static double energy_per_mass(spate_world *w)
{
	const spate_store *store = spate_world_store(w);
	double d = w->model.fluids[0].spacing;
	return spate_world_stats(w)->kinetic_energy / (store->rows * w->model.fluids[0].density * d * d * d);
}

static void shorter_substeps_do_not_stir(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.05);
	add_collider(&s, box_shape(0, 0, 0, 0.5, 1, 0.4), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.5, 0.5, 0.4));
	spate_world *w = scene_create(&s);
	run_until(w, 1.0);
	double before = energy_per_mass(w), most = before, level = spate_world_stats(w)->potential_energy;
	for (double substeps = 8; substeps <= 400; substeps *= 50)
	{
		check_ok(spate_world_set_number(w, "solver.substeps", substeps, NULL));
		for (int n = 0; n < 200; n++)
		{
			step(w);
			most = fmax(most, energy_per_mass(w));
		}
	}
	assert_true(most - before < 1e-4); // J/kg
	check_near(spate_world_stats(w)->potential_energy / level, 1, 1e-3);
	spate_world_destroy(w);
}

static void liquid_at_rest_stays_at_rest_at_any_rate(void **state)
{
	(void)state;
	const double rates[] = {24, 1000, 100000};
	for (int n = 0; n < 3; n++)
	{
		scene s;
		init(&s, 0.05);
		s.def.fps = rates[n];
		memset(s.def.gravity, 0, sizeof s.def.gravity);
		add_collider(&s, box_shape(0, 0, 0, 0.5, 1, 0.4), SPATE_COLLIDER_INSIDE);
		add_fill(&s, box_shape(0, 0, 0, 0.5, 0.5, 0.4));
		spate_world *w = scene_create(&s);
		for (int k = 0; k < 20; k++)
			run_frame(w);
		assert_true(spate_world_stats(w)->speed_max < 1e-6);
		spate_world_destroy(w);
	}
}

// ---------------------------------------------------------------------------------------------------------- convergence

// Products with the operator in a substep, for water that begins to slosh.
static double products_of(int layers)
{
	scene s;
	const double d = 0.5 / layers;
	init(&s, d);
	s.def.threads = 2;
	s.def.solver.quality = SPATE_QUALITY_HIGH;
	s.def.gravity[0] = 1;
	add_collider(&s, box_shape(0, 0, 0, 0.15, 1, 4 * d), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.15, 0.5, 4 * d));
	spate_world *w = scene_create(&s);
	int products = 0, steps = 0;
	run_until(w, 0.12); // the pressure has to be found once
	for (; spate_world_time(w) < 0.24; steps++)
	{
		step(w);
		products += (int)spate_world_stats(w)->iterations;
		assert_true(spate_world_stats(w)->density_error_avg < 1e-3);
	}
	spate_world_destroy(w);
	return (double)products / steps;
}

static void deep_water_takes_no_more_iterations(void **state)
{
	(void)state;
	double few = products_of(20), many = products_of(80);
	printf("products per substep: %.2f at 20 layers, %.2f at 80\n", few, many);
	assert_true(many <= 1.3 * few);
}

// --------------------------------------------------------------------------------------------------------- conservation

static void momentum_of_free_liquids_stays(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.fluid_count = 2;
	s.fluids[1].density = 300;
	s.fluids[1].surface_tension = s.fluids[1].cohesion = 0;
	add_fill(&s, box_shape(0, 0, 0, 0.4, 0.4, 0.4))->velocity[0] = 1;
	add_fill(&s, box_shape(0.45, 0.1, 0, 0.8, 0.5, 0.4))->fluid = 1;
	spate_world *w = scene_create(&s);
	step(w);
	spate_step_stats before = *spate_world_stats(w);
	run_until(w, 0.5);
	spate_step_stats after = *spate_world_stats(w);
	assert_true(after.kinetic_energy < 0.97 * before.kinetic_energy); // they have met
	for (int k = 0; k < 3; k++)
		check_near(after.momentum[k], before.momentum[k], 1e-5 * before.momentum[0]);
	check_near(after.angular_momentum[2], before.angular_momentum[2], 0.02 * before.momentum[0]);
	spate_world_destroy(w);
}

// ----------------------------------------------------------------------------------------------------------------- bits

static uint64_t splash(int threads, simd_level level, int restored)
{
	scene s;
	init(&s, 0.04);
	s.def.threads = threads;
	s.def.fluid_count = 2;
	s.fluids[1].density = 500;
	add_collider(&s, box_shape(0, 0, 0, 0.8, 1, 0.3), SPATE_COLLIDER_INSIDE)->friction = 0.2;
	add_collider(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.5, 0.1, 0.15}, {0, 0, 0}, 0.1}, SPATE_COLLIDER_OUTSIDE);
	add_fill(&s, box_shape(0, 0, 0, 0.3, 0.5, 0.3));
	add_fill(&s, box_shape(0.6, 0, 0, 0.8, 0.2, 0.3))->fluid = 1;
	spate_world *w = scene_create(&s);
	w->model.simd = level;
	for (int n = 0; n < 60; n++)
	{
		step(w);
		if (restored && n == 30)
		{
			spate_error error;
			spate_snapshot *snapshot = NULL;
			check_ok(spate_snapshot_take(&snapshot, w, &error));
			for (int k = 0; k < 5; k++)
				step(w);
			check_ok(spate_snapshot_restore(w, snapshot, &error));
			spate_snapshot_destroy(snapshot);
		}
	}
	uint64_t hash = spate_world_hash(w);
	spate_world_destroy(w);
	return hash;
}

// Two drops of one particle each that fly towards each other do not notice it before they touch; liquid that flies apart is not held back.
static void free_liquid_flies_freely(void **state)
{
	(void)state;
	scene s;
	init(&s, 0.05);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].viscosity = 0;
	scene_set(&s, "calming", 0);
	float places[6] = {0, 0, 0, 0.1f, 0, 0}, velocities[6] = {0.25f, 0, 0, -0.25f, 0, 0};
	spate_world *w = scene_create(&s);
	check_ok(spate_store_add(spate_world_store(w), 2, places, velocities, 0, NULL, NULL));
	run_until(w, 0.1);
	for (int row = 0; row < 2; row++)
		check_near(fabs((double)spate_world_store(w)->velocity[row].x), 0.25, 1e-4);
	spate_world_destroy(w);

	add_fill(&s, box_shape(-0.2, -0.2, -0.2, 0.2, 0.2, 0.2));
	w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	double before = 0, after = 0;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		store->velocity[row] = store->position[row]; // 1 m/s per metre
		before += (double)(store->velocity[row].x * store->velocity[row].x);
	}
	run_until(w, 0.1);
	for (uint32_t row = 0; row < store->rows; row++)
		after += (double)(store->velocity[row].x * store->velocity[row].x);
	check_near(after, before, 1e-3 * before);
	spate_world_destroy(w);
}

static void bits_depend_neither_on_threads_nor_on_vectors(void **state)
{
	(void)state;
	simd_level best = simd_level_detect();
	uint64_t hash = splash(1, best, 0);
	assert_true(splash(2, best, 0) == hash);
	assert_true(splash(3, best, 1) == hash);
	if (best == SIMD_AVX512)
		assert_true(splash(1, SIMD_AVX2, 0) == hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(operator_is_symmetric_at_curved_walls),
	    cmocka_unit_test(operator_is_symmetric_for_two_densities_and_resolutions),
	    cmocka_unit_test(linear_flow_has_its_divergence),
	    cmocka_unit_test(density_is_even_in_a_full_box),
	    cmocka_unit_test(density_is_even_beside_a_thin_board),
	    cmocka_unit_test(density_is_even_around_a_block),
	    cmocka_unit_test(density_is_even_around_the_edge_of_a_board),
	    cmocka_unit_test(thin_tube_is_one_bent_wall),
	    cmocka_unit_test(moving_walls_push_at_once),
	    cmocka_unit_test(walls_carry_what_they_should),
	    cmocka_unit_test(shorter_substeps_do_not_stir),
	    cmocka_unit_test(liquid_at_rest_stays_at_rest_at_any_rate),
	    cmocka_unit_test(deep_water_takes_no_more_iterations),
	    cmocka_unit_test(momentum_of_free_liquids_stays),
	    cmocka_unit_test(free_liquid_flies_freely),
	    cmocka_unit_test(bits_depend_neither_on_threads_nor_on_vectors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
