// Walls of position-based fluids are mirrors: liquid in front of them moves as if its image were liquid.
#include "base/kernels.h"
#include "base/vec.h"
#include "dice.h"
#include "solver/prototype.h"
#include "world/scene.h"

static const double d = 0.01, h = 0.02;

static void init(scene *s)
{
	scene_init(s, d);
	scene_solver(s, "pbf");
	memset(s->def.gravity, 0, sizeof s->def.gravity);
	s->fluids[0].viscosity = 0;
	s->fluids[0].surface_tension = s->fluids[0].cohesion = 0;
}

// The place of a particle by its id (m).
static void place_of_id(spate_world *w, int64_t id, double out[3])
{
	const spate_store *store = spate_world_store(w);
	uint32_t row = 0;
	while (store->id[row] != id)
		row++;
	const double *origin = spate_world_origin(w);
	vec4 p = store->position[row];
	out[0] = (double)p.x + origin[0], out[1] = (double)p.y + origin[1], out[2] = (double)p.z + origin[2];
}

// Puts particles at rest where they are wanted, by id.
static void put(spate_world *w, const double (*places)[3], uint32_t count)
{
	spate_store *store = spate_world_store(w);
	const double *origin = spate_world_origin(w);
	assert_int_equal(store->rows, count);
	for (uint32_t row = 0; row < count; row++)
	{
		const double *p = places[store->id[row]];
		store->position[row] =
		    (vec4){(float)(p[0] - origin[0]), (float)(p[1] - origin[1]), (float)(p[2] - origin[2]), 0};
	}
}

// Crowded particles in front of one, two and three walls at right angles do the same as they and all their images without the walls.
static void walls_mirror_the_liquid(void **state)
{
	(void)state;
	enum
	{
		COUNT = 48
	};
	for (int axes = 1; axes <= 3; axes++)
	{
		static double places[8 * COUNT][3];
		dice chance = {5};
		const uint32_t copies = 1u << axes;
		for (int n = 0; n < COUNT; n++)
			for (int k = 0; k < 3; k++)
			{
				int step = k == 0 ? n % 4 : k == 1 ? n / 4 % 4 : n / 16;
				double x = d * (0.4 + 0.85 * step + (double)dice_range(&chance, -0.1f, 0.1f));
				for (uint32_t copy = 0; copy < copies; copy++)
					places[(uint32_t)n + COUNT * copy][k] = copy >> k & 1 ? -x : x;
			}
		spate_world *worlds[2];
		for (int alone = 0; alone < 2; alone++)
		{
			scene s;
			init(&s);
			s.def.solver.substeps = 16;
			s.def.solver.list_margin = 0;
			scene_set(&s, "iterations", 6);
			if (alone)
				add_collider(&s, box_shape(0, axes > 1 ? 0 : -1, axes > 2 ? 0 : -1, 9, 9, 9),
					     SPATE_COLLIDER_INSIDE);
			uint32_t count = alone ? COUNT : COUNT * copies;
			add_fill(&s, box_shape(0, 0, 0, count * d, d, d));
			worlds[alone] = scene_create(&s);
			put(worlds[alone], (const double(*)[3])places, count);
			step(worlds[alone]);
		}
		double furthest = 0;
		for (int n = 0; n < COUNT; n++)
		{
			double all[3], own[3];
			place_of_id(worlds[0], n, all), place_of_id(worlds[1], n, own);
			for (int k = 0; k < 3; k++)
			{
				check_near(own[k], all[k], 1e-4 * d);
				furthest = fmax(furthest, fabs(own[k] - places[n][k]));
			}
		}
		assert_true(furthest > 0.1 * d);
		spate_world_destroy(worlds[0]), spate_world_destroy(worlds[1]);
	}
}

static void density_is_even_in_a_full_box(void **state)
{
	(void)state;
	scene s;
	init(&s);
	add_collider(&s, box_shape(0, 0, 0, 10 * d, 8 * d, 6 * d), SPATE_COLLIDER_INSIDE);
	add_fill(&s, box_shape(0, 0, 0, 10 * d, 8 * d, 6 * d));
	spate_world *w = scene_create(&s);
	step(w);
	const spate_store *store = spate_world_store(w);
	assert_int_equal(store->rows, 10 * 8 * 6);
	// in faces, edges and corners as inside
	for (uint32_t row = 0; row < store->rows; row++)
		check_near((double)store->density[row], 1000, 1e-4 * 1000);
	assert_true(spate_world_stats(w)->speed_max < 1e-4);
	spate_world_destroy(w);
}

// A lone particle sees its image where the wall will be at the end of the substep.
static void images_are_behind_walls_that_move(void **state)
{
	(void)state;
	const double volume = prototype_make(d, h).volume, dt = 1.0 / (24 * 16);
	for (double speed = -1; speed <= 1; speed += 0.5)
	{
		scene s;
		init(&s);
		s.def.solver.substeps = 16;
		spate_keyframe keys[2] = {{.time = 0, .scale = 1}, {.time = 1, .position = {speed, 0, 0}, .scale = 1}};
		spate_collider_def *wall =
		    add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {1, 0, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
		wall->motion.keyframes = keys;
		wall->motion.keyframe_count = 2;
		add_fill(&s, box_shape(0, 0, 0, d, d, d));
		spate_world *w = scene_create(&s);
		const double place[1][3] = {{0.7 * d, 0, 0}};
		put(w, place, 1);
		step(w);
		double apart = 2 * (0.7 * d - speed * dt), own = volume * (double)poly6_value(0, (float)h);
		double image = volume * (double)poly6_value((float)apart, (float)h);
		check_near((double)spate_world_store(w)->density[0], 1000 * (own + image), 0.05);
		spate_world_destroy(w);
	}
}

// Liquid that is pressed between two plates pushes both, although both layers of it feel both of them.
static void both_plates_are_pushed(void **state)
{
	(void)state;
	scene s;
	init(&s);
	s.def.solver.substeps = 16;
	spate_keyframe keys[2] = {{.time = 0, .scale = 1}, {.time = 1, .position = {0, -0.1, 0}, .scale = 1}};
	add_collider(&s, box_shape(0, -1, 0, 8 * d, 1, 8 * d), SPATE_COLLIDER_INSIDE);
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	spate_collider_def *lid =
	    add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 2 * d, 0}, {0, -1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
	lid->motion.keyframes = keys;
	lid->motion.keyframe_count = 2;
	add_fill(&s, box_shape(0, 0, 0, 8 * d, 2 * d, 8 * d));
	spate_world *w = scene_create(&s);
	spate_world_set_loads(w, 1);
	for (int n = 0; n < 4; n++)
		step(w);
	double low[3], high[3];
	check_ok(spate_world_collider_force(w, 1, low, NULL, NULL));
	check_ok(spate_world_collider_force(w, 2, high, NULL, NULL));
	assert_true(high[1] > 1);
	check_near(low[1], -high[1], 0.2 * high[1]);
	check_near(low[0], 0, 0.01 * high[1]);
	spate_world_destroy(w);
}

// A heap that slides over a floor loses friction times what the floor has carried: its weight, less what it has sunk with.
static void friction_takes_its_share(void **state)
{
	(void)state;
	const double friction = 0.3;
	scene s;
	init(&s);
	s.def.gravity[1] = -9.81;
	add_collider(&s, (spate_shape){SPATE_SHAPE_PLANE, {0, 0, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE)->friction =
	    friction;
	add_fill(&s, box_shape(0, 0, 0, 20 * d, 4 * d, 10 * d))->velocity[0] = 1;
	spate_world *w = scene_create(&s);
	double mass = 1000 * pow(d, 3) * spate_world_store(w)->rows;
	run_until(w, 0.12);
	const double *momentum = spate_world_stats(w)->momentum;
	double carried = 9.81 * spate_world_time(w) + momentum[1] / mass;
	check_near(1 - momentum[0] / mass, friction * carried, 0.1 * friction * carried);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(walls_mirror_the_liquid),           cmocka_unit_test(density_is_even_in_a_full_box),
	    cmocka_unit_test(images_are_behind_walls_that_move), cmocka_unit_test(both_plates_are_pushed),
	    cmocka_unit_test(friction_takes_its_share),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
