// Sections of the colliders: poses, what the liquid gave to them, wet maps.
#include "base/error.h"
#include "world/sections.h"

// ------------------------------------------------------------------------------------------------------------ poses

// Accuracy of times (s, and part of the time): frames end at rounded ones, substeps at sums.
#define ROUNDING 1e-9

// The time, to the bit, since the length of the next step depends on where the colliders are. Only providers whose pose does not follow
// from it have a state.
static void save_poses(const spate_world *w, byte_writer *to)
{
	const collider_set *set = &w->state.colliders;
	bytes_put_double(to, set->time);
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
	double time = bytes_get_double(reader), now = spate_world_time(w);
	uint32_t count = bytes_get_u32(reader);
	if (!(fabs(time - now) <= ROUNDING * (1.0 + now)))
		return error_set(error, SPATE_FORMAT, "its poses are those of another time");
	if (!reader->ran_out && count != set->count)
		return error_set(error, SPATE_FORMAT, "it has %u colliders, the scene has %u", count, set->count);
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
	return reader->ran_out ? SPATE_OK : collider_set_move(set, time, time, error);
}

const state_section section_poses = {"poses", 1, save_poses, load_poses};

// ------------------------------------------------------------------------------------------------------------ loads

static const byte_field load_numbers[] = {
    BYTE_FIELD(collider_load, linear[0]),
    BYTE_FIELD(collider_load, linear[1]),
    BYTE_FIELD(collider_load, linear[2]),
    BYTE_FIELD(collider_load, angular[0]),
    BYTE_FIELD(collider_load, angular[1]),
    BYTE_FIELD(collider_load, angular[2]),
    BYTE_FIELD(collider_load, dt),
    // since version 2
    BYTE_FIELD(collider_load, friction_linear[0]),
    BYTE_FIELD(collider_load, friction_linear[1]),
    BYTE_FIELD(collider_load, friction_linear[2]),
    BYTE_FIELD(collider_load, friction_angular[0]),
    BYTE_FIELD(collider_load, friction_angular[1]),
    BYTE_FIELD(collider_load, friction_angular[2]),
};

enum
{
	LOAD_NUMBERS_1 = 7 // of version 1
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
	(void)from;
	uint32_t count = bytes_get_u32(reader), numbers = version > 1 ? COUNT(load_numbers) : LOAD_NUMBERS_1;
	for (uint32_t c = 0; c < w->state.colliders.count; c++)
		w->state.loads[c] = w->state.frame_loads[c] = (collider_load){0};
	if (count != 0 && count != w->state.colliders.count)
		return error_set(error, SPATE_FORMAT, "it has the loads of %u colliders, the scene has %u", count,
				 w->state.colliders.count);
	for (uint32_t c = 0; c < count; c++)
	{
		bytes_get_fields(reader, load_numbers, numbers, &w->state.loads[c]);
		bytes_get_fields(reader, load_numbers, numbers, &w->state.frame_loads[c]);
	}
	return SPATE_OK;
}

const state_section section_loads = {"loads", 2, save_loads, load_loads};

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

const state_section section_wet = {"wet", 1, save_wet, load_wet};
