// Spatial hashing: every particle is in the chain of its cell's slot; a search walks the chains of 27 cells. Different cells may
// share a slot, so the cell of each particle is stored and compared.
#include "base/memory.h"
#include "bench/pair_search.h"

#include <string.h>

typedef struct hash_cell
{
	int32_t x, y, z;
} hash_cell;

struct spatial_hash
{
	uint32_t size;   // slots, a prime
	uint32_t *first; // particle + 1 by slot, 0 for none
	uint32_t *next;  // the same by particle
	hash_cell *cells;
	float inverse; // of a cell's edge
};

static uint32_t next_prime(uint32_t n)
{
	for (n |= 1;; n += 2)
	{
		uint32_t divisor = 3;
		while (divisor <= n / divisor && n % divisor != 0)
			divisor += 2;
		if (divisor > n / divisor)
			return n;
	}
}

static uint32_t slot_of(const spatial_hash *h, hash_cell c)
{
	return ((uint32_t)c.x * 73856093u ^ (uint32_t)c.y * 19349663u ^ (uint32_t)c.z * 83492791u) % h->size;
}

static void fill(spatial_hash *h, const pair_input *input)
{
	memset(h->first, 0, h->size * sizeof *h->first);
	for (uint32_t i = 0; i < input->count; i++)
	{
		vec4 p = input->positions[i];
		hash_cell c = {(int32_t)(p.x * h->inverse), (int32_t)(p.y * h->inverse), (int32_t)(p.z * h->inverse)};
		uint32_t slot = slot_of(h, c);
		h->cells[i] = c;
		h->next[i] = h->first[slot];
		h->first[slot] = i + 1;
	}
}

// Adds the neighbours of particle i that are in one cell.
static void search_cell(const spatial_hash *h, const pair_input *input, uint32_t i, hash_cell c, uint64_t *pairs,
			uint64_t *sum)
{
	float radius2 = input->radius * input->radius;
	vec4 p = input->positions[i];
	for (uint32_t link = h->first[slot_of(h, c)]; link; link = h->next[link - 1])
	{
		uint32_t j = link - 1;
		hash_cell other = h->cells[j];
		if (other.x == c.x && other.y == c.y && other.z == c.z && j != i &&
		    pair_near(p, input->positions[j], radius2))
		{
			++*pairs;
			*sum += j;
		}
	}
}

static pair_count search(const spatial_hash *h, const pair_input *input)
{
	pair_count found = {0};
	for (uint32_t i = 0; i < input->count; i++)
	{
		hash_cell c = h->cells[i];
		uint64_t sum = 0;
		for (int32_t z = c.z - 1; z <= c.z + 1; z++)
			for (int32_t y = c.y - 1; y <= c.y + 1; y++)
				for (int32_t x = c.x - 1; x <= c.x + 1; x++)
					search_cell(h, input, i, (hash_cell){x, y, z}, &found.pairs, &sum);
		found.checksum += (i + (uint64_t)1) * sum;
	}
	return found;
}

spatial_hash *spatial_hash_create(uint32_t count)
{
	spatial_hash *h = mem_calloc(1, sizeof *h);
	if (!h)
		return NULL;
	h->size = next_prime(2 * count + 1);
	h->first = mem_alloc(h->size * sizeof *h->first);
	h->next = mem_alloc(((size_t)count + 1) * sizeof *h->next);
	h->cells = mem_alloc(((size_t)count + 1) * sizeof *h->cells);
	if (h->first && h->next && h->cells)
		return h;
	spatial_hash_destroy(h);
	return NULL;
}

void spatial_hash_destroy(spatial_hash *h)
{
	if (!h)
		return;
	mem_free(h->first);
	mem_free(h->next);
	mem_free(h->cells);
	mem_free(h);
}

pair_count spatial_hash_search(spatial_hash *h, const pair_input *input)
{
	h->inverse = 1.0f / pair_cell(input->radius);
	fill(h, input);
	return search(h, input);
}
