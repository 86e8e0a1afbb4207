// Writes meshes and points in the format of their path's suffix.
#include "export/mesh_write.h"

#include "base/error.h"
#include "export/stream.h"

#include <string.h>

// Formats without an origin get world coordinates.
static void move_to_world(spate_mesh *mesh, const double origin[3])
{
	if (origin[0] == 0.0 && origin[1] == 0.0 && origin[2] == 0.0)
		return;
	for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
		mesh->positions[i] = (float)((double)mesh->positions[i] + origin[i % 3]);
}

static spate_result finish(stream *s, spate_result result)
{
	if (result != SPATE_OK)
		stream_fail(s, result);
	return stream_close(s);
}

static spate_result refuse(const char *path, const char *what, uint32_t contents, spate_error *error)
{
	return error_set(error, SPATE_INVALID, "cannot write %s: %s end in %s", path, what,
			 file_formats_writing(contents, 1).text);
}

spate_result mesh_write(spate_mesh *mesh, const file_extras *extras, const char *path, spate_error *error)
{
	const file_format *format = file_format_of_path(path);
	if (format && format->write_mesh)
		return format->write_mesh(mesh, extras, path, error);
	if (!format || !(format->about.writes & SPATE_FORMAT_TRIANGLES))
		return refuse(path, "meshes", SPATE_FORMAT_TRIANGLES, error);
	move_to_world(mesh, extras->origin);
	stream s;
	stream_open(&s, path, error);
	s.note = extras->note;
	return finish(&s, s.result == SPATE_OK ? format->write(mesh, &s) : s.result);
}

spate_result particles_write(particle_table *table, const file_extras *extras, const char *path, spate_error *error)
{
	const file_format *format = file_format_of_path(path);
	if (format && format->save_particles)
		return format->save_particles(table, extras, path, error);
	if (!format || !format->write_particles)
		return refuse(path, "particle files", SPATE_FORMAT_PARTICLES, error);
	particle_table_move_to_world(table, extras->threads);
	stream s;
	stream_open(&s, path, error);
	s.note = extras->note;
	return finish(&s, s.result == SPATE_OK ? format->write_particles(table, extras, &s) : s.result);
}

spate_result points_write(spate_mesh *points, const file_extras *extras, const char *path, spate_error *error)
{
	particle_table table;
	spate_result result = particle_table_view(&table, points, extras->ids, error);
	memcpy(table.origin, extras->origin, sizeof table.origin);
	if (result == SPATE_OK)
		result = particles_write(&table, extras, path, error);
	particle_table_free(&table);
	return result;
}

spate_result field_write(const spate_mesh *surface, const particle_table *particles, const file_extras *extras,
			 const char *path, spate_error *error)
{
	const file_format *format = file_format_of_path(path);
	return format && format->write_field ? format->write_field(surface, particles, extras, path, error)
					     : refuse(path, "fields", SPATE_FORMAT_FIELD, error);
}

spate_result spate_mesh_write(const spate_mesh *mesh, const char *path, spate_error *error)
{
	const file_extras plain = {.note = ""};
	// with the origin at zero, nothing of the mesh is changed
	return mesh_write((spate_mesh *)mesh, &plain, path, error);
}
