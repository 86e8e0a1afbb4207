// spate info FILE.obj: size and channels of a mesh, and whether it is closed.
#include "base/array.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/info.h"
#include "job/mesh_file.h"
#include "cli/report.h"
#include "mesh/measure.h"
#include "mesh/read.h"
#include "mesh/sides.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int info_is_mesh(const char *path)
{
	static const char *const scenes[] = {".yaml", ".yml"};
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof scenes / sizeof *scenes; i++)
		if (strcmp(dot, scenes[i]) == 0)
			return 0;
	char start[4097];
	struct stat status;
	FILE *file = fopen(path, "rb");
	size_t bytes = 0, all = 0;
	if (file)
	{
		bytes = fread(start, 1, sizeof start - 1, file);
		all = fstat(fileno(file), &status) == 0 ? (size_t)status.st_size : 0;
		fclose(file);
	}
	start[bytes] = 0;
	return mesh_detect(path, start, bytes, all) != MESH_UNKNOWN;
}

void info_add_triple(buffer *json, const char *name, const double v[3])
{
	buffer_add(json, "\"%s\":[", name);
	for (int k = 0; k < 3; k++)
	{
		buffer_add(json, "%s", k ? "," : "");
		json_number(json, v[k]);
	}
	buffer_add(json, "]");
}

void info_add_channels(buffer *json, const spate_mesh *mesh)
{
	buffer_add(json, "\"channels\":[");
	for (uint32_t i = 0; i < mesh->channel_count; i++)
	{
		buffer_add(json, "%s{\"name\":", i ? "," : "");
		buffer_add_quoted(json, mesh->channels[i].name);
		buffer_add(json, ",\"components\":%u}", mesh->channels[i].components);
	}
	buffer_add(json, "]");
}

void info_show_channels(const spate_mesh *mesh)
{
	printf("  channels         %s", mesh->channel_count ? "" : "none");
	for (uint32_t i = 0; i < mesh->channel_count; i++)
		printf("%s%s (%u)", i ? ", " : "", mesh->channels[i].name, mesh->channels[i].components);
	putchar('\n');
}

// ------------------------------------------------------------------------------------------------------------- interfaces

// Facts about one fluid in a mesh of interfaces.
typedef struct fluid_facts
{
	uint32_t fluid, triangles;
	mesh_measure measure;
} fluid_facts;

typedef ARRAY(fluid_facts) fluid_list;

static spate_result measure_fluids(fluid_list *list, const spate_mesh *mesh, spate_error *error)
{
	uint32_t last = mesh_sides_last(mesh);
	spate_result result = SPATE_OK;
	for (uint32_t f = 1; f <= last && result == SPATE_OK; f++)
	{
		spate_mesh *own = NULL;
		fluid_facts facts = {.fluid = f};
		result = mesh_sides_extract(&own, mesh, f, error);
		if (result == SPATE_OK)
			result = mesh_measure_all(&facts.measure, own, error);
		facts.triangles = own ? own->triangle_count : 0;
		if (result == SPATE_OK && facts.triangles > 0 && !array_push(list, facts))
			result = error_memory(error, sizeof facts);
		spate_mesh_destroy(own);
	}
	return result;
}

static void add_fluids(buffer *json, const fluid_list *list)
{
	buffer_add(json, ",\"fluids\":[");
	for (size_t i = 0; i < list->count; i++)
	{
		const fluid_facts *f = &list->data[i];
		buffer_add(json, "%s{\"fluid\":%u,\"triangles\":%u,\"closed\":%s,\"volume\":", i ? "," : "", f->fluid,
			   f->triangles, f->measure.closed ? "true" : "false");
		json_number(json, f->measure.volume);
		buffer_add(json, "}");
	}
	buffer_add(json, "]");
}

static void show_fluids(const fluid_list *list)
{
	for (size_t i = 0; i < list->count; i++)
	{
		const fluid_facts *f = &list->data[i];
		printf("  fluid %-10u %s triangles around it, %s, volume %g m3\n", f->fluid,
		       report_count(f->triangles).text, f->measure.closed ? "closed" : "not closed", f->measure.volume);
	}
}

// -------------------------------------------------------------------------------------------------------------- the whole

static int show_json(const char *path, const char *format, const spate_mesh *mesh, const mesh_measure *m,
		     uint64_t crossings, const fluid_list *fluids, const char *program)
{
	buffer json = {0};
	buffer_add(&json, "{\"kind\":\"mesh\",\"file\":");
	buffer_add_quoted(&json, path);
	buffer_add(&json,
		   ",\"format\":\"%s\",\"vertices\":%u,\"triangles\":%u,\"dropped\":%u,\"welded\":%u,\"bounds\":{",
		   format, mesh->vertex_count, mesh->triangle_count, mesh->dropped, mesh->welded);
	info_add_triple(&json, "low", m->low);
	buffer_add(&json, ",");
	info_add_triple(&json, "high", m->high);
	buffer_add(&json, "},\"area\":");
	json_number(&json, m->area);
	buffer_add(&json, ",\"volume\":");
	json_number(&json, m->volume);
	buffer_add(&json,
		   ",\"closed\":%s,\"open_edges\":%" PRIu64 ",\"crowded_edges\":%" PRIu64 ",\"flipped_edges\":%" PRIu64
		   ",\"crossings\":%" PRIu64 ",\"components\":%" PRIu64 ",\"uvs\":%s,",
		   m->closed ? "true" : "false", m->open_edges, m->crowded_edges, m->flipped_edges, crossings,
		   m->components, mesh->uvs ? "true" : "false");
	info_add_channels(&json, mesh);
	if (mesh->sides)
		add_fluids(&json, fluids);
	buffer_add(&json, "}");
	return json_print(&json, program);
}

// Prints "yes", or why the mesh is not closed.
static void show_closed(const mesh_measure *m)
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

static const char *volume_note(const mesh_measure *m)
{
	if (!m->closed)
		return " (not meaningful: the mesh is not closed)";
	return m->flipped_edges > 0 ? " (not meaningful: triangles have opposite windings)" : "";
}

static int show_text(const char *path, const char *format, const spate_mesh *mesh, const mesh_measure *m,
		     uint64_t crossings, const fluid_list *fluids, const char *program)
{
	if (mesh->triangle_count == 0)
	{
		printf("%s: %s mesh, empty\n", path, format);
		return finish_output(program);
	}
	printf("%s: %s mesh of %s triangles, %s vertices\n", path, format, report_count(mesh->triangle_count).text,
	       report_count(mesh->vertex_count).text);
	printf("  degenerate       %s triangles dropped\n", report_count(mesh->dropped).text);
	if (mesh->welded > 0)
		printf("  welded           %s vertices that differed only by rounding\n",
		       report_count(mesh->welded).text);
	printf("  bounds           %g, %g, %g to %g, %g, %g m\n", m->low[0], m->low[1], m->low[2], m->high[0],
	       m->high[1], m->high[2]);
	printf("  area             %g m2\n", m->area);
	printf("  volume           %g m3%s\n", m->volume, volume_note(m));
	show_closed(m);
	printf("  crossings        %s pairs of triangles\n", report_count((double)crossings).text);
	printf("  components       %s\n", report_count((double)m->components).text);
	printf("  UVs              %s\n", mesh->uvs ? "yes" : "no");
	info_show_channels(mesh);
	show_fluids(fluids);
	return finish_output(program);
}

int info_mesh(const char *path, const info_options *options)
{
	spate_mesh *mesh = NULL;
	mesh_measure m;
	fluid_list fluids = {0};
	uint64_t crossings = 0;
	spate_error error = {0};
	const char *format = "";
	int code = EXIT_DONE;
	spate_result result = mesh_file_read(&mesh, path, &format, &error);
	if (result == SPATE_OK)
		result = mesh_measure_all(&m, mesh, &error);
	if (result == SPATE_OK)
		result = measure_fluids(&fluids, mesh, &error);
	if (result == SPATE_OK)
		result = mesh_count_crossings(&crossings, mesh, &error);
	if (result != SPATE_OK)
	{
		complain(options->args.program, "%s", error.text);
		code = EXIT_FAILED;
	}
	else if (options->args.json)
		code = show_json(path, format, mesh, &m, crossings, &fluids, options->args.program);
	else if (!options->args.quiet)
		code = show_text(path, format, mesh, &m, crossings, &fluids, options->args.program);
	if (result == SPATE_OK && mesh->triangle_count == 0)
	{
		complain(options->args.program, "%s has no triangles", path);
		code = EXIT_FAILED;
	}
	array_free(&fluids);
	spate_mesh_destroy(mesh);
	return code;
}
