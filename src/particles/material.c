#include "particles/material.h"

#include "base/error.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

#define X(id, member, channel, least, most) channel,
const char *const material_channels[MATERIAL_COUNT] = {MATERIAL_MAP(X)};
#undef X
#define X(id, member, channel, least, most) least,
const float material_least[MATERIAL_COUNT] = {MATERIAL_MAP(X)};
#undef X
#define X(id, member, channel, least, most) most,
const float material_most[MATERIAL_COUNT] = {MATERIAL_MAP(X)};
#undef X

double material_of_source(const spate_source_def *source, material_id id)
{
#define X(id, member, channel, least, most) source->material.member,
	const double values[MATERIAL_COUNT] = {MATERIAL_MAP(X)};
#undef X
	return values[id] >= 0.0 ? values[id] : -1.0;
}

static double of_fluid(const spate_fluid_def *fluid, material_id id)
{
#define X(id, member, channel, least, most) fluid->member,
	const double values[MATERIAL_COUNT] = {MATERIAL_MAP(X)};
#undef X
	return values[id];
}

static const store_channel *find(const spate_store *store, material_id id)
{
	for (size_t c = 0; c < store->channels.count; c++)
		if (strcmp(store->channels.data[c].name, material_channels[id]) == 0)
			return &store->channels.data[c];
	return NULL;
}

void material_look(material *m, const spate_store *store)
{
	m->home = store->home;
	for (material_id id = 0; id < MATERIAL_COUNT; id++)
	{
		const store_channel *channel = find(store, id);
		int usable = channel && channel->type == SPATE_FLOAT;
		m->values[id] = usable ? (const float *)(const void *)channel->data : NULL;
	}
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
		const store_channel *channel = find(store, id);
		if (!channel)
			continue;
		if (channel->type != SPATE_FLOAT)
			return error_set(error, SPATE_INVALID, "the channel '%s' is of type %s, the solver needs float",
					 channel->name, spate_type_name(channel->type));
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
		const store_channel *channel = find(store, id);
		if (!channel || channel->type != SPATE_FLOAT)
			continue;
		double own = material_of_source(source, id), value = own >= 0.0 ? own : of_fluid(fluid, id);
		// new rows are settled: their home is the row itself
		float *values = (float *)(void *)channel->data;
		for (uint32_t row = first; row < store->rows; row++)
			values[row] = (float)value;
	}
}
