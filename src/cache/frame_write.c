// Writing a frame: each channel is packed in parallel, then appended; the header is written last, into the
// space reserved for it.
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cache/chunk.h"
#include "cache/format.h"
#include "spate/frame.h"

#include <math.h>

spate_frame_def spate_default_frame_def(void)
{
	return (spate_frame_def){.kind = SPATE_FRAME_PLAIN};
}

static size_t chunk_count(uint64_t rows)
{
	return (size_t)((rows + FORMAT_CHUNK_ROWS - 1) / FORMAT_CHUNK_ROWS);
}

static spate_result check_channel(const char *path, const spate_frame_def *def, uint32_t n, spate_error *error)
{
	const spate_frame_channel_def *channel = &def->channels[n];
	size_t size = spate_type_size(channel->type);
	if (!channel->name || !format_name_is_valid(channel->name))
		return error_set(error, SPATE_INVALID, "%s: channel %u has a name that cannot be stored", path, n);
	if (size == 0)
		return error_set(error, SPATE_INVALID, "%s: channel %s has no known type", path, channel->name);
	if (channel->stride != 0 && channel->stride < size)
		return error_set(error, SPATE_INVALID, "%s: channel %s has rows of %zu bytes, its type needs %zu", path,
				 channel->name, channel->stride, size);
	if (!channel->data && channel->count > 0)
		return error_set(error, SPATE_INVALID, "%s: channel %s has no data", path, channel->name);
	if (mem_product((size_t)channel->count, size) > SIZE_MAX / 16)
		return error_set(error, SPATE_INVALID, "%s: channel %s is too long", path, channel->name);
	size_t prefix = format_prefix(channel->name);
	if (prefix == 0 && channel->count != def->count)
		return error_set(error, SPATE_INVALID, "%s: channel %s has %llu rows, the frame has %llu particles",
				 path, channel->name, (unsigned long long)channel->count,
				 (unsigned long long)def->count);
	for (uint32_t i = 0; i < n; i++)
	{
		const spate_frame_channel_def *other = &def->channels[i];
		if (strcmp(other->name, channel->name) == 0)
			return error_set(error, SPATE_INVALID, "%s: channel %s appears twice", path, channel->name);
		if (prefix && format_prefix(other->name) == prefix && memcmp(other->name, channel->name, prefix) == 0 &&
		    other->count != channel->count)
			return error_set(error, SPATE_INVALID, "%s: channels %s and %s have %llu and %llu rows", path,
					 other->name, channel->name, (unsigned long long)other->count,
					 (unsigned long long)channel->count);
	}
	return SPATE_OK;
}

static spate_result check_blob(const char *path, const spate_frame_def *def, uint32_t n, spate_error *error)
{
	const spate_frame_blob_def *blob = &def->blobs[n];
	if (!blob->name || !format_name_is_valid(blob->name))
		return error_set(error, SPATE_INVALID, "%s: blob %u has a name that cannot be stored", path, n);
	if (!blob->data && blob->bytes > 0)
		return error_set(error, SPATE_INVALID, "%s: blob %s has no data", path, blob->name);
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(def->blobs[i].name, blob->name) == 0)
			return error_set(error, SPATE_INVALID, "%s: blob %s appears twice", path, blob->name);
	return SPATE_OK;
}

static spate_result check_def(const char *path, const spate_frame_def *def, spate_error *error)
{
	if (def->kind < SPATE_FRAME_PLAIN || def->kind > SPATE_FRAME_MESH)
		return error_set(error, SPATE_INVALID, "%s: %d is not a kind of frame", path, (int)def->kind);
	if (def->frame < 0)
		return error_set(error, SPATE_INVALID, "%s: frame %lld is negative", path, (long long)def->frame);
	if (!isfinite(def->time) || !isfinite(def->origin[0]) || !isfinite(def->origin[1]) || !isfinite(def->origin[2]))
		return error_set(error, SPATE_INVALID, "%s: time and origin must be finite", path);
	if (def->channel_count > FORMAT_MAX_ENTRIES || def->blob_count > FORMAT_MAX_ENTRIES - def->channel_count)
		return error_set(error, SPATE_INVALID, "%s: more than %d channels and blobs", path, FORMAT_MAX_ENTRIES);
	spate_result result = SPATE_OK;
	int counted = def->count == 0;
	for (uint32_t i = 0; i < def->channel_count && result == SPATE_OK; i++)
	{
		result = check_channel(path, def, i, error);
		counted |= result == SPATE_OK && format_prefix(def->channels[i].name) == 0;
	}
	if (result == SPATE_OK && !counted)
		result = error_set(error, SPATE_INVALID, "%s: %llu particles need a channel", path,
				   (unsigned long long)def->count);
	for (uint32_t i = 0; i < def->blob_count && result == SPATE_OK; i++)
		result = check_blob(path, def, i, error);
	return result;
}

// The chunks of one channel, each packed into a slot of the bound's size.
typedef struct packing
{
	const spate_frame_channel_def *channel;
	size_t stride, slot;
	char *slots;     // one per chunk
	size_t *lengths; // one per chunk, 0 where packing failed
	char *scratch;   // one slot per thread
} packing;

static void pack_chunks(void *context, size_t begin, size_t end, int thread)
{
	packing *p = context;
	for (size_t i = begin; i < end; i++)
	{
		size_t first = i * FORMAT_CHUNK_ROWS, rows = (size_t)p->channel->count - first;
		if (rows > FORMAT_CHUNK_ROWS)
			rows = FORMAT_CHUNK_ROWS;
		p->lengths[i] =
		    chunk_pack(p->channel->type, (const char *)p->channel->data + first * p->stride, p->stride, rows,
			       p->slots + i * p->slot, p->scratch + (size_t)thread * p->slot);
	}
}

// Moves the chunks together into one block. Returns its length, or 0 when a chunk could not be packed.
static size_t close_gaps(packing *p, size_t chunks)
{
	size_t length = 0;
	for (size_t i = 0; i < chunks; i++)
	{
		if (p->lengths[i] == 0)
			return 0;
		memmove(p->slots + length, p->slots + i * p->slot, p->lengths[i]);
		length += p->lengths[i];
	}
	return length;
}

static void fill_entry(char *entry, const char *name, uint32_t type, uint32_t coding, uint64_t rows, uint64_t offset,
		       uint64_t stored, uint64_t raw, uint64_t checksum)
{
	memset(entry, 0, FORMAT_ENTRY);
	memcpy(entry, name, strlen(name));
	format_put(entry, ENTRY_TYPE, uint32_t, type);
	format_put(entry, ENTRY_CODING, uint32_t, coding);
	format_put(entry, ENTRY_ROWS, uint64_t, rows);
	format_put(entry, ENTRY_OFFSET, uint64_t, offset);
	format_put(entry, ENTRY_STORED, uint64_t, stored);
	format_put(entry, ENTRY_RAW, uint64_t, raw);
	format_put(entry, ENTRY_CHECKSUM, uint64_t, checksum);
}

static spate_result append_block(file_writer *writer, packing *p, size_t chunks, char *entry, spate_error *error)
{
	const spate_frame_channel_def *channel = p->channel;
	size_t stored = close_gaps(p, chunks);
	if (chunks > 0 && stored == 0)
		return error_set(error, SPATE_MEMORY, "cannot pack channel %s of %s: blosc failed", channel->name,
				 writer->path);
	fill_entry(entry, channel->name, channel->type, CODING_CHUNKS, channel->count, writer->bytes, stored,
		   channel->count * spate_type_size(channel->type), hash_bytes(p->slots, stored, 0));
	return file_append(writer, p->slots, stored, error);
}

// Bytes of one chunk's slot, a multiple of a cache line.
static size_t slot_bytes(const spate_frame_channel_def *channel)
{
	size_t rows = channel->count < FORMAT_CHUNK_ROWS ? (size_t)channel->count : FORMAT_CHUNK_ROWS;
	return (chunk_bound(channel->type, rows) + 63) & ~(size_t)63;
}

// Memory that packing a channel takes: slots of its chunks, scratch of the threads, lengths of the chunks.
static size_t packing_bytes(const spate_frame_channel_def *channel, int threads)
{
	size_t chunks = chunk_count(channel->count);
	return (chunks + (size_t)threads) * slot_bytes(channel) + chunks * sizeof(size_t);
}

static spate_result append_channel(file_writer *writer, const spate_frame_channel_def *channel, int threads,
				   char *workspace, char *entry, spate_error *error)
{
	size_t chunks = chunk_count(channel->count);
	packing p = {.channel = channel,
		     .slot = slot_bytes(channel),
		     .slots = workspace,
		     .stride = channel->stride ? channel->stride : spate_type_size(channel->type)};
	p.scratch = p.slots + chunks * p.slot;
	p.lengths = (size_t *)(void *)(p.scratch + (size_t)threads * p.slot);
	parallel_for(threads, chunks, 1, pack_chunks, &p);
	return append_block(writer, &p, chunks, entry, error);
}

// One workspace, large enough for any of the channels, serves them all.
static spate_result append_channels(file_writer *writer, const spate_frame_def *def, char *entry, spate_error *error)
{
	int threads = def->threads > 0 ? def->threads : parallel_default_threads();
	if (threads > PARALLEL_MAX_THREADS)
		threads = PARALLEL_MAX_THREADS;
	size_t bytes = 0;
	for (uint32_t i = 0; i < def->channel_count; i++)
	{
		size_t needed = packing_bytes(&def->channels[i], threads);
		bytes = needed > bytes ? needed : bytes;
	}
	char *workspace = mem_alloc(bytes);
	if (!workspace && bytes > 0)
		return error_memory(error, bytes);
	spate_result result = SPATE_OK;
	for (uint32_t i = 0; i < def->channel_count && result == SPATE_OK; i++, entry += FORMAT_ENTRY)
		result = append_channel(writer, &def->channels[i], threads, workspace, entry, error);
	mem_free(workspace);
	return result;
}

static spate_result append_blob(file_writer *writer, const spate_frame_blob_def *blob, char *entry, spate_error *error)
{
	fill_entry(entry, blob->name, FORMAT_TYPE_BLOB, CODING_BYTES, blob->bytes, writer->bytes, blob->bytes,
		   blob->bytes, hash_bytes(blob->data, blob->bytes, 0));
	return file_append(writer, blob->data, blob->bytes, error);
}

static void fill_header(char *head, const spate_frame_def *def, uint64_t file_size)
{
	size_t table = (size_t)(def->channel_count + def->blob_count) * FORMAT_ENTRY;
	memcpy(head, FORMAT_MAGIC, 8);
	format_put(head, HEADER_VERSION, uint32_t, FORMAT_VERSION);
	format_put(head, HEADER_KIND, uint32_t, def->kind);
	format_put(head, HEADER_FILE_SIZE, uint64_t, file_size);
	format_put(head, HEADER_FRAME, int64_t, def->frame);
	format_put(head, HEADER_TIME, double, def->time);
	memcpy(head + HEADER_ORIGIN, def->origin, sizeof def->origin);
	format_put(head, HEADER_COUNT, uint64_t, def->count);
	format_put(head, HEADER_CHANNELS, uint32_t, def->channel_count);
	format_put(head, HEADER_BLOBS, uint32_t, def->blob_count);
	format_put(head, HEADER_TABLE_CHECKSUM, uint64_t, hash_bytes(head + FORMAT_HEADER, table, 0));
	format_put(head, HEADER_CHECKSUM, uint64_t, hash_bytes(head, HEADER_CHECKSUM, 0));
}

// `head` is header and table in one piece.
static spate_result write_parts(file_writer *writer, const spate_frame_def *def, char *head, size_t head_bytes,
				spate_error *error)
{
	char *entry = head + FORMAT_HEADER;
	spate_result result = file_append(writer, head, head_bytes, error);
	if (result == SPATE_OK)
		result = append_channels(writer, def, entry, error);
	entry += (size_t)def->channel_count * FORMAT_ENTRY;
	for (uint32_t i = 0; i < def->blob_count && result == SPATE_OK; i++, entry += FORMAT_ENTRY)
		result = append_blob(writer, &def->blobs[i], entry, error);
	if (result != SPATE_OK)
		return result;
	fill_header(head, def, writer->bytes);
	result = file_patch(writer, 0, head, head_bytes, error);
	return result == SPATE_OK ? file_commit(writer, error) : result;
}

spate_result spate_frame_write(const char *path, const spate_frame_def *def, spate_error *error)
{
	spate_result result = check_def(path, def, error);
	if (result != SPATE_OK)
		return result;
	size_t bytes = FORMAT_HEADER + (size_t)(def->channel_count + def->blob_count) * FORMAT_ENTRY;
	char *head = mem_calloc(1, bytes);
	if (!head)
		return error_memory(error, bytes);
	file_writer writer;
	result = file_begin(&writer, path, error);
	if (result == SPATE_OK)
	{
		result = write_parts(&writer, def, head, bytes, error);
		file_abandon(&writer);
	}
	mem_free(head);
	return result;
}
