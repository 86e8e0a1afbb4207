#include "bench/liquid.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "space/space_kernels.h"

enum
{
	TAIL = 16 // readable records behind the last
};

static const float jitter = 0.25f;  // spacings, along each axis
static const float wave = 1.0f;     // spacings, amplitude of the bent lattice
static const float margin = 2.0f;   // spacings, more than the waves and the jitter
static const float courant = 0.38f; // spacings per step, largest speed of the vortex
static const float noise = 0.02f;   // spacings per step, along each axis

static float snap(float x)
{
	return roundf(512.0f * x) / 512.0f;
}

// In [-size, size).
static float spread(uint32_t random, float size)
{
	return ((float)(random >> 8) * 0x1p-23f - 1.0f) * size;
}

static spate_result reserve(liquid *l, uint32_t count, spate_error *error)
{
	*l = (liquid){.count = count};
	l->positions = mem_calloc((size_t)count + TAIL, sizeof *l->positions);
	l->velocities = mem_calloc((size_t)count + TAIL, sizeof *l->velocities);
	l->ids = mem_calloc((size_t)count + TAIL, sizeof *l->ids);
	if (l->positions && l->velocities && l->ids)
		return SPATE_OK;
	liquid_free(l);
	return error_memory(error, (size_t)count * (2 * sizeof(vec4) + sizeof(int64_t)));
}

void liquid_free(liquid *l)
{
	mem_free(l->positions);
	mem_free(l->velocities);
	mem_free(l->ids);
	*l = (liquid){0};
}

// Velocity of one vortex around z that fills the block and does not cross its faces.
static vec4 whirl(const liquid *l, vec4 p, const uint32_t random[4])
{
	const float pi = 3.14159265f;
	float x = pi * p.x / l->length, y = pi * p.y / l->height;
	return (vec4){snap(courant * sinf(x) * cosf(y) + spread(random[0], noise)),
		      snap(-courant * l->height / l->length * cosf(x) * sinf(y) + spread(random[1], noise)),
		      snap(spread(random[2], noise)), 0.0f};
}

// Bends the lattice by shears, which preserve volume, so that its planes are not aligned with the cells' faces.
static vec4 bend(vec4 p)
{
	p.y += wave * sinf(0.5f * p.z);
	p.x += wave * sinf(0.5f * p.y);
	p.z += wave * sinf(0.5f * p.x);
	return p;
}

static vec4 place(uint32_t x, uint32_t y, uint32_t z, const uint32_t random[4])
{
	vec4 p = bend((vec4){(float)x + margin, (float)y + margin, (float)z + margin, 0.0f});
	return (vec4){snap(p.x + spread(random[0], jitter)), snap(p.y + spread(random[1], jitter)),
		      snap(p.z + spread(random[2], jitter)), 0.0f};
}

spate_result liquid_make(liquid *l, uint32_t count, spate_error *error)
{
	spate_result result = reserve(l, count, error);
	if (result != SPATE_OK)
		return result;
	uint32_t side = (uint32_t)lround(cbrt(0.5 * count));
	side = side < 1 ? 1 : side;
	uint32_t length = (count + side * side - 1) / (side * side);
	l->length = (float)length + 2.0f * margin;
	l->height = (float)side + 2.0f * margin;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t place_roll[4], speed_roll[4];
		random_block((random_key){.seed = 1, .id = i, .stream = 0}, place_roll);
		random_block((random_key){.seed = 1, .id = i, .stream = 1}, speed_roll);
		l->positions[i] = place(i % length, i / length % side, i / length / side, place_roll);
		l->velocities[i] = whirl(l, l->positions[i], speed_roll);
		l->ids[i] = i;
	}
	return SPATE_OK;
}

spate_result liquid_make_like(liquid *l, const liquid *like, spate_error *error)
{
	spate_result result = reserve(l, like->count, error);
	l->length = like->length;
	l->height = like->height;
	return result;
}

typedef struct move_task
{
	liquid *to;
	const liquid *from;
	float steps;
} move_task;

static void move_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const move_task *m = context;
	for (size_t i = begin; i < end; i++)
	{
		vec4 p = m->from->positions[i], v = m->from->velocities[i];
		m->to->positions[i] = (vec4){p.x + m->steps * v.x, p.y + m->steps * v.y, p.z + m->steps * v.z, 0.0f};
	}
}

void liquid_move(liquid *to, const liquid *from, float steps, int threads)
{
	move_task task = {to, from, steps};
	parallel_for(threads, from->count, PARALLEL_BLOCK, move_rows, &task);
}

typedef struct key_task
{
	const space_kernels *kernels;
	const cell_grid *grid;
	const vec4 *positions;
	uint64_t *keys;
} key_task;

static void compute_keys(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const key_task *t = context;
	t->kernels->keys(t->grid, t->positions + begin, end - begin, t->keys + begin);
}

void liquid_keys(const liquid *l, const cell_grid *grid, simd_level simd, int threads, uint64_t *keys)
{
	key_task task = {space_kernels_table(simd), grid, l->positions, keys};
	parallel_for(threads, l->count, PARALLEL_BLOCK, compute_keys, &task);
}

typedef struct reorder_task
{
	liquid *to;
	const liquid *from;
	const uint32_t *order;
} reorder_task;

static void reorder_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const reorder_task *r = context;
	for (size_t k = begin; k < end; k++)
	{
		uint32_t row = r->order[k];
		r->to->positions[k] = r->from->positions[row];
		r->to->velocities[k] = r->from->velocities[row];
		r->to->ids[k] = r->from->ids[row];
	}
}

void liquid_reorder(liquid *to, const liquid *from, const uint32_t *order, int threads)
{
	reorder_task task = {to, from, order};
	parallel_for(threads, from->count, PARALLEL_BLOCK, reorder_rows, &task);
}
