// What a particle field is: its name, type, unit and meaning, and who carries it. Tables of these come from the core (fields.def), from
// solvers and from features; store, sort, checkpoint, frame and docs follow from them.
#ifndef PARTICLES_FIELD_H
#define PARTICLES_FIELD_H

#include "spate/store.h"

// A table of fields as a module brings it.
typedef struct field_table
{
	const spate_field_def *fields;
	uint32_t count;
} field_table;

#endif
