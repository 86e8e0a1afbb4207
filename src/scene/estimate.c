// How large and how long a run will be, guessed from volumes and speeds.
#include "collider/shape.h"
#include "scene/measure.h"

#include <math.h>

// Kernel radii per spacing, and the travel per substep that each quality allows.
static const double kernel_spacings = 2.0;
static const double cfl_of[SPATE_QUALITY_COUNT] = {0.4, 0.25, 0.1};

static double length_of(const double v[3])
{
	return hypot(hypot(v[0], v[1]), v[2]);
}

// Lowest and highest place of a shape along `up`, as far as it is bounded.
static void extend(double *low, double *high, const spate_shape *def, const double up[3])
{
	double corner[2][3];
	if (!shape_bounds(def, corner[0], corner[1]))
		return;
	for (unsigned i = 0; i < 8; i++)
	{
		double h = 0.0;
		for (unsigned axis = 0; axis < 3; axis++)
			h += up[axis] * corner[i >> axis & 1][axis];
		*low = fmin(*low, h);
		*high = fmax(*high, h);
	}
}

// Fastest that the liquid may get: a fall from the highest source to the lowest place, or what sources and walls bring.
static double guess_speed(const spate_scene *scene)
{
	const spate_world_def *world = &scene->world;
	double gravity = length_of(world->gravity), speed = 0.0;
	double up[3] = {0}, low = INFINITY, high = -INFINITY, unused = -INFINITY;
	for (int i = 0; i < 3 && gravity > 0.0; i++)
		up[i] = -world->gravity[i] / gravity;
	for (uint32_t i = 0; i < world->source_count; i++)
	{
		const spate_source_def *s = &world->sources[i];
		spate_shape point = {.type = SPATE_SHAPE_SPHERE, .a = {s->position[0], s->position[1], s->position[2]}};
		extend(&low, &high, s->type == SPATE_SOURCE_FILL ? &s->shape : &point, up);
		speed = fmax(speed, s->type == SPATE_SOURCE_FILL ? length_of(s->velocity) : s->speed);
	}
	for (uint32_t i = 0; i < world->collider_count; i++)
	{
		const spate_collider_def *c = &world->colliders[i];
		const spate_mesh_report *mesh = spate_scene_mesh_report(scene, i);
		spate_shape box = {.type = SPATE_SHAPE_BOX};
		for (int k = 0; k < 3 && mesh; k++)
			box.a[k] = mesh->low[k], box.b[k] = mesh->high[k];
		if (mesh || (c->mode == SPATE_COLLIDER_INSIDE && !c->mesh.path))
			extend(&low, &unused, mesh ? &box : &c->shape, up);
		speed = fmax(speed, 6.2831853 * c->motion.frequency * c->motion.amplitude);
	}
	return high > low ? sqrt(speed * speed + 2.0 * gravity * (high - low)) : speed;
}

static double guess_substeps(const spate_scene *scene)
{
	const spate_world_def *world = &scene->world;
	const spate_solver_def *solver = &world->solver;
	if (solver->substeps > 0)
		return solver->substeps;
	double spacing = INFINITY;
	for (uint32_t i = 0; i < world->fluid_count; i++)
		spacing = fmin(spacing, world->fluids[i].spacing);
	double cfl = solver->cfl > 0.0 ? solver->cfl : cfl_of[solver->quality];
	double travel = guess_speed(scene) / world->fps;
	return fmin(fmax(1.0, ceil(travel / (cfl * kernel_spacings * spacing))), solver->max_substeps);
}

double spate_scene_estimate_fluid(const spate_scene *scene, uint32_t fluid)
{
	const spate_world_def *world = &scene->world;
	double particles = 0.0, end = scene->frames / world->fps;
	for (uint32_t i = 0; i < world->source_count; i++)
		if (world->sources[i].fluid == fluid && fluid < world->fluid_count)
			particles += source_particles(&world->sources[i], &world->fluids[fluid], end);
	return particles;
}

void spate_scene_estimate(const spate_scene *scene, spate_estimate *estimate)
{
	enum
	{
		SAMPLES = 256 // of the particle count over the run
	};
	const spate_world_def *world = &scene->world;
	double end = scene->frames / world->fps, average = 0.0;
	for (uint32_t i = 0; i < world->source_count; i++)
		for (int k = 0; k < SAMPLES && world->sources[i].fluid < world->fluid_count; k++)
			average += source_particles(&world->sources[i], &world->fluids[world->sources[i].fluid],
						    end * (k + 0.5) / SAMPLES) /
				   SAMPLES;
	*estimate = (spate_estimate){.substeps = guess_substeps(scene)};
	for (uint32_t i = 0; i < world->fluid_count; i++)
		estimate->particles += spate_scene_estimate_fluid(scene, i);
	estimate->bytes = estimate->particles * SPATE_ESTIMATE_BYTES;
	estimate->particle_substeps = average * scene->frames * estimate->substeps;
	estimate->seconds = estimate->particle_substeps * SPATE_ESTIMATE_NS * 1e-9;
}
