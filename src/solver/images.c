#include "solver/images.h"

#include "base/error.h"
#include "base/parallel.h"
#include "solver/projection_kernels.h"

#include <stdatomic.h>
#include <string.h>

enum
{
	MOST_MIRRORS = 3,  // walls of a row that mirror it
	MOST_IMAGES = 7,   // of a row: one for each set of its mirrors
	IMAGE_ROWS = 256,  // rows or images per task
	EXPECTED_SEEN = 40 // entries per image that are reserved, with padding
};

#define NO_BOARD UINT32_MAX

// Two walls whose normals are closer than this are one bent wall, of which only the nearer part is a mirror.
#define ALIKE 0.5f

typedef struct image_task
{
	image_set *set;
	const contacts *near;
	uint32_t *counts;  // of the near rows, then where their images begin
	atomic_int boards; // some image is beyond the middle of a thin board
} image_task;

static float distance_to(const felt_wall *w, vec3 p)
{
	// the wall is given as it is at the end of the step
	return vec3_dot(w->normal, vec3_add(p, w->travel)) - w->offset;
}

// Whether the place behind a wall that an image would take is that wall's. Otherwise images of several faces would fill the same part of a
// solid with liquid, beyond its edges for instance.
static int backs(const contacts *c, const near_row *near, const felt_wall *w, vec3 p)
{
	const step_view *s = c->view;
	float distance = distance_to(w, p);
	vec3 foot = vec3_add_scaled(vec3_add(p, w->travel), w->normal, -distance);
	float spacing = (float)s->fluids[s->store->fluid[near->row]].spacing;
	return distance > 0.0f ? collider_set_backs(s->colliders, foot, w->normal, distance, spacing) : 1;
}

// What is special about the mirrors of a row, as bits.
typedef struct mirror_bits
{
	uint32_t lone;    // only the row itself sees their images
	uint32_t through; // their images are beyond the middle of a thin board
} mirror_bits;

// The walls that mirror a row, nearest first.
static int find_mirrors(const contacts *c, const near_row *near, vec3 p, float h, uint32_t out[MOST_MIRRORS],
			mirror_bits *bits)
{
	int count = 0;
	*bits = (mirror_bits){0, 0};
	uint32_t used = 0;
	while (count < MOST_MIRRORS)
	{
		int best = -1;
		float nearest = h;
		for (uint32_t n = 0; n < near->walls; n++)
		{
			const felt_wall *w = &c->felt[near->felt + n];
			float distance = distance_to(w, p);
			if (used & 1u << n || !(distance < nearest))
				continue;
			best = (int)n;
			nearest = distance;
		}
		if (best < 0)
			break;
		used |= 1u << best;
		const felt_wall *w = &c->felt[near->felt + (uint32_t)best];
		int alike = 0;
		for (int k = 0; k < count; k++)
			alike |= vec3_dot(c->felt[out[k]].normal, w->normal) > ALIKE;
		if (alike)
			continue;
		int backing = backs(c, near, w, p);
		bits->lone |= (uint32_t)(backing == 0) << count;
		bits->through |= (uint32_t)(backing == COLLIDER_BACKS_THROUGH) << count;
		out[count++] = near->felt + (uint32_t)best;
	}
	return count;
}

// Whether a set of mirrors, as bits, makes an image that anybody can see.
static int makes_image(const contacts *c, const uint32_t *mirrors, int count, uint32_t bits, uint32_t lone, vec3 p,
		       float h)
{
	if (bits & lone && bits & (bits - 1))
		return 0;
	float square = 0.0f;
	for (int k = 0; k < count; k++)
	{
		if (!(bits & 1u << k))
			continue;
		const felt_wall *w = &c->felt[mirrors[k]];
		float distance = distance_to(w, p);
		square += distance * distance;
		// between walls that face each other there would be images without end
		for (int other = 0; other < k; other++)
			if (bits & 1u << other && fabsf(vec3_dot(c->felt[mirrors[other]].normal, w->normal)) > ALIKE)
				return 0;
	}
	return square < h * h;
}

static image reflect(image i, const felt_wall *w, uint32_t number, float dt)
{
	vec3 n = w->normal;
	float offset = w->offset - vec3_dot(n, w->travel);
	for (int column = 0; column < 3; column++)
	{
		float along = n.x * i.turn[column] + n.y * i.turn[3 + column] + n.z * i.turn[6 + column];
		i.turn[column] -= 2.0f * along * n.x;
		i.turn[3 + column] -= 2.0f * along * n.y;
		i.turn[6 + column] -= 2.0f * along * n.z;
	}
	i.shift = vec3_add_scaled(i.shift, n, 2.0f * (offset - vec3_dot(n, i.shift)));
	float speed = dt > 0.0f ? vec3_dot(n, w->travel) / dt : 0.0f;
	i.drift = vec3_add_scaled(i.drift, n, 2.0f * (speed - vec3_dot(n, i.drift)));
	i.wall = number;
	return i;
}

static vec3 turn(const image *i, vec4 v)
{
	const float *t = i->turn;
	return vec3_make(t[0] * v.x + t[1] * v.y + t[2] * v.z, t[3] * v.x + t[4] * v.y + t[5] * v.z,
			 t[6] * v.x + t[7] * v.y + t[8] * v.z);
}

static image_mirrors makers_of(const uint32_t *mirrors, int count, uint32_t bits)
{
	image_mirrors made = {.count = 0};
	for (int k = 0; k < count; k++)
		if (bits & 1u << k)
			made.felt[made.count++] = mirrors[k];
	return made;
}

// Lists the images of a near row, those that only the row itself sees last; `out` may be NULL to count them.
static uint32_t list_images(const image_task *t, const near_row *near, image *out, image_mirrors *makers)
{
	const contacts *c = t->near;
	const step_view *s = c->view;
	vec4 place = s->places[near->row];
	vec3 p = {place.x, place.y, place.z};
	float h = s->radii[s->store->fluid[near->row]];
	uint32_t mirrors[MOST_MIRRORS], found = 0;
	mirror_bits special;
	int count = find_mirrors(c, near, p, h, mirrors, &special);
	uint32_t sets = 1u << count;
	for (uint32_t n = 0; n < 2 * sets; n++)
	{
		uint32_t bits = n % sets, for_itself = n / sets;
		if (bits == 0 || ((bits & special.lone) != 0) != for_itself ||
		    !makes_image(c, mirrors, count, bits, special.lone, p, h))
			continue;
		image own = {.root = near->row,
			     .lone = (bits & special.lone) != 0,
			     .board = NO_BOARD,
			     .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
		for (int k = 0; k < count && out; k++)
		{
			if (bits & 1u << k)
				own = reflect(own, &c->felt[mirrors[k]], mirrors[k], s->dt);
			if (bits & special.through & 1u << k)
				own.board = mirrors[k];
		}
		if (out)
			out[found] = own;
		if (makers)
			makers[found] = makers_of(mirrors, count, bits);
		found++;
	}
	return found;
}

static void count_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	image_task *t = context;
	for (size_t k = begin; k < end; k++)
		t->counts[k] = list_images(t, &t->near->near[k], NULL, NULL);
}

static void make_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	image_task *t = context;
	const contacts *c = t->near;
	for (size_t k = begin; k < end; k++)
	{
		uint32_t row = c->near[k].row, at = t->counts[k];
		uint32_t found =
		    list_images(t, &c->near[k], t->set->images + at, t->set->mirrors ? t->set->mirrors + at : NULL);
		t->set->spans[8 * (size_t)c->wall_group[row / 8] + row % 8] = (image_span){at, found};
		for (uint32_t n = at; n < at + found; n++)
			if (t->set->images[n].board != NO_BOARD)
				atomic_store_explicit(&t->boards, 1, memory_order_relaxed);
	}
}

// ---------------------------------------------------------------------------------------------------------- neighbours

// Where the images of a row are, and how many others may see: lone ones come last. Most images a row has is 7.
static uint32_t pack_span(const image_task *t, uint32_t row)
{
	image_span span = t->set->spans[8 * (size_t)t->near->wall_group[row / 8] + row % 8];
	uint32_t shared = span.count;
	while (shared > 0 && t->set->images[span.begin + shared - 1].lone)
		shared--;
	return span.count > 0 ? 64 * span.begin + 8 * span.count + shared : 0;
}

static image_span span_of(uint32_t packed, int own)
{
	return (image_span){packed / 64, own ? packed / 8 % 8 : packed % 8};
}

// Whether a place is where the image can be seen from. Behind a thin board there is other liquid, and beside its edges are particles that
// are neighbours of both sides: they see the images of neither beyond the middle of the board.
static int faces(const image_task *t, const image *i, vec4 p)
{
	return i->board == NO_BOARD || distance_to(&t->near->felt[i->board], vec3_make(p.x, p.y, p.z)) > 0.0f;
}

static float radius_of_pair(const step_view *s, uint32_t row, uint32_t other)
{
	if (s->fluid_count == 1)
		return s->radii[0];
	return 0.5f * (s->radii[s->store->fluid[row]] + s->radii[s->store->fluid[other]]);
}

enum
{
	MOST_SEEN = 512, // entries of a lane; neighbours beyond are left out, as there is no room for so many particles
	CANDIDATES = 256, // tested for their distance at a time
};

typedef struct candidates candidates;

typedef struct see_task
{
	const image_task *images;
	const projection_kernels *kernels;
	const uint32_t *spans; // packed, by row
	image_list *list;
	uint32_t (*find)(const struct see_task *t, candidates *c, uint32_t number, uint32_t *out);
	float same2;    // m^2, square of the reach of all pairs; 0 if there are several fluids
	int boards;     // some images are not to be seen from everywhere
	uint32_t count; // rows or images
	size_t capacity;
	_Atomic size_t taken; // entries handed out
} see_task;

// Rows that may be seen from a place, and how far.
struct candidates
{
	const vec4 *places;
	vec4 from;
	uint32_t count, found;
	uint32_t *out;
	uint32_t rows[CANDIDATES + 8];
	float reach2[CANDIDATES + 8]; // m^2; filled once where all pairs have the same
};

// Leaves the rows as they are: they are many.
static void start_candidates(candidates *c, const vec4 *places, vec4 from, uint32_t *out)
{
	c->places = places;
	c->from = from;
	c->out = out;
	c->count = c->found = 0;
}

static void test_candidates(const see_task *t, candidates *c)
{
	uint32_t room = MOST_SEEN - c->found, count = c->count < room ? c->count : room;
	for (uint32_t k = count; k % 8 != 0; k++)
	{
		c->rows[k] = c->rows[0];
		c->reach2[k] = -1.0f;
	}
	c->found += t->kernels->within(c->places, c->from, c->rows, c->reach2, count, c->out + c->found);
	c->count = 0;
	for (uint32_t k = count; k % 8 != 0; k++)
		c->reach2[k] = t->same2;
}

// A candidate is written in any case, and counted if it is one: most are not, and nobody can foresee which.
static inline void add_candidate(const see_task *t, candidates *c, uint32_t row, uint32_t own, uint32_t other,
				 int counts)
{
	c->rows[c->count] = row;
	if (t->same2 == 0.0f && counts)
	{
		float reach = radius_of_pair(t->images->near->view, own, other);
		c->reach2[c->count] = reach * reach;
	}
	c->count += (uint32_t)counts;
	if (c->count == CANDIDATES)
		test_candidates(t, c);
}

// The images of a particle, as far as a row may see them.
static inline void add_images(const see_task *t, candidates *c, image_span span, uint32_t row, uint32_t root)
{
	const image_set *set = t->images->set;
	for (uint32_t k = span.begin; k < span.begin + span.count; k++)
		add_candidate(t, c, set->first + k, row, root,
			      root == row || !t->boards || faces(t->images, &set->images[k], c->from));
}

// Images that a row sees: its own, and those of its neighbours. Only rows that have images themselves see any.
static uint32_t find_seen(const see_task *t, candidates *c, uint32_t row, uint32_t *out)
{
	const step_view *s = t->images->near->view;
	const neighbour_list *list = s->list;
	image_span own = span_of(t->spans[row], 1);
	if (own.count == 0)
		return 0;
	start_candidates(c, t->images->set->places, s->places[row], out);
	add_images(t, c, own, row, row);
	const uint32_t *entry = list->entries.data + list->slice_begin.data[row / 8] + row % 8;
	for (uint32_t k = 0; k < list->slice_length.data[row / 8]; k++, entry += 8)
		add_images(t, c, span_of(t->spans[*entry], 0), row, *entry);
	test_candidates(t, c);
	return c->found;
}

// Rows that see an image: its particle, and neighbours of that. The same pairs as above, by the same test.
static uint32_t find_seers(const see_task *t, candidates *c, uint32_t number, uint32_t *out)
{
	const step_view *s = t->images->near->view;
	const neighbour_list *list = s->list;
	const image_set *set = t->images->set;
	const image *own = &set->images[number];
	uint32_t root = own->root;
	int everywhere = own->board == NO_BOARD;
	start_candidates(c, s->places, set->places[set->first + number], out);
	add_candidate(t, c, root, root, root, 1);
	const uint32_t *entry = list->entries.data + list->slice_begin.data[root / 8] + root % 8;
	for (uint32_t k = 0; k < list->slice_length.data[root / 8] && !own->lone; k++, entry += 8)
		add_candidate(t, c, *entry, *entry, root,
			      t->spans[*entry] && (everywhere || faces(t->images, own, s->places[*entry])));
	test_candidates(t, c);
	return c->found;
}

// Interleaves the lists of a slice. Where they lie depends on the threads, what they hold does not.
static void find_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	see_task *t = context;
	uint32_t dummy = t->images->near->view->list->count, lanes[8][MOST_SEEN + 8], lengths[8];
	candidates c;
	for (uint32_t k = 0; k < CANDIDATES + 8; k++)
		c.reach2[k] = t->same2;
	for (size_t slice = begin; slice < end; slice++)
	{
		uint32_t length = 0;
		for (uint32_t lane = 0; lane < 8; lane++)
		{
			uint32_t number = (uint32_t)(8 * slice) + lane;
			lengths[lane] = number < t->count ? t->find(t, &c, number, lanes[lane]) : 0;
			length = lengths[lane] > length ? lengths[lane] : length;
		}
		t->list->length[slice] = length;
		t->list->begin[slice] = 0;
		if (length == 0)
			continue;
		size_t at = atomic_fetch_add_explicit(&t->taken, 8 * (size_t)length, memory_order_relaxed);
		t->list->begin[slice] = (uint32_t)at;
		if (at + 8 * (size_t)length > t->capacity)
			continue; // this round only finds out how much is needed
		uint32_t *out = t->list->entries + at;
		for (uint32_t k = 0; k < length; k++)
			for (uint32_t lane = 0; lane < 8; lane++)
				*out++ = k < lengths[lane] ? lanes[lane][k] : dummy;
	}
}

static spate_result make_list(see_task *t, spate_error *error)
{
	const step_view *s = t->images->near->view;
	image_list *list = t->list;
	size_t slices = (t->count + (size_t)7) / 8;
	*list = (image_list){.slices = (uint32_t)slices,
			     .begin = arena_alloc(s->scratch, (slices + 1) * sizeof *list->begin),
			     .length = arena_alloc(s->scratch, (slices + 1) * sizeof *list->length)};
	if (!list->begin || !list->length)
		return error_memory(error, slices * 8);
	for (t->capacity = EXPECTED_SEEN * (size_t)t->images->set->count;; t->capacity = t->taken)
	{
		t->taken = 0;
		list->entries = arena_alloc(s->scratch, (t->capacity + 8) * sizeof *list->entries);
		if (!list->entries || t->capacity > UINT32_MAX)
			return error_memory(error, t->capacity * sizeof *list->entries);
		parallel_for(s->threads, slices, STEP_SLICES / 8, find_slices, t);
		if (t->taken <= t->capacity)
			return SPATE_OK;
	}
}

typedef struct span_task
{
	const image_task *images;
	uint32_t *spans;
} span_task;

static void pack_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const span_task *t = context;
	for (size_t row = begin; row < end; row++)
		t->spans[row] = t->images->near->wall_group[row / 8] ? pack_span(t->images, (uint32_t)row) : 0;
}

static spate_result find_neighbours(image_task *t, int seers, spate_error *error)
{
	const step_view *s = t->near->view;
	image_set *set = t->set;
	set->places = arena_alloc(s->scratch, set->rows * sizeof *set->places);
	if (!set->places)
		return error_memory(error, set->rows * sizeof *set->places);
	images_place(set, s, set->places);
	// the dummy row has no images
	uint32_t *spans = arena_alloc(s->scratch, (s->list->count + (size_t)1) * sizeof *spans);
	if (!spans)
		return error_memory(error, s->list->count * sizeof *spans);
	if (set->count >= UINT32_MAX / 64)
		return error_memory(error, set->count * sizeof *set->images);
	span_task packing = {t, spans};
	parallel_for(s->threads, s->list->count, PARALLEL_BLOCK, pack_rows, &packing);
	spans[s->list->count] = 0;
	see_task see = {.images = t,
			.kernels = projection_kernels_table(s->simd),
			.spans = spans,
			.list = &set->seen,
			.find = find_seen,
			.same2 = s->fluid_count == 1 ? s->radii[0] * s->radii[0] : 0.0f,
			.boards = atomic_load_explicit(&t->boards, memory_order_relaxed),
			.count = s->list->count};
	spate_result result = make_list(&see, error);
	if (result != SPATE_OK || !seers)
		return result;
	see.list = &set->seers;
	see.find = find_seers;
	see.count = set->count;
	return make_list(&see, error);
}

static spate_result make(image_set *set, const contacts *near, int seers, spate_error *error)
{
	const step_view *s = near->view;
	*set = (image_set){.first = 8 * s->list->slice_count + STEP_SLACK};
	uint32_t groups = 0;
	for (uint32_t slice = 0; slice < s->list->slice_count; slice++)
		groups = near->wall_group[slice] > groups ? near->wall_group[slice] : groups;
	set->groups = groups + 1;
	size_t spans = 8 * (size_t)set->groups;
	image_task t = {.set = set,
			.near = near,
			.counts = arena_alloc(s->scratch, (near->near_count + (size_t)1) * sizeof *t.counts)};
	set->spans = arena_alloc(s->scratch, spans * sizeof *set->spans);
	if (!t.counts || !set->spans)
		return error_memory(error, spans * sizeof *set->spans);
	memset(set->spans, 0, spans * sizeof *set->spans);
	parallel_for(s->threads, near->near_count, IMAGE_ROWS, count_rows, &t);
	set->count = (uint32_t)prefix_sum_u32(t.counts, near->near_count);
	set->rows = (size_t)set->first + set->count + STEP_SLACK;
	set->images = arena_alloc(s->scratch, (set->count + (size_t)1) * sizeof *set->images);
	int mirrored = s->bodies || s->bending;
	if (mirrored)
		set->mirrors = arena_alloc(s->scratch, (set->count + (size_t)1) * sizeof *set->mirrors);
	if (!set->images || (mirrored && !set->mirrors))
		return error_memory(error, set->count * sizeof *set->images);
	parallel_for(s->threads, near->near_count, IMAGE_ROWS, make_rows, &t);
	return find_neighbours(&t, seers, error);
}

spate_result images_make(image_set *set, const contacts *near, spate_error *error)
{
	return make(set, near, 1, error);
}

spate_result images_make_seen(image_set *set, const contacts *near, spate_error *error)
{
	return make(set, near, 0, error);
}

// -------------------------------------------------------------------------------------------------------------- values

typedef struct value_task
{
	const image_set *set;
	const vec4 *from;     // by row of the particles
	vec4 *to;             // by row of the images
	const uint32_t *some; // numbers of images; NULL for all
} value_task;

static void place_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const value_task *t = context;
	for (size_t n = begin; n < end; n++)
	{
		size_t k = t->some ? t->some[n] : n;
		const image *i = &t->set->images[k];
		vec3 p = vec3_add(turn(i, t->from[i->root]), i->shift);
		t->to[t->set->first + k] = (vec4){p.x, p.y, p.z, t->from[i->root].w};
	}
}

static void move_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const value_task *t = context;
	for (size_t k = begin; k < end; k++)
	{
		const image *i = &t->set->images[k];
		vec3 v = vec3_add(turn(i, t->from[i->root]), i->drift);
		t->to[t->set->first + k] = (vec4){v.x, v.y, v.z, t->from[i->root].w};
	}
}

static void turn_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const value_task *t = context;
	for (size_t k = begin; k < end; k++)
	{
		const image *i = &t->set->images[k];
		vec3 v = turn(i, t->from[i->root]);
		t->to[t->set->first + k] = (vec4){v.x, v.y, v.z, t->from[i->root].w};
	}
}

static void copy_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const value_task *t = context;
	for (size_t k = begin; k < end; k++)
		t->to[t->set->first + k].w = t->from[t->set->images[k].root].w;
}

static void run(const image_set *set, const step_view *s, parallel_body *body, const vec4 *from, vec4 *to)
{
	value_task t = {.set = set, .from = from, .to = to};
	parallel_for(s->threads, set->count, PARALLEL_BLOCK, body, &t);
}

void images_place(const image_set *set, const step_view *s, vec4 *places)
{
	run(set, s, place_rows, s->places, places);
}

void images_place_some(const image_set *set, const step_view *s, vec4 *places, const uint32_t *some, uint32_t count)
{
	value_task t = {set, s->places, places, some};
	parallel_for(s->threads, count, PARALLEL_BLOCK, place_rows, &t);
}

void images_move(const image_set *set, const step_view *s, vec4 *velocities)
{
	run(set, s, move_rows, velocities, velocities);
}

void images_turn(const image_set *set, const step_view *s, vec4 *vectors)
{
	run(set, s, turn_rows, vectors, vectors);
}

void images_copy_w(const image_set *set, const step_view *s, vec4 *records)
{
	run(set, s, copy_rows, records, records);
}

void images_clear_w(const image_set *set, vec4 *records)
{
	for (uint32_t k = 0; k < set->count; k++)
		records[set->first + k].w = 0.0f;
}

// Slices share no particle, so that no two tasks write to the same one.
static void return_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const value_task *t = context;
	for (size_t k = 8 * begin; k < 8 * end; k++)
	{
		image_span span = t->set->spans[k];
		for (uint32_t n = span.begin; n < span.begin + span.count; n++)
		{
			const image *i = &t->set->images[n];
			const float *m = i->turn;
			vec4 v = t->to[t->set->first + n], *to = &t->to[i->root];
			*to = (vec4){to->x + m[0] * v.x + m[3] * v.y + m[6] * v.z,
				     to->y + m[1] * v.x + m[4] * v.y + m[7] * v.z,
				     to->z + m[2] * v.x + m[5] * v.y + m[8] * v.z, to->w};
		}
	}
}

void images_return(const image_set *set, const step_view *s, vec4 *vectors)
{
	value_task t = {.set = set, .from = vectors, .to = vectors};
	parallel_for(s->threads, set->groups, STEP_SLICES, return_slices, &t);
}

spate_result images_show(const image_set *set, const step_view *s, pair_pass *pairs, spate_error *error)
{
	pairs->seen = set->seen;
	pairs->seers = set->seers;
	pairs->first_image = set->first;
	if (!pairs->mixed)
		return SPATE_OK;
	size_t rows = (size_t)s->list->count + STEP_SLACK;
	pair_traits *traits = arena_alloc(s->scratch, set->rows * sizeof *traits);
	if (!traits)
		return error_memory(error, set->rows * sizeof *traits);
	memcpy(traits, pairs->traits, rows * sizeof *traits);
	for (uint32_t k = 0; k < set->count; k++)
		traits[set->first + k] = pairs->traits[set->images[k].root];
	pairs->traits = traits;
	return SPATE_OK;
}
