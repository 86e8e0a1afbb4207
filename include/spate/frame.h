// Frames on disk: the particles of one moment with named blobs beside them. Checkpoints use the same file (.spate).
//
//	spate_frame *frame;
//	const void *data;
//	spate_type type;
//	if (spate_frame_open("out/dam/frames/frame_000012.spate", &frame, &error) == SPATE_OK &&
//	    spate_frame_channel(frame, "position", &type, &data, &error) == SPATE_OK)
//		...spate_frame_count(frame) values of `type`, packed...
//	spate_frame_close(frame);
#ifndef SPATE_FRAME_H
#define SPATE_FRAME_H

#include "spate/result.h"
#include "spate/store.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum spate_frame_kind
{
	SPATE_FRAME_PLAIN = 1,
	SPATE_FRAME_CHECKPOINT = 2,
	SPATE_FRAME_MESH = 3 // rows are vertices, "triangle/a", "/b" and "/c" the corners of triangles
} spate_frame_kind;

// Names of channels and blobs: 1 to 63 letters, digits, `_`, `.`, `-`, `/`; each once among channels and once among
// blobs. A channel's name without a slash belongs to the liquid and has as many rows as the frame has particles;
// "spray/position" belongs to the population "spray", whose channels have a number of rows of their own.
typedef struct spate_frame_channel_def
{
	const char *name;
	spate_type type;  // in the file: VEC3 out of rows that hold four floats is fine
	const void *data; // may be NULL when count is 0
	size_t stride;    // bytes from one row to the next; 0 when packed
	uint64_t count;   // rows
} spate_frame_channel_def;

typedef struct spate_frame_blob_def
{
	const char *name;
	const void *data; // may be NULL when bytes is 0
	size_t bytes;
} spate_frame_blob_def;

typedef struct spate_frame_def
{
	spate_frame_kind kind;
	int64_t frame;    // not negative
	double time;      // s
	double origin[3]; // m, what positions are relative to
	uint64_t count;   // particles
	const spate_frame_channel_def *channels;
	uint32_t channel_count;
	const spate_frame_blob_def *blobs;
	uint32_t blob_count;
	int threads; // for packing; 0 takes all cores. The file's bytes do not depend on it
} spate_frame_def;

// A plain frame 0 without particles, channels or blobs.
SPATE_API spate_frame_def spate_default_frame_def(void);

// Writes the file whole or not at all: on failure an older file of that name is as it was.
SPATE_API spate_result spate_frame_write(const char *path, const spate_frame_def *def, spate_error *error);

typedef struct spate_frame spate_frame;

// Reads header and table and checks them; values are read when asked for. One thread at a time per open frame.
SPATE_API spate_result spate_frame_open(const char *path, spate_frame **frame, spate_error *error);
SPATE_API void spate_frame_close(spate_frame *frame);
// For unpacking; 0, the default, takes all cores.
SPATE_API void spate_frame_set_threads(spate_frame *frame, int threads);
// Reads everything and checks it, unpacking included.
SPATE_API spate_result spate_frame_verify(spate_frame *frame, spate_error *error);

SPATE_API spate_frame_kind spate_frame_get_kind(const spate_frame *frame);
SPATE_API int64_t spate_frame_number(const spate_frame *frame);
SPATE_API double spate_frame_time(const spate_frame *frame);
SPATE_API void spate_frame_origin(const spate_frame *frame, double origin[3]);
// Particles of the liquid.
SPATE_API uint64_t spate_frame_count(const spate_frame *frame);
// Rows of another population ("spray"); 0 when there is none.
SPATE_API uint64_t spate_frame_population(const spate_frame *frame, const char *name);
// Of the whole file.
SPATE_API uint64_t spate_frame_bytes(const spate_frame *frame);
SPATE_API uint32_t spate_frame_channel_count(const spate_frame *frame);
SPATE_API uint32_t spate_frame_blob_count(const spate_frame *frame);

typedef struct spate_frame_entry
{
	const char *name;
	spate_type type; // of a channel
	uint64_t count;  // rows of a channel, bytes of a blob
	uint64_t stored; // bytes in the file
} spate_frame_entry;

// The n-th one, in the order they were written; MISSING beyond the last.
SPATE_API spate_result spate_frame_channel_at(const spate_frame *frame, uint32_t n, spate_frame_entry *entry);
SPATE_API spate_result spate_frame_blob_at(const spate_frame *frame, uint32_t n, spate_frame_entry *entry);

// All values of a channel, packed, checked and kept until the frame is closed; NULL data when it has no rows. MISSING
// when there is no such channel; `type` may be NULL.
SPATE_API spate_result spate_frame_channel(spate_frame *frame, const char *name, spate_type *type, const void **data,
					   spate_error *error);
// The same into memory of the caller, `stride` bytes from row to row (0 when packed); nothing is kept. Bytes between
// the rows are left alone. FORMAT when the channel's type is another.
SPATE_API spate_result spate_frame_copy(spate_frame *frame, const char *name, spate_type type, void *data,
					size_t stride, spate_error *error);
// A blob, checked, aligned for any type and kept until the frame is closed.
SPATE_API spate_result spate_frame_blob(spate_frame *frame, const char *name, const void **data, size_t *bytes,
					spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
