// The pipeline from particles to a mesh:
//
//	choose      selects the particles that take part: finite, and near the box
//	calibrate   finds where the method puts the surface of a lattice
//	sort        sorts particles by cell
//	weigh       computes 1 / w, finds particles near the surface; shapes of anisotropic kernels
//	refine      adds particles between those of the surface, if requested
//	blocks      creates the sparse grid around them
//	field       computes the values at its points
//	contour     turns signs and values into triangles
//	clean       removes parts that are too small
//	smooth, decimate
//	attributes  normals and channels at the vertices
#include "spate/surface.h"

#include "base/error.h"
#include "surface/build.h"
#include "surface/finish.h"

#include <string.h>

spate_surface_def spate_default_surface_def(void)
{
	return (spate_surface_def){
	    .method = SPATE_SURFACE_DENSITY, .cell = 0.75, .smoothing = 5, .normals = SPATE_SURFACE_NORMALS_FIELD};
}

// Working data of one surface.
typedef struct build
{
	surface_build base;
	surface_blocks blocks;
	surface_mesh mesh;
} build;

static spate_result find_surface(build *b, spate_error *error)
{
	spate_surface_stats *stats = b->base.stats;
	spate_result result = surface_blocks_init(&b->blocks, &b->base.field, b->base.threads, error);
	surface_end_stage(&b->base, &stats->blocks_time);
	if (result == SPATE_OK)
		result = surface_blocks_compute(&b->blocks, &b->base.field, b->base.scratch, b->base.threads, error);
	stats->blocks = b->blocks.count;
	stats->evaluated = b->blocks.computed;
	surface_end_stage(&b->base, &stats->field);
	if (result == SPATE_OK)
		result = surface_contour(&b->mesh, &b->blocks, b->base.threads, error);
	surface_blocks_free(&b->blocks);
	surface_end_stage(&b->base, &stats->contour);
	return result;
}

static spate_result improve_mesh(build *b, spate_error *error)
{
	spate_surface_stats *stats = b->base.stats;
	double particle = pow((double)b->base.source.spacing, 3.0);
	spate_result result =
	    surface_remove_parts(&b->mesh, b->base.def->min_blob * particle, b->base.def->min_cavity * particle,
				 &stats->blobs, &stats->cavities, error);
	surface_end_stage(&b->base, &stats->clean);
	if (result == SPATE_OK)
		result = surface_smooth(&b->mesh, b->base.def->smoothing, b->base.threads, error);
	surface_end_stage(&b->base, &stats->smooth);
	if (result == SPATE_OK)
		result = surface_decimate(&b->mesh, b->base.def->decimate, error);
	surface_end_stage(&b->base, &stats->decimate);
	return result;
}

static spate_result hand_over(build *b, spate_mesh **mesh, spate_error *error)
{
	spate_surface_stats *stats = b->base.stats;
	spate_result result = spate_mesh_create(mesh, 0, 0, error);
	if (result != SPATE_OK)
		return result;
	stats->vertices = b->mesh.vertex_count;
	stats->triangles = b->mesh.triangle_count;
	if (b->mesh.triangle_count)
	{
		stats->volume = surface_volume(&b->mesh, b->base.threads);
		stats->area = surface_area(&b->mesh, b->base.threads);
		// the mesh takes over the arrays
		mem_free((*mesh)->positions);
		mem_free((*mesh)->triangles);
		(*mesh)->positions = &b->mesh.positions->x;
		(*mesh)->triangles = b->mesh.triangles;
		(*mesh)->vertex_count = b->mesh.vertex_count;
		(*mesh)->triangle_count = b->mesh.triangle_count;
		b->mesh = (surface_mesh){0};
	}
	result = surface_carry(*mesh, &b->base.field, &b->base.input, b->base.def->normals, b->base.scratch,
			       b->base.threads, error);
	surface_end_stage(&b->base, &b->base.stats->attributes);
	if (result != SPATE_OK)
	{
		spate_mesh_destroy(*mesh);
		*mesh = NULL;
	}
	return result;
}

spate_result spate_surface_create_mesh(spate_mesh **mesh, const spate_surface_input *input,
				       const spate_surface_def *def, spate_surface_stats *stats, spate_error *error)
{
	*mesh = NULL;
	spate_surface_stats own;
	stats = stats ? stats : &own;
	*stats = (spate_surface_stats){0};
	spate_result result = surface_check_input(input, error);
	if (result == SPATE_OK)
		result = surface_check_def(def, error);
	if (result != SPATE_OK)
		return result;
	double begin = surface_clock();
	build b = {0};
	surface_build_init(&b.base, input, def, stats);
	result = surface_build_points(&b.base, error);
	if (result == SPATE_OK)
		result = find_surface(&b, error);
	if (result == SPATE_OK)
		result = improve_mesh(&b, error);
	if (result == SPATE_OK)
		result = hand_over(&b, mesh, error);
	surface_mesh_free(&b.mesh);
	surface_blocks_free(&b.blocks);
	surface_build_free(&b.base);
	stats->total = surface_clock() - begin;
	return result;
}
