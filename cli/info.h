// Prints what spate_info_read found, as text or as JSON; each function returns the exit code.
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "cli/arguments.h"
#include "spate/info.h"

#include <stdio.h>

typedef struct info_options
{
	common_arguments args;
	int quick;
} info_options;

// Parts of several reports.
void info_add_channels(FILE *json, const spate_mesh *mesh);
void info_show_channels(const spate_mesh *mesh);
void info_add_bounds(FILE *json, const double low[3], const double high[3]);
void info_show_bounds(const double low[3], const double high[3]);

int info_print_run(const spate_info *info, const info_options *options);
int info_print_frame(const spate_frame_info *frame, const info_options *options);
int info_print_mesh(const spate_mesh_info *mesh, const info_options *options);
int info_print_field(const spate_field_info *field, const info_options *options);
int info_print_particles(const spate_particles_info *particles, const info_options *options);

#endif
