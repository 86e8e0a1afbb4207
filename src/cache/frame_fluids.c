#include "cache/frame_fluids.h"

#include "base/error.h"
#include "base/memory.h"
#include "cache/format.h"

#include <math.h>
#include <string.h>

enum
{
	FLUID_SPACING = 0,
	FLUID_NAME = 8,
	NAME_BYTES = FRAME_FLUID_BYTES - FLUID_NAME
};

_Static_assert(NAME_BYTES == sizeof((particle_fluid *)0)->name, "the name ends a record");

void frame_fluids_pack(const spate_fluid_def *fluids, uint32_t count, char *out)
{
	memset(out, 0, (size_t)count * FRAME_FLUID_BYTES);
	for (uint32_t f = 0; f < count; f++, out += FRAME_FLUID_BYTES)
	{
		format_put(out, FLUID_SPACING, double, fluids[f].spacing);
		if (fluids[f].name)
			memcpy(out + FLUID_NAME, fluids[f].name, strnlen(fluids[f].name, NAME_BYTES - 1));
	}
}

static int has_blob(const spate_frame *frame)
{
	spate_frame_entry entry;
	for (uint32_t n = 0; spate_frame_blob_at(frame, n, &entry) == SPATE_OK; n++)
		if (strcmp(entry.name, FRAME_FLUIDS) == 0)
			return 1;
	return 0;
}

spate_result frame_fluids_read(spate_frame *frame, particle_fluid **fluids, uint32_t *count, spate_error *error)
{
	const void *data;
	size_t bytes;
	*fluids = NULL;
	*count = 0;
	if (!has_blob(frame))
		return SPATE_OK;
	spate_result result = spate_frame_blob(frame, FRAME_FLUIDS, &data, &bytes, error);
	if (result != SPATE_OK)
		return result;
	if (bytes == 0 || bytes % FRAME_FLUID_BYTES != 0)
		return error_set(error, SPATE_FORMAT, "the names of fluids have %zu bytes, no multiple of %d", bytes,
				 FRAME_FLUID_BYTES);
	*count = (uint32_t)(bytes / FRAME_FLUID_BYTES);
	*fluids = mem_calloc(*count, sizeof **fluids);
	if (!*fluids)
		return error_memory(error, *count * sizeof **fluids);
	for (uint32_t f = 0; f < *count && result == SPATE_OK; f++)
	{
		const char *at = (const char *)data + (size_t)f * FRAME_FLUID_BYTES;
		particle_fluid *fluid = &(*fluids)[f];
		format_get(at, FLUID_SPACING, &fluid->spacing);
		memcpy(fluid->name, at + FLUID_NAME, NAME_BYTES);
		fluid->name[NAME_BYTES - 1] = '\0';
		if (!(fluid->spacing > 0.0 && fluid->spacing < INFINITY))
			result = error_set(error, SPATE_FORMAT, "the spacing of fluid %u is not positive", f);
	}
	if (result == SPATE_OK)
		return result;
	mem_free(*fluids);
	*fluids = NULL;
	*count = 0;
	return result;
}
