// Bodies that bend in the projection of velocities. An image behind a wall that moves with u is turned by the wall's reflection H as
//
//	v' = H v + (I - H) u
//
// and u is that of the triangle where the wall was found: the velocities of its corners, by their weights. What seers push an image with
// goes to the corners by the transpose. The response W of a body to impulses at its vertices has its mass, its elasticity and what holds it:
//
//	A = D M^-1 T + D_s W D_s^T
//
// as for rigid bodies (solver/body_rows.h), which are six unknowns instead of three per vertex.
#ifndef SOLVER_BEND_ROWS_H
#define SOLVER_BEND_ROWS_H

#include "body/bend_set.h"
#include "solver/images.h"

// An image and what of its velocity is that of a point of a body.
typedef struct bend_image
{
	uint32_t image, felt; // indices
	float move[9];
} bend_image;

typedef struct bend_rows
{
	contacts *near;
	const image_set *images;
	bend_set *set;
	triangle_point *points; // by felt wall
	bend_image *items;
	uint32_t *item_of; // by image: its first item, and behind the last image the end
	const float *inverse_mass;
	double mass; // kg, of which the particles' inverse masses are in units
} bend_rows;

// As body_rows_make().
spate_result bend_rows_make(bend_rows *rows, contacts *near, image_set *images, const float *inverse_mass,
			    spate_error *error);
// Whether a felt wall is that of a body that bends.
int bend_rows_yields(const step_view *view, uint32_t collider);
void bend_rows_gather(bend_rows *rows, const vec4 *pushes);
// Adds what the pushes make of images, times a factor; `whole` adds what the bodies do without the pushes that were expected.
void bend_rows_scatter(const bend_rows *rows, vec4 *vectors, float factor, int whole);
spate_result bend_rows_carry(bend_rows *rows, spate_error *error);
void bend_rows_charge(const bend_rows *rows);
// Adds to the diagonals of the rows that see images of bodies; `gradient` of an image that a row sees.
typedef vec3 bend_gradient(const void *context, uint32_t row, uint32_t image);
void bend_rows_weigh(const bend_rows *rows, bend_gradient *gradient, const void *context, float *diagonal);

#endif
