#include "cache/world_files.h"

#include "base/error.h"
#include "cache/checkpoint.h"
#include "cache/run_dir.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum
{
	MOST_CHANNELS = 256
};

static spate_frame_def describe(spate_world *w, spate_frame_kind kind)
{
	spate_frame_def def = spate_default_frame_def();
	def.kind = kind;
	def.frame = w->counters.frame;
	def.time = spate_world_time(w);
	memcpy(def.origin, w->origin, sizeof def.origin);
	def.count = w->store->rows;
	def.threads = w->threads;
	return def;
}

// How a name is found in the store: vectors with a spare fourth component are written as three.
static int find_channel(spate_world *w, const char *name, spate_frame_channel_def *out)
{
	spate_store *store = w->store;
	*out = (spate_frame_channel_def){.name = name, .count = store->rows};
	if (strcmp(name, "pressure") == 0)
	{
		out->type = SPATE_FLOAT;
		out->data = &store->position->w;
		out->stride = sizeof(vec4);
		return 1;
	}
	out->data = spate_store_field(store, name, &out->type);
	if (out->data && (strcmp(name, "position") == 0 || strcmp(name, "velocity") == 0))
	{
		out->type = SPATE_VEC3;
		out->stride = sizeof(vec4);
	}
	return out->data != NULL;
}

int world_has_channel(spate_world *w, const char *name)
{
	spate_frame_channel_def channel;
	return find_channel(w, name, &channel);
}

spate_result world_write_frame(spate_world *w, const char *directory, const char *const *names, uint32_t count,
			       spate_error *error)
{
	if (count > MOST_CHANNELS - 2)
		return error_set(error, SPATE_INVALID, "a frame holds at most %d channels", MOST_CHANNELS - 2);
	store_compact(w->store, w->threads);
	spate_frame_channel_def channels[MOST_CHANNELS];
	uint32_t total = 0;
	find_channel(w, "id", &channels[total++]);
	find_channel(w, "position", &channels[total++]);
	for (uint32_t c = 0; c < count; c++)
		if (!find_channel(w, names[c], &channels[total++]))
			return error_set(error, SPATE_MISSING, "there is no channel '%s' to write", names[c]);
	spate_frame_def def = describe(w, SPATE_FRAME_PLAIN);
	def.channels = channels;
	def.channel_count = total;
	return spate_frame_write(run_frame_path(directory, def.frame).text, &def, error);
}

typedef struct blob_name
{
	char text[32];
} blob_name;

// The n-th picture that the future depends on, NULL where a map has no channel; 0 beyond the last.
static int wet_blob(const spate_world *w, uint32_t n, blob_name *name, float **texels, size_t *bytes)
{
	if (n / 2 >= w->wet.count)
		return 0;
	const wet_map *m = &w->wet.maps[n / 2];
	snprintf(name->text, sizeof name->text, n % 2 ? "wet/%u/channel" : "wet/%u", m->collider);
	*texels = n % 2 ? m->average : m->wetness;
	*bytes = (size_t)m->size * m->size * sizeof **texels;
	return 1;
}

spate_result world_write_checkpoint(spate_world *w, const char *directory, spate_error *error)
{
	store_compact(w->store, w->threads);
	store_settle(w->store, w->threads);
	spate_frame_channel_def channels[MOST_CHANNELS];
	spate_frame_def def = describe(w, SPATE_FRAME_CHECKPOINT);
	const char *name;
	void *data;
	spate_type type;
	for (; store_saved_field(w->store, def.channel_count, &name, &type, &data); def.channel_count++)
	{
		if (def.channel_count == MOST_CHANNELS)
			return error_set(error, SPATE_INVALID, "a checkpoint holds at most %d channels", MOST_CHANNELS);
		channels[def.channel_count] = (spate_frame_channel_def){name, type, data, 0, w->store->rows};
	}
	ARRAY(spate_frame_blob_def) blobs = {0};
	ARRAY(blob_name) names = {0};
	size_t most = 3 + 2 * (size_t)w->wet.count;
	if (!array_reserve(&blobs, most) || !array_reserve(&names, most))
	{
		array_free(&blobs);
		return error_memory(error, most * (sizeof *blobs.data + sizeof *names.data));
	}
	blobs.data[0] = (spate_frame_blob_def){"counters", &w->counters, sizeof w->counters};
	blobs.data[1] =
	    (spate_frame_blob_def){"turns", w->sources.states, w->sources.count * sizeof *w->sources.states};
	blobs.data[2] = (spate_frame_blob_def){"next_id", &w->store->next_id, sizeof w->store->next_id};
	blobs.count = 3;
	float *texels;
	size_t bytes;
	for (uint32_t n = 0; wet_blob(w, n, &names.data[n], &texels, &bytes); n++)
		if (texels)
			blobs.data[blobs.count++] = (spate_frame_blob_def){names.data[n].text, texels, bytes};
	def.channels = channels;
	def.blobs = blobs.data;
	def.blob_count = (uint32_t)blobs.count;
	spate_result result = checkpoint_write(directory, &def, error);
	array_free(&blobs);
	array_free(&names);
	return result;
}

// A blob of a known size into memory of the world.
static spate_result take_blob(spate_frame *checkpoint, const char *name, void *out, size_t size, spate_error *error)
{
	const void *data;
	size_t bytes;
	spate_result result = spate_frame_blob(checkpoint, name, &data, &bytes, error);
	if (result == SPATE_OK && bytes != size)
		result =
		    error_set(error, SPATE_FORMAT, "the checkpoint's '%s' does not fit this scene and version", name);
	if (result == SPATE_OK && size > 0)
		memcpy(out, data, size);
	return result;
}

spate_result world_restore(spate_world *w, spate_frame *checkpoint, spate_error *error)
{
	if (spate_frame_get_kind(checkpoint) != SPATE_FRAME_CHECKPOINT)
		return error_set(error, SPATE_FORMAT, "the file is a frame, not a checkpoint");
	int64_t next_id = 0;
	spate_result result = take_blob(checkpoint, "next_id", &next_id, sizeof next_id, error);
	if (result == SPATE_OK)
		result = take_blob(checkpoint, "counters", &w->counters, sizeof w->counters, error);
	if (result == SPATE_OK)
		result = take_blob(checkpoint, "turns", w->sources.states, w->sources.count * sizeof *w->sources.states,
				   error);
	if (result == SPATE_OK)
		result = store_restore_begin(w->store, (uint32_t)spate_frame_count(checkpoint), next_id, error);
	blob_name picture;
	float *texels;
	size_t bytes;
	for (uint32_t n = 0; result == SPATE_OK && wet_blob(w, n, &picture, &texels, &bytes); n++)
		if (texels)
			result = take_blob(checkpoint, picture.text, texels, bytes, error);
	const char *name;
	void *data;
	spate_type type;
	for (uint32_t n = 0; result == SPATE_OK && store_saved_field(w->store, n, &name, &type, &data); n++)
		result = spate_frame_copy(checkpoint, name, type, data, 0, error);
	// the length of the next step depends on where the colliders are
	double now = spate_world_time(w);
	return result == SPATE_OK ? collider_set_move(&w->colliders, now - w->counters.last_dt, now, error) : result;
}
