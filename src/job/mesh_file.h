// Notes in mesh files that tell how they were made.
#ifndef JOB_MESH_FILE_H
#define JOB_MESH_FILE_H

#include <stdint.h>

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
