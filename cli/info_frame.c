// spate info FILE.spate: what one frame or checkpoint holds, with the range of every channel.
#include "cli/command.h"
#include "cli/info.h"
#include "cli/report.h"
#include "spate/frame.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct value_range
{
	double low, high, mean;
	uint64_t odd; // values that are NaN or infinite
} value_range;

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

static value_range range_of(const void *data, spate_type type, uint64_t count, uint32_t component)
{
	value_range r = {INFINITY, -INFINITY, 0.0, 0};
	uint32_t components = spate_type_components(type);
	for (uint64_t i = 0; i < count; i++)
	{
		double value = value_at(data, type, (size_t)(i * components + component));
		if (!isfinite(value))
		{
			r.odd++;
			continue;
		}
		r.low = fmin(r.low, value);
		r.high = fmax(r.high, value);
		r.mean += value;
	}
	r.mean /= (double)(count - r.odd);
	return r;
}

static const char *component_name(uint32_t components, uint32_t component)
{
	static const char *const names[] = {"x", "y", "z", "w"};
	return components > 1 ? names[component] : "";
}

// Everything about a frame, as text on stdout or as JSON.
typedef struct frame_view
{
	spate_frame *frame;
	const info_options *options;
	buffer *json; // NULL for text
} frame_view;

static void show_range(const frame_view *v, const spate_frame_entry *channel, uint32_t component, value_range r)
{
	uint32_t components = spate_type_components(channel->type);
	if (v->json)
	{
		buffer_add(v->json, "%s{\"min\":", component ? "," : "");
		json_number(v->json, r.low);
		buffer_add(v->json, ",\"max\":");
		json_number(v->json, r.high);
		buffer_add(v->json, ",\"mean\":");
		json_number(v->json, r.mean);
		buffer_add(v->json, ",\"not_finite\":%" PRIu64 "}", r.odd);
		return;
	}
	if (component > 0)
		printf("\n%*s", 54, "");
	if (r.low <= r.high && (channel->type == SPATE_INT32 || channel->type == SPATE_INT64))
		printf(" %1s %13.0f %13.0f %13.6g", component_name(components, component), r.low, r.high, r.mean);
	else if (r.low <= r.high)
		printf(" %1s %13.6g %13.6g %13.6g", component_name(components, component), r.low, r.high, r.mean);
	if (r.odd > 0)
		printf("  %s not finite", report_count((double)r.odd).text);
}

static spate_result show_channel(const frame_view *v, uint32_t n, spate_error *error)
{
	spate_frame_entry channel;
	const void *data = NULL;
	spate_frame_channel_at(v->frame, n, &channel);
	double per_row = channel.count ? (double)channel.stored / (double)channel.count : 0.0;
	if (v->json)
	{
		buffer_add(v->json, "%s{\"name\":", n ? "," : "");
		buffer_add_quoted(v->json, channel.name);
		buffer_add(v->json, ",\"type\":\"%s\",\"count\":%" PRIu64 ",\"stored\":%" PRIu64 ",\"ranges\":[",
			   spate_type_name(channel.type), channel.count, channel.stored);
	}
	else
		printf("  %-16s %-6s %12s %9s %5.2f", channel.name, spate_type_name(channel.type),
		       report_count((double)channel.count).text, report_bytes((double)channel.stored).text, per_row);
	spate_result result = SPATE_OK;
	if (!v->options->quick)
		result = spate_frame_channel(v->frame, channel.name, NULL, &data, error);
	if (result == SPATE_OK && data)
		for (uint32_t c = 0; c < spate_type_components(channel.type); c++)
			show_range(v, &channel, c, range_of(data, channel.type, channel.count, c));
	if (v->json)
		buffer_add(v->json, "]}");
	else
		putchar('\n');
	return result;
}

static void show_blobs(const frame_view *v)
{
	uint32_t count = spate_frame_blob_count(v->frame);
	if (v->json)
		buffer_add(v->json, ",\"blobs\":[");
	for (uint32_t n = 0; n < count; n++)
	{
		spate_frame_entry blob;
		spate_frame_blob_at(v->frame, n, &blob);
		if (v->json)
		{
			buffer_add(v->json, "%s{\"name\":", n ? "," : "");
			buffer_add_quoted(v->json, blob.name);
			buffer_add(v->json, ",\"bytes\":%" PRIu64 ",\"stored\":%" PRIu64 "}", blob.count, blob.stored);
		}
		else
			printf("  %-16s %-6s %12s %9s\n", blob.name, "blob", report_bytes((double)blob.count).text,
			       report_bytes((double)blob.stored).text);
	}
	if (v->json)
		buffer_add(v->json, "]");
}

static void show_head(const frame_view *v, const char *path)
{
	static const char *const kinds[] = {"frame", "checkpoint", "mesh"};
	const char *kind = kinds[spate_frame_get_kind(v->frame) - SPATE_FRAME_PLAIN];
	double origin[3], bytes = (double)spate_frame_bytes(v->frame), count = (double)spate_frame_count(v->frame);
	spate_frame_origin(v->frame, origin);
	if (v->json)
	{
		buffer_add(v->json, "{\"kind\":\"%s\",\"file\":", kind);
		buffer_add_quoted(v->json, path);
		buffer_add(v->json, ",\"frame\":%" PRId64 ",\"time\":", spate_frame_number(v->frame));
		json_number(v->json, spate_frame_time(v->frame));
		buffer_add(v->json, ",\"particles\":%.0f,\"bytes\":%.0f,\"origin\":[", count, bytes);
		for (int k = 0; k < 3; k++)
		{
			buffer_add(v->json, "%s", k ? "," : "");
			json_number(v->json, origin[k]);
		}
		buffer_add(v->json, "],\"channels\":[");
		return;
	}
	printf("%s: %s %" PRId64 " at %g s, %s particles\n", path, kind, spate_frame_number(v->frame),
	       spate_frame_time(v->frame), report_count(count).text);
	printf("  size             %s", report_bytes(bytes).text);
	if (count > 0.0)
		printf(", %.2f bytes per particle", bytes / count);
	printf("\n  origin           %g, %g, %g m\n", origin[0], origin[1], origin[2]);
	printf("  checked          %s\n", v->options->quick ? "header only" : "all checksums match");
	printf("\n  %-16s %-6s %12s %9s %5s", "channel", "type", "rows", "stored", "b/row");
	if (!v->options->quick)
		printf("   %13s %13s %13s", "min", "max", "mean");
	putchar('\n');
}

int info_frame(const char *path, const info_options *options)
{
	spate_frame *frame = NULL;
	spate_error error = {0};
	buffer json = {0};
	spate_result result = spate_frame_open(path, &frame, &error);
	// verify everything before printing, so that nothing is printed about a damaged file
	if (result == SPATE_OK && !options->quick)
		result = spate_frame_verify(frame, &error);
	int silent = options->args.quiet && !options->args.json;
	frame_view v = {frame, options, options->args.json ? &json : NULL};
	if (result == SPATE_OK && !silent)
	{
		show_head(&v, path);
		for (uint32_t n = 0; n < spate_frame_channel_count(frame) && result == SPATE_OK; n++)
			result = show_channel(&v, n, &error);
		if (v.json)
			buffer_add(v.json, "]");
		show_blobs(&v);
	}
	spate_frame_close(frame);
	if (result != SPATE_OK)
	{
		buffer_free(&json);
		complain(options->args.program, "%s", error.text);
		return EXIT_FAILED;
	}
	if (!options->args.json)
		return finish_output(options->args.program);
	buffer_add(&json, ",\"verified\":%s}", options->quick ? "false" : "true");
	return json_print(&json, options->args.program);
}
