// A tetrahedron whose corners have different owners is split as a cone: its apex is one of the points where owners
// meet, its base the faces that do not contain the apex. Faces are split into triangles of one owner each, the same way
// for both adjacent tetrahedra:
//
//   one owner       the whole face
//   two             three triangles; the diagonal of the quadrilateral begins at the lower of the two corners with one owner
//   three           a fan around the centre
//
// This splits the tetrahedron into smaller ones of one owner each. The corners are in the order of chromatic_cut.c, the
// owner with the most corners first and lower points first, so that the apex is the same for all tetrahedra of a kind:
//
//   3-1      the point on edge 2-3
//   2-2      the point on edge 1-3
//   2-1-1    the centre of the face 1-2-3
//   1-1-1-1  the mean of all four centres
//
// Each small tetrahedron ends where the depth is zero, as does each triangle between two owners. Both are cut at the
// same points.
#include "surface/labels_cut.h"

#include <math.h>

// Cuts stay away from the ends of an edge by this fraction: cuts by depth on grid edges, by depth on shorter edges, and
// by owner. Edges that are cut twice must remain long enough for single precision.
#define LEAST_WHOLE 0.02
#define LEAST_PART 0.03
#define LEAST_OWNED 0.05
#define CUT_CENTRE 0.6

void labels_cutter_free(labels_cutter *cutter)
{
	key_map_free(&cutter->node_map);
	key_map_free(&cutter->vertex_map);
	array_free(&cutter->nodes);
	chromatic_cutter_free(&cutter->out);
}

static labels_node node_at(const labels_cutter *c, uint32_t node)
{
	if (node >= c->point_count)
		return c->nodes.data[node - c->point_count];
	const double *p = c->points + 3 * (size_t)node;
	return (labels_node){{p[0], p[1], p[2]}, c->depths[node]};
}

static int is_liquid(const labels_cutter *c, uint32_t node)
{
	return node_at(c, node).depth > 0.0;
}

static labels_node mix(const labels_cutter *c, const uint32_t *nodes, const double *weights, uint32_t count)
{
	labels_node sum = {0};
	for (uint32_t k = 0; k < count; k++)
	{
		labels_node n = node_at(c, nodes[k]);
		sum.place.x += weights[k] * n.place.x;
		sum.place.y += weights[k] * n.place.y;
		sum.place.z += weights[k] * n.place.z;
		sum.depth += weights[k] * n.depth;
	}
	return sum;
}

// ---------------------------------------------------------------------------------------------------------------- nodes

// Names of the nodes of a tetrahedron with corners 0 to 3: corners by index, then edges by their ends, faces by the
// opposite corner.
enum
{
	EDGE = 4,
	FACE = 10,
	INNER = 14,
	NAMES
};

static const uint8_t edge_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const uint8_t edge_between[4][4] = {{0, 4, 5, 6}, {4, 0, 7, 8}, {5, 7, 0, 9}, {6, 8, 9, 0}};
// anticlockwise seen from outside a positive tetrahedron
static const uint8_t face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

typedef struct owned_simplex
{
	labels_cutter *cutter;
	uint32_t ids[4];
	uint8_t owners[4];
	int odd; // the orientation is negative
	uint32_t apex;
	uint32_t at[NAMES]; // node + 1, or 0 if not known yet
	int failed;         // out of memory
} owned_simplex;

static void sort_three(uint32_t ids[3])
{
	for (uint32_t k = 0; k < 3; k++)
	{
		uint32_t j = k % 2, id = ids[j];
		if (id <= ids[j + 1])
			continue;
		ids[j] = ids[j + 1];
		ids[j + 1] = id;
	}
}

// Faces that the free surface also cuts get a centre nearer to the middle, to avoid slivers.
static double centre_share(const labels_cutter *c, const uint32_t ids[3])
{
	int liquid = is_liquid(c, ids[0]) + is_liquid(c, ids[1]) + is_liquid(c, ids[2]);
	return liquid == 3 ? 1.0 : CUT_CENTRE;
}

// The node of an edge or face, created if new. Returns its index + 1, or 0 when out of memory.
static uint32_t shared_node(labels_cutter *c, const uint32_t *ids, uint32_t count)
{
	uint32_t next = c->point_count + (uint32_t)c->nodes.count;
	if (!array_reserve(&c->nodes, c->nodes.count + 1))
		return 0;
	uint32_t *node = key_map_put(&c->node_map, ids[0], ids[1], count == 3 ? ids[2] : KEY_MAP_FREE, next);
	if (!node || *node != next)
		return node ? *node + 1 : 0;
	double weights[3] = {0};
	if (count == 3)
	{
		c->centre(c->context, ids, weights);
		double share = centre_share(c, ids);
		for (int k = 0; k < 3; k++)
			weights[k] = share * weights[k] + (1.0 - share) / 3.0;
	}
	else
	{
		weights[1] = fmin(fmax(c->fraction(c->context, ids[0], ids[1]), LEAST_OWNED), 1.0 - LEAST_OWNED);
		weights[0] = 1.0 - weights[1];
	}
	c->nodes.data[c->nodes.count++] = mix(c, ids, weights, count);
	return next + 1;
}

// The node of that name.
static uint32_t named(owned_simplex *s, uint32_t name)
{
	if (s->at[name])
		return s->at[name] - 1;
	uint32_t ids[4];
	if (name < FACE)
	{
		uint32_t a = s->ids[edge_ends[name - EDGE][0]], b = s->ids[edge_ends[name - EDGE][1]];
		ids[0] = a < b ? a : b;
		ids[1] = a < b ? b : a;
		s->at[name] = shared_node(s->cutter, ids, 2);
	}
	else if (name < INNER)
	{
		for (uint32_t k = 0; k < 3; k++)
			ids[k] = s->ids[face_corners[name - FACE][k]];
		sort_three(ids);
		s->at[name] = shared_node(s->cutter, ids, 3);
	}
	else
	{
		for (uint32_t k = 0; k < 4; k++)
			ids[k] = named(s, FACE + k);
		labels_cutter *c = s->cutter;
		if (!s->failed && array_push(&c->nodes, mix(c, ids, (const double[4]){0.25, 0.25, 0.25, 0.25}, 4)))
			s->at[name] = c->point_count + (uint32_t)c->nodes.count;
	}
	s->failed |= s->at[name] == 0;
	return s->failed ? 0 : s->at[name] - 1;
}

// ------------------------------------------------------------------------------------------------------------- triangles

// The vertex at a node, or at depth zero between two nodes; KEY_MAP_FREE when out of memory.
static uint32_t vertex_between(labels_cutter *c, uint32_t a, uint32_t b)
{
	uint32_t ends[2] = {a < b ? a : b, a < b ? b : a};
	uint32_t next = (uint32_t)c->out.vertices.count;
	if (!array_reserve(&c->out.vertices, (size_t)next + 1))
		return KEY_MAP_FREE;
	uint32_t *vertex = key_map_put(&c->vertex_map, ends[0], ends[1], KEY_MAP_FREE, next);
	if (!vertex || *vertex != next)
		return vertex ? *vertex : KEY_MAP_FREE;
	double from = node_at(c, ends[0]).depth, to = node_at(c, ends[1]).depth, t = from / (from - to);
	double least = ends[1] < c->point_count ? LEAST_WHOLE : LEAST_PART;
	t = a == b ? 0.0 : isfinite(t) ? fmin(fmax(t, least), 1.0 - least) : 0.5;
	c->out.vertices.data[c->out.vertices.count++] = mix(c, ends, (const double[2]){1.0 - t, t}, 2).place;
	return next;
}

// A triangle between vertices given as pairs of nodes, with its normal pointing from one label to the other.
static void add_triangle(owned_simplex *s, const uint32_t pairs[3][2], uint8_t from, uint8_t to)
{
	chromatic_cutter *out = &s->cutter->out;
	if (!array_reserve(&out->corners, out->corners.count + 3) || !array_reserve(&out->sides, out->sides.count + 2))
	{
		s->failed = 1;
		return;
	}
	for (uint32_t k = 0; k < 3; k++)
	{
		const uint32_t *pair = pairs[from > to ? k : 2 - k];
		uint32_t vertex = vertex_between(s->cutter, pair[0], pair[1]);
		s->failed |= vertex == KEY_MAP_FREE;
		out->corners.data[out->corners.count++] = vertex;
	}
	out->sides.data[out->sides.count++] = from > to ? from : to;
	out->sides.data[out->sides.count++] = from > to ? to : from;
}

// Adds the liquid part of a triangle of nodes; rotates it so that the corner that differs comes first.
static void add_sheet(owned_simplex *s, const uint32_t nodes[3], uint8_t from, uint8_t to)
{
	uint32_t liquid = 0, first = 0, wet[3];
	for (uint32_t k = 0; k < 3; k++)
		liquid += wet[k] = (uint32_t)is_liquid(s->cutter, nodes[k]);
	for (uint32_t k = 0; k < 3 && liquid % 3; k++)
		if (wet[k] == (liquid == 1))
			first = k;
	uint32_t a = nodes[first], b = nodes[(first + 1) % 3], c = nodes[(first + 2) % 3];
	if (liquid == 3)
		add_triangle(s, (const uint32_t[3][2]){{a, a}, {b, b}, {c, c}}, from, to);
	if (liquid == 1)
		add_triangle(s, (const uint32_t[3][2]){{a, a}, {a, b}, {a, c}}, from, to);
	if (liquid == 2)
	{
		add_triangle(s, (const uint32_t[3][2]){{a, b}, {b, b}, {c, c}}, from, to);
		add_triangle(s, (const uint32_t[3][2]){{a, b}, {c, c}, {a, c}}, from, to);
	}
}

// The surface towards air inside a positive tetrahedron of nodes with one owner.
static void add_surface(owned_simplex *s, const uint32_t n[4], uint8_t owner)
{
	uint32_t liquid = 0, wet[4];
	for (uint32_t k = 0; k < 4; k++)
		liquid += wet[k] = (uint32_t)is_liquid(s->cutter, n[k]);
	for (uint32_t k = 0; k < 4 && liquid % 2; k++)
	{
		if (wet[k] != (liquid == 1))
			continue;
		const uint8_t *f = face_corners[k];
		const uint32_t pairs[3][2] = {{n[k], n[f[0]]}, {n[k], n[f[1]]}, {n[k], n[f[2]]}};
		// normal away from the liquid corner, or towards the corner in air
		const uint32_t turned[3][2] = {{n[k], n[f[0]]}, {n[k], n[f[2]]}, {n[k], n[f[1]]}};
		add_triangle(s, liquid == 1 ? pairs : turned, owner, 0);
	}
	if (liquid != 2)
		return;
	// two liquid corners a, b and two in air, positive in this order
	static const uint8_t orders[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
					     {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};
	for (int k = 0; k < 6; k++)
	{
		const uint8_t *o = orders[k];
		if (!wet[o[0]] || !wet[o[1]])
			continue;
		uint32_t a = n[o[0]], b = n[o[1]], c = n[o[2]], d = n[o[3]];
		add_triangle(s, (const uint32_t[3][2]){{a, c}, {a, d}, {b, d}}, owner, 0);
		add_triangle(s, (const uint32_t[3][2]){{a, c}, {b, d}, {b, c}}, owner, 0);
	}
}

// ------------------------------------------------------------------------------------------------------------------ cone

// The cone over a triangle in a face, anticlockwise seen from outside.
static void cone_triangle(owned_simplex *s, uint32_t a, uint32_t b, uint32_t c, uint8_t owner)
{
	if (!s->failed)
		add_surface(s, (const uint32_t[4]){s->apex, a, b, c}, owner);
}

// The cone over a line in a face, with the owners to its left and right.
static void cone_line(owned_simplex *s, uint32_t from, uint32_t to, uint8_t left, uint8_t right)
{
	if (!s->failed)
		add_sheet(s, (const uint32_t[3]){s->apex, to, from}, left, right);
}

static void cone_face(owned_simplex *s, uint32_t face)
{
	uint32_t v[3];
	for (uint32_t k = 0; k < 3; k++)
		v[k] = face_corners[face][s->odd ? 2 - k : k];
	const uint8_t *o = s->owners;
	if (o[v[0]] == o[v[1]] && o[v[1]] == o[v[2]])
	{
		cone_triangle(s, s->ids[v[0]], s->ids[v[1]], s->ids[v[2]], o[v[0]]);
		return;
	}
	if (o[v[0]] != o[v[1]] && o[v[1]] != o[v[2]] && o[v[2]] != o[v[0]])
	{
		uint32_t centre = named(s, FACE + face);
		for (uint32_t k = 0; k < 3; k++)
		{
			uint32_t a = v[k], b = v[(k + 1) % 3], middle = named(s, edge_between[a][b]);
			cone_triangle(s, centre, s->ids[a], middle, o[a]);
			cone_triangle(s, centre, middle, s->ids[b], o[b]);
			cone_line(s, middle, centre, o[a], o[b]);
		}
		return;
	}
	// corners p and q have one owner, r another
	uint32_t k = o[v[0]] == o[v[1]] ? 0 : o[v[1]] == o[v[2]] ? 1 : 2;
	uint32_t p = v[k], q = v[(k + 1) % 3], r = v[(k + 2) % 3];
	uint32_t at_p = s->ids[p], at_q = s->ids[q], pr = named(s, edge_between[p][r]),
		 qr = named(s, edge_between[q][r]);
	cone_triangle(s, pr, qr, s->ids[r], o[r]);
	cone_triangle(s, at_p, at_q, at_p < at_q ? qr : pr, o[p]);
	if (at_p < at_q)
		cone_triangle(s, at_p, qr, pr, o[p]);
	else
		cone_triangle(s, at_q, qr, pr, o[p]);
	cone_line(s, pr, qr, o[r], o[p]);
}

// Swaps adjacent corners until they are sorted: owners with more corners first, then higher owners, then lower points.
static void sort_corners(owned_simplex *s, const uint32_t ids[4])
{
	uint64_t keys[4];
	const uint8_t *owners = s->cutter->owners;
	for (uint32_t k = 0; k < 4; k++)
	{
		uint64_t same = 0;
		for (uint32_t j = 0; j < 4; j++)
			same += owners[ids[j]] == owners[ids[k]];
		keys[k] = (4 - same) << 40 | (uint64_t)(255 - owners[ids[k]]) << 32 | ids[k];
	}
	for (uint32_t pass = 0; pass < 3; pass++)
		for (uint32_t k = 0; k < 3 - pass; k++)
			if (keys[k] > keys[k + 1])
			{
				uint64_t larger = keys[k];
				keys[k] = keys[k + 1];
				keys[k + 1] = larger;
				s->odd ^= 1;
			}
	for (uint32_t k = 0; k < 4; k++)
	{
		s->ids[k] = (uint32_t)keys[k];
		s->owners[k] = owners[s->ids[k]];
		s->at[k] = s->ids[k] + 1;
	}
}

int labels_cut_tetrahedron(labels_cutter *cutter, const uint32_t ids[4])
{
	owned_simplex s = {.cutter = cutter};
	int liquid = 0;
	for (int k = 0; k < 4; k++)
		liquid += is_liquid(cutter, ids[k]);
	if (liquid == 0)
		return 1;
	sort_corners(&s, ids);
	const uint8_t *o = s.owners;
	if (o[0] == o[3])
	{
		cutter->out.cases[liquid == 4 ? CHROMATIC_4 : liquid == 2 ? CHROMATIC_2_2 : CHROMATIC_3_1]++;
		add_surface(&s, ids, o[0]);
		return !s.failed;
	}
	// bit masks of the faces that do not contain the apex
	static const struct
	{
		uint8_t apex, faces;
	} cones[CHROMATIC_CASES] = {[CHROMATIC_3_1] = {EDGE + 5, 0xc},
				    [CHROMATIC_2_2] = {EDGE + 4, 0xa},
				    [CHROMATIC_2_1_1] = {FACE, 0xe},
				    [CHROMATIC_1_1_1_1] = {INNER, 0xf}};
	chromatic_case kind = o[0] == o[2]   ? CHROMATIC_3_1
			      : o[0] != o[1] ? CHROMATIC_1_1_1_1
			      : o[2] == o[3] ? CHROMATIC_2_2
					     : CHROMATIC_2_1_1;
	cutter->out.cases[kind]++;
	s.apex = named(&s, cones[kind].apex);
	for (uint32_t face = 0; face < 4 && !s.failed; face++)
		if (cones[kind].faces >> face & 1)
			cone_face(&s, face);
	return !s.failed;
}

spate_result labels_cutter_finish(labels_cutter *cutter, chromatic_mesh *mesh, spate_error *error)
{
	spate_result result = chromatic_cutter_finish(&cutter->out, mesh, error);
	cutter->out = (chromatic_cutter){0};
	labels_cutter_free(cutter);
	return result;
}
