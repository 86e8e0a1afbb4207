// Poses of the colliders, and what the liquid gives to them.
#include "base/error.h"
#include "world/world.h"

// Fails for a collider that the world does not have.
static spate_result check_collider(const spate_world *w, uint32_t number, const char *function, spate_error *error)
{
	if (!w)
		return error_set(error, SPATE_INVALID, "%s needs a world, not NULL", function);
	if (number >= w->state.colliders.count)
		return error_set(error, SPATE_INVALID, "%s: there is no collider %u, the world has %u", function,
				 number, w->state.colliders.count);
	return SPATE_OK;
}

spate_result spate_world_set_pose_callback(spate_world *w, uint32_t number, spate_pose_callback *callback,
					   void *context, spate_error *error)
{
	spate_result result = check_collider(w, number, "spate_world_set_pose_callback", error);
	if (result != SPATE_OK)
		return result;
	return collider_set_drive(&w->state.colliders, number, callback, context, spate_world_time(w), error);
}

spate_result spate_world_pose(const spate_world *w, uint32_t number, spate_pose *pose, spate_error *error)
{
	spate_result result = check_collider(w, number, "spate_world_pose", error);
	if (result == SPATE_OK)
		*pose = placement_to_pose(&w->state.colliders.colliders[number].placed, w->model.origin);
	return result;
}
