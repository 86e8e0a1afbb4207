// Particles of a preview: a frame, or a file of another program.
#include "base/error.h"
#include "job/preview.h"
#include "mesh/read.h"
#include "spate/formats.h"

#include <string.h>

static spate_result open_frame(preview_points *p, const char *path, spate_error *error)
{
	spate_result result = spate_frame_open(path, &p->frame, error);
	if (result != SPATE_OK)
		return result;
	p->count = spate_frame_count(p->frame);
	p->number = spate_frame_number(p->frame);
	p->time = spate_frame_time(p->frame);
	spate_frame_origin(p->frame, p->origin);
	return SPATE_OK;
}

// Files of other programs are told by what is in them, frames by their name as well: a damaged one is still a frame.
spate_result preview_points_open(preview_points *p, const char *path, spate_error *error)
{
	const char *dot = strrchr(path, '.');
	spate_error why = {0};
	*p = (preview_points){0};
	spate_result result = open_frame(p, path, &why);
	if (result == SPATE_OK)
		return SPATE_OK;
	if (result != SPATE_FORMAT || (dot && strcmp(dot, ".spate") == 0))
		return error_set(error, result, "%s", why.text);
	result = particles_read(&p->set, path, NULL, 0, error);
	if (result == SPATE_OK)
		p->count = p->set.points->vertex_count;
	return result;
}

void preview_points_close(preview_points *p)
{
	spate_frame_close(p->frame);
	particles_free(&p->set);
	*p = (preview_points){0};
}

static spate_type type_of(uint32_t components)
{
	static const spate_type types[] = {SPATE_FLOAT, SPATE_VEC2, SPATE_VEC3, SPATE_VEC4};
	return types[components - 1];
}

spate_result preview_points_channel_at(const preview_points *p, uint32_t n, spate_frame_entry *entry)
{
	if (p->frame)
		return spate_frame_channel_at(p->frame, n, entry);
	const spate_mesh *points = p->set.points;
	if (n > points->channel_count)
		return SPATE_MISSING;
	*entry = (spate_frame_entry){.name = "position", .type = SPATE_VEC3, .count = p->count};
	if (n > 0)
	{
		entry->name = points->channels[n - 1].name;
		entry->type = type_of(points->channels[n - 1].components);
	}
	return SPATE_OK;
}

spate_result preview_points_channel(const preview_points *p, const char *name, spate_type *type, const void **data,
				    spate_error *error)
{
	if (p->frame)
		return spate_frame_channel(p->frame, name, type, data, error);
	const spate_mesh_channel *channel = spate_mesh_find_channel(p->set.points, name);
	int position = strcmp(name, "position") == 0;
	if (!channel && !position)
		return error_set(error, SPATE_MISSING, "there is no channel '%s'", name);
	*type = position ? SPATE_VEC3 : type_of(channel->components);
	*data = position ? p->set.points->positions : channel->values;
	return SPATE_OK;
}

int preview_is_points(const char *path)
{
	enum
	{
		BOTH = SPATE_FORMAT_PARTICLES | SPATE_FORMAT_TRIANGLES
	};
	const spate_format *format = spate_format_of_path(path);
	spate_mesh *mesh = NULL;
	particle_set set = {0};
	if (!format || (format->reads & BOTH) != BOTH)
		return 0;
	int points = mesh_read_surface(&mesh, path, NULL, NULL) != SPATE_OK &&
		     particles_read(&set, path, NULL, 0, NULL) == SPATE_OK && set.points->vertex_count > 0;
	spate_mesh_destroy(mesh);
	particles_free(&set);
	return points;
}
