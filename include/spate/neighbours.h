#ifndef SPATE_NEIGHBOURS_H
#define SPATE_NEIGHBOURS_H
#include "spate/result.h"
#endif
