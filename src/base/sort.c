// The radix sort moves keys between the caller's arrays (side 0) and a copy in scratch (side 1). Passes over memory
// cost far more than passes over cached data, so a long range is first split by the highest digit in which its keys
// differ:
//
//	count    every block of keys counts its digits            hist[block][digit]
//	places   running sum, digit by digit and block by block   -> where each block puts its first key of each digit
//	move     every block moves its keys to the other side
//
// until the parts fit the cache. There one thread sorts each part digit by digit from the lowest. Digits start at bits
// in which keys differ, so bits that all keys share cost nothing. Every move keeps the order of equal digits.
#include "base/sort.h"

#include "base/parallel.h"

#include <string.h>

enum
{
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
	PASSES = 64 / DIGIT_BITS,
	BLOCK = 16384,  // keys; of counting and moving
	CACHED = 32768, // keys; both sides of a range this long fit a core's cache
	FEW = 32,       // keys; insertion sort is faster up to this many
	ALIGNMENT = 64
};

void sort_counting(const uint32_t *keys, uint32_t count, uint32_t range, uint32_t *starts, uint32_t *order)
{
	memset(starts, 0, ((size_t)range + 1) * sizeof *starts);
	for (uint32_t i = 0; i < count; i++)
		starts[keys[i]]++;
	prefix_sum_u32(starts, (size_t)range + 1);
	for (uint32_t i = 0; i < count; i++)
		order[starts[keys[i]]++] = i;
	// every start has moved on to the next one
	memmove(starts + 1, starts, range * sizeof *starts);
	starts[0] = 0;
}

static size_t aligned(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static size_t block_count(size_t count)
{
	return (count + BLOCK - 1) / BLOCK;
}

size_t sort_radix_scratch(uint32_t count)
{
	if (count <= FEW)
		return 0;
	return aligned(count * sizeof(uint64_t)) + aligned(count * sizeof(uint32_t)) +
	       block_count(count) * DIGITS * sizeof(uint32_t);
}

typedef struct side
{
	uint64_t *keys;
	uint32_t *payload;
} side;

static void insert_sort(size_t count, uint64_t *keys, uint32_t *payload)
{
	for (size_t i = 1; i < count; i++)
	{
		uint64_t key = keys[i];
		uint32_t value = payload[i];
		size_t k = i;
		for (; k > 0 && keys[k - 1] > key; k--)
		{
			keys[k] = keys[k - 1];
			payload[k] = payload[k - 1];
		}
		keys[k] = key;
		payload[k] = value;
	}
}

static side part_of(side s, size_t begin)
{
	return (side){s.keys + begin, s.payload + begin};
}

static void copy(side to, side from, size_t count)
{
	memcpy(to.keys, from.keys, count * sizeof *to.keys);
	memcpy(to.payload, from.payload, count * sizeof *to.payload);
}

// Moves `count` keys; next[digit] is the place of the next key with that digit.
static void move(side to, side from, size_t count, int shift, uint32_t next[DIGITS])
{
	for (size_t i = 0; i < count; i++)
	{
		uint64_t key = from.keys[i];
		uint32_t place = next[key >> shift & (DIGITS - 1)]++;
		to.keys[place] = key;
		to.payload[place] = from.payload[i];
	}
}

// Sorts a short range by one thread, from the lowest digit. The keys are in `at`; they end in `home`, which is either
// `at` or `other`.
static void sort_cached(side at, side other, side home, size_t count)
{
	if (count <= FEW)
	{
		insert_sort(count, at.keys, at.payload);
		if (at.keys != home.keys)
			copy(home, at, count);
		return;
	}
	uint64_t differ = 0;
	for (size_t i = 0; i < count; i++)
		differ |= at.keys[i] ^ at.keys[0];

	// moving keys does not change how often a digit occurs, so one read counts digits for all passes
	uint32_t hist[PASSES][DIGITS];
	int shift[PASSES], passes = 0;
	for (; differ; passes++)
	{
		shift[passes] = __builtin_ctzll(differ);
		differ &= ~((uint64_t)(DIGITS - 1) << shift[passes]);
		memset(hist[passes], 0, sizeof hist[passes]);
	}
	for (size_t i = 0; i < count; i++)
		for (int p = 0; p < passes; p++)
			hist[p][at.keys[i] >> shift[p] & (DIGITS - 1)]++;

	for (int p = 0; p < passes; p++)
	{
		prefix_sum_u32(hist[p], DIGITS);
		move(other, at, count, shift[p], hist[p]);
		side swap = at;
		at = other;
		other = swap;
	}
	if (at.keys != home.keys)
		copy(home, at, count);
}

typedef struct job
{
	side sides[2];
	uint32_t (*hist)[DIGITS]; // per block: counts, then places
	int threads;
} job;

// State of splitting one range.
typedef struct split
{
	const job *job;
	side from, to, home;
	int shift;
	uint32_t starts[DIGITS + 1]; // of the parts
} split;

// Stores the bits in which the block's keys differ from the range's first key in the first two counters of the block.
static void find_differences(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	split *s = context;
	uint64_t differ = 0;
	for (size_t i = begin; i < end; i++)
		differ |= s->from.keys[i] ^ s->from.keys[0];
	uint32_t *words = s->job->hist[begin / BLOCK];
	words[0] = (uint32_t)differ;
	words[1] = (uint32_t)(differ >> 32);
}

static void count_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	split *s = context;
	uint32_t *hist = s->job->hist[begin / BLOCK];
	memset(hist, 0, sizeof *s->job->hist);
	for (size_t i = begin; i < end; i++)
		hist[s->from.keys[i] >> s->shift & (DIGITS - 1)]++;
}

static void move_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	split *s = context;
	move(s->to, part_of(s->from, begin), end - begin, s->shift, s->job->hist[begin / BLOCK]);
}

static void copy_block(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	split *s = context;
	copy(part_of(s->home, begin), part_of(s->from, begin), end - begin);
}

static void sort_parts(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	split *s = context;
	for (size_t digit = begin; digit < end; digit++)
	{
		size_t first = s->starts[digit], count = s->starts[digit + 1] - first;
		if (count <= CACHED)
			sort_cached(part_of(s->to, first), part_of(s->from, first), part_of(s->home, first), count);
	}
}

// Turns the blocks' counts into places, and notes where the parts start.
static void find_places(split *s, size_t blocks)
{
	uint32_t place = 0;
	for (size_t digit = 0; digit < DIGITS; digit++)
	{
		s->starts[digit] = place;
		for (size_t b = 0; b < blocks; b++)
		{
			uint32_t count = s->job->hist[b][digit];
			s->job->hist[b][digit] = place;
			place += count;
		}
	}
	s->starts[DIGITS] = place;
}

// Sorts keys [begin, begin + count), which are on side `at`, to side 0. Calls itself for parts that are still long;
// their keys share one digit more, so that it goes at most PASSES deep.
static void sort_range(const job *j, size_t begin, size_t count, int at)
{
	split s = {.job = j,
		   .from = part_of(j->sides[at], begin),
		   .to = part_of(j->sides[!at], begin),
		   .home = part_of(j->sides[0], begin)};
	if (count <= CACHED)
	{
		sort_cached(s.from, s.to, s.home, count);
		return;
	}
	size_t blocks = block_count(count);
	uint64_t differ = 0;
	parallel_for(j->threads, count, BLOCK, find_differences, &s);
	for (size_t b = 0; b < blocks; b++)
		differ |= (uint64_t)j->hist[b][1] << 32 | j->hist[b][0];
	if (!differ)
	{
		if (at != 0)
			parallel_for(j->threads, count, BLOCK, copy_block, &s);
		return;
	}

	// the digit that ends with the highest bit in which keys differ
	int top = 64 - __builtin_clzll(differ);
	s.shift = top > DIGIT_BITS ? top - DIGIT_BITS : 0;
	parallel_for(j->threads, count, BLOCK, count_block, &s);
	find_places(&s, blocks);
	parallel_for(j->threads, count, BLOCK, move_block, &s);

	parallel_for(j->threads, DIGITS, 1, sort_parts, &s);
	for (size_t digit = 0; digit < DIGITS; digit++)
		if (s.starts[digit + 1] - s.starts[digit] > CACHED)
			sort_range(j, begin + s.starts[digit], s.starts[digit + 1] - s.starts[digit], !at);
}

void sort_radix(int threads, uint32_t count, uint64_t *keys, uint32_t *payload, void *scratch)
{
	if (count <= FEW)
	{
		insert_sort(count, keys, payload);
		return;
	}
	char *spare_keys = scratch, *spare_payload = spare_keys + aligned(count * sizeof *keys);
	job j = {.sides = {{keys, payload}, {(uint64_t *)(void *)spare_keys, (uint32_t *)(void *)spare_payload}},
		 .hist = (uint32_t(*)[DIGITS])(void *)(spare_payload + aligned(count * sizeof *payload)),
		 .threads = threads};
	sort_range(&j, 0, count, 0);
}
