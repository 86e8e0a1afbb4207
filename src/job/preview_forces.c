// Pictures of forces: arrows on a grid over the bounds of the scene, instead of particles.
#include "base/error.h"
#include "collider/shape.h"
#include "force/region.h"
#include "job/preview.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum
{
	ARROWS = 700, // about so many places
	TIP = 4       // capsules that make the tip of an arrow
};

// Arrows shorter than this share of the longest are left out.
static const float shortest = 0.02f;

static void include(spate_preview *s, const double a[3], const double b[3])
{
	for (int k = 0; k < 3; k++)
	{
		s->low[k] = fmin(s->low[k], a[k]);
		s->high[k] = fmax(s->high[k], b[k]);
	}
}

// The box around containers, fills and emitters; without any, around the shapes of the forces.
void preview_bound_forces(spate_preview *s)
{
	const spate_world_def *world = &s->scene.world;
	double a[3], b[3];
	for (uint32_t n = 0; n < world->source_count; n++)
	{
		const spate_source_def *source = &world->sources[n];
		if (source->type == SPATE_SOURCE_EMITTER)
			include(s, source->position, source->position);
		else if (shape_bounds(&source->shape, a, b))
			include(s, a, b);
	}
	for (uint32_t n = 0; n < world->force_count && s->low[0] > s->high[0]; n++)
		if (region_is_limited(&world->forces[n]) && shape_bounds(&world->forces[n].shape, a, b))
			include(s, a, b);
	for (int k = 0; k < 3 && s->low[0] > s->high[0]; k++)
	{
		s->low[k] = -0.5;
		s->high[k] = 0.5;
	}
}

spate_result preview_make_forces(spate_preview *s, spate_error *error)
{
	const spate_world_def *world = &s->scene.world;
	if (!s->has_scene)
		return error_set(error, SPATE_INVALID, "`forces` needs a scene file or the directory of a run");
	if (world->force_count == 0)
		return error_set(error, SPATE_INVALID,
				 "the scene has no forces besides gravity, so there is nothing to draw");
	return force_assets_make(&s->force_assets, world, error);
}

void preview_free_forces(spate_preview *s)
{
	force_assets_free(s->force_assets, s->scene.world.forces, s->scene.world.force_count);
	s->force_assets = NULL;
}

// Places per axis, and the distance between them (m).
static double choose_grid(const spate_preview *s, uint32_t counts[3])
{
	double size[3], volume = 1.0, widest = 0.0;
	for (int k = 0; k < 3; k++)
		widest = fmax(widest, s->high[k] - s->low[k]);
	for (int k = 0; k < 3; k++)
	{
		size[k] = fmax(s->high[k] - s->low[k], 0.02 * widest);
		volume *= size[k];
	}
	double step = cbrt(volume / ARROWS);
	for (int k = 0; k < 3; k++)
		counts[k] = (uint32_t)fmax(1.0, round(size[k] / step));
	return step;
}

// A rod from `from` with a tip that gets thinner towards the end.
static int add_arrow(spate_preview *s, vec3 from, vec3 way, float thick, vec3 colour)
{
	draw_shape rod = {.type = DRAW_CAPSULE, .a = from, .radius = thick, .colour = colour};
	rod.b = vec3_add_scaled(from, way, 0.7f);
	int added = array_push(&s->shapes, rod);
	for (int k = 0; k < TIP && added; k++)
	{
		float start = 0.64f + 0.36f * (float)k / TIP, end = 0.64f + 0.36f * (float)(k + 1) / TIP;
		draw_shape part = rod;
		part.radius = thick * (0.5f + 2.0f * (float)(TIP - k) / TIP);
		part.a = vec3_add_scaled(from, way, start);
		part.b = vec3_add_scaled(from, way, end);
		added = array_push(&s->shapes, part);
	}
	return added;
}

// Fills, as outlines: a scene file has no particles to show.
static int add_fills(spate_preview *s, const double origin[3])
{
	static const draw_shape_type types[SPATE_SHAPE_COUNT] = {[SPATE_SHAPE_BOX] = DRAW_BOX,
								 [SPATE_SHAPE_SPHERE] = DRAW_SPHERE,
								 [SPATE_SHAPE_CAPSULE] = DRAW_CAPSULE,
								 [SPATE_SHAPE_CYLINDER] = DRAW_CYLINDER};
	const spate_world_def *world = &s->scene.world;
	int added = 1;
	for (uint32_t n = 0; n < world->source_count && added; n++)
	{
		const spate_source_def *source = &world->sources[n];
		if (source->type != SPATE_SOURCE_FILL || source->shape.type == SPATE_SHAPE_PLANE)
			continue;
		solid_shape solid = shape_make(&source->shape, origin);
		added = array_push(&s->shapes, ((draw_shape){.type = types[source->shape.type],
							     .a = solid.a,
							     .b = solid.b,
							     .radius = solid.radius,
							     .container = 1,
							     .colour = s->colours[source->fluid]}));
	}
	return added;
}

spate_result preview_add_forces(spate_preview *s, const double origin[3], double time, float *largest,
				spate_error *error)
{
	force_set set;
	uint32_t counts[3];
	double step = choose_grid(s, counts);
	force_set_make(&set, &s->scene.world, s->force_assets, NULL, 0, 0.0);
	size_t count = (size_t)counts[0] * counts[1] * counts[2];
	vec4 *places = mem_calloc(count, sizeof *places), *still = mem_calloc(count, sizeof *still);
	vec3 *field = mem_calloc(count, sizeof *field);
	int made = places && still && field && (!s->single || add_fills(s, origin));
	for (size_t i = 0; i < count && made; i++)
	{
		const size_t at[3] = {i / ((size_t)counts[1] * counts[2]), i / counts[2] % counts[1], i % counts[2]};
		float p[3];
		for (int k = 0; k < 3; k++)
			p[k] = (float)(s->low[k] + (s->high[k] - s->low[k]) * ((double)at[k] + 0.5) / counts[k] -
				       origin[k]);
		places[i] = (vec4){p[0], p[1], p[2], 0};
	}
	*largest = 0.0f;
	for (size_t first = 0; first < count && made; first += FORCE_ROWS)
	{
		force_rows rows = {.count = count - first < FORCE_ROWS ? count - first : FORCE_ROWS,
				   .positions = places + first,
				   .velocities = still + first,
				   .origin = origin,
				   .time = time};
		force_set_field(&set, &rows, field + first);
		for (size_t k = first; k < first + rows.count; k++)
			if (vec3_is_finite(field[k]))
				*largest = fmaxf(*largest, vec3_length(field[k]));
	}
	for (size_t i = 0; i < count && made && *largest > 0.0f; i++)
	{
		float share = vec3_length(field[i]) / *largest;
		if (!vec3_is_finite(field[i]) || share < shortest)
			continue;
		vec3 way = vec3_scale(field[i], 0.9f * (float)step / *largest);
		vec3 from = vec3_add_scaled(vec3_make(places[i].x, places[i].y, places[i].z), way, -0.5f);
		// thin ones stay visible
		float thick = (float)step * (0.012f + 0.018f * share);
		made = add_arrow(s, from, way, thick, colormap_sample((colormap)preview_map(s), share));
	}
	mem_free(places);
	mem_free(still);
	mem_free(field);
	return made ? SPATE_OK : error_memory(error, count * sizeof(draw_shape));
}
