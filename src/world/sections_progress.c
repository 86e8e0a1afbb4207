// Sections of how far the simulation is: live changes, counters, statistics, probes, kernels.
#include "base/error.h"
#include "base/log.h"
#include "base/simd_level.h"
#include "world/sections.h"

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
	(void)version;
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
	if (result == SPATE_OK)
		world_restore_tracks(w, from->header.time);
	return result;
}

const state_section section_changes = {"changes", 1, save_changes, load_changes};

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

world_counters section_read_counters(byte_reader *reader)
{
	world_counters counters = {0};
	bytes_get_fields(reader, counters_fields, COUNT(counters_fields), &counters);
	return counters;
}

static int is_amount(double value)
{
	return isfinite(value) && value >= 0.0;
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
	const double *origin = from->header.origin, *own = w->model.origin;
	double limit = w->model.speed_limit * 1.001;
	uint64_t rows = from->header.rows, added = (uint64_t)w->state.store->next_id;
	if (from->whole_frames && (!times_agree(w, &from->header, c) || c->frame_step != 0))
		return "its counters are not those of the end of its frame";
	if (!times_agree(w, &from->header, c))
		return "its counters are not those of its time";
	if (origin[0] != own[0] || origin[1] != own[1] || origin[2] != own[2])
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
	world_counters counters = section_read_counters(reader);
	const char *impossible = reader->ran_out ? NULL : find_impossible(w, from, &counters);
	if (impossible)
		return error_set(error, SPATE_FORMAT, "%s", impossible);
	w->state.counters = counters;
	return SPATE_OK;
}

const state_section section_counters = {"counters", 1, save_counters, load_counters};

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

// From version 2 on, where the errors of the statistics are those after the last correction.
static const byte_field found_fields[] = {BYTE_FIELD(world_counters, error)};

static void save_stats(const spate_world *w, byte_writer *to)
{
	bytes_put_fields(to, stats_fields, COUNT(stats_fields), &w->work.stats);
	bytes_put_fields(to, found_fields, COUNT(found_fields), &w->state.counters);
}

static spate_result load_stats(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
			       spate_error *error)
{
	(void)from, (void)error;
	w->work.stats = (spate_step_stats){0};
	bytes_get_fields(reader, stats_fields, COUNT(stats_fields), &w->work.stats);
	w->state.counters.error = w->work.stats.density_error_avg;
	if (version >= 2)
		bytes_get_fields(reader, found_fields, COUNT(found_fields), &w->state.counters);
	world_count(w);
	return SPATE_OK;
}

const state_section section_stats = {"stats", 2, save_stats, load_stats};

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

const state_section section_probes = {"probes", 1, save_probes, load_probes};

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

const state_section section_kernels = {"kernels", 1, save_kernels, load_kernels};
