// The kinds of files that `spate info` describes; each function returns the exit code.
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "cli/run_input.h"
#include "scene/buffer.h"
#include "spate/mesh.h"

typedef struct info_options
{
	common_arguments args;
	int quick;
} info_options;

// "name":[x,y,z], and the list of a mesh's channels.
void info_add_triple(buffer *json, const char *name, const double v[3]);
void info_add_channels(buffer *json, const spate_mesh *mesh);
void info_show_channels(const spate_mesh *mesh);

// The directory of a run.
int info_run(const char *directory, const info_options *options);
// A .spate file.
int info_frame(const char *path, const info_options *options);
// A mesh in any readable format.
int info_mesh(const char *path, const info_options *options);
// A level set (.vdb), and a particle file of another program.
int info_vdb(const char *path, const info_options *options);
int info_particles(const char *path, const info_options *options);
int info_is_particles(const char *path);
// Decided by content or extension.
int info_is_mesh(const char *path);

#endif
