#include "cache/frame_shapes.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum
{
	HEAD = 8 // bytes
};

static uint32_t vertices_of(const collider *own)
{
	return own->mesh && mesh_solid_bends(own->mesh) ? mesh_solid_mesh(own->mesh)->vertex_count : 0;
}

size_t frame_shapes_bytes(const collider_set *set)
{
	size_t bytes = 0;
	for (uint32_t c = 0; c < set->count; c++)
	{
		uint32_t count = vertices_of(&set->colliders[c]);
		bytes += count > 0 ? HEAD + 3 * sizeof(float) * (size_t)count : 0;
	}
	return bytes;
}

void frame_shapes_pack(const collider_set *set, char *out)
{
	for (uint32_t c = 0; c < set->count; c++)
	{
		uint32_t count = vertices_of(&set->colliders[c]);
		if (count == 0)
			continue;
		memcpy(out, &c, sizeof c);
		memcpy(out + 4, &count, sizeof count);
		memcpy(out + HEAD, mesh_solid_places(set->colliders[c].mesh), 3 * sizeof(float) * (size_t)count);
		out += HEAD + 3 * sizeof(float) * (size_t)count;
	}
}

static int has_shapes(const spate_frame *frame)
{
	spate_frame_entry entry;
	for (uint32_t n = 0; spate_frame_blob_at(frame, n, &entry) == SPATE_OK; n++)
		if (strcmp(entry.name, FRAME_SHAPES) == 0)
			return 1;
	return 0;
}

spate_result frame_shapes_read(spate_frame *frame, uint32_t number, const float **places, uint32_t *count,
			       spate_error *error)
{
	const void *data;
	size_t left;
	*places = NULL;
	*count = 0;
	if (!frame || !has_shapes(frame))
		return SPATE_OK;
	spate_result result = spate_frame_blob(frame, FRAME_SHAPES, &data, &left, error);
	const char *at = data;
	while (result == SPATE_OK && left >= HEAD)
	{
		uint32_t own, vertices;
		memcpy(&own, at, sizeof own);
		memcpy(&vertices, at + 4, sizeof vertices);
		size_t bytes = 3 * sizeof(float) * (size_t)vertices;
		if (bytes > left - HEAD)
			break;
		if (own == number)
		{
			*places = (const float *)(const void *)(at + HEAD);
			*count = vertices;
			for (size_t k = 0; k < 3 * (size_t)vertices; k++)
				if (!isfinite((*places)[k]))
					return error_set(error, SPATE_FORMAT,
							 "the shape of collider %u has a vertex that is no place",
							 number);
			return SPATE_OK;
		}
		at += HEAD + bytes;
		left -= HEAD + bytes;
	}
	return result == SPATE_OK && left > 0
		   ? error_set(error, SPATE_FORMAT, "the shapes of bodies end in the middle of one")
		   : result;
}
