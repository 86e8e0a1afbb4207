#include "cache/world_files.h"

#include "base/error.h"
#include "base/log.h"
#include "base/simd_level.h"
#include "cache/checkpoint.h"
#include "cache/frame_poses.h"
#include "cache/run_dir.h"
#include "world/world.h"

#include <math.h>
#include <stddef.h>
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
	spate_frame_def def = describe(w, SPATE_FRAME_PLAIN);
	def.channels = channels;
	def.channel_count = total;
	// where the colliders are
	const collider_set *colliders = &w->state.colliders;
	spate_frame_blob_def poses = {.name = FRAME_POSES, .bytes = (size_t)colliders->count * FRAME_POSE_BYTES};
	char *records = poses.bytes > 0 ? mem_alloc(poses.bytes) : NULL;
	if (records)
		frame_poses_pack(colliders, records);
	else if (poses.bytes > 0)
		return error_memory(error, poses.bytes);
	poses.data = records;
	def.blobs = &poses;
	def.blob_count = records != NULL;
	spate_result result = spate_frame_write(run_frame_path(directory, def.frame).text, &def, error);
	mem_free(records);
	return result;
}

typedef struct blob_name
{
	char text[32];
} blob_name;

// The n-th wet map array of a checkpoint, NULL for the channel of a map without one; 0 beyond the last.
static int wet_blob(const spate_world *w, uint32_t n, blob_name *name, float **texels, size_t *bytes)
{
	if (n / 2 >= w->state.wet.count)
		return 0;
	const wet_map *m = &w->state.wet.maps[n / 2];
	snprintf(name->text, sizeof name->text, n % 2 ? "wet/%u/channel" : "wet/%u", m->collider);
	*texels = n % 2 ? m->average : m->wetness;
	*bytes = (size_t)m->size * m->size * sizeof **texels;
	return 1;
}

// The builds for AVX2 and AVX-512 give the same bits; the portable one differs, since it has no fused multiply-add.
static const char *kernels_of(simd_level level)
{
	return level == SIMD_PORTABLE ? "portable" : "fused";
}

spate_result world_write_checkpoint(spate_world *w, const char *directory, spate_error *error)
{
	store_compact(w->state.store, w->model.threads);
	spate_frame_channel_def channels[MOST_CHANNELS];
	spate_frame_def def = describe(w, SPATE_FRAME_CHECKPOINT);
	const store_field *field;
	for (; (field = store_nth(w->state.store, def.channel_count, SPATE_FIELD_SAVED)); def.channel_count++)
	{
		if (def.channel_count == MOST_CHANNELS)
			return error_set(error, SPATE_INVALID, "a checkpoint stores at most %d channels",
					 MOST_CHANNELS);
		channels[def.channel_count] = channel_of(w->state.store, field);
	}
	ARRAY(spate_frame_blob_def) blobs = {0};
	ARRAY(blob_name) names = {0};
	size_t most = 4 + 2 * (size_t)w->state.wet.count;
	if (!array_reserve(&blobs, most) || !array_reserve(&names, most))
	{
		array_free(&blobs);
		return error_memory(error, most * (sizeof *blobs.data + sizeof *names.data));
	}
	blobs.data[0] = (spate_frame_blob_def){"counters", &w->state.counters, sizeof w->state.counters};
	blobs.data[1] = (spate_frame_blob_def){"turns", w->state.sources.states,
					       w->state.sources.count * sizeof *w->state.sources.states};
	blobs.data[2] = (spate_frame_blob_def){"next_id", &w->state.store->next_id, sizeof w->state.store->next_id};
	const char *kernels = kernels_of(w->model.simd);
	blobs.data[3] = (spate_frame_blob_def){"kernels", kernels, strlen(kernels)};
	blobs.count = 4;
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

// Copies a blob of a known size to `out`. Blobs of earlier versions may be as short as `least`; the rest of `out` is not changed.
static spate_result take_blob(spate_frame *checkpoint, const char *name, void *out, size_t size, size_t least,
			      spate_error *error)
{
	const void *data;
	size_t bytes;
	spate_result result = spate_frame_blob(checkpoint, name, &data, &bytes, error);
	if (result == SPATE_OK && bytes != size && bytes != least)
		result =
		    error_set(error, SPATE_FORMAT,
			      "its '%s' has %zu bytes, not %zu: it is of another scene or of another version of Spate",
			      name, bytes, size);
	if (result == SPATE_OK && bytes > 0)
		memcpy(out, data, bytes);
	return result;
}

static int is_amount(double value)
{
	return isfinite(value) && value >= 0.0;
}

// Describes a counter that is impossible for this definition at the end of the checkpoint's frame; NULL if all are possible.
static const char *find_impossible(const spate_world *w, spate_frame *checkpoint, const world_counters *c,
				   int64_t next_id)
{
	const spate_removed_by *by = &c->removed_by;
	double origin[3], limit = w->model.speed_limit * 1.001;
	uint64_t rows = spate_frame_count(checkpoint), added = next_id < 0 ? 0 : (uint64_t)next_id;
	spate_frame_origin(checkpoint, origin);
	if (spate_frame_number(checkpoint) != (int64_t)c->frame ||
	    spate_frame_time(checkpoint) != c->frame / w->model.def.fps || c->frame_step != 0 || c->elapsed != 0.0 ||
	    c->step < c->frame)
		return "its counters are not those of the end of its frame";
	if (memcmp(origin, w->model.origin, sizeof origin) != 0)
		return "its origin is not that of the scene";
	if (!is_amount(c->last_dt) || c->last_dt > 1.001 / w->model.def.fps || (c->step > 0 && c->last_dt == 0.0))
		return "the length of its last step is impossible";
	if (!is_amount(c->speed_max) || !is_amount(c->bulk_speed) || c->speed_max > limit || c->bulk_speed > limit)
		return "its highest speed is impossible";
	// a flat layer has a depth of zero, up to rounding
	if (!isfinite(c->depth) || c->depth < -(double)w->model.radius)
		return "its depth of the liquid is impossible";
	if (rows > added || c->removed > added - rows || by->sinks > c->removed || by->too_fast > c->removed ||
	    by->not_a_number > c->removed || by->out_of_range > c->removed)
		return "it has more particles than ever came";
	return c->clamped > c->runaways ? "it slowed down more particles than were too fast" : NULL;
}

static spate_result check_particles(const spate_world *w, spate_error *error)
{
	const spate_store *store = w->state.store;
	step_limits limits = world_get_limits(w);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		vec4 x = store->position[row];
		if (store->id[row] < 0 || store->id[row] >= store->next_id)
			return error_set(error, SPATE_FORMAT, "row %u has an id, %lld, that no particle has yet", row,
					 (long long)store->id[row]);
		if (store->fluid[row] < 0 || (uint32_t)store->fluid[row] >= w->model.def.fluid_count)
			return error_set(error, SPATE_FORMAT,
					 "particle %lld is of fluid %d, which the scene does not have",
					 (long long)store->id[row], (int)store->fluid[row]);
		if (step_is_runaway(&limits, x, store->velocity[row]) || !isfinite(store->pressure[row]) ||
		    !isfinite(store->density[row]))
			return error_set(error, SPATE_FORMAT, "particle %lld is beyond its limits",
					 (long long)store->id[row]);
	}
	return SPATE_OK;
}

static spate_result take_pictures(spate_world *w, spate_frame *checkpoint, spate_error *error)
{
	blob_name picture;
	float *texels;
	size_t bytes;
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; result == SPATE_OK && wet_blob(w, n, &picture, &texels, &bytes); n++)
	{
		if (texels)
			result = take_blob(checkpoint, picture.text, texels, bytes, bytes, error);
		for (size_t i = 0; texels && result == SPATE_OK && i < bytes / sizeof *texels; i++)
			if (!isfinite(texels[i]))
				result = error_set(error, SPATE_FORMAT, "texel %zu of '%s' is not a number", i,
						   picture.text);
	}
	return result;
}

// The saved fields of the store and those of the checkpoint must be the same.
static spate_result take_fields(spate_store *store, spate_frame *checkpoint, spate_error *error)
{
	spate_frame_entry entry;
	for (uint32_t n = 0; spate_frame_channel_at(checkpoint, n, &entry) == SPATE_OK; n++)
	{
		const store_field *field = store_find(store, entry.name);
		if (!field || !(field->flags & SPATE_FIELD_SAVED) || store_column_of(store, field).type != entry.type)
			return error_set(
			    error, SPATE_FORMAT,
			    "its field '%s' of type %s is unknown here: it is of another scene or of another version of Spate",
			    entry.name, spate_type_name(entry.type));
	}
	spate_result result = SPATE_OK;
	const store_field *field;
	for (uint32_t n = 0; result == SPATE_OK && (field = store_nth(store, n, SPATE_FIELD_SAVED)); n++)
	{
		store_column c = store_column_of(store, field);
		result = spate_frame_copy(checkpoint, c.name, c.type, c.data, c.stride, error);
		if (result == SPATE_MISSING)
			result = error_set(
			    error, SPATE_FORMAT,
			    "it has no field '%s': it is of another scene or of another version of Spate", c.name);
	}
	return result;
}

// Everything is validated before the world uses it: a checkpoint may have valid checksums and still be wrong.
static spate_result take_state(spate_world *w, spate_frame *checkpoint, spate_error *error)
{
	if (spate_frame_get_kind(checkpoint) != SPATE_FRAME_CHECKPOINT)
		return error_set(error, SPATE_FORMAT, "it is a frame, not a checkpoint");
	int64_t next_id = 0;
	world_counters counters = {0};
	size_t states = w->state.sources.count * sizeof *w->state.sources.states;
	spate_result result = take_blob(checkpoint, "next_id", &next_id, sizeof next_id, sizeof next_id, error);
	if (result == SPATE_OK)
		result = take_blob(checkpoint, "counters", &counters, sizeof counters,
				   offsetof(world_counters, removed_by), error);
	const char *impossible = result == SPATE_OK ? find_impossible(w, checkpoint, &counters, next_id) : NULL;
	if (impossible)
		return error_set(error, SPATE_FORMAT, "%s", impossible);
	if (result == SPATE_OK)
	{
		w->state.counters = counters;
		result = take_blob(checkpoint, "turns", w->state.sources.states, states, states, error);
	}
	if (result == SPATE_OK)
		result = source_set_check(&w->state.sources, w->model.fluids, spate_world_time(w), counters.last_dt,
					  (uint64_t)next_id, error);
	if (result == SPATE_OK && spate_frame_count(checkpoint) > UINT32_MAX)
		result = error_set(error, SPATE_FORMAT, "it has more particles than fit into a world");
	if (result == SPATE_OK)
		result = store_restore_begin(w->state.store, (uint32_t)spate_frame_count(checkpoint), next_id, error);
	if (result == SPATE_OK)
		result = take_pictures(w, checkpoint, error);
	if (result == SPATE_OK)
		result = take_fields(w->state.store, checkpoint, error);
	return result == SPATE_OK ? check_particles(w, error) : result;
}

// Warns if the checkpoint was written with other kernels. Checkpoints of earlier versions do not record them.
static void compare_kernels(const spate_world *w, spate_frame *checkpoint)
{
	const void *data;
	size_t bytes;
	const char *own = kernels_of(w->model.simd);
	if (spate_frame_blob(checkpoint, "kernels", &data, &bytes, NULL) != SPATE_OK)
		return;
	if (bytes != strlen(own) || memcmp(data, own, bytes) != 0)
		log_warning(
		    "the run was made with other kernels than this machine's (%s): from here on it agrees with an "
		    "uninterrupted one to round-off, not bit by bit",
		    simd_level_name(w->model.simd));
}

spate_result world_restore(spate_world *w, spate_frame *checkpoint, spate_error *error)
{
	spate_error trouble = {0};
	spate_result result = take_state(w, checkpoint, &trouble);
	if (result != SPATE_OK)
		return error_set(error, result == SPATE_MEMORY ? result : SPATE_DAMAGED, "%s", trouble.text);
	compare_kernels(w, checkpoint);
	world_count(w);
	// the length of the next step depends on where the colliders are
	double now = spate_world_time(w);
	return collider_set_move(&w->state.colliders, now - w->state.counters.last_dt, now, error);
}
