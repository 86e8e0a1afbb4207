// spate info DIR: lists what a run has written so far and whether it is intact.
#include "cli/command.h"
#include "cli/info.h"
#include "cli/report.h"
#include "cli/text.h"

#include <inttypes.h>
#include <stdio.h>

static void print_counts(const spate_run_info *f)
{
	if (f->least_count == f->most_count)
		printf("  particles    %s in every frame\n", report_count((double)f->least_count).text);
	else
		printf("  particles    %s in the first frame, %s in the last, from %s to %s\n",
		       report_count((double)f->first_count).text, report_count((double)f->last_count).text,
		       report_count((double)f->least_count).text, report_count((double)f->most_count).text);
}

static void print_facts(const spate_run_info *f, const char *directory, int quick)
{
	printf("%s: ", directory);
	if (f->has_scene)
		printf("scene %s, %zu of %u frames\n", f->scene.name, f->frames.count, f->scene.frames);
	else
		printf("%zu frames, no readable scene.yaml\n", f->frames.count);
	if (f->frames.count > 0)
		printf("  frames       %" PRId64 " to %" PRId64 ", %g s to %g s\n", f->frames.items[0],
		       f->frames.items[f->frames.count - 1], f->first_time, f->last_time);
	if (f->missing.count > 0)
		printf("  missing      %s\n", report_numbers(f->missing.items, f->missing.count).text);
	if (f->frames.count > f->damaged.count)
		print_counts(f);
	printf("  size         %s", report_bytes(f->frame_bytes + f->checkpoint_bytes).text);
	if (f->frames.count > f->damaged.count)
		printf(", %s per frame",
		       report_bytes(f->frame_bytes / (double)(f->frames.count - f->damaged.count)).text);
	printf("\n  checkpoints  %s\n",
	       f->checkpoints.count ? report_numbers(f->checkpoints.items, f->checkpoints.count).text : "none");
	if (f->outdated_meshes > 0)
		printf("  meshes       %zu of %zu older than their frames, from frame %" PRId64
		       " on; spate mesh %s remakes them\n",
		       f->outdated_meshes, f->meshes, f->first_outdated, directory);
	if (f->damaged.count > 0)
		printf("  damaged      frames %s\n", report_numbers(f->damaged.items, f->damaged.count).text);
	if (f->damaged_checkpoints.count > 0)
		printf("  damaged      checkpoints %s\n",
		       report_numbers(f->damaged_checkpoints.items, f->damaged_checkpoints.count).text);
	if (f->damaged.count + f->damaged_checkpoints.count == 0 && f->frames.count + f->checkpoints.count > 0)
		printf("  checked      %s\n", quick ? "headers only" : "all files are intact");
}

static void add_numbers(FILE *json, const char *key, const spate_numbers *numbers)
{
	fprintf(json, ",\"%s\":[", key);
	for (size_t i = 0; i < numbers->count; i++)
		fprintf(json, "%s%" PRId64, i ? "," : "", numbers->items[i]);
	fputc(']', json);
}

static int print_json(const spate_run_info *f, const char *directory, const info_options *options)
{
	output_text out;
	text_open(&out, options->args.program);
	FILE *json = out.stream;
	fprintf(json, "{\"kind\":\"run\",\"directory\":");
	json_put_string(json, directory);
	fprintf(json, ",\"scene\":");
	if (f->has_scene)
	{
		json_put_string(json, f->scene.name);
		fprintf(json, ",\"frames_wanted\":%u", f->scene.frames);
	}
	else
		fputs("null", json);
	add_numbers(json, "frames", &f->frames);
	add_numbers(json, "missing", &f->missing);
	add_numbers(json, "damaged", &f->damaged);
	add_numbers(json, "checkpoints", &f->checkpoints);
	add_numbers(json, "damaged_checkpoints", &f->damaged_checkpoints);
	fprintf(json, ",\"particles_first\":%" PRIu64 ",\"particles_last\":%" PRIu64, f->first_count, f->last_count);
	fprintf(json, ",\"particles_least\":%" PRIu64 ",\"particles_most\":%" PRIu64, f->least_count, f->most_count);
	fprintf(json, ",\"frame_bytes\":%.0f,\"checkpoint_bytes\":%.0f", f->frame_bytes, f->checkpoint_bytes);
	fprintf(json, ",\"outdated_meshes\":%zu", f->outdated_meshes);
	fprintf(json, ",\"verified\":%s}", options->quick ? "false" : "true");
	return text_print(&out, options->args.program);
}

int info_print_run(const spate_info *info, const info_options *options)
{
	const spate_run_info *run = &info->run;
	int status = EXIT_DONE;
	for (uint32_t i = 0; i < info->problem_count; i++)
		complain(options->args.program, "%s", info->problems[i]);
	if (options->args.json)
		status = print_json(run, options->args.path, options);
	else if (!options->args.quiet)
	{
		print_facts(run, options->args.path, options->quick);
		status = finish_output(options->args.program);
	}
	return info->problem_count > 0 ? EXIT_FAILED : status;
}
