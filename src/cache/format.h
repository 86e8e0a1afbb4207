// The .spate file: particles of one moment, for a frame and for a checkpoint alike, or a mesh (mesh_frame.h).
//
// All numbers are little-endian; there is no padding anywhere, so every byte is covered by a checksum (XXH64, seed 0).
//
//   offset  bytes
//   +-------------------------------------------------------------------------------------------------+
//   |    0    8   magic: 89 'S' 'P' 'A' 'T' 'E' 0D 0A                                    header       |
//   |    8    4   version of the format: 1                                               96 bytes     |
//   |   12    4   kind: 1 frame, 2 checkpoint, 3 mesh                                                 |
//   |   16    8   size of the whole file in bytes                                                     |
//   |   24    8   frame number (int64, not negative)                                                  |
//   |   32    8   simulated time, s (double)                                                          |
//   |   40   24   world origin, m (3 doubles); positions are relative to it                           |
//   |   64    8   particle count                                                                      |
//   |   72    4   number of channels                                                                  |
//   |   76    4   number of blobs                                                                     |
//   |   80    8   checksum of the table                                                               |
//   |   88    8   checksum of bytes 0 to 87                                                           |
//   +-------------------------------------------------------------------------------------------------+
//   |   96  112   one entry per channel, then one per blob                               table        |
//   |           0   64   name: letters, digits, _ . - /; at most 63, then zero bytes                  |
//   |          64    4   type: spate_type of a channel, FFFFFFFF for a blob                           |
//   |          68    4   coding: 0 bytes as they are (blobs), 1 chunks (channels)                     |
//   |          72    8   rows of the channel; bytes of the blob                                       |
//   |          80    8   offset of the block in the file                                              |
//   |          88    8   bytes of the block                                                           |
//   |          96    8   bytes of the values when unpacked: rows * size of the type                   |
//   |         104    8   checksum of the block                                                        |
//   +-------------------------------------------------------------------------------------------------+
//   |  ...        the blocks, one per entry, in the order of the table, each behind the other         |
//   +-------------------------------------------------------------------------------------------------+
//   |             end of file = size in the header                                                    |
//   +-------------------------------------------------------------------------------------------------+
//
// The block of a channel holds one chunk per 16,384 rows (the last may be shorter), one behind the other. A chunk is a
// buffer of c-blosc 1, whose own header says how long it is (bytes 12 to 15). Unpacked it holds one plane per
// component: all x, then all y, then all z. Words of a plane (32 bits, or 64 for int64) are differences of their bits
// to the row before, the first to zero, with the sign moved to the lowest bit so that small differences have few ones:
//
//      difference d = word - previous          (modulo 2^32 or 2^64)
//      stored       = d << 1 ^ (d < 0 ? ~0 : 0)
//
// Particles come sorted by cell, so a row is close to the one before it: ids nearly vanish, and the leading bits of
// positions and velocities do. Bit shuffle then lines those zero bits up for lz4.
//
// The channels of the liquid have as many rows as there are particles. Another population has names with a prefix
// ("spray/position"); all of one prefix have the same number of rows.
#ifndef CACHE_FORMAT_H
#define CACHE_FORMAT_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "frame files are little-endian and are read and written without swapping"
#endif

#define FORMAT_MAGIC "\x89SPATE\r\n"

enum
{
	FORMAT_VERSION = 1,
	FORMAT_MAX_ENTRIES = 4096,
	FORMAT_CHUNK_ROWS = 16384,
	FORMAT_CHUNK_HEADER = 16, // of a blosc buffer

	FORMAT_HEADER = 96,
	HEADER_VERSION = 8,
	HEADER_KIND = 12,
	HEADER_FILE_SIZE = 16,
	HEADER_FRAME = 24,
	HEADER_TIME = 32,
	HEADER_ORIGIN = 40,
	HEADER_COUNT = 64,
	HEADER_CHANNELS = 72,
	HEADER_BLOBS = 76,
	HEADER_TABLE_CHECKSUM = 80,
	HEADER_CHECKSUM = 88,

	FORMAT_ENTRY = 112,
	FORMAT_NAME = 64,
	ENTRY_TYPE = 64,
	ENTRY_CODING = 68,
	ENTRY_ROWS = 72,
	ENTRY_OFFSET = 80,
	ENTRY_STORED = 88,
	ENTRY_RAW = 96,
	ENTRY_CHECKSUM = 104,

	CODING_BYTES = 0,
	CODING_CHUNKS = 1
};

#define FORMAT_TYPE_BLOB 0xffffffffu

// Any plain value at a byte offset.
#define format_put(bytes, offset, type, value) memcpy((bytes) + (offset), &(type){value}, sizeof(type))
#define format_get(bytes, offset, pointer) memcpy((pointer), (bytes) + (offset), sizeof *(pointer))

// 1 for a name that an entry can carry.
static inline int format_name_is_valid(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/";
	size_t length = strnlen(name, FORMAT_NAME);
	return length > 0 && length < FORMAT_NAME && strspn(name, allowed) == length;
}

// Length of the population's prefix with its slash; 0 for the liquid.
static inline size_t format_prefix(const char *name)
{
	const char *slash = strrchr(name, '/');
	return slash ? (size_t)(slash - name) + 1 : 0;
}

#endif
