// Chromatic contouring: Onderik's thesis on particle-based liquids, section 5.2, which extends Keiser et al. 2006 from
// two fluids to many.
//
// Corners are sorted by colour, the colour with the most corners first. This leaves five cases:
//
//   4        nothing
//   3-1      one triangle between three edge points
//   2-2      two triangles between four edge points
//   2-1-1    two faces have three colours and a centre each; three sheets meet in the line between the centres: 5 triangles
//   1-1-1-1  all four faces have a centre; six sheets meet in a point inside: 12 triangles
//
// In the last two cases all triangles form a fan around one point, a face's centre or the inner point. A fan around a
// point of a convex body over curves on its hull cannot intersect itself, so the pieces of a tetrahedron never overlap.
#include "surface/chromatic_cut.h"

#include "base/error.h"

// Vertices of a tetrahedron with corners 0 to 3: on edges, in the face opposite a corner, inside.
enum
{
	E01,
	E02,
	E03,
	E12,
	E13,
	E23,
	F0,
	F1,
	F2,
	F3,
	T,
	NAMES
};

static const uint8_t edge_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const uint8_t face_corners[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
static const uint8_t face_edges[4][3] = {{E12, E13, E23}, {E02, E03, E23}, {E01, E03, E13}, {E01, E02, E12}};

// A triangle of a positive tetrahedron. Its normal points from the side of one corner to the side of another. A segment
// uses only two vertices.
typedef struct piece
{
	uint8_t corners[3];
	uint8_t from, to;
} piece;

typedef struct recipe
{
	uint8_t count;
	piece pieces[12];
} recipe;

// clang-format off
static const recipe tetrahedron_recipes[CHROMATIC_CASES] = {
	[CHROMATIC_3_1] = {1, {{{E03, E13, E23}, 0, 3}}},
	[CHROMATIC_2_2] = {2, {{{E02, E13, E12}, 0, 2}, {{E02, E03, E13}, 0, 2}}},
	[CHROMATIC_2_1_1] = {5, {
		{{F0, E12, E02}, 0, 2}, {{F0, E02, F1}, 0, 2},
		{{F0, E03, E13}, 0, 3}, {{F0, F1, E03}, 0, 3},
		{{F0, E23, F1}, 2, 3}}},
	[CHROMATIC_1_1_1_1] = {12, {
		{{T, F2, E01}, 0, 1}, {{T, E01, F3}, 0, 1},
		{{T, F3, E02}, 0, 2}, {{T, E02, F1}, 0, 2},
		{{T, F1, E03}, 0, 3}, {{T, E03, F2}, 0, 3},
		{{T, F0, E12}, 1, 2}, {{T, E12, F3}, 1, 2},
		{{T, F2, E13}, 1, 3}, {{T, E13, F0}, 1, 3},
		{{T, F0, E23}, 2, 3}, {{T, E23, F1}, 2, 3}}},
};

// A triangle has corners 0 to 2 and the one face F3.
static const recipe triangle_recipes[CHROMATIC_CASES] = {
	[CHROMATIC_3_1] = {1, {{{E12, E02}, 0, 2}}},
	[CHROMATIC_1_1_1_1] = {3, {{{E01, F3}, 0, 1}, {{E12, F3}, 1, 2}, {{E02, F3}, 2, 0}}},
};
// clang-format on

void chromatic_cutter_free(chromatic_cutter *cutter)
{
	key_map_free(&cutter->map);
	array_free(&cutter->vertices);
	array_free(&cutter->corners);
	array_free(&cutter->sides);
}

// A simplex with its corners in the order that the recipes expect.
typedef struct sorted_simplex
{
	uint32_t ids[4];
	uint8_t labels[4];
	int odd;            // the orientation is reversed
	uint32_t at[NAMES]; // vertex + 1, or 0 if not known yet
} sorted_simplex;

// Swaps adjacent corners until they are sorted: colours with more corners first, then higher colours, then lower
// points.
static void sort_corners(sorted_simplex *s, uint32_t count, const uint32_t *ids, const uint8_t *labels)
{
	*s = (sorted_simplex){0};
	uint64_t keys[4];
	for (uint32_t k = 0; k < count; k++)
	{
		uint64_t same = 0;
		for (uint32_t j = 0; j < count; j++)
			same += labels[j] == labels[k];
		keys[k] = (4 - same) << 40 | (uint64_t)(255 - labels[k]) << 32 | ids[k];
	}
	for (uint32_t pass = 0; pass + 1 < count; pass++)
		for (uint32_t k = 0; k + 1 < count - pass; k++)
			if (keys[k] > keys[k + 1])
			{
				uint64_t larger = keys[k];
				keys[k] = keys[k + 1];
				keys[k + 1] = larger;
				s->odd ^= 1;
			}
	for (uint32_t k = 0; k < count; k++)
	{
		s->ids[k] = (uint32_t)keys[k];
		s->labels[k] = (uint8_t)(255 - (keys[k] >> 32 & 255));
	}
}

// Adds a vertex at the mean of others. Returns its index + 1, or 0 when out of memory.
static uint32_t add_mean(chromatic_cutter *c, const uint32_t *of, uint32_t count)
{
	dvec3 sum = {0};
	for (uint32_t k = 0; k < count; k++)
	{
		dvec3 p = c->vertices.data[of[k] - 1];
		sum = (dvec3){sum.x + p.x, sum.y + p.y, sum.z + p.z};
	}
	double n = count;
	return array_push(&c->vertices, (dvec3){sum.x / n, sum.y / n, sum.z / n}) ? (uint32_t)c->vertices.count : 0;
}

static uint32_t edge_vertex(chromatic_cutter *c, uint32_t a, uint32_t b)
{
	if (a > b)
		return edge_vertex(c, b, a);
	uint32_t next = (uint32_t)c->vertices.count + 1;
	if (!array_reserve(&c->vertices, next))
		return 0;
	uint32_t *vertex = key_map_put(&c->map, a, b, KEY_MAP_FREE, next);
	if (!vertex || *vertex != next)
		return vertex ? *vertex : 0;

	const double *p = c->points + 3 * (size_t)a, *q = c->points + 3 * (size_t)b;
	double t = c->fraction(c->context, a, b);
	c->vertices.data[c->vertices.count++] =
	    (dvec3){p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2])};
	return next;
}

static uint32_t vertex_at(chromatic_cutter *c, sorted_simplex *s, uint32_t name);

static uint32_t face_vertex(chromatic_cutter *c, sorted_simplex *s, uint32_t face)
{
	uint32_t edges[3], ids[3];
	for (uint32_t k = 0; k < 3; k++)
	{
		ids[k] = s->ids[face_corners[face][k]];
		edges[k] = vertex_at(c, s, face_edges[face][k]);
		if (!edges[k])
			return 0;
	}
	// the key must be ascending
	for (uint32_t k = 0; k < 3; k++)
	{
		uint32_t j = k % 2;
		if (ids[j] > ids[j + 1])
		{
			uint32_t id = ids[j];
			ids[j] = ids[j + 1];
			ids[j + 1] = id;
		}
	}
	uint32_t next = (uint32_t)c->vertices.count + 1;
	if (!array_reserve(&c->vertices, next))
		return 0;
	uint32_t *vertex = key_map_put(&c->map, ids[0], ids[1], ids[2], next);
	if (!vertex || *vertex != next)
		return vertex ? *vertex : 0;
	if (!c->centre)
		return add_mean(c, edges, 3);
	double weights[3];
	dvec3 sum = {0};
	c->centre(c->context, ids, weights);
	for (uint32_t k = 0; k < 3; k++)
	{
		const double *p = c->points + 3 * (size_t)ids[k];
		sum = (dvec3){sum.x + weights[k] * p[0], sum.y + weights[k] * p[1], sum.z + weights[k] * p[2]};
	}
	c->vertices.data[c->vertices.count++] = sum;
	return next;
}

// The vertex of that name, created if new. Returns its index + 1, or 0 when out of memory.
static uint32_t vertex_at(chromatic_cutter *c, sorted_simplex *s, uint32_t name)
{
	if (s->at[name])
		return s->at[name];
	if (name < F0)
		return s->at[name] = edge_vertex(c, s->ids[edge_ends[name][0]], s->ids[edge_ends[name][1]]);
	if (name < T)
		return s->at[name] = face_vertex(c, s, name - F0);
	uint32_t faces[4];
	for (uint32_t k = 0; k < 4; k++)
	{
		faces[k] = vertex_at(c, s, F0 + k);
		if (!faces[k])
			return 0;
	}
	return s->at[T] = add_mean(c, faces, 4);
}

static int follow(chromatic_cutter *c, sorted_simplex *s, const recipe *r, uint32_t width)
{
	for (uint32_t p = 0; p < r->count; p++)
	{
		const piece *part = &r->pieces[p];
		uint8_t from = s->labels[part->from], to = s->labels[part->to];
		int turn = s->odd;
		if (from < to)
		{
			from = s->labels[part->to];
			to = s->labels[part->from];
			turn ^= 1;
		}
		uint32_t corners[3] = {0};
		for (uint32_t k = 0; k < width; k++)
		{
			uint32_t vertex = vertex_at(c, s, part->corners[k]);
			if (!vertex)
				return 0;
			corners[turn ? width - 1 - k : k] = vertex - 1;
		}
		if (!array_reserve(&c->corners, c->corners.count + 3) || !array_reserve(&c->sides, c->sides.count + 2))
			return 0;
		for (uint32_t k = 0; k < width; k++)
			c->corners.data[c->corners.count++] = corners[k];
		c->sides.data[c->sides.count++] = from;
		c->sides.data[c->sides.count++] = to;
	}
	return 1;
}

int chromatic_cut_tetrahedron(chromatic_cutter *cutter, const uint32_t ids[4], const uint8_t labels[4])
{
	if (labels[0] == labels[1] && labels[1] == labels[2] && labels[2] == labels[3])
	{
		cutter->cases[CHROMATIC_4]++;
		return 1;
	}
	sorted_simplex s;
	sort_corners(&s, 4, ids, labels);
	const uint8_t *l = s.labels;
	chromatic_case kind = l[0] == l[2]   ? CHROMATIC_3_1
			      : l[0] != l[1] ? CHROMATIC_1_1_1_1
			      : l[2] == l[3] ? CHROMATIC_2_2
					     : CHROMATIC_2_1_1;
	cutter->cases[kind]++;
	return follow(cutter, &s, &tetrahedron_recipes[kind], 3);
}

int chromatic_cut_triangle(chromatic_cutter *cutter, const uint32_t ids[3], const uint8_t labels[3])
{
	if (labels[0] == labels[1] && labels[1] == labels[2])
	{
		cutter->cases[CHROMATIC_4]++;
		return 1;
	}
	sorted_simplex s;
	sort_corners(&s, 3, ids, labels);
	chromatic_case kind = s.labels[0] == s.labels[1] ? CHROMATIC_3_1 : CHROMATIC_1_1_1_1;
	cutter->cases[kind]++;
	return follow(cutter, &s, &triangle_recipes[kind], 2);
}

spate_result chromatic_cutter_finish(chromatic_cutter *cutter, chromatic_mesh *mesh, spate_error *error)
{
	*mesh = (chromatic_mesh){0};
	spate_mesh *made = NULL;
	spate_result result;
	if (cutter->vertices.count > UINT32_MAX - 2 || cutter->corners.count / 3 > UINT32_MAX)
		result = error_set(error, SPATE_RANGE, "the interface mesh has more than 2^32 vertices or triangles");
	else
		result = spate_mesh_create(&made, (uint32_t)cutter->vertices.count,
					   (uint32_t)(cutter->corners.count / 3), error);
	if (!made)
	{
		chromatic_cutter_free(cutter);
		return result;
	}
	for (size_t v = 0; v < cutter->vertices.count; v++)
	{
		dvec3 p = cutter->vertices.data[v];
		made->positions[3 * v] = (float)p.x;
		made->positions[3 * v + 1] = (float)p.y;
		made->positions[3 * v + 2] = (float)p.z;
	}
	for (size_t k = 0; k < cutter->corners.count; k++)
		made->triangles[k] = cutter->corners.data[k];

	mesh->mesh = made;
	mesh->sides = (uint8_t(*)[2])cutter->sides.data;
	for (int k = 0; k < CHROMATIC_CASES; k++)
		mesh->cases[k] = cutter->cases[k];
	cutter->sides.data = NULL;
	chromatic_cutter_free(cutter);
	return SPATE_OK;
}
