// Files of other programs that tests look at where they are at hand: below $SPATE_DATA, by default beside the repository.
#ifndef TESTS_DATA_H
#define TESTS_DATA_H

#include "check.h"

// The path of one of them, there or not; lives until the next call.
static inline const char *data_path(const char *name)
{
	static char path[2048];
	const char *data = getenv("SPATE_DATA"), *source = getenv("SPATE_SOURCE");
	if (data)
		snprintf(path, sizeof path, "%s/%s", data, name);
	else
		snprintf(path, sizeof path, "%s/../shared/%s", source ? source : ".", name);
	return path;
}

#endif
