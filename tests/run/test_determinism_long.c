// All cases of test_determinism.c: every number of threads up to four, more frames, stopped after each.
#define _GNU_SOURCE
#define DETERMINISM_ALL 1
#include "determinism_cases.h"
