// spate info for FILE.vdb and for particle files of other programs.
#include "bridge/vdb_surface.h"
#include "cli/command.h"
#include "cli/info.h"
#include "cli/report.h"
#include "export/particles_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void show_bounds(const double low[3], const double high[3])
{
	printf("  bounds           %g, %g, %g to %g, %g, %g m\n", low[0], low[1], low[2], high[0], high[1], high[2]);
}

int info_vdb(const char *path, const info_options *options)
{
	vdb_file_info info;
	spate_error error = {0};
	if (vdb_read_level_set(path, &info, NULL, 0, NULL, &error) != SPATE_OK)
	{
		complain(options->args.program, "%s", error.text);
		return EXIT_FAILED;
	}
	if (options->args.json)
	{
		buffer json = {0};
		buffer_add(&json, "{\"kind\":\"vdb\",\"file\":");
		buffer_add_quoted(&json, path);
		buffer_add(&json, ",\"grid\":");
		buffer_add_quoted(&json, info.name);
		buffer_add(&json,
			   ",\"level_set\":%s,\"voxels\":%" PRIu64 ",\"cell\":", info.level_set ? "true" : "false",
			   info.voxels);
		json_number(&json, info.cell);
		buffer_add(&json, ",\"background\":");
		json_number(&json, (double)info.background);
		buffer_add(&json, ",\"bounds\":{");
		info_add_triple(&json, "low", info.low);
		buffer_add(&json, ",");
		info_add_triple(&json, "high", info.high);
		buffer_add(&json, "}}");
		return json_print(&json, options->args.program);
	}
	if (options->args.quiet)
		return EXIT_DONE;
	printf("%s: %s '%s' of %s voxels\n", path, info.level_set ? "level set" : "float grid", info.name,
	       report_count((double)info.voxels).text);
	printf("  voxel            %g m\n", info.cell);
	printf("  background       %g m\n", (double)info.background);
	show_bounds(info.low, info.high);
	return finish_output(options->args.program);
}

// Whether the header of a PLY file lists vertices but no faces.
static int is_cloud(const char *path)
{
	char head[4097];
	FILE *file = fopen(path, "rb");
	size_t bytes = file ? fread(head, 1, sizeof head - 1, file) : 0;
	if (file)
		fclose(file);
	head[bytes] = '\0';
	const char *vertex = strstr(head, "\nelement vertex "), *face = strstr(head, "\nelement face ");
	if (strncmp(head, "ply", 3) != 0 || !strstr(head, "\nend_header") || !vertex)
		return 0;
	return atoll(vertex + strlen("\nelement vertex ")) > 0 &&
	       (!face || atoll(face + strlen("\nelement face ")) == 0);
}

int info_is_particles(const char *path)
{
	size_t length = strlen(path);
	static const char *const endings[] = {".bgeo", ".bgeo.gz", ".vtk"};
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
	{
		size_t tail = strlen(endings[i]);
		if (length > tail && strcasecmp(path + length - tail, endings[i]) == 0)
			return 1;
	}
	return is_cloud(path);
}

static void find_bounds(const spate_mesh *points, double low[3], double high[3])
{
	for (int k = 0; k < 3; k++)
	{
		low[k] = points->vertex_count ? INFINITY : 0.0;
		high[k] = points->vertex_count ? -INFINITY : 0.0;
	}
	for (size_t i = 0; i < 3 * (size_t)points->vertex_count; i++)
	{
		low[i % 3] = fmin(low[i % 3], (double)points->positions[i]);
		high[i % 3] = fmax(high[i % 3], (double)points->positions[i]);
	}
}

static int show_json(const char *path, const spate_mesh *points, const double low[3], const double high[3],
		     double spacing, const char *program)
{
	buffer json = {0};
	buffer_add(&json, "{\"kind\":\"particles\",\"file\":");
	buffer_add_quoted(&json, path);
	buffer_add(&json, ",\"particles\":%u,\"spacing_guess\":", points->vertex_count);
	json_number(&json, spacing);
	buffer_add(&json, ",\"bounds\":{");
	info_add_triple(&json, "low", low);
	buffer_add(&json, ",");
	info_add_triple(&json, "high", high);
	buffer_add(&json, "},");
	info_add_channels(&json, points);
	buffer_add(&json, "}");
	return json_print(&json, program);
}

int info_particles(const char *path, const info_options *options)
{
	particle_set set;
	spate_error error = {0};
	if (particles_read(&set, path, NULL, 0, &error) != SPATE_OK)
	{
		complain(options->args.program, "%s", error.text);
		return EXIT_FAILED;
	}
	double low[3], high[3];
	const spate_mesh *points = set.points;
	find_bounds(points, low, high);
	double spacing = particles_guess_spacing(points->positions, points->vertex_count);
	int status = EXIT_DONE;
	if (options->args.json)
		status = show_json(path, points, low, high, spacing, options->args.program);
	else if (!options->args.quiet)
	{
		printf("%s: %s particles\n", path, report_count(points->vertex_count).text);
		show_bounds(low, high);
		printf("  spacing          about %.3g m, estimated from the particles\n", spacing);
		info_show_channels(points);
		status = finish_output(options->args.program);
	}
	particles_free(&set);
	return status;
}
