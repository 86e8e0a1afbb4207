// Octants of a field's leaves, 4^3 voxels each: how far the surface is from them, and whether walls meet near them.
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "collider/field_data.h"

#include <string.h>

// Maximum number of octants (32 MB), and the number of octants away from the band up to which their room still grows.
#define MOST_OCTANTS (16u << 20)
#define MOST_STEPS 12

// Square of the slope below which walls meet at a voxel: next to a fold between walls whose normals differ by 26
// degrees or more, the slope over two cells is at most this.
#define FOLD 0.97f

enum
{
	LEAVES_AT_A_TIME = 64,
	FOLDED = 1, // walls meet in the octant
	NEAR = 2    // or in an adjacent one
};

typedef int32_t mask4 __attribute__((vector_size(16)));

// The voxels of a leaf at [1] to [8] along each axis, and one layer beyond each of its six faces.
typedef struct padded_leaf
{
	float at[10][10][10];
} padded_leaf;

typedef struct octant_work
{
	leaf_table *table;
	const field_settings *settings;
	uint8_t *steps; // octants from the band, 0 in it
} octant_work;

static size_t octant_of(const leaf_table *t, size_t x, size_t y, size_t z)
{
	return (x * 2 * t->size[1] + y) * 2 * t->size[2] + z;
}

// The voxels of a leaf by its coordinates in the table; NULL if all have the value *one.
static const float *values_at(const leaf_table *t, size_t x, size_t y, size_t z, float *one)
{
	*one = t->values[0];
	if (x >= t->size[0] || y >= t->size[1] || z >= t->size[2]) // including -1, which wraps around
		return NULL;
	int32_t leaf = t->leaf[(x * t->size[1] + y) * t->size[2] + z];
	if (leaf >= 0)
		return t->distances[leaf];
	*one = t->values[-1 - leaf];
	return NULL;
}

// Copies the adjacent layer of voxels from a neighbouring leaf.
static void pad_face(padded_leaf *pad, const leaf_table *t, const size_t leaf[3], int axis, int side)
{
	static const size_t strides[3] = {64, 8, 1};
	size_t place[3] = {leaf[0], leaf[1], leaf[2]}, u = strides[axis == 0 ? 1 : 0], v = strides[axis == 2 ? 1 : 2];
	place[axis] += side ? (size_t)1 : (size_t)-1;
	float one, *to = &pad->at[axis == 0 && side ? 9 : axis != 0][axis == 1 && side ? 9 : axis != 1]
				 [axis == 2 && side ? 9 : axis != 2];
	const float *from = values_at(t, place[0], place[1], place[2], &one);
	size_t to_u = axis == 0 ? 10 : 100, to_v = axis == 2 ? 10 : 1, layer = side ? 0 : 7 * strides[axis];
	for (size_t i = 0; i < 8; i++)
		for (size_t j = 0; j < 8; j++)
			to[i * to_u + j * to_v] = from ? from[layer + i * u + j * v] : one;
}

static void pad_leaf(padded_leaf *pad, const leaf_table *t, const size_t leaf[3], const float values[512])
{
	for (size_t i = 0; i < 8; i++)
		for (size_t j = 0; j < 8; j++)
			memcpy(&pad->at[i + 1][j + 1][1], values + 64 * i + 8 * j, 8 * sizeof *values);
	for (int axis = 0; axis < 3; axis++)
		for (int side = 0; side < 2; side++)
			pad_face(pad, t, leaf, axis, side);
}

static inline lanes4 load4(const float *from)
{
	lanes4 v;
	memcpy(&v, from, sizeof v);
	return v;
}

static inline lanes4 size_of(lanes4 v)
{
	return (lanes4)((mask4)v & 0x7fffffff);
}

static inline lanes4 select4(mask4 which, lanes4 yes, lanes4 no)
{
	return (lanes4)((which & (mask4)yes) | (~which & (mask4)no));
}

// Absolute values of four distances along z; `folded` marks where walls meet. Distances are clamped to the band and not
// used there.
static inline lanes4 look_at_row(const float *own, float fold, float band, mask4 *folded)
{
	const lanes4 v[7] = {load4(own),      load4(own - 100), load4(own + 100), load4(own - 10),
			     load4(own + 10), load4(own - 1),   load4(own + 1)};
	lanes4 x = v[2] - v[1], y = v[4] - v[3], z = v[6] - v[5], most = size_of(v[0]);
	for (int k = 1; k < 7; k++)
		most = select4(size_of(v[k]) > most, size_of(v[k]), most);
	*folded |= (x * x + y * y + z * z < fold) & (most < band);
	return size_of(v[0]);
}

static int8_t halves_of(float cells, float sign)
{
	int8_t halves = (int8_t)fmaxf(fminf(2.0f * cells, 127.0f), 0.0f);
	return sign < 0.0f ? (int8_t)-halves : halves;
}

// Maximum distance from a place to its nearest voxel, in cells: half a diagonal.
#define OFF_VOXEL 0.9f

static void look_at_leaf(const octant_work *w, const size_t leaf[3], const float values[512])
{
	const leaf_table *t = w->table;
	float cell = w->settings->cell, band = w->settings->band;
	padded_leaf pad;
	pad_leaf(&pad, t, leaf, values);
	for (size_t octant = 0; octant < 8; octant++)
	{
		size_t x = 4 * (octant >> 2), y = 4 * (octant >> 1 & 1), z = 4 * (octant & 1);
		mask4 folded = {0};
		lanes4 least = {band, band, band, band};
		for (size_t row = 0; row < 16; row++)
		{
			const float *first = &pad.at[x + (row >> 2) + 1][y + (row & 3) + 1][z + 1];
			lanes4 own = look_at_row(first, FOLD * 4.0f * cell * cell, 0.9999f * band, &folded);
			least = select4(own < least, own, least);
		}
		float nearest = fminf(fminf(least[0], least[1]), fminf(least[2], least[3]));
		int folds = folded[0] | folded[1] | folded[2] | folded[3];
		// an octant with room has all its voxels on one side
		size_t at = octant_of(t, 2 * leaf[0] + x / 4, 2 * leaf[1] + y / 4, 2 * leaf[2] + z / 4);
		t->octants[at] = (field_octant){halves_of(nearest / cell - OFF_VOXEL, values[64 * x + 8 * y + z]),
						folds ? FOLDED : 0};
		w->steps[at] = nearest < band ? 0 : MOST_STEPS;
	}
}

static void look_at_leaves(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const octant_work *w = context;
	const leaf_table *t = w->table;
	for (size_t entry = begin; entry < end; entry++)
	{
		size_t plane = (size_t)t->size[1] * t->size[2];
		const size_t leaf[3] = {entry / plane, entry % plane / t->size[2], entry % t->size[2]};
		float one;
		const float *values = values_at(t, leaf[0], leaf[1], leaf[2], &one);
		if (values)
		{
			look_at_leaf(w, leaf, values);
			continue;
		}
		for (size_t k = 0; k < 8; k++)
		{
			size_t at =
			    octant_of(t, 2 * leaf[0] + (k >> 2), 2 * leaf[1] + (k >> 1 & 1), 2 * leaf[2] + (k & 1));
			t->octants[at] = (field_octant){halves_of(fabsf(one) / w->settings->cell - OFF_VOXEL, one), 0};
			w->steps[at] = MOST_STEPS;
		}
	}
}

// Counts the octants from each octant outside the band to the nearest one in it, up to MOST_STEPS, in one forward and
// one backward sweep; each octant looks at the neighbours visited before it.
static void count_steps(const leaf_table *t, uint8_t *steps)
{
	const int64_t nx = 2 * (int64_t)t->size[0], ny = 2 * (int64_t)t->size[1], nz = 2 * (int64_t)t->size[2];
	for (int64_t way = 1; way >= -1; way -= 2)
		for (int64_t i = 0; i < nx; i++)
			for (int64_t j = 0; j < ny; j++)
				for (int64_t k = 0; k < nz; k++)
				{
					int64_t x = way > 0 ? i : nx - 1 - i, y = way > 0 ? j : ny - 1 - j,
						z = way > 0 ? k : nz - 1 - k;
					uint8_t *own = &steps[(x * ny + y) * nz + z], least = *own;
					if (least == 0)
						continue;
					for (int n = 0; n < 13; n++)
					{
						int64_t u = way * (n / 9 - 1), v = way * (n / 3 % 3 - 1),
							w = way * (n % 3 - 1);
						if (x + u < 0 || y + v < 0 || z + w < 0 || x + u >= nx || y + v >= ny ||
						    z + w >= nz)
							continue;
						uint8_t there = own[(u * ny + v) * nz + w];
						least = there + 1 < least ? (uint8_t)(there + 1) : least;
					}
					*own = least;
				}
}

// Marks the octants around one in which walls meet.
static void spread_fold(const leaf_table *t, size_t x, size_t y, size_t z)
{
	for (size_t n = 0; n < 27; n++)
	{
		size_t u = x + n / 9 - 1, v = y + n / 3 % 3 - 1, w = z + n % 3 - 1;
		if (u < 2 * (size_t)t->size[0] && v < 2 * (size_t)t->size[1] && w < 2 * (size_t)t->size[2])
			t->octants[octant_of(t, u, v, w)].folds |= NEAR;
	}
}

spate_result field_find_octants(leaf_table *t, const field_settings *settings, int threads, spate_error *error)
{
	size_t entries = (size_t)t->size[0] * t->size[1] * t->size[2], octants = 8 * entries;
	if (octants > MOST_OCTANTS)
		return SPATE_OK;
	t->octants = mem_alloc(octants * sizeof *t->octants);
	octant_work w = {t, settings, mem_alloc(octants)};
	if (!t->octants || !w.steps)
	{
		mem_free(w.steps);
		return error_memory(error, octants * (sizeof *t->octants + 1));
	}
	parallel_for(threads, entries, LEAVES_AT_A_TIME, look_at_leaves, &w);
	count_steps(t, w.steps);
	size_t at = 0;
	for (size_t x = 0; x < 2 * (size_t)t->size[0]; x++)
		for (size_t y = 0; y < 2 * (size_t)t->size[1]; y++)
			for (size_t z = 0; z < 2 * (size_t)t->size[2]; z++, at++)
			{
				field_octant *own = &t->octants[at];
				if (own->folds & FOLDED)
					spread_fold(t, x, y, z);
				// beyond the band, every octant on the way adds four cells
				float steps = (float)w.steps[at] - 1.0f;
				if (steps > 0.0f)
					own->room =
					    halves_of(settings->band / settings->cell - OFF_VOXEL + 4.0f * steps,
						      (float)own->room);
			}
	mem_free(w.steps);
	return SPATE_OK;
}
