// Growing arrays: a typed struct and three macros.
//
//	ARRAY(int) numbers = {0};
//	if (!array_push(&numbers, 7)) ...out of memory...
//	array_free(&numbers);
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include "base/memory.h"

#define ARRAY(type)                     \
	struct                          \
	{                               \
		type *data;             \
		size_t count, capacity; \
	}

// Makes room for a total of `want` elements. Returns 0 when out of memory, and then nothing has changed. `data` is the
// address of the array's pointer, of any type.
int array_reserve_bytes(void *data, size_t *capacity, size_t want, size_t element);

#define array_reserve(array, want)      \
	((want) <= (array)->capacity || \
	 array_reserve_bytes(&(array)->data, &(array)->capacity, (want), sizeof *(array)->data))

#define array_push(array, ...) \
	(array_reserve((array), (array)->count + 1) && ((array)->data[(array)->count++] = (__VA_ARGS__), 1))

#define array_free(array)                               \
	do                                              \
	{                                               \
		mem_free((array)->data);                \
		(array)->data = NULL;                   \
		(array)->count = (array)->capacity = 0; \
	} while (0)

#endif
