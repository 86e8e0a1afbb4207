// Checks a scene file and estimates what a run will cost.
#include "spate/check.h"

#include "base/error.h"
#include "base/memory.h"
#include "solver/solver.h"
#include "solver/viscosity.h"

#include <math.h>

spate_check_def spate_default_check_def(void)
{
	return (spate_check_def){.read_meshes = 1};
}

// Smoothing that a fluid's viscosity needs, and the viscosity that the solver adds.
static spate_fluid_check check_fluid(const spate_scene *scene, uint32_t index, double substeps)
{
	const spate_world_def *world = &scene->world;
	const spate_fluid_def *fluid = &world->fluids[index];
	double radius = solver_table(world->solver.type)->radius * fluid->spacing;
	spate_fluid_check check = {.particles = spate_scene_estimate_fluid(scene, index)};
	check.coefficient =
	    viscosity_coefficient(fluid->viscosity, fluid->damping, radius, 1.0 / (world->fps * substeps));
	check.rounds = viscosity_rounds_for(check.coefficient, &world->solver, &check.implicit);
	const double *g = world->gravity;
	check.numerical = solver_table(world->solver.type)
			      ->numerical_viscosity(fluid, sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]),
						    1.0 / (world->fps * substeps));
	return check;
}

static spate_result estimate(spate_check *check, spate_error *error)
{
	const spate_world_def *world = &check->scene.world;
	check->fluids = mem_calloc(world->fluid_count + 1u, sizeof *check->fluids);
	if (!check->fluids)
		return error_memory(error, world->fluid_count * sizeof *check->fluids);
	spate_scene_estimate(&check->scene, &check->estimate);
	for (uint32_t f = 0; f < world->fluid_count; f++)
		check->fluids[f] = check_fluid(&check->scene, f, check->estimate.substeps);
	for (uint32_t c = 0; c < world->collider_count; c++)
	{
		const spate_mesh_report *mesh = spate_scene_mesh_report(&check->scene, c);
		check->field_bytes += mesh ? mesh->field_bytes : 0.0;
	}
	check->valid = 1;
	return SPATE_OK;
}

spate_result spate_check_run(const spate_check_def *def, spate_check *check, spate_error *error)
{
	if (!def || !def->path || !check)
		return error_set(error, SPATE_INVALID, "spate_check_run needs a path and a place for the result");
	*check = (spate_check){0};
	spate_result result =
	    spate_scene_load(&check->scene, def->path, def->overrides, def->override_count, &check->problems, error);
	if (result == SPATE_OK && def->read_meshes)
		result = spate_scene_read_meshes(&check->scene, &check->problems, error);
	if (result == SPATE_OK)
		result = estimate(check, error);
	if (result != SPATE_OK && result != SPATE_SCENE)
		spate_check_free(check);
	return result;
}

void spate_check_free(spate_check *check)
{
	if (!check)
		return;
	spate_problems_free(&check->problems);
	spate_scene_free(&check->scene);
	mem_free(check->fluids);
	*check = (spate_check){0};
}
