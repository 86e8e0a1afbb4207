// What the files of deformable bodies share.
#ifndef BODY_DEFORMABLE_WORK_H
#define BODY_DEFORMABLE_WORK_H

#include "base/array.h"
#include "body/deformable.h"

enum
{
	BODY_NODES = 256 // per task
};

// A triangle of cloth; `slope` are the gradients of the shape functions in the plane at rest (1/m).
typedef struct body_triangle
{
	uint32_t node[3];
	double slope[3][2];
	double area; // m^2
} body_triangle;

typedef struct body_tetrahedron
{
	uint32_t node[4];
	double slope[4][3]; // 1/m
	double volume;      // m^3
	double share;       // of it that is filled
} body_tetrahedron;

// The length of a sum of places, times their coefficients, whose rest is `rest`: stretch of a line, and bends.
typedef struct body_line
{
	uint32_t count, node[4];
	double of[4];
	double stiffness, rest;
} body_line;

// A contact of up to four nodes: normal . (sum of places times coefficients) is kept above `least`.
typedef struct body_contact
{
	uint32_t count, node[4];
	double of[4];
	double normal[3], least;
	double stiffness;   // N/m
	double coefficient; // of friction
	double friction;    // N s/m, by the last Newton step
	double speed[3];    // m/s, of a wall
	double push;        // N, by the last Newton step
	int walled;         // with a wall
} body_contact;

// A sparse symmetric matrix of blocks of 3 x 3. A block is the sum of `terms` of the elements' own blocks.
typedef struct body_term
{
	uint32_t block;
	float of;
} body_term;

typedef struct body_matrix
{
	uint32_t rows;
	uint32_t *begin;      // of each row's slots, and their end
	uint32_t *column;     // by slot
	uint32_t *term_begin; // by slot, and the end
	body_term *terms;
	double *blocks;     // 9 by slot
	double *inverse;    // of the diagonal blocks, 9 by row
	uint32_t *diagonal; // slot of each row
} body_matrix;

// A factor of it; `values` is NULL where that would take too long.
typedef struct body_factor
{
	uint32_t *order, *place; // nodes by position, and positions by node
	uint32_t *first;         // by scalar row: its first column
	size_t *at;              // likewise, in `values`
	double *values, *right;
	int made;
} body_factor;

// Where a vertex of the surface is among the nodes.
typedef struct body_anchor
{
	uint32_t node[4];
	double weight[4];
} body_anchor;

struct deformable
{
	deformable_def def;
	uint32_t count; // nodes
	double *place, *velocity, *force, *mass;
	double *start; // places at the start of the last step
	double *guide; // of pinned nodes
	uint8_t *pinned;
	double *firm;      // N/m, stiffness of each node at rest
	double longest;    // s, longest substep
	double fine, mean; // m, lengths of the shortest element and of all
	double margin;     // m, distance from walls
	double fastest;    // m/s, node at the start of the substep
	double *at_rest;   // places at rest
	uint32_t *owner;   // of each node of cloth: the first triangle that has it

	body_triangle *triangles;
	uint32_t triangle_count;
	body_tetrahedron *tetrahedra;
	uint32_t tetrahedron_count;
	body_line *lines;
	uint32_t line_count;
	double *own_blocks;           // of the elements: 9 blocks of a triangle, 16 of a tetrahedron, 1 of a line
	double *own_forces;           // 4 vectors per element
	uint32_t *pull_begin, *pulls; // by node: which of those vectors act on it
	body_matrix matrix;
	body_factor factor;
	ARRAY(body_contact) contacts;
	double step;    // s, that the matrix is made for
	double last_dt; // s, of the last advance
	int made;       // the matrix is that of the yield

	// surface
	spate_mesh *surface;
	body_anchor *anchors; // NULL if vertices are nodes
	int closed;
	double frame[3], frame_before[3]; // of a rope: a direction across its first segment

	// scratch of the solver, 3 per node
	double *x0, *v0, *rest, *change, *residual, *way, *product, *solved, *contact_sum;
	int threads;
	uint64_t newtons, products; // so far
};

// elements
void elements_evaluate(deformable *b, int blocks);
double elements_energy(const deformable *b);
uint32_t elements_of(const deformable *b);
spate_result elements_link(deformable *b, spate_error *error);
spate_result cloth_make(deformable *b, spate_error *error);
spate_result rope_make(deformable *b, spate_error *error);
spate_result soft_make(deformable *b, spate_error *error);

// matrix
spate_result matrix_create(deformable *b, spate_error *error);
void matrix_free(body_matrix *m);
// scale K + diag(mass); contacts are apart
void matrix_assemble(deformable *b, double scale);
// out = (matrix + contacts) v, zero at pinned nodes; scale as in the assembly of contacts
void matrix_multiply(deformable *b, const double *v, double *out);
// Solves for `out` from zero; pinned nodes stay zero. Returns the number of products.
uint32_t matrix_solve(deformable *b, const double *right, double *out, double share, uint32_t most);

// factor
spate_result factor_create(deformable *b, spate_error *error);
void factor_free(body_factor *f);
// Of the matrix as it has been assembled, without contacts between nodes; 0 if there is none.
int factor_make(deformable *b);
void factor_solve(const deformable *b, const double *right, double *out);

// contacts
// For a substep of h, after which `left` of the step remain (s).
spate_result contacts_of_body_find(deformable *b, const deformable_surroundings *around, double h, double left,
				   spate_error *error);
// Adds what contacts push (N) at `places` to `forces`, and notes it for friction.
void contacts_of_body_push(deformable *b, const double *places, const double *velocities, double *forces);

// surface
spate_result skin_create(deformable *b, spate_error *error);

#endif
