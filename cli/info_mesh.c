// spate info FILE.obj: what a mesh is made of, and whether it encloses anything.
#include "base/file.h"
#include "base/memory.h"
#include "cache/mesh_frame.h"
#include "cli/command.h"
#include "cli/info.h"
#include "cli/report.h"
#include "mesh/measure.h"
#include "mesh/read.h"

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

static void add_triple(buffer *json, const char *name, const double v[3])
{
	buffer_add(json, "\"%s\":[", name);
	for (int k = 0; k < 3; k++)
	{
		buffer_add(json, "%s", k ? "," : "");
		json_number(json, v[k]);
	}
	buffer_add(json, "]");
}

static int show_json(const char *path, const char *format, const spate_mesh *mesh, const mesh_measure *m,
		     uint64_t crossings, const char *program)
{
	buffer json = {0};
	buffer_add(&json, "{\"kind\":\"mesh\",\"file\":");
	buffer_add_quoted(&json, path);
	buffer_add(&json, ",\"format\":\"%s\",\"vertices\":%u,\"triangles\":%u,\"dropped\":%u,\"bounds\":{", format,
		   mesh->vertex_count, mesh->triangle_count, mesh->dropped);
	add_triple(&json, "low", m->low);
	buffer_add(&json, ",");
	add_triple(&json, "high", m->high);
	buffer_add(&json, "},\"area\":");
	json_number(&json, m->area);
	buffer_add(&json, ",\"volume\":");
	json_number(&json, m->volume);
	buffer_add(&json,
		   ",\"closed\":%s,\"open_edges\":%" PRIu64 ",\"crowded_edges\":%" PRIu64 ",\"flipped_edges\":%" PRIu64
		   ",\"crossings\":%" PRIu64 ",\"components\":%" PRIu64 ",\"uvs\":%s,\"channels\":[",
		   m->closed ? "true" : "false", m->open_edges, m->crowded_edges, m->flipped_edges, crossings,
		   m->components, mesh->uvs ? "true" : "false");
	for (uint32_t i = 0; i < mesh->channel_count; i++)
	{
		buffer_add(&json, "%s{\"name\":", i ? "," : "");
		buffer_add_quoted(&json, mesh->channels[i].name);
		buffer_add(&json, ",\"components\":%u}", mesh->channels[i].components);
	}
	buffer_add(&json, "]}");
	return json_print(&json, program);
}

// "yes", or what stands against it.
static void show_closed(const mesh_measure *m)
{
	printf("  closed           %s", m->closed ? "yes" : "no");
	if (m->open_edges > 0)
		printf(", %s edges at one triangle", report_count((double)m->open_edges).text);
	if (m->crowded_edges > 0)
		printf(", %s edges at three or more", report_count((double)m->crowded_edges).text);
	if (m->flipped_edges > 0)
		printf(", %s edges between triangles that look different ways",
		       report_count((double)m->flipped_edges).text);
	putchar('\n');
}

static const char *volume_note(const mesh_measure *m)
{
	if (!m->closed)
		return " (means little: the mesh is not closed)";
	return m->flipped_edges > 0 ? " (means little: not all triangles look the same way)" : "";
}

static int show_text(const char *path, const char *format, const spate_mesh *mesh, const mesh_measure *m,
		     uint64_t crossings, const char *program)
{
	printf("%s: %s mesh of %s triangles, %s vertices\n", path, format, report_count(mesh->triangle_count).text,
	       report_count(mesh->vertex_count).text);
	printf("  left out         %s triangles without area\n", report_count(mesh->dropped).text);
	printf("  bounds           %g, %g, %g to %g, %g, %g m\n", m->low[0], m->low[1], m->low[2], m->high[0],
	       m->high[1], m->high[2]);
	printf("  area             %g m2\n", m->area);
	printf("  volume           %g m3%s\n", m->volume, volume_note(m));
	show_closed(m);
	printf("  crossings        %s pairs of triangles\n", report_count((double)crossings).text);
	printf("  components       %s\n", report_count((double)m->components).text);
	printf("  uvs              %s\n", mesh->uvs ? "yes" : "no");
	printf("  channels         %s", mesh->channel_count ? "" : "none");
	for (uint32_t i = 0; i < mesh->channel_count; i++)
		printf("%s%s (%u)", i ? ", " : "", mesh->channels[i].name, mesh->channels[i].components);
	putchar('\n');
	return finish_output(program);
}

// Reads, measures and tells, so that the bytes are freed in one place.
static spate_result load(const char *path, spate_mesh **mesh, mesh_measure *m, const char **format, spate_error *error)
{
	char *data = NULL;
	size_t bytes = 0;
	if (mesh_frame_is(path))
	{
		*format = "spate";
		spate_result read = mesh_frame_read(mesh, path, error);
		return read == SPATE_OK ? mesh_measure_all(m, *mesh, error) : read;
	}
	spate_result result = file_read(path, &data, &bytes, error);
	if (result == SPATE_OK)
		result = mesh_parse(mesh, path, data, bytes, error);
	if (result == SPATE_OK)
	{
		*format = mesh_format_name(mesh_detect(path, data, bytes, bytes));
		result = mesh_measure_all(m, *mesh, error);
	}
	mem_free(data);
	return result;
}

int info_mesh(const char *path, const info_options *options)
{
	spate_mesh *mesh = NULL;
	mesh_measure m;
	uint64_t crossings = 0;
	spate_error error = {0};
	const char *format = "";
	int code = EXIT_DONE;
	if (load(path, &mesh, &m, &format, &error) != SPATE_OK ||
	    mesh_count_crossings(&crossings, mesh, &error) != SPATE_OK)
	{
		complain(options->program, "%s", error.text);
		code = EXIT_FAILED;
	}
	else if (options->json)
		code = show_json(path, format, mesh, &m, crossings, options->program);
	else if (!options->quiet)
		code = show_text(path, format, mesh, &m, crossings, options->program);
	spate_mesh_destroy(mesh);
	return code;
}
