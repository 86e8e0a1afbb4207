// spate info for level sets (.vdb) and for particles of other programs, and what their reports share with those of meshes.
#include "cli/command.h"
#include "cli/info.h"
#include "cli/report.h"
#include "cli/text.h"

#include <inttypes.h>
#include <stdio.h>

void info_add_channels(FILE *json, const spate_mesh *mesh)
{
	fputs("\"channels\":[", json);
	for (uint32_t i = 0; i < mesh->channel_count; i++)
	{
		fprintf(json, "%s{\"name\":", i ? "," : "");
		json_put_string(json, mesh->channels[i].name);
		fprintf(json, ",\"components\":%u}", mesh->channels[i].components);
	}
	fputc(']', json);
}

void info_show_channels(const spate_mesh *mesh)
{
	printf("  channels         %s", mesh->channel_count ? "" : "none");
	for (uint32_t i = 0; i < mesh->channel_count; i++)
		printf("%s%s (%u)", i ? ", " : "", mesh->channels[i].name, mesh->channels[i].components);
	putchar('\n');
}

void info_add_bounds(FILE *json, const double low[3], const double high[3])
{
	fputs("\"bounds\":{\"low\":", json);
	json_put_triple(json, low);
	fputs(",\"high\":", json);
	json_put_triple(json, high);
	fputc('}', json);
}

void info_show_bounds(const double low[3], const double high[3])
{
	printf("  bounds           %g, %g, %g to %g, %g, %g m\n", low[0], low[1], low[2], high[0], high[1], high[2]);
}

static int field_json(const spate_field_info *f, const info_options *options)
{
	output_text out;
	text_open(&out, options->args.program);
	FILE *json = out.stream;
	fputs("{\"kind\":\"vdb\",\"file\":", json);
	json_put_string(json, options->args.path);
	fputs(",\"grid\":", json);
	json_put_string(json, f->name);
	fprintf(json, ",\"level_set\":%s,\"voxels\":%" PRIu64 ",\"cell\":", f->level_set ? "true" : "false", f->voxels);
	json_put_number(json, f->cell);
	fputs(",\"background\":", json);
	json_put_number(json, f->background);
	fputc(',', json);
	info_add_bounds(json, f->low, f->high);
	fputc('}', json);
	return text_print(&out, options->args.program);
}

int info_print_field(const spate_field_info *f, const info_options *options)
{
	if (options->args.json)
		return field_json(f, options);
	if (options->args.quiet)
		return EXIT_DONE;
	printf("%s: %s '%s' of %s voxels\n", options->args.path, f->level_set ? "level set" : "float grid", f->name,
	       report_count((double)f->voxels).text);
	printf("  voxel            %g m\n", f->cell);
	printf("  background       %g m\n", f->background);
	info_show_bounds(f->low, f->high);
	return finish_output(options->args.program);
}

static int particles_json(const spate_particles_info *p, const info_options *options)
{
	output_text out;
	text_open(&out, options->args.program);
	FILE *json = out.stream;
	fputs("{\"kind\":\"particles\",\"file\":", json);
	json_put_string(json, options->args.path);
	fprintf(json, ",\"particles\":%u,\"spacing_guess\":", p->points->vertex_count);
	json_put_number(json, p->spacing);
	fputc(',', json);
	info_add_bounds(json, p->low, p->high);
	fputc(',', json);
	info_add_channels(json, p->points);
	fputc('}', json);
	return text_print(&out, options->args.program);
}

int info_print_particles(const spate_particles_info *p, const info_options *options)
{
	if (options->args.json)
		return particles_json(p, options);
	if (options->args.quiet)
		return EXIT_DONE;
	printf("%s: %s particles\n", options->args.path, report_count(p->points->vertex_count).text);
	info_show_bounds(p->low, p->high);
	printf("  spacing          about %.3g m, estimated from the particles\n", p->spacing);
	info_show_channels(p->points);
	return finish_output(options->args.program);
}
