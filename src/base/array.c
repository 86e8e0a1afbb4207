#include "base/array.h"

#include <string.h>

int array_reserve_bytes(void *data, size_t *capacity, size_t want, size_t element)
{
	if (want <= *capacity)
		return 1;
	size_t grown = *capacity + *capacity / 2 + 16;
	if (grown < want)
		grown = want;

	// the array's pointer is typed by its elements, so it is copied as bytes and not accessed through a void **
	void *block;
	memcpy(&block, data, sizeof block);
	block = mem_realloc(block, mem_product(grown, element));
	if (!block)
		return 0;
	memcpy(data, &block, sizeof block);
	*capacity = grown;
	return 1;
}
