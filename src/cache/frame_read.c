// Reading a frame. Nothing in the file is used before its checksum was verified, and no size before it was checked
// against the size of the file: a damaged or hostile file gives an error, never a wrong value or a huge
// allocation.
#define _GNU_SOURCE
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cache/chunk.h"
#include "cache/format.h"
#include "spate/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct entry
{
	char name[FORMAT_NAME];
	uint32_t type, coding;
	uint64_t rows, offset, stored, raw, checksum;
	char *data; // unpacked values; NULL until requested
} entry;

struct spate_frame
{
	char *path;
	int fd;
	uint32_t kind, channels, blobs;
	uint64_t file_size, count;
	int64_t number;
	double time, origin[3];
	entry *entries; // channels, then blobs
	int threads;
};

// The error of a damaged file.
#define damaged(frame, error, format, ...) \
	error_set((error), SPATE_FORMAT, "%s is damaged: " format, (frame)->path, ##__VA_ARGS__)

static spate_result read_at(const spate_frame *frame, uint64_t offset, void *data, size_t bytes, spate_error *error)
{
	char *to = data;
	while (bytes > 0)
	{
		ssize_t done = pread(frame->fd, to, bytes, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return file_error(error, SPATE_IO, "read", frame->path, errno);
		if (done == 0)
			return damaged(frame, error, "it ends at byte %" PRIu64, offset);
		to += done;
		offset += (uint64_t)done;
		bytes -= (size_t)done;
	}
	return SPATE_OK;
}

static spate_result read_header(spate_frame *frame, uint64_t actual, uint64_t *table_checksum, spate_error *error)
{
	char head[FORMAT_HEADER];
	if (actual < 8)
		return error_set(error, SPATE_FORMAT, "%s is not a frame file", frame->path);
	size_t there = actual < sizeof head ? (size_t)actual : sizeof head;
	spate_result result = read_at(frame, 0, head, there, error);
	if (result != SPATE_OK)
		return result;
	if (memcmp(head, FORMAT_MAGIC, 8) != 0)
		return error_set(error, SPATE_FORMAT, "%s is not a frame file", frame->path);
	if (there < sizeof head)
		return damaged(frame, error, "it ends inside its header");
	// the version first: other versions may have another layout
	uint32_t version;
	format_get(head, HEADER_VERSION, &version);
	if (version != FORMAT_VERSION)
		return error_set(error, SPATE_FORMAT, "%s has format version %u; this program reads version %d",
				 frame->path, version, FORMAT_VERSION);
	uint64_t checksum;
	format_get(head, HEADER_CHECKSUM, &checksum);
	if (hash_bytes(head, HEADER_CHECKSUM, 0) != checksum)
		return damaged(frame, error, "its header does not match its checksum");

	format_get(head, HEADER_KIND, &frame->kind);
	format_get(head, HEADER_FILE_SIZE, &frame->file_size);
	format_get(head, HEADER_FRAME, &frame->number);
	format_get(head, HEADER_TIME, &frame->time);
	memcpy(frame->origin, head + HEADER_ORIGIN, sizeof frame->origin);
	format_get(head, HEADER_COUNT, &frame->count);
	format_get(head, HEADER_CHANNELS, &frame->channels);
	format_get(head, HEADER_BLOBS, &frame->blobs);
	format_get(head, HEADER_TABLE_CHECKSUM, table_checksum);
	if (frame->file_size != actual)
		return damaged(frame, error, "it has %" PRIu64 " bytes instead of %" PRIu64, actual, frame->file_size);
	if (frame->kind < SPATE_FRAME_PLAIN || frame->kind > SPATE_FRAME_MESH || frame->number < 0 ||
	    !isfinite(frame->time) || !isfinite(frame->origin[0]) || !isfinite(frame->origin[1]) ||
	    !isfinite(frame->origin[2]))
		return damaged(frame, error, "its header is invalid");
	if (frame->channels > FORMAT_MAX_ENTRIES || frame->blobs > FORMAT_MAX_ENTRIES - frame->channels ||
	    (uint64_t)(frame->channels + frame->blobs) * FORMAT_ENTRY > actual - FORMAT_HEADER)
		return damaged(frame, error, "its table is longer than the file");
	return SPATE_OK;
}

// Sizes that fit the type and the file, without overflow; every chunk needs at least its header.
static int sizes_make_sense(const spate_frame *frame, const entry *e, int is_blob)
{
	if (is_blob)
		return e->type == FORMAT_TYPE_BLOB && e->coding == CODING_BYTES && e->rows == e->stored &&
		       e->raw == e->stored;
	uint64_t size = spate_type_size((spate_type)e->type), raw;
	if (size == 0 || e->coding != CODING_CHUNKS || __builtin_mul_overflow(e->rows, size, &raw) || raw != e->raw ||
	    raw > SIZE_MAX / 4)
		return 0;
	uint64_t chunks = e->rows / FORMAT_CHUNK_ROWS + (e->rows % FORMAT_CHUNK_ROWS != 0);
	if (chunks > e->stored / FORMAT_CHUNK_HEADER || (e->rows == 0 && e->stored != 0))
		return 0;
	return format_prefix(e->name) != 0 || e->rows == frame->count;
}

static int same_population(const entry *a, const entry *b)
{
	size_t prefix = format_prefix(a->name);
	return prefix == format_prefix(b->name) && memcmp(a->name, b->name, prefix) == 0;
}

static spate_result check_entry(const spate_frame *frame, uint32_t n, uint64_t offset, spate_error *error)
{
	const entry *e = &frame->entries[n];
	int is_blob = n >= frame->channels;
	if (!format_name_is_valid(e->name))
		return damaged(frame, error, "entry %u of its table has an invalid name", n);
	for (size_t i = strlen(e->name); i < FORMAT_NAME; i++)
		if (e->name[i])
			return damaged(frame, error, "entry %u of its table has an invalid name", n);
	if (e->offset != offset || e->stored > frame->file_size - offset || !sizes_make_sense(frame, e, is_blob))
		return damaged(frame, error, "the sizes of %s are invalid", e->name);
	for (uint32_t i = is_blob ? frame->channels : 0; i < n; i++)
	{
		if (strcmp(frame->entries[i].name, e->name) == 0)
			return damaged(frame, error, "%s appears twice", e->name);
		if (!is_blob && same_population(&frame->entries[i], e) && frame->entries[i].rows != e->rows)
			return damaged(frame, error, "%s and %s differ in length", frame->entries[i].name, e->name);
	}
	return SPATE_OK;
}

static void parse_entry(const char *bytes, entry *e)
{
	memcpy(e->name, bytes, sizeof e->name);
	format_get(bytes, ENTRY_TYPE, &e->type);
	format_get(bytes, ENTRY_CODING, &e->coding);
	format_get(bytes, ENTRY_ROWS, &e->rows);
	format_get(bytes, ENTRY_OFFSET, &e->offset);
	format_get(bytes, ENTRY_STORED, &e->stored);
	format_get(bytes, ENTRY_RAW, &e->raw);
	format_get(bytes, ENTRY_CHECKSUM, &e->checksum);
}

static spate_result parse_table(spate_frame *frame, const char *table, spate_error *error)
{
	uint32_t entries = frame->channels + frame->blobs;
	uint64_t offset = FORMAT_HEADER + (uint64_t)entries * FORMAT_ENTRY;
	int counted = frame->count == 0;
	for (uint32_t n = 0; n < entries; n++)
	{
		parse_entry(table + (size_t)n * FORMAT_ENTRY, &frame->entries[n]);
		spate_result result = check_entry(frame, n, offset, error);
		if (result != SPATE_OK)
			return result;
		offset += frame->entries[n].stored;
		counted |= n < frame->channels && format_prefix(frame->entries[n].name) == 0;
	}
	// readers allocate memory by the particle count, so a channel must confirm it
	if (!counted)
		return damaged(frame, error, "it has %" PRIu64 " particles and no channel of them", frame->count);
	if (offset != frame->file_size)
		return damaged(frame, error, "%" PRIu64 " bytes are not part of any block", frame->file_size - offset);
	return SPATE_OK;
}

static spate_result read_table(spate_frame *frame, uint64_t checksum, spate_error *error)
{
	size_t entries = frame->channels + frame->blobs, bytes = entries * FORMAT_ENTRY;
	char *table = mem_alloc(bytes + 1);
	frame->entries = mem_calloc(entries + 1, sizeof *frame->entries);
	spate_result result = table && frame->entries ? SPATE_OK : error_memory(error, bytes);
	if (result == SPATE_OK)
		result = read_at(frame, FORMAT_HEADER, table, bytes, error);
	if (result == SPATE_OK && hash_bytes(table, bytes, 0) != checksum)
		result = damaged(frame, error, "its table does not match its checksum");
	if (result == SPATE_OK)
		result = parse_table(frame, table, error);
	mem_free(table);
	return result;
}

static spate_result open_frame(spate_frame *frame, spate_error *error)
{
	frame->fd = open(frame->path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	if (frame->fd < 0 || fstat(frame->fd, &status) != 0)
		return file_error(error, errno == ENOENT ? SPATE_MISSING : SPATE_IO, "read", frame->path, errno);
	if (!S_ISREG(status.st_mode))
		return error_set(error, SPATE_IO, "cannot read %s: it is not a regular file", frame->path);
	uint64_t checksum = 0;
	spate_result result = read_header(frame, (uint64_t)status.st_size, &checksum, error);
	return result == SPATE_OK ? read_table(frame, checksum, error) : result;
}

spate_result spate_frame_open(const char *path, spate_frame **frame, spate_error *error)
{
	*frame = NULL;
	spate_frame *fresh = mem_calloc(1, sizeof *fresh);
	if (!fresh)
		return error_memory(error, sizeof *fresh);
	fresh->fd = -1;
	spate_frame_set_threads(fresh, 0);
	fresh->path = mem_strdup(path);
	spate_result result = fresh->path ? open_frame(fresh, error) : error_memory(error, strlen(path) + 1);
	if (result == SPATE_OK)
		*frame = fresh;
	else
		spate_frame_close(fresh);
	return result;
}

void spate_frame_set_threads(spate_frame *frame, int threads)
{
	frame->threads = threads > 0 ? threads : parallel_default_threads();
}

void spate_frame_close(spate_frame *frame)
{
	if (!frame)
		return;
	for (uint32_t i = 0; frame->entries && i < frame->channels + frame->blobs; i++)
		mem_free(frame->entries[i].data);
	if (frame->fd >= 0)
		close(frame->fd);
	mem_free(frame->entries);
	mem_free(frame->path);
	mem_free(frame);
}

// Reads the block of an entry as stored in the file and verifies it; free it with mem_free().
static spate_result read_block(const spate_frame *frame, const entry *e, char **block, spate_error *error)
{
	*block = mem_alloc((size_t)e->stored + 1);
	if (!*block)
		return error_memory(error, (size_t)e->stored);
	spate_result result = read_at(frame, e->offset, *block, (size_t)e->stored, error);
	if (result == SPATE_OK && hash_bytes(*block, (size_t)e->stored, 0) != e->checksum)
		result = damaged(frame, error, "%s does not match its checksum", e->name);
	if (result != SPATE_OK)
	{
		mem_free(*block);
		*block = NULL;
	}
	return result;
}

typedef struct unpacking
{
	const entry *e;
	const char *block;
	const size_t *starts; // of each chunk in the block
	char *data, *scratch; // scratch: one chunk per thread
	size_t stride, slot;
	atomic_int failed;
} unpacking;

static size_t rows_of_chunk(const entry *e, size_t chunk)
{
	uint64_t left = e->rows - (uint64_t)chunk * FORMAT_CHUNK_ROWS;
	return left < FORMAT_CHUNK_ROWS ? (size_t)left : FORMAT_CHUNK_ROWS;
}

static void unpack_chunks(void *context, size_t begin, size_t end, int thread)
{
	unpacking *u = context;
	for (size_t i = begin; i < end; i++)
		if (!chunk_unpack((spate_type)u->e->type, u->block + u->starts[i], rows_of_chunk(u->e, i),
				  u->data + i * FORMAT_CHUNK_ROWS * u->stride, u->stride,
				  u->scratch + (size_t)thread * u->slot))
			u->failed = 1;
}

// Validates all chunks before anything is allocated for their content.
static int find_chunks(const entry *e, const char *block, size_t chunks, size_t *starts)
{
	size_t at = 0;
	for (size_t i = 0; i < chunks; i++)
	{
		size_t left = (size_t)e->stored - at;
		size_t length = chunk_length((spate_type)e->type, rows_of_chunk(e, i), block + at, left);
		if (length == 0)
			return 0;
		starts[i] = at;
		at += length;
	}
	return at == e->stored;
}

// Unpacks a block into `data`, or into fresh memory at *owned when `data` is NULL.
static spate_result unpack(const spate_frame *frame, const entry *e, const char *block, char *data, size_t stride,
			   char **owned, spate_error *error)
{
	size_t chunks = (size_t)(e->rows / FORMAT_CHUNK_ROWS + (e->rows % FORMAT_CHUNK_ROWS != 0));
	int threads = (size_t)frame->threads < chunks ? frame->threads : (int)chunks;
	unpacking u = {.e = e,
		       .block = block,
		       .stride = stride,
		       .slot = rows_of_chunk(e, 0) * spate_type_size((spate_type)e->type)};
	spate_result result = SPATE_OK;
	size_t *starts = mem_alloc(chunks * sizeof *starts);
	u.starts = starts;
	u.scratch = mem_alloc((size_t)threads * u.slot);
	if (!starts || !u.scratch)
		result = error_memory(error, chunks * sizeof *starts + (size_t)threads * u.slot);
	else if (!find_chunks(e, block, chunks, starts))
		result = damaged(frame, error, "the chunks of %s are invalid", e->name);
	else if (!(u.data = data ? data : (*owned = mem_alloc((size_t)e->raw))))
		result = error_memory(error, (size_t)e->raw);
	else
	{
		parallel_for(threads, chunks, 1, unpack_chunks, &u);
		if (u.failed)
			result = damaged(frame, error, "%s cannot be unpacked", e->name);
	}
	mem_free(starts);
	mem_free(u.scratch);
	return result;
}

// Reads, checks and unpacks a channel, into `data` or (when NULL) into memory that the entry keeps.
static spate_result load_channel(spate_frame *frame, entry *e, void *data, size_t stride, spate_error *error)
{
	if (e->rows == 0)
		return SPATE_OK;
	char *block, *owned = NULL;
	spate_result result = read_block(frame, e, &block, error);
	if (result != SPATE_OK)
		return result;
	result = unpack(frame, e, block, data, stride, &owned, error);
	mem_free(block);
	if (result == SPATE_OK)
		e->data = data ? e->data : owned;
	else
		mem_free(owned);
	return result;
}

static entry *find(spate_frame *frame, const char *name, uint32_t begin, uint32_t end)
{
	for (uint32_t i = begin; i < end; i++)
		if (strcmp(frame->entries[i].name, name) == 0)
			return &frame->entries[i];
	return NULL;
}

static entry *find_channel(spate_frame *frame, const char *name, spate_error *error)
{
	entry *e = find(frame, name, 0, frame->channels);
	if (!e)
		error_set(error, SPATE_MISSING, "%s has no channel %s", frame->path, name);
	return e;
}

spate_result spate_frame_channel(spate_frame *frame, const char *name, spate_type *type, const void **data,
				 spate_error *error)
{
	entry *e = find_channel(frame, name, error);
	if (!e)
		return SPATE_MISSING;
	if (!e->data)
	{
		spate_result result = load_channel(frame, e, NULL, spate_type_size((spate_type)e->type), error);
		if (result != SPATE_OK)
			return result;
	}
	if (type)
		*type = (spate_type)e->type;
	*data = e->data;
	return SPATE_OK;
}

spate_result spate_frame_copy(spate_frame *frame, const char *name, spate_type type, void *data, size_t stride,
			      spate_error *error)
{
	entry *e = find_channel(frame, name, error);
	if (!e)
		return SPATE_MISSING;
	if (e->type != (uint32_t)type)
		return error_set(error, SPATE_FORMAT, "%s: channel %s is of type %s, not %s", frame->path, name,
				 spate_type_name((spate_type)e->type), spate_type_name(type));
	size_t size = spate_type_size(type);
	if (stride != 0 && stride < size)
		return error_set(error, SPATE_INVALID, "%s: rows of %zu bytes cannot take channel %s of %zu",
				 frame->path, stride, name, size);
	return load_channel(frame, e, data, stride ? stride : size, error);
}

spate_result spate_frame_blob(spate_frame *frame, const char *name, const void **data, size_t *bytes,
			      spate_error *error)
{
	entry *e = find(frame, name, frame->channels, frame->channels + frame->blobs);
	if (!e)
		return error_set(error, SPATE_MISSING, "%s has no blob %s", frame->path, name);
	spate_result result = e->data ? SPATE_OK : read_block(frame, e, &e->data, error);
	if (result != SPATE_OK)
		return result;
	*data = e->data;
	*bytes = (size_t)e->stored;
	return SPATE_OK;
}

spate_result spate_frame_verify(spate_frame *frame, spate_error *error)
{
	for (uint32_t i = 0; i < frame->channels + frame->blobs; i++)
	{
		const entry *e = &frame->entries[i];
		char *block, *owned = NULL;
		spate_result result = read_block(frame, e, &block, error);
		if (result == SPATE_OK && i < frame->channels && e->rows > 0)
			result = unpack(frame, e, block, NULL, spate_type_size((spate_type)e->type), &owned, error);
		mem_free(block);
		mem_free(owned);
		if (result != SPATE_OK)
			return result;
	}
	return SPATE_OK;
}

spate_frame_kind spate_frame_get_kind(const spate_frame *frame)
{
	return (spate_frame_kind)frame->kind;
}

int64_t spate_frame_number(const spate_frame *frame)
{
	return frame->number;
}

double spate_frame_time(const spate_frame *frame)
{
	return frame->time;
}

void spate_frame_origin(const spate_frame *frame, double origin[3])
{
	memcpy(origin, frame->origin, sizeof frame->origin);
}

uint64_t spate_frame_count(const spate_frame *frame)
{
	return frame->count;
}

uint64_t spate_frame_population(const spate_frame *frame, const char *name)
{
	size_t length = strlen(name);
	for (uint32_t i = 0; i < frame->channels; i++)
	{
		const entry *e = &frame->entries[i];
		if (format_prefix(e->name) == length + 1 && memcmp(e->name, name, length) == 0)
			return e->rows;
	}
	return 0;
}

uint64_t spate_frame_bytes(const spate_frame *frame)
{
	return frame->file_size;
}

uint32_t spate_frame_channel_count(const spate_frame *frame)
{
	return frame->channels;
}

uint32_t spate_frame_blob_count(const spate_frame *frame)
{
	return frame->blobs;
}

static void describe(const entry *e, spate_frame_entry *out)
{
	*out = (spate_frame_entry){.name = e->name, .type = (spate_type)e->type, .count = e->rows, .stored = e->stored};
}

spate_result spate_frame_channel_at(const spate_frame *frame, uint32_t n, spate_frame_entry *out)
{
	if (n >= frame->channels)
		return SPATE_MISSING;
	describe(&frame->entries[n], out);
	return SPATE_OK;
}

spate_result spate_frame_blob_at(const spate_frame *frame, uint32_t n, spate_frame_entry *out)
{
	if (n >= frame->blobs)
		return SPATE_MISSING;
	describe(&frame->entries[frame->channels + n], out);
	return SPATE_OK;
}
