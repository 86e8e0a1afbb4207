// Bodies that bend, in the liquid.
#include "bags.h"

#include "spate/snapshot.h"

// A light bag holds water, of which nothing passes; it carries its weight, and sags the more the fuller it is.
static void a_bag_holds_water(void **state)
{
	(void)state;
	held some = hold(0.025, 18), more = hold(0.04, 18);
	printf("%u particles: sag %.5f m, force %.4f N of %.4f N, %u lost\n", some.count, some.sag, some.force,
	       some.weight, some.lost);
	printf("%u particles: sag %.5f m, force %.4f N of %.4f N, %u lost\n", more.count, more.sag, more.force,
	       more.weight, more.lost);
	assert_int_equal(some.lost, 0);
	assert_int_equal(more.lost, 0);
	assert_true(more.sag > 1.2 * some.sag && some.sag > 0.0);
	check_near(some.force, some.weight, 0.05 * some.weight);
	check_near(more.force, more.weight, 0.05 * more.weight);
}

// What liquid loses to free cloth in zero gravity, cloth gets.
static void cloth_gets_what_the_liquid_loses(void **state)
{
	(void)state;
	body_scene s;
	body_scene_init(&s, 0.01);
	spate_mesh *mesh = sheet_mesh(10, 10, 0.16, 0.16);
	add_cloth(&s, mesh, 0.5);
	memset(s.scene.def.gravity, 0, sizeof s.scene.def.gravity);
	add_fill(&s.scene, (spate_shape){SPATE_SHAPE_SPHERE, {0.08, 0.06, 0.09}, {0, 0, 0}, 0.035});
	s.scene.sources[0].velocity[1] = -1.0;
	spate_world *w = world_of(&s);
	double before[3], now[3], angular[3], unused[3];
	total_momentum(w, before, angular);
	frames(w, 3);
	total_momentum(w, now, unused);
	double moved = body_state(w, 0).momentum[1];
	// what contacts gave in the last substep comes with the next one
	const bend_body *b = w->state.bending.bodies;
	for (uint32_t n = 0; n < 3 * deformable_count(b->own); n++)
		now[n % 3] += b->rest[n];
	printf("liquid had %.6f, now together %.6f kg m/s, of which cloth %.6f\n", before[1], now[1], moved);
	assert_true(moved < -0.02 * fabs(before[1]));
	for (int k = 0; k < 3; k++)
		check_near(now[k], before[k], 1e-5 * fabs(before[1]));
	spate_world_destroy(w);
	spate_mesh_destroy(mesh);
}

static void make_splash(body_scene *s, const spate_mesh *mesh, spate_pin_def *pin, int threads)
{
	body_scene_init(s, 0.012);
	spate_body_def *b = add_cloth(s, mesh, 0.2);
	*pin = (spate_pin_def){.vertex = 0, .top = -1.0, .to = UINT32_MAX};
	b->pins = pin;
	b->pin_count = 1;
	s->scene.def.threads = threads;
	add_fill(&s->scene, (spate_shape){SPATE_SHAPE_SPHERE, {0.08, 0.05, 0.08}, {0, 0, 0}, 0.035});
	add_collider(&s->scene, (spate_shape){SPATE_SHAPE_PLANE, {0, -0.1, 0}, {0, 1, 0}, 0}, SPATE_COLLIDER_OUTSIDE);
}

// Six times the volume between a particle and a triangle, both on their straight ways through a substep, at a part of it.
static double side_at(const double p[2][3], const float *before, const float *now, const uint32_t *c, double t,
		      double corners[3][3], double place[3])
{
	double e[3][3];
	for (int i = 0; i < 3; i++)
	{
		place[i] = p[0][i] + t * (p[1][i] - p[0][i]);
		for (int k = 0; k < 3; k++)
		{
			double a = (double)before[3 * c[k] + (uint32_t)i], b = (double)now[3 * c[k] + (uint32_t)i];
			corners[k][i] = a + t * (b - a);
			e[k][i] = corners[k][i] - place[i];
		}
	}
	return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
	       e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static void cross_of(const double a[3], const double b[3], const double c[3], double out[3])
{
	const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
	for (int i = 0; i < 3; i++)
		out[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
}

// Whether a point in the plane of a triangle is in it.
static int is_in(const double c[3][3], const double p[3])
{
	double whole[3], part[3];
	int inside = 1;
	cross_of(c[0], c[1], c[2], whole);
	for (int k = 0; k < 3; k++)
	{
		cross_of(p, c[k], c[(k + 1) % 3], part);
		inside &= part[0] * whole[0] + part[1] * whole[1] + part[2] * whole[2] >= 0.0;
	}
	return inside;
}

// Whether a particle and a moving triangle meet in a substep: the judge knows nothing but where both were before and after it. The volume
// is a cubic of time, of which the changes of sign in eight parts are looked at.
static int meets(const double p[2][3], const float *before, const float *now, const uint32_t *c)
{
	enum
	{
		PARTS = 8
	};
	double corners[3][3], place[3], last = side_at(p, before, now, c, 0.0, corners, place);
	for (int k = 1; k <= PARTS; k++)
	{
		double low = (k - 1.0) / PARTS, high = (double)k / PARTS;
		double next = side_at(p, before, now, c, high, corners, place);
		if ((last < 0.0) != (next < 0.0))
		{
			for (int n = 0; n < 50; n++)
			{
				double middle = 0.5 * (low + high);
				double own = side_at(p, before, now, c, middle, corners, place);
				*((own < 0.0) == (last < 0.0) ? &low : &high) = middle;
			}
			side_at(p, before, now, c, low, corners, place);
			if (is_in(corners, place))
				return 1;
		}
		last = next;
	}
	return 0;
}

static int boxes_meet(const double p[2][3], const float *before, const float *now, const uint32_t *c)
{
	for (uint32_t i = 0; i < 3; i++)
	{
		double low = INFINITY, high = -INFINITY;
		for (int k = 0; k < 3; k++)
		{
			double a = (double)before[3 * c[k] + i], b = (double)now[3 * c[k] + i];
			low = fmin(low, fmin(a, b));
			high = fmax(high, fmax(a, b));
		}
		if (fmax(p[0][i], p[1][i]) < low || fmin(p[0][i], p[1][i]) > high)
			return 0;
	}
	return 1;
}

enum
{
	MOST_PARTICLES = 4096
};

// Steps a world and counts the particles that meet the surface of a collider.
static uint64_t count_crossings(spate_world *w, uint32_t number, uint32_t steps, uint64_t *paths)
{
	const mesh_solid *solid = w->state.colliders.colliders[number].mesh;
	const spate_mesh *mesh = mesh_solid_mesh(solid);
	size_t bytes = 3 * mesh->vertex_count * sizeof(float);
	float *before = malloc(bytes);
	double(*places)[3] = malloc(MOST_PARTICLES * sizeof *places);
	uint64_t crossings = 0;
	for (uint32_t n = 0; n < steps; n++)
	{
		const spate_store *store = w->state.store;
		memcpy(before, mesh_solid_places(solid), bytes);
		for (uint32_t row = 0; row < store->rows; row++)
		{
			vec4 x = store->position[row];
			const double own[3] = {(double)x.x, (double)x.y, (double)x.z};
			assert_true(store->id[row] < MOST_PARTICLES);
			memcpy(places[store->id[row]], own, sizeof own);
		}
		check_ok(spate_world_step(w, NULL, NULL));
		for (uint32_t row = 0; row < store->rows; row++)
		{
			vec4 x = store->position[row];
			const double *from = places[store->id[row]];
			const double p[2][3] = {{from[0], from[1], from[2]}, {(double)x.x, (double)x.y, (double)x.z}};
			++*paths;
			for (uint32_t t = 0; t < mesh->triangle_count; t++)
			{
				const uint32_t *c = mesh->triangles + 3 * t;
				const float *now = mesh_solid_places(solid);
				crossings += boxes_meet(p, before, now, c) && meets(p, before, now, c);
			}
		}
	}
	free(before);
	free(places);
	return crossings;
}

// Nothing passes cloth that is thrown about by the liquid, nor a bag that is filled from above.
static void nothing_passes_moving_cloth(void **state)
{
	(void)state;
	spate_mesh *sheet = sheet_mesh(10, 10, 0.16, 0.16), *bag = bag_mesh(0.06, 6, 20);
	// the judge sees who passes, also where only the triangle moves, and who does not
	const float low[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1}, high[9] = {0, 1, 0, 1, 1, 0, 0, 1, 1};
	const double rests[2][3] = {{0.2, 0.5, 0.2}, {0.2, 0.5, 0.2}},
		     beside[2][3] = {{0.7, 0.5, 0.7}, {0.7, -0.5, 0.7}};
	assert_true(meets(rests, low, high, (const uint32_t[3]){0, 1, 2}));
	assert_false(meets(beside, low, low, (const uint32_t[3]){0, 1, 2}));
	for (int k = 0; k < 2; k++)
	{
		body_scene s;
		body_scene_init(&s, 0.01);
		spate_body_def *b = add_cloth(&s, k ? bag : sheet, 0.2);
		spate_pin_def pin = {.vertex = k ? SPATE_NO_VERTEX : 0, .top = k ? 1e-4 : -1.0, .to = UINT32_MAX};
		b->pins = &pin;
		b->pin_count = 1;
		if (k)
			add_fill(&s.scene, box_shape(-0.02, 0.02, -0.02, 0.02, 0.14, 0.02));
		else
			add_fill(&s.scene, (spate_shape){SPATE_SHAPE_SPHERE, {0.08, 0.05, 0.08}, {0, 0, 0}, 0.035});
		s.scene.sources[0].velocity[1] = -2.0;
		spate_world *w = world_of(&s);
		uint64_t paths = 0, crossings = count_crossings(w, b->collider, 60, &paths);
		printf("%s: %llu crossings of %llu paths\n", k ? "bag" : "sheet", (unsigned long long)crossings,
		       (unsigned long long)paths);
		assert_true(crossings == 0);
		spate_world_destroy(w);
	}
	spate_mesh_destroy(sheet);
	spate_mesh_destroy(bag);
}

// The same bits on any number of threads, and from a snapshot in the middle of a splash.
static void threads_and_snapshots_change_nothing(void **state)
{
	(void)state;
	spate_mesh *mesh = sheet_mesh(8, 8, 0.16, 0.16);
	uint64_t first = 0;
	for (int threads = 1; threads <= 4; threads++)
	{
		body_scene s;
		spate_pin_def pin;
		make_splash(&s, mesh, &pin, threads);
		spate_world *w = world_of(&s), *other = world_of(&s);
		spate_snapshot *snapshot = NULL;
		frames(w, 2);
		check_ok(spate_world_step(w, NULL, NULL));
		check_ok(spate_snapshot_take(&snapshot, w, NULL));
		frames(w, 2);
		uint64_t hash = spate_world_hash(w);
		if (threads == 1)
			first = hash;
		assert_int_equal(hash, first);
		if (threads == 2)
		{
			check_ok(spate_snapshot_restore(other, snapshot, NULL));
			frames(other, 2);
			assert_int_equal(spate_world_hash(other), first);
			const bend_body *a = w->state.bending.bodies, *b = other->state.bending.bodies;
			assert_memory_equal(deformable_places(a->own), deformable_places(b->own),
					    3 * sizeof(double) * deformable_count(a->own));
		}
		spate_snapshot_destroy(snapshot);
		spate_world_destroy(w);
		spate_world_destroy(other);
	}
	spate_mesh_destroy(mesh);
}

// A soft ball displaces its weight, and is flattened: less high than wide.
static void a_soft_ball_floats(void **state)
{
	(void)state;
	body_scene s;
	body_scene_init(&s, 0.016);
	spate_mesh *mesh = ball_mesh(0.06, 0, 0.17, 0, 8);
	spate_body_def *ball = add_body(&s, (spate_shape){0}, mesh, 400.0);
	ball->type = SPATE_BODY_SOFT;
	ball->stiffness = 3000.0;
	ball->damping = 0.02;
	ball->cell = 0.02;
	add_fill(&s.scene, box_shape(-0.12, 0, -0.12, 0.12, 0.13, 0.12));
	add_collider(&s.scene, box_shape(-0.12, 0, -0.12, 0.12, 0.5, 0.12), SPATE_COLLIDER_INSIDE);
	s.scene.fluids[0].viscosity = 1e-3;
	spate_world *w = world_of(&s);
	frames(w, 24);
	double force = 0.0, low[3] = {1, 1, 1}, high[3] = {-1, -1, -1};
	for (int k = 0; k < 12; k++)
	{
		frames(w, 1);
		force += body_state(w, 0).force[1] / 12.0;
	}
	const float *p = mesh_solid_places(w->state.colliders.colliders[ball->collider].mesh);
	for (uint32_t v = 0; v < 3 * mesh->vertex_count; v++)
	{
		low[v % 3] = fmin(low[v % 3], (double)p[v]);
		high[v % 3] = fmax(high[v % 3], (double)p[v]);
	}
	double weight = 9.81 * body_state(w, 0).mass, height = high[1] - low[1], width = high[0] - low[0];
	printf("force %.4f N, weight %.4f N; height %.4f m, width %.4f m; centre at %.4f m\n", force, weight, height,
	       width, body_state(w, 0).position[1]);
	check_near(force, weight, 0.1 * weight);
	assert_true(height < 0.985 * width);
	assert_true(body_state(w, 0).position[1] > 0.1);
	spate_world_destroy(w);
	spate_mesh_destroy(mesh);
}

// A vertex that is pinned to a collider moves and turns with it.
static void pins_follow_colliders(void **state)
{
	(void)state;
	body_scene s;
	body_scene_init(&s, 0.02);
	spate_mesh *mesh = sheet_mesh(4, 4, 0.1, 0.1);
	spate_body_def *b = add_cloth(&s, mesh, 0.2);
	spate_collider_def *arm = add_collider(
	    &s.scene, (spate_shape){SPATE_SHAPE_SPHERE, {-0.1, 0, 0}, {0, 0, 0}, 0.02}, SPATE_COLLIDER_OUTSIDE);
	const spate_keyframe keys[2] = {{.scale = 1},
					{.time = 0.5, .position = {0.2, 0.1, 0}, .rotation = {0, 90, 0}, .scale = 1}};
	arm->motion.keyframes = keys;
	arm->motion.keyframe_count = 2;
	spate_pin_def pin = {.vertex = 4, .top = -1.0, .to = s.scene.def.collider_count - 1};
	b->pins = &pin;
	b->pin_count = 1;
	spate_world *w = world_of(&s);
	frames(w, 12);
	const double *x = deformable_places(w->state.bending.bodies[0].own) + 3 * 4, *o = w->model.origin;
	printf("vertex at %.6f, %.6f, %.6f\n", x[0] + o[0], x[1] + o[1], x[2] + o[2]);
	// (0.1, 0, 0) turned by 90 degrees about y is (0, 0, -0.1)
	check_near(x[0] + o[0], 0.2, 1e-6);
	check_near(x[1] + o[1], 0.1, 1e-6);
	check_near(x[2] + o[2], -0.1, 1e-6);
	// the rest hangs on it
	spate_body_state state_of = body_state(w, 0);
	assert_true(state_of.position[1] < 0.1);
	spate_world_destroy(w);
	spate_mesh_destroy(mesh);
}

static void bad_bodies_are_refused(void **state)
{
	(void)state;
	body_scene s;
	spate_error error;
	spate_world *w;
	spate_pin_def pin;
	spate_mesh *mesh = sheet_mesh(4, 4, 0.16, 0.16);
	make_splash(&s, mesh, &pin, 1);
	pin.vertex = 25;
	check_result(spate_world_create(&w, &s.scene.def, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "has no vertex 25 to pin; its last one is 24"));
	pin.vertex = 0;
	s.bodies[0].area_density = 0.0;
	check_result(spate_world_create(&w, &s.scene.def, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "density"));
	s.bodies[0].area_density = 0.2;
	scene_solver(&s.scene, "wcsph");
	check_result(spate_world_create(&w, &s.scene.def, &error), SPATE_INVALID);
	assert_non_null(strstr(error.text, "solver"));
	spate_mesh_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_bag_holds_water),
	    cmocka_unit_test(cloth_gets_what_the_liquid_loses),
	    cmocka_unit_test(a_soft_ball_floats),
	    cmocka_unit_test(nothing_passes_moving_cloth),
	    cmocka_unit_test(threads_and_snapshots_change_nothing),
	    cmocka_unit_test(pins_follow_colliders),
	    cmocka_unit_test(bad_bodies_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
