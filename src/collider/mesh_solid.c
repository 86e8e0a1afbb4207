#include "collider/mesh_solid.h"

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "collider/field.h"
#include "collider/motion.h"
#include "mesh/sequence.h"

#include <float.h>
#include <string.h>

// Width of the distance band, in kernel radii: the range of the solver plus the search for corners.
#define BAND 1.75

// Trilinear distances are too large by at most this much, in cells: where a sheet or spike passes between voxels, and
// elsewhere.
#define THIN_DOUBT 0.87f
#define DOUBT 0.3f

// Liquid on both sides of a wall thinner than this (in kernel radii) would interact. Less than 1, since the particles'
// distances from the wall add about one spacing.
#define THIN 0.6f

// How far ahead to search for corners, as a fraction of the reach.
#define LOOK 0.44f

// Accuracy of frame times, in frames.
#define ON_FRAME 1e-6

// A frame of a sequence, or the only mesh.
typedef struct mesh_frame
{
	uint32_t number;
	spate_mesh *mesh;
	distance_field *field;
} mesh_frame;

struct mesh_solid
{
	mesh_frame early, late; // of a sequence, the frames around the current time; else only `early`
	triangle_tree *tree;    // current shape
	float *positions;       // current vertices of a sequence
	float share;            // position between the early frame (0) and the late one (1)
	float covered;          // frames covered by this step
	float drift;            // m, longest displacement of a vertex between the two frames
	int turned_out;         // 1 if triangles of a body that bends face outwards, -1 if inwards
	int side;       // 1: liquid where distances are positive, -1: where negative, 0: on both sides of the triangles
	int thin;       // some wall is so thin that liquid on both sides could interact
	float offset;   // m
	vec3 low, high; // m

	// of a body that bends
	triangle_tree *start; // its shape at the start of the step; NULL for other solids
	float *start_positions;
	float *slopes;  // of a closed one: directions out of its vertices and of its triangles' edges, 3 floats each
	double fastest; // m/s

	// how to load frames
	spate_mesh_def def; // path owned
	char *path, *folder;
	spate_collider_mode mode;
	field_settings settings;
	double origin[3], fps;
	int threads;
};

// ------------------------------------------------------------------------------------------------------------- making

static void free_frame(mesh_frame *f)
{
	spate_mesh_destroy(f->mesh);
	distance_field_destroy(f->field);
	*f = (mesh_frame){0};
}

void mesh_solid_destroy(mesh_solid *m)
{
	if (!m)
		return;
	free_frame(&m->early);
	free_frame(&m->late);
	triangle_tree_destroy(m->tree);
	triangle_tree_destroy(m->start);
	mem_free(m->start_positions);
	mem_free(m->slopes);
	mem_free(m->positions);
	mem_free(m->path);
	mem_free(m->folder);
	mem_free(m);
}

static int is_sequence(const mesh_solid *m)
{
	return m->path && sequence_is_pattern(m->path);
}

// Scales, rotates and moves the vertices of a file into place.
static void place_vertices(const mesh_solid *m, spate_mesh *mesh)
{
	double r[9];
	motion_rotation(m->def.rotation, r);
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		float *p = mesh->positions + 3 * (size_t)v;
		double x[3] = {m->def.scale * (double)p[0], m->def.scale * (double)p[1], m->def.scale * (double)p[2]};
		for (int k = 0; k < 3; k++)
			p[k] = (float)(r[3 * k] * x[0] + r[3 * k + 1] * x[1] + r[3 * k + 2] * x[2] +
				       (m->def.position[k] - m->origin[k]));
	}
}

static spate_result copy_mesh(spate_mesh **mesh, const spate_mesh *from, spate_error *error)
{
	spate_result result = spate_mesh_create(mesh, from->vertex_count, from->triangle_count, error);
	if (result != SPATE_OK)
		return result;
	memcpy((*mesh)->positions, from->positions, 3 * sizeof(float) * from->vertex_count);
	memcpy((*mesh)->triangles, from->triangles, 3 * sizeof(uint32_t) * from->triangle_count);
	if (from->uvs)
	{
		(*mesh)->uvs = mem_alloc(6 * sizeof(float) * from->triangle_count);
		if (!(*mesh)->uvs)
			return error_memory(error, 6 * sizeof(float) * from->triangle_count);
		memcpy((*mesh)->uvs, from->uvs, 6 * sizeof(float) * from->triangle_count);
	}
	for (uint32_t c = 0; c < from->channel_count; c++)
	{
		const spate_mesh_channel *own = &from->channels[c];
		spate_mesh_channel *added;
		result = spate_mesh_add_channel(*mesh, own->name, own->components, &added, error);
		if (result != SPATE_OK)
			return result;
		memcpy(added->values, own->values, sizeof(float) * own->components * from->vertex_count);
	}
	return SPATE_OK;
}

static spate_result load_frame(const mesh_solid *m, uint32_t number, mesh_frame *out, spate_error *error)
{
	*out = (mesh_frame){.number = number};
	spate_result result;
	if (m->def.mesh)
		result = copy_mesh(&out->mesh, m->def.mesh, error);
	else if (is_sequence(m))
	{
		char path[4096];
		result = sequence_path(path, sizeof path, m->path, number, error);
		if (result == SPATE_OK)
			result = spate_mesh_read(&out->mesh, path, error);
	}
	else
		result = spate_mesh_read(&out->mesh, m->path, error);
	if (result == SPATE_OK)
	{
		place_vertices(m, out->mesh);
		result = distance_field_fetch(&out->field, out->mesh, &m->settings, m->folder, m->threads, NULL, error);
	}
	if (result != SPATE_OK)
		free_frame(out);
	return result;
}

// Uses only the two current frames, not earlier ones, so that a resumed run gives the same bits.
static void find_bounds(mesh_solid *m)
{
	const field_info *a = distance_field_info(m->early.field),
			 *b = m->late.field ? distance_field_info(m->late.field) : a;
	m->low = (vec3){fminf(a->low.x, b->low.x), fminf(a->low.y, b->low.y), fminf(a->low.z, b->low.z)};
	m->high = (vec3){fmaxf(a->high.x, b->high.x), fmaxf(a->high.y, b->high.y), fmaxf(a->high.z, b->high.z)};
}

static spate_result make_tree(mesh_solid *m, spate_error *error)
{
	const spate_mesh *mesh = m->early.mesh;
	if (is_sequence(m))
	{
		m->positions = mem_alloc(3 * sizeof(float) * mesh->vertex_count);
		if (!m->positions)
			return error_memory(error, 3 * sizeof(float) * mesh->vertex_count);
	}
	return triangle_tree_create(&m->tree, mesh->positions, mesh->vertex_count, mesh->triangles,
				    mesh->triangle_count, error);
}

static int has_thin_walls(const mesh_solid *m, float limit);

static const char *name_of(const mesh_solid *m)
{
	return m->path ? m->path : "a mesh";
}

double mesh_solid_cell(const spate_mesh_def *def, double finest_spacing)
{
	return def->cell > 0.0 ? def->cell : 0.5 * finest_spacing;
}

double mesh_solid_band(const spate_mesh_def *def, double largest_radius)
{
	return def->band > 0.0 ? def->band : BAND * largest_radius + def->offset;
}

spate_result mesh_solid_create(mesh_solid **solid, const spate_mesh_def *def, spate_collider_mode mode,
			       const collider_world *world, spate_error *error)
{
	*solid = NULL;
	mesh_solid *m = mem_calloc(1, sizeof *m);
	if (!m)
		return error_memory(error, sizeof *m);
	m->def = *def;
	m->mode = mode;
	m->offset = (float)def->offset;
	m->fps = def->fps > 0.0 ? def->fps : world->fps;
	m->threads = world->threads;
	memcpy(m->origin, world->origin, sizeof m->origin);
	m->settings = (field_settings){
	    .cell = (float)mesh_solid_cell(def, (double)world->spacing),
	    .band = (float)mesh_solid_band(def, (double)world->radius),
	    .signed_too = mode != SPATE_COLLIDER_SHELL,
	};
	spate_result result = SPATE_OK;
	if (def->path && !(m->path = mem_strdup(def->path)))
		result = error_memory(error, strlen(def->path));
	if (world->field_folder && !(m->folder = mem_strdup(world->field_folder)))
		result = error_memory(error, strlen(world->field_folder));
	m->def.path = m->path;
	if (result == SPATE_OK)
		result = load_frame(m, def->first, &m->early, error);
	if (result == SPATE_OK)
		result = make_tree(m, error);
	if (result != SPATE_OK)
	{
		mesh_solid_destroy(m);
		return result;
	}
	m->def.mesh = NULL; // borrowed for the call
	find_bounds(m);
	int encloses = distance_field_info(m->early.field)->encloses;
	m->side = mode == SPATE_COLLIDER_SHELL || !encloses ? 0 : mode == SPATE_COLLIDER_INSIDE ? -1 : 1;
	if (mode != SPATE_COLLIDER_SHELL && !encloses && !world->quiet)
		log_warning("%s encloses no volume; it acts as a shell", name_of(m));
	// a deforming mesh may become thin
	m->thin = m->side == 0 || mesh_solid_deforms(m) || has_thin_walls(m, THIN * world->radius);
	*solid = m;
	return mesh_solid_move(m, 0.0, 0.0, error);
}

int mesh_solid_encloses(const mesh_solid *m)
{
	return m->side != 0;
}

size_t mesh_solid_bytes(const mesh_solid *m)
{
	size_t bytes = triangle_tree_bytes(m->tree) + distance_field_info(m->early.field)->bytes;
	return bytes + (m->late.field ? distance_field_info(m->late.field)->bytes : 0);
}

// ------------------------------------------------------------------------------------------------------------- motion

// The frame shown at a time, including the fraction.
static double frame_at(const mesh_solid *m, double time)
{
	double f = (double)m->def.first + (time - m->def.start) * m->fps;
	return fmin(fmax(f, (double)m->def.first), (double)m->def.last);
}

static spate_result same_triangles(const mesh_solid *m, const mesh_frame *a, const mesh_frame *b, spate_error *error)
{
	if (a->mesh->vertex_count == b->mesh->vertex_count && a->mesh->triangle_count == b->mesh->triangle_count &&
	    !memcmp(a->mesh->triangles, b->mesh->triangles, 3 * sizeof(uint32_t) * a->mesh->triangle_count))
		return SPATE_OK;
	return error_set(error, SPATE_FORMAT,
			 "frames %u and %u of %s have different triangles (%u and %u): the frames of a sequence must "
			 "share theirs, so that every vertex has a velocity",
			 a->number, b->number, name_of(m), a->mesh->triangle_count, b->mesh->triangle_count);
}

static void swap_frames(mesh_solid *m)
{
	mesh_frame early = m->early;
	m->early = m->late;
	m->late = early;
}

// Loads the wanted frame as `early` and the next, if any, as `late`.
static spate_result show_frames(mesh_solid *m, uint32_t number, spate_error *error)
{
	spate_result result = SPATE_OK;
	if (m->early.number != number && m->late.field && m->late.number == number)
		swap_frames(m);
	mesh_frame *const wanted[2] = {&m->early, &m->late};
	for (uint32_t k = 0; k < 2; k++)
	{
		uint32_t own = number + k;
		if (own > m->def.last || (wanted[k]->field && wanted[k]->number == own))
			continue;
		mesh_frame fresh;
		result = load_frame(m, own, &fresh, error);
		if (result != SPATE_OK)
			return result;
		result = same_triangles(m, wanted[1 - k]->field ? wanted[1 - k] : wanted[k], &fresh, error);
		if (result != SPATE_OK)
		{
			free_frame(&fresh);
			return result;
		}
		free_frame(wanted[k]);
		*wanted[k] = fresh;
	}
	return result;
}

static float longest_drift(const mesh_solid *m)
{
	if (!m->late.field)
		return 0.0f;
	const float *a = m->early.mesh->positions, *b = m->late.mesh->positions;
	float most = 0.0f;
	for (uint32_t v = 0; v < m->early.mesh->vertex_count; v++, a += 3, b += 3)
	{
		vec3 way = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
		most = fmaxf(most, vec3_dot(way, way));
	}
	return sqrtf(most);
}

spate_result mesh_solid_move(mesh_solid *m, double begin, double end, spate_error *error)
{
	if (!is_sequence(m))
		return SPATE_OK;
	// a step that ends exactly on a frame belongs to the interval before it
	double now = frame_at(m, end), whole = fmax(ceil(now - ON_FRAME) - 1.0, (double)m->def.first);
	spate_result result = show_frames(m, (uint32_t)whole, error);
	if (result != SPATE_OK)
		return result;
	find_bounds(m);
	m->drift = longest_drift(m);
	m->share = m->late.field ? (float)(now - whole) : 0.0f;
	m->covered = (float)(now - frame_at(m, begin));
	const float *a = m->early.mesh->positions, *b = m->late.field ? m->late.mesh->positions : a;
	for (size_t k = 0; k < 3 * (size_t)m->early.mesh->vertex_count; k++)
		m->positions[k] = a[k] + m->share * (b[k] - a[k]);
	triangle_tree_move(m->tree, m->positions);
	return SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------------- bending

static vec3 vertex_at(const float *positions, uint32_t v)
{
	const float *p = positions + 3 * (size_t)v;
	return vec3_make(p[0], p[1], p[2]);
}

static void add_to(float *out, vec3 v)
{
	out[0] += v.x;
	out[1] += v.y;
	out[2] += v.z;
}

// Directions out of a closed mesh: of a vertex the sum of its triangles' normals, weighted by their angles there (Baerentzen, Aanaes:
// Signed distance computation using the angle weighted pseudonormal, 2005).
static void find_slopes(mesh_solid *m)
{
	const spate_mesh *mesh = m->early.mesh;
	memset(m->slopes, 0, 3 * sizeof *m->slopes * mesh->vertex_count);
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *c = mesh->triangles + 3 * (size_t)t;
		vec3 n = triangle_tree_normal(m->tree, t);
		for (int k = 0; k < 3; k++)
		{
			vec3 p = vertex_at(m->positions, c[k]),
			     u = vec3_normalize(vec3_sub(vertex_at(m->positions, c[(k + 1) % 3]), p)),
			     v = vec3_normalize(vec3_sub(vertex_at(m->positions, c[(k + 2) % 3]), p));
			float angle = acosf(fmaxf(fminf(vec3_dot(u, v), 1.0f), -1.0f));
			add_to(m->slopes + 3 * (size_t)c[k], vec3_scale(n, angle));
		}
	}
}

// Whether a point is inside a closed mesh, by the nearest point of that. Within an edge the normals of both triangles count, which the
// directions of its vertices stand for.
static int is_within(const mesh_solid *m, vec3 p, const triangle_point *at)
{
	vec3 out = triangle_tree_normal(m->tree, at->triangle), away = vec3_sub(p, at->place);
	const uint32_t *c = m->early.mesh->triangles + 3 * (size_t)at->triangle;
	if (at->weights[0] < 1e-4f || at->weights[1] < 1e-4f || at->weights[2] < 1e-4f)
	{
		out = vec3_make(0, 0, 0);
		for (int k = 0; k < 3; k++)
			if (at->weights[k] >= 1e-4f)
				out = vec3_add(out, vec3_normalize(vertex_at(m->slopes, c[k])));
	}
	return vec3_dot(out, away) * (float)m->turned_out < 0.0f;
}

static void bound_shape(mesh_solid *m)
{
	float grow = m->settings.band;
	m->low = (vec3){FLT_MAX, FLT_MAX, FLT_MAX};
	m->high = (vec3){-FLT_MAX, -FLT_MAX, -FLT_MAX};
	for (uint32_t v = 0; v < 2 * m->early.mesh->vertex_count; v++)
	{
		uint32_t own = v / 2;
		vec3 p = vertex_at(v % 2 ? m->positions : m->start_positions, own);
		m->low = (vec3){fminf(m->low.x, p.x - grow), fminf(m->low.y, p.y - grow), fminf(m->low.z, p.z - grow)};
		m->high =
		    (vec3){fmaxf(m->high.x, p.x + grow), fmaxf(m->high.y, p.y + grow), fmaxf(m->high.z, p.z + grow)};
	}
}

// A mesh whose triangles face inwards has a negative volume.
static int facing_of(const mesh_solid *m)
{
	const spate_mesh *mesh = m->early.mesh;
	double sum = 0.0;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		const uint32_t *c = mesh->triangles + 3 * (size_t)t;
		vec3 o = vertex_at(mesh->positions, mesh->triangles[0]);
		sum += (double)vec3_dot(vec3_sub(vertex_at(mesh->positions, c[0]), o),
					vec3_cross(vec3_sub(vertex_at(mesh->positions, c[1]), o),
						   vec3_sub(vertex_at(mesh->positions, c[2]), o)));
	}
	return sum < 0.0 ? -1 : 1;
}

static spate_result make_bendable(mesh_solid *m, spate_error *error)
{
	const spate_mesh *mesh = m->early.mesh;
	size_t bytes = 3 * sizeof(float) * mesh->vertex_count;
	m->positions = mem_alloc(bytes);
	m->start_positions = mem_alloc(bytes);
	m->slopes = mem_alloc(bytes);
	if (!m->positions || !m->start_positions || !m->slopes)
		return error_memory(error, 3 * bytes);
	m->turned_out = facing_of(m);
	m->thin = 1;
	return triangle_tree_create(&m->start, mesh->positions, mesh->vertex_count, mesh->triangles,
				    mesh->triangle_count, error);
}

spate_result mesh_solid_bend(mesh_solid *m, const float *before, const float *now, double speed, spate_error *error)
{
	size_t bytes = 3 * sizeof(float) * m->early.mesh->vertex_count;
	spate_result result = m->start ? SPATE_OK : make_bendable(m, error);
	if (result != SPATE_OK)
		return result;
	memcpy(m->start_positions, before, bytes);
	memcpy(m->positions, now, bytes);
	triangle_tree_move(m->start, before);
	triangle_tree_move(m->tree, now);
	m->fastest = speed;
	bound_shape(m);
	if (m->side != 0)
		find_slopes(m);
	return SPATE_OK;
}

const float *mesh_solid_places(const mesh_solid *m)
{
	return m->positions;
}

int mesh_solid_bends(const mesh_solid *m)
{
	return m->start != NULL;
}

int mesh_solid_deforms(const mesh_solid *m)
{
	return m->start || (is_sequence(m) && m->def.last > m->def.first);
}

double mesh_solid_frame(const mesh_solid *m)
{
	return is_sequence(m) ? (double)m->early.number + (double)m->share : -1.0;
}

double mesh_solid_speed(const mesh_solid *m)
{
	return m->start ? m->fastest : (double)m->drift * m->fps;
}

void mesh_solid_bounds(const mesh_solid *m, vec3 *low, vec3 *high)
{
	*low = m->low;
	*high = m->high;
}

const spate_mesh *mesh_solid_mesh(const mesh_solid *m)
{
	return m->early.mesh;
}

// ------------------------------------------------------------------------------------------------------------ sampling

// Displacement of a surface point from the early frame to the late one; of a body that bends, in the step.
static vec3 point_drift(const mesh_solid *m, const triangle_point *at)
{
	const float *early = m->start ? m->start_positions : m->early.mesh->positions,
		    *late = m->start ? m->positions : m->late.mesh->positions;
	const uint32_t *corner = m->early.mesh->triangles + 3 * (size_t)at->triangle;
	vec3 drift = {0, 0, 0};
	for (int k = 0; k < 3; k++)
	{
		const float *a = early + 3 * (size_t)corner[k], *b = late + 3 * (size_t)corner[k];
		drift = vec3_add_scaled(drift, vec3_make(b[0] - a[0], b[1] - a[1], b[2] - a[2]), at->weights[k]);
	}
	return drift;
}

// Finds a surface point that is nearly the nearest to p. Returns 0 if p is beyond the band.
static int find_near(const mesh_solid *m, vec3 p, triangle_point *at)
{
	int32_t triangle = distance_field_triangle(m->early.field, p);
	if (triangle == FIELD_NO_TRIANGLE && m->late.field)
		triangle = distance_field_triangle(m->late.field, p);
	if (triangle == FIELD_NO_TRIANGLE)
		return 0;
	*at = triangle_tree_nearest_of(m->tree, (uint32_t)triangle, p);
	return 1;
}

// The same for a body that bends, from its triangles.
static float bent_distance(const mesh_solid *m, vec3 p, vec3 *gradient)
{
	triangle_point at;
	// inside of a closed body the band is not enough to tell
	float reach = m->side != 0 ? FLT_MAX : m->settings.band, band = m->settings.band;
	if (gradient)
		*gradient = vec3_make(0, 0, 0);
	if (!triangle_tree_nearest(m->tree, p, reach, &at))
		return band;
	float sign = m->side != 0 && is_within(m, p, &at) ? -1.0f : 1.0f;
	if (at.distance >= band)
		return sign * band;
	if (gradient && at.distance > 0.0f)
		*gradient = vec3_scale(vec3_sub(p, at.place), sign / at.distance);
	return sign * at.distance;
}

// Distance from the fields. Between two frames, each field is sampled at p displaced with the nearby surface to that
// frame.
static float field_distance(const mesh_solid *m, vec3 p, vec3 *gradient)
{
	triangle_point at;
	if (m->start)
		return bent_distance(m, p, gradient);
	if (!m->late.field || !find_near(m, p, &at))
		return distance_field_sample(m->early.field, p, gradient);
	vec3 before, after, drift = point_drift(m, &at);
	float a = distance_field_sample(m->early.field, vec3_add_scaled(p, drift, -m->share), &before),
	      b = distance_field_sample(m->late.field, vec3_add_scaled(p, drift, 1.0f - m->share), &after);
	if (gradient)
		*gradient = vec3_add_scaled(vec3_scale(before, 1.0f - m->share), after, m->share);
	return a + m->share * (b - a);
}

// Whether its shape changes, so that no single field knows its box.
static int varies(const mesh_solid *m)
{
	return m->late.field || m->start;
}

static int beyond(const mesh_solid *m, vec3 p)
{
	return p.x < m->low.x || p.y < m->low.y || p.z < m->low.z || p.x > m->high.x || p.y > m->high.y ||
	       p.z > m->high.z;
}

float mesh_solid_slope(const mesh_solid *m, vec3 p, vec3 *normal)
{
	vec3 gradient = {0, 0, 0};
	// a single field checks its own box
	float distance = m->settings.band;
	if (!varies(m) || !beyond(m, p))
		distance = field_distance(m, p, &gradient);
	float length = vec3_length(gradient);
	// at a sheet, and where walls meet, the gradient of the field is unreliable
	triangle_point at;
	if (length < 0.5f && fabsf(distance) < m->settings.cell &&
	    triangle_tree_nearest(m->tree, p, 2.0f * m->settings.cell, &at) && at.distance > 0.0f)
	{
		gradient = vec3_scale(vec3_sub(p, at.place), (distance < 0.0f ? -1.0f : 1.0f) / at.distance);
		distance = distance < 0.0f ? -at.distance : at.distance;
		length = 1.0f;
	}
	float sign = m->side < 0 ? -1.0f : 1.0f;
	*normal = length > 0.0f ? vec3_scale(gradient, sign / length) : gradient;
	return sign * distance - m->offset;
}

float mesh_solid_distance(const mesh_solid *m, vec3 p)
{
	float distance = varies(m) && beyond(m, p) ? m->settings.band : field_distance(m, p, NULL);
	return (m->side < 0 ? -distance : distance) - m->offset;
}

// Lower bound on the current distance, given the room in the early frame.
static float bound_of(const mesh_solid *m, float room)
{
	return (m->side < 0 ? -room : room) - m->share * m->drift - m->offset;
}

int mesh_solid_is_far(const mesh_solid *m, vec3 p, float reach)
{
	if (m->start)
		return beyond(m, p) ? reach < m->settings.band - m->offset : mesh_solid_distance(m, p) > reach;
	return bound_of(m, distance_field_room(m->early.field, p)) > reach;
}

int mesh_solid_is_thin(const mesh_solid *m)
{
	return m->thin;
}

vec3 mesh_solid_drift(const mesh_solid *m, vec3 p)
{
	triangle_point at, nearest;
	if (m->start)
		return !beyond(m, p) && triangle_tree_nearest(m->tree, p, m->settings.band, &at) ? point_drift(m, &at)
												 : vec3_make(0, 0, 0);
	if (m->covered == 0.0f || !m->late.field || beyond(m, p) || !find_near(m, p, &at))
		return vec3_make(0, 0, 0);
	// velocity differs between triangles, so use the exact nearest one
	if (triangle_tree_nearest(m->tree, p, at.distance, &nearest))
		at = nearest;
	return vec3_scale(point_drift(m, &at), m->covered);
}

int mesh_solid_touched(const mesh_solid *m, vec3 p, triangle_point *out)
{
	if (m->start)
		return !beyond(m, p) && triangle_tree_nearest(m->tree, p, m->settings.band, out);
	int32_t triangle = beyond(m, p) ? FIELD_NO_TRIANGLE : distance_field_triangle(m->early.field, p);
	if (triangle == FIELD_NO_TRIANGLE)
		return 0;
	*out = triangle_tree_nearest_of(m->tree, (uint32_t)triangle, p);
	// other triangles may pass through the cell as well: search for a nearer one
	triangle_point nearest;
	if (triangle_tree_nearest(m->tree, p, out->distance, &nearest))
		*out = nearest;
	return 1;
}

// -------------------------------------------------------------------------------------------------------------- paths

// Moves a point from the start of the step along with the surface near it to the end of the step.
static vec3 carried(const mesh_solid *m, vec3 p)
{
	triangle_point at;
	if (m->start)
		return !beyond(m, p) && triangle_tree_nearest(m->start, p, m->settings.band, &at)
			   ? vec3_add(p, point_drift(m, &at))
			   : p;
	return vec3_add(p, mesh_solid_drift(m, p));
}

int mesh_solid_contains(const mesh_solid *m, vec3 p)
{
	return m->side != 0 && mesh_solid_distance(m, p) < -0.5f * m->settings.cell;
}

// A place on a triangle that is so many cells from the surface is not on it. At a sheet, interpolating between voxels on both sides gives up to
// half a cell; particles that touch a wall are a cell away by default.
#define IN_ROOM 0.7f

// Whether a place on a triangle is in the middle of a container: overlapping parts form one room, and what one part has inside of another
// is no wall.
static int is_in_room(const mesh_solid *m, vec3 place)
{
	return m->side < 0 && field_distance(m, place, NULL) < -IN_ROOM * m->settings.cell;
}

// The first triangle on a path that counts as a wall.
static int first_wall(const mesh_solid *m, vec3 from, vec3 to, triangle_hit *hit, vec3 *place)
{
	vec3 start = from;
	for (int tries = 0; tries < 8; tries++)
	{
		if (!triangle_tree_first_hit(m->tree, start, to, hit))
			return 0;
		*place = vec3_add_scaled(start, vec3_sub(to, start), (float)hit->t);
		if (!is_in_room(m, *place))
			return 1;
		// continue behind it
		vec3 way = vec3_sub(to, *place);
		float length = vec3_length(way);
		if (length <= 0.01f * m->settings.cell)
			return 0;
		start = vec3_add_scaled(*place, way, 0.01f * m->settings.cell / length);
	}
	return 1;
}

// How much the distance to a triangle may be overestimated (m).
static float doubt_of(const mesh_solid *m)
{
	return (m->thin ? THIN_DOUBT : DOUBT) * m->settings.cell;
}

// Whether a path needs the exact test: if it crossed a triangle, the distances of its ends could not add up to more
// than its length.
static int may_cross(const mesh_solid *m, vec3 from, vec3 to, float distance)
{
	float way = vec3_length(vec3_sub(to, from)), doubt = doubt_of(m);
	return fabsf(distance) <= way + doubt &&
	       (beyond(m, from) || fabsf(distance) + fabsf(field_distance(m, from, NULL)) <= way + 2.0f * doubt);
}

static int path_hits(const mesh_solid *m, vec3 from, vec3 to, triangle_hit *hit, vec3 *place)
{
	if (beyond(m, from) && beyond(m, to) && vec3_length(vec3_sub(to, from)) < m->settings.band)
		return 0;
	float distance = beyond(m, to) ? m->settings.band : field_distance(m, to, NULL);
	return may_cross(m, from, to, distance) && first_wall(m, from, to, hit, place);
}

int mesh_solid_hold(const mesh_solid *m, vec3 from, vec3 *p, float contact)
{
	vec3 start = carried(m, from), place, unused;
	triangle_hit hit, again;
	if (!path_hits(m, start, *p, &hit, &place))
		return 0;
	// try sliding along the wall at the contact distance, then closer in case it is narrow, then stopping at the
	// hit; otherwise do not move
	vec3 n = hit.normal;
	float gap = m->offset + contact, behind = vec3_dot(n, vec3_sub(*p, place));
	const vec3 choices[3] = {vec3_add_scaled(*p, n, gap - behind), vec3_add_scaled(*p, n, 0.1f * gap - behind),
				 vec3_add_scaled(place, n, 0.1f * gap)};
	for (int k = 0; k < 3; k++)
		if (!first_wall(m, start, choices[k], &again, &unused))
		{
			*p = choices[k];
			return 1;
		}
	*p = start;
	return 1;
}

int mesh_solid_separates(const mesh_solid *m, vec3 a, vec3 b)
{
	triangle_hit hit;
	vec3 place;
	if (m->start)
		return triangle_tree_first_hit(m->start, a, b, &hit);
	return first_wall(m, carried(m, a), carried(m, b), &hit, &place);
}

// ------------------------------------------------------------------------------------------------------------ thickness

// Whether the solid behind a surface point ends within `limit`. A sheet has no solid behind it.
static int is_thin_at(const mesh_solid *m, vec3 p, vec3 n, float limit)
{
	float cell = m->settings.cell, above = mesh_solid_distance(m, vec3_add_scaled(p, n, cell)),
	      below = mesh_solid_distance(m, vec3_add_scaled(p, n, -cell));
	if (above >= 0.0f && below >= 0.0f)
		// there is more room on both sides than at a sheet, but not than where two parts of a container overlap
		return m->side >= 0 || fminf(above, below) > mesh_solid_distance(m, p) + 0.5f * cell;
	// direction into the solid
	vec3 way = above < below ? n : vec3_scale(n, -1.0f);
	triangle_hit hit;
	return triangle_tree_first_hit(m->tree, vec3_add_scaled(p, way, 0.01f * cell), vec3_add_scaled(p, way, limit),
				       &hit);
}

// Samples every triangle at points at most two cells apart.
static int has_thin_walls(const mesh_solid *m, float limit)
{
	const spate_mesh *mesh = m->early.mesh;
	for (uint32_t t = 0; t < mesh->triangle_count; t++)
	{
		vec3 corner[3], n = triangle_tree_normal(m->tree, t);
		for (int k = 0; k < 3; k++)
		{
			const float *p = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)k];
			corner[k] = vec3_make(p[0], p[1], p[2]);
		}
		vec3 u = vec3_sub(corner[1], corner[0]), v = vec3_sub(corner[2], corner[0]);
		float longest = fmaxf(fmaxf(vec3_length(u), vec3_length(v)), vec3_length(vec3_sub(v, u)));
		int parts = (int)fminf(ceilf(longest / (2.0f * m->settings.cell)), 1000.0f);
		for (int i = 0; i < parts; i++)
			for (int j = 0; i + j < parts; j++)
			{
				float a = ((float)i + 0.34f) / (float)parts, b = ((float)j + 0.33f) / (float)parts;
				vec3 p = vec3_add_scaled(vec3_add_scaled(corner[0], u, a), v, b);
				if (is_thin_at(m, p, n, limit))
					return 1;
			}
	}
	return 0;
}

// --------------------------------------------------------------------------------------------------------------- walls

// The nearest point of a triangle that is a wall, within `reach`. The field knows no triangles inside of a container, but is less exact.
static int find_wall(const mesh_solid *m, vec3 p, float reach, triangle_point *at)
{
	if (!triangle_tree_nearest(m->tree, p, reach, at))
		return 0;
	return !is_in_room(m, at->place) || (find_near(m, p, at) && !is_in_room(m, at->place));
}

// Distance and direction from the triangles themselves.
static float exact_slope(const mesh_solid *m, vec3 p, vec3 *normal)
{
	float rough = mesh_solid_slope(m, p, normal), sign = rough + m->offset < 0.0f ? -1.0f : 1.0f;
	triangle_point at;
	if (vec3_dot(*normal, *normal) < 0.25f || !find_wall(m, p, fabsf(rough + m->offset) + m->settings.cell, &at) ||
	    at.distance <= 0.0f)
		return rough;
	*normal = vec3_scale(vec3_sub(p, at.place), sign / at.distance);
	return sign * at.distance - m->offset;
}

// Searches for one more wall: away from the walls found, the distance grows linearly unless there is another. Returns 0
// if there is none.
static int look_ahead(const mesh_solid *m, vec3 p, float reach, const wall *found, int count, int exact, wall *out)
{
	vec3 away = {0, 0, 0}, n;
	float leaves = FLT_MAX, expected = FLT_MAX, ahead = LOOK * reach;
	for (int k = 0; k < count; k++)
		away = vec3_add(away, found[k].normal);
	for (int k = 0; k < count; k++)
		leaves = fminf(leaves, vec3_dot(found[k].normal, away));
	if (leaves < 0.2f)
		return 0; // no free direction between opposite walls
	vec3 step = vec3_scale(away, ahead / leaves), q = vec3_add(p, step);
	for (int k = 0; k < count; k++)
		expected = fminf(expected, found[k].distance + vec3_dot(found[k].normal, step));
	expected -= 0.1f * ahead;
	// a distance is cheaper than a gradient and usually sufficient, except where sheets pass between voxels
	if (!m->thin && mesh_solid_distance(m, q) > expected)
		return 0;
	float distance = exact ? exact_slope(m, q, &n) : mesh_solid_slope(m, q, &n);
	for (int k = 0; k < count && exact; k++)
		if (vec3_dot(found[k].normal, n) > 0.9f)
			return 0;
	if (distance > expected || vec3_dot(n, n) < 0.25f)
		return 0;
	// no wall can be nearer than the first
	*out = (wall){fmaxf(distance - vec3_dot(n, step), found[0].distance), n};
	return out->distance < reach;
}

// Whether there cannot be another wall this far ahead. Sheets may pass between voxels unnoticed.
static int is_straight(const mesh_solid *m, vec3 p, float ahead)
{
	return !m->thin && !m->start && ahead <= FIELD_STRAIGHT * m->settings.cell &&
	       !distance_field_folds(m->early.field, p);
}

// Finds further walls. Where there are several, the field's gradient is a mixture of theirs, so the triangles are used.
static int look_for_corners(const mesh_solid *m, vec3 p, float reach, wall out[SHAPE_MAX_WALLS])
{
	int count = 1;
	if (is_straight(m, p, LOOK * reach) || !look_ahead(m, p, reach, out, 1, 0, &out[1]))
		return count;
	out[0].distance = exact_slope(m, p, &out[0].normal);
	while (count < 3 && look_ahead(m, p, reach, out, count, 1, &out[count]))
		count++;
	return count;
}

float mesh_solid_beside(const mesh_solid *m, vec3 p, float reach, vec3 *normal, int *corner)
{
	if (!m->thin)
		return INFINITY;
	wall own, other;
	own.distance = mesh_solid_slope(m, p, normal);
	own.normal = *normal;
	if (!(own.distance < reach) || vec3_dot(*normal, *normal) < 0.25f)
		return INFINITY;
	*corner |= look_ahead(m, p, reach, &own, 1, 0, &other);
	return fabsf(own.distance);
}

int mesh_solid_walls(const mesh_solid *m, vec3 from, vec3 p, float reach, wall out[SHAPE_MAX_WALLS], solid_gap *gap)
{
	triangle_hit hit;
	vec3 place, n, start = carried(m, from);
	float bound = m->start ? (beyond(m, p) ? m->settings.band - m->offset : mesh_solid_distance(m, p))
			       : bound_of(m, distance_field_bound(m->early.field, p));
	if (bound >= reach)
	{
		*gap = (solid_gap){bound, fmaxf(bound - vec3_length(vec3_sub(p, start)), 0.0f)};
		return 0;
	}
	float distance = mesh_solid_slope(m, p, &n);
	// the ball around p through the farther end contains the whole path
	float room = fabsf(distance + m->offset) - doubt_of(m);
	*gap = (solid_gap){distance, room > vec3_length(vec3_sub(p, start)) ? room : 0.0f};
	if (distance >= reach)
		return 0;
	if (may_cross(m, start, p, distance + m->offset) && first_wall(m, start, p, &hit, &place))
	{
		out[0] = (wall){vec3_dot(hit.normal, vec3_sub(p, place)) - m->offset, hit.normal};
		return 1;
	}
	if (vec3_dot(n, n) < 0.25f)
		return 0;
	// liquid that entered through a gap too narrow for the field is moved out gradually
	out[0] = (wall){fmaxf(distance, -0.5f * m->settings.cell), n};
	return look_for_corners(m, p, reach, out);
}
