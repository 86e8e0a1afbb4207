// A ray (px, py, 1) against a sphere with its centre at z (x, y, 1) and the radius z s. With dx = px - x, dy = py - y
// and a = 1 + px^2 + py^2, written in the small differences because the textbook form cancels in float:
//
//	q     = a s^2 - dx^2 - dy^2 - (x dy - y dx)^2        hit where q >= 0
//	depth = z (1 - (px dx + py dy + sqrt(q)) / a)
//
// No fused operations here: all instruction sets give the same bits.
#include "render/splat_kernel.h"
#include "base/simd.h"

// new where the mask is set, else old
static inline i8 choose(i8 mask, i8 yes, i8 no)
{
	return (yes & mask) | (no & ~mask);
}

static void refresh_block(splat_tile *tile, int block)
{
	int first = block / SPLAT_BLOCKS * SPLAT_BLOCK * SPLAT_ROW + block % SPLAT_BLOCKS * SPLAT_BLOCK;
	f8 largest = f8_load(tile->depth + first);
	for (int row = 1; row < SPLAT_BLOCK; row++)
		largest = f8_max(largest, f8_load(tile->depth + first + row * SPLAT_ROW));
	float value = f8_lane(largest, 0);
	for (int k = 1; k < SIMD_LANES; k++)
		value = f8_lane(largest, k) > value ? f8_lane(largest, k) : value;
	tile->farthest[block] = value;
	tile->stale &= ~((uint64_t)1 << block);
}

// Whether everything in the rectangle is already nearer than `nearest`. Conservative: may return 0 if unsure.
static int is_hidden(splat_tile *tile, int x0, int y0, int x1, int y1, float nearest)
{
	for (int by = y0 / SPLAT_BLOCK; by <= (y1 - 1) / SPLAT_BLOCK; by++)
		for (int bx = x0 / SPLAT_BLOCK; bx <= (x1 - 1) / SPLAT_BLOCK; bx++)
		{
			int block = by * SPLAT_BLOCKS + bx;
			if (nearest > tile->farthest[block])
				continue;
			if (!(tile->stale >> block & 1))
				return 0;
			refresh_block(tile, block);
			if (nearest <= tile->farthest[block])
				return 0;
		}
	return 1;
}

static void mark_stale(splat_tile *tile, int x0, int y0, int x1, int y1)
{
	int bx0 = x0 / SPLAT_BLOCK, bx1 = (x1 - 1) / SPLAT_BLOCK;
	uint64_t row = (((uint64_t)2 << (bx1 - bx0)) - 1) << bx0;
	for (int by = y0 / SPLAT_BLOCK; by <= (y1 - 1) / SPLAT_BLOCK; by++)
		tile->stale |= row << (by * SPLAT_BLOCKS);
}

static inline int clamp_pixel(float place, int limit)
{
	return place <= 0.0f ? 0 : place >= (float)limit ? limit : (int)place;
}

static void draw_sphere(splat_tile *tile, const splat_entry *s)
{
	// the rectangle of pixel centres that may be hit, plus one pixel on each side for rounding
	float low_x, high_x, low_y, high_y;
	splat_extent(s->x, s->size, &low_x, &high_x);
	splat_extent(s->y, s->size, &low_y, &high_y);
	int x0 = clamp_pixel(low_x * tile->focal - tile->left - 0.51f, tile->width);
	int x1 = clamp_pixel(high_x * tile->focal - tile->left + 0.51f, tile->width);
	int y0 = clamp_pixel(low_y * tile->focal - tile->top - 0.51f, tile->height);
	int y1 = clamp_pixel(high_y * tile->focal - tile->top + 0.51f, tile->height);
	if (x0 >= x1 || y0 >= y1)
		return;

	// drawing a few pixels is as cheap as testing whether they are hidden
	if ((x1 - x0) * (y1 - y0) > 24 && is_hidden(tile, x0, y0, x1, y1, s->z * (1.0f - s->size) * 0.99999f))
		return;
	mark_stale(tile, x0, y0, x1, y1);

	f8 x = f8_set1(s->x), z = f8_set1(s->z), one = f8_set1(1.0f), zero = f8_set1(0.0f);
	f8 size2 = f8_set1(s->size * s->size);
	f8 lanes = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f};
	i8 id = i8_set1((int32_t)s->id);
	for (int row = y0; row < y1; row++)
	{
		float py_1 = (tile->top + (float)row + 0.5f) * tile->inverse_focal, dy_1 = py_1 - s->y;
		f8 row_a = f8_set1(1.0f + py_1 * py_1), py_dy = f8_set1(py_1 * dy_1), dy2 = f8_set1(dy_1 * dy_1);
		f8 x_dy = f8_set1(s->x * dy_1), y = f8_set1(s->y);
		for (int column = x0; column < x1; column += SIMD_LANES)
		{
			f8 px = (f8_set1(tile->left + (float)column) + lanes) * f8_set1(tile->inverse_focal);
			f8 dx = px - x, a = row_a + px * px, cross = x_dy - y * dx;
			f8 q = a * size2 - dx * dx - dy2 - cross * cross;
			i8 hit = (i8)(q >= zero);
			f8 depth = z * (one - (px * dx + py_dy + f8_sqrt(f8_max(q, zero))) / a);

			float *depth_at = tile->depth + row * SPLAT_ROW + column;
			uint32_t *id_at = tile->id + row * SPLAT_ROW + column;
			f8 old_depth = f8_load(depth_at);
			i8 old_id = i8_load(id_at);
			// ids are below 2^31; the empty id is -1, at the far depth, where no tie is possible
			i8 nearer = (i8)(depth < old_depth) | ((i8)(depth == old_depth) & (i8)(id < old_id));
			i8 write = hit & nearer;
			f8_store(depth_at, (f8)choose(write, (i8)depth, (i8)old_depth));
			i8_store(id_at, choose(write, id, old_id));
		}
	}
}

static void draw(splat_tile *tile, const splat_entry *entries, const uint32_t *order, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		draw_sphere(tile, entries + order[k]);
}

const splat_kernel SIMD_NAME(splat_kernel_table) = {draw};
