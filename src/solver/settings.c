// Settings of a solver's own, over the rows that it brings.
#include "base/error.h"
#include "solver/solver.h"

#include <string.h>

uint32_t solver_setting_find(const solver_type *type, const char *name)
{
	uint32_t row = 0;
	while (row < type->settings.count && strcmp(type->settings.rows[row].name, name) != 0)
		row++;
	return row;
}

static spate_result refuse_name(const char *name, spate_error *error)
{
	for (int owner = 0; owner < SOLVER_COUNT; owner++)
	{
		const solver_type *type = solver_table(owner);
		if (solver_setting_find(type, name) < type->settings.count)
			return error_set(error, SPATE_MISSING, "%s belongs to the solver %s, not to this one", name,
					 solver_name(owner));
	}
	return error_set(error, SPATE_MISSING, "the solver has no setting '%.60s'", name);
}

static int is_word(const spate_setting *s, double value)
{
	for (const spate_word *word = s->words; word && word->name; word++)
		if (value == (double)word->value)
			return 1;
	return 0;
}

static spate_result check_value(const spate_setting *s, double value, spate_error *error)
{
	if (s->word && value == s->word_value)
		return SPATE_OK;
	if (s->kind == SPATE_SETTING_WORD)
		return is_word(s, value)
			   ? SPATE_OK
			   : error_set(error, SPATE_INVALID, "%s is none of its words but %g", s->name, value);
	if (!(value <= s->max && (s->above_min ? value > s->min : value >= s->min)))
		return error_set(error, SPATE_INVALID, "%s must be %s %g%s%g%s%s; here it is %g", s->name,
				 s->above_min ? "greater than" : "from", s->min,
				 s->above_min ? " and at most " : " to ", s->max, s->unit ? " " : "",
				 s->unit ? s->unit : "", value);
	if (s->kind == SPATE_SETTING_COUNT && value != floor(value))
		return error_set(error, SPATE_INVALID, "%s must be a whole number; here it is %g", s->name, value);
	return SPATE_OK;
}

void solver_fill_settings(const solver_type *type, spate_solver_def *def)
{
	for (uint32_t row = 0; row < type->settings.count; row++)
		if (isnan(def->own[row]))
			def->own[row] = type->settings.rows[row].initial;
}

spate_result solver_check_settings(const solver_type *type, const spate_solver_def *def, uint32_t *row,
				   spate_error *error)
{
	spate_solver_def filled = *def;
	solver_fill_settings(type, &filled);
	for (*row = 0; *row < type->settings.count; ++*row)
	{
		spate_result result = check_value(&type->settings.rows[*row], filled.own[*row], error);
		if (result != SPATE_OK)
			return result;
	}
	*row = 0;
	return type->check ? type->check(filled.own, row, error) : SPATE_OK;
}

spate_result solver_check_cameras(const solver_type *type, const spate_solver_def *def, uint32_t cameras, uint32_t *row,
				  spate_error *error)
{
	spate_solver_def filled = *def;
	solver_fill_settings(type, &filled);
	*row = type->needs_camera ? type->needs_camera(filled.own) : type->settings.count;
	if (*row == type->settings.count || cameras > 0)
		return SPATE_OK;
	const spate_setting *setting = &type->settings.rows[*row];
	const char *word = "";
	for (const spate_word *w = setting->words; w && w->name; w++)
		word = w->value == (int)filled.own[*row] ? w->name : word;
	return error_set(error, SPATE_INVALID, "%s %s needs a camera, and there is none", setting->name, word);
}

spate_result solver_set(const solver_type *type, spate_solver_def *def, const char *name, double value,
			spate_error *error)
{
	uint32_t row = solver_setting_find(type, name);
	if (row == type->settings.count)
		return refuse_name(name, error);
	spate_result result = check_value(&type->settings.rows[row], value, error);
	if (result == SPATE_OK)
		def->own[row] = value;
	return result;
}

// --------------------------------------------------------------------------------------------------------------- interface

static spate_result refuse(const void *def, const char *name, spate_error *error)
{
	return error_set(error, SPATE_INVALID, "%s",
			 def && name ? "the definition's solver is unknown"
				     : "a setting needs a definition and a name, not NULL");
}

const spate_setting *spate_solver_setting(int type, uint32_t n)
{
	const solver_type *solver = solver_table(type);
	return solver && n < solver->settings.count ? &solver->settings.rows[n] : NULL;
}

spate_result spate_solver_set(spate_solver_def *def, const char *name, double value, spate_error *error)
{
	const solver_type *type = def ? solver_table(def->type) : NULL;
	return type && name ? solver_set(type, def, name, value, error) : refuse(def, name, error);
}

spate_result spate_solver_get(const spate_solver_def *def, const char *name, double *value, spate_error *error)
{
	const solver_type *type = def ? solver_table(def->type) : NULL;
	if (!type || !name)
		return refuse(def, name, error);
	uint32_t row = solver_setting_find(type, name);
	if (row == type->settings.count)
		return refuse_name(name, error);
	*value = isnan(def->own[row]) ? type->settings.rows[row].initial : def->own[row];
	return SPATE_OK;
}
