// Finds out what a file is, and describes everything but runs and frames, which have files of their own.
#include "job/info.h"

#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "bridge/vdb_surface.h"
#include "cache/format.h"
#include "cache/mesh_frame.h"
#include "export/particles_read.h"
#include "job/mesh_file.h"
#include "mesh/measure.h"
#include "mesh/read.h"
#include "mesh/sides.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

spate_info_def spate_default_info_def(void)
{
	return (spate_info_def){0};
}

// ------------------------------------------------------------------------------------------------------------- detection

enum
{
	HEAD_BYTES = 4096
};

// The beginning of a file.
typedef struct file_head
{
	const char *path;
	char bytes[HEAD_BYTES + 1]; // and a zero
	size_t count, all;          // bytes read, and size of the file
} file_head;

static spate_result read_head(file_head *head, const char *path, int *folder, spate_error *error)
{
	*head = (file_head){.path = path};
	struct stat status;
	FILE *file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &status) != 0)
	{
		int code = errno;
		if (file)
			fclose(file);
		return file_error(error, SPATE_IO, "open", path, code);
	}
	head->all = (size_t)status.st_size;
	*folder = S_ISDIR(status.st_mode);
	if (!*folder)
		head->count = fread(head->bytes, 1, HEAD_BYTES, file);
	fclose(file);
	return SPATE_OK;
}

static int ends_with(const char *path, const char *const *endings)
{
	size_t length = strlen(path);
	for (; *endings; endings++)
	{
		size_t tail = strlen(*endings);
		if (length > tail && strcasecmp(path + length - tail, *endings) == 0)
			return 1;
	}
	return 0;
}

static int is_frame(const file_head *head)
{
	static const char *const endings[] = {".spate", NULL};
	size_t magic = sizeof FORMAT_MAGIC - 1;
	return ends_with(head->path, endings) ||
	       (head->count >= magic && memcmp(head->bytes, FORMAT_MAGIC, magic) == 0);
}

static int is_field(const file_head *head)
{
	const spate_format *format = spate_format_of_path(head->path);
	return format && format->reads & SPATE_FORMAT_FIELD;
}

// By its name, or a PLY file whose header lists vertices but no faces.
static int is_particles(const file_head *head)
{
	const spate_format *format = spate_format_of_path(head->path);
	if (format && (format->reads & (SPATE_FORMAT_PARTICLES | SPATE_FORMAT_TRIANGLES)) == SPATE_FORMAT_PARTICLES)
		return 1;
	const char *vertex = strstr(head->bytes, "\nelement vertex "), *face = strstr(head->bytes, "\nelement face ");
	if (strncmp(head->bytes, "ply", 3) != 0 || !strstr(head->bytes, "\nend_header") || !vertex)
		return 0;
	return atoll(vertex + strlen("\nelement vertex ")) > 0 &&
	       (!face || atoll(face + strlen("\nelement face ")) == 0);
}

static int is_scene_name(const file_head *head)
{
	static const char *const endings[] = {".yaml", ".yml", ".json", NULL};
	return ends_with(head->path, endings);
}

// Bytes that no text has.
static int is_binary(const file_head *head)
{
	int found = 0;
	for (size_t i = 0; i < head->count && i < 1024; i++)
	{
		unsigned char byte = (unsigned char)head->bytes[i];
		found |= byte < ' ' && !(byte >= '\t' && byte <= '\r');
	}
	return found;
}

spate_result spate_info_detect(const char *path, spate_info_kind *kind, spate_error *error)
{
	file_head head;
	int folder = 0;
	*kind = SPATE_INFO_UNKNOWN;
	spate_result result = read_head(&head, path, &folder, error);
	if (result != SPATE_OK)
		return result;
	if (folder)
		*kind = SPATE_INFO_RUN;
	else if (mesh_frame_is(path))
		*kind = SPATE_INFO_MESH;
	else if (is_frame(&head))
		*kind = SPATE_INFO_FRAME;
	else if (is_field(&head))
		*kind = SPATE_INFO_FIELD;
	else if (is_particles(&head))
		*kind = SPATE_INFO_PARTICLES;
	else if (is_scene_name(&head))
		*kind = SPATE_INFO_SCENE;
	else if (mesh_detect(path, head.bytes, head.count, head.all) != NULL)
		*kind = SPATE_INFO_MESH;
	else if (!is_binary(&head))
		*kind = SPATE_INFO_SCENE;
	return SPATE_OK;
}

// ----------------------------------------------------------------------------------------------------------- single files

static spate_result measure_fluids(spate_mesh_info *info, spate_error *error)
{
	uint32_t last = mesh_sides_last(info->mesh);
	spate_result result = SPATE_OK;
	info->fluids = mem_calloc(last + 1u, sizeof *info->fluids);
	if (!info->fluids)
		return error_memory(error, last * sizeof *info->fluids);
	for (uint32_t f = 1; f <= last && result == SPATE_OK; f++)
	{
		spate_mesh *own = NULL;
		spate_fluid_mesh_info *out = &info->fluids[info->fluid_count];
		result = mesh_sides_extract(&own, info->mesh, f, error);
		if (result == SPATE_OK)
			result = mesh_measure_all(&out->measure, own, error);
		out->fluid = f;
		out->triangles = own ? own->triangle_count : 0;
		info->fluid_count += out->triangles > 0;
		spate_mesh_destroy(own);
	}
	return result;
}

spate_result info_read_mesh(const char *path, spate_mesh_info *info, spate_error *error)
{
	spate_result result = mesh_read_surface(&info->mesh, path, &info->format, error);
	if (result == SPATE_OK)
		result = mesh_measure_all(&info->measure, info->mesh, error);
	if (result == SPATE_OK)
		result = measure_fluids(info, error);
	if (result == SPATE_OK)
		result = mesh_count_crossings(&info->crossings, info->mesh, error);
	return result;
}

spate_result info_read_field(const char *path, spate_field_info *info, spate_error *error)
{
	vdb_file_info file;
	spate_result result = vdb_read_level_set(path, &file, NULL, 0, NULL, error);
	if (result != SPATE_OK)
		return result;
	*info = (spate_field_info){.level_set = file.level_set,
				   .cell = file.cell,
				   .voxels = file.voxels,
				   .background = (double)file.background};
	memcpy(info->name, file.name, sizeof info->name);
	memcpy(info->low, file.low, sizeof info->low);
	memcpy(info->high, file.high, sizeof info->high);
	return SPATE_OK;
}

spate_result info_read_particles(const char *path, spate_particles_info *info, spate_error *error)
{
	particle_set set;
	spate_result result = particles_read(&set, path, NULL, 0, error);
	if (result != SPATE_OK)
		return result;
	const spate_mesh *points = info->points = set.points;
	for (int k = 0; k < 3; k++)
	{
		info->low[k] = points->vertex_count ? INFINITY : 0.0;
		info->high[k] = points->vertex_count ? -INFINITY : 0.0;
	}
	for (size_t i = 0; i < 3 * (size_t)points->vertex_count; i++)
	{
		info->low[i % 3] = fmin(info->low[i % 3], (double)points->positions[i]);
		info->high[i % 3] = fmax(info->high[i % 3], (double)points->positions[i]);
	}
	info->spacing = particles_guess_spacing(points->positions, points->vertex_count);
	return SPATE_OK;
}

// -------------------------------------------------------------------------------------------------------------- the whole

void spate_info_free(spate_info *info)
{
	if (!info)
		return;
	info_free_run(&info->run);
	mem_free(info->frame.channels);
	mem_free(info->frame.blobs);
	spate_mesh_destroy(info->mesh.mesh);
	mem_free(info->mesh.fluids);
	spate_mesh_destroy(info->particles.points);
	for (uint32_t i = 0; i < info->problem_count; i++)
		mem_free(info->problems[i]);
	mem_free(info->problems);
	*info = (spate_info){0};
}

static spate_result read_kind(const spate_info_def *def, spate_info *info, spate_error *error)
{
	switch (info->kind)
	{
	case SPATE_INFO_RUN:
		return info_read_run(def, info, error);
	case SPATE_INFO_FRAME:
		return info_read_frame(def, &info->frame, error);
	case SPATE_INFO_MESH:
		return info_read_mesh(def->path, &info->mesh, error);
	case SPATE_INFO_FIELD:
		return info_read_field(def->path, &info->field, error);
	case SPATE_INFO_PARTICLES:
		return info_read_particles(def->path, &info->particles, error);
	default:
		return SPATE_OK;
	}
}

spate_result spate_info_read(const spate_info_def *def, spate_info *info, spate_error *error)
{
	if (!def || !def->path || !info)
		return error_set(error, SPATE_INVALID, "spate_info_read needs a path and a place for the result");
	*info = (spate_info){0};
	spate_result result = spate_info_detect(def->path, &info->kind, error);
	if (result == SPATE_OK)
		result = read_kind(def, info, error);
	if (result != SPATE_OK)
		spate_info_free(info);
	return result;
}
