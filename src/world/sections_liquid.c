// Sections of the liquid: particles, sources, neighbour lists.
#include "base/error.h"
#include "world/sections.h"

// -------------------------------------------------------------------------------------------------------- particles

// The next id, and the fields that users added: a world that does not have them gets them.
static void save_particles(const spate_world *w, byte_writer *to)
{
	const spate_store *store = w->state.store;
	uint32_t users = 0;
	for (size_t f = 0; f < store->fields.count; f++)
		users += !store->fields.data[f].built_in;
	bytes_put_u64(to, (uint64_t)store->next_id);
	bytes_put_u32(to, users);
	for (size_t f = 0; f < store->fields.count; f++)
	{
		const store_field *field = &store->fields.data[f];
		if (field->built_in)
			continue;
		bytes_put_text(to, field->name);
		bytes_put_text(to, field->unit);
		bytes_put_text(to, field->meaning);
		bytes_put_u32(to, field->type);
		bytes_put_u32(to, field->flags);
		bytes_put(to, field->initial, field->size);
	}
}

static spate_result load_field(spate_world *w, byte_reader *reader, spate_error *error)
{
	char name[256], unit[256], meaning[256], initial[STORE_SLAB];
	bytes_get_text(reader, name);
	bytes_get_text(reader, unit);
	bytes_get_text(reader, meaning);
	spate_field_def def = {.name = name, .unit = unit, .meaning = meaning, .initial = initial};
	def.type = (spate_type)bytes_get_u32(reader);
	def.flags = bytes_get_u32(reader);
	if (!bytes_get(reader, initial, spate_type_size(def.type)))
		return SPATE_OK; // the caller notices
	const store_field *own = store_find(w->state.store, name);
	if (!own)
		return spate_store_add_field(w->state.store, &def, error);
	if (own->type != def.type || own->flags != def.flags)
		return error_set(error, SPATE_FORMAT, "its field '%s' is not like the world's", name);
	return SPATE_OK;
}

static spate_result load_particles(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
				   spate_error *error)
{
	(void)version;
	int64_t next_id = (int64_t)bytes_get_u64(reader);
	if (next_id < 0 || from->header.rows > (uint64_t)next_id)
		return error_set(error, SPATE_FORMAT, "it has more particles than ever came");
	if (from->header.rows > STORE_MAX_ROWS)
		return error_set(error, SPATE_FORMAT, "it has more particles than fit into a world");
	spate_result result = SPATE_OK;
	for (uint32_t left = bytes_get_u32(reader); left > 0 && !reader->ran_out && result == SPATE_OK; left--)
		result = load_field(w, reader, error);
	if (result == SPATE_OK)
		result = store_restore_begin(w->state.store, (uint32_t)from->header.rows, next_id, error);
	return result;
}

const state_section section_particles = {"particles", 1, save_particles, load_particles};

// ---------------------------------------------------------------------------------------------------------- sources

// The turns of each source, the room that relaxing the fills left to a particle, and what sinks have taken.
static void save_sources(const spate_world *w, byte_writer *to)
{
	const source_set *sources = &w->state.sources;
	bytes_put_double(to, w->state.room);
	bytes_put_u32(to, sources->count);
	for (uint32_t s = 0; s < sources->count; s++)
	{
		bytes_put_u64(to, sources->states[s].emitted);
		bytes_put_u64(to, sources->states[s].turns);
		bytes_put_double(to, sources->states[s].since);
		bytes_put_double(to, sources->states[s].base);
		bytes_put_double(to, sources->states[s].last);
	}
	bytes_put_u32(to, w->model.def.sink_count);
	for (uint32_t s = 0; s < w->model.def.sink_count; s++)
	{
		bytes_put_u64(to, w->state.sinks[s].removed);
		bytes_put_double(to, w->state.sinks[s].owed);
	}
}

// What the sinks have taken; version 1 does not say.
static spate_result load_sinks(spate_world *w, uint32_t version, byte_reader *reader, spate_error *error)
{
	uint32_t own = w->model.def.sink_count, count = version > 1 ? bytes_get_u32(reader) : own;
	if (!reader->ran_out && count != own)
		return error_set(error, SPATE_FORMAT, "it has %u sinks, the scene has %u", count, own);
	for (uint32_t s = 0; s < own && !reader->ran_out; s++)
	{
		sink_state *state = &w->state.sinks[s];
		state->removed = version > 1 ? bytes_get_u64(reader) : 0;
		state->owed = version > 1 ? bytes_get_double(reader) : 0.0;
		if (!reader->ran_out && (!(state->owed >= 0.0) || !isfinite(state->owed) ||
					 state->removed > (uint64_t)w->state.store->next_id))
			return error_set(error, SPATE_FORMAT, "sink %u cannot have taken %llu particles", s,
					 (unsigned long long)state->removed);
	}
	return SPATE_OK;
}

static spate_result load_sources(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
				 spate_error *error)
{
	(void)from;
	source_set *sources = &w->state.sources;
	double room = bytes_get_double(reader);
	uint32_t count = bytes_get_u32(reader);
	if (reader->ran_out)
		return SPATE_OK;
	if (!(room > 0.0 && room <= 1.0))
		return error_set(error, SPATE_FORMAT, "a particle cannot have %g of its volume", room);
	if (count != sources->count)
		return error_set(error, SPATE_FORMAT, "it has %u sources, the scene has %u", count, sources->count);
	w->state.room = room;
	for (uint32_t s = 0; s < count; s++)
	{
		sources->states[s].emitted = bytes_get_u64(reader);
		sources->states[s].turns = bytes_get_u64(reader);
		sources->states[s].since = bytes_get_double(reader);
		sources->states[s].base = version > 1 ? bytes_get_double(reader) : 0.0;
		sources->states[s].last = version > 1 ? bytes_get_double(reader) : 0.0;
	}
	spate_result result = load_sinks(w, version, reader, error);
	if (reader->ran_out || result != SPATE_OK)
		return result;
	return source_set_check(sources, w->model.fluids, spate_world_time(w), w->state.counters.last_dt,
				(uint64_t)w->state.store->next_id, error);
}

const state_section section_sources = {"sources", 2, save_sources, load_sources};

// ------------------------------------------------------------------------------------------------------------ lists

// Lists that the next substep may use again are part of the state: with new ones it would add in another order. They are saved as they
// are, since those beside thin walls depend on where the walls were.
static void save_lists(const spate_world *w, byte_writer *to)
{
	const world_work *work = &w->work;
	int kept = world_lists_kept(w);
	bytes_put_u32(to, kept ? (uint32_t)work->listed.count : 0);
	if (!kept)
		return;
	bytes_put(to, &work->margin, sizeof work->margin);
	bytes_put(to, work->listed.data, work->listed.count * sizeof *work->listed.data);
	neighbour_list_save(&work->list, to);
}

static spate_result load_lists(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
			       spate_error *error)
{
	(void)version;
	world_forget_lists(w);
	uint32_t rows = bytes_get_u32(reader);
	float margin = 0.0f;
	if (rows == 0)
		return SPATE_OK;
	if (rows != from->header.rows || w->state.counters.frame_step == 0)
		return error_set(error, SPATE_FORMAT, "its neighbour lists are those of other particles");
	bytes_get(reader, &margin, sizeof margin);
	if (!(margin > 0.0f && margin <= w->model.radius))
		return error_set(error, SPATE_FORMAT, "the margin of its neighbour lists, %g m, is impossible",
				 (double)margin);
	if (!array_reserve(&w->work.listed, rows))
		return error_memory(error, rows * sizeof *w->work.listed.data);
	bytes_get(reader, w->work.listed.data, rows * sizeof *w->work.listed.data);
	spate_result result = neighbour_list_load(&w->work.list, rows, reader, error);
	if (result == SPATE_OK)
		world_keep_lists(w, margin, rows);
	return result;
}

const state_section section_lists = {"lists", 1, save_lists, load_lists};

// ----------------------------------------------------------------------------------------------------------- fields

static spate_result check_particles(const spate_world *w, spate_error *error)
{
	const spate_store *store = w->state.store;
	step_limits limits = world_get_limits(w);
	for (uint32_t row = 0; row < store->rows; row++)
	{
		vec4 x = store->position[row];
		if (store->id[row] < 0 || store->id[row] >= store->next_id)
			return error_set(error, SPATE_FORMAT, "row %u has an id, %lld, that no particle has yet", row,
					 (long long)store->id[row]);
		if (store->fluid[row] < 0 || (uint32_t)store->fluid[row] >= w->model.def.fluid_count)
			return error_set(error, SPATE_FORMAT,
					 "particle %lld is of fluid %d, which the scene does not have",
					 (long long)store->id[row], (int)store->fluid[row]);
		if (step_is_runaway(&limits, x, store->velocity[row]) || !isfinite(store->pressure[row]) ||
		    !isfinite(store->density[row]))
			return error_set(error, SPATE_FORMAT, "particle %lld is beyond its limits",
					 (long long)store->id[row]);
	}
	return SPATE_OK;
}

spate_result section_load_fields(spate_world *w, const state_source *from, spate_error *error)
{
	spate_store *store = w->state.store;
	const store_field *field;
	const char *name;
	spate_type type;
	for (uint32_t n = 0; from->field(from->context, n, &name, &type); n++)
	{
		field = store_find(store, name);
		if (!field || !(field->flags & SPATE_FIELD_SAVED) || store_column_of(store, field).type != type)
			return error_set(error, SPATE_FORMAT,
					 "its field '%s' of type %s is unknown here: it is of another scene or of "
					 "another version of Spate",
					 name, spate_type_name(type));
	}
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; result == SPATE_OK && (field = store_nth(store, n, SPATE_FIELD_SAVED)); n++)
	{
		store_column c = store_column_of(store, field);
		result = from->copy(from->context, &c, error);
		if (result == SPATE_MISSING && !field->built_in)
			result = SPATE_OK;
		else if (result == SPATE_MISSING)
			result = error_set(
			    error, SPATE_FORMAT,
			    "it has no field '%s': it is of another scene or of another version of Spate", c.name);
	}
	return result == SPATE_OK ? check_particles(w, error) : result;
}
