// Makes one mesh from the particles of a frame and writes it to a file.
#include "base/error.h"
#include "base/file.h"
#include "bridge/vdb_surface.h"
#include "cache/mesh_frame.h"
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

static spate_result keep_out(mesh_job *j, const mesh_part *part, const particle_set *set, spate_mesh *mesh,
			     uint32_t *moved, spate_error *error)
{
	spate_result result = build_walls(j, set->origin, error);
	if (result == SPATE_OK)
		result = collider_set_move(&j->walls, set->time, set->time, error);
	if (result == SPATE_OK)
		result = surface_keep_out(mesh, &j->walls, (float)(KEEP_OUT_REACH * part->spacing), j->threads, moved,
					  error);
	return result;
}

// ------------------------------------------------------------------------------------------------------------------ files

static spate_result write_vdb(const mesh_job *j, size_t n, const mesh_part *part, const particle_set *set,
			      const spate_mesh *mesh, const mesh_note *note, spate_error *error)
{
	run_path path = mesh_job_target(j, n, part, ".vdb");
	file_writer writer;
	spate_result result = file_begin(&writer, path.text, error);
	if (result != SPATE_OK)
		return result;
	// OpenVDB opens the temporary file by name
	result = vdb_write_level_set(mesh, set->origin, j->def->surface.cell * part->spacing, j->threads, note->text,
				     writer.temporary, error);
	if (result == SPATE_OK)
		return file_commit(&writer, error);
	// its message names the temporary, so report the target instead
	if (result == SPATE_IO)
		result = error_set(error, result, "cannot write %s; is the disk full?", path.text);
	file_abandon(&writer);
	return result;
}

static spate_result write_mesh(const mesh_job *j, const particle_set *set, spate_mesh *mesh, const mesh_note *note,
			       const char *path, spate_error *error)
{
	if (strcmp(j->suffix, ".spate") == 0)
	{
		mesh_frame_def def = {
		    .frame = set->frame, .time = set->time, .note = note->text, .threads = j->threads};
		memcpy(def.origin, set->origin, sizeof def.origin);
		return mesh_frame_write(path, mesh, &def, error);
	}
	// other formats have no origin
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
		mesh->positions[i] = (float)((double)mesh->positions[i] + set->origin[i % 3]);
	return mesh_write_noted(mesh, note->text, path, error);
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
	spate_result result = SPATE_OK;
	row->path = mesh_job_target(j, n, part, j->suffix);
	row->made.vertices = mesh->vertex_count;
	row->made.triangles = mesh->triangle_count;
	if (j->def->clip_colliders)
		result = keep_out(j, part, set, mesh, &row->made.moved, error);
	// the level set first: the mesh comes last because its note means that everything is done
	if (result == SPATE_OK && j->def->vdb && !mesh->sides)
		result = write_vdb(j, n, part, set, mesh, note, error);
	if (result == SPATE_OK)
		result = write_mesh(j, set, mesh, note, row->path.text, error);
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
