// Walls that shear the liquid by its viscosity: flows between two plates of which the exact solution is known. The liquid is a slab with free
// ends and without gravity; what is measured is its middle.
#include "../collider/meshes.h"
#include "measure.h"

static const double spacing = 0.01, height = 0.1, width = 0.05, viscosity = 0.005, density = 1000;

enum
{
	SIDES,
	LOWER,
	UPPER
};

// How the plates move (m/s, along x), and their slip length (m).
typedef struct channel
{
	double length, slip, speed, push; // push: acceleration of the liquid (m/s^2)
	int meshes;                       // the plates are triangles
} channel;

static void add_plate(soup *s, double y0, double y1)
{
	uint32_t first = (uint32_t)(s->positions.count / 3);
	for (int k = 0; k < 8; k++)
		add_vertex(s, vec3_make(k & 1 ? 2.0f : -2.0f, (float)(k & 2 ? y1 : y0), k & 4 ? 0.2f : -0.2f));
	static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
					     {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
	for (int k = 0; k < 6; k++)
		add_quad(s, first + faces[k][0], first + faces[k][1], first + faces[k][2], first + faces[k][3]);
}

static spate_world *make_channel(const channel *c, scene *s)
{
	static spate_keyframe moves[2][2];
	static soup plates[2];
	static spate_mesh meshes[2];
	scene_init(s, spacing);
	s->def.solver.type = spate_solver_find("projection"); // others have no wall shear
	memset(s->def.gravity, 0, sizeof s->def.gravity);
	s->def.gravity[0] = c->push;
	s->fluids[0].viscosity = viscosity;
	s->fluids[0].surface_tension = 0; // it would round the ends
	add_collider(s, box_shape(-3, -1, 0, 3, 1, width), SPATE_COLLIDER_INSIDE);
	for (int k = 0; k < 2; k++)
	{
		double y = k ? height : -0.1;
		spate_collider_def *plate =
		    add_collider(s, box_shape(-2, y, -0.2, 2, y + 0.1, width + 0.2), SPATE_COLLIDER_OUTSIDE);
		plate->slip = c->slip;
		moves[k][0] = (spate_keyframe){.scale = 1};
		moves[k][1] = (spate_keyframe){.time = 1, .position = {(k ? 0.5 : -0.5) * c->speed, 0, 0}, .scale = 1};
		if (c->speed > 0)
			plate->motion = (spate_motion){.keyframes = moves[k], .keyframe_count = 2};
		if (!c->meshes)
			continue;
		soup_free(&plates[k]);
		plates[k] = (soup){0};
		add_plate(&plates[k], y, y + 0.1);
		meshes[k] = mesh_of(&plates[k]);
		plate->shape = (spate_shape){0};
		plate->mesh.mesh = &meshes[k];
	}
	add_fill(s, box_shape(-c->length / 2, 0, 0, c->length / 2, height, width));
	spate_world *w = scene_create(s);
	spate_world_set_loads(w, 1);
	return w;
}

// Runs until a time, and returns the mean force on a plate along x (N) in the last tenth of it; *gain is the force that has made the liquid
// faster in that time, and may be NULL. All of the force along the plate is friction.
static double run_channel(spate_world *w, double seconds, uint32_t plate, double *gain)
{
	double sum = 0, rubbed = 0, from = -1, momentum = 0;
	while (spate_world_time(w) < seconds)
	{
		double force[3], friction[3], start = spate_world_time(w);
		step(w);
		if (start < 0.9 * seconds)
		{
			momentum = spate_world_stats(w)->momentum[0];
			continue;
		}
		if (from < 0)
			from = start;
		check_ok(spate_world_collider_force(w, plate, force, NULL, NULL));
		check_ok(spate_world_collider_friction(w, plate, friction, NULL, NULL));
		sum += force[0] * (spate_world_time(w) - start);
		rubbed += friction[0] * (spate_world_time(w) - start);
	}
	check_near(rubbed, sum, 0.01 * fabs(sum) + 1e-7);
	if (gain)
		*gain = (spate_world_stats(w)->momentum[0] - momentum) / (spate_world_time(w) - from);
	return sum / (spate_world_time(w) - from);
}

// Velocity of the exact solution at a height y above the lower plate.
typedef double profile(const channel *c, double y);

static double couette(const channel *c, double y)
{
	return c->speed * (y - height / 2) / (height + 2 * c->slip);
}

static double poiseuille(const channel *c, double y)
{
	return c->push / (2 * viscosity) * (y * (height - y) + height * c->slip);
}

// Root of the mean square of what velocities in the middle differ by from the exact ones, relative to the largest of these (%).
static double profile_error(spate_world *w, const channel *c, profile *exact)
{
	const spate_store *store = spate_world_store(w);
	double sum = 0, count = 0, most = 0, middle = mean_place(w, 0, -1);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		if (fabs(p[0] - middle) > 0.2 * c->length)
			continue;
		double u = exact(c, p[1]);
		sum += pow((double)store->velocity[row].x - u, 2);
		most = fmax(most, fabs(u));
		count++;
	}
	return 100 * sqrt(sum / count) / most;
}

// Between plates that slide past each other, velocity grows linearly. Ends take a part of the force away: the difference of two lengths
// has none.
static void plates_drag_the_liquid(void **state)
{
	(void)state;
	static const double slips[] = {0, 0.02};
	int good = 1;
	for (int n = 0; n < 2; n++)
	{
		channel c = {.slip = slips[n], .speed = 0.1};
		double forces[2];
		char name[96];
		for (int k = 0; k < 2; k++)
		{
			scene s;
			c.length = k ? 0.6 : 0.3;
			spate_world *w = make_channel(&c, &s);
			forces[k] = run_channel(w, 1, UPPER, NULL);
			if (k)
			{
				snprintf(name, sizeof name, "plane Couette flow, slip length %g mm, velocities",
					 1000 * c.slip);
				good &= evidence(name, profile_error(w, &c, couette), 0, 3, "%",
						 "rms deviation from a straight line, 10 particles across");
			}
			spate_world_destroy(w);
		}
		double expected = -viscosity * density * c.speed / (height + 2 * c.slip) * 0.3 * width;
		snprintf(name, sizeof name, "plane Couette flow, slip length %g mm, force on a plate", 1000 * c.slip);
		good &= evidence(name, 1000 * (forces[1] - forces[0]), 1000 * expected, 50 * fabs(expected), "mN",
				 "of a plate 30 cm long");
	}
	assert_true(good);
}

// Liquid that is pushed through between plates at rest has a parabolic profile.
static void plates_hold_the_liquid_back(void **state)
{
	(void)state;
	static const struct
	{
		const char *name;
		double slip;
		int meshes;
	} cases[] = {{"no slip", 0, 0}, {"slip length 20 mm", 0.02, 0}, {"no slip, plates of triangles", 0, 1}};
	int good = 1;
	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
	{
		channel c = {.slip = cases[n].slip, .push = 0.2, .length = 0.5, .meshes = cases[n].meshes};
		if (c.meshes && !distance_field_available())
			continue;
		scene s;
		char name[96];
		spate_world *w = make_channel(&c, &s);
		// without slip the slowest mode dies with exp(-4.9 t / s), with slip at a third of that rate
		double gain, force = run_channel(w, cases[n].slip > 0 ? 1.8 : 1, LOWER, &gain);
		double weight = spate_world_stats(w)->particles * density * pow(spacing, 3) * c.push,
		       held = weight - gain;
		snprintf(name, sizeof name, "plane Poiseuille flow, %s, velocities", cases[n].name);
		good &= evidence(name, profile_error(w, &c, poiseuille), 0, 3, "%",
				 "rms deviation from a parabola, 10 particles across");
		snprintf(name, sizeof name, "plane Poiseuille flow, %s, force on a plate", cases[n].name);
		good &= evidence(name, 1000 * force, 500 * held, 0.5 * held, "mN",
				 "half of what pushes the liquid and does not make it faster");
		spate_world_destroy(w);
	}
	assert_true(good);
}

// Along walls that let it slip, even thick liquid keeps its speed.
static void smooth_walls_let_liquid_slip(void **state)
{
	(void)state;
	channel c = {.slip = -1, .length = 0.2};
	scene s;
	spate_world *w = make_channel(&c, &s);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
		spate_world_store(w)->velocity[row].x = 0.1f;
	double force = run_channel(w, 0.5, LOWER, NULL),
	       mass = spate_world_stats(w)->particles * density * pow(spacing, 3);
	int good = evidence("free slip, speed after 0.5 s", spate_world_stats(w)->momentum[0] / mass, 0.1, 1e-5, "m/s",
			    "of a slab of thick liquid between plates");
	good &= evidence("free slip, force on a plate", 1000 * force, 0, 1e-3, "mN", "");
	spate_world_destroy(w);
	assert_true(good);
}

// Thick liquid swirls in a cup with an edge, and a ball stands in it: round walls, edges, no slip and some slip. What colliders get is what
// the liquid loses.
static double unbalanced(spate_viscosity_model model, double thick)
{
	scene s;
	scene_init(&s, spacing);
	s.def.solver.type = spate_solver_find("projection");
	memset(s.def.gravity, 0, sizeof s.def.gravity);
	s.def.solver.viscosity_model = model;
	scene_set(&s, "calming", 0);
	s.fluids[0].viscosity = thick;
	s.fluids[0].surface_tension = 0;
	add_collider(&s, (spate_shape){SPATE_SHAPE_CYLINDER, {0, 0, 0}, {0, 0.2, 0}, 0.08}, SPATE_COLLIDER_INSIDE)
	    ->slip = 0;
	add_collider(&s, (spate_shape){SPATE_SHAPE_SPHERE, {0.02, 0.03, 0}, {0, 0, 0}, 0.03}, SPATE_COLLIDER_OUTSIDE)
	    ->slip = 0.005;
	add_fill(&s, (spate_shape){SPATE_SHAPE_CYLINDER, {0, 0, 0}, {0, 0.06, 0}, 0.08});
	spate_world *w = scene_create(&s);
	spate_world_set_loads(w, 1);
	for (uint32_t row = 0; row < spate_world_store(w)->rows; row++)
	{
		double p[3];
		place_of(w, row, p);
		spate_world_store(w)->velocity[row] = (vec4){0.1f + (float)(5 * p[2]), 0, (float)(-5 * p[0]), 0};
	}
	double off[3] = {0, 0, 0}, sum = 0, before[3];
	while (spate_world_time(w) < 0.2)
	{
		memcpy(before, spate_world_stats(w)->momentum, sizeof before);
		int first = spate_world_time(w) == 0; // the velocities were not those of the statistics
		step(w);
		for (int k = 0; k < 3 && !first; k++)
		{
			off[k] += spate_world_stats(w)->momentum[k] - before[k];
			for (uint32_t c = 0; c < 2; c++)
			{
				double force[3];
				check_ok(spate_world_collider_force(w, c, force, NULL, NULL));
				off[k] += force[k] * spate_world_stats(w)->dt;
				sum += fabs(force[k]) * spate_world_stats(w)->dt;
			}
		}
	}
	spate_world_destroy(w);
	return (fabs(off[0]) + fabs(off[1]) + fabs(off[2])) / sum;
}

static void walls_get_what_the_liquid_loses(void **state)
{
	(void)state;
	static const double thick[] = {0.02, 0.5}; // the second takes an implicit solve
	int good = 1;
	for (int model = 0; model < 2; model++)
		for (int k = 0; k < 2; k++)
		{
			char name[96];
			snprintf(name, sizeof name, "wall shear in a cup, viscosity %g m^2/s, %s, momentum lost",
				 thick[k], model ? "pairwise" : "xsph");
			good &= evidence(
			    name, 100 * unbalanced((spate_viscosity_model)model, thick[k]), 0, 0.5, "%",
			    "and not charged, of all that is given; the pressure at round walls has its share");
		}
	assert_true(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plates_drag_the_liquid),
	    cmocka_unit_test(plates_hold_the_liquid_back),
	    cmocka_unit_test(smooth_walls_let_liquid_slip),
	    cmocka_unit_test(walls_get_what_the_liquid_loses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
