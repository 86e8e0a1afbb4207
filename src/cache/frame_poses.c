#include "cache/frame_poses.h"

#include "base/error.h"
#include "cache/format.h"

#include <math.h>

enum
{
	POSE_POSITION = 0,
	POSE_ROTATION = 24,
	POSE_SCALE = 56,
	POSE_FRAME = 64,
	POSE_NAME = 72
};

_Static_assert(POSE_NAME + SPATE_COLLIDER_NAME == FRAME_POSE_BYTES, "the name ends a record");

void frame_poses_pack(const collider_set *set, char *out)
{
	memset(out, 0, (size_t)set->count * FRAME_POSE_BYTES);
	for (uint32_t c = 0; c < set->count; c++, out += FRAME_POSE_BYTES)
	{
		const collider *own = &set->colliders[c];
		spate_pose pose = placement_to_pose(&own->placed, set->origin);
		memcpy(out + POSE_POSITION, pose.position, sizeof pose.position);
		memcpy(out + POSE_ROTATION, pose.rotation, sizeof pose.rotation);
		format_put(out, POSE_SCALE, double, pose.scale);
		format_put(out, POSE_FRAME, double, own->mesh ? mesh_solid_frame(own->mesh) : -1.0);
		if (own->name)
			memcpy(out + POSE_NAME, own->name, strnlen(own->name, SPATE_COLLIDER_NAME - 1));
	}
}

// Size of the blob in a frame; 0 without one.
static uint64_t blob_bytes(const spate_frame *frame)
{
	spate_frame_entry entry;
	for (uint32_t n = 0; spate_frame_blob_at(frame, n, &entry) == SPATE_OK; n++)
		if (strcmp(entry.name, FRAME_POSES) == 0)
			return entry.count;
	return 0;
}

uint32_t spate_frame_collider_count(const spate_frame *frame)
{
	return frame ? (uint32_t)(blob_bytes(frame) / FRAME_POSE_BYTES) : 0;
}

spate_result spate_frame_collider(spate_frame *frame, uint32_t number, spate_frame_collider_pose *out,
				  spate_error *error)
{
	const void *data;
	size_t bytes;
	spate_result result = spate_frame_blob(frame, FRAME_POSES, &data, &bytes, error);
	if (result != SPATE_OK)
		return result;
	if (bytes % FRAME_POSE_BYTES != 0)
		return error_set(error, SPATE_FORMAT, "the poses of colliders have %zu bytes, no multiple of %d", bytes,
				 FRAME_POSE_BYTES);
	if (number >= bytes / FRAME_POSE_BYTES)
		return error_set(error, SPATE_MISSING, "the frame has no collider %u, but %zu", number,
				 bytes / FRAME_POSE_BYTES);
	const char *at = (const char *)data + (size_t)number * FRAME_POSE_BYTES;
	memcpy(out->pose.position, at + POSE_POSITION, sizeof out->pose.position);
	memcpy(out->pose.rotation, at + POSE_ROTATION, sizeof out->pose.rotation);
	format_get(at, POSE_SCALE, &out->pose.scale);
	format_get(at, POSE_FRAME, &out->sequence_frame);
	memcpy(out->name, at + POSE_NAME, SPATE_COLLIDER_NAME);
	out->name[SPATE_COLLIDER_NAME - 1] = '\0';
	if (!pose_is_valid(&out->pose) || !isfinite(out->sequence_frame))
		return error_set(error, SPATE_FORMAT, "the pose of collider %u is not a pose", number);
	return SPATE_OK;
}

spate_result frame_poses_read(spate_frame *frame, const spate_collider_def *defs, uint32_t count, double time,
			      spate_pose *out, spate_error *error)
{
	// frames of earlier versions have no poses, and the scene may be another
	int known = frame && count > 0 && spate_frame_collider_count(frame) == count;
	for (uint32_t c = 0; c < count; c++)
	{
		static const double zero[3];
		spate_frame_collider_pose own;
		placement at = motion_placement(&defs[c].motion, zero, time);
		out[c] = placement_to_pose(&at, zero);
		spate_result result = known ? spate_frame_collider(frame, c, &own, error) : SPATE_MISSING;
		if (known && result != SPATE_OK)
			return result;
		if (known)
			out[c] = own.pose;
	}
	return SPATE_OK;
}
