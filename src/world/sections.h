// The sections that every state has (state.h), by subject: sections_progress.c, sections_liquid.c, sections_colliders.c. A section may rely
// on those before it in the table of state.c.
#ifndef WORLD_SECTIONS_H
#define WORLD_SECTIONS_H

#include "world/state.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

extern const state_section section_changes, section_counters, section_stats, section_probes, section_kernels;
extern const state_section section_particles, section_sources, section_lists;
extern const state_section section_poses, section_loads, section_wet, section_bodies, section_bending;

// Reads what section_counters saved, unchecked.
world_counters section_read_counters(byte_reader *reader);

// Copies the saved fields of the particles, after all sections. Fields that the world does not know are refused; those that only a user
// of this world added keep their defaults.
spate_result section_load_fields(spate_world *world, const state_source *from, spate_error *error);

#endif
