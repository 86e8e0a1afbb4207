// Which walls have to answer for what images do to particles: loads and friction.
#ifndef SOLVER_WALL_SHARES_H
#define SOLVER_WALL_SHARES_H

#include "solver/images.h"

// What an image, given as a row, does to a row.
typedef vec3 image_effect(const void *context, uint32_t row, uint32_t image);

// Sums what the images that a row sees do to it, by the walls of the row that made them.
void wall_shares_sum(const image_set *set, const contacts *contacts, const near_row *near, image_effect *effect,
		     const void *context, vec3 given[COLLIDER_MOST_WALLS]);
// Adds what one image does.
void wall_shares_add(const contacts *contacts, const near_row *near, const image *image, vec3 by, vec3 *given);

// Charges a wall, given by its index among the felt ones, for a change of velocity.
void wall_shares_charge(const contacts *contacts, uint32_t felt, vec3 change);
// The same for each wall of a row.
void wall_shares_charge_all(const contacts *contacts, const near_row *near, const vec3 *changes);

// Coulomb friction on the velocities of all rows near walls, if images push as `effect` says, in changes of velocity; charged to the walls.
void wall_shares_rub(const image_set *set, const contacts *contacts, image_effect *effect, const void *context,
		     vec4 *velocities);

// The change of a motion relative to a wall by Coulomb friction, if the wall pushes with `push` in the same unit.
vec3 wall_friction(const felt_wall *felt, vec3 motion, float push);
// Whether any collider has friction.
int wall_friction_acts(const collider_set *colliders);

#endif
