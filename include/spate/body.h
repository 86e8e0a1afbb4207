// Bodies: solids that the liquid moves. A body is a collider of the world, which gives it its shape or mesh and says how liquid feels it;
// the body adds its mass and its motion. Until `release` the collider's own motion moves it, from then on gravity, the liquid, other
// solids and joints do.
#ifndef SPATE_BODY_H
#define SPATE_BODY_H

#include "spate/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum spate_body_type
{
	SPATE_BODY_RIGID,
	SPATE_BODY_CLOTH, // a sheet of triangles
	SPATE_BODY_SOFT,  // what a closed mesh encloses
	SPATE_BODY_TYPE_COUNT
} spate_body_type;

#define SPATE_NEVER_RELEASED 1e300

#define SPATE_NO_VERTEX UINT32_MAX

// Vertices of cloth that are held, or nodes of a soft body: one vertex, those near the top, or those in a shape.
typedef struct spate_pin_def
{
	uint32_t vertex;   // SPATE_NO_VERTEX for none
	double top;        // m below the highest one; below 0 for none
	spate_shape shape; // if there is neither of them
	uint32_t to;       // collider that they move with; UINT32_MAX if they stay where they are
} spate_pin_def;

typedef struct spate_body_def
{
	const char *name; // may be NULL
	spate_body_type type;
	uint32_t collider; // index into colliders; each is that of one body at most, and an obstacle
	// for scene files, whose reader adds the collider; worlds have these in `colliders` alone
	spate_shape shape;
	spate_mesh_def mesh;
	spate_wall_def wall;
	spate_motion motion;
	// either of both, the other below 0
	double density; // kg/m^3
	double mass;    // kg
	double ballast
	    [3]; // m, of the centre of mass from that of the volume, as defined; the inertia about it stays that of an even body
	double tilt[3];     // degrees about x, then y, then z, around the centre of mass, at the start
	double velocity[3]; // m/s of the centre of mass at the release, added to that of the collider's motion
	double spin[3];     // rad/s, likewise
	double friction;    // Coulomb coefficient of contacts with other solids
	double bounce;      // coefficient of restitution of those, 0 to 1
	// of bodies that bend
	double area_density; // kg/m^2, of cloth
	double stiffness; // Young's modulus: of cloth times its thickness, N/m; of soft bodies Pa; below 0 to choose it
	double bending;   // N m, flexural rigidity of cloth
	double poisson;   // ratio of Poisson; below 0 to choose it
	double damping;   // s, of the rate of strain relative to the strain
	double thickness; // m, distance that parts keep from each other; below 0 to choose it
	double cell;      // m, edge of the cells of a soft body; 0 to choose it
	int flat;         // 1 if cloth is flat without forces, however its mesh is bent
	const spate_pin_def *pins;
	uint32_t pin_count;
	double release; // s; SPATE_NEVER_RELEASED for a body that never moves by itself
} spate_body_def;

typedef enum spate_joint_type
{
	SPATE_JOINT_HINGE,  // both turn about `axis` through `anchor`
	SPATE_JOINT_BALL,   // both share `anchor`
	SPATE_JOINT_SLIDER, // one slides along `axis` of the other, without turning
	SPATE_JOINT_FIXED,  // one moves with the other
	SPATE_JOINT_TYPE_COUNT
} spate_joint_type;

#define SPATE_BODY_WORLD UINT32_MAX

typedef struct spate_joint_def
{
	const char *name; // may be NULL
	spate_joint_type type;
	uint32_t bodies[2]; // indices; the second, or the first, may be SPATE_BODY_WORLD
	double anchor[3];   // m, where the bodies are at the start
	double axis[3];     // normalised by the world
	// of hinges (degrees) and sliders (m), of the first body against the second, or of the only one, from the start; low > high for none
	double low, high;
	double speed; // rad/s or m/s, of a motor
	double power; // N m or N, the most that the motor gives; 0 for none
	// a spring that draws the joint back to where it started: N m/rad or N/m, and N m s/rad or N s/m
	double stiffness, damping;
} spate_joint_def;

SPATE_API spate_body_def spate_default_body_def(void);
SPATE_API spate_joint_def spate_default_joint_def(void);

// Where a body is and what it does.
typedef struct spate_body_state
{
	double position[3];         // m, of the centre of mass
	double rotation[4];         // quaternion w, x, y, z, from the body as defined
	double velocity[3];         // m/s, of the centre of mass
	double spin[3];             // rad/s
	double force[3];            // N, of the liquid, mean of the last frame or since
	double torque[3];           // N m, of it about the centre of mass
	double mass;                // kg
	double momentum[3];         // kg m/s
	double angular_momentum[3]; // kg m^2/s, about (0, 0, 0)
	int held;                   // not released yet, or stopped as a runaway
} spate_body_state;

SPATE_API uint32_t spate_world_body_count(const spate_world *world);
SPATE_API spate_result spate_world_body(const spate_world *world, uint32_t body, spate_body_state *state,
					spate_error *error);
// Bodies that the runaway policy has stopped or slowed down since the start.
SPATE_API uint64_t spate_world_body_runaways(const spate_world *world);

#ifdef __cplusplus
}
#endif
#endif
