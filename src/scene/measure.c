#include "scene/measure.h"

#include "collider/region.h"
#include "scene/starts.h"
#include "source/opening.h"

#include <math.h>

static double axis_length(const spate_shape *shape)
{
	return hypot(hypot(shape->b[0] - shape->a[0], shape->b[1] - shape->a[1]), shape->b[2] - shape->a[2]);
}

double shape_width(const spate_shape *shape)
{
	switch (shape->type)
	{
	case SPATE_SHAPE_BOX:
		return fmin(fmin(shape->b[0] - shape->a[0], shape->b[1] - shape->a[1]), shape->b[2] - shape->a[2]);
	case SPATE_SHAPE_SPHERE:
	case SPATE_SHAPE_CAPSULE:
		return 2.0 * shape->radius;
	case SPATE_SHAPE_CYLINDER:
		return fmin(2.0 * shape->radius, axis_length(shape));
	case SPATE_SHAPE_ELLIPSOID:
		return 2.0 * fmin(fmin(shape->b[0], shape->b[1]), shape->b[2]);
	case SPATE_SHAPE_UNION:
	case SPATE_SHAPE_DIFFERENCE:
		return shape->part_count > 0 ? shape_width(&shape->parts[0]) : INFINITY;
	default:
		return INFINITY;
	}
}

int source_gives(const spate_source_def *source, uint32_t fluid)
{
	return source->fluid == fluid || (source->from && source->fluid == SPATE_FLUID_BY_NAME);
}

double source_particles(const spate_source_def *source, const spate_fluid_def *fluid, double time)
{
	double cell = fluid->spacing * fluid->spacing * fluid->spacing;
	if (time < source->start || !(cell > 0.0) || source->from)
		return 0.0;
	if (source->type == SPATE_SOURCE_FILL)
	{
		double room = region_volume(&source->shape, source->level_up, source->level) / cell;
		return source->limit > 0 ? fmin(room, (double)source->limit) : room;
	}
	double end = source->stop >= 0.0 ? fmin(source->stop, time) : time;
	double flow = source->flow >= 0.0 || source->count > 0 || source->type == SPATE_SOURCE_VOLUME
			  ? emitter_flow(source, fluid->spacing)
			  : emitter_speed(source, fluid->spacing) * emitter_area(source, fluid->spacing);
	double poured = flow * fmax(0.0, end - source->start) / cell;
	return source->limit > 0 ? fmin(poured, (double)source->limit) : poured;
}

double scene_particles(const spate_scene *scene, uint32_t fluid)
{
	const spate_world_def *world = &scene->world;
	double particles = 0.0, end = scene->frames / world->fps;
	for (uint32_t i = 0; i < world->source_count; i++)
		if (world->sources[i].from)
			particles += starts_particles(scene, i, fluid);
		else if (world->sources[i].fluid == fluid && fluid < world->fluid_count)
			particles += source_particles(&world->sources[i], &world->fluids[fluid], end);
	return particles;
}
