#include "world/state.h"

#include "base/error.h"
#include "base/log.h"
#include "base/simd_level.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int is_amount(double value)
{
	return isfinite(value) && value >= 0.0;
}

// ---------------------------------------------------------------------------------------------------------- changes

// The changes of live keys, as text. Loading them brings the definition to what it was.
static void save_changes(const spate_world *w, byte_writer *to)
{
	char *text = world_changes_save(w, 1);
	size_t length = text ? strlen(text) : 0;
	bytes_put_u64(to, length);
	bytes_put(to, text, length);
	if (!text)
		to->missing = 1;
	mem_free(text);
}

static spate_result load_changes(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
				 spate_error *error)
{
	(void)from, (void)version;
	uint64_t length = bytes_get_u64(reader);
	if (reader->ran_out || length > reader->left)
	{
		reader->ran_out = 1;
		return SPATE_OK;
	}
	char *text = mem_alloc(length + 1);
	if (!text)
		return error_memory(error, length + 1);
	bytes_get(reader, text, length);
	text[length] = '\0';
	spate_result result = world_changes_load(w, text, error);
	mem_free(text);
	return result;
}

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

// --------------------------------------------------------------------------------------------------------- counters

static const byte_field counters_fields[] = {
    BYTE_FIELD(world_counters, step),
    BYTE_FIELD(world_counters, frame),
    BYTE_FIELD(world_counters, frame_step),
    BYTE_FIELD(world_counters, elapsed),
    BYTE_FIELD(world_counters, last_dt),
    BYTE_FIELD(world_counters, speed_max),
    BYTE_FIELD(world_counters, bulk_speed),
    BYTE_FIELD(world_counters, depth),
    BYTE_FIELD(world_counters, removed),
    BYTE_FIELD(world_counters, clamped),
    BYTE_FIELD(world_counters, runaways),
    BYTE_FIELD(world_counters, removed_by.sinks),
    BYTE_FIELD(world_counters, removed_by.too_fast),
    BYTE_FIELD(world_counters, removed_by.not_a_number),
    BYTE_FIELD(world_counters, removed_by.out_of_range),
};

static void save_counters(const spate_world *w, byte_writer *to)
{
	bytes_put_fields(to, counters_fields, COUNT(counters_fields), &w->state.counters);
}

// Whether the counters can be those of the header's moment.
static int times_agree(const spate_world *w, const state_header *header, const world_counters *c)
{
	double frame = 1.0 / w->model.def.fps;
	return header->frame == c->frame && header->time == c->frame / w->model.def.fps + c->elapsed &&
	       c->step >= c->frame && is_amount(c->elapsed) && c->elapsed < frame &&
	       (c->frame_step == 0) == (c->elapsed == 0.0) && c->step - c->frame >= c->frame_step;
}

// Describes a counter that is impossible for this definition; NULL if all are possible.
static const char *find_impossible(const spate_world *w, const state_source *from, const world_counters *c)
{
	const spate_removed_by *by = &c->removed_by;
	double limit = w->model.speed_limit * 1.001;
	uint64_t rows = from->header.rows, added = (uint64_t)w->state.store->next_id;
	if (from->whole_frames && (!times_agree(w, &from->header, c) || c->frame_step != 0))
		return "its counters are not those of the end of its frame";
	if (!times_agree(w, &from->header, c))
		return "its counters are not those of its time";
	if (memcmp(from->header.origin, w->model.origin, sizeof w->model.origin) != 0)
		return "its origin is not that of the scene";
	if (!is_amount(c->last_dt) || c->last_dt > 1.001 / w->model.def.fps || (c->step > 0 && c->last_dt == 0.0))
		return "the length of its last step is impossible";
	if (!is_amount(c->speed_max) || !is_amount(c->bulk_speed) || c->speed_max > limit || c->bulk_speed > limit)
		return "its highest speed is impossible";
	// a flat layer has a depth of zero, up to rounding
	if (!isfinite(c->depth) || c->depth < -(double)w->model.radius)
		return "its depth of the liquid is impossible";
	if (c->removed > added - rows || by->sinks > c->removed || by->too_fast > c->removed ||
	    by->not_a_number > c->removed || by->out_of_range > c->removed)
		return "it has more particles than ever came";
	return c->clamped > c->runaways ? "it slowed down more particles than were too fast" : NULL;
}

static spate_result load_counters(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
				  spate_error *error)
{
	(void)version;
	world_counters counters = {0};
	bytes_get_fields(reader, counters_fields, COUNT(counters_fields), &counters);
	const char *impossible = reader->ran_out ? NULL : find_impossible(w, from, &counters);
	if (impossible)
		return error_set(error, SPATE_FORMAT, "%s", impossible);
	w->state.counters = counters;
	return SPATE_OK;
}

// ----------------------------------------------------------------------------------------------------- the last step

static const byte_field stats_fields[] = {
    BYTE_FIELD(spate_step_stats, frame),
    BYTE_FIELD(spate_step_stats, step),
    BYTE_FIELD(spate_step_stats, time),
    BYTE_FIELD(spate_step_stats, dt),
    BYTE_FIELD(spate_step_stats, iterations),
    BYTE_FIELD(spate_step_stats, density_error_avg),
    BYTE_FIELD(spate_step_stats, density_error_max),
    BYTE_FIELD(spate_step_stats, kinetic_energy),
    BYTE_FIELD(spate_step_stats, potential_energy),
    BYTE_FIELD(spate_step_stats, momentum[0]),
    BYTE_FIELD(spate_step_stats, momentum[1]),
    BYTE_FIELD(spate_step_stats, momentum[2]),
    BYTE_FIELD(spate_step_stats, angular_momentum[0]),
    BYTE_FIELD(spate_step_stats, angular_momentum[1]),
    BYTE_FIELD(spate_step_stats, angular_momentum[2]),
    BYTE_FIELD(spate_step_stats, speed_max),
    BYTE_FIELD(spate_step_stats, outside),
};

static void save_stats(const spate_world *w, byte_writer *to)
{
	bytes_put_fields(to, stats_fields, COUNT(stats_fields), &w->work.stats);
}

static spate_result load_stats(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
			       spate_error *error)
{
	(void)from, (void)version, (void)error;
	w->work.stats = (spate_step_stats){0};
	bytes_get_fields(reader, stats_fields, COUNT(stats_fields), &w->work.stats);
	world_count(w);
	return SPATE_OK;
}

// ---------------------------------------------------------------------------------------------------------- sources

// The turns of each source, and the room that relaxing the fills left to a particle.
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
	}
}

static spate_result load_sources(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
				 spate_error *error)
{
	(void)from, (void)version;
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
	}
	if (reader->ran_out)
		return SPATE_OK;
	return source_set_check(sources, w->model.fluids, spate_world_time(w), w->state.counters.last_dt,
				(uint64_t)w->state.store->next_id, error);
}

// ----------------------------------------------------------------------------------------------------------- probes

static void save_probes(const spate_world *w, byte_writer *to)
{
	bytes_put_u32(to, w->model.def.probe_count);
	bytes_put_u32(to, w->model.column_count);
	bytes_put(to, w->state.flux, w->model.def.probe_count * sizeof *w->state.flux);
	bytes_put(to, w->state.values, w->model.column_count * sizeof *w->state.values);
}

static spate_result load_probes(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
				spate_error *error)
{
	(void)from, (void)version;
	uint32_t probes = bytes_get_u32(reader), columns = bytes_get_u32(reader);
	if (!reader->ran_out && (probes != w->model.def.probe_count || columns != w->model.column_count))
		return error_set(error, SPATE_FORMAT, "its probes are not those of the scene");
	bytes_get(reader, w->state.flux, w->model.def.probe_count * sizeof *w->state.flux);
	bytes_get(reader, w->state.values, w->model.column_count * sizeof *w->state.values);
	for (uint32_t p = 0; p < probes && !reader->ran_out; p++)
		if (!isfinite(w->state.flux[p]))
			return error_set(error, SPATE_FORMAT, "the volume that went through its probe %u is impossible",
					 p);
	return SPATE_OK;
}

// ------------------------------------------------------------------------------------------------------------ poses

// Only providers whose pose does not follow from the time have a state.
static void save_poses(const spate_world *w, byte_writer *to)
{
	const collider_set *set = &w->state.colliders;
	bytes_put_u32(to, set->count);
	for (uint32_t c = 0; c < set->count; c++)
	{
		double numbers[POSE_MOST_STATE];
		const pose_source *pose = &set->colliders[c].pose;
		if (pose->type->state_count > 0)
			pose->type->save(pose->self, numbers);
		bytes_put_text(to, pose->type->name);
		bytes_put(to, numbers, pose->type->state_count * sizeof *numbers);
	}
}

static spate_result load_poses(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
			       spate_error *error)
{
	(void)from, (void)version;
	collider_set *set = &w->state.colliders;
	uint32_t count = bytes_get_u32(reader);
	if (!reader->ran_out && count != set->count)
		return error_set(error, SPATE_FORMAT, "it has %u colliders, the scene has %u", count, set->count);
	// the length of the next step depends on where the colliders are; moving them changes what their providers remember
	double now = spate_world_time(w);
	spate_result result = collider_set_move(set, now - w->state.counters.last_dt, now, error);
	if (result != SPATE_OK)
		return result;
	for (uint32_t c = 0; c < count && !reader->ran_out; c++)
	{
		double numbers[POSE_MOST_STATE];
		char name[256];
		const pose_source *pose = &set->colliders[c].pose;
		bytes_get_text(reader, name);
		if (!reader->ran_out && strcmp(name, pose->type->name) != 0)
			return error_set(error, SPATE_FORMAT,
					 "the poses of collider %u came from '%s', those of the world come from '%s'",
					 c, name, pose->type->name);
		if (pose->type->state_count > 0 &&
		    bytes_get(reader, numbers, pose->type->state_count * sizeof *numbers) &&
		    !pose->type->load(pose->self, numbers))
			return error_set(error, SPATE_FORMAT, "the pose of collider %u is impossible", c);
	}
	return SPATE_OK;
}

static const byte_field load_numbers[] = {
    BYTE_FIELD(collider_load, linear[0]),  BYTE_FIELD(collider_load, linear[1]),  BYTE_FIELD(collider_load, linear[2]),
    BYTE_FIELD(collider_load, angular[0]), BYTE_FIELD(collider_load, angular[1]), BYTE_FIELD(collider_load, angular[2]),
    BYTE_FIELD(collider_load, dt),
};

// What the liquid gave to each collider, in the last substep and in the frame.
static void save_loads(const spate_world *w, byte_writer *to)
{
	uint32_t count = w->state.colliders.count;
	bytes_put_u32(to, w->model.loads ? count : 0);
	for (uint32_t c = 0; c < count && w->model.loads; c++)
	{
		bytes_put_fields(to, load_numbers, COUNT(load_numbers), &w->state.loads[c]);
		bytes_put_fields(to, load_numbers, COUNT(load_numbers), &w->state.frame_loads[c]);
	}
}

static spate_result load_loads(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
			       spate_error *error)
{
	(void)from, (void)version;
	uint32_t count = bytes_get_u32(reader);
	for (uint32_t c = 0; c < w->state.colliders.count; c++)
		w->state.loads[c] = w->state.frame_loads[c] = (collider_load){0};
	if (count != 0 && count != w->state.colliders.count)
		return error_set(error, SPATE_FORMAT, "it has the loads of %u colliders, the scene has %u", count,
				 w->state.colliders.count);
	for (uint32_t c = 0; c < count; c++)
	{
		bytes_get_fields(reader, load_numbers, COUNT(load_numbers), &w->state.loads[c]);
		bytes_get_fields(reader, load_numbers, COUNT(load_numbers), &w->state.frame_loads[c]);
	}
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------- wet maps

static void save_wet(const spate_world *w, byte_writer *to)
{
	bytes_put_u32(to, w->state.wet.count);
	for (uint32_t k = 0; k < w->state.wet.count; k++)
	{
		const wet_map *m = &w->state.wet.maps[k];
		size_t texels = (size_t)m->size * m->size;
		bytes_put_u32(to, m->collider);
		bytes_put_u32(to, m->size);
		bytes_put_u32(to, m->average != NULL);
		bytes_put(to, m->wetness, texels * sizeof *m->wetness);
		if (m->average)
			bytes_put(to, m->average, texels * sizeof *m->average);
	}
}

static spate_result load_texels(float *texels, size_t count, uint32_t number, byte_reader *reader, spate_error *error)
{
	bytes_get(reader, texels, count * sizeof *texels);
	for (size_t i = 0; i < count; i++)
		if (!isfinite(texels[i]))
			return error_set(error, SPATE_FORMAT, "texel %zu of the wet map of collider %u is not a number",
					 i, number);
	return SPATE_OK;
}

static spate_result load_wet(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
			     spate_error *error)
{
	(void)from, (void)version;
	uint32_t count = bytes_get_u32(reader);
	if (!reader->ran_out && count != w->state.wet.count)
		return error_set(error, SPATE_FORMAT, "it has %u wet maps, the scene has %u", count,
				 w->state.wet.count);
	spate_result result = SPATE_OK;
	for (uint32_t k = 0; k < count && !reader->ran_out && result == SPATE_OK; k++)
	{
		const wet_map *m = &w->state.wet.maps[k];
		uint32_t number = bytes_get_u32(reader), size = bytes_get_u32(reader), both = bytes_get_u32(reader);
		if (number != m->collider || size != m->size || both != (m->average != NULL))
			return error_set(error, SPATE_FORMAT, "the wet map of collider %u is not that of the scene",
					 number);
		result = load_texels(m->wetness, (size_t)size * size, number, reader, error);
		if (result == SPATE_OK && m->average)
			result = load_texels(m->average, (size_t)size * size, number, reader, error);
	}
	return result;
}

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
		result = world_keep_lists(w, margin, rows, error);
	return result;
}

// ---------------------------------------------------------------------------------------------------------- kernels

// The builds for AVX2 and AVX-512 give the same bits; the portable one differs, since it has no fused multiply-add.
static const char *kernels_of(simd_level level)
{
	return level == SIMD_PORTABLE ? "portable" : "fused";
}

static void save_kernels(const spate_world *w, byte_writer *to)
{
	bytes_put_text(to, kernels_of(w->model.simd));
}

static spate_result load_kernels(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
				 spate_error *error)
{
	(void)from, (void)version, (void)error;
	char name[256];
	bytes_get_text(reader, name);
	if (!reader->ran_out && strcmp(name, kernels_of(w->model.simd)) != 0)
		log_warning(
		    "the run was made with other kernels than this machine's (%s): from here on it agrees with an "
		    "uninterrupted one to round-off, not bit by bit",
		    simd_level_name(w->model.simd));
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------- the whole

enum
{
	SECTION_CHANGES,
	SECTION_PARTICLES,
	SECTION_COUNTERS
};

// In the order of loading: a section may rely on those above it.
const state_section state_sections[] = {
    [SECTION_CHANGES] = {"changes", 1, save_changes, load_changes},
    [SECTION_PARTICLES] = {"particles", 1, save_particles, load_particles},
    [SECTION_COUNTERS] = {"counters", 1, save_counters, load_counters},
    {"stats", 1, save_stats, load_stats},
    {"sources", 1, save_sources, load_sources},
    {"probes", 1, save_probes, load_probes},
    {"poses", 1, save_poses, load_poses},
    {"loads", 1, save_loads, load_loads},
    {"wet", 1, save_wet, load_wet},
    {"lists", 1, save_lists, load_lists},
    {"kernels", 1, save_kernels, load_kernels},
};

const uint32_t state_section_count = COUNT(state_sections);

state_header state_begin(spate_world *w)
{
	store_compact(w->state.store, w->model.threads);
	store_settle(w->state.store, w->model.threads);
	state_header header = {
	    .frame = w->state.counters.frame, .time = spate_world_time(w), .rows = w->state.store->rows};
	memcpy(header.origin, w->model.origin, sizeof header.origin);
	return header;
}

void state_save(const spate_world *w, const state_section *section, byte_writer *to)
{
	bytes_put_u32(to, section->version);
	section->save(w, to);
}

// Finds a section and reads its version.
static spate_result open_section(const state_section *section, const state_part *parts, uint32_t count,
				 uint32_t *version, byte_reader *reader, spate_error *error)
{
	uint32_t p = 0;
	while (p < count && strcmp(parts[p].name, section->name) != 0)
		p++;
	if (p == count)
		return error_set(error, SPATE_FORMAT, "it has no section '%s': it is of another version of Spate",
				 section->name);
	*reader = (byte_reader){.at = parts[p].data, .left = parts[p].size};
	*version = bytes_get_u32(reader);
	if (!reader->ran_out && (*version < 1 || *version > section->version))
		return error_set(error, SPATE_FORMAT,
				 "its section '%s' has version %u, and this version of Spate reads those up to %u",
				 section->name, *version, section->version);
	return SPATE_OK;
}

static spate_result close_section(const state_section *section, const byte_reader *reader, spate_error *error)
{
	if (!reader->ran_out && reader->left == 0)
		return SPATE_OK;
	return error_set(error, SPATE_FORMAT, "its section '%s' is too %s", section->name,
			 reader->ran_out ? "short" : "long");
}

static spate_result load_section(spate_world *w, const state_section *section, const state_source *from,
				 spate_error *error)
{
	uint32_t version = 0;
	byte_reader reader;
	spate_result result = open_section(section, from->parts, from->part_count, &version, &reader, error);
	if (result == SPATE_OK && !reader.ran_out)
		result = section->load(w, from, version, &reader, error);
	return result == SPATE_OK ? close_section(section, &reader, error) : result;
}

spate_result state_count(const state_part *parts, uint32_t count, world_counters *counters, uint64_t *added,
			 spate_error *error)
{
	uint32_t version = 0;
	byte_reader reader;
	spate_result result = open_section(&state_sections[SECTION_PARTICLES], parts, count, &version, &reader, error);
	if (result != SPATE_OK)
		return result;
	*added = bytes_get_u64(&reader);
	result = open_section(&state_sections[SECTION_COUNTERS], parts, count, &version, &reader, error);
	if (result != SPATE_OK)
		return result;
	bytes_get_fields(&reader, counters_fields, COUNT(counters_fields), counters);
	return close_section(&state_sections[SECTION_COUNTERS], &reader, error);
}

static spate_result refuse_unknown(const state_source *from, spate_error *error)
{
	for (uint32_t p = 0; p < from->part_count; p++)
	{
		uint32_t s = 0;
		while (s < state_section_count && strcmp(from->parts[p].name, state_sections[s].name) != 0)
			s++;
		if (s == state_section_count)
			return error_set(error, SPATE_FORMAT,
					 "it has a section '%s', which this version of Spate does not know",
					 from->parts[p].name);
	}
	return SPATE_OK;
}

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

// Fields that the world does not know are refused. Those that only a user of this world added keep their defaults.
static spate_result load_fields(spate_world *w, const state_source *from, spate_error *error)
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

spate_result state_load(spate_world *w, const state_source *from, spate_error *error)
{
	world_spoil(w, "restoring one failed");
	// which changes took effect depends on the step
	world_counters counters = {0};
	uint64_t added;
	spate_result result = state_count(from->parts, from->part_count, &counters, &added, error);
	w->state.counters.step = counters.step;
	for (uint32_t s = 0; s < state_section_count && result == SPATE_OK; s++)
		result = load_section(w, &state_sections[s], from, error);
	if (result == SPATE_OK)
		result = refuse_unknown(from, error);
	if (result == SPATE_OK)
		result = load_fields(w, from, error);
	if (result == SPATE_OK)
		w->work.unusable[0] = '\0';
	return result;
}

spate_result world_check_usable(const spate_world *w, spate_error *error)
{
	if (!w->work.unusable[0])
		return SPATE_OK;
	return error_set(error, SPATE_UNUSABLE, "the world is unusable until a snapshot is restored: %s",
			 w->work.unusable);
}

void world_spoil(spate_world *w, const char *why)
{
	snprintf(w->work.unusable, sizeof w->work.unusable, "%s", why);
}
