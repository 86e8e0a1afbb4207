// The state of a world outside the world: a header, sections of bytes, and the saved fields of the particles.
//
//   header     when and where                                state_header
//   sections   everything but the fields, by name            sections.h, and the solver's
//   fields     arrays of one value per particle              as the store names them
//
// A section has a name, a version, and two functions. save() writes numbers, never structs; load() checks each of them against the
// definition before the world relies on it, since intact bytes may still hold a state that no run can reach. A snapshot keeps all
// three in memory, a checkpoint in a file; both go through the functions below.
#ifndef WORLD_STATE_H
#define WORLD_STATE_H

#include "base/bytes.h"
#include "world/world.h"

typedef struct state_header
{
	uint32_t frame; // finished frames
	double time;    // s
	double origin[3];
	uint64_t rows; // particles
} state_header;

enum
{
	STATE_NAME_CHARS = 32
};

// The bytes of a section: its version (32 bits), then what save() wrote.
typedef struct state_part
{
	char name[STATE_NAME_CHARS];
	const uint8_t *data;
	size_t size;
} state_part;

// Where a state comes from.
typedef struct state_source
{
	state_header header;
	const state_part *parts;
	uint32_t part_count;
	// The n-th field; 0 beyond the last.
	int (*field)(void *context, uint32_t n, const char **name, spate_type *type);
	// Copies a field of all particles; MISSING if there is none of that name.
	spate_result (*copy)(void *context, const store_column *to, spate_error *error);
	void *context;
	int whole_frames; // only the end of a frame is accepted
} state_source;

typedef struct state_section
{
	const char *name;
	uint32_t version; // the newest one, which save() writes
	void (*save)(const spate_world *world, byte_writer *to);
	// The reader holds exactly what some save() wrote, or a forgery. Reading too little or too much is noticed by the caller.
	spate_result (*load)(spate_world *world, const state_source *from, uint32_t version, byte_reader *reader,
			     spate_error *error);
} state_section;

// The n-th section of a world, its solver's behind those that every world has; its name is NULL beyond the last. Sections are loaded in
// this order.
state_section state_nth(const spate_world *world, uint32_t n);

// Brings the particles into the order in which they are saved, and describes the moment.
state_header state_begin(spate_world *world);
// Appends the bytes of a section to `to`. After it, to->missing says whether there was memory.
void state_save(const spate_world *world, const state_section *section, byte_writer *to);

// Replaces the state of a world. On failure the world is unusable; SPATE_MEMORY when out of memory, else SPATE_FORMAT: the state is
// that of another definition or of a later version, or none that a run can reach.
spate_result state_load(spate_world *world, const state_source *from, spate_error *error);

// Reads the counters and the number of particles that ever came, without a world.
spate_result state_count(const state_part *parts, uint32_t count, world_counters *counters, uint64_t *added,
			 spate_error *error);

// Checks that a world can be stepped and saved: SPATE_UNUSABLE if not.
spate_result world_check_usable(const spate_world *world, spate_error *error);
// Makes a world unusable until a state is loaded; `why` completes "the world is unusable until a snapshot is restored: ".
void world_spoil(spate_world *world, const char *why);

#endif
