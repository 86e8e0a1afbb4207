#include "job/mesh_file.h"

#include "export/particles_read.h"
#include "spate/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

mesh_note mesh_note_of(uint64_t settings, uint64_t source)
{
	mesh_note note;
	snprintf(note.text, sizeof note.text, "made=%016" PRIx64 "%016" PRIx64, settings, source);
	return note;
}

enum
{
	NOTE_ALL = MESH_NOTE_SOURCE + 16 // letters
};

static int take_note(mesh_note *note, const char *letters)
{
	memcpy(note->text, letters, NOTE_ALL);
	note->text[NOTE_ALL] = '\0';
	return 1;
}

static int find_note(const char *path, mesh_note *note)
{
	char start[2048];
	FILE *file = fopen(path, "rb");
	size_t bytes = file ? fread(start, 1, sizeof start, file) : 0;
	if (file)
		fclose(file);
	for (size_t i = 0; i + NOTE_ALL <= bytes; i++)
		if (memcmp(start + i, "made=", 5) == 0)
			return take_note(note, start + i);
	return 0;
}

// Our own format keeps the note as a blob, other formats in a comment, and OpenVDB as metadata, with its length between name and value.
int mesh_file_note(const char *path, mesh_note *note)
{
	spate_frame *frame = NULL;
	const void *data = NULL;
	size_t bytes = 0;
	if (spate_frame_open(path, &frame, NULL) != SPATE_OK)
		return find_note(path, note);
	int found = spate_frame_blob(frame, "made", &data, &bytes, NULL) == SPATE_OK && bytes == NOTE_ALL &&
		    take_note(note, data);
	spate_frame_close(frame);
	return found;
}

int mesh_file_is_outdated(const char *path, const char *particles)
{
	mesh_note found;
	uint64_t source;
	if (!mesh_file_note(path, &found) || particles_hash(particles, &source, NULL) != SPATE_OK)
		return 0;
	return strcmp(found.text + MESH_NOTE_SOURCE, mesh_note_of(0, source).text + MESH_NOTE_SOURCE) != 0;
}
