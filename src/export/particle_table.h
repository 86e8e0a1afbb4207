// Particles as columns of their own types, which is what files of other programs are written from.
#ifndef EXPORT_PARTICLE_TABLE_H
#define EXPORT_PARTICLE_TABLE_H

#include "base/array.h"
#include "spate/mesh.h"
#include "spate/store.h"

typedef struct particle_column
{
	char name[64];
	spate_type type;
	void *data;   // packed rows; NULL without rows
	int borrowed; // belongs to somebody else
} particle_column;

typedef struct particle_table
{
	uint32_t count;
	float *positions; // 3 per particle, m, relative to the origin
	int borrowed;     // the positions belong to somebody else
	double origin[3]; // m
	int64_t frame;    // -1 if the file does not say
	double time;      // s
	ARRAY(particle_column) columns;
} particle_table;

// Reads a file of any readable format: the channels in `wanted` that it has, or all if that is NULL. Frames of Spate keep the types of their
// channels, those of other programs become floats.
spate_result particle_table_read(particle_table *table, const char *path, const char *const *wanted,
				 uint32_t wanted_count, spate_error *error);
// Points at a mesh without triangles, and at ids unless they are NULL; both must live as long.
spate_result particle_table_view(particle_table *table, const spate_mesh *points, const int64_t *ids,
				 spate_error *error);
void particle_table_free(particle_table *table);

// NULL if there is no column of that name.
particle_column *particle_table_find(const particle_table *table, const char *name);
// Adds a column, whose rows the caller fills in.
spate_result particle_table_add(particle_table *table, const char *name, spate_type type, void **data,
				spate_error *error);

// Removes a column, if there is one of that name.
void particle_table_drop(particle_table *table, const char *name);

// Turns places and vectors from y up to z up: (x, y, z) becomes (x, -z, y).
void particle_table_turn(particle_table *table, int threads);
// The same for a mesh that is relative to an origin.
void mesh_turn(spate_mesh *mesh, double origin[3], int threads);
// Adds the origin to the positions.
void particle_table_move_to_world(particle_table *table, int threads);

// "velocity_x" and so on in `out`; the name itself for a single component.
typedef struct component_name
{
	char text[72];
} component_name;
component_name particle_component_name(const particle_column *column, uint32_t component);

// What Houdini calls a channel: v, Cd, pscale and N for velocity, color, radius and normal; other names stay.
const char *particle_houdini_name(const char *name);

// Says that a format cannot carry a channel, and why.
spate_result particle_refuse(const char *format, const char *channel, const char *why, spate_error *error);
// Refuses the second of two columns that `name` gives the same name, and those named as one of `taken`, which ends with NULL.
spate_result particle_check_names(const particle_table *table, const char *format, const char *(*name)(const char *),
				  const char *const *taken, spate_error *error);
// Refuses columns of 64 bits with values that do not fit into 32.
spate_result particle_check_int32(const particle_table *table, const char *format, spate_error *error);

#endif
