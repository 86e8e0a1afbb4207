#include "collider/region.h"

#include "base/error.h"
#include "base/memory.h"
#include "collider/motion.h"
#include "mesh/measure.h"
#include "mesh/sequence.h"

#include <string.h>

// Cells of a mesh's distance field per spacing, and its reach in spacings.
#define FIELD_CELLS 4.0
#define FIELD_REACH 2.5

enum
{
	GRID = 64,            // cells along the longest side of the grid that volumes are measured with
	ELLIPSOID_ROUNDS = 60 // halvings of an interval: as many as a double has bits, and some
};

struct region
{
	spate_shape_type type;
	double low[3], high[3]; // m
	solid_shape solid;      // but of an ellipsoid, a mesh and of parts
	int turned;
	float turn[9]; // its own axes, row-major, and what it is turned about, relative to the origin
	vec3 centre;
	double half[3]; // m, of an ellipsoid
	mesh_solid *mesh;
	region **parts;
	uint32_t part_count;
};

void region_destroy(region *r)
{
	if (!r)
		return;
	for (uint32_t n = 0; n < r->part_count; n++)
		region_destroy(r->parts[n]);
	mem_free(r->parts);
	mesh_solid_destroy(r->mesh);
	mem_free(r);
}

// ------------------------------------------------------------------------------------------------------------- making

static spate_result make_mesh(region *r, const spate_mesh_def *def, const collider_world *world, double spacing,
			      spate_error *error)
{
	collider_world around = *world;
	spate_mesh_def own = *def;
	if (own.mesh)
		own.path = NULL;
	else if (own.path && sequence_is_pattern(own.path))
		return error_set(error, SPATE_INVALID, "%s is a sequence; name a single mesh", own.path);
	own.cell = spacing / FIELD_CELLS;
	own.band = FIELD_REACH * spacing;
	around.spacing = (float)spacing;
	around.radius = (float)spacing;
	spate_result result = mesh_solid_create(&r->mesh, &own, SPATE_COLLIDER_OUTSIDE, &around, error);
	if (result == SPATE_OK && !mesh_solid_encloses(r->mesh))
		return error_set(error, SPATE_FORMAT, "%s encloses no volume, so it has no inside; close its holes",
				 def->path ? def->path : "the mesh");
	if (result != SPATE_OK)
		return result;
	// of the band of the field, which is wider than the mesh
	spate_mesh placed = *mesh_solid_mesh(r->mesh);
	spate_mesh_def here = {.mesh = &placed, .scale = 1.0};
	spate_shape shape = {.type = SPATE_SHAPE_MESH, .mesh = here};
	shape_bounds(&shape, r->low, r->high);
	for (int k = 0; k < 3; k++)
	{
		r->low[k] += world->origin[k];
		r->high[k] += world->origin[k];
	}
	return SPATE_OK;
}

static spate_result make_parts(region *r, const spate_shape *def, const collider_world *world, double spacing,
			       spate_error *error)
{
	r->parts = mem_calloc(def->part_count + (size_t)1, sizeof *r->parts);
	if (!r->parts)
		return error_memory(error, def->part_count * sizeof *r->parts);
	r->part_count = def->part_count;
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; n < def->part_count && result == SPATE_OK; n++)
	{
		result = region_create(&r->parts[n], &def->parts[n], world, spacing, error);
		for (int k = 0; k < 3 && result == SPATE_OK; k++)
		{
			const region *part = r->parts[n];
			int first = n == 0, counts = first || def->type == SPATE_SHAPE_UNION;
			r->low[k] = first ? part->low[k] : counts ? fmin(r->low[k], part->low[k]) : r->low[k];
			r->high[k] = first ? part->high[k] : counts ? fmax(r->high[k], part->high[k]) : r->high[k];
		}
	}
	return result;
}

static void turn_region(region *r, const spate_shape *def, const double origin[3])
{
	double turn[9], centre[3];
	shape_turn(def, turn, centre);
	for (int k = 0; k < 9; k++)
		r->turn[k] = (float)turn[k];
	r->centre =
	    vec3_make((float)(centre[0] - origin[0]), (float)(centre[1] - origin[1]), (float)(centre[2] - origin[2]));
	r->turned = shape_is_turned(def);
}

spate_result region_create(region **made, const spate_shape *def, const collider_world *world, double spacing,
			   spate_error *error)
{
	*made = NULL;
	region *r = mem_calloc(1, sizeof *r);
	if (!r)
		return error_memory(error, sizeof *r);
	r->type = def->type;
	spate_result result = SPATE_OK;
	if (def->type == SPATE_SHAPE_MESH)
		result = make_mesh(r, &def->mesh, world, spacing, error);
	else if (def->type == SPATE_SHAPE_UNION || def->type == SPATE_SHAPE_DIFFERENCE)
		result = make_parts(r, def, world, spacing, error);
	else
	{
		shape_bounds(def, r->low, r->high);
		memcpy(r->half, def->b, sizeof r->half);
		if (def->type != SPATE_SHAPE_ELLIPSOID)
			r->solid = shape_make(def, world->origin);
		if (def->type == SPATE_SHAPE_BOX || def->type == SPATE_SHAPE_ELLIPSOID)
			turn_region(r, def, world->origin);
	}
	if (result != SPATE_OK)
	{
		region_destroy(r);
		return result;
	}
	*made = r;
	return SPATE_OK;
}

void region_bounds(const region *r, double low[3], double high[3])
{
	memcpy(low, r->low, sizeof r->low);
	memcpy(high, r->high, sizeof r->high);
}

// ----------------------------------------------------------------------------------------------------------- distances

// The nearest point q of an ellipsoid with half axes e has p_k = q_k (1 + t / e_k^2), with the one t for which q is on it (Eberly: Distance
// from a point to an ellipse, an ellipsoid, or a hyperellipsoid, 2013). All p_k are at least 0.
static double distance_to_ellipsoid(const double e[3], const double p[3])
{
	double least = fmin(e[0], fmin(e[1], e[2])), most = fmax(e[0], fmax(e[1], e[2]));
	double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), level = 0.0;
	for (int k = 0; k < 3; k++)
		level += p[k] / e[k] * (p[k] / e[k]);
	// at t = -least^2 the sum is at least 1 unless p is on the plane through the centre across the shortest axis
	double low = -least * least, high = most * size;
	for (int round = 0; round < ELLIPSOID_ROUNDS; round++)
	{
		double t = 0.5 * (low + high), sum = 0.0;
		for (int k = 0; k < 3; k++)
		{
			double x = e[k] * p[k] / (t + e[k] * e[k]);
			sum += x * x;
		}
		if (sum > 1.0)
			low = t;
		else
			high = t;
	}
	double t = 0.5 * (low + high), away = 0.0, on = 0.0, q[3];
	int shortest = 0;
	for (int k = 0; k < 3; k++)
	{
		double room = t + e[k] * e[k];
		q[k] = room > 0.0 ? e[k] * e[k] * p[k] / room : 0.0;
		on += q[k] / e[k] * (q[k] / e[k]);
		shortest = e[k] < e[shortest] ? k : shortest;
	}
	// on that plane, the rest of the way leads along the shortest axis
	if (on < 1.0 - 1e-9)
	{
		double rest = 1.0 - (on - q[shortest] / e[shortest] * (q[shortest] / e[shortest]));
		q[shortest] = e[shortest] * sqrt(fmax(0.0, rest));
	}
	for (int k = 0; k < 3; k++)
		away += (p[k] - q[k]) * (p[k] - q[k]);
	return level < 1.0 ? -sqrt(away) : sqrt(away);
}

static float distance_of_parts(const region *r, vec3 p)
{
	float distance = region_distance(r->parts[0], p);
	for (uint32_t n = 1; n < r->part_count; n++)
	{
		float own = region_distance(r->parts[n], p);
		distance = r->type == SPATE_SHAPE_UNION ? fminf(distance, own) : fmaxf(distance, -own);
	}
	return distance;
}

float region_distance(const region *r, vec3 p)
{
	if (r->mesh)
		return mesh_solid_distance(r->mesh, p);
	if (r->parts)
		return distance_of_parts(r, p);
	if (r->turned || r->type == SPATE_SHAPE_ELLIPSOID)
	{
		vec3 own = vec3_sub(p, r->centre);
		if (r->turned)
			own = matrix_apply_transposed(r->turn, own);
		if (r->type == SPATE_SHAPE_ELLIPSOID)
		{
			double at[3] = {fabs((double)own.x), fabs((double)own.y), fabs((double)own.z)};
			return (float)distance_to_ellipsoid(r->half, at);
		}
		p = vec3_add(own, r->centre);
	}
	return shape_distance(&r->solid, p);
}

// ------------------------------------------------------------------------------------------------------------- volumes

static int has_no_level(const double up[3], double level)
{
	return !(fabs(level) < INFINITY) || (up[0] == 0.0 && up[1] == 0.0 && up[2] == 0.0);
}

// Midpoints of a grid, whose cells count by how far they reach into the region.
static double sum_volume(const region *r, const double origin[3], const double up[3], double level)
{
	double longest = 0.0, volume = 0.0, length = sqrt(up[0] * up[0] + up[1] * up[1] + up[2] * up[2]);
	for (int k = 0; k < 3; k++)
		longest = fmax(longest, r->high[k] - r->low[k]);
	double cell = longest / GRID;
	int64_t cells[3];
	for (int k = 0; k < 3; k++)
		cells[k] = (int64_t)ceil((r->high[k] - r->low[k]) / cell - 1e-6);
	int flat = has_no_level(up, level);
	for (int64_t z = 0; z < cells[2]; z++)
		for (int64_t y = 0; y < cells[1]; y++)
			for (int64_t x = 0; x < cells[0]; x++)
			{
				double at[3] = {r->low[0] + ((double)x + 0.5) * cell,
						r->low[1] + ((double)y + 0.5) * cell,
						r->low[2] + ((double)z + 0.5) * cell};
				double s = (double)region_distance(r, vec3_make((float)(at[0] - origin[0]),
										(float)(at[1] - origin[1]),
										(float)(at[2] - origin[2])));
				if (!flat)
					s = fmax(s, (at[0] * up[0] + at[1] * up[1] + at[2] * up[2]) / length - level);
				volume += fmin(1.0, fmax(0.0, 0.5 - s / cell));
			}
	return volume * cell * cell * cell;
}

double region_volume(const spate_shape *def, const double up[3], double level)
{
	int flat = has_no_level(up, level);
	if (flat && def->type != SPATE_SHAPE_MESH && def->type != SPATE_SHAPE_UNION &&
	    def->type != SPATE_SHAPE_DIFFERENCE)
		return shape_volume(def);
	double low[3], high[3], longest = 0.0, volume = 0.0;
	if (!shape_bounds(def, low, high))
		return INFINITY;
	collider_world world = {.fps = 1.0, .threads = 1};
	for (int k = 0; k < 3; k++)
	{
		world.origin[k] = 0.5 * (low[k] + high[k]);
		longest = fmax(longest, high[k] - low[k]);
	}
	region *r;
	// a mesh that has not been read has no size
	if (!(longest > 0.0) || region_create(&r, def, &world, 2.0 * longest / GRID, NULL) != SPATE_OK)
		return 0.0;
	volume = sum_volume(r, world.origin, up, level);
	region_destroy(r);
	return volume;
}
