// spate info FILE.spate: what one frame or checkpoint holds, with the range of every channel.
#include "cli/command.h"
#include "cli/info.h"
#include "cli/report.h"
#include "cli/text.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kinds[] = {"frame", "checkpoint", "mesh"};

static const char *kind_of(const spate_frame_info *f)
{
	return kinds[f->kind - SPATE_FRAME_PLAIN];
}

// ------------------------------------------------------------------------------------------------------------------- text

static void print_range(const spate_channel_info *channel, uint32_t component)
{
	static const char *const names[] = {"x", "y", "z", "w"};
	const spate_value_range *r = &channel->range[component];
	const char *name = channel->components > 1 ? names[component] : "";
	if (component > 0)
		printf("\n%*s", 54, "");
	if (r->low <= r->high && (channel->type == SPATE_INT32 || channel->type == SPATE_INT64))
		printf(" %1s %13.0f %13.0f %13.6g", name, r->low, r->high, r->mean);
	else if (r->low <= r->high)
		printf(" %1s %13.6g %13.6g %13.6g", name, r->low, r->high, r->mean);
	if (r->not_finite > 0)
		printf("  %s not finite", report_count((double)r->not_finite).text);
}

static void print_channel(const spate_channel_info *channel)
{
	double per_row = channel->count ? (double)channel->stored / (double)channel->count : 0.0;
	printf("  %-16s %-6s %12s %9s %5.2f", channel->name, spate_type_name(channel->type),
	       report_count((double)channel->count).text, report_bytes((double)channel->stored).text, per_row);
	for (uint32_t c = 0; c < channel->components; c++)
		print_range(channel, c);
	putchar('\n');
}

static void print_text(const spate_frame_info *f, const char *path, int quick)
{
	double count = (double)f->particles, bytes = (double)f->bytes;
	printf("%s: %s %" PRId64 " at %g s, %s particles\n", path, kind_of(f), f->number, f->time,
	       report_count(count).text);
	printf("  size             %s", report_bytes(bytes).text);
	if (count > 0.0)
		printf(", %.2f bytes per particle", bytes / count);
	printf("\n  origin           %g, %g, %g m\n", f->origin[0], f->origin[1], f->origin[2]);
	printf("  checked          %s\n", quick ? "header only" : "all checksums match");
	printf("\n  %-16s %-6s %12s %9s %5s", "channel", "type", "rows", "stored", "b/row");
	if (!quick)
		printf("   %13s %13s %13s", "min", "max", "mean");
	putchar('\n');
	for (uint32_t n = 0; n < f->channel_count; n++)
		print_channel(&f->channels[n]);
	for (uint32_t n = 0; n < f->blob_count; n++)
		printf("  %-16s %-6s %12s %9s\n", f->blobs[n].name, "blob",
		       report_bytes((double)f->blobs[n].bytes).text, report_bytes((double)f->blobs[n].stored).text);
}

// ------------------------------------------------------------------------------------------------------------------- JSON

static void add_channel(FILE *json, const spate_channel_info *channel)
{
	fputs("{\"name\":", json);
	json_put_string(json, channel->name);
	fprintf(json, ",\"type\":\"%s\",\"count\":%" PRIu64 ",\"stored\":%" PRIu64 ",\"ranges\":[",
		spate_type_name(channel->type), channel->count, channel->stored);
	for (uint32_t c = 0; c < channel->components; c++)
	{
		const spate_value_range *r = &channel->range[c];
		fprintf(json, "%s{\"min\":", c ? "," : "");
		json_put_number(json, r->low);
		fputs(",\"max\":", json);
		json_put_number(json, r->high);
		fputs(",\"mean\":", json);
		json_put_number(json, r->mean);
		fprintf(json, ",\"not_finite\":%" PRIu64 "}", r->not_finite);
	}
	fputs("]}", json);
}

static int print_json(const spate_frame_info *f, const info_options *options)
{
	output_text out;
	text_open(&out, options->args.program);
	FILE *json = out.stream;
	fprintf(json, "{\"kind\":\"%s\",\"file\":", kind_of(f));
	json_put_string(json, options->args.path);
	fprintf(json, ",\"frame\":%" PRId64 ",\"time\":", f->number);
	json_put_number(json, f->time);
	fprintf(json, ",\"particles\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"origin\":", f->particles, f->bytes);
	json_put_triple(json, f->origin);
	fputs(",\"channels\":[", json);
	for (uint32_t n = 0; n < f->channel_count; n++)
	{
		fputs(n ? "," : "", json);
		add_channel(json, &f->channels[n]);
	}
	fputs("],\"blobs\":[", json);
	for (uint32_t n = 0; n < f->blob_count; n++)
	{
		fprintf(json, "%s{\"name\":", n ? "," : "");
		json_put_string(json, f->blobs[n].name);
		fprintf(json, ",\"bytes\":%" PRIu64 ",\"stored\":%" PRIu64 "}", f->blobs[n].bytes, f->blobs[n].stored);
	}
	fprintf(json, "],\"verified\":%s}", options->quick ? "false" : "true");
	return text_print(&out, options->args.program);
}

int info_print_frame(const spate_frame_info *frame, const info_options *options)
{
	if (options->args.json)
		return print_json(frame, options);
	if (!options->args.quiet)
		print_text(frame, options->args.path, options->quick);
	return finish_output(options->args.program);
}
