// Emitters by flow and by count, of several openings and profiles, that change while they pour or ride on colliders.
#include "check.h"
#include "source/source.h"

#include <stdlib.h>

static const double no_origin[3] = {0, 0, 0}, pi = 3.14159265358979323846;

typedef struct rig
{
	source_set set;
	collider_set colliders;
	spate_store *store;
	spate_fluid_def fluid;
	double time;
} rig;

static rig make(spate_source_def def, double spacing, const spate_collider_def *colliders, uint32_t count)
{
	rig r = {.fluid = spate_default_fluid_def()};
	r.fluid.spacing = spacing;
	check_ok(source_set_create(&r.set, &def, 1, no_origin, 7, NULL));
	check_ok(collider_set_create(&r.colliders, colliders, count, &(collider_world){0}, NULL));
	check_ok(spate_store_create(&r.store, 0, NULL));
	return r;
}

static void destroy(rig *r)
{
	source_set_destroy(&r->set);
	collider_set_destroy(&r->colliders);
	spate_store_destroy(r->store);
}

// A step, in which nothing disturbs the particles.
static void run(rig *r, double dt)
{
	check_ok(collider_set_move(&r->colliders, r->time, r->time + dt, NULL));
	check_ok(source_set_run(&r->set, r->store, &r->fluid, &r->colliders, r->time, r->time + dt, NULL));
	for (uint32_t row = 0; row < r->store->rows; row++)
	{
		vec4 *p = &r->store->position[row], v = r->store->velocity[row];
		p->x += (float)dt * v.x, p->y += (float)dt * v.y, p->z += (float)dt * v.z;
	}
	r->time += dt;
}

// Steps of very different lengths.
static const double steps[] = {0.01, 0.003, 0.017, 0.0004, 0.02, 0.0071, 0.001, 0.013};

static void run_for(rig *r, double time)
{
	double end = r->time + time;
	for (int k = 0; r->time < end - 1e-12; k++)
		run(r, fmin(steps[k * 3 % 8], end - r->time));
}

static spate_source_def emitter(double width, double height, double radius)
{
	spate_source_def def = spate_default_source_def();
	def.type = SPATE_SOURCE_EMITTER;
	def.direction[0] = 3; // any length
	def.width = width, def.height = height, def.radius = radius;
	return def;
}

static const struct
{
	double width, height, radius; // spacings
} openings[] = {{0, 0, 2.5}, {0, 0, 0.9},   {0, 0, 1.3},   {0, 0, 7.2},
		{5, 3, 0},   {4.6, 2.4, 0}, {1.4, 7.7, 0}, {9.3, 0, 0}};

static double nearest_pair(const rig *r)
{
	double nearest = INFINITY;
	for (uint32_t a = 0; a < r->store->rows; a++)
		for (uint32_t b = 0; b < a; b++)
		{
			vec4 p = r->store->position[a], q = r->store->position[b];
			nearest = fmin(nearest, (double)vec3_length(vec3_make(p.x - q.x, p.y - q.y, p.z - q.z)));
		}
	return nearest;
}

// At every moment the volume is flow times time, to within a particle for flat profiles, and a part of each column for others. The jet
// is as dense as the liquid.
static void flow_and_density_are_right(void **state)
{
	(void)state;
	const double d = 0.01, particle = d * d * d;
	for (size_t c = 0; c < sizeof openings / sizeof *openings; c++)
		for (int profile = 0; profile < 2; profile++)
		{
			spate_source_def def =
			    emitter(openings[c].width * d, openings[c].height * d, openings[c].radius * d);
			def.profile = profile ? SPATE_PROFILE_PARABOLIC : SPATE_PROFILE_FLAT;
			double area = emitter_area(&def, d), speed = 0.7;
			def.flow = speed * area;
			check_near(emitter_speed(&def, d), speed, 1e-12);
			check_near(emitter_flow(&def, d), def.flow, 1e-9 * def.flow);
			rig r = make(def, d, NULL, 0);
			double slack = profile ? 1.0 + sqrt(area / (d * d)) : 1.0;
			for (int k = 0; k < 20; k++)
			{
				run_for(&r, 0.05);
				check_near(r.store->rows * particle, def.flow * r.time, particle * (slack + 1e-6));
			}
			check_near(r.store->rows * particle, def.flow * r.time, 0.01 * def.flow * r.time + particle);
			double inside = 0, from = 2 * d, to = (profile ? 6 : 22) * d, fastest = 0;
			for (uint32_t row = 0; row < r.store->rows; row++)
			{
				vec4 p = r.store->position[row];
				inside += (double)p.x > from && (double)p.x <= to;
				fastest = fmax(fastest, (double)r.store->velocity[row].x);
			}
			check_near(inside * particle, area * (to - from),
				   0.05 * area * (to - from) + particle * (profile ? slack : 1));
			assert_true(fastest <= emitter_fastest(&def, d) * 1.05);
			if (!profile && nearest_pair(&r) < 0.72 * d)
				fail_msg("opening %zu: particles are %g spacings apart", c, nearest_pair(&r) / d);
			destroy(&r);
		}
}

// Poiseuille: u = 2 U (1 - r^2 / R^2).
static void parabolic_jets_are_fastest_in_the_middle(void **state)
{
	(void)state;
	const double d = 0.01, radius = 8 * d, speed = 0.5;
	spate_source_def def = emitter(0, 0, radius);
	def.speed = speed;
	def.profile = SPATE_PROFILE_PARABOLIC;
	check_near(emitter_fastest(&def, d), 2 * speed, 0);
	rig r = make(def, d, NULL, 0);
	run_for(&r, 0.5);
	assert_true(r.store->rows > 1000);
	for (uint32_t row = 0; row < r.store->rows; row++)
	{
		vec4 p = r.store->position[row];
		double share = 1 - (double)(p.y * p.y + p.z * p.z) / (radius * radius);
		check_near((double)r.store->velocity[row].x, 2 * speed * fmax(share, 0.05), 0.08 * speed);
	}
	destroy(&r);
}

// With a flow and a speed, the jet is as thin as it has to be; it cannot be wider than the opening.
static void a_fast_jet_is_thin(void **state)
{
	(void)state;
	const double d = 0.005, radius = 0.05, flow = 1.2e-3;
	for (int wide = 0; wide < 2; wide++)
	{
		spate_source_def def = emitter(0, 0, radius);
		def.flow = flow;
		def.speed = wide ? 0.1 : 0.6;
		double area = wide ? pi * radius * radius : flow / def.speed, most = sqrt(area / pi), far = 0;
		double half[2];
		emitter_size(&def, d, half);
		check_near(half[0], most, 1e-9);
		rig r = make(def, d, NULL, 0);
		run_for(&r, 0.5);
		for (uint32_t row = 0; row < r.store->rows; row++)
		{
			vec4 p = r.store->position[row];
			far = fmax(far, hypot((double)p.y, (double)p.z));
			check_near((double)r.store->velocity[row].x, def.speed, 1e-6);
		}
		check_near(far, most, d);
		double poured = (wide ? def.speed * area : flow) * 0.5;
		check_near(r.store->rows * d * d * d, poured, 0.01 * poured);
		destroy(&r);
	}
}

static void a_count_is_poured_evenly(void **state)
{
	(void)state;
	spate_source_def def = emitter(0.1, 0.06, 0);
	def.count = 500;
	def.start = 0.2, def.stop = 1.2;
	rig r = make(def, 0.01, NULL, 0);
	run_for(&r, 0.2);
	assert_int_equal(r.store->rows, 0);
	run_for(&r, 0.5);
	check_near(r.store->rows, 250, 1);
	run_for(&r, 2);
	assert_int_equal(r.store->rows, 500);
	destroy(&r);
}

// Not one less, whatever rounding makes of the times.
static void a_count_is_complete(void **state)
{
	(void)state;
	static const double stops[] = {0.1, 0.5, 0.77, 1, 1.3};
	for (uint64_t k = 0; k < 5; k++)
	{
		spate_source_def def = emitter(0.1, 0.06, 0);
		def.count = 1 + 333 * k;
		def.start = 0.1 * (double)k, def.stop = def.start + stops[k];
		rig r = make(def, 0.01, NULL, 0);
		run_for(&r, 2);
		assert_int_equal(r.store->rows, def.count);
		destroy(&r);
	}
}

// A line is one row of columns, along the direction that is asked for.
static void lines_lie_where_they_should(void **state)
{
	(void)state;
	spate_source_def def = emitter(0.2, 0, 0);
	def.across[0] = 5, def.across[2] = 0.1; // the part along the jet does not count
	def.flow = 1e-4;
	def.position[1] = 2;
	rig r = make(def, 0.01, NULL, 0);
	run_for(&r, 0.2);
	double far = 0;
	assert_true(r.store->rows > 10);
	for (uint32_t row = 0; row < r.store->rows; row++)
	{
		vec4 p = r.store->position[row];
		check_near((double)p.y, 2, 1e-6);
		far = fmax(far, fabs((double)p.z));
	}
	check_near(far, 0.095, 1e-6);
	destroy(&r);
}

static void jitter_is_bounded_and_repeats(void **state)
{
	(void)state;
	const double d = 0.01;
	spate_source_def def = emitter(0, 0, 0.04);
	def.flow = 1e-3;
	rig plain = make(def, d, NULL, 0);
	def.jitter = 0.3;
	rig one = make(def, d, NULL, 0), two = make(def, d, NULL, 0);
	run_for(&plain, 0.5), run_for(&one, 0.5);
	run(&two, 0.25), run(&two, 0.25);
	assert_int_equal(one.store->rows, plain.store->rows);
	assert_true(plain.store->rows > 400);
	double mean[3] = {0, 0, 0};
	for (uint32_t row = 0; row < plain.store->rows; row++)
	{
		vec4 p = plain.store->position[row], q = one.store->position[row], s = two.store->position[row];
		const double shift[3] = {(double)(q.x - p.x), (double)(q.y - p.y), (double)(q.z - p.z)};
		check_near(sqrt(shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2]), 0.3 * d, 1e-4 * d);
		// whatever the steps
		check_near((double)s.x, (double)q.x, 1e-4 * d);
		check_near((double)s.y, (double)q.y, 1e-4 * d);
		for (int k = 0; k < 3; k++)
			mean[k] += shift[k] / plain.store->rows;
	}
	for (int k = 0; k < 3; k++)
		check_near(mean[k], 0, 0.03 * d);
	destroy(&plain), destroy(&one), destroy(&two);
}

// --------------------------------------------------------------------------------------------------------- live changes

static void change(rig *r, const spate_source_def *def)
{
	spate_source_def before = r->set.defs[0];
	r->set.defs[0] = *def;
	source_set_change(&r->set, 0, &before, r->time, r->fluid.spacing);
}

// A speed that rises from 0, falls to 0 and rises again, as keyframes set it: the volume is that of the integral.
static void a_changing_speed_keeps_the_volume(void **state)
{
	(void)state;
	const double d = 0.01, area = 8 * 6 * d * d;
	for (int profile = 0; profile < 2; profile++)
	{
		spate_source_def def = emitter(8 * d, 6 * d, 0);
		def.profile = profile ? SPATE_PROFILE_PARABOLIC : SPATE_PROFILE_FLAT;
		def.speed = 0;
		rig r = make(def, d, NULL, 0);
		double length = 0;
		for (int k = 0; k < 400; k++)
		{
			uint32_t before = r.store->rows;
			double dt = steps[k % 8], speed = fmax(0, 1.5 * sin(r.time * 5));
			def.speed = speed;
			change(&r, &def);
			run(&r, dt);
			length += speed * dt;
			if (speed == 0.0)
				assert_int_equal(r.store->rows, before);
			check_near(r.store->rows * d * d * d, area * length, (profile ? 8 : 1.01) * d * d * d);
		}
		assert_true(r.store->rows > 2000);
		destroy(&r);
	}
}

// What an emitter pours is right while its radius and its flow change, and whether or not something else changes as well.
static void a_changing_opening_keeps_the_volume(void **state)
{
	(void)state;
	const double d = 0.01;
	spate_source_def def = emitter(0, 0, 5 * d);
	def.flow = 2e-3;
	rig r = make(def, d, NULL, 0);
	double volume = 0;
	for (int k = 0; k < 400; k++)
	{
		double dt = steps[k % 8];
		def.radius = (5 + 2 * sin(r.time * 3)) * d;
		def.flow = 2e-3 * (1 + 0.9 * cos(r.time * 4));
		def.position[1] = 0.1 * sin(r.time);
		def.direction[1] = 2 * sin(r.time);
		change(&r, &def);
		uint32_t first = r.store->rows;
		run(&r, dt);
		volume += def.flow * dt;
		check_near(r.store->rows * d * d * d, volume, 1.01 * d * d * d);
		// they leave where the opening is now, in the direction of now
		for (uint32_t row = first; row < r.store->rows; row++)
		{
			vec4 p = r.store->position[row], v = r.store->velocity[row];
			check_near((double)(v.y / v.x), def.direction[1] / 3, 1e-4);
			double along = ((double)p.x * 3 + ((double)p.y - def.position[1]) * def.direction[1]) /
				       hypot(3, def.direction[1]);
			assert_true(along > -1e-5 && along < emitter_speed(&def, d) * dt + 1e-5);
		}
	}
	destroy(&r);
}

// ----------------------------------------------------------------------------------------------------- riding on a wall

static spate_collider_def moving(const spate_keyframe *keyframes, uint32_t count)
{
	spate_collider_def def = spate_default_collider_def();
	def.shape = (spate_shape){SPATE_SHAPE_SPHERE, {9, 9, 9}, {0, 0, 0}, 0.1};
	def.motion.keyframes = keyframes;
	def.motion.keyframe_count = count;
	return def;
}

// Seen from a nozzle that moves evenly, the jet is that of a nozzle at rest: no gaps, whatever the steps.
static void a_moving_nozzle_leaves_no_gaps(void **state)
{
	(void)state;
	const double d = 0.01;
	const spate_keyframe keyframes[2] = {{.time = 0, .scale = 1}, {.time = 2, .position = {1, 2, -3}, .scale = 1}};
	spate_collider_def arm_def = moving(keyframes, 2);
	spate_source_def def = emitter(0, 0, 3 * d);
	def.flow = 1e-3;
	rig rest = make(def, d, NULL, 0);
	def.follow = 0;
	rig r = make(def, d, &arm_def, 1);
	run_for(&rest, 1), run_for(&r, 1);
	assert_int_equal(r.store->rows, rest.store->rows);
	assert_true(r.store->rows > 800);
	for (uint32_t row = 0; row < r.store->rows; row++)
	{
		vec4 p = r.store->position[row], q = rest.store->position[row], v = r.store->velocity[row];
		check_near((double)p.x, (double)q.x + 0.5, 0.002 * d);
		check_near((double)p.y, (double)q.y + 1.0, 0.002 * d);
		check_near((double)p.z, (double)q.z - 1.5, 0.002 * d);
		check_near((double)v.y, 1, 1e-4);
	}
	const double place[3] = {0, 0, 0};
	check_near(collider_set_speed_of(&r.colliders, 0, place, 0, 0.1, 0.2), sqrt(14) / 2, 1e-4);
	check_near(source_set_speed(&r.set, &r.fluid, &r.colliders, 0.1, 0.2), emitter_speed(&def, d) + sqrt(14) / 2,
		   1e-4);
	destroy(&r), destroy(&rest);
}

// A nozzle on an arm that turns: what leaves it at t is at arm(t) + (jet(t) + spin x arm(t)) (now - t) later.
static void a_turning_nozzle_sprays_a_spiral(void **state)
{
	(void)state;
	const double d = 0.01, spin = pi / 2, arm = 0.5, speed = 0.8;
	const spate_keyframe keyframes[2] = {{.time = 0, .scale = 1}, {.time = 1, .rotation = {0, 90, 0}, .scale = 1}};
	spate_collider_def arm_def = moving(keyframes, 2);
	spate_source_def def = emitter(d, d, 0);
	def.speed = speed;
	def.position[0] = arm;
	def.follow = 0;
	rig r = make(def, d, &arm_def, 1);
	for (int k = 0; k < 450; k++)
		run(&r, 0.002);
	check_near(r.store->rows, 72, 1);
	for (uint32_t row = 0; row < r.store->rows; row++)
	{
		double born = (row + 1) * d / speed, later = 0.9 - born, c = cos(spin * born), s = sin(spin * born);
		vec4 p = r.store->position[row];
		check_near((double)p.x, c * arm + (speed * c - spin * arm * s) * later, 0.15 * d);
		check_near((double)p.z, -s * arm + (-speed * s - spin * arm * c) * later, 0.15 * d);
		check_near((double)p.y, 0, 1e-6);
	}
	destroy(&r);
}

// Two emitters of different spacings beside each other pour the same volume.
static void two_resolutions_side_by_side(void **state)
{
	(void)state;
	spate_fluid_def fluids[2] = {spate_default_fluid_def(), spate_default_fluid_def()};
	fluids[0].spacing = 0.01, fluids[1].spacing = 0.016;
	spate_source_def defs[2] = {emitter(0, 0, 0.05), emitter(0, 0, 0.05)};
	defs[1].fluid = 1, defs[1].position[1] = 0.1;
	defs[0].flow = defs[1].flow = 3e-3;
	source_set set;
	collider_set none = {0};
	spate_store *store;
	check_ok(source_set_create(&set, defs, 2, no_origin, 7, NULL));
	check_ok(spate_store_create(&store, 0, NULL));
	for (int k = 0; k < 50; k++)
		check_ok(source_set_run(&set, store, fluids, &none, k * 0.01, (k + 1) * 0.01, NULL));
	for (int f = 0; f < 2; f++)
	{
		double volume = pow(fluids[f].spacing, 3);
		check_near((double)set.states[f].emitted * volume, 1.5e-3, volume * 1.01);
	}
	source_set_destroy(&set);
	spate_store_destroy(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(flow_and_density_are_right),
	    cmocka_unit_test(parabolic_jets_are_fastest_in_the_middle),
	    cmocka_unit_test(a_fast_jet_is_thin),
	    cmocka_unit_test(a_count_is_poured_evenly),
	    cmocka_unit_test(a_count_is_complete),
	    cmocka_unit_test(lines_lie_where_they_should),
	    cmocka_unit_test(jitter_is_bounded_and_repeats),
	    cmocka_unit_test(a_changing_speed_keeps_the_volume),
	    cmocka_unit_test(a_changing_opening_keeps_the_volume),
	    cmocka_unit_test(a_moving_nozzle_leaves_no_gaps),
	    cmocka_unit_test(a_turning_nozzle_sprays_a_spiral),
	    cmocka_unit_test(two_resolutions_side_by_side),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
