// The fields that worlds may have, known before there is a world: for scene files, pages and units.
#ifndef WORLD_FIELDS_H
#define WORLD_FIELDS_H

#include "particles/material.h"

typedef enum field_origin
{
	FIELD_OF_CORE,     // every world has it
	FIELD_OF_MATERIAL, // worlds in which a source sets the property
	FIELD_AUTOMATIC,   // worlds that are asked for it
	FIELD_OF_SOLVER    // worlds with that solver
} field_origin;

typedef struct world_field
{
	const spate_field_def *def;
	field_origin origin;
	uint32_t which; // material_id or row of the table of solvers
	const char *by; // key of the source or name of the solver that brings it; NULL for the core and automatic ones
} world_field;

// The n-th of all fields; 0 beyond the last. Fields of different solvers may have the same name.
int world_field_at(uint32_t n, world_field *out);
// The first of a name; 0 when there is none.
int world_field_find(const char *name, world_field *out);
// Its unit; "" for none or an unknown field.
const char *world_field_unit(const char *name);

#endif
