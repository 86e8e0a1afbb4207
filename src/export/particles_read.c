#include "export/particles_read.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cache/format.h"
#include "mesh/build.h"
#include "spate/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum
{
	SPACING_SAMPLES = 101, // particles whose neighbours are searched
	NEIGHBOURS = 22        // per sample; on a lattice, the ball around them gives the spacing within 1.1 %
};

void particles_free(particle_set *set)
{
	spate_mesh_destroy(set->points);
	*set = (particle_set){0};
}

spate_result particles_add_channel(spate_mesh *points, const char *name, uint32_t components, float **values,
				   spate_error *error)
{
	static const char *const usual[][2] = {
	    {"v", "velocity"}, {"vel", "velocity"}, {"Cd", "color"}, {"pscale", "radius"}};
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (strcmp(name, usual[i][0]) == 0)
			name = usual[i][1];
	spate_mesh_channel *channel = NULL;
	*values = NULL;
	size_t length = strlen(name);
	if (components < 1 || components > 4 || length == 0 || length >= sizeof channel->name ||
	    spate_mesh_find_channel(points, name))
		return SPATE_OK;
	spate_result result = spate_mesh_add_channel(points, name, components, &channel, error);
	if (result == SPATE_OK)
		*values = channel->values;
	return result;
}

// --------------------------------------------------------------------------------------------------------- our own frames

static int is_wanted(const spate_frame_entry *entry, const char *const *wanted, uint32_t count)
{
	if (strchr(entry->name, '/') || strcmp(entry->name, "position") == 0 || entry->type == SPATE_INT64)
		return 0;
	for (uint32_t i = 0; wanted && i < count; i++)
		if (strcmp(entry->name, wanted[i]) == 0)
			return 1;
	return !wanted;
}

static spate_result copy_channel(particle_set *set, spate_frame *frame, const spate_frame_entry *entry,
				 spate_error *error)
{
	float *values;
	const void *data;
	spate_result result =
	    particles_add_channel(set->points, entry->name, spate_type_components(entry->type), &values, error);
	if (result != SPATE_OK || !values || entry->count == 0)
		return result;
	if (entry->type != SPATE_INT32)
		return spate_frame_copy(frame, entry->name, entry->type, values, 0, error);
	result = spate_frame_channel(frame, entry->name, NULL, &data, error);
	for (uint64_t i = 0; result == SPATE_OK && i < entry->count; i++)
		values[i] = (float)((const int32_t *)data)[i];
	return result;
}

static spate_result read_frame(particle_set *set, const char *path, const char *const *wanted, uint32_t wanted_count,
			       spate_error *error)
{
	spate_frame *frame = NULL;
	spate_frame_entry entry;
	spate_result result = spate_frame_open(path, &frame, error);
	if (result != SPATE_OK)
		return result;
	uint64_t count = spate_frame_count(frame);
	if (spate_frame_get_kind(frame) == SPATE_FRAME_MESH)
		result = error_set(error, SPATE_FORMAT, "%s contains a mesh, not particles", path);
	else if (count > UINT32_MAX)
		result = error_set(error, SPATE_INVALID, "%s has more particles than fit into a surface", path);
	else
		result = spate_mesh_create(&set->points, (uint32_t)count, 0, error);
	if (result == SPATE_OK && count > 0)
		result = spate_frame_copy(frame, "position", SPATE_VEC3, set->points->positions, 0, error);
	for (uint32_t n = 0; result == SPATE_OK && spate_frame_channel_at(frame, n, &entry) == SPATE_OK; n++)
		if (is_wanted(&entry, wanted, wanted_count))
			result = copy_channel(set, frame, &entry, error);
	set->frame = spate_frame_number(frame);
	set->time = spate_frame_time(frame);
	spate_frame_origin(frame, set->origin);
	spate_frame_close(frame);
	return result;
}

// -------------------------------------------------------------------------------------------------------- other programs

static spate_result parse_ply(spate_mesh **points, const char *path, const char *data, size_t bytes, spate_error *error)
{
	mesh_builder b = {.path = path, .data = data, .bytes = bytes, .error = error};
	spate_result result = mesh_parse_ply(&b);
	if (result == SPATE_OK)
		result = spate_mesh_create(points, (uint32_t)(b.positions.count / 3), 0, error);
	if (result == SPATE_OK && b.positions.count > 0)
		memcpy((*points)->positions, b.positions.data, b.positions.count * sizeof(float));
	for (size_t i = 0; i < b.channels.count && result == SPATE_OK; i++)
	{
		const spate_mesh_channel *from = &b.channels.data[i];
		float *values;
		result = particles_add_channel(*points, from->name, from->components, &values, error);
		if (result == SPATE_OK && values && b.positions.count > 0)
			memcpy(values, from->values, b.positions.count / 3 * from->components * sizeof(float));
	}
	mesh_builder_free(&b);
	return result;
}

static int is_gzip(const char *data, size_t bytes)
{
	return bytes > 2 && (unsigned char)data[0] == 0x1f && (unsigned char)data[1] == 0x8b;
}

// A few kilobytes may expand to terabytes of zeros. Particles are rarely compressed to less than a tenth, and the data
// after the points of a .bgeo is not much longer than the points.
enum
{
	UNZIP_RATIO = 100,
	UNZIP_SLACK = 16 << 20, // bytes
	BGEO_RATIO = 4,
	BGEO_SLACK = 1 << 20 // bytes
};

// Maximum size of an unzipped file, given its zipped size and the beginning of its content.
static size_t unzip_limit(size_t zipped, const char *data, size_t bytes)
{
	size_t limit = UNZIP_SLACK + UNZIP_RATIO * zipped, points = particles_bgeo_bytes(data, bytes);
	if (points > 0 && points < (limit - BGEO_SLACK) / BGEO_RATIO)
		limit = BGEO_SLACK + BGEO_RATIO * points;
	return limit;
}

// Replaces the bytes of a gzip file by its content.
static spate_result unzip(const char *path, char **data, size_t *bytes, spate_error *error)
{
	size_t room = 4 * *bytes + 4096, used = 0, taken = 0;
	char *out = mem_alloc(room);
	z_stream z = {0};
	int status = inflateInit2(&z, 15 + 16);
	spate_result result = out && status == Z_OK ? SPATE_OK : error_memory(error, room);
	while (result == SPATE_OK && status == Z_OK)
	{
		if (used + 1 >= room)
		{
			char *larger = mem_realloc(out, 2 * room);
			if (!larger)
			{
				result = error_memory(error, 2 * room);
				break;
			}
			out = larger;
			room *= 2;
		}
		size_t in = *bytes - taken, to = room - 1 - used;
		uInt in_part = in < (1u << 30) ? (uInt)in : 1u << 30, to_part = to < (1u << 30) ? (uInt)to : 1u << 30;
		z.next_in = (Bytef *)(*data + taken);
		z.avail_in = in_part;
		z.next_out = (Bytef *)(out + used);
		z.avail_out = to_part;
		status = inflate(&z, Z_NO_FLUSH);
		taken += in_part - z.avail_in;
		used += to_part - z.avail_out;
		size_t limit = unzip_limit(*bytes, out, used);
		if (used > limit)
			result =
			    error_set(error, SPATE_FORMAT,
				      "%s is a gzip file of %zu bytes that expands beyond %zu bytes, more than its "
				      "particles need; decompress it yourself to see what it contains",
				      path, *bytes, limit);
	}
	inflateEnd(&z);
	if (result == SPATE_OK && status != Z_STREAM_END)
		result = error_set(error, SPATE_FORMAT, "%s is damaged: it cannot be decompressed after byte %zu", path,
				   taken);
	if (result != SPATE_OK)
	{
		mem_free(out);
		return result;
	}
	mem_free(*data);
	out[used] = 0;
	*data = out;
	*bytes = used;
	return SPATE_OK;
}

static spate_result parse(spate_mesh **points, const char *path, const char *data, size_t bytes, spate_error *error)
{
	if (bytes >= 5 && memcmp(data, "BgeoV", 5) == 0)
		return particles_parse_bgeo(points, path, data, bytes, error);
	if (bytes >= 5 && memcmp(data, "# vtk", 5) == 0)
		return particles_parse_vtk(points, path, data, bytes, error);
	if (bytes >= 4 && memcmp(data, "ply", 3) == 0)
		return parse_ply(points, path, data, bytes, error);
	if (bytes >= 4 && memcmp(data, "\x7fNSJ", 4) == 0)
		return error_set(error, SPATE_FORMAT,
				 "%s is a .bgeo of Houdini 12 or later; save it as classic geometry (.bgeo of version "
				 "5, .hclassic) or as .ply",
				 path);
	return error_set(error, SPATE_FORMAT,
			 "%s is not a particle file in a supported format: .spate, .bgeo (classic), .vtk (legacy) or "
			 ".ply",
			 path);
}

static spate_result read_foreign(particle_set *set, const char *path, spate_error *error)
{
	char *data = NULL;
	size_t bytes = 0;
	spate_result result = file_read(path, &data, &bytes, error);
	if (result != SPATE_OK)
		return result;
	if (is_gzip(data, bytes))
		result = unzip(path, &data, &bytes, error);
	if (result == SPATE_OK)
		result = parse(&set->points, path, data, bytes, error);
	mem_free(data);
	return result;
}

// Reads the first bytes of a file and returns their number.
static size_t read_start(const char *path, char *start, size_t room)
{
	FILE *file = fopen(path, "rb");
	size_t got = file ? fread(start, 1, room, file) : 0;
	if (file)
		fclose(file);
	return got;
}

static int is_ours(const char *start, size_t bytes)
{
	return bytes >= 8 && memcmp(start, FORMAT_MAGIC, 8) == 0;
}

spate_result particles_read(particle_set *set, const char *path, const char *const *wanted, uint32_t wanted_count,
			    spate_error *error)
{
	char start[8];
	*set = (particle_set){0};
	spate_result result = is_ours(start, read_start(path, start, sizeof start))
				  ? read_frame(set, path, wanted, wanted_count, error)
				  : read_foreign(set, path, error);
	if (result != SPATE_OK)
		particles_free(set);
	return result;
}

spate_result particles_hash(const char *path, uint64_t *hash, spate_error *error)
{
	char head[FORMAT_HEADER], *data = NULL;
	size_t bytes = read_start(path, head, sizeof head);
	// our header ends with checksums that cover everything
	if (is_ours(head, bytes))
	{
		*hash = hash_bytes(head, bytes, 0);
		return SPATE_OK;
	}
	spate_result result = file_read(path, &data, &bytes, error);
	if (result == SPATE_OK)
		*hash = hash_bytes(data, bytes, 0);
	mem_free(data);
	return result;
}

// --------------------------------------------------------------------------------------------------------------- spacing

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

// Squared distance from particle i to its NEIGHBOURS-th neighbour; infinite if it has fewer.
static float far_neighbour(const float *p, size_t count, size_t i)
{
	float near[NEIGHBOURS];
	for (int k = 0; k < NEIGHBOURS; k++)
		near[k] = INFINITY;
	for (size_t j = 0; j < count; j++)
	{
		float x = p[3 * j] - p[3 * i], y = p[3 * j + 1] - p[3 * i + 1], z = p[3 * j + 2] - p[3 * i + 2];
		float d = x * x + y * y + z * z;
		if (j == i || !(d < near[NEIGHBOURS - 1]))
			continue;
		int k = NEIGHBOURS - 1;
		for (; k > 0 && near[k - 1] > d; k--)
			near[k] = near[k - 1];
		near[k] = d;
	}
	return near[NEIGHBOURS - 1];
}

double particles_guess_spacing(const float *p, size_t count)
{
	float far[SPACING_SAMPLES];
	size_t step = count / SPACING_SAMPLES + 1, used = 0;
	for (size_t i = step / 2; i < count && used < SPACING_SAMPLES; i += step)
		far[used++] = far_neighbour(p, count, i);
	if (used > 0)
		qsort(far, used, sizeof *far, compare_floats);
	// the lowest tenth is deep inside the liquid; the ball through the last neighbour contains half of it
	double radius = used > 0 ? sqrt((double)far[used / 10]) : 0.0;
	double spacing = radius * cbrt(4.0 / 3.0 * 3.14159265358979 / (NEIGHBOURS + 0.5));
	return isfinite(spacing) ? spacing : 0.0;
}
