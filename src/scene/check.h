// Checks on combinations of values that are each valid on their own.
#ifndef SCENE_CHECK_H
#define SCENE_CHECK_H

#include "scene/buffer.h"
#include "scene/node.h"
#include "scene/problem.h"
#include "spate/world.h"

struct scene_reader;

// Hooks of the table of keys: called for an object that was read without an error.
typedef void scene_check(struct scene_reader *reader, const node *at, const void *object);
scene_check check_box, check_axis, check_ellipsoid, check_enclosed, check_motion, check_source, check_probe,
    check_camera, check_collider, check_sequence, check_sink, check_field, check_fluid, check_interface, check_channel,
    check_force, check_body, check_pin, check_joint;

// Warns of a contact angle that the scene's solver does not have; in keys_solver.c.
void check_contact_angle(struct scene_reader *reader, const node *at);
// Refuses a spacing of its own where the solver needs one for all fluids.
void check_spacing(struct scene_reader *reader, const node *at, const spate_fluid_def *fluid);
// Warns of a viscosity that looks like one in another unit; in check_units.c.
void check_viscosity_unit(struct scene_reader *reader, const node *at, const spate_fluid_def *fluid);
// Likewise of a surface tension (N/m); returns 1 if it does.
int check_tension_unit(struct scene_reader *reader, place where, double tension);
// Likewise of wall shear.
void check_slip(struct scene_reader *reader, const node *at);
// The cameras that the solver names, and whether it has what it needs; there as well.
void check_cameras(struct scene_reader *reader);

// Checks that involve more than one object; called last.
void check_scene(struct scene_reader *reader);
// Warns of a volume's flow that cannot get out of its shape.
void check_outflow(problem_list *problems, place where, const char *path, const spate_world_def *world,
		   const spate_source_def *source);
// Forces that act on nothing; in keys_force.c.
void check_forces(struct scene_reader *reader);
// Checks of sources among colliders, in check_liquid.c. Only for scenes without errors.
void check_liquid(struct scene_reader *reader);

// 1234567 as "1.2 million"
void say_count(char out[NUMBER_CHARS], double count);

#endif
