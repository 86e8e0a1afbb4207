// Movies: frames are piped into ffmpeg, which runs as a separate program (H.264, 4:2:0, plays everywhere).
#ifndef RENDER_MOVIE_H
#define RENDER_MOVIE_H

#include "render/image.h"

typedef struct movie movie;

// Starts ffmpeg for pictures of this size; an odd size is made even by repeating the last row or column. The container
// follows the extension: .mp4 (also for unknown ones), .mov or .mkv. The file appears under its name only when
// movie_finish succeeds. The name is always a file, never a URL, and ffmpeg ends when this process does.
spate_result movie_create(movie **out, const char *path, int width, int height, double fps, spate_error *error);
// Appends a frame, which must have the size given to movie_create; transparency is ignored.
spate_result movie_add(movie *film, const image *frame, spate_error *error);
// Ends the stream, waits for ffmpeg and moves the file into place.
spate_result movie_finish(movie *film, spate_error *error);
// After movie_finish, or instead of it to cancel: then no file is left on disk. NULL is allowed.
void movie_destroy(movie *film);

#endif
