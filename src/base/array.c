#include "base/array.h"

#include <string.h>

int array_reserve_bytes(void *data, size_t *capacity, size_t want, size_t element)
{
	if (want <= *capacity)
		return 1;
	size_t grown = *capacity + *capacity / 2 + 16;
	if (grown < want)
		grown = want;

	// the pointer has the type of its elements: it is read and written as bytes, never through a void **
	void *block;
	memcpy(&block, data, sizeof block);
	block = mem_realloc(block, mem_product(grown, element));
	if (!block)
		return 0;
	memcpy(data, &block, sizeof block);
	*capacity = grown;
	return 1;
}
