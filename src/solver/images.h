// Walls as mirrors. Liquid near a wall sees the images of its neighbours and of itself behind the wall, with mirrored velocities, so that
// sums over pairs know no wall: density does not fall off, and pressure on both sides pushes alike. At a flat wall this is exact. In a
// concave edge or corner there are images of images; a curved wall is a plane for each particle.
//
// Images are rows behind those of the particles, in arrays that have room for them; `first` is the row of the first one. They are made
// anew in every substep.
#ifndef SOLVER_IMAGES_H
#define SOLVER_IMAGES_H

#include "solver/contacts.h"
#include "solver/pair_kernels.h"

// An image: x' = turn x + shift, v' = turn v + drift.
typedef struct image
{
	uint32_t root; // row of the particle
	uint32_t wall; // in the contacts' `felt`: the wall of a first image, or the last of several
	int lone;      // only its own particle sees it
	uint32_t
	    board; // in `felt`: a face of a thin board, if it is beyond the middle of that; particles behind the face do not see it
	float turn[9];
	vec3 shift; // m
	vec3 drift; // m/s, from walls that move
} image;

// The walls that made an image, in their order: indices in `felt`.
typedef struct image_mirrors
{
	uint32_t felt[3], count;
} image_mirrors;

typedef struct image_span
{
	uint32_t begin, count; // among the images
} image_span;

typedef struct image_set
{
	uint32_t first; // row of the first image, a multiple of 8
	uint32_t count;
	size_t rows; // of arrays that have room for images
	image *images;
	image_mirrors *mirrors; // of the images; NULL unless the view has bodies
	vec4 *places;           // of the images, with room for those of the particles
	image_span *spans;      // of rows, in the groups of eight of the contacts
	uint32_t groups;
	image_list seen;  // by the particles
	image_list seers; // of the images, the same pairs the other way round
} image_set;

// Finds images and neighbours among them for the places of the view, whose displacements are zero and whose walls are known.
spate_result images_make(image_set *set, const contacts *near, spate_error *error);
// The same without the list of those who see an image.
spate_result images_make_seen(image_set *set, const contacts *near, spate_error *error);

// Writes the places, velocities, or displacements without the walls' own motion, of all images behind those of the particles.
void images_place(const image_set *set, const step_view *view, vec4 *places);
// The places of some images, by their numbers.
void images_place_some(const image_set *set, const step_view *view, vec4 *places, const uint32_t *some, uint32_t count);
void images_move(const image_set *set, const step_view *view, vec4 *velocities);
void images_turn(const image_set *set, const step_view *view, vec4 *vectors);
// Copies the w of their particles, or sets it to zero.
void images_copy_w(const image_set *set, const step_view *view, vec4 *records);
void images_clear_w(const image_set *set, vec4 *records);
// Adds the vectors of all images, turned back, to those of their particles: the transpose of images_turn().
void images_return(const image_set *set, const step_view *view, vec4 *vectors);
// Shows images to passes over pairs, with the traits of their particles where rows differ.
spate_result images_show(const image_set *set, const step_view *view, pair_pass *pairs, spate_error *error);

#endif
