#include "base/array.h"

int array_reserve_bytes(void **data, size_t *capacity, size_t want, size_t element)
{
	if (want <= *capacity)
		return 1;
	size_t grown = *capacity + *capacity / 2 + 16;
	if (grown < want)
		grown = want;
	void *fresh = mem_realloc(*data, mem_product(grown, element));
	if (!fresh)
		return 0;
	*data = fresh;
	*capacity = grown;
	return 1;
}
