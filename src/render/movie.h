// Movies: frames go through a pipe into ffmpeg, which is run as a program (H.264, 4:2:0, plays everywhere).
#ifndef RENDER_MOVIE_H
#define RENDER_MOVIE_H

#include "render/image.h"

typedef struct movie movie;

// Starts ffmpeg for pictures of this size; an odd side is made even by repeating the last row or column. The container
// follows the name: .mp4 (also for unknown endings), .mov or .mkv. The file appears under its name only when
// movie_finish succeeds. The name is always one of a file, never an address, and ffmpeg ends when this process does.
spate_result movie_create(movie **out, const char *path, int width, int height, double fps, spate_error *error);
// Appends a frame, which must have the size given above; transparency is ignored.
spate_result movie_add(movie *film, const image *frame, spate_error *error);
// Ends the stream, waits for ffmpeg and puts the file in its place.
spate_result movie_finish(movie *film, spate_error *error);
// After finish, or instead of it to give up: then nothing is left on the disk. NULL is allowed.
void movie_destroy(movie *film);

#endif
