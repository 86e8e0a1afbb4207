// Vorticity confinement: a vortex lives longer with it, gains nothing that the substep has not lost, and momentum stays.
#include "measure.h"

static const double length = 0.24;

// Kinetic energy relative to the start, at the end and at most.
typedef struct whirl
{
	double energy, peak;
} whirl;

// One cell of Taylor and Green's flow in a box without friction, filled to the top, without gravity, for one second. With pbf, in which viscosity
// takes most of the energy: with the projection it is the packing, for which confinement does not make up.
static whirl run_whirl(double vorticity, double spacing, uint32_t substeps)
{
	scene s;
	scene_init(&s, spacing);
	scene_solver(&s, "pbf");
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.fluids[0].vorticity = vorticity;
	s.fluids[0].viscosity = 0;
	s.def.solver.substeps = substeps;
	add_fill(&s, box_shape(0, 0, 0, length, length, 0.06));
	add_collider(&s, box_shape(0, 0, 0, length, length, 0.06), SPATE_COLLIDER_INSIDE);
	spate_world *w = scene_create(&s);
	spate_store *store = spate_world_store(w);
	double start = 0, k = pi / length;
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		vec4 v = {(float)(sin(k * p[0]) * cos(k * p[1])), (float)(-cos(k * p[0]) * sin(k * p[1])), 0, 0};
		store->velocity[row] = v;
		start += 0.5 * 1000 * pow(spacing, 3) * (double)(v.x * v.x + v.y * v.y);
	}
	whirl out = {0, 0};
	while (spate_world_time(w) < 1 - 1e-9)
	{
		step(w);
		out.energy = spate_world_stats(w)->kinetic_energy / start;
		out.peak = fmax(out.peak, out.energy);
	}
	spate_world_destroy(w);
	return out;
}

static void a_vortex_lives_longer(void **state)
{
	(void)state;
	static const struct
	{
		double spacing;
		uint32_t substeps;
	} cases[] = {{0.015, 6}, {0.015, 12}, {0.01, 6}};
	int good = 1;
	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
	{
		double d = cases[n].spacing;
		whirl none = run_whirl(0, d, cases[n].substeps), half = run_whirl(0.5, d, cases[n].substeps),
		      full = run_whirl(1, d, cases[n].substeps);
		char name[96], note[96];
		snprintf(note, sizeof note, "cell of %g m at 1 m/s for 1 s, spacing %g m, %u substeps at 24 fps",
			 length, d, cases[n].substeps);
		snprintf(name, sizeof name, "vortex %zu, energy kept without confinement", n + 1);
		evidence_report(name, 100 * none.energy, "%", note);
		snprintf(name, sizeof name, "vortex %zu, energy kept at vorticity 0.5", n + 1);
		good &= evidence_at_least(name, 100 * half.energy, 100 * 1.15 * none.energy, "%", note);
		snprintf(name, sizeof name, "vortex %zu, energy kept at vorticity 1", n + 1);
		good &= evidence_at_least(name, 100 * full.energy, 100 * 1.3 * none.energy, "%", note);
		snprintf(name, sizeof name, "vortex %zu, most energy at vorticity 1", n + 1);
		good &= evidence_at_most(name, 100 * full.peak, 100.01, "%", note);
	}
	assert_true(good);
}

// Two balls of different density, each with a vortex of its own, collide off centre in empty space.
static void momentum_stays(void **state)
{
	(void)state;
	scene s;
	scene_init(&s, 0.01);
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.fluid_count = 2;
	s.fluids[1].density = 2000;
	s.fluids[0].vorticity = 1, s.fluids[1].vorticity = 0.7;
	s.fluids[0].surface_tension = s.fluids[1].surface_tension = 0; // surfaces that shrink set liquid in motion
	spate_source_def *one = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {-0.07, 0, 0}, {0, 0, 0}, 0.06});
	spate_source_def *two = add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.07, 0.03, 0}, {0, 0, 0}, 0.06});
	one->velocity[0] = 1, two->velocity[0] = -1;
	one->spin[2] = 10, two->spin[1] = -10;
	two->fluid = 1;
	spate_world *w = scene_create(&s);
	momentum_watch watch = momentum_watch_make(w, s.fluids, 0.01);
	double energy = spate_world_stats(w)->kinetic_energy;
	while (spate_world_time(w) < 0.2)
	{
		step(w);
		momentum_watch_look(&watch, w);
		assert_true(spate_world_stats(w)->kinetic_energy <= energy * 1.0001);
	}
	assert_true(watch.squeezed > 0.02); // they did meet
	spate_world_destroy(w);
	assert_true(evidence_at_most("vorticity confinement, change of momentum", watch.change, 1e-5, "",
				     "two spinning balls, densities 1:2; of the sum of all momenta"));
}

// A ball that turns as a whole has no vortex to sharpen: it must not be spun up at its surface. Water at rest stays at rest.
static double final_energy(int tank, double vorticity)
{
	scene s;
	scene_init(&s, 0.02);
	s.fluids[0].vorticity = vorticity;
	s.def.solver.viscosity_model = SPATE_VISCOSITY_PAIRWISE;
	if (tank)
	{
		add_fill(&s, box_shape(0, 0, 0, 0.3, 0.2, 0.3));
		add_collider(&s, box_shape(0, 0, 0, 0.3, 1, 0.3), SPATE_COLLIDER_INSIDE);
	}
	else
	{
		memset(s.def.gravity, 0, sizeof s.def.gravity);
		add_fill(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.12})->spin[2] = 3;
		s.def.solver.substeps = 8;
	}
	spate_world *w = scene_create(&s);
	run_until(w, tank ? 2 : 0.5);
	double result = tank ? spate_world_stats(w)->kinetic_energy : spate_world_stats(w)->angular_momentum[2];
	spate_world_destroy(w);
	return result;
}

static void what_has_no_vortex_gains_none(void **state)
{
	(void)state;
	double without = final_energy(0, 0), with = final_energy(0, 1);
	int good = evidence("ball turning as a whole, angular momentum with and without confinement", with / without, 1,
			    0.03, "", "spacing 2 cm, radius 12 cm, 0.5 s at 3 rad/s");
	double still = final_energy(1, 0), stirred = final_energy(1, 1), mass = 0.3 * 0.2 * 0.3 * 1000;
	evidence_report("tank at rest after 2 s, rms speed without confinement", sqrt(2 * still / mass), "m/s", "");
	good &= evidence_at_most("tank at rest after 2 s, rms speed at vorticity 1", sqrt(2 * stirred / mass), 0.01,
				 "m/s", "spacing 2 cm");
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_vortex_lives_longer),
	    cmocka_unit_test(momentum_stays),
	    cmocka_unit_test(what_has_no_vortex_gains_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
