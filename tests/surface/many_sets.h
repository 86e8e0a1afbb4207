// Particle sets of many fluids as inputs of surfaces, and the checks that every surface of many fluids must pass.
#ifndef TESTS_MANY_SETS_H
#define TESTS_MANY_SETS_H

#include "interface_check.h"
#include "particle_sets.h"

#include "mesh/measure.h"
#include "spate/surface.h"

enum
{
	FLUIDS = SPATE_SURFACE_MAX_FLUIDS
};

typedef struct many_set
{
	uint32_t fluids;
	ARRAY(float) positions[FLUIDS];
	spate_surface_input inputs[FLUIDS];
} many_set;

static inline many_set many_set_make(const particle_set *from, uint32_t fluids)
{
	many_set set = {.fluids = fluids};
	for (uint32_t i = 0; i < from->input.count; i++)
		for (uint32_t k = 0; k < 3; k++)
			assert_true(
			    array_push(&set.positions[from->input.fluids[i] - 1], from->input.positions[3 * i + k]));
	for (uint32_t f = 0; f < fluids; f++)
		set.inputs[f] = (spate_surface_input){.count = (uint32_t)(set.positions[f].count / 3),
						      .positions = set.positions[f].data,
						      .spacing = 2.0 * (double)from->input.radius};
	return set;
}

static inline void many_set_free(many_set *set)
{
	for (uint32_t f = 0; f < FLUIDS; f++)
		array_free(&set->positions[f]);
}

typedef spate_result many_maker(spate_surface_many **, uint32_t, const spate_surface_input *, const spate_surface_def *,
				spate_surface_stats *, spate_error *);

static inline spate_surface_many *many_make(many_maker *maker, const many_set *set, const spate_surface_def *def,
					    spate_surface_stats *stats)
{
	spate_surface_many *many = NULL;
	spate_error error = {0};
	if (maker(&many, set->fluids, set->inputs, def, stats, &error) != SPATE_OK)
		fail_msg("%s", error.text);
	return many;
}

static inline chromatic_mesh many_view(const spate_surface_many *many)
{
	return (chromatic_mesh){.mesh = many->combined, .sides = (uint8_t(*)[2])many->sides};
}

// Triangles that a reader would leave out.
static inline uint32_t many_needles(const spate_mesh *mesh)
{
	uint32_t count = 0;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
		count += !mesh_has_area(mesh->positions, mesh->triangles + 3 * t);
	return count;
}

// Closed fluids with the vertices of the whole, seams only between three labels, no triangles that cross or have no area, and `samples` random points in exactly one fluid or in
// air, of which the library and the test's own rays say the same. Returns how many of them are as `exact` says.
static inline double check_many(const spate_surface_many *many, uint32_t samples, exact_label *exact,
				const void *context)
{
	chromatic_mesh view = many_view(many);
	assert_int_equal(many_needles(many->combined), 0);
	for (uint32_t k = 0; k < many->fluid_count; k++)
	{
		double volume = check_fluid(&view, (uint8_t)(k + 1), NULL);
		check_near(mesh_volume(many->fluids[k]), volume, 0.0);
		spate_mesh *one;
		check_ok(chromatic_mesh_extract(&view, (uint8_t)(k + 1), &one, NULL));
		assert_int_equal(one->vertex_count, many->fluids[k]->vertex_count);
		assert_memory_equal(one->positions, many->fluids[k]->positions, 12 * one->vertex_count);
		spate_mesh_destroy(one);
	}
	check_seams(&view);
	uint64_t crossings;
	check_ok(mesh_count_crossings(&crossings, many->combined, NULL));
	assert_int_equal(crossings, 0);
	if (samples == 0)
		return 1.0;
	float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f};
	for (uint32_t i = 0; i < 3 * many->combined->vertex_count; i++)
	{
		low[i % 3] = fminf(low[i % 3], many->combined->positions[i]);
		high[i % 3] = fmaxf(high[i % 3], many->combined->positions[i]);
	}
	float *points = mem_alloc(samples * 3 * sizeof *points);
	uint8_t *labels = mem_alloc(samples);
	dice d = {31};
	for (uint32_t i = 0; i < 3 * samples; i++)
	{
		float size = high[i % 3] - low[i % 3];
		points[i] = dice_range(&d, low[i % 3] - 0.05f * size, high[i % 3] + 0.05f * size);
	}
	check_ok(spate_surface_classify(many, samples, points, labels, 1, NULL));
	uint32_t right = 0, tangled = 0;
	for (uint32_t i = 0; i < samples; i++)
	{
		tangled += labels[i] > many->fluid_count;
		right += exact && labels[i] == exact(context, points + 3 * i);
	}
	if (tangled)
		fail_msg("%u of %u points are in several fluids or wound around wrongly", tangled, samples);
	// the same points by other means
	ray_bins bins = ray_bins_make(&view);
	for (uint32_t i = 0; i < samples && i < 20000; i++)
		assert_int_equal(ray_label(&bins, (const double[3]){points[3 * i] + 1e-9, points[3 * i + 1] + 1e-9,
								    points[3 * i + 2] + 1.3e-9}),
				 labels[i]);
	ray_bins_free(&bins);
	mem_free(points);
	mem_free(labels);
	return (double)right / samples;
}

static inline double many_area(const spate_surface_many *many)
{
	double sum = 0.0;
	for (uint32_t t = 0; t < many->combined->triangle_count; t++)
	{
		const uint32_t *v = many->combined->triangles + 3 * t;
		const float *a = many->combined->positions + 3 * v[0], *b = many->combined->positions + 3 * v[1],
			    *c = many->combined->positions + 3 * v[2];
		double u[3], w[3];
		for (int k = 0; k < 3; k++)
		{
			u[k] = (double)b[k] - a[k];
			w[k] = (double)c[k] - a[k];
		}
		double n[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]};
		sum += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	}
	return sum;
}

#endif
