// Constraints that a program has added. They belong to the host like pose callbacks: snapshots do not hold them.
#include "base/error.h"
#include "world/world.h"

#include <string.h>

spate_constraint_def spate_default_constraint_def(void)
{
	return (spate_constraint_def){0};
}

uint32_t spate_world_constraint_count(const spate_world *w)
{
	return w ? (uint32_t)w->constraints.count : 0;
}

// The number of the constraint of a name; their count if there is none.
static size_t find(const spate_world *w, const char *name)
{
	size_t c = 0;
	while (c < w->constraints.count && strcmp(w->constraints.data[c].name, name) != 0)
		c++;
	return c;
}

static spate_result check(const spate_world *w, const char *name, const char *function, spate_error *error)
{
	if (!w || !name || !*name)
		return error_set(error, SPATE_INVALID, "%s needs a world and a name", function);
	if (strlen(name) >= CONSTRAINT_NAME)
		return error_set(error, SPATE_INVALID, "%s: the name has %zu bytes; at most %d are possible", function,
				 strlen(name), CONSTRAINT_NAME - 1);
	if (w->stepping)
		return error_set(error, SPATE_BUSY, "%s cannot be called inside a step", function);
	return SPATE_OK;
}

spate_result spate_world_add_constraint(spate_world *w, const spate_constraint_def *def, spate_error *error)
{
	const char *function = "spate_world_add_constraint";
	spate_result result = check(w, def ? def->name : NULL, function, error);
	if (result != SPATE_OK)
		return result;
	if (!def->project)
		return error_set(error, SPATE_INVALID, "%s: the constraint '%s' has no function", function, def->name);
	size_t count = w->constraints.count, at = count;
	if (find(w, def->name) < count)
		return error_set(error, SPATE_EXISTS, "%s: there is already a constraint '%s'", function, def->name);
	if (!array_reserve(&w->constraints, count + 1))
		return error_memory(error, (count + 1) * sizeof *w->constraints.data);
	// behind all that are not above it
	for (; at > 0 && w->constraints.data[at - 1].priority > def->priority; at--)
		w->constraints.data[at] = w->constraints.data[at - 1];
	w->constraints.data[at] =
	    (constraint){.priority = def->priority, .project = def->project, .context = def->context};
	strcpy(w->constraints.data[at].name, def->name);
	w->constraints.count++;
	return SPATE_OK;
}

spate_result spate_world_remove_constraint(spate_world *w, const char *name, spate_error *error)
{
	const char *function = "spate_world_remove_constraint";
	spate_result result = check(w, name, function, error);
	if (result != SPATE_OK)
		return result;
	size_t at = find(w, name);
	if (at == w->constraints.count)
		return error_set(error, SPATE_MISSING, "%s: there is no constraint '%s'", function, name);
	w->constraints.count--;
	for (; at < w->constraints.count; at++)
		w->constraints.data[at] = w->constraints.data[at + 1];
	return SPATE_OK;
}
