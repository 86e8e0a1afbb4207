// Snapshots: the complete state of a world between two substeps, in memory or in a file.
//
// A world that is restored continues with the same bits as the one that the snapshot was taken from, and taking one does not change how a
// world continues. A snapshot holds no definition: it fits any world made from the same one, with the same callbacks for poses.
// Checkpoints of a run are snapshots at the end of a frame, in the same kind of file.
//
// A snapshot may be read from several threads at a time; taking and restoring count as changing the world.
#ifndef SPATE_SNAPSHOT_H
#define SPATE_SNAPSHOT_H

#include "spate/result.h"
#include "spate/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spate_snapshot spate_snapshot;

// Copies the state. Rows of removed particles are dropped first, so pointers to fields become invalid. SPATE_UNUSABLE after a step
// that failed midway, or SPATE_MEMORY; the world stays as it is.
SPATE_API spate_result spate_snapshot_take(spate_snapshot **snapshot, spate_world *world, spate_error *error);
SPATE_API void spate_snapshot_destroy(spate_snapshot *snapshot);

// Replaces the state of a world. Channels that the world does not have are added; those that the snapshot does not have get their
// initial values. SPATE_FORMAT if it is not a state of this world's definition, or one of a later version of Spate; then, as after
// SPATE_MEMORY, the world is unusable until another restore succeeds.
SPATE_API spate_result spate_snapshot_restore(spate_world *world, const spate_snapshot *snapshot, spate_error *error);

// Writes a file under a temporary name, syncs and renames it. On failure an earlier file of that name is untouched.
SPATE_API spate_result spate_snapshot_save(const spate_snapshot *snapshot, const char *path, spate_error *error);
// Reads a file, also a run's checkpoint, and verifies its checksums.
SPATE_API spate_result spate_snapshot_load(spate_snapshot **snapshot, const char *path, spate_error *error);

// Completed frames, time (s), particles and memory (bytes) of a snapshot.
SPATE_API uint32_t spate_snapshot_frame(const spate_snapshot *snapshot);
SPATE_API double spate_snapshot_time(const spate_snapshot *snapshot);
SPATE_API uint64_t spate_snapshot_particles(const spate_snapshot *snapshot);
SPATE_API size_t spate_snapshot_bytes(const spate_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
