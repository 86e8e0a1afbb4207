// spate info FILE.obj: size and channels of a mesh, and whether it is closed.
#include "cli/command.h"
#include "cli/info.h"
#include "cli/report.h"
#include "cli/text.h"

#include <inttypes.h>
#include <stdio.h>

static void add_fluids(FILE *json, const spate_mesh_info *info)
{
	fprintf(json, ",\"fluids\":[");
	for (uint32_t i = 0; i < info->fluid_count; i++)
	{
		const spate_fluid_mesh_info *f = &info->fluids[i];
		fprintf(json, "%s{\"fluid\":%u,\"triangles\":%u,\"closed\":%s,\"volume\":", i ? "," : "", f->fluid,
			f->triangles, f->measure.closed ? "true" : "false");
		json_put_number(json, f->measure.volume);
		fprintf(json, "}");
	}
	fprintf(json, "]");
}

static void show_fluids(const spate_mesh_info *info)
{
	for (uint32_t i = 0; i < info->fluid_count; i++)
	{
		const spate_fluid_mesh_info *f = &info->fluids[i];
		printf("  fluid %-10u %s triangles around it, %s, volume %g m3\n", f->fluid,
		       report_count(f->triangles).text, f->measure.closed ? "closed" : "not closed", f->measure.volume);
	}
}

static int show_json(const spate_mesh_info *info, const char *path, const char *program)
{
	const spate_mesh *mesh = info->mesh;
	const spate_mesh_measure *m = &info->measure;
	output_text out;
	text_open(&out, program);
	FILE *json = out.stream;
	fprintf(json, "{\"kind\":\"mesh\",\"file\":");
	json_put_string(json, path);
	fprintf(json, ",\"format\":\"%s\",\"vertices\":%u,\"triangles\":%u,\"dropped\":%u,\"welded\":%u,", info->format,
		mesh->vertex_count, mesh->triangle_count, mesh->dropped, mesh->welded);
	info_add_bounds(json, m->low, m->high);
	fprintf(json, ",\"area\":");
	json_put_number(json, m->area);
	fprintf(json, ",\"volume\":");
	json_put_number(json, m->volume);
	fprintf(json,
		",\"closed\":%s,\"open_edges\":%" PRIu64 ",\"crowded_edges\":%" PRIu64 ",\"flipped_edges\":%" PRIu64
		",\"crossings\":%" PRIu64 ",\"components\":%" PRIu64 ",\"uvs\":%s,",
		m->closed ? "true" : "false", m->open_edges, m->crowded_edges, m->flipped_edges, info->crossings,
		m->components, mesh->uvs ? "true" : "false");
	info_add_channels(json, mesh);
	if (mesh->sides)
		add_fluids(json, info);
	fprintf(json, "}");
	return text_print(&out, program);
}

// Prints "yes", or why the mesh is not closed.
static void show_closed(const spate_mesh_measure *m)
{
	printf("  closed           %s", m->closed ? "yes" : "no");
	if (m->open_edges > 0)
		printf(", %s open edges", report_count((double)m->open_edges).text);
	if (m->crowded_edges > 0)
		printf(", %s edges with three or more triangles", report_count((double)m->crowded_edges).text);
	if (m->flipped_edges > 0)
		printf(", %s edges between triangles of opposite winding", report_count((double)m->flipped_edges).text);
	putchar('\n');
}

static const char *volume_note(const spate_mesh_measure *m)
{
	if (!m->closed)
		return " (not meaningful: the mesh is not closed)";
	return m->flipped_edges > 0 ? " (not meaningful: triangles have opposite windings)" : "";
}

static int show_text(const spate_mesh_info *info, const char *path, const char *program)
{
	const spate_mesh *mesh = info->mesh;
	const spate_mesh_measure *m = &info->measure;
	if (mesh->triangle_count == 0)
	{
		printf("%s: %s mesh, empty\n", path, info->format);
		return finish_output(program);
	}
	printf("%s: %s mesh of %s triangles, %s vertices\n", path, info->format,
	       report_count(mesh->triangle_count).text, report_count(mesh->vertex_count).text);
	printf("  degenerate       %s triangles dropped\n", report_count(mesh->dropped).text);
	if (mesh->welded > 0)
		printf("  welded           %s vertices that differed only by rounding\n",
		       report_count(mesh->welded).text);
	info_show_bounds(m->low, m->high);
	printf("  area             %g m2\n", m->area);
	printf("  volume           %g m3%s\n", m->volume, volume_note(m));
	show_closed(m);
	printf("  crossings        %s pairs of triangles\n", report_count((double)info->crossings).text);
	printf("  components       %s\n", report_count((double)m->components).text);
	printf("  UVs              %s\n", mesh->uvs ? "yes" : "no");
	info_show_channels(mesh);
	show_fluids(info);
	return finish_output(program);
}

int info_print_mesh(const spate_mesh_info *info, const info_options *options)
{
	int code = EXIT_DONE;
	if (options->args.json)
		code = show_json(info, options->args.path, options->args.program);
	else if (!options->args.quiet)
		code = show_text(info, options->args.path, options->args.program);
	if (info->mesh->triangle_count > 0)
		return code;
	complain(options->args.program, "%s has no triangles", options->args.path);
	return EXIT_FAILED;
}
