// Cases of surfaces of many fluids: test_many.c takes some of them, test_many_long.c all.
#ifndef TESTS_MANY_CASES_H
#define TESTS_MANY_CASES_H

#include "many_sets.h"

static const uint32_t many_space = 3;

typedef struct many_kind
{
	const char *name;
	fluid_at *at;
	const void *context;
	uint32_t fluids;
	uint32_t side;
	double right; // least share of places that are labelled as the shape says
} many_kind;

static const many_kind many_kinds[] = {
    {"layers", layers, NULL, 2, 20, 0.97},         {"drop in drop", drop_in_drop, &many_space, 2, 24, 0.97},
    {"three sectors", sectors, NULL, 3, 20, 0.96}, {"four", four, NULL, 4, 20, 0.95},
    {"fifteen", fifteen, NULL, 15, 26, 0.92},
};

enum
{
	MANY_KINDS = sizeof many_kinds / sizeof *many_kinds
};

// Space is parted as the shape says, and has the volume of the particles. `samples` points are looked at.
static inline void check_many_parted(const many_kind *k, int shaken, int smoothing, uint32_t samples)
{
	particle_set from = particle_set_make(3, k->side, shaken ? 0.2f : 0.0f, k->at, k->context);
	many_set set = many_set_make(&from, k->fluids);
	spate_surface_def def = spate_default_surface_def();
	def.smoothing = smoothing;
	spate_surface_stats stats;
	spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, &stats);
	double right = check_many(many, samples, k->at, k->context);
	double share = stats.volume / (from.input.count * 8.0 * pow((double)from.input.radius, 3.0));
	print_message("%s%s, smoothing %d: %u triangles, %.4f of places as the shape says, volume %.4f of the "
		      "particles'\n",
		      k->name, shaken ? ", shaken" : "", smoothing, stats.triangles, right, share);
	assert_true(right > k->right);
	check_near(share, 1.0, 0.06);
	spate_surface_many_destroy(many);
	many_set_free(&set);
	particle_set_free(&from);
}

// Distance from p to the nearest vertex of a mesh, by a grid of lists.
typedef struct vertex_grid
{
	const spate_mesh *mesh;
	key_map cells; // to the first + 1
	uint32_t *next;
	float cell;
} vertex_grid;

static inline vertex_grid vertex_grid_make(const spate_mesh *mesh, float cell)
{
	vertex_grid g = {.mesh = mesh, .next = mem_calloc(mesh->vertex_count + 1, 4), .cell = cell};
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		const float *p = mesh->positions + 3 * v;
		uint32_t *at = key_map_put(&g.cells, (uint32_t)(int)floorf(p[0] / cell),
					   (uint32_t)(int)floorf(p[1] / cell), (uint32_t)(int)floorf(p[2] / cell), 0);
		g.next[v] = *at;
		*at = v + 1;
	}
	return g;
}

static inline double vertex_distance(vertex_grid *g, const float *p)
{
	double least = (double)g->cell;
	for (int n = 0; n < 27; n++)
	{
		uint32_t c[3];
		for (int k = 0; k < 3; k++)
			c[k] = (uint32_t)((int)floorf(p[k] / g->cell) + (n / (int[]){1, 3, 9}[k]) % 3 - 1);
		for (uint32_t v = *key_map_put(&g->cells, c[0], c[1], c[2], 0); v; v = g->next[v - 1])
		{
			double sum = 0.0;
			for (int k = 0; k < 3; k++)
			{
				double d = (double)p[k] - g->mesh->positions[3 * (v - 1) + (uint32_t)k];
				sum += d * d;
			}
			least = fmin(least, sqrt(sum));
		}
	}
	return least;
}

static inline void vertex_grid_free(vertex_grid *g)
{
	key_map_free(&g->cells);
	mem_free(g->next);
}

// The surface on a grid against the one through the particles.
static inline void check_against_chromatic(const many_kind *k)
{
	particle_set from = particle_set_make(3, k->side, 0.2f, k->at, k->context);
	many_set set = many_set_make(&from, k->fluids);
	spate_surface_def def = spate_default_surface_def();
	spate_surface_stats grid_stats, particle_stats;
	spate_surface_many *a = many_make(spate_surface_create_meshes, &set, &def, &grid_stats);
	def.smoothing = 0;
	spate_surface_many *b = many_make(spate_surface_chromatic, &set, &def, &particle_stats);
	double right = check_many(b, 100000, k->at, k->context);
	vertex_grid ga = vertex_grid_make(a->combined, 0.2f);
	double sum = 0.0, worst = 0.0, apart = 0.0, d = 2.0 * (double)from.input.radius;
	for (uint32_t v = 0; v < b->combined->vertex_count; v++)
	{
		double x = vertex_distance(&ga, b->combined->positions + 3 * v) / d;
		sum += x;
		worst = fmax(worst, x);
	}
	for (uint32_t f = 0; f < k->fluids; f++)
		apart = fmax(apart, fabs(mesh_volume(a->fluids[f]) / mesh_volume(b->fluids[f]) - 1.0));
	print_message(
	    "%s: grid %u triangles, volume %.4f, area %.3f; particles %u triangles, volume %.4f, area %.3f, "
	    "%.3f right; %.3f d apart in the mean, %.3f d at most, a fluid's volumes differ by up to %.1f %%\n",
	    k->name, grid_stats.triangles, grid_stats.volume, grid_stats.area, particle_stats.triangles,
	    particle_stats.volume, particle_stats.area, right, sum / b->combined->vertex_count, worst, 100.0 * apart);
	check_near(many_area(a), grid_stats.area, 1e-3 * grid_stats.area);
	assert_true(sum / b->combined->vertex_count < 0.5);
	check_near(grid_stats.volume / particle_stats.volume, 1.0, 0.06);
	// the rough one has more of it
	assert_true(grid_stats.area < particle_stats.area);
	vertex_grid_free(&ga);
	spate_surface_many_destroy(a);
	spate_surface_many_destroy(b);
	many_set_free(&set);
	particle_set_free(&from);
}

// Two fluids side by side, 24 layers of 24 by 10 particles under a flat free surface, turned about the vertical by an angle (radians)
// and tilted by `tilt` layers, so that layers of particles lie along the interface and only the grid lies askew.
static inline many_set turned_set(double angle, double tilt, float shake)
{
	many_set set = {.fluids = 2};
	dice d = {5};
	for (int i = 0; i < 24 * 24 * 10; i++)
	{
		double y = i / 576 - 9.5, u = i % 24 - 11.5 + tilt * y, w = i / 24 % 24 - 11.5;
		double p[3] = {cos(angle) * u - sin(angle) * w, y, sin(angle) * u + cos(angle) * w};
		for (int k = 0; k < 3; k++)
			assert_true(
			    array_push(&set.positions[i % 24 >= 12], (float)p[k] + dice_range(&d, -shake, shake)));
	}
	for (int f = 0; f < 2; f++)
		set.inputs[f] = (spate_surface_input){
		    .count = (uint32_t)set.positions[f].count / 3, .positions = set.positions[f].data, .spacing = 1.0};
	return set;
}

// How far the line where both fluids meet air on the top is from where it should be, in cells: root of the mean square, most.
static inline void measure_seam(const spate_surface_many *many, double angle, double tilt, double cell, double out[2])
{
	const spate_mesh *mesh = many->combined;
	uint8_t *meet = mem_calloc(mesh->vertex_count, 1);
	for (uint32_t k = 0; k < 3 * mesh->triangle_count; k++)
		meet[mesh->triangles[k]] |= (uint8_t)(1u << many->sides[k / 3 * 2] | 1u << many->sides[k / 3 * 2 + 1]);
	double sum = 0.0, worst = 0.0;
	uint32_t count = 0;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		const float *p = mesh->positions + 3 * v;
		double u = cos(angle) * p[0] + sin(angle) * p[2], w = -sin(angle) * p[0] + cos(angle) * p[2];
		if (meet[v] != 7 || p[1] < -2.0f || fabs(w) > 9.0)
			continue;
		double off = (u - tilt * p[1]) / cell;
		sum += off * off;
		worst = fmax(worst, fabs(off));
		count++;
	}
	assert_true(count > 20);
	out[0] = sqrt(sum / count);
	out[1] = worst;
	mem_free(meet);
}

static const double many_angles[4] = {0.0, 0.2, 0.55, 0.785398}, many_tilts[2] = {0.0, 0.3};

// On the free surface the seam between two fluids is a line, not stairs along the grid; also where grid points lie on the interface.
static inline void check_seam_line(double angle, double tilt, int shaken, int smoothing)
{
	double seam[2];
	many_set set = turned_set(angle, tilt, shaken ? 0.1f : 0.0f);
	spate_surface_def def = spate_default_surface_def();
	def.smoothing = smoothing;
	spate_surface_many *many = many_make(spate_surface_create_meshes, &set, &def, NULL);
	measure_seam(many, angle, tilt, def.cell, seam);
	print_message("seam turned by %.2f, tilted by %.1f%s, smoothing %d: off by %.3f cells (rms), %.3f at most\n",
		      angle, tilt, shaken ? ", shaken" : "", smoothing, seam[0], seam[1]);
	check_many(many, 0, NULL, NULL);
	// in air a fluid's share is what it is at the surface, so that a tilted interface goes on upright
	check_near(seam[0], 0.0, tilt > 0.0 ? 0.25 : 0.12);
	spate_surface_many_destroy(many);
	many_set_free(&set);
}

#endif
