// Reads and measures the meshes of a scene: size, whether closed; and warns about those that are probably a mistake.
#include "base/build.h"
#include "base/error.h"
#include "collider/collider.h"
#include "collider/field.h"
#include "collider/region.h"
#include "mesh/measure.h"
#include "mesh/sequence.h"
#include "scene/buffer.h"
#include "scene/check.h"
#include "scene/files.h"
#include "scene/measure.h"
#include "scene/solids.h"
#include "scene/starts.h"
#include "world/world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Memory of a distance field, both grids: fixed, and per voxel.
static const double field_base_bytes = 5e6, voxel_bytes = 10.0;
// A mesh this many times larger or smaller than the liquid is most likely in another unit.
static const double odd_size = 1000.0;

// ------------------------------------------------------------------------------------------------------------ measuring

// Transforms the vertices to their positions in the scene.
static void place_mesh(spate_mesh *mesh, const spate_mesh_def *def)
{
	static const double zero[3];
	const spate_keyframe turn = {.rotation = {def->rotation[0], def->rotation[1], def->rotation[2]}, .scale = 1.0};
	rigid pose = motion_pose(&(spate_motion){.keyframes = &turn, .keyframe_count = 1}, zero, 0.0);
	for (size_t v = 0; v < mesh->vertex_count; v++)
	{
		float *p = mesh->positions + 3 * v;
		const double x = (double)p[0], y = (double)p[1], z = (double)p[2];
		for (int k = 0; k < 3; k++)
		{
			const float *r = pose.rotation + 3 * k;
			p[k] = (float)(def->scale * ((double)r[0] * x + (double)r[1] * y + (double)r[2] * z) +
				       def->position[k]);
		}
	}
}

static spate_result measure(const spate_mesh *mesh, spate_mesh_report *out, spate_error *error)
{
	spate_mesh_measure m;
	spate_result result = mesh_measure_all(&m, mesh, error);
	memcpy(out->low, m.low, sizeof out->low);
	memcpy(out->high, m.high, sizeof out->high);
	out->area = m.area;
	out->open_edges = m.open_edges;
	return result;
}

static void estimate_field(const spate_world_def *world, const spate_mesh_def *def, spate_mesh_report *out)
{
	double finest = INFINITY, coarsest = 0.0;
	for (uint32_t f = 0; f < world->fluid_count; f++)
	{
		finest = fmin(finest, world->fluids[f].spacing);
		coarsest = fmax(coarsest, world->fluids[f].spacing);
	}
	out->cell = mesh_solid_cell(def, finest);
	out->band = mesh_solid_band(def, world_radius(world) * coarsest);
	out->field_voxels = out->area / (out->cell * out->cell) * 2.0 * out->band / out->cell;
	out->field_bytes = field_base_bytes + voxel_bytes * out->field_voxels;
}

// ------------------------------------------------------------------------------------------------------------- warnings

// Where the liquid starts, its size, and how far it may travel.
typedef struct liquid
{
	double low[3], high[3]; // m, around all sources
	double size;            // m
	double reach;           // m, from the box until the end of the scene
} liquid;

static liquid liquid_of(const spate_scene *scene)
{
	const spate_world_def *world = &scene->world;
	double end = scene->frames / world->fps, volume = 0.0, speed = 0.0;
	liquid out = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
	for (uint32_t s = 0; s < world->source_count; s++)
	{
		const spate_source_def *source = &world->sources[s];
		int fill = source->type == SPATE_SOURCE_FILL;
		const scene_start *start = starts_find(scene, s);
		double low[3], high[3];
		if (source->from)
		{
			for (int k = 0; k < 3 && start; k++)
				out.low[k] = fmin(out.low[k], start->low[k]),
				out.high[k] = fmax(out.high[k], start->high[k]);
			speed = fmax(speed, start ? start->fastest : 0.0);
			continue;
		}
		double spacing = world->fluids[source->fluid].spacing;
		if (source->type == SPATE_SOURCE_EMITTER || !shape_bounds(&source->shape, low, high))
			for (int k = 0; k < 3; k++)
				low[k] = high[k] = source->position[k];
		for (int k = 0; k < 3; k++)
			out.low[k] = fmin(out.low[k], low[k]), out.high[k] = fmax(out.high[k], high[k]);
		spate_source_def mean = *source;
		tracks_mean(scene, s, end, &mean);
		volume += source_particles(&mean, &world->fluids[source->fluid], end) * spacing * spacing * spacing;
		speed = fmax(speed, fill ? hypot(hypot(source->velocity[0], source->velocity[1]), source->velocity[2])
					 : emitter_fastest(&mean, spacing));
	}
	out.size = cbrt(volume);
	for (int k = 0; k < 3; k++)
		out.size = fmax(out.size, out.high[k] - out.low[k]);
	out.reach = out.size + speed * end + 0.5 * force_most(world) * end * end;
	return out;
}

// Distance between two boxes (m); 0 when they touch.
static double gap(const double a_low[3], const double a_high[3], const double b_low[3], const double b_high[3])
{
	double d[3];
	for (int k = 0; k < 3; k++)
		d[k] = fmax(0.0, fmax(a_low[k] - b_high[k], b_low[k] - a_high[k]));
	return hypot(hypot(d[0], d[1]), d[2]);
}

static void check_size(problem_list *problems, const scene_file *file, const spate_mesh_report *r, const liquid *water)
{
	double size = 0.0;
	for (int k = 0; k < 3; k++)
		size = fmax(size, r->high[k] - r->low[k]);
	if (!(water->size > 0.0))
		return;
	double ratio = size / water->size;
	char extent[NUMBER_CHARS];
	snprintf(extent, sizeof extent, "%.6g", size);
	if (ratio > odd_size)
		problem_add(
		    problems, 1, file->at, file->owner,
		    "the mesh is %s m large, %.4g times as much as the liquid; is the scale right? scale: 0.001 "
		    "converts millimetres to metres",
		    extent, ratio);
	else if (ratio < 1.0 / odd_size)
		problem_add(
		    problems, 1, file->at, file->owner,
		    "the mesh is %s m large, and the liquid is %.4g times as large; is the scale right? scale: 1000 "
		    "converts kilometres to metres",
		    extent, 1.0 / ratio);
}

static void check_place(problem_list *problems, const scene_file *file, const spate_mesh_report *r, const liquid *water)
{
	double away = gap(r->low, r->high, water->low, water->high);
	if (away > water->reach)
		problem_add(
		    problems, 1, file->at, file->owner,
		    "the mesh is %.4g m away from all sources, further than the liquid can travel before the scene ends; are "
		    "position and scale right?",
		    away);
}

static int moves(const spate_motion *motion)
{
	return motion->keyframe_count > 0 || motion->amplitude != 0.0 || motion->turn != 0.0;
}

// Warns about a container that no fill touches; with emitters, liquid may arrive later.
static void check_container(problem_list *problems, const scene_file *file, const spate_mesh_report *r,
			    const spate_world_def *world)
{
	int reached = 0;
	for (uint32_t s = 0; s < world->source_count; s++)
	{
		double low[3], high[3];
		const spate_source_def *source = &world->sources[s];
		reached |= source->type != SPATE_SOURCE_FILL || source->from ||
			   !shape_bounds(&source->shape, low, high) || gap(r->low, r->high, low, high) == 0.0;
	}
	if (!reached)
		problem_add(problems, 1, file->at, file->owner, "every fill lies completely outside this container");
}

static void warn(problem_list *problems, const spate_scene *scene, const spate_collider_def *c, const scene_file *file,
		 const spate_mesh_report *r)
{
	// of a body it is said whether it has an inside
	if (r->open_edges > 0 && c->mode != SPATE_COLLIDER_SHELL && strncmp(file->owner, "bodies", 6) != 0)
		problem_add(
		    problems, 1, file->at, file->owner,
		    "the mesh is open: %" PRIu64
		    " edges have only one triangle; where the mesh encloses no volume it acts as a shell; set %s: "
		    "shell if that is intended",
		    r->open_edges, strncmp(file->owner, "sources", 7) == 0 ? "collide" : "mode");
	if (scene->world.source_count == 0)
		return;
	liquid water = liquid_of(scene);
	check_size(problems, file, r, &water);
	if (moves(&c->motion))
		return;
	check_place(problems, file, r, &water);
	if (c->mode == SPATE_COLLIDER_INSIDE)
		check_container(problems, file, r, &scene->world);
}

// --------------------------------------------------------------------------------------------------------------- reading

// Checks what the collider's maps require of its mesh.
static void check_needs(problem_list *problems, const spate_collider_def *c, const scene_file *file,
			const spate_mesh *mesh)
{
	const struct
	{
		const char *key;
		const spate_map_def *map;
	} maps[] = {
	    {"friction_map", &c->friction_map}, {"bounce_map", &c->bounce_map}, {"stickiness_map", &c->stickiness_map}};
	if (c->wet.size > 0 && !mesh->uvs)
		problem_add(problems, 0, file->at, file->owner, "the mesh has no UVs, which wet_map needs");
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
	{
		if (maps[i].map->texture && !mesh->uvs)
			problem_add(problems, 0, file->at, file->owner,
				    "the mesh has no UVs, which the texture of %s needs", maps[i].key);
		if (maps[i].map->channel && !spate_mesh_find_channel(mesh, maps[i].map->channel))
			problem_add(problems, 0, file->at, file->owner,
				    "the mesh has no channel '%.60s', which %s names; it has %u channels",
				    maps[i].map->channel, maps[i].key, mesh->channel_count);
	}
}

// Cells of the field that tells whether a mesh has an inside, along its longest side.
#define TRIAL_CELLS 32.0

// Finds out whether a mesh has an inside, and leaves something below the level of a fill (NULL for none).
static void try_fill(const spate_source_def *source, const spate_shape *shape, const scene_file *file,
		     problem_list *problems)
{
	double low[3], high[3], size = 0.0, lowest = 0.0, length = 0.0;
	collider_world world = {.fps = 1.0, .threads = 1};
	shape_bounds(shape, low, high);
	for (int k = 0; k < 3; k++)
	{
		world.origin[k] = 0.5 * (low[k] + high[k]);
		size = fmax(size, high[k] - low[k]);
		double up = source ? source->level_up[k] : 0.0;
		lowest += fmin(low[k] * up, high[k] * up);
		length += up * up;
	}
	world.quiet = 1; // the problem says it
	region *space;
	spate_error why = {0};
	if (region_create(&space, shape, &world, size / TRIAL_CELLS, &why) != SPATE_OK)
		problem_add(problems, 0, file->at, file->owner, "%.480s", why.text);
	else if (source && shape == &source->shape && source->level < INFINITY &&
		 !(source->level > lowest / sqrt(length)))
		problem_add(
		    problems, 0, file->at, file->owner,
		    "the level of %.6g m is below the mesh, which begins at %.6g m, so there is nothing to fill",
		    source->level, lowest / sqrt(length));
	region_destroy(space);
}

// Refuses a body whose placed mesh has no inside.
static void check_body_mesh(const spate_scene *scene, const spate_collider_def *c, spate_mesh *mesh,
			    const scene_file *file, problem_list *problems)
{
	const spate_world_def *world = &scene->world;
	const spate_shape shape = {.type = SPATE_SHAPE_MESH, .mesh = {.mesh = mesh, .scale = 1.0}};
	for (uint32_t b = 0; b < world->body_count; b++)
		if (c == &world->colliders[world->bodies[b].collider] && world->bodies[b].type == SPATE_BODY_RIGID)
			try_fill(NULL, &shape, file, problems);
}

static spate_result read_mesh(const spate_scene *scene, const spate_collider_def *c, const scene_file *file,
			      problem_list *problems, spate_mesh_report *out, spate_error *error)
{
	char path[4096];
	spate_mesh *mesh = NULL;
	spate_error why = {0};
	int sequence = sequence_is_pattern(c->mesh.path);
	spate_result result = sequence ? sequence_path(path, sizeof path, c->mesh.path, c->mesh.first, &why) : SPATE_OK;
	if (result == SPATE_OK)
		result = spate_mesh_read(&mesh, sequence ? path : c->mesh.path, &why);
	if (result == SPATE_MEMORY)
		return error_memory(error, 0);
	if (result != SPATE_OK)
	{
		problem_add(problems, 0, file->at, file->owner, "%.480s", why.text);
		return SPATE_OK;
	}
	out->files = sequence ? c->mesh.last - c->mesh.first + 1 : 1;
	out->triangles = mesh->triangle_count;
	out->dropped = mesh->dropped;
	place_mesh(mesh, &c->mesh);
	result = measure(mesh, out, error);
	estimate_field(&scene->world, &c->mesh, out);
	check_needs(problems, c, file, mesh);
	field_settings settings = {.cell = (float)out->cell, .band = (float)out->band};
	if (result == SPATE_OK && field_check(mesh, &settings, &why) != SPATE_OK)
		problem_add(problems, 0, file->at, file->owner, "%.480s", why.text);
	else if (result == SPATE_OK)
		check_body_mesh(scene, c, mesh, file, problems);
	spate_mesh_destroy(mesh);
	if (result == SPATE_OK)
		warn(problems, scene, c, file, out);
	return result;
}

// Moves the problems to the caller; the error describes the first bad file.
static spate_result finish(problem_list *list, uint32_t before, spate_problems *problems, spate_result result,
			   spate_error *error)
{
	uint32_t errors = list->errors;
	const char *first = NULL;
	problem_finish(list, problems);
	for (uint32_t p = 0; p < problems->count && !first; p++)
		first = problems->items[p].warning ? NULL : problems->items[p].text;
	if (result != SPATE_OK)
		return result;
	if (list->failed)
		return error_memory(error, sizeof(spate_problem));
	return errors > before && first ? error_set(error, SPATE_SCENE, "%s", first) : SPATE_OK;
}

spate_result spate_scene_find_files(const spate_scene *scene, spate_problems *problems, spate_error *error)
{
	if (!scene->memory)
		return SPATE_OK;
	problem_list list = problem_resume(problems);
	uint32_t before = list.errors;
	files_check(scene, &list);
	files_check_build(scene, spate_build_libraries(), &list);
	return finish(&list, before, problems, SPATE_OK, error);
}

// ---------------------------------------------------------------------------------------------------------------- fills

// The collider that alone leaves nothing free of a surface; UINT32_MAX if there is no such.
static uint32_t find_cover(const spate_source_def *source, double spacing, const solids *s, const collider_world *here)
{
	for (size_t c = 0; c < s->defs.count; c++)
	{
		collider_set alone;
		emitter_columns columns = {0};
		spate_source_def own = *source;
		if (collider_set_create(&alone, &s->defs.data[c], 1, here, NULL) != SPATE_OK)
			break;
		spate_result result = surface_columns(&columns, &own, spacing, here, &alone, 0, NULL);
		collider_set_destroy(&alone);
		array_free(&columns);
		if (result == SPATE_OK && own.area == 0.0)
			return s->numbers.data[c];
	}
	return UINT32_MAX;
}

static void warn_of_cover(const spate_scene *scene, const spate_source_def *source, const scene_file *file,
			  problem_list *problems, const solids *s, const collider_world *here)
{
	const spate_world_def *world = &scene->world;
	double spacing = world->fluids[source->fluid].spacing;
	emitter_columns columns = {0};
	spate_source_def bare = *source;
	spate_result result = surface_columns(&columns, &bare, spacing, here, NULL, 0, NULL);
	array_free(&columns);
	uint32_t cover = find_cover(source, spacing, s, here);
	if (result == SPATE_OK && bare.area == 0.0)
		problem_add(problems, 1, file->at, file->owner,
			    "no face of the mesh looks along the direction, so nothing pours; turn one of them");
	else if (cover < world->collider_count)
	{
		const spate_collider_def *c = &world->colliders[cover];
		int container = c->mode == SPATE_COLLIDER_INSIDE && c->shape.type != SPATE_SHAPE_PLANE;
		problem_add(problems, 1, file->at, file->owner,
			    "the whole surface lies %s colliders.%u%s%.60s%s, so nothing pours; move one of them",
			    container ? "outside the container" : "inside", cover, c->name ? " ('" : "",
			    c->name ? c->name : "", c->name ? "')" : "");
	}
	else
		problem_add(problems, 1, file->at, file->owner,
			    "the colliders cover the whole surface, so nothing pours; move it");
}

// Measures what pours of a surface among colliders that are no meshes, and finds a flow that cannot pass.
static spate_result try_surface(const spate_scene *scene, spate_source_def *source, const scene_file *file,
				problem_list *problems, spate_error *error)
{
	const spate_world_def *world = &scene->world;
	double spacing = world->fluids[source->fluid].spacing;
	world_span span = world_span_of(world);
	collider_world here = solids_world(world, &span);
	emitter_columns columns = {0};
	spate_error why = {0};
	solids s;
	if (!solids_make(&s, scene, &span, 0))
	{
		solids_free(&s);
		return error_memory(error, 0);
	}
	// the one that it follows may be elsewhere by then
	int rides = source->follow < world->collider_count;
	uint32_t follow = source->follow;
	source->follow = SPATE_NO_COLLIDER;
	if (surface_columns(&columns, source, spacing, &here, rides ? NULL : &s.set, 0, &why) != SPATE_OK)
		problem_add(problems, 0, file->at, file->owner, "%.480s", why.text);
	else if (source->area == 0.0)
		warn_of_cover(scene, source, file, problems, &s, &here);
	else if (source->area < spacing * spacing)
		problem_add(problems, 1, file->at, file->owner,
			    "only %.3g m^2 of the surface pour, less than the square of the fluid's spacing of %.3g m",
			    source->area, spacing);
	double wanted = source->flow;
	if (source->count > 0)
		wanted = (double)source->count * spacing * spacing * spacing / (source->stop - source->start);
	if (source->area > 0.0 && source->speed > 0.0 && wanted > source->speed * source->area * (1.0 + 1e-6))
		problem_add(
		    problems, 1, file->at, file->owner,
		    "at this speed only %.3g m^3/s of %.3g pass the %.3g m^2 of the surface; raise the speed, or "
		    "leave out one of flow and speed",
		    source->speed * source->area, wanted, source->area);
	source->follow = follow;
	array_free(&columns);
	solids_free(&s);
	return SPATE_OK;
}

// Reads the meshes of a shape and its parts, of a source or (NULL) a sink.
static spate_result read_fill(spate_scene *scene, spate_source_def *source, spate_shape *shape, problem_list *problems,
			      spate_error *error)
{
	const scene_file *file = shape->mesh.path ? files_find(scene, shape->mesh.path) : NULL;
	spate_result result = SPATE_OK;
	if (file && !shape->mesh.mesh)
	{
		spate_mesh *mesh = NULL;
		spate_error why = {0};
		result = spate_mesh_read(&mesh, shape->mesh.path, &why);
		if (result == SPATE_OK && !array_push(&scene->memory->filled, mesh))
		{
			spate_mesh_destroy(mesh);
			result = SPATE_MEMORY;
		}
		if (result == SPATE_MEMORY)
			return error_memory(error, 0);
		if (result != SPATE_OK)
			problem_add(problems, 0, file->at, file->owner, "%.480s", why.text);
		else
		{
			shape->mesh.mesh = mesh;
			if (source && source->type == SPATE_SOURCE_SURFACE)
				result = try_surface(scene, source, file, problems, error);
			else
				try_fill(source, shape, file, problems);
		}
		if (result == SPATE_MEMORY)
			return result;
		result = SPATE_OK;
	}
	// the parts are in the scene's own memory
	spate_shape *parts = (spate_shape *)(uintptr_t)shape->parts;
	for (uint32_t n = 0; n < shape->part_count && result == SPATE_OK; n++)
		result = read_fill(scene, source, &parts[n], problems, error);
	return result;
}

// The first mesh of a shape that a file names; NULL for none.
static const scene_file *first_file(const spate_scene *scene, const spate_shape *shape)
{
	const scene_file *file = shape->mesh.path ? files_find(scene, shape->mesh.path) : NULL;
	for (uint32_t n = 0; n < shape->part_count && !file; n++)
		file = first_file(scene, &shape->parts[n]);
	return file;
}

static spate_result read_fills(spate_scene *scene, problem_list *problems, spate_error *error)
{
	spate_source_def *sources = (spate_source_def *)(uintptr_t)scene->world.sources;
	spate_result result = starts_read(scene, problems, error);
	// without OpenVDB nothing can be told from them
	if (!distance_field_available())
		return result;
	for (uint32_t s = 0; s < scene->world.source_count && result == SPATE_OK; s++)
	{
		spate_source_def *source = &sources[s];
		int unread = shape_is_unread(&source->shape);
		result = read_fill(scene, source, &source->shape, problems, error);
		const scene_file *file = unread ? first_file(scene, &source->shape) : NULL;
		if (source->type == SPATE_SOURCE_VOLUME && file)
			check_outflow(problems, file->at, file->owner, &scene->world, source);
	}
	spate_sink_def *sinks = (spate_sink_def *)(uintptr_t)scene->world.sinks;
	for (uint32_t s = 0; s < scene->world.sink_count && result == SPATE_OK; s++)
		result = read_fill(scene, NULL, &sinks[s].shape, problems, error);
	return result;
}

spate_result spate_scene_read_fills(spate_scene *scene, spate_problems *problems, spate_error *error)
{
	if (!scene->memory)
		return SPATE_OK;
	problem_list list = problem_resume(problems);
	uint32_t before = list.errors;
	spate_result result = read_fills(scene, &list, error);
	return finish(&list, before, problems, result, error);
}

spate_result spate_scene_read_meshes(spate_scene *scene, spate_problems *problems, spate_error *error)
{
	const spate_world_def *world = &scene->world;
	if (!scene->memory)
		return SPATE_OK;
	problem_list list = problem_resume(problems);
	uint32_t before = list.errors;
	files_check(scene, &list);
	spate_result result = list.errors == before ? read_fills(scene, &list, error) : SPATE_OK;
	if (result == SPATE_OK && list.errors == before && world->collider_count > 0)
	{
		size_t bytes = mem_product(world->collider_count, sizeof *scene->memory->meshes);
		scene->memory->meshes = node_pool_alloc(&scene->memory->pool, bytes);
		if (!scene->memory->meshes)
			result = error_memory(error, bytes);
		for (uint32_t c = 0; c < world->collider_count && result == SPATE_OK; c++)
		{
			const spate_collider_def *own = &world->colliders[c];
			const scene_file *file = own->mesh.path ? files_find(scene, own->mesh.path) : NULL;
			if (file)
				result = read_mesh(scene, own, file, &list, &scene->memory->meshes[c], error);
		}
	}
	files_check_build(scene, spate_build_libraries(), &list);
	return finish(&list, before, problems, result, error);
}

const spate_mesh_report *spate_scene_mesh_report(const spate_scene *scene, uint32_t number)
{
	const spate_mesh_report *reports = scene->memory ? scene->memory->meshes : NULL;
	return reports && number < scene->world.collider_count && reports[number].files > 0 ? &reports[number] : NULL;
}
