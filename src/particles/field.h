// Descriptions of particle fields. A module that brings fields has a const table of them; a store is made with the core's table, and a world
// adds those of its solver and of the features in use.
#ifndef PARTICLES_FIELD_H
#define PARTICLES_FIELD_H

#include "spate/store.h"

typedef struct field_table
{
	const spate_field_def *fields;
	uint32_t count;
} field_table;

// Table of an array.
#define FIELD_TABLE(array)                             \
	{                                              \
		array, sizeof(array) / sizeof *(array) \
	}

// fields.def, in its order.
extern const field_table field_core;

// Fails with a sentence if a definition cannot be one of a field.
spate_result field_def_check(const spate_field_def *def, spate_error *error);

#endif
