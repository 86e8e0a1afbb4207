// A checkpoint of a small world, changed anywhere before it is packed and sealed: the world refuses it, or goes on from it.
#define _GNU_SOURCE
#include "fuzz.h"

#include "base/memory.h"
#include "cache/run_dir.h"
#include "cache/snapshot_file.h"
#include "spate/frame.h"
#include "spate/log.h"
#include "spate/world.h"

enum
{
	MOST_ENTRIES = 64,
	STEPS = 3
};

static spate_world *make_world(void)
{
	spate_world_def def = spate_default_world_def();
	spate_fluid_def fluids[2] = {spate_default_fluid_def(), spate_default_fluid_def()};
	spate_collider_def colliders[2] = {spate_default_collider_def(), spate_default_collider_def()};
	spate_source_def sources[2] = {spate_default_source_def(), spate_default_source_def()};
	fluids[0].spacing = fluids[1].spacing = 0.1;
	fluids[1].density = 500;
	colliders[0].shape = (spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 0};
	colliders[0].mode = SPATE_COLLIDER_INSIDE;
	colliders[1].shape = (spate_shape){SPATE_SHAPE_SPHERE, {0.5, 0.2, 0.5}, {0}, 0.1};
	colliders[1].motion = (spate_motion){.direction = {1, 0, 0}, .amplitude = 0.1, .frequency = 1};
	sources[0].shape = (spate_shape){SPATE_SHAPE_BOX, {0, 0, 0}, {0.3, 0.3, 0.3}, 0};
	sources[0].material.viscosity = 0.01;
	sources[1].type = SPATE_SOURCE_EMITTER;
	sources[1].fluid = 1;
	sources[1].position[0] = sources[1].position[1] = sources[1].position[2] = 0.5;
	sources[1].direction[0] = 1;
	sources[1].radius = 0.15;
	sources[1].speed = 2;
	def.fluids = fluids;
	def.fluid_count = 2;
	def.colliders = colliders;
	def.collider_count = 2;
	def.sources = sources;
	def.source_count = 2;
	def.threads = 1;
	spate_world *world = NULL;
	must(spate_world_create(&world, &def, NULL) == SPATE_OK);
	return world;
}

// Numbers of the header that an input may change, before the values.
typedef struct head
{
	int64_t frame;
	double time, origin[3];
	uint64_t count; // particles; no more than there are values for
} head;

// A sound checkpoint taken apart.
typedef struct parts
{
	const char *folder;
	spate_frame *frame; // owns the names
	spate_frame_channel_def channels[MOST_ENTRIES];
	spate_frame_blob_def blobs[MOST_ENTRIES];
	uint32_t channel_count, blob_count;
	uint64_t rows;
	size_t offsets[2 * MOST_ENTRIES], bytes; // of all values, behind the head
	char *data;
} parts;

static void append(parts *p, uint32_t entry, const void *values, size_t bytes)
{
	must(entry < 2 * MOST_ENTRIES);
	char *data = mem_realloc(p->data, p->bytes + bytes + 1);
	must(data);
	if (bytes > 0)
		memcpy(data + p->bytes, values, bytes);
	p->offsets[entry] = p->bytes;
	p->data = data;
	p->bytes += bytes;
}

static void take_apart(parts *p)
{
	p->folder = fuzz_folder();
	must(run_dir_create(p->folder, NULL) == SPATE_OK);
	spate_world *world = make_world();
	for (int done = 0; !done;)
		must(spate_world_step(world, &done, NULL) == SPATE_OK);
	must(world_write_checkpoint(world, p->folder, NULL) == SPATE_OK);
	spate_world_destroy(world);
	must(spate_frame_open(run_checkpoint_path(p->folder, 1).text, &p->frame, NULL) == SPATE_OK);
	head h = {.frame = 1, .time = spate_frame_time(p->frame), .count = spate_frame_count(p->frame)};
	spate_frame_origin(p->frame, h.origin);
	p->rows = h.count;
	append(p, 0, &h, sizeof h);
	spate_frame_entry entry;
	const void *values;
	size_t bytes;
	uint32_t n = 0;
	for (; spate_frame_channel_at(p->frame, p->channel_count, &entry) == SPATE_OK; p->channel_count++, n++)
	{
		must(spate_frame_channel(p->frame, entry.name, NULL, &values, NULL) == SPATE_OK);
		append(p, n, values, (size_t)entry.count * spate_type_size(entry.type));
		p->channels[p->channel_count] = (spate_frame_channel_def){.name = entry.name, .type = entry.type};
	}
	for (; spate_frame_blob_at(p->frame, p->blob_count, &entry) == SPATE_OK; p->blob_count++, n++)
	{
		must(spate_frame_blob(p->frame, entry.name, &values, &bytes, NULL) == SPATE_OK);
		append(p, n, values, bytes);
		p->blobs[p->blob_count] = (spate_frame_blob_def){.name = entry.name, .bytes = bytes};
	}
}

// The checkpoint of changed values, on disk; 0 when its head is not what can be written.
static int put_together(parts *p, char *data, const char *path)
{
	head h;
	memcpy(&h, data, sizeof h);
	spate_frame_def def = spate_default_frame_def();
	def.kind = SPATE_FRAME_CHECKPOINT;
	def.frame = h.frame & INT64_MAX;
	def.time = h.time;
	memcpy(def.origin, h.origin, sizeof def.origin);
	def.count = h.count <= p->rows ? h.count : p->rows;
	def.threads = 1;
	for (uint32_t c = 0; c < p->channel_count; c++)
	{
		p->channels[c].data = data + p->offsets[c];
		p->channels[c].count = def.count;
	}
	for (uint32_t b = 0; b < p->blob_count; b++)
		p->blobs[b].data = data + p->offsets[p->channel_count + b];
	def.channels = p->channels;
	def.channel_count = p->channel_count;
	def.blobs = p->blobs;
	def.blob_count = p->blob_count;
	return spate_frame_write(path, &def, NULL) == SPATE_OK;
}

static void go_on(const char *path, int unchanged)
{
	spate_frame *frame = NULL;
	if (spate_frame_open(path, &frame, NULL) != SPATE_OK)
		return;
	spate_world *world = make_world();
	spate_error error = {0};
	spate_result result = world_restore(world, frame, &error);
	spate_frame_close(frame);
	for (int step = 0; step < STEPS && result == SPATE_OK; step++)
		result = spate_world_step(world, NULL, &error);
	must(result == SPATE_OK || error.text[0] != 0);
	must(result == SPATE_OK || !unchanged);
	spate_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static parts sound;
	if (!sound.data)
		take_apart(&sound);
	char *bytes = mem_alloc(sound.bytes), path[1200];
	must(bytes);
	memcpy(bytes, sound.data, sound.bytes);
	apply_edits(data, size, bytes, sound.bytes);
	snprintf(path, sizeof path, "%s/changed", sound.folder);
	int written = put_together(&sound, bytes, path);
	must(written || size > 0);
	if (written)
		go_on(path, size == 0);
	unlink(path);
	mem_free(bytes);
	return 0;
}
