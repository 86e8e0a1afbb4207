#include "space/cell_sort.h"

#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "space/cells.h"

#include <string.h>

// A chunk is one thread's share of the rows. It numbers the leaves that it meets in order of appearance, in a small open
// hash table, and counts its rows in each.
struct sort_chunk
{
	ARRAY(uint64_t) keys;   // of leaves, by number
	ARRAY(uint32_t) counts; // rows, by number; later the next free slot
	ARRAY(uint32_t) table;  // number + 1 by hash, 0 for free; capacity is a power of two
	size_t table_size;
	int failed;      // out of memory
	uint32_t stayed; // coherent sort: rows of this chunk that kept their key
};

void cell_sorter_free(cell_sorter *s)
{
	for (int c = 0; c < s->chunk_count; c++)
	{
		array_free(&s->chunks[c].keys);
		array_free(&s->chunks[c].counts);
		array_free(&s->chunks[c].table);
	}
	mem_free(s->chunks);
	array_free(&s->leaves);
	array_free(&s->entries);
	arena_free(&s->own);
	*s = (cell_sorter){0};
}

// The arena for arrays of this sort.
static arena *start_scratch(cell_sorter *s)
{
	if (s->lent)
		return s->lent;
	arena_reset(&s->own);
	return &s->own;
}

static int reserve_chunks(cell_sorter *s, int count)
{
	if (count <= s->chunk_count)
		return 1;
	sort_chunk *chunks = mem_realloc(s->chunks, (size_t)count * sizeof *chunks);
	if (!chunks)
		return 0;
	memset(chunks + s->chunk_count, 0, (size_t)(count - s->chunk_count) * sizeof *chunks);
	s->chunks = chunks;
	s->chunk_count = count;
	return 1;
}

static size_t slot_of(uint64_t leaf, size_t table_size)
{
	return (size_t)(leaf * 0x9e3779b97f4a7c15u >> 32) & (table_size - 1);
}

static int grow_table(sort_chunk *c)
{
	size_t size = c->table_size ? 2 * c->table_size : 1024;
	if (!array_reserve(&c->table, size))
		return 0;
	memset(c->table.data, 0, size * sizeof *c->table.data);
	c->table_size = size;
	for (size_t n = 0; n < c->keys.count; n++)
	{
		size_t slot = slot_of(c->keys.data[n], size);
		while (c->table.data[slot])
			slot = (slot + 1) & (size - 1);
		c->table.data[slot] = (uint32_t)n + 1;
	}
	return 1;
}

// Number of a leaf in the chunk, assigned on its first appearance; UINT32_MAX when out of memory.
static uint32_t number_leaf(sort_chunk *c, uint64_t leaf)
{
	if (2 * (c->keys.count + 1) > c->table_size && !grow_table(c))
		return UINT32_MAX;
	size_t slot = slot_of(leaf, c->table_size);
	for (; c->table.data[slot]; slot = (slot + 1) & (c->table_size - 1))
		if (c->keys.data[c->table.data[slot] - 1] == leaf)
			return c->table.data[slot] - 1;
	if (!array_push(&c->keys, leaf) || !array_push(&c->counts, 0))
		return UINT32_MAX;
	c->table.data[slot] = (uint32_t)c->keys.count;
	return (uint32_t)c->keys.count - 1;
}

typedef struct full_sort
{
	cell_sorter *sorter;
	const uint64_t *keys;
	const int64_t *ids;
	size_t chunk_size;
	uint32_t *order;
	uint64_t *sorted_keys;
	uint32_t *leaf_of; // leaf of each row, numbered within its chunk
	uint32_t *slots;   // rows in leaf order
} full_sort;

static void count_leaves(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	full_sort *f = context;
	sort_chunk *c = &f->sorter->chunks[begin / f->chunk_size];
	c->keys.count = c->counts.count = 0;
	c->failed = 0;
	if (c->table_size)
		memset(c->table.data, 0, c->table_size * sizeof *c->table.data);

	// neighbours in memory are neighbours in space, so the last leaf is nearly always the right one
	uint64_t last = UINT64_MAX;
	uint32_t number = 0;
	uint32_t *leaf_of = f->leaf_of;
	for (size_t i = begin; i < end; i++)
	{
		uint64_t leaf = f->keys[i] >> LEAF_KEY_SHIFT;
		if (leaf != last)
		{
			number = number_leaf(c, leaf);
			if (number == UINT32_MAX)
			{
				c->failed = 1;
				return;
			}
			last = leaf;
		}
		c->counts.data[number]++;
		leaf_of[i] = number;
	}
}

static void scatter_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	full_sort *f = context;
	uint32_t *next = f->sorter->chunks[begin / f->chunk_size].counts.data;
	const uint32_t *leaf_of = f->leaf_of;
	uint32_t *slots = f->slots;
	for (size_t i = begin; i < end; i++)
		slots[next[leaf_of[i]]++] = (uint32_t)i;
}

// Sorts rows by id: by insertion, which is cheap on the short and nearly sorted runs of a cell, or by heap sort when a cell is
// crowded.
static void sort_by_id(uint32_t *rows, uint32_t count, const int64_t *ids)
{
	if (count <= 48)
	{
		for (uint32_t k = 1; k < count; k++)
		{
			uint32_t row = rows[k], at = k;
			for (; at > 0 && ids[rows[at - 1]] > ids[row]; at--)
				rows[at] = rows[at - 1];
			rows[at] = row;
		}
		return;
	}
	for (uint32_t heap = count / 2, last = count; last > 1;)
	{
		uint32_t row;
		if (heap > 0)
			row = rows[--heap];
		else
		{
			row = rows[--last];
			rows[last] = rows[0];
		}
		uint32_t hole = heap;
		for (uint32_t child; (child = 2 * hole + 1) < last; hole = child)
		{
			child += child + 1 < last && ids[rows[child + 1]] > ids[rows[child]];
			if (ids[rows[child]] <= ids[row])
				break;
			rows[hole] = rows[child];
		}
		rows[hole] = row;
	}
}

static void sort_leaf(const full_sort *f, uint32_t begin, uint32_t end)
{
	const uint32_t *slots = f->slots;
	uint32_t starts[LEAF_CELLS + 1] = {0};
	for (uint32_t k = begin; k < end; k++)
		starts[(f->keys[slots[k]] & (LEAF_CELLS - 1)) + 1]++;
	starts[0] = begin;
	for (uint32_t c = 0; c < LEAF_CELLS; c++)
		starts[c + 1] += starts[c];
	for (uint32_t k = begin; k < end; k++)
		f->order[starts[f->keys[slots[k]] & (LEAF_CELLS - 1)]++] = slots[k];

	// starts[c] is now the end of cell c
	uint64_t leaf = f->keys[slots[begin]] & ~(uint64_t)(LEAF_CELLS - 1);
	for (uint32_t c = 0, first = begin; c < LEAF_CELLS && first < end; first = starts[c++])
	{
		sort_by_id(f->order + first, starts[c] - first, f->ids);
		for (uint32_t k = first; k < starts[c]; k++)
			f->sorted_keys[k] = leaf | c;
	}
}

static void sort_leaves(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const full_sort *f = context;
	for (size_t leaf = begin; leaf < end; leaf++)
		sort_leaf(f, f->sorter->leaves.data[leaf], f->sorter->leaves.data[leaf + 1]);
}

// One leaf of one chunk: its key, its chunk and its number there.
typedef struct leaf_entry
{
	uint64_t key;
	uint32_t chunk, number;
} leaf_entry;

static int entry_before(const leaf_entry *a, const leaf_entry *b)
{
	return a->key < b->key || (a->key == b->key && a->chunk < b->chunk);
}

// Bottom-up merge sort; the result may be in either half of the double-size buffer.
static leaf_entry *sort_entries(leaf_entry *entries, size_t count)
{
	leaf_entry *from = entries, *to = entries + count;
	for (size_t width = 1; width < count; width *= 2)
	{
		for (size_t begin = 0; begin < count; begin += 2 * width)
		{
			size_t middle = begin + width < count ? begin + width : count;
			size_t end = begin + 2 * width < count ? begin + 2 * width : count;
			for (size_t a = begin, b = middle, k = begin; k < end; k++)
				to[k] = b >= end || (a < middle && !entry_before(&from[b], &from[a])) ? from[a++]
												      : from[b++];
		}
		leaf_entry *swap = from;
		from = to;
		to = swap;
	}
	return from;
}

// Merges the chunks' leaves in key order and sets where each chunk puts its rows of each leaf. Returns the number of leaves, or
// UINT32_MAX when out of memory.
static uint32_t merge_leaves(cell_sorter *s, int chunks, uint32_t count)
{
	size_t total = 0;
	for (int c = 0; c < chunks; c++)
	{
		if (s->chunks[c].failed)
			return UINT32_MAX;
		total += s->chunks[c].keys.count;
	}
	if (!array_reserve(&s->entries, total * 2 * sizeof(leaf_entry) / sizeof(uint64_t)) ||
	    !array_reserve(&s->leaves, total + 1))
		return UINT32_MAX;
	leaf_entry *entries = (leaf_entry *)(void *)s->entries.data;
	size_t at = 0;
	for (int c = 0; c < chunks; c++)
		for (size_t n = 0; n < s->chunks[c].keys.count; n++)
			entries[at++] = (leaf_entry){s->chunks[c].keys.data[n], (uint32_t)c, (uint32_t)n};
	entries = sort_entries(entries, total);

	uint32_t next = 0, leaves = 0;
	for (size_t e = 0; e < total; e++)
	{
		if (e == 0 || entries[e].key != entries[e - 1].key)
			s->leaves.data[leaves++] = next;
		uint32_t *slot = &s->chunks[entries[e].chunk].counts.data[entries[e].number];
		uint32_t rows = *slot;
		*slot = next;
		next += rows;
	}
	s->leaves.data[leaves] = count;
	return leaves;
}

static int chunks_for(uint32_t count, int threads)
{
	int most = (int)(count / PARALLEL_BLOCK) + 1;
	return threads < 1 ? 1 : threads < most ? threads : most;
}

static spate_result sort_all(cell_sorter *s, arena *scratch, uint32_t count, const uint64_t *keys, const int64_t *ids,
			     int threads, uint32_t *order, uint64_t *sorted_keys, spate_error *error)
{
	if (count == 0)
		return SPATE_OK;
	int chunks = chunks_for(count, threads);
	full_sort f = {.sorter = s,
		       .keys = keys,
		       .ids = ids,
		       .chunk_size = (count + (size_t)chunks - 1) / (size_t)chunks,
		       .order = order,
		       .sorted_keys = sorted_keys,
		       .leaf_of = arena_alloc(scratch, count * sizeof *f.leaf_of),
		       .slots = arena_alloc(scratch, count * sizeof *f.slots)};
	if (!f.leaf_of || !f.slots || !reserve_chunks(s, chunks))
		return error_memory(error, (size_t)count * 8);
	chunks = (int)((count + f.chunk_size - 1) / f.chunk_size);
	parallel_for(threads, count, f.chunk_size, count_leaves, &f);
	uint32_t leaves = merge_leaves(s, chunks, count);
	if (leaves == UINT32_MAX)
		return error_memory(error, (size_t)count * 8);
	parallel_for(threads, count, f.chunk_size, scatter_rows, &f);
	parallel_for(threads, leaves, 4, sort_leaves, &f);
	return SPATE_OK;
}

spate_result cell_sort_full(cell_sorter *s, uint32_t count, const uint64_t *keys, const int64_t *ids, int threads,
			    uint32_t *order, uint64_t *sorted_keys, spate_error *error)
{
	return sort_all(s, start_scratch(s), count, keys, ids, threads, order, sorted_keys, error);
}

typedef struct coherent_sort
{
	cell_sorter *sorter;
	const uint64_t *keys, *old_keys;
	const int64_t *ids;
	uint32_t count, old_count, stayed, moved;
	size_t chunk_size;
	int chunks;
	uint32_t *order;
	uint64_t *sorted_keys;
	uint32_t *split; // rows that stayed, then rows that moved
	uint64_t *mover_keys, *sorted_mover_keys;
	int64_t *mover_ids;
	uint32_t *mover_order;
} coherent_sort;

static int has_stayed(const coherent_sort *c, size_t row)
{
	return row < c->old_count && c->keys[row] == c->old_keys[row];
}

static void count_stayed(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	coherent_sort *c = context;
	uint32_t stayed = 0;
	for (size_t i = begin; i < end; i++)
		stayed += (uint32_t)has_stayed(c, i);
	c->sorter->chunks[begin / c->chunk_size].stayed = stayed;
}

// Stable split: rows that stayed to the front of `split`, movers with key and id to the back.
static void split_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	coherent_sort *c = context;
	cell_sorter *s = c->sorter;
	size_t stayed = 0;
	for (size_t k = 0; k < begin / c->chunk_size; k++)
		stayed += s->chunks[k].stayed;
	size_t moved = begin - stayed;
	for (size_t i = begin; i < end; i++)
		if (has_stayed(c, i))
			c->split[stayed++] = (uint32_t)i;
		else
		{
			c->split[c->stayed + moved] = (uint32_t)i;
			c->mover_keys[moved] = c->keys[i];
			c->mover_ids[moved++] = c->ids[i];
		}
}

// The first of the sorted movers that does not come before the given stayed row.
static uint32_t movers_before(const coherent_sort *c, uint32_t row)
{
	const uint64_t *mover_keys = c->sorted_mover_keys;
	uint32_t low = 0, high = c->moved;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		int64_t id = c->mover_ids[c->mover_order[middle]];
		if (mover_keys[middle] < c->keys[row] || (mover_keys[middle] == c->keys[row] && id < c->ids[row]))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Merges one range of the stayed rows with the movers that fall into it.
static void merge_range(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	coherent_sort *c = context;
	const uint32_t *stayed = c->split, *movers = c->split + c->stayed;
	const uint64_t *mover_keys = c->sorted_mover_keys; // sorted
	uint32_t m = begin == 0 ? 0 : movers_before(c, stayed[begin]);
	uint32_t m_end = end == c->stayed ? c->moved : movers_before(c, stayed[end]);
	size_t a = begin, out = begin + m;
	while (a < end || m < m_end)
	{
		uint64_t key = a < end ? c->keys[stayed[a]] : UINT64_MAX;
		int take_mover =
		    m < m_end && (mover_keys[m] < key ||
				  (mover_keys[m] == key && c->mover_ids[c->mover_order[m]] < c->ids[stayed[a]]));
		c->order[out] = take_mover ? movers[c->mover_order[m]] : stayed[a];
		c->sorted_keys[out++] = take_mover ? mover_keys[m] : key;
		m += (uint32_t)take_mover;
		a += (size_t)!take_mover;
	}
}

spate_result cell_sort_coherent(cell_sorter *s, uint32_t count, const uint64_t *keys, const int64_t *ids,
				uint32_t old_count, const uint64_t *old_keys, int threads, uint32_t *order,
				uint64_t *sorted_keys, spate_error *error)
{
	if (count == 0)
		return SPATE_OK;
	int chunks = chunks_for(count, threads);
	arena *scratch = start_scratch(s);
	coherent_sort c = {.sorter = s,
			   .keys = keys,
			   .old_keys = old_keys,
			   .ids = ids,
			   .count = count,
			   .old_count = old_count,
			   .chunk_size = (count + (size_t)chunks - 1) / (size_t)chunks,
			   .order = order,
			   .sorted_keys = sorted_keys,
			   .split = arena_alloc(scratch, count * sizeof *c.split)};
	if (!c.split || !reserve_chunks(s, chunks))
		return error_memory(error, (size_t)count * 4);
	chunks = (int)((count + c.chunk_size - 1) / c.chunk_size);
	parallel_for(threads, count, c.chunk_size, count_stayed, &c);
	for (int k = 0; k < chunks; k++)
		c.stayed += s->chunks[k].stayed;
	c.moved = count - c.stayed;
	if (c.stayed == 0) // nothing to be coherent with
		return sort_all(s, scratch, count, keys, ids, threads, order, sorted_keys, error);
	size_t movers = c.moved + (size_t)1;
	c.mover_keys = arena_alloc(scratch, movers * sizeof *c.mover_keys);
	c.sorted_mover_keys = arena_alloc(scratch, movers * sizeof *c.sorted_mover_keys);
	c.mover_ids = arena_alloc(scratch, movers * sizeof *c.mover_ids);
	c.mover_order = arena_alloc(scratch, movers * sizeof *c.mover_order);
	if (!c.mover_keys || !c.sorted_mover_keys || !c.mover_ids || !c.mover_order)
		return error_memory(error, movers * 28);
	parallel_for(threads, count, c.chunk_size, split_rows, &c);
	spate_result result = sort_all(s, scratch, c.moved, c.mover_keys, c.mover_ids, threads, c.mover_order,
				       c.sorted_mover_keys, error);
	if (result == SPATE_OK)
		parallel_for(threads, c.stayed, c.chunk_size, merge_range, &c);
	return result;
}

typedef struct run_sort
{
	const uint64_t *sorted_keys;
	const int64_t *ids;
	uint32_t count;
	uint32_t *order;
} run_sort;

// Sorts by id the runs of equal keys that begin in a block; a run may end behind it.
static void sort_runs(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const run_sort *r = context;
	size_t row = begin;
	while (row > 0 && row < end && r->sorted_keys[row] == r->sorted_keys[row - 1])
		row++;
	while (row < end)
	{
		size_t next = row + 1;
		while (next < r->count && r->sorted_keys[next] == r->sorted_keys[row])
			next++;
		sort_by_id(r->order + row, (uint32_t)(next - row), r->ids);
		row = next;
	}
}

typedef struct row_copy
{
	const uint64_t *keys;
	uint64_t *sorted_keys;
	uint32_t *order;
} row_copy;

static void copy_rows(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const row_copy *c = context;
	for (size_t i = begin; i < end; i++)
	{
		c->sorted_keys[i] = c->keys[i];
		c->order[i] = (uint32_t)i;
	}
}

spate_result cell_sort_radix(cell_sorter *s, uint32_t count, const uint64_t *keys, const int64_t *ids, int threads,
			     uint32_t *order, uint64_t *sorted_keys, spate_error *error)
{
	size_t scratch = sort_radix_scratch(count);
	if (!array_reserve(&s->entries, scratch / sizeof(uint64_t) + 1))
		return error_memory(error, scratch);
	row_copy copy = {keys, sorted_keys, order};
	parallel_for(threads, count, PARALLEL_BLOCK, copy_rows, &copy);
	sort_radix(threads, count, sorted_keys, order, s->entries.data);
	run_sort runs = {sorted_keys, ids, count, order};
	parallel_for(threads, count, PARALLEL_BLOCK, sort_runs, &runs);
	return SPATE_OK;
}
