// Rigid bodies in the projection of velocities. An image behind a wall of a body moves with it: in the body's frame it mirrors its particle,
// so its velocity is
//
//	v' = u(x') + H (v - u(x)),   u(x) = u + w x (x - c)
//
// for a particle at x, its image at x' and the reflection H; images of images repeat this. What is linear in the body's velocity U is
// E_j U for image j. The rate D v then has D_b U, and what seers of images push them with goes to the body by the transpose: a body is six
// more unknowns, which are eliminated at once by its response W. In the solver
//
//	A = D M^-1 T + D_b W D_b^T
//
// stays symmetric, and impulses of pairs, particles and bodies add up to zero, as do their moments.
#ifndef SOLVER_BODY_ROWS_H
#define SOLVER_BODY_ROWS_H

#include "solver/images.h"

// An image and what of its velocity is a body's: move u + turn w.
typedef struct body_image
{
	uint32_t image, body;
	float move[9], turn[9]; // turn in m
} body_image;

typedef struct body_rows
{
	contacts *near;
	const image_set *images;
	body_image *items;
	uint32_t *first;           // by body, and behind the last: where its items begin, in the order of the images
	uint32_t *item_of;         // by image: an item of it, from 1; 0 for none
	const float *inverse_mass; // by row, images included
	double mass;               // kg, of which the particles' inverse masses are in units
	double *predicted;         // u*, six numbers per body
	double *impulses;          // N s, what seers push the images of each body with, six numbers per body
	double *pushes;            // W impulses: to be subtracted from the velocities
} body_rows;

// For images that have just been made, with walls where the bodies are at the start of the substep. Lets images and walls move with the
// predicted velocities of the bodies.
spate_result body_rows_make(body_rows *rows, contacts *near, image_set *images, const float *inverse_mass,
			    spate_error *error);
// Whether a felt wall is that of a body that yields.
int body_rows_yields(const step_view *view, uint32_t collider);
// Impulses, and what they push the bodies with, from the pushes of images.
void body_rows_gather(body_rows *rows, const vec4 *pushes);
// Adds what the pushes of bodies make of images, times a factor.
void body_rows_scatter(const body_rows *rows, vec4 *vectors, float factor);
// Moves the bodies by the velocities that are left, and their walls with them.
void body_rows_carry(body_rows *rows);
// Adds what they were pushed with to the loads of the view.
void body_rows_charge(const body_rows *rows);

#endif
