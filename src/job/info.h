// The readers behind spate_info_read, one per kind. Each fills its part of a zeroed result.
#ifndef JOB_INFO_H
#define JOB_INFO_H

#include "spate/info.h"

spate_result info_read_run(const spate_info_def *def, spate_info *info, spate_error *error);
void info_free_run(spate_run_info *run);

spate_result info_read_frame(const spate_info_def *def, spate_frame_info *frame, spate_error *error);
spate_result info_read_mesh(const char *path, spate_mesh_info *mesh, spate_error *error);
spate_result info_read_field(const char *path, spate_field_info *field, spate_error *error);
spate_result info_read_particles(const char *path, spate_particles_info *particles, spate_error *error);

#endif
