// One frame or checkpoint: its header, its channels with the range of their values, its blobs.
#include "job/info.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>

static double value_at(const void *data, spate_type type, size_t index)
{
	switch (type)
	{
	case SPATE_INT32:
		return ((const int32_t *)data)[index];
	case SPATE_INT64:
		return (double)((const int64_t *)data)[index];
	default:
		return (double)((const float *)data)[index];
	}
}

static spate_value_range range_of(const void *data, spate_type type, uint64_t count, uint32_t component)
{
	spate_value_range r = {INFINITY, -INFINITY, 0.0, 0};
	uint32_t components = spate_type_components(type);
	for (uint64_t i = 0; i < count; i++)
	{
		double value = value_at(data, type, (size_t)(i * components + component));
		if (!isfinite(value))
		{
			r.not_finite++;
			continue;
		}
		r.low = fmin(r.low, value);
		r.high = fmax(r.high, value);
		r.mean += value;
	}
	r.mean /= (double)(count - r.not_finite);
	return r;
}

static spate_result read_channel(spate_frame *frame, uint32_t n, int quick, spate_channel_info *out, spate_error *error)
{
	spate_frame_entry channel;
	const void *data = NULL;
	spate_frame_channel_at(frame, n, &channel);
	*out = (spate_channel_info){.type = channel.type, .count = channel.count, .stored = channel.stored};
	snprintf(out->name, sizeof out->name, "%s", channel.name);
	if (quick)
		return SPATE_OK;
	spate_result result = spate_frame_channel(frame, channel.name, NULL, &data, error);
	if (result != SPATE_OK || !data)
		return result;
	out->components = spate_type_components(channel.type);
	for (uint32_t c = 0; c < out->components; c++)
		out->range[c] = range_of(data, channel.type, channel.count, c);
	return SPATE_OK;
}

static spate_result read_entries(spate_frame *frame, int quick, spate_frame_info *out, spate_error *error)
{
	uint32_t channels = spate_frame_channel_count(frame), blobs = spate_frame_blob_count(frame);
	out->channels = mem_calloc(channels + 1u, sizeof *out->channels);
	out->blobs = mem_calloc(blobs + 1u, sizeof *out->blobs);
	if (!out->channels || !out->blobs)
		return error_memory(error, channels * sizeof *out->channels + blobs * sizeof *out->blobs);
	spate_result result = SPATE_OK;
	for (uint32_t n = 0; n < channels && result == SPATE_OK; n++)
		result = read_channel(frame, n, quick, &out->channels[out->channel_count++], error);
	for (uint32_t n = 0; n < blobs; n++)
	{
		spate_frame_entry blob;
		spate_frame_blob_at(frame, n, &blob);
		spate_blob_info *to = &out->blobs[out->blob_count++];
		*to = (spate_blob_info){.bytes = blob.count, .stored = blob.stored};
		snprintf(to->name, sizeof to->name, "%s", blob.name);
	}
	return result;
}

spate_result info_read_frame(const spate_info_def *def, spate_frame_info *out, spate_error *error)
{
	spate_frame *frame = NULL;
	spate_result result = spate_frame_open(def->path, &frame, error);
	if (result != SPATE_OK)
		return result;
	spate_frame_set_threads(frame, def->job.threads);
	if (!def->quick)
		result = spate_frame_verify(frame, error);
	if (result == SPATE_OK)
	{
		out->kind = spate_frame_get_kind(frame);
		out->number = spate_frame_number(frame);
		out->time = spate_frame_time(frame);
		out->particles = spate_frame_count(frame);
		out->bytes = spate_frame_bytes(frame);
		spate_frame_origin(frame, out->origin);
		result = read_entries(frame, def->quick, out, error);
	}
	spate_frame_close(frame);
	return result;
}
