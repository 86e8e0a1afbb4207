// From the particles of many fluids to one mesh of their interfaces and a closed mesh of each:
//
//	join      merges all particles into one liquid
//	build     sorts and weighs the merged particles, and those of each fluid
//	grid      computes functions and labels; or contours the particles chromatically
//	clean     removes parts that are too small
//	smooth    smooths the mesh of all interfaces
//	mend      removes triangles without area
//	extract   collects each fluid's triangles
//	carry     adds normals and channels from each fluid's own particles
#include "surface/many.h"

#include "base/error.h"
#include "surface/chromatic.h"
#include "surface/finish.h"

#include <string.h>

void spate_surface_many_destroy(spate_surface_many *many)
{
	if (!many)
		return;
	for (uint32_t k = 0; many->fluids && k < many->fluid_count; k++)
		spate_mesh_destroy(many->fluids[k]);
	mem_free(many->fluids);
	spate_mesh_destroy(many->combined);
	mem_free(many->sides);
	mem_free(many);
}

static void build_free(many_build *build)
{
	surface_build_free(&build->all);
	for (uint32_t k = 0; build->each && k < build->fluids; k++)
		surface_build_free(&build->each[k]);
	mem_free(build->each);
	mem_free(build->stats);
	mem_free(build->first);
	mem_free(build->positions);
	mem_free(build->radii);
}

static spate_result check(uint32_t fluids, const spate_surface_input *inputs, const spate_surface_def *def,
			  spate_error *error)
{
	if (fluids < 1 || fluids > SPATE_SURFACE_MAX_FLUIDS || !inputs)
		return error_set(error, SPATE_INVALID, "interfaces need 1 to %d fluids, not %u",
				 SPATE_SURFACE_MAX_FLUIDS, fluids);
	uint64_t total = 0;
	for (uint32_t k = 0; k < fluids; k++)
	{
		spate_error inner = {0};
		spate_result result = surface_check_input(&inputs[k], &inner);
		if (result != SPATE_OK)
			return error_set(error, result, "fluid %u: %s", k + 1, inner.text);
		total += inputs[k].count;
	}
	if (total > UINT32_MAX)
		return error_set(error, SPATE_RANGE, "interfaces of more than 2^32 particles");
	if (def->decimate > 0.0 || def->refine)
		return error_set(
		    error, SPATE_INVALID,
		    "a surface of many fluids cannot be refined, and its triangles cannot be merged: refine and "
		    "decimate must be 0");
	return surface_check_def(def, error);
}

// The spacing of a fluid, m; 0 if it has no particles.
static double spacing_of(const spate_surface_input *in)
{
	if (in->spacing > 0.0 || !in->radii)
		return in->spacing;
	double sum = 0.0;
	uint32_t count = 0;
	for (uint32_t i = 0; i < in->count; i++)
		if (in->radii[i] > 0.0f && isfinite(in->radii[i]))
		{
			sum += (double)in->radii[i];
			count++;
		}
	return count ? 2.0 * sum / count : 0.0;
}

// All particles as one input, with the spacing of the finest fluid.
static spate_result join_inputs(many_build *build, const spate_surface_input *inputs, spate_error *error)
{
	double finest = HUGE_VAL;
	int alike = 1;
	build->first = mem_calloc(build->fluids + 1, sizeof *build->first);
	if (!build->first)
		return error_memory(error, sizeof *build->first);
	for (uint32_t k = 0; k < build->fluids; k++)
	{
		double spacing = spacing_of(&inputs[k]);
		if (inputs[k].count && spacing > 0.0)
			finest = fmin(finest, spacing);
		alike &= !inputs[k].radii && inputs[k].spacing == inputs[0].spacing;
		build->first[k + 1] = build->first[k] + inputs[k].count;
	}
	size_t total = build->first[build->fluids];
	build->positions = mem_alloc(mem_product(total + 1, 3 * sizeof(float)));
	build->radii = mem_alloc(mem_product(total + 1, sizeof(float)));
	if (!build->positions || !build->radii)
		return error_memory(error, total * 4 * sizeof(float));
	for (uint32_t k = 0; k < build->fluids; k++)
		for (size_t i = 0; i < inputs[k].count; i++)
		{
			size_t row = build->first[k] + i, stride = inputs[k].stride ? inputs[k].stride : 3;
			memcpy(build->positions + 3 * row, inputs[k].positions + i * stride, 3 * sizeof(float));
			build->radii[row] = inputs[k].radii ? inputs[k].radii[i] : (float)(0.5 * inputs[k].spacing);
		}
	build->joined = (spate_surface_input){.count = (uint32_t)total,
					      .positions = build->positions,
					      .spacing = isfinite(finest) ? finest : 1.0,
					      .radii = alike ? NULL : build->radii};
	return SPATE_OK;
}

// Sorts and weighs all particles, and those of each fluid, for one grid.
static spate_result prepare(many_build *build, const spate_surface_input *inputs, const spate_surface_def *def,
			    spate_surface_stats *stats, spate_error *error)
{
	spate_result result = join_inputs(build, inputs, error);
	if (result != SPATE_OK)
		return result;
	build->def = *def;
	build->own = *def;
	build->own.method = SPATE_SURFACE_COLOR;
	build->own.kernel = 0.0;
	build->own.offset = 0.0;
	build->own.clip = 0;
	build->each = mem_calloc(build->fluids, sizeof *build->each);
	build->stats = mem_calloc(build->fluids, sizeof *build->stats);
	if (!build->each || !build->stats)
		return error_memory(error, build->fluids * sizeof *build->each);
	surface_build_init(&build->all, &build->joined, &build->def, stats);
	result = surface_build_points(&build->all, error);
	for (uint32_t k = 0; result == SPATE_OK && k < build->fluids; k++)
	{
		surface_build *each = &build->each[k];
		spate_surface_input own = inputs[k];
		own.spacing = spacing_of(&inputs[k]) > 0.0 ? spacing_of(&inputs[k]) : build->joined.spacing;
		surface_build_init(each, &own, &build->own, &build->stats[k]);
		result = surface_build_points(each, error);
		each->field.cell = build->all.field.cell;
	}
	stats->surface_particles = 0;
	surface_end_stage(&build->all, &stats->weights);
	return result;
}

// Takes ownership of the mesh.
static spate_result take_mesh(spate_surface_many **many, uint32_t fluids, chromatic_mesh *mesh, spate_error *error)
{
	spate_surface_many *m = *many = mem_calloc(1, sizeof *m);
	spate_mesh **list = mem_calloc(fluids, sizeof *list);
	if (!m || !list)
	{
		mem_free(list);
		return error_memory(error, sizeof *m + fluids * sizeof *list);
	}
	m->fluid_count = fluids;
	m->fluids = list;
	spate_result result = SPATE_OK;
	for (uint32_t k = 0; result == SPATE_OK && k < fluids; k++)
		result = chromatic_mesh_extract(mesh, (uint8_t)(k + 1), &m->fluids[k], error);
	m->combined = mesh->mesh;
	m->sides = (uint8_t *)mesh->sides;
	*mesh = (chromatic_mesh){0};
	return result;
}

static void measure(const spate_surface_many *many, spate_surface_stats *stats, int threads)
{
	surface_mesh all = {many->combined->vertex_count, many->combined->triangle_count,
			    (vec3 *)(void *)many->combined->positions, many->combined->triangles};
	stats->vertices = all.vertex_count;
	stats->triangles = all.triangle_count;
	stats->area = surface_area(&all, threads);
	for (uint32_t k = 0; k < many->fluid_count; k++)
	{
		spate_mesh *mesh = many->fluids[k];
		surface_mesh one = {mesh->vertex_count, mesh->triangle_count, (vec3 *)(void *)mesh->positions,
				    mesh->triangles};
		stats->volume += one.triangle_count ? surface_volume(&one, threads) : 0.0;
	}
}

// Marks the vertices that do not touch air.
static uint8_t *find_inner(const spate_surface_many *many)
{
	const spate_mesh *mesh = many->combined;
	uint8_t *inner = mem_alloc((size_t)mesh->vertex_count + 1);
	if (inner)
		memset(inner, 1, mesh->vertex_count);
	for (size_t k = 0; inner && k < 3 * (size_t)mesh->triangle_count; k++)
		inner[mesh->triangles[k]] &= many->sides[2 * (k / 3) + 1] != 0;
	return inner;
}

// Channels come from the fluid's own particles. Normals come from all particles where the surface touches air, as for a
// single liquid, so that shading shows no seam; elsewhere they come from the triangles.
static spate_result carry(spate_surface_many *many, uint32_t fluid, many_build *build, const uint8_t *inner,
			  spate_error *error)
{
	surface_build *all = &build->all, *each = &build->each[fluid];
	spate_mesh *mesh = many->fluids[fluid];
	spate_surface_input none = all->input;
	none.channel_count = 0;
	spate_result result =
	    surface_carry(mesh, &all->field, &none, build->def.normals, all->scratch, all->threads, error);
	if (result == SPATE_OK)
		result = surface_carry(mesh, &each->field, &each->input, SPATE_SURFACE_NORMALS_NONE, all->scratch,
				       all->threads, error);
	if (result != SPATE_OK || build->def.normals != SPATE_SURFACE_NORMALS_FIELD)
		return result;
	float *mean = mem_calloc((size_t)mesh->vertex_count + 1, 3 * sizeof *mean);
	uint8_t *used = mem_calloc((size_t)many->combined->vertex_count + 1, 1);
	if (!mean || !used)
		result = error_memory(error, mesh->vertex_count * 3 * sizeof *mean);
	else
	{
		surface_mesh_normals(mesh, mean);
		for (size_t k = 0; k < 3 * (size_t)many->combined->triangle_count; k++)
		{
			const uint8_t *sides = many->sides + 2 * (k / 3);
			used[many->combined->triangles[k]] |= sides[0] == fluid + 1 || sides[1] == fluid + 1;
		}
		// a fluid's vertices keep the order of the combined mesh
		float *normal = mesh->channels[0].values;
		for (uint32_t v = 0, at = 0; v < many->combined->vertex_count; at += used[v++])
			if (used[v] && inner[v])
				memcpy(normal + 3 * (size_t)at, mean + 3 * (size_t)at, 3 * sizeof *mean);
	}
	mem_free(mean);
	mem_free(used);
	return result;
}

// Cleans and smooths the contoured mesh, and creates the meshes of the fluids.
static spate_result finish(spate_surface_many **many, many_build *build, chromatic_mesh *mesh, spate_error *error)
{
	surface_build *all = &build->all;
	spate_surface_stats *stats = all->stats;
	double particle = pow((double)all->source.spacing, 3.0);
	spate_result result =
	    many_remove_parts(mesh, build->fluids, build->def.min_blob * particle, build->def.min_cavity * particle,
			      &stats->blobs, &stats->cavities, error);
	surface_end_stage(all, &stats->clean);
	if (result == SPATE_OK)
		result = many_smooth(mesh, build->fluids, build->def.smoothing, all->threads, error);
	many_mended mended = {0};
	if (result == SPATE_OK)
		result = many_mend(mesh, all->threads, &mended, error);
	stats->mended = mended.needles - mended.left;
	stats->needles = mended.left;
	surface_end_stage(all, &stats->smooth);
	if (result == SPATE_OK)
		result = take_mesh(many, build->fluids, mesh, error);
	uint8_t *inner = result == SPATE_OK ? find_inner(*many) : NULL;
	if (result == SPATE_OK && !inner)
		result = error_memory(error, (*many)->combined->vertex_count);
	for (uint32_t k = 0; result == SPATE_OK && k < build->fluids; k++)
		result = carry(*many, k, build, inner, error);
	if (result == SPATE_OK)
		measure(*many, stats, all->threads);
	mem_free(inner);
	surface_end_stage(all, &stats->attributes);
	return result;
}

static spate_result contour_grid(many_build *build, chromatic_mesh *mesh, spate_error *error)
{
	spate_surface_stats *stats = build->all.stats;
	many_grid grid;
	spate_result result = many_grid_init(&grid, build, error);
	surface_end_stage(&build->all, &stats->field);
	if (result != SPATE_OK)
		return result;
	stats->blocks = grid.blocks.count;
	stats->evaluated = grid.blocks.computed;
	result = many_grid_contour(&grid, mesh, build->all.threads, error);
	many_grid_free(&grid);
	surface_end_stage(&build->all, &stats->contour);
	return result;
}

// Uses the selected rows only, so that particles with non-finite positions are skipped here too.
static spate_result contour_particles(many_build *build, chromatic_mesh *mesh, spate_error *error)
{
	const surface_build *all = &build->all;
	uint32_t count = all->source.count, fluid = 0;
	float *places = mem_alloc(((size_t)count + 1) * 3 * sizeof *places);
	float *radii = mem_alloc(((size_t)count + 1) * sizeof *radii);
	uint8_t *fluids = mem_alloc((size_t)count + 1);
	spate_result result = SPATE_OK;
	if (!places || !radii || !fluids)
		result = error_memory(error, count * 17ull);
	for (uint32_t i = 0; result == SPATE_OK && i < count; i++)
	{
		uint32_t row = all->rows[i];
		while (row >= build->first[fluid + 1])
			fluid++;
		memcpy(places + 3 * (size_t)i, build->positions + 3 * (size_t)row, 3 * sizeof *places);
		radii[i] = build->radii[row];
		fluids[i] = (uint8_t)(fluid + 1);
	}
	chromatic_input input = {.dimension = 3,
				 .count = count,
				 .positions = places,
				 .fluids = fluids,
				 .radius = 0.5f * all->source.spacing,
				 .radii = build->joined.radii ? radii : NULL,
				 .smooth = 1,
				 .threads = all->threads};
	if (result == SPATE_OK)
		result = chromatic_interfaces(&input, mesh, error);
	mem_free(places);
	mem_free(radii);
	mem_free(fluids);
	surface_end_stage(&build->all, &all->stats->contour);
	return result;
}

typedef spate_result contour_way(many_build *build, chromatic_mesh *mesh, spate_error *error);

static spate_result make(spate_surface_many **many, uint32_t fluids, const spate_surface_input *inputs,
			 const spate_surface_def *def, spate_surface_stats *stats, contour_way *contour,
			 spate_error *error)
{
	*many = NULL;
	spate_surface_stats own;
	stats = stats ? stats : &own;
	*stats = (spate_surface_stats){0};
	spate_result result = check(fluids, inputs, def, error);
	if (result != SPATE_OK)
		return result;
	double begin = surface_clock();
	many_build build = {.fluids = fluids};
	chromatic_mesh mesh = {0};
	result = prepare(&build, inputs, def, stats, error);
	if (result == SPATE_OK)
		result = contour(&build, &mesh, error);
	if (result == SPATE_OK)
		result = finish(many, &build, &mesh, error);
	chromatic_mesh_free(&mesh);
	build_free(&build);
	if (result != SPATE_OK)
	{
		spate_surface_many_destroy(*many);
		*many = NULL;
	}
	stats->total = surface_clock() - begin;
	return result;
}

spate_result spate_surface_create_meshes(spate_surface_many **many, uint32_t fluids, const spate_surface_input *inputs,
					 const spate_surface_def *def, spate_surface_stats *stats, spate_error *error)
{
	return make(many, fluids, inputs, def, stats, contour_grid, error);
}

spate_result spate_surface_chromatic(spate_surface_many **many, uint32_t fluids, const spate_surface_input *inputs,
				     const spate_surface_def *def, spate_surface_stats *stats, spate_error *error)
{
	spate_surface_def plain = *def;
	plain.clip = 0;
	return make(many, fluids, inputs, &plain, stats, contour_particles, error);
}
