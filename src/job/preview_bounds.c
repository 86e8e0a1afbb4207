// The box that the automatic camera sees: a function of the scene and of the first frame of the run, whichever frames there are or are drawn.
#include "base/error.h"
#include "cache/frame_poses.h"
#include "collider/region.h"
#include "job/preview.h"
#include "source/opening.h"

#include <string.h>

enum
{
	TIMES = 8,       // of the run, at which moving colliders are looked at
	PATH_STEPS = 16, // of the way of falling liquid
	SAMPLES = 20000  // particles sampled in a frame
};

// Fraction of particles ignored at either end, so that a few stray drops do not change the camera.
static const double stray_places = 0.0005;
// Liquid that falls freely is followed for so long (s).
static const double longest_fall = 1.0;
// How far liquid spreads on a floor to each side, by the height that it comes from.
static const double spreading = 1.0;

static void grow(spate_preview *s, const double p[3])
{
	for (int k = 0; k < 3; k++)
	{
		s->low[k] = fmin(s->low[k], p[k]);
		s->high[k] = fmax(s->high[k], p[k]);
	}
}

// -------------------------------------------------------------------------------------------------------------- colliders

static void grow_by_mesh(spate_preview *s, const draw_mesh *mesh)
{
	vec3 low, high;
	if (!draw_mesh_bounds(mesh, 1, &low, &high))
		return;
	grow(s, (double[3]){(double)low.x, (double)low.y, (double)low.z});
	grow(s, (double[3]){(double)high.x, (double)high.y, (double)high.z});
}

static void grow_by_collider(spate_preview *s, uint32_t index, double time)
{
	static const double zero[3];
	const spate_collider_def *c = &s->scene.world.colliders[index];
	double corner[2][3];
	draw_mesh mesh;
	if (c->mesh.path)
	{
		if (preview_collider_mesh(s, index, zero, time, &mesh))
			grow_by_mesh(s, &mesh);
		return;
	}
	if (!shape_bounds(&c->shape, corner[0], corner[1]))
		return;
	rigid pose = preview_pose(s, index, zero);
	for (unsigned i = 0; i < 8; i++)
	{
		vec3 p = rigid_to_world(&pose, vec3_make((float)corner[i & 1][0], (float)corner[i >> 1 & 1][1],
							 (float)corner[i >> 2 & 1][2]));
		grow(s, (double[3]){(double)p.x, (double)p.y, (double)p.z});
	}
}

// Whether a collider is a container of finite size.
static int is_container(const spate_collider_def *c)
{
	return c->mode == SPATE_COLLIDER_INSIDE && (c->mesh.path || c->shape.type != SPATE_SHAPE_PLANE);
}

static int has_container(const spate_world_def *world)
{
	int contained = 0;
	for (uint32_t c = 0; c < world->collider_count; c++)
		contained |= is_container(&world->colliders[c]);
	return contained;
}

// Containers, or else all colliders, as their poses are placed.
static void grow_by_colliders(spate_preview *s, double time)
{
	const spate_world_def *world = &s->scene.world;
	int contained = has_container(world);
	for (uint32_t c = 0; c < world->collider_count; c++)
		if (!contained || world->colliders[c].mode == SPATE_COLLIDER_INSIDE)
			grow_by_collider(s, c, time);
}

static void no_box(spate_preview *s)
{
	for (int k = 0; k < 3; k++)
	{
		s->low[k] = INFINITY;
		s->high[k] = -INFINITY;
	}
}

// The floor is below the box in view, and below what stands under containers at the beginning: a table does, but not a rock that reaches
// through the bottom of a tank.
static void lower_floor(spate_preview *s)
{
	const spate_world_def *world = &s->scene.world;
	double low[3], high[3];
	memcpy(low, s->low, sizeof low);
	memcpy(high, s->high, sizeof high);
	int up = s->scene.up == SPATE_UP_Z ? 2 : 1;
	for (uint32_t c = 0; c < world->collider_count; c++)
	{
		no_box(s);
		grow_by_collider(s, c, 0.0);
		int apart = 0;
		for (int k = 0; k < 3; k++)
			apart |= s->low[k] > high[k] - 1e-6 || s->high[k] < low[k] + 1e-6;
		if (apart && s->low[up] < s->floor)
			s->floor = s->low[up];
	}
	memcpy(s->low, low, sizeof low);
	memcpy(s->high, high, sizeof high);
}

// ----------------------------------------------------------------------------------------------------------------- liquid

// Height of a place against gravity, in m^2/s^2; any length of gravity will do.
static double height_of(const spate_world_def *world, const double p[3])
{
	return -(world->gravity[0] * p[0] + world->gravity[1] * p[1] + world->gravity[2] * p[2]);
}

// The highest plane below a place: how deep it is, in m. INFINITY for none.
static double depth_of_floor(const spate_world_def *world, const double p[3])
{
	const double *g = world->gravity;
	double strength = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), nearest = INFINITY;
	for (uint32_t c = 0; c < world->collider_count && strength > 0.0; c++)
	{
		const spate_shape *shape = &world->colliders[c].shape;
		double distance = 0.0, length = 0.0, along = 0.0;
		if (world->colliders[c].mesh.path || shape->type != SPATE_SHAPE_PLANE)
			continue;
		for (int k = 0; k < 3; k++)
		{
			length += shape->b[k] * shape->b[k];
			distance += shape->b[k] * (p[k] - shape->a[k]);
			along -= shape->b[k] * g[k] / strength;
		}
		// its normal points to the liquid; a wall is no floor
		if (along > 0.5 * sqrt(length) && distance >= 0.0)
			nearest = fmin(nearest, distance / along);
	}
	return nearest;
}

// Follows liquid that flies from a place, down to the floor, on which it spreads; or for a while.
static void grow_by_flight(spate_preview *s, const double from[3], const double velocity[3], double duration)
{
	const spate_world_def *world = &s->scene.world;
	const double *g = world->gravity;
	double strength = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), highest = height_of(world, from);
	double floor = depth_of_floor(world, from), speed = 0.0, rise = 0.0;
	for (int k = 0; k < 3; k++)
	{
		speed += velocity[k] * velocity[k];
		rise -= strength > 0.0 ? velocity[k] * g[k] / strength : 0.0;
	}
	double until = fmin(duration, longest_fall);
	int lands = isfinite(floor);
	if (lands)
		until = fmin(duration, (rise + sqrt(fmax(0.0, rise * rise + 2.0 * strength * floor))) / strength);
	else if (!(speed > 0.0))
		until = 0.0;
	for (int i = 0; i <= PATH_STEPS; i++)
	{
		double t = until * i / PATH_STEPS, p[3];
		for (int k = 0; k < 3; k++)
			p[k] = from[k] + velocity[k] * t + 0.5 * g[k] * t * t;
		grow(s, p);
		highest = fmax(highest, height_of(world, p));
		if (i < PATH_STEPS || !lands)
			continue;
		double wide = spreading * (highest - height_of(world, p)) / strength;
		for (int side = -1; side <= 1; side += 2)
		{
			double q[3];
			for (int k = 0; k < 3; k++)
				q[k] = p[k] + side * wide * (1.0 - fabs(g[k]) / strength);
			grow(s, q);
		}
	}
}

static void grow_by_source(spate_preview *s, const spate_source_def *source, double end)
{
	double corner[2][3], duration = fmax(0.0, end - source->start), length = 0.0;
	if (source->type == SPATE_SOURCE_EMITTER)
	{
		double velocity[3], spacing = s->scene.world.fluids[source->fluid].spacing;
		for (int k = 0; k < 3; k++)
			length += source->direction[k] * source->direction[k];
		for (int k = 0; k < 3; k++)
			velocity[k] = source->direction[k] / sqrt(length) * emitter_fastest(source, spacing);
		grow_by_flight(s, source->position, velocity, duration);
		return;
	}
	if (shape_is_unread(&source->shape) || !shape_bounds(&source->shape, corner[0], corner[1]))
		return;
	for (unsigned i = 0; i < 8; i++)
		grow_by_flight(s, (double[3]){corner[i & 1][0], corner[i >> 1 & 1][1], corner[i >> 2 & 1][2]},
			       source->velocity, duration);
}

static void grow_by_particles(spate_preview *s, const preview_points *frame)
{
	const void *data;
	spate_type type;
	double corner[2][3];
	if (preview_points_channel(frame, "position", &type, &data, NULL) != SPATE_OK || type != SPATE_VEC3)
		return;
	for (int k = 0; k < 3; k++)
	{
		float low, high;
		if (!preview_spread((const float *)data + k, (size_t)frame->count, 3, SAMPLES, stray_places, &low,
				    &high))
			return;
		corner[0][k] = frame->origin[k] + (double)low - (double)s->radii[0];
		corner[1][k] = frame->origin[k] + (double)high + (double)s->radii[0];
	}
	grow(s, corner[0]);
	grow(s, corner[1]);
}

// The first frame of the run, also where surfaces are drawn. It is not there after a failure, which counts only if it is one of memory.
static spate_result open_first(const spate_preview *s, preview_points *frame, spate_error *error)
{
	run_numbers frames = {0};
	spate_error why = {0};
	run_path path = {0};
	*frame = (preview_points){0};
	if (!s->surfaces)
		path = preview_sequence_path(s, 0);
	else if (!s->single && run_list_frames(s->def.input, &frames, NULL) == SPATE_OK && frames.count > 0)
		path = run_frame_path(s->def.input, frames.data[0]);
	array_free(&frames);
	if (path.text[0] && preview_points_open(frame, path.text, &why) != SPATE_OK && why.code == SPATE_MEMORY)
		return error_set(error, SPATE_MEMORY, "%s", why.text);
	return SPATE_OK;
}

// Whether a pose is not that of a motion, because a program gave it.
static int is_driven(const spate_pose *pose, const spate_pose *motion)
{
	int same = 1;
	for (int k = 0; k < 3; k++)
		same &= fabs(pose->position[k] - motion->position[k]) <= 1e-6;
	for (int k = 0; k < 4; k++)
		same &= fabs(pose->rotation[k] - motion->rotation[k]) <= 1e-6;
	return !same;
}

// Colliders where their motions bring them during the run, or where the first frame says that a program held them.
static spate_result grow_by_motions(spate_preview *s, const preview_points *first, double end, spate_error *error)
{
	const spate_world_def *world = &s->scene.world;
	uint32_t count = world->collider_count;
	if (!s->has_scene || count == 0)
		return SPATE_OK;
	spate_pose *there = mem_alloc(count * sizeof *there);
	int *driven = mem_calloc(count, sizeof *driven);
	if (!there || !driven || !array_reserve(&s->poses, count))
	{
		mem_free(there);
		mem_free(driven);
		return error_memory(error, count * sizeof *there);
	}
	int known = first->frame &&
		    frame_poses_read(first->frame, world->colliders, count, first->time, there, NULL) == SPATE_OK &&
		    frame_poses_read(NULL, world->colliders, count, first->time, s->poses.data, NULL) == SPATE_OK;
	for (uint32_t c = 0; c < count && known; c++)
		driven[c] = is_driven(&there[c], &s->poses.data[c]);
	for (int i = 0; i < TIMES; i++)
	{
		double time = end * i / (TIMES - 1);
		if (frame_poses_read(NULL, world->colliders, count, time, s->poses.data, NULL) != SPATE_OK)
			continue;
		for (uint32_t c = 0; c < count; c++)
			if (driven[c])
				s->poses.data[c] = there[c];
		grow_by_colliders(s, time);
		if (i == 0 && has_container(world))
			lower_floor(s);
	}
	mem_free(there);
	mem_free(driven);
	return SPATE_OK;
}

// Reads the meshes of fills, whose size is not in the scene. Whether all are known.
static int know_fills(spate_preview *s)
{
	int unread = 0;
	const spate_world_def *world = &s->scene.world;
	for (uint32_t n = 0; n < world->source_count; n++)
		unread |= world->sources[n].type == SPATE_SOURCE_FILL && shape_is_unread(&world->sources[n].shape);
	spate_problems problems = {0};
	int known = !unread || spate_scene_read_fills(&s->scene, &problems, NULL) == SPATE_OK;
	spate_problems_free(&problems);
	return known;
}

// Where the liquid goes, by the scene; what the scene does not tell, by the first frame.
static void grow_by_liquid(spate_preview *s, const preview_points *first, double end)
{
	const spate_world_def *world = &s->scene.world;
	int known = know_fills(s);
	for (uint32_t n = 0; n < world->source_count; n++)
		grow_by_source(s, &world->sources[n], end);
	if (world->source_count > 0 && known)
		return;
	if (first->count > 0)
		grow_by_particles(s, first);
	else if (s->surfaces && preview_read_surfaces(s, 0, NULL) == SPATE_OK)
		for (size_t i = 0; i < s->surfaces_read.count; i++)
			grow_by_mesh(s, &(draw_mesh){.model = &s->surfaces_read.data[i].of.model});
}

// ------------------------------------------------------------------------------------------------------------- the whole

spate_result preview_find_bounds(spate_preview *s, spate_error *error)
{
	double end = s->has_scene ? s->scene.frames / s->scene.world.fps : 0.0;
	int contained = has_container(&s->scene.world);
	preview_points first = {0};
	spate_result result = s->def.forces && s->single ? SPATE_OK : open_first(s, &first, error);
	if (result == SPATE_OK)
		result = grow_by_motions(s, &first, end, error);
	if (result == SPATE_OK && !contained && s->def.forces)
		preview_bound_forces(s);
	else if (result == SPATE_OK && !contained)
		grow_by_liquid(s, &first, end);
	preview_points_close(&first);
	return result;
}
