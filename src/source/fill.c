// Fills: as many particles as a shape has room for, once.
//
// Particles start on a cubic lattice, and a cell of it belongs to a particle. What a fill has to hold is its volume: that of its shape
// below its level, without solids and without what other liquid takes up. If the sites within it are not as many as its volume asks for,
// sites at its border are added or left out, those first that are furthest out. So a box of whole spacings keeps its lattice.
#include "base/random.h"
#include "source/crowd.h"
#include "source/source_work.h"

#include <stdlib.h>
#include <string.h>

// A fill whose lattice misses its volume by no more than this fraction keeps it.
#define TOLERANCE 0.004
// Half the diagonal of a cell, in cells, and a little more.
#define HALF_DIAGONAL 0.8661
// Shares of a spacing that count as the same distance from the border.
#define LEVELS 1024.0f
// A site that is further out than this, in spacings, is no part of a fill.
#define FURTHEST 1.0f

// Between the points at which walls are looked for on the way into the shape, and how far into it that goes, in spacings.
#define STEP 0.1f
#define STEP_IN 0.3f

enum
{
	PARTS = 4,  // of a cell along each axis, at the border
	MARGIN = 2, // sites around the box of a shape
	PUSHES = 4  // steps that take a particle away from a wall
};

// A site at the border.
typedef struct site
{
	int32_t out;    // how far out, in levels
	float turn;     // among equals: spreads those that are chosen evenly
	int64_t number; // among all sites, those of the margin included
} site;

typedef struct filling
{
	source_set *set;
	uint32_t source;
	const fill_form *form;
	const collider_set *colliders;
	const fill_form *const *taken; // by fills before this one
	uint32_t taken_count;
	int64_t size[3]; // sites along each axis, margin included
	float *out;      // by site: how far out of the fill it is (m), negative inside
	double volume;   // in cells
	int64_t inside;  // sites of the lattice itself that are in the fill
	ARRAY(site) border;
	int64_t deep; // sites that are further in than those of the border
} filling;

// ------------------------------------------------------------------------------------------------------------ distances

// Distance from the region that the fill may take up (m), negative inside, and that from solids.
static float out_of_room(const filling *f, vec3 p)
{
	float s = fill_form_distance(f->form, p);
	for (uint32_t n = 0; n < f->taken_count; n++)
		s = fmaxf(s, -fill_form_distance(f->taken[n], p));
	return s;
}

static vec3 site_at(const filling *f, double x, double y, double z)
{
	double place[3];
	fill_form_place(f->form, x, y, z, place);
	return source_relative(f->form->origin, place);
}

// Fraction of the cell around a site that is in the fill.
static double share_of_cell(const filling *f, const double centre[3])
{
	double share = 0.0, part = 1.0 / PARTS, width = part * f->form->spacing;
	for (int i = 0; i < PARTS * PARTS * PARTS; i++)
	{
		vec3 p = site_at(f, centre[0] - 0.5 + part * (i % PARTS + 0.5),
				 centre[1] - 0.5 + part * (i / PARTS % PARTS + 0.5),
				 centre[2] - 0.5 + part * (i / (PARTS * PARTS) + 0.5));
		float s = fmaxf(out_of_room(f, p), -collider_set_distance(f->colliders, p));
		share += fmin(1.0, fmax(0.0, 0.5 - (double)s / width));
	}
	return share * part * part * part;
}

// ------------------------------------------------------------------------------------------------------------- choosing

static int is_of_lattice(const filling *f, int64_t x, int64_t y, int64_t z)
{
	const int64_t *cells = f->form->cells;
	return x >= 0 && y >= 0 && z >= 0 && x < cells[0] && y < cells[1] && z < cells[2];
}

// Numbers between 0 and 1 that spread over a lattice: Roberts, The unreasonable effectiveness of quasirandom sequences, 2018.
static float turn_of(int64_t x, int64_t y, int64_t z)
{
	double turn = 0.8191725133961645 * (double)x + 0.6710436067037893 * (double)y + 0.5497004779019703 * (double)z;
	return (float)(turn - floor(turn));
}

static int compare_sites(const void *left, const void *right)
{
	const site *a = left, *b = right;
	if (a->out != b->out)
		return a->out < b->out ? -1 : 1;
	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

// Direction in which a distance grows; zero where it does not.
static vec3 slope_of(const filling *f, float (*distance)(const filling *f, vec3 p), vec3 p)
{
	float e = 0.05f * (float)f->form->spacing;
	vec3 slope = {distance(f, vec3_make(p.x + e, p.y, p.z)) - distance(f, vec3_make(p.x - e, p.y, p.z)),
		      distance(f, vec3_make(p.x, p.y + e, p.z)) - distance(f, vec3_make(p.x, p.y - e, p.z)),
		      distance(f, vec3_make(p.x, p.y, p.z + e)) - distance(f, vec3_make(p.x, p.y, p.z - e))};
	float length = vec3_length(slope);
	return length > 0.0f ? vec3_scale(slope, 1.0f / length) : slope;
}

// Whether a wall is between a site outside of the shape and the shape: the site is not beside the liquid then.
static int is_cut_off(const filling *f, vec3 p, float outside)
{
	float d = (float)f->form->spacing;
	if (f->colliders->count == 0)
		return 0;
	vec3 out = slope_of(f, out_of_room, p);
	for (float way = 0.0f; way < outside + STEP_IN * d; way += STEP * d)
		if (collider_set_distance(f->colliders, vec3_add_scaled(p, out, -way)) < STEP * d)
			return 1;
	return 0;
}

// Looks at one site: how far out it is, and how much of its cell is in the fill. 0 when out of memory.
static int look_at(filling *f, int64_t x, int64_t y, int64_t z, int64_t number)
{
	const double centre[3] = {(double)x + 0.5, (double)y + 0.5, (double)z + 0.5};
	float d = (float)f->form->spacing, reach = (float)HALF_DIAGONAL * d;
	vec3 p = site_at(f, centre[0], centre[1], centre[2]);
	float s = out_of_room(f, p), out = s;
	if (s < reach || s <= FURTHEST * d)
	{
		float solid = collider_set_distance(f->colliders, p), free = fmaxf(s, -solid);
		out = fmaxf(s, FILL_WALL * d - solid);
		f->volume += free <= -reach ? 1.0 : free >= reach ? 0.0 : share_of_cell(f, centre);
		// what is in or behind a wall is no place for a particle
		if (solid < 0.0f || (s > 0.0f && out <= FURTHEST * d && is_cut_off(f, p, s)))
			out = fmaxf(out, 2.0f * FURTHEST * d);
	}
	f->out[number] = out;
	f->inside += out <= 0.0f && is_of_lattice(f, x, y, z);
	if (out <= -FURTHEST * d)
		f->deep++;
	else if (out <= FURTHEST * d)
		return array_push(&f->border, (site){(int32_t)lrintf(out / d * LEVELS), turn_of(x, y, z), number});
	return 1;
}

// Calls look_at() for all sites. 0 when out of memory.
static int look_around(filling *f)
{
	int64_t number = 0;
	for (int64_t z = 0; z < f->size[2]; z++)
		for (int64_t y = 0; y < f->size[1]; y++)
			for (int64_t x = 0; x < f->size[0]; x++, number++)
				if (!look_at(f, x - MARGIN, y - MARGIN, z - MARGIN, number))
					return 0;
	return 1;
}

// Marks the sites that become particles: their `out` is then at most 0, and that of all others above.
static void choose_sites(filling *f)
{
	const double wanted = round(f->volume);
	double miss = fabs((double)f->inside - f->volume);
	int64_t number = 0;
	if (miss <= fmax(0.5, TOLERANCE * f->volume))
	{
		for (int64_t z = 0; z < f->size[2]; z++)
			for (int64_t y = 0; y < f->size[1]; y++)
				for (int64_t x = 0; x < f->size[0]; x++, number++)
					if (!is_of_lattice(f, x - MARGIN, y - MARGIN, z - MARGIN))
						f->out[number] = INFINITY;
		return;
	}
	qsort(f->border.data, f->border.count, sizeof *f->border.data, compare_sites);
	for (size_t n = 0; n < f->border.count; n++)
		f->out[f->border.data[n].number] = (double)n + (double)f->deep < wanted ? -INFINITY : INFINITY;
}

static void place_of_site(const filling *f, int64_t number, double place[3])
{
	int64_t x = number % f->size[0], y = number / f->size[0] % f->size[1], z = number / f->size[0] / f->size[1];
	fill_form_place(f->form, (double)(x - MARGIN) + 0.5, (double)(y - MARGIN) + 0.5, (double)(z - MARGIN) + 0.5,
			place);
}

// Leaves the lowest sites, if there are more than the fill may have. 0 when out of memory.
static int keep_lowest(filling *f)
{
	const spate_source_def *def = &f->set->defs[f->source];
	const double d = f->form->spacing, *up = def->level_up, *low = f->form->low;
	int64_t sites = f->size[0] * f->size[1] * f->size[2];
	f->border.count = 0;
	for (int64_t n = 0; n < sites && def->limit > 0; n++)
	{
		double place[3], height = 0.0;
		if (f->out[n] > 0.0f)
			continue;
		place_of_site(f, n, place);
		for (int k = 0; k < 3; k++)
			height += (place[k] - low[k]) * up[k] / d;
		int64_t x = n % f->size[0], y = n / f->size[0] % f->size[1], z = n / f->size[0] / f->size[1];
		site own = {(int32_t)lrint(fmax(-1e6, fmin(1e6, height)) * (double)LEVELS), turn_of(x, y, z), n};
		if (!array_push(&f->border, own))
			return 0;
	}
	if (def->limit == 0 || f->border.count <= def->limit)
		return 1;
	qsort(f->border.data, f->border.count, sizeof *f->border.data, compare_sites);
	for (size_t n = (size_t)def->limit; n < f->border.count; n++)
		f->out[f->border.data[n].number] = INFINITY;
	return 1;
}

// ----------------------------------------------------------------------------------------------------------- collecting

// Shifts a position by a random vector of its own, unless that leads into a collider, which would push the particle back.
static void shift_place(const filling *f, int64_t number, double place[3])
{
	double d = f->form->spacing, length = f->set->defs[f->source].jitter * d;
	vec3 u = random_unit((random_key){f->set->seed, number, f->source, 0});
	double shifted[3] = {place[0] + length * (double)u.x, place[1] + length * (double)u.y,
			     place[2] + length * (double)u.z};
	if (length > 0.0 &&
	    collider_set_distance(f->colliders, source_relative(f->set->origin, shifted)) >= FILL_WALL * (float)d)
		memcpy(place, shifted, sizeof shifted);
}

static float distance_of_solids(const filling *f, vec3 p)
{
	return collider_set_distance(f->colliders, p);
}

// Moves a place away from what it is too close to by `distance` < `least`, along its slope.
static void push_from(const filling *f, float (*distance)(const filling *f, vec3 p), float least, vec3 *p)
{
	float away = distance(f, *p);
	if (away < least)
		*p = vec3_add_scaled(*p, slope_of(f, distance, *p), least - away);
}

static float depth_in_room(const filling *f, vec3 p)
{
	return -out_of_room(f, p);
}

// Keeps a particle of a relaxed fill half a spacing within its border.
static void keep_in(const void *context, vec3 *p)
{
	const filling *f = context;
	float half = 0.5f * (float)f->form->spacing;
	push_from(f, depth_in_room, half, p);
	push_from(f, distance_of_solids, half, p);
}

// Moves a place that is too close to a wall away from it, along the slope of the distance.
static void push_away(const filling *f, double place[3])
{
	float d = (float)f->form->spacing;
	for (int push = 0; push < PUSHES; push++)
	{
		vec3 p = source_relative(f->set->origin, place);
		float away = distance_of_solids(f, p);
		if (away >= FILL_WALL * d)
			return;
		vec3 slope = slope_of(f, distance_of_solids, p);
		place[0] += (double)((0.5f * d - away) * slope.x);
		place[1] += (double)((0.5f * d - away) * slope.y);
		place[2] += (double)((0.5f * d - away) * slope.z);
	}
}

// The number of a site for random numbers: sites of the margin follow those of the lattice.
static int64_t number_of(const filling *f, int64_t x, int64_t y, int64_t z, int64_t number)
{
	const int64_t *cells = f->form->cells;
	return is_of_lattice(f, x, y, z) ? (z * cells[1] + y) * cells[0] + x : cells[0] * cells[1] * cells[2] + number;
}

// Adds the particle of a site. 0 when out of memory.
static int collect_site(filling *f, int64_t x, int64_t y, int64_t z, int64_t number)
{
	double place[3], velocity[3];
	fill_form_place(f->form, (double)x + 0.5, (double)y + 0.5, (double)z + 0.5, place);
	push_away(f, place);
	shift_place(f, number_of(f, x, y, z, number), place);
	fill_velocity(&f->set->defs[f->source], f->form->middle, place, velocity);
	return source_collect(f->set, place, velocity);
}

static int collect_sites(filling *f)
{
	int64_t number = 0;
	for (int64_t z = 0; z < f->size[2]; z++)
		for (int64_t y = 0; y < f->size[1]; y++)
			for (int64_t x = 0; x < f->size[0]; x++, number++)
				if (f->out[number] <= 0.0f &&
				    !collect_site(f, x - MARGIN, y - MARGIN, z - MARGIN, number))
					return 0;
	return 1;
}

// Moves the particles of a relaxed fill apart. 0 when out of memory.
static int relax_sites(filling *f)
{
	source_set *set = f->set;
	const spate_source_def *def = &set->defs[f->source];
	if (def->layout != SPATE_LAYOUT_RELAXED || set->positions.count == 0)
		return 1;
	vec3 low, high;
	source_box(set, &low, &high);
	if (!fill_relax(set->positions.data, set->positions.count / 3, low, high, (float)f->form->spacing,
			(random_key){set->seed, 0, f->source, 1}, keep_in, f))
		return 0;
	for (size_t i = 0; i < set->positions.count; i += 3)
	{
		double place[3], velocity[3];
		for (size_t k = 0; k < 3; k++)
			place[k] = (double)set->positions.data[i + k] + set->origin[k];
		fill_velocity(def, f->form->middle, place, velocity);
		for (size_t k = 0; k < 3; k++)
			set->velocities.data[i + k] = (float)velocity[k];
	}
	return 1;
}

// ------------------------------------------------------------------------------------------------------- other particles

float source_widest_spacing(const spate_fluid_def *fluids, const spate_store *store, uint32_t rows, double own)
{
	double widest = own;
	for (uint32_t row = 0; row < rows; row++)
		widest = fmax(widest, fluids[store->fluid[row]].spacing);
	return (float)widest;
}

static int is_clear(const crowd *c, const spate_fluid_def *fluids, const spate_store *store, vec3 p, double own)
{
	for (int n = 0; n < 27; n++)
	{
		vec3 beside = {p.x + c->cell * (float)(n % 3 - 1), p.y + c->cell * (float)(n / 3 % 3 - 1),
			       p.z + c->cell * (float)(n / 9 - 1)};
		int64_t cell = crowd_cell(c, beside);
		for (int32_t row = cell < 0 ? -1 : c->first.data[cell]; row >= 0; row = c->next.data[row])
		{
			vec4 q = store->position[row];
			float least = (float)(FILL_CLEAR * 0.5 * (own + fluids[store->fluid[row]].spacing));
			vec3 way = {p.x - q.x, p.y - q.y, p.z - q.z};
			if (vec3_dot(way, way) < least * least)
				return 0;
		}
	}
	return 1;
}

int fill_leave_taken(source_set *set, const spate_fluid_def *fluids, double own, const spate_store *store,
		     uint32_t rows)
{
	crowd c = {0};
	size_t kept = 0;
	if (rows == 0 || set->positions.count == 0)
		return 1;
	vec3 low, high;
	source_box(set, &low, &high);
	int gathered = crowd_start(&c, low, high, source_widest_spacing(fluids, store, rows, own), rows);
	if (gathered)
		crowd_fill(&c, (const float *)store->position, 4, rows, store->dead);
	for (size_t i = 0; i < set->positions.count && gathered; i += 3)
	{
		const float *p = set->positions.data + i;
		if (!is_clear(&c, fluids, store, vec3_make(p[0], p[1], p[2]), own))
			continue;
		memmove(set->positions.data + kept, p, 3 * sizeof *p);
		memmove(set->velocities.data + kept, set->velocities.data + i, 3 * sizeof *p);
		if (set->picked.count > 0)
			set->picked.data[kept / 3] = set->picked.data[i / 3];
		kept += 3;
	}
	if (gathered)
		set->positions.count = set->velocities.count = kept;
	crowd_free(&c);
	return gathered;
}

int fill_collect(source_set *set, uint32_t s, const spate_fluid_def *fluids, const collider_set *colliders,
		 const spate_store *store, uint32_t rows)
{
	const fill_form *form = set->forms[s];
	filling f = {.set = set, .source = s, .form = form, .colliders = colliders};
	const fill_form **taken = mem_alloc((s + (size_t)1) * sizeof *taken);
	size_t sites = 1;
	for (int k = 0; k < 3; k++)
	{
		f.size[k] = form->cells[k] + 2 * MARGIN;
		sites = mem_product(sites, (size_t)f.size[k]);
	}
	f.out = mem_alloc(mem_product(sites, sizeof *f.out));
	int made = taken && f.out;
	for (uint32_t n = 0; n < s && made; n++)
		if (set->forms[n] && set->defs[n].start == set->defs[s].start)
			taken[f.taken_count++] = set->forms[n];
	f.taken = taken;
	made = made && look_around(&f);
	if (made)
		choose_sites(&f);
	made = made && keep_lowest(&f) && collect_sites(&f) && relax_sites(&f) &&
	       fill_leave_taken(set, fluids, form->spacing, store, rows);
	array_free(&f.border);
	mem_free(f.out);
	mem_free(taken);
	return made;
}
