// Bodies that bend: cloth, ropes and soft solids (docs/theory/deformables.md).
//
// A body is a set of nodes with masses, and constraints C(x) of compliance a between them: the energy of each is C^2 / (2 a), in SI units,
// so that results do not depend on the mesh, the number of iterations or the substep beyond their accuracy. As in extended
// position-based dynamics (Macklin, Mueller, Chentanez: XPBD, 2016) a substep of h finds the places for which
//
//   M (x - x0 - h v0) = h^2 (sum of forces at x),   v = (x - x0) / h
//
// but all constraints at once, by Newton steps whose linear problem is solved by conjugate gradients, instead of one after the other. A
// stiff body then needs no more substeps than a soft one, and the inverse of the same matrix says how the body yields to the liquid.
#ifndef BODY_DEFORMABLE_H
#define BODY_DEFORMABLE_H

#include "base/bytes.h"
#include "spate/mesh.h"

typedef enum deformable_kind
{
	DEFORMABLE_CLOTH,
	DEFORMABLE_ROPE,
	DEFORMABLE_SOFT
} deformable_kind;

typedef struct deformable_def
{
	deformable_kind kind;
	// cloth: the sheet at rest; soft: its surface, which has to be closed; rope: its points, in order
	const spate_mesh *mesh;
	double density; // kg/m^2 of cloth, kg/m of a rope, kg/m^3 of a soft body
	double
	    stiffness; // N/m of cloth (Young's modulus times thickness), N of a rope (times cross section), Pa of a soft body
	double bending; // N m of cloth (flexural rigidity), N m^2 of a rope
	double poisson; // ratio of Poisson, below 0.5; not of ropes
	double damping; // s: internal forces grow by this times their rate of change
	double
	    thickness; // m: parts of the body keep this distance from each other, and half of it from walls; 0 for no contacts
	double radius; // m, of a rope
	double cell;   // m, edge of the cells that a soft body is filled with; 0 to choose it
	int flat;      // 1 if cloth is flat without forces, however its mesh is bent
} deformable_def;

typedef struct deformable deformable;

// What a point near a wall feels: the half space where normal . x < offset is solid at the end of the step.
typedef struct deformable_wall
{
	double normal[3];
	double offset;      // m
	double velocity[3]; // m/s
	double friction;
} deformable_wall;

// The nearest wall of others around p within reach; 0 for none. Called by several threads at once.
typedef int deformable_feel(const void *context, const double p[3], double reach, deformable_wall *out);

typedef struct deformable_surroundings
{
	double gravity[3];     // m/s^2
	deformable_feel *feel; // NULL for no walls
	const void *context;
	int threads;
} deformable_surroundings;

spate_result deformable_create(deformable **body, const deformable_def *def, spate_error *error);
void deformable_destroy(deformable *body);
size_t deformable_bytes(const deformable *body);

// ----------------------------------------------------------------------------------------------------------------- nodes

// The nodes of cloth are the vertices of its mesh, those of a rope its points.
uint32_t deformable_count(const deformable *body);
double *deformable_places(deformable *body);     // m, 3 per node
double *deformable_velocities(deformable *body); // m/s, likewise
// What acts on each node besides gravity and the body's own forces, such as the liquid (N); zero unless written.
double *deformable_forces(deformable *body);
const double *deformable_masses(const deformable *body); // kg
double deformable_mass(const deformable *body);          // kg
double deformable_energy(deformable *body);              // J, elastic
double deformable_volume(const deformable *body);        // m^3, of the cells of a soft body now

// Holds a node: it moves to where deformable_guide() says, or stays.
void deformable_pin(deformable *body, uint32_t node);
void deformable_unpin(deformable *body, uint32_t node);
int deformable_is_pinned(const deformable *body, uint32_t node);
// Where a pinned node is at the end of the next step (m).
void deformable_guide(deformable *body, uint32_t node, const double place[3]);

// Moves the nodes by a step of dt, in as many substeps as accuracy needs.
spate_result deformable_advance(deformable *body, const deformable_surroundings *around, double dt, spate_error *error);

// The change of the nodes' velocities (m/s) by impulses (N s) in the step that has just been made, elastic forces and held nodes
// included: (M + dt^2 K)^-1 times them.
void deformable_yield(deformable *body, const double *impulses, double *changes);
// About v^T W v for a vertex of the surface that is pushed alone: by the diagonal of the matrix.
double deformable_ease(const deformable *body, uint32_t vertex, const double v[3]);
// Takes such changes: of the velocities, and of the places at the end of the step.
void deformable_take(deformable *body, const double *changes);

// Largest speed of a node (m/s).
double deformable_speed(const deformable *body);

// --------------------------------------------------------------------------------------------------------------- surface

// The triangles that others meet: those of cloth, a tube around a rope, the mesh of a soft body, which its cells carry along.
const spate_mesh *deformable_surface(const deformable *body); // at rest
int deformable_is_closed(const deformable *body);
// Places of its vertices (m, 3 floats each) at the start of the last step and now.
void deformable_show(deformable *body, float *before, float *now);
// Adds forces or impulses at the vertices to those at the nodes.
void deformable_spread(const deformable *body, const double *at_vertices, double *at_nodes);
// Velocities or the like of the vertices by those of the nodes.
void deformable_carry(const deformable *body, const double *at_nodes, double *at_vertices);

// ----------------------------------------------------------------------------------------------------------------- state

void deformable_save(const deformable *body, byte_writer *to);
// 0 if the bytes cannot be a state of this body.
int deformable_load(deformable *body, byte_reader *from);

#endif
