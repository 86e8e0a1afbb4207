#include "world/fields.h"

#include "solver/solver.h"

#include <string.h>

// The tables in turn: core, material, then each solver's; 0 beyond the last.
static int table_at(uint32_t n, field_table *table, world_field *out)
{
	*out = (world_field){.origin = n == 0 ? FIELD_OF_CORE : n == 1 ? FIELD_OF_MATERIAL : FIELD_OF_SOLVER};
	if (out->origin == FIELD_OF_SOLVER)
		out->which = n - 2;
	const solver_type *solver = out->origin == FIELD_OF_SOLVER ? solver_table((int)out->which) : NULL;
	out->by = solver ? solver_name((int)out->which) : NULL;
	*table = solver ? solver->fields : n == 0 ? field_core : material_fields;
	return n < 2 || solver;
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
