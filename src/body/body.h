// Rigid bodies: colliders whose poses are a part of the state. A substep goes like this:
//
//   body_set_predict()   what gravity, joints and contacts with solids make of the velocities: u*
//   the solver           moves the liquid. One that couples takes u* and the response W of the bodies to impulses, finds the velocities
//                        u* + W P while it finds the pressure, and calls body_set_carry() when it has them.
//   receive()            what else the liquid gave: friction, contacts; for a solver that does not couple, everything
//   body_set_finish()    the velocities at the end, by the same gravity, joints and contacts with the impulse of the liquid
//
// Velocities are six numbers per body, of the centre of mass and of rotation, in world axes; so are impulses. ODE is asked for velocities
// only: it keeps nothing from one substep to the next, so that pose and velocity are the whole state of a body.
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "collider/collider.h"
#include "spate/body.h"

// Mass properties of a solid as defined, relative to the world's origin.
typedef struct body_mass
{
	double volume;    // m^3; 0 if it encloses nothing
	double centre[3]; // m
	double moment[6]; // m^5, of inertia about the centre per density: xx, yy, zz, xy, xz, yz
} body_mass;

// Of a collider that is no plane.
body_mass body_mass_of(const collider *solid);

// Pose and velocity of the centre of mass: the state.
typedef struct body_motion
{
	double place[3];    // m, relative to the origin
	double rotation[4]; // quaternion w, x, y, z, from the body as defined
	double velocity[6]; // m/s and rad/s
	uint32_t stopped;   // 1 once the runaway policy has stopped it
} body_motion;

typedef struct rigid_body
{
	struct body_set *set;
	uint32_t number, collider;
	spate_body_def def;                    // without what it borrows
	double mass;                           // kg
	double centre[3];                      // m, as defined
	double inertia[9], inverse_inertia[9]; // kg m^2 and its inverse, in the axes as defined
	pose_source motion;                    // of the collider's definition, until the release
	float reach;                           // m, of its furthest point from the centre
	vec3 *samples;                         // points of its surface, as defined, for contacts
	uint32_t sample_count;

	body_motion start; // where it begins, which joints refer to

	body_motion now; // state

	// of a substep
	int bends;         // it is one of the bend_set, and here only has a place in the list: it never moves
	int held;          // it does not yield
	double begin, end; // s
	double predicted[6];
	double carried[6]; // the velocity of which the pose at the end follows
	int is_carried;    // the solver has said so
	placement before, after;
	collider_load load;
} rigid_body;

// Where two solids touch.
typedef struct body_contact
{
	uint32_t a, b;              // bodies; b may be SPATE_BODY_WORLD
	double place[3], normal[3]; // m, and towards a
	double depth;               // m
	double friction, bounce;
	int active; // it pushes
} body_contact;

struct body_ode;

typedef struct body_set
{
	rigid_body *bodies;
	uint32_t count;
	spate_joint_def *joints; // without names
	uint32_t joint_count;
	collider_set *colliders;
	double gravity[3];
	double dt; // s
	double origin[3];
	double radius; // m, of kernels: how far liquid feels walls
	struct body_ode *ode;
	body_contact *contacts;
	uint32_t contact_count, contact_room;
	uint32_t *bodies_of; // by collider: number of its body, from 1; 0 for none
	double *response;    // W, a square matrix of six rows per body
	double *scratch;
	size_t scratch_room;
	int couples; // the solver takes the response
	double speed_limit, place_limit;
	uint64_t runaways;
	spate_runaway_policy policy;
} body_set;

// `colliders` stays where it is as long as the set. Errors name the first body that cannot be one.
spate_result body_set_create(body_set *set, const spate_world_def *def, collider_set *colliders, double spacing,
			     spate_error *error);
void body_set_destroy(body_set *set);

// Finds u* and W for a substep. Changes nothing of the state: it may be called again.
spate_result body_set_predict(body_set *set, double begin, double end, const double gravity[3], spate_error *error);
// out = W impulses
void body_set_respond(const body_set *set, const double *impulses, double *out);
// Takes velocities, which the poses at the end of the substep follow, and moves the colliders there.
void body_set_carry(body_set *set, const double *velocities);
// Ends the substep: places the colliders where they are now.
spate_result body_set_finish(body_set *set, spate_error *error);
// Puts the colliders of the bodies at their poses, for a state that has just been loaded.
void body_set_place(body_set *set);

// The velocity of a body's material at a place relative to the centre of mass.
static inline void body_velocity_at(const double u[6], const double r[3], double out[3])
{
	out[0] = u[0] + u[4] * r[2] - u[5] * r[1];
	out[1] = u[1] + u[5] * r[0] - u[3] * r[2];
	out[2] = u[2] + u[3] * r[1] - u[4] * r[0];
}

// Inverse inertia in world axes.
void body_inverse_inertia(const rigid_body *b, double out[9]);
void body_inertia(const rigid_body *b, double out[9]);
placement body_placement(const rigid_body *b, const body_motion *at);

// Finds the contacts at the present poses, sorted.
spate_result body_contacts_find(body_set *set, spate_error *error);
// How deep two colliders that are bodies overlap (m).
double body_overlap(const body_set *set, uint32_t a, uint32_t b);

// W of free bodies, constrained by joints, contacts that push and stops that are reached.
spate_result body_response_make(body_set *set, spate_error *error);

// Joints by ODE.
spate_result body_ode_create(body_set *set, spate_error *error);
void body_ode_destroy(body_set *set);
// Velocities after dt with gravity, joints and contacts, and impulses besides; marks the contacts that push. Without impulses (NULL) they
// bring together what joints, and part what contacts, found in the wrong place.
spate_result body_ode_step(body_set *set, const double *impulses, double *velocities, spate_error *error);
// Angle or way of a joint since the start, and how fast it grows by the velocities without the liquid, or by those at the beginning.
void body_joint_state(const body_set *set, uint32_t joint, int predicted, double *angle, double *rate);

#endif
