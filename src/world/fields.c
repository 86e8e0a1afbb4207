#include "world/fields.h"

#include "solver/solver.h"
#include "source/birth.h"
#include "world/channels.h"

#include <string.h>

// The tables in turn: core, material, automatic ones, then each solver's; 0 beyond the last.
static int table_at(uint32_t n, field_table *table, world_field *out)
{
	const struct
	{
		field_origin origin;
		field_table fields;
	} first[] = {{FIELD_OF_CORE, field_core},
		     {FIELD_OF_MATERIAL, material_fields},
		     {FIELD_AUTOMATIC, birth_fields},
		     {FIELD_AUTOMATIC, channel_fields}};
	const uint32_t count = sizeof first / sizeof *first;
	if (n < count)
	{
		*out = (world_field){.origin = first[n].origin};
		*table = first[n].fields;
		return 1;
	}
	const solver_type *solver = solver_table((int)(n - count));
	*out = (world_field){
	    .origin = FIELD_OF_SOLVER, .which = n - count, .by = solver ? solver_name((int)(n - count)) : NULL};
	if (solver)
		*table = solver->fields;
	return solver != NULL;
}

int world_field_at(uint32_t n, world_field *out)
{
	field_table table;
	for (uint32_t t = 0; table_at(t, &table, out); n -= table.count, t++)
	{
		if (n >= table.count)
			continue;
		out->def = &table.fields[n];
		if (out->origin == FIELD_OF_MATERIAL)
		{
			out->which = n;
			out->by = material_keys[n];
		}
		return 1;
	}
	return 0;
}

int world_field_find(const char *name, world_field *out)
{
	for (uint32_t n = 0; world_field_at(n, out); n++)
		if (strcmp(out->def->name, name) == 0)
			return 1;
	return 0;
}

const char *world_field_unit(const char *name)
{
	world_field field;
	return world_field_find(name, &field) ? field.def->unit : "";
}
