// Makes one mesh from the particles of a frame and writes it to a file.
#include "base/error.h"
#include "base/memory.h"
#include "cache/frame_poses.h"
#include "cache/frame_shapes.h"
#include "export/mesh_write.h"
#include "job/mesh_job.h"
#include "surface/walls.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

// How far a vertex may be moved out of a wall, in spacings.
#define KEEP_OUT_REACH 2.0

// ------------------------------------------------------------------------------------------------------------------ walls

static int same_place(const double a[3], const double b[3])
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Builds the scene's colliders relative to the frame's origin; built again only if the origin changes.
static spate_result build_walls(mesh_job *j, const double origin[3], spate_error *error)
{
	const spate_world_def *world = &j->scene.world;
	if (j->has_walls && same_place(j->walls.origin, origin))
		return SPATE_OK;
	if (j->has_walls)
		collider_set_destroy(&j->walls);
	collider_world around = {
	    .fps = world->fps, .spacing = INFINITY, .field_folder = j->def->field_folder, .threads = j->threads};
	memcpy(around.origin, origin, sizeof around.origin);
	for (uint32_t f = 0; f < world->fluid_count; f++)
	{
		around.spacing = fminf(around.spacing, (float)world->fluids[f].spacing);
		around.radius = fmaxf(around.radius, (float)(world_radius(world) * world->fluids[f].spacing));
	}
	spate_result result = collider_set_create(&j->walls, world->colliders, world->collider_count, &around, error);
	j->has_walls = result == SPATE_OK;
	return result;
}

// Gives those that bend the shape that they have in the frame.
static spate_result bend_walls(mesh_job *j, spate_frame *frame, spate_error *error)
{
	spate_result result = SPATE_OK;
	for (uint32_t c = 0; c < j->walls.count && result == SPATE_OK; c++)
	{
		const float *places;
		uint32_t count;
		mesh_solid *own = j->walls.colliders[c].mesh;
		result = frame_shapes_read(frame, c, &places, &count, error);
		if (result == SPATE_OK && places && own && mesh_solid_mesh(own)->vertex_count == count)
			result = mesh_solid_bend(own, places, places, 0.0, error);
	}
	return result;
}

// Moves them to where the n-th frame says they are; files of other programs do not.
static spate_result place_walls(mesh_job *j, size_t n, double time, spate_error *error)
{
	uint32_t count = j->walls.count;
	spate_frame *frame = NULL;
	spate_pose *poses = mem_alloc((count + 1u) * sizeof *poses);
	if (!poses)
		return error_memory(error, count * sizeof *poses);
	if (spate_frame_open(mesh_job_source(j, n).text, &frame, NULL) != SPATE_OK)
		frame = NULL;
	spate_result result = frame_poses_read(frame, j->scene.world.colliders, count, time, poses, error);
	if (result == SPATE_OK)
		result = collider_set_place(&j->walls, time, poses, error);
	if (result == SPATE_OK)
		result = bend_walls(j, frame, error);
	spate_frame_close(frame);
	mem_free(poses);
	return result;
}

static spate_result keep_out(mesh_job *j, size_t n, const mesh_part *part, const particle_set *set, spate_mesh *mesh,
			     uint32_t *moved, spate_error *error)
{
	spate_result result = build_walls(j, set->origin, error);
	if (result == SPATE_OK)
		result = place_walls(j, n, set->time, error);
	if (result == SPATE_OK)
		result = surface_keep_out(mesh, &j->walls, (float)(KEEP_OUT_REACH * part->spacing), j->threads, moved,
					  error);
	return result;
}

// ------------------------------------------------------------------------------------------------------------------ files

file_extras mesh_extras(const mesh_job *j, const mesh_part *part, const particle_set *set, const mesh_note *note)
{
	file_extras extras = {.frame = set->frame,
			      .time = set->time,
			      .note = note->text,
			      .z_up = j->def->up == SPATE_EXPORT_UP_Z,
			      .cell = j->def->surface.cell * part->spacing,
			      .threads = j->threads};
	memcpy(extras.origin, set->origin, sizeof extras.origin);
	return extras;
}

spate_surface_def mesh_surface_def(const mesh_job *j, const particle_set *set)
{
	spate_surface_def def = j->def->surface;
	def.threads = j->threads;
	for (int k = 0; k < 3; k++)
	{
		def.clip_min[k] -= set->origin[k];
		def.clip_max[k] -= set->origin[k];
	}
	return def;
}

spate_result mesh_finish(mesh_job *j, size_t n, const mesh_part *part, const particle_set *set, spate_mesh *mesh,
			 const mesh_note *note, mesh_row *row, spate_error *error)
{
	file_extras extras = mesh_extras(j, part, set, note);
	spate_result result = SPATE_OK;
	row->path = mesh_job_target(j, n, part, j->suffix);
	row->made.vertices = mesh->vertex_count;
	row->made.triangles = mesh->triangle_count;
	if (j->def->clip_colliders)
		result = keep_out(j, n, part, set, mesh, &row->made.moved, error);
	if (result == SPATE_OK && extras.z_up)
		mesh_turn(mesh, extras.origin, j->threads);
	// the level set first: the mesh comes last because its note means that everything is done
	if (result == SPATE_OK && j->def->vdb && !mesh->sides)
		result = field_write(mesh, NULL, &extras, mesh_job_target(j, n, part, ".vdb").text, error);
	if (result == SPATE_OK)
		result = mesh_write(mesh, &extras, row->path.text, error);
	return result;
}

spate_result mesh_make(mesh_job *j, size_t n, mesh_part *part, const particle_set *set, const mesh_note *note,
		       mesh_row *row, spate_error *error)
{
	mesh_input in;
	spate_mesh *mesh = NULL;
	spate_surface_stats stats = {0};
	spate_surface_def def = mesh_surface_def(j, set);
	spate_result result = mesh_input_init(&in, j, n, part, set, error);
	if (result == SPATE_OK)
		result = spate_surface_create_mesh(&mesh, &in.input, &def, &stats, error);
	mesh_input_free(&in);
	if (result == SPATE_OK)
		result = mesh_finish(j, n, part, set, mesh, note, row, error);
	row->made.particles = stats.particles;
	row->made.refined = stats.refined;
	row->made.volume = stats.volume;
	row->made.area = stats.area;
	spate_mesh_destroy(mesh);
	return result;
}
