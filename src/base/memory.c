#define _GNU_SOURCE
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum
{
	ALIGNMENT = 64,
	HUGE_PAGE = 2 << 20
};

// Sits in the 64 bytes in front of every block.
typedef struct header
{
	size_t bytes;
} header;

// Statistics of the allocator. The process has one heap, so they are global.
static struct
{
	atomic_uint_fast64_t calls, blocks, bytes, peak, fail_in;
} books;

mem_stats mem_get_stats(void)
{
	return (mem_stats){.calls = books.calls, .blocks = books.blocks, .bytes = books.bytes, .peak = books.peak};
}

uint64_t mem_reset_peak(void)
{
	uint64_t bytes = books.bytes;
	books.peak = bytes;
	return bytes;
}

uint64_t mem_fail_at(uint64_t n)
{
	return atomic_exchange(&books.fail_in, n);
}

// Whether the test hook wants an allocation to fail.
static int must_fail(void)
{
	uint_fast64_t left = books.fail_in;
	while (left > 0)
		if (atomic_compare_exchange_weak(&books.fail_in, &left, left - 1))
			return left == 1;
	return 0;
}

static void enter(size_t bytes)
{
	atomic_fetch_add_explicit(&books.blocks, 1, memory_order_relaxed);
	uint_fast64_t now = atomic_fetch_add_explicit(&books.bytes, bytes, memory_order_relaxed) + bytes;
	uint_fast64_t peak = books.peak;
	while (now > peak && !atomic_compare_exchange_weak(&books.peak, &peak, now))
		;
}

static header *header_of(void *block)
{
	return (header *)(void *)((char *)block - ALIGNMENT);
}

void *mem_alloc(size_t bytes)
{
	atomic_fetch_add_explicit(&books.calls, 1, memory_order_relaxed);
	if (must_fail() || bytes == 0 || bytes > SIZE_MAX / 2)
		return NULL;
	size_t total = (bytes + 2 * ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	int huge = total >= 2 * (size_t)HUGE_PAGE;
	char *base = aligned_alloc(huge ? HUGE_PAGE : ALIGNMENT,
				   huge ? (total + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1) : total);
	if (!base)
		return NULL;
	if (huge)
		madvise(base, total, MADV_HUGEPAGE);
	((header *)(void *)base)->bytes = bytes;
	enter(bytes);
	return base + ALIGNMENT;
}

size_t mem_product(size_t count, size_t size)
{
	size_t bytes;
	return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

void *mem_calloc(size_t count, size_t size)
{
	size_t bytes = mem_product(count, size);
	void *block = mem_alloc(bytes);
	if (block)
		memset(block, 0, bytes);
	return block;
}

void *mem_realloc(void *block, size_t bytes)
{
	void *fresh = mem_alloc(bytes);
	if (fresh && block)
	{
		size_t old = header_of(block)->bytes;
		memcpy(fresh, block, old < bytes ? old : bytes);
		mem_free(block);
	}
	return fresh;
}

void mem_free(void *block)
{
	if (!block)
		return;
	header *h = header_of(block);
	atomic_fetch_sub_explicit(&books.blocks, 1, memory_order_relaxed);
	atomic_fetch_sub_explicit(&books.bytes, h->bytes, memory_order_relaxed);
	free(h);
}

char *mem_strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = mem_alloc(bytes);
	if (copy)
		memcpy(copy, text, bytes);
	return copy;
}

struct arena_block
{
	arena_block *older;
	size_t size, used;
	_Alignas(ALIGNMENT) char data[];
};

void arena_init(arena *a)
{
	*a = (arena){0};
}

void arena_free(arena *a)
{
	for (arena_block *block = a->block, *older; block; block = older)
	{
		older = block->older;
		mem_free(block);
	}
	*a = (arena){0};
}

static arena_block *add_block(arena *a, size_t size)
{
	arena_block *block = mem_alloc(sizeof *block + size);
	if (!block)
		return NULL;
	*block = (arena_block){.older = a->block, .size = size};
	a->block = block;
	return block;
}

void *arena_alloc(arena *a, size_t bytes)
{
	if (bytes > SIZE_MAX / 4 || must_fail())
		return NULL;
	bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	arena_block *block = a->block;
	if (!block || block->size - block->used < bytes)
	{
		// at least doubles what is in use, so that a growing step chains few blocks
		size_t size = bytes > a->used ? bytes : a->used;
		if (!(block = add_block(a, size)))
			return NULL;
	}
	void *memory = block->data + block->used;
	block->used += bytes;
	a->used += bytes;
	if (a->used > a->high_water)
		a->high_water = a->used;
	return memory;
}

void arena_reset(arena *a)
{
	a->used = 0;
	if (a->block && a->block->older)
	{
		size_t high_water = a->high_water;
		arena_free(a);
		a->high_water = high_water;
		// a quarter more, because demand creeps up with the data; on failure the next arena_alloc tries again
		add_block(a, high_water + high_water / 4);
	}
	if (a->block)
		a->block->used = 0;
}
