#include "space/space_kernels.h"

#include "base/simd.h"

#define FAR_AWAY 4e18f // m; beyond the largest grid by more than its radius, and its square does not overflow

// A coordinate is in the grid when its magnitude, compared as bits, is below that of the limit. The bits of NaN are larger.
static uint32_t limit_bits(float limit)
{
	uint32_t bits;
	memcpy(&bits, &limit, sizeof bits);
	return bits;
}

#if defined(__AVX2__) && defined(__BMI2__)

static size_t keys(const cell_grid *grid, const vec4 *positions, size_t count, uint64_t *keys_out)
{
	const uint64_t axis = 0x0009249249249249u; // every third of 54 bits, 18 in all
	__m256d inverse = _mm256_set1_pd(grid->inverse);
	__m128i limit = _mm_set1_epi32((int)limit_bits(grid->limit));
	__m128i magnitude = _mm_set1_epi32(0x7fffffff), offset = _mm_set1_epi32(CELL_OFFSET);
	size_t bad = count;
	for (size_t i = 0; i < count; i++)
	{
		__m128 p = _mm_loadu_ps(&positions[i].x);
		__m128i over = _mm_cmpgt_epi32(_mm_and_si128(_mm_castps_si128(p), magnitude), limit);
		if ((_mm_movemask_ps(_mm_castsi128_ps(over)) & 7) && bad == count)
			bad = i;
		__m256d scaled = _mm256_floor_pd(_mm256_mul_pd(_mm256_cvtps_pd(p), inverse));
		__m128i cell = _mm_add_epi32(_mm256_cvttpd_epi32(scaled), offset);
		uint64_t xy = (uint64_t)_mm_cvtsi128_si64(cell);
		uint32_t x = (uint32_t)xy, y = (uint32_t)(xy >> 32), z = (uint32_t)_mm_extract_epi32(cell, 2);
		uint64_t leaf = _pdep_u64(x >> LEAF_SHIFT, axis) | _pdep_u64(y >> LEAF_SHIFT, axis << 1) |
				_pdep_u64(z >> LEAF_SHIFT, axis << 2);
		keys_out[i] = leaf << LEAF_KEY_SHIFT | (z & 7) << 6 | (y & 7) << 3 | (x & 7);
	}
	return bad;
}

#else

static size_t keys(const cell_grid *grid, const vec4 *positions, size_t count, uint64_t *keys_out)
{
	uint32_t limit = limit_bits(grid->limit);
	size_t bad = count;
	for (size_t i = 0; i < count; i++)
	{
		uint32_t bits[3];
		memcpy(bits, &positions[i], sizeof bits);
		if ((bits[0] & 0x7fffffff) > limit || (bits[1] & 0x7fffffff) > limit || (bits[2] & 0x7fffffff) > limit)
		{
			if (bad == count)
				bad = i;
			keys_out[i] = 0;
			continue;
		}
		keys_out[i] = cell_key(cell_of(grid, positions[i]));
	}
	return bad;
}

#endif

static void gather(candidate_set *set, const vec4 *positions, const row_range *ranges, size_t count,
		   const search_box *box)
{
	fw low_x = fw_set1(box->low.x), low_y = fw_set1(box->low.y), low_z = fw_set1(box->low.z);
	fw high_x = fw_set1(box->high.x), high_y = fw_set1(box->high.y), high_z = fw_set1(box->high.z);
	fw reach2 = fw_set1(box->reach * box->reach), zero = fw_set1(0.0f);
	float *restrict out_x = set->x, *restrict out_y = set->y, *restrict out_z = set->z;
	uint32_t *restrict out_row = set->row;
	size_t at = set->count;
	for (size_t r = 0; r < count; r++)
		for (uint32_t row = ranges[r].begin, end = ranges[r].end; row < end; row += SIMD_WIDE)
		{
			fw x, y, z;
			fw_load3(&positions[row].x, &x, &y, &z);
			// squared distance to the box; most particles in the corners of the 27 cells are out of reach
			fw dx = fw_max(fw_max(low_x - x, x - high_x), zero);
			fw dy = fw_max(fw_max(low_y - y, y - high_y), zero);
			fw dz = fw_max(fw_max(low_z - z, z - high_z), zero);
			wide_mask near = fw_le(fw_fma(dz, dz, fw_fma(dy, dy, dx * dx)), reach2);
			if (end - row < SIMD_WIDE)
				near = (wide_mask)(near & ((1u << (end - row)) - 1));
			wide_packing order = wide_packing_make(near);
			fw_store(out_x + at, fw_pack(x, order));
			fw_store(out_y + at, fw_pack(y, order));
			fw_store(out_z + at, fw_pack(z, order));
			iw_store(out_row + at, iw_pack(iw_set1((int32_t)row) + iw_iota(), order));
			at += wide_count(near);
		}
	set->count = at;
}

static void pad(candidate_set *set)
{
	fw_store(set->x + set->count, fw_set1(FAR_AWAY));
	fw_store(set->y + set->count, fw_set1(FAR_AWAY));
	fw_store(set->z + set->count, fw_set1(FAR_AWAY));
}

static uint32_t pick(const candidate_set *set, vec4 p, uint32_t self, float radius, uint32_t *restrict out)
{
	const float *x = set->x, *y = set->y, *z = set->z;
	const uint32_t *rows = set->row;
	size_t count = set->count;
	fw px = fw_set1(p.x), py = fw_set1(p.y), pz = fw_set1(p.z), radius2 = fw_set1(radius * radius);
	iw own = iw_set1((int32_t)self);
	uint32_t found = 0;
	for (size_t k = 0; k < count; k += SIMD_WIDE)
	{
		fw dx = fw_load(x + k) - px, dy = fw_load(y + k) - py, dz = fw_load(z + k) - pz;
		fw distance2 = fw_fma(dz, dz, fw_fma(dy, dy, dx * dx));
		iw row = iw_load(rows + k);
		wide_mask near = (wide_mask)(fw_le(distance2, radius2) & ~iw_eq(row, own));
		iw_store(out + found, iw_pack(row, wide_packing_make(near)));
		found += wide_count(near);
	}
	return found;
}

static void interleave(uint32_t *const lists[8], const uint32_t lengths[8], uint32_t length, uint32_t dummy,
		       uint32_t *out)
{
	i8 padding = i8_set1((int32_t)dummy);
	for (int lane = 0; lane < 8; lane++)
		for (uint32_t k = lengths[lane]; k < length; k += SIMD_LANES)
			i8_store(lists[lane] + k, padding);
	for (uint32_t k = 0; k < length; k += SIMD_LANES)
	{
		i8 r[8];
		for (int lane = 0; lane < 8; lane++)
			r[lane] = i8_load(lists[lane] + k);
		i8_transpose(r);
		uint32_t left = length - k < 8 ? length - k : 8;
		for (uint32_t j = 0; j < left; j++)
			i8_store(out + 8 * ((size_t)k + j), r[j]);
	}
}

const space_kernels SIMD_NAME(space_kernels_table) = {keys, gather, pad, pick, interleave};
