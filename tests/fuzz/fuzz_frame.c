// Any bytes as a frame file. The checksums are made right first, so that the fuzzer gets past them.
#define _GNU_SOURCE
#include "fuzz.h"

#include "base/hash.h"
#include "base/memory.h"
#include "cache/format.h"
#include "cache/mesh_frame.h"
#include "export/particles_read.h"
#include "spate/frame.h"

// Sets every checksum whose bytes are there.
static void seal(char *bytes, size_t size)
{
	uint32_t channels, blobs;
	memcpy(bytes, FORMAT_MAGIC, 8);
	format_put(bytes, HEADER_VERSION, uint32_t, FORMAT_VERSION);
	format_put(bytes, HEADER_FILE_SIZE, uint64_t, size);
	format_get(bytes, HEADER_CHANNELS, &channels);
	format_get(bytes, HEADER_BLOBS, &blobs);
	uint64_t entries = (uint64_t)channels + blobs;
	if (entries > (size - FORMAT_HEADER) / FORMAT_ENTRY)
		entries = 0;
	for (uint64_t i = 0; i < entries; i++)
	{
		char *entry = bytes + FORMAT_HEADER + i * FORMAT_ENTRY;
		uint64_t offset, stored;
		format_get(entry, ENTRY_OFFSET, &offset);
		format_get(entry, ENTRY_STORED, &stored);
		if (offset <= size && stored <= size - offset)
			format_put(entry, ENTRY_CHECKSUM, uint64_t, hash_bytes(bytes + offset, stored, 0));
	}
	format_put(bytes, HEADER_TABLE_CHECKSUM, uint64_t,
		   hash_bytes(bytes + FORMAT_HEADER, (size_t)entries * FORMAT_ENTRY, 0));
	format_put(bytes, HEADER_CHECKSUM, uint64_t, hash_bytes(bytes, HEADER_CHECKSUM, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < FORMAT_HEADER)
		return 0;
	char *bytes = mem_alloc(size);
	must(bytes);
	memcpy(bytes, data, size);
	seal(bytes, size);
	memory_file file = memory_file_make(bytes, size);
	spate_frame *frame = NULL;
	mem_reset_peak();
	if (spate_frame_open(file.path, &frame, NULL) == SPATE_OK)
	{
		spate_frame_entry entry;
		const void *values;
		size_t length;
		for (uint32_t i = 0; spate_frame_channel_at(frame, i, &entry) == SPATE_OK; i++)
			(void)spate_frame_channel(frame, entry.name, NULL, &values, NULL);
		for (uint32_t i = 0; spate_frame_blob_at(frame, i, &entry) == SPATE_OK; i++)
			(void)spate_frame_blob(frame, entry.name, &values, &length, NULL);
		(void)spate_frame_verify(frame, NULL);
	}
	spate_frame_close(frame);
	// as those who take a frame for something
	spate_mesh *mesh = NULL;
	if (mesh_frame_read(&mesh, file.path, NULL) == SPATE_OK)
		for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
			must(mesh->triangles[i] < mesh->vertex_count);
	spate_mesh_destroy(mesh);
	particle_set set;
	(void)particles_read(&set, file.path, NULL, 0, NULL);
	particles_free(&set);
	// a chunk of 16 bytes can hold 16384 rows of up to 16 bytes, which are copied once; a number in the header alone is worth nothing
	must(mem_get_stats().peak < (1u << 20) + 65536 * size);
	memory_file_close(&file);
	mem_free(bytes);
	return 0;
}
