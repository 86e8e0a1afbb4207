#include "particles/material.h"

#include "base/error.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

static const float of_the_fluid = -1.0f;

static const spate_field_def fields[] = {
#define X(id, member, field, unit_, least, most, meaning_)                                                         \
	{field,        SPATE_FLOAT, unit_, meaning_, SPATE_FIELD_SAVED | SPATE_FIELD_PUBLISHED | SPATE_FIELD_HALO, \
	 &of_the_fluid},
    MATERIAL_MAP(X)
#undef X
};
const field_table material_fields = FIELD_TABLE(fields);

#define X(id, member, field, unit, least, most, meaning) #member,
const char *const material_keys[MATERIAL_COUNT] = {MATERIAL_MAP(X)};
#undef X
#define X(id, member, field, unit, least, most, meaning) least,
const float material_least[MATERIAL_COUNT] = {MATERIAL_MAP(X)};
#undef X
#define X(id, member, field, unit, least, most, meaning) most,
const float material_most[MATERIAL_COUNT] = {MATERIAL_MAP(X)};
#undef X

double material_of_source(const spate_source_def *source, material_id id)
{
#define X(id, member, field, unit, least, most, meaning) source->material.member,
	const double values[MATERIAL_COUNT] = {MATERIAL_MAP(X)};
#undef X
	return values[id] >= 0.0 ? values[id] : -1.0;
}

double material_of_fluid(const spate_fluid_def *fluid, material_id id)
{
#define X(id, member, field, unit, least, most, meaning) fluid->member,
	const double values[MATERIAL_COUNT] = {MATERIAL_MAP(X)};
#undef X
	return values[id];
}

static const store_field *find(const spate_store *store, material_id id)
{
	return store_find(store, fields[id].name);
}

// Values by home; NULL when there are none or not of the kind that is needed.
static float *values_of(const store_field *field)
{
	int usable = field && field->type == SPATE_FLOAT && !store_is_hot(field);
	return usable ? (float *)(void *)field->data : NULL;
}

void material_look(material *m, const spate_store *store)
{
	m->home = store->home;
	for (material_id id = 0; id < MATERIAL_COUNT; id++)
		m->values[id] = values_of(find(store, id));
}

void material_include(material *m, material_id id, double value)
{
	if (!(value >= 0.0 && value < INFINITY))
		return;
	m->low[id] = fmin(m->low[id], value);
	m->high[id] = fmax(m->high[id], value);
}

typedef struct extremes
{
	const material *material;
	const spate_store *store;
	material_id id;
	double sign; // -1 for the lowest
} extremes;

static double largest(void *context, size_t begin, size_t end)
{
	const extremes *e = context;
	double most = -INFINITY;
	for (size_t row = begin; row < end; row++)
	{
		double value = e->store->dead[row] ? -1.0 : material_value(e->material, e->id, row, -1.0);
		if (value >= 0.0)
			most = fmax(most, e->sign * value);
	}
	return most;
}

spate_result material_survey(material *m, const spate_store *store, int threads, spate_error *error)
{
	material_look(m, store);
	for (material_id id = 0; id < MATERIAL_COUNT; id++)
	{
		m->low[id] = INFINITY;
		m->high[id] = -1.0;
		const store_field *field = find(store, id);
		if (!field)
			continue;
		if (!values_of(field))
			return error_set(
			    error, SPATE_INVALID, "the field '%s' is a %s %s, the solver needs a float that is not hot",
			    field->name, store_is_hot(field) ? "hot" : "cold", spate_type_name(field->type));
		extremes e = {m, store, id, 1.0};
		material_include(m, id, parallel_max(threads, store->rows, largest, &e));
		e.sign = -1.0;
		material_include(m, id, -parallel_max(threads, store->rows, largest, &e));
	}
	return SPATE_OK;
}

void material_assign(spate_store *store, uint32_t first, const spate_source_def *source, const spate_fluid_def *fluid)
{
	for (material_id id = 0; id < MATERIAL_COUNT; id++)
	{
		float *values = values_of(find(store, id));
		double own = material_of_source(source, id), value = own >= 0.0 ? own : material_of_fluid(fluid, id);
		// new rows are settled: their home is the row itself
		for (uint32_t row = first; values && row < store->rows; row++)
			values[row] = (float)value;
	}
}
