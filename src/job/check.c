// Checks a scene file and estimates what a run will cost.
#include "spate/check.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

spate_check_def spate_default_check_def(void)
{
	return (spate_check_def){.read_meshes = 1};
}

// Smoothing that a fluid's viscosity needs: coefficient c per substep, in rounds of limited strength. If too many rounds would be
// needed, the solver solves implicitly instead (solver/pbf_viscosity.c).
static spate_fluid_check check_fluid(const spate_scene *scene, uint32_t index, double substeps)
{
	static const double most_rounds = 20.0;
	const spate_fluid_def *fluid = &scene->world.fluids[index];
	double h = 2.0 * fluid->spacing, dt = 1.0 / (scene->world.fps * substeps);
	double c = fluid->damping >= 0.0 ? fluid->damping : 22.0 * fluid->viscosity * dt / (h * h);
	int pairwise = scene->world.solver.viscosity_model == SPATE_VISCOSITY_PAIRWISE;
	double rounds = fmax(1.0, ceil(pairwise ? c * 5.4 / 2.0 : c / 0.5));
	return (spate_fluid_check){spate_scene_estimate_fluid(scene, index), c, rounds, rounds > most_rounds};
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
