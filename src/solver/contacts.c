// Colliders in the position-based solver. Walls are looked up once per substep, as planes, for the particles that can reach one;
// every iteration then pushes those particles out again and recomputes their wall term.
#include "base/parallel.h"
#include "solver/pbf_work.h"

#include <float.h>
#include <string.h>

// How close to a collider a particle must be to feel it within one substep, in kernel radii.
#define NEAR 1.05f

// Displacement towards a wall per unit of sigma/rho dt^2 / d^2.
#define ADHESION 4.0

enum
{
	MANY_ROWS = 64 // rows per query of the colliders
};

static float radius_of(const pbf_work *w, size_t row)
{
	return w->step->radii[w->step->store->fluid[row]];
}

// Position of a row at the start of the substep.
static vec3 start_of(const pbf_work *w, size_t row)
{
	vec4 p = w->places[row], moved = w->moved[row];
	return vec3_make(p.x - moved.x, p.y - moved.y, p.z - moved.z);
}

// Distance within which a row that has moved by `way` feels a collider. It includes the way, so that no mesh is missed.
static float reach_after(const pbf_work *w, float radius, float way)
{
	float near = NEAR * radius, far = way + 0.5f * radius;
	return w->step->colliders->meshes > 0 && far > near ? far : near;
}

static float reach_of(const pbf_work *w, size_t row)
{
	vec4 m = w->moved[row];
	return reach_after(w, radius_of(w, row), sqrtf(m.x * m.x + m.y * m.y + m.z * m.z));
}

// The box around some rows, and the square of the longest distance that one of them has moved.
typedef struct row_box
{
	vec3 low, high;
	float way;
} row_box;

static inline float smaller(float a, float b)
{
	return b < a ? b : a;
}

static inline float larger(float a, float b)
{
	return b > a ? b : a;
}

static row_box join_boxes(row_box a, row_box b)
{
	return (row_box){{smaller(a.low.x, b.low.x), smaller(a.low.y, b.low.y), smaller(a.low.z, b.low.z)},
			 {larger(a.high.x, b.high.x), larger(a.high.y, b.high.y), larger(a.high.z, b.high.z)},
			 larger(a.way, b.way)};
}

static row_box box_of(const pbf_work *w, size_t begin, size_t end)
{
	row_box box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}, 0.0f};
	for (size_t row = begin; row < end; row++)
	{
		vec4 m = w->moved[row];
		vec3 p = {w->places[row].x, w->places[row].y, w->places[row].z};
		box = join_boxes(box, (row_box){p, p, m.x * m.x + m.y * m.y + m.z * m.z});
	}
	return box;
}

// Which colliders of a mask may be within reach of the rows in a box: one query for all of them.
static collider_mask near_box(const pbf_work *w, const row_box *box, collider_mask among)
{
	vec3 half = vec3_scale(vec3_sub(box->high, box->low), 0.5f);
	float reach = vec3_length(half) + reach_after(w, w->widest, sqrtf(box->way));
	return collider_set_near(w->step->colliders, among, vec3_add(box->low, half), reach);
}

// Lists the rows within reach of a collider, and counts the walls they may have.
static void list_near(const pbf_work *w, size_t begin, size_t end, collider_mask among, near_mask *list,
		      near_counts *counts)
{
	uint32_t before = counts->rows;
	for (size_t row = begin; row < end; row++)
	{
		vec3 p = {w->places[row].x, w->places[row].y, w->places[row].z};
		int most = collider_set_most_walls(w->step->colliders, among, p, reach_of(w, row));
		if (most == 0)
			continue;
		counts->felt += (uint32_t)most;
		list[counts->rows++] = (near_mask){(uint32_t)row, among};
	}
	counts->groups += counts->rows > before;
}

// Does so for a block of rows. Most rows are far from all colliders and are culled together.
static void find_near(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	near_counts counts = {0};
	for (size_t many = begin; many < end; many += MANY_ROWS)
	{
		size_t last = many + MANY_ROWS < end ? many + MANY_ROWS : end;
		row_box boxes[MANY_ROWS / 8], all = box_of(w, many, many);
		for (size_t few = many; few < last; few += 8)
		{
			boxes[(few - many) / 8] = box_of(w, few, few + 8 < last ? few + 8 : last);
			all = join_boxes(all, boxes[(few - many) / 8]);
		}
		collider_mask among = near_box(w, &all, COLLIDER_ALL);
		for (size_t few = many; few < last && among; few += 8)
		{
			collider_mask own = near_box(w, &boxes[(few - many) / 8], among);
			if (own)
				list_near(w, few, few + 8 < last ? few + 8 : last, own, w->near_masks + begin, &counts);
		}
	}
	w->near_counts[begin / PBF_ROWS] = counts;
}

// Finds the walls near the rows of a block, and assigns groups to their slices. Rows that turn out to be too far away are dropped.
static void feel_walls(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	for (size_t block = begin; block < end; block++)
	{
		near_counts at = w->near_counts[block];
		uint32_t listed = w->near_counts[block + 1].rows - at.rows;
		size_t slices = w->slices - block * PBF_ROWS / 8;
		slices = slices < PBF_ROWS / 8 ? slices : PBF_ROWS / 8;
		memset(w->wall_group + block * PBF_ROWS / 8, 0, slices * sizeof *w->wall_group);
		for (uint32_t k = 0; k < listed; k++)
		{
			const near_mask *near = &w->near_masks[block * PBF_ROWS + k];
			uint32_t row = near->row;
			vec3 p = {w->places[row].x, w->places[row].y, w->places[row].z};
			solid_gap gap;
			float reach = reach_of(w, row);
			int walls = collider_set_feel(w->step->colliders, near->colliders, start_of(w, row), p, reach,
						      w->felt + at.felt, &gap);
			if (walls == 0 && gap.distance >= reach)
				continue;
			// the query did not look for meshes beyond the reach
			gap.free = smaller(gap.free, reach);
			w->near[at.rows++] = (near_row){row, at.felt, (uint32_t)walls, gap};
			at.felt += (uint32_t)walls;
			if (w->wall_group[row / 8] == 0)
			{
				w->wall_group[row / 8] = ++at.groups;
				memset(w->walls + 8 * (size_t)at.groups, 0, 8 * sizeof *w->walls);
			}
		}
		w->near_counts[block].kept = at.rows - w->near_counts[block].rows;
	}
}

// Closes the gaps between blocks that dropped rows have left.
static void close_gaps(pbf_work *w, size_t blocks)
{
	w->near_count = 0;
	for (size_t block = 0; block < blocks; block++)
	{
		uint32_t kept = w->near_counts[block].kept;
		memmove(w->near + w->near_count, w->near + w->near_counts[block].rows, kept * sizeof *w->near);
		w->near_count += kept;
	}
}

int contacts_find(pbf_work *w)
{
	const solver_step *s = w->step;
	size_t blocks = (w->pass.count + (size_t)PBF_ROWS - 1) / PBF_ROWS;
	w->widest = 0.0f;
	for (uint32_t f = 0; f < s->fluid_count; f++)
		w->widest = fmaxf(w->widest, s->radii[f]);
	parallel_for(s->threads, w->pass.count, PBF_ROWS, find_near, w);
	near_counts sum = {0};
	for (size_t block = 0; block <= blocks; block++)
	{
		near_counts own = block < blocks ? w->near_counts[block] : (near_counts){0};
		w->near_counts[block] = sum;
		sum = (near_counts){sum.rows + own.rows, sum.felt + own.felt, sum.groups + own.groups, 0};
	}
	w->near = arena_alloc(s->scratch, sum.rows * sizeof *w->near);
	w->felt = arena_alloc(s->scratch, sum.felt * sizeof *w->felt);
	w->walls = arena_alloc(s->scratch, 8 * (sum.groups + (size_t)1) * sizeof *w->walls);
	if (s->loads)
		w->pushes = arena_alloc(s->scratch, sum.felt * sizeof *w->pushes);
	if (!w->near || !w->felt || !w->walls || (s->loads && !w->pushes))
		return 0;
	if (w->pushes)
		memset(w->pushes, 0, sum.felt * sizeof *w->pushes);
	if (s->loads && !load_book_open(&w->book, s->colliders->centres, s->colliders->count, s->threads,
					(double)w->widest, s->scratch))
		return 0;
	memset(w->walls, 0, 8 * sizeof *w->walls);
	parallel_for(s->threads, blocks, 1, feel_walls, w);
	close_gaps(w, blocks);
	w->pass.walls = w->walls;
	w->pass.wall_group = w->wall_group;
	return 1;
}

// ---------------------------------------------------------------------------------------------------------------- loads

static wall_push *pushes_of(const pbf_work *w, const near_row *near)
{
	return w->pushes ? w->pushes + near->felt : NULL;
}

// Whom a row charges; NULL if nobody wants loads.
static const load_row *charge_of(const pbf_work *w, size_t row, int thread, load_row *charge)
{
	if (!w->pushes)
		return NULL;
	*charge = load_row_of(&w->book, thread, 1.0 / (double)w->places[row].w);
	return charge;
}

static void charge_rows(void *context, size_t begin, size_t end, int thread)
{
	const pbf_work *w = context;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[k];
		vec4 place = w->places[near->row];
		load_row charge = load_row_of(&w->book, thread, 1.0 / (double)place.w);
		for (uint32_t n = near->felt; n < near->felt + near->walls; n++)
			load_charge(&charge, w->felt[n].collider, vec3_make(place.x, place.y, place.z),
				    w->pushes[n].given);
	}
}

void contacts_sum_loads(pbf_work *w)
{
	const solver_step *s = w->step;
	if (!s->loads)
		return;
	parallel_for(s->threads, w->near_count, PBF_ROWS, charge_rows, w);
	double d = s->fluids[0].spacing, mass = s->fluids[0].density * d * d * d;
	load_book_close(&w->book, mass, (double)s->dt, s->loads);
}

// -------------------------------------------------------------------------------------------------------------- contacts

static void touch_rows(pbf_work *w, size_t begin, size_t end, int corrected)
{
	const solver_step *s = w->step;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[k];
		vec4 *place = &w->places[near->row], *moved = &w->moved[near->row];
		vec3 p = {place->x, place->y, place->z}, m = {moved->x, moved->y, moved->z};
		float spacing = (float)s->fluids[s->store->fluid[near->row]].spacing;
		wall_push *pushes = pushes_of(w, near);
		if (pushes && corrected)
			felt_walls_correct(w->felt + near->felt, pushes, (int)near->walls,
					   place->w * w->multipliers[near->row].w, w->pass.omega);
		*contacts_wall_term(w, near->row) = felt_walls_touch(w->felt + near->felt, pushes, (int)near->walls, &p,
								     &m, 0.5f * spacing, radius_of(w, near->row));
		*place = (vec4){p.x, p.y, p.z, place->w};
		*moved = (vec4){m.x, m.y, m.z, moved->w};
	}
}

static void touch_first(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	touch_rows(context, begin, end, 0);
}

static void touch_corrected(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	touch_rows(context, begin, end, 1);
}

void contacts_touch(pbf_work *w, int corrected)
{
	parallel_for(w->step->threads, w->near_count, PBF_ROWS, corrected ? touch_corrected : touch_first, w);
}

// Distance that a row has moved since its position was predicted.
static float corrected_by(const pbf_work *w, size_t row)
{
	vec4 m = w->moved[row], v = w->step->store->velocity[row];
	float dt = w->step->relax ? 0.0f : w->step->dt;
	return vec3_length(vec3_make(m.x - v.x * dt, m.y - v.y * dt, m.z - v.z * dt));
}

static void hold_rows(void *context, size_t begin, size_t end, int thread)
{
	pbf_work *w = context;
	const solver_step *s = w->step;
	for (size_t k = begin; k < end; k++)
	{
		uint32_t row = w->near[k].row;
		if (corrected_by(w, row) < w->near[k].gap.free)
			continue;
		vec4 *place = &w->places[row], *moved = &w->moved[row];
		vec3 from = start_of(w, row), p = {place->x, place->y, place->z}, q = p;
		load_row charge;
		const load_row *charged = charge_of(w, row, thread, &charge);
		float contact = 0.5f * (float)s->fluids[s->store->fluid[row]].spacing;
		uint32_t held = collider_set_hold(s->colliders, from, &q, contact, charged);
		if (held == 0)
			continue;
		vec4 after = {q.x - from.x, q.y - from.y, q.z - from.z, moved->w};
		if (charged)
		{
			// the displacement since the start changes by more than the push: it is no longer a sum, but a
			// difference of coordinates
			vec3 change = {after.x - moved->x, after.y - moved->y, after.z - moved->z};
			load_charge(charged, held - 1, q, vec3_sub(change, vec3_sub(q, p)));
		}
		*place = (vec4){q.x, q.y, q.z, place->w};
		*moved = after;
	}
}

void contacts_hold(pbf_work *w)
{
	if (w->step->colliders->meshes > 0)
		parallel_for(w->step->threads, w->near_count, PBF_ROWS, hold_rows, w);
}

static void count_outside(void *context, size_t begin, size_t end, double (*terms)[PARALLEL_TERMS])
{
	const pbf_work *w = context;
	for (size_t k = begin; k < end; k++)
	{
		terms[0][k - begin] = 0.0;
		uint32_t row = w->near[k].row;
		float spacing = (float)w->step->fluids[w->step->store->fluid[row]].spacing;
		if (w->near[k].gap.distance - corrected_by(w, row) > -0.5f * spacing)
			continue;
		vec3 p = {w->places[row].x, w->places[row].y, w->places[row].z};
		terms[0][k - begin] = collider_set_distance(w->step->colliders, p) < -spacing;
	}
}

uint32_t contacts_outside(pbf_work *w)
{
	return (uint32_t)parallel_sum(w->step->threads, w->near_count, count_outside, w);
}

static void adhere_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	pbf_work *w = context;
	const solver_step *s = w->step;
	for (size_t k = begin; k < end; k++)
	{
		const near_row *near = &w->near[k];
		const spate_fluid_def *fluid = &s->fluids[s->store->fluid[near->row]];
		double d = fluid->spacing,
		       pull = ADHESION * fluid->adhesion * SOLVER_TENSION_SCALE * (double)s->dt * (double)s->dt;
		float reach = (float)fmin(pull / (d * d), 0.1 * d), contact = 0.5f * (float)d,
		      h = radius_of(w, near->row);
		vec4 *place = &w->places[near->row], *moved = &w->moved[near->row];
		for (uint32_t n = near->felt; n < near->felt + near->walls && reach > 0.0f; n++)
		{
			// zero at the wall and at a radius away, largest in between
			const felt_wall *felt = &w->felt[n];
			vec3 p = {place->x, place->y, place->z}, normal = felt->normal;
			float share = (vec3_dot(normal, p) - felt->offset - contact) / (h - contact);
			float by = share > 0.0f && share < 1.0f ? -4.0f * share * (1.0f - share) * reach : 0.0f;
			*place = (vec4){place->x + by * normal.x, place->y + by * normal.y, place->z + by * normal.z,
					place->w};
			*moved = (vec4){moved->x + by * normal.x, moved->y + by * normal.y, moved->z + by * normal.z,
					moved->w};
			if (w->pushes)
				w->pushes[n].given = vec3_add_scaled(w->pushes[n].given, normal, by);
		}
	}
}

void contacts_adhere(pbf_work *w)
{
	int any = 0;
	for (uint32_t f = 0; f < w->step->fluid_count; f++)
		any |= w->step->fluids[f].adhesion > 0.0;
	if (any && !w->step->relax)
		parallel_for(w->step->threads, w->near_count, PBF_ROWS, adhere_rows, w);
}

vec3 contacts_respond(const pbf_work *w, size_t row, vec3 before, vec3 velocity, int thread)
{
	const solver_step *s = w->step;
	vec4 place = w->places[row];
	load_row charge;
	return collider_set_respond(s->colliders, vec3_make(place.x, place.y, place.z), before, velocity,
				    0.5f * (float)s->fluids[s->store->fluid[row]].spacing, s->dt,
				    charge_of(w, row, thread, &charge));
}
