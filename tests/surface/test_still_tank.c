// The surface of liquid that was simulated: a block collapses in a tank, comes to rest, and its surface is to be flat.
#include "physics/measure.h"

#include "spate/surface.h"

enum
{
	ACROSS = 16
};

static const double spacing = 0.02, side = 0.02 * ACROSS;

typedef struct bumps
{
	uint32_t count;
	double mean, rms; // spacings
} bumps;

// Heights of the upper surface, away from walls.
static bumps measure(const spate_mesh *mesh, double above)
{
	bumps b = {0};
	double sum = 0.0, squares = 0.0;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		const float *p = mesh->positions + 3 * v;
		double margin = 2.5 * spacing, y = ((double)p[1] - above) / spacing;
		if (y < 0.0 || p[0] < margin || p[0] > side - margin || p[2] < margin || p[2] > side - margin)
			continue;
		sum += y;
		squares += y * y;
		b.count++;
	}
	b.mean = sum / b.count;
	b.rms = sqrt(squares / b.count - b.mean * b.mean);
	return b;
}

static bumps mesh_world(spate_world *w, int smoothing, double above)
{
	uint32_t count = count_of(w);
	float *positions = malloc(count * 3 * sizeof *positions);
	assert_non_null(positions);
	for (uint32_t i = 0; i < count; i++)
	{
		double p[3];
		place_of(w, i, p);
		for (uint32_t k = 0; k < 3; k++)
			positions[3 * i + k] = (float)p[k];
	}
	spate_surface_input input = {.count = count, .positions = positions, .spacing = spacing};
	spate_surface_def def = spate_default_surface_def();
	def.smoothing = smoothing >= 0 ? smoothing : def.smoothing;
	spate_mesh *mesh = NULL;
	check_ok(spate_surface_create_mesh(&mesh, &input, &def, NULL, NULL));
	bumps b = measure(mesh, above);
	spate_mesh_destroy(mesh);
	free(positions);
	return b;
}

static void settled_liquid_is_flat(void **state)
{
	(void)state;
	for (int fallen = 0; fallen < 2; fallen++)
	{
		scene s;
		scene_init(&s, spacing);
		s.def.threads = 1;
		add_collider(&s, box_shape(0, 0, 0, side, 2 * side, side), SPATE_COLLIDER_INSIDE);
		// eight layers, or twelve over two thirds of the floor
		if (fallen)
			add_fill(&s, box_shape(0, 0, 0, 0.625 * side, 12 * spacing, side));
		else
			add_fill(&s, box_shape(0, 0, 0, side, 8 * spacing, side));
		// thicker than water, which would slosh for minutes
		s.fluids[0].viscosity = 0.05;
		spate_world *w = scene_create(&s);
		while (spate_world_time(w) < (fallen ? 4.0 : 2.0))
			check_ok(spate_world_step(w, NULL, NULL));
		bumps rough = mesh_world(w, 0, 5 * spacing), b = mesh_world(w, -1, 5 * spacing);
		print_message("%s: %u particles, rms height %.4f d, %.4f d without smoothing, mean %.3f d\n",
			      fallen ? "fallen" : "still", count_of(w), b.rms, rough.rms, 5 + b.mean);
		assert_true(b.count > 100);
		// particles that have fallen lie in disorder, also at the surface
		check_near(b.rms, 0.0, fallen ? 0.05 : 0.01);
		// smoothing may not roughen what is already flat by more than a hundredth of a spacing
		assert_true(b.rms < rough.rms + 0.01);
		spate_world_destroy(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(settled_liquid_is_flat)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
