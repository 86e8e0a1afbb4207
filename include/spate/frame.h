// Frame files (.spate): the particles at one time, and named blobs. Checkpoints use the same format.
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

#include "spate/pose.h"
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
	SPATE_FRAME_MESH = 3 // rows are vertices; "triangle/a", "/b" and "/c" are the corners of triangles
} spate_frame_kind;

// Names of channels and blobs: 1 to 63 letters, digits, `_`, `.`, `-`, `/`; unique among channels and among
// blobs. A channel whose name has no slash belongs to the liquid and has one row per particle of the frame;
// "spray/position" belongs to the population "spray", whose channels have their own number of rows.
typedef struct spate_frame_channel_def
{
	const char *name;
	spate_type type;  // in the file; the rows in memory may be wider, such as VEC3 from rows of four floats
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
	double origin[3]; // m; positions are relative to it
	uint64_t count;   // particles
	const spate_frame_channel_def *channels;
	uint32_t channel_count;
	const spate_frame_blob_def *blobs;
	uint32_t blob_count;
	int threads; // for packing; 0 for all cores. The file does not depend on it
} spate_frame_def;

// Frame 0, plain, without particles, channels or blobs.
SPATE_API spate_frame_def spate_default_frame_def(void);

// Writes the file completely or not at all: on failure an existing file of that name is unchanged.
SPATE_API spate_result spate_frame_write(const char *path, const spate_frame_def *def, spate_error *error);

typedef struct spate_frame spate_frame;

// Reads and checks the header and the table; values are read on demand. Use an open frame from one thread at a time.
SPATE_API spate_result spate_frame_open(const char *path, spate_frame **frame, spate_error *error);
SPATE_API void spate_frame_close(spate_frame *frame);
// Number of threads for unpacking; 0, the default, for all cores.
SPATE_API void spate_frame_set_threads(spate_frame *frame, int threads);
// Reads, unpacks and checks everything.
SPATE_API spate_result spate_frame_verify(spate_frame *frame, spate_error *error);

SPATE_API spate_frame_kind spate_frame_get_kind(const spate_frame *frame);
SPATE_API int64_t spate_frame_number(const spate_frame *frame);
SPATE_API double spate_frame_time(const spate_frame *frame);
SPATE_API void spate_frame_origin(const spate_frame *frame, double origin[3]);
// Number of liquid particles.
SPATE_API uint64_t spate_frame_count(const spate_frame *frame);
// Rows of another population, such as "spray"; 0 if there is none.
SPATE_API uint64_t spate_frame_population(const spate_frame *frame, const char *name);
// Size of the file.
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

// The n-th channel or blob, in file order; SPATE_MISSING beyond the last.
SPATE_API spate_result spate_frame_channel_at(const spate_frame *frame, uint32_t n, spate_frame_entry *entry);
SPATE_API spate_result spate_frame_blob_at(const spate_frame *frame, uint32_t n, spate_frame_entry *entry);

// All values of a channel, packed, verified and kept until the frame is closed; data is NULL if it has no rows.
// SPATE_MISSING for an unknown channel; `type` may be NULL.
SPATE_API spate_result spate_frame_channel(spate_frame *frame, const char *name, spate_type *type, const void **data,
					   spate_error *error);
// The same into the caller's memory, `stride` bytes from row to row (0 for packed); nothing is kept. Bytes between
// the rows are not written. SPATE_FORMAT if the channel has another type.
SPATE_API spate_result spate_frame_copy(spate_frame *frame, const char *name, spate_type type, void *data,
					size_t stride, spate_error *error);
// A blob, verified, aligned for any type and kept until the frame is closed.
SPATE_API spate_result spate_frame_blob(spate_frame *frame, const char *name, const void **data, size_t *bytes,
					spate_error *error);

enum
{
	SPATE_COLLIDER_NAME = 56 // bytes of a collider's name in a frame, with the zero at its end
};

// Where a collider was at the time of a frame.
typedef struct spate_frame_collider_pose
{
	spate_pose pose;
	double sequence_frame; // file of its mesh sequence, with a fraction between two files; -1 for none
	char name[SPATE_COLLIDER_NAME];
} spate_frame_collider_pose;

// Number of colliders that a frame has poses of: those of its scene, in that order; 0 in frames that do not hold any.
SPATE_API uint32_t spate_frame_collider_count(const spate_frame *frame);
// The pose of a collider; SPATE_MISSING beyond the last.
SPATE_API spate_result spate_frame_collider(spate_frame *frame, uint32_t collider, spate_frame_collider_pose *pose,
					    spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
