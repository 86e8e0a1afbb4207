// The table of file formats. A format is one file, src/export/format_NAME.c, with its readers, its writers and its row; CMake collects the
// rows by the names of these files.
#ifndef MESH_FORMAT_H
#define MESH_FORMAT_H

#include "mesh/build.h"
#include "spate/formats.h"

#include <stddef.h>
#include <stdint.h>

// How well the beginning of a file fits a format.
typedef enum format_match
{
	FORMAT_NO,
	FORMAT_LIKELY,
	FORMAT_SURE
} format_match;

// What a file holds besides the mesh or the points.
typedef struct file_extras
{
	int64_t frame;      // -1 if unknown; then so is the time
	double time;        // s
	double fps;         // frames per second; 0 if unknown
	int z_up;           // z points up, otherwise y
	double origin[3];   // m; positions are relative to it
	const char *note;   // how it was made, at most 60 characters; "" for none
	const int64_t *ids; // of points that are a mesh; NULL for none
	double cell;        // m, of a field
	int threads;        // 0 for all cores
} file_extras;

struct particle_set;
struct particle_table;
struct stream;

// Functions that a format does not have are NULL. Readers get data that is followed by a zero byte.
typedef struct file_format
{
	spate_format about;
	int rank; // place in lists; common formats come first
	// `data` may be only the beginning of the file_bytes.
	format_match (*match)(const char *data, size_t bytes, size_t file_bytes);
	// From memory. The size of points by the header of a file, 0 if that is not known yet, limits what is unzipped.
	spate_result (*parse_mesh)(mesh_builder *b);
	spate_result (*parse_points)(spate_mesh **points, const char *path, const char *data, size_t bytes,
				     spate_error *error);
	size_t (*points_bytes)(const char *data, size_t bytes);
	// From a file, for formats that are read in parts.
	spate_result (*read_mesh)(spate_mesh **mesh, const char *path, spate_error *error);
	spate_result (*read_points)(struct particle_set *set, const char *path, const char *const *wanted,
				    uint32_t wanted_count, spate_error *error);
	// To a stream, in world coordinates. Channels that the format cannot carry are refused before anything is written.
	spate_result (*write)(const spate_mesh *mesh, struct stream *s);
	spate_result (*write_particles)(const struct particle_table *table, const file_extras *extras,
					struct stream *s);
	// To a file, for formats with more to tell.
	spate_result (*write_mesh)(const spate_mesh *mesh, const file_extras *extras, const char *path,
				   spate_error *error);
	spate_result (*save_particles)(const struct particle_table *table, const file_extras *extras, const char *path,
				       spate_error *error);
	// The signed distance to a surface, or if that is NULL, how much liquid there is; with the velocity of the
	// particles, unless they are NULL. Of their channels only velocity and radius matter.
	spate_result (*write_field)(const spate_mesh *surface, const struct particle_table *particles,
				    const file_extras *extras, const char *path, spate_error *error);
} file_format;

// The n-th format in lists; NULL beyond the last.
const file_format *file_format_at(uint32_t n);
// By name, and by the suffix of a path; NULL if there is none.
const file_format *file_format_find(const char *name);
const file_format *file_format_of_path(const char *path);
// The best match among the formats that read all of the contents, then the one of the path's suffix; NULL if there is none.
const file_format *file_format_detect(uint32_t contents, const char *path, const char *data, size_t bytes,
				      size_t file_bytes);

// "ply, obj or stl": the names of the formats that read or write all of the contents; with a dot before each if `dots` is set.
typedef struct format_list
{
	char text[128];
} format_list;

format_list file_formats_reading(uint32_t contents, int dots);
format_list file_formats_writing(uint32_t contents, int dots);

#endif
