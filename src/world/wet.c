// Particles that touch a mesh wet it. A particle closer to a surface than WET_REACH wets the texels within half a spacing of the point
// that it touches. They are found from the layout of the triangle in the picture:
//
//      v                          With J = [e1 e2] [d1 d2]^-1, where e are sides of the triangle in space and d the same sides in the
//      |   . - .                  picture, a step s in the picture is |J s| long in space. The texels within r are those in an ellipse,
//      |  (  x  )  texels         s . (J^T J) s <= r^2, around the point. Beyond the triangle's own edges a texel counts when the
//      |   ' - '                  triangle that owns it is there in space as well: charts that only happen to lie side by side
//      +---------- u              stay apart.
//
// All particles set wetness to the same value, 1, and a channel's values are summed as integers, so the result does not depend on their
// order.
#include "world/wet.h"

#include "base/error.h"
#include "base/parallel.h"
#include "world/world.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// In spacings: distance from a surface within which a particle wets it, and radius of the wetted spot.
#define WET_REACH 0.75f
#define WET_AROUND 0.5f

// Wetness below this counts as dry: it would round to 0 in a 16-bit picture.
#define DRY 1e-6f

enum
{
	TEXELS = 16384, // per task
	BOX_LIMIT = 4   // a triangle across which the picture repeats more often owns all texels
};

// -------------------------------------------------------------------------------------------------------------- layout

typedef struct spot
{
	double x, y; // texels
} spot;

static spot corner_spot(const float *uvs, uint32_t triangle, int corner, uint32_t size)
{
	const float *uv = uvs + 6 * (size_t)triangle + 2 * corner;
	return (spot){(double)uv[0] * size, (double)uv[1] * size};
}

// Barycentric weights of a triangle's corners at a point of the picture; 0 if the triangle has no area there.
static int weights_at(const spot c[3], double x, double y, double out[3])
{
	double area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y);
	if (!(fabs(area) > 1e-12))
		return 0;
	out[1] = ((x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (y - c[0].y)) / area;
	out[2] = ((c[1].x - c[0].x) * (y - c[0].y) - (x - c[0].x) * (c[1].y - c[0].y)) / area;
	out[0] = 1.0 - out[1] - out[2];
	return 1;
}

static int is_inside(const double w[3])
{
	return w[0] >= -1e-9 && w[1] >= -1e-9 && w[2] >= -1e-9;
}

// Index of the texel at integer coordinates, wrapped into the picture, which repeats.
static size_t texel_at(const wet_map *m, int64_t x, int64_t y)
{
	int64_t size = m->size;
	return (size_t)((y % size + size) % size * size + (x % size + size) % size);
}

static void own_texel(wet_map *m, uint32_t triangle, int64_t x, int64_t y)
{
	uint32_t *owner = &m->owners[texel_at(m, x, y)];
	*owner = *owner == WET_NOBODY ? triangle : *owner;
}

static void own_triangle(wet_map *m, const float *uvs, uint32_t triangle)
{
	spot c[3];
	double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, w[3];
	for (int k = 0; k < 3; k++)
	{
		c[k] = corner_spot(uvs, triangle, k, m->size);
		low[0] = fmin(low[0], c[k].x);
		low[1] = fmin(low[1], c[k].y);
		high[0] = fmax(high[0], c[k].x);
		high[1] = fmax(high[1], c[k].y);
	}
	if (!(fabs(low[0]) < 1e9 && fabs(low[1]) < 1e9 && fabs(high[0]) < 1e9 && fabs(high[1]) < 1e9))
		return;
	double most = (double)BOX_LIMIT * m->size;
	if (high[0] - low[0] > most || high[1] - low[1] > most)
	{
		for (uint32_t y = 0; y < m->size; y++)
			for (uint32_t x = 0; x < m->size; x++)
				own_texel(m, triangle, x, y);
		return;
	}
	for (int64_t y = (int64_t)ceil(low[1] - 0.5); y <= (int64_t)floor(high[1] - 0.5); y++)
		for (int64_t x = (int64_t)ceil(low[0] - 0.5); x <= (int64_t)floor(high[0] - 0.5); x++)
			if (weights_at(c, (double)x + 0.5, (double)y + 0.5, w) && is_inside(w))
				own_texel(m, triangle, x, y);
}

// A triangle too small to contain the middle of a texel owns the texel at its centre, so that no triangle is lost.
static void own_middle(wet_map *m, const float *uvs, uint32_t triangle)
{
	spot c[3];
	for (int k = 0; k < 3; k++)
		c[k] = corner_spot(uvs, triangle, k, m->size);
	double x = (c[0].x + c[1].x + c[2].x) / 3.0, y = (c[0].y + c[1].y + c[2].y) / 3.0;
	if (fabs(x) < 1e9 && fabs(y) < 1e9)
		own_texel(m, triangle, (int64_t)floor(x), (int64_t)floor(y));
}

// -------------------------------------------------------------------------------------------------------------- making

static void plain_name(const spate_collider_def *def, uint32_t number, char out[WET_NAME_CHARS])
{
	if (def->name && def->name[0])
		snprintf(out, WET_NAME_CHARS - 12, "%s", def->name);
	else
		snprintf(out, WET_NAME_CHARS - 12, "collider_%u", number);
	for (char *c = out; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.' && *c != '_')
			*c = '_';
	if (out[0] == '.')
		out[0] = '_';
}

void wet_map_name(const spate_collider_def *defs, uint32_t number, char out[WET_NAME_CHARS])
{
	plain_name(&defs[number], number, out);
	for (uint32_t c = 0; c < number; c++)
	{
		char other[WET_NAME_CHARS];
		plain_name(&defs[c], c, other);
		if (defs[c].wet.size > 0 && strcmp(other, out) == 0)
		{
			size_t length = strlen(out);
			snprintf(out + length, WET_NAME_CHARS - length, "_%u", number);
			return;
		}
	}
}

static spate_result make_map(wet_map *m, const spate_collider_def *defs, uint32_t c, const collider_set *colliders,
			     spate_error *error)
{
	const spate_wet_def *def = &defs[c].wet;
	*m = (wet_map){.collider = c, .size = def->size, .drying = def->drying, .format = def->format};
	wet_map_name(defs, c, m->name);
	size_t texels = (size_t)def->size * def->size;
	m->wetness = mem_calloc(texels, sizeof *m->wetness);
	m->owners = mem_alloc(texels * sizeof *m->owners);
	int whole = m->wetness && m->owners;
	if (def->channel)
	{
		m->channel = mem_strdup(def->channel);
		m->average = mem_calloc(texels, sizeof *m->average);
		m->sums = mem_calloc(texels, sizeof *m->sums);
		m->counts = mem_calloc(texels, sizeof *m->counts);
		whole = whole && m->channel && m->average && m->sums && m->counts;
	}
	if (!whole)
		return error_memory(error, texels * (def->channel ? 24 : 8));
	memset(m->owners, 0xff, texels * sizeof *m->owners);
	const collider *own = &colliders->colliders[c];
	uint32_t triangles = mesh_solid_mesh(own->mesh)->triangle_count;
	for (uint32_t t = 0; t < triangles; t++)
		own_triangle(m, own->uvs, t);
	for (uint32_t t = 0; t < triangles; t++)
		own_middle(m, own->uvs, t);
	return SPATE_OK;
}

spate_result wet_set_create(wet_set *set, const spate_collider_def *defs, uint32_t count, const collider_set *colliders,
			    spate_error *error)
{
	*set = (wet_set){0};
	uint32_t wanted = 0;
	for (uint32_t c = 0; c < count; c++)
		wanted += defs[c].wet.size > 0;
	if (wanted == 0)
		return SPATE_OK;
	set->maps = mem_calloc(wanted, sizeof *set->maps);
	if (!set->maps)
		return error_memory(error, wanted * sizeof *set->maps);
	spate_result result = SPATE_OK;
	for (uint32_t c = 0; c < count && result == SPATE_OK; c++)
		if (defs[c].wet.size > 0)
			result = make_map(&set->maps[set->count++], defs, c, colliders, error);
	return result;
}

void wet_set_destroy(wet_set *set)
{
	for (uint32_t k = 0; k < set->count; k++)
	{
		wet_map *m = &set->maps[k];
		mem_free(m->channel);
		mem_free(m->wetness);
		mem_free(m->average);
		mem_free(m->sums);
		mem_free(m->counts);
		mem_free(m->owners);
	}
	mem_free(set->maps);
	*set = (wet_set){0};
}

size_t wet_set_bytes(const wet_set *set)
{
	size_t bytes = 0;
	for (uint32_t k = 0; k < set->count; k++)
		bytes += (size_t)set->maps[k].size * set->maps[k].size * (set->maps[k].average ? 24 : 8);
	return bytes;
}

// -------------------------------------------------------------------------------------------------------------- wetting

// A particle channel, read as one number per particle; of a vector, its length.
typedef struct channel_view
{
	const void *data; // NULL for none
	spate_type type;
	size_t stride;
	double unit; // of the sums
} channel_view;

static channel_view look_at_channel(spate_store *store, const char *name)
{
	const store_field *field = name ? store_find(store, name) : NULL;
	if (!field || store->rows == 0)
		return (channel_view){0};
	store_column column = store_column_of(store, field);
	return (channel_view){column.data, column.type, column.stride, 0.0};
}

static double channel_value(const channel_view *view, size_t row)
{
	const char *at = (const char *)view->data + row * view->stride;
	if (view->type == SPATE_INT32)
		return (double)*(const int32_t *)at;
	if (view->type == SPATE_INT64)
		return (double)*(const int64_t *)at;
	const float *v = (const float *)at;
	if (view->type == SPATE_FLOAT)
		return isfinite(*v) ? (double)*v : 0.0;
	double square = 0.0;
	for (uint32_t k = 0; k < spate_type_components(view->type); k++)
		square += (double)v[k] * (double)v[k];
	return isfinite(square) ? sqrt(square) : 0.0;
}

typedef struct wet_task
{
	const spate_world *world;
	wet_map *map;
	const collider *own;
	const spate_mesh *mesh;
	channel_view channel;
	float kept; // share of the wetness that is left after the substep
} wet_task;

static void dry_texels(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const wet_task *t = context;
	float *wetness = t->map->wetness;
	for (size_t k = begin; k < end; k++)
	{
		float left = wetness[k] * t->kept;
		wetness[k] = left > DRY ? left : 0.0f;
	}
}

static void average_texels(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const wet_task *t = context;
	wet_map *m = t->map;
	for (size_t k = begin; k < end; k++)
	{
		if (m->counts[k] == 0)
			continue;
		m->average[k] = (float)((double)m->sums[k] * t->channel.unit / m->counts[k]);
		m->sums[k] = 0;
		m->counts[k] = 0;
	}
}

// Several threads may wet a texel at once; all write the same value.
static void wet_texel(const wet_task *t, size_t texel, int64_t amount)
{
	float wet = 1.0f;
	wet_map *m = t->map;
	__atomic_store(&m->wetness[texel], &wet, __ATOMIC_RELAXED);
	if (!t->channel.data)
		return;
	__atomic_fetch_add(&m->sums[texel], amount, __ATOMIC_RELAXED);
	__atomic_fetch_add(&m->counts[texel], 1, __ATOMIC_RELAXED);
}

static void corner_places(const wet_task *t, uint32_t triangle, double out[3][3])
{
	for (int k = 0; k < 3; k++)
	{
		const float *p = t->mesh->positions + 3 * (size_t)t->mesh->triangles[3 * (size_t)triangle + (size_t)k];
		for (int axis = 0; axis < 3; axis++)
			out[k][axis] = (double)p[axis];
	}
}

// The area that a touched point wets.
typedef struct footprint
{
	spot corners[3];
	double places[3][3];  // m, of the corners
	double place[3];      // m, of the point
	double x, y;          // texels, of the point
	double metric[3];     // m2 per texel2: xx, xy, yy
	double width, height; // texels, half of the box around the ellipse
	double radius2;       // m2
} footprint;

// Returns 0 if the triangle has no area in the picture.
static int measure_footprint(const wet_task *t, const triangle_point *at, double radius, footprint *out)
{
	const double w[3] = {(double)at->weights[0], (double)at->weights[1], (double)at->weights[2]};
	*out = (footprint){.radius2 = radius * radius};
	corner_places(t, at->triangle, out->places);
	for (int k = 0; k < 3; k++)
	{
		out->corners[k] = corner_spot(t->own->uvs, at->triangle, k, t->map->size);
		out->x += w[k] * out->corners[k].x;
		out->y += w[k] * out->corners[k].y;
		for (int axis = 0; axis < 3; axis++)
			out->place[axis] += w[k] * out->places[k][axis];
	}
	const spot *c = out->corners;
	double ax = c[1].x - c[0].x, ay = c[1].y - c[0].y, bx = c[2].x - c[0].x, by = c[2].y - c[0].y,
	       area = ax * by - bx * ay;
	if (!(fabs(out->x) < 1e9 && fabs(out->y) < 1e9) || !(fabs(area) > 1e-12))
		return 0;
	for (int axis = 0; axis < 3; axis++)
	{
		double e1 = out->places[1][axis] - out->places[0][axis],
		       e2 = out->places[2][axis] - out->places[0][axis];
		double jx = (e1 * by - e2 * ay) / area, jy = (e2 * ax - e1 * bx) / area;
		out->metric[0] += jx * jx;
		out->metric[1] += jx * jy;
		out->metric[2] += jy * jy;
	}
	double det = out->metric[0] * out->metric[2] - out->metric[1] * out->metric[1], half = 0.5 * t->map->size;
	if (!(det > 0.0))
		return 0;
	out->width = fmin(radius * sqrt(out->metric[2] / det), half);
	out->height = fmin(radius * sqrt(out->metric[0] / det), half);
	return 1;
}

// Whether the triangle that owns a texel is close to the touched point in space as well.
static int owner_is_near(const wet_task *t, const footprint *f, uint32_t owner, double x, double y)
{
	spot c[3], middle = {0, 0};
	for (int k = 0; k < 3; k++)
	{
		c[k] = corner_spot(t->own->uvs, owner, k, t->map->size);
		middle.x += c[k].x / 3.0;
		middle.y += c[k].y / 3.0;
	}
	// the owner may lie in another repetition of the picture
	double size = t->map->size, w[3], places[3][3], distance2 = 0.0;
	x += size * floor((middle.x - x) / size + 0.5);
	y += size * floor((middle.y - y) / size + 0.5);
	if (!weights_at(c, x, y, w))
		return 0;
	corner_places(t, owner, places);
	for (int axis = 0; axis < 3; axis++)
	{
		double way = w[0] * places[0][axis] + w[1] * places[1][axis] + w[2] * places[2][axis] - f->place[axis];
		distance2 += way * way;
	}
	return distance2 <= f->radius2;
}

static void wet_around(const wet_task *t, const triangle_point *at, double radius, int64_t amount)
{
	footprint f;
	int extended = measure_footprint(t, at, radius, &f);
	if (!(fabs(f.x) < 1e9 && fabs(f.y) < 1e9))
		return;
	// the texel of the point itself always gets wet, however coarse the picture
	int64_t own_x = (int64_t)floor(f.x), own_y = (int64_t)floor(f.y);
	wet_texel(t, texel_at(t->map, own_x, own_y), amount);
	if (!extended)
		return;
	for (int64_t y = (int64_t)ceil(f.y - f.height - 0.5); y <= (int64_t)floor(f.y + f.height - 0.5); y++)
		for (int64_t x = (int64_t)ceil(f.x - f.width - 0.5); x <= (int64_t)floor(f.x + f.width - 0.5); x++)
		{
			double mx = (double)x + 0.5, my = (double)y + 0.5, dx = mx - f.x, dy = my - f.y, w[3];
			double length2 = f.metric[0] * dx * dx + 2.0 * f.metric[1] * dx * dy + f.metric[2] * dy * dy;
			if (length2 > f.radius2 || (x == own_x && y == own_y))
				continue;
			size_t texel = texel_at(t->map, x, y);
			uint32_t owner = t->map->owners[texel];
			if (owner == WET_NOBODY)
				continue;
			if (owner == at->triangle || (weights_at(f.corners, mx, my, w) && is_inside(w)) ||
			    owner_is_near(t, &f, owner, mx, my))
				wet_texel(t, texel, amount);
		}
}

// Returns 1 if the particle in a row touches the mesh, and then the point in *at.
static int touches(const wet_task *t, size_t row, triangle_point *at)
{
	const spate_world *w = t->world;
	const spate_store *store = w->state.store;
	if (store->dead[row])
		return 0;
	vec4 x = store->position[row];
	float reach = WET_REACH * (float)w->model.fluids[store->fluid[row]].spacing;
	return collider_set_touched(&w->state.colliders, t->map->collider, vec3_make(x.x, x.y, x.z), reach, at);
}

static void wet_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const wet_task *t = context;
	const spate_store *store = t->world->state.store;
	for (size_t row = begin; row < end; row++)
	{
		triangle_point at;
		if (!touches(t, row, &at))
			continue;
		double spacing = t->world->model.fluids[store->fluid[row]].spacing;
		int64_t amount = t->channel.data ? llrint(channel_value(&t->channel, row) / t->channel.unit) : 0;
		wet_around(t, &at, (double)WET_AROUND * spacing / (double)t->own->now.scale, amount);
	}
}

static double largest_value(void *context, size_t begin, size_t end)
{
	const wet_task *t = context;
	double most = 0.0;
	for (size_t row = begin; row < end; row++)
		most = t->world->state.store->dead[row] ? most : fmax(most, fabs(channel_value(&t->channel, row)));
	return most;
}

// Unit of the integer sums: a power of two that leaves room for 2^31 values of the largest size.
static double choose_unit(wet_task *t)
{
	double most = parallel_max(t->world->model.threads, t->world->state.store->rows, largest_value, t);
	return most > 0.0 ? exp2(ceil(log2(most)) - 32.0) : 1.0;
}

void world_wet(spate_world *w, double dt)
{
	for (uint32_t k = 0; k < w->state.wet.count; k++)
	{
		wet_map *m = &w->state.wet.maps[k];
		const collider *own = &w->state.colliders.colliders[m->collider];
		wet_task t = {.world = w,
			      .map = m,
			      .own = own,
			      .mesh = mesh_solid_mesh(own->mesh),
			      .channel = look_at_channel(w->state.store, m->channel),
			      .kept = m->drying > 0.0 ? (float)exp(-dt / m->drying) : 1.0f};
		size_t texels = (size_t)m->size * m->size;
		if (t.kept < 1.0f)
			parallel_for(w->model.threads, texels, TEXELS, dry_texels, &t);
		if (t.channel.data)
			t.channel.unit = choose_unit(&t);
		parallel_for(w->model.threads, w->state.store->rows, PARALLEL_BLOCK, wet_rows, &t);
		if (t.channel.data)
			parallel_for(w->model.threads, texels, TEXELS, average_texels, &t);
	}
}

// ------------------------------------------------------------------------------------------------------------- reading

static const wet_map *find_map(const spate_world *w, uint32_t number, uint32_t *size)
{
	for (uint32_t k = 0; k < w->state.wet.count; k++)
		if (w->state.wet.maps[k].collider == number)
		{
			if (size)
				*size = w->state.wet.maps[k].size;
			return &w->state.wet.maps[k];
		}
	return NULL;
}

const float *spate_world_wet_map(const spate_world *w, uint32_t number, uint32_t *size)
{
	const wet_map *map = find_map(w, number, size);
	return map ? map->wetness : NULL;
}

const float *spate_world_wet_channel(const spate_world *w, uint32_t number, uint32_t *size)
{
	const wet_map *map = find_map(w, number, size);
	return map ? map->average : NULL;
}

enum
{
	GAP_TEXELS = 2 // width of the margin filled around covered texels
};

void wet_map_fill_gaps(const wet_map *m, const float *values, float *out, uint8_t *known)
{
	size_t texels = (size_t)m->size * m->size;
	for (size_t k = 0; k < texels; k++)
	{
		known[k] = m->owners[k] != WET_NOBODY;
		out[k] = known[k] ? values[k] : 0.0f;
	}
	// texels filled in round r are marked 1 + r, so that a round uses only texels of earlier rounds
	for (int round = 1; round <= GAP_TEXELS; round++)
		for (uint32_t y = 0; y < m->size; y++)
			for (uint32_t x = 0; x < m->size; x++)
			{
				size_t texel = (size_t)y * m->size + x;
				float sum = 0.0f, count = 0.0f;
				if (known[texel])
					continue;
				for (int64_t j = -1; j <= 1; j++)
					for (int64_t i = -1; i <= 1; i++)
					{
						size_t beside = texel_at(m, (int64_t)x + i, (int64_t)y + j);
						if (known[beside] && known[beside] <= round)
						{
							sum += out[beside];
							count += 1.0f;
						}
					}
				if (count > 0.0f)
				{
					out[texel] = sum / count;
					known[texel] = (uint8_t)(1 + round);
				}
			}
}
