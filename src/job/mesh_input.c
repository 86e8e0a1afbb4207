// Input of surfaces: the particles of a frame, of all fluids or of one, with the selected channels.
#include "base/error.h"
#include "base/memory.h"
#include "job/mesh_job.h"
#include "scene/buffer.h"

#include <stdio.h>
#include <string.h>

spate_result mesh_read_particles(const mesh_job *j, size_t n, particle_set *set, spate_error *error)
{
	const char *wanted[SPATE_MESH_JOB_MAX_CHANNELS + 1];
	uint32_t count = 0;
	for (; count < j->channel_count; count++)
		wanted[count] = j->channels[count];
	if (j->parts.data[0].fluid >= 0)
		wanted[count++] = "fluid";
	return particles_read(set, mesh_job_source(j, n).text, wanted, count, error);
}

void mesh_input_free(mesh_input *in)
{
	for (uint32_t i = 0; i < in->copy_count; i++)
		mem_free(in->copies[i]);
	mem_free(in->rows);
}

// The method for interfaces between particles has no clip box, so particles outside it are removed first.
static int is_in_box(const mesh_job *j, const particle_set *set, size_t row)
{
	const spate_surface_def *d = &j->def->surface;
	if (!d->clip || j->def->interfaces != SPATE_MESH_INTERFACES_CHROMATIC)
		return 1;
	int inside = 1;
	for (size_t k = 0; k < 3; k++)
	{
		double x = (double)set->points->positions[3 * row + k] + set->origin[k];
		inside &= x >= d->clip_min[k] && x <= d->clip_max[k];
	}
	return inside;
}

// The fluid of a particle, from a channel that another program may have written; -1 for an impossible value.
static int fluid_of(const spate_mesh_channel *fluid, size_t row)
{
	float value = fluid->values[row * fluid->components];
	return value >= 0.0f && value < (float)MESH_MOST_FLUIDS ? (int)value : -1;
}

static spate_result choose_rows(mesh_input *in, const mesh_job *j, size_t n, const mesh_part *part,
				const particle_set *set, spate_error *error)
{
	const spate_mesh_channel *fluid = spate_mesh_find_channel(set->points, "fluid");
	uint32_t all = set->points->vertex_count;
	in->count = all;
	if (part->fluid < 0 || all == 0)
		return SPATE_OK;
	if (!fluid)
		return error_set(
		    error, SPATE_INVALID,
		    "%s has no channel 'fluid' to tell the fluids apart by; add fluid to output.channels of the "
		    "scene and run it again",
		    mesh_job_source(j, n).text);
	in->rows = mem_alloc((size_t)all * sizeof *in->rows);
	if (!in->rows)
		return error_memory(error, (size_t)all * sizeof *in->rows);
	in->count = 0;
	for (uint32_t i = 0; i < all; i++)
		if (fluid_of(fluid, i) == part->fluid && is_in_box(j, set, i))
			in->rows[in->count++] = i;
	return SPATE_OK;
}

// Values of the chosen rows; NULL when out of memory.
static const float *take(mesh_input *in, const float *values, uint32_t components)
{
	if (!in->rows)
		return values;
	size_t size = components * sizeof(float);
	float *copy = mem_alloc(((size_t)in->count + 1) * size);
	if (!copy)
		return NULL;
	in->copies[in->copy_count++] = copy;
	for (size_t i = 0; i < in->count; i++)
		memcpy(copy + i * components, values + (size_t)in->rows[i] * components, size);
	return copy;
}

// Colours of the fluids, for frames without colours of their own.
static const float *paint(mesh_input *in, const mesh_job *j, const mesh_part *part)
{
	float *copy = mem_alloc(((size_t)in->count + 1) * 3 * sizeof(float));
	if (!copy)
		return NULL;
	in->copies[in->copy_count++] = copy;
	const double *color = j->scene.world.fluids[part->fluid > 0 ? part->fluid : 0].color;
	for (size_t i = 0; i < 3 * (size_t)in->count; i++)
		copy[i] = (float)color[i % 3];
	return copy;
}

static spate_result no_channel(const mesh_job *j, size_t n, const char *name, const spate_mesh *points,
			       spate_error *error)
{
	buffer there = {0};
	particle_set all = {0};
	if (particles_read(&all, mesh_job_source(j, n).text, NULL, 0, NULL) == SPATE_OK)
		points = all.points;
	for (uint32_t i = 0; i < points->channel_count; i++)
		buffer_add(&there, "%s%s", i ? ", " : "", points->channels[i].name);
	spate_result result =
	    error_set(error, SPATE_INVALID, "%s has no channel '%s' for `channels`; it has %.200s",
		      mesh_job_source(j, n).text, name, there.text && *there.text ? there.text : "none");
	particles_free(&all);
	buffer_free(&there);
	return result;
}

static spate_result add_channels(mesh_input *in, const mesh_job *j, size_t n, const mesh_part *part,
				 const particle_set *set, spate_error *error)
{
	for (uint32_t i = 0; i < j->channel_count; i++)
	{
		spate_surface_channel *to = &in->channels[in->input.channel_count];
		const spate_mesh_channel *from = spate_mesh_find_channel(set->points, j->channels[i]);
		int painted = !from && j->has_scene && strcmp(j->channels[i], "color") == 0;
		if (!from && !painted && !j->channels_given)
			continue;
		if (!from && !painted)
			return no_channel(j, n, j->channels[i], set->points, error);
		*to = (spate_surface_channel){.name = j->channels[i], .components = painted ? 3 : from->components};
		to->values = painted ? paint(in, j, part) : take(in, from->values, from->components);
		if (!to->values)
			return error_memory(error, (size_t)in->count * to->components * sizeof(float));
		in->input.channel_count++;
	}
	in->input.channels = in->channels;
	return SPATE_OK;
}

spate_result mesh_input_init(mesh_input *in, const mesh_job *j, size_t n, const mesh_part *part,
			     const particle_set *set, spate_error *error)
{
	*in = (mesh_input){.rows = NULL};
	spate_result result = choose_rows(in, j, n, part, set, error);
	if (result != SPATE_OK)
		return result;
	in->input.count = in->count;
	in->input.spacing = part->spacing;
	in->input.positions = take(in, set->points->positions, 3);
	if (!in->input.positions)
		return error_memory(error, (size_t)in->count * 3 * sizeof(float));
	return add_channels(in, j, n, part, set, error);
}
