#include "mesh/points.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "mesh/format.h"

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
	mem_free(set->fluids);
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

// ----------------------------------------------------------------------------------------------------------------- gzip

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
	POINTS_RATIO = 4,
	POINTS_SLACK = 1 << 20 // bytes
};

// By content alone, because any file may have any name.
static const file_format *detect(const char *data, size_t bytes)
{
	return file_format_detect(SPATE_FORMAT_PARTICLES, "", data, bytes, bytes);
}

// Maximum size of an unzipped file, given its zipped size and the beginning of its content.
static size_t unzip_limit(size_t zipped, const char *data, size_t bytes)
{
	const file_format *format = detect(data, bytes);
	size_t limit = UNZIP_SLACK + UNZIP_RATIO * zipped;
	size_t points = format && format->points_bytes ? format->points_bytes(data, bytes) : 0;
	if (points > 0 && points < (limit - POINTS_SLACK) / POINTS_RATIO)
		limit = POINTS_SLACK + POINTS_RATIO * points;
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

// ---------------------------------------------------------------------------------------------------------------- reading

static spate_result parse(spate_mesh **points, const char *path, const char *data, size_t bytes, spate_error *error)
{
	const file_format *format = detect(data, bytes);
	if (format && format->parse_points)
		return format->parse_points(points, path, data, bytes, error);
	const char *dot = strrchr(path, '.');
	if (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0))
		return error_set(error, SPATE_FORMAT, "%s is a scene file; its particles are in the folder of its run",
				 path);
	return error_set(error, SPATE_FORMAT, "%s is not a particle file in a supported format: %s", path,
			 file_formats_reading(SPATE_FORMAT_PARTICLES, 1).text);
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

spate_result particles_read(particle_set *set, const char *path, const char *const *wanted, uint32_t wanted_count,
			    spate_error *error)
{
	char start[16] = {0};
	const file_format *format = detect(start, read_start(path, start, sizeof start - 1));
	*set = (particle_set){0};
	spate_result result = format && format->read_points
				  ? format->read_points(set, path, wanted, wanted_count, error)
				  : read_foreign(set, path, error);
	if (result != SPATE_OK)
		particles_free(set);
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
