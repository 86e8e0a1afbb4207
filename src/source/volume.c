// Volumes: particles appear in a shape wherever there is room for them, as fast as a flow asks for.
//
// The sites of a cubic lattice are tried in rounds. Those of a round are spread evenly over the volume (Roberts: The unreasonable
// effectiveness of quasirandom sequences, 2018), and rounds follow each other in a random order that never changes. Each particle appears
// somewhere in the cell of its site, unless that is too close to another particle or to a solid.
#include "source/source_work.h"

#include <stdlib.h>
#include <string.h>

// A newcomer keeps at least this distance from other particles, in mean spacings. In the holes of liquid, which are 0.87 spacings from the
// particles around them, there is no room; and as many particles as find room by chance are not quite as dense as liquid.
#define ROOM 0.9

enum
{
	ROUND = 16 // sites of a round
};

static int compare_sites(const void *left, const void *right)
{
	const volume_site *a = left, *b = right;
	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	if (a->own != b->own)
		return a->own < b->own ? -1 : 1;
	for (int k = 0; k < 3; k++)
		if (a->place[k] != b->place[k])
			return a->place[k] < b->place[k] ? -1 : 1;
	return 0;
}

int volume_make_sites(source_set *set, uint32_t s)
{
	const fill_form *form = set->forms[s];
	volume_sites *sites = &set->sites[s];
	const int64_t *cells = form->cells;
	double rounds = ceil((double)cells[0] * (double)cells[1] * (double)cells[2] / ROUND);
	sites->count = 0;
	for (int64_t z = 0; z < cells[2]; z++)
		for (int64_t y = 0; y < cells[1]; y++)
			for (int64_t x = 0; x < cells[0]; x++)
			{
				volume_site site;
				double turn = 0.8191725133961645 * (double)x + 0.6710436067037893 * (double)y +
					      0.5497004779019703 * (double)z;
				int64_t own = (int64_t)((turn - floor(turn)) * rounds);
				fill_form_place(form, (double)x + 0.5, (double)y + 0.5, (double)z + 0.5, site.place);
				site.turn = random_float((random_key){set->seed, own, s, 2});
				site.own =
				    random_float((random_key){set->seed, (z * cells[1] + y) * cells[0] + x, s, 5});
				if (fill_form_distance(form, source_relative(form->origin, site.place)) <= 0.0f &&
				    !array_push(sites, site))
					return 0;
			}
	if (sites->count > 0)
		qsort(sites->data, sites->count, sizeof *sites->data, compare_sites);
	return 1;
}

// Who is where when a step begins: rows of the store, followed by those that this volume has collected.
typedef struct company
{
	const source_set *set;
	const spate_fluid_def *fluids;
	const spate_store *store;
	crowd *cells; // of the set
	uint32_t rows;
	double spacing; // m, of the newcomers
} company;

static int has_room(const company *c, vec3 p)
{
	for (int n = 0; n < 27; n++)
	{
		float width = c->cells->cell;
		vec3 beside = {p.x + width * (float)(n % 3 - 1), p.y + width * (float)(n / 3 % 3 - 1),
			       p.z + width * (float)(n / 9 - 1)};
		int64_t cell = crowd_cell(c->cells, beside);
		for (int32_t i = cell < 0 ? -1 : c->cells->first.data[cell]; i >= 0; i = c->cells->next.data[i])
		{
			int own = (uint32_t)i >= c->rows;
			const float *q = own ? c->set->positions.data + 3 * ((uint32_t)i - c->rows)
					     : (const float *)&c->store->position[i];
			double spacing = own ? c->spacing : c->fluids[c->store->fluid[i]].spacing;
			float least = (float)(ROOM * 0.5 * (c->spacing + spacing));
			vec3 way = {p.x - q[0], p.y - q[1], p.z - q[2]};
			if (vec3_dot(way, way) < least * least)
				return 0;
		}
	}
	return 1;
}

// Gathers the particles around the sites, with room for `due` more. 0 when out of memory.
static int company_gather(company *c, uint32_t s, const collider_set *colliders, uint64_t due)
{
	const volume_sites *sites = &c->set->sites[s];
	vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
	float margin = (float)c->spacing;
	for (size_t n = 0; n < sites->count; n++)
	{
		double place[3], still[3] = {0};
		memcpy(place, sites->data[n].place, sizeof place);
		emitter_ride(c->set, s, colliders, 0.0, place, still);
		vec3 p = source_relative(c->set->origin, place);
		low = vec3_make(fminf(low.x, p.x - margin), fminf(low.y, p.y - margin), fminf(low.z, p.z - margin));
		high = vec3_make(fmaxf(high.x, p.x + margin), fmaxf(high.y, p.y + margin), fmaxf(high.z, p.z + margin));
	}
	float widest = source_widest_spacing(c->fluids, c->store, c->rows, c->spacing);
	if (!crowd_start(c->cells, low, high, widest, c->rows + (size_t)due))
		return 0;
	crowd_fill(c->cells, (const float *)c->store->position, 4, c->rows, c->store->dead);
	return 1;
}

// Lets a particle appear in the cell of a site. 1 if it did, 0 if there is no room, -1 when out of memory.
static int try_site(source_set *set, uint32_t s, company *c, const collider_set *colliders, double dt,
		    const volume_site *site, int64_t number)
{
	const fill_form *form = set->forms[s];
	uint32_t word[4];
	double place[3], velocity[3];
	random_block((random_key){set->seed, number, s, 3}, word);
	for (int k = 0; k < 3; k++)
		place[k] = site->place[k] + form->spacing * ((double)word[k] / 4294967296.0 - 0.5);
	if (fill_form_distance(form, source_relative(form->origin, place)) > 0.0f)
		memcpy(place, site->place, sizeof place);
	memcpy(velocity, set->defs[s].velocity, sizeof velocity);
	emitter_ride(set, s, colliders, dt, place, velocity);
	vec3 p = source_relative(set->origin, place);
	if (collider_set_distance(colliders, p) < FILL_WALL * (float)c->spacing || !has_room(c, p))
		return 0;
	int32_t own = (int32_t)(c->rows + set->positions.count / 3);
	int64_t cell = crowd_cell(c->cells, p);
	if (!source_collect(set, place, velocity))
		return -1;
	if (cell >= 0)
	{
		c->cells->next.data[own] = c->cells->first.data[cell];
		c->cells->first.data[cell] = own;
	}
	return 1;
}

int volume_collect(source_set *set, uint32_t s, const spate_fluid_def *fluids, const collider_set *colliders,
		   const spate_store *store, double begin, double end)
{
	source_state *state = &set->states[s];
	const volume_sites *sites = &set->sites[s];
	double d = fluids[set->defs[s].fluid].spacing;
	uint64_t due = emitter_due(set, s, d, end), first = state->turns;
	if (due <= state->turns)
		return 1;
	company c = {
	    .set = set, .cells = &set->crowd, .fluids = fluids, .store = store, .rows = store->rows, .spacing = d};
	int made = company_gather(&c, s, colliders, due - first < sites->count ? due - first : sites->count);
	for (size_t tried = 0; state->turns < due && made; state->turns++)
	{
		if (emitter_reaches_limit(set, s))
			break;
		// a turn for which no site is left is lost
		int done = 0;
		for (; tried < sites->count && done == 0; tried++)
			done = try_site(set, s, &c, colliders, end - begin,
					&sites->data[(first + tried) % sites->count], (int64_t)(first + tried));
		made = done >= 0;
	}
	return made;
}
