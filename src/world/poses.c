// Poses of the colliders, and what the liquid gives to them.
#include "base/error.h"
#include "base/memory.h"
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
	if (w->state.bodies.count > 0 && w->state.bodies.bodies_of[number] > 0)
		return error_set(error, SPATE_INVALID,
				 "spate_world_set_pose_callback: collider %u is a body, which moves by itself", number);
	return collider_set_drive(&w->state.colliders, number, callback, context, spate_world_time(w), error);
}

spate_result spate_world_pose(const spate_world *w, uint32_t number, spate_pose *pose, spate_error *error)
{
	spate_result result = check_collider(w, number, "spate_world_pose", error);
	if (result == SPATE_OK)
		*pose = placement_to_pose(&w->state.colliders.colliders[number].placed, w->model.origin);
	return result;
}

// ---------------------------------------------------------------------------------------------------------------- loads

spate_result loads_create(spate_world *w, spate_error *error)
{
	uint32_t count = w->state.colliders.count;
	w->state.loads = mem_calloc(count + 1u, sizeof *w->state.loads);
	w->state.frame_loads = mem_calloc(count + 1u, sizeof *w->state.frame_loads);
	return w->state.loads && w->state.frame_loads ? SPATE_OK
						      : error_memory(error, 2 * count * sizeof *w->state.loads);
}

void spate_world_set_loads(spate_world *w, int on)
{
	if (!w)
		return;
	w->model.loads = on != 0 || w->state.bodies.count > 0;
	on = w->model.loads;
	for (uint32_t c = 0; c < w->state.colliders.count && !on; c++)
		w->state.loads[c] = w->state.frame_loads[c] = (collider_load){0};
}

void loads_take(spate_world *w)
{
	if (!w->model.loads)
		return;
	for (uint32_t c = 0; c < w->state.colliders.count; c++)
	{
		const collider_load *last = &w->state.loads[c];
		collider_load *sum = &w->state.frame_loads[c];
		if (w->state.counters.frame_step == 0)
			*sum = (collider_load){0};
		for (int k = 0; k < 3; k++)
		{
			sum->linear[k] += last->linear[k];
			sum->angular[k] += last->angular[k];
			sum->friction_linear[k] += last->friction_linear[k];
			sum->friction_angular[k] += last->friction_angular[k];
		}
		sum->dt += last->dt;
	}
	collider_set_receive(&w->state.colliders, w->state.loads);
}

// Divides by the time, or not.
static spate_result give_load(const spate_world *w, uint32_t number, const char *function, int frame, int force,
			      int friction, double linear[3], double angular[3], spate_error *error)
{
	spate_result result = check_collider(w, number, function, error);
	if (result != SPATE_OK)
		return result;
	if (!w->model.loads)
		return error_set(
		    error, SPATE_INVALID,
		    "%s: this world does not sum loads; spate_world_set_loads or a force probe turns them on",
		    function);
	const collider_load *load = &(frame ? w->state.frame_loads : w->state.loads)[number];
	double by = !force ? 1.0 : load->dt > 0.0 ? 1.0 / load->dt : 0.0;
	for (int k = 0; k < 3; k++)
	{
		if (linear)
			linear[k] = by * (friction ? load->friction_linear : load->linear)[k];
		if (angular)
			angular[k] = by * (friction ? load->friction_angular : load->angular)[k];
	}
	return SPATE_OK;
}

spate_result spate_world_collider_force(const spate_world *w, uint32_t number, double force[3], double torque[3],
					spate_error *error)
{
	return give_load(w, number, "spate_world_collider_force", 0, 1, 0, force, torque, error);
}

spate_result spate_world_collider_friction(const spate_world *w, uint32_t number, double force[3], double torque[3],
					   spate_error *error)
{
	return give_load(w, number, "spate_world_collider_friction", 0, 1, 1, force, torque, error);
}

spate_result spate_world_collider_impulse(const spate_world *w, uint32_t number, double linear[3], double angular[3],
					  spate_error *error)
{
	return give_load(w, number, "spate_world_collider_impulse", 1, 0, 0, linear, angular, error);
}

spate_result spate_world_collider_friction_impulse(const spate_world *w, uint32_t number, double linear[3],
						   double angular[3], spate_error *error)
{
	return give_load(w, number, "spate_world_collider_friction_impulse", 1, 0, 1, linear, angular, error);
}
