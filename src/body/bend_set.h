// Bodies that bend as a part of a world: colliders of triangles whose vertices are a part of the state. A substep goes like this:
//
//   bend_set_predict()   where the bodies would be, if the liquid gave them what it gave in the last substeps; their surfaces stay at the
//                        start of the substep, where the solver finds its walls
//   the solver           asks bend_set_respond() how the bodies yield to impulses, and finds its pressure and their velocities together
//   bend_set_carry()     takes the change of the velocities, and moves the surfaces to the end of the substep
//   bend_set_finish()    keeps what the liquid gave for the next substep
//
// What the solver does not give that way, as friction and contacts, comes through the collider's load_skin, and acts in the next substep.
#ifndef BODY_BEND_SET_H
#define BODY_BEND_SET_H

#include "body/deformable.h"
#include "collider/collider.h"
#include "spate/body.h"

typedef struct bend_pin
{
	uint32_t node, collider; // UINT32_MAX for one that stays where it is
	double place[3];         // m, as that collider is defined
} bend_pin;

typedef struct bend_body
{
	uint32_t body, collider; // indices of the definition
	deformable *own;
	double friction;
	bend_pin *pins;
	uint32_t pin_count;
	load_skin skin;
	float *before, *now; // of the surface's vertices
	// by vertex, 3 each
	double *predicted; // m/s, of the surface in the substep
	double *pushed;    // N s, what the solver's pressure gives
	double *changes;   // m/s, what that changes
	// by node, 3 each
	double *guess;  // N, mean of what the liquid gave in the last substeps
	double *rest;   // N s, what else the liquid gave and the body has not got yet
	double *share;  // of that which a substep gives, by node
	double *answer; // m/s by vertex, the response to the rest without the guess
	double *nodes[2];
	int carried;
	// what is restored if a substep is predicted once more
	double *saved;
} bend_body;

typedef struct bend_set
{
	bend_body *bodies;
	uint32_t count;
	uint32_t *bodies_of; // by collider: number of its body, from 1; 0 for none; NULL without bodies
	load_skin **skins;
	collider_set *colliders;
	double gravity[3], dt;
	int threads, predicted;
	double speed_limit;
} bend_set;

spate_result bend_set_create(bend_set *set, const spate_world_def *def, collider_set *colliders, int threads,
			     spate_error *error);
void bend_set_destroy(bend_set *set);

spate_result bend_set_predict(bend_set *set, double begin, double end, const double gravity[3], spate_error *error);
// Changes of the velocities of a body's vertices by its `pushed`.
void bend_set_respond(bend_body *body);
// The bodies have been pushed by `pushed` in the end, instead of by the guess.
spate_result bend_set_carry(bend_set *set, spate_error *error);
spate_result bend_set_finish(bend_set *set, spate_error *error);
// Puts the surfaces where the nodes are, for a state that has just been loaded.
spate_result bend_set_place(bend_set *set, spate_error *error);

void bend_set_save(const bend_set *set, byte_writer *to);
// 0 if the bytes cannot be a state of these bodies.
int bend_set_load(bend_set *set, byte_reader *from);

#endif
