// Particles with values of their own: one liquid with overrides behaves as several liquids would, and API users may write them.
#include "scene.h"
#include "solver/pbf_work.h"
#include "solver/tension.h"
#include "world/world.h"

// Two halves of a box that fall apart under gravity. As fluids: of two fluids. Else: of the first, with the second's values given by
// the source. Values are exact in single precision, which channels have.
static void halves(scene *s, int as_fluids)
{
	scene_init(s, 0.02);
	s->def.fluid_count = as_fluids ? 2 : 1;
	add_fill(s, box_shape(0, 0, 0, 0.2, 0.2, 0.2))->jitter = 0.1;
	add_fill(s, box_shape(0.2, 0, 0, 0.4, 0.2, 0.2))->jitter = 0.1;
	s->sources[1].fluid = (uint32_t)as_fluids;
	add_collider(s, box_shape(-0.2, 0, 0, 0.6, 1, 0.2), SPATE_COLLIDER_INSIDE);
}

typedef struct outcome
{
	uint64_t hash, steps;
	double kinetic;
} outcome;

static outcome run(const scene *s)
{
	spate_world *w = scene_create(s);
	for (int frame = 0; frame < 4; frame++)
		run_frame(w);
	outcome out = {spate_world_hash(w), spate_world_stats(w)->step, spate_world_stats(w)->kinetic_energy};
	spate_world_destroy(w);
	return out;
}

// Every combination by itself and all together: bit k of `which` overrides value k.
static void overrides_are_as_good_as_fluids(void **state)
{
	(void)state;
	outcome alike = {0};
	for (int which = 1; which < 16; which++)
	{
		scene two, one;
		halves(&two, 1), halves(&one, 0);
		two.fluids[0].viscosity = one.fluids[0].viscosity = 0.0009765625;
		two.fluids[0].cohesion = one.fluids[0].cohesion = 0.25;
		two.fluids[0].damping = one.fluids[0].damping = which & 2 ? 0.125 : -1;
		two.fluids[1] = two.fluids[0];
		spate_material_def *own = &one.sources[1].material;
		if (which & 1)
			two.fluids[1].viscosity = own->viscosity = 0.03125;
		if (which & 2)
			two.fluids[1].damping = own->damping = 0.5;
		if (which & 4)
			two.fluids[1].cohesion = own->cohesion = 1;
		if (which & 8)
			two.fluids[1].density = own->density = 2500;
		outcome a = run(&two), b = run(&one);
		if (a.hash != b.hash || a.steps != b.steps)
			fail_msg(
			    "case %d: two fluids end with %016llx, %g J after %llu steps, overrides with %016llx, %g J after "
			    "%llu",
			    which, (unsigned long long)a.hash, a.kinetic, (unsigned long long)a.steps,
			    (unsigned long long)b.hash, b.kinetic, (unsigned long long)b.steps);
		// damping replaces viscosity, else every override does something
		if (which == 1)
			alike = a;
		else
			assert_true(a.hash != alike.hash);
	}
}

static void momentum_stays(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.01);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	spate_source_def *one = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {-0.08, 0, 0}, {0, 0, 0}, 0.06});
	spate_source_def *two = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.08, 0.03, 0}, {0, 0, 0}, 0.06});
	one->velocity[0] = 2, two->velocity[0] = -1, two->velocity[2] = 0.3;
	one->material = (spate_material_def){0.001, -1, 1, -1};
	two->material = (spate_material_def){0.01, -1, 0.5, 3000};
	spate_world *w = scene_create(&s);
	spate_step_stats before = *spate_world_stats(w);
	// ball of 3 kg at 1.04 m/s, ball of 1 kg at 2 m/s
	double volume = 4.0 / 3 * 3.14159265358979 * pow(0.06, 3), size = volume * (3000 * 1.044 + 1000 * 2),
	       squeezed = 0;
	check_near(before.momentum[0], volume * (2000 - 3000), 0.03 * size);
	while (spate_world_time(w) < 0.2)
	{
		step(w);
		for (int k = 0; k < 3; k++)
			check_near(spate_world_stats(w)->momentum[k], before.momentum[k], 1e-5 * size);
		squeezed = fmax(squeezed, spate_world_stats(w)->density_error_max);
	}
	assert_true(squeezed > 0.02); // they did meet
	spate_world_destroy(w);
}

// A channel added and written from outside counts from the next step on, whatever order the rows are in.
static void channels_may_be_written(void **state)
{
	(void)state;
	const float as_fluid = -1;
	spate_error error = {0};
	scene s, given;
	halves(&s, 0), halves(&given, 0);
	given.sources[1].material.viscosity = 0.5;
	spate_world *written = scene_create(&s), *sourced = scene_create(&given), *plain = scene_create(&s);
	check_ok(spate_store_add_channel(spate_world_store(written), "viscosity", SPATE_FLOAT, &as_fluid, &error));
	float *values = spate_store_field(spate_world_store(written), "viscosity", NULL);
	uint32_t rows = spate_store_rows(spate_world_store(written));
	const int64_t *id = spate_world_store(written)->id;
	for (uint32_t row = 0; row < rows; row++)
		values[row] = id[row] >= rows / 2 ? 0.5f : (float)s.fluids[0].viscosity;
	for (int n = 0; n < 30; n++)
		step(written), step(sourced), step(plain);
	assert_true(spate_world_hash(written) == spate_world_hash(sourced));
	assert_true(spate_world_hash(written) != spate_world_hash(plain));

	// values went along with their particles
	values = spate_store_field(spate_world_store(written), "viscosity", NULL);
	id = spate_world_store(written)->id;
	for (uint32_t row = 0; row < rows; row++)
		check_near((double)values[row], id[row] >= rows / 2 ? 0.5 : 1e-6, 1e-9);
	spate_world_destroy(written), spate_world_destroy(sourced), spate_world_destroy(plain);
}

// Nothing is a value, too: a source without viscosity in a thick fluid.
static void values_may_be_zero(void **state)
{
	(void)state;
	scene s;
	halves(&s, 0);
	s.fluids[0].viscosity = 0.01;
	s.sources[1].material.viscosity = 0;
	spate_world *w = scene_create(&s);
	const float *values = spate_store_field(spate_world_store(w), "viscosity", NULL);
	const spate_store *store = spate_world_store(w);
	for (uint32_t row = 0; row < store->rows; row++)
		check_near((double)values[row], store->id[row] >= store->rows / 2 ? 0 : 0.01, 1e-9);
	spate_world_destroy(w);
}

// Values that no fluid could have stand for the fluid's own.
static void odd_values_are_the_fluids(void **state)
{
	(void)state;
	static const float odd[] = {-1, -INFINITY, INFINITY, NAN, 1e20f};
	scene s;
	halves(&s, 0);
	s.fluids[0].cohesion = 0.25;
	s.fluids[0].viscosity = 0.01;
	outcome hashes[2];
	for (int with = 0; with < 2; with++)
	{
		spate_world *w = scene_create(&s);
		spate_error error = {0};
		for (material_id id = 0; id < MATERIAL_COUNT; id++)
		{
			spate_store *store = spate_world_store(w);
			// the flags that channels set choose other passes, which round differently: both have the channels
			check_ok(spate_store_add_channel(store, material_fields.fields[id].name, SPATE_FLOAT, &odd[0],
							 &error));
			float *values = spate_store_field(store, material_fields.fields[id].name, NULL);
			for (uint32_t row = 0; row < store->rows && with; row++)
				values[row] = odd[row % 5];
		}
		for (int n = 0; n < 10; n++)
			step(w);
		for (material_id id = 0; id < MATERIAL_COUNT; id++)
			assert_true(w->state.material.high[id] == -1 && isinf(w->state.material.low[id]));
		hashes[with].hash = spate_world_hash(w);
		spate_world_destroy(w);
	}
	assert_true(hashes[0].hash == hashes[1].hash);
}

static void a_channel_of_another_type_is_refused(void **state)
{
	(void)state;
	scene s;
	halves(&s, 0);
	spate_world *w = scene_create(&s);
	spate_error error = {0};
	check_ok(spate_store_add_channel(spate_world_store(w), "damping", SPATE_VEC3, NULL, &error));
	check_result(spate_world_step(w, NULL, &error), SPATE_INVALID);
	assert_string_equal(error.text, "the field 'damping' is a cold vec3, the solver needs a float that is not hot");
	check_ok(spate_store_drop_field(spate_world_store(w), "damping", &error));
	step(w);
	spate_world_destroy(w);

	const double bad[3] = {NAN, INFINITY, 1e30};
	for (int n = 0; n < 3; n++)
	{
		s.sources[0].material.viscosity = bad[n];
		check_result(spate_world_create(&w, &s.def, &error), SPATE_INVALID);
		assert_string_equal(error.text,
				    "source 0 is invalid: its material has a number that is not finite or too large");
	}
	s.sources[0].material.viscosity = -1;
	s.sources[0].material.density = 0;
	check_result(spate_world_create(&w, &s.def, &error), SPATE_INVALID);
	assert_string_equal(error.text, "source 0 is invalid: its density is not positive");
	s.sources[0].material.density = -1;
	s.fluids[0].vorticity = 1.5;
	check_result(spate_world_create(&w, &s.def, &error), SPATE_INVALID);
	assert_string_equal(error.text, "fluid 0 is invalid: its vorticity is not between 0 and 1");
}

// What is heavier or has more surface tension needs shorter steps, whether a fluid, a source or a particle says so.
static void steps_are_short_enough(void **state)
{
	(void)state;
	scene s;
	halves(&s, 0);
	s.fluids[0].spacing = 0.01;
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	int last;
	spate_world *w = scene_create(&s);
	step_view view = world_view(w, 0);
	double plain = world_choose_dt(w, &last), ratio = pbf_quality_of(&view).tolerance;
	spate_world_destroy(w);
	s.sources[1].material.cohesion = 1;
	s.sources[1].material.density = 4000;
	s.sources[1].start = 1; // not there yet
	w = scene_create(&s);
	view = world_view(w, 0);
	double dt = world_choose_dt(w, &last);
	assert_true(dt <= 0.1 * sqrt(1e-6 / TENSION_SCALE) && dt < plain);
	check_near(pbf_quality_of(&view).tolerance, ratio / 4, 1e-9);
	spate_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(overrides_are_as_good_as_fluids), cmocka_unit_test(momentum_stays),
	    cmocka_unit_test(channels_may_be_written),         cmocka_unit_test(values_may_be_zero),
	    cmocka_unit_test(odd_values_are_the_fluids),       cmocka_unit_test(a_channel_of_another_type_is_refused),
	    cmocka_unit_test(steps_are_short_enough),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
