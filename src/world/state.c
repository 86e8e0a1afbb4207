#include "world/state.h"

#include "base/error.h"
#include "world/sections.h"

#include <stdio.h>

// In the order of loading.
static const state_section *const sections[] = {
    &section_changes, &section_particles, &section_counters, &section_stats, &section_sources, &section_probes,
    &section_poses,   &section_loads,     &section_wet,      &section_lists, &section_kernels,
};

static void save_solver(const spate_world *w, byte_writer *to)
{
	w->model.solver_type->state->save(w->state.solver, to);
}

static spate_result load_solver(spate_world *w, const state_source *from, uint32_t version, byte_reader *reader,
				spate_error *error)
{
	(void)from;
	return w->model.solver_type->state->load(w->state.solver, version, reader, error);
}

state_section state_nth(const spate_world *w, uint32_t n)
{
	const solver_state *solver = w->model.solver_type->state;
	if (n < COUNT(sections))
		return *sections[n];
	if (n == COUNT(sections) && solver)
		return (state_section){solver->name, solver->version, save_solver, load_solver};
	// worlds without bodies keep the states of earlier versions
	if (n == COUNT(sections) + (solver != NULL) && w->state.bodies.count > 0)
		return section_bodies;
	if (n == COUNT(sections) + (solver != NULL) + 1 && w->state.bending.count > 0)
		return section_bending;
	return (state_section){0};
}

// ----------------------------------------------------------------------------------------------------------- saving

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

// ---------------------------------------------------------------------------------------------------------- loading

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
	spate_result result = open_section(&section_particles, parts, count, &version, &reader, error);
	if (result != SPATE_OK)
		return result;
	*added = bytes_get_u64(&reader); // the next id
	result = open_section(&section_counters, parts, count, &version, &reader, error);
	if (result != SPATE_OK)
		return result;
	*counters = section_read_counters(&reader);
	return close_section(&section_counters, &reader, error);
}

static int is_known(const spate_world *w, const char *name)
{
	state_section section;
	for (uint32_t n = 0; (section = state_nth(w, n)).name; n++)
		if (strcmp(section.name, name) == 0)
			return 1;
	return 0;
}

static spate_result load_sections(spate_world *w, const state_source *from, spate_error *error)
{
	spate_result result = SPATE_OK;
	state_section section;
	for (uint32_t n = 0; result == SPATE_OK && (section = state_nth(w, n)).name; n++)
		result = load_section(w, &section, from, error);
	for (uint32_t p = 0; p < from->part_count && result == SPATE_OK; p++)
		if (!is_known(w, from->parts[p].name))
			result = error_set(error, SPATE_FORMAT,
					   "it has a section '%s', which this version of Spate does not know",
					   from->parts[p].name);
	return result;
}

spate_result state_load(spate_world *w, const state_source *from, spate_error *error)
{
	log_target before = log_enter(w->log);
	world_spoil(w, "restoring one failed");
	// which changes took effect depends on the step
	world_counters counters = {0};
	uint64_t added;
	spate_result result = state_count(from->parts, from->part_count, &counters, &added, error);
	w->state.counters.step = counters.step;
	if (result == SPATE_OK)
		result = load_sections(w, from, error);
	if (result == SPATE_OK)
		result = section_load_fields(w, from, error);
	if (result == SPATE_OK)
		w->work.unusable[0] = '\0';
	log_leave(before);
	return result;
}

// ------------------------------------------------------------------------------------------------------- usability

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
