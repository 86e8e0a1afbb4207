// OpenVDB files: particles as points, as a fog volume, or the signed distance to a mesh as a level set, through the bridge. `spate info`
// reads level sets.
#include "base/error.h"
#include "base/file.h"
#include "bridge/vdb_fields.h"
#include "bridge/vdb_points.h"
#include "export/particle_table.h"
#include "mesh/format.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static vdb_facts facts_of(const file_extras *extras)
{
	return (vdb_facts){extras->note, extras->frame, extras->time, extras->fps};
}

// Ends a file that OpenVDB has written by its temporary name.
static spate_result finish(file_writer *writer, spate_result result, const char *path, spate_error *error)
{
	if (result == SPATE_OK)
		return file_commit(writer, error);
	// its message names the temporary, so report the target instead
	if (result == SPATE_IO)
		result = error_set(error, result, "cannot write %s; is the disk full?", path);
	file_abandon(writer);
	return result;
}

// ----------------------------------------------------------------------------------------------------------------- points

static spate_result check_names(const particle_table *table, spate_error *error)
{
	static const char *const taken[] = {"P", NULL};
	for (size_t n = 0; n < table->columns.count; n++)
		for (const char *at = table->columns.data[n].name; *at; at++)
			if (!isalnum((unsigned char)*at) && *at != '_')
				return particle_refuse("vdb", table->columns.data[n].name,
						       "names of attributes have letters, digits and underscores",
						       error);
	return particle_check_names(table, "vdb", particle_houdini_name, taken, error);
}

// Voxels for about eight particles: two spacings, or by the box around them.
static double voxel_size(const particle_table *table)
{
	const particle_column *radius = particle_table_find(table, "radius");
	const float *p = table->positions, *radii = radius && radius->type == SPATE_FLOAT ? radius->data : NULL;
	double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
	if (radii && table->count > 0 && radii[0] > 0.0f && isfinite(radii[0]))
		return 4.0 * (double)radii[0];
	for (size_t i = 0; i < 3 * (size_t)table->count; i++)
		if (isfinite(p[i]))
		{
			low[i % 3] = fmin(low[i % 3], (double)p[i]);
			high[i % 3] = fmax(high[i % 3], (double)p[i]);
		}
	double size = 2.0 * cbrt((high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]) / (table->count + 1.0));
	return size > 0.0 && isfinite(size) ? size : 1.0;
}

static spate_result save_particles(const particle_table *table, const file_extras *extras, const char *path,
				   spate_error *error)
{
	file_writer writer;
	size_t count = table->columns.count;
	const vdb_facts facts = facts_of(extras);
	spate_result result = check_names(table, error);
	if (result != SPATE_OK)
		return result;
	vdb_channel *channels = mem_alloc((count + 1) * sizeof *channels);
	if (!channels)
		return error_memory(error, (count + 1) * sizeof *channels);
	for (size_t i = 0; i < count; i++)
	{
		const particle_column *c = &table->columns.data[i];
		channels[i] = (vdb_channel){particle_houdini_name(c->name), c->type, c->data};
	}
	result = file_begin(&writer, path, error);
	if (result == SPATE_OK)
	{
		result = vdb_write_points(table->positions, table->count, table->origin, channels, (uint32_t)count,
					  voxel_size(table), extras->threads, &facts, writer.temporary, error);
		result = finish(&writer, result, path, error);
	}
	mem_free(channels);
	return result;
}

// ----------------------------------------------------------------------------------------------------------------- fields

static const float *floats_of(const particle_table *table, const char *name, spate_type type)
{
	const particle_column *c = particle_table_find(table, name);
	return c && c->type == type ? c->data : NULL;
}

static spate_result write_field(const spate_mesh *surface, const particle_table *particles, const file_extras *extras,
				const char *path, spate_error *error)
{
	file_writer writer;
	const vdb_facts facts = facts_of(extras);
	vdb_liquid liquid = {0};
	if (particles)
	{
		liquid = (vdb_liquid){.count = particles->count,
				      .positions = particles->positions,
				      .velocities = floats_of(particles, "velocity", SPATE_VEC3),
				      .radii = floats_of(particles, "radius", SPATE_FLOAT)};
		memcpy(liquid.origin, particles->origin, sizeof liquid.origin);
		if (!liquid.radii)
			return error_set(error, SPATE_INVALID, "%s: a field needs the radius of the particles", path);
	}
	spate_result result = file_begin(&writer, path, error);
	if (result != SPATE_OK)
		return result;
	result = surface ? vdb_write_level_set(surface, extras->origin, particles ? &liquid : NULL, extras->cell,
					       extras->threads, &facts, writer.temporary, error)
			 : vdb_write_fog(&liquid, extras->cell, extras->threads, &facts, writer.temporary, error);
	return finish(&writer, result, path, error);
}

const file_format file_format_vdb = {
    .about = {.name = "vdb",
	      .suffix = ".vdb",
	      .title = "VDB",
	      .text = "Points, fog volumes and level sets of OpenVDB; level sets are read",
	      .reads = SPATE_FORMAT_FIELD,
	      .writes = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_CHANNELS | SPATE_FORMAT_FIELD},
    .rank = 9,
    .save_particles = save_particles,
    .write_field = write_field,
};
