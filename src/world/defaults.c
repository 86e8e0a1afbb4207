// Default values of all definitions.
#include "solver/solver.h"
#include "spate/body.h"

int spate_solver_find(const char *name)
{
	return name ? solver_find(name) : -1;
}

spate_solver_def spate_default_solver_def(void)
{
	spate_solver_def def = {.quality = SPATE_QUALITY_NORMAL, .max_substeps = 200, .list_margin = -1.0};
	for (int row = 0; row < SPATE_SOLVER_SETTINGS; row++)
		def.own[row] = NAN;
	return def;
}

spate_world_def spate_default_world_def(void)
{
	return (spate_world_def){
	    .gravity = {0.0, -9.81, 0.0},
	    .fps = 24.0,
	    .solver = spate_default_solver_def(),
	    .runaway = SPATE_RUNAWAY_REMOVE,
	    .seed = 1,
	};
}

// Spacing has no sensible default: it stays 0, and the caller must set it.
spate_fluid_def spate_default_fluid_def(void)
{
	return (spate_fluid_def){
	    .density = 1000.0,
	    .viscosity = 1.0e-6,
	    .damping = -1.0,
	    .surface_tension = 0.0728,
	    .cohesion = -1.0,
	    .pull = 1.0,
	    .push = 1.0,
	    .color = {0x3b / 255.0, 0x82 / 255.0, 0xc4 / 255.0},
	};
}

spate_interface_def spate_default_interface_def(void)
{
	return (spate_interface_def){.surface_tension = 0.0};
}

spate_collider_def spate_default_collider_def(void)
{
	return (spate_collider_def){.mode = SPATE_COLLIDER_OUTSIDE,
				    .contact_angle = 90.0,
				    .slip = -1.0,
				    .mesh = {.scale = 1.0, .first = 1},
				    .motion = {.frequency = 1.0, .turn_frequency = 1.0}};
}

spate_source_def spate_default_source_def(void)
{
	return (spate_source_def){.type = SPATE_SOURCE_FILL,
				  .stop = -1.0,
				  .material = {-1.0, -1.0, -1.0, -1.0},
				  .color = {-1.0, -1.0, -1.0},
				  .shape.mesh.scale = 1.0,
				  .level = INFINITY,
				  .wall = {.contact_angle = 90.0, .slip = -1.0},
				  .speed = -1.0,
				  .flow = -1.0,
				  .follow = SPATE_NO_COLLIDER};
}

spate_sink_def spate_default_sink_def(void)
{
	return (spate_sink_def){.shape.mesh.scale = 1.0};
}

spate_force_def spate_default_force_def(void)
{
	return (spate_force_def){
	    .type = SPATE_FORCE_WIND, .axis = {0.0, 1.0, 0.0}, .radius = 1.0, .power = 1.0, .size = 1.0, .seed = 1};
}

spate_probe_def spate_default_probe_def(void)
{
	return (spate_probe_def){.type = SPATE_PROBE_POINT};
}

spate_camera_def spate_default_camera_def(void)
{
	return (spate_camera_def){.position = {0.0, 0.0, 1.0}, .up = {0.0, 1.0, 0.0}, .fov = 35.0};
}

spate_channel_def spate_default_channel_def(void)
{
	return (spate_channel_def){.type = SPATE_CHANNEL_FLOAT};
}

spate_body_def spate_default_body_def(void)
{
	return (spate_body_def){.density = 500.0,
				.mass = -1.0,
				.area_density = 0.2,
				.stiffness = -1.0,
				.bending = 1e-4,
				.poisson = -1.0,
				.damping = 0.002,
				.thickness = -1.0,
				.friction = 0.4,
				.mesh = {.scale = 1.0, .first = 1},
				.wall = {.contact_angle = 90.0, .slip = -1.0},
				.motion = {.frequency = 1.0, .turn_frequency = 1.0}};
}

spate_joint_def spate_default_joint_def(void)
{
	return (spate_joint_def){
	    .bodies = {SPATE_BODY_WORLD, SPATE_BODY_WORLD}, .axis = {0.0, 0.0, 1.0}, .low = 1.0, .high = -1.0};
}
