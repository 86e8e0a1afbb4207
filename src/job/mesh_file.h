// Reads meshes from files of any readable format, including those that are not surfaces of a liquid.
#ifndef JOB_MESH_FILE_H
#define JOB_MESH_FILE_H

#include "spate/mesh.h"

#include <stdint.h>

// *format becomes "PLY", "spate" and so on; `format` may be NULL.
spate_result mesh_file_read(spate_mesh **mesh, const char *path, const char **format, spate_error *error);

// How a mesh was made, for the comment of its file: made=, a hash of the settings, then one of the particles.
typedef struct mesh_note
{
	char text[48];
} mesh_note;

enum
{
	MESH_NOTE_SOURCE = 5 + 16 // where the hash of the particles begins
};

mesh_note mesh_note_of(uint64_t settings, uint64_t source);
// Reads the note of a file; 0 if it has none.
int mesh_file_note(const char *path, mesh_note *note);
// Whether a mesh was made from other particles than those in a file now. Meshes of other programs, and files that cannot be read, do not
// tell.
int mesh_file_is_outdated(const char *path, const char *particles);

#endif
