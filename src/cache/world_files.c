#include "cache/world_files.h"

#include "base/error.h"
#include "cache/frame_fluids.h"
#include "cache/frame_poses.h"
#include "cache/frame_shapes.h"
#include "cache/run_dir.h"
#include "world/world.h"

#include <string.h>

enum
{
	MOST_CHANNELS = 256
};

static spate_frame_def describe(const spate_world *w)
{
	spate_frame_def def = spate_default_frame_def();
	def.frame = w->state.counters.frame;
	def.time = spate_world_time(w);
	memcpy(def.origin, w->model.origin, sizeof def.origin);
	def.count = w->state.store->rows;
	def.threads = w->model.threads;
	return def;
}

static spate_frame_channel_def channel_of(spate_store *store, const store_field *field)
{
	store_column c = store_column_of(store, field);
	return (spate_frame_channel_def){c.name, c.type, c.data, c.stride, store->rows};
}

// The field that frames carry under a name, NULL when there is none.
static const store_field *find_published(const spate_world *w, const char *name)
{
	const store_field *field = store_find(w->state.store, name);
	return field && field->flags & SPATE_FIELD_PUBLISHED ? field : NULL;
}

int world_has_channel(const spate_world *w, const char *name)
{
	return find_published(w, name) != NULL;
}

spate_result world_write_frame(spate_world *w, const char *directory, const char *const *names, uint32_t count,
			       spate_error *error)
{
	if (count > MOST_CHANNELS - 2)
		return error_set(error, SPATE_INVALID, "a frame stores at most %d channels", MOST_CHANNELS - 2);
	spate_store *store = w->state.store;
	store_compact(store, w->model.threads);
	spate_frame_channel_def channels[MOST_CHANNELS];
	uint32_t total = 0;
	channels[total++] = channel_of(store, &store->fields.data[STORE_FIELD_id]);
	channels[total++] = channel_of(store, &store->fields.data[STORE_FIELD_position]);
	for (uint32_t c = 0; c < count; c++)
	{
		const store_field *field = find_published(w, names[c]);
		if (!field)
			return error_set(error, SPATE_MISSING, "there is no channel '%s' to write", names[c]);
		channels[total++] = channel_of(store, field);
	}
	spate_frame_def def = describe(w);
	def.channels = channels;
	def.channel_count = total;
	// where the colliders are, and what the numbers of fluids mean
	const collider_set *colliders = &w->state.colliders;
	uint32_t fluids = w->model.def.fluid_count;
	size_t poses = (size_t)colliders->count * FRAME_POSE_BYTES, named = (size_t)fluids * FRAME_FLUID_BYTES;
	size_t shapes = frame_shapes_bytes(colliders);
	char *records = mem_alloc(poses + named + shapes);
	if (!records)
		return error_memory(error, poses + named + shapes);
	frame_fluids_pack(w->model.fluids, fluids, records);
	frame_poses_pack(colliders, records + named);
	frame_shapes_pack(colliders, records + named + poses);
	const spate_frame_blob_def blobs[] = {{FRAME_FLUIDS, records, named},
					      {FRAME_POSES, records + named, poses},
					      {FRAME_SHAPES, records + named + poses, shapes}};
	def.blobs = blobs;
	def.blob_count = shapes > 0 ? 3 : poses > 0 ? 2 : 1;
	spate_result result = spate_frame_write(run_frame_path(directory, def.frame).text, &def, error);
	mem_free(records);
	return result;
}
