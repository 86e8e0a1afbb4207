#include "render/draw_mesh.h"

#include "base/error.h"
#include "base/parallel.h"
#include "render/splat.h"

#include <float.h>
#include <string.h>

enum
{
	TILE = 64,       // pixels per side
	MAX_BLOCKS = 64, // upper bound on the number of blocks of triangles, whatever the number of threads
	BLOCK_LEAST = 4096
};

static const float identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static const float *rotation_of(const draw_mesh *mesh)
{
	for (int k = 0; k < 9; k++)
		if (mesh->rotation[k] != 0.0f)
			return mesh->rotation;
	return identity;
}

static vec3 turn(const float *r, vec3 v)
{
	return vec3_make(r[0] * v.x + r[1] * v.y + r[2] * v.z, r[3] * v.x + r[4] * v.y + r[5] * v.z,
			 r[6] * v.x + r[7] * v.y + r[8] * v.z);
}

static float scale_of(const draw_mesh *mesh)
{
	return mesh->scale != 0.0f ? mesh->scale : 1.0f;
}

vec3 draw_mesh_point(const draw_mesh *mesh, vec3 vertex)
{
	return vec3_add(turn(rotation_of(mesh), vec3_scale(vertex, scale_of(mesh))), mesh->translation);
}

int draw_mesh_bounds(const draw_mesh *meshes, int count, vec3 *low, vec3 *high)
{
	*low = vec3_make(FLT_MAX, FLT_MAX, FLT_MAX);
	*high = vec3_make(-FLT_MAX, -FLT_MAX, -FLT_MAX);
	for (int m = 0; m < count; m++)
	{
		const spate_mesh *mesh = meshes[m].model->mesh;
		for (size_t v = 0; v < mesh->vertex_count; v++)
		{
			const float *own = mesh->positions + 3 * v;
			vec3 p = draw_mesh_point(&meshes[m], vec3_make(own[0], own[1], own[2]));
			if (!vec3_is_finite(p))
				continue;
			*low = vec3_make(fminf(low->x, p.x), fminf(low->y, p.y), fminf(low->z, p.z));
			*high = vec3_make(fmaxf(high->x, p.x), fmaxf(high->y, p.y), fmaxf(high->z, p.z));
		}
	}
	return low->x <= high->x;
}

// ----------------------------------------------------------------------------------------------------------- vertices

typedef struct place_job
{
	const draw_mesh_set *set;
	const draw_mesh *mesh;
	vec3 *to;
} place_job;

static void place_vertices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const place_job *job = context;
	for (size_t v = begin; v < end; v++)
	{
		const float *p = job->mesh->model->mesh->positions + 3 * v;
		job->to[v] = camera_to_view(job->set->view, draw_mesh_point(job->mesh, vec3_make(p[0], p[1], p[2])));
	}
}

spate_result draw_mesh_set_place(draw_mesh_set *set, const camera_view *view, const draw_mesh *meshes, int count,
				 float nearest, int threads, arena *scratch, spate_error *error)
{
	*set = (draw_mesh_set){.view = view, .meshes = meshes, .count = count, .nearest = nearest};
	size_t ends = (size_t)count + 1;
	set->first_vertex = arena_alloc(scratch, ends * sizeof *set->first_vertex);
	set->first_triangle = arena_alloc(scratch, ends * sizeof *set->first_triangle);
	if (!set->first_vertex || !set->first_triangle)
		return error_memory(error, ends * 2 * sizeof *set->first_vertex);
	uint64_t vertices = 0, triangles = 0;
	for (int m = 0; m <= count; m++)
	{
		set->first_vertex[m] = (uint32_t)vertices;
		set->first_triangle[m] = (uint32_t)triangles;
		vertices += m < count ? meshes[m].model->mesh->vertex_count : 0;
		triangles += m < count ? meshes[m].model->mesh->triangle_count : 0;
		if (vertices > UINT32_MAX || triangles >= UINT32_MAX - DRAW_MESH_ID)
			return error_set(error, SPATE_INVALID, "%llu triangles are more than one picture can hold",
					 (unsigned long long)triangles);
	}
	set->places = arena_alloc(scratch, (vertices + 1) * sizeof *set->places);
	if (!set->places)
		return error_memory(error, vertices * sizeof *set->places);
	for (int m = 0; m < count; m++)
	{
		place_job job = {set, &meshes[m], set->places + set->first_vertex[m]};
		parallel_for(threads, meshes[m].model->mesh->vertex_count, 4096, place_vertices, &job);
	}
	return SPATE_OK;
}

static int mesh_of(const draw_mesh_set *set, uint32_t triangle)
{
	int low = 0, high = set->count - 1;
	while (low < high)
	{
		int middle = (low + high + 1) / 2;
		if (set->first_triangle[middle] <= triangle)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static void corners_of(const draw_mesh_set *set, int mesh, uint32_t triangle, vec3 corner[3])
{
	const spate_mesh *from = set->meshes[mesh].model->mesh;
	const uint32_t *index = from->triangles + 3 * (size_t)(triangle - set->first_triangle[mesh]);
	for (int k = 0; k < 3; k++)
		corner[k] = set->places[set->first_vertex[mesh] + index[k]];
}

// ---------------------------------------------------------------------------------------------------------- triangles

// A corner in the picture: pixels and 1 / depth, both linear across the triangle.
typedef struct seen_corner
{
	double x, y, inverse;
} seen_corner;

// Which sides of a mesh a pass draws.
typedef enum sides
{
	SIDES_NONE,
	SIDES_BOTH,
	SIDES_RISING, // positive area in the picture, where y points down
	SIDES_FALLING
} sides;

typedef struct mesh_job
{
	const draw_mesh_set *set;
	sides *sides; // per mesh
	int tiles_x, tiles_y;
	size_t tiles, triangles, block, blocks;
	uint32_t *counts; // [tile][block] counts, later the offsets of each block's part in a tile's list
	struct tile_range *ranges;
	uint32_t *entries;
	float *depth;
	uint32_t *id;
} mesh_job;

// Tiles that a triangle may touch, [x0, x1) x [y0, y1).
typedef struct tile_range
{
	uint16_t x0, y0, x1, y1;
} tile_range;

static seen_corner see(const camera_view *view, const double p[3])
{
	double inverse = 1.0 / p[2], focal = (double)view->focal;
	return (seen_corner){(double)view->centre_x + focal * p[0] * inverse,
			     (double)view->centre_y + focal * p[1] * inverse, inverse};
}

// The part of a triangle beyond the near plane, as a polygon of up to four corners. Cuts are always computed from the
// near to the far end, so that two triangles that share an edge get the same bits.
static int cut_triangle(const draw_mesh_set *set, const vec3 corner[3], seen_corner out[4])
{
	double nearest = (double)set->nearest, p[3][3];
	int count = 0;
	for (int k = 0; k < 3; k++)
	{
		if (!vec3_is_finite(corner[k]))
			return 0;
		p[k][0] = (double)corner[k].x;
		p[k][1] = (double)corner[k].y;
		p[k][2] = (double)corner[k].z;
	}
	for (int k = 0; k < 3; k++)
	{
		const double *a = p[k], *b = p[(k + 1) % 3];
		if (a[2] >= nearest)
			out[count++] = see(set->view, a);
		if ((a[2] >= nearest) == (b[2] >= nearest))
			continue;
		const double *from = a[2] < b[2] ? a : b, *to = a[2] < b[2] ? b : a;
		double t = (nearest - from[2]) / (to[2] - from[2]), cut[3];
		for (int axis = 0; axis < 3; axis++)
			cut[axis] = from[axis] + t * (to[axis] - from[axis]);
		cut[2] = nearest;
		out[count++] = see(set->view, cut);
	}
	return count;
}

// Twice the area of the triangle a, b, (x, y); its sign tells on which side of the line a-b the point is. Swapping a
// and b gives exactly the negative.
static inline double side_of(const seen_corner *a, const seen_corner *b, double x, double y)
{
	return (a->x - x) * (b->y - y) - (b->x - x) * (a->y - y);
}

// The polygon of a triangle, if it is drawn; otherwise 0 corners.
static int see_triangle(const mesh_job *job, uint32_t triangle, seen_corner out[4])
{
	vec3 corner[3];
	int mesh = mesh_of(job->set, triangle);
	sides drawn = job->sides[mesh];
	if (drawn == SIDES_NONE)
		return 0;
	corners_of(job->set, mesh, triangle, corner);
	int count = cut_triangle(job->set, corner, out);
	if (count < 3 || drawn == SIDES_BOTH)
		return count;
	double area = side_of(&out[1], &out[2], out[0].x, out[0].y);
	if (count == 4)
		area += side_of(&out[2], &out[3], out[0].x, out[0].y);
	return (area > 0.0) == (drawn == SIDES_RISING) ? count : 0;
}

// Pixels [low, high) whose centres lie between two places.
static void pixels_between(double from, double to, int limit, int *low, int *high)
{
	double first = ceil(from - 0.5), last = floor(to - 0.5) + 1.0;
	*low = first <= 0.0 ? 0 : first >= (double)limit ? limit : (int)first;
	*high = last <= 0.0 ? 0 : last >= (double)limit ? limit : (int)last;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static void count_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const mesh_job *job = context;
	const camera_view *view = job->set->view;
	uint32_t *counts = job->counts + begin / job->block;
	for (size_t t = begin; t < end; t++)
	{
		seen_corner p[4];
		tile_range *r = job->ranges + t;
		*r = (tile_range){0};
		int corners = see_triangle(job, (uint32_t)t, p), x0, x1, y0, y1;
		if (corners < 3)
			continue;
		double left = p[0].x, right = p[0].x, top = p[0].y, bottom = p[0].y;
		for (int k = 1; k < corners; k++)
		{
			left = least(left, p[k].x);
			right = most(right, p[k].x);
			top = least(top, p[k].y);
			bottom = most(bottom, p[k].y);
		}
		pixels_between(left, right, view->width, &x0, &x1);
		pixels_between(top, bottom, view->height, &y0, &y1);
		if (x0 >= x1 || y0 >= y1)
			continue;
		*r = (tile_range){(uint16_t)(x0 / TILE), (uint16_t)(y0 / TILE), (uint16_t)((x1 - 1) / TILE + 1),
				  (uint16_t)((y1 - 1) / TILE + 1)};
		for (int y = r->y0; y < r->y1; y++)
			for (int x = r->x0; x < r->x1; x++)
				counts[(size_t)(y * job->tiles_x + x) * job->blocks]++;
	}
}

static void fill_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const mesh_job *job = context;
	uint32_t *next = job->counts + begin / job->block;
	for (size_t t = begin; t < end; t++)
	{
		tile_range r = job->ranges[t];
		for (int y = r.y0; y < r.y1; y++)
			for (int x = r.x0; x < r.x1; x++)
				job->entries[next[(size_t)(y * job->tiles_x + x) * job->blocks]++] = (uint32_t)t;
	}
}

typedef struct pixel_box
{
	int left, top, right, bottom; // right and bottom excluded
} pixel_box;

static void draw_triangle(const mesh_job *job, const seen_corner *a, const seen_corner *b, const seen_corner *c,
			  uint32_t id, const pixel_box *tile)
{
	double area = side_of(b, c, a->x, a->y);
	if (area == 0.0)
		return;
	if (area < 0.0)
	{
		const seen_corner *swap = b;
		b = c;
		c = swap;
		area = -area;
	}
	int x0, x1, y0, y1;
	pixels_between(least(a->x, least(b->x, c->x)), most(a->x, most(b->x, c->x)), tile->right, &x0, &x1);
	pixels_between(least(a->y, least(b->y, c->y)), most(a->y, most(b->y, c->y)), tile->bottom, &y0, &y1);
	x0 = x0 > tile->left ? x0 : tile->left;
	y0 = y0 > tile->top ? y0 : tile->top;
	double wa = a->inverse / area, wb = b->inverse / area, wc = c->inverse / area;
	for (int row = y0; row < y1; row++)
	{
		double y = (double)row + 0.5;
		size_t line = (size_t)row * (size_t)job->set->view->width;
		for (int column = x0; column < x1; column++)
		{
			double x = (double)column + 0.5;
			double ea = side_of(b, c, x, y), eb = side_of(c, a, x, y), ec = side_of(a, b, x, y);
			if (!(ea >= 0.0 && eb >= 0.0 && ec >= 0.0))
				continue;
			float depth = (float)(1.0 / (ea * wa + eb * wb + ec * wc));
			size_t pixel = line + (size_t)column;
			float old = job->depth[pixel];
			if (depth < old || (depth == old && id < job->id[pixel]))
			{
				job->depth[pixel] = depth;
				job->id[pixel] = id;
			}
		}
	}
}

static void draw_tiles(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const mesh_job *job = context;
	const camera_view *view = job->set->view;
	// after filling, a tile's list ends where its last block ended, and starts where the previous tile ends
	const uint32_t *ends = job->counts + job->blocks - 1;
	for (size_t k = begin; k < end; k++)
	{
		pixel_box tile = {.left = (int)(k % (size_t)job->tiles_x) * TILE,
				  .top = (int)(k / (size_t)job->tiles_x) * TILE};
		tile.right = tile.left + TILE < view->width ? tile.left + TILE : view->width;
		tile.bottom = tile.top + TILE < view->height ? tile.top + TILE : view->height;
		for (uint32_t e = k ? ends[(k - 1) * job->blocks] : 0; e < ends[k * job->blocks]; e++)
		{
			seen_corner p[4];
			int corners = see_triangle(job, job->entries[e], p);
			for (int c = 2; c < corners; c++)
				draw_triangle(job, &p[0], &p[c - 1], &p[c], DRAW_MESH_ID | job->entries[e], &tile);
		}
	}
}

// A side is a front when its normal points to the eye: its corners are then anticlockwise in the world, and its area is
// negative in a picture whose y points down.
static sides sides_of(const draw_mesh *mesh, draw_mesh_pass pass)
{
	if (!mesh->container)
		return pass == DRAW_MESH_GLASS ? SIDES_NONE : SIDES_BOTH;
	if (pass == DRAW_MESH_SHADOW)
		return SIDES_NONE;
	int inwards = mesh->model->inverted != (mesh->scale < 0.0f), front = pass == DRAW_MESH_GLASS;
	return front != inwards ? SIDES_FALLING : SIDES_RISING;
}

spate_result draw_mesh_set_depth(const draw_mesh_set *set, draw_mesh_pass pass, int threads, arena *scratch,
				 float *depth, uint32_t *id, spate_error *error)
{
	const camera_view *view = set->view;
	mesh_job job = {.set = set,
			.tiles_x = (view->width + TILE - 1) / TILE,
			.tiles_y = (view->height + TILE - 1) / TILE,
			.triangles = set->first_triangle[set->count],
			.depth = depth,
			.id = id};
	if (job.triangles == 0)
		return SPATE_OK;
	job.tiles = (size_t)job.tiles_x * (size_t)job.tiles_y;
	job.block = (job.triangles + MAX_BLOCKS - 1) / MAX_BLOCKS;
	job.block = job.block < BLOCK_LEAST ? BLOCK_LEAST : job.block;
	job.blocks = (job.triangles + job.block - 1) / job.block;

	size_t count_bytes = job.tiles * job.blocks * sizeof *job.counts;
	job.counts = arena_alloc(scratch, count_bytes);
	job.ranges = arena_alloc(scratch, job.triangles * sizeof *job.ranges);
	job.sides = arena_alloc(scratch, (size_t)set->count * sizeof *job.sides);
	if (!job.counts || !job.ranges || !job.sides)
		return error_memory(error, count_bytes + job.triangles * sizeof *job.ranges);
	memset(job.counts, 0, count_bytes);
	for (int m = 0; m < set->count; m++)
		job.sides[m] = sides_of(&set->meshes[m], pass);

	// count, allocate, fill: the lists do not depend on which block comes first
	parallel_for(threads, job.triangles, job.block, count_block, &job);
	uint64_t total = prefix_sum_u32(job.counts, job.tiles * job.blocks);
	if (total > INT32_MAX)
		return error_set(error, SPATE_MEMORY,
				 "the triangles cover the picture too often: %llu overlaps with its tiles",
				 (unsigned long long)total);
	if (total == 0)
		return SPATE_OK;
	job.entries = arena_alloc(scratch, total * sizeof *job.entries);
	if (!job.entries)
		return error_memory(error, total * sizeof *job.entries);
	parallel_for(threads, job.triangles, job.block, fill_block, &job);
	parallel_for(threads, job.tiles, 1, draw_tiles, &job);
	return SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------------- looking

// A ray r = (x, y, 1) hits the triangle a, b, c with corner weights det(r, b, c), det(r, c, a) and det(r, a, b).
static void weigh(const vec3 corner[3], vec3 ray, float weights[3])
{
	double w[3], sum = 0.0;
	for (int k = 0; k < 3; k++)
	{
		vec3 a = corner[(k + 1) % 3], b = corner[(k + 2) % 3];
		double x = (double)a.y * (double)b.z - (double)a.z * (double)b.y,
		       y = (double)a.z * (double)b.x - (double)a.x * (double)b.z,
		       z = (double)a.x * (double)b.y - (double)a.y * (double)b.x;
		w[k] = (double)ray.x * x + (double)ray.y * y + z;
		sum += w[k];
	}
	for (int k = 0; k < 3; k++)
	{
		// the centre of a pixel on an edge may miss by rounding
		double part = sum != 0.0 ? w[k] / sum : 1.0 / 3.0;
		weights[k] = (float)(part > 0.0 ? (part < 1.0 ? part : 1.0) : 0.0);
	}
}

draw_mesh_hit draw_mesh_set_hit(const draw_mesh_set *set, uint32_t id, vec3 ray)
{
	uint32_t triangle = id & ~DRAW_MESH_ID;
	int m = mesh_of(set, triangle);
	draw_mesh_hit hit = {.mesh = &set->meshes[m], .colour = set->meshes[m].colour};
	const draw_model *model = hit.mesh->model;
	size_t local = triangle - set->first_triangle[m];
	const uint32_t *index = model->mesh->triangles + 3 * local;
	vec3 corner[3], normal = {0, 0, 0}, colour = {0, 0, 0};
	corners_of(set, m, triangle, corner);
	weigh(corner, ray, hit.weights);
	for (size_t k = 0; k < 3; k++)
	{
		const float *n = model->normals + 3 * (model->per_corner ? 3 * local + k : (size_t)index[k]);
		normal = vec3_add_scaled(normal, vec3_make(n[0], n[1], n[2]), hit.weights[k]);
		if (model->colours)
			colour = vec3_add_scaled(colour, model->colours[index[k]], hit.weights[k]);
	}
	if (model->colours)
		hit.colour = colour;
	if (hit.mesh->wet && model->mesh->uvs)
	{
		const float *uv = model->mesh->uvs + 6 * local, *w = hit.weights;
		hit.wet = texture_at(hit.mesh->wet, w[0] * uv[0] + w[1] * uv[2] + w[2] * uv[4],
				     w[0] * uv[1] + w[1] * uv[3] + w[2] * uv[5]);
	}

	// the triangle decides which side is seen; the smooth normal only affects shading
	vec3 flat = vec3_normalize(vec3_cross(vec3_sub(corner[1], corner[0]), vec3_sub(corner[2], corner[0])));
	vec3 face = camera_to_world(set->view, flat);
	normal = turn(rotation_of(hit.mesh), vec3_scale(normal, hit.mesh->scale < 0.0f ? -1.0f : 1.0f));
	normal = vec3_normalize(normal);
	if (!(vec3_length(normal) > 0.5f))
		normal = face;
	// normals in a file may be opposite to those of its triangles
	int agrees = vec3_dot(normal, face) >= 0.0f, away = vec3_dot(flat, ray) > 0.0f;
	hit.normal = agrees == away ? vec3_scale(normal, -1.0f) : normal;
	return hit;
}

// --------------------------------------------------------------------------------------------------------------- glass

typedef struct glass_job
{
	const draw_mesh_set *set;
	const float *depth, *glass;
	const uint32_t *id;
	vec3 *light;
} glass_job;

static void draw_glass_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const glass_job *job = context;
	const camera_view *view = job->set->view;
	const vec3 colour = {0.86f, 0.93f, 1.0f};
	for (size_t row = begin; row < end; row++)
		for (size_t column = 0; column < (size_t)view->width; column++)
		{
			size_t pixel = row * (size_t)view->width + column;
			if (job->id[pixel] == SPLAT_NONE || job->glass[pixel] >= job->depth[pixel])
				continue;
			vec3 ray = camera_ray(view, (float)column + 0.5f, (float)row + 0.5f);
			draw_mesh_hit hit = draw_mesh_set_hit(job->set, job->id[pixel], ray);
			vec3 world = vec3_normalize(camera_to_world(view, ray));
			float graze = 1.0f - fabsf(vec3_dot(hit.normal, world));
			float opacity = 0.018f + 0.5f * graze * graze * graze * graze;
			vec3 *light = job->light + pixel;
			*light = vec3_add_scaled(vec3_scale(*light, 1.0f - opacity), colour, opacity);
		}
}

spate_result draw_mesh_glass(const draw_mesh_set *set, const float *depth, int threads, arena *scratch, vec3 *light,
			     spate_error *error)
{
	size_t pixels = (size_t)set->view->width * (size_t)set->view->height;
	float *glass = arena_alloc(scratch, pixels * sizeof *glass);
	uint32_t *id = arena_alloc(scratch, pixels * sizeof *id);
	if (!glass || !id)
		return error_memory(error, pixels * (sizeof *glass + sizeof *id));
	for (size_t k = 0; k < pixels; k++)
		glass[k] = SPLAT_FAR;
	memset(id, 0xff, pixels * sizeof *id);
	spate_result result = draw_mesh_set_depth(set, DRAW_MESH_GLASS, threads, scratch, glass, id, error);
	if (result != SPATE_OK)
		return result;
	glass_job job = {set, depth, glass, id, light};
	parallel_for(threads, (size_t)set->view->height, 16, draw_glass_rows, &job);
	return SPATE_OK;
}
