// The same bits on any number of threads and on AVX2 and AVX-512; close on the portable kernels.
#define _GNU_SOURCE
#define DETERMINISM_ALL 0
#include "determinism_cases.h"
