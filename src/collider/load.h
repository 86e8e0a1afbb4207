// What the liquid gives to colliders. Every displacement dx that a collider gives to a particle of mass m in a substep (pushes and friction
// of contacts, what its images push with, adhesion, held paths, bounce) takes the impulse m dx / dt from the collider, at the place of
// the particle.
//
// Friction has a sum of its own besides: Coulomb friction, wall shear and stickiness. What remains of the whole is pressure, contact, and what
// draws liquid to walls, which pressure balances. They are told apart by their cause and not by the wall's normal, since at curved walls and at
// edges the pressure of a particle's images is not along the normal of its own wall.
//
// The impulses are summed in fixed point, in 128 bits: the result does not depend on the order, so any number of threads and any
// partition of the particles gives the same bits.
#ifndef COLLIDER_LOAD_H
#define COLLIDER_LOAD_H

#include "base/memory.h"
#include "base/vec.h"

#include <stdint.h>

__extension__ typedef __int128 load_integer;

// m dx and r x m dx, in units of the book.
typedef struct load_part
{
	load_integer linear[3], angular[3];
} load_part;

// Of one collider: everything, and the part of it that is friction.
typedef struct load_sum
{
	load_part all, friction;
} load_sum;

struct mesh_solid;

// The surface of a body that bends, and what the liquid gave to its vertices: that of a particle is split over the triangle that is nearest
// to it, by the weights of its corners. Whole numbers again, so that the order does not matter.
typedef struct load_skin
{
	const struct mesh_solid *mesh;
	const uint32_t *triangles;
	uint32_t vertices;
	_Atomic int64_t *sums; // 3 per vertex, in quanta
	double *impulses;      // N s, 3 per vertex, of the last substep
} load_skin;

// The sums of a substep. Every thread has its own, by collider.
typedef struct load_book
{
	load_sum *sums;
	const vec3 *centres; // m, by collider: the points that moments are about
	uint32_t colliders;
	int threads;
	load_skin *const *skins; // by collider, NULL for one that does not bend; NULL for none at all
	double linear, angular;  // quanta per m and per m^2, times the unit of mass: powers of two
} load_book;

// Whose sums a particle charges.
typedef struct load_row
{
	const load_book *book;
	load_sum *sums; // of the thread
	double mass;    // in the caller's unit
} load_row;

// What the liquid gave to a collider.
typedef struct collider_load
{
	double linear[3];           // N s
	double angular[3];          // N m s, about the collider's centre
	double dt;                  // s, in which it did
	double friction_linear[3];  // N s, the part of `linear` that is friction
	double friction_angular[3]; // N m s, likewise
} collider_load;

// Sums of zero; `length` (m) is the scale of the particles, such as the kernel radius. Returns 0 when out of memory.
int load_book_open(load_book *book, const vec3 *centres, load_skin *const *skins, uint32_t colliders, int threads,
		   double length, arena *scratch);

static inline load_row load_row_of(const load_book *book, int thread, double mass)
{
	return (load_row){book, book->sums + (size_t)thread * book->colliders, mass};
}

// A collider displaces a particle at `place` by dx (m).
void load_charge(const load_row *row, uint32_t number, vec3 place, vec3 dx);
// Of what it is charged for, dx was friction.
void load_charge_friction(const load_row *row, uint32_t number, vec3 place, vec3 dx);

// The load of every collider in a substep of dt, for the mass (kg) that the caller's unit stands for.
void load_book_close(const load_book *book, double mass, double dt, collider_load *out);

#endif
